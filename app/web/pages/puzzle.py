"""The puzzles: find what is right in a position, and then the agent's mistake, by its values.

An attempt at a puzzle is a value, and all of it is in the address.  A round is ten puzzles, or the
three of a day."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import ClassVar

from flask import Blueprint, Response, redirect, request
from werkzeug.exceptions import BadRequest, Conflict
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS, MARKS, parse_record
from app.tictactoe.puzzles import LEVELS, ROUND, Puzzle
from app.web import urls
from app.web.facts import list_puzzles
from app.web.formatting import join_words, name_square_briefly
from app.web.match import (
    Match,
    MatchState,
    bad_value,
    check_puzzle,
    read_cell,
    read_value,
    replay_match,
)
from app.web.move_values import Note, describe_outcome, evaluate_moves
from app.web.pages.parts.export import Take, take_puzzle, take_today
from app.web.pictures.boards import Board, board
from app.web.rendering import Page, inside, render_page
from app.web.site_data import HUMAN, SiteData, current_site
from app.web.translation import format_day, gettext, gettext_noop
from app.web.urls import Destination, frame_url

bp = Blueprint("puzzle", __name__)

KNEW_ITS_MOVE, KNEW_RIGHT = 1, 2  # an answer is the sum of what was known, as a digit
WORDS = (
    gettext_noop("neither"),
    gettext_noop("its move"),
    gettext_noop("a right move"),
    gettext_noop("both"),
)  # what an answer means


@dataclass(frozen=True)
class Attempt:
    """A puzzle, and what has been said of it."""

    site: SiteData
    number: int  # of the puzzle, from 1
    day: date | None = None  # whose puzzles make the round, None for a round of ten
    answers: str = ""  # a digit for each puzzle of this round that was answered before
    right: int | None = None  # the cell that was said to be right
    plays: int | None = None  # the cell that the agent was said to play
    ply: int = 0  # how far the punishment has been played

    @cached_property
    def puzzle(self) -> Puzzle:
        """The puzzle itself."""
        return list_puzzles(self.site)[self.number - 1]

    @property
    def is_open(self) -> bool:
        """Whether both questions have been answered, so that the values are shown."""
        return self.plays is not None

    @property
    def left(self) -> int:
        """How many puzzles of the round follow, this one included."""
        return round_length(self.site, self.day) - len(self.answers)

    @property
    def answer(self) -> int:
        """What was known."""
        return KNEW_ITS_MOVE * self.knew_its_move + KNEW_RIGHT * self.knew_right

    @property
    def knew_its_move(self) -> bool:
        """Whether what the agent plays was known."""
        return self.plays == self.puzzle.wrong

    @property
    def knew_right(self) -> bool:
        """Whether a right move was known."""
        return self.right in self.puzzle.right

    @property
    def address(self) -> str:
        """Where this is shown."""
        answered = self.right, self.plays, self.ply
        return inside(urls.puzzle(self.number, self.day, self.answers, *answered))

    @cached_property
    def place(self) -> MatchState:
        """Where the game stands."""
        record = self.puzzle.record + self.puzzle.refutation[: self.ply]
        return replay_match(Match(record, o=HUMAN, lens=self.puzzle.agent), self.site)

    def say(self, cell: int) -> "Attempt":
        """Answer the question that is open with a cell."""
        if self.right is None:
            return replace(self, right=cell)
        return replace(self, plays=cell)

    def at(self, ply: int) -> "Attempt":
        """Return the same with the punishment played so far."""
        return replace(self, ply=ply)

    @property
    def next(self) -> str:
        """The address of the next puzzle, or of the score after the last one of a round."""
        answers = f"{self.answers}{self.answer}"
        if self.left == 1:
            return inside(urls.SCORE.url(self.number, day=self.day, answers=answers))
        if self.day:
            following = daily(self.site, self.day)[len(answers)]
        else:
            following = after(self.site, self.number)
        return inside(urls.puzzle(following, self.day, answers))


def after(site: SiteData, number: int) -> int:
    """Return the number of the puzzle that follows; after the last comes the first."""
    return number % len(list_puzzles(site)) + 1


def daily(site: SiteData, day: date) -> list[int]:
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


def round_length(site: SiteData, day: date | None) -> int:
    """Return how many puzzles a round has: that of a day, or any other."""
    return len(daily(site, day)) if day else ROUND


def parse(number: int, query: Mapping[str, str], site: SiteData) -> Attempt:
    """Read an attempt from the parts of an address.

    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    check_puzzle(number, site)
    day = parse_day(query.get("day", ""))
    answers = parse_answers(query.get("answers", ""), range(round_length(site, day)))
    if day and daily(site, day)[len(answers)] != number:
        words = gettext_noop("Puzzle %(number)s is not puzzle %(place)s of %(day)s.")
        raise BadRequest(gettext(words, number=number, place=len(answers) + 1, day=day))
    attempt = Attempt(site, number, day, answers)
    for name in ("right", "plays"):
        text = query.get(name, "")
        if text:
            if name == "plays" and attempt.right is None:
                words = gettext_noop(
                    "plays needs right, the answer before it, in the same URL."
                )
                raise BadRequest(gettext(words))
            attempt = attempt.say(_cell(attempt, name, text))
    text = query.get("ply", "")
    if not text:
        return attempt
    ply, plies = read_value("ply", text), len(attempt.puzzle.refutation)
    if not attempt.is_open:
        words = gettext_noop(
            "ply needs right and plays, the two answers, in the same URL."
        )
        raise BadRequest(gettext(words))
    if ply > plies:
        raise BadRequest(gettext("ply is 0 to %(plies)s in this puzzle.", plies=plies))
    return attempt.at(ply)


