"""MENACE: a box of beads for each position; the result of a game adds or removes beads."""

from math import isnan

import numpy as np
from numpy.typing import NDArray

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove
from app.reference import build_rules
from app.textbook.loop import Update
from app.textbook.menace import Menace
from app.textbook.table import get_reward
from app.tictactoe.beads import count_beads, count_symmetric_cells
from app.tictactoe.game import GAME, FloatArray, X
from app.tictactoe.notation import MARKS, format_position
from app.tictactoe.policy import policy_from_values
from app.tictactoe.values import compute_outcome_chances
from app.web.algorithms.algorithm import AFTER_GAME_PHRASE, RESULT_VERBS, Algorithm
from app.web.algorithms.learners import StoredValues
from app.web.algorithms.targets import ValueQuery, ValueReason, remove_update_target
from app.web.formatting import MINUS, format_percent, spell_bead_count

# The recipe has a parameter for each result: how many beads it adds or removes.
PARAMETER_BY_RESULT = {"won": "win", "drawn": "draw", "lost": "loss"}


class MenaceAlgorithm(Algorithm, frozen=True, kw_only=True):
    """MENACE: each move has a number of beads in a box, and a bead picked at random is the move."""

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        """Return the mean number of beads after the next game with the move, as its target.

        A move without a bead is never played, so it has no target.
        """
        bead_counts = _get_bead_counts(query)
        beads = float(bead_counts[query.position, query.cell])
        target = sum(
            chance * _add_beads(query, bead_counts, getattr(query.recipe, paid)).new
            for paid, chance in zip(
                PARAMETER_BY_RESULT.values(),
                _compute_result_chances(query, bead_counts),
                strict=True,
            )
        )
        reason = ValueReason(
            beads,
            [],
            target,
            shows_distance=False,
            target_prefix="about ",
            is_bead_count=True,
        )
        return reason if beads else remove_update_target(reason)

    def update_after_game(
        self, query: ValueQuery, final_board: str, later_own_moves: int
    ) -> Update:
        rules, mark = build_rules(GAME), MARKS[query.mover]
        beads = get_reward(rules, query.recipe, final_board, mark)
        return _add_beads(query, _get_bead_counts(query), beads)

    def list_choice_values(self, query: ValueQuery) -> list[float | None]:
        row = _get_bead_counts(query)[query.position].tolist()
        return [None if isnan(beads) else beads for beads in row]

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        bead_counts, squares = _get_bead_counts(query), _count_shared_squares(query)
        box = float(np.nansum((bead_counts / squares)[query.position]))
        cells = int(squares[query.position, query.cell])
        total = f"The box of this position has {spell_bead_count(box)} in total."
        if not reason.value:
            return [
                f"{total} This move cannot be picked again, unless the box becomes empty "
                "and is filled again."
            ]
        share = format_percent(reason.value / box, 1)
        start = "In training" if query.recipe.plays == "greedy" else "So"
        drawn = f"{start} this move is picked in {share}% of the games that reach this position"
        if cells > 1:
            drawn += (
                f", and each of the {cells} squares that are this move by "
                "symmetry is equally likely"
            )
        chances = _compute_result_chances(query, bead_counts)
        ends = [
            f"{format_percent(chance, 1)}% {end}"
            for end, chance in zip(PARAMETER_BY_RESULT, chances, strict=True)
            if chance
        ]
        paid = {
            end: f"{getattr(query.recipe, name):+.0f}"
            for end, name in PARAMETER_BY_RESULT.items()
        }
        pays = ", ".join(f"{beads} if {end}" for end, beads in paid.items()).replace(
            "-", MINUS
        )
        return [
            f"{total} {drawn}.",
            f"Beads are not an expected result: after a game each of its moves gets {pays}.",
            f"In further training, games with this move would be: {', '.join(ends)}.",
        ]

    def describe_training_update(
        self, recipe: Recipe, game: TrainingGame, update_count: int
    ) -> str:
        if not update_count:
            if game.played_both_sides:
                return f"{AFTER_GAME_PHRASE}, every move of a side is paid alike."
            result = RESULT_VERBS[game.result]
            return (
                f"The game was {result}: now every move that was picked is paid alike."
            )
        change = game.updates[update_count - 1]
        mover = game.moves[change.move_index].mark
        result = (
            RESULT_VERBS[game.get_result_for(mover)]
            + f" by {mover}" * game.played_both_sides
        )
        emptied = "; it keeps none, and if its box is empty it is filled again" * (
            not change.new
        )
        drawn = f"Move {change.move_index + 1} was picked from a box with {change.old:.0f} beads of it"
        return f"{drawn}. The game was {result}, so now there are {change.new:.0f}{emptied}."

    def name_move_choice(self, game: TrainingGame, move: TrainingMove) -> str:
        return "picked"


def _count_shared_squares(query: ValueQuery) -> NDArray[np.int64]:
    squares: NDArray[np.int64] = np.maximum(
        GAME.spread_pairs(count_symmetric_cells(GAME), 0), 1
    )
    return squares


def _compute_result_chances(query: ValueQuery, bead_counts: FloatArray) -> list[float]:
    # In training MENACE always plays a move with a probability proportional to its beads.
    own = policy_from_values(bead_counts / _count_shared_squares(query), "proportional")
    other = own if query.opponent is None else query.site.policies[query.opponent]
    x, o = (own, other) if query.mover == X else (other, own)
    chances: list[float] = compute_outcome_chances(GAME, x, o)[
        query.next_position
    ].tolist()
    return chances[:: query.mover]


def _add_beads(query: ValueQuery, bead_counts: FloatArray, beads: float) -> Update:
    learner = Menace(build_rules(GAME), query.recipe)
    learner.changed = StoredValues(bead_counts)
    update: Update = learner.update(
        format_position(GAME, query.position), query.cell, int(beads)
    )
    return update


def _get_bead_counts(query: ValueQuery) -> FloatArray:
    """Return the beads of all moves, [D, cells], NaN where illegal."""
    plays = query.agent.card.play_rule
    return GAME.spread_pairs(count_beads(GAME, query.table[GAME.legal], plays))
