"""The board on which a game begins."""

from functools import cache


def start_game(game, parameters, turn, rng):
    """Return the first board of a game, and the seats whose moves are updated: "X", "O" or "XO"."""
    if parameters.start == "empty":
        return game.empty, turn.learning_seats(
            turn.seat(parameters.seat, turn.earlier_turns)
        )
    boards = list_start_boards(game, parameters.seat)
    number = (
        turn.earlier_turns
        if parameters.start == "every"
        else int(rng.random() * len(boards))
    )
    board = boards[number % len(boards)]
    return board, turn.learning_seats(game.player_to_move(board))


@cache
def list_start_boards(game, seat):
    """Return the unfinished boards on which this seat is to move; all of them for the seat "both"."""
    seats = "XO" if seat == "both" else seat.upper()
    return [
        board
        for board in game.unfinished_boards()
        if game.player_to_move(board) in seats
    ]
