"""The measures that compare two recipes, and the verdict on them.

Each seed counts for the recipe with the better result. A sign test tells whether this may be luck.
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

# takes the exact results of a training, and returns a number for each snapshot
GetCurve = Callable[[Figures], Sequence[float]]


class LabMeasure(NamedTuple):
    """A number that measures an agent at each snapshot of its training, such as its blunders."""

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

    The key of a measure against a baseline is the baseline's id.
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
            "the mean difference of learned from exact values",
            "Nearer to the exact values",
            lambda figures: (
                figures.task_distance.mean_distance if figures.task_distance else []
            ),
        )._replace(worse_word="farther")
    for opponent in runs[0].figures.baseline_chances:
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
    """Measure the games won against an opponent, or the games lost to one that cannot be beaten."""
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
    """Return a function that computes how many percent of the games have an outcome.

    It returns a percentage for each snapshot, the mean over both seats. `outcome` is 0 for won, 1
    for drawn, 2 for lost. Without an opponent the agent plays the best responder.
    """

    def compute_curve(figures: Figures) -> list[float]:
        chances = (
            figures.baseline_chances[opponent] if opponent else figures.best_response
        )
        seats = zip(chances.x, chances.o, strict=True)
        return [round(50 * (x[outcome] + o[outcome]), 7) for x, o in seats]

    return compute_curve


class Contest(NamedTuple):
    """The number of seeds in which each of two recipes is better."""

    a_wins: int
    b_wins: int
    seed_count: int
    p_value: float

    @property
    def better_side(self) -> str:
        """The side, "A" or "B", that is significantly better after all seeds, else ""."""
        return (
            self.leading_side
            if self.seed_count == MAX_SEEDS and self.p_value < SIGNIFICANCE_LEVEL
            else ""
        )

    @property
    def tie_count(self) -> int:
        return self.seed_count - self.a_wins - self.b_wins

    @property
    def leading_side(self) -> str:
        """The side that is better in more seeds, "" if neither is."""
        if self.a_wins == self.b_wins:
            return ""
        return "A" if self.a_wins > self.b_wins else "B"

    @property
    def is_tie(self) -> bool:
        return self.tie_count == self.seed_count

    @property
    def result_words(self) -> str:
        """The result in a few words for a cell of a table, such as "B in 14 of 20 seeds"."""
        seeds = format_count_of(self.seed_count, "seed")
        if self.is_tie:
            return f"A and B equal in {seeds}"
        if self.seed_count == MAX_SEEDS and not self.better_side:
            return "no clear difference"
        same = f", equal in {self.tie_count}" if self.tie_count else ""
        if not self.leading_side:
            return f"A in {self.a_wins}, B in {self.b_wins}{same} of {seeds}"
        return (
            f"{self.leading_side} in {max(self.a_wins, self.b_wins)} of {seeds}{same}"
        )


class Verdict(NamedTuple):
    """The sentences in which a page states the result of a comparison."""

    headline: str
    detail: str
    warning: str = ""

    @property
    def text(self) -> str:
        return " ".join(filter(None, [self.warning, self.headline, self.detail]))


def build_contest(
    final_values: Sequence[Sequence[float]], more_is_better: bool
) -> Contest:
    """Count the seeds in which each recipe is better.

    `final_values` is [2, R], the results of recipes A and B for R seeds.
    """
    recipe_a, recipe_b = final_values
    above = count_higher_pairs(recipe_a, recipe_b)
    below = count_higher_pairs(recipe_b, recipe_a)
    wins = (above, below) if more_is_better else (below, above)
    return Contest(*wins, len(recipe_a), compute_sign_test(recipe_a, recipe_b))


def describe_contest(
    contest: Contest,
    measure: LabMeasure,
    side_phrases: Mapping[str, str],
    medians: Sequence[float],
    answers_question: bool,
    has_more_seeds: bool = True,
) -> Verdict:
    """Return the verdict on recipes A and B.

    `side_phrases` has a phrase for each recipe, such as {"A": "with α 0.4", "B": "with α 0.8"}.
    `medians` has the median of A and of B. With `answers_question` the headline begins with Yes or
    No. `has_more_seeds` says whether the page goes on to train seeds.
    """
    texts = [format_with_unit(each, measure.unit) for each in medians]
    after = f"The verdict comes when all {MAX_SEEDS} seeds are trained."
    if not has_more_seeds:
        after = "Their other seeds cannot be trained here, so there will be no verdict."
    if contest.seed_count == 1:
        yet = " yet" if has_more_seeds else ""
        return Verdict(
            f"No verdict{yet}. {measure.title}: A {texts[0]}, B {texts[1]}.",
            f"With one seed each, the difference may be luck. {after}",
        )
    score = _describe_score(contest, measure)
    if contest.seed_count < MAX_SEEDS:
        return Verdict(f"So far: {score}.", after)
    if contest.is_tie:
        headline = "No difference: A and B are equal in every seed."
        return Verdict(
            headline, f"Compared number: {measure.title}, with {MAX_SEEDS} seeds."
        )
    test = f"Exact sign test: {format_p_value(contest.p_value)}"
    if not contest.better_side:
        return Verdict(
            f"No clear difference after {MAX_SEEDS} seeds.",
            f"{score}: this may be luck. Medians: A {texts[0]}, B {texts[1]}. {test}.",
        )
    better = f"{measure.better_phrase} {side_phrases[contest.better_side]}"
    size = _describe_size(contest, measure, medians)
    little = ", but little" if is_little(medians) else ""
    detail = f"{score}. {test}."
    if not answers_question:
        return Verdict(f"{better}{little} ({size}).", detail)
    answer = "Yes" if contest.better_side == "B" else "No"
    headline = f"{answer}{little}: {lower_first_letter(better)} ({size})."
    return Verdict(headline, detail)


def is_little(medians: Sequence[float]) -> bool:
    """Return whether two medians differ by less than LITTLE_SHARE of the larger one."""
    recipe_a, recipe_b = medians
    return abs(recipe_a - recipe_b) < LITTLE_SHARE * max(abs(recipe_a), abs(recipe_b))


def _describe_size(
    contest: Contest, measure: LabMeasure, medians: Sequence[float]
) -> str:
    """Return the medians in words, such as "median 1,147 instead of 1,160.5, 1% fewer"."""
    order = medians if contest.better_side == "A" else medians[::-1]
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


def _describe_score(contest: Contest, measure: LabMeasure) -> str:
    """Return the seeds of each result: "B had fewer blunders with 16 seeds, more with 4"."""
    if contest.is_tie:
        return f"A and B are equal in all {contest.seed_count} seeds"
    wins = max(contest.a_wins, contest.b_wins)
    losses = min(contest.a_wins, contest.b_wins)
    is_near = measure.worse_word == "farther"
    verb, same = ("was", "equally near") if is_near else ("had", "as many")
    score = (
        f"{contest.leading_side or 'B'} {verb} {lower_first_letter(measure.better_phrase)} "
        f"with {format_count_of(wins, 'seed')}"
    )
    if losses:
        score += f", {measure.worse_word} with {losses}"
    if contest.tie_count:
        score += f", {same} with {contest.tie_count}"
    return score
