"""The measures that compare two recipes, and the verdict of a sign test.

Each seed counts for the recipe with the better result. The test tells whether this may be luck.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from app.experiments import compute_sign_test, count_higher_pairs
from app.tictactoe.report import Figures
from app.web.comparison import CURVE_TITLES
from app.web.facts import judge_policy
from app.web.formatting import format_count_of, format_with_unit, lower_first_letter
from app.web.links.lab import BLUNDERS_KEY
from app.web.on_demand import SeedRun
from app.web.pages.lab.wording import introduce_opponent
from app.web.pictures.curves import PERCENT_UNIT
from app.web.site_data import SiteData

# A verdict needs all of these seeds.
MAX_SEEDS = 20
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
SIGNIFICANCE_LEVEL = 0.05
# The headline calls a smaller difference of the medians little, however certain it is.
LITTLE_SHARE = 0.05
# Each of these measures is also the key of its learning curve.
LOSSES_KEY, TASK_KEY = "losses", "task"

# A function from the exact results of a training to a number for each snapshot.
GetCurve = Callable[[Figures], Sequence[float]]


class LabMeasure(NamedTuple):
    """What the lab compares agents by, such as the number of blunders after the training."""

    title: str
    # follows "by", such as "blunders"
    noun: str
    unit: str
    # such as "Fewer blunders"
    better_phrase: str
    # such as "more"
    worse_word: str
    more_is_better: bool
    get_curve: GetCurve

    def get_final_value(self, run: SeedRun) -> float:
        return self.get_curve(run.figures)[-1]


def list_measures(site: SiteData, runs: Iterable[SeedRun]) -> dict[str, LabMeasure]:
    """Return key -> measure for all measures that every run has.

    The games against a baseline have its id as their key.
    """
    runs = list(runs)
    measures = {
        BLUNDERS_KEY: _build_measure(
            BLUNDERS_KEY, "blunders", "Fewer blunders", lambda figures: figures.blunders
        ),
        LOSSES_KEY: _build_measure(
            LOSSES_KEY,
            "losses to the best responder",
            "Fewer losses to the best responder",
            build_outcome_curve_getter(2),
        )._replace(unit=PERCENT_UNIT),
    }
    if all(run.figures.task_distance for run in runs):
        measures[TASK_KEY] = _build_measure(
            TASK_KEY,
            "the mean distance from the exact values",
            "Nearer to the exact values",
            lambda figures: (
                figures.task_distance.mean_distance if figures.task_distance else []
            ),
        )._replace(worse_word="farther")
    for opponent in runs[0].figures.outcome_chances_by_baseline:
        measures[opponent] = _build_measure_against(site, opponent)
    return measures


def _build_measure(
    measure_key: str, noun: str, better_word: str, get_curve: GetCurve
) -> LabMeasure:
    titles = CURVE_TITLES[measure_key]
    return LabMeasure(
        titles.title_for_one,
        noun,
        "",
        better_word,
        "more",
        False,
        get_curve,
    )


def _build_measure_against(site: SiteData, opponent: str) -> LabMeasure:
    is_unbeatable = all(judge_policy(site, opponent).is_unbeatable.values())
    outcome, verb = (2, "lost") if is_unbeatable else (0, "won")
    preposition = "to" if is_unbeatable else "against"
    player = introduce_opponent(site, opponent)
    noun = f"games {verb} {preposition} {player}"
    better, worse = ("Fewer", "more") if is_unbeatable else ("More", "fewer")
    course = build_outcome_curve_getter(outcome, opponent)
    return LabMeasure(
        f"Games {verb} {preposition} {player}",
        noun,
        PERCENT_UNIT,
        f"{better} {noun}",
        worse,
        not is_unbeatable,
        course,
    )


def build_outcome_curve_getter(outcome: int, opponent: str = "") -> GetCurve:
    """Return a function that computes the percentage of games with an outcome at each snapshot.

    `outcome` is 0 for won, 1 for drawn, 2 for lost. The opponent "" is the best responder.
    """

    def compute_curve(figures: Figures) -> list[float]:
        chances = (
            figures.outcome_chances_by_baseline[opponent]
            if opponent
            else figures.best_response
        )
        seats = zip(chances.x, chances.o, strict=True)
        return [round(50 * (x[outcome] + o[outcome]), 7) for x, o in seats]

    return compute_curve


class PairedSignTest(NamedTuple):
    """In how many seeds recipe A is better, and in how many B."""

    a_wins: int
    b_wins: int
    seed_count: int
    p_value: float

    @property
    def better_variant(self) -> str:
        """The recipe, "A" or "B", that is significantly better after all seeds, else ""."""
        return (
            self.leading_variant
            if self.seed_count == MAX_SEEDS and self.p_value < SIGNIFICANCE_LEVEL
            else ""
        )

    @property
    def tie_count(self) -> int:
        return self.seed_count - self.a_wins - self.b_wins

    @property
    def leading_variant(self) -> str:
        """The recipe, "A" or "B", that is better in more seeds; "" if neither is."""
        if self.a_wins == self.b_wins:
            return ""
        return "A" if self.a_wins > self.b_wins else "B"

    @property
    def is_tie(self) -> bool:
        return self.tie_count == self.seed_count

    @property
    def result_words(self) -> str:
        """The result in a few words, such as "B in 14 of 20 seeds"."""
        seeds = format_count_of(self.seed_count, "seed")
        if self.is_tie:
            return f"A and B equal in {seeds}"
        if self.seed_count == MAX_SEEDS and not self.better_variant:
            return "no clear difference"
        same = f", equal in {self.tie_count}" if self.tie_count else ""
        if not self.leading_variant:
            return f"A in {self.a_wins}, B in {self.b_wins}{same} of {seeds}"
        return f"{self.leading_variant} in {max(self.a_wins, self.b_wins)} of {seeds}{same}"


class Verdict(NamedTuple):
    """Sentences on the result of a comparison."""

    headline: str
    detail: str
    warning: str = ""

    @property
    def text(self) -> str:
        return " ".join(filter(None, [self.warning, self.headline, self.detail]))


def run_sign_test(
    final_values: Sequence[Sequence[float]], more_is_better: bool
) -> PairedSignTest:
    """Compare the results of recipes A and B seed by seed; `final_values` is [2, seeds]."""
    recipe_a, recipe_b = final_values
    above = count_higher_pairs(recipe_a, recipe_b)
    below = count_higher_pairs(recipe_b, recipe_a)
    wins = (above, below) if more_is_better else (below, above)
    return PairedSignTest(*wins, len(recipe_a), compute_sign_test(recipe_a, recipe_b))


def build_verdict(
    sign_test: PairedSignTest,
    measure: LabMeasure,
    variant_phrases: Mapping[str, str],
    medians: Sequence[float],
    yes_variant: str,
    has_more_seeds: bool = True,
) -> Verdict:
    """Return the verdict on recipes A and B.

    `variant_phrases` has a phrase for each, such as {"A": "with α 0.4", "B": "with α 0.8"}, and
    `medians` has the median of A and of B. The headline begins with Yes if `yes_variant` is better,
    otherwise with No; with "" it has neither. `has_more_seeds` promises a verdict after more seeds.
    """
    texts = [format_with_unit(each, measure.unit) for each in medians]
    after = f"The verdict comes when all {MAX_SEEDS} seeds are trained."
    if not has_more_seeds:
        after = "Their other seeds cannot be trained here, so there will be no verdict."
    if sign_test.seed_count == 1:
        yet = " yet" if has_more_seeds else ""
        return Verdict(
            f"No verdict{yet}. {measure.title}: {texts[0]} for A, {texts[1]} for B.",
            f"With one seed each, the difference may be luck. {after}",
        )
    score = _describe_score(sign_test, measure)
    if sign_test.seed_count < MAX_SEEDS:
        return Verdict(f"So far, {score}.", after)
    if sign_test.is_tie:
        headline = "No difference: A and B are equal in every seed."
        return Verdict(
            headline, f"We compared {measure.noun} after {MAX_SEEDS} trainings of each."
        )
    test = f"Exact sign test: {format_p_value(sign_test.p_value)}"
    if not sign_test.better_variant:
        return Verdict(
            f"No clear difference after {MAX_SEEDS} seeds.",
            f"{score}, which may be luck. The medians are {texts[0]} for A and {texts[1]} for B. "
            f"{test}.",
        )
    better = f"{measure.better_phrase} {variant_phrases[sign_test.better_variant]}"
    size = _describe_size(sign_test, measure, medians)
    little = ", but little" if is_little(medians) else ""
    detail = f"{score}. {test}."
    if not yes_variant:
        return Verdict(f"{better}{little} ({size}).", detail)
    answer = "Yes" if sign_test.better_variant == yes_variant else "No"
    headline = f"{answer}{little}: {lower_first_letter(better)} ({size})."
    return Verdict(headline, detail)


def is_little(medians: Sequence[float]) -> bool:
    recipe_a, recipe_b = medians
    return abs(recipe_a - recipe_b) < LITTLE_SHARE * max(abs(recipe_a), abs(recipe_b))


def _describe_size(
    sign_test: PairedSignTest, measure: LabMeasure, medians: Sequence[float]
) -> str:
    """Return the medians in words, such as "median 1,147 instead of 1,160.5, 1% fewer"."""
    order = medians if sign_test.better_variant == "A" else medians[::-1]
    better, worse = order
    texts = [format_with_unit(each, measure.unit) for each in order]
    if texts[0] == texts[1]:
        return f"both medians are {texts[0]}"
    size = f"median {texts[0]} instead of {texts[1]}"
    if measure.unit or measure.worse_word != "more" or better >= worse:
        return size
    percent = round(100 * (worse - better) / worse)
    return f"{size}, {f'{percent}%' if percent else 'less than 1%'} fewer"


def format_p_value(p_value: float) -> str:
    text = f"p = {p_value:.2g}" if p_value >= 0.001 else "p < 0.001"
    return text.replace(" ", NO_BREAK_SPACE)


def _describe_score(sign_test: PairedSignTest, measure: LabMeasure) -> str:
    """Return a count of seeds, such as "B had fewer blunders with 16 seeds, more with 4"."""
    if sign_test.is_tie:
        return f"A and B are equal in all {sign_test.seed_count} seeds"
    wins = max(sign_test.a_wins, sign_test.b_wins)
    losses = min(sign_test.a_wins, sign_test.b_wins)
    is_near = measure.worse_word == "farther"
    verb, same = ("was", "equally near") if is_near else ("had", "as many")
    every = "all " if wins == sign_test.seed_count else ""
    score = (
        f"{sign_test.leading_variant or 'B'} {verb} {lower_first_letter(measure.better_phrase)} "
        f"with {every}{format_count_of(wins, 'seed')}"
    )
    if losses:
        score += f", {measure.worse_word} with {losses}"
    if sign_test.tie_count:
        score += f", {same} with {sign_test.tie_count}"
    return score
