"""The lesson: five stops of some four minutes, each with an address of its own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, NotFound

from app.tictactoe.notation import MARKS, parse_record
from app.tictactoe.puzzles import Puzzle
from app.web import urls
from app.web.algorithms.targets import ValueQuery
from app.web.facts import judge_policy, list_puzzles
from app.web.formatting import format_count, format_signed, name_square_briefly
from app.web.match import Match, next_step, read_cell, read_step, replay_match
from app.web.move_values import NOTHING, Note, evaluate_moves
from app.web.pages.parts.attempt import Attempt, lay_out_attempt, read_choices
from app.web.pages.parts.export import Take, take_stop
from app.web.pages.parts.learning import Film, film_of, film_of_mind
from app.web.pages.parts.update import NextUpdate, draw_next_update
from app.web.pictures.boards import Board, board
from app.web.pictures.minds import MindPicture, picture
from app.web.rendering import Page, inside, render_page
from app.web.site_data import HUMAN, SiteData, current_site
from app.web.translation import gettext
from app.web.urls import frame_url
from app.web.wording import LESSON_STEPS, LessonStep

bp = Blueprint("lesson", __name__)

# X threatens a line that only one square blocks; this agent ends by playing there, and is sure.
AGENT, RECORD = "q-table", "024"
BLUNDERER = "q-learning-1"  # it learned from random moves, and trusts in them
UNBEATABLE = "champion"


class Illustration(NamedTuple):
    """What stands beside the text of a stop."""

    name: str  # of the agent that it is about
    facts: Mapping[str, str] = MappingProxyType(
        {}
    )  # numbers and names that only this text needs
    film: Film | None = None
    step: int = 0  # the frame that is shown of the film, or of the mind
    mind: MindPicture | None = None
    board: Board | None = None
    attempt: Attempt | None = None  # the answers on the board
    update: NextUpdate | None = None  # of the value on the board
    puzzle: int = 0  # whose position it is
    why: str = ""  # where all of the value is explained


class LessonPage(Page, frozen=True):
    """A stop of the lesson."""

    template: ClassVar = "lesson/lesson.html"

    site: SiteData
    stops: list[LessonStep]
    number: int  # of this one, from 0
    illustration: Illustration
    next_step: str  # the address of the next frame of the film
    finish: str  # where the last one leads
    take: Take


def filmed(site: SiteData) -> str:
    """Return whose film of RECORD is shown: of AGENT, if it is there."""
    return AGENT if AGENT in site.agents else next(iter(site.agents))


# The only parts of /how that may stand in a frame.
STOP = urls.HOW_PART.change(
    urls.HOW_PART.replace(
        "slug", f"any({', '.join(stop.slug for stop in LESSON_STEPS)}):slug"
    )
)


@bp.get(STOP)
@bp.get(frame_url(STOP), endpoint="framed")
def lesson(slug: str) -> Response:
    """Show a stop."""
    number = [stop.slug for stop in LESSON_STEPS].index(slug)
    illustration = SHOWN[slug](current_site(), request.args.get("step", ""))
    following = illustration.film and next_step(
        illustration.step, illustration.film.last
    )
    page = LessonPage(
        site=current_site(),
        stops=LESSON_STEPS,
        number=number,
        illustration=illustration,
        next_step=inside(urls.how(slug, step=following)),
        finish=urls.play_against(_unbeatable(current_site())),
        take=take_stop(LESSON_STEPS[number]),
    )
    return render_page(page)


def _untrained(site: SiteData, step: str) -> Illustration:
    """Show the film's position before the first game."""
    name, game = filmed(site), site.game
    state = replay_match(Match(RECORD), site)
    right, legal = site.right[state.position], game.legal[state.position]
    mover = int(game.to_move[state.position])
    return Illustration(
        name,
        facts={
            "mover": MARKS[mover],
            "other": MARKS[-mover],
            "right": name_square_briefly(game, int(right.argmax())),
            "free": format_count(int(legal.sum())),
            "losing": format_count(int((legal & ~right).sum())),
        },
        film=film_of(site, name, RECORD),
        step=read_step(name, step, 0, site),
    )


def _learning(site: SiteData, step: str) -> Illustration:
    """Show the mind that fills."""
    name = filmed(site)
    return _mind(site, name, read_step(name, step, 0, site))


def _unbeaten(site: SiteData, step: str) -> Illustration:
    """Show the mind of an agent that cannot be beaten."""
    name = _unbeatable(site)
    return _mind(site, name, read_step(name, step, site.last_step(name), site))


