"""What comes of two recipes, seed by seed, and whether they differ by more than luck.

A is the recipe as it was, B the changed one.  A seed of B is paired with the same seed of A.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from msgspec.structs import replace
from numpy.typing import NDArray

from app.experiments import Curves, Series, sign_test, summarize_seeds
from app.recipes import Recipe, RecipeError, name_recipe
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.tictactoe.report import Figures
from app.web import urls
from app.web.comparison import FIGURES
from app.web.facts import find_losing_game, judge_policy
from app.web.formatting import format_count, format_with_unit, join_words
from app.web.match import match_against_person, read_word
from app.web.on_demand import SeedRun
from app.web.pages.lab import form, wording
from app.web.pictures.curves import PERCENT, seeds_plot
from app.web.pictures.figures import Layout, lay_out_curves, miniature
from app.web.pictures.svg import Link, inline_plot
from app.web.pictures.tables import Table, TableCell, TableRow, table
from app.web.site_data import SiteData

SEEDS, FIRST = 20, 5  # of each recipe, and how many are shown first and come at a time
NUMBERS = (1, *range(FIRST, SEEDS + 1, FIRST))  # of seeds that can be asked for
LEVEL = 0.05  # a difference that luck shows less often than that is told
BLUNDERS, LOSSES, TASK = "blunders", "losses", "task"  # of FIGURES; the lab shows these
LINEAR, LOGARITHMIC = "linear", "logarithmic"
AXES = {"": "clearest axis", LINEAR: "linear axis", LOGARITHMIC: "logarithmic axis"}
TALL = 150.0  # pixels of a chart
POINTS = 50  # of a curve
SEED_LABEL = 16  # characters that fit below one of the two columns of seeds


Course = Callable[[Figures], Sequence[float]]  # a number for each snapshot


class Criterion(NamedTuple):
    """A figure of an agent at each snapshot of its training."""

    title: str
    short: str
    unit: str
    better: str  # "Fewer blunders"
    worse: str  # the same of a seed in which the other recipe is better: "more"
    more: bool  # whether more of it is better
    course: Course

    def end(self, run: SeedRun) -> float:
        """Return the figure of the trained agent."""
        return self.course(run.figures)[-1]


class Side(NamedTuple):
    """One of two recipes, with its runs: both have as many, and if several of the same seeds."""

    mark: str  # "A" or "B"
    name: str  # its one name
    recipe: Recipe
    label: str  # what tells it from the other in a chart: "α 0.8"
    phrase: str  # the same at the end of a sentence: "with α 0.8"
    runs: list[SeedRun]

    @property
    def title(self) -> str:
        """Its mark and its label."""
        return self.mark if self.label == self.mark else f"{self.mark}: {self.label}"


class Contest(NamedTuple):
    """In how many of some seeds each of two is better, and how likely so much is by luck alone."""

    a: int
    b: int
    seeds: int
    p: float  # of the exact two-sided sign test

    @property
    def better(self) -> str:
        """Which is better by more than luck after all seeds, "" if that is not shown."""
        if self.seeds < SEEDS or self.p >= LEVEL:
            return ""
        return "A" if self.a > self.b else "B"

    @property
    def ties(self) -> int:
        """In how many neither is better."""
        return self.seeds - self.a - self.b

    @property
    def leader(self) -> str:
        """The one that is better in more seeds, "" if neither is."""
        if self.a == self.b:
            return ""
        return "A" if self.a > self.b else "B"

    @property
    def words(self) -> str:
        """The result in a cell of a table, or how it stands so far."""
        if self.ties == self.seeds:
            return f"the same in {self.seeds} of {self.seeds}"
        if self.seeds == SEEDS and not self.better:
            return "no difference shown"
        same = f", the same in {self.ties}" if self.ties else ""
        if not self.leader:
            return f"A in {self.a}, B in {self.b}{same}"
        return f"{self.leader} in {max(self.a, self.b)} of {self.seeds}{same}"


class Fact(NamedTuple):
    """A row of what each comes to."""

    title: str
    values: list[str]  # of A and B, or of the only one
    contest: Contest | None


class Finding(NamedTuple):
    """What follows from the runs."""

    headline: str
    detail: str
    warning: str = ""  # comes before both where several things differ

    @property
    def text(self) -> str:
        """All of its sentences."""
        return " ".join(filter(None, [self.warning, self.headline, self.detail]))


class DuelCharts(NamedTuple):
    """Two recipes over their training, and seed by seed."""

    layout: Layout
    svg: Markup
    small: Markup  # the same without words
    table: Table
    seeds: Markup
    seed_table: Table


@dataclass(frozen=True, eq=False)
class Duel:
    """Two recipes, or one alone, over some seeds, and by what they are compared."""

    site: SiteData
    sides: Sequence[Side]  # A and B, or the only one
    seeds: range  # with which they are trained in the end
    curve: str  # of `measures`
    axis: str  # one of AXES; "" for that which shows a difference better

    @property
    def chosen(self) -> Side:
        """The recipe that is shown: B, or the only one."""
        return self.sides[-1]

    @property
    def ghost(self) -> str:
        """The name of A beside it, "" for nothing."""
        return self.sides[0].name if len(self.sides) == 2 else ""

    @property
    def done(self) -> int:
        """With how many they are."""
        return len(self.sides[0].runs)

    @cached_property
    def measures(self) -> dict[str, Criterion]:
        """What all can be measured by."""
        return measures(self.site, self.sides)

    @property
    def measure(self) -> Criterion:
        """By what they are compared."""
        return self.measures[self.curve]

    @cached_property
    def more(self) -> str:
        """The address with more seeds, "" if there are no more."""
        if not all(
            has_seeds(self.site, side.recipe, self.seeds) for side in self.sides
        ):
            return ""
        number = next((number for number in NUMBERS if number > self.done), None)
        return self.address(seeds=number) if number else ""

    def address(self, *names: str, **numbers: int | None) -> str:
        """Return where they are compared so, or others of these names: the chosen one first."""
        name, ghost = names or (self.chosen.name, self.ghost)
        return urls.lab(name, ghost, short_curve(self.curve), axis=self.axis, **numbers)

    def ends(self, measure: Criterion) -> list[list[float]]:
        """Return a figure of the trained agents of each recipe."""
        return [[measure.end(run) for run in side.runs] for side in self.sides]

    @property
    def medians(self) -> list[str]:
        """The medians of the figure in words."""
        measure = self.measure
        return [
            format_with_unit(median(values), measure.unit)
            for values in self.ends(measure)
        ]

    @cached_property
    def causes(self) -> list[str]:
        """The things that differ between A and B, each of them a possible cause."""
        recipes = [side.recipe for side in self.sides]
        return wording.name_causes(*recipes) if self.ghost else []

    def verdict(self, is_yes_or_no: bool) -> Finding:
        """Return the verdict on two recipes, or the median of one.

        `is_yes_or_no` says whether it answers a question; with several causes it answers none.
        """
        if not self.ghost:
            return self._of_one()
        warning = wording.warn_of_causes(self.causes)
        headline, detail = describe_contest(
            contest(self.ends(self.measure), more=self.measure.more),
            self.measure,
            {side.mark: side.phrase for side in self.sides},
            self.medians,
            is_yes_or_no and not warning,
        )
        if warning:
            detail = f"They differ in {join_words(self.causes)}. {detail}"
        return Finding(headline, detail, warning)

    def _of_one(self) -> Finding:
        measure, (ends,) = self.measure, self.ends(self.measure)
        middle, low, high = (
            format_with_unit(value, measure.unit)
            for value in (median(ends), min(ends), max(ends))
        )
        if len(ends) == 1:
            alone = "One seed: others may do better or worse."
            return Finding(f"{measure.title}: {middle}.", alone)
        proved = ", ".join(
            f"as {mark.upper()} in {sum(proofs)}"
            for mark, (proofs,) in self._proved().items()
        )
        return Finding(
            f"{measure.title}: {middle}, from {low} to {high}.",
            f"Median of {len(ends)} seeds. Unbeatable {proved}. "
            "Change something, or ask a question.",
        )

    def _proved(self) -> dict[str, list[list[bool]]]:
        """Return by seat of which seeds each recipe is proved to be unbeatable."""
        return {
            seat: [[run.unbeatable[at] for run in side.runs] for side in self.sides]
            for at, seat in enumerate(SEATS)
        }

    @property
    def facts(self) -> list[Fact]:
        """What each comes to, the measure that is chosen first."""
        usual = [
            self.measures[key] for key in (BLUNDERS, "random") if key in self.measures
        ]
        blunders, decisions = (
            self.measures[BLUNDERS].title,
            format_count(self.site.game.decisions),
        )
        rows = []
        for measure in {one.title: one for one in (self.measure, *usual)}.values():
            ends = self.ends(measure)
            title = measure.short + f", of {decisions}" * (measure.title == blunders)
            values = [format_with_unit(median(each), measure.unit) for each in ends]
            rows.append(self._fact(title, values, ends, measure.more))
        for seat, proved in self._proved().items():
            values = [f"{sum(each)} of {self.done}" for each in proved]
            rows.append(
                self._fact(f"Unbeatable as {seat.upper()}", values, proved, more=True)
            )
        return rows

    def _fact(
        self, title: str, values: list[str], ends: Sequence[Sequence[float]], more: bool
    ) -> Fact:
        return Fact(title, values, contest(ends, more=more) if self.ghost else None)

    @cached_property
    def figure(self) -> Curves:
        """The runs summed up over the axis."""
        axes = [LINEAR, LOGARITHMIC] if self.ghost else [LOGARITHMIC]
        axes = [self.axis] if self.axis else axes
        over = {
            one: [self._series(side, one) for side in self.sides[::-1]] for one in axes
        }

        def gap(axis: str) -> float:
            return float(
                np.abs(np.subtract(over[axis][0].median, over[axis][-1].median)).mean()
            )

        axis, measure = max(axes, key=gap), self.measure
        is_logarithmic = axis == LOGARITHMIC
        return Curves(
            measure.title,
            "Updates",
            measure.unit,
            over[axis],
            logarithmic=is_logarithmic,
        )

    def _series(self, side: Side, axis: str) -> Series:
        """Sum up the runs of a recipe over an axis; between two snapshots they are straight."""
        courses = [
            (run.figures.updates, self.measure.course(run.figures)) for run in side.runs
        ]
        end = max(1, *(updates[-1] for updates, _ in courses))

        def along(updates: Sequence[float]) -> NDArray[np.float64]:
            return (
                np.log1p(updates) if axis == LOGARITHMIC else np.asarray(updates, float)
            )

        low, high = along([1 if axis == LOGARITHMIC else 0, end])
        places = np.linspace(low, high, POINTS)
        points = np.expm1(places) if axis == LOGARITHMIC else places
        rows = [
            np.interp(places, along(updates), course).tolist()
            for updates, course in courses
        ]
        recipe = name_recipe(side.recipe.with_seed(0))
        return summarize_seeds(side.title, recipe, points.tolist(), rows, self.seeds[0])

    @cached_property
    def charts(self) -> DuelCharts:
        """The runs drawn as experiments do, and seed by seed."""
        site, measure, sides = self.site, self.measure, self.sides
        layout = lay_out_curves(self.figure, site, self.seeds[0], TALL)
        rows = list(zip(*self.ends(measure), strict=True))
        titles = [side.title for side in sides]
        texts = [
            [format_with_unit(value, measure.unit) for value in row] for row in rows
        ]
        seeds = [run.seed for run in sides[0].runs]
        links = []
        for at, row in enumerate(texts):
            names = [site.lab.seeded(side.recipe, side.runs[at].seed) for side in sides]
            to = urls.lab(names[-1], names[0] if self.ghost else "")
            links.append(Link(f"seed {seeds[at]}: {' → '.join(row)}", to))
        kinds = [_kind(row, measure.more) for row in rows]
        are_narrow = max(map(len, titles)) <= SEED_LABEL
        names = titles if are_narrow else [side.mark for side in sides]
        plot = seeds_plot(rows, names, kinds, links, TALL + 24, measure.unit)
        return DuelCharts(
            layout=layout,
            svg=inline_plot(layout.plot),
            small=miniature(site, self.figure),
            table=table(self.figure, site, self.seeds[0]),
            seeds=inline_plot(plot),
            seed_table=Table(
                "Seed",
                titles,
                [
                    TableRow(
                        TableCell(str(seed), link.href),
                        [TableCell(text) for text in row],
                    )
                    for seed, link, row in zip(seeds, links, texts, strict=True)
                ],
            ),
        )


def duel_of(site: SiteData, chosen: str, query: Mapping[str, str]) -> Duel:
    """Train A and B, or the only one, with as many seeds as are asked for; 1 is their own.

    `chosen` is a canonical name.
    Raises BadRequest or NotFound with a sentence on what is wrong.
    """
    ghost = query.get("ghost") or chosen
    ghost = site.lab.canonical(ghost) or ghost
    names = [ghost, chosen] if ghost != chosen else [chosen]
    recipes = [
        form.recipe_of(site, one) for one in names
    ]  # which says so if there is none
    wanted = int(read_word("seeds", query, map(str, NUMBERS), "1"))
    axis = read_word("axis", query, (LINEAR, LOGARITHMIC))
    seeds = seeds_of(recipes[-1])
    if wanted > 1 and all(has_seeds(site, one, seeds) for one in recipes):
        runs = runs_of(site, recipes, seeds, wanted)
    else:
        runs = [site.lab.seeds(one, [one.seed]) for one in recipes]
    called = (
        wording.name_sides(site, *recipes)
        if len(recipes) == 2
        else [wording.Names("A", "")]
    )
    sides = [
        Side(mark, one, recipe, *named, trained)
        for mark, one, recipe, named, trained in zip(
            "AB", names, recipes, called, runs, strict=False
        )
    ]
    curve = read_word("curve", query, measures(site, sides), BLUNDERS)
    return Duel(site, sides, seeds, curve, axis)


def seeds_of(recipe: Recipe) -> range:
    """Return the twenty seeds that a recipe's own is among; each of them has the same twenty."""
    first = recipe.seed - recipe.seed % SEEDS
    return range(first, first + SEEDS)


