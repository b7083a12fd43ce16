"""Thousands of damaged model files: none is ever taken for something else."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from app.tictactoe.agents import Agent, ModelError, load, save
from app.tictactoe.game import Game, connect
from tests.tictactoe.models import ID, assert_same, forge, make_agent

TIMES = 10_000
SMALL = connect(2, 2, 2)  # of files that are mostly structure, which is what breaks a reader


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Held in memory where there is such a place: tens of thousands of files are written."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as name:
        yield Path(name)


def damage(random: Random, content: bytes) -> bytes:
    """Flip bits, cut, insert, or swap two blocks."""
    start, stop = sorted(random.randrange(len(content) + 1) for _ in range(2))
    match random.choice(["flip", "truncate", "insert", "remove", "swap"]):
        case "flip":
            changed = bytearray(content)
            for _ in range(random.choice([1, 1, 1, 2, 8, 64])):
                changed[random.randrange(len(content))] ^= 1 << random.randrange(8)
            return bytes(changed)
        case "truncate":
            return content[:start]
        case "insert":
            return content[:start] + random.randbytes(random.choice([1, 2, 9])) + content[start:]
        case "remove":
            return content[:start] + content[start + random.choice([1, 2, 9]) :]
        case _:
            middle = random.randint(start, stop)
            return content[:start] + content[middle:stop] + content[start:middle] + content[stop:]


def load_or_refuse(folder: Path, game: Game) -> Agent | None:
    """Any other error than the one that names the file goes through, and fails the test."""
    try:
        return load(folder, game, ID)
    except ModelError as error:
        if not str(error).startswith((f"{folder / ID}.json: ", f"{folder / ID}.npz: ")):
            raise
        return None


def test_no_damaged_arrays_load(folder: Path, game: Game):
    save(folder, game, make_agent(game))
    path = folder / f"{ID}.npz"
    good = path.read_bytes()
    random = Random(6)
    refused = 0
    for _ in range(TIMES):
        bad = damage(random, good)
        if bad == good:
            continue
        path.write_bytes(bad)
        assert load_or_refuse(folder, game) is None
        refused += 1
    assert refused > 0.95 * TIMES


def test_a_damaged_card_is_refused_or_describes_the_same_arrays(folder: Path):
    """A changed letter of a title cannot be told from an edit."""
    agent = save(folder, SMALL, make_agent(SMALL))
    path = folder / f"{ID}.json"
    good = path.read_bytes()
    random = Random(7)
    refused = 0
    for _ in range(TIMES):
        path.write_bytes(damage(random, good))
        loaded = load_or_refuse(folder, SMALL)
        if loaded is None:
            refused += 1
        else:
            assert loaded.card.id == ID
            assert loaded.card.arrays == agent.card.arrays
            assert loaded.card.numbering == agent.card.numbering
            assert_same(loaded, agent)
    assert refused > 0.5 * TIMES


def test_damaged_arrays_with_a_new_digest_are_refused_or_are_arrays(folder: Path):
    """Whoever changes the card too can write any agent, but nothing that is none."""
    save(folder, SMALL, make_agent(SMALL))
    card = json.loads((folder / f"{ID}.json").read_text())
    good = (folder / f"{ID}.npz").read_bytes()
    random = Random(8)
    refused = 0
    for _ in range(TIMES // 4):
        forge(folder, card, damage(random, good))
        loaded = load_or_refuse(folder, SMALL)
        if loaded is None:
            refused += 1
        else:
            np.testing.assert_array_equal(np.isfinite(loaded.q), SMALL.legal)
            np.testing.assert_array_equal(loaded.snapshot_q[-1], loaded.q.astype(np.float16))
            assert loaded.snapshot_updates.tolist() == [0, 20]
            assert loaded.visits.shape == SMALL.legal.shape
    assert refused > TIMES // 8