def parse_day(text: str) -> date | None:
    """Read a day; an empty text is none.

    Raises BadRequest with a sentence if there is no such day.
    """
    if not text:
        return None
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise bad_value("day", text, gettext("a date like 2026-01-31"))


def parse_answers(text: str, lengths: range) -> str:
    """Read the answers of a round.

    Raises BadRequest with a sentence if they are none, or not as many as can be here.
    """
    if len(text) not in lengths or set(text) - set(DIGITS[: len(WORDS)]):
        many = str(lengths[0])
        if len(lengths) > 1:
            many = gettext("%(least)s to %(most)s", least=lengths[0], most=lengths[-1])
        words = gettext_noop(
            "%(many)s digits, 0 to %(most)s, one for each puzzle of the round before"
        )
        raise bad_value("answers", text, gettext(words, many=many, most=len(WORDS) - 1))
    return text


def _cell(attempt: Attempt, name: str, text: str) -> int:
    game = attempt.site.game
    cell = read_cell(name, text, game)
    if not game.legal[attempt.puzzle.position, cell]:
        words = gettext_noop("The %(square)s square is taken: that move is illegal.")
        raise Conflict(gettext(words, square=name_square_briefly(game, cell)))
    return cell


LEVEL_NAMES = (gettext_noop("easy"), gettext_noop("medium"), gettext_noop("hard"))
SQUARES = ("⬜", "🟨", "🟨", "🟩")  # an answer, to be passed on


class PuzzlePage(Page, frozen=True):
    """A puzzle, and how far an attempt at it has come."""

    template: ClassVar = "puzzle/puzzle.html"
    fragment: ClassVar = ("puzzle",)

    attempt: Attempt

    @property
    def _game(self) -> Game:
        return self.attempt.site.game

    # The puzzle.

    @property
    def level(self) -> str:
        """How hard it is."""
        return gettext(LEVEL_NAMES[self.attempt.puzzle.level])

    @property
    def wrong(self) -> str:
        """The square that the agent plays."""
        return name_square_briefly(self._game, self.attempt.puzzle.wrong)

    @property
    def rights(self) -> str:
        """The squares that keep what the position is worth."""
        cells = self.attempt.puzzle.right
        return join_words(
            [name_square_briefly(self._game, cell) for cell in cells], "or"
        )

    @property
    def value(self) -> str:
        """What the agent expects of its move."""
        puzzle = self.attempt.puzzle
        values = evaluate_moves(self.attempt.site, puzzle.position, puzzle.agent)
        return values.texts[puzzle.wrong]

    @property
    def why(self) -> str:
        """The address that explains that value."""
        puzzle = self.attempt.puzzle
        return urls.why(Match(puzzle.record, o=HUMAN, lens=puzzle.agent), puzzle.wrong)

    @property
    def preview(self) -> str:
        """The address of its picture, which gives nothing away."""
        match = Match(self.attempt.puzzle.record, o=HUMAN, hide=True)
        return urls.MATCH_PREVIEW.url_for_match(match)

    @property
    def take(self) -> Take:
        """How it is exported."""
        return take_puzzle(self.attempt.site, self.attempt.number)

    # The attempt.

    @property
    def board(self) -> Board:
        """The position, as far as the attempt has come."""
        return _board(self.attempt)

    @property
    def ends(self) -> str:
        """How the game ends after the move that was said to be right, "" before."""
        if self.attempt.right is None:
            return ""
        site, position = self.attempt.site, self.attempt.puzzle.position
        return describe_outcome(site, position, self.attempt.right)

    @property
    def moves(self) -> list[Destination]:
        """What happens after the blunder, ply by ply."""
        puzzle = self.attempt.puzzle
        mover = int(self._game.to_move[puzzle.position])
        sides = {0: MARKS[-mover], 1: MARKS[mover]}
        return [
            Destination(
                name_square_briefly(self._game, cell),
                self.attempt.at(ply).address,
                sides[ply % 2],
            )
            for ply, cell in enumerate(parse_record(self._game, puzzle.refutation), 1)
        ]

    # Its round.

    @property
    def day(self) -> str:
        """The day that the puzzles of the round are of, "" of a round of ten."""
        return format_day(self.attempt.day) if self.attempt.day else ""

    @property
    def round(self) -> list[str]:
        """What was known of the puzzles before, in words."""
        return [WORDS[int(digit)] for digit in self.attempt.answers]


