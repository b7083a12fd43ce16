"""The class Algorithm: the explanation, the picture and the texts of one algorithm.

The lab describes each update of a training game with the functions in `Story`.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.sources import Source, get_sources
from app.web.algorithms.formula import Formula, add_brackets, format_short
from app.web.algorithms.sentences import describe_best_next, describe_update
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
    describe_reply: Callable[[ValueQuery, Reply], str] = describe_best_next
    # column with the chance of each reply, or with "yes" for each reply that counts
    reply_column: str = CHANCE


def epsilon_greedy(_game: TrainingGame, move: TrainingMove) -> str:
    """Return the name of an epsilon-greedy choice: "explored" or "greedy"."""
    return "explored" if move.was_random else "greedy"


def build_sentence(
    target: str, backward: bool = False, to_answer: bool = False
) -> Callable[[Recipe, TrainingGame, int], str]:
    """Return a function that describes updates towards `target`, or towards a final reward.

    `backward`: whether the updates follow the game, the last move first.  `to_answer`: whether
    the target of a move is computed from the opponent's reply.
    """
    begun = (
        f"{OVER}, it learned backward from the last move."
        if backward
        else describe_start()
    )

    def sentence(_recipe: Recipe, game: TrainingGame, update: int) -> str:
        if not update:
            return begun
        turn = game.updates[update - 1].move_index
        # If both sides learn, the last move of each side is drawn to a reward.
        lasts = 2 if game.played_both_sides and not to_answer else 1
        if turn < len(game.moves) - lasts:
            return f"Move {turn + 1} is drawn to {target}."
        result = game.get_result_for(game.moves[turn].mark)
        return (
            f"Move {turn + 1} ended in a {result}: its value is drawn to that reward."
        )

    return sentence


def describe_start(aside: str = "") -> str:
    """Return the sentence that the updates were made during the game, followed by `aside`."""
    return f"{MOVED}, it learned move by move{aside}."


def write_step(recipe: Recipe, update: TrainingUpdate) -> str:
    """Return the equation of a step towards a target, "" for an update of another kind."""
    if update.target is None or not update.step_size or update.in_table:
        return ""
    old, target = format_short(update.old), format_short(update.target)
    step_size = format_fraction(update.step_size)
    if getattr(recipe, "update", "average") == "sum":
        return (
            f"{old} + {step_size} × {add_brackets(target)} = {format_short(update.new)}"
        )
    way = f"({target} {MINUS} {add_brackets(old)})"
    return f"{old} + {step_size} × {way} = {format_short(update.new)}"


def format_fraction(step_size: float) -> str:
    """Return a step size as text; a long decimal of 1/n is written as the fraction."""
    text = f"{step_size:g}"
    parts = round(1 / step_size)
    is_part = parts > 1 and text == f"{1 / parts:g}"
    return f"1/{parts}" if is_part and len(text) > 5 else text


class Story(NamedTuple):
    """The functions that describe the games of a training, update after update."""

    # the last update of the first n; for n = 0 the order of the updates
    sentence: Callable[[Recipe, TrainingGame, int], str]
    # the equation of an update, "" without an equation
    equation: Callable[[Recipe, TrainingUpdate], str] = write_step
    # the way of choosing a move, in a word
    choice: Callable[[TrainingGame, TrainingMove], str] = epsilon_greedy
    movers_view: bool = (
        False  # whether values are in the view of the mover, not of the seat
    )


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section of /how: on an algorithm, a notion or a measure."""

    title: str
    lens: str  # value source of the board on the page
    record: str  # moves that lead to the position on the board
    sources: tuple[str, ...]  # slugs of the publications
    formula: Formula
    also: Formula | None = None  # second formula
    step: int | None = None  # snapshot of the value source, None for its end

    @property
    def start(self) -> Match:
        """The match that the board on the page shows first; both sides are played by hand."""
        return Match(self.record, o=HUMAN, value_source=self.lens, snapshot=self.step)

    @property
    def cited(self) -> tuple[Source, ...]:
        """The publications about the algorithm."""
        return get_sources(*self.sources)


class UpdateStyle(NamedTuple):
    """The picture of an algorithm's update, and the difference from Q-learning."""

    # the template of the picture: a step towards the next value or towards the result of a game,
    # beads in a box, bounds, or an exact mean over all replies
    family: Literal["step", "return", "beads", "bounds", "mean"]
    next_mover: Literal["own", "other"]  # the player to move in the next state
    line: str  # the target, in LaTeX
    words: str  # the difference from Q-learning
    differs: Literal["", "next value", "order", "table", "result", "bounds"] = ""


class Algorithm(NamedTuple):
    """An algorithm, as pages explain it; its slug is on the cards of its agents."""

    title: str
    section: Section  # its prose is in templates/how/sections
    update: UpdateStyle
    rule: UpdateRule = UpdateRule()
    story: Story | None = None  # None if its games are not described
    untold: str = ""  # the reason why its games are not described
    # the origin of an agent, with a place for its opponents
    origin: str = gettext_noop("Learned from games against {}.")
    # The length of a training, as in "100,000 games"; "against" follows in the sentence.
    turns: Callable[[Recipe], str] = lambda recipe: recipe.length_parameter
    # numbers in the text of its section
    facts: Callable[[SiteData], Mapping[str, object]] = lambda _site: {}
