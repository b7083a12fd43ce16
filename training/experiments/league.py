"""Claims on the learners of a league: updates, opponents, and k, which makes them greedier."""

from app.experiments import ReferenceLine, Series, Table
from app.recipes import parse_recipe
from app.recipes.algorithms import League
from training.experiments import claim, table
from training.experiments.claim import (
    format_count,
    format_percent,
    format_share,
)
from training.measures import CHECKPOINTS_MEASURE, END_MEASURE

QUICK = "gamma=0.65,k_start=0.01,k_step=0.01,k_limit=10"
SETTINGS = {
    "plain": "",
    "observing": ",observing=yes",
    "symmetric": f",symmetric=yes,{QUICK}",
    "observing, symmetric": f",observing=yes,symmetric=yes,{QUICK}",
}
PLACES = {"in the league": "", "against fixed alone": ",vs=fixed"}
BY_PLACE = {
    f"{learner}, {place}": f"league{vs}{settings}"
    for place, vs in PLACES.items()
    for learner, settings in SETTINGS.items()
}


def find_winning_seeds(
    results: claim.Results, percent_won: float
) -> dict[tuple[str, table.SeatName], list[bool]]:
    """Return, by recipe and seat, whether each seed wins this percent of games against `fixed`."""
    winning = {}
    for seat in table.SEAT_NAMES:
        measure = table.measure_outcome("fixed", seat, table.WON)
        for label in BY_PLACE:
            won = results.compute_values(label, measure)
            winning[label, seat] = [percent == percent_won for percent in won]
    return winning


@claim.experiment("beat-fixed", claim.Sweep(BY_PLACE, END_MEASURE))
def conclude_beat_fixed(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether all learners of a league win every game against `fixed`."""
    always = find_winning_seeds(results, 100)
    none = find_winning_seeds(results, 0)
    by_seat: dict[str, list[bool]] = {seat: [] for seat in table.SEAT_NAMES}
    by_place: dict[str, list[bool]] = {place: [] for place in PLACES}
    for (label, seat), seeds in always.items():
        by_seat[seat] += seeds
        for place in PLACES:
            if label.endswith(place):
                by_place[place] += seeds
    as_x, as_o = by_seat.values()
    in_league, alone = by_place.values()
    never = [seed for label in BY_PLACE for seed in none[label, "o"]]
    some = any(all(seeds) for seeds in always.values())
    return claim.Conclusion(
        [
            results.draw_shares(
                f"Seeds with which a learner wins every game as {seat.upper()} against “fixed”",
                {label: always[label, seat] for label in BY_PLACE},
            )
            for seat in table.SEAT_NAMES
        ],
        [all(as_x), all(as_o), some],
        Table(
            ["trainings"],
            {
                "wins every game as X": [format_share(as_x)],
                "wins every game as O": [format_share(as_o)],
                "wins no game as O": [format_share(never)],
                "trained in the league: wins every game in a seat": [
                    format_share(in_league)
                ],
                "trained against “fixed” alone: wins every game in a seat": [
                    format_share(alone)
                ],
            },
        ),
        claim.judge_parts(all(in_league), some),
    )


@claim.experiment(
    "two-stage",
    claim.Sweep(
        {"two-stage": "league", "one-stage": "league,stages=one"}, CHECKPOINTS_MEASURE
    ),
)
def conclude_two_stage(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether updates at every ply are better than at own moves only."""
    two, one = results.recipe_by_label
    end = results.compute_medians(table.measure_wins)
    errors = results.compute_medians(table.measure_blunders)
    better = results.is_significantly_higher(two, one, table.measure_wins)
    safer = results.is_significantly_higher(one, two, table.measure_blunders)
    compared = results.describe_sign_test(two, one, table.measure_wins)
    by_updates = table.list_higher_points(
        *table.draw_curves(results, table.WINS_TRACE, results.recipe_by_label).series
    )
    per_game = results.compute_medians(table.count_updates_per_game)
    return claim.Conclusion(
        [
            table.draw_curves(results, table.WINS_TRACE, by_games=True),
            table.draw_curves(results, table.BLUNDERS_TRACE, by_games=True),
            results.draw_histogram(table.WINS_IN_THE_END),
        ],
        [better, safer],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                f"games won against random after the training, median ({compared})": (
                    format_percent,
                    end,
                ),
                "positions with a blunder, median": (format_count, errors),
                "updates per game": ("{:.1f}".format, per_game),
                "points of the learning curve that are higher, after equal numbers of updates": (
                    format_share,
                    {two: by_updates},
                ),
            },
        ),
    )


REPORTED_MOVES = 8_000
SMALL_PERCENT = 1.0  # differences up to this percentage are not counted


