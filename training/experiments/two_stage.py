"""Whether an update at every ply is better than one at one's own moves."""

from training.experiments import claim, table
from training.experiments.claim import chance, number, of, percent
from training.measures import MARKS

TWO, ONE = "two-stage", "one-stage"


def tell(results: claim.Results) -> claim.Told:
    """Compare them in the end and on the way."""
    end, errors = results.medians(table.wins), results.medians(table.blunders)
    p = results.sign_test(TWO, ONE, table.wins)
    better, fewer = end[TWO] > end[ONE] and p < 0.05, errors[TWO] < errors[ONE]
    by_updates = table.ahead(*table.win_curves(results, (TWO, ONE)).series)
    per_game = results.medians(table.updates_per_game)
    ratio = per_game[TWO] / per_game[ONE]
    return claim.Told(
        [
            table.win_curves(results, by_games=True),
            table.blunder_curves(results, by_games=True),
            results.strips("Games won against random in the end, both seats", "%", table.wins),
        ],
        claim.verdict_on(better, fewer),
        f"In the end the median seed wins {percent(end[TWO])} against random with two stages and "
        f"{percent(end[ONE])} with one (sign test, seed by seed: {chance(p)}), with "
        f"{number(errors[TWO])} and {number(errors[ONE])} blunders. After as many "
        f"updates, of which two stages make {ratio:.1f} times as many a game, they are ahead at "
        f"{of(by_updates)} points.",
    )


EXPERIMENT = claim.Experiment(
    id="two-stage",
    title="Two stages or one",
    claim="The two-stage update, in which the opponent's moves are transitions too, is better than "
    "the one-stage one, which goes from its own move to the board after it.",
    project="league",
    where="The report on the league, on how its learners update.",
    done="The plain learner was trained for 10,000 rounds of the league with {seeds} seeds for "
    "each update, all others learning as they always do, and judged on the way.",
    limits="Greedy play is judged, not the moves that were drawn by k. The stages change how often "
    "k grows, too: with two it grows faster a game.",
    agents=["q-learning-player"],
    sweeps=[claim.Sweep({TWO: "league", ONE: "league,stages=one"}, MARKS)],
    tell=tell,
)
