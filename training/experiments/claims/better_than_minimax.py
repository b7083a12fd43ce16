"""The games that perfect players win against the random player, in each seat."""

from app.experiments import Bar, Bars, round_significant
from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from training.experiments.players import measure_player
from training.experiments.quantities import parse_quantity
from training.experiments.results import Results


def draw_perfect_wins(_results: Results) -> Bars:
    """Return bars of the percent of games that each perfect player wins against random."""
    wins = {seat: parse_quantity(f"won as {seat} against random", {}) for seat in SEATS}
    bars = [
        Bar(
            f"{BASELINES[player].title}, as {seat.upper()}",
            round_significant(won.measure(measure_player(player))),
            record="",
        )
        for player in ("minimax", "minimax-random", "strongest")
        for seat, won in wins.items()
    ]
    title = "Games that perfect players win against the random player"
    return Bars(title, "%", bars, exact=True)
