"""The opponent that never loses, and otherwise wins as often as it can against random moves."""

from fractions import Fraction
from functools import cache


def list_strongest_move(game, board):
    """Return a list with one move: the first of the opponent's best moves."""
    player = game.player_to_move(board)
    chances = {
        cell: get_chances(game, game.make_move(board, cell), player)
        for cell in game.legal_moves(board)
    }
    return [max(chances, key=chances.get)]


@cache
def get_chances(game, board, player):
    """Return the probability that a player does not lose, and the probability that it wins.

    The player maximises the first, then the second; its opponent plays at random.
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
