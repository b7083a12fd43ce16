"""Servers started on model files that are no good."""

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

from tests.service.faults.finding import Finding
from tests.service.faults.workers import models
from tests.service.server import ROOT, start
from tests.tictactoe.models import Arrays, npz, write

AGENT, OTHER = "q-table", "double-q"
LIMIT = 10.0  # seconds until the server has given up
BOMB = 10**9  # bytes of zeros

Spoil = Callable[[Path], str]  # what spoils a folder and returns the file that is to be named


def truncated(folder: Path) -> str:
    path = folder / f"{AGENT}.npz"
    path.write_bytes(path.read_bytes()[:1000])
    return path.name


def empty(folder: Path) -> str:
    (folder / f"{AGENT}.npz").write_bytes(b"")
    return f"{AGENT}.npz"


def bomb(folder: Path) -> str:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("q", "visits", "snapshot_updates", "snapshot_q", "snapshot_updated"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                for _ in range(BOMB // (1 << 20) if name == "q" else 1):
                    member.write(bytes(1 << 20))
    return vouched(folder, packed.getvalue())


def oversized(folder: Path) -> str:
    with (folder / f"{AGENT}.npz").open("wb") as file:
        file.truncate(BOMB)
    return f"{AGENT}.npz"


def filled_with_nan(folder: Path) -> str:
    arrays = read(folder)
    return rewritten(folder, arrays | {"q": np.full_like(arrays["q"], np.nan)})


def wrong_shape(folder: Path) -> str:
    arrays = read(folder)
    return rewritten(folder, arrays | {"q": arrays["q"][:-1]})


def wrong_dtype(folder: Path) -> str:
    arrays = read(folder)
    return rewritten(folder, arrays | {"q": arrays["q"].astype(np.float64)})


def pickled(folder: Path) -> str:
    return rewritten(folder, read(folder) | {"q": np.array([{"not": "a number"}], object)})


def no_card(folder: Path) -> str:
    (folder / f"{AGENT}.json").unlink()
    return f"{AGENT}.json"


def no_arrays(folder: Path) -> str:
    (folder / f"{AGENT}.npz").unlink()
    return f"{AGENT}.npz"


def card_of_another(folder: Path) -> str:
    (folder / f"{AGENT}.json").write_bytes((folder / f"{OTHER}.json").read_bytes())
    return f"{AGENT}.json"


def arrays_of_another(folder: Path) -> str:
    (folder / f"{AGENT}.npz").write_bytes((folder / f"{OTHER}.npz").read_bytes())
    return f"{AGENT}.npz"


def bad_json(folder: Path) -> str:
    card = folder / f"{AGENT}.json"
    card.write_bytes(card.read_bytes()[:-20])
    return card.name


def a_folder_as_file(folder: Path) -> str:
    no_arrays(folder)
    (folder / f"{AGENT}.npz").mkdir()
    return f"{AGENT}.npz"


def a_pipe_as_file(folder: Path) -> str:
    no_arrays(folder)
    os.mkfifo(folder / f"{AGENT}.npz")
    return f"{AGENT}.npz"


def named_as_a_baseline(folder: Path) -> str:
    for ending in ("json", "npz"):
        (folder / f"{AGENT}.{ending}").rename(folder / f"minimax.{ending}")
    card = folder / "minimax.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"id": "minimax"}))
    return card.name


def chances_above_one(folder: Path) -> str:
    def spoil(figures: dict[str, Any]) -> None:
        figures["vs"]["random"]["x"][-1] = [1.5, -0.5, 0.0]

    return with_figures(folder, spoil)


def an_opponent_less(folder: Path) -> str:
    return with_figures(folder, lambda figures: figures["vs"].popitem())


def gains_that_cannot_be(folder: Path) -> str:
    def spoil(figures: dict[str, Any]) -> None:
        figures["nash_conv"][-1] = 1.99

    return with_figures(folder, spoil)


def fewer_blunders(folder: Path) -> str:
    def spoil(figures: dict[str, Any]) -> None:
        figures["blunders"][-1] -= 1

    return with_figures(folder, spoil)


def changed(entry: str, value: object, folder: Path) -> str:
    """Change an entry of the card."""
    path = folder / f"{AGENT}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {entry: value}))
    return path.name


def with_figures(folder: Path, spoil: Callable[[dict[str, Any]], object]) -> str:
    path = folder / f"{AGENT}.json"
    card = json.loads(path.read_text())
    spoil(card["figures"])
    path.write_text(json.dumps(card))
    return path.name


def nothing_there(folder: Path) -> str:
    shutil.rmtree(folder)
    folder.mkdir()
    return folder.name


BROKEN: dict[str, Spoil] = {
    "arrays cut to 1,000 bytes": truncated,
    "arrays of no byte": empty,
    "arrays that unpack to a gigabyte": bomb,
    "arrays of a gigabyte": oversized,
    "arrays all NaN": filled_with_nan,
    "arrays with a row less": wrong_shape,
    "arrays in float64": wrong_dtype,
    "arrays with a pickle": pickled,
    "no card": no_card,
    "no arrays": no_arrays,
    "the card of another agent": card_of_another,
    "the arrays of another agent": arrays_of_another,
    "a card that is half JSON": bad_json,
    "a folder for a file": a_folder_as_file,
    "a pipe for a file": a_pipe_as_file,
    "an agent called minimax": named_as_a_baseline,
    "a card with chances above 1": chances_above_one,
    "a card without one of the opponents": an_opponent_less,
    "a card whose nash_conv is not its losses": gains_that_cannot_be,
    "a card with a blunder less": fewer_blunders,
    "a card whose recipe has 100,000 characters": partial(changed, "recipe", "x" * 100_000),
    "a card whose recipe has a NUL": partial(changed, "recipe", "q-table\0"),
    "a card whose worth is null": partial(changed, "worth", None),
    "a card whose title turns the reading around": partial(changed, "title", "q\u202etable"),
    "an empty folder": nothing_there,
}


def broken_models() -> Iterator[Finding]:
    """Starts on broken models."""
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


def read(folder: Path) -> Arrays:
    with np.load(folder / f"{AGENT}.npz") as arrays:
        return dict(arrays)


def rewritten(folder: Path, arrays: Arrays) -> str:
    return vouched(folder, npz(arrays))


def vouched(folder: Path, packed: bytes) -> str:
    """Write arrays with a card that says that they are right."""
    card = json.loads((folder / f"{AGENT}.json").read_text())
    card["arrays"] = hashlib.sha256(packed).hexdigest()
    write(folder, json.dumps(card).encode(), packed, AGENT)
    return f"{AGENT}.npz"
