"""The puzzles: find the right move in a position, then the agent's blunder."""

from datetime import UTC, datetime, time, timedelta
from typing import ClassVar

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.notation import MARKS, parse_record
from app.tictactoe.puzzles import ROUND_LENGTH
from app.web.facts import check_puzzle, list_puzzles
from app.web.formatting import name_square
from app.web.links.play import MATCH_PREVIEW, match_url
from app.web.links.puzzle import PUZZLE, PUZZLE_TODAY, PUZZLES, SCORE, puzzle_url
from app.web.links.why import why_url
from app.web.match import Match
from app.web.navigation import PageBlueprint
from app.web.pages.parts.attempt import (
    ANSWER_WORDS,
    KNEW_CORRECT_DIGIT,
    KNEW_MOVE_DIGIT,
    Attempt,
    count_round_puzzles,
    get_next_number,
    lay_out_attempt,
    list_daily_puzzles,
    parse_answers,
    parse_attempt,
    parse_day,
)
from app.web.pages.parts.export import Export, export_daily_puzzles, export_puzzle
from app.web.pictures.boards import BoardPicture
from app.web.rendering import Page, get_url_in_frame, render_page
from app.web.routes import Destination, Route
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import format_day, gettext, gettext_noop

bp = PageBlueprint("puzzle", __name__)
bp.add_room("Puzzles", "today", gettext_noop("Today"), lambda: _if_any(PUZZLE_TODAY))
bp.add_room("Puzzles", "puzzles", gettext_noop("All puzzles"), lambda: _if_any(PUZZLES))


def _if_any(route: Route) -> str:
    """Return the URL of a page, "" if the agents of the site make no puzzles."""
    return route.url() if list_puzzles(get_current_site()) else ""


LEVEL_NAMES = (gettext_noop("easy"), gettext_noop("medium"), gettext_noop("hard"))
# by the digit of an answer, in the text to share
ANSWER_EMOJI = ("⬜", "🟨", "🟨", "🟩")


class PuzzlePage(Page, frozen=True):
    """The page of a puzzle with the visitor's answers so far."""

    template: ClassVar = "puzzle/puzzle.html"
    fragment: ClassVar = ("puzzle",)

    attempt: Attempt

    @property
    def level_name(self) -> str:
        """The difficulty of the puzzle."""
        return gettext(LEVEL_NAMES[self.attempt.puzzle.level])

    @property
    def why_url(self) -> str:
        """The URL that explains the agent's value of its move."""
        puzzle = self.attempt.puzzle
        return why_url(
            Match(puzzle.record, o=HUMAN, value_source=puzzle.agent_id),
            puzzle.blunder_cell,
        )

    @property
    def preview_url(self) -> str:
        """The URL of the preview picture, which does not show the solution."""
        match = Match(self.attempt.puzzle.record, o=HUMAN, hides_values=True)
        return match_url(MATCH_PREVIEW, match)

    @property
    def puzzle_count(self) -> int:
        """The number of all puzzles."""
        return len(list_puzzles(self.attempt.site))

    @property
    def export(self) -> Export:
        """The ways to export the puzzle."""
        return export_puzzle(self.attempt.site, self.attempt.puzzle_number)

    @property
    def board(self) -> BoardPicture:
        """The board, where each square is a possible answer."""
        return lay_out_attempt(
            self.attempt,
            lambda cell: (
                self.attempt.choose_cell(cell).url
                if self.attempt.offers_cell(cell)
                else ""
            ),
        )

    @property
    def refutation_links(self) -> list[Destination]:
        """Links to the positions from the blunder to the end of the game."""
        game = self.attempt.site.game
        puzzle = self.attempt.puzzle
        mover = int(game.to_move[puzzle.position])
        sides = {0: MARKS[-mover], 1: MARKS[mover]}
        return [
            Destination(
                name_square(cell),
                self.attempt.show_ply(ply).url,
                sides[ply % 2],
            )
            for ply, cell in enumerate(parse_record(game, puzzle.refutation), 1)
        ]

    @property
    def day_in_url(self) -> str:
        """The day of the round, "" for a round of ten."""
        return format_day(self.attempt.day) if self.attempt.day else ""

    @property
    def round_answers(self) -> list[str]:
        """The result of each earlier puzzle of the round, in words."""
        return [ANSWER_WORDS[int(digit)] for digit in self.attempt.answer_digits]


