"""How much depends on the choice of alpha, gamma, epsilon and the number of games."""

from functools import partial

from app.experiments import Grid, Table
from training.experiments import claim, table
from training.experiments.claim import percent
from training.measures import END

ALPHAS = ("0.05", "0.1", "0.2", "0.4", "0.7", "1")
EPSILONS = ("0.1", "0.3", "0.5", "0.7", "0.9")
OPPONENTS = {"random": "random", "itself": "self"}
GAMMAS = ("0.5", "0.7", "0.9", "1")
GAMES = ("3500", "7000", "14000", "28000", "56000")
CONSTANT = "q-table,epsilon_drop=0"
MUCH = 5.0  # percent won or lost


def label(opponent: str, alpha: str, epsilon: str) -> str:
    """Name a cell of a grid."""
    return f"against {opponent}: alpha {alpha}, epsilon {epsilon}"


GRIDS = {
    label(opponent, alpha, epsilon): f"{CONSTANT},vs={vs},alpha={alpha},epsilon={epsilon}"
    for opponent, vs in OPPONENTS.items()
    for alpha in ALPHAS
    for epsilon in EPSILONS
}
STRIPS = {f"gamma {gamma}": f"q-table,gamma={gamma}" for gamma in GAMMAS} | {
    f"{int(games):,} games": f"q-table,games={games}" for games in GAMES
}


def tell(results: claim.Results) -> claim.Conclusion:
    """Say how far the medians of the grids lie apart."""
    grids: list[Grid] = []
    spans = {}
    for opponent in OPPONENTS:
        for title, value in (
            ("won against random", table.wins),
            ("lost to the best responder", table.lost_at_worst),
        ):
            number = claim.Quantity(f"Trained against {opponent}: games {title}", "%", value)
            names = partial(label, opponent)
            axes = claim.Axes(("alpha", "epsilon"), ALPHAS, EPSILONS, names)
            grids.append(results.grid(number, axes))
        spans[opponent] = [
            results.median(label(opponent, alpha, epsilon), table.wins)
            for alpha in ALPHAS
            for epsilon in EPSILONS
        ]
    by_games = [results.median(f"{int(games):,} games", table.wins) for games in GAMES]
    by_gamma = [results.median(f"gamma {gamma}", table.wins) for gamma in GAMMAS]
    much = [max(medians) - min(medians) > MUCH for medians in (*spans.values(), by_games, by_gamma)]
    title = "Other gammas, and other numbers of games: games won against random"
    strips = results.strips(table.WINS._replace(title=title), STRIPS)

    def span(medians: list[float]) -> list[str]:
        return [percent(min(medians)), percent(max(medians))]

    return claim.Conclusion(
        [*grids, strips],
        [all(much[:2]), much[2], much[3]],
        Table(
            ["least", "most"],
            {
                **{
                    f"any step size and exploration rate, trained against {opponent}": span(medians)
                    for opponent, medians in spans.items()
                },
                f"any discount factor from {GAMMAS[0]} to {GAMMAS[-1]}": span(by_gamma),
                f"any number of games from {int(GAMES[0]):,} to {int(GAMES[-1]):,}": span(by_games),
            },
            "won against random, median seed",
        ),
        claim.verdict_on(*much),
    )


EXPERIMENT = claim.Experiment(
    "alpha-gamma", tell, [claim.Sweep(GRIDS, END), claim.Sweep(STRIPS, END)]
)
