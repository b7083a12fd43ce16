"""A comparison ("duel") of two recipes, or the results of a single recipe.

Recipe A is the baseline, and recipe B is compared with it. Both are trained with the same seeds,
and the results of the same seed are compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, NotFound

from app.recipes import (
    ALGORITHMS,
    SHIPPED,
    Recipe,
    RecipeError,
    parse_recipe,
)
from app.recipes.parameters import PERSON_OPPONENT
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.web.facts import find_losing_games
from app.web.formatting import (
    capitalize_first_letter,
    format_count,
    format_with_unit,
    join_words,
    lower_first_letter,
)
from app.web.links.agents import certificate_url
from app.web.links.lab import BLUNDERS_KEY, lab_url
from app.web.links.play import play_url
from app.web.match import build_match_against_person, read_choice
from app.web.on_demand import SeedRun
from app.web.pages.lab.change import ALGORITHM_FIELD
from app.web.pages.lab.contest import (
    LOSSES_KEY,
    MAX_SEEDS,
    Contest,
    LabMeasure,
    Verdict,
    build_contest,
    describe_contest,
    list_measures,
)
from app.web.pages.lab.question import build_question_phrases
from app.web.pages.lab.slots import RecipePair
from app.web.pages.lab.wording import name_causes, name_sides, warn_of_causes
from app.web.site_data import SiteData

# If the better recipe is worse by one of these, the verdict says so.
CONTRADICTING_MEASURES = (BLUNDERS_KEY, LOSSES_KEY, "random")
SEED_BATCH_SIZE = 5
SEED_COUNTS = (1, *range(SEED_BATCH_SIZE, MAX_SEEDS + 1, SEED_BATCH_SIZE))
LINEAR_AXIS, LOGARITHMIC_AXIS = "linear", "logarithmic"
AXIS_TITLES = {
    "": "automatic axis",
    LINEAR_AXIS: "linear axis",
    LOGARITHMIC_AXIS: "logarithmic axis",
}


class Side(NamedTuple):
    """Recipe A or B of a comparison, with its training runs."""

    letter: str
    recipe_name: str
    recipe: Recipe
    # such as "α 0.8"; the letter if no name is short enough for a chart
    label: str
    # such as "with α 0.8"
    sentence_end: str
    runs: list[SeedRun]

    @property
    def title(self) -> str:
        return (
            self.letter if self.label == self.letter else f"{self.letter}: {self.label}"
        )


# (title, value of each recipe, comparison by this value)
ResultRow = tuple[str, list[str], Contest | None]


@dataclass(frozen=True, eq=False)
class Duel:
    """A comparison of two recipes by a measure, or the results of a single recipe."""

    site: SiteData
    # [A, B], or the single recipe
    sides: Sequence[Side]
    seeds: range
    # a key of `measures`
    measure_key: str
    # a key of AXIS_TITLES; "" chooses the axis on which the medians are farther apart
    axis_key: str

    @property
    def main_side(self) -> Side:
        """The recipe that the page is about: B, or the single recipe."""
        return self.sides[-1]

    @property
    def baseline_name(self) -> str:
        """The name of recipe A, "" for a single recipe."""
        return self.sides[0].recipe_name if len(self.sides) == 2 else ""

    @property
    def finished_seed_count(self) -> int:
        return len(self.sides[0].runs)

    @cached_property
    def measures(self) -> dict[str, LabMeasure]:
        return list_measures(self.site, [side.runs[0] for side in self.sides])

    @property
    def measure(self) -> LabMeasure:
        return self.measures[self.measure_key]

    @property
    def pair(self) -> RecipePair:
        """The recipes, the measure and the axis; a link to another comparison changes some of them."""
        return RecipePair(
            self.site,
            self.sides[0].recipe,
            self.main_side.recipe,
            self.measure_key,
            self.axis_key,
        )

    @property
    def question_phrases(self) -> list[tuple[str, str]]:
        """The question as (text, id) phrases; a click on a phrase with an id opens a menu."""
        _, recipe_a, recipe_b, *_ = self.pair
        return build_question_phrases(self.site, recipe_a, recipe_b, self.measure.noun)

    @property
    def question(self) -> str:
        """The question of the comparison; for a single recipe its algorithm, training and measure."""
        phrases = self.question_phrases
        if self.baseline_name:
            return "".join(text for text, _ in phrases)
        start = [slot_id for _, slot_id in phrases].index(ALGORITHM_FIELD)
        return "".join(text for text, _ in phrases[start:-1])

    @cached_property
    def more_seeds_url(self) -> str:
        if not all(
            can_train_seeds(self.site, side.recipe, self.seeds) for side in self.sides
        ):
            return ""
        larger = (number for number in SEED_COUNTS if number > self.finished_seed_count)
        number = next(larger, None)
        return self.build_url(seeds=number) if number else ""

    @property
    def all_seeds_url(self) -> str:
        """The URL of this comparison with all seeds, or with one if this server can train only one."""
        all_seeds = self.more_seeds_url or self.finished_seed_count == MAX_SEEDS
        return self.build_url(seeds=MAX_SEEDS if all_seeds else None)

    def build_url(self, **numbers: int | None) -> str:
        """Return the URL of this comparison with query parameters, such as `seeds=20`."""
        return self.build_pair_url(
            self.main_side.recipe_name, self.baseline_name, **numbers
        )

    def build_pair_url(
        self, main_recipe: str, baseline: str, **numbers: int | None
    ) -> str:
        return lab_url(
            main_recipe,
            baseline,
            self.measure_key,
            axis_key=self.axis_key,
            **numbers,
        )

    def list_final_values(self, measure: LabMeasure) -> list[list[float]]:
        """Return the measure of each trained agent, [sides, seeds done]."""
        return [
            [measure.get_final_value(run) for run in side.runs] for side in self.sides
        ]

    @property
    def medians(self) -> list[float]:
        return [median(values) for values in self.list_final_values(self.measure)]

    @cached_property
    def causes(self) -> list[str]:
        """The names of the settings whose difference can explain different results."""
        recipes = [side.recipe for side in self.sides]
        return name_causes(*recipes) if self.baseline_name else []

    @cached_property
    def contest(self) -> Contest | None:
        """How many seeds each recipe wins; None for a single recipe."""
        if not self.baseline_name:
            return None
        return build_contest(
            self.list_final_values(self.measure), self.measure.more_is_better
        )

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on two recipes, or the median of a single recipe."""
        if self.contest is None:
            return self._describe_single_recipe()
        warning = warn_of_causes(self.causes)
        verdict = describe_contest(
            self.contest,
            self.measure,
            {side.letter: side.sentence_end for side in self.sides},
            self.medians,
            answers_question=len(self.causes) == 1,
            has_more_seeds=bool(self.more_seeds_url),
        )
        if contradiction := self._describe_contradiction():
            headline = f"{verdict.headline} {contradiction}"
            verdict = verdict._replace(headline=headline)
        if not warning:
            return verdict
        detail = f"A and B differ in {join_words(self.causes)}. {verdict.detail}"
        return Verdict(verdict.headline, detail, warning)

    def _describe_contradiction(self) -> str:
        """Return a sentence if the better recipe is worse by another measure, else ""."""
        better = self.contest.better_side if self.contest else ""
        for key in CONTRADICTING_MEASURES:
            other = self.measures.get(key)
            if not better or other is None or other == self.measure:
                continue
            contest = build_contest(self.list_final_values(other), other.more_is_better)
            if contest.better_side not in ("", better):
                side = next(
                    each for each in self.sides if each.letter == contest.better_side
                )
                return f"But {lower_first_letter(other.better_phrase)} {side.sentence_end}."
        return ""

    def _describe_single_recipe(self) -> Verdict:
        measure, (ends,) = self.measure, self.list_final_values(self.measure)
        middle = format_with_unit(median(ends), measure.unit)
        low = format_with_unit(min(ends), measure.unit)
        high = format_with_unit(max(ends), measure.unit)
        if len(ends) == 1:
            alone = (
                "This is the result of one seed: other seeds may be better or worse."
            )
            return Verdict(f"{measure.title}: {middle}.", alone)
        proved = " and ".join(
            f"as {mark.upper()} in {sum(proofs)}"
            for mark, (proofs,) in self._list_proofs().items()
        )
        return Verdict(
            f"{measure.title}: {middle}, from {low} to {high}.",
            f"The first number is the median of {len(ends)} seeds. The agent is unbeatable {proved} "
            "of these seeds. Choose a change to see whether it helps.",
        )

    def _list_proofs(self) -> dict[str, list[list[bool]]]:
        """Return seat -> whether the agent of each run is proved unbeatable, [sides, seeds done]."""
        return {
            seat: [[run.is_unbeatable[at] for run in side.runs] for side in self.sides]
            for at, seat in enumerate(SEATS)
        }

    @property
    def result_rows(self) -> list[ResultRow]:
        """The rows of the table of results, the chosen measure first."""
        usual = [
            self.measures[key]
            for key in (BLUNDERS_KEY, "random")
            if key in self.measures
        ]
        blunders = self.measures[BLUNDERS_KEY]
        decisions = format_count(self.site.game.decisions)
        rows = []
        for measure in {one.title: one for one in (self.measure, *usual)}.values():
            ends = self.list_final_values(measure)
            title = (
                f"Positions with a blunder (of {decisions})"
                if measure.title == blunders.title
                else measure.title
            )
            values = [format_with_unit(median(each), measure.unit) for each in ends]
            rows.append(
                self._build_result_row(title, values, ends, measure.more_is_better)
            )
        for seat, proved in self._list_proofs().items():
            values = [
                f"{sum(each)} of {self.finished_seed_count} seeds" for each in proved
            ]
            title = f"Unbeatable as {seat.upper()}"
            rows.append(
                self._build_result_row(title, values, proved, more_is_better=True)
            )
        return rows

    def _build_result_row(
        self,
        title: str,
        value_texts: list[str],
        final_values: Sequence[Sequence[float]],
        more_is_better: bool,
    ) -> ResultRow:
        contest = (
            build_contest(final_values, more_is_better=more_is_better)
            if self.baseline_name
            else None
        )
        return title, value_texts, contest


