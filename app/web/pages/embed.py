"""Frames and files for other websites.

A frame is small, has no header, and links to the whole page. No other page of the site
may be framed: see `app.web.service.headers`.
"""

import re
from functools import cached_property, partial
from typing import ClassVar

from flask import Response, request
from markupsafe import Markup
from msgspec.structs import replace
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from app.experiments import ClaimSummary
from app.web import comparison
from app.web.comparison import list_learned_views, parse_comparison
from app.web.formatting import capitalize_first_letter
from app.web.game_review import ReviewedMove, review_moves
from app.web.links.embed import (
    EMBED_BOARD,
    EMBED_CURVE,
    EMBED_EXPERIMENT,
    EMBED_MIND,
    EMBED_REPLY,
    EMBED_VALUE,
    FRAME_ROUTES,
    embed_curve_url,
)
from app.web.links.mind import mind_url
from app.web.links.play import EXPORTS, MATCH_PREVIEW, match_url, play_url
from app.web.match import (
    Match,
    MatchState,
    get_next_snapshot,
    parse_match,
    read_integer,
)
from app.web.match_controls import play_random_reply
from app.web.match_page import (
    MatchPage,
    describe_for_others,
    find_losing_move,
    summarise_game,
)
from app.web.move_values import EMPTY_NOTE, evaluate_match
from app.web.navigation import PageBlueprint
from app.web.pages.parts import export, learning
from app.web.pictures import boards, curves, minds
from app.web.pictures.curves import (
    DEFAULT_FILE_WIDTH,
    FILE_WIDTH_LIMITS,
    Charts,
    draw_curves_file,
)
from app.web.pictures.figures import FigureLayout, lay_out_numbered_figure
from app.web.pictures.svg import draw_preview, write_plot
from app.web.pictures.tables import HtmlTable, build_table
from app.web.rendering import (
    Page,
    get_link_attributes,
    redirect_after_form,
    render_page,
)
from app.web.routes import frame_file_url
from app.web.site_data import SiteData, get_current_site
from app.web.translation import mark_english
from app.web.wording import build_legend

Query = MultiDict[str, str]
bp = PageBlueprint("embed", __name__)

NARROW_WIDTH = 320  # width in pixels of the picture of curves for small screens


class BoardPage(MatchPage, frozen=True):
    """The frame of a match, which can be played inside the frame."""

    template: ClassVar = "embed/board.html"
    fragment: ClassVar = ("game",)
    routes: ClassVar = FRAME_ROUTES


# URL of a picture, its width and height in pixels
SizedPicture = tuple[str, int, float]


class CurvesPage(Page, frozen=True):
    """The frame with all learning curves of an agent, or with one curve of several agents."""

    template: ClassVar = "embed/curve.html"

    curves: Charts
    export: export.Export
    names: list[str]
    curve_key: str  # key of CURVE_TITLES, WIN_RATE_KEY, or "" for all curves
    opponent: str

    @property
    def title(self) -> str:
        return self.export.title

    @property
    def whole_page_url(self) -> str:
        return self.export.page_url

    @property
    def wide_picture(self) -> SizedPicture:
        """The picture of the curves in the usual width: its URL and size."""
        return self._build_picture(DEFAULT_FILE_WIDTH)

    @property
    def narrow_picture(self) -> SizedPicture:
        """The picture of the curves for small screens: its URL and size."""
        return self._build_picture(NARROW_WIDTH)

    @property
    def label(self) -> str:
        """The curves in words, for screen readers: the first and the last number of each line."""
        return draw_curves_file(self.curves, self.title, DEFAULT_FILE_WIDTH).label

    @property
    def charts(self) -> Charts:
        """The curves as numbers, without links."""
        unlinked = [moment._replace(agent_url="") for moment in self.curves.points]
        return self.curves._replace(points=unlinked)

    def _build_picture(self, width: int) -> SizedPicture:
        name, *others = self.names
        frame = embed_curve_url(name, others, self.curve_key, self.opponent, width)
        height = draw_curves_file(self.curves, self.title, width).height
        return frame_file_url(frame, "svg"), width, height


