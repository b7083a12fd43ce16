"""A comparison of two recipes, or the results of a single recipe.

Recipe A is the baseline, and recipe B is compared with it. Both are trained with the same seeds,
and their results are compared seed by seed.
"""

from collections.abc import Sequence
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
    format_with_unit,
    join_words,
    lower_first_letter,
)
from app.web.links.agents import proof_url
from app.web.links.lab import BLUNDERS_KEY, lab_url
from app.web.links.play import play_url
from app.web.match import build_match_against_person, read_choice
from app.web.on_demand import SeedRun
from app.web.pages.lab.change import ALGORITHM_FIELD
from app.web.pages.lab.menus import RecipePair
from app.web.pages.lab.question import build_question_phrases, find_yes_variant
from app.web.pages.lab.verdict import (
    LOSSES_KEY,
    MAX_SEEDS,
    LabMeasure,
    PairedSignTest,
    Verdict,
    build_verdict,
    list_measures,
    run_sign_test,
)
from app.web.pages.lab.wording import name_causes, name_variants, warn_of_causes
from app.web.routes import Query
from app.web.site_data import SiteData

# If the better recipe is worse by one of these measures, the verdict says so.
CONTRADICTING_MEASURES = (BLUNDERS_KEY, LOSSES_KEY, "random")
SEED_BATCH_SIZE = 5
LINEAR_AXIS, LOGARITHMIC_AXIS = "linear", "logarithmic"
AXIS_TITLES = {
    "": "automatic axis",
    LINEAR_AXIS: "linear axis",
    LOGARITHMIC_AXIS: "logarithmic axis",
}


class Variant(NamedTuple):
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
ResultRow = tuple[str, list[str], PairedSignTest | None]


