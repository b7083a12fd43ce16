"""Whether an update at every ply is better than one at one's own moves."""

from app.experiments import Curves, Histogram, Verdict
from training.experiments.claim import (
    FEWER,
    Experiment,
    Results,
    Sweep,
    Told,
    chance,
    number,
    of,
    percent,
    sign_test,
)
from training.experiments.table import WON, ahead, blunders, both_seats, both_wins, curve
from training.measures import MARKS

TWO, ONE = "two-stage", "one-stage"


def tell(results: Results) -> Told:
    """Compare them in the end and on the way."""
    wins = both_seats("random", WON)
    values = {label: results.values(label, wins) for label in (TWO, ONE)}
    p = sign_test(values[TWO], values[ONE])
    end = {label: results.median(label, wins) for label in (TWO, ONE)}
    errors = {label: results.median(label, blunders) for label in (TWO, ONE)}
    lines = {label: curve(results, label, both_wins("random"), by_games=True) for label in values}
    wrong = {
        label: curve(results, label, lambda run: run.figures.blunders, by_games=True)
        for label in values
    }
    better, fewer = end[TWO] > end[ONE] and p < 0.05, errors[TWO] < errors[ONE]
    verdict: Verdict = (
        "holds" if better and fewer else "holds in part" if better or fewer else "does not hold"
    )
    by_updates = ahead(
        curve(results, TWO, both_wins("random")), curve(results, ONE, both_wins("random"))
    )
    per_game = {
        label: results.median(label, lambda run: run.figures.updates[-1] / run.games[-1])
        for label in values
    }
    ratio = per_game[TWO] / per_game[ONE]
    return Told(
        [
            Curves(
                "Games won against random, both seats",
                "games",
                "%",
                list(lines.values()),
                logarithmic=True,
            ),
            Curves(
                "Positions in which a move can give the result away",
                "games",
                "blunders",
                list(wrong.values()),
                logarithmic=True,
            ),
            Histogram(
                "Games won against random in the end, both seats",
                "%",
                [results.group(label, wins) for label in values],
                True,
            ),
        ],
        verdict,
        f"In the end the median seed wins {percent(end[TWO])} against random with two stages and "
        f"{percent(end[ONE])} with one (sign test, seed by seed: {chance(p)}), with "
        f"{number(errors[TWO])} and {number(errors[ONE])} blunders. After as many "
        f"updates, of which two stages make {ratio:.1f} times as many a game, they are ahead at "
        f"{of(by_updates)} points.",
    )


EXPERIMENT = Experiment(
    id="two-stage",
    title="Two stages or one",
    claim="The two-stage update, in which the opponent's moves are transitions too, is better than "
    "the one-stage one, which goes from its own move to the board after it.",
    project="league",
    where="The report on the league, on how its learners update.",
    done="The plain learner was trained for 10,000 rounds of the league with {seeds} seeds for "
    "each update, all others learning as they always do, and judged on the way.",
    limits="Greedy play is judged, not the moves that were drawn by k. The stages change how often "
    "k grows, too: with two it grows faster a game. " + FEWER,
    agents=["q-learning-player"],
    sweeps=[Sweep({TWO: "league", ONE: "league,stages=one"}, MARKS, 50)],
    tell=tell,
)
