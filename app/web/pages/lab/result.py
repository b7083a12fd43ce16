"""What comes of two recipes, seed by seed, and whether they differ by more than luck.

A is the recipe as it was, B the changed one.  A seed of B is paired with the same seed of A.
"""

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from msgspec.structs import replace
from numpy.typing import NDArray

from app.experiments import Curves, Series, sign_test, summed_up
from app.recipes import Recipe, RecipeError, name
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.tictactoe.report import Figures
from app.web import addresses
from app.web.comparison import FIGURES
from app.web.match import against_person
from app.web.numbers import count
from app.web.pictures.curves import PERCENT, seeds_plot
from app.web.pictures.figures import Layout, lay_out_curves
from app.web.pictures.miniatures import miniature
from app.web.pictures.scales import with_unit
from app.web.pictures.svg import Link, inline_plot
from app.web.pictures.tables import Table, TableCell, TableRow, table
from app.web.service.on_demand import SeedRun
from app.web.world import World

SEEDS, FIRST = 20, 5  # of each recipe, and how many are shown first and come at a time
LEVEL = 0.05  # a difference that luck shows less often than that is told
BLUNDERS, LOSSES, TASK = "blunders", "losses", "task"  # of FIGURES; the lab shows these
LINEAR, LOGARITHMIC = AXES = "linear", "logarithmic"
TALL = 150.0  # pixels of a chart
POINTS = 50  # of a curve


Course = Callable[[Figures], Sequence[float]]  # a number for each snapshot


class Criterion(NamedTuple):
    """A figure of an agent at each snapshot of its training."""

    title: str
    short: str
    unit: str
    better: str  # "Fewer blunders"
    more: bool  # whether more of it is better
    course: Course

    def end(self, run: SeedRun) -> float:
        """Return the figure of the trained agent."""
        return self.course(run.figures)[-1]


class Side(NamedTuple):
    """One of two recipes, with its runs: those of the same place in two of them have one seed."""

    mark: str  # "A" or "B"
    name: str  # its one name
    recipe: Recipe
    label: str  # what tells it from the other
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
    def words(self) -> str:
        """Say how it ended, or how it stands."""
        if self.seeds == SEEDS and not self.better:
            return "no difference shown"
        mark, wins, losses = ("A", self.a, self.b) if self.a > self.b else ("B", self.b, self.a)
        ties = self.seeds - self.a - self.b
        return (
            f"{mark} in {wins} of {self.seeds}"
            if not ties
            else f"{mark} in {wins}, not in {losses}"
        )


class Fact(NamedTuple):
    """A row of what each comes to."""

    title: str
    values: list[str]  # of A and B, or of the only one
    contest: Contest | None


class Finding(NamedTuple):
    """What follows, in a sentence and in one more."""

    headline: str
    detail: str


class DuelCharts(NamedTuple):
    """Two recipes over their training, and seed by seed."""

    layout: Layout
    svg: Markup
    small: Markup  # the same without words
    table: Table
    seeds: Markup
    seed_table: Table


def seeds_of(recipe: Recipe) -> range:
    """Return the twenty seeds that a recipe's own is among; each of them has the same twenty."""
    first = recipe.seed - recipe.seed % SEEDS
    return range(first, first + SEEDS)


def has_seeds(world: World, recipe: Recipe, seeds: range) -> bool:
    """Whether a recipe is trained here with other seeds.

    Of a network there is the shipped one, and who was taught by a person met that one's answers.
    """
    if world.is_taught(name(recipe)):
        return False
    try:
        last = world.lab.seeded(recipe, seeds[-1])  # the longest of the names
    except RecipeError:
        return False
    return world.agents.knows(last)


def own_run(world: World, agent: str) -> SeedRun:
    """Return the run that is an agent itself, which need not be at hand for it."""
    recipe = world.recipe(agent)
    return world.lab.seeds(recipe, [recipe.seed])[0]


def runs_of(
    world: World, recipes: Sequence[Recipe], seeds: range, number: int
) -> list[list[SeedRun]]:
    """Train recipes with the first `number` of some seeds, a few at a time, and return the runs.

    The first few of each come before anybody's next.  Then the first of two recipes has all of them
    before the other goes on: every next change is compared with it.
    Raises what `world.lab.seeds` raises.
    """
    trained = [number if number == FIRST else len(seeds), number][-len(recipes) :]
    return [
        [
            run
            for start in range(0, end, FIRST)
            for run in world.lab.seeds(recipe, seeds[start : start + FIRST])
        ][:number]
        for recipe, end in zip(recipes, trained, strict=True)
    ]


