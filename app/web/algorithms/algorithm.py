"""A section of /how, and the class Algorithm with all that the pages show about an algorithm.

The pages /how consist of sections, each of them a template in templates/how/sections. The template
begins with a comment in TOML, whose keys are the fields of the classes here. If an algorithm needs
another explanation than Q-learning, it has a subclass in the module of this folder with its name.
"""

from typing import Any, ClassVar, Literal, Self

import msgspec

from app.project import ROOT
from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.reference import ReferenceLearner
from app.sources import Source, get_sources
from app.textbook.loop import Update
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.web.algorithms.formula import Formula, bracket_negative, format_short_unsigned
from app.web.algorithms.learners import load_learner
from app.web.algorithms.sentences import (
    describe_distance,
    describe_exploration,
    describe_next_state,
    describe_past_targets,
    describe_reply_value,
    describe_target,
)
from app.web.algorithms.targets import (
    Reply,
    ValueQuery,
    ValueReason,
    build_reason_after_reply,
    build_reason_before_reply,
    list_move_values,
)
from app.web.formatting import MINUS
from app.web.match import Match
from app.web.site_data import HUMAN
from app.web.translation import gettext_noop

SECTIONS_FOLDER = ROOT / "templates" / "how" / "sections"
CHANCE_HEADING, COUNTS_HEADING = "Chance", "Counts"
RESULT_VERBS = {"win": "won", "draw": "drawn", "loss": "lost"}
DURING_GAME_PHRASE, AFTER_GAME_PHRASE = "While it played", "Now that the game is over"


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A section of /how on an algorithm, a term or a measure, with its example board."""

    slug: str
    title: str
    # the agent, or other source of values, on the example board
    value_source: str
    # the moves that lead to the position on the example board
    example_record: str
    # the publications that the section cites
    source_slugs: tuple[str, ...]
    formula: Formula
    second_formula: Formula | None = None
    # the snapshot of the agent on the example board; None for the last one
    snapshot: int | None = None

    @classmethod
    def load(cls, slug: str) -> Self:
        template_source = (SECTIONS_FOLDER / f"{slug}.html").read_text("utf-8")
        head = template_source.removeprefix("{#").partition("#}")[0]
        return msgspec.convert({"slug": slug, **msgspec.toml.decode(head)}, cls)

    @property
    def start_match(self) -> Match:
        """The match on the example board when the page opens."""
        return Match(
            self.example_record,
            o=HUMAN,
            value_source=self.value_source,
            snapshot=self.snapshot,
        )

    @property
    def publications(self) -> tuple[Source, ...]:
        return get_sources(*self.source_slugs)


class Algorithm(Section, frozen=True, kw_only=True):
    """How pages picture the updates of an algorithm, and explain its values.

    The methods here suit Q-learning and most other algorithms. Subclasses replace some of them.
    """

    # the class of the learner that makes the shown updates; None for the learner of the agent's
    # recipe
    textbook_learner: ClassVar[type[ReferenceLearner] | None] = None

    # the full name of the algorithm, longer than the title of its section
    name: str
    # a sentence on how an agent was trained, with placeholders for `str.format`
    origin_text: str = gettext_noop("Learned from {games} games against {opponents}.")
    # why the lab shows no games of a training, as a sentence; "" if it shows them
    no_game_reason: str = ""

    # The template of the picture in templates/updates. It shows a step towards the next value, the
    # return of a game, the beads in a box, two bounds, or the exact mean over all replies.
    picture_kind: Literal["step", "return", "beads", "bounds", "mean"] = "step"
    # who is to move in the next state: the learner (own) or its opponent (other)
    next_mover: Literal["own", "other"] = "own"
    target_latex: str
    # a sentence on how the algorithm differs from Q-learning
    difference_text: str
    # the part of the update that differs from Q-learning, "" for Q-learning itself
    differing_part: Literal["", "next value", "order", "table", "result", "bounds"] = ""
    # A sentence on the next value, with the placeholders {mover}, {opponent} and {next}. It is ""
    # if the next value is that of the best move.
    next_value_text: str = ""
    # The words before the value of the next state in the sentence on a target. They are "" if the
    # target uses the best next move.
    next_value_phrase: str = ""
    # whether all values are 0 before the first update
    starts_at_zero: bool = False
    # whether an update changes no other value
    changes_one_value: bool = False

    # What decides the next update of a value: the opponent's reply, the result of the game, or
    # nothing if only one update is possible (single). It is "" if the table alone does not
    # determine the update.
    update_cases: Literal["reply", "result", "single", ""] = "reply"
    # The heading of a column in the table of replies, which shows their chances, or which of them
    # count.
    reply_heading: str = CHANCE_HEADING

    # the words for the target in a sentence on a training game, for all moves but the last
    target_text: str = ""
    # whether the learner updates after the game, from the last move to the first
    learns_backward: bool = False
    # whether the values are in the view of the player to move, not of the learner's seat
    uses_movers_view: bool = False
    # whether the learner's random moves follow an epsilon-greedy policy
    is_epsilon_greedy: bool = True

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        """Return the opponent's replies and the next target, which explain a value."""
        if self.next_mover == "other":
            return build_reason_before_reply(query, self.make_update)
        return build_reason_after_reply(query, self.make_update)

    def make_update(
        self, query: ValueQuery, reply_cell: int | None, next_cell: int | None
    ) -> Update:
        """Return the textbook learner's update, if these cells are the reply and the next own move.

        `reply_cell` is None if the move ended the game; `next_cell` is None if the move or the
        reply ended it.
        """
        learner: Any = load_learner(query, self.textbook_learner)
        position = query.find_position_after(reply_cell)
        if self.next_mover == "other":
            position = query.next_position
            learner.values = lambda board: {
                reply_cell: learner.value(board, reply_cell)
            }
        board, next_board = (
            format_position(GAME, each) for each in (query.position, position)
        )
        reward = query.compute_reward(position)
        update: Update = learner.update(
            board, query.cell, reward, next_board, next_cell
        )
        return update

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        """Say what the target of a value is, and how far the value is from it."""
        if not reason.has_target:
            return self.describe_settled_value(query, reason)
        return [
            describe_target(query, reason, self.next_value_phrase),
            *self.describe_next_move(query, reason),
            *describe_distance(reason),
            *self.describe_updates(query, reason),
        ]

    def describe_settled_value(
        self, query: ValueQuery, reason: ValueReason
    ) -> list[str]:
        """Say why a value is never updated again."""
        return ["The learner makes no update, whatever the opponent plays."]

    def describe_next_move(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        """Say how the learner chooses the next move, if the target uses its value."""
        return describe_exploration(query, reason)

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        return describe_past_targets(query, reason, query.recipe.initial)

    def describe_reply(self, query: ValueQuery, reply: Reply) -> str:
        """Describe the next state after a reply, such as "centre is best: +0.42"."""
        if self.next_mover == "other":
            return describe_reply_value(query, reply)
        return describe_next_state(query, reply)

    def update_after_game(
        self, query: ValueQuery, final_board: str, later_own_moves: int
    ) -> Update:
        """Return the update of a move after its game, if the algorithm learns from results."""
        raise NotImplementedError

    def list_choice_values(self, query: ValueQuery) -> list[float | None]:
        """Return for each cell the number by which the learner chooses its move."""
        return list_move_values(query, query.position)

    def describe_training_update(
        self, recipe: Recipe, game: TrainingGame, update_count: int
    ) -> str:
        """Describe the latest update of a training game or, at its start, the order of updates."""
        if not update_count:
            if self.learns_backward:
                return f"{AFTER_GAME_PHRASE}, it learned backward from the last move."
            return f"{DURING_GAME_PHRASE}, it learned move by move."
        turn = game.updates[update_count - 1].move_index
        # The target of a side's last move is a reward. So if both sides learn, the last two moves
        # have such targets, unless a target uses the value of the opponent's next move.
        lasts = 2 if game.played_both_sides and self.next_mover == "own" else 1
        if turn < len(game.moves) - lasts:
            return f"Move {turn + 1} is pulled towards {self.target_text}."
        result = game.get_result_for(game.moves[turn].mark)
        return f"Move {turn + 1} ended in a {result}: its value is pulled towards that reward."

    def format_equation(self, recipe: Recipe, update: TrainingUpdate) -> str:
        """Return the equation of an update in numbers: old + alpha (target - old) = new.

        It is "" if the update has no such equation.
        """
        if update.target is None or not update.step_size or update.in_table:
            return ""
        old, target = (
            format_short_unsigned(update.old),
            format_short_unsigned(update.target),
        )
        step_size, new = (
            format_fraction(update.step_size),
            format_short_unsigned(update.new),
        )
        if getattr(recipe, "update", "average") == "sum":
            return f"{old} + {step_size} × {bracket_negative(target)} = {new}"
        way = f"({target} {MINUS} {bracket_negative(old)})"
        return f"{old} + {step_size} × {way} = {new}"

    def name_move_choice(self, game: TrainingGame, move: TrainingMove) -> str:
        """Return how a move of a training game was chosen, such as "explored"."""
        return "explored" if move.was_random else "greedy"


def format_fraction(step_size: float) -> str:
    """Return a step size as text; a long decimal such as 0.142857 becomes 1/7."""
    text = f"{step_size:g}"
    parts = round(1 / step_size)
    is_part = parts > 1 and text == f"{1 / parts:g}"
    return f"1/{parts}" if is_part and len(text) > 5 else text
