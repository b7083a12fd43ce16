"""The opponent that plays at random."""


def list_random_moves(game, board):
    """Return every legal move."""
    return game.legal_moves(board)
