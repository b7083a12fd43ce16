"""The opponent that always plays the first empty cell."""


def list_first_move(game, board):
    """Return a list with the first empty cell only."""
    return game.legal_moves(board)[:1]
