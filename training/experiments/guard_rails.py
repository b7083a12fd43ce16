"""Whether illegal moves go away by themselves, or only by guard rails."""

from app.experiments import Curves
from training.experiments import claim, network, table
from training.experiments.claim import percent
from training.networks.measure import NetworkRun

WITH, WITHOUT, LONGER = "guard rails", "none", "none, four times as long"
POINTS = 30
FEW_LEFT = 1.0  # percent


def wants_taken(run: NetworkRun) -> list[float]:
    """Take how often its highest output is a taken cell where it has to move, in percent."""
    return [100 * share for share in run.taken_met]


def wants_taken_anywhere(run: NetworkRun) -> list[float]:
    """Take the same of all decisions."""
    return [100 * share for share in run.taken]


def gone(run: NetworkRun) -> int:
    """Return the epoch from which on it wants one in less than 1% of the positions it meets.

    One after the last epoch is never.
    """
    above = [n for n, share in enumerate(wants_taken(run), 1) if share >= FEW_LEFT]
    return max(above, default=0) + 1


def tell(results: claim.Results) -> claim.Told:
    """Ask how many are left in the end, with and without."""
    wants, forfeits = network.ending(wants_taken), network.ending(network.both("forfeited"))
    left = results.each(wants, (WITH, WITHOUT, LONGER))
    forfeited = results.each(forfeits, (WITHOUT, LONGER))
    stay, helped = min(left[LONGER]) > 0, max(left[WITH]) < min(left[WITHOUT])
    return claim.Told(
        [
            Curves(
                "Positions of its own games where its highest output is a taken cell",
                "epochs",
                "%",
                [network.by_epoch(results, label, wants_taken, POINTS) for label in left],
            ),
            Curves(
                "All positions where its highest output is a taken cell",
                "epochs",
                "%",
                [network.by_epoch(results, label, wants_taken_anywhere, POINTS) for label in left],
            ),
            Curves(
                "Games lost by choosing a taken cell, exploring ones too",
                "epochs",
                "%",
                [
                    network.by_epoch(results, label, network.both("forfeited"), POINTS)
                    for label in forfeited
                ],
            ),
            results.strips(
                "Games won against random in the end, both seats, by its best legal move",
                "%",
                table.wins,
                left,
            ),
        ],
        claim.verdict_on(stay, helped),
        f"In the last tenth of its training a network without guard rails wants a taken cell in "
        f"{network.spread(left[WITHOUT])} of the positions that it meets, after four times as many "
        f"epochs in {network.spread(left[LONGER])}; with them it is {network.spread(left[WITH])}. "
        f"It loses {network.spread(forfeited[WITHOUT])} of its games by that, and "
        f"{network.spread(forfeited[LONGER])} after four times as many; exploring, with a taken "
        "cell as likely as any, is a part of these. The share of positions is below "
        f"{percent(FEW_LEFT, 0)} for good {_since(results)}.",
    )


def _since(results: claim.Results) -> str:
    """Say from which epoch on, over the seeds, with guard rails and without."""
    told = []
    for label, name in ((WITH, "with guard rails"), (WITHOUT, "without")):
        epochs = results.values(label, gone)
        last = len(results[label][0].taken)
        never = sum(epoch > last for epoch in epochs)
        told.append(
            f"{name} with {len(epochs) - never} of {len(epochs)} seeds"
            if never
            else f"{name} from epoch {min(epochs)} to {max(epochs)} on"
        )
    return ", ".join(told)


EXPERIMENT = claim.Experiment(
    id="guard-rails",
    title="Guard rails against illegal moves",
    claim="Without guard rails illegal moves never go away, not in thousands of epochs.",
    project="network",
    where="The project of the deep Q-network, on what made the difference.",
    done="With guard rails each step also pushes the outputs of all taken cells to minus 5, and it "
    f"plays legal moves only. Without, it chooses among all cells, and a taken one ends the game "
    f"as lost and is worth minus 5 to it. {network.SHORTER} Each kind was trained with {{seeds}} "
    "seeds, "
    "and without guard rails four times as long as well.",
    limits="240 epochs are not thousands, and how its author's games went on after an illegal "
    f"move is not known. {network.FEW}",
    agents=["dqn-vs-random"],
    sweeps=network.sweeps(
        {
            WITH: network.varied(),
            WITHOUT: network.varied("guard_rails=no"),
            LONGER: network.varied("guard_rails=no").replace("epochs=60", "epochs=240"),
        }
    ),
    tell=tell,
)