class FilmPage(Page, frozen=True):
    """The frame with the picture of an agent's mind, and the replay of its training."""

    template: ClassVar = "embed/mind.html"

    site: SiteData
    name: str
    snapshot: int
    colouring_key: str  # key of `minds.COLOURINGS`

    @property
    def mind_picture(self) -> minds.MindPicture:
        """The picture of the mind, with the tile colours of all snapshots for the script."""
        return minds.draw_mind(
            self.site, self.name, self.snapshot, self.colouring_key, has_all_frames=True
        )

    @property
    def colouring(self) -> minds.TileColouring:
        """The colouring of the tiles."""
        return minds.list_colourings(self.site, self.name)[self.colouring_key]

    @property
    def film(self) -> learning.Film:
        """The replay of the training."""
        return learning.film_all_positions(self.site, self.name)

    @property
    def next_frame_url(self) -> str:
        """The URL of the next snapshot; the first follows the last."""
        following = get_next_snapshot(
            self.snapshot, self.site.get_last_snapshot(self.name)
        )
        step = self.site.get_snapshot_parameter(self.name, following)
        return EMBED_MIND.url(self.name, step=step, colour=self._colouring_in_url)

    @property
    def whole_page_url(self) -> str:
        step = self.site.get_snapshot_parameter(self.name, self.snapshot)
        return mind_url(self.name, step, self._colouring_in_url)

    @property
    def _colouring_in_url(self) -> str:
        """The key of the colouring as URLs have it, "" for the default colouring."""
        return "" if self.colouring_key == minds.EXPECTED_KEY else self.colouring_key


class FigurePage(Page, frozen=True):
    """The frame with a figure of an experiment, and the verdict on its claim."""

    template: ClassVar = "embed/experiment.html"

    site: SiteData
    summary: ClaimSummary
    figure_number: int  # number of the figure, from 1

    @cached_property
    def layout(self) -> FigureLayout:
        """The layout of the figure: its drawing, its title and its caption."""
        return lay_out_numbered_figure(self.site, self.summary.id, self.figure_number)

    @property
    def svg(self) -> Markup:
        """The drawing of the figure as SVG."""
        return write_plot(self.layout.plot, link_attributes=get_link_attributes())

    @property
    def table(self) -> HtmlTable:
        figure = self.summary.figures[self.figure_number - 1]
        return build_table(figure, self.site, self.summary.first_seed)


def parse_curves(site: SiteData, agent_name: str, query: "Query") -> CurvesPage:
    """Return the curves of a query with the parameters `lens`, `figure` and `against`.

    Raises NotFound or BadRequest with a sentence on the fault.
    """
    figure = query.get("figure", "")
    lenses = query.getlist("lens")
    card = site.get_agent(agent_name).card
    names = [agent_name]
    against = ""
    charts: Charts | None
    if figure == learning.WIN_RATE_KEY and not lenses:
        charts = learning.chart_wins(card.win_rate) if card.win_rate else None
    elif figure or lenses:
        compared_with, _ = parse_comparison("", [agent_name, *lenses], site, figure)
        names = [view.value_source for view in list_learned_views(site, compared_with)]
        figure = compared_with.curve_key or next(iter(comparison.CURVE_TITLES))
        charts = learning.chart_comparison(site, compared_with.views, figure)
    else:
        chosen = learning.parse_against(query, card)
        against = "" if chosen == next(iter(learning.list_opponents(card))) else chosen
        charts = learning.chart_training(site, card, chosen)
    if charts is None:
        raise NotFound(mark_english("None of these agents has this figure."))
    take = export.export_curves(site, names, figure, against)
    return CurvesPage(charts, take, names, figure, against)


@bp.get(EMBED_BOARD.bare)
@bp.get(EMBED_BOARD)
def show_board(record: str = "") -> Response:
    """Return the frame with the board of a match."""
    return render_page(BoardPage(parse_match(record, request.args, get_current_site())))


@bp.get(EMBED_REPLY.bare)
@bp.get(EMBED_REPLY)
def show_reply(record: str = "") -> AnyResponse:
    """Draw a random move for the player to move, and show the board after the move."""
    after = play_random_reply(parse_match(record, request.args, get_current_site()))
    address = match_url(EMBED_BOARD, after.match)
    return redirect_after_form(address, partial(BoardPage, after))


