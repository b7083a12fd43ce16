"""What a table of the league's learners would be drawn to.

Their tables hold the board as its owner sees it, own stones and others, for boards on which the
owner is to move and for those on which the opponent is; a model holds the first kind.
"""

import numpy as np

from app.tictactoe.game import Game, O
from app.tictactoe.notation import parse_position, position_text
from app.web.why.answers import Pair

SWAP = str.maketrans("XO", "OX")


def answer_value(pair: Pair, cell: int, position: int) -> float:
    """What the table thinks of an answer that makes a position, in the view of the mover.

    It is in the model where O moves: the boards with X to move look like those of an owner who
    plays X, colours exchanged.  For X it is not in the model, and what it would be drawn to stands
    for it.
    """
    if pair.mover == O:
        return float(pair.table[exchanged(pair.game, pair.after), cell])
    return drawn_to(pair, position, pair.mover)


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
