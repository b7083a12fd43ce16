"""The pages of the experiments: all claims, one of them, and its figures and numbers as files."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound

from app.experiments import Summary
from app.sources import SOURCES, Source
from app.sources import sources as sources_of
from app.web import addresses
from app.web.algorithms import ALGORITHMS
from app.web.numbers import count
from app.web.pages.parts import export
from app.web.pages.parts.claims import VERDICTS, Claim, Verdict, algorithms, claim, known
from app.web.pictures import tables
from app.web.pictures.figures import Layout, drawing, layout_of
from app.web.pictures.miniatures import miniature, preview_of
from app.web.pictures.svg import SCHEMES, inline_plot
from app.web.respond import Page, respond
from app.web.world import World, world

bp = Blueprint("experiments", __name__)
SITE = "Q-Tac-Toe"
OPEN = 16  # claims that are seen before a source is opened: three screens of them


class Filter(NamedTuple):
    """The claims with one verdict, as one of several to choose."""

    verdict: Verdict
    number: int  # of claims
    href: str
    chosen: bool


class ListedClaim(NamedTuple):
    """A claim in the list: what was claimed, and what is so."""

    claim: Claim
    says: str
    answer: str
    picture: Markup
    runs: str


class SourceClaims(NamedTuple):
    """The claims of one source."""

    source: Source
    lines: list[ListedClaim]
    open: bool  # whether they are seen at once


class ShownFigure(NamedTuple):
    """A figure on the page of its experiment."""

    number: int  # from 1
    layout: Layout
    svg: Markup
    table: tables.Table
    offers: list[tables.Sample]
    take: export.Take


@dataclass(frozen=True)
class ExperimentsPage(Page):
    """All claims, or those of a source or with a verdict."""

    template: ClassVar = "experiments/experiments.html"

    verdicts: list[Filter]
    groups: list[SourceClaims]
    all: bool  # whether no claim is left out
    total: int
    runs: str  # of all experiments together


@dataclass(frozen=True)
class ExperimentPage(Page):
    """One claim, and what is so."""

    template: ClassVar = "experiments/experiment.html"

    summary: Summary
    claim: Claim
    numbers: tables.Table  # that force the verdict
    sources: tuple[Source, ...]  # whose claim it is
    figures: list[ShownFigure]
    agents: Mapping[str, str]  # by title the address of each
    methods: Mapping[str, str]  # the same of the parts of /how that explain what was trained
    before: Claim | None  # in the order of the list
    after: Claim | None
    facts: Mapping[str, str]  # of how it was made
    bibtex: str


@bp.get(addresses.EXPERIMENTS)
def every() -> Response:
    """List the claims."""
    source, verdict = request.args.get("source", ""), request.args.get("verdict", "")
    slugs = [kind.slug for kind in VERDICTS.values()]
    if source and source not in SOURCES:
        raise BadRequest(f"There is no source {source!r}. There are: {', '.join(SOURCES)}.")
    if verdict and verdict not in slugs:
        raise BadRequest(f"There is no verdict {verdict!r}. There are: {', '.join(slugs)}.")
    return respond(experiments_page(world(), source, verdict))


@bp.get(addresses.EXPERIMENT)
def one(claim: str) -> Response:
    """Show a claim, and what is so."""
    return respond(experiment_page(world(), known(world(), claim), request.host_url))


@bp.get(f"{addresses.EXPERIMENT}.csv")
def numbers(claim: str) -> Response:
    """Hand out every number of an experiment."""
    summary = known(world(), claim)
    rows = (
        record
        for number, figure in enumerate(summary.figures, 1)
        for record in tables.records(figure, number, summary.first_seed)
    )
    return export.numbers_file(tables.COLUMNS, rows, claim)


@bp.get(f"{addresses.EXPERIMENT}.png")
def preview(claim: str) -> Response:
    """Draw what a link to an experiment is shown with."""
    summary = known(world(), claim)
    line = f"{summary.verdict.capitalize()}: {summary.title}"
    return export.png_file(preview_of(world(), summary.figures[0], line))


@bp.get(addresses.EXPERIMENT_FIGURE)
def figure(claim: str, number: int) -> Response:
    """Draw a figure that stands alone."""
    summary, scheme = known(world(), claim), request.args.get("scheme", SCHEMES[0])
    if not 1 <= number <= len(summary.figures):
        raise NotFound(f"There is no figure {number}: {claim} has {len(summary.figures)}.")
    if scheme not in SCHEMES:
        raise BadRequest(f"There is no scheme {scheme!r}. There are: {', '.join(SCHEMES)}.")
    page = request.host_url.rstrip("/") + addresses.EXPERIMENT.to(claim)
    source = f"{SITE}: {summary.title}, {summary.date}. {page}"
    return export.svg_file(drawing(layout_of(world(), claim, number), source), scheme=scheme)


def experiments_page(world: World, source: str, verdict: str) -> ExperimentsPage:
    """Gather what the list writes down, for one source and one verdict or, with "", for all."""
    every = [*world.experiments.values()]
    of_source = [one for one in every if source in ("", *one.sources)]
    of_verdict = [one for one in every if verdict in ("", VERDICTS[one.verdict].slug)]
    verdicts = Counter[str](one.verdict for one in of_source)
    found = [one for one in of_source if one in of_verdict]
    groups, listed = [], 0
    for slug, claims in groupby(found, lambda one: one.sources[0]):
        lines = [
            ListedClaim(
                claim(one), one.claim, one.answer, miniature(world, one.figures[0]), count(one.runs)
            )
            for one in claims
        ]
        listed += len(lines)
        groups.append(SourceClaims(SOURCES[slug], lines, listed <= OPEN))
    return ExperimentsPage(
        verdicts=[
            Filter(
                verdict=kind,
                number=verdicts[words],
                href=addresses.EXPERIMENTS.to(
                    source=source, verdict="" if verdict == kind.slug else kind.slug
                ),
                chosen=verdict == kind.slug,
            )
            for words, kind in VERDICTS.items()
        ],
        groups=groups,
        all=len(found) == len(every),
        total=len(every),
        runs=count(sum(one.runs for one in every)),
    )


def experiment_page(world: World, summary: Summary, site: str) -> ExperimentPage:
    """Gather what the page of a claim writes down, for a site at this address."""
    order = [*world.experiments.values()]
    at = order.index(summary)
    return ExperimentPage(
        summary=summary,
        claim=claim(summary),
        numbers=tables.written(summary.numbers),
        sources=sources_of(*summary.sources),
        figures=[shown(world, summary, number) for number in range(1, len(summary.figures) + 1)],
        agents={
            world.titles[name]: addresses.agent(name)
            for name in summary.agents
            if name in world.always
        },
        methods={
            ALGORITHMS[slug].title: addresses.how(slug)
            for slug in algorithms(world, summary)
            if slug in ALGORITHMS
        },
        before=claim(order[at - 1]) if at else None,
        after=claim(order[at + 1]) if at + 1 < len(order) else None,
        facts=facts(summary),
        bibtex=cited(summary, site),
    )


def shown(world: World, summary: Summary, number: int) -> ShownFigure:
    """Draw a figure for the page; the first has number 1."""
    figure, seed = summary.figures[number - 1], summary.first_seed
    drawn = layout_of(world, summary.id, number)
    return ShownFigure(
        number=number,
        layout=drawn,
        svg=inline_plot(drawn.plot),
        table=tables.table(figure, world, seed),
        offers=tables.offers(world, figure, seed),
        take=export.take_figure(summary, number),
    )


def facts(summary: Summary) -> dict[str, str]:
    """Say how an experiment was made."""
    last = summary.first_seed + summary.seeds - 1
    seeds = f"{count(summary.seeds)}, {count(summary.first_seed)} to {count(last)}"
    return {
        "Training runs": f"{count(summary.runs)}" if summary.runs else "none: nothing is trained",
        **({"Seeds": seeds} if summary.seeds else {}),
        "Time": f"{duration(summary.seconds)} of training and evaluation",
        "Made with": ", ".join(f"{name} {one}" for name, one in summary.versions.items()),
        "Date": summary.date,
    }


def duration(seconds: float) -> str:
    """Write how long something took."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


def cited(summary: Summary, site: str) -> str:
    """Write how to cite an experiment on a site at this address, as BibTeX."""
    address = site.rstrip("/") + addresses.EXPERIMENT.to(summary.id)
    return export.bibtex(summary.title, address, export.made(summary))