@bp.get(EMBED_CURVE)
def show_curves(name: str) -> Response:
    """Return the frame with learning curves of agents."""
    return render_page(parse_curves(get_current_site(), name, request.args))


@bp.get(EMBED_MIND)
def show_mind(name: str) -> Response:
    """Return the frame with the picture of an agent's mind."""
    step, colour = minds.parse_snapshot_and_colouring(
        get_current_site(), name, request.args
    )
    return render_page(FilmPage(get_current_site(), name, step, colour))


@bp.get(EMBED_EXPERIMENT)
def show_experiment(claim: str) -> Response:
    """Return the frame with a figure of an experiment."""
    return render_page(
        FigurePage(
            get_current_site(), *parse_figure(get_current_site(), claim, request.args)
        )
    )


def parse_figure(
    site: SiteData, claim: str, query: "Query"
) -> tuple[ClaimSummary, int]:
    """Return the experiment and the figure number of a query; the default is 1.

    Raises NotFound or BadRequest with a sentence on the fault.
    """
    summary = site.get_experiment(claim)
    figures = len(summary.figures)
    return summary, read_integer("figure", query.get("figure") or "1", 1, figures)


class ExportsPage(Page, frozen=True):
    """The exports of a match: files, a frame, and a citation."""

    template: ClassVar = "embed/export.html"
    fragment: ClassVar = ("exports",)

    state: MatchState

    @property
    def exports(self) -> list[export.Export]:
        """The board, and the value of the game over its moves."""
        takes = [export.export_board(self.state)]
        if self.state.match.record and not self.state.match.hides_values:
            takes.append(export.export_game_values(self.state))
        return takes

    @property
    def title(self) -> str:
        """The title for those who receive the link."""
        return describe_for_others(self.state, self._reviewed_moves)

    @property
    def match_url(self) -> str:
        return play_url(self.state.match)

    @property
    def picture_url(self) -> str:
        """The URL of the picture of a finished game, "" before its end."""
        return (
            match_url(MATCH_PREVIEW, self._match_at_end) if self.state.is_over else ""
        )

    @property
    def picture_text(self) -> str:
        """The text below the picture."""
        if not self.state.is_over:
            return ""
        blame = find_losing_move(self.state, self._reviewed_moves)
        return summarise_game(self.state, blame)

    @property
    def replay_url(self) -> str:
        """The URL that replays the game."""
        start = self._match_at_end.show_ply(0)
        return play_url(
            replace(
                start,
                replays_record=True,
                is_paused=False,
                result_counts=Match().result_counts,
            )
        )

    @cached_property
    def _reviewed_moves(self) -> list[ReviewedMove]:
        return review_moves(self.state)

    @property
    def _match_at_end(self) -> Match:
        match = self.state.match
        return replace(match.show_ply(len(match.record)), replays_record=False)


@bp.get(EXPORTS.bare)
@bp.get(EXPORTS)
def show_exports(record: str = "") -> Response:
    """Show the exports of a match."""
    return render_page(
        ExportsPage(parse_match(record, request.args, get_current_site()))
    )


FILE_ENDINGS = ".<any(svg, csv):ending>"
FILE_AND_PREVIEW_ENDINGS = ".<any(svg, csv, png):ending>"


@bp.get(EMBED_BOARD.bare.append_ending(FILE_ENDINGS))
@bp.get(EMBED_BOARD.append_ending(FILE_ENDINGS))
def download_board(ending: str, record: str = "") -> Response:
    """Return a board as SVG or CSV."""
    state = parse_match(record, request.args, get_current_site())
    shown = BoardPage(state)
    name = _name_file("board", record)
    if ending == "svg":
        says = shown.headline
        return export.build_svg_response(
            boards.draw_board_file(shown.board, says.title, says.caption), name
        )
    return export.build_csv_response(
        boards.CSV_COLUMNS, boards.list_board_rows(shown.board, shown.move_values), name
    )


