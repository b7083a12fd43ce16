"""The class PuzzleAttempt: a puzzle and the visitor's answers in the URL.

There are two questions: which move is right, and which move does the agent make? A round has ten
puzzles, or the three puzzles of a day.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

import numpy as np
from werkzeug.exceptions import BadRequest, Conflict

from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS, MARKS
from app.tictactoe.puzzles import PUZZLE_LEVELS, PUZZLES_PER_ROUND, Puzzle
from app.web.facts import check_puzzle_number, list_puzzles
from app.web.formatting import join_words, name_square
from app.web.links.puzzle import SCORE_ROUTE, puzzle_url
from app.web.match import (
    Match,
    MatchState,
    build_parameter_error,
    read_cell,
    read_parameter,
    replay_match,
)
from app.web.move_values import Note, evaluate_moves
from app.web.pictures.boards import BoardPicture, CellUrl, lay_out_board
from app.web.rendering import get_url_in_iframe
from app.web.routes import Query
from app.web.site_data import HUMAN, SiteData
from app.web.translation import gettext, gettext_noop, ngettext

# The digit of a puzzle in the URL is the sum of these numbers for its right answers.
KNEW_MOVE_DIGIT, KNEW_CORRECT_DIGIT = 1, 2
SOLVED_DIGIT = KNEW_MOVE_DIGIT + KNEW_CORRECT_DIGIT
ANSWER_WORDS = (
    gettext_noop("no right answer"),
    gettext_noop("only the program’s move"),
    gettext_noop("only a right move"),
    gettext_noop("both answers right"),
)


@dataclass(frozen=True)
class PuzzleAttempt:
    """A puzzle with the visitor's answers so far."""

    site: SiteData
    # begins at 1
    puzzle_number: int
    # None in a round of ten puzzles
    day: date | None = None
    # the digits of the earlier puzzles in this round
    answer_digits: str = ""
    # the digits of the whole round of a friend who sent the link
    friend_digits: str = ""
    # the answer to: which move is right?
    chosen_correct_cell: int | None = None
    # the answer to: which move does the agent make?
    chosen_agent_cell: int | None = None
    # how many moves are shown of the game in which the opponent punishes the blunder
    shown_plies: int = 0

    @cached_property
    def puzzle(self) -> Puzzle:
        return list_puzzles(self.site)[self.puzzle_number - 1]

    @property
    def shows_solution(self) -> bool:
        return self.chosen_agent_cell is not None

    @cached_property
    def kind(self) -> str:
        """The kind of puzzle: "win", "block", "defend", "fork", or "two" for one of two squares."""
        puzzle = self.puzzle
        position = puzzle.position
        wins_at_once = self.site.wins_at_once[position]
        # The question asks for a win at once only if all right moves win at once. Otherwise a
        # slower win, which is a right move too, would not answer it.
        if wins_at_once.any() and wins_at_once[puzzle.correct_cells].all():
            is_choice = self.puzzle_number % 2 and len(self._offered_cells) > 1
            return "two" if is_choice else "win"
        if puzzle.value_before:
            return "fork"
        is_block = self.site.loses_at_once[position, puzzle.blunder_cell]
        return "block" if is_block else "defend"

    @cached_property
    def _offered_cells(self) -> list[int]:
        """The squares of a puzzle of the kind "two": a right and a wrong one.

        The wrong one is not the agent's move, which the second question asks for.
        """
        puzzle = self.puzzle
        cells = np.flatnonzero(GAME.legal[puzzle.position]).tolist()
        known = {*puzzle.correct_cells, puzzle.blunder_cell}
        wrong = [cell for cell in cells if cell not in known]
        return sorted([puzzle.correct_cells[0], *wrong[:1]])

    def offers_cell(self, cell: int) -> bool:
        """Return whether a click on this cell answers the next question.

        A visitor who found a right move is asked for the agent's wrong move, so right moves are not
        offered.
        """
        if self.chosen_correct_cell is None:
            return self.kind != "two" or cell in self._offered_cells
        return not self.knew_correct_move or cell not in self.puzzle.correct_cells

    @property
    def first_question(self) -> str:
        return ngettext(
            "%(mark)s is to move. Which square is right?",
            "%(mark)s is to move. %(count)s squares are right: choose one.",
            1 if self.kind == "two" else len(self.puzzle.correct_cells),
            mark=self.mover,
        )

    @property
    def offered_squares(self) -> str:
        return join_words([name_square(cell) for cell in self._offered_cells], "or")

    @property
    def puzzles_left(self) -> int:
        return count_round_puzzles(self.site, self.day) - len(self.answer_digits)

    @property
    def answer_digit(self) -> int:
        """The result of this puzzle as a digit, which is an index of ANSWER_WORDS."""
        return (
            KNEW_MOVE_DIGIT * self.knew_agent_move
            + KNEW_CORRECT_DIGIT * self.knew_correct_move
        )

    @property
    def knew_agent_move(self) -> bool:
        return self.chosen_agent_cell == self.puzzle.blunder_cell

    @property
    def knew_correct_move(self) -> bool:
        return self.chosen_correct_cell in self.puzzle.correct_cells

    @property
    def is_solved(self) -> bool:
        return self.answer_digit == SOLVED_DIGIT

    @property
    def is_first_question(self) -> bool:
        is_unanswered = not self.answer_digits and self.chosen_correct_cell is None
        return self.day is not None and is_unanswered

    @property
    def mover(self) -> str:
        return MARKS[int(GAME.to_move[self.puzzle.position])]

    @property
    def blunder_square(self) -> str:
        return name_square(self.puzzle.blunder_cell)

    @property
    def correct_squares(self) -> str:
        """The squares of all moves that keep the result of optimal play, in words."""
        return join_words(
            [name_square(cell) for cell in self.puzzle.correct_cells],
            "or",
        )

    @property
    def value_text(self) -> str:
        values = evaluate_moves(self.site, self.puzzle.position, self.puzzle.agent_id)
        return values.value_texts[self.puzzle.blunder_cell]

    @property
    def result_of_choice(self) -> str:
        """A sentence on the first answer, such as "Right: X wins at once."; "" before it."""
        if self.chosen_correct_cell is None:
            return ""
        cell = self.chosen_correct_cell
        if not self.knew_correct_move:
            return describe_wrong_move(self.site, self.puzzle.position, cell)
        moves = self.site.signed_moves_to_end.item(self.puzzle.position, cell)
        words = gettext_noop("Right: %(mark)s does not lose.")
        if moves > 0:
            words = gettext_noop("Right: %(mark)s can force a win.")
        if moves == 1:
            words = gettext_noop("Right: %(mark)s wins at once.")
        return gettext(words, mark=self.mover)

    @property
    def training_move_count(self) -> int:
        """The number of updates that the agent made in this position."""
        agent = self.site.agents[self.puzzle.agent_id]
        return int(agent.visits[self.puzzle.position].sum())

    @property
    def url(self) -> str:
        answered = self.chosen_correct_cell, self.chosen_agent_cell, self.shown_plies
        return get_url_in_iframe(
            puzzle_url(
                self.puzzle_number,
                self.day,
                self.answer_digits,
                *answered,
                self.friend_digits,
            )
        )

    @property
    def next_url(self) -> str:
        """The URL of the next puzzle or, after the last one, of the score."""
        answers = f"{self.answer_digits}{self.answer_digit}"
        if self.puzzles_left == 1:
            return get_url_in_iframe(
                SCORE_ROUTE.url(
                    self.puzzle_number,
                    day=self.day,
                    answers=answers,
                    friend=self.friend_digits,
                )
            )
        if self.day:
            following = list_daily_puzzles(self.site, self.day)[len(answers)]
        else:
            following = get_next_number(self.site, self.puzzle_number)
        return get_url_in_iframe(
            puzzle_url(following, self.day, answers, friend_digits=self.friend_digits)
        )

    @cached_property
    def state(self) -> MatchState:
        record = self.puzzle.record + self.puzzle.refutation[: self.shown_plies]
        return replay_match(
            Match(record, o=HUMAN, value_source=self.puzzle.agent_id), self.site
        )

    def choose_cell(self, cell: int) -> "PuzzleAttempt":
        if self.chosen_correct_cell is None:
            return replace(self, chosen_correct_cell=cell)
        return replace(self, chosen_agent_cell=cell)

    def show_ply(self, ply: int) -> "PuzzleAttempt":
        return replace(self, shown_plies=ply)


