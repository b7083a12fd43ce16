"""Logs that cannot be written."""

import logging
from contextlib import suppress

import pytest

from app.web.service.log import LogFile


def test_a_full_disk_costs_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    plain = logging.FileHandler("/dev/full")
    plain.close()
    file = LogFile(plain)
    for number in range(3):
        file.emit(logging.makeLogRecord({"msg": f"line {number}"}))
    with suppress(OSError):  # the rest of the buffer cannot be written either
        file.close()
    assert capsys.readouterr().err == "/dev/full cannot be written: No space left on device\n"
