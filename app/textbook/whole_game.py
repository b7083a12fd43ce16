"""Play a game to its end before its moves are updated."""

from app.textbook.loop import Move


def play_whole_game(learner, board, learning_seats, opponent, rng):
    """Play a game and yield each Move; return the learner's (s, a) pairs, and the last board."""
    game, trail = learner.game, []
    while not game.is_over(board):
        explored = None
        if game.player_to_move(board) in learning_seats:
            cell, explored = learner.explore(board, rng)
            trail.append((board, cell))
        else:
            cell = opponent.choose(board, rng)
        yield Move(board, cell, explored)
        board = game.make_move(board, cell)
    return trail, board
