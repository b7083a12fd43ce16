"""The page of the API and its OpenAPI description agree, and both are true."""

import subprocess
import sys

import pytest

from app.web.pages.api.page import EXAMPLE_CLIENT_FILE


@pytest.mark.long
def test_the_client_plays_a_whole_game(server: str) -> None:
    run = subprocess.run(
        [sys.executable, EXAMPLE_CLIENT_FILE, server, "fixed", "fixed"],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.splitlines()
    boards = [line for line in lines if line.startswith("  ")]
    assert sum(" plays " in line for line in lines) == 7
    assert len(boards) == 3 * 7
    assert boards[-3:] == ["  X O X", "  O X O", "  X . ."]
    assert lines[-1] == "The result: X"