@bp.get(EMBED_VALUE.bare.append_ending(FILE_ENDINGS))
@bp.get(EMBED_VALUE.append_ending(FILE_ENDINGS))
def download_game_values(ending: str, record: str = "") -> Response:
    """Return the value of a game over its moves as SVG or CSV."""
    place = parse_match(record, request.args, get_current_site())
    moves = review_moves(place)
    name = _name_file("value", record)
    if ending == "svg":
        return export.build_svg_response(
            curves.draw_game_values_file(
                place, moves, export.export_game_values(place).title
            ),
            name,
        )
    return export.build_csv_response(
        curves.VALUE_COLUMNS, curves.list_game_value_rows(place, moves), name
    )


@bp.get(EMBED_CURVE.append_ending(FILE_AND_PREVIEW_ENDINGS))
def download_curves(name: str, ending: str) -> Response:
    """Return learning curves as SVG or CSV, or as a PNG for link previews."""
    chosen = parse_curves(get_current_site(), name, request.args)
    title = chosen.export.title
    if ending == "png":
        drawn = draw_curves_file(chosen.curves, "", DEFAULT_FILE_WIDTH)
        line = title.removesuffix(" tic-tac-toe")
        return export.build_png_response(
            draw_preview(line, drawn.shapes, drawn.width, drawn.height)
        )
    if ending == "csv":
        return export.build_csv_response(
            *curves.tabulate_charts(chosen.curves), _name_file("curve", name)
        )
    width = read_integer(
        "width",
        request.args.get("width") or str(DEFAULT_FILE_WIDTH),
        *FILE_WIDTH_LIMITS,
    )
    return export.build_svg_response(
        draw_curves_file(chosen.curves, title, width), _name_file("curve", name)
    )


@bp.get(EMBED_MIND.append_ending(FILE_AND_PREVIEW_ENDINGS))
def download_mind(name: str, ending: str) -> Response:
    """Return the picture of an agent's positions as SVG or CSV, or as a PNG for link previews."""
    step, colour = minds.parse_snapshot_and_colouring(
        get_current_site(), name, request.args
    )
    shown = minds.draw_mind(get_current_site(), name, step, colour)
    if ending == "png":
        line = (
            f"The mind of {shown.title}: "
            f"{minds.list_colourings(get_current_site(), name)[colour].title.lower()}"
        )
        shapes = [minds.draw_optimal_lines(shown.tile_layout), shown.draw_tiles()]
        where = shown.tile_layout
        return export.build_png_response(
            draw_preview(line, shapes, where.columns, where.height)
        )
    if ending == "csv":
        rows = minds.list_mind_rows(get_current_site(), shown, step)
        return export.build_csv_response(
            minds.CSV_COLUMNS, rows, _name_file("mind", name)
        )
    return export.build_svg_response(
        minds.draw_mind_file(get_current_site(), shown, step), _name_file("mind", name)
    )


@bp.get(MATCH_PREVIEW.bare)
@bp.get(MATCH_PREVIEW)
def download_board_preview(record: str = "") -> Response:
    """Return a PNG of a position for link previews, with the values that its page shows.

    The picture of a finished game, and of its replay, has a ring around the losing move.
    """
    state = parse_match(record, request.args, get_current_site())
    if state.match.replays_record:
        state = MatchState(
            state.site, state.match.show_ply(len(record)), state.positions
        )
    move_values = (
        None if state.match.hides_values or state.is_over else evaluate_match(state)
    )
    unsaid = [EMPTY_NOTE] * state.site.game.cells
    moves = review_moves(state)
    line = describe_for_others(state, moves)
    blame = find_losing_move(state, moves)
    if state.is_over:
        line = summarise_game(state, blame)
    if move_values:
        line = build_legend(state, move_values).caption
    turned = state.played_cells[blame.ply - 1] if blame else None
    shown = boards.lay_out_board(
        state, move_values, None, notes=unsaid, chosen_cell=turned
    )
    return export.build_png_response(
        boards.draw_board_preview(shown, capitalize_first_letter(line))
    )


def _name_file(figure_kind: str, subject_name: str) -> str:
    """Return the name of a file without its suffix."""
    return re.sub("[^a-z0-9]+", "-", f"{figure_kind}-{subject_name}").strip("-")
