"""The atlas of an agent's blunders, as pages show it."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from app.tictactoe.atlas import Atlas, Mistakes, atlas, mistakes
from app.tictactoe.notation import MARKS
from app.web.agents import address
from app.web.judgement.exhibits import Exhibit, Group, exhibit, groups
from app.web.lens import OUTCOMES, in_truth, opinion
from app.web.numbers import count, percent
from app.web.players import TRUTH, Players


class Count(NamedTuple):
    """How many blunders of one kind there are."""

    kind: str
    positions: str
    met: str  # of them, in its own games


class Blunders(NamedTuple):
    """The atlas, or the beginning of it."""

    total: str
    classes: str  # how many are left up to symmetry
    shown: str
    href: str  # all of it
    counts: list[Count]
    groups: list[Group]


def blunders(players: Players, name: str, shown: int | None = None) -> Blunders:
    """Lay out the most serious of an agent's blunders, or all."""
    found, classes = judged(players, name)
    numbers = range(len(classes.row))[:shown]

    def meeting(number: int) -> str:
        return "Met in its own games" if classes.chance[number] else "Never met in its own games"

    return Blunders(
        total=count(len(found.position)),
        classes=count(len(classes.row)),
        shown=count(len(numbers)),
        href=f"{address(name)}/blunders",
        counts=_counts(found),
        groups=groups(numbers, meeting, partial(_exhibit, players, name)),
    )


@lru_cache(maxsize=8)
def judged(players: Players, name: str) -> tuple[Mistakes, Atlas]:
    """Return an agent's blunders, and the same up to symmetry."""
    found = mistakes(players.game, players.policies[name])
    return found, atlas(players.game, found)


def _counts(found: Mistakes) -> list[Count]:
    """Count the blunders by what they lose, the worst kind first, and all of them."""
    kinds = {
        f"{OUTCOMES[before]} to {OUTCOMES[after]}": (found.before == before)
        & (found.after == after)
        for before, after in [(1, -1), (1, 0), (0, -1)]
    }
    kinds["all"] = np.ones_like(found.position, bool)
    return [
        Count(kind, count(of.sum()), count((found.chance[of] > 0).sum()))
        for kind, of in kinds.items()
    ]


def _exhibit(players: Players, name: str, number: int) -> Exhibit:
    """Show the position that stands for a class."""
    found, classes = judged(players, name)
    row = int(classes.row[number])
    position = int(found.position[row])
    signs = dict.fromkeys(np.flatnonzero(found.right[row]).tolist(), "right")
    signs |= dict.fromkeys(np.flatnonzero(found.wrong[row]).tolist(), "blunder")
    return exhibit(
        players,
        name,
        position,
        signs,
        _loss(players, name, found, row),
        f"as {MARKS[int(players.game.to_move[position])]}{_chance(classes.chance[number])}",
        _images(int(classes.erring[number]), int(classes.images[number])),
    )


def _chance(chance: float) -> str:
    return f", in {percent(chance)}% of its games against Random" if chance else ""


def _loss(players: Players, name: str, found: Mistakes, row: int) -> str:
    """Say what the worst of its moves does to the game, or can do if it has others as well."""
    position = int(found.position[row])
    truth = opinion(players, position, TRUTH)
    worst = np.flatnonzero(found.wrong[row] & (truth.values == found.after[row]))[0]
    sure = (found.wrong[row] >= (players.policies[name][position] > 0)).all()
    becomes = "becomes" if sure else "can become"
    return f"The {in_truth(players, position)} {becomes} a {truth.truths[worst]}"


def _images(erring: int, images: int) -> str:
    if images == 1:
        return "in its only image"
    return f"in all {images} images" if erring == images else f"in {erring} of {images} images"
