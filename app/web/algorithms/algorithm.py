"""The class Algorithm: everything that the pages show about one learning algorithm.

It has the explanation of its values, the picture of its update, and its texts.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.sources import Source, get_sources
from app.textbook.loop import Update
from app.web.algorithms.formula import Formula, bracket_negative, format_short_unsigned
from app.web.algorithms.learners import compute_reason_after_reply
from app.web.algorithms.sentences import describe_next_state, describe_target_and_past
from app.web.algorithms.targets import (
    Reply,
    ValueQuery,
    ValueReason,
    list_move_values,
)
from app.web.formatting import MINUS
from app.web.match import Match
from app.web.site_data import HUMAN, SiteData
from app.web.translation import gettext_noop

CHANCE_HEADING, COUNTS_HEADING = "Chance", "Counts"
RESULT_VERBS = {"win": "won", "draw": "drawn", "loss": "lost"}
DURING_GAME, AFTER_GAME = "While it played", "Now that the game is over"


class UpdateRule(NamedTuple):
    """The functions that explain a value by the next update that it would get.

    The defaults suit most algorithms: the opponent's reply is random, and the next state is the
    learner's next decision.
    """

    # computes the target of the next update from the opponent's possible replies
    compute_reason: Callable[[ValueQuery], ValueReason] = compute_reason_after_reply
    # returns sentences on the target and on the distance of the value from the target
    describe_reason: Callable[[ValueQuery, ValueReason], list[str]] = (
        describe_target_and_past
    )
    # returns a text on the value of the next state after a reply
    describe_reply: Callable[[ValueQuery, Reply], str] = describe_next_state
    # heading of a table column: the chance of each reply, or whether the reply counts
    reply_column_heading: str = CHANCE_HEADING
    # the next update of a value can differ by the reply or by the result of the game, or there is
    # a single one; "" if the table alone does not determine it
    update_cases: Literal["reply", "result", "single", ""] = "reply"
    # for updates by results: makes the update after a game, given by its last board and by the
    # number of later moves of the learner
    update_after_game: Callable[[ValueQuery, str, int], Update] | None = None
    # lists the numbers of all moves, by cell, by which a learner from results chooses
    list_values: Callable[[ValueQuery], list[float | None]] = lambda query: (
        list_move_values(query, query.position)
    )


def name_epsilon_greedy_choice(_game: TrainingGame, move: TrainingMove) -> str:
    """Return "explored" for a random move of an epsilon-greedy learner, else "greedy"."""
    return "explored" if move.was_random else "greedy"


def build_update_describer(
    target_text: str, is_backward: bool = False, ends_with_reply: bool = False
) -> Callable[[Recipe, TrainingGame, int], str]:
    """Return a function that describes one update of a training game in a sentence.

    It is the function `describe_update` of a `GameDescriber`.  Its update 0 is the state before the
    first update, for which it describes the order of the updates.

    `target_text` names the target of a move before the last.  With `is_backward` the updates are
    made after the game, the last move first.  With `ends_with_reply` the target of a move comes
    from the opponent's reply, so only the last move of a game has the reward as its target.
    """
    order_sentence = (
        f"{AFTER_GAME}, it learned backward from the last move."
        if is_backward
        else describe_forward_order()
    )

    def describe_update(_recipe: Recipe, game: TrainingGame, update: int) -> str:
        if not update:
            return order_sentence
        turn = game.updates[update - 1].move_index
        # If both sides learn, the target of the last move of each side is a reward.
        lasts = 2 if game.played_both_sides and not ends_with_reply else 1
        if turn < len(game.moves) - lasts:
            return f"Move {turn + 1} is drawn to {target_text}."
        result = game.get_result_for(game.moves[turn].mark)
        return (
            f"Move {turn + 1} ended in a {result}: its value is drawn to that reward."
        )

    return describe_update


def describe_forward_order(ending: str = "") -> str:
    """Return the sentence that the updates were made during the game, with an optional ending."""
    return f"{DURING_GAME}, it learned move by move{ending}."


def format_step_equation(recipe: Recipe, update: TrainingUpdate) -> str:
    """Return the equation old + alpha (target - old) = new in numbers.

    It is "" for an update without a target or a step size, and for one of two tables.
    """
    if update.target is None or not update.step_size or update.in_table:
        return ""
    old, target = (
        format_short_unsigned(update.old),
        format_short_unsigned(update.target),
    )
    step_size = format_fraction(update.step_size)
    if getattr(recipe, "update", "average") == "sum":
        return f"{old} + {step_size} × {bracket_negative(target)} = {format_short_unsigned(update.new)}"
    way = f"({target} {MINUS} {bracket_negative(old)})"
    return f"{old} + {step_size} × {way} = {format_short_unsigned(update.new)}"


def format_fraction(step_size: float) -> str:
    """Return a step size as text; a long decimal such as 0.142857 is written as 1/7."""
    text = f"{step_size:g}"
    parts = round(1 / step_size)
    is_part = parts > 1 and text == f"{1 / parts:g}"
    return f"1/{parts}" if is_part and len(text) > 5 else text


class GameDescriber(NamedTuple):
    """The functions that describe a game of a training in the lab, update after update."""

    # returns a sentence on update number n of a game; for n = 0 on the order of its updates
    describe_update: Callable[[Recipe, TrainingGame, int], str]
    # returns the equation of an update, "" if the algorithm has no equation
    format_equation: Callable[[Recipe, TrainingUpdate], str] = format_step_equation
    # returns a word for the way in which a move was chosen, such as "greedy"
    name_choice: Callable[[TrainingGame, TrainingMove], str] = (
        name_epsilon_greedy_choice
    )
    # whether the values are in the view of the player to move, not of the learner's seat
    uses_movers_view: bool = False

    @property
    def is_epsilon_greedy(self) -> bool:
        """Whether the learner's random moves are exploration by epsilon-greedy."""
        return self.name_choice is name_epsilon_greedy_choice


