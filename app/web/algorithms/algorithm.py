"""What there is to say of an algorithm: one value of this kind is all that the site knows of it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from app.recipes import Recipe
from app.sources import Source
from app.web.algorithms.formula import Formula, discounted, update
from app.web.algorithms.sentences import best_next, of_update
from app.web.algorithms.story import Story
from app.web.algorithms.targets import Pair, Reply, ValueReason, after_answer
from app.web.language import marked
from app.web.match import Match
from app.web.world import HUMAN, World

CHANCE, COUNTS = "Chance", "Counts"
NEVER_UPDATED = (
    "{who} never updated {move}: what it is worth is unknown to it. "
    "The entry is still what it began with, {value}."
)
NOT_YET = "had not yet updated {move}, and what it is worth was unknown to it"


class UpdateRule(NamedTuple):
    """How an algorithm updates a value, and how that is told.

    What most have is the default: the answers of an opponent, by chance, each followed by a move
    of one's own.
    """

    reason: Callable[[Pair], ValueReason] = after_answer  # what a value is drawn to
    sentences: Callable[[Pair, ValueReason], list[str]] = of_update  # the same in words
    equations: Callable[[Pair, ValueReason], list[str]] = update  # and in numbers; see needs_target
    follows: Callable[[Pair, Reply], str] = best_next  # what an update finds after an answer
    target: Callable[[Pair, Reply], str] = discounted  # what an answer draws the value to
    shared: str = CHANCE  # what the answers' shares are
    counted: str = "Updates"  # what the visits are
    unknown: str = NEVER_UPDATED  # what is said of a value that was never updated
    not_yet: str = NOT_YET  # the same of a snapshot, to go on after the agent's name
    held: str = "the entry is"  # what comes before a value that is unknown
    has: str = "gives {move} the value {value}"  # what an agent does, to go on after its name
    had: str = "gave {move} the value {value}"  # the same of a snapshot
    needs_target: bool = True  # whether there are no equations where there is no next update
    # Writes a value, or what it is drawn to.
    written: Callable[[ValueReason, float], str] = ValueReason.written


class Section(NamedTuple):
    """A part of the page that explains; its prose is templates/how/sections/<its name>.html."""

    title: str
    start: Match  # the position that shows its point, and by whose values
    formula: Formula
    facts: Callable[[World], Mapping[str, object]] = (
        lambda _world: {}
    )  # what only its prose asks for
    sources: tuple[Source, ...] = ()  # who found it


class Algorithm(NamedTuple):
    """All that the site knows of an algorithm, by the slug on the cards of its agents."""

    title: str
    start: Match  # of its section, as are the formula, the sources, the facts and the heading
    formula: Formula
    sources: tuple[Source, ...]
    rule: UpdateRule = UpdateRule()
    facts: Callable[[World], Mapping[str, object]] = lambda _world: {}
    heading: str = ""  # where it is not the title
    story: Story | None = None  # how the games of a training are told
    untold: str = ""  # why they are not
    # Where an agent comes from, with its opponents.
    origin: str = marked("Learned from games against {}.")
    # What a training consists of, to go on with "against".
    turns: Callable[[Recipe], str] = lambda recipe: recipe.turns

    @property
    def section(self) -> Section:
        """The part of the page that explains it."""
        title = self.heading or self.title
        return Section(title, self.start, self.formula, self.facts, self.sources)


def seen_by(lens: str, record: str, step: int | None = None) -> Match:
    """Show a position with the values of a lens; both sides are played by hand."""
    return Match(record, o=HUMAN, lens=lens, step=step)
