"""The opponent that never loses, and otherwise wins as often as it can against random moves."""

from fractions import Fraction
from functools import cache


def list_strongest_move(game, board):
    """List its move alone: the first of those that are best for it."""
    player = game.player_to_move(board)
    moves = game.legal_moves(board)
    return [
        max(
            moves,
            key=lambda cell: get_chances(game, game.make_move(board, cell), player),
        )
    ]


@cache
def get_chances(game, board, player):
    """Return the chances that a player does not lose, and that it wins.

    It does first what is best for the one, then for the other; the other side plays at random.
    """
    if game.is_over(board):
        result = game.result(board, player)
        return Fraction(result >= 0), Fraction(result > 0)
    after = [
        get_chances(game, game.make_move(board, c), player)
        for c in game.legal_moves(board)
    ]
    if game.player_to_move(board) == player:
        return max(after)
    safe, won = (sum(chances, Fraction()) / len(after) for chances in zip(*after))
    return safe, won
