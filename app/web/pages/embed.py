"""Pages for iframes and files for other websites.

A page for an iframe is small, has no header, and links to the full page. Other websites can show no
other page of the site in an iframe: see `app.web.service.headers`.
"""

import re
from collections.abc import Callable
from functools import partial

import werkzeug
from flask import Response, request
from msgspec.structs import replace
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import NotFound

from app.experiments import ClaimSummary
from app.tictactoe.game import GAME
from app.web import comparison
from app.web.comparison import list_learned_views, parse_comparison
from app.web.formatting import capitalize_first_letter
from app.web.game_review import review_moves
from app.web.links.embed import (
    EMBED_BOARD_ROUTE,
    EMBED_CURVE_ROUTE,
    EMBED_EXPERIMENT_ROUTE,
    EMBED_REPLY_ROUTE,
    EMBED_VALUE_MAP_ROUTE,
    EMBED_VALUE_ROUTE,
    IFRAME_URL_BUILDERS,
    embed_curve_url,
)
from app.web.links.mind import value_map_url
from app.web.links.play import EXPORTS_ROUTE, MATCH_PREVIEW_ROUTE, match_url, play_url
from app.web.match import (
    Match,
    MatchState,
    get_next_snapshot,
    parse_match,
    read_integer,
)
from app.web.move_values import EMPTY_NOTE, evaluate_match
from app.web.navigation import PageBlueprint
from app.web.pages.parts import export, learning
from app.web.pages.parts.match_controls import play_random_reply
from app.web.pages.parts.match_page import (
    MatchPage,
    build_shared_title,
    find_losing_move,
    summarize_game,
)
from app.web.pictures import boards, curves, minds
from app.web.pictures.curves import (
    DEFAULT_FILE_WIDTH,
    FILE_WIDTH_LIMITS,
    Charts,
    plot_curves_file,
)
from app.web.pictures.figures import lay_out_numbered_figure
from app.web.pictures.svg import plot_preview, write_plot
from app.web.pictures.tables import build_figure_table
from app.web.rendering import (
    get_link_attributes,
    redirect_after_form,
    render_page,
)
from app.web.routes import iframe_file_url
from app.web.site_data import SiteData, get_current_site
from app.web.translation import mark_english
from app.web.wording import build_legend

QueryParameters = MultiDict[str, str]
bp = PageBlueprint("embed", __name__)

# the width of a file with learning curves for small screens, in pixels
NARROW_PICTURE_WIDTH = 320


def parse_curves(
    site: SiteData, agent_name: str, query: "QueryParameters"
) -> tuple[Charts, export.Export, Callable[[int], str]]:
    """Return the learning curves that a URL asks for, their export, and a function.

    The function takes a width in pixels, and returns the URL for an iframe of this width. Raises
    NotFound or BadRequest.
    """
    figure = query.get("figure", "")
    lenses = query.getlist("lens")
    card = site.get_agent(agent_name).card
    names = [agent_name]
    against = ""
    charts: Charts | None
    if figure == learning.WIN_RATE_KEY and not lenses:
        charts = learning.build_win_rate_chart(card.win_rate) if card.win_rate else None
    elif figure or lenses:
        compared_with, _ = parse_comparison("", [agent_name, *lenses], site, figure)
        names = [view.value_source for view in list_learned_views(site, compared_with)]
        figure = compared_with.curve_key or next(iter(comparison.CURVE_TITLES))
        charts = learning.build_comparison_chart(site, compared_with.views, figure)
    else:
        chosen = learning.parse_opponent(query, card)
        against = (
            "" if chosen == next(iter(learning.list_card_opponents(card))) else chosen
        )
        charts = learning.build_training_charts(site, card, chosen)
    if charts is None:
        raise NotFound(mark_english("None of these agents has this figure."))
    take = export.export_curves(site, names, figure, against)
    name, *others = names
    return charts, take, partial(embed_curve_url, name, others, figure, against)


@bp.get(EMBED_BOARD_ROUTE.without_variables)
@bp.get(EMBED_BOARD_ROUTE)
def show_board(record: str = "") -> Response:
    return render_board(parse_match(record, request.args, get_current_site()))


def render_board(state: MatchState) -> Response:
    page = MatchPage(state, IFRAME_URL_BUILDERS)
    return render_page("embed/board.html", page, fragment=("game",))


