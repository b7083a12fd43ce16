"""The arena: each player as X against each player as O, and the ranking of all players."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from flask import Response, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest

from app.tictactoe.arena import (
    Chances,
    compute_score,
    summarize_round_robin,
)
from app.web.facts import play_round_robin, rank_players
from app.web.formatting import MINUS, format_percent, format_signed, format_valid_names
from app.web.links.agents import agent_url
from app.web.links.arena import ARENA_ROUTE
from app.web.links.play import play_url
from app.web.match import Match, read_choice
from app.web.move_values import HEAT_STEPS, LEGEND_HEATS
from app.web.navigation import PageBlueprint
from app.web.pictures.curves import build_bar_parts
from app.web.pictures.svg import Sign, write_inline
from app.web.rendering import Variables, render_page
from app.web.site_data import SiteData, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import grade_strength

bp = PageBlueprint("arena", __name__)
bp.add_menu_page("Research", "arena", gettext_noop("Arena"), ARENA_ROUTE.url)


class ArenaMeasure(NamedTuple):
    """What a cell of the arena's table shows, such as the share of games that X wins."""

    title: str
    # a function from the chances of a win, a draw and a loss, [..., 3], to the measure, [...]
    compute_values: Callable[[Chances], Chances]
    format_value: Callable[[float], str]
    # the colours in the legend; the last one is the colour of the value 1
    heats: range
    # labels of the first, the middle and the last colour
    scale_labels: Sequence[tuple[str, ...]]
    explanation: str


def _format_score(score: float) -> str:
    sign = {True: "+", False: MINUS}[score > 0] if score else ""
    return sign + format_percent(abs(score), 0)


def _build_chance_measure(
    title: str, outcome_index: int, full_heat: int, event_phrase: str
) -> ArenaMeasure:
    of = itemgetter((..., outcome_index))
    ends = [("0%",), ("50%",), ("100%",)]
    heats = range(0, full_heat + full_heat // 10, full_heat // 10)
    return ArenaMeasure(
        title,
        of,
        partial(format_percent, decimals=0),
        heats,
        ends,
        f"The number is the probability, in percent, that {event_phrase}.",
    )


ARENA_MEASURES = {
    "score": ArenaMeasure(
        title="Score",
        compute_values=compute_score,
        format_value=_format_score,
        heats=LEGEND_HEATS,
        scale_labels=[("O wins", f"{MINUS}100"), ("0",), ("X wins", "+100")],
        explanation="The score is the probability that X wins minus the probability that O "
        "wins, in percent.",
    ),
    "win": _build_chance_measure("X wins", 0, HEAT_STEPS, "X wins"),
    "draw": _build_chance_measure("Draw", 1, HEAT_STEPS, "the game is a draw"),
    "loss": _build_chance_measure("O wins", 2, -HEAT_STEPS, "O wins"),
}


@bp.get(ARENA_ROUTE)
def show_arena() -> Response:
    site = get_current_site()
    show = read_choice("show", request.args, ARENA_MEASURES, "score")
    player = request.args.get("player", "")
    add = request.args.get("add", "")
    for name in (player, add):
        if name and not site.policies.contains_name(name):
            raise BadRequest(
                f"There is no player {name!r}. {format_valid_names(site.policies)}"
            )
    added_recipe = find_added_player(site, player, add)
    players = rank_players(site, added_recipe)
    rows = build_table_rows(site, players, ARENA_MEASURES[show], added_recipe)
    selected = [player or added_recipe] if player or added_recipe else site.agents
    selected_row = next(at for at, row in enumerate(rows) if row["id"] in selected)
    return render_page(
        "arena/arena.html",
        measures=ARENA_MEASURES,
        measure_key=show,
        added_recipe=added_recipe,
        rows=rows,
        selected_row=selected_row,
        table_sketch=_render_table_sketch(rows, selected_row),
        standings=list_standings(site, players, added_recipe),
    )


def find_added_player(site: SiteData, selected_player: str, added_recipe: str) -> str:
    """Return the recipe of a player that the site does not have yet, "" if there is none.

    Raises BadRequest if both arguments name such a player, and not the same.
    """
    names = {
        name
        for name in (added_recipe, selected_player)
        if name and name not in site.policies
    }
    if len(names) > 1:
        raise BadRequest(
            "The table has room for one more player: add and player differ."
        )
    return "".join(names)


def build_table_rows(
    site: SiteData,
    players: Mapping[str, int],
    measure: ArenaMeasure,
    added_recipe: str = "",
) -> list[Variables]:
    """Return a row of the table for each player as X, with a cell for each player as O."""
    chances = play_round_robin(site, added_recipe)
    return [
        {
            "id": x,
            "title": site.display_titles[x],
            "pairings": [
                _build_pairing(measure, site, x, o, chances[players[x], players[o]])
                for o in players
            ],
        }
        for x in players
    ]


def _build_pairing(
    measure: ArenaMeasure,
    site: SiteData,
    x_player: str,
    o_player: str,
    chances: Chances,
) -> Variables:
    win, draw, loss = (format_percent(chance) for chance in chances)
    figure = float(measure.compute_values(chances))
    text = measure.format_value(figure)
    return {
        "text": text,
        "heat": round(figure * measure.heats[-1]),
        "label": f"{text}: {site.display_titles[x_player]} as X "
        f"against {site.display_titles[o_player]} as O: X wins {win}%, "
        f"draw {draw}%, O wins {loss}%",
        "href": play_url(Match(x=x_player, o=o_player)),
    }


def _render_table_sketch(rows: list[Variables], chosen_player: int) -> Markup:
    size = len(rows)

    def compute_offset(line_number: int) -> float:
        return (
            line_number
            + (0.25 if line_number >= chosen_player else 0)
            + (0.25 if line_number > chosen_player else 0)
        )

    squares = sorted(
        (pairing["heat"], f"M{compute_offset(o):g} {compute_offset(x):g}h.9v.9h-.9z")
        for x, row in enumerate(rows)
        for o, pairing in enumerate(row["pairings"])
    )
    paths = [
        (heat, "".join(outline for _, outline in alike))
        for heat, alike in groupby(squares, itemgetter(0))
    ]
    label = f"The whole table: {size} players as X, weakest on top, against the same {size} players as O"
    box = f'viewBox="0 0 {size + 0.4:g} {size + 0.4:g}" role="img" aria-label="{label}"'
    return write_inline(
        [Sign("", outline, ("heat", heat)) for heat, outline in paths], "sketch", box
    )


def list_standings(
    site: SiteData, players: Mapping[str, int], added_recipe: str = ""
) -> list[Variables]:
    """Return the rows of the ranking, the best player first; equal players share a rank."""
    table = summarize_round_robin(play_round_robin(site, added_recipe))
    standings = []
    for name, at in reversed([*players.items()]):
        win, draw, loss = (
            (table.results_as_x[at] + table.results_as_o[at]) / 2
        ).tolist()
        standings.append(
            {
                "rank": int(table.ranks[at]),
                "title": site.display_titles[name],
                "href": agent_url(name) if site.agents.contains_name(name) else "",
                "strength": grade_strength(site, name),
                "score": format_signed(table.mean_score[at]),
                "score_as_x": format_signed(
                    float(compute_score(table.results_as_x[at]))
                ),
                "score_as_o": format_signed(
                    float(compute_score(table.results_as_o[at]))
                ),
                "shares": build_bar_parts((win, draw, loss), 1),
                "beating_player_count": int(table.beaten_by_count[at]),
            }
        )
    return standings