def has_seeds(site: SiteData, recipe: Recipe, seeds: range) -> bool:
    """Whether a recipe is trained here with other seeds.

    Of a network there is the shipped one, and who was taught by a person met that one's answers.
    """
    if site.is_taught(name_recipe(recipe)):
        return False
    try:
        last = site.lab.seeded(recipe, seeds[-1])  # the longest of the names
    except RecipeError:
        return False
    return site.agents.knows(last)


def runs_of(
    site: SiteData, recipes: Sequence[Recipe], seeds: range, number: int
) -> list[list[SeedRun]]:
    """Train recipes with the first `number` of some seeds, a few at a time, and return the runs.

    The first few of each come before anybody's next.  Then the first of two recipes has all of them
    before the other goes on: every next change is compared with it.
    Raises what `Lab.seeds` raises.
    """
    trained = [number if number == FIRST else len(seeds), number][-len(recipes) :]
    return [
        [
            run
            for start in range(0, end, FIRST)
            for run in site.lab.seeds(recipe, seeds[start : start + FIRST])
        ][:number]
        for recipe, end in zip(recipes, trained, strict=True)
    ]


def measures(site: SiteData, sides: Sequence[Side]) -> dict[str, Criterion]:
    """Return what all recipes can be measured by; an opponent's id is one of the keys."""
    courses: dict[str, tuple[str, str, Course]] = {
        BLUNDERS: ("Fewer blunders", "more", lambda figures: figures.blunders),
        LOSSES: ("Fewer losses to the best responder", "more", _share(2)),
        TASK: (
            "Nearer to the exact values",
            "farther",
            lambda figures: figures.task.mean if figures.task else [],
        ),
    }
    there = {
        kind: Criterion(
            title=FIGURES[kind].one,
            short=FIGURES[kind].short,
            unit=PERCENT * (kind == LOSSES),
            better=better,
            worse=worse,
            more=False,
            course=course,
        )
        for kind, (better, worse, course) in courses.items()
    }
    if not all(side.runs[0].figures.task for side in sides):
        del there[TASK]
    for opponent in sides[0].runs[0].figures.vs:
        title = site.titles[opponent]
        if all(
            judge_policy(site, opponent).unbeatable.values()
        ):  # no opponent wins against it
            words, short = f"Fewer games lost to {title}", f"Lost to {title}"
            course = _share(2, opponent)
            there[opponent] = Criterion(
                short, short, PERCENT, words, "more", False, course
            )
        else:
            words, short = f"More games won against {title}", f"Won against {title}"
            course = _share(0, opponent)
            there[opponent] = Criterion(
                short, short, PERCENT, words, "fewer", True, course
            )
    return there


