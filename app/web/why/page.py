"""The page that says why a value is what it is."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from flask import Blueprint, Response, request
from markupsafe import Markup
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, Conflict

from app.web import addresses
from app.web.algorithms import ALGORITHMS, explainable, section_of
from app.web.algorithms.targets import Pair
from app.web.board_view import Board, board
from app.web.formula import Formula, block, inline
from app.web.lens import lens_of, opinion
from app.web.match import Match, Place, parse, read_cell
from app.web.respond import Page, respond
from app.web.why.explanation import Explanation, explain
from app.web.words import short_name
from app.web.world import TASK, TRUTH, is_moves, world

bp = Blueprint("why", __name__)


@dataclass(frozen=True)
class WhyPage(Page):
    """Why a value is what it is."""

    template: ClassVar = "why.html"
    fragment: ClassVar = "_why.html"

    why: Explanation
    lens: str  # whose value it is, in words
    board: Board  # every empty square leads to its own why
    equations: list[Markup]  # the update in numbers
    targets: dict[int, Markup]  # by answer
    after: dict[int, str]  # by answer: where the position that follows is shown
    algorithm: str  # the section of /how that explains it
    formulas: tuple[Formula, ...]  # the rule in general
    here: str
    back: str
    others: list[tuple[str, str, str]]  # whose opinions else there are: id, name, address


@bp.get("/why/")
@bp.get("/why/<record>")
def why(record: str = "") -> Response:
    """Explain the value of a move in the position shown; without a cell, of the lens's best."""
    place = parse(record, request.args, world())
    return respond(why_page(place, asked(place, request.args.get("cell", ""))))


def asked(place: Place, text: str) -> Pair:
    """Read which value is asked for: of the cell that is named, or of the lens's best.

    Raises BadRequest or Conflict with a sentence on what is wrong.
    """
    match, game = place.match, place.world.game
    if place.over:
        raise Conflict(f"The game is over after {len(match.shown)} moves: no move has a value.")
    lens = lens_of(match, place.world, int(game.to_move[place.position]))
    if is_moves(lens):
        raise BadRequest("Only values can be explained: of these moves none are known.")
    if not explainable(place.world, lens, match.step):
        raise BadRequest(
            "Only the values as shipped can be explained, not those of a step: the opponent "
            "changed during this training, and which one it had by then is not recorded."
        )
    if not text:
        best = opinion(place.world, place.position, lens, match.step).plays[0]
        return Pair(place.world, lens, place.position, best, match.step)
    cell = read_cell("cell", text, game)
    if not game.legal[place.position, cell]:
        raise Conflict(f"The {short_name(cell)} square is taken: no move has a value.")
    return Pair(place.world, lens, place.position, cell, match.step)


def why_page(place: Place, pair: Pair) -> WhyPage:
    """Gather what the templates write down."""
    match = place.match
    explanation = explain(pair)
    view = opinion(pair.world, pair.position, pair.lens, pair.step)
    return WhyPage(
        why=explanation,
        lens=pair.world.titles[pair.lens],
        board=board(
            place,
            view,
            partial(addresses.why, match),
            "why-board",
            "The position",
            pair.cell,
        ),
        equations=[block(equation) for equation in explanation.equations],
        targets={row.cell: inline(row.target) for row in explanation.rows},
        after={row.cell: _after(match, pair.cell, row.cell) for row in explanation.rows},
        algorithm=section_of(pair),
        formulas=ALGORITHMS[section_of(pair)].section.formulas,
        here=addresses.why(match, pair.cell),
        back=addresses.play(match),
        others=_others(match, pair),
    )


def _others(match: Match, pair: Pair) -> list[tuple[str, str, str]]:
    """List who else has an opinion of the move: best play, its task, the agent."""
    task = pair.learner + TASK
    names = {
        "why-truth": (TRUTH, "best play"),
        "why-task": (task, "what it was asked to learn"),
        "why-agent": (pair.learner, pair.world.titles[pair.learner]),
    }
    return [
        (id, name, addresses.why(replace(match, lens=lens, step=None, train=False), pair.cell))
        for id, (lens, name) in names.items()
        if lens != pair.lens and lens in pair.world.lenses
    ]


def _after(match: Match, cell: int, answer: int) -> str:
    """Return where the position after the move and an answer is shown; there nobody moves on."""
    played = match.play(cell).play(answer)
    return addresses.play(replace(played, pause=match.pause or match.watched))
