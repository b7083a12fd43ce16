"""Why a value of the league's learners is what it is: every ply is an update, with one reward.

Their tables hold the board as its owner sees it, own stones and others, for boards on which the
owner is to move and for those on which the opponent is; a model holds the first kind.
"""

import numpy as np

from app.tictactoe.game import Game, O
from app.tictactoe.notation import parse_position, position_text
from app.web.why.answers import Answer, Pair, Reason, averaged, counting, ways_on

SWAP = str.maketrans("XO", "OX")


def two_stage(pair: Pair) -> Reason:
    """The table is asked which answer would please the mover most, as if it were to be given.

    What it thinks of the answers is in the model where O moves: the boards with X to move look
    like those of an owner who plays X, colours exchanged.  For X it is not in the model, and what
    it would be drawn to stands for it.
    """
    if (outcome := pair.outcome(pair.after)) is not None:
        reward, target = pair.reward(outcome), drawn_to(pair, pair.after, pair.mover)
        return averaged([Answer(None, pair.after, outcome, reward, reward, target, 1.0, 1.0)])
    answers = []
    for cell, position in ways_on(pair):
        found = _answer_value(pair, cell or 0, position)
        target = pair.parameter("gamma") * max(0.0, found)
        answers.append(Answer(cell, position, pair.outcome(position), 0.0, found, target))
    return averaged(counting(answers, [answer.found or 0.0 for answer in answers]))


def other_seat(pair: Pair) -> float:
    """What the entry of a move of X is drawn to as well: it is also one of its owner as O.

    To that owner the same squares, colours exchanged, are a board on which X, the opponent, is to
    move; what the move on the same cell brings O is learned in the same entry.
    """
    twin = exchanged(pair.game, pair.position)
    return drawn_to(pair, int(pair.game.successor[twin, pair.cell]), O)


def drawn_to(pair: Pair, position: int, owner: int) -> float:
    """What a move to this position is drawn to, where it is the owner's turn or the game is over.

    A finished position has its reward as the value of all its actions.
    """
    gamma = pair.parameter("gamma")
    if pair.game.is_over(position):
        reward = pair.reward(pair.game.result(position) * owner, owner)
        return reward + gamma * max(0.0, reward)
    return gamma * max(0.0, float(np.nanmax(pair.table[position])))


def exchanged(game: Game, position: int) -> int:
    """Return the position with the colours exchanged.

    Raises ValueError where there are not as many stones of both.
    """
    return parse_position(game, position_text(game, position).translate(SWAP))


def _answer_value(pair: Pair, cell: int, position: int) -> float:
    if pair.mover == O:
        return float(pair.table[exchanged(pair.game, pair.after), cell])
    return drawn_to(pair, position, pair.mover)
