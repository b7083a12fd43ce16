"""The class Comparison: all that the URL of a comparison contains.

A comparison shows the values that several sources, such as agents, give to the moves in one
position. `parse_comparison` reads a URL, and `links.compare.compare_url` builds it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from werkzeug.exceptions import BadRequest

from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS, find_record
from app.web import match
from app.web.facts import find_disagreements
from app.web.match import Match, MatchState, parse_match, read_parameter
from app.web.site_data import HUMAN, TRUTH, SiteData

# a character that no id contains, and that URLs need not quote
SNAPSHOT_SEPARATOR = "_"
MAX_VIEWS = 4


class CurveTitles(NamedTuple):
    """The titles of a kind of learning curve: on a chart of several agents, and of one."""

    title_for_several: str
    title_for_one: str
    explanation: str


CURVE_TITLES = {
    "blunders": CurveTitles(
        "Blunders",
        "Positions with a blunder (of 4,520)",
        "The chart shows the number of positions in which each agent blunders.",
    ),
    "losses": CurveTitles(
        "Losses to the best responder",
        "Games lost to its best responder",
        "The chart shows the share of its games that each agent loses to its best responder, "
        "in percent, as X and as O together.",
    ),
    "nash-conv": CurveTitles(
        "NashConv",
        "NashConv",
        "The chart shows what the best responders of each agent gain as X and as O together.",
    ),
    "task": CurveTitles(
        "Distance from the exact values",
        "Mean distance from the exact values",
        "The chart shows how far the values of each agent are, on average, from those that are "
        "exact against its training opponent, in the agent's own units.",
    ),
}
# an agent with blunders and an agent without
DEFAULT_AGENTS = ("q-learning-1", "q-iteration")


class SourceSnapshot(NamedTuple):
    """An agent at a snapshot of its training, or another source of values."""

    value_source: str
    snapshot: int | None = None

    def __str__(self) -> str:
        return (
            self.value_source
            if self.snapshot is None
            else f"{self.value_source}{SNAPSHOT_SEPARATOR}{self.snapshot}"
        )


@dataclass(frozen=True)
class Comparison:
    """A position in which one to four sources of values are compared.

    `record` leads to the position. Each of `views` is an agent at a snapshot, or another source.
    `curve_key` selects learning curves by a key of CURVE_TITLES, "" for the default.
    """

    record: str
    views: tuple[SourceSnapshot, ...]
    curve_key: str = ""

    def follow_move(self, cell: int) -> "Comparison":
        return replace(self, record=self.record + DIGITS[cell])

    def build_match(self, view: SourceSnapshot) -> Match:
        """Return a match between two people in this position, with the values of a view."""
        return Match(
            record=self.record,
            o=HUMAN,
            value_source=view.value_source,
            snapshot=view.snapshot,
        )


def parse_comparison(
    record: str, value_sources: Sequence[str], site: SiteData, curve_key: str = ""
) -> tuple[Comparison, MatchState]:
    """Return the comparison that a URL describes, and the state of its match.

    By default it is a position where the default agents choose different moves. Raises BadRequest,
    NotFound or Conflict if a part of the URL is invalid.
    """
    texts = [text for text in value_sources if text]
    if curve_key and curve_key not in CURVE_TITLES:
        raise BadRequest(
            f"figure={curve_key} in the address is wrong: figure is {', '.join(CURVE_TITLES)}."
        )
    views = _read_views(texts, site) or tuple(get_default_views(site))
    if not record and not texts:
        record = find_next_disagreement(views, site) or ""
    default_curve_key, *_ = CURVE_TITLES
    comparison = Comparison(
        record, views, "" if curve_key == default_curve_key else curve_key
    )
    return comparison, parse_match(record, {"o": HUMAN}, site)


def get_default_views(site: SiteData) -> list[SourceSnapshot]:
    """Return DEFAULT_AGENTS or, if the site lacks one, its first agents."""
    names = [name for name in DEFAULT_AGENTS if name in site.agents]
    names += [name for name in site.agents if name not in names]
    return [SourceSnapshot(name) for name in names[: len(DEFAULT_AGENTS)]]


def find_next_disagreement(
    views: Sequence[SourceSnapshot], site: SiteData, position: int | None = None
) -> str | None:
    """Return the record of the position in which the views differ most, None if they agree.

    With `position`, return the one after it, in the order from the largest to the smallest
    difference. Symmetric positions count as the same.
    """
    disagreements = find_disagreements(site, tuple(views))
    if position is not None:
        classes = GAME.symmetry_class
        matches = np.flatnonzero(classes[disagreements] == classes[position])
        disagreements = (
            disagreements[matches[0] + 1 :] if matches.size else disagreements
        )
    return find_record(GAME, int(disagreements[0])) if disagreements.size else None


def build_comparison(state: MatchState) -> Comparison:
    """Compare the agents of a match, and the source of its values, in its position.

    If they are fewer than two sources of values, default agents are added.
    """
    current = state.match
    site = state.site
    candidates = [
        SourceSnapshot(current.value_source, current.snapshot),
        SourceSnapshot(current.x),
        SourceSnapshot(current.o),
    ]
    learned = (
        view
        for view in candidates
        if site.is_value_source(view.value_source) and view.value_source != TRUTH
    )
    views = list(dict.fromkeys(learned))
    missing = max(0, len(DEFAULT_AGENTS) - len(views))
    views += [view for view in get_default_views(site) if view not in views][:missing]
    return Comparison(current.shown_record, tuple(views))


def _read_views(
    source_texts: Sequence[str], site: SiteData
) -> tuple[SourceSnapshot, ...]:
    if len(source_texts) > MAX_VIEWS:
        raise BadRequest(
            f"At most {MAX_VIEWS} lenses can be compared, not {len(source_texts)}."
        )
    views = tuple(_parse_source_snapshot(text, site) for text in source_texts)
    if len(set(views)) < len(views):
        raise BadRequest("The address names a lens twice: name each once.")
    return views


def _parse_source_snapshot(source_text: str, site: SiteData) -> SourceSnapshot:
    """Return the source in a text, such as "q-iteration_5" for an agent at its snapshot 5."""
    is_source = (
        site.is_value_source(source_text) or SNAPSHOT_SEPARATOR not in source_text
    )
    # The name of a recipe can contain "_" too.
    value_source, at, step = (
        (source_text, "", "")
        if is_source
        else source_text.rpartition(SNAPSHOT_SEPARATOR)
    )
    if value_source == TRUTH:
        raise BadRequest(
            f"Optimal play is always there: name up to {MAX_VIEWS} agents beside it."
        )
    if not value_source or (at and not step):
        value_source = source_text
    return SourceSnapshot(
        value_source,
        match.check_value_source(
            value_source, read_parameter("step", step) if step else None, site
        ),
    )


def list_learned_views(site: SiteData, comparison: Comparison) -> list[SourceSnapshot]:
    return [
        view
        for view in comparison.views
        if site.agents.contains_name(view.value_source)
    ]