def describe_wrong_move(site: SiteData, position: int, cell: int) -> str:
    moves = -site.signed_moves_to_end.item(position, cell)
    if not moves:
        return gettext("Wrong: this move gives the win away.")
    return ngettext(
        "Wrong: %(mark)s can now win with one move.",
        "Wrong: %(mark)s can now force a win in %(count)s moves.",
        moves,
        mark=MARKS[-int(GAME.to_move[position])],
    )


def get_next_number(site: SiteData, puzzle_number: int) -> int:
    return puzzle_number % len(list_puzzles(site)) + 1


def list_daily_puzzles(site: SiteData, day: date) -> list[int]:
    """Return the numbers of a day's puzzles, one of each level, the easiest first."""
    levels = [
        [
            number
            for number, each in enumerate(list_puzzles(site), 1)
            if each.level == level
        ]
        for level in range(len(PUZZLE_LEVELS))
    ]
    return [numbers[day.toordinal() % len(numbers)] for numbers in levels if numbers]


def count_round_puzzles(site: SiteData, day: date | None) -> int:
    """Return the number of puzzles in a round: of a day, or PUZZLES_PER_ROUND without a day."""
    return len(list_daily_puzzles(site, day)) if day else PUZZLES_PER_ROUND


def parse_attempt(puzzle_number: int, query: Query, site: SiteData) -> PuzzleAttempt:
    """Return the puzzle with the answers in the query.

    Raises BadRequest, NotFound or Conflict if the number or an answer is not possible.
    """
    check_puzzle_number(puzzle_number, site)
    day = parse_day(query.get("day", ""))
    length = count_round_puzzles(site, day)
    answers = parse_answers(query.get("answers", ""), range(length))
    if day and list_daily_puzzles(site, day)[len(answers)] != puzzle_number:
        words = gettext_noop("Puzzle %(number)s is not puzzle %(place)s of %(day)s.")
        raise BadRequest(
            gettext(words, number=puzzle_number, place=len(answers) + 1, day=day)
        )
    attempt = read_puzzle_answers(
        PuzzleAttempt(site, puzzle_number, day, answers, parse_friend(query, length)),
        query,
    )
    text = query.get("ply", "")
    if not text:
        return attempt
    ply = read_parameter("ply", text)
    plies = len(attempt.puzzle.refutation)
    if not attempt.shows_solution:
        words = gettext_noop(
            "ply= in the URL also needs right= and plays=, the two answers."
        )
        raise BadRequest(gettext(words))
    if ply > plies:
        raise BadRequest(
            gettext("ply must be 0 to %(plies)s in this puzzle.", plies=plies)
        )
    return attempt.show_ply(ply)


