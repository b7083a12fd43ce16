"""The opponent that plays at random."""


def list_random_moves(game, board):
    return game.legal_moves(board)
