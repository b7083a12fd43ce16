"""The numbers of an experiment's figure, as a table and as CSV rows, with links to the runs."""

from collections.abc import Callable, Iterator, Sequence
from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from app.experiments import (
    Bar,
    Bars,
    Boards,
    Curves,
    Figure,
    Grid,
    Histogram,
    Series,
    Table,
)
from app.recipes import RecipeError
from app.recipes.on_demand import parse_on_demand
from app.web.formatting import format_count, format_number, format_with_unit
from app.web.links.lab import lab_url
from app.web.links.play import play_against_url, play_url
from app.web.match import Match
from app.web.site_data import (
    HUMAN,
    MAX_CACHED_RESULTS,
    TRUTH,
    SiteData,
    cached_per_site,
)

MAX_TABLE_ROWS = 26
# For a large group the page links to this many of its lowest, its middle and its highest runs.
MAX_OFFERED_RUNS = 6
QUANTILES = {"least": 0.0, "10%": 0.1, "median": 0.5, "90%": 0.9, "most": 1.0}
QUANTILE_HEADINGS = {
    "least": "minimum",
    "10%": "10th percentile",
    "median": "median",
    "90%": "90th percentile",
    "most": "maximum",
}
RECORD_COLUMNS = ("figure", "name", "recipe", "seed", "x", "measure", "value", "n")

# A function from a seed to the URL of its run.
BuildRunUrl = Callable[[int], str]
Run: TypeAlias = Any
# N records with the fields "seed" and "value", [N]
Runs = NDArray[np.void]
# a CSV row without its first column
Record = tuple[object, ...]


# a text, or (text, URL)
Cell = str | tuple[str, str]


class HtmlTable(NamedTuple):
    first_heading: str
    columns: list[str]
    # (heading, cells) of each row
    rows: Sequence[tuple[Cell, Sequence[Cell]]]


# (group, links by what they lead to), such as ("MENACE", {"lowest": [...]})
RunSample = tuple[str, dict[str, list[Cell]]]


def build_verdict_table(numbers: Table) -> HtmlTable:
    rows = [(name, row) for name, row in numbers.rows.items()]
    return HtmlTable(numbers.unit, numbers.columns, rows)


def list_samples(site: SiteData, figure: Figure, first_seed: int) -> list[RunSample]:
    """Return links to the runs of each group in a histogram.

    Of a large group only the lowest, the middle and the highest runs have links.
    """
    if not isinstance(figure, Histogram):
        return []
    found = []
    for group in figure.groups:
        runs = sort_runs(group.values, first_seed)
        opened = map_seeds_to_urls(site, group.recipe)
        if not opened(first_seed):
            continue
        middle = len(runs) // 2 - MAX_OFFERED_RUNS // 2
        parts = {"all": runs}
        if len(runs) > 3 * MAX_OFFERED_RUNS:
            parts = {
                "lowest": runs[:MAX_OFFERED_RUNS],
                "near the median": runs[middle : middle + MAX_OFFERED_RUNS],
                "highest": runs[-MAX_OFFERED_RUNS:],
            }
        links = {
            name: [_link_run(run, figure.unit, opened) for run in some]
            for name, some in parts.items()
        }
        found.append((group.name, links))
    return found


@singledispatch
def build_figure_table(figure: object, site: SiteData, first_seed: int) -> HtmlTable:
    """Return the table of a figure; `first_seed` is the seed of the experiment's first run."""
    raise TypeError(f"no figure: {figure!r}")


@build_figure_table.register
def _build_histogram_table(
    figure: Histogram, site: SiteData, first_seed: int
) -> HtmlTable:
    rows: list[tuple[Cell, Sequence[Cell]]] = []
    for group in figure.groups:
        runs = sort_runs(group.values, first_seed)
        opened = map_seeds_to_urls(site, group.recipe)
        entries: list[Cell] = [format_count(len(runs))]
        for name, share in QUANTILES.items():
            run = find_quantile_run(runs, share)
            value = compute_median(group.values) if name == "median" else run["value"]
            entries.append((format_with_unit(value, figure.unit), opened(run["seed"])))
        rows.append((group.name, entries))
        rows += [
            (mark.text, [""] * 3 + [format_with_unit(mark.value, figure.unit)])
            for mark in group.marks
        ]
    return HtmlTable(
        "", ["training runs", *(QUANTILE_HEADINGS[name] for name in QUANTILES)], rows
    )


