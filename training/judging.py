"""A table of somebody else, judged on the command line: its play, and what only its values tell."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from app.tictactoe.atlas import atlas, mistakes
from app.tictactoe.causes import causes
from app.tictactoe.game import SEATS, Game
from app.tictactoe.moves_code import encode, policy_of_choice
from app.tictactoe.notation import MARKS, position_text
from app.tictactoe.own_play import OwnPlay
from app.tictactoe.policy import optimal_q
from app.tictactoe.report import Chances, losing_game, report
from app.tictactoe.views import Worth
from training.tables import Options, Reading, TableError, lines, read_table

SITE = "http://127.0.0.1:8000"  # where `make run` serves
KINDS = {
    "untrained": "never trained",
    "other-side": "values in the other side's view",
    "first-cell": "always one cell on ties",
    "no-block": "never learned to block",
    "images": "one position played in different ways",
    "unreachable": "blunders only where it never comes",
}


def judge_file(game: Game, path: Path, options: Options, site: str = SITE) -> Iterator[str]:
    """Read a file and tell what is exactly true of its play, line by line.

    Raises TableError, naming the file, if it cannot be read.
    """
    try:
        reading = read_table(game, path.read_bytes(), options)
    except TableError as error:
        raise TableError(f"{path}: {error}") from None
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}") from None
    yield from lines(game, reading)
    yield ""
    yield from _play(game, reading)
    if reading.valued:
        yield ""
        yield from _values(game, reading)
    yield ""
    yield f"{site}/judge?moves={encode(game, reading.choice)}"


def _play(game: Game, reading: Reading) -> Iterator[str]:
    policy = policy_of_choice(reading.choice)
    table = reading.choice[game.legal].astype(np.float32)
    figures = report(game, table[None], [0], Worth())
    for seat, player in SEATS.items():
        record = losing_game(game, policy, player)
        verdict = "cannot be beaten, proved" if record is None else f"loses the game {record}"
        against = {"random": figures.vs["random"], "its best responder": figures.best_response}
        told = ", ".join(
            f"against {name} {_percent(getattr(chances, seat)[0])}"
            for name, chances in against.items()
        )
        yield f"As {MARKS[player]} it {verdict}; {told} (won / drawn / lost, in percent)"
    met = figures.reachable_blunders
    yield (
        f"Blunders: {figures.blunders[0]:,} of {game.decisions:,} positions, "
        f"{met.x[0]:,} of them met as X and {met.o[0]:,} as O; NashConv {figures.nash_conv[0]:.4g}"
    )
    play = OwnPlay(game, policy)
    found = mistakes(play)
    for cause in causes(play, found, atlas(game, found)):
        seat = f" as {MARKS[cause.seat]}" if cause.seat else ""
        where = ", ".join(position_text(game, position) for position in cause.positions)
        yield (
            f"Likely cause: {KINDS[cause.kind]}{seat}: {cause.number:,} of {cause.of:,} "
            f"({cause.by_chance:,.0f} by chance), as in {where}"
        )


def _values(game: Game, reading: Reading) -> Iterator[str]:
    """Tell how far the values that are known are from those of best play, on their own scale."""
    known = ~np.isnan(reading.q)
    values, truth = reading.q[known], optimal_q(game)[known]
    yield (
        f"Values: {len(values):,} of {game.pairs:,} moves, "
        f"from {values.min():.4g} to {values.max():.4g}"
    )
    for outcome, name in ((1, "won"), (0, "drawn"), (-1, "lost")):
        of = values[truth == outcome]
        if len(of):
            low, median, high = np.quantile(of, (0.1, 0.5, 0.9))
            yield (
                f"  of moves that are {name} with best play: median {median:+.3f}, "
                f"from {low:+.3f} to {high:+.3f} (10% to 90%)"
            )
    if values.min() >= -1 and values.max() <= 1:
        off = np.abs(values - truth)
        yield f"  distance to best play, -1 to 1: mean {off.mean():.3f}, largest {off.max():.3f}"


def _percent(chances: Chances) -> str:
    return " / ".join(f"{100 * chance:.2f}" for chance in chances)
