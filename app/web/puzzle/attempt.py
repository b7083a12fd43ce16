"""Somebody's way through a puzzle as a value: all of it is in the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from werkzeug.exceptions import BadRequest, Conflict, NotFound

from app.tictactoe.notation import DIGITS
from app.tictactoe.puzzles import ROUND, Puzzle
from app.web import addresses
from app.web.match import Match, Place, place_of, read, read_cell
from app.web.words import short_name
from app.web.world import HUMAN, World

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
    check_number(number, world)
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


def check_number(number: int, world: World) -> None:
    """Raise NotFound with a sentence if no puzzle has this number."""
    total = len(world.puzzles)
    if not 1 <= number <= total:
        there = f"they are numbered 1 to {total}" if total else "nobody here errs for sure"
        raise NotFound(f"There is no puzzle {number}: {there}.")


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
        raise Conflict(f"The {short_name(cell)} square is taken: nobody can play there.")
    return cell
