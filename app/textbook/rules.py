"""The rules of the game: boards, moves, lines, and how a game ends."""

from functools import cache
from itertools import product


class TicTacToe:
    """A game that is won by `in_a_row` stones in a line, or lost by them if `misere`.

    A board is a text of its cells in reading order: "X", "O", or "." for an empty cell. A move is
    the number of a cell, from 0.
    """

    def __init__(self, rows=3, columns=3, in_a_row=3, misere=False):
        self.rows, self.columns, self.misere = rows, columns, misere
        self.cells = rows * columns
        self.empty = "." * self.cells
        self.lines = list_lines(rows, columns, in_a_row)

    def legal_moves(self, board):
        return [cell for cell, stone in enumerate(board) if stone == "."]

    def player_to_move(self, board):
        """Return the player to move, "X" or "O"; X begins."""
        return "X" if board.count("X") == board.count("O") else "O"

    def last_player(self, board):
        """Return the player who made the last move, "X" or "O"."""
        return "O" if self.player_to_move(board) == "X" else "X"

    def make_move(self, board, cell):
        """Return the board after the player to move has filled a cell."""
        return board[:cell] + self.player_to_move(board) + board[cell + 1 :]

    def has_line(self, board, player):
        return any(all(board[cell] == player for cell in line) for line in self.lines)

    @cache
    def is_over(self, board):
        return "." not in board or self.has_line(board, self.last_player(board))

    @cache
    def result(self, board, player):
        """Return the result of a finished game for a player: 1 won, 0 drawn, -1 lost."""
        last = self.last_player(board)
        if not self.has_line(board, last):
            return 0
        return 1 if (player == last) != self.misere else -1

    @cache
    def unfinished_boards(self):
        """Return all boards of unfinished games, by number of stones, then in the order '.' < X < O."""
        boards, ply = [], [self.empty]
        marks = str.maketrans(".XO", "012")
        while ply:
            boards += sorted(ply, key=lambda board: board.translate(marks))
            after = {
                self.make_move(board, cell)
                for board in ply
                for cell in self.legal_moves(board)
            }
            ply = [board for board in after if not self.is_over(board)]
        return boards


def list_lines(rows, columns, in_a_row):
    """Return the cells of every row, column and diagonal with `in_a_row` cells."""
    directions = [(0, 1), (1, 0), (1, 1), (1, -1)]
    lines = []
    for row, column, (down, right) in product(range(rows), range(columns), directions):
        line = [(row + step * down, column + step * right) for step in range(in_a_row)]
        if all(0 <= y < rows and 0 <= x < columns for y, x in line):
            lines.append([y * columns + x for y, x in line])
    return lines
