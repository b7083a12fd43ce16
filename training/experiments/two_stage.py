"""Whether an update at every ply is better than one at one's own moves."""

from training.experiments import claim, table
from training.experiments.claim import chance, number, of, percent
from training.measures import MARKS

TWO, ONE = "two-stage", "one-stage"


def tell(results: claim.Results) -> claim.Told:
    """Compare them in the end and on the way."""
    end, errors = results.medians(table.wins), results.medians(table.blunders)
    p = results.sign_test(TWO, ONE, table.wins)
    better = end[TWO] > end[ONE] and p < 0.05
    by_updates = table.ahead(*table.win_curves(results, (TWO, ONE)).series)
    per_game = results.medians(table.updates_per_game)
    return claim.Told(
        [
            table.win_curves(results, by_games=True),
            table.blunder_curves(results, by_games=True),
            results.strips("Games won against random in the end, both seats", "%", table.wins),
        ],
        [better],
        claim.compare(
            results.recipes,
            {
                f"won against random in the end, median (sign test: {chance(p)})": (percent, end),
                "blunders, median": (number, errors),
                "updates a game": ("{:.1f}".format, per_game),
                "points ahead, after as many updates": (of, {TWO: by_updates}),
            },
        ),
    )


EXPERIMENT = claim.Experiment(
    id="two-stage",
    title="Two stages or one",
    claim="With the same k and gamma, the player whose next state is that after its own move only "
    "performed worse than the one whose next state comes after the opponent's move, by the "
    "two-stage update.",
    sources=["hernandez"],
    where="The section “The Q-Learning algorithm”.",
    done="The plain learner was trained for 10,000 rounds of the league with {seeds} seeds for "
    "each update, all others learning as they always do, and judged on the way.",
    limits="The verdict is on games won against random; of blunders Hernandez says nothing, and "
    "the two-stage update leaves more of them. Greedy play is judged, not the moves that were "
    "drawn by k. The stages change how often k grows, too: with two it grows faster a game.",
    agents=["q-learning-player"],
    parts=[
        claim.Part(
            "The two-stage update wins more games.", "The two-stage update does not win more games."
        ),
    ],
    sweeps=[claim.Sweep({TWO: "league", ONE: "league,stages=one"}, MARKS)],
    tell=tell,
)