@bp.get(EMBED_REPLY_ROUTE.without_variables)
@bp.get(EMBED_REPLY_ROUTE)
def show_reply(record: str = "") -> werkzeug.Response:
    after = play_random_reply(parse_match(record, request.args, get_current_site()))
    address = match_url(EMBED_BOARD_ROUTE, after.match)
    return redirect_after_form(address, partial(render_board, after))


@bp.get(EMBED_CURVE_ROUTE)
def show_curves(name: str) -> Response:
    charts, take, build_url = parse_curves(get_current_site(), name, request.args)
    drawings = {
        width: plot_curves_file(charts, take.title, width)
        for width in (DEFAULT_FILE_WIDTH, NARROW_PICTURE_WIDTH)
    }
    wide, narrow = (
        (iframe_file_url(build_url(width), "svg"), width, drawing.height)
        for width, drawing in drawings.items()
    )
    unlinked = [moment._replace(agent_url="") for moment in charts.points]
    return render_page(
        "embed/curve.html",
        title=take.title,
        whole_page_url=take.page_url,
        wide_picture=wide,
        narrow_picture=narrow,
        label=drawings[DEFAULT_FILE_WIDTH].label,
        charts=charts._replace(points=unlinked),
    )


@bp.get(EMBED_VALUE_MAP_ROUTE)
def show_mind(name: str) -> Response:
    site = get_current_site()
    step, colour = minds.parse_snapshot_and_colouring(site, name, request.args)
    colour_in_url = "" if colour == minds.EXPECTED_RESULT_KEY else colour
    url_step = site.get_snapshot_parameter(name, step)
    following = get_next_snapshot(step, site.get_last_snapshot(name))
    next_step = site.get_snapshot_parameter(name, following)
    return render_page(
        "embed/mind.html",
        snapshot=step,
        mind_picture=minds.plot_value_map(
            site, name, step, colour, has_all_frames=True
        ),
        colouring=minds.list_colourings(site, name)[colour],
        film=learning.build_agent_film(site, name),
        next_frame_url=EMBED_VALUE_MAP_ROUTE.url(
            name, step=next_step, colour=colour_in_url
        ),
        whole_page_url=value_map_url(name, url_step, colour_in_url),
    )


@bp.get(EMBED_EXPERIMENT_ROUTE)
def show_experiment(claim: str) -> Response:
    site = get_current_site()
    summary, number = parse_figure(site, claim, request.args)
    layout = lay_out_numbered_figure(site, claim, number)
    figure = summary.figures[number - 1]
    return render_page(
        "embed/experiment.html",
        summary=summary,
        layout=layout,
        svg=write_plot(layout.plot, link_attributes=get_link_attributes()),
        table=build_figure_table(figure, site, summary.first_seed),
    )


def parse_figure(
    site: SiteData, claim: str, query: "QueryParameters"
) -> tuple[ClaimSummary, int]:
    """Return an experiment, and the number of its figure in the query, by default 1.

    Raises NotFound or BadRequest.
    """
    summary = site.get_experiment(claim)
    figures = len(summary.figures)
    return summary, read_integer("figure", query.get("figure") or "1", 1, figures)


@bp.get(EXPORTS_ROUTE.without_variables)
@bp.get(EXPORTS_ROUTE)
def show_exports(record: str = "") -> Response:
    state = parse_match(record, request.args, get_current_site())
    match = state.match
    moves = review_moves(state)
    exports = [export.export_board(state)]
    if match.record and not match.hides_values:
        exports.append(export.export_game_values(state))
    end = replace(match.show_ply(len(match.record)), replays_record=False)
    replay = replace(
        end.show_ply(0),
        replays_record=True,
        is_paused=False,
        result_counts=Match().result_counts,
    )
    blame = find_losing_move(state, moves)
    return render_page(
        "embed/export.html",
        fragment=("exports",),
        state=state,
        exports=exports,
        title=build_shared_title(state, moves),
        match_url=play_url(match),
        picture_url=match_url(MATCH_PREVIEW_ROUTE, end) if state.is_over else "",
        picture_text=summarize_game(state, blame) if state.is_over else "",
        replay_url=play_url(replay),
    )


FILE_ENDINGS = ".<any(svg, csv):ending>"
FILE_AND_PREVIEW_ENDINGS = ".<any(svg, csv, png):ending>"


