"""A name's meaning never changes: each of these recipes makes the same table for ever.

Where one of them fails a kernel has changed.  Then the algorithm gets a new name beside the old.
"""

import hashlib
from pathlib import Path

import pytest

from app.recipes import ALGORITHMS, parse
from app.tictactoe.game import Game
from training.learners import learn

DIGESTS = Path(__file__).with_name("digests.txt")
PINNED = [line.split() for line in DIGESTS.read_text().splitlines()]


def digest(game: Game, name: str) -> str:
    """What a training comes to, in short."""
    *_, end = learn(game, parse(name), lambda updates: 10**12)
    return hashlib.sha256(end.q.tobytes() + end.visits.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize(("name", "pinned"), PINNED, ids=[name for name, _ in PINNED])
def test_a_name_means_what_it_always_meant(game: Game, name: str, pinned: str) -> None:
    assert digest(game, name) == pinned


def test_every_algorithm_with_a_table_is_pinned_more_than_once() -> None:
    slugs = [name.split(",")[0] for name, _ in PINNED]
    assert len(PINNED) >= 40
    for slug, algorithm in ALGORITHMS.items():
        assert slugs.count(slug) > 1 or algorithm.is_network
