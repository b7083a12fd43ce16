"""How a figure leaves its page: as a file or in a frame, and how to cite it.

A page that can be embedded has a `Take` for each of its figures and writes it down with the macros
of `templates/parts/_export.html`: `take_row` anywhere, and `discovery` in its head, by which a
program that is given its address finds the frame by oEmbed (see `app.web.pages.embed`).
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

from app.experiments import Summary
from app.project import ROOT
from app.recipes import parse_recipe
from app.recipes.taught import format_title, list_taught_phases
from app.web import urls
from app.web.algorithms import ALGORITHMS
from app.web.comparison import Comparison, View
from app.web.formatting import format_count, join_words
from app.web.match import MatchState, check_puzzle
from app.web.pages.parts.learning import WON
from app.web.pictures.minds import EXPECTS
from app.web.pictures.svg import Drawing, png, standalone, style
from app.web.rendering import allow_revalidation
from app.web.service.headers import CONTENT_SECURITY_POLICY, EMBEDDED, POLICY, RESOURCES
from app.web.site_data import SiteData
from app.web.translation import gettext, gettext_noop
from app.web.urls import frame_file, frame_url
from app.web.wording import LessonStep, describe_turn

CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
SPECIAL = re.compile(r"[&%$#_{}]")  # what LaTeX would read as its own
# Pixels of a frame: of a board, one chart, all charts of an agent, a mind, an experiment's figure,
# of a puzzle, a stop of the lesson, a learner, an update.
BOARD, CURVE, CURVES, MIND, EXPERIMENT = (
    (380, 560),
    (640, 440),
    (640, 800),
    (640, 540),
    (640, 520),
)
PUZZLE, STOP, LEARNER, UPDATE = (640, 560), (640, 700), (640, 740), (760, 860)

# What makes a frame as high as what is in it, on a page that allows a script: see embed/frame.js.
FITTING = """<script>
addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe")) {
    if (frame.contentWindow === source && data?.qtactoe > 0) frame.height = data.qtactoe;
  }
});
</script>"""


class Take(NamedTuple):
    """The ways to export a figure: files, a frame, a citation."""

    id: str  # id of its row on the page
    title: str  # what it shows
    page: str  # URL of the page with the figure; the files below are URLs too
    svg: str = ""  # "" if there are no files
    png: str = ""
    csv: str = ""
    frame: str = ""  # "" if other sites cannot show it
    size: tuple[int, int] = CURVE  # width and height of the frame
    note: str = ""  # what else identifies the figure: a recipe, a digest

    @property
    def preview(self) -> str:
        """Return the URL of the preview picture of a link to the page."""
        return frame_file(self.frame, "png")

    def iframe(self, host: str) -> str:
        """Return the HTML that shows the figure on a page of another site, at full width.

        `host` is the host of this site, as in `https://...`. A script sets the height; it is optional.
        """
        return (
            iframe(host, self.frame, self.title, "100%", self.size[1]) + "\n" + FITTING
        )

    def bibtex(self, host: str) -> str:
        """Return the citation of the figure as BibTeX."""
        return bibtex(self.title, host.rstrip("/") + self.page, self.note)


def take_board(state: MatchState) -> Take:
    """Return the ways to export the board of a match."""
    match = state.match
    frame = urls.EMBED_BOARD.url_for_match(match)
    words, headline = (
        gettext_noop("Tic-tac-toe after %(plies)s moves: %(headline)s"),
        describe_turn(state),
    )
    title = gettext(words, plies=len(match.shown), headline=headline)
    return _figure("board", title, urls.play(match), frame, BOARD)


def take_value(state: MatchState) -> Take:
    """Return how the value of a game over its moves leaves the site."""
    value = urls.EMBED_VALUE.url_for_match(state.match)
    return Take(
        id="value",
        title=gettext("The value of a game of tic-tac-toe over its moves"),
        page=urls.play(state.match),
        svg=frame_file(value, "svg"),
        csv=frame_file(value, "csv"),
    )


def take_curve(
    site: SiteData,
    names: Sequence[str],
    figure: str = "",
    against: str = "",
    record: str = "",
) -> Take:
    """Return how the learning curves of one or several agents leave the site.

    Of one without a figure these are all it has; `record` is that of the page of several.
    """
    one = len(names) == 1 and figure in ("", WON)
    shown = Comparison(record, tuple(map(View, names)), figure)
    return _figure(
        id=f"curves{figure and '-' + figure}",
        title=f"How {join_words([site.titles[name] for name in names])} learned tic-tac-toe",
        page=urls.agent(names[0], against) if one else urls.compare(shown),
        frame=urls.embed_curve(names[0], names[1:], figure, against),
        size=CURVE if figure or len(names) > 1 else CURVES,
        note=provenance(site, names[0]) if one else "",
    )


def take_mind(
    site: SiteData, name: str, step: int | None = None, colour: str = ""
) -> Take:
    """Return how the picture of a mind leaves the site."""
    view = name, site.step_for_url(name, step), "" if colour == EXPECTS else colour
    frame = urls.EMBED_MIND.url(name, step=view[1], colour=view[2])
    title, page = f"The mind of {site.titles[name]} on tic-tac-toe", urls.mind(*view)
    return _figure("mind", title, page, frame, MIND, provenance(site, name))


def take_puzzle(site: SiteData, number: int) -> Take:
    """Return how a puzzle leaves the site, with nothing said of it yet.

    Raises NotFound with a sentence if no puzzle has this number.
    """
    check_puzzle(number, site)
    return _page(f"Find its mistake: puzzle {number}", urls.puzzle(number), PUZZLE)


def take_today() -> Take:
    """Return how the day's puzzles leave the site, whatever day it will be."""
    return _page("Find its mistake: today's puzzle", urls.PUZZLE_TODAY, PUZZLE)


