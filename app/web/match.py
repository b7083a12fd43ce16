"""The URL of a match as a value: everything a page shows is in it.

`parse` and `build` are each other's inverse; every link on the site is built here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from werkzeug.exceptions import BadRequest, Conflict, NotFound

from app.tictactoe.game import O, X
from app.tictactoe.notation import DIGITS, IllegalMoveError, replay
from app.web.players import HUMAN, Players

PLAY, REPLY = "/play/", "/reply/"
DELAY_RANGE = (0.25, 5.0)  # seconds a move
MAX_TALLY = 999_999
SETTINGS = ("x", "o", "lens", "epsilon", "delay", "hide", "keep")


@dataclass(frozen=True)
class Match:
    """A game, who plays it, and how it is looked at.

    `record` is the whole game and `ply` the place in it that is shown, None for its end; `lens`
    is whose values colour the board, "" for whoever is to move; `step` is a training snapshot of
    the lens, None for the agent as shipped, which is the last.
    """

    record: str = ""
    ply: int | None = None
    x: str = HUMAN
    o: str = "q-iteration"
    lens: str = ""
    step: int | None = None
    train: bool = False  # go on to the next snapshot by itself
    epsilon: float = 0.0  # chance of a random move, for the agents in both seats
    delay: float = 1.0  # seconds a move, where nobody is human
    pause: bool = False
    hide: bool = False
    keep: bool = False  # go on to the next game
    tally: tuple[int, int, int] = (0, 0, 0)  # games that X won, nobody, O

    @property
    def shown(self) -> str:
        """The part of the record that leads to the position shown."""
        return self.record[: self.ply]

    @property
    def at_end(self) -> bool:
        """Whether the position shown is the last of the record."""
        return self.ply is None

    @property
    def to_move(self) -> int:
        """Whose turn it is in the position shown, +1 X or -1 O, if it is anybody's."""
        return O if len(self.shown) % 2 else X

    def seat(self, player: int) -> str:
        """Who sits there: "human" or the id of an agent."""
        return self.x if player == X else self.o

    @property
    def watched(self) -> bool:
        """Whether nobody human plays."""
        return not (self.is_human(X) or self.is_human(O))

    def is_human(self, player: int) -> bool:
        """Whether a person sits there."""
        return self.seat(player) == HUMAN

    def go(self, record: str, **changes: Any) -> "Match":
        """Return the match at the end of another record, whatever ply was shown of this one."""
        return replace(self, record=record, ply=None, train=False, **changes)

    def play(self, cell: int) -> "Match":
        """Return the match after one more move from the position shown."""
        return self.go(self.shown + DIGITS[cell])

    def at(self, ply: int) -> "Match":
        """Return the match shown at another ply of its record."""
        return replace(self, ply=ply if ply < len(self.record) else None)


def build(match: Match, to: str = PLAY) -> str:
    """Write a match as a path and query, without what is as usual."""
    given = [
        f"{name}={_text(value)}"
        for name, usual in _QUERY
        if (value := getattr(match, name)) != usual
    ]
    return to + match.record + ("?" + "&".join(given) if given else "")


def settings(match: Match) -> str:
    """Write what a form chooses of a match as a query, with what is as usual."""
    return "&".join(f"{name}={_text(getattr(match, name))}" for name in SETTINGS)


# No value needs quoting: names of agents are words joined by "-", all else is made of digits.
_QUERY = [(field.name, field.default) for field in fields(Match) if field.name != "record"]


def parse(record: str, query: Mapping[str, str], players: Players) -> Match:
    """Read a match from the parts of a URL; an empty value is as good as none.

    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    given = {name: text for name, text in query.items() if name in _READERS and text}
    match = Match(record, **{name: _read(name, text) for name, text in given.items()})
    if "o" not in given and match.o not in players.seats:
        match = replace(match, o=players.seats[1])  # another folder of models has other agents
    _check_record(match, players)
    for seat in (match.x, match.o):
        if seat not in players.seats:
            raise NotFound(f"There is no agent {seat!r}. {_choice(players.seats)}")
    if match.lens and match.lens not in players.lenses:
        raise BadRequest(f"There are no values of {match.lens!r}. {_choice(players.lenses)}")
    _check_step(match, players)
    if match.step is not None and match.step == players.last_step(match.lens):
        return replace(match, step=None, train=False)
    return match


def _check_record(match: Match, players: Players) -> None:
    try:
        replay(players.game, match.record)
    except IllegalMoveError as error:
        raise Conflict(f"This game cannot be: {error}.") from None
    except ValueError as error:
        raise BadRequest(f"This is no record of a game: {error}.") from None
    if match.ply is not None and match.ply >= len(match.record):
        raise BadRequest(
            f"ply is below {len(match.record)}, the length of the record, or left out."
        )


def _check_step(match: Match, players: Players) -> None:
    if match.step is None:
        if match.train:
            raise BadRequest("train runs from a step on: name it in the same address.")
        return
    if match.lens not in players.agents:
        raise BadRequest("step needs a lens that learned: name it in the same address.")
    last = players.last_step(match.lens)
    if match.step > last:
        raise BadRequest(f"step is 0 to {last} for {match.lens}.")


def _choice(names: list[str]) -> str:
    return f"There are: {', '.join(names)}."


def _text(value: object) -> str:
    match value:
        case bool():
            return str(int(value))
        case float():
            return f"{value:g}"
        case tuple():
            return "-".join(map(str, value))
    return str(value)


def _read(name: str, text: str) -> Any:
    pattern, convert, expected = _READERS[name]
    value = convert(text) if re.fullmatch(pattern, text, re.ASCII) else None
    if value is None:
        raise BadRequest(f"{name}={text} in the address is wrong: {name} is {expected}.")
    return value


def _within(low: float, high: float) -> Callable[[str], float | None]:
    return lambda text: value if low <= (value := float(text)) <= high else None


_NUMBER = r"\d{1,9}"
_DECIMAL = r"\d{1,3}(\.\d{1,4})?"
_FLAG = ("[01]", lambda text: text == "1", "0 or 1")
_NAME = (".*", str, "a name")
_READERS: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "x": _NAME,
    "o": _NAME,
    "lens": _NAME,
    "ply": (_NUMBER, int, "a whole number"),
    "step": (_NUMBER, int, "a whole number"),
    "epsilon": (_DECIMAL, _within(0, 1), "a chance from 0 to 1"),
    "delay": (
        _DECIMAL,
        _within(*DELAY_RANGE),
        f"a number of seconds from {DELAY_RANGE[0]:g} to {DELAY_RANGE[1]:g}",
    ),
    "train": _FLAG,
    "pause": _FLAG,
    "hide": _FLAG,
    "keep": _FLAG,
    "tally": (
        r"\d{1,6}-\d{1,6}-\d{1,6}",
        lambda text: tuple(map(int, text.split("-"))),
        "three counts like 2-1-0",
    ),
}
