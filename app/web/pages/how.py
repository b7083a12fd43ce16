"""The pages /how: an overview of the algorithms, and a page for each part.

A part is a section about an algorithm, a term or a measure. Two more parts are worked examples: one
position in all encodings, and the updates after a won game.
"""

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

from flask import redirect, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response

from app.reference import build_rules
from app.textbook.q_learning import QLearning
from app.tictactoe.game import GAME
from app.tictactoe.notation import (
    format_position,
    parse_position,
    parse_record,
    replay_record,
)
from app.web.algorithms import ALGORITHM_PAGES, SECTIONS
from app.web.algorithms.algorithm import Section
from app.web.algorithms.section_facts import compute_section_numbers
from app.web.formatting import (
    encode_position,
    format_count,
    format_signed,
)
from app.web.links.how import HOW_PART_ROUTE, HOW_ROUTE, how_url
from app.web.links.play import play_url
from app.web.match import Match, parse_match, read_integer, replay_match
from app.web.move_values import HEAT_STEPS, evaluate_match
from app.web.navigation import PageBlueprint
from app.web.pages.parts.export import export_update
from app.web.pages.parts.update import FIGURE_STEP_COUNT
from app.web.pages.parts.update_examples import (
    build_example,
    list_examples,
)
from app.web.pictures.boards import (
    lay_out_board,
    plot_small_board,
)
from app.web.rendering import Variables, get_url_in_iframe, render_page
from app.web.routes import Query
from app.web.site_data import TRUTH, SiteData, cached_per_site, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import (
    LESSON_STEPS,
    Legend,
    build_legend,
    describe_turn,
)

bp = PageBlueprint("how", __name__)
bp.add_menu_page("Learn", "algorithms", gettext_noop("Algorithms"), how_url)
bp.add_to_sitemap(lambda: map(how_url, ALGORITHM_PAGES))

ENCODINGS_PART, WON_GAME_PART = "writing", "won-game"
PART_TITLES = {
    ENCODINGS_PART: "A position, written as numbers",
    WON_GAME_PART: "A won game, calculated step by step",
}
# The page of encodings shows the position after these moves if its URL names no position.
ENCODED_RECORD = "04"
# The order is that of `Game.symmetries`. A board that is not square has only every second symmetry.
SYMMETRY_NAMES = (
    "as it is",
    "rotated left",
    "rotated by 180°",
    "rotated right",
    "reflected, left and right",
    "reflected, along the falling diagonal",
    "reflected, top and bottom",
    "reflected, along the rising diagonal",
)
WORKED_RECORD = "03142"
WORKED_ALPHA = 0.9


def parse_board(query: Query) -> int:
    """Return the position in the query, by default an example.

    Raises BadRequest if no game can reach it.
    """
    if not query.get("board"):
        return replay_record(GAME, ENCODED_RECORD)[-1]
    try:
        return parse_position(GAME, query["board"])
    except ValueError as error:
        raise BadRequest(f"board in the address is wrong: {error}.") from None


