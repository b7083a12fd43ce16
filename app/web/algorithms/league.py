"""Q-learning for nondeterministic environments, in a league: every ply is an update.

The table of a learner has entries for its own decisions and for those of its opponent; a model
has only the own decisions.  Boards in the table have own and opponent's stones in place of X and O.
"""

from dataclasses import replace

import numpy as np

from app.recipes import Recipe
from app.recipes.games import TrainingGame
from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import MARKS, format_position, parse_position
from app.web.algorithms.algorithm import (
    COUNTS,
    RESULTS,
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import (
    Q_STEP,
    Formula,
    format_cases,
)
from app.web.algorithms.sentences import ENDS, NEAR, describe_distance, name_cell
from app.web.algorithms.targets import (
    Reply,
    ValueQuery,
    ValueReason,
    keep_best_replies,
    list_replies,
)
from app.web.formatting import format_count, format_signed
from app.web.translation import gettext_noop

SWAP = str.maketrans("XO", "OX")
NEXT = "gamma times the best that it knows of the board it makes"


def is_shared_by_seats(pair: ValueQuery) -> bool:
    """Return whether the learner uses the entry in both seats, with two different targets."""
    return pair.mover == X and pair.recipe.stages == "two"


def compute_other_target(pair: ValueQuery) -> float:
    """Return the second target of the entry of a move of X: the target in the seat of O.

    With exchanged colours the board is a decision of X as the opponent of O.  The update of that
    move, with the reward of O, changes the same entry.
    """
    twin = exchange_colours(pair.game, pair.position)
    return compute_target(pair, int(pair.game.successor[twin, pair.cell]), O)


def compute_target(pair: ValueQuery, position: int, owner: int) -> float:
    """Return the target of a move after which the game is over, or `owner` is to move.

    A finished position has its reward as its value.
    """
    gamma: float = pair.recipe.gamma
    if pair.game.is_over(position):
        reward = pair.reward(pair.game.get_result(position) * owner, owner)
        return reward + gamma * max(0.0, reward)
    return gamma * max(0.0, float(np.nanmax(pair.table[position])))


def exchange_colours(game: Game, position: int) -> int:
    """Return the position with the colours exchanged.

    Raises ValueError if the numbers of both stones differ.
    """
    return parse_position(game, format_position(game, position).translate(SWAP))


def _answer_value(pair: ValueQuery, cell: int, position: int) -> float:
    """Return the value of a reply in the view of the mover.

    After a move of O the table has this value, on the board with exchanged colours.  After a move
    of X it has none: the target of the reply is used, or 0 if only own moves are learned.
    """
    if pair.mover == O:
        return float(pair.table[exchange_colours(pair.game, pair.after), cell])
    return (
        compute_target(pair, position, pair.mover) if is_shared_by_seats(pair) else 0.0
    )


def _reason(pair: ValueQuery) -> ValueReason:
    """Return the target of the answer with the highest value for the mover."""
    answers = []
    for cell, position in list_replies(pair):
        if cell is None:
            found = reward = pair.reward(pair.game.get_result(position) * pair.mover)
            target = compute_target(pair, position, pair.mover)
        else:
            found, reward = _answer_value(pair, cell, position), 0.0
            target = pair.recipe.gamma * max(0.0, found)
        answers.append(
            Reply(cell, position, pair.outcome(position), reward, found, target)
        )
    reason = keep_best_replies(pair, answers)
    return (
        replace(reason, compared=False, hedge="about ")
        if is_shared_by_seats(pair)
        else reason
    )


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    best = reason.given[0]
    sentences = [
        _ended(reason, best) if best.cell is None else _pleasing(pair, reason, best)
    ]
    if is_shared_by_seats(pair):
        sentences += [
            "The same entry is used in the seat of O, for a board that looks the same to its "
            "owner with X, the opponent, to move: there the target is "
            f"{format_signed(compute_other_target(pair))}. "
            "How many of its updates were of which kind is not recorded."
        ]
    return [*sentences, *describe_distance(reason), *_average(pair, reason)]


def _average(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return the sentence that the value is an average, with the average of its targets."""
    if not pair.visits:
        return []
    so_far = f"{format_count(pair.visits)} targets" if pair.visits > 1 else "one target"
    sentence = (
        "The step size falls at every update, so that the value is the plain average of its "
        f"{so_far} so far and the 0 it began with."
    )
    met = pair.value * (pair.visits + 1) / pair.visits
    targets = (
        [reason.target, compute_other_target(pair)]
        if is_shared_by_seats(pair)
        else [reason.target]
    )
    if min(targets) - NEAR < met < max(targets) + NEAR:
        return [sentence]
    return [
        sentence,
        f"Without that 0 it is {format_signed(met)}: its targets were others, and early ones count "
        "as much as late ones.",
    ]


def _ended(reason: ValueReason, answer: Reply) -> str:
    return (
        f"The game is {ENDS[answer.outcome or 0]} by this move, "
        f"reward {format_signed(answer.reward)}. "
        "The finished board holds its reward as well, which counts discounted unless it is "
        f"below 0: the target is {reason.format(answer.target)}."
    )


def _pleasing(pair: ValueQuery, reason: ValueReason, best: Reply) -> str:
    aim = (
        "Every ply is an update, the opponent's too, always with the learner's own reward: so it "
        f"looks for the answer that would please {MARKS[pair.mover]} most"
    )
    if (best.found or 0.0) <= 0:
        aim += ", and counts it as 0 if it is not above that"
    target = f"{reason.hedge}{reason.format(reason.target)}"
    if pair.mover == X:
        return (
            f"{aim}. What it expected of the answers is not kept for X; by what that was drawn "
            f"to in turn, the best is {name_cell(pair, best.cell)} and the target {target}."
        )
    return (
        f"{aim}. Here that is {name_cell(pair, best.cell)}, and the target is {target}. What it "
        "expects of X's answers is in the entries of its own moves as X on boards that look the "
        "same, and mixed with them."
    )


def _follows(pair: ValueQuery, answer: Reply) -> str:
    found = format_signed(answer.found or 0.0)
    return f"worth {found}" if pair.mover == O else f"to be worth {found}"


def _story(_recipe: Recipe, game: TrainingGame, update: int) -> str:
    """Return a sentence on an update: of an own move, or of the opponent's."""
    if not update:
        return "While it played, it learned move by move, of its opponent's moves what they say."
    change = game.updates[update - 1]
    whose = f"Move {change.move_index + 1}"
    if game.moves[change.move_index].mark != game.seat:
        whose += ", its opponent's,"
    as_own = ", as if it had been its own" * change.is_opponent_move
    if change.move_index < len(game.moves) - 1:
        return f"{whose} is drawn to {NEXT}{as_own}."
    mover = game.moves[change.move_index].mark
    result = game.get_result_for(mover) if change.is_opponent_move else game.result
    kept = ", and gamma times what it has kept for this end"
    return f"{whose} ended the game, {RESULTS[result]}{as_own}: it is drawn to that reward{kept}."


ALGORITHM = Algorithm(
    title="Q-learning in a league",
    origin=gettext_noop("Learned in a league of learners."),
    story=Story(
        _story,
        choice=lambda game, move: "drawn" if move.mark == game.seat else "answer",
    ),
    rule=UpdateRule(_reason, _sentences, _follows, reply_column=COUNTS),
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="next value",
        line=r"y = r + \gamma \max(0, \max\limits_{a'} Q(s', a'))",
        words="Negative next values count as 0, and the step size becomes smaller with every update.",
    ),
    section=Section(
        title="Q-learning in the league",
        lens="observing-symmetric",
        record="487",
        sources=(
            "hernandez",
            "mitchell-1997",
        ),
        formula=Formula(
            lines=(
                Q_STEP,
                format_cases(
                    "y",
                    (r"r + \gamma \max(0, r)", "if the game is over"),
                    (r"r + \gamma \max(0, \max\limits_{a'} Q(s', a'))", "otherwise"),
                ),
                r"\alpha = \frac{1}{1 + n}",
            ),
            symbol_meanings={
                "Q": "the value of a move, an entry of the table",
                "n": "the number of updates of this value, including this update",
                "s′": "the next position, in which the learner or its opponent is to move",
                "γ": "the discount factor for each ply",
            },
        ),
    ),
)