class PuzzlesPage(Page, frozen=True):
    """All puzzles, by agent and level."""

    template: ClassVar = "puzzle/puzzles.html"

    total: int
    take: Take  # of the day's
    rounds: list[tuple[int, int]]  # the first number of each, and the last
    agents: dict[str, dict[str, list[int]]]  # by title and level: the numbers


class ScorePage(Page, frozen=True):
    """What a round came to."""

    template: ClassVar = "puzzle/score.html"

    here: str
    round: list[str]  # what was known of each puzzle, in words
    solved: int  # of how many both was
    day: str  # whose puzzles they were, as in an address, "" of a round of ten
    shared: str  # what the round of a day came to, as a text to pass on
    more: str  # the address of the next round
    again: str  # of the same


@bp.get(urls.PUZZLES)
def puzzles() -> Response:
    """Show which puzzles there are."""
    site, total = current_site(), len(list_puzzles(current_site()))
    agents: dict[str, dict[str, list[int]]] = {
        site.titles[name]: {} for name in site.agents
    }
    for number, each in sorted(
        enumerate(list_puzzles(site), 1), key=lambda one: one[1].level
    ):
        level = gettext(LEVEL_NAMES[each.level])
        agents[site.titles[each.agent]].setdefault(level, []).append(number)
    rounds = [
        (first, min(first + ROUND - 1, total)) for first in range(1, total + 1, ROUND)
    ]
    return render_page(PuzzlesPage(total, take_today(), rounds, agents))


@bp.get(urls.PUZZLE_TODAY)
@bp.get(frame_url(urls.PUZZLE_TODAY), endpoint="framed_today")
def today() -> AnyResponse:
    """Lead to the day's puzzles, the same for all; the day begins at midnight, UTC."""
    now = datetime.now(UTC)
    numbers = daily(current_site(), now.date())
    check_puzzle(numbers[0] if numbers else 1, current_site())
    address = urls.puzzle(numbers[0], now.date())
    response = redirect(inside(address))
    midnight = datetime.combine(now.date() + timedelta(1), time(), UTC)
    seconds = int((midnight - now).total_seconds())
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    return response


@bp.get(urls.PUZZLE)
@bp.get(frame_url(urls.PUZZLE), endpoint="framed")
def puzzle(number: int) -> Response:
    """Show a puzzle."""
    return render_page(PuzzlePage(parse(number, request.args, current_site())))


@bp.get(urls.SCORE)
@bp.get(frame_url(urls.SCORE), endpoint="framed_score")
def score(number: int) -> Response:
    """Show what the round came to that a puzzle ends."""
    site = current_site()
    check_puzzle(number, site)
    day = parse_day(request.args.get("day", ""))
    length = round_length(site, day)
    answers = parse_answers(request.args.get("answers", ""), range(length, length + 1))
    known = [int(digit) for digit in answers]
    first = (
        daily(site, day)[0] if day else (number - ROUND) % len(list_puzzles(site)) + 1
    )
    squares = "".join(SQUARES[answer] for answer in known)
    page = ScorePage(
        here=urls.SCORE.url(number, day=day, answers=answers),
        round=[WORDS[answer] for answer in known],
        solved=known.count(KNEW_ITS_MOVE + KNEW_RIGHT),
        day=str(day or ""),
        shared=gettext(
            "Find its mistake, %(day)s %(squares)s", day=day, squares=squares
        ),
        more=inside(urls.puzzle(1 if day else after(site, number))),
        again=inside(urls.puzzle(first, day)),
    )
    return render_page(page)


def _board(attempt: Attempt) -> Board:
    """Lay out the position: to be answered on, then with its values, then played on."""
    site, each, state = attempt.site, attempt.puzzle, attempt.place
    label = gettext("The position")
    link = None if attempt.is_open else lambda cell: attempt.say(cell).address
    if attempt.right is None or attempt.ply:
        return board(state, None, link, label=label)
    view = evaluate_moves(site, each.position, each.agent)
    words: dict[int | None, list[str]] = {}
    if not attempt.is_open:
        # Whether it is starred, too, would say which it plays.
        view = replace(view, best=[False] * site.game.cells)
        words[attempt.right] = [
            f"{'✓' if attempt.knew_right else '✗'} {gettext('your move')}"
        ]
    else:
        words |= {cell: [f"✓ {gettext('right')}"] for cell in each.right}
        words[each.wrong] = [f"✗ {gettext('blunder')}"]
        words.setdefault(attempt.right, []).append(gettext("your move"))
        words.setdefault(attempt.plays, []).append(gettext("your guess"))
    texts = [", ".join(words.get(cell, [])) for cell in range(site.game.cells)]
    return board(
        state,
        view,
        link,
        label=label,
        chosen=each.wrong if attempt.is_open else None,
        notes=[Note(text, text.strip("✗✓ ")) for text in texts],
    )
