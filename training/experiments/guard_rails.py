"""Whether illegal moves go away by themselves, or only by guard rails."""

from app.experiments import Curves
from training.experiments import claim, network, table

RECIPES = {
    "guard rails": network.varied(),
    "none": network.varied(guard_rails="no"),
    "none, four times as long": network.varied(guard_rails="no", epochs=240),
}
WITH, WITHOUT, LONGER = RECIPES
POINTS = 30
THOUSANDS = 2_000  # epochs, as many as the claim is about


def wants_taken(run: network.NetworkRun) -> list[float]:
    """Take how often its highest output is an illegal move where it has to move, in percent."""
    return [100 * share for share in run.taken_met]


def wants_taken_anywhere(run: network.NetworkRun) -> list[float]:
    """Take the same of all decisions."""
    return [100 * share for share in run.taken]


def tell(results: claim.Results) -> claim.Conclusion:
    """Ask how many are left in the end, with and without."""
    wants, forfeits = network.ending(wants_taken), network.ending(network.both("forfeited"))
    left = results.each(wants, RECIPES)
    forfeited = results.each(forfeits, (WITHOUT, LONGER))
    stay, helped = min(left[LONGER]) > 0, max(left[WITH]) < min(left[WITHOUT])
    enough = len(results[LONGER][0].taken) >= THOUSANDS
    won = results.each(table.wins, left)
    legally = "Games won against random in the end, both seats, by its best legal move"
    return claim.Conclusion(
        [
            Curves(
                "Positions of its own games where its highest output is an illegal move",
                "epochs",
                "%",
                [network.by_epoch(results, label, wants_taken, POINTS) for label in left],
            ),
            Curves(
                "All positions where its highest output is an illegal move",
                "epochs",
                "%",
                [network.by_epoch(results, label, wants_taken_anywhere, POINTS) for label in left],
            ),
            Curves(
                "Games lost by an illegal move, exploring ones too",
                "epochs",
                "%",
                [
                    network.by_epoch(results, label, network.both("forfeited"), POINTS)
                    for label in forfeited
                ],
            ),
            results.strips(table.WINS._replace(title=legally), left),
        ],
        [enough and stay, min(won[WITHOUT]) <= max(won[WITH])],
        claim.compare(
            left,
            {
                "highest output is an illegal move": (network.range_of, left),
                "games lost by an illegal move, exploring ones too": (network.range_of, forfeited),
                "won against random by its best legal move": (network.range_of, won),
            },
            "least to most seed",
        ),
        claim.verdict_on(stay, helped) if enough else "inconclusive",
    )


EXPERIMENT = claim.Experiment("guard-rails", tell, network.sweeps(RECIPES))