class PuzzlesPage(Page, frozen=True):
    """The list of all puzzles."""

    template: ClassVar = "puzzle/puzzles.html"

    site: SiteData

    @property
    def puzzle_count(self) -> int:
        return len(list_puzzles(self.site))

    @property
    def export(self) -> Export:
        """The ways to export the puzzles of the day."""
        return export_daily_puzzles()

    @property
    def round_ranges(self) -> list[tuple[int, int]]:
        """The first and the last number of each round of ten."""
        return [
            (first, min(first + ROUND_LENGTH - 1, self.puzzle_count))
            for first in range(1, self.puzzle_count + 1, ROUND_LENGTH)
        ]

    @property
    def puzzles_by_agent(self) -> dict[str, dict[str, list[int]]]:
        """The numbers of the puzzles by the title of their agent and by level."""
        numbers_by_agent: dict[str, dict[str, list[int]]] = {
            self.site.display_titles[name]: {} for name in self.site.agents
        }
        numbered = enumerate(list_puzzles(self.site), 1)
        for number, puzzle in sorted(numbered, key=lambda one: one[1].level):
            level = gettext(LEVEL_NAMES[puzzle.level])
            by_level = numbers_by_agent[self.site.display_titles[puzzle.agent_id]]
            by_level.setdefault(level, []).append(number)
        return numbers_by_agent


class ScorePage(Page, frozen=True):
    """The score of a finished round."""

    template: ClassVar = "puzzle/score.html"

    site: SiteData
    last_puzzle_number: int  # number of the last puzzle
    day_in_url: str  # day of the round as in URLs; "" for a round of ten
    answer_digits: str

    @property
    def page_url(self) -> str:
        return SCORE.url(
            self.last_puzzle_number, day=self.day_in_url, answers=self.answer_digits
        )

    @property
    def round_answers(self) -> list[str]:
        """The answer to each puzzle, in words."""
        return [ANSWER_WORDS[int(digit)] for digit in self.answer_digits]

    @property
    def solved_count(self) -> int:
        """The number of puzzles with both answers right."""
        return self.answer_digits.count(str(KNEW_MOVE_DIGIT + KNEW_CORRECT_DIGIT))

    @property
    def share_text(self) -> str:
        """The result as a challenge for a friend."""
        squares = "".join(ANSWER_EMOJI[int(digit)] for digit in self.answer_digits)
        return gettext(
            "I solved %(solved)s of %(total)s puzzles %(squares)s Can you do better?",
            solved=self.solved_count,
            total=len(self.answer_digits),
            squares=squares,
        )

    @property
    def next_round_url(self) -> str:
        """The URL of the next round of ten."""
        return get_url_in_frame(
            puzzle_url(
                1
                if self.day_in_url
                else get_next_number(self.site, self.last_puzzle_number)
            )
        )

    @property
    def first_puzzle_url(self) -> str:
        """The URL of the first puzzle of this round."""
        day = parse_day(self.day_in_url)
        if day:
            first = list_daily_puzzles(self.site, day)[0]
        else:
            first = (self.last_puzzle_number - ROUND_LENGTH) % len(
                list_puzzles(self.site)
            ) + 1
        return get_url_in_frame(puzzle_url(first, day))


@bp.get(PUZZLES)
def show_puzzles() -> Response:
    """Return the list of all puzzles."""
    return render_page(PuzzlesPage(get_current_site()))


@bp.get(PUZZLE_TODAY)
@bp.get(PUZZLE_TODAY.framed, endpoint="framed_today")
def redirect_to_today() -> AnyResponse:
    """Redirect to the first puzzle of the day, which begins at midnight UTC for all visitors."""
    now = datetime.now(UTC)
    numbers = list_daily_puzzles(get_current_site(), now.date())
    check_puzzle(numbers[0] if numbers else 1, get_current_site())
    address = puzzle_url(numbers[0], now.date())
    response = redirect(get_url_in_frame(address))
    midnight = datetime.combine(now.date() + timedelta(1), time(), UTC)
    seconds = int((midnight - now).total_seconds())
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    return response


@bp.get(PUZZLE)
@bp.get(PUZZLE.framed, endpoint="framed")
def show_puzzle(number: int) -> Response:
    """Return a puzzle."""
    return render_page(
        PuzzlePage(parse_attempt(number, request.args, get_current_site()))
    )


@bp.get(SCORE)
@bp.get(SCORE.framed, endpoint="framed_score")
def show_score(number: int) -> Response:
    """Return the score of the round that ends with a puzzle."""
    site = get_current_site()
    check_puzzle(number, site)
    day = parse_day(request.args.get("day", ""))
    length = count_round_puzzles(site, day)
    answers = parse_answers(request.args.get("answers", ""), range(length, length + 1))
    return render_page(ScorePage(site, number, str(day or ""), answers))
