"""Monte Carlo tree search (MCTS): a value is the mean result of simulated games with a move."""

import numpy as np

from app.reference import build_rules
from app.textbook.loop import Update
from app.textbook.mcts import Tree
from app.textbook.self_play import SelfPlay
from app.tictactoe.game import GAME
from app.tictactoe.notation import MARKS, format_position
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.sentences import OUTCOME_VERBS
from app.web.algorithms.targets import ValueQuery, ValueReason, remove_update_target
from app.web.formatting import format_count, format_signed, name_square


class MctsAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Monte Carlo tree search; the site stores the mean results, but no search tree."""

    # This learner makes the update that pages show after a single reply.
    textbook_learner = SelfPlay

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        """Return the opponent's replies; a mean result has no target."""
        return remove_update_target(super().compute_value_reason(query))

    def update_after_game(
        self, query: ValueQuery, final_board: str, later_own_moves: int
    ) -> Update:
        tree = _load_tree(query, _count_simulated_games(query) or [])
        update: Update = tree.back_up(
            [((query.cell,), MARKS[query.mover])], final_board
        )
        return update

    def list_choice_values(self, query: ValueQuery) -> list[float | None]:
        bounds = compute_upper_bounds(query)
        return [bounds.get(cell) for cell in range(GAME.cells)]

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        game_counts = _count_simulated_games(query)
        sentences = [
            "The value is the mean result of the simulated games that began with this move."
        ]
        if game_counts is not None:
            count = format_count(game_counts[query.cell])
            games = f"{count} of {format_count(sum(game_counts))} simulated games"
            mean = (
                f"The value is the mean result of the {games} from this position that "
                "began with this move."
            )
            sentences = [mean, _describe_next_simulation(query, game_counts)]
        if (outcome := query.get_outcome(query.next_position)) is not None:
            return [
                *sentences,
                f"The game is {OUTCOME_VERBS[outcome]} by this move, so all these games had "
                "the same result.",
            ]
        return [
            *sentences,
            "In more simulated games the opponent would play its best move more often, and the "
            "mean would come closer to its result. The opponent's values in the table come from "
            "the agent's plan for the next position.",
        ]


def _count_simulated_games(query: ValueQuery) -> list[int] | None:
    if query.update_count is None or not query.is_known:
        return None
    game_counts: list[int] = query.agent.visits[query.position].tolist()
    return game_counts


def compute_upper_bounds(query: ValueQuery) -> dict[int, float]:
    """Return cell -> upper confidence bound of each tried move; {} before the last snapshot.

    After all moves have been tried, the next simulated game begins with the move of the highest
    bound (Kocsis and Szepesvári, 2006).
    """
    game_counts = _count_simulated_games(query)
    if game_counts is None:
        return {}
    tree = _load_tree(query, game_counts)
    return {cell: tree.upper_bound((), cell) for cell, n in enumerate(game_counts) if n}


def _load_tree(query: ValueQuery, game_counts: list[int]) -> Tree:
    root = format_position(GAME, query.position)
    tree = Tree(build_rules(GAME), query.recipe.c, root, None)
    tree.visits[()] = sum(game_counts)
    for cell, count in enumerate(game_counts):
        if count:
            tree.visits[cell,] = count
            tree.total[cell,] = float(query.table[query.position, cell]) * count
    return tree


def _describe_next_simulation(query: ValueQuery, game_counts: list[int]) -> str:
    bounds = compute_upper_bounds(query)
    untried = [
        cell
        for cell in np.flatnonzero(GAME.legal[query.position])
        if not game_counts[cell]
    ]
    if untried:
        return "The next simulated game would begin with a move that has not been tried yet."
    chosen = max(bounds, key=lambda cell: bounds[cell])
    bound = f"upper confidence bound is {format_signed(bounds[query.cell])}"
    if chosen == query.cell:
        return (
            f"Its {bound}, the highest of all moves: the next simulated game would "
            "begin with this move, too."
        )
    other = f"{name_square(chosen)}, whose bound is {format_signed(bounds[chosen])}"
    return f"Its {bound}: the next simulated game would begin with {other}."
