"""The game on the board of /teach, which goes on or has just ended."""

from dataclasses import dataclass
from functools import cached_property

from app.recipes import Recipe, name_recipe, parse_recipe
from app.recipes.algorithms import Menace
from app.recipes.games import OPPOSITE_RESULTS
from app.recipes.taught import Course, Lesson
from app.tictactoe.boxes import Box, find_box
from app.tictactoe.game import GAME, SEATS, O, X
from app.tictactoe.notation import DIGITS
from app.web.links.teach import unfinished_game_url
from app.web.match import MatchState, build_match_against_person, replay_match
from app.web.move_values import EMPTY_NOTE
from app.web.pages.teach.learners import format_learner_title, get_opening_cell
from app.web.pages.teach.taught_boards import evaluate_board
from app.web.pictures.boards import BoardPicture, lay_out_board
from app.web.site_data import get_current_site
from app.web.translation import ngettext


@dataclass(frozen=True)
class TaughtGame:
    """The game on the board of /teach: a game that goes on, or the end of a lesson.

    A lesson is a game with the person, or a practice without the person.
    """

    course: Course
    # from 1; 0 for the last lesson
    chosen_lesson: int = 0
    # the cells of the person's moves in the game that goes on
    unfinished_moves: str = ""

    @cached_property
    def recipe(self) -> Recipe:
        return parse_recipe(self.course.recipe)

    @property
    def shown_lesson(self) -> int:
        """The number of the shown lesson, from 1; 0 if there is none."""
        return self.chosen_lesson or len(self.course.lessons)

    @property
    def lesson(self) -> Lesson | None:
        return self.course.lessons[self.shown_lesson - 1] if self.shown_lesson else None

    @property
    def finished_lesson(self) -> Lesson | None:
        return None if self.course.has_unfinished_game else self.lesson

    @property
    def seat(self) -> str:
        lesson = self.finished_lesson
        return lesson.seat if lesson and lesson.seat else self.course.seat

    @property
    def seats(self) -> list[str]:
        """Where the learner plays: ["x"], ["o"] or both."""
        seat = getattr(self.recipe, "seat", "both")
        return [*SEATS] if seat == "both" else [seat]

    @cached_property
    def state(self) -> MatchState:
        lesson = self.finished_lesson
        is_earlier = lesson and self.shown_lesson < len(self.course.lessons)
        record = lesson.record if lesson and is_earlier else self.course.record
        side = X if self.seat == "X" else O
        return replay_match(
            build_match_against_person(name_recipe(self.recipe), side, record),
            get_current_site(),
        )

    @property
    def result(self) -> str:
        """The result for the person, "win", "draw" or "loss"; "" while a game goes on."""
        lesson = self.finished_lesson
        return OPPOSITE_RESULTS.get(lesson.result, "") if lesson else ""

    @property
    def is_paper_machine(self) -> bool:
        """Whether people draw the learner's beads from boxes and enter its moves."""
        return isinstance(self.recipe, Menace) and self.recipe.paper

    @cached_property
    def next_box(self) -> Box | None:
        """The box from which the person draws the next bead, None if the machine is not to move."""
        return None if self.state.is_over else self.find_paper_box(self.state.position)

    def find_paper_box(self, position: int) -> Box | None:
        recipe = self.recipe
        if not isinstance(recipe, Menace) or not recipe.paper:
            return None
        return find_box(GAME, position, get_opening_cell(recipe))

    @property
    def game_count(self) -> int:
        return sum(bool(lesson.record) for lesson in self.course.lessons)

    @property
    def learner_title(self) -> str:
        """The learner's title with its number of games, "" before the first game."""
        if not self.game_count:
            return ""
        return ngettext(
            "%(title)s after %(count)s game",
            "%(title)s after %(count)s games",
            self.game_count,
            title=format_learner_title(self.recipe),
        )

    def lay_out_board(self) -> BoardPicture:
        """Return the board of the game.

        It shows no values, because they would help the person. On paper it shows the beads in the
        box, which are the only moves that the person can enter.
        """
        course = self.course
        state = self.state
        values = None
        beads = course.values[-1] if self.next_box else []
        if self.next_box:
            known = course.is_value_known[-1]
            values = evaluate_board(state.position, self.recipe, beads, known)

        def link(cell: int) -> str:
            if beads and not beads[cell]:
                return ""
            return unfinished_game_url(self.unfinished_moves + DIGITS[cell])

        notes = [EMPTY_NOTE] * GAME.cells
        build_url = None if state.is_over else link
        return lay_out_board(state, values, build_url, notes=notes)
