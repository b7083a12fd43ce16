"""The pages of experiments: all claims, a claim with its figures and files, and the sources.

A source is the author of a claim. The page of sources lists what this project took from each source
and what it does differently.
"""

from collections import Counter
from itertools import groupby

from flask import Response, request
from werkzeug.exceptions import NotFound

from app.experiments import ClaimSummary
from app.sources import SOURCES, Source, get_sources
from app.tictactoe.card import Card
from app.web.algorithms import ALGORITHM_PAGES
from app.web.links.experiments import (
    EXPERIMENT_FIGURE_ROUTE,
    EXPERIMENT_ROUTE,
    EXPERIMENTS_ROUTE,
    SOURCE_LIST_ROUTE,
)
from app.web.match import read_choice
from app.web.navigation import PageBlueprint
from app.web.pages.parts import export
from app.web.pictures import tables
from app.web.pictures.figures import (
    lay_out_numbered_figure,
    plot_figure_file,
    plot_figure_preview,
)
from app.web.pictures.svg import COLOUR_SCHEMES, write_plot
from app.web.rendering import render_page
from app.web.routes import Destination
from app.web.site_data import get_current_site
from app.web.translation import gettext_noop

bp = PageBlueprint("experiments", __name__)
bp.add_menu_page("Learn", "sources", gettext_noop("Sources"), SOURCE_LIST_ROUTE.url)
bp.add_menu_page(
    "Research", "experiments", gettext_noop("Experiments"), EXPERIMENTS_ROUTE.url
)
bp.add_to_sitemap(lambda: map(EXPERIMENT_ROUTE.url, get_current_site().experiments))
# the names of verdicts in URLs and style sheets
VERDICT_SLUGS = {
    "reproduced": "reproduced",
    "partly reproduced": "partly",
    "not reproduced": "not-reproduced",
    "inconclusive": "inconclusive",
}
bp.add_app_template_filter(VERDICT_SLUGS.__getitem__, "verdict")
# the headings on the page of sources, by kind of source
SOURCE_HEADINGS = {
    "project": "The five projects",
    "classic": "The classics",
    "page": "Pages and programs of others",
}
SITE_NAME = "Q-Tac-Toe"


@bp.get(EXPERIMENTS_ROUTE)
def show_claims() -> Response:
    source = read_choice("source", request.args, SOURCES)
    verdict = read_choice("verdict", request.args, VERDICT_SLUGS.values())
    every = [*get_current_site().experiments.values()]
    of_source = [one for one in every if source in ("", *one.sources)]
    verdicts = Counter[str](one.verdict for one in of_source)
    chosen = [one for one in of_source if verdict in ("", VERDICT_SLUGS[one.verdict])]
    claims_by_source = [
        (SOURCES[claimant], [*of])
        for claimant, of in groupby(chosen, lambda one: one.sources[0])
    ]
    links = [
        Destination(
            words,
            EXPERIMENTS_ROUTE.url(
                source=source, verdict="" if verdict == slug else slug
            ),
            description=str(verdicts[words]),
            id=f"verdict-{slug}",
            is_current=verdict == slug,
        )
        for words, slug in VERDICT_SLUGS.items()
    ]
    return render_page(
        "experiments/experiments.html",
        verdict_links=links,
        claims_by_source=claims_by_source,
        is_complete=len(chosen) == len(every),
        claim_count=len(every),
        run_count=sum(one.runs for one in every),
    )


@bp.get(EXPERIMENT_ROUTE)
def show_claim(claim: str) -> Response:
    site = get_current_site()
    summary = site.get_experiment(claim)
    order = [*site.experiments.values()]
    at = order.index(summary)
    address = request.host_url.rstrip("/") + EXPERIMENT_ROUTE.url(claim)
    figures = [
        {
            "number": number,
            "layout": (drawn := lay_out_numbered_figure(site, claim, number)),
            "svg": write_plot(drawn.plot),
            "table": tables.build_figure_table(figure, site, summary.first_seed),
            "samples": tables.list_samples(site, figure, summary.first_seed),
            "export": export.export_figure(summary, number),
        }
        for number, figure in enumerate(summary.figures, 1)
    ]
    return render_page(
        "experiments/experiment.html",
        site=site,
        summary=summary,
        numbers=tables.build_verdict_table(summary.numbers),
        sources=get_sources(*summary.sources),
        figures=figures,
        methods={
            slug: ALGORITHM_PAGES[slug].name
            for slug in site.list_algorithms(summary)
            if slug in ALGORITHM_PAGES
        },
        previous_claim=order[at - 1] if at else None,
        next_claim=order[at + 1] if at + 1 < len(order) else None,
        bibtex=export.build_bibtex(
            summary.title, address, export.describe_runs(summary)
        ),
    )


@bp.get(EXPERIMENT_ROUTE.append_ending(".csv"))
def download_numbers(claim: str) -> Response:
    summary = get_current_site().get_experiment(claim)
    rows = (
        (number, *record)
        for number, figure in enumerate(summary.figures, 1)
        for record in tables.list_records(figure, summary.first_seed)
    )
    return export.build_csv_response(tables.RECORD_COLUMNS, rows, claim)


@bp.get(EXPERIMENT_ROUTE.append_ending(".png"))
def download_preview(claim: str) -> Response:
    summary = get_current_site().get_experiment(claim)
    line = f"{summary.verdict.capitalize()}: {summary.title}"
    return export.build_png_response(
        plot_figure_preview(get_current_site(), summary.figures[0], line)
    )


@bp.get(EXPERIMENT_FIGURE_ROUTE)
def download_figure(claim: str, number: int) -> Response:
    summary = get_current_site().get_experiment(claim)
    scheme = read_choice("scheme", request.args, COLOUR_SCHEMES, COLOUR_SCHEMES[0])
    if not 1 <= number <= len(summary.figures):
        raise NotFound(
            f"There is no figure {number}: {claim} has {len(summary.figures)}."
        )
    page = request.host_url.rstrip("/") + EXPERIMENT_ROUTE.url(claim)
    source = f"{SITE_NAME}: {summary.title}, {summary.date}. {page}"
    return export.build_svg_response(
        plot_figure_file(
            lay_out_numbered_figure(get_current_site(), claim, number), source
        ),
        scheme=scheme,
    )


@bp.get(SOURCE_LIST_ROUTE)
def show_sources() -> Response:
    site = get_current_site()
    cards = [agent.card for agent in site.shipped_agents.values()]
    # the sources with their agents and claims, by heading
    entries: dict[str, list[tuple[Source, list[Card], list[ClaimSummary]]]] = {
        title: [] for title in SOURCE_HEADINGS.values()
    }
    for source in SOURCES.values():
        if source.kind not in SOURCE_HEADINGS:
            continue
        own_cards = [card for card in cards if card.origin == source.name]
        claims = [
            one for one in site.experiments.values() if source.slug in one.sources
        ]
        entries[SOURCE_HEADINGS[source.kind]].append((source, own_cards, claims))
    return render_page("experiments/sources.html", sources_by_heading=entries)
