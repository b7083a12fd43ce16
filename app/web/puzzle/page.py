"""The puzzle pages: all of them, one, and what a round came to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request

from app.tictactoe.notation import MARKS
from app.tictactoe.puzzles import LEVELS, ROUND
from app.web import addresses
from app.web.board_view import Board, board
from app.web.lens import NOTHING, Note, opinion
from app.web.match import Match
from app.web.numbers import signed
from app.web.puzzle.attempt import (
    KNEW_ITS_MOVE,
    KNEW_RIGHT,
    WORDS,
    Attempt,
    after,
    check_number,
    parse,
    parse_answers,
)
from app.web.respond import Page, respond
from app.web.words import listed, short_name
from app.web.world import HUMAN, World, world

bp = Blueprint("puzzle", __name__)
WORTH = {1: "won", 0: "drawn", -1: "lost"}
BLUNDER, RIGHT = "✗ blunder", "✓ right"
SCORED = range(ROUND, ROUND + 1)


class Move(NamedTuple):
    """One ply of what happens after the blunder."""

    ply: int
    mark: str
    place: str
    href: str


class Opened(NamedTuple):
    """What is told once both questions are answered."""

    value: str  # what the agent expects of its move
    truth: str  # what that is really, "lost" or "drawn"
    rights: str  # the squares that keep what the position is worth
    knew_its_move: bool
    knew_right: bool
    moves: list[Move]
    values: str  # the address of the board with its values
    why: str  # the address that explains the value of the blunder
    next: str


@dataclass(frozen=True)
class PuzzlePage(Page):
    """A puzzle, and how far somebody has come with it."""

    template: ClassVar = "puzzle.html"
    fragment: ClassVar = "_puzzle.html"

    number: int
    total: int
    index: str  # the address of all puzzles
    level: str
    agent: str  # its title
    agent_href: str
    mover: str
    before: str  # "won" or "drawn": what the position is worth to the mover
    wrong: str  # the square that the agent plays
    board: Board
    asked: str  # "plays", "right", or "" once it is open
    opened: Opened | None
    ply: int
    round: list[str]  # what was known of the puzzles before, in words
    left: int  # puzzles of the round that follow, this one included
    preview: str  # the address of its picture, which gives nothing away


@dataclass(frozen=True)
class PuzzlesPage(Page):
    """All puzzles, by agent and level."""

    template: ClassVar = "puzzles.html"

    total: int
    rounds: list[tuple[int, int]]  # the first number of each, and the last
    agents: dict[str, dict[str, list[int]]]  # by title and level: the numbers


@dataclass(frozen=True)
class ScorePage(Page):
    """What a round came to."""

    template: ClassVar = "score.html"

    round: list[str]  # what was known of each puzzle, in words
    knew_its_move: int
    knew_right: int
    more: str  # the address of the next round
    again: str  # of the same
    index: str


@bp.get(addresses.PUZZLES)
def puzzles() -> Response:
    """Show which puzzles there are."""
    return respond(puzzles_page(world()))


@bp.get(f"{addresses.PUZZLES}/<int:number>")
def puzzle(number: int) -> Response:
    """Show a puzzle."""
    return respond(puzzle_page(parse(number, request.args, world())))


@bp.get(f"{addresses.PUZZLES}/<int:number>/score")
def score(number: int) -> Response:
    """Show what the round came to that a puzzle ends."""
    check_number(number, world())
    answers = parse_answers(request.args.get("answers", ""), SCORED)
    return respond(score_page(world(), number, answers))


def puzzles_page(world: World) -> PuzzlesPage:
    """Gather what the template writes down."""
    total = len(world.puzzles)
    agents: dict[str, dict[str, list[int]]] = {}
    for name in world.agents:
        for level, word in enumerate(LEVELS):
            numbers = [
                number
                for number, each in enumerate(world.puzzles, 1)
                if (each.agent, each.level) == (name, level)
            ]
            if numbers:
                agents.setdefault(world.titles[name], {})[word] = numbers
    return PuzzlesPage(
        total=total,
        rounds=[(first, min(first + ROUND - 1, total)) for first in range(1, total + 1, ROUND)],
        agents=agents,
    )


def puzzle_page(attempt: Attempt) -> PuzzlePage:
    """Gather what the templates write down."""
    world, each = attempt.world, attempt.puzzle
    asked = "plays" if attempt.plays is None else "" if attempt.is_open else "right"
    return PuzzlePage(
        number=attempt.number,
        total=len(world.puzzles),
        index=addresses.PUZZLES,
        level=LEVELS[each.level],
        agent=world.titles[each.agent],
        agent_href=addresses.agent(each.agent),
        mover=MARKS[int(world.game.to_move[each.position])],
        before=WORTH[each.before],
        wrong=short_name(each.wrong),
        board=_board(attempt),
        asked=asked,
        opened=_opened(attempt) if attempt.is_open else None,
        ply=attempt.ply,
        round=[WORDS[int(digit)] for digit in attempt.answers],
        left=ROUND - len(attempt.answers),
        preview=addresses.preview(Match(each.record, o=HUMAN, hide=True)),
    )


def score_page(world: World, number: int, answers: str) -> ScorePage:
    """Gather what the template writes down."""
    known = [int(digit) for digit in answers]
    first = (number - ROUND) % len(world.puzzles) + 1
    return ScorePage(
        round=[WORDS[answer] for answer in known],
        knew_its_move=sum(bool(answer & KNEW_ITS_MOVE) for answer in known),
        knew_right=sum(bool(answer & KNEW_RIGHT) for answer in known),
        more=addresses.puzzle(after(world, number)),
        again=addresses.puzzle(first),
        index=addresses.PUZZLES,
    )


def _board(attempt: Attempt) -> Board:
    """Lay out the position: to be answered on, with its values, or played on."""
    world, each, place, label = attempt.world, attempt.puzzle, attempt.place, "The position"
    if not attempt.is_open:
        asked = board(place, None, lambda cell: attempt.say(cell).address, label=label)
        return _noted(asked, {attempt.plays: ["your guess"]})
    if attempt.ply:
        return board(place, None, None, label=label)
    words: dict[int | None, list[str]] = {cell: [RIGHT] for cell in each.right}
    words[each.wrong] = [BLUNDER]
    words.setdefault(attempt.plays, []).append("your guess")
    words.setdefault(attempt.right, []).append("your move")
    view, silent = opinion(world, each.position, each.agent), [NOTHING] * world.game.cells
    return _noted(board(place, view, None, label=label, chosen=each.wrong, notes=silent), words)


def _noted(board: Board, words: Mapping[int | None, list[str]]) -> Board:
    """Write words on the squares of a board."""
    texts = {cell: ", ".join(told) for cell, told in words.items()}
    notes = {cell: Note(text, text.strip("✗✓ ")) for cell, text in texts.items()}
    squares = [
        square._replace(note=notes.get(cell, NOTHING)) for cell, square in enumerate(board.squares)
    ]
    columns = len(board.ranks[0])
    ranks = [squares[start : start + columns] for start in range(0, len(squares), columns)]
    return board._replace(ranks=ranks)


def _opened(attempt: Attempt) -> Opened:
    world, each = attempt.world, attempt.puzzle
    mover = int(world.game.to_move[each.position])
    seen = Match(each.record, o=HUMAN, lens=each.agent)
    return Opened(
        value=signed(float(world.agents[each.agent].q[each.position, each.wrong])),
        truth=WORTH[each.after],
        rights=listed([short_name(cell) for cell in each.right], "or"),
        knew_its_move=attempt.knew_its_move,
        knew_right=attempt.knew_right,
        moves=[
            Move(
                ply,
                MARKS[mover if ply % 2 else -mover],
                short_name(int(digit)),
                attempt.at(ply).address,
            )
            for ply, digit in enumerate(each.refutation, 1)
        ],
        values=attempt.at(0).address,
        why=addresses.why(seen, each.wrong),
        next=attempt.next,
    )