def _mind(site: SiteData, name: str, step: int) -> Illustration:
    mind = picture(site, name, step, moving=True)
    return Illustration(name, film=film_of_mind(site, name), step=step, mind=mind)


def _blunder(site: SiteData, _: str) -> Illustration:
    """Show a position before a blunder, whose two questions are answered on its board."""
    number, puzzle = misled(site)
    attempt = read_choices(Attempt(site, number), request.args)

    def answer(cell: int) -> str:
        chosen = attempt.choose(cell)
        return inside(urls.how("blunder", right=chosen.right, plays=chosen.plays))

    return Illustration(
        puzzle.agent,
        board=lay_out_attempt(attempt, answer),
        attempt=attempt,
        puzzle=number,
    )


def _why(site: SiteData, _: str) -> Illustration:
    """Show the update of the value that misled it."""
    number, puzzle = misled(site)
    pair = ValueQuery(site, puzzle.agent, puzzle.position, puzzle.wrong)
    match = Match(puzzle.record, o=HUMAN, lens=puzzle.agent)
    notes = [NOTHING] * site.game.cells
    notes[puzzle.wrong] = Note(gettext("blunder"), gettext("blunder"))
    return Illustration(
        puzzle.agent,
        facts={
            "value": format_signed(pair.value),
            "exact": format_signed(pair.exact_in_task or 0),
            "place": name_square_briefly(site.game, puzzle.wrong),
            "answer": name_square_briefly(
                site.game, parse_record(site.game, puzzle.refutation)[1]
            ),
            "answers": format_count(int(site.game.legal[pair.after].sum())),
        },
        board=board(
            replay_match(match, site),
            evaluate_moves(site, puzzle.position, puzzle.agent),
            lambda cell: urls.why(match, cell),
            label=gettext("The position and its Q-values"),
            chosen=puzzle.wrong,
            notes=notes,
        ),
        update=_next_update(pair, request.args.get("answer", "")),
        puzzle=number,
        why=urls.why(match, puzzle.wrong),
    )


def _next_update(pair: ValueQuery, answer: str) -> NextUpdate | None:
    """Return the next update of a value after one of the opponent's answers.

    Raises BadRequest with a sentence if the answer is impossible.
    """
    cell = read_cell("answer", answer, pair.game) if answer else None
    try:
        return draw_next_update(pair, cell, _url_of_answer)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _url_of_answer(answer: int) -> str:
    return inside(urls.how("why", answer=answer))


SHOWN = {
    "untrained": _untrained,
    "learning": _learning,
    "blunder": _blunder,
    "why": _why,
    "unbeatable": _unbeaten,
}


def misled(site: SiteData) -> tuple[int, Puzzle]:
    """Return the puzzle, with its number, in which learning its task misled an agent most.

    Its blunder loses, and yet is the best move against random moves, which is what it was asked to
    learn; of those the one that it expects most of, and of BLUNDERER if that is possible.
    Raises NotFound with a sentence if there is none.
    """
    candidates = [
        (number, puzzle)
        for number, puzzle in enumerate(list_puzzles(site), 1)
        if puzzle.after < 0 and _is_best_against_random(site, puzzle)
    ]
    own = [each for each in candidates if each[1].agent == BLUNDERER]
    if not candidates:
        raise NotFound(
            gettext(
                "No agent here makes such a mistake every time: this step of the lesson has "
                "nothing to show."
            )
        )

    def expects(each: tuple[int, Puzzle]) -> float:
        puzzle = each[1]
        return float(
            evaluate_moves(site, puzzle.position, puzzle.agent).scaled[puzzle.wrong]
        )

    return max(own or candidates, key=expects)


def _is_best_against_random(site: SiteData, puzzle: Puzzle) -> bool:
    task, exact = site.task(puzzle.agent), site.task_q(puzzle.agent)
    if task is None or exact is None or task.opponent != "random":
        return False
    return bool(np.nanargmax(exact[puzzle.position]) == puzzle.wrong)


def _unbeatable(site: SiteData) -> str:
    """Return whom the last stop is about: UNBEATABLE, or who else cannot be beaten.

    Raises NotFound with a sentence if all can.
    """
    for name in (UNBEATABLE, *site.agents):
        if name in site.agents and all(judge_policy(site, name).unbeatable.values()):
            return name
    raise NotFound(
        gettext(
            "Every agent here can be beaten: this step of the lesson has nothing to show."
        )
    )
