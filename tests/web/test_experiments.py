"""The pages of experiments: every number of a file is shown, and every mark opens its run."""

import base64
import csv
import gzip
import hashlib
import io
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st

from app.experiments import (
    Bar,
    Bars,
    Board,
    Boards,
    Curves,
    Grid,
    Histogram,
    RecipeValues,
    ReferenceLine,
    Series,
    Summary,
    Table,
    load_summaries,
    save_summary,
)
from app.sources import SOURCES
from app.tictactoe.agents import ModelError
from app.web import create_app
from app.web.algorithms import ALGORITHMS
from app.web.formatting import format_number, format_one_decimal, format_short
from app.web.links.agents import agent_url
from app.web.links.experiments import EXPERIMENT, EXPERIMENT_FIGURE, EXPERIMENTS
from app.web.links.how import how_url
from app.web.pages.experiments import VERDICT_SLUGS
from app.web.pictures import tables
from app.web.pictures.curves import build_axis, build_logarithmic_axis
from app.web.pictures.figures import (
    draw_figure_file,
    lay_out_figure,
)
from app.web.pictures.svg import (
    Drawing,
    Text,
    render_png,
    write_plot,
    write_style,
)
from app.web.service.deployment import ROOT
from app.web.site_data import SiteData, load_site_data
from tests.web.conftest import unled

CLAIMS = [*load_summaries(ROOT / "models" / "experiments")]
LARGEST = 40 << 10  # bytes of a packed page
SEEDS = 200
FIRST = 100

