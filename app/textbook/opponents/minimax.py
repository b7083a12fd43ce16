"""Opponents that play optimally: the first of the best moves, or any of them."""

from functools import cache


def list_minimax_move(game, board):
    return list_best_moves(game, board)[:1]


@cache
def list_best_moves(game, board):
    moves = game.legal_moves(board)
    values = {cell: -minimax(game, game.make_move(board, cell)) for cell in moves}
    return [cell for cell, value in values.items() if value == max(values.values())]


@cache
def minimax(game, board):
    """Return the result for the player to move if both players play optimally."""
    if game.is_over(board):
        return game.result(board, game.player_to_move(board))
    moves = game.legal_moves(board)
    return max(-minimax(game, game.make_move(board, cell)) for cell in moves)
