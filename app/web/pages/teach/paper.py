"""MENACE on paper: sheets to print, and a form for the games that were played with the boxes."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Response, redirect, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import RecipeError, name_recipe, parse_recipe
from app.recipes.algorithms import Menace
from app.recipes.parameters import list_taught_games
from app.recipes.taught import Refusal, add_game, format_taught_title
from app.tictactoe.beads import count_beads
from app.tictactoe.boxes import Box, count_lost_boxes, list_boxes
from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS
from app.web.links.teach import PAPER, paper_url, teach_url
from app.web.match import read_choice
from app.web.navigation import PageBlueprint
from app.web.pages.teach.learners import get_first_cell, replay_course
from app.web.pictures.boxes import BoxLabel, draw_bead_signs, draw_label
from app.web.rendering import Page, render_page
from app.web.routes import Destination
from app.web.site_data import get_current_site
from app.web.translation import gettext, gettext_noop

bp = PageBlueprint("paper", __name__)
bp.add_room("Teach", "paper", gettext_noop("MENACE on paper"), PAPER.url)

LABELS_PER_SHEET = 24  # four columns and six rows of labels
SCORE_ROWS = 16  # number of games on a score sheet
# set of boxes -> opening of the machine
OPENING_BY_SET = {
    "short": "centre",
    "all": "any",
}
PAPER_SIZES = {"a4": "A4", "letter": gettext_noop("Letter")}
# colours of the beads, by square
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
# separators between the squares of a game
SEPARATOR_PATTERN = re.compile(r"[\s,;.:|/-]+")


class LineError(ValueError):
    """A typed game that cannot have been played: the message names its line."""


class TypedGame(NamedTuple):
    """A game as a class typed it."""

    line_number: int  # line of the text, from 1
    record: str  # cells of all moves, counted from 0


class PaperPage(Page, frozen=True):
    """The sheets of a set of boxes, and the form for the games that were played with them."""

    template: ClassVar = "teach/paper.html"

    game: Game
    set_key: str  # key of OPENING_BY_SET
    size_key: str  # key of PAPER_SIZES
    # the recipe whose beads the labels show; "" before the first game
    machine_recipe: str = ""
    typed_games: str = ""  # games in the form
    fault_sentence: str = ""  # the reason why the games are invalid

    @cached_property
    def _recipe(self) -> Menace:
        recipe = (
            parse_recipe(self.machine_recipe)
            if self.machine_recipe
            else build_start_recipe(self.set_key)
        )
        assert isinstance(recipe, Menace)
        return recipe

    @property
    def _boxes_of_set(self) -> tuple[Box, ...]:
        return list_boxes(self.game, get_first_cell(self.game, self._recipe))

    @property
    def is_short(self) -> bool:
        """Whether the machine always opens in the centre."""
        return self._recipe.opening != "any"

    @property
    def box_count(self) -> int:
        return len(self._boxes_of_set)

    @property
    def box_counts_by_move(self) -> list[int]:
        """The number of boxes of the whole set for the first move, the second move, and so on."""
        counted = Counter(
            box.get_move_number(self.game) for box in list_boxes(self.game)
        )
        return [counted[move] for move in sorted(counted)]

    @property
    def full_box_count(self) -> int:
        """The number of boxes of the whole set."""
        return len(list_boxes(self.game))

    @property
    def lost_box_count(self) -> int:
        """The number of boxes at the machine's last draw in which every move loses."""
        return count_lost_boxes(self.game)

    @property
    def colour_counts(self) -> list[tuple[int, str, int]]:
        """(square number, colour, number of beads in all boxes at the start), for each square."""
        beads_by_square: Counter[int] = Counter()
        for box in self._boxes_of_set:
            for cell in box.cells:
                beads_by_square[cell] += self._get_first_bead_count(box)
        return [
            (
                cell + 1,
                gettext(BEAD_COLOURS[cell % len(BEAD_COLOURS)]),
                beads_by_square[cell],
            )
            for cell in range(self.game.cells)
        ]

    @property
    def bead_count(self) -> int:
        """The number of beads in all boxes at the start."""
        return sum(
            len(box.cells) * self._get_first_bead_count(box)
            for box in self._boxes_of_set
        )

    def _get_first_bead_count(self, box: Box) -> int:
        """Return the number of beads of each kind in a box at the start."""
        recipe = self._recipe
        moves_before = box.get_move_number(self.game) - 1
        return max(1, recipe.beads - recipe.beads_drop * moves_before)

    @cached_property
    def label_sheets(self) -> list[list[BoxLabel]]:
        """The labels, sheet by sheet; for a machine that has played, the labels of changed boxes."""
        labels = [*self._draw_labels()]
        return [
            labels[i : i + LABELS_PER_SHEET]
            for i in range(0, len(labels), LABELS_PER_SHEET)
        ]

    def _draw_labels(self) -> Iterator[BoxLabel]:
        held = self._get_current_beads()
        for box in self._boxes_of_set:
            first = self._get_first_bead_count(box)
            if held is None:
                yield draw_label(self.game, box, first)
                continue
            now = {cell: int(held[box.position, cell]) for cell in box.cells}
            if set(now.values()) != {first}:
                yield draw_label(self.game, box, first, now)

    def _get_current_beads(self) -> np.ndarray | None:
        """Return the beads of the machine's moves, [D, cells]; None before its first game."""
        if not self.machine_recipe:
            return None
        game = self.game
        agent = get_current_site().agents[self.machine_recipe]
        shared = count_beads(game, agent.q[game.legal], agent.card.play_rule)
        return np.asarray(game.spread_pairs(shared))

    @property
    def title(self) -> str:
        """The name of a machine that has played."""
        return format_taught_title(self._recipe) if self.machine_recipe else ""

    @property
    def sign_definitions(self) -> Markup:
        """The definitions of the signs on the labels."""
        return draw_bead_signs(self.game)

    @property
    def game_numbers(self) -> range:
        """The numbers of the games on the score sheet."""
        return range(1, SCORE_ROWS + 1)

    @property
    def players_by_ply(self) -> list[str]:
        """The player of each column of the score sheet."""
        return ["XO"[ply % 2] for ply in range(self.game.cells)]

    @property
    def set_links(self) -> list[Destination]:
        """The links to the sets of boxes: the short set and the full set."""
        titles = {
            one: len(
                list_boxes(
                    self.game, get_first_cell(self.game, build_start_recipe(one))
                )
            )
            for one in OPENING_BY_SET
        }
        words = {
            "short": gettext_noop("Short set: %(number)s boxes"),
            "all": gettext_noop("All %(number)s boxes"),
        }
        return [
            Destination(
                gettext(words[one], number=number),
                paper_url(one, self.size_key),
                id=f"set-{one}",
                is_current=one == self.set_key and not self.machine_recipe,
            )
            for one, number in titles.items()
        ]

    @property
    def size_links(self) -> list[Destination]:
        """The links to the sizes of paper."""
        return [
            Destination(
                gettext(title),
                paper_url(self.set_key, size, self.machine_recipe),
                id=f"size-{size}",
                is_current=size == self.size_key,
            )
            for size, title in PAPER_SIZES.items()
        ]

    @property
    def learner_url(self) -> str:
        """The URL of the machine as a learner on the site."""
        return teach_url(
            self.machine_recipe or name_recipe(build_start_recipe(self.set_key))
        )