class Section(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    """A section of /how: about an algorithm, a term or a measure, with an example board."""

    title: str
    value_source: str  # value source of the example board
    example_record: str  # moves that lead to the position on the example board
    source_slugs: tuple[str, ...]  # slugs of the publications
    formula: Formula
    second_formula: Formula | None = None
    snapshot: int | None = None  # of the value source; None for its last snapshot

    @property
    def start_match(self) -> Match:
        """The match on the example board at first; the visitor plays both sides."""
        return Match(
            self.example_record,
            o=HUMAN,
            value_source=self.value_source,
            snapshot=self.snapshot,
        )

    @property
    def publications(self) -> tuple[Source, ...]:
        """The publications about the algorithm."""
        return get_sources(*self.source_slugs)


class UpdateStyle(NamedTuple):
    """The picture of an algorithm's update, and the difference of the update from Q-learning."""

    # template of the picture in templates/updates: step = towards the next value, return = towards
    # the result of a game, beads = in a matchbox, bounds, mean = exact average over all replies
    family: Literal["step", "return", "beads", "bounds", "mean"]
    # player to move in the next state: the learner (own) or its opponent (other)
    next_mover: Literal["own", "other"]
    target_latex: str  # formula of the target, in LaTeX
    difference_text: str  # sentence on the difference from Q-learning
    # the part of the update that differs from Q-learning, "" for Q-learning itself
    differing_part: Literal["", "next value", "order", "table", "result", "bounds"] = ""
    # sentence on the next value with {mover}, {opponent} and {next}; "" for the best value
    next_value_text: str = ""
    next_value_symbol: str = "max Q(s′, a′)"
    value_letter: str = "Q"
    starts_at_zero: bool = False  # whether all values are 0 before the first update
    changes_one_value: bool = False  # whether an update changes no other value


class Algorithm(NamedTuple):
    """A learning algorithm with everything that the pages show about it."""

    title: str
    section: Section  # the texts of the section are in templates/how/sections
    update_style: UpdateStyle
    update_rule: UpdateRule = UpdateRule()
    # None if the lab shows no games of its trainings
    game_describer: GameDescriber | None = None
    no_game_reason: str = ""  # sentence with the reason why the lab shows no games
    # sentence on the origin of an agent, for `str.format`
    origin_text: str = gettext_noop("Learned from {games} games against {opponents}.")
    # returns the noun for the length of a training, such as "games" in "100,000 games"
    name_training_unit: Callable[[Recipe], str] = lambda recipe: recipe.length_parameter
    # returns the numbers in the text of the section, by name
    compute_facts: Callable[[SiteData], Mapping[str, object]] = lambda _site: {}