@bp.get(EMBED_BOARD_ROUTE.without_variables.append_ending(FILE_ENDINGS))
@bp.get(EMBED_BOARD_ROUTE.append_ending(FILE_ENDINGS))
def download_board(ending: str, record: str = "") -> Response:
    state = parse_match(record, request.args, get_current_site())
    shown = MatchPage(state, IFRAME_URL_BUILDERS)
    name = _name_file("board", record)
    if ending == "svg":
        says = shown.headline
        return export.build_svg_response(
            boards.plot_board_file(shown.board, says["title"], says["caption"]), name
        )
    return export.build_csv_response(
        boards.CSV_COLUMNS,
        boards.list_board_rows(
            shown.board, None if state.is_over else shown.move_values
        ),
        name,
    )


@bp.get(EMBED_VALUE_ROUTE.without_variables.append_ending(FILE_ENDINGS))
@bp.get(EMBED_VALUE_ROUTE.append_ending(FILE_ENDINGS))
def download_game_values(ending: str, record: str = "") -> Response:
    place = parse_match(record, request.args, get_current_site())
    moves = review_moves(place)
    name = _name_file("value", record)
    if ending == "svg":
        return export.build_svg_response(
            curves.plot_game_values_file(
                place, moves, export.export_game_values(place).title
            ),
            name,
        )
    return export.build_csv_response(
        curves.VALUE_COLUMNS, curves.list_game_value_rows(place, moves), name
    )


@bp.get(EMBED_CURVE_ROUTE.append_ending(FILE_AND_PREVIEW_ENDINGS))
def download_curves(name: str, ending: str) -> Response:
    charts, take, _ = parse_curves(get_current_site(), name, request.args)
    if ending == "png":
        drawn = plot_curves_file(charts, "", DEFAULT_FILE_WIDTH)
        line = take.title.removesuffix(" tic-tac-toe")
        return export.build_png_response(
            plot_preview(line, drawn.shapes, drawn.width, drawn.height)
        )
    if ending == "csv":
        return export.build_csv_response(
            *curves.tabulate_charts(charts), _name_file("curve", name)
        )
    width = read_integer(
        "width",
        request.args.get("width") or str(DEFAULT_FILE_WIDTH),
        *FILE_WIDTH_LIMITS,
    )
    return export.build_svg_response(
        plot_curves_file(charts, take.title, width), _name_file("curve", name)
    )


@bp.get(EMBED_VALUE_MAP_ROUTE.append_ending(FILE_AND_PREVIEW_ENDINGS))
def download_mind(name: str, ending: str) -> Response:
    step, colour = minds.parse_snapshot_and_colouring(
        get_current_site(), name, request.args
    )
    shown = minds.plot_value_map(get_current_site(), name, step, colour)
    if ending == "png":
        line = (
            f"The mind of {shown.title}: "
            f"{minds.list_colourings(get_current_site(), name)[colour].title.lower()}"
        )
        shapes = [minds.plot_optimal_lines(shown.tile_layout), shown.plot_tiles()]
        where = shown.tile_layout
        return export.build_png_response(
            plot_preview(line, shapes, where.columns, where.height)
        )
    if ending == "csv":
        rows = minds.list_value_map_rows(get_current_site(), shown, step)
        return export.build_csv_response(
            minds.CSV_COLUMNS, rows, _name_file("mind", name)
        )
    return export.build_svg_response(
        minds.plot_value_map_file(get_current_site(), shown, step),
        _name_file("mind", name),
    )


@bp.get(MATCH_PREVIEW_ROUTE.without_variables)
@bp.get(MATCH_PREVIEW_ROUTE)
def download_board_preview(record: str = "") -> Response:
    state = parse_match(record, request.args, get_current_site()).shared
    move_values = (
        None if state.match.hides_values or state.is_over else evaluate_match(state)
    )
    unsaid = [EMPTY_NOTE] * GAME.cells
    moves = review_moves(state)
    line = build_shared_title(state, moves)
    blame = find_losing_move(state, moves)
    if state.is_over:
        line = summarize_game(state, blame)
    if move_values:
        line = build_legend(state, move_values).caption
    turned = state.played_cells[blame.ply - 1] if blame else None
    shown = boards.lay_out_board(
        state, move_values, None, notes=unsaid, chosen_cell=turned
    )
    return export.build_png_response(
        boards.plot_board_preview(shown, capitalize_first_letter(line))
    )


def _name_file(figure_kind: str, subject_name: str) -> str:
    return re.sub("[^a-z0-9]+", "-", f"{figure_kind}-{subject_name}").strip("-")
