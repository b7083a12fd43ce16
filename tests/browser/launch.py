"""The search for a Chromium that the tests can start.

Playwright itself passes --no-sandbox (root needs it) and options without network access.

"""

import os
import shutil
from typing import Any

from playwright.sync_api import Error, Playwright

# The first is Chromium without windows, as is Playwright's own: a page costs it a third.
SYSTEM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MISSING = "No Chromium to test with: install one, or name it in the environment variable CHROMIUM."


def candidates() -> list[dict[str, Any]]:
    """Return launch options to try, in order; without executable_path it is Playwright's browser."""
    if chosen := os.environ.get("CHROMIUM"):
        return [{"executable_path": chosen}]
    installed = [path for name in SYSTEM if (path := shutil.which(name))]
    return [{}, *({"executable_path": path} for path in installed)]


def launch_options(playwright: Playwright) -> dict[str, Any] | None:
    """Return the first launch options that work, or None."""
    for options in candidates():
        try:
            playwright.chromium.launch(**options).close()
        except Error:
            continue
        return options
    return None