def take_stop(stop: LessonStep) -> Take:
    """Return how a stop of the lesson leaves the site."""
    title = f"How a program learns tic-tac-toe: {stop.title}"
    return _page(title, urls.how(stop.slug), STOP)


def take_update(slug: str) -> Take:
    """Return how the updates of an algorithm leave the site."""
    title = f"{ALGORITHMS[slug].section.title}: one update, step by step"
    return _page(title, urls.how(slug), UPDATE)


def take_learner(recipe: str) -> Take:
    """Return how a learner leaves the site, to be taught on; "" is the first that is offered.

    Raises RecipeError if it cannot be taught.
    """
    taught = recipe and list_taught_phases(parse_recipe(recipe))
    title = (
        f"{format_title(parse_recipe(recipe))}: teach it on"
        if taught
        else "Teach a program tic-tac-toe"
    )
    return _page(title, urls.teach(recipe), LEARNER)


def take_figure(summary: Summary, number: int = 1) -> Take:
    """Return how a figure of an experiment leaves the site; the first has number 1."""
    return Take(
        id=f"figure-{number}",
        title=f"{summary.title}: {summary.figures[number - 1].title}",
        page=urls.EXPERIMENT.url(summary.id),
        svg=urls.EXPERIMENT_FIGURE.url(summary.id, number),
        csv=frame_file(urls.EXPERIMENT.url(summary.id), "csv"),
        frame=urls.embed_experiment(summary.id, number),
        size=EXPERIMENT,
        note=made(summary),
    )


def _figure(
    id: str, title: str, page: str, frame: str, size: tuple[int, int], note: str = ""
) -> Take:
    """Return how a figure leaves the site whose frame is there as files too."""
    svg, csv = (frame_file(frame, ending) for ending in ("svg", "csv"))
    return Take(id, title, page, svg, "", csv, frame, size, note)


def _page(title: str, page: str, size: tuple[int, int]) -> Take:
    """Return the ways to export a page that other sites may show in a frame."""
    return Take(id="page", title=title, page=page, frame=frame_url(page), size=size)


