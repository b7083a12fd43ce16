"""What its author did not try: a network for each seat, and a convolution."""

from training.experiments import claim, network, table

RECIPES = {
    "one network": network.varied(),
    "one for each seat": network.varied(networks="separate"),
    "with a convolution": network.varied(convolution="yes"),
}
SHARED, *VARIANTS = RECIPES


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare them with the usual network; where their seeds overlap nothing can be told."""
    won = results.each(table.wins, RECIPES)
    better = [min(won[label]) > max(won[SHARED]) for label in VARIANTS]
    worse = [max(won[label]) < min(won[SHARED]) for label in VARIANTS]
    told = any(better) or all(worse)
    return claim.Conclusion(
        [
            network.won_by_epoch(results, won),
            *(
                results.strips(games._replace(title=f"{games.title} in the end"), won)
                for games in (table.games(table.WON, "random", seat) for seat in table.SEAT_NAMES)
            ),
            results.strips(table.BLUNDERS, won),
        ],
        [any(better), any(worse)],
        network.ends(won, "won against random, both seats"),
        claim.verdict_on(*better) if told else "inconclusive",
    )


EXPERIMENT = claim.Experiment("separate-networks", tell, network.sweeps(RECIPES))
