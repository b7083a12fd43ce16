"""MENACE on paper: matchbox labels to print, and a form for the games played with the boxes."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import werkzeug
from flask import Response, redirect, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest

from app.recipes import RecipeError, name_recipe, parse_recipe
from app.recipes.algorithms import Menace
from app.recipes.parameters import list_taught_games
from app.recipes.taught import Refusal, add_game, format_taught_title
from app.tictactoe.beads import count_beads
from app.tictactoe.boxes import Box, count_lost_boxes, list_boxes
from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS
from app.web.links.teach import PAPER_ROUTE, paper_url, teach_url
from app.web.match import read_choice
from app.web.navigation import PageBlueprint
from app.web.pages.teach.learners import get_opening_cell, replay_course
from app.web.pictures.boxes import render_bead_signs, render_label
from app.web.rendering import render_page
from app.web.routes import Destination
from app.web.site_data import get_current_site
from app.web.translation import gettext, gettext_noop

bp = PageBlueprint("paper", __name__)
bp.add_menu_page("Teach", "paper", gettext_noop("On paper"), PAPER_ROUTE.url)

# 4 columns of 6 rows
LABELS_PER_SHEET = 24
SCORE_SHEET_ROW_COUNT = 16
# where the machine's first move is, by set of boxes
OPENING_BY_SET = {
    "short": "centre",
    "all": "any",
}
PAPER_SIZES = {"a4": "A4", "letter": gettext_noop("Letter")}
# Each square has the beads of one colour.
BEAD_COLOURS = (
    gettext_noop("red"),
    gettext_noop("blue"),
    gettext_noop("green"),
    gettext_noop("yellow"),
    gettext_noop("black"),
    gettext_noop("orange"),
    gettext_noop("light blue"),
    gettext_noop("brown"),
    gettext_noop("purple"),
)
SEPARATOR_PATTERN = re.compile(r"[\s,;.:|/-]+")


class LineError(ValueError):
    """Raised for a typed game that cannot have been played; the message names its line."""


def render_sheets(
    set_key: str,
    size_key: str,
    machine_recipe: str = "",
    typed_games: str = "",
    fault_sentence: str = "",
) -> Response:
    """Show the labels of a set of boxes, and the form for the games played with them.

    The labels have the beads of `machine_recipe`, or those before the first game if it is "".
    `fault_sentence` says why the typed games are invalid.
    """
    recipe = (
        parse_menace(machine_recipe) if machine_recipe else get_start_recipe(set_key)
    )
    boxes = list_boxes(GAME, get_opening_cell(recipe))
    full_set = list_boxes(GAME)
    counted = Counter(box.get_move_number(GAME) for box in full_set)
    beads_by_cell: Counter[int] = Counter()
    for box in boxes:
        for cell in box.cells:
            beads_by_cell[cell] += count_first_beads(recipe, box)
    labels = [*_render_labels(recipe, boxes, machine_recipe)]
    return render_page(
        "teach/paper.html",
        set_key=set_key,
        size_key=size_key,
        machine_recipe=machine_recipe,
        typed_games=typed_games,
        fault_sentence=fault_sentence,
        is_short=recipe.opening != "any",
        box_count=len(boxes),
        box_counts_by_move=[counted[move] for move in sorted(counted)],
        full_box_count=len(full_set),
        lost_box_count=count_lost_boxes(GAME),
        # (square, colour, number of beads) before the first game
        colour_counts=[
            (cell + 1, gettext(colour), beads_by_cell[cell])
            for cell, colour in zip(range(GAME.cells), BEAD_COLOURS, strict=True)
        ],
        bead_count=beads_by_cell.total(),
        label_sheets=[
            labels[start : start + LABELS_PER_SHEET]
            for start in range(0, len(labels), LABELS_PER_SHEET)
        ],
        title=format_taught_title(recipe) if machine_recipe else "",
        sign_definitions=render_bead_signs(),
        game_numbers=range(1, SCORE_SHEET_ROW_COUNT + 1),
        players_by_ply=["XO"[ply % 2] for ply in range(GAME.cells)],
        set_links=_list_sets(set_key, size_key, machine_recipe),
        size_links=[
            Destination(
                gettext(title),
                paper_url(set_key, size, machine_recipe),
                id=f"size-{size}",
                is_current=size == size_key,
            )
            for size, title in PAPER_SIZES.items()
        ],
        learner_url=teach_url(machine_recipe or name_recipe(recipe)),
    )


def count_first_beads(recipe: Menace, box: Box) -> int:
    moves_before = box.get_move_number(GAME) - 1
    return max(1, recipe.beads - recipe.beads_drop * moves_before)


def _render_labels(
    recipe: Menace, boxes: Sequence[Box], machine_recipe: str
) -> Iterator[Markup]:
    site = get_current_site()
    if not machine_recipe:
        for box in boxes:
            yield render_label(box, count_first_beads(recipe, box))
        return
    agent = site.agents[machine_recipe]
    shared = count_beads(GAME, agent.q[GAME.legal], agent.card.play_rule)
    # the beads of each move, [D, cells]
    held = np.asarray(GAME.spread_pairs(shared))
    for box in boxes:
        first = count_first_beads(recipe, box)
        now = {cell: int(held[box.position, cell]) for cell in box.cells}
        if set(now.values()) != {first}:
            yield render_label(box, first, now)


def _list_sets(set_key: str, size_key: str, machine_recipe: str) -> list[Destination]:
    words = {
        "short": gettext_noop("Short set: %(number)s boxes"),
        "all": gettext_noop("All %(number)s boxes"),
    }
    links = []
    for one, text in words.items():
        boxes = list_boxes(GAME, get_opening_cell(get_start_recipe(one)))
        links.append(
            Destination(
                gettext(text, number=len(boxes)),
                paper_url(one, size_key),
                id=f"set-{one}",
                is_current=one == set_key and not machine_recipe,
            )
        )
    return links


@bp.get(PAPER_ROUTE)
def show_paper_sheets() -> werkzeug.Response:
    """Show the sheets or, after games were typed, redirect to the learner that played them."""
    chosen_set = read_choice("set", request.args, OPENING_BY_SET, "short")
    size = read_choice("size", request.args, PAPER_SIZES, "a4")
    machine = request.args.get("of", "")
    typed = request.args.get("taught", "")
    if machine:
        chosen_set = find_box_set(machine)
        typed = typed or "\n".join(
            map(format_game, list_taught_games(parse_recipe(machine)))
        )
        return render_sheets(chosen_set, size, machine, typed)
    if not typed.strip():
        return render_sheets(chosen_set, size)
    try:
        games = read_games(typed)
        recipe = record_games(get_start_recipe(chosen_set), games)
    except LineError as error:
        response = render_sheets(
            chosen_set, size, typed_games=typed, fault_sentence=str(error)
        )
        response.status_code = 400
        return response
    return redirect(teach_url(recipe), 303)


def get_start_recipe(set_key: str) -> Menace:
    return parse_menace(f"menace,seat=x,opening={OPENING_BY_SET[set_key]},paper=yes")


def parse_menace(recipe_name: str) -> Menace:
    recipe = parse_recipe(recipe_name)
    assert isinstance(recipe, Menace)
    return recipe


def find_box_set(machine_name: str) -> str:
    """Return the set of boxes that a machine uses, a key of OPENING_BY_SET.

    Raises BadRequest if the learner is no MENACE that people can play with paper boxes.
    """
    recipe, _ = replay_course(machine_name)
    if not isinstance(recipe, Menace) or recipe.plays != "proportional":
        raise BadRequest(gettext("Only MENACE has boxes and beads to print."))
    return next(
        (one for one, opening in OPENING_BY_SET.items() if opening == recipe.opening),
        "all",
    )


def format_game(record: str) -> str:
    """Return the squares of a game as people type them, counted from 1: "5 1 9"."""
    return " ".join(str(DIGITS.index(cell) + 1) for cell in record)


def read_games(games_text: str) -> dict[int, str]:
    """Return line number -> record of the game in this line.

    Raises LineError for the first line that is not a complete game.
    """
    games = {}
    for line, typed in enumerate(games_text.splitlines(), 1):
        squares = SEPARATOR_PATTERN.sub("", typed)
        if squares:
            try:
                games[line] = read_game(squares)
            except ValueError as error:
                raise LineError(
                    gettext("Line %(line)s: %(fault)s", line=line, fault=error)
                ) from None
    return games


def read_game(squares_text: str) -> str:
    """Return the record of a game from the numbers of its squares, such as "519".

    Raises ValueError with the reason if it is not a complete game.
    """
    position, record = 0, ""
    for move, square in enumerate(squares_text, 1):
        if square not in "123456789":
            fault = gettext_noop(
                "%(square)s is not a square: squares have the numbers 1 to 9."
            )
            raise ValueError(gettext(fault, square=repr(square)))
        if GAME.is_over(position):
            fault = gettext_noop("move %(move)s comes after the end of the game.")
            raise ValueError(gettext(fault, move=move))
        after = int(GAME.successor[position, int(square) - 1])
        if after < 0:
            fault = gettext_noop(
                "move %(move)s is on square %(square)s, which is taken."
            )
            raise ValueError(gettext(fault, move=move, square=square))
        position = after
        record += DIGITS[int(square) - 1]
    if not GAME.is_over(position):
        fault = gettext_noop("the game is not over after %(moves)s moves.")
        raise ValueError(gettext(fault, moves=len(squares_text)))
    return record


def record_games(recipe: Menace, games: Mapping[int, str]) -> str:
    """Return the name of a machine after these games, which are records by line number.

    Raises LineError for the first game that its boxes cannot have played.
    """
    longer = recipe
    try:
        for record in games.values():
            longer = add_game(longer, record)  # type: ignore[assignment]
        name = name_recipe(longer)
    except RecipeError as error:
        fault = gettext("These games are too long for one link: %(why)s.", why=error)
        raise LineError(fault) from None
    _, course = replay_course(name)
    if isinstance(course, Refusal):
        line = [*games][(course.game_number or 1) - 1]
        fault = gettext_noop(
            "Line %(line)s: MENACE cannot have played this game, because a box had no bead left "
            "for one of its moves. Check this game and the games before it."
        )
        raise LineError(gettext(fault, line=line))
    return name
