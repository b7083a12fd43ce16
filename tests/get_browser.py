"""Install a Chromium for the tests if none is found, and print its path.

It uses the browser that the tests find, else Playwright's own browser, else a package of apt.

"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from playwright.sync_api import sync_playwright

from tests.browser.launch import MISSING, SYSTEM, launch_options

DOWNLOAD_SECONDS = 300


def find() -> str | None:
    with sync_playwright() as playwright:
        options = launch_options(playwright)
        if options is None:
            return None
        return str(options.get("executable_path", playwright.chromium.executable_path))


def run(*command: str) -> bool:
    print("+", *command, file=sys.stderr, flush=True)
    try:
        # Only the answer goes to stdout.
        done = subprocess.run(command, stdout=sys.stderr, timeout=DOWNLOAD_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return False
    return done.returncode == 0


def as_root() -> list[str] | None:
    """Return the command prefix for running as root without a password, if there is one."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "--non-interactive"]
    return sudo if shutil.which("sudo") and run(*sudo, "true") else None


def apt() -> bool:
    prefix = as_root() if shutil.which("apt-get") else None
    if prefix is None:
        return False
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    install = (*quiet, "install", "-y", "--no-install-recommends")
    return run(*quiet, "update") and any(run(*install, name) for name in SYSTEM[:2])


def ways() -> Iterator[bool]:
    yield True
    if "CHROMIUM" in os.environ:
        return
    yield run(sys.executable, "-m", "playwright", "install", "--only-shell", "chromium")
    yield apt()


def main() -> None:
    found = next((path for tried in ways() if tried and (path := find())), None)
    print(found or sys.exit(MISSING))


if __name__ == "__main__":
    main()
