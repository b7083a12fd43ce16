"""How many games perfect players win against the random player, as X and as O."""

from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from training.experiments.players import measure_player
from training.experiments.quantities import parse_quantity


def list_perfect_wins() -> dict[str, float]:
    """Return the percentages of games that perfect players win against random moves, by seat."""
    wins = {seat: parse_quantity(f"won as {seat} against random", {}) for seat in SEATS}
    return {
        f"{BASELINES[player].title} as {seat.upper()}": won.measure(
            measure_player(player)
        )
        for player in ("minimax", "minimax-random", "strongest")
        for seat, won in wins.items()
    }
