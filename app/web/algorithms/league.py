"""Q-learning in a league, for nondeterministic environments: each move is an update.

A learner plays the other learners of its league. During training its table has values of its own
moves and of its opponent's moves, but the stored agent has only the values of its own moves. In the
boards of the table, stones are own or other stones instead of X and O. So a learner uses one table
as X and as O.
"""

from dataclasses import replace
from typing import Any

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove
from app.reference import build_rules
from app.textbook.league import Player
from app.textbook.loop import Update
from app.textbook.table import Values
from app.tictactoe.game import GAME, O, X
from app.tictactoe.notation import MARKS, format_position, parse_position
from app.web.algorithms.algorithm import RESULT_VERBS, Algorithm
from app.web.algorithms.sentences import (
    MIN_SHOWN_DIFFERENCE,
    OUTCOME_VERBS,
    describe_distance,
)
from app.web.algorithms.targets import (
    Reply,
    ValueQuery,
    ValueReason,
    build_best_reply_reason,
    list_replies,
)
from app.web.formatting import format_count, format_signed

EXCHANGED_MARKS = str.maketrans("XO", "OX")


class LeagueAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Q-learning in a league: the target uses the reply that is best for the learner."""

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        board, mark = format_position(GAME, query.position), MARKS[query.mover]
        update = update_in_seat(query, board, query.cell, mark)
        player = Player(build_rules(GAME), query.recipe, query.recipe)
        values = OwnViewTable(query)
        replies = []
        for cell, position in list_replies(query):
            found, after_reply = update.next_value, update
            if cell is not None:
                entry = player.see(update.next_board, cell, mark)
                found = values[entry]
                only = Values()
                only[entry] = found
                after_reply = update_in_seat(query, board, query.cell, mark, only)
            replies.append(
                Reply(
                    cell=cell,
                    position=position,
                    outcome=query.get_outcome(position),
                    reward=update.reward,
                    next_value=found,
                    target=after_reply.target or 0.0,
                    update=None
                    if is_shared_by_seats(query)
                    else update._replace(next_cell=cell),
                )
            )
        reason = build_best_reply_reason(query, replies)
        return (
            replace(reason, shows_distance=False, target_prefix="about ")
            if is_shared_by_seats(query)
            else reason
        )

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        best = reason.possible_replies[0]
        sentences = [
            _describe_final_move(reason, best)
            if best.cell is None
            else _describe_best_reply(query, reason, best)
        ]
        if is_shared_by_seats(query):
            sentences += [
                "When the learner plays O, it uses the same entry for the board with X and O "
                "exchanged, where the target is "
                f"{format_signed(compute_target_as_o(query))}. "
                "How many of the updates were made on which board is not recorded."
            ]
        return [
            *sentences,
            *describe_distance(reason),
            *_describe_average(query, reason),
        ]

    def describe_reply(self, query: ValueQuery, reply: Reply) -> str:
        found = format_signed(reply.next_value or 0.0)
        return f"value {found}" if query.mover == O else f"estimated value {found}"

    def describe_training_update(
        self, recipe: Recipe, game: TrainingGame, update_count: int
    ) -> str:
        if not update_count:
            return "While it played, it learned move by move, of its opponent's moves what they say."
        change = game.updates[update_count - 1]
        whose = f"Move {change.move_index + 1}"
        if game.moves[change.move_index].mark != game.seat:
            whose += ", its opponent's,"
        as_own = ", as if it had been its own" * change.is_opponent_move
        if change.move_index < len(game.moves) - 1:
            return f"{whose} is pulled towards {self.target_text}{as_own}."
        mover = game.moves[change.move_index].mark
        result = game.get_result_for(mover) if change.is_opponent_move else game.result
        return (
            f"{whose} ended the game, {RESULT_VERBS[result]}{as_own}: it is pulled towards that "
            "reward plus gamma times the value stored for the finished board."
        )

    def name_move_choice(self, game: TrainingGame, move: TrainingMove) -> str:
        return "picked" if move.mark == game.seat else "answer"


def is_shared_by_seats(query: ValueQuery) -> bool:
    """Return whether the learner uses this value as X and as O, with different targets."""
    return query.mover == X and query.recipe.stages == "two"


def compute_target_as_o(query: ValueQuery) -> float:
    """Return the target of the same table entry if the learner plays O, and X makes the move."""
    board = format_position(GAME, exchange_marks(query.position))
    return update_in_seat(query, board, query.cell, "O").target or 0.0


def update_in_seat(
    query: ValueQuery,
    board: str,
    cell: int,
    seat: str,
    values: dict[Any, float] | None = None,
) -> Update:
    """Return the learner's update of a move when it plays "X" or "O".

    `values` are used in place of the learner's table.
    """
    player = Player(build_rules(GAME), query.recipe, query.recipe)
    player.q = OwnViewTable(query) if values is None else values
    player.visits.update({player.see(board, cell, seat): query.update_count or 0})
    update: Update = player.update(board, cell, seat)
    return update


class OwnViewTable(dict[tuple[str, int], float]):
    """The learner's table during training, with the same keys when it plays X and O.

    A key is a board and a cell; 1 is a stone of the learner, 2 of its opponent.
    """

    def __init__(self, query: ValueQuery) -> None:

        super().__init__()
        self.query = query

    def __missing__(self, key: tuple[str, int]) -> float:
        seen, cell = key
        query, own, other = self.query, seen.count("1"), seen.count("2")
        rules = build_rules(GAME)
        for name, player in (("win", "1"), ("loss", "2")):
            if rules.has_line(seen, player):
                return float(getattr(query.recipe, name))
        if "0" not in seen:
            return float(query.recipe.draw)
        if seen[cell] != "0":
            # The learner never played on a taken square, so this value stayed 0.
            return 0.0
        board = seen.translate(str.maketrans("012", ".OX" if other > own else ".XO"))
        if own <= other:
            return float(query.table[parse_position(GAME, board), cell])
        # The site does not store values of the opponent's moves. They are 0 if the learner updates
        # only its own moves. Otherwise the next target stands for the value.
        if query.recipe.stages == "one":
            return 0.0
        # With the entry 0, a value does not occur in its own target.
        values = OwnViewTable(query)
        values[key] = 0.0
        return update_in_seat(query, board, cell, "X", values).target or 0.0


def exchange_marks(position: int) -> int:
    """Return the position with X and O exchanged; raises ValueError if O is to move."""
    return parse_position(
        GAME, format_position(GAME, position).translate(EXCHANGED_MARKS)
    )


def _describe_average(query: ValueQuery, reason: ValueReason) -> list[str]:
    if not query.update_count:
        return []
    so_far = (
        f"{format_count(query.update_count)} targets"
        if query.update_count > 1
        else "one target"
    )
    sentence = (
        "The step size falls with every update, so the value is the plain average of "
        f"{so_far} and the initial value 0."
    )
    met = query.value * (query.update_count + 1) / query.update_count
    targets = (
        [reason.target, compute_target_as_o(query)]
        if is_shared_by_seats(query)
        else [reason.target]
    )
    if min(targets) - MIN_SHOWN_DIFFERENCE < met < max(targets) + MIN_SHOWN_DIFFERENCE:
        return [sentence]
    return [
        sentence,
        f"Without the initial value the average is {format_signed(met)}: earlier targets "
        "were different, and they still count as much as later ones.",
    ]


def _describe_final_move(reason: ValueReason, reply: Reply) -> str:
    return (
        f"The game is {OUTCOME_VERBS[reply.outcome or 0]} by this move, "
        f"reward {format_signed(reply.reward)}. "
        "The finished board is worth the reward once more, discounted, or 0 for a loss: "
        f"the target is {reason.format_value(reply.target)}."
    )


def _describe_best_reply(
    query: ValueQuery, reason: ValueReason, best_reply: Reply
) -> str:
    aim = (
        "Every ply is an update, also a move of the opponent, and the reward is always the "
        "learner's. So the target takes the opponent's move that is best for "
        f"{MARKS[query.mover]}"
    )
    if (best_reply.next_value or 0.0) <= 0:
        aim += ", and counts a value below 0 as 0"
    target = f"{reason.target_prefix}{reason.format_value(reason.target)}"
    if query.mover == X:
        return (
            f"{aim}. The table has no values of O's moves, so their next targets take "
            f"their place: the best move is {best_reply.square_name}, and the target "
            f"is {target}."
        )
    return (
        f"{aim}. On this board the opponent's move that is best for the learner is "
        f"{best_reply.square_name}, and the "
        f"target is {target}. X's moves on a board share their entries with the learner's "
        "own moves as X."
    )