def build_duel(site: SiteData, main_recipe: str, query: Mapping[str, str]) -> Duel:
    """Return the comparison that a URL asks for, with the runs of its seeds.

    `main_recipe` is a canonical name. If the query asks for one seed, each recipe is trained with
    the seed in its own name. Raises BadRequest or NotFound if the query or a recipe is invalid.
    """
    baseline = query.get("ghost") or main_recipe
    baseline = site.lab.canonicalize(baseline) or baseline
    names = [baseline, main_recipe] if baseline != main_recipe else [main_recipe]
    recipes = [find_recipe(site, one) for one in names]
    wanted = int(read_choice("seeds", query, map(str, SEED_COUNTS), "1"))
    axis = read_choice("axis", query, (LINEAR_AXIS, LOGARITHMIC_AXIS))
    seeds = list_seeds(recipes[-1])
    if wanted > 1 and all(can_train_seeds(site, one, seeds) for one in recipes):
        runs = train_seeds(site, recipes, seeds, wanted)
    else:
        runs = [site.lab.train_seeds(one, [one.seed]) for one in recipes]
    measures = list_measures(site, [trained[0] for trained in runs])
    curve = read_choice("curve", query, measures, BLUNDERS_KEY)
    sides = name_sides_of_runs(site, names, recipes, runs)
    return Duel(site, sides, seeds, curve, axis)


