"""The puzzles: find what an agent will play in a position, and what would be right.

An attempt at a puzzle is a value, and all of it is in the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, Conflict

from app.tictactoe.notation import DIGITS, MARKS, parse_record
from app.tictactoe.puzzles import LEVELS, ROUND, Puzzle
from app.web import addresses
from app.web.lens import NOTHING, Note, opinion
from app.web.match import Match, Place, check_puzzle, place_of, read, read_cell
from app.web.numbers import listed, short_name
from app.web.pages.parts.export import Take, take_puzzle
from app.web.pictures.boards import Board, board
from app.web.respond import Page, respond
from app.web.world import HUMAN, World, world

bp = Blueprint("puzzle", __name__)

KNEW_ITS_MOVE, KNEW_RIGHT = 1, 2  # an answer is the sum of what was known, as a digit
WORDS = ("neither", "its move", "a right move", "both")  # what an answer means


@dataclass(frozen=True)
class Attempt:
    """A puzzle, and what has been said of it."""

    world: World
    number: int  # of the puzzle, from 1
    answers: str = ""  # a digit for each puzzle of this round that was answered before
    plays: int | None = None  # the cell that the agent was said to play
    right: int | None = None  # the cell that was said to be right
    ply: int = 0  # how far the punishment has been played

    @cached_property
    def puzzle(self) -> Puzzle:
        """The puzzle itself."""
        return self.world.puzzles[self.number - 1]

    @property
    def is_open(self) -> bool:
        """Whether both questions have been answered, so that the values are shown."""
        return self.right is not None

    @property
    def is_last(self) -> bool:
        """Whether it ends a round."""
        return len(self.answers) == ROUND - 1

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
        return addresses.puzzle(self.number, self.answers, self.plays, self.right, self.ply)

    @cached_property
    def place(self) -> Place:
        """Where the game stands."""
        record = self.puzzle.record + self.puzzle.refutation[: self.ply]
        return place_of(Match(record, o=HUMAN, lens=self.puzzle.agent), self.world)

    def say(self, cell: int) -> "Attempt":
        """Answer the question that is open with a cell."""
        if self.plays is None:
            return replace(self, plays=cell)
        return replace(self, right=cell)

    def at(self, ply: int) -> "Attempt":
        """Return the same with the punishment played so far."""
        return replace(self, ply=ply)

    @property
    def next(self) -> str:
        """The address of the next puzzle, or of the score after the last one of a round."""
        answers = f"{self.answers}{self.answer}"
        if self.is_last:
            return addresses.score(self.number, answers)
        return addresses.puzzle(after(self.world, self.number), answers)


def after(world: World, number: int) -> int:
    """Return the number of the puzzle that follows; after the last comes the first."""
    return number % len(world.puzzles) + 1


def parse(number: int, query: Mapping[str, str], world: World) -> Attempt:
    """Read an attempt from the parts of an address.

    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    check_puzzle(number, world)
    attempt = Attempt(world, number, parse_answers(query.get("answers", ""), range(ROUND)))
    for name in ("plays", "right"):
        text = query.get(name, "")
        if text:
            if name == "right" and attempt.plays is None:
                raise BadRequest("right needs plays, the answer before it, in the same address.")
            attempt = attempt.say(_cell(attempt, name, text))
    text = query.get("ply", "")
    if not text:
        return attempt
    ply, plies = read("ply", text), len(attempt.puzzle.refutation)
    if not attempt.is_open:
        raise BadRequest("ply needs plays and right, the two answers, in the same address.")
    if ply > plies:
        raise BadRequest(f"ply is 0 to {plies} in this puzzle.")
    return attempt.at(ply)


def parse_answers(text: str, lengths: range) -> str:
    """Read the answers of a round.

    Raises BadRequest with a sentence if they are none, or not as many as can be here.
    """
    if len(text) not in lengths or set(text) - set(DIGITS[: len(WORDS)]):
        many = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else f"{lengths[0]}"
        raise BadRequest(
            f"answers={text} in the address is wrong: answers is {many} digits, 0 to "
            f"{len(WORDS) - 1}, one for each puzzle of the round before."
        )
    return text


def _cell(attempt: Attempt, name: str, text: str) -> int:
    game = attempt.world.game
    cell = read_cell(name, text, game)
    if not game.legal[attempt.puzzle.position, cell]:
        raise Conflict(f"The {short_name(game, cell)} square is taken: that move is illegal.")
    return cell


WORTH = {1: "won", 0: "drawn", -1: "lost"}
BLUNDER, RIGHT = "✗ blunder", "✓ right"
SCORED = range(ROUND, ROUND + 1)


class Punishment(NamedTuple):
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
    moves: list[Punishment]
    values: str  # the address of the board with its values
    why: str  # the address that explains the value of the blunder
    next: str


@dataclass(frozen=True)
class PuzzlePage(Page):
    """A puzzle, and how far an attempt at it has come."""

    template: ClassVar = "puzzle/puzzle.html"
    fragment: ClassVar = ("puzzle",)

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
    take: Take


@dataclass(frozen=True)
class PuzzlesPage(Page):
    """All puzzles, by agent and level."""

    template: ClassVar = "puzzle/puzzles.html"

    total: int
    rounds: list[tuple[int, int]]  # the first number of each, and the last
    agents: dict[str, dict[str, list[int]]]  # by title and level: the numbers


@dataclass(frozen=True)
class ScorePage(Page):
    """What a round came to."""

    template: ClassVar = "puzzle/score.html"

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


@bp.get(addresses.PUZZLE)
@bp.get(addresses.framed(addresses.PUZZLE), endpoint="framed")
def puzzle(number: int) -> Response:
    """Show a puzzle."""
    return respond(puzzle_page(parse(number, request.args, world())))


@bp.get(addresses.SCORE)
@bp.get(addresses.framed(addresses.SCORE), endpoint="framed_score")
def score(number: int) -> Response:
    """Show what the round came to that a puzzle ends."""
    check_puzzle(number, world())
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
        wrong=short_name(world.game, each.wrong),
        board=_board(attempt),
        asked=asked,
        opened=_opened(attempt) if attempt.is_open else None,
        ply=attempt.ply,
        round=[WORDS[int(digit)] for digit in attempt.answers],
        left=ROUND - len(attempt.answers),
        preview=addresses.preview(Match(each.record, o=HUMAN, hide=True)),
        take=take_puzzle(world, attempt.number),
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
        value=opinion(world, each.position, each.agent).texts[each.wrong],
        truth=WORTH[each.after],
        rights=listed([short_name(world.game, cell) for cell in each.right], "or"),
        knew_its_move=attempt.knew_its_move,
        knew_right=attempt.knew_right,
        moves=[
            Punishment(
                ply,
                MARKS[mover if ply % 2 else -mover],
                short_name(world.game, cell),
                attempt.at(ply).address,
            )
            for ply, cell in enumerate(parse_record(world.game, each.refutation), 1)
        ],
        values=attempt.at(0).address,
        why=addresses.why(seen, each.wrong),
        next=attempt.next,
    )
