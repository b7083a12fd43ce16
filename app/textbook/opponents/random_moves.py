"""The opponent that plays at random."""


def list_random_moves(game, board):
    """List every legal move."""
    return game.legal_moves(board)
