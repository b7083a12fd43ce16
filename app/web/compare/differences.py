"""Where several views of a position agree and where they do not, in sentences."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.web.lens import OUTCOMES, Opinion
from app.web.players import Players
from app.web.words import place

MANY = 3  # squares that a sentence still names


def plays(players: Players, seen: Opinion) -> str:
    """Say what somebody plays in a decision, and what it expects of that."""
    best = _best(seen)
    expected = seen.truths[best[0]] if seen.exact else seen.texts[best[0]]
    return f"{_squares(players, best).capitalize()}: {expected or seen.blank}"


def blundering(players: Players, position: int, seen: Opinion) -> bool:
    """Whether one of the moves that somebody plays there gives away the value of the game."""
    return not players.right[position, _best(seen)].all()


def summary(players: Players, position: int, opinions: Mapping[str, Opinion]) -> str:
    """Say who plays what in a decision, and who can blunder, by their names."""
    return f"{_preferences(players, opinions)} {_verdict(players, position, opinions)}"


def listed(names: list[str], word: str = "and") -> str:
    """Name several in a sentence."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def _preferences(players: Players, opinions: Mapping[str, Opinion]) -> str:
    """Those who play the same in one breath, the most first."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, seen in opinions.items():
        groups.setdefault(tuple(_best(seen)), []).append(name)
    if len(groups) == 1 < len(opinions):
        who = "Both" if len(opinions) == 2 else "All"
        return f"{who} play {_squares(players, *groups)}."
    parts = []
    for cells, names in sorted(groups.items(), key=lambda group: -len(group[1])):
        alone = "alone " * (len(names) == 1 and len(groups) < len(opinions))
        verb = "plays" if len(names) == 1 else "play"
        parts.append(f"{listed(names)} {alone}{verb} {_squares(players, cells)}")
    return "; ".join(parts) + "."


def _verdict(players: Players, position: int, opinions: Mapping[str, Opinion]) -> str:
    value = int(np.nanmax(players.true_values[position]))
    if value < 0:
        return "In truth every move loses to best play."
    wrong = [name for name, seen in opinions.items() if blundering(players, position, seen)]
    if wrong:
        return f"In truth there is a {OUTCOMES[value]} to be had, and {listed(wrong)} can miss it."
    return f"In truth that is right: it keeps the {OUTCOMES[value]}."


def _best(seen: Opinion) -> list[int]:
    return [cell for cell, best in enumerate(seen.best) if best]


def _squares(players: Players, cells: Sequence[int]) -> str:
    if len(cells) > MANY:
        return f"any of {len(cells)} squares"
    return listed([place(players, cell) for cell in cells], "or")
