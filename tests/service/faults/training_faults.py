"""Trainings that cannot end well leave the old model as it was."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.tictactoe.agents import load
from app.tictactoe.game import connect
from tests.service.faults.finding import Finding
from tests.service.server import ROOT
from tests.signals import heeding

AGENT, SEED = "q-learning-1", "99"
DISK = 512  # KB: there is room for the old model, but not for the new one beside it
FILE = 64  # KB
FAILED, INTERRUPTED = 1, 130
MODELS = ROOT / "models"
CONTROL = re.compile(r"\x1b\[[?\d;]*[a-zA-Z]")  # what only moves and colours a terminal


def full_disk() -> Iterator[Finding]:
    """A model for which there is no room."""
    with tempfile.TemporaryDirectory() as name, mounted(Path(name)) as mount:
        if mount.returncode:
            done = f"a disk of {DISK} KB"
            yield Finding(done, "-", f"not tried here: {mount.stderr.strip()}", True)
        else:
            done = f"training into a disk of {DISK} KB that the old model is on"
            yield failing(Path(name), done, "No space left on device")
    with tempfile.TemporaryDirectory() as name:
        done = f"training where no file may be larger than {FILE} KB"
        yield failing(Path(name), done, "File too large", FILE << 10)


def interrupted_training() -> Iterator[Finding]:
    """Ctrl-C in the middle of a training."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = with_old_model(folder)
        colours = os.environ | {"FORCE_COLOR": "1"}
        with heeding(signal.SIGINT):
            process = subprocess.Popen(
                command(folder), cwd=ROOT, env=colours, stderr=subprocess.PIPE
            )
        assert process.stderr
        shown = b""
        while b"updates/s" not in shown:
            assert process.poll() is None, shown.decode()
            shown += os.read(process.stderr.fileno(), 1000)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1].decode()
        yield told(
            "training, Ctrl-C", folder, before, process.returncode, said, INTERRUPTED, "Interrupted"
        )


def failing(folder: Path, done: str, reason: str, largest: int | None = None) -> Finding:
    """Train into a folder where it cannot be saved."""

    def limit() -> None:
        if largest:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    before = with_old_model(folder)
    ended = subprocess.run(
        command(folder), cwd=ROOT, capture_output=True, text=True, preexec_fn=limit, check=False
    )
    return told(done, folder, before, ended.returncode, ended.stderr, FAILED, reason)


def told(
    done: str,
    folder: Path,
    before: dict[str, bytes],
    status: int,
    said: str,
    right_status: int,
    reason: str,
) -> Finding:
    """Judge how a training ended, and what it left."""
    same = contents(folder) == before
    loadable = load(folder, connect(), AGENT).card.seed != int(SEED)
    last = CONTROL.sub("", said).strip().rpartition("\n")[2]
    return Finding(
        done,
        f'exit status {right_status}, "{reason}", no traceback; the old model is there, whole, '
        "and nothing else",
        f'exit status {status}, "{last}"; '
        + ("old model as before, loads, nothing else there" if same else "the folder has changed"),
        same and loadable and status == right_status and reason in last and "Traceback" not in said,
    )


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "training", "train", AGENT, "--seed", SEED, "--out", str(folder)]


def with_old_model(folder: Path) -> dict[str, bytes]:
    """Put a model into a folder and return what is in it."""
    for ending in ("npz", "json"):
        shutil.copy(MODELS / f"{AGENT}.{ending}", folder)
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() if path.is_file() else b"a folder" for path in folder.iterdir()
    }


@contextmanager
def mounted(folder: Path) -> Iterator[subprocess.CompletedProcess[str]]:
    """Make a folder a small disk of its own, where one may."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}k", "tmpfs", str(folder)]
    tried = subprocess.run(mount, capture_output=True, text=True, check=False)
    try:
        yield tried
    finally:
        if not tried.returncode:
            subprocess.run(["umount", str(folder)], check=True)