def build_question(site: SiteData, main_recipe: str, query: Mapping[str, str]) -> str:
    """Return the question of a URL without its measure, as a heading while the recipes are trained."""
    recipe_b = find_recipe(site, main_recipe)
    recipe_a = find_recipe(site, query["ghost"]) if query.get("ghost") else recipe_b
    phrases = build_question_phrases(site, recipe_a, recipe_b, "")
    *phrases, _by, _measure, _end = phrases
    if recipe_a != recipe_b:
        return "".join(text for text, _ in phrases) + "?"
    start = [slot_id for _, slot_id in phrases].index(ALGORITHM_FIELD)
    return "".join(text for text, _ in phrases[start:])


def name_sides_of_runs(
    site: SiteData,
    recipe_names: Sequence[str],
    recipes: Sequence[Recipe],
    runs: Sequence[list[SeedRun]],
) -> list[Side]:
    """Return the sides of a comparison; a single recipe is side A."""
    labels = name_sides(site, *recipes) if len(recipes) == 2 else [("A", "")]
    return [
        Side(mark, one, recipe, *named, trained)
        for mark, one, recipe, named, trained in zip(
            "AB", recipe_names, recipes, labels, runs, strict=False
        )
    ]


def find_recipe(site: SiteData, recipe_name: str) -> Recipe:
    """Return the recipe with a name, or the recipe of the shipped agent with this id.

    Raises NotFound if there is no such algorithm, and BadRequest if a parameter is wrong.
    """
    if recipe_name in SHIPPED and recipe_name in site.agents:
        return SHIPPED[recipe_name].recipe
    try:
        return parse_recipe(recipe_name)
    except RecipeError as error:
        known = recipe_name.split(",", maxsplit=1)[0] in ALGORITHMS
        raise (BadRequest if known else NotFound)(format_error(error)) from error