def measures(world: World, sides: Sequence[Side]) -> dict[str, Criterion]:
    """Return what all recipes can be measured by; an opponent's id is one of the keys."""
    courses: dict[str, tuple[str, Course]] = {
        BLUNDERS: ("Fewer blunders", lambda figures: figures.blunders),
        LOSSES: ("Fewer losses to the best responder", _share(2)),
        TASK: (
            "Nearer to the exact values",
            lambda figures: figures.task.mean if figures.task else [],
        ),
    }
    there = {
        kind: Criterion(
            FIGURES[kind].one, FIGURES[kind].short, PERCENT * (kind == LOSSES), words, False, course
        )
        for kind, (words, course) in courses.items()
    }
    if not all(side.runs[0].figures.task for side in sides):
        del there[TASK]
    for opponent in sides[0].runs[0].figures.vs:
        title = world.titles[opponent]
        if all(world.judgement(opponent).unbeatable.values()):  # no opponent wins against it
            words, short = f"Fewer games lost to {title}", f"Lost to {title}"
            there[opponent] = Criterion(short, short, PERCENT, words, False, _share(2, opponent))
        else:
            words, short = f"More games won against {title}", f"Won against {title}"
            there[opponent] = Criterion(short, short, PERCENT, words, True, _share(0, opponent))
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


def facts(world: World, sides: Sequence[Side], chosen: Criterion) -> list[Fact]:
    """Return what each comes to, the measure that is chosen first."""
    there = measures(world, sides)
    usual = [there[BLUNDERS], *([there["random"]] if "random" in there else [])]
    known = {measure.title: measure for measure in (chosen, *usual)}
    rows = [
        Fact(
            f"{measure.short}, of {count(world.game.decisions)}"
            if measure.title == there[BLUNDERS].title
            else measure.short,
            [with_unit(median(values), measure.unit) for values in ends],
            contest(ends, more=measure.more) if len(ends) == 2 else None,
        )
        for measure in known.values()
        for ends in [ends_of(sides, measure)]
    ]
    number = len(ends_of(sides, chosen)[0])
    for seat, mark in enumerate(SEATS):
        proofs = [[run.unbeatable[seat] for run in side.runs[:number]] for side in sides]
        rows.append(
            Fact(
                f"Unbeatable as {mark.upper()}",
                [f"{sum(proved)} of {number}" for proved in proofs],
                contest(proofs, more=True) if len(proofs) == 2 else None,
            )
        )
    return rows


def ends_of(sides: Sequence[Side], measure: Criterion) -> list[list[float]]:
    """Return a figure of the trained agents of each recipe, of the seeds that all have."""
    number = min(len(side.runs) for side in sides)
    return [[measure.end(run) for run in side.runs[:number]] for side in sides]


def medians(sides: Sequence[Side], measure: Criterion) -> list[str]:
    """Return the medians of a figure in words."""
    return [with_unit(median(values), measure.unit) for values in ends_of(sides, measure)]


def verdict(sides: Sequence[Side], measure: Criterion, is_yes_or_no: bool) -> Finding:
    """Say whether one of two recipes is better, or what comes of one."""
    if len(sides) == 1:
        return _of_one(sides[0], measure)
    a, b = sides
    result = contest(ends_of(sides, measure), more=measure.more)
    lead = a if result.a > result.b else b
    wins, losses = max(result.a, result.b), min(result.a, result.b)
    how = f"with {lead.label}" if a.recipe.slug == b.recipe.slug else f"by {lead.label}"
    better = f"{measure.better} {how}"
    ties = result.seeds - wins - losses
    score = f"in {wins} of {result.seeds} seeds"
    if losses:
        score += f", more in {losses}" if not measure.more else f", fewer in {losses}"
    score += f", the same in {ties}" * bool(ties)
    if result.seeds == 1:
        beside = " beside ".join(medians(sides, measure))
        return Finding(
            f"One seed each, and no verdict: {beside}.",
            f"{measure.title}, {a.label} beside {b.label}. That may be luck.",
        )
    if result.seeds < SEEDS:
        so_far = (
            f"{better} {score}" if wins > losses else f"neither is ahead in {result.seeds} seeds"
        )
        return Finding(f"So far: {so_far}.", f"The verdict comes after {SEEDS} seeds of each.")
    test = f"exact sign test, seed by seed, {chance(result.p)}"
    if wins == losses == 0:
        return Finding("No difference: the same in every seed.", f"{measure.title}, {SEEDS} seeds.")
    if not result.better:
        return Finding(
            f"No difference that {SEEDS} seeds show.",
            f"{better} {score}: luck alone may do that ({test}).",
        )
    answer = {"A": "No: ", "B": "Yes: "}[lead.mark] if is_yes_or_no else ""
    text = f"{answer}{better[0].lower() if answer else better[0]}{better[1:]}."
    return Finding(text, f"{score[0].upper()}{score[1:]} ({test}).")


def _of_one(side: Side, measure: Criterion) -> Finding:
    ends = [measure.end(run) for run in side.runs]
    middle, low, high = (
        with_unit(value, measure.unit) for value in (median(ends), min(ends), max(ends))
    )
    proofs = ", ".join(
        f"as {mark.upper()} in {sum(run.unbeatable[seat] for run in side.runs)}"
        for seat, mark in enumerate(SEATS)
    )
    if len(ends) == 1:
        return Finding(f"{measure.title}: {middle}.", "One seed: others may do better or worse.")
    return Finding(
        f"{measure.title}: {middle}, from {low} to {high}.",
        f"Median of {len(ends)} seeds. Unbeatable {proofs}. Change something, or ask a question.",
    )


