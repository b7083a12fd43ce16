"""Exports of charts, boards and pages: as a file, in an iframe, and as a citation.

The macro `take_row` of `templates/parts/_export.html` shows an `Export` as a row of links.
"""

import base64
import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from flask import Response, request
from werkzeug.http import generate_etag

from app.experiments import ClaimSummary
from app.project import ROOT
from app.recipes import parse_recipe
from app.recipes.taught import format_taught_title, list_taught_phases
from app.web.algorithms import ALGORITHM_PAGES
from app.web.comparison import Comparison, SourceSnapshot
from app.web.facts import check_puzzle_number
from app.web.formatting import format_count, join_words
from app.web.links.agents import agent_url
from app.web.links.compare import compare_url
from app.web.links.embed import (
    EMBED_BOARD_ROUTE,
    EMBED_VALUE_MAP_ROUTE,
    EMBED_VALUE_ROUTE,
    embed_curve_url,
    embed_experiment_url,
)
from app.web.links.experiments import EXPERIMENT_FIGURE_ROUTE, EXPERIMENT_ROUTE
from app.web.links.how import how_url
from app.web.links.mind import VALUE_MAP_FILM_ROUTE, value_map_url
from app.web.links.play import match_url, play_url
from app.web.links.puzzle import PUZZLE_TODAY_ROUTE, puzzle_url
from app.web.links.teach import teach_url
from app.web.match import MatchState
from app.web.pages.parts.learning import WIN_RATE_KEY
from app.web.pictures.minds import EXPECTED_RESULT_KEY
from app.web.pictures.svg import Drawing, render_png, write_file, write_style
from app.web.rendering import allow_revalidation
from app.web.routes import EMBED_PREFIX, iframe_file_url, iframe_url
from app.web.service.headers import (
    CONTENT_SECURITY_POLICY,
    IFRAME_HEADERS,
    POLICY_HEADER,
    RESOURCE_POLICY_HEADER,
)
from app.web.site_data import SiteData
from app.web.translation import gettext
from app.web.wording import LessonStep

CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
LATEX_SPECIAL_CHARACTERS = re.compile(r"[&%$#_{}]")
# (width, height) of an iframe in pixels
BOARD_IFRAME_SIZE = (380, 560)
CURVE_IFRAME_SIZE = (640, 440)
CURVES_IFRAME_SIZE = (640, 800)
VALUE_MAP_IFRAME_SIZE = (640, 540)
EXPERIMENT_IFRAME_SIZE = (640, 520)
PUZZLE_IFRAME_SIZE = (640, 560)
LESSON_IFRAME_SIZE = (640, 700)
LEARNER_IFRAME_SIZE = (640, 740)
UPDATE_IFRAME_SIZE = (760, 860)

# The page in the iframe sends its height to the page around it: see static/embed/frame.js.
FITTING_SCRIPT = """<script>
addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe")) {
    if (frame.contentWindow === source && data?.qtactoe > 0) frame.height = data.qtactoe;
  }
});
</script>"""


class Export(NamedTuple):
    """How to use a chart, a board or a page elsewhere: as a file, in an iframe, as a citation."""

    id: str
    title: str
    page_url: str
    svg_url: str = ""
    png_url: str = ""
    csv_url: str = ""
    film_url: str = ""
    # the URL of the page for an iframe; "" if no other site can show the page
    iframe_url: str = ""
    iframe_size: tuple[int, int] = CURVE_IFRAME_SIZE
    # what identifies the figure in a citation, such as the agent's recipe
    note: str = ""

    @property
    def preview_url(self) -> str:
        """The picture that other websites show beside a link to the page."""
        return iframe_file_url(self.iframe_url, "png")

    def build_iframe(self, base_url: str) -> str:
        """Return an HTML iframe as wide as its page allows, with a script for its height.

        `base_url` is the origin of this site, such as "https://example.org".
        """
        return (
            build_iframe(
                base_url, self.iframe_url, self.title, "100%", self.iframe_size[1]
            )
            + "\n"
            + FITTING_SCRIPT
        )

    def build_bibtex(self, base_url: str) -> str:
        return build_bibtex(self.title, base_url.rstrip("/") + self.page_url, self.note)


def export_board(state: MatchState) -> Export:
    match = state.match
    frame = match_url(EMBED_BOARD_ROUTE, match)
    title = gettext("Tic-tac-toe after move %(ply)s", ply=len(match.shown_record))
    return _build_figure_export(
        "board", title, play_url(match), frame, BOARD_IFRAME_SIZE
    )


def export_game_values(state: MatchState) -> Export:
    value = match_url(EMBED_VALUE_ROUTE, state.match)
    return Export(
        id="value",
        title=gettext("The value of a game of tic-tac-toe over its moves"),
        page_url=play_url(state.match),
        svg_url=iframe_file_url(value, "svg"),
        csv_url=iframe_file_url(value, "csv"),
    )