@bp.get(PAPER)
def show_paper_sheets() -> AnyResponse:
    """Show the sheets, or redirect typed games to the learner that they make."""
    chosen_set = read_choice("set", request.args, OPENING_BY_SET, "short")
    size = read_choice("size", request.args, PAPER_SIZES, "a4")
    machine = request.args.get("of", "")
    typed = request.args.get("taught", "")
    game = get_current_site().game
    if machine:
        chosen_set = find_box_set(machine)
        typed = typed or "\n".join(
            map(format_game, list_taught_games(parse_recipe(machine)))
        )
        return render_page(PaperPage(game, chosen_set, size, machine, typed))
    if not typed.strip():
        return render_page(PaperPage(game, chosen_set, size))
    try:
        recipe = record_games(build_start_recipe(chosen_set), read_games(game, typed))
    except LineError as error:
        page = PaperPage(
            game, chosen_set, size, typed_games=typed, fault_sentence=str(error)
        )
        response: Response = render_page(page)
        response.status_code = 400
        return response
    return redirect(teach_url(recipe), 303)


def build_start_recipe(set_key: str) -> Menace:
    """Return the recipe of a paper machine of a set before its first game."""
    recipe = parse_recipe(f"menace,seat=x,opening={OPENING_BY_SET[set_key]},paper=yes")
    assert isinstance(recipe, Menace)
    return recipe


