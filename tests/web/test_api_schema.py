"""Schemathesis asks all that the description of the API allows, and much that it does not."""

import subprocess
import sys
from pathlib import Path

SETTINGS = Path(__file__).with_name("schemathesis.toml")
SECONDS = 600


COMMAND = [sys.executable, "-m", "schemathesis.cli", f"--config-file={SETTINGS}", "run"]


def test_every_answer_is_as_it_is_described(server: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [*COMMAND, "--checks=all", f"{server}/api/v1/openapi.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Selected: 9/9" in run.stdout
    assert "Tested: 9" in run.stdout
