"""The lesson: five stops of some four minutes, each with an address of its own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from app.tictactoe.notation import MARKS, parse_record
from app.tictactoe.puzzles import Puzzle
from app.web import addresses
from app.web.algorithms import rule_of
from app.web.algorithms.targets import Pair
from app.web.language import gettext
from app.web.lens import NOTHING, Note, opinion
from app.web.match import Match, place_of, read_step, step_after
from app.web.numbers import count, short_name, signed
from app.web.pages.parts.export import Take, take_stop
from app.web.pages.parts.learning import Film, film_of, film_of_mind
from app.web.pictures.boards import Board, board
from app.web.pictures.minds import MindPicture, picture
from app.web.respond import Page, inside, respond
from app.web.text import STOPS, Stop
from app.web.world import HUMAN, World, world

bp = Blueprint("lesson", __name__)

# X threatens a line that only one square blocks; this agent ends by playing there, and is sure.
AGENT, RECORD = "q-table", "024"
BLUNDERER = "q-learning-1"  # it learned from random moves, and trusts in them
UNBEATABLE = "champion"


class Illustration(NamedTuple):
    """What stands beside the text of a stop."""

    name: str  # of the agent that it is about
    facts: Mapping[str, str] = MappingProxyType({})  # numbers and names that only this text needs
    film: Film | None = None
    step: int = 0  # the frame that is shown of the film, or of the mind
    mind: MindPicture | None = None
    board: Board | None = None
    sentences: tuple[str, ...] = ()  # how the value on the board was updated
    equations: tuple[str, ...] = ()  # formulas
    puzzle: int = 0  # whose position it is
    why: str = ""  # where all of the value is explained


class LessonPage(Page, frozen=True):
    """A stop of the lesson."""

    template: ClassVar = "lesson/lesson.html"

    world: World
    stops: list[Stop]
    number: int  # of this one, from 0
    illustration: Illustration
    next_step: str  # the address of the next frame of the film
    finish: str  # where the last one leads
    take: Take


def filmed(world: World) -> str:
    """Return whose film of RECORD is shown: of AGENT, if it is there."""
    return AGENT if AGENT in world.agents else next(iter(world.agents))


# The only parts of /how that may stand in a frame.
STOP = addresses.HOW_PART.change(
    addresses.HOW_PART.replace("slug", f"any({', '.join(stop.slug for stop in STOPS)}):slug")
)


@bp.get(STOP)
@bp.get(addresses.framed(STOP), endpoint="framed")
def lesson(slug: str) -> Response:
    """Show a stop."""
    number = [stop.slug for stop in STOPS].index(slug)
    illustration = SHOWN[slug](world(), request.args.get("step", ""))
    following = illustration.film and step_after(illustration.step, illustration.film.last)
    page = LessonPage(
        world=world(),
        stops=STOPS,
        number=number,
        illustration=illustration,
        next_step=inside(addresses.how(slug, step=following)),
        finish=addresses.play_against(_unbeatable(world())),
        take=take_stop(STOPS[number]),
    )
    return respond(page)


def _untrained(world: World, step: str) -> Illustration:
    """Show the film's position before the first game."""
    name, game = filmed(world), world.game
    place = place_of(Match(RECORD), world)
    right, legal = world.right[place.position], game.legal[place.position]
    mover = int(game.to_move[place.position])
    return Illustration(
        name,
        facts={
            "mover": MARKS[mover],
            "other": MARKS[-mover],
            "right": short_name(game, int(right.argmax())),
            "free": count(int(legal.sum())),
            "losing": count(int((legal & ~right).sum())),
        },
        film=film_of(world, name, RECORD),
        step=read_step(name, step, 0, world),
    )


def _learning(world: World, step: str) -> Illustration:
    """Show the mind that fills."""
    name = filmed(world)
    return _mind(world, name, read_step(name, step, 0, world))


def _unbeaten(world: World, step: str) -> Illustration:
    """Show the mind of an agent that cannot be beaten."""
    name = _unbeatable(world)
    return _mind(world, name, read_step(name, step, world.last_step(name), world))


def _mind(world: World, name: str, step: int) -> Illustration:
    mind = picture(world, name, step, moving=True)
    return Illustration(name, film=film_of_mind(world, name), step=step, mind=mind)


def _blunder(world: World, _: str) -> Illustration:
    """Show a position before a blunder, to be answered."""
    number, puzzle = misled(world)
    place = place_of(Match(puzzle.record), world)
    return Illustration(
        puzzle.agent,
        facts={"mover": MARKS[int(world.game.to_move[puzzle.position])]},
        board=board(
            place,
            None,
            lambda cell: inside(addresses.puzzle(number, right=cell)),
            label=gettext("The position: which square is right?"),
        ),
        puzzle=number,
    )


def _why(world: World, _: str) -> Illustration:
    """Show the update of the value that misled it."""
    number, puzzle = misled(world)
    pair = Pair(world, puzzle.agent, puzzle.position, puzzle.wrong)
    rule = rule_of(pair)
    reason = rule.reason(pair)
    match = Match(puzzle.record, o=HUMAN, lens=puzzle.agent)
    notes = [NOTHING] * world.game.cells
    notes[puzzle.wrong] = Note(gettext("blunder"), gettext("blunder"))
    return Illustration(
        puzzle.agent,
        facts={
            "value": signed(pair.value),
            "exact": signed(pair.exact_in_task or 0),
            "place": short_name(world.game, puzzle.wrong),
            "answer": short_name(world.game, parse_record(world.game, puzzle.refutation)[1]),
            "answers": count(int(world.game.legal[pair.after].sum())),
        },
        board=board(
            place_of(match, world),
            opinion(world, puzzle.position, puzzle.agent),
            lambda cell: addresses.why(match, cell),
            label=gettext("The position and its Q-values"),
            chosen=puzzle.wrong,
            notes=notes,
        ),
        sentences=tuple(rule.sentences(pair, reason)),
        equations=tuple(rule.equations(pair, reason)),
        puzzle=number,
        why=addresses.why(match, puzzle.wrong),
    )


SHOWN = {
    "untrained": _untrained,
    "learning": _learning,
    "blunder": _blunder,
    "why": _why,
    "unbeatable": _unbeaten,
}


def misled(world: World) -> tuple[int, Puzzle]:
    """Return the puzzle, with its number, in which learning its task misled an agent most.

    Its blunder loses, and yet is the best move against random moves, which is what it was asked to
    learn; of those the one that it expects most of, and of BLUNDERER if that is possible.
    Raises NotFound with a sentence if there is none.
    """
    candidates = [
        (number, puzzle)
        for number, puzzle in enumerate(world.puzzles, 1)
        if puzzle.after < 0 and _is_best_against_random(world, puzzle)
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
        return float(opinion(world, puzzle.position, puzzle.agent).scaled[puzzle.wrong])

    return max(own or candidates, key=expects)


def _is_best_against_random(world: World, puzzle: Puzzle) -> bool:
    task, exact = world.task(puzzle.agent), world.task_q(puzzle.agent)
    if task is None or exact is None or task.opponent != "random":
        return False
    return bool(np.nanargmax(exact[puzzle.position]) == puzzle.wrong)


def _unbeatable(world: World) -> str:
    """Return whom the last stop is about: UNBEATABLE, or who else cannot be beaten.

    Raises NotFound with a sentence if all can.
    """
    for name in (UNBEATABLE, *world.agents):
        if name in world.agents and all(world.judgement(name).unbeatable.values()):
            return name
    raise NotFound(
        gettext("Every agent here can be beaten: this step of the lesson has nothing to show.")
    )