def read_puzzle_answers(attempt: PuzzleAttempt, query: Query) -> PuzzleAttempt:
    """Add the query's answers, `right` to the first question and `plays` to the second.

    Raises BadRequest or Conflict if an answer is not possible.
    """
    for name in ("right", "plays"):
        text = query.get(name, "")
        if not text:
            continue
        if name == "plays" and attempt.chosen_correct_cell is None:
            words = gettext_noop(
                "plays= in the URL also needs right=, the first answer."
            )
            raise BadRequest(gettext(words))
        position = attempt.puzzle.position
        attempt = attempt.choose_cell(
            read_free_cell(attempt.site, position, name, text)
        )
    return attempt


def parse_day(day_text: str) -> date | None:
    """Return the date of a text such as "2026-11-24", None for "".

    Raises BadRequest for any other text.
    """
    if not day_text:
        return None
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", day_text):
            return date.fromisoformat(day_text)
    except ValueError:
        pass
    raise build_parameter_error("day", day_text, gettext("a date like 2026-01-31"))


def parse_answers(answer_digits: str, allowed_lengths: range) -> str:
    """Check the digits for the answers to earlier puzzles, and return them.

    Raises BadRequest for an unknown digit or a wrong number of digits.
    """
    digits = DIGITS[: len(ANSWER_WORDS)]
    if len(answer_digits) not in allowed_lengths or set(answer_digits) - set(digits):
        many = str(allowed_lengths[0])
        if len(allowed_lengths) > 1:
            many = gettext(
                "%(least)s to %(most)s",
                least=allowed_lengths[0],
                most=allowed_lengths[-1],
            )
        words = gettext_noop(
            "%(many)s digits, 0 to %(most)s, one for each earlier puzzle of the round"
        )
        raise build_parameter_error(
            "answers",
            answer_digits,
            gettext(words, many=many, most=len(ANSWER_WORDS) - 1),
        )
    return answer_digits