def format_error(error: RecipeError) -> str:
    text = str(error)
    return text if text.endswith(".") else f"{capitalize_first_letter(text)}."


def list_seeds(recipe: Recipe) -> range:
    """Return the MAX_SEEDS consecutive seeds of a comparison, among them the recipe's own seed."""
    first = recipe.seed - recipe.seed % MAX_SEEDS
    return range(first, first + MAX_SEEDS)


def can_train_seeds(site: SiteData, recipe: Recipe, seeds: range) -> bool:
    """Return whether this server can train a recipe with all of these seeds.

    The server trains no networks. Games with a person belong to the one seed with which they were
    played.
    """
    # The last seed has the most digits, and the name of a recipe has a maximum length.
    last = recipe.with_seed(seeds[-1])
    return not recipe.has_opponent(PERSON_OPPONENT) and site.lab.can_train(last)


def train_seeds(
    site: SiteData, recipes: Sequence[Recipe], seeds: range, seed_count: int
) -> list[list[SeedRun]]:
    """Train recipes in batches; return the runs of each with the first `seed_count` seeds.

    If `seed_count` is more than one batch, recipe A is trained with all seeds, because visitors
    often keep A and change only B. Raises the errors of `Lab.train_seeds`.
    """
    of_a = seed_count if seed_count == SEED_BATCH_SIZE else len(seeds)
    trained = [of_a, seed_count][-len(recipes) :]
    results = []
    for recipe, end in zip(recipes, trained, strict=True):
        runs: list[SeedRun] = []
        for start in range(0, end, SEED_BATCH_SIZE):
            runs += site.lab.train_seeds(recipe, seeds[start : start + SEED_BATCH_SIZE])
        results.append(runs[:seed_count])
    return results


def list_seat_proofs(site: SiteData, agent: str) -> list[tuple[str, bool, str]]:
    """Return (mark, is unbeatable, URL) for each seat of an agent; an unbeatable seat comes first.

    The URL leads to the proof, or to a game that the agent loses.
    """
    lost = find_losing_games(site, agent)
    proofs = []
    for seat, record in sorted(lost.items(), key=lambda item: item[1] is not None):
        if record is None:
            url = certificate_url(agent, seat)
        else:
            match = build_match_against_person(agent, SEATS[seat], record).show_ply(0)
            url = play_url(replace(match, value_source=agent))
        proofs.append((MARKS[SEATS[seat]], record is None, url))
    return proofs