def _share(outcome: int, opponent: str = "") -> Course:
    """Return the course of the share of games in both seats with an outcome, in percent.

    They are against an opponent, or against the best responder.
    """

    def course(figures: Figures) -> list[float]:
        chances = figures.vs[opponent] if opponent else figures.best_response
        seats = zip(chances.x, chances.o, strict=True)
        return [round(50 * (x[outcome] + o[outcome]), 7) for x, o in seats]

    return course


def contest(ends: Sequence[Sequence[float]], more: bool) -> Contest:
    """Compare a number of two recipes, seed by seed: [2, R]."""
    a, b = ends
    above = sum(one > other for one, other in zip(a, b, strict=True))
    below = sum(one < other for one, other in zip(a, b, strict=True))
    wins = (above, below) if more else (below, above)
    return Contest(*wins, len(a), sign_test(a, b))


def describe_contest(
    result: Contest,
    measure: Criterion,
    phrases: Mapping[str, str],
    medians: Sequence[str],
    is_yes_or_no: bool,
) -> tuple[str, str]:
    """Return the verdict on two recipes as a headline and more sentences.

    `phrases` tell A from B ("with α 0.8"), and `medians` are theirs of the measure.
    """
    if result.seeds == 1:
        return (
            f"One seed each, and no verdict: {' beside '.join(medians)}.",
            f"{measure.title}, first of A, then of B. The difference may be luck.",
        )
    if result.seeds < SEEDS:
        after = f"The verdict comes after {SEEDS} seeds of each."
        return f"So far: {_describe_lead(result, measure, phrases)}.", after
    if result.ties == SEEDS:
        return (
            "No difference: the same in every seed.",
            f"{measure.title}, {SEEDS} seeds.",
        )
    score, test = (
        _describe_score(result, measure),
        f"exact sign test, seed by seed, {chance(result.p)}",
    )
    better = f"{measure.better} {phrases[result.leader or 'B']}"
    if not result.better:
        luck = f"luck alone may do that ({test})"
        return f"No difference that {SEEDS} seeds show.", f"{better} {score}: {luck}."
    detail = f"{_capitalize(score)} ({test})."
    if not is_yes_or_no:
        return f"{better}.", detail
    answer = "Yes" if result.better == "B" else "No"
    return f"{answer}: {better[0].lower()}{better[1:]}.", detail