# Figures whose numbers can be told from the seed: what they say is of no interest here.
HISTOGRAM = Histogram(
    title="A seed's last digit",
    unit="%",
    groups=[
        RecipeValues(
            "all",
            "q-table,draw=0.5",
            [float(seed % 10) for seed in range(SEEDS)],
            [ReferenceLine(7, "here")],
        ),
        RecipeValues("<one> & only", "q-table", [3.0]),
    ],
    exact=True,
)
CURVES = Curves(
    title="Twice as many",
    x_label="games",
    unit="games",
    series=[
        Series("doubled", "q-table", [1.0, 10.0, 100.0], [2.0, 20.0, 200.0], [1.0, 10.0, 100.0],
               [3.0, 30.0, 300.0], [0.0, 0.0, 0.0], [9.0, 90.0, 900.0], 20, 107),
        Series("same", "dqn,epsilon=0.3", [1.0, 100.0], [1.0, 100.0], [1.0, 100.0], [1.0, 100.0],
               [1.0, 100.0], [1.0, 100.0], 1, 0),
    ],
    marks=[ReferenceLine(50, "half way")],
    logarithmic=True,
)  # fmt: skip
GRID = Grid(
    title="Row by column",
    unit="",
    row_label="alpha",
    column_label="epsilon",
    rows=["0.1", "0.5"],
    columns=["0.2", "0.3", "0.4"],
    values=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    recipes=[
        [f"q-learning,alpha={a},epsilon={e},games=2000,seed=9" for e in (0.2, 0.3, 0.4)]
        for a in (0.1, 0.5)
    ],
    seed_count=20,
)
BARS = Bars(
    title="Some numbers",
    unit="%",
    bars=[
        Bar("a shipped one", 40.5, recipe="q-table"),
        Bar("counted", 50.0, low=48.2, high=54.1, sample_size=1000, recipe="q-table,draw=1,seed=5"),
        Bar("a position", 12.0, record="402"),
        Bar("a rule", 30.0, recipe="minimax"),
        Bar("nothing to open", 1.0),
    ],
    exact=False,
)
BOARDS = Boards(
    title="Positions",
    boards=[
        Board("024", "double-q", "It blocks."),
        Board("7", "q-table", "It does not take a good square."),
        Board("03142", "truth", "X has won."),
    ],
)
SAMPLE = Summary(
    id="double-q",
    title="A sample & nothing else",
    claim="Every figure can be drawn.",
    sources=["ours"],
    source_location="here",
    method="Numbers were written down.",
    verdict="partly reproduced",
    parts_reproduced=[True],
    answer="Every figure is drawn.",
    numbers=Table(["here"], {"figures": ["5"]}),
    limits="Anything true.",
    agents=["q-table"],
    figures=[HISTOGRAM, CURVES, GRID, BARS, BOARDS],
    command="python -m training experiment double-q",
    versions={"python": "3"},
    first_seed=FIRST,
    seeds=SEEDS,
    runs=SEEDS + 1,
    seconds=4000.0,
    date="2026-01-02",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some shipped models, with the sample as their only experiment."""
    models = tmp_path_factory.mktemp("models")
    link(ROOT / "models", models)
    save_summary(models / "experiments", SAMPLE)
    return models


def link(models: Path, to: Path) -> None:
    """Link the agents that the sample names into a small folder."""
    for path in models.glob("*.*"):
        if path.stem in ("q-table", "double-q"):
            (to / path.name).symlink_to(path)


@pytest.fixture(scope="module")
def sampled(folder: Path) -> FlaskClient:
    return create_app(folder, seed=1).test_client()


@pytest.fixture(scope="module")
def shown(sampled: FlaskClient) -> str:
    return sampled.get("/experiments/double-q").text


def marks(svg: str) -> list[tuple[str, str]]:
    """Return the links of the marks of a drawing, with their texts."""
    found = re.findall(r'<a href="([^"]+)"[^>]*><title>([^<]+)</title>', svg)
    return [(unquote(unescape(href)), unescape(title)) for href, title in found]


def drawings(text: str) -> list[str]:
    return re.findall(
        r'(?s)<svg class="drawing figure m.*?</svg>(?=\s*(?:<p class="read"|<ul))', text
    )


# What is in `models/`.


@pytest.mark.parametrize("source", ["", *SOURCES])
@pytest.mark.parametrize("verdict", ["", *VERDICT_SLUGS.values()])
def test_the_address_says_which_claims_are_listed(
    client: FlaskClient, site: SiteData, source: str, verdict: str
) -> None:
    text = client.get(EXPERIMENTS.url(source=source, verdict=verdict)).text
    assert re.findall(r'id="claim-([a-z0-9-]+)"', text) == [
        claim
        for claim, one in site.experiments.items()
        if source in ("", *one.sources) and verdict in ("", VERDICT_SLUGS[one.verdict])
    ]
    chosen = re.findall(r'id="(verdict-[a-z0-9-]+)"[^>]*aria-current', text)
    assert chosen == [f"verdict-{verdict}"] * bool(verdict)
    assert ('id="every" href="/experiments"' in text) == bool(source or verdict)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_page_tells_all_of_its_experiment(
    client: FlaskClient, site: SiteData, claim: str
) -> None:
    response, summary = client.get(f"/experiments/{claim}"), site.experiments[claim]
    assert response.status_code == 200
    text = unescape(unled(response.text))
    for said in (summary.claim, summary.source_location, summary.method, summary.limits):
        assert said in text
    behind = re.search(
        r'(?s)aria-label="The numbers behind the verdict">.*?<tbody>(.*?)</tbody>', response.text
    )
    assert behind
    cells = [cell for row in summary.numbers.rows.values() for cell in row]
    assert [unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", behind[1])] == cells
    assert f"<code>{summary.command}</code>" in text
    assert f"/experiments/{claim}}}" in text  # the URL in the citation
    assert len(re.findall(r'<div id="figure-\d+" class="folded">', text)) == len(summary.figures)
    assert len(gzip.compress(response.data)) < LARGEST
    for agent in summary.agents:
        assert f'href="{agent_url(agent)}"' in text


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_mark_of_a_shipped_figure_has_an_address_that_is_known(
    site: SiteData, claim: str
) -> None:
    for figure in site.experiments[claim].figures:
        for href, _ in marks(
            write_plot(lay_out_figure(figure, site, site.experiments[claim].first_seed).plot)
        ):
            room, name = href.removeprefix("/").split("/", 1)
            if room == "lab":
                assert site.canonicalize(name) == name
            else:
                assert room == "play"


def test_claims_and_those_they_are_about_lead_to_each_other(
    client: FlaskClient, site: SiteData
) -> None:
    for claim, summary in site.experiments.items():
        for name in {*summary.agents} & {*site.shipped_agents}:
            assert f'href="/experiments/{claim}"' in client.get(agent_url(name)).text
    for claim, summary in site.experiments.items():
        for slug in site.list_algorithms(summary):
            section = client.get(how_url(slug)).text
            assert slug not in ALGORITHMS or f'href="/experiments/{claim}"' in section


def test_the_api_has_what_the_file_has(client: FlaskClient, site: SiteData) -> None:
    answer: Any = client.get("/api/v1/experiments").json
    listed = answer["claims"]
    assert [claim["id"] for claim in listed] == [*site.experiments]
    for claim in listed:
        told: Any = client.get(claim["href"]).json
        assert told.pop("page") == claim["page"] == EXPERIMENT.url(claim["id"])
        assert told == msgspec.to_builtins(site.experiments[claim["id"]])
    assert client.get("/api/v1/experiments/nothing").status_code == 404


# What the sample shows.


def test_a_dot_opens_a_run_with_the_value_that_it_tells(shown: str) -> None:
    found = marks(drawings(shown)[0])
    assert found
    for href, title in found:
        told = re.match(r"seed (\d+): (\d+)%", title)
        assert told
        seed, value = map(int, told.groups())
        if href == "/lab/q-table,seed=100":  # the group of one
            assert (seed, value) == (FIRST, 3)
        else:
            assert href == f"/lab/q-table,draw=0.5,seed={seed}"
            assert value == (seed - FIRST) % 10


def test_a_cell_opens_the_recipe_of_its_row_and_column(shown: str) -> None:
    found = marks(drawings(shown)[2])
    assert len(found) == 6
    for href, title in found:
        alpha, epsilon, value = re.findall(r"[\d.]+", title)
        recipe = dict(part.split("=") for part in href.split(",")[1:])
        assert recipe.get("alpha", "0.05") == alpha
        assert recipe.get("epsilon", "0.1") == epsilon
        row, column = GRID.rows.index(alpha), GRID.columns.index(epsilon)
        assert GRID.values[row][column] == float(value)


def test_a_bar_opens_a_recipe_a_position_or_a_game_with_a_rule(shown: str) -> None:
    opened = {title.split(":")[0]: href for href, title in marks(drawings(shown)[3])}
    assert opened == {
        "a shipped one": "/lab/q-table",
        "counted": "/lab/q-table,draw=1,seed=5",
        "a position": "/play/402?o=human&lens=truth",
        "a rule": "/play/?o=minimax",
    }
    assert "nothing to open" in drawings(shown)[3]


def test_the_file_has_every_number(sampled: FlaskClient) -> None:
    response = sampled.get("/experiments/double-q.csv")
    assert response.mimetype == "text/csv"
    rows = [*csv.DictReader(io.StringIO(response.text))]
    assert tuple(rows[0]) == tables.COLUMNS
    runs = [row for row in rows if row["figure"] == "1" and row["measure"] == "value"]
    assert [int(row["seed"]) for row in runs] == [*range(FIRST, FIRST + SEEDS), FIRST]
    assert [float(row["value"]) for row in runs] == [
        value for group in HISTOGRAM.groups for value in group.values
    ]
    assert runs[7]["recipe"] == "q-table,draw=0.5,seed=107"
    curves = [row for row in rows if row["figure"] == "2" and row["name"] == "doubled"]
    assert [float(row["value"]) for row in curves if row["measure"] == "90%"] == [3, 30, 300]
    cells = [float(row["value"]) for row in rows if row["figure"] == "3"]
    assert cells == [value for row in GRID.values for value in row]
    assert [row["x"] for row in rows if row["figure"] == "5"] == ["024", "7", "03142"]


@pytest.mark.parametrize(("at", "scheme"), [(1, "auto"), (2, "light"), (3, "dark"), (5, "auto")])
def test_a_figure_alone_needs_nothing_else(
    sampled: FlaskClient, site: SiteData, at: int, scheme: str
) -> None:
    looks = write_style(
        draw_figure_file(lay_out_figure(SAMPLE.figures[at - 1], site, FIRST), ""), scheme
    )
    response = sampled.get(EXPERIMENT_FIGURE.url("double-q", at, scheme=scheme))
    text = response.text
    written = re.search(r"(?s)<style>(.*?)</style>", text)
    assert written
    assert unescape(written[1]) == looks
    assert ("prefers-color-scheme" in text) == (scheme == "auto")
    assert not re.search(r"var\(|light-dark|@import|url\(", text)
    digest = base64.b64encode(hashlib.sha256(looks.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in response.headers["Content-Security-Policy"]
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    links = re.findall(r'<a href="([^"]+)"', text)
    assert links
    assert all(link.startswith("http://localhost/") for link in links)
    assert "http://localhost/experiments/double-q" in text  # its source
    classes = {name for names in re.findall(r'class="([^"]+)"', text) for name in names.split()}
    assert {name for name in classes if f".{name}" not in looks} <= {"x", "o"}


# What can be missing or wrong.


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("bad-runs", "{", "truncated"),
        ("bad-runs", "{}", "missing required field"),
        ("gamma", None, "is not the file's name"),
        ("mine", None, "is not the file's name"),
    ],
)
def test_a_broken_file_is_named_and_the_site_does_not_start(
    folder: Path, tmp_path: Path, name: str, content: str | None, reason: str
) -> None:
    link(folder, tmp_path)
    broken = tmp_path / "experiments" / f"{name}.json"
    broken.parent.mkdir()
    sample = (folder / "experiments" / "double-q.json").read_text()
    broken.write_text(sample if content is None else content)
    with pytest.raises(ModelError, match=re.escape(str(broken))) as refused:
        load_site_data(tmp_path)
    assert reason in str(refused.value)


# The axes.

NUMBERS = st.lists(st.integers(-(10**7), 10**7).map(lambda value: value / 100), min_size=1)


@given(NUMBERS, st.booleans(), st.booleans())
def test_an_axis_has_all_its_values_and_few_ticks(
    values: list[float], zero: bool, whole: bool
) -> None:
    axis = build_axis(values, zero, whole)
    assert axis.minimum <= min(values) <= max(values) <= axis.maximum
    assert 1 <= len(axis.ticks) <= 8
    assert all(0 <= axis.compute_share(tick) <= 1 for tick in axis.ticks)
    places = [axis.compute_share(value) for value in sorted(values)]
    assert places == sorted(places)


@given(st.lists(st.floats(1e-3, 1e7), min_size=1))
@example([0.001, 0.0010000000000000002])  # two numbers with equal logarithms
def test_a_logarithmic_axis_too(values: list[float]) -> None:
    axis = build_logarithmic_axis(values)
    places = [axis.compute_share(value) for value in sorted(values)]
    assert places == sorted(places)
    assert len(axis.ticks) <= 7
    assert all(f"{tick:e}".startswith("1.000000e") for tick in axis.ticks)


@pytest.mark.parametrize(
    ("value", "text", "small"),
    [
        (0.0, "0", "0"),
        (-0.125, "−0.125", "−0.125"),
        (98.9583, "98.96", "98.9583"),
        (4520.0, "4,520", "4,520"),
        (20000.0, "20,000", "20K"),
        (1500000.0, "1,500,000", "1.5M"),
    ],
)
def test_numbers_are_short_but_whole(value: float, text: str, small: str) -> None:
    assert format_number(value) == text
    assert format_short(value) == small


@pytest.mark.parametrize(
    ("value", "text"),
    [(79.35, "79.4"), (78.35, "78.4"), (0.25, "0.3"), (-0.25, "−0.3"), (79.349, "79.3")],
)
def test_a_number_is_rounded_by_its_decimal_digits(value: float, text: str) -> None:
    assert format_one_decimal(value) == text


def test_a_median_keeps_its_half() -> None:
    shown = [format_number(value) for value in (2484.5, 2485.5, 2485, 12.5, 1234.6)]
    assert shown == ["2,484.5", "2,485.5", "2,485", "12.5", "1,235"]


def test_a_png_has_the_quotation_marks_of_its_texts() -> None:
    """The font of PNGs has only the straight ones."""

    def draw(text: str) -> bytes:
        return render_png(Drawing(200, 40, "", [Text("label", 10, 20, text)]))

    assert draw("against “fixed”") == draw('against "fixed"') != draw("against fixed")