def find_box_set(machine_name: str) -> str:
    """Return the set whose boxes a machine uses.

    Raises BadRequest if its beads are not those of boxes for X.
    """
    recipe, _ = replay_course(machine_name)
    if not isinstance(recipe, Menace) or recipe.plays != "proportional":
        raise BadRequest(gettext("Only MENACE has boxes and beads to print."))
    return next(
        (one for one, opening in OPENING_BY_SET.items() if opening == recipe.opening),
        "all",
    )


def format_game(record: str) -> str:
    """Return a game as the form shows it: its squares, counted from 1, with spaces between."""
    return " ".join(str(DIGITS.index(cell) + 1) for cell in record)


def read_games(game: Game, games_text: str) -> list[TypedGame]:
    """Return the games of a text with a game in each line: the numbers of the squares in order.

    Raises LineError for the first line that is not a whole game.
    """
    games = []
    for line, typed in enumerate(games_text.splitlines(), 1):
        squares = SEPARATOR_PATTERN.sub("", typed)
        if squares:
            try:
                games.append(TypedGame(line, read_game(game, squares)))
            except ValueError as error:
                raise LineError(
                    gettext("Line %(line)s: %(fault)s", line=line, fault=error)
                ) from None
    return games


def read_game(game: Game, squares_text: str) -> str:
    """Return the record of a game; raises ValueError with the reason if it is invalid."""
    position, record = 0, ""
    for move, square in enumerate(squares_text, 1):
        if square not in "123456789":
            fault = gettext_noop(
                "%(square)s is not a square: squares have the numbers 1 to 9."
            )
            raise ValueError(gettext(fault, square=repr(square)))
        if game.is_over(position):
            fault = gettext_noop("move %(move)s comes after the end of the game.")
            raise ValueError(gettext(fault, move=move))
        after = int(game.successor[position, int(square) - 1])
        if after < 0:
            fault = gettext_noop(
                "move %(move)s is on square %(square)s, which is taken."
            )
            raise ValueError(gettext(fault, move=move, square=square))
        position = after
        record += DIGITS[int(square) - 1]
    if not game.is_over(position):
        fault = gettext_noop("the game is not over after %(moves)s moves.")
        raise ValueError(gettext(fault, moves=len(squares_text)))
    return record


def record_games(recipe: Menace, games: list[TypedGame]) -> str:
    """Return the name of a machine after some games.

    Raises LineError for the first game that its boxes cannot have played.
    """
    longer = recipe
    try:
        for one in games:
            longer = add_game(longer, one.record)  # type: ignore[assignment]
        name = name_recipe(longer)
    except RecipeError as error:
        fault = gettext("These games are too long for one link: %(why)s.", why=error)
        raise LineError(fault) from None
    _, course = replay_course(name)
    if isinstance(course, Refusal):
        line = games[(course.game_number or 1) - 1].line_number
        fault = gettext_noop(
            "Line %(line)s: MENACE cannot have played this game, because a box had no bead left "
            "for one of its moves. Check this game and the games before it."
        )
        raise LineError(gettext(fault, line=line))
    return name