def parse_friend(query: Query, round_length: int) -> str:
    """Return a digit for each answer of the friend who sent the link, "" without a friend."""
    digits = query.get("friend", "")
    return digits and parse_answers(digits, range(round_length, round_length + 1))


def count_right_answers(answer_digits: str) -> int:
    return sum(int(digit).bit_count() for digit in answer_digits)


def read_free_cell(
    site: SiteData, position: int, parameter_name: str, cell_text: str
) -> int:
    """Return the cell in a query parameter; raises Conflict if it is taken."""
    cell = read_cell(parameter_name, cell_text)
    if not GAME.legal[position, cell]:
        words = gettext_noop("The %(square)s square is already taken.")
        raise Conflict(gettext(words, square=name_square(cell)))
    return cell


def lay_out_attempt(attempt: PuzzleAttempt, build_url: CellUrl | None) -> BoardPicture:
    """Return the board of a puzzle, with the solution after both answers.

    `build_url` takes a cell, and returns the URL after this answer.
    """
    site = attempt.site
    puzzle = attempt.puzzle
    label = gettext("The position")
    build_url = None if attempt.shows_solution else build_url
    if attempt.chosen_correct_cell is None or attempt.shown_plies:
        return lay_out_board(attempt.state, None, build_url, label=label)
    # The values would give the agent's move away, so they are shown after the second answer.
    view, chosen_cell = None, attempt.chosen_correct_cell
    if attempt.shows_solution:
        view = evaluate_moves(site, puzzle.position, puzzle.agent_id)
        chosen_cell = puzzle.blunder_cell
    return lay_out_board(
        attempt.state,
        view,
        build_url,
        label=label,
        chosen_cell=chosen_cell,
        notes=_build_answer_notes(attempt),
    )


def _build_answer_notes(attempt: PuzzleAttempt) -> list[Note]:
    puzzle = attempt.puzzle
    notes_by_cell: dict[int, str] = {}
    words_by_cell: dict[int | None, list[str]] = {}
    if attempt.shows_solution or attempt.knew_correct_move:
        notes_by_cell = dict.fromkeys(puzzle.correct_cells, "✓")
        words_by_cell = {cell: [gettext("right")] for cell in puzzle.correct_cells}
    elif attempt.chosen_correct_cell is not None:
        notes_by_cell = {attempt.chosen_correct_cell: "✗"}
    if attempt.shows_solution:
        notes_by_cell[puzzle.blunder_cell] = "✗"
        words_by_cell[puzzle.blunder_cell] = [gettext("blunder")]
    words_by_cell.setdefault(attempt.chosen_correct_cell, []).append(
        gettext("your move")
    )
    if attempt.shows_solution:
        words_by_cell.setdefault(attempt.chosen_agent_cell, []).append(
            gettext("your guess")
        )
    notes = []
    for cell in range(GAME.cells):
        label = ", ".join(words_by_cell.get(cell, []))
        notes.append(Note(f"{notes_by_cell.get(cell, '')} {label}".strip(), label))
    return notes
