"""The page of a comparison: one position on several boards, each with the values of one source.

A source is an agent, optimal play, or the exact values of a training task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from flask import redirect, request
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from app.tictactoe.notation import undo_moves
from app.tictactoe.value_map import round_outcomes
from app.web.comparison import (
    CURVE_TITLES,
    MAX_VIEWS,
    Comparison,
    SourceSnapshot,
    find_next_disagreement,
    list_learned_views,
    parse_comparison,
)
from app.web.formatting import (
    capitalize_first_letter,
    format_count,
    format_updates,
    join_words,
    name_square,
)
from app.web.links.compare import COMPARE_ROUTE, compare_url
from app.web.links.mind import value_map_url
from app.web.links.play import MATCH_PREVIEW_ROUTE, match_url
from app.web.match import MatchState, read_integer
from app.web.move_values import (
    OUTCOME_LABELS,
    MoveValues,
    can_blunder,
    describe_best_play,
    evaluate_moves,
    spell_outcome,
)
from app.web.navigation import PageBlueprint
from app.web.pages.parts import learning
from app.web.pages.parts.export import export_curves
from app.web.pictures import minds
from app.web.pictures.boards import BoardSquare, lay_out_board
from app.web.rendering import Variables, render_page
from app.web.site_data import TASK_SUFFIX, TRUTH, SiteData, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import (
    build_legend,
    describe_status,
    describe_turn,
    name_squares,
)

bp = PageBlueprint("compare", __name__)
bp.add_menu_page(
    "Play", "compare", gettext_noop("Compare"), lambda: COMPARE_ROUTE.url("")
)


def build_panel(
    comparison: Comparison,
    state: MatchState,
    view: SourceSnapshot,
    move_values: MoveValues | None,
) -> Variables:
    """Return the board of an agent or of other values, with its texts and links.

    `move_values` is None after the end of the game.
    """
    site = state.site
    views = comparison.views
    name = format_view_name(state.site, view)
    seen = replace(state, match=comparison.build_match(view))
    # Optimal play is not among the compared sources. Its board comes last.
    here = views.index(view) if view in views else len(views)
    before = views[:here]
    after = views[here + 1 :]
    learned = site.agents.contains_name(view.value_source)
    earlier = ""
    later = ""

    def build_url(new_snapshot: int | None) -> str:
        other = SourceSnapshot(view.value_source, new_snapshot)
        if other in views:
            return ""
        return compare_url(replace(comparison, views=(*before, other, *after)))

    if learned:
        snapshot = site.resolve_snapshot(view.value_source, view.snapshot)
        earlier = build_url(snapshot - 1) if snapshot else ""
        if view.snapshot is not None:
            later = build_url(
                site.get_snapshot_parameter(view.value_source, snapshot + 1)
            )
    removed = compare_url(replace(comparison, views=before + after))
    board = lay_out_board(
        seen,
        move_values,
        lambda cell: compare_url(comparison.follow_move(cell)),
        f"board-{view}",
        f"Board of {name}",
    )
    return {
        "source_snapshot": view,
        "title": name,
        "board": board,
        "legend": build_legend(seen, move_values) if move_values else None,
        "move_text": describe_played_moves(site, move_values) if move_values else "",
        "is_blunder": move_values is not None and can_blunder(state, move_values),
        "origin_text": _format_training(site, view),
        "earlier_url": earlier,
        "later_url": later,
        "remove_url": removed if view in views and len(views) > 1 else "",
    }


def format_view_name(site: SiteData, view: SourceSnapshot) -> str:
    """Return the name of an agent or a value source, as part of a sentence."""
    title = site.display_titles[view.value_source.removesuffix(TASK_SUFFIX)]
    if view.value_source.endswith(TASK_SUFFIX):
        return f"exact values for {title}"
    if view.value_source == TRUTH:
        return "optimal play"
    return (
        title
        if view.snapshot is None
        else f"{title} after {_format_training(site, view)}"
    )


def describe_played_moves(site: SiteData, move_values: MoveValues) -> str:
    first = move_values.likeliest_cells[0]
    expected = (
        spell_outcome(site, move_values.position, first)
        if move_values.is_optimal_play
        else move_values.value_texts[first]
    )
    places = "mostly " * move_values.is_stochastic + name_squares(
        move_values.likeliest_cells
    )
    return f"{capitalize_first_letter(places)}: {expected or move_values.unknown_text}"


def summarise_played_moves(
    state: MatchState, values_by_name: Mapping[str, MoveValues]
) -> str:
    preferences = _describe_preferences(values_by_name)
    verdict = _describe_verdict(state, values_by_name)
    return f"{capitalize_first_letter(preferences)} {verdict}"


def _format_training(site: SiteData, view: SourceSnapshot) -> str:
    if not site.agents.contains_name(view.value_source):
        return "Computed by solving the game"
    snapshot = -1 if view.snapshot is None else view.snapshot
    return format_updates(
        int(site.agents[view.value_source].snapshot_updates[snapshot])
    )


def _describe_preferences(values_by_name: Mapping[str, MoveValues]) -> str:
    names_by_moves: dict[tuple[int, ...], list[str]] = {}
    for name, view in values_by_name.items():
        names_by_moves.setdefault(tuple(view.likeliest_cells), []).append(name)
    if len(names_by_moves) == 1 < len(values_by_name):
        who = "Both" if len(values_by_name) == 2 else "All"
        return f"{who} play {name_squares(*names_by_moves)}."
    parts = []
    for cells, names in sorted(
        names_by_moves.items(), key=lambda group: -len(group[1])
    ):
        alone = "alone " * (
            len(names) == 1 and len(names_by_moves) < len(values_by_name)
        )
        verb = "plays" if len(names) == 1 else "play"
        parts.append(f"{join_words(names)} {alone}{verb} {name_squares(cells)}")
    return "; ".join(parts) + "."


def _describe_verdict(
    state: MatchState, values_by_name: Mapping[str, MoveValues]
) -> str:
    value = describe_best_play(state.site, state.position).partition(" ")[0]
    if value == OUTCOME_LABELS[-1]:
        return "Here every move loses against optimal play."
    erring = [
        name
        for name, move_values in values_by_name.items()
        if can_blunder(state, move_values)
    ]
    if erring:
        return (
            f"With optimal play this position is a {value}, but {join_words(erring)} "
            f"can give the {value} away."
        )
    return f"No agent blunders here: with optimal play it stays a {value}."


# the SVG path of the lower half of a tile, which is the square of one position
HALF_TILE_PATH = "m.8.1v.7l-.1.1h-.7l-.1-.1z"


def _have_same_colour_scale(site: SiteData, agent_names: Sequence[str]) -> bool:
    key = minds.EXPECTED_RESULT_KEY
    usual = minds.COLOURINGS[key]
    return all(minds.list_colourings(site, name)[key] == usual for name in agent_names)


def build_value_maps(site: SiteData, comparison: Comparison) -> Variables | None:
    """Return a picture of all positions for each compared agent, and a film of the training.

    If two agents have the same colour scale, they share a picture. Returns None if no agents are
    compared.
    """
    views = list_learned_views(site, comparison)
    if not views:
        return None
    names = [view.value_source for view in views]
    shown = [site.resolve_snapshot(view.value_source, view.snapshot) for view in views]
    divided = len(views) == 2 and _have_same_colour_scale(site, names)
    moving = are_distinct_agents(views)
    pictures = [
        minds.plot_value_map(site, name, step, has_all_frames=moving)
        for name, step in zip(names, shown, strict=True)
    ]
    if divided:
        pictures[1] = _halve_tiles(pictures[1])
    frames = _list_frames(site, views)
    step = _find_nearest_frame(site, names, frames, shown)
    film = learning.build_agents_film(site, tuple(names)) if moving else None
    shown_frame = film and learning.build_agents_frame(site, names, shown)._replace(
        curve_x=film.frames[step].curve_x
    )
    next_frame = frames[(step + 1) % len(frames)]
    agreement = (
        format_count(_count_agreeing_tiles(site, names, shown)) if divided else ""
    )
    return {
        "pictures": [
            (
                format_view_name(site, view),
                value_map_url(view.value_source, view.snapshot),
                drawn,
            )
            for view, drawn in zip(views, pictures, strict=True)
        ],
        "are_tiles_divided": divided,
        "agreement_text": agreement,
        "colouring": minds.COLOURINGS[minds.EXPECTED_RESULT_KEY],
        "film": film,
        "frame_index": step,
        "shown_frame": shown_frame,
        "next_frame_url": compare_url(_move_to_snapshots(site, comparison, next_frame)),
    }


def _find_nearest_frame(
    site: SiteData,
    agent_names: Sequence[str],
    snapshots_by_frame: Sequence[Sequence[int]],
    shown_snapshots: Sequence[int],
) -> int:
    lasts = [site.get_last_snapshot(name) for name in agent_names]

    def compute_distance(frame_index: int) -> float:
        steps = zip(
            snapshots_by_frame[frame_index], shown_snapshots, lasts, strict=True
        )
        shares = [abs(step - own) / max(1, last) for step, own, last in steps]
        return max(shares)

    return min(range(len(snapshots_by_frame)), key=compute_distance)


def move_to_frame(
    site: SiteData, comparison: Comparison, frame_text: str
) -> Comparison:
    """Return the comparison with each agent at the snapshot that a frame of the film shows.

    Raises BadRequest if there is no film, or no frame with the number `frame_text`.
    """
    views = list_learned_views(site, comparison)
    if not views or not are_distinct_agents(views):
        raise BadRequest("frame needs agents that learned, each of them only once.")
    frames = _list_frames(site, views)
    return _move_to_snapshots(
        site, comparison, frames[read_integer("frame", frame_text, 0, len(frames) - 1)]
    )


def are_distinct_agents(views: list[SourceSnapshot]) -> bool:
    return len({view.value_source for view in views}) == len(views)


def _list_frames(site: SiteData, views: list[SourceSnapshot]) -> list[tuple[int, ...]]:
    lasts = [site.get_last_snapshot(view.value_source) for view in views]
    return list(
        zip(
            *(learning.align_snapshots(last, max(lasts)) for last in lasts), strict=True
        )
    )


def _move_to_snapshots(
    site: SiteData, comparison: Comparison, snapshots: tuple[int, ...]
) -> Comparison:
    left = iter(snapshots)

    def move_view(view: SourceSnapshot) -> SourceSnapshot:
        if not site.agents.contains_name(view.value_source):
            return view
        return SourceSnapshot(
            view.value_source,
            site.get_snapshot_parameter(view.value_source, next(left)),
        )

    return replace(comparison, views=tuple(map(move_view, comparison.views)))


def _halve_tiles(mind_picture: minds.ValueMap) -> minds.ValueMap:
    paths = [
        (heat, outline.replace(minds.TILE_PATH, HALF_TILE_PATH))
        for heat, outline in mind_picture.paths_by_colour
    ]
    return mind_picture._replace(tile_outline=HALF_TILE_PATH, paths_by_colour=paths)


def _count_agreeing_tiles(
    site: SiteData, agent_names: list[str], snapshots: list[int]
) -> int:
    views = [*zip(agent_names, snapshots, strict=True)]
    first, second = (
        round_outcomes(minds.estimate_tiles(site, *view)[0]) for view in views
    )
    both = np.logical_and(
        *(minds.choose_decisions(site, *view)[1][0] for view in views)
    )
    return int(((first == second) & both).sum())


def build_panels(comparison: Comparison, state: MatchState) -> list[Variables]:
    """Return a board for each compared source, and last a board for optimal play."""
    return [
        build_panel(comparison, state, view, values)
        for view, values in _evaluate_views(comparison, state).items()
    ]


def _evaluate_views(
    comparison: Comparison, state: MatchState
) -> dict[SourceSnapshot, MoveValues | None]:
    return {
        view: None
        if state.is_over
        else evaluate_moves(state.site, state.position, *view)
        for view in (*comparison.views, SourceSnapshot(TRUTH))
    }


@bp.get(COMPARE_ROUTE.without_variables)
@bp.get(COMPARE_ROUTE)
def show_comparison(record: str = "") -> Response:
    """Show a comparison; if the URL has a `frame` of the film, redirect to its snapshots."""
    lenses = request.args.getlist("lens")
    figure = request.args.get("figure", "")
    comparison, place = parse_comparison(record, lenses, get_current_site(), figure)
    if frame := request.args.get("frame", ""):
        return redirect(
            compare_url(move_to_frame(get_current_site(), comparison, frame)), 303
        )
    return render_comparison(comparison, place)


def render_comparison(comparison: Comparison, state: MatchState) -> Response:
    site = state.site
    views = comparison.views
    names = [format_view_name(site, view) for view in views]
    values_by_view = _evaluate_views(comparison, state)
    values_by_name = {
        name: values
        for name, view in zip(names, views, strict=True)
        if (values := values_by_view[view])
    }
    panels = build_panels(comparison, state)
    agents = [view.value_source for view in list_learned_views(site, comparison)]
    curve_key = comparison.curve_key or next(iter(CURVE_TITLES))
    record = comparison.record
    taken_back = replace(comparison, record=undo_moves(record)) if record else None
    apart = find_next_disagreement(views, site, state.position)
    return render_page(
        "compare/compare.html",
        fragment=("head_title", "comparison"),
        comparison=comparison,
        state=state,
        site=site,
        title=f"{join_words(names)} compared with optimal play",
        panels=panels,
        rows=_list_rows(panels) if values_by_name else [],
        headline=describe_turn(state),
        status_text=describe_status(state),
        agreement_text=summarise_played_moves(state, values_by_name)
        if values_by_name
        else "",
        preview_url=match_url(MATCH_PREVIEW_ROUTE, comparison.build_match(views[0])),
        take_back_url=compare_url(taken_back) if taken_back else "",
        disagreement_url=""
        if apart is None
        else compare_url(replace(comparison, record=apart)),
        max_views=MAX_VIEWS,
        # The page shows these agents and exact values already, so the form does not offer them.
        shipped_views=[view.value_source for view in views if view.snapshot is None],
        curve_titles=CURVE_TITLES,
        curve_key=curve_key,
        curves=learning.build_comparison_chart(site, views, curve_key),
        ink_by_agent=learning.choose_inks(site, views),
        export=export_curves(site, agents, curve_key, record=record)
        if agents
        else None,
        compared_minds=build_value_maps(site, comparison),
    )


def _list_rows(panels: list[Variables]) -> list[tuple[str, list[BoardSquare]]]:
    squares = zip(*(panel["board"].squares for panel in panels), strict=True)
    return [
        (name_square(cell), list(row))
        for cell, row in enumerate(squares)
        if row[0].mark == "."
    ]
