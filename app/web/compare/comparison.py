"""The URL of a comparison as a value: a game, and who looks at where it has led.

As with a match, `parse` and `build` are each other's inverse, and every link to the page is built
here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlencode

from werkzeug.exceptions import BadRequest

from app.tictactoe.notation import DIGITS
from app.web import match
from app.web.match import Match
from app.web.players import HUMAN, TRUTH, Players

COMPARE = "/compare/"
AT = "_"  # no id has it, and forms, addresses and ids of elements leave it as it is
MAX_VIEWS = 4
USUAL = ("q-learning-1", "q-iteration")  # one that errs, and one that does not


class View(NamedTuple):
    """Whose values a board shows: an agent as shipped, or at a snapshot of its training."""

    lens: str
    step: int | None = None

    def __str__(self) -> str:
        return self.lens if self.step is None else f"{self.lens}{AT}{self.step}"


@dataclass(frozen=True)
class Comparison:
    """A position, as the end of a record, and the one to four views of it; no view comes twice."""

    record: str
    views: tuple[View, ...]

    def play(self, cell: int) -> "Comparison":
        """Return the comparison after one more move."""
        return replace(self, record=self.record + DIGITS[cell])

    def match(self, view: View) -> Match:
        """Return the same position as a match between people, seen by one of the views."""
        return Match(record=self.record, o=HUMAN, lens=view.lens, step=view.step)


def build(comparison: Comparison) -> str:
    """Write a comparison as a path and query."""
    query = urlencode([("lens", str(view)) for view in comparison.views])
    return COMPARE + comparison.record + ("?" + query if query else "")


def usual(players: Players) -> list[View]:
    """Return whom to compare where nobody says: two that differ, or who else is there."""
    names = [name for name in USUAL if name in players.agents]
    names += [name for name in players.agents if name not in names]
    return [View(name) for name in names[: len(USUAL)]]


def parse(record: str, lenses: Sequence[str], players: Players) -> Comparison:
    """Read a comparison from the parts of a URL; an empty lens is as good as none.

    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    texts = [text for text in lenses if text] or [str(view) for view in usual(players)]
    if len(texts) > MAX_VIEWS:
        raise BadRequest(f"At most {MAX_VIEWS} lenses can be compared, not {len(texts)}.")
    views = tuple(_view(record, text, players) for text in texts)
    if len(set(views)) < len(views):
        raise BadRequest("The address names a lens twice: name each once.")
    return Comparison(record, views)


def address(shown: Match, players: Players) -> str:
    """Return where the position of a match is compared: by its lens and the agents that play.

    Where these are fewer than two, the usual ones are added.
    """
    asked = [View(shown.lens, shown.step), View(shown.x), View(shown.o)]
    views = list(dict.fromkeys(view for view in asked if view.lens in players.agents))
    missing = max(0, len(USUAL) - len(views))
    views += [view for view in usual(players) if view not in views][:missing]
    return build(Comparison(shown.shown, tuple(views)))


def _view(record: str, text: str, players: Players) -> View:
    """Read one lens as a match would, `q-iteration` or `q-iteration_5`."""
    lens, _, step = text.partition(AT)
    if lens == TRUTH:
        raise BadRequest(f"The truth is always there: name up to {MAX_VIEWS} agents beside it.")
    read = match.parse(record, {"lens": lens or text, "step": step}, players)
    return View(read.lens, read.step)