@dataclass(frozen=True, eq=False)
class RecipeComparison:
    """A comparison of recipes A and B by a measure, or the results of a single recipe."""

    site: SiteData
    # [A, B], or the single recipe
    variants: Sequence[Variant]
    seeds: range
    # a key of `measures`
    measure_key: str
    # a key of AXIS_TITLES; "" chooses the axis on which the medians are farther apart
    axis_key: str

    @property
    def main_variant(self) -> Variant:
        """Recipe B, or the single recipe."""
        return self.variants[-1]

    @property
    def baseline_name(self) -> str:
        """The name of recipe A, "" for a single recipe."""
        return self.variants[0].recipe_name if len(self.variants) == 2 else ""

    @property
    def finished_seed_count(self) -> int:
        return len(self.variants[0].runs)

    @cached_property
    def measures(self) -> dict[str, LabMeasure]:
        return list_measures(self.site, [variant.runs[0] for variant in self.variants])

    @property
    def measure(self) -> LabMeasure:
        return self.measures[self.measure_key]

    @property
    def recipe_pair(self) -> RecipePair:
        return RecipePair(
            self.site,
            self.variants[0].recipe,
            self.main_variant.recipe,
            self.measure_key,
            self.axis_key,
        )

    @property
    def question_phrases(self) -> list[tuple[str, str]]:
        """The question as (text, menu id); the id is "" for words without a menu."""
        _, recipe_a, recipe_b, *_ = self.recipe_pair
        return build_question_phrases(self.site, recipe_a, recipe_b, self.measure.noun)

    @property
    def question(self) -> str:
        """The question in words; for a single recipe its algorithm, training and measure."""
        phrases = self.question_phrases
        if self.baseline_name:
            return "".join(text for text, _ in phrases)
        start = [menu_id for _, menu_id in phrases].index(ALGORITHM_FIELD)
        return "".join(text for text, _ in phrases[start:-1])

    @cached_property
    def more_seeds_url(self) -> str:
        if not all(
            can_train_seeds(self.site, variant.recipe, self.seeds)
            for variant in self.variants
        ):
            return ""
        finished = self.finished_seed_count
        size = choose_batch_size([variant.recipe for variant in self.variants])
        number = finished - finished % size + size
        return self.build_url(seeds=number) if finished < MAX_SEEDS else ""

    @property
    def is_stored(self) -> bool:
        """Whether the runs were trained before the server started."""
        return all(
            self.site.on_demand.has_stored_runs(variant.recipe)
            for variant in self.variants
        )

    @property
    def all_seeds_url(self) -> str:
        """The URL of this comparison with as many seeds as this server can train, up to MAX_SEEDS."""
        all_seeds = self.more_seeds_url or self.finished_seed_count == MAX_SEEDS
        return self.build_url(seeds=MAX_SEEDS if all_seeds else None)

    def build_url(self, **numbers: int | None) -> str:
        return self.build_pair_url(
            self.main_variant.recipe_name, self.baseline_name, **numbers
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
        """Return the measure of each trained agent, [recipes, seeds]."""
        return [
            [measure.get_final_value(run) for run in variant.runs]
            for variant in self.variants
        ]

    @property
    def medians(self) -> list[float]:
        return [median(values) for values in self.list_final_values(self.measure)]

    @cached_property
    def causes(self) -> list[str]:
        """The names of the differences that can explain different results."""
        recipes = [variant.recipe for variant in self.variants]
        return name_causes(*recipes) if self.baseline_name else []

    @cached_property
    def sign_test(self) -> PairedSignTest | None:
        if not self.baseline_name:
            return None
        return run_sign_test(
            self.list_final_values(self.measure), self.measure.more_is_better
        )

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on two recipes, or the median of a single recipe."""
        if self.sign_test is None:
            return self._describe_single_recipe()
        warning = warn_of_causes(self.causes)
        recipes = [variant.recipe for variant in self.variants]
        yes_variant = find_yes_variant(*recipes) if len(self.causes) == 1 else ""
        verdict = build_verdict(
            self.sign_test,
            self.measure,
            {variant.letter: variant.sentence_end for variant in self.variants},
            self.medians,
            yes_variant,
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
        better = self.sign_test.better_variant if self.sign_test else ""
        for key in CONTRADICTING_MEASURES:
            other = self.measures.get(key)
            if not better or other is None or other == self.measure:
                continue
            sign_test = run_sign_test(
                self.list_final_values(other), other.more_is_better
            )
            if sign_test.better_variant not in ("", better):
                variant = next(
                    each
                    for each in self.variants
                    if each.letter == sign_test.better_variant
                )
                return f"But {lower_first_letter(other.better_phrase)} {variant.sentence_end}."
        return ""

    def _describe_single_recipe(self) -> Verdict:
        measure, (ends,) = self.measure, self.list_final_values(self.measure)
        middle = format_with_unit(median(ends), measure.unit)
        low = format_with_unit(min(ends), measure.unit)
        high = format_with_unit(max(ends), measure.unit)
        if len(ends) == 1:
            alone = "This is the result of one seed. Others may be better or worse."
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
        return {
            seat: [
                [run.is_unbeatable[at] for run in variant.runs]
                for variant in self.variants
            ]
            for at, seat in enumerate(SEATS)
        }

    @property
    def result_rows(self) -> list[ResultRow]:
        """The rows of the table of results; the first one is the chosen measure."""
        usual = [
            self.measures[key]
            for key in (BLUNDERS_KEY, "random")
            if key in self.measures
        ]
        rows = []
        for measure in {one.title: one for one in (self.measure, *usual)}.values():
            ends = self.list_final_values(measure)
            values = [format_with_unit(median(each), measure.unit) for each in ends]
            rows.append(
                self._build_result_row(
                    measure.title, values, ends, measure.more_is_better
                )
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
        sign_test = (
            run_sign_test(final_values, more_is_better=more_is_better)
            if self.baseline_name
            else None
        )
        return title, value_texts, sign_test


def build_recipe_comparison(
    site: SiteData, main_recipe: str, query: Query
) -> RecipeComparison:
    """Train the recipes in the query, with its number of seeds, and return their comparison.

    `main_recipe` is a canonical name. Without a number of seeds in the query, all seeds are shown
    if their runs are stored, otherwise only the seed in the recipe's name. Raises BadRequest or
    NotFound if the query or a recipe is invalid.
    """
    baseline = query.get("ghost") or main_recipe
    baseline = site.on_demand.canonicalize(baseline) or baseline
    names = [baseline, main_recipe] if baseline != main_recipe else [main_recipe]
    recipes = [find_recipe(site, one) for one in names]
    are_stored = all(site.on_demand.has_stored_runs(recipe) for recipe in recipes)
    default = MAX_SEEDS if are_stored else 1
    wanted = int(
        read_choice("seeds", query, map(str, range(1, MAX_SEEDS + 1)), str(default))
    )
    axis = read_choice("axis", query, (LINEAR_AXIS, LOGARITHMIC_AXIS))
    seeds = list_seeds(recipes[-1])
    if wanted > 1 and (
        are_stored or all(can_train_seeds(site, one, seeds) for one in recipes)
    ):
        runs = train_seeds(site, recipes, seeds, wanted)
    else:
        runs = [site.on_demand.train_seeds(one, [one.seed]) for one in recipes]
    measures = list_measures(site, [trained[0] for trained in runs])
    curve = read_choice("curve", query, measures, BLUNDERS_KEY)
    variants = build_variants(site, names, recipes, runs)
    return RecipeComparison(site, variants, seeds, curve, axis)


def build_question(site: SiteData, main_recipe: str, query: Query) -> str:
    """Return the question of a URL without its measure, while the recipes are being trained."""
    recipe_b = find_recipe(site, main_recipe)
    recipe_a = find_recipe(site, query["ghost"]) if query.get("ghost") else recipe_b
    phrases = build_question_phrases(site, recipe_a, recipe_b, "")
    *phrases, _by, _measure, _end = phrases
    if recipe_a != recipe_b:
        return "".join(text for text, _ in phrases) + "?"
    start = [menu_id for _, menu_id in phrases].index(ALGORITHM_FIELD)
    return "".join(text for text, _ in phrases[start:])


def build_variants(
    site: SiteData,
    recipe_names: Sequence[str],
    recipes: Sequence[Recipe],
    runs: Sequence[list[SeedRun]],
) -> list[Variant]:
    labels = name_variants(site, *recipes) if len(recipes) == 2 else [("A", "")]
    return [
        Variant(mark, one, recipe, *named, trained)
        for mark, one, recipe, named, trained in zip(
            "AB", recipe_names, recipes, labels, runs, strict=False
        )
    ]


def find_recipe(site: SiteData, recipe_name: str) -> Recipe:
    """Return the recipe with this name, or the recipe of the site's agent with this id.

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
    """Return MAX_SEEDS consecutive seeds, among them the recipe's own."""
    first = recipe.seed - recipe.seed % MAX_SEEDS
    return range(first, first + MAX_SEEDS)


def can_train_seeds(site: SiteData, recipe: Recipe, seeds: range) -> bool:
    """Return whether this server can train a recipe with all of these seeds.

    It trains no networks, and games with a person have only the seed with which they were played.
    """
    # The last seed has the most digits, and the name of a recipe has a maximum length.
    last = recipe.with_seed(seeds[-1])
    return not recipe.has_opponent(PERSON_OPPONENT) and site.on_demand.can_train(last)


def train_seeds(
    site: SiteData, recipes: Sequence[Recipe], seeds: range, seed_count: int
) -> list[list[SeedRun]]:
    """Train recipes in batches, and return their runs with the first `seed_count` seeds.

    Raises the errors of `AgentsOnDemand.train_seeds`.
    """
    size = choose_batch_size(recipes)
    results: list[list[SeedRun]] = [[] for _ in recipes]
    for start in range(0, seed_count, size):
        for recipe, runs in zip(recipes, results, strict=True):
            batch = seeds[start : min(start + size, seed_count)]
            runs.extend(site.on_demand.train_seeds(recipe, batch))
    return results


def choose_batch_size(recipes: Sequence[Recipe]) -> int:
    """Return how many seeds are trained before the page shows new results."""
    # Learners with a fault are not compiled: one training takes as long as many others.
    is_slow = any(getattr(recipe, "fault", "none") != "none" for recipe in recipes)
    return 1 if is_slow else SEED_BATCH_SIZE


def list_seat_proofs(site: SiteData, agent: str) -> list[tuple[str, bool, str]]:
    """Return ("X" or "O", is unbeatable, URL of the proof or of a lost game), proofs first."""
    lost = find_losing_games(site, agent)
    proofs = []
    for seat, record in sorted(lost.items(), key=lambda item: item[1] is not None):
        if record is None:
            url = proof_url(agent, seat)
        else:
            match = build_match_against_person(agent, SEATS[seat], record).show_ply(0)
            url = play_url(replace(match, value_source=agent))
        proofs.append((MARKS[SEATS[seat]], record is None, url))
    return proofs