@build_figure_table.register
def _build_curves_table(figure: Curves, site: SiteData, first_seed: int) -> HtmlTable:
    points = sorted({x for series in figure.series for x in series.x})
    step = -(-len(points) // MAX_TABLE_ROWS)
    # Counted from the end, so that the last row is shown.
    shown = points[::-step][::-1]
    known = [_format_points_by_x(series, figure.unit) for series in figure.series]
    rows = [(format_number(x), [column.get(x, "") for column in known]) for x in shown]
    typical = [
        (
            f"seed {series.typical_seed}",
            map_seeds_to_urls(site, series.recipe)(series.typical_seed),
        )
        for series in figure.series
    ]
    runs = [format_count(series.seed_count) for series in figure.series]
    ends: list[tuple[Cell, Sequence[Cell]]] = [
        ("Training runs", runs),
        ("Typical training run", typical),
    ]
    return HtmlTable(
        figure.x_label, [series.name for series in figure.series], [*rows, *ends]
    )


def _format_points_by_x(series: Series, unit: str) -> dict[float, str]:
    lines = zip(series.x, series.median, series.low, series.high, strict=True)
    return {
        x: format_with_unit(middle, unit)
        + (
            f" ({format_with_unit(low, unit)} to {format_with_unit(high, unit)})"
            if series.seed_count > 1
            else ""
        )
        for x, middle, low, high in lines
    }


@build_figure_table.register
def _build_grid_table(figure: Grid, site: SiteData, first_seed: int) -> HtmlTable:
    rows = [
        (
            name,
            [
                (format_with_unit(value, figure.unit), build_recipe_url(site, recipe))
                for value, recipe in zip(values, recipes, strict=True)
            ],
        )
        for name, values, recipes in zip(
            figure.rows, figure.values, figure.recipes, strict=True
        )
    ]
    return HtmlTable(
        f"{figure.row_label} ↓ {figure.column_label} →", figure.columns, rows
    )


def _write_interval(bar: Bar, unit: str) -> str:
    if bar.low is None or bar.high is None:
        return ""
    low = format_with_unit(bar.low, unit)
    high = format_with_unit(bar.high, unit)
    return f"{low} to {high}"


@build_figure_table.register
def _build_bars_table(figure: Bars, site: SiteData, first_seed: int) -> HtmlTable:
    columns = {
        "exact value" if figure.exact else "estimate": [
            format_with_unit(bar.value, figure.unit) for bar in figure.bars
        ],
        "95% interval": [_write_interval(bar, figure.unit) for bar in figure.bars],
        "sample size n": [
            format_count(bar.sample_size) if bar.sample_size else ""
            for bar in figure.bars
        ],
    }
    filled = {name: texts for name, texts in columns.items() if any(texts)}
    rows = [
        (
            (bar.name, build_bar_url(site, bar)),
            [texts[number] for texts in filled.values()],
        )
        for number, bar in enumerate(figure.bars)
    ]
    return HtmlTable("", [*filled], rows)


@build_figure_table.register
def _build_boards_table(figure: Boards, site: SiteData, first_seed: int) -> HtmlTable:
    rows = [
        (
            (
                board.record or "the empty board",
                build_position_url(site, board.record, board.value_source),
            ),
            [board.text],
        )
        for board in figure.boards
    ]
    return HtmlTable("Moves so far", ["Remark"], rows)


def _link_run(run: Run, unit: str, build_run_url: BuildRunUrl) -> Cell:
    return (
        f"seed {run['seed']}: {format_with_unit(run['value'], unit)}",
        build_run_url(run["seed"]),
    )


@singledispatch
def list_records(figure: object, first_seed: int) -> Iterator[Record]:
    """Yield a CSV row for each number in a figure, with RECORD_COLUMNS but the first."""
    raise TypeError(f"no figure: {figure!r}")


@list_records.register
def _list_histogram_records(figure: Histogram, first_seed: int) -> Iterator[Record]:
    for group in figure.groups:
        for seed, value in enumerate(group.values, first_seed):
            yield (
                group.name,
                append_seed(group.recipe, seed),
                seed,
                None,
                "value",
                value,
                1,
            )
        for mark in group.marks:
            yield group.name, None, None, None, mark.text, mark.value, None


@list_records.register
def _list_curve_records(figure: Curves, first_seed: int) -> Iterator[Record]:
    for series in figure.series:
        lines = {
            "least": series.least,
            "10%": series.low,
            "median": series.median,
            "90%": series.high,
            "most": series.most,
        }
        for name, values in lines.items():
            for x, value in zip(series.x, values, strict=True):
                yield (
                    series.name,
                    series.recipe,
                    None,
                    x,
                    name,
                    value,
                    series.seed_count,
                )
    for mark in figure.marks:
        yield mark.text, None, None, mark.value, "mark", None, None


@list_records.register
def _list_grid_records(figure: Grid, first_seed: int) -> Iterator[Record]:
    for row, values, recipes in zip(
        figure.rows, figure.values, figure.recipes, strict=True
    ):
        for column, value, recipe in zip(figure.columns, values, recipes, strict=True):
            name = f"{figure.row_label} {row}"
            yield (
                name,
                recipe,
                None,
                f"{figure.column_label} {column}",
                "median",
                value,
                figure.seed_count,
            )


@list_records.register
def _list_bar_records(figure: Bars, first_seed: int) -> Iterator[Record]:
    for bar in figure.bars:
        recipe = bar.recipe or None
        yield bar.name, recipe, None, bar.record, "value", bar.value, bar.sample_size
        for name, end in (("95% low", bar.low), ("95% high", bar.high)):
            if end is not None:
                yield bar.name, recipe, None, bar.record, name, end, bar.sample_size


@list_records.register
def _list_board_records(figure: Boards, first_seed: int) -> Iterator[Record]:
    for board in figure.boards:
        yield board.text, board.value_source, None, board.record, "position", None, None


def build_recipe_url(site: SiteData, recipe_name: str) -> str:
    """Return the URL of a recipe, an agent or a baseline; "" if the site cannot show it.

    A recipe that the lab cannot train has a URL only if its agent is shipped.
    """
    known = site.on_demand.id_by_recipe.get(recipe_name, recipe_name)
    if known in site.baselines:
        return play_against_url(known)
    return lab_url(known) if site.agents.contains_name(known) else ""


def map_seeds_to_urls(site: SiteData, recipe_name: str) -> BuildRunUrl:
    """Return a function from a seed to the URL of its run, or to "" if it has no page."""
    trained = bool(recipe_name) and _can_lab_train(site, recipe_name)
    unseeded = lab_url(recipe_name)

    def build_run_url(seed: int) -> str:
        if short := site.on_demand.id_by_recipe.get(append_seed(recipe_name, seed), ""):
            return lab_url(short)
        return append_seed(unseeded, seed) if trained else ""

    return build_run_url


@cached_per_site(MAX_CACHED_RESULTS)
def _can_lab_train(site: SiteData, recipe: str) -> bool:
    try:
        parse_on_demand(recipe)
    except RecipeError:
        return False
    return site.on_demand.trainer is not None


def append_seed(recipe_name: str, seed: int) -> str:
    """Return the name of a recipe with this seed; a name without a seed has seed 0."""
    return f"{recipe_name},seed={seed}" if recipe_name and seed else recipe_name


def build_position_url(site: SiteData, record: str, value_source: str) -> str:
    """Return the URL of a position with an agent's values, or exact values without an agent."""
    known = site.on_demand.id_by_recipe.get(value_source, value_source)
    return play_url(
        Match(
            record,
            o=HUMAN,
            value_source=known if site.is_value_source(known) else TRUTH,
        )
    )


def build_bar_url(site: SiteData, bar: Bar) -> str:
    if bar.record is not None:
        return build_position_url(site, bar.record, bar.recipe or TRUTH)
    return build_recipe_url(site, bar.recipe)


def sort_runs(run_values: Sequence[float], first_seed: int) -> Runs:
    """Return the runs of a group from the lowest to the highest value.

    The run with index i in `run_values` has the seed `first_seed` + i.
    """
    runs = np.zeros(len(run_values), [("seed", np.intp), ("value", np.float64)])
    runs["seed"], runs["value"] = (
        np.arange(first_seed, first_seed + len(run_values)),
        run_values,
    )
    return runs[np.argsort(runs["value"], kind="stable")]


def find_quantile_run(runs: Runs, share: float) -> Run:
    """Return the run at a quantile of sorted runs; 0.1 is the 10th percentile."""
    return runs[round(share * (len(runs) - 1))]


def find_middle_run(runs: Runs) -> Run:
    return runs[len(runs) // 2]


def compute_median(values: Sequence[float]) -> float:
    return float(np.median(values))
