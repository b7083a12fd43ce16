"""Reference implementation of the game: slow, with text and fractions, for comparison.

A board is its cells in reading order, "X.O......".  Values are in X's view; chances are those of
X winning, a draw, O winning.  Nothing is imported from the app.

"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar, cast

Entry = TypeVar("Entry")
Policy = dict[str, dict[int, Fraction]]  # board -> cell -> chance, above 0
Chances = tuple[Any, Any, Any]  # three fractions, or floats for speed
SIGN = {"X": 1, "O": -1}
NEVER, ALWAYS = Fraction(0), Fraction(1)
ENDS = {1: (1, 0, 0), 0: (0, 1, 0), -1: (0, 0, 1)}


def mover(board: str) -> str:
    return "X" if board.count("X") == board.count("O") else "O"


def place(board: str, cell: int, mark: str) -> str:
    return board[:cell] + mark + board[cell + 1 :]


def code(board: str) -> int:
    total = 0
    for mark in board:
        total = 3 * total + ".XO".index(mark)
    return total


def equally(cells: Iterable[int]) -> dict[int, Fraction]:
    chosen = list(cells)
    return dict.fromkeys(chosen, Fraction(1, len(chosen)))


def highest(values: Mapping[int, Any]) -> dict[int, Fraction]:
    """Return the cells with the highest value, with equal chances."""
    best = max(values.values())
    return equally(cell for cell, value in values.items() if value == best)


def in_floats(policy: Policy) -> Policy:
    """Return the same policy with floats, for faster computation."""
    return {
        board: {cell: cast(Any, float(chance)) for cell, chance in row.items()}
        for board, row in policy.items()
    }


class Told(dict[str, Entry]):
    """A value for each board, computed when it is first needed."""

    def __init__(self, tell: Callable[[str], Entry]):
        super().__init__()
        self.tell = tell

    def __missing__(self, board: str) -> Entry:
        entry = self[board] = self.tell(board)
        return entry


class Rules:
    """One board size with its boards, moves, results and values."""

    def __init__(self, rows: int = 3, columns: int = 3, in_a_row: int = 3):
        self.rows, self.columns, self.in_a_row = rows, columns, in_a_row
        self.lines = self.all_lines()
        self.children: dict[str, dict[int, str]] = {}  # board -> cell -> board
        waiting = ["." * (rows * columns)]
        while waiting:
            board = waiting.pop()
            if board not in self.children:
                self.children[board] = self.moves(board)
                waiting += self.children[board].values()
        self.boards = sorted(self.children, key=lambda board: -board.count("."))  # emptiest first
        self.decisions = [board for board in self.boards if self.children[board]]
        self.finished = [board for board in self.boards if not self.children[board]]
        self.solved = self.solve()

    def all_lines(self) -> set[frozenset[int]]:
        lines = set()
        for row in range(self.rows):
            for column in range(self.columns):
                for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
                    places = [(row + i * down, column + i * right) for i in range(self.in_a_row)]
                    if all(0 <= r < self.rows and 0 <= c < self.columns for r, c in places):
                        lines.add(frozenset(r * self.columns + c for r, c in places))
        return lines

    def has_line(self, board: str, mark: str) -> bool:
        return any(all(board[cell] == mark for cell in line) for line in self.lines)

    def result(self, board: str) -> int | None:
        """Return +1 if X has won, 0 for a draw, -1 if O has won, None for an unfinished game."""
        for mark, sign in SIGN.items():
            if self.has_line(board, mark):
                return sign
        return None if "." in board else 0

    def moves(self, board: str) -> dict[int, str]:
        if self.result(board) is not None:
            return {}
        free = [cell for cell, mark in enumerate(board) if mark == "."]
        return {cell: place(board, cell, mover(board)) for cell in free}

    def solve(self) -> dict[str, tuple[int, int]]:
        """Return the winner and the plies to the end, if the winner hurries and the loser delays."""
        solved: dict[str, tuple[int, int]] = {}
        for board in reversed(self.boards):
            if not self.children[board]:
                solved[board] = self.result(board) or 0, 0
                continue
            sign = SIGN[mover(board)]
            ends = [solved[child] for child in self.children[board].values()]
            value = max((value for value, _ in ends), key=lambda value: sign * value)
            lengths = [plies for end, plies in ends if end == value]
            solved[board] = value, 1 + (min(lengths) if value == sign else max(lengths))
        return solved

    def best_cells(self, board: str) -> list[int]:
        value, _ = self.solved[board]
        return [
            cell for cell, after in self.children[board].items() if self.solved[after][0] == value
        ]

    def blunder_cells(self, board: str) -> set[int]:
        return set(self.children[board]) - set(self.best_cells(board))

    def policy(self, choose: Callable[[str], Iterable[int]]) -> Policy:
        """Return the policy that plays each chosen cell with equal chances."""
        return {board: equally(choose(board)) for board in self.decisions}

    def uniform(self) -> Policy:
        return self.policy(lambda board: self.children[board])

    def first_empty(self) -> Policy:
        return self.policy(lambda board: [board.index(".")])

    def minimax(self) -> Policy:
        return self.policy(lambda board: self.best_cells(board)[:1])

    def minimax_random(self) -> Policy:
        return self.policy(self.best_cells)

    def strongest(self) -> Policy:
        """Return the policy that never loses and otherwise wins most often against random play."""
        reply = {seat: self.best_response(self.uniform(), seat, loss=None)[0] for seat in SIGN}
        return self.policy(lambda board: [reply[mover(board)][board]])

    def t_hand(self) -> Policy:
        return self.policy(self.t_hand_cells)

    def t_hand_cells(self, board: str) -> list[int]:
        own = mover(board)
        for mark in (own, "O" if own == "X" else "X"):
            free = self.children[board]
            completing = [cell for cell in free if self.has_line(place(board, cell, mark), mark)]
            if completing:
                return completing
        return list(self.children[board])

    def end_chances(self, board: str) -> Chances:
        return ENDS[self.solved[board][0]]

    def average(self, board: str, row: dict[int, Fraction], known: dict[str, Chances]) -> Chances:
        after = [(chance, known[self.children[board][cell]]) for cell, chance in row.items()]
        if len(after) == 1:
            return after[0][1]
        x, o = (sum(p * ends[i] for p, ends in after if ends[i]) for i in (0, 2))
        return x, 1 - x - o, o

    def chances(self, x: Policy, o: Policy) -> Told[Chances]:
        def tell(board: str) -> Chances:
            if not self.children[board]:
                return self.end_chances(board)
            return self.average(board, (x if mover(board) == "X" else o)[board], chances)

        chances = Told(tell)
        return chances

    def coming(self, x: Policy, o: Policy) -> dict[str, Fraction]:
        """Return the chance that a game reaches each board."""
        coming = dict.fromkeys(self.boards, NEVER)
        coming[self.boards[0]] = ALWAYS
        for board in self.decisions:
            if coming[board]:
                for cell, chance in (x if mover(board) == "X" else o)[board].items():
                    coming[self.children[board][cell]] += coming[board] * chance
        return coming

    def best_response(
        self, policy: Policy, seat: str, loss: int | None = -1
    ) -> tuple[Told[int], Told[Chances]]:
        """Return the responder's cell on each of its boards, and the chances from every board.

        A win counts 1 and a loss `loss`; with None the responder wins only without risk of a loss.
        Ties: fewer losses, then the first cell.
        """

        def worth(after: str) -> tuple[Any, Any]:
            win, _, lose = chances[after][:: SIGN[seat]]
            return (-lose, win) if loss is None else (win + loss * lose, -lose)

        def reply(board: str) -> int:
            children = self.children[board]
            return max(children, key=lambda cell: worth(children[cell]))

        def tell(board: str) -> Chances:
            if not self.children[board]:
                return self.end_chances(board)
            if mover(board) == seat:
                return chances[self.children[board][response[board]]]
            return self.average(board, policy[board], chances)

        response, chances = Told(reply), Told(tell)
        return response, chances

    def task(
        self,
        opponent: Policy | None,
        gamma: Any,
        rewards: dict[str, list[Any]],
        step: Any,
        plies: int,
        epsilon: Any = 0,
    ) -> Told[dict[int, Any]]:
        """Return the action values of a training task.

        The opponent is a policy, or None for self-play, where both sides play their best moves; then
        all numbers are fractions, so that ties are exact.  `rewards` are the rewards of a loss, a draw
        and a win in each seat, `step` the reward of other moves.  `gamma` is the discount for each own
        move, or in self-play for each ply, with the opposite sign.  `epsilon` is the chance that a
        later own move is random.
        """

        def end(seat: str, board: str) -> Any:
            return rewards[seat][1 + SIGN[seat] * self.solved[board][0]]

        def moved(seat: str, board: str) -> Any:
            """Return the value of a board to the player who has just moved."""
            if not self.children[board]:
                return end(seat, board)
            if plies == 1:
                return step - gamma * max(q[board].values())
            answers = highest(q[board]) if opponent is None else opponent[board]
            after = self.children[board]
            return sum(p * answered(seat, after[cell]) for cell, p in answers.items())

        def answered(seat: str, board: str) -> Any:
            """Return the value of a board to a player if the other player has just moved."""
            if not self.children[board]:
                return end(seat, board)
            row = q[board].values()
            return step + gamma * ((1 - epsilon) * max(row) + epsilon * sum(row) / len(row))

        def tell(board: str) -> dict[int, Any]:
            return {c: moved(mover(board), after) for c, after in self.children[board].items()}

        q = Told(tell)
        return q

    def symmetries(self) -> set[tuple[int, ...]]:
        """Return, for each rotation and reflection, the cell that moves to each cell."""
        last_row, last_column = self.rows - 1, self.columns - 1
        ways: list[Callable[[int, int], tuple[int, int]]] = [
            lambda r, c: (r, c),
            lambda r, c: (r, last_column - c),
            lambda r, c: (last_row - r, c),
            lambda r, c: (last_row - r, last_column - c),
        ]
        if self.rows == self.columns:
            ways += [
                lambda r, c: (c, r),
                lambda r, c: (c, last_row - r),
                lambda r, c: (last_row - c, r),
                lambda r, c: (last_row - c, last_row - r),
            ]
        places = [(r, c) for r in range(self.rows) for c in range(self.columns)]
        return {
            tuple(r * self.columns + c for r, c in (way(*place) for place in places))
            for way in ways
        }

    def met(self, policy: Policy, seat: str) -> set[str]:
        """Return every board that games of a policy in this seat reach, against any opponent."""
        waiting, met = {self.boards[0]}, set[str]()
        while waiting:
            board = waiting.pop()
            met.add(board)
            cells = policy[board] if self.is_to_move(seat, board) else self.children[board]
            waiting |= {self.children[board][cell] for cell in cells} - met
        return met

    def is_to_move(self, seat: str, board: str) -> bool:
        return bool(self.children[board]) and mover(board) == seat

    def reachable(self, policy: Policy, seat: str) -> set[str]:
        return {board for board in self.met(policy, seat) if self.is_to_move(seat, board)}

    def can_lose(self, policy: Policy, seat: str) -> bool:
        """Return whether any opponent can beat a policy."""
        return any(self.result(board) == -SIGN[seat] for board in self.met(policy, seat))


PLAYERS = {
    "random": Rules.uniform,
    "fixed": Rules.first_empty,
    "t-hand": Rules.t_hand,
    "minimax": Rules.minimax,
    "minimax-random": Rules.minimax_random,
    "strongest": Rules.strongest,
}