def describe_position(position: int) -> Variables:
    """Return a position in all encodings, with its rotated and mirrored positions."""
    text = format_position(GAME, position)
    mover = "X" if text.count("X") == text.count("O") else "O"
    mover = "" if GAME.is_over(position) else mover

    def toggle_square(cell: int) -> str:
        mark = mover if text[cell] == "." else "."
        after = text[:cell] + mark + text[cell + 1 :]
        try:
            parse_position(GAME, after)
        except ValueError:
            return ""
        return how_url(ENCODINGS_PART, board=after)

    representative = int(GAME.symmetry_class[position])
    names = SYMMETRY_NAMES[:: len(SYMMETRY_NAMES) // len(GAME.symmetries)]
    images = GAME.symmetric_positions[:, position].tolist()
    return {
        "mover": mover,
        "squares": [
            {
                "id": f"{ENCODINGS_PART}-{cell}",
                "mark": mark,
                "toggled_url": toggle_square(cell),
            }
            for cell, mark in enumerate(text)
        ],
        "encodings": encode_position(position),
        "images": [
            {
                "name": name,
                "board": plot_small_board(image, {}),
                "url": how_url(ENCODINGS_PART, board=format_position(GAME, image)),
                "is_representative": image == representative,
            }
            for name, image in zip(names, images, strict=True)
        ],
    }


def compute_won_game() -> list[Variables]:
    positions = replay_record(GAME, WORKED_RECORD)
    boards = [format_position(GAME, position) for position in positions]
    cells = parse_record(GAME, WORKED_RECORD)
    parameters = SimpleNamespace(alpha=WORKED_ALPHA, gamma=1.0, initial=0.0)
    learner = QLearning(build_rules(GAME), parameters)
    moves = []
    for ply in range(len(cells) - 1, -1, -2):
        next_board = boards[min(ply + 2, len(cells))]
        reward = float(ply == len(cells) - 1)
        update = learner.update(boards[ply], cells[ply], reward, next_board, None)
        moves.append(
            {
                "ply": ply + 1,
                "board": boards[ply],
                "cell": cells[ply],
                "target": update.target,
                "new_value": update.new,
                "heat": round(update.new * HEAT_STEPS),
            }
        )
    return moves


TITLE_BY_PART = PART_TITLES | {
    slug: section.title for slug, section in SECTIONS.items()
}
TITLES_BY_HEADING = {
    heading: {slug: TITLE_BY_PART[slug] for slug in slugs}
    for heading, slugs in {
        "What an agent is": ("action-values", "exploration", *PART_TITLES),
        "Algorithms": tuple(ALGORITHM_PAGES),
        "Exact figures": ("best-response", "nash-conv", "exact"),
    }.items()
}


class StartValues(NamedTuple):
    """The values on the example board before the first click, as texts, one for each cell."""

    values: list[str]
    # in the units of the agent's rewards, not from -1 to +1
    own_values: list[str]
    update_counts: list[str]


# The keys are values of `Algorithm.differing_part`.
DIFFERENCE_HEADINGS = {
    "next value": "Another next value",
    "order": "Another order of updates",
    "table": "Another way to store values",
    "result": "The result of the game instead of a next value",
    "bounds": "Exact values or bounds",
}
# The overview compares all other algorithms with this one.
REFERENCE_SLUG = "q-learning"


@bp.get(HOW_ROUTE)
def show_how() -> Response:
    """Show the list of all parts, or redirect an old URL with the parameter `at` to one part."""
    if part := request.args.get("at", ""):
        part_query = {
            name: request.args.get(name) for name in ("record", "board", "stage")
        }
        return redirect(how_url(part, **part_query), 301)
    return render_page(
        "how/how.html",
        lesson_steps=LESSON_STEPS,
        general_parts={
            heading: parts
            for heading, parts in TITLES_BY_HEADING.items()
            if heading != "Algorithms"
        },
        reference_algorithm=(REFERENCE_SLUG, ALGORITHM_PAGES[REFERENCE_SLUG]),
        algorithms_by_difference={
            heading: {
                slug: algorithm
                for slug, algorithm in ALGORITHM_PAGES.items()
                if algorithm.differing_part == kind
            }
            for kind, heading in DIFFERENCE_HEADINGS.items()
        },
    )


@bp.get(HOW_PART_ROUTE)
def show_part(slug: str) -> Response:
    if slug not in TITLE_BY_PART:
        parts = [*(stop.slug for stop in LESSON_STEPS), *TITLE_BY_PART]
        raise NotFound(f"There is no part {slug!r}. There are: {', '.join(parts)}.")
    query = request.args
    site = get_current_site()
    values: Variables = {
        "site": site,
        "slug": slug,
        "title": TITLE_BY_PART[slug],
        "contents": TITLES_BY_HEADING,
    }
    if slug == ENCODINGS_PART:
        values["position_writing"] = describe_position(parse_board(query))
    elif slug == WON_GAME_PART:
        moves = compute_won_game()
        values["won_game"] = moves
        stage = read_integer("stage", query.get("stage") or "0", 0, len(moves))
        values["done_update_count"] = stage
    else:
        values |= describe_section(site, slug, query)
    return render_page("how/part.html", fragment=("moved",), **values)


@bp.get(HOW_PART_ROUTE.for_iframe, endpoint="framed")
def show_update_in_iframe(slug: str) -> Response:
    site = get_current_site()
    update = build_section_update(site, slug, request.args)
    if update is None:
        slugs = ", ".join(
            [*(stop.slug for stop in LESSON_STEPS), *site.update_examples]
        )
        raise NotFound(f"There is no frame for {slug!r}. There are: {slugs}.")
    return render_page("embed/update.html", title=TITLE_BY_PART[slug], update=update)


def describe_section(site: SiteData, slug: str, query: Query) -> Variables:
    """Return the template's variables for an algorithm, a term or a measure.

    Its example board shows the position that the query names. Raises BadRequest or Conflict if the
    query is invalid.
    """
    section = SECTIONS[slug]
    record = query.get("record", "")
    has_board = _has_board(site, section)
    if record and not has_board:
        raise BadRequest(
            f"{TITLE_BY_PART[slug]} has no board here, for {section.value_source} is not here."
        )
    match = (
        section.start_match.follow_record(parse_match(record, {}, site).match.record)
        if record
        else section.start_match
    )
    return {
        "section": section,
        "example": describe_example(site, slug, match) if has_board else None,
        "build_start_values": partial(build_start_values, site, section.start_match),
        "build_legend": partial(build_start_legend, site, section.start_match),
        "facts": collect_section_numbers(site, slug),
        "recipes": {name: site.get_recipe(name) for name in site.agents},
        "cards": {name: agent.card for name, agent in site.agents.items()},
        "claims": site.list_claims(slug),
        "update": build_section_update(site, slug, query),
        "export": export_update(slug) if slug in site.update_examples else None,
    }


def build_section_update(site: SiteData, slug: str, query: Query) -> Variables | None:
    """Return the picture of a real update of an algorithm, None if none was recorded.

    The query chooses the update and the step of its explanation. Raises BadRequest if one of them
    does not exist.
    """
    stage = read_integer("stage", query.get("stage") or "1", 1, FIGURE_STEP_COUNT)
    if slug not in site.update_examples:
        return None
    try:
        return build_example(
            site,
            list_examples(site, slug),
            query.get("update", ""),
            stage,
            partial(_build_update_url, slug),
        )
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _build_update_url(slug: str, **query: str | int) -> str:
    return get_url_in_iframe(how_url(slug, **query))


def _has_board(site: SiteData, section: Section) -> bool:
    value_source = section.start_match.value_source
    step = section.start_match.snapshot
    if value_source == TRUTH:
        return True
    return value_source in site.shipped_agents and (
        step is None or step <= site.get_last_snapshot(value_source)
    )


@cached_per_site(64)
def collect_section_numbers(site: SiteData, slug: str) -> Mapping[str, object]:
    return compute_section_numbers(site, SECTIONS[slug])


def describe_example(site: SiteData, slug: str, match: Match) -> Variables:
    """Return the example board, on which a click on a square makes a move."""
    state = replay_match(match, site)
    move_values = None if state.is_over else evaluate_match(state)
    headline = describe_turn(state)
    return {
        "headline": headline,
        "caption": build_legend(state, move_values).caption if move_values else "",
        "board": lay_out_board(
            state,
            move_values,
            lambda cell: how_url(slug, record=match.follow_move(cell).record),
            label=f"{TITLE_BY_PART[slug]}: {headline}",
        ),
        "start_url": how_url(slug) if match != SECTIONS[slug].start_match else "",
        "play_url": play_url(match),
    }


def build_start_values(
    site: SiteData, match: Match, value_source: str = ""
) -> StartValues:
    """Return the values on the example board before the first click."""
    state = replay_match(
        replace(match, value_source=value_source) if value_source else match, site
    )
    tries = (
        site.agents[value_source or match.value_source].visits[state.position].tolist()
    )
    move_values = evaluate_match(state)
    return StartValues(
        values=move_values.value_texts,
        own_values=[format_signed(value) for value in move_values.values],
        update_counts=[format_count(number) for number in tries],
    )


def build_start_legend(site: SiteData, match: Match) -> Legend:
    state = replay_match(match, site)
    return build_legend(state, evaluate_match(state))
