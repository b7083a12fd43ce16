"""Train a learner in games against a teacher until it is proved unbeatable."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from app.recipes import Recipe
from app.reference import (
    CheckedPerson,
    build_rules,
    find_move_lister,
    get_update_key,
    make_learner,
)
from app.textbook.exploration import pick
from app.textbook.loop import Update
from app.textbook.rng import Random
from app.textbook.symmetry import canonical_board
from app.tictactoe.game import GAME, O, X
from app.tictactoe.notation import parse_position
from app.tictactoe.policy import Policy, policy_from_values
from app.tictactoe.values import compute_best_responses
from training.fast_evaluation import is_unbeatable
from training.measures import Measure
from training.taught import build_first_table, build_person_turn

MAX_GAMES = 500
BEST_RESPONDER_TEACHER, LEAST_VISITED_TEACHER = "best responder", "least visited"
TEACHERS = (
    "random",
    "t-hand",
    "minimax",
    BEST_RESPONDER_TEACHER,
    LEAST_VISITED_TEACHER,
)


class Teacher(CheckedPerson):
    """A program that takes the place of the person in a recipe."""

    def __init__(self, choose_cell: Callable[[str], int]) -> None:
        super().__init__(1, "")
        self.choose_move = choose_cell

    def choose(self, board: str, _rng: Random) -> int:
        return self.choose_move(board)


def train_with_teacher(teacher: str, recipe: Recipe) -> dict[str, int | None]:
    """Train a learner as X against a teacher; return {"games": number of games until unbeatable}.

    The number is None if the learner is not unbeatable after MAX_GAMES games.
    """
    learner = make_learner(GAME, recipe)
    rng = Random(recipe.seed)
    teacher_rng = Random(recipe.seed, 1)
    first_values, entries = build_first_table(recipe.with_seed(0))
    q = first_values.copy()
    turn = build_person_turn(1)
    changed = True
    choose_cell = _build_teacher(teacher, teacher_rng)
    for games in range(MAX_GAMES + 1):
        # Without a changed value the policy is the same, and need not be examined again.
        if changed:
            policy = policy_from_values(
                GAME.spread_pairs(q.astype(np.float32)), recipe.plays
            )
            if is_unbeatable(GAME, policy, X):
                return {"games": games}
            if teacher == BEST_RESPONDER_TEACHER:
                choose_cell = _build_best_responder(policy, teacher_rng)
        changed = False
        for event in learner.play(turn._replace(player=Teacher(choose_cell)), rng):
            if isinstance(event, Update):
                changed |= event.new != event.old
                _, pairs = entries[get_update_key(learner, event)]
                q[pairs] = event.new
    return {"games": None}


def _build_teacher(teacher: str, rng: Random) -> Callable[[str], int]:
    visits = Counter[str]()
    rules = build_rules(GAME)

    def choose_least_visited(board: str) -> int:
        """Return the move to the board that this teacher has reached least often, up to symmetry."""
        made = {
            cell: canonical_board(rules, rules.make_move(board, cell))
            for cell in rules.legal_moves(board)
        }
        fewest = min(visits[after] for after in made.values())
        rarest = [cell for cell, after in made.items() if visits[after] == fewest]
        cell: int = pick(rarest, rng.random())
        visits[made[cell]] += 1
        return cell

    if teacher == LEAST_VISITED_TEACHER:
        return choose_least_visited
    list_moves = find_move_lister(GAME, teacher)
    return lambda board: pick(list_moves(rules, board), rng.random())


def _build_best_responder(policy: Policy, rng: Random) -> Callable[[str], int]:
    moves = compute_best_responses(GAME, policy[GAME.legal], O, loss_reward=0.0)[0]

    def choose_best_response(board: str) -> int:
        start, end = GAME.first_pair[parse_position(GAME, board) :][:2]
        is_best = moves[start:end] > 0
        cells = GAME.pair_cell[start:end][is_best].tolist()
        return int(pick(cells, rng.random()))

    return choose_best_response


MEASURES = {
    f"taught by {teacher}": Measure(
        f"taught-by-{teacher.replace(' ', '-')}",
        1,
        partial(train_with_teacher, teacher),
    )
    for teacher in TEACHERS
}