def export_curves(
    site: SiteData,
    agent_names: Sequence[str],
    curve_key: str = "",
    opponent: str = "",
    record: str = "",
) -> Export:
    """Return the export of the learning curves of one or more agents.

    Without a `curve_key` it has all curves of one agent. `record` is the position on the page that
    compares several agents.
    """
    titles = [site.display_titles[name] for name in agent_names]
    one = len(agent_names) == 1 and curve_key in ("", WIN_RATE_KEY)
    shown = Comparison(record, tuple(map(SourceSnapshot, agent_names)), curve_key)
    export = _build_figure_export(
        export_id=f"curves{curve_key and '-' + curve_key}",
        title=f"How {join_words(titles)} learned tic-tac-toe",
        page_url=agent_url(agent_names[0], opponent) if one else compare_url(shown),
        iframe_url=embed_curve_url(
            agent_names[0], agent_names[1:], curve_key, opponent
        ),
        iframe_size=CURVE_IFRAME_SIZE
        if curve_key or len(agent_names) > 1
        else CURVES_IFRAME_SIZE,
        note=describe_provenance(site, agent_names[0]) if one else "",
    )
    if one and not curve_key:
        return export._replace(film_url=VALUE_MAP_FILM_ROUTE.url(agent_names[0]))
    return export


def export_value_map(
    site: SiteData,
    agent_name: str,
    snapshot: int | None = None,
    colouring_key: str = "",
) -> Export:
    view = (
        agent_name,
        site.get_snapshot_parameter(agent_name, snapshot),
        "" if colouring_key == EXPECTED_RESULT_KEY else colouring_key,
    )
    frame = EMBED_VALUE_MAP_ROUTE.url(agent_name, step=view[1], colour=view[2])
    title = (
        f"All positions of tic-tac-toe as {site.display_titles[agent_name]} values them"
    )
    page = value_map_url(*view)
    export = _build_figure_export(
        "mind",
        title,
        page,
        frame,
        VALUE_MAP_IFRAME_SIZE,
        describe_provenance(site, agent_name),
    )
    return export._replace(film_url=VALUE_MAP_FILM_ROUTE.url(agent_name))


def export_puzzle(site: SiteData, puzzle_number: int) -> Export:
    """Return the export of an unsolved puzzle; raises NotFound if there is none."""
    check_puzzle_number(puzzle_number, site)
    return _build_page_export(
        f"Find the mistake: puzzle {puzzle_number}",
        puzzle_url(puzzle_number),
        PUZZLE_IFRAME_SIZE,
    )


def export_daily_puzzles() -> Export:
    return _build_page_export(
        "Find the mistake: today's puzzle", PUZZLE_TODAY_ROUTE.url(), PUZZLE_IFRAME_SIZE
    )


def export_lesson_step(step: LessonStep) -> Export:
    title = f"How a program learns tic-tac-toe: {step.title}"
    return _build_page_export(title, how_url(step.slug), LESSON_IFRAME_SIZE)


def export_update(slug: str) -> Export:
    title = f"{ALGORITHM_PAGES[slug].title}: one update, step by step"
    return _build_page_export(title, how_url(slug), UPDATE_IFRAME_SIZE)


def export_learner(recipe: str) -> Export:
    """Return the export of the page on which people teach a learner ("" for MENACE).

    Raises RecipeError if people cannot teach this learner.
    """
    taught = recipe and list_taught_phases(parse_recipe(recipe))
    title = (
        f"{format_taught_title(parse_recipe(recipe))}: teach it on"
        if taught
        else "Teach a program tic-tac-toe"
    )
    return _build_page_export(title, teach_url(recipe), LEARNER_IFRAME_SIZE)


def export_figure(summary: ClaimSummary, figure_number: int = 1) -> Export:
    """Return the export of a figure of an experiment, counted from 1."""
    return Export(
        id=f"figure-{figure_number}",
        title=f"{summary.title}: {summary.figures[figure_number - 1].title}",
        page_url=EXPERIMENT_ROUTE.url(summary.id),
        svg_url=EXPERIMENT_FIGURE_ROUTE.url(summary.id, figure_number),
        csv_url=iframe_file_url(EXPERIMENT_ROUTE.url(summary.id), "csv"),
        iframe_url=embed_experiment_url(summary.id, figure_number),
        iframe_size=EXPERIMENT_IFRAME_SIZE,
        note=describe_runs(summary),
    )


