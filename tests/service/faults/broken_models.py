"""Servers that are started with broken model files."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.service.faults.finding import Finding, fault
from tests.service.faults.workers import models
from tests.service.server import ROOT, start
from tests.tictactoe.models import Arrays, npz, put, write

AGENT, OTHER = "q-table", "double-q"
LIMIT = 10.0  # seconds until the server has given up
BOMB = 10**9  # bytes of zeros

Spoil = Callable[[Path], str]  # damages a folder and returns the file that the error has to name


def file(ending: str, spoil: Callable[[Path], object]) -> Spoil:
    """Damage one of the two files of a model."""

    def spoilt(folder: Path) -> str:
        path = folder / f"{AGENT}.{ending}"
        spoil(path)
        return path.name

    return spoilt


def arrays(change: Callable[[Arrays], Arrays]) -> Spoil:
    """Change arrays, with a card that has their digest."""

    def spoil(path: Path) -> None:
        with np.load(path) as read:
            vouched(path, npz(change(dict(read))))

    return file("npz", spoil)


def card(change: Callable[[Any], object]) -> Spoil:
    def spoil(path: Path) -> None:
        told = json.loads(path.read_text())
        change(told)
        path.write_text(json.dumps(told))

    return file("json", spoil)


def vouched(path: Path, packed: bytes) -> None:
    """Write arrays with a card that has their digest."""
    told = json.loads(path.with_suffix(".json").read_text())
    told["arrays"] = hashlib.sha256(packed).hexdigest()
    write(path.parent, json.dumps(told).encode(), packed, AGENT)


def bomb(path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("q", "visits", "snapshot_updates", "snapshot_q", "snapshot_updated"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                for _ in range(BOMB // (1 << 20) if name == "q" else 1):
                    member.write(bytes(1 << 20))
    vouched(path, packed.getvalue())


def of_another(path: Path) -> None:
    shutil.copy(path.with_stem(OTHER), path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def named_as_a_baseline(folder: Path) -> str:
    card(put("id", "minimax"))(folder)
    for ending in ("json", "npz"):
        (folder / f"{AGENT}.{ending}").rename(folder / f"minimax.{ending}")
    return "minimax.json"


def a_blunder_less(told: Any) -> None:
    told["figures"]["blunders"][-1] -= 1


def nothing_there(folder: Path) -> str:
    shutil.rmtree(folder)
    folder.mkdir()
    return folder.name


def an_experiment_is_a_pipe(folder: Path) -> str:
    experiments = folder / "experiments"
    experiments.mkdir(exist_ok=True)
    path = experiments / "teachers.json"
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path.name


BROKEN: dict[str, Spoil] = {
    "arrays cut to 1,000 bytes": file("npz", partial(os.truncate, length=1000)),
    "arrays of no byte": file("npz", partial(os.truncate, length=0)),
    "arrays that unpack to a gigabyte": file("npz", bomb),
    "arrays of a gigabyte": file("npz", partial(os.truncate, length=BOMB)),
    "arrays all NaN": arrays(lambda each: each | {"q": np.full_like(each["q"], np.nan)}),
    "arrays with a row less": arrays(lambda each: each | {"q": each["q"][:-1]}),
    "arrays in float64": arrays(lambda each: each | {"q": each["q"].astype(np.float64)}),
    "arrays with a pickle": arrays(lambda each: each | {"q": np.array([{"not": 1}], object)}),
    "no card": file("json", Path.unlink),
    "no arrays": file("npz", Path.unlink),
    "the card of another agent": file("json", of_another),
    "the arrays of another agent": file("npz", of_another),
    "a card that is half JSON": file(
        "json", lambda path: path.write_bytes(path.read_bytes()[:-20])
    ),
    "a folder for a file": file("npz", a_folder),
    "a pipe for a file": file("npz", a_pipe),
    "a pipe for an experiment": an_experiment_is_a_pipe,
    "an agent called minimax": named_as_a_baseline,
    "a card with chances above 1": card(put("figures", "vs", "random", "x", -1, [1.5, -0.5, 0.0])),
    "a card without one of the opponents": card(lambda told: told["figures"]["vs"].popitem()),
    "a card whose nash_conv is not its losses": card(put("figures", "nash_conv", -1, 1.99)),
    "a card with a blunder less": card(a_blunder_less),
    "a card whose recipe has 100,000 characters": card(put("recipe", "x" * 100_000)),
    "a card whose recipe has a NUL": card(put("recipe", "q-table\0")),
    "a card whose worth is null": card(put("worth", None)),
    "a card whose title turns the reading around": card(put("title", "q\u202etable")),
    "an empty folder": nothing_there,
}


@fault("broken-models")
def broken_models() -> Iterator[Finding]:
    """Starts with broken models."""
    for done, spoil in BROKEN.items():
        with models() as folder, tempfile.TemporaryFile("w+") as output:
            wanted = spoil(folder)
            begin = time.monotonic()
            server = start(output, MODELS=str(folder))
            with suppress(subprocess.TimeoutExpired):
                server.process.wait(LIMIT)
            status = server.stop()
            seconds = time.monotonic() - begin
            lines = server.log.splitlines()
        last = lines[-1] if lines else ""
        reason = last.partition(f"{wanted}: ")[2]
        yield Finding(
            f"gunicorn started with {done}",
            f"ends within {LIMIT:g} s, not with 0; its last line names {wanted} and the reason",
            f"exit status {status} after {seconds:.1f} s; "
            f"{reason or last} (last of {len(lines)} lines)",
            status not in (0, None)
            and seconds < LIMIT
            and bool(reason)
            and "Traceback" not in "".join(lines),
        )


@fault("killed-saves")
def killed_saves() -> Iterator[Finding]:
    """Saves that are killed, each before another of its steps."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.tictactoe.savers", "kill", folder]
        printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    ends: list[int | str | None] = json.loads(printed)["second"]
    old, new = ends.count(0), ends.count(1)
    yield Finding(
        f"{len(ends)} saves over an older model, each killed one step later",
        "the older model, from some step on the new one, always whole",
        f"{old} x the older, then {new} x the new one",
        ends == [0] * old + [1] * new and old > 0 < new,
    )
