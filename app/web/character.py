"""Who somebody is at the board, in a few words: how strong, how it came about, how it opens."""

from functools import lru_cache
from typing import NamedTuple

from app.tictactoe.game import SEATS
from app.web.lens import opinion
from app.web.numbers import count, percent
from app.web.words import opponent_name
from app.web.world import HUMAN, World, is_moves

BEATABLE = "q-learning-1"  # its squares have many colours, and it has a blind spot
BEGINNER_LOSES = 0.1  # of its games against somebody who moves at random
STRENGTHS = {
    "beginner": "loses more than one game in ten to somebody who moves at random, as X or as O",
    "strong": "loses no more than that, and yet can be beaten",
    "unbeatable": "proved never to lose, as X or as O, whatever anybody plays",
}  # the rule in words, for pages
HOW = {
    "q-iteration": "Works out every position by sweeps, without playing a game.",
    "champion": "Played itself until every value was proved.",
    "self-play": "Learned by playing itself.",
    "league": "Learned in a league of learners.",
    "dqn": "A small neural network that learned from {}.",
    "menace": "Matchboxes whose beads were paid by games against {}.",
}  # by algorithm, with whom it learned from; all others learned from them, too
RULED = {
    "random": "Any empty square will do.",
    "fixed": "Always takes the first empty square.",
    "t-hand": "Wins and blocks where it can, and looks no further.",
    "minimax": "Has worked out the whole game; plays the first of the best moves.",
    "minimax-random": "Has worked out the whole game; plays any of the best moves.",
    "strongest": "Never loses, and sets as many traps as it can.",
}


class Character(NamedTuple):
    """What a card says of somebody who can sit at the board."""

    strength: str  # one of STRENGTHS; "" of a person
    line: str  # one line on who it is
    opening: tuple[int | None, ...] | None  # [cells] heats of the empty board, None where unknown


def first_opponent(world: World) -> str:
    """Return whom a newcomer plays: BEATABLE, or who else learned."""
    return BEATABLE if BEATABLE in world.agents else next(iter(world.agents))


@lru_cache(maxsize=64)
def character(world: World, name: str) -> Character:
    """Characterise an agent, a baseline or a person.

    The strength follows from exact figures alone.  Unbeatable: no line of play beats it, in either
    seat.  Beginner: in one of its seats it loses more than one game in ten to uniformly random
    moves.  Strong: all others.
    """
    if name == HUMAN:
        return Character("", "Sits at this screen.", None)
    return Character(
        strength=strength(world, name),
        line=_line(world, name),
        opening=_opening(world, name) if name in world.agents else None,
    )


def strength(world: World, name: str) -> str:
    """Return how strong somebody is, by the rule of `character`."""
    judgement = world.judgement(name)
    if all(judgement.unbeatable.values()):
        return "unbeatable"
    return "beginner" if _worst(world, name)[0] > BEGINNER_LOSES else "strong"


def _worst(world: World, name: str) -> tuple[float, str]:
    """Return its larger chance to lose to random moves, and the seat in which it has it."""
    chances = world.judgement(name).chances
    return max((float(chances["random", seat][2]), seat) for seat in SEATS)


def _line(world: World, name: str) -> str:
    """Say how it came to play, and how far that carries it."""
    if is_moves(name):
        return f"Known by its moves alone. {_carries(world, name)}"
    if name not in world.agents:
        return RULED[name]
    how = HOW.get(world.agents[name].card.algorithm, "Learned from games against {}.")
    opponents = [opponent_name(world, opponent) for opponent, _ in world.recipe(name).phases]
    return f"{how.format(' and then '.join(opponents))} {_carries(world, name)}"


def _carries(world: World, name: str) -> str:
    kind, safe = strength(world, name), world.judgement(name).unbeatable
    if kind == "unbeatable":
        return "Nobody beats it."
    if kind == "beginner":
        chance, seat = _worst(world, name)
        return f"As {seat.upper()} it loses {percent(chance, 0)}% to random moves."
    if any(safe.values()):
        seat = next(seat for seat, proved in safe.items() if proved)
        return f"Never loses as {seat.upper()}."
    return f"Errs in {count(world.judgement(name).blunders)} positions."


def _opening(world: World, name: str) -> tuple[int | None, ...]:
    view = opinion(world, 0, name)
    return tuple(heat if known else None for heat, known in zip(view.heat, view.known, strict=True))
