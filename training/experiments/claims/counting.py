"""Counts of games, boards and positions, by enumeration."""

from functools import cache
from math import comb, factorial

from app.experiments import Bar, Bars, Table
from app.tictactoe.game import tic_tac_toe
from training.experiments.results import Results, format_count

# published numbers: states of a board, boards in base 3, and how much symmetry saves
REPORTED_STATES, REPORTED_BOARDS, REPORTED_FACTOR = 362_880, 19_683, 8
ORDERS = "orders in which nine cells can be filled (9!)"
GAMES = "different games (a game ends with a win or a full board)"
BOARDS = "boards with X, O or nothing in each cell (3^9)"
BALANCED = "boards with as many X as O, or one X more"
POSITIONS = "boards that a game can reach (positions)"
CLASSES = "positions that a game can reach, up to symmetry"
DECISIONS = "positions in which a player has to move, up to symmetry"


@cache
def count_everything() -> dict[str, int]:
    """Return the counts by name, in the order of the figure."""
    game = tic_tac_toe()
    return {
        ORDERS: factorial(game.cells),
        GAMES: _count_games(),
        BOARDS: 3**game.cells,
        BALANCED: _count_balanced_boards(),
        POSITIONS: game.positions,
        "positions in which a player has to move": game.decisions,
        CLASSES: len(set(game.symmetry_class.tolist())),
        DECISIONS: len(set(game.symmetry_class[: game.decisions].tolist())),
    }


def _count_games() -> int:
    """Return the number of games, where each game ends with the first line."""
    game = tic_tac_toe()
    paths = [0] * game.positions
    paths[0] = 1
    for position in range(game.decisions):
        for after in game.successor[position].tolist():
            if after >= 0:
                paths[after] += paths[position]
    return sum(paths[game.decisions :])


def _count_balanced_boards() -> int:
    """Return the number of boards with as many X as O, or one X more, with or without lines."""
    cells = tic_tac_toe().cells
    count = 0
    for stones in range(cells + 1):
        o = stones // 2
        x = stones - o
        count += comb(cells, x) * comb(cells - x, o)
    return count


def compute_factor() -> float:
    """Return the factor by which symmetry reduces the number of positions."""
    counts = count_everything()
    return counts[POSITIONS] / counts[CLASSES]


def is_number_of_boards_right(_results: Results) -> bool:
    """Return whether the published number of boards in base 3 is right."""
    return count_everything()[BOARDS] == REPORTED_BOARDS


def is_number_of_states_right(_results: Results) -> bool:
    """Return whether the published number of states is that of the boards."""
    return count_everything()[BALANCED] == REPORTED_STATES


def is_factor_right(_results: Results) -> bool:
    """Return whether symmetry reduces the positions by the published factor."""
    return round(compute_factor(), 2) == REPORTED_FACTOR


def draw_counts(_results: Results) -> Bars:
    bars = [
        Bar(name, float(count), record="" if name == CLASSES else None)
        for name, count in count_everything().items()
    ]
    title = "The numbers, from orders of moves to positions up to symmetry"
    return Bars(title, "", bars, exact=True, logarithmic=True)


def tabulate_counts(_results: Results) -> Table:
    """Return the numbers behind the verdict."""
    counts = count_everything()
    rows = {
        ORDERS: format_count(counts[ORDERS]),
        BOARDS: format_count(counts[BOARDS]),
        "boards that a game can reach": format_count(counts[POSITIONS]),
        "boards that a game can reach, up to symmetry": format_count(counts[CLASSES]),
        "factor by which symmetry reduces the boards": f"{compute_factor():.2f}",
        DECISIONS: format_count(counts[DECISIONS]),
        GAMES: format_count(counts[GAMES]),
    }
    return Table(["number"], {title: [text] for title, text in rows.items()})
