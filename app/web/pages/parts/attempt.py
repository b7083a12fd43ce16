"""An attempt at a puzzle, for the puzzles and the lesson: its answers, its round and its board.

All of an attempt is in its URL. A round is ten puzzles, or the three of a day.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from werkzeug.exceptions import BadRequest, Conflict

from app.tictactoe.notation import DIGITS, MARKS
from app.tictactoe.puzzles import LEVELS, ROUND_LENGTH, Puzzle
from app.web import urls
from app.web.facts import check_puzzle, list_puzzles
from app.web.formatting import join_words, name_square_briefly
from app.web.match import (
    Match,
    MatchState,
    build_value_error,
    read_cell,
    read_value,
    replay_match,
)
from app.web.move_values import Note, describe_outcome, evaluate_moves
from app.web.pictures.boards import Board, CellUrl, lay_out_board
from app.web.rendering import get_url_inside
from app.web.site_data import HUMAN, SiteData
from app.web.translation import gettext, gettext_noop

KNEW_ITS_MOVE, KNEW_RIGHT = 1, 2  # the digit of an answer is the sum of these
# what each digit of an answer means
WORDS = (
    gettext_noop("neither"),
    gettext_noop("its move"),
    gettext_noop("a right move"),
    gettext_noop("both"),
)


@dataclass(frozen=True)
class Attempt:
    """A puzzle with the visitor's answers so far."""

    site: SiteData
    number: int  # number of the puzzle, from 1
    day: date | None = None  # the day of the round, None for a round of ten
    answers: str = ""  # a digit for each puzzle answered before in the round
    right: int | None = None  # the cell chosen as the right move
    plays: int | None = None  # the cell chosen as the agent's move
    ply: int = 0  # moves shown of the game that punishes the blunder

    @cached_property
    def puzzle(self) -> Puzzle:
        """The puzzle itself."""
        return list_puzzles(self.site)[self.number - 1]

    @property
    def is_open(self) -> bool:
        """Whether both questions are answered, so that the solution is shown."""
        return self.plays is not None

    @property
    def left(self) -> int:
        """The number of puzzles left in the round, with this one."""
        return count_round_puzzles(self.site, self.day) - len(self.answers)

    @property
    def answer(self) -> int:
        """The digit of this answer."""
        return KNEW_ITS_MOVE * self.knew_its_move + KNEW_RIGHT * self.knew_right

    @property
    def knew_its_move(self) -> bool:
        """Whether the agent plays the chosen cell."""
        return self.plays == self.puzzle.wrong

    @property
    def knew_right(self) -> bool:
        """Whether the chosen move is right."""
        return self.right in self.puzzle.right

    @property
    def mover(self) -> str:
        """The player to move, "X" or "O"."""
        return MARKS[int(self.site.game.to_move[self.puzzle.position])]

    @property
    def wrong(self) -> str:
        """The name of the square that the agent plays."""
        return name_square_briefly(self.site.game, self.puzzle.wrong)

    @property
    def rights(self) -> str:
        """The names of the squares that keep the value of the position."""
        game = self.site.game
        return join_words(
            [name_square_briefly(game, cell) for cell in self.puzzle.right], "or"
        )

    @property
    def value(self) -> str:
        """The agent's value of its move."""
        values = evaluate_moves(self.site, self.puzzle.position, self.puzzle.agent)
        return values.texts[self.puzzle.wrong]

    @property
    def result(self) -> str:
        """The result with optimal play after the move chosen as right; "" before a choice."""
        if self.right is None:
            return ""
        return describe_outcome(self.site, self.puzzle.position, self.right)

    @property
    def url(self) -> str:
        """The URL of the puzzle with these answers."""
        answered = self.right, self.plays, self.ply
        return get_url_inside(
            urls.puzzle(self.number, self.day, self.answers, *answered)
        )

    @property
    def next_url(self) -> str:
        """The URL of the next puzzle, or of the score after the last one of a round."""
        answers = f"{self.answers}{self.answer}"
        if self.left == 1:
            return get_url_inside(
                urls.SCORE.url(self.number, day=self.day, answers=answers)
            )
        if self.day:
            following = list_daily_puzzles(self.site, self.day)[len(answers)]
        else:
            following = get_next_number(self.site, self.number)
        return get_url_inside(urls.puzzle(following, self.day, answers))

    @cached_property
    def state(self) -> MatchState:
        """The position shown."""
        record = self.puzzle.record + self.puzzle.refutation[: self.ply]
        return replay_match(Match(record, o=HUMAN, lens=self.puzzle.agent), self.site)

    def choose(self, cell: int) -> "Attempt":
        """Return the attempt with the next question answered by a cell."""
        if self.right is None:
            return replace(self, right=cell)
        return replace(self, plays=cell)

    def at(self, ply: int) -> "Attempt":
        """Return the attempt at another move of the solution."""
        return replace(self, ply=ply)


def get_next_number(site: SiteData, number: int) -> int:
    """Return the number of the next puzzle; the first puzzle follows the last."""
    return number % len(list_puzzles(site)) + 1