def made(summary: Summary) -> str:
    """Return a sentence with the runs, the date and the command of an experiment."""
    runs = f"{format_count(summary.runs)} runs, made" if summary.runs else "Made"
    return f"{runs} on {summary.date} by {summary.command}"


def provenance(site: SiteData, name: str) -> str:
    """Return the recipe of an agent and the digest of its arrays, which identify it."""
    card = site.agents[name].card
    return f"Recipe {card.recipe}" + (
        card.arrays and f", SHA-256 of its arrays {card.arrays}"
    )


def iframe(host: str, frame: str, title: str, width: int | str, height: int) -> str:
    """Return the HTML of a frame for another site; without a style, which that site may forbid."""
    return (
        f'<iframe src="{escape(host.rstrip("/") + frame)}" title="{escape(title)}" '
        f'width="{width}" height="{height}" frameborder="0" loading="lazy"></iframe>'
    )


def bibtex(title: str, address: str, note: str = "") -> str:
    """Write the citation of a page as BibTeX; author, version and year are those of the project.

    What LaTeX would read as its own in a title or a note is written so that it does not.
    """
    key = re.sub(r"[^a-z0-9]+", "-", f"q-tac-toe {title}".lower()).strip("-")
    remark = f"Q-Tac-Toe {cited('version')}" + (f". {note}" if note else "")
    return "\n".join(
        [
            f"@misc{{{key},",
            f"  author = {{{{{cited('name')}}}}},",
            f"  title = {{{{{_latex(title)}}}}},",
            f"  year = {{{cited('date-released')[:4]}}},",
            f"  howpublished = {{\\url{{{address}}}}},",
            f"  note = {{{_latex(remark)}}}",
            "}",
        ]
    )


def cited(field: str) -> str:
    """Return what CITATION.cff says, in a line of its own, under a name.

    Raises ValueError if there is no such line.
    """
    line = re.search(rf'(?m)^[ -]*{field}: "?(.*?)"?$', CITATION)
    if line is None:
        raise ValueError(f"CITATION.cff has no {field}")
    return line[1]


def svg_file(drawing: Drawing, name: str = "", scheme: str = "auto") -> Response:
    """Answer with a drawing in one of SCHEMES that browsers save under a name, if it has one.

    It may use its own style, and no other.
    """
    framed = request.path.startswith(urls.EMBED)
    policy = EMBEDDED[POLICY] if framed else CONTENT_SECURITY_POLICY
    digest = base64.b64encode(
        hashlib.sha256(style(drawing, scheme).encode()).digest()
    ).decode()
    content = standalone(drawing, scheme, request.host_url.rstrip("/"))
    response = _for_others(content.encode(), "image/svg+xml", name and f"{name}.svg")
    response.headers[POLICY] = policy.replace(
        "style-src 'self'", f"style-src 'sha256-{digest}'"
    )
    return response


def png_file(drawing: Drawing, name: str = "") -> Response:
    """Answer with the pixels of a drawing, which browsers save under a name, if it has one."""
    return _for_others(png(drawing), "image/png", name and f"{name}.png")


def numbers_file(
    columns: Sequence[str], rows: Iterable[Sequence[object]], name: str
) -> Response:
    """Answer with a table that browsers save under a name; None is an empty entry."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    return file(text.getvalue().encode(), "text/csv", f"{name}.csv")


def _for_others(content: bytes, mimetype: str, name: str = "") -> Response:
    """Let pages of others show it."""
    response = file(content, mimetype, name)
    response.headers[RESOURCES] = "cross-origin"
    return response


def file(content: bytes, mimetype: str, name: str = "") -> Response:
    """Answer with what browsers save under a name, if it has one."""
    response = Response(content, mimetype=mimetype)
    if name:
        response.headers.set("Content-Disposition", "attachment", filename=name)
    return allow_revalidation(response, generate_etag(content))


def _latex(text: str) -> str:
    return SPECIAL.sub(lambda sign: f"\\{sign[0]}", text)