def _describe_lead(
    result: Contest, measure: Criterion, phrases: Mapping[str, str]
) -> str:
    """Say who is ahead before all seeds are trained."""
    if result.leader:
        lead = f"{measure.better} {phrases[result.leader]}"
        return f"{lead} {_describe_score(result, measure)}"
    if result.ties == result.seeds:
        return f"the same in {result.seeds} of {result.seeds} seeds"
    return f"neither is ahead in {result.seeds} seeds"


def _describe_score(result: Contest, measure: Criterion) -> str:
    """Return in how many seeds the recipe that leads is better, worse and the same."""
    wins, losses = max(result.a, result.b), min(result.a, result.b)
    score = f"in {wins} of {result.seeds} seeds"
    if losses:
        score += f", {measure.worse} in {losses}"
    if result.ties:
        score += f", the same in {result.ties}"
    return score


def _capitalize(text: str) -> str:
    return text[0].upper() + text[1:]


def short_curve(curve: str) -> str:
    """Return a measure as addresses name it: the usual one is left out."""
    return "" if curve == BLUNDERS else curve


def chance(p: float) -> str:
    """Write how likely something is by luck alone."""
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def _kind(row: Sequence[float], more: bool) -> str:
    """Return how the line of a seed looks: B better, worse or neither."""
    if len(row) == 1 or row[0] == row[1]:
        return "soft"
    return "accent" if (row[1] > row[0]) == more else "dashed loss"


def proofs(site: SiteData, agent: str) -> list[tuple[str, str]]:
    """Say in one sentence who can beat an agent: its parts, and where each leads, if anywhere."""
    lost = {
        seat: find_losing_game(site, agent, player) for seat, player in SEATS.items()
    }
    if not any(record is not None for record in lost.values()):
        return [
            ("Unbeatable: ", ""),
            ("proved as X", urls.certificate(agent, "x")),
            (" and ", ""),
            ("as O", urls.certificate(agent, "o")),
            (".", ""),
        ]
    parts: list[tuple[str, str]] = []
    for seat, record in sorted(lost.items(), key=lambda item: item[1] is not None):
        mark = MARKS[SEATS[seat]]
        if record is None:
            proof = urls.certificate(agent, seat)
            parts += [("Unbeatable as ", ""), (f"{mark}, proved", proof)]
        else:
            match = replace(
                match_against_person(agent, SEATS[seat], record).at(0), lens=agent
            )
            words = (
                [("; ", ""), (f"as {mark} ", "")] if parts else [(f"As {mark} ", "")]
            )
            parts += [*words, ("this game beats it", urls.play(match))]
    return [*parts, (".", "")]