def chance(p: float) -> str:
    """Write how likely something is by luck alone."""
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def curves_of(sides: Sequence[Side], measure: Criterion, seeds: range, axis: str = "") -> Curves:
    """Sum up the runs over one of AXES; without, over that which shows a difference better."""

    axes = [axis] if axis else AXES if len(sides) == 2 else [LOGARITHMIC]
    over = {one: [_series(side, measure, one, seeds[0]) for side in sides[::-1]] for one in axes}

    def gap(axis: str) -> float:
        return float(np.abs(np.subtract(over[axis][0].median, over[axis][-1].median)).mean())

    clearest = max(axes, key=gap)
    is_logarithmic = clearest == LOGARITHMIC
    return Curves(
        measure.title, "Updates", measure.unit, over[clearest], logarithmic=is_logarithmic
    )


def charts(
    world: World, sides: Sequence[Side], measure: Criterion, seeds: range, figure: Curves
) -> DuelCharts:
    """Draw runs as experiments do, and seed by seed."""
    layout = lay_out_curves(figure, world, seeds[0], TALL)
    columns = ends_of(sides, measure)
    names = [[world.lab.seeded(side.recipe, run.seed) for run in side.runs] for side in sides]
    rows = list(zip(*columns, strict=True))
    links = [
        Link(
            f"seed {run.seed}: {' → '.join(with_unit(value, measure.unit) for value in row)}",
            addresses.lab(names[-1][at], names[0][at] if len(names) == 2 else ""),
        )
        for at, (run, row) in enumerate(zip(sides[0].runs, rows, strict=False))
    ]
    kinds = [_kind(row, measure.more) for row in rows]
    plot = seeds_plot(rows, [side.title for side in sides], kinds, links, TALL + 24, measure.unit)
    return DuelCharts(
        layout=layout,
        svg=inline_plot(layout.plot),
        small=miniature(world, figure),
        table=table(figure, world, seeds[0]),
        seeds=inline_plot(plot),
        seed_table=Table(
            "Seed",
            [side.title for side in sides],
            [
                TableRow(
                    TableCell(str(sides[0].runs[at].seed), link.href),
                    [TableCell(with_unit(value, measure.unit)) for value in row],
                )
                for at, (link, row) in enumerate(zip(links, rows, strict=True))
            ],
        ),
    )


def _series(side: Side, measure: Criterion, axis: str, first_seed: int) -> Series:
    """Sum up the runs of a recipe over an axis; between two snapshots they are straight on it."""
    courses = [(run.figures.updates, measure.course(run.figures)) for run in side.runs]
    end = max(1, *(updates[-1] for updates, _ in courses))

    def along(updates: Sequence[float]) -> NDArray[np.float64]:
        return np.log1p(updates) if axis == LOGARITHMIC else np.asarray(updates, float)

    low, high = along([1 if axis == LOGARITHMIC else 0, end])
    places = np.linspace(low, high, POINTS)
    points = np.expm1(places) if axis == LOGARITHMIC else places
    rows = [np.interp(places, along(updates), course).tolist() for updates, course in courses]
    recipe = name(side.recipe.with_seed(0))
    return summed_up(side.title, recipe, points.tolist(), rows, first_seed)


def _kind(row: Sequence[float], more: bool) -> str:
    """Return how the line of a seed looks: B better, worse or neither."""
    if len(row) == 1 or row[0] == row[1]:
        return "soft"
    return "accent" if (row[1] > row[0]) == more else "dashed loss"


def proofs(world: World, agent: str) -> list[tuple[str, str]]:
    """Say in one sentence who can beat an agent: its parts, and where each leads, if anywhere."""
    lost = {seat: world.losing(agent, player) for seat, player in SEATS.items()}
    if not any(record is not None for record in lost.values()):
        return [
            ("Unbeatable: ", ""),
            ("proved as X", addresses.certificate(agent, "x")),
            (" and ", ""),
            ("as O", addresses.certificate(agent, "o")),
            (".", ""),
        ]
    parts: list[tuple[str, str]] = []
    for seat, record in sorted(lost.items(), key=lambda item: item[1] is not None):
        mark = MARKS[SEATS[seat]]
        if record is None:
            proof = addresses.certificate(agent, seat)
            parts += [("Unbeatable as ", ""), (f"{mark}, proved", proof)]
        else:
            match = replace(against_person(agent, SEATS[seat], record).at(0), lens=agent)
            words = [("; ", ""), (f"as {mark} ", "")] if parts else [(f"As {mark} ", "")]
            parts += [*words, ("this game beats it", addresses.play(match))]
    return [*parts, (".", "")]
