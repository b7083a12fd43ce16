"""What there is to say of an algorithm: one value of this kind is all that the site knows of it.

That is also how its updates are put where the games of a training are told.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.sources import Source, get_sources
from app.web.algorithms.formula import Formula, bracketed, written
from app.web.algorithms.sentences import best_next, describe_update
from app.web.algorithms.targets import (
    Reply,
    ValueQuery,
    ValueReason,
    target_after_reply,
)
from app.web.formatting import MINUS
from app.web.match import Match
from app.web.site_data import HUMAN, SiteData
from app.web.translation import gettext_noop

CHANCE, COUNTS = "Chance", "Counts"
RESULTS = {"win": "won", "draw": "drawn", "loss": "lost"}
MOVED, OVER = "While it played", "Now that the game is over"


class UpdateRule(NamedTuple):
    """The functions that explain a value by its next update.

    The defaults are those of most algorithms: an opponent replies by chance, and the next state
    is the learner's next decision.
    """

    # the target of the next update, with the replies that make it
    compute_reason: Callable[[ValueQuery], ValueReason] = target_after_reply
    # sentences on the target, and on the distance of the value from it
    describe_reason: Callable[[ValueQuery, ValueReason], list[str]] = describe_update
    # a text on the next value after a reply
    describe_reply: Callable[[ValueQuery, Reply], str] = best_next
    # column with the chance of each reply, or with "yes" for each reply that counts
    reply_column: str = CHANCE


def epsilon_greedy(_game: TrainingGame, move: TrainingMove) -> str:
    """Name how most learners choose their moves."""
    return "explored" if move.was_random else "greedy"


def drawn_to(
    target: str, backward: bool = False, to_answer: bool = False
) -> Callable[[Recipe, TrainingGame, int], str]:
    """Return what says that a move is drawn to `target`, or to the reward if it ended the game.

    `backward` says that updates come when the game is over, the last move first, and `to_answer`
    that the target of a move is made from the opponent's answer.
    """
    begun = f"{OVER}, it learned backward from the last move." if backward else began()

    def sentence(_recipe: Recipe, game: TrainingGame, update: int) -> str:
        if not update:
            return begun
        turn = game.updates[update - 1].move_index
        # Where both sides learn the last move of each is drawn to what the end is worth to it.
        lasts = 2 if game.played_both_sides and not to_answer else 1
        if turn < len(game.moves) - lasts:
            return f"Move {turn + 1} is drawn to {target}."
        result = game.get_result_for(game.moves[turn].mark)
        return (
            f"Move {turn + 1} ended in a {result}: its value is drawn to that reward."
        )

    return sentence


def began(aside: str = "") -> str:
    """Return the sentence that updates came while the game was played."""
    return f"{MOVED}, it learned move by move{aside}."


def write_step(recipe: Recipe, update: TrainingUpdate) -> str:
    """Write an update as a step towards its target, "" if it is none of one known value."""
    if update.target is None or not update.step_size or update.in_table:
        return ""
    old, target = written(update.old), written(update.target)
    step_size = format_fraction(update.step_size)
    if getattr(recipe, "update", "average") == "sum":
        return f"{old} + {step_size} × {bracketed(target)} = {written(update.new)}"
    way = f"({target} {MINUS} {bracketed(old)})"
    return f"{old} + {step_size} × {way} = {written(update.new)}"


def format_fraction(step_size: float) -> str:
    """Write a step size: as a fraction if it is one part of many, such as 1/3."""
    parts = round(1 / step_size)
    is_part = (
        parts > 1 and f"{step_size:g}" == f"{1 / parts:g}" and len(f"{step_size:g}") > 5
    )
    return f"1/{parts}" if is_part else f"{step_size:g}"


class Story(NamedTuple):
    """The texts for the games of a training, update after update.

    `sentence` says what the first updates have done, as many as its last argument says; after
    none of them, what is to come.
    """

    sentence: Callable[[Recipe, TrainingGame, int], str]
    # an update in numbers, "" for none
    equation: Callable[[Recipe, TrainingUpdate], str] = write_step
    # how a move was chosen
    choice: Callable[[TrainingGame, TrainingMove], str] = epsilon_greedy
    movers_view: bool = False  # values are in the mover's view, not in the seat's


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the page that explains: of an algorithm, a notion or a measure."""

    title: str
    lens: str  # value source that shows what the algorithm is about
    record: str  # in which position
    sources: tuple[str, ...]  # who found it, by their slugs
    formula: Formula
    also: Formula | None = None  # another one
    step: int | None = None  # the snapshot of the lens

    @property
    def start(self) -> Match:
        """The position that shows its point; both sides are played by hand."""
        return Match(self.record, o=HUMAN, value_source=self.lens, snapshot=self.step)

    @property
    def cited(self) -> tuple[Source, ...]:
        """The names of its inventors."""
        return get_sources(*self.sources)


class UpdateStyle(NamedTuple):
    """The picture of an algorithm's update, and its one difference from Q-learning."""

    # the template that draws it: one step towards the next state, towards the result of a whole
    # game, beads in a box, bounds, or an exact mean over all answers
    family: Literal["step", "return", "beads", "bounds", "mean"]
    next_mover: Literal["own", "other"]  # whose moves the next state has
    line: str  # the target, in LaTeX
    words: str  # what differs from Q-learning
    differs: Literal["", "next value", "order", "table", "result", "bounds"] = ""


class Algorithm(NamedTuple):
    """All that the site knows of an algorithm besides, by the slug on the cards of its agents."""

    title: str
    section: Section  # its prose is in templates/how/sections
    update: UpdateStyle
    rule: UpdateRule = UpdateRule()
    story: Story | None = None  # how the games of a training are told
    untold: str = ""  # why they are not
    # Where an agent comes from, with its opponents.
    origin: str = gettext_noop("Learned from games against {}.")
    # The length of a training, as in "100,000 games"; "against" follows in the sentence.
    turns: Callable[[Recipe], str] = lambda recipe: recipe.turns
    # What only the prose of its section asks for.
    facts: Callable[[SiteData], Mapping[str, object]] = lambda _world: {}