def list_daily_puzzles(site: SiteData, day: date) -> list[int]:
    """Return the numbers of a day's puzzles: one of each level, the easiest first."""
    levels = [
        [
            number
            for number, each in enumerate(list_puzzles(site), 1)
            if each.level == level
        ]
        for level in range(len(LEVELS))
    ]
    return [numbers[day.toordinal() % len(numbers)] for numbers in levels if numbers]


def count_round_puzzles(site: SiteData, day: date | None) -> int:
    """Return the number of puzzles in the round of a day, or in any other round."""
    return len(list_daily_puzzles(site, day)) if day else ROUND_LENGTH


def parse_attempt(number: int, query: Mapping[str, str], site: SiteData) -> Attempt:
    """Return the attempt of a URL.

    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    check_puzzle(number, site)
    day = parse_day(query.get("day", ""))
    answers = parse_answers(
        query.get("answers", ""), range(count_round_puzzles(site, day))
    )
    if day and list_daily_puzzles(site, day)[len(answers)] != number:
        words = gettext_noop("Puzzle %(number)s is not puzzle %(place)s of %(day)s.")
        raise BadRequest(gettext(words, number=number, place=len(answers) + 1, day=day))
    attempt = read_choices(Attempt(site, number, day, answers), query)
    text = query.get("ply", "")
    if not text:
        return attempt
    ply = read_value("ply", text)
    plies = len(attempt.puzzle.refutation)
    if not attempt.is_open:
        words = gettext_noop(
            "ply needs right and plays, the two answers, in the same URL."
        )
        raise BadRequest(gettext(words))
    if ply > plies:
        raise BadRequest(gettext("ply is 0 to %(plies)s in this puzzle.", plies=plies))
    return attempt.at(ply)


def read_choices(attempt: Attempt, query: Mapping[str, str]) -> Attempt:
    """Return an attempt with the two answers of a URL, `right` and `plays`, as far as given.

    Raises BadRequest or Conflict with a sentence on what is wrong.
    """
    for name in ("right", "plays"):
        text = query.get(name, "")
        if not text:
            continue
        if name == "plays" and attempt.right is None:
            words = gettext_noop(
                "plays needs right, the answer before it, in the same URL."
            )
            raise BadRequest(gettext(words))
        attempt = attempt.choose(_read_free_cell(attempt, name, text))
    return attempt


def parse_day(text: str) -> date | None:
    """Return a day; None for an empty text.

    Raises BadRequest with a sentence if there is no such day.
    """
    if not text:
        return None
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise build_value_error("day", text, gettext("a date like 2026-01-31"))


def parse_answers(text: str, lengths: range) -> str:
    """Return the answers of a round, a digit for each puzzle.

    Raises BadRequest with a sentence for another character or an impossible number of answers.
    """
    if len(text) not in lengths or set(text) - set(DIGITS[: len(WORDS)]):
        many = str(lengths[0])
        if len(lengths) > 1:
            many = gettext("%(least)s to %(most)s", least=lengths[0], most=lengths[-1])
        words = gettext_noop(
            "%(many)s digits, 0 to %(most)s, one for each puzzle of the round before"
        )
        raise build_value_error(
            "answers", text, gettext(words, many=many, most=len(WORDS) - 1)
        )
    return text


def _read_free_cell(attempt: Attempt, name: str, text: str) -> int:
    game = attempt.site.game
    cell = read_cell(name, text, game)
    if not game.legal[attempt.puzzle.position, cell]:
        words = gettext_noop("The %(square)s square is taken: that move is illegal.")
        raise Conflict(gettext(words, square=name_square_briefly(game, cell)))
    return cell


def lay_out_attempt(attempt: Attempt, link: CellUrl | None) -> Board:
    """Return the board of an attempt: to be answered, with its values, or with the solution.

    `link` returns the URL of each answer.
    """
    site = attempt.site
    puzzle = attempt.puzzle
    label = gettext("The position")
    link = None if attempt.is_open else link
    if attempt.right is None or attempt.ply:
        return lay_out_board(attempt.state, None, link, label=label)
    view = evaluate_moves(site, puzzle.position, puzzle.agent)
    if not attempt.is_open:
        view = replace(view, best=[False] * site.game.cells)  # a star is the answer
    return lay_out_board(
        attempt.state,
        view,
        link,
        label=label,
        chosen=puzzle.wrong if attempt.is_open else None,
        notes=_note_answers(attempt),
    )


def _note_answers(attempt: Attempt) -> list[Note]:
    """Return the note on each square: the right moves and the blunder, and what was chosen."""
    puzzle = attempt.puzzle
    signs: dict[int, str] = {}
    words: dict[int | None, list[str]] = {}
    if attempt.is_open:
        signs = dict.fromkeys(puzzle.right, "✓") | {puzzle.wrong: "✗"}
        words = {cell: [gettext("right")] for cell in puzzle.right}
        words[puzzle.wrong] = [gettext("blunder")]
    elif attempt.right is not None:
        signs = {attempt.right: "✓" if attempt.knew_right else "✗"}
    words.setdefault(attempt.right, []).append(gettext("your move"))
    if attempt.is_open:
        words.setdefault(attempt.plays, []).append(gettext("your guess"))
    notes = []
    for cell in range(attempt.site.game.cells):
        label = ", ".join(words.get(cell, []))
        notes.append(Note(f"{signs.get(cell, '')} {label}".strip(), label))
    return notes
