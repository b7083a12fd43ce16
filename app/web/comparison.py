"""A position with the values of several sources, as a value that holds all of its URL.

`parse_comparison` reads a URL, `urls.compare` builds it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from werkzeug.exceptions import BadRequest

from app.tictactoe.notation import DIGITS, find_record
from app.web import match
from app.web.facts import find_disagreements
from app.web.match import Match, MatchState, parse_match, read_value
from app.web.site_data import HUMAN, TRUTH, SiteData

AT = "_"  # no id has it, and forms, addresses and ids of elements leave it as it is
MAX_VIEWS = 4


class CurveTitles(NamedTuple):
    """What the curve of a figure over a training is called."""

    several: str  # where it is shown of several agents
    one: str  # where it is shown of one agent
    short: str  # where there is little room
    reading: str  # what it says, as a sentence


FIGURES = {
    "blunders": CurveTitles(
        "Blunders",
        "Positions in which it blunders",
        "Blunders",
        "In how many positions each blundered.",
    ),
    "losses": CurveTitles(
        "Losses to the best responder",
        "Lost to its best responder",
        "Best responder",
        "How often each lost to its best responder, in percent of the games in both seats.",
    ),
    "nash-conv": CurveTitles(
        "NashConv",
        "NashConv",
        "NashConv",
        "What the best responders of each gain in both seats together.",
    ),
    "task": CurveTitles(
        "Distance from its training task",
        "Mean distance from its training task",
        "Training task",
        "Mean difference between its values and the exact ones of its training task, in "
        "the units of each.",
    ),
}
USUAL = ("q-learning-1", "q-iteration")  # one that errs, and one that does not


class View(NamedTuple):
    """Whose values a board shows: a lens as shipped, or an agent at a snapshot of its training."""

    lens: str
    step: int | None = None

    def __str__(self) -> str:
        return self.lens if self.step is None else f"{self.lens}{AT}{self.step}"


@dataclass(frozen=True)
class Comparison:
    """A position, as the end of a record, and the one to four views of it; no view comes twice.

    `figure` is what their learning curves show, of FIGURES; "" for the usual one.
    """

    record: str
    views: tuple[View, ...]
    figure: str = ""

    def play(self, cell: int) -> "Comparison":
        """Return the comparison after one more move."""
        return replace(self, record=self.record + DIGITS[cell])

    def match(self, view: View) -> Match:
        """Return the same position as a match between people, seen by one of the views."""
        return Match(record=self.record, o=HUMAN, lens=view.lens, step=view.step)


def parse_comparison(
    record: str, lenses: Sequence[str], site: SiteData, figure: str = ""
) -> tuple[Comparison, MatchState]:
    """Read a comparison from the parts of an address, and where its game stands.

    An empty lens is as good as none.  Where neither is given, it begins with a position in
    which the usual lenses part.
    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    texts = [text for text in lenses if text]
    if figure and figure not in FIGURES:
        raise BadRequest(
            f"figure={figure} in the address is wrong: figure is {', '.join(FIGURES)}."
        )
    if len(texts) > MAX_VIEWS:
        raise BadRequest(
            f"At most {MAX_VIEWS} lenses can be compared, not {len(texts)}."
        )
    views = tuple(_read_view(text, site) for text in texts) or tuple(
        default_views(site)
    )
    if len(set(views)) < len(views):
        raise BadRequest("The address names a lens twice: name each once.")
    if not record and not texts:
        record = next_disagreement(views, site) or ""
    usual_figure, *_ = FIGURES
    comparison = Comparison(record, views, "" if figure == usual_figure else figure)
    return comparison, parse_match(record, {"o": HUMAN}, site)


def default_views(site: SiteData) -> list[View]:
    """Return the agents to compare by default: two that differ, or others that are there."""
    names = [name for name in USUAL if name in site.agents]
    names += [name for name in site.agents if name not in names]
    return [View(name) for name in names[: len(USUAL)]]


def next_disagreement(
    views: Sequence[View], site: SiteData, position: int | None = None
) -> str | None:
    """Return a record of the position in which views most tellingly part, None if they never do.

    If `position` is one of those, up to symmetry, the next of them follows; None if it is the last.
    """
    listed = find_disagreements(site, tuple(views))
    if position is not None:
        classes = site.game.symmetry_class
        here = np.flatnonzero(classes[listed] == classes[position])
        listed = listed[here[0] + 1 :] if here.size else listed
    return find_record(site.game, int(listed[0])) if listed.size else None


def compare_at(state: MatchState) -> Comparison:
    """Return where the position of a match is compared: by its lens and the agents that play.

    Where these are fewer than two, the usual ones are added.
    """
    shown, site = state.match, state.site
    asked = [View(shown.lens, shown.step), View(shown.x), View(shown.o)]
    able = (view for view in asked if site.is_lens(view.lens) and view.lens != TRUTH)
    views = list(dict.fromkeys(able))
    missing = max(0, len(USUAL) - len(views))
    views += [view for view in default_views(site) if view not in views][:missing]
    return Comparison(shown.shown, tuple(views))


def _read_view(text: str, site: SiteData) -> View:
    """Read one view: a lens, or an agent at a step as in `q-iteration_5`."""
    listed = site.is_lens(text) or AT not in text
    lens, at, step = (
        (text, "", "") if listed else text.rpartition(AT)
    )  # parameters have it too
    if lens == TRUTH:
        raise BadRequest(
            f"Optimal play is always there: name up to {MAX_VIEWS} agents beside it."
        )
    if not lens or (at and not step):
        lens = text
    return View(
        lens, match.check_lens(lens, read_value("step", step) if step else None, site)
    )
