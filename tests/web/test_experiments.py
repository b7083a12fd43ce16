"""The pages of experiments: every number of a file is shown, and every mark opens its run."""

import base64
import csv
import gzip
import hashlib
import io
import re
import shutil
from collections.abc import Iterator
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st

from app.experiments import (
    Grid,
    Histogram,
    load_summaries,
)
from app.project import ROOT
from app.sources import SOURCES
from app.tictactoe.agents import ModelError
from app.web.algorithms import ALGORITHM_PAGES
from app.web.formatting import (
    format_number,
    format_one_decimal,
    format_short_number,
    format_with_unit,
)
from app.web.links.agents import agent_url
from app.web.links.experiments import EXPERIMENT_FIGURE_ROUTE, EXPERIMENT_ROUTE, EXPERIMENTS_ROUTE
from app.web.links.how import how_url
from app.web.pages.experiments import VERDICT_SLUGS
from app.web.pictures.curves import build_axis, build_logarithmic_axis
from app.web.pictures.figures import (
    lay_out_figure,
    plot_figure_file,
)
from app.web.pictures.svg import (
    Drawing,
    Text,
    render_png,
    write_plot,
    write_style,
)
from app.web.site_data import SiteData, load_site_data
from tests.web.conftest import unled


def list_claims() -> Iterator[Any]:
    """Yield all claims; all but one for each set of kinds of figures are for the long tests."""
    seen = set[frozenset[type]]()
    for claim, summary in load_summaries(ROOT / "models" / "experiments").items():
        kinds = frozenset(type(figure) for figure in summary.figures)
        yield pytest.param(claim, marks=[pytest.mark.long] if kinds in seen else [])
        seen.add(kinds)


CLAIMS = [*list_claims()]
VERDICTS = VERDICT_SLUGS.values()
LARGEST = 40 << 10  # bytes of a packed page


def marks(svg: str) -> list[tuple[str, str]]:
    """Return the links of the marks of a drawing, with their texts."""
    found = re.findall(r'<a href="([^"]+)"[^>]*><title>([^<]+)</title>', svg)
    return [(unquote(unescape(href)), unescape(title)) for href, title in found]


@pytest.mark.parametrize(
    ("source", "verdict"),
    [("", ""), *((one, "") for one in [*SOURCES][::4]), *product(["", "ours"], VERDICTS)],
)
def test_the_address_says_which_claims_are_listed(
    client: FlaskClient, site: SiteData, source: str, verdict: str
) -> None:
    text = client.get(EXPERIMENTS_ROUTE.url(source=source, verdict=verdict)).text
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


@pytest.mark.long
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
            assert slug not in ALGORITHM_PAGES or f'href="/experiments/{claim}"' in section


def test_the_api_has_what_the_file_has(client: FlaskClient, site: SiteData) -> None:
    answer: Any = client.get("/api/v1/experiments").json
    listed = answer["claims"]
    assert [claim["id"] for claim in listed] == [*site.experiments]
    for claim in listed:
        told: Any = client.get(claim["href"]).json
        assert told.pop("page") == claim["page"] == EXPERIMENT_ROUTE.url(claim["id"])
        assert told == msgspec.to_builtins(site.experiments[claim["id"]])
    assert client.get("/api/v1/experiments/nothing").status_code == 404


@pytest.mark.long
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_dot_opens_the_run_with_the_value_that_it_tells(site: SiteData, claim: str) -> None:
    first = site.experiments[claim].first_seed
    for figure in site.experiments[claim].figures:
        if isinstance(figure, Histogram):
            told = {
                f"seed {first + n}: {format_with_unit(value, figure.unit)}"
                for group in figure.groups
                for n, value in enumerate(group.values)
            }
            for href, title in marks(write_plot(lay_out_figure(figure, site, first).plot)):
                run, *_ = re.split(r", | \(", title)
                if run.startswith("seed "):
                    assert run in told
                    seed = int(run.split(":")[0].removeprefix("seed "))
                    assert site.get_recipe(href.removeprefix("/lab/")).seed == seed


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_file_has_every_number_of_the_runs(
    client: FlaskClient, site: SiteData, claim: str
) -> None:
    summary = site.experiments[claim]
    rows = [*csv.DictReader(io.StringIO(client.get(f"/experiments/{claim}.csv").text))]
    for number, figure in enumerate(summary.figures, 1):
        mine = [row for row in rows if row["figure"] == str(number)]
        if isinstance(figure, Histogram):
            runs = [row for row in mine if row["measure"] == "value"]
            values = [value for group in figure.groups for value in group.values]
            assert [float(row["value"]) for row in runs] == values
            seeds = [
                summary.first_seed + n for group in figure.groups for n in range(len(group.values))
            ]
            told = [int(row["seed"]) for row in runs if row["seed"]]
            assert told in (seeds, [])  # a player that does not learn has no seeds
        elif isinstance(figure, Grid):
            cells = [float(row["value"]) for row in mine if row["value"]]
            assert cells == [value for row in figure.values for value in row if value is not None]


@pytest.mark.parametrize(
    ("claim", "scheme"), [("bad-runs", "auto"), ("double-q", "light"), ("feedback", "dark")]
)
def test_a_figure_alone_needs_nothing_else(
    client: FlaskClient, site: SiteData, claim: str, scheme: str
) -> None:
    summary = site.experiments[claim]
    layout = lay_out_figure(summary.figures[0], site, summary.first_seed)
    looks = write_style(plot_figure_file(layout, ""), scheme)
    response = client.get(EXPERIMENT_FIGURE_ROUTE.url(claim, 1, scheme=scheme))
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
    assert f"http://localhost/experiments/{claim}" in text  # its source
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
    tmp_path: Path, name: str, content: str | None, reason: str
) -> None:
    for path in (ROOT / "models").glob("champion.*"):
        shutil.copy(path, tmp_path)
    broken = tmp_path / "experiments" / f"{name}.json"
    broken.parent.mkdir()
    shipped = (ROOT / "models" / "experiments" / "double-q.json").read_text()
    broken.write_text(shipped if content is None else content)
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
        (95.035, "95.04", "95.035"),  # the float is a little smaller
        (4520.0, "4,520", "4,520"),
        (20000.0, "20,000", "20K"),
        (1500000.0, "1,500,000", "1.5M"),
        (2484.5, "2,484.5", "2,484.5"),
    ],
)
def test_numbers_are_short_but_whole(value: float, text: str, small: str) -> None:
    assert format_number(value) == text
    assert format_short_number(value) == small


@pytest.mark.parametrize(
    ("value", "text"),
    [(79.35, "79.4"), (78.35, "78.4"), (0.25, "0.3"), (-0.25, "−0.3"), (79.349, "79.3")],
)
def test_a_number_is_rounded_by_its_decimal_digits(value: float, text: str) -> None:
    assert format_one_decimal(value) == text


def test_a_png_has_the_quotation_marks_of_its_texts() -> None:
    """The font of PNGs has only the straight ones."""

    def draw(text: str) -> bytes:
        return render_png(Drawing(200, 40, "", [Text("label", 10, 20, text)]))

    assert draw("against “fixed”") == draw('against "fixed"') != draw("against fixed")