@claim.experiment(
    "observing",
    claim.Sweep(
        {"own moves only": "league", "observing": "league,observing=yes"},
        CHECKPOINTS_MEASURE,
    ),
)
def conclude_observing(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether learning from the opponent's moves helps, and until when."""
    plain, observer = results.recipe_by_label
    end = results.compute_medians(table.measure_wins)
    better = results.is_significantly_higher(observer, plain, table.measure_wins)
    compared = results.describe_sign_test(observer, plain, table.measure_wins)
    plies = results.compute_median(plain, table.count_updates_per_game)
    mark = ReferenceLine(
        round(REPORTED_MOVES / plies), "reported: no improvement after 8,000 moves"
    )
    won = table.draw_curves(results, table.WINS_TRACE, by_games=True, marks=[mark])
    _, line = won.series
    done = next(
        x
        for x, median in zip(line.x, line.median, strict=True)
        if max(line.median) - median <= SMALL_PERCENT
    )
    moves = done * plies
    soon = REPORTED_MOVES / 2 <= moves <= REPORTED_MOVES * 2
    return claim.Conclusion(
        [
            won,
            results.draw_histogram(table.WINS_IN_THE_END),
            table.draw_curves(results, table.BLUNDERS_TRACE, by_games=True),
        ],
        [better, soon],
        claim.tabulate_recipes(
            [observer, plain],
            {
                f"games won against random after the training, median ({compared})": (
                    format_percent,
                    end,
                ),
                f"moves until the median is within {format_percent(SMALL_PERCENT, 0)} of its best": (
                    format_count,
                    {observer: round(moves, -2)},
                ),
                "moves of the whole training": (
                    format_count,
                    {observer: round(line.x[-1] * plies, -2)},
                ),
            },
        ),
    )


STARTS = ("0.001", "0.01", "0.1", "1")
STARTING = {f"initial k {start}": f"league,k_start={start}" for start in STARTS}
LOW, HIGH = "initial k 0.001", "initial k 0.1"
FIXED = {
    f"{LOW}, against fixed": "league,vs=fixed",
    f"{HIGH}, against fixed": "league,vs=fixed,k_start=0.1",
}


@claim.experiment(
    "k-start",
    claim.Sweep(STARTING, CHECKPOINTS_MEASURE),
    claim.Sweep(FIXED, END_MEASURE),
)
def conclude_k_start(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether a high initial k, the weight of values in the draw, hurts.

    Against the fixed player both medians are 100%, so the means are compared there.
    """
    end = results.compute_medians(table.measure_wins, STARTING)
    errors = results.compute_medians(table.measure_blunders, STARTING)
    beats = table.measure_both_seats("fixed", table.WON)
    beaten = {
        start: sum(results.compute_values(label, beats)) / len(results[label])
        for start, label in zip((LOW, HIGH), FIXED, strict=True)
    }
    r = results.compute_sign_test(
        f"{LOW}, against fixed", f"{HIGH}, against fixed", beats
    )
    degrades = beaten[HIGH] < beaten[LOW] and r < claim.SIGNIFICANT
    worse = results.is_significantly_higher(LOW, HIGH, table.measure_wins)
    more = results.is_significantly_higher(HIGH, LOW, table.measure_blunders)
    beaten_by = results.describe_sign_test(
        f"{HIGH}, against fixed", f"{LOW}, against fixed", beats, HIGH
    )
    wins_compared = results.describe_sign_test(HIGH, LOW, table.measure_wins)
    errors_compared = results.describe_sign_test(HIGH, LOW, table.measure_blunders)
    return claim.Conclusion(
        [
            results.draw_histogram(
                claim.Quantity(
                    "Trained against the player “fixed”: games won against “fixed”",
                    "%",
                    beats,
                ),
                FIXED,
            ),
            table.draw_curves(results, table.WINS_TRACE, STARTING, by_games=True),
            results.draw_histogram(table.WINS_IN_THE_END, STARTING),
            results.draw_histogram(table.BLUNDERS, STARTING),
        ],
        [degrades, worse or more],
        claim.tabulate_recipes(
            STARTING,
            {
                f"games won against the training opponent “fixed”, mean ({beaten_by})": (
                    format_percent,
                    beaten,
                ),
                f"games won against random after the league, median ({wins_compared})": (
                    format_percent,
                    end,
                ),
                f"positions with a blunder after the league, median ({errors_compared})": (
                    format_count,
                    errors,
                ),
            },
        ),
        claim.judge_parts(degrades),
    )


EARLY_SHARE = 1 / 100  # share of the updates that counts as early


def _select_early_points(curve: Series) -> Series:
    """Return the points of a curve in the first hundredth of the training."""
    last = EARLY_SHARE * curve.x[-1]
    count = sum(x <= last for x in curve.x)
    return Series(
        name=curve.name,
        recipe=curve.recipe,
        **{
            part: getattr(curve, part)[:count]
            for part in ("x", "median", "low", "high", "least", "most")
        },
        seed_count=curve.seed_count,
        typical_seed=curve.typical_seed,
    )


@claim.experiment(
    "symmetry",
    claim.Sweep(
        {
            "plain": "league",
            "symmetric, k and gamma of the source": f"league,symmetric=yes,{QUICK}",
            "symmetric, k and gamma of the plain learner": "league,symmetric=yes",
        },
        CHECKPOINTS_MEASURE,
    ),
)
def conclude_symmetry(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether learners with symmetry are faster first and worse later."""
    plain, *symmetric_ones = results.recipe_by_label
    as_there, alike = symmetric_ones
    end = results.compute_medians(table.measure_wins)
    won = table.draw_curves(results, table.WINS_TRACE)
    begins = {line.name: _select_early_points(line) for line in won.series}
    early = {
        label: table.list_higher_points(begins[label], begins[plain])
        for label in symmetric_ones
    }
    faster = {
        label: 2 * sum(early[label]) > len(early[label]) for label in symmetric_ones
    }
    compared = {
        label: results.describe_difference(label, plain, table.measure_wins)
        for label in symmetric_ones
    }
    overtaken = {
        label: results.is_significantly_higher(plain, label, table.measure_wins)
        for label in symmetric_ones
    }
    parts = [part[label] for part in (faster, overtaken) for label in symmetric_ones]
    fallen = {line.name: max(line.median) - line.median[-1] for line in won.series}
    falls = any(fallen[label] > SMALL_PERCENT for label in symmetric_ones)
    return claim.Conclusion(
        [
            won,
            results.draw_histogram(table.WINS_IN_THE_END),
            table.draw_curves(results, table.BLUNDERS_TRACE),
        ],
        [all(faster.values()), overtaken[as_there], overtaken[alike], falls],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "early points of the learning curve that are higher than the plain learner's": (
                    format_share,
                    early,
                ),
                "games won against the random player after the training, median": (
                    format_percent,
                    end,
                ),
                "games won after the training, compared with the plain learner (sign test)": (
                    str,
                    compared,
                ),
                "best median minus final median": (format_percent, fallen),
            },
        ),
        claim.judge_parts(*parts, falls),
    )


