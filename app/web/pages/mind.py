"""A page with a picture of all positions of an agent (one tile each), and one of them as a board."""

from flask import Response, request
from msgspec.structs import replace

from app.tictactoe.game import GAME
from app.tictactoe.notation import find_record, format_position
from app.tictactoe.value_map import count_outcomes, round_outcomes
from app.web.formatting import format_signed
from app.web.links.mind import VALUE_MAP_FILM_ROUTE, VALUE_MAP_ROUTE, value_map_url
from app.web.links.play import play_url
from app.web.match import (
    build_match_against_person,
    get_next_snapshot,
    read_integer,
    replay_match,
)
from app.web.move_values import OUTCOME_LABELS, evaluate_moves
from app.web.navigation import PageBlueprint
from app.web.pages.parts.export import build_file_response, export_value_map
from app.web.pages.parts.film_file import render_film
from app.web.pages.parts.learning import build_agent_film
from app.web.pictures import minds
from app.web.pictures.boards import lay_out_board
from app.web.rendering import Variables, render_page, wants_fragment
from app.web.site_data import TASK_SUFFIX, SiteData, get_current_site
from app.web.translation import gettext_noop

bp = PageBlueprint("mind", __name__)
bp.add_menu_page(
    "Research",
    "minds",
    gettext_noop("Minds"),
    lambda: value_map_url(get_current_site().opponent_for_newcomers),
)
# With fewer decimals 0.9995 would look like a win.
TASK_DECIMALS = 3


@bp.get(VALUE_MAP_ROUTE)
def show_mind(name: str) -> Response:
    site = get_current_site()
    step, colour = minds.parse_snapshot_and_colouring(site, name, request.args)
    tile_count = len(site.tile_layout.decisions)
    tile_text = request.args.get("tile") or "0"
    number = read_integer("tile", tile_text, 0, tile_count - 1)

    def build_url(step: int = step, kind: str = colour, tile: int = number) -> str:
        return value_map_url(
            name,
            site.get_snapshot_parameter(name, step),
            "" if kind == minds.EXPECTED_RESULT_KEY else kind,
            tile % tile_count or None,
        )

    values: Variables = {
        "build_url": build_url,
        "chosen_tile": describe_tile(site, name, step, number),
    }
    if not wants_fragment():
        next_step = get_next_snapshot(step, site.get_last_snapshot(name))
        values |= {
            "name": name,
            "snapshot": step,
            "tile_count": tile_count,
            "mind_picture": minds.plot_value_map(
                site, name, step, colour, has_all_frames=True
            ),
            "colourings": minds.list_colourings(site, name),
            "film": build_agent_film(site, name),
            "next_frame_url": build_url(step=next_step),
            "agreement_counts": count_agreement(site, name, step),
            "export": export_value_map(site, name, step, colour),
        }
    return render_page("mind/mind.html", fragment=("tile",), **values)


@bp.get(VALUE_MAP_FILM_ROUTE)
def download_film(name: str) -> Response:
    film = render_film(get_current_site(), name)
    return build_file_response(film, "image/gif", f"{name}.gif")


def count_agreement(site: SiteData, name: str, snapshot: int) -> list[list[int]]:
    """Count positions by number of moves, optimal result and result that the agent expects.

    Symmetric positions count once. The list is empty for beads, which expect no result.
    """
    if site.agents[name].card.reward_scale is None:
        return []
    return count_outcomes(
        site.tile_layout,
        round_outcomes(minds.estimate_tiles(site, name, snapshot)[0]),
        minds.choose_decisions(site, name, snapshot)[1][0],
    )


def describe_tile(
    site: SiteData, agent_name: str, snapshot: int, tile_number: int
) -> Variables:
    """Return the board, the values and the result of the position that a visitor selected."""
    tiles = site.tile_layout
    rows, knows = minds.choose_decisions(site, agent_name, snapshot)
    position = int(rows[0, tile_number])
    known = bool(knows[0, tile_number])
    url_step = site.get_snapshot_parameter(agent_name, snapshot)
    record = find_record(GAME, position)
    mover = int(GAME.to_move[position])
    against = build_match_against_person(agent_name, -mover, record)
    match = replace(against, value_source=agent_name, snapshot=url_step)
    state = replay_match(match, site)
    view = evaluate_moves(site, position, agent_name, url_step)
    estimate = minds.estimate_tiles(site, agent_name, snapshot)[0, tile_number]
    outcome = int(round_outcomes(estimate))
    best_cell = max(view.likeliest_cells, key=lambda cell: float(view.values[cell]))
    best = view.spoken_values[best_cell]
    expectation = (
        f"Its most likely move has {best}"
        if view.are_beads
        else f"Its highest Q-value is {best}"
    )
    task = ""
    if not view.are_beads and site.get_task(agent_name):
        exact = evaluate_moves(site, position, agent_name + TASK_SUFFIX)
        task = format_signed(
            float(exact.scaled_values[exact.is_known].max()), TASK_DECIMALS
        )
    optimal = OUTCOME_LABELS[int(tiles.optimal_value[tile_number])]
    nearest = f"a {OUTCOME_LABELS[outcome]}" if known and not view.are_beads else ""
    return {
        "tile_number": tile_number,
        "move_number": int(tiles.plies[tile_number]) + 1,
        "board": lay_out_board(
            state,
            view,
            lambda cell: play_url(match.follow_move(cell)),
            "tile-board",
            f"The position {format_position(GAME, position)}",
        ),
        "value_sentence": expectation
        if known
        else "The agent never updated a value of this position",
        "nearest_result": nearest,
        "optimal_result": f"a {optimal}",
        "task_value": task,
        "update_count": int(site.agents[agent_name].visits[position].sum()),
        "match": match,
    }
