"""How many games and positions there are: four published counts, and what lies between them."""

from math import factorial

from app.experiments import Bar, Bars
from app.tictactoe.game import tic_tac_toe
from training.experiments import claim
from training.experiments.claim import number

CLAIMED = (362_880, 19_683, 5_478, 765)


def tell(_results: claim.Results) -> claim.Told:
    """Count all of them."""
    game = tic_tac_toe()
    boards = game.board.astype(int)
    games = _games()
    classes = len(set(game.symmetry_class.tolist()))
    decisions = len(set(game.symmetry_class[: game.decisions].tolist()))
    balanced = _balanced()
    counts = {
        "orders of nine cells, 9!": factorial(game.cells),
        "games that end when somebody wins": games,
        "boards of X, O and empty cells, 3^9": 3**game.cells,
        "boards with as many X as O, or one more": balanced,
        "boards that a game reaches: positions": len(boards),
        "positions in which somebody is to move": game.decisions,
        "positions up to symmetry": classes,
        "in which somebody is to move, up to symmetry": decisions,
    }
    found = (factorial(game.cells), 3**game.cells, len(boards), classes)
    holds = found == CLAIMED
    return claim.Told(
        [
            Bars(
                title="From orders of moves to positions up to symmetry",
                unit="",
                bars=[
                    Bar(name, float(count), record="" if count == classes else None)
                    for name, count in counts.items()
                ],
                exact=True,
                logarithmic=True,
            )
        ],
        "holds" if holds else "does not hold",
        f"Counted here: {number(found[0])} orders, {number(found[1])} boards, {number(found[2])} "
        f"that can be reached, {number(found[3])} up to symmetry. Games end "
        f"when somebody wins, so there are {number(games)} of them, and a learner has to decide in "
        f"{number(decisions)} positions up to symmetry.",
    )


def _games() -> int:
    """Count the games, each ending as soon as it is over."""
    game = tic_tac_toe()
    paths = [0] * game.positions
    paths[0] = 1
    for position in range(game.decisions):
        for after in game.successor[position].tolist():
            if after >= 0:
                paths[after] += paths[position]
    return sum(paths[game.decisions :])


def _balanced() -> int:
    """Count the boards whose numbers of stones fit, whoever has three in a row."""
    cells = tic_tac_toe().cells
    return sum(
        factorial(cells) // (factorial(x) * factorial(o) * factorial(cells - x - o))
        for x in range(cells + 1)
        for o in (x, x - 1)
        if 0 <= o <= cells - x
    )


EXPERIMENT = claim.Experiment(
    id="counting",
    title="How many positions there are",
    claim="There are 9! = 362,880 orders to fill the board and 3^9 = 19,683 boards, of which 5,478 "
    "can be reached by playing, and 765 if boards that are turned or reflected are the same.",
    project="league",
    where="The report on the league, where it sizes the tables of its learners.",
    done="The game is enumerated move by move from the empty board, and counted. Nothing is "
    "sampled and nothing is trained.",
    limits="It says how large a table is, not how hard the game is to learn.",
    agents=[],
    tell=tell,
)