LEARNERS = {
    "plain": "league",
    "observing": "league,observing=yes",
    "one-stage": "league,stages=one",
}
STEPS = {
    "k grows by 0.00025": "league,k_step=0.00025",
    "k grows by 0.001": "league",
    "k grows by 0.004": "league,k_step=0.004",
}
SLOW, USUAL, FAST = STEPS


def count_games_to_limit(results: claim.Results, label: str) -> float:
    """Return the number of games until k reaches its limit, for the median seed."""
    recipe = parse_recipe(results.recipe_by_label[label])
    assert isinstance(recipe, League)
    updates = (recipe.k_limit - recipe.k_start) / recipe.k_step
    return round(updates / results.compute_median(label, table.count_updates_per_game))


@claim.experiment(
    "fills-fastest", claim.Sweep({**LEARNERS, **STEPS}, CHECKPOINTS_MEASURE)
)
def conclude_fills_fastest(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether more updates per game help, and whether k is the reason."""
    counts = results.compute_medians(table.count_updates_per_game, LEARNERS)
    end = results.compute_medians(table.measure_wins)
    favoured = results.is_significantly_higher(FAST, SLOW, table.measure_wins)
    compared = results.describe_difference(FAST, SLOW, table.measure_wins)
    by_count = sorted(LEARNERS, key=lambda label: counts[label])
    in_order = by_count == sorted(LEARNERS, key=lambda label: end[label])
    title = "Games won against the random player, for three growth rates of k"
    by_growth = table.WINS_TRACE._replace(title=title)
    limits = {label: count_games_to_limit(results, label) for label in LEARNERS}
    return claim.Conclusion(
        [
            results.draw_bars(
                "Updates per game (k grows at each update)", "updates", counts
            ),
            table.draw_curves(results, by_growth, STEPS, by_games=True),
            results.draw_histogram(
                table.WINS_IN_THE_END, (*STEPS, "observing", "one-stage")
            ),
        ],
        [in_order, favoured],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "updates per game": ("{:.1f}".format, counts),
                "games until k reaches its limit": (format_count, limits),
                "games won against the random player": (format_percent, end),
                "games won, compared with a growth by 0.00025 seed by seed (sign test)": (
                    str,
                    {FAST: compared},
                ),
            },
            "median of all seeds",
        ),
    )