def _build_figure_export(
    export_id: str,
    title: str,
    page_url: str,
    iframe_url: str,
    iframe_size: tuple[int, int],
    note: str = "",
) -> Export:
    svg = iframe_file_url(iframe_url, "svg")
    csv = iframe_file_url(iframe_url, "csv")
    return Export(
        id=export_id,
        title=title,
        page_url=page_url,
        svg_url=svg,
        csv_url=csv,
        iframe_url=iframe_url,
        iframe_size=iframe_size,
        note=note,
    )


def _build_page_export(
    title: str, page_url: str, iframe_size: tuple[int, int]
) -> Export:
    return Export(
        id="page",
        title=title,
        page_url=page_url,
        iframe_url=iframe_url(page_url),
        iframe_size=iframe_size,
    )


def describe_runs(summary: ClaimSummary) -> str:
    """Return a sentence for a citation: how many runs, when, and by which command."""
    runs = f"{format_count(summary.runs)} runs, made" if summary.runs else "Made"
    return f"{runs} on {summary.date} by {summary.command}"


def describe_provenance(site: SiteData, agent_name: str) -> str:
    """Return an agent's recipe and the SHA-256 of its arrays, for a citation."""
    agent = site.agents[agent_name]
    digest = f"SHA-256 of its arrays q and visits {agent.table_digest}"
    return f"Recipe {agent.card.recipe}, {digest}"


def build_iframe(
    base_url: str, iframe_url: str, title: str, width: int | str, height: int
) -> str:
    """Return the HTML of an iframe, without a style attribute, which other sites may forbid."""
    return (
        f'<iframe src="{escape(base_url.rstrip("/") + iframe_url)}" title="{escape(title)}" '
        f'width="{width}" height="{height}" frameborder="0" loading="lazy"></iframe>'
    )


def build_bibtex(title: str, page_url: str, note: str = "") -> str:
    key = re.sub(r"[^a-z0-9]+", "-", f"q-tac-toe {title}".lower()).strip("-")
    remark = f"Q-Tac-Toe {read_citation('version')}" + (f". {note}" if note else "")
    return "\n".join(
        [
            f"@misc{{{key},",
            f"  author = {{{{{read_citation('name')}}}}},",
            f"  title = {{{{{_escape_latex(title)}}}}},",
            f"  year = {{{read_citation('date-released')[:4]}}},",
            f"  howpublished = {{\\url{{{page_url}}}}},",
            f"  note = {{{_escape_latex(remark)}}}",
            "}",
        ]
    )


def read_citation(field_name: str) -> str:
    """Return a field of CITATION.cff; raises ValueError if it has none."""
    line = re.search(rf'(?m)^[ -]*{field_name}: "?(.*?)"?$', CITATION)
    if line is None:
        raise ValueError(f"CITATION.cff has no {field_name}")
    return line[1]


def build_svg_response(
    drawing: Drawing, file_name: str = "", scheme: str = "auto"
) -> Response:
    """Return an SVG file in "light" or "dark" colours, or as the reader prefers ("auto").

    With a file name browsers save it.
    """
    in_iframe = request.path.startswith(EMBED_PREFIX)
    policy = IFRAME_HEADERS[POLICY_HEADER] if in_iframe else CONTENT_SECURITY_POLICY
    # The hash allows only the file's own style.
    digest = base64.b64encode(
        hashlib.sha256(write_style(drawing, scheme).encode()).digest()
    ).decode()
    content = write_file(drawing, scheme, request.host_url.rstrip("/"))
    response = _build_cross_origin_response(
        content.encode(), "image/svg+xml", file_name and f"{file_name}.svg"
    )
    response.headers[POLICY_HEADER] = policy.replace(
        "style-src 'self'", f"style-src 'sha256-{digest}'"
    )
    return response


def build_png_response(drawing: Drawing, file_name: str = "") -> Response:
    return _build_cross_origin_response(
        render_png(drawing), "image/png", file_name and f"{file_name}.png"
    )


def build_csv_response(
    columns: Sequence[str], rows: Iterable[Sequence[object]], file_name: str
) -> Response:
    """Return a CSV file that browsers save; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    return build_file_response(text.getvalue().encode(), "text/csv", f"{file_name}.csv")


def _build_cross_origin_response(
    content: bytes, mimetype: str, file_name: str = ""
) -> Response:
    response = build_file_response(content, mimetype, file_name)
    response.headers[RESOURCE_POLICY_HEADER] = "cross-origin"
    return response


def build_file_response(content: bytes, mimetype: str, file_name: str = "") -> Response:
    """Return a file; with a file name browsers save it instead of showing it."""
    response = Response(content, mimetype=mimetype)
    if file_name:
        response.headers.set("Content-Disposition", "attachment", filename=file_name)
    return allow_revalidation(response, generate_etag(content))


def _escape_latex(text: str) -> str:
    return LATEX_SPECIAL_CHARACTERS.sub(lambda sign: f"\\{sign[0]}", text)
