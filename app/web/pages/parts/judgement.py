"""The exact figures of a policy, as pages write them, and the pages of all its blunders and proofs.

These are the same for an agent by its name and for moves that are judged.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from math import prod
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, Response, request
from msgspec.structs import replace
from werkzeug.exceptions import NotFound

from app.tictactoe.atlas import Certificate, Mistakes
from app.tictactoe.game import SEATS
from app.tictactoe.notation import DIGITS, MARKS, position_text
from app.web import addresses
from app.web.addresses import Offer
from app.web.lens import OUTCOMES, best_play, outcome
from app.web.match import Match, against_person, place_of, read_whole
from app.web.numbers import count, percent, short_name
from app.web.pages.parts.export import numbers_file
from app.web.pages.parts.learning import opponent_title
from app.web.pictures.boards import SmallBoard, small_board
from app.web.pictures.curves import Share, shares
from app.web.respond import Page, respond
from app.web.world import BEST_RESPONDER, HUMAN, MOVES, World, world

bp = Blueprint("judgement", __name__)


class Measure(NamedTuple):
    """A figure that is no chance, and what it says."""

    name: str
    value: str
    meaning: str


def results(world: World, name: str) -> dict[str, list[list[Share]]]:
    """Return the chances in each seat against every baseline and against the best responder."""
    chances = world.judgement(name).chances
    return {
        opponent_title(world, opponent): [shares(chances[opponent, seat]) for seat in SEATS]
        for opponent, _ in chances
    }


def figures(world: World, name: str) -> list[Measure]:
    """List the figures that are no chances, and are true of any play."""
    exact = world.figures(name)
    proofs = [
        Measure(
            f"Unbeatable as {seat.upper()}",
            "no" if world.losing(name, player) else "yes, proved",
            "proved: no opponent can win a game against it there"
            if world.losing(name, player) is None
            else "an opponent can win a game against it there",
        )
        for seat, player in SEATS.items()
    ]
    blunders = Measure(
        "Blunders",
        f"{count(exact.blunders[-1])} of {count(world.game.decisions)}",
        "positions in which it can blunder: make a move that lowers the minimax value of the game",
    )
    met = [
        Measure(
            f"Blunders it can reach as {seat.upper()}",
            count(getattr(exact.reachable_blunders, seat)[-1]),
            "those of them that can be reached with its own policy, against some opponent",
        )
        for seat in SEATS
    ]
    nash_conv = Measure(
        "NashConv",
        f"{exact.nash_conv[-1]:.4g}",
        "what its best responders gain in both seats together: 0 for nothing, 2 at most",
    )
    return [*proofs, blunders, *met, nash_conv]


SAMPLE = 8  # positions of a certificate on the agent's own page
SHEET = 60  # pictures on a page of all of them
NUMBERS = {1: "one", 2: "two", 3: "three"}  # moves of an opponent; there are four at most


class Exhibit(NamedTuple):
    """A position out of an agent's play: a picture, where it leads and what there is to say."""

    board: SmallBoard
    href: str
    title: str
    notes: list[str]
    blunder: bool = False


Groups = list[tuple[str, list[Exhibit]]]  # pictures under their headings


class Sheets(NamedTuple):
    """The pages of all pictures of one kind, and which of these the one that is shown has."""

    first: str
    last: str
    of: str
    number: int  # of the page, from 1
    hrefs: list[str]  # of all pages


class Blunders(NamedTuple):
    """The atlas, or the beginning of it."""

    total: str
    classes: str  # how many are left up to symmetry
    shown: str
    href: str  # all of it
    counts: list[tuple[str, int, int]]  # of each kind, and how many of them it can reach
    groups: Groups


class Proof(NamedTuple):
    """A certificate, or the beginning of it."""

    met: str  # in how many positions it can come to move
    listed: str  # how many are left up to symmetry
    href: str  # all of it
    csv: str
    groups: Groups


class LostGame(NamedTuple):
    """The likeliest of all games that an agent loses."""

    href: str  # the same on the play page, from its start
    figures: str  # against the best responder
    chance: str  # against an opponent that plays exactly these moves
    unpunished: str  # how many of the opponent's moves are blunders as well, "" for none
    exhibits: list[Exhibit]  # ply by ply


class SeatVerdict(NamedTuple):
    """What is true of an agent in a seat: either a lost game or a proof."""

    seat: str
    mark: str
    lost: LostGame | None
    proof: Proof | None


class BlundersPage(Page, frozen=True):
    """All blunders of a policy."""

    template: ClassVar = "parts/blunders.html"

    name: str
    title: str
    blunders: Blunders
    sheets: Sheets


class CertificatePage(Page, frozen=True):
    """The whole proof that a policy cannot be beaten in a seat."""

    template: ClassVar = "parts/certificate.html"

    name: str
    title: str
    mark: str
    proof: Proof
    sheets: Sheets


def encounters(name: str) -> list[Offer]:
    """Lead to the board with a policy in a seat, or in both."""
    return [
        Offer("Play X against it", addresses.play_against(name), id="play-x"),
        Offer("Play O", addresses.play(Match(x=name, o=HUMAN)), id="play-o"),
        Offer("Watch it play itself", addresses.play(Match(x=name, o=name)), id="watch"),
    ]


def known(name: str = "") -> str:
    """Return who is judged: an agent by its name, or without one the moves in the address.

    Raises NotFound or BadRequest if there is none.
    """
    if name:
        world().learned(name)
        return name
    moves = MOVES + request.args.get("moves", "")
    world().canonical(moves)
    return moves


@bp.get(addresses.BLUNDERS)
@bp.get(addresses.JUDGE_BLUNDERS)
def all_blunders(name: str = "") -> Response:
    """Show all blunders of a policy."""
    name, there = known(name), world()
    shown, sheets = _sheet(len(there.atlas(name).row), partial(addresses.blunders, name))
    return respond(BlundersPage(name, there.titles[name], blunders(there, name, shown), sheets))


@bp.get(addresses.CERTIFICATE)
@bp.get(addresses.JUDGE_CERTIFICATE)
def certificate(seat: str, name: str = "") -> Response:
    """Show the whole proof that a policy cannot be beaten in a seat."""
    name, there = known(name), world()
    listed = proved(there, name, seat).position
    shown, sheets = _sheet(len(listed), partial(addresses.certificate, name, seat))
    title, mark = there.titles[name], MARKS[SEATS[seat]]
    return respond(CertificatePage(name, title, mark, proof(there, name, seat, shown), sheets))


@bp.get(f"{addresses.CERTIFICATE}.csv")
@bp.get(f"{addresses.JUDGE_CERTIFICATE}.csv")
def certificate_file(seat: str, name: str = "") -> Response:
    """Hand out such a proof: each position, the cells it may play, and the exact value."""
    there, certificate = world(), proved(world(), known(name), seat)
    rows = (
        (
            position_text(there.game, position),
            " ".join(DIGITS[cell] for cell in np.flatnonzero(choice)),
            best_play(there, position),
        )
        for position, choice in zip(certificate.position.tolist(), certificate.moves, strict=True)
    )
    return numbers_file(("position", "moves", "value"), rows, f"{name or 'judged'}-{seat}")


def proved(world: World, name: str, seat: str) -> Certificate:
    """Return the proof of a policy in a seat; raises NotFound, with a lost game, if it has none."""
    record = world.losing(name, SEATS[seat])
    if record is not None:
        raise NotFound(
            f"{world.titles[name]} can be beaten as {MARKS[SEATS[seat]]}, so there is no "
            f"certificate: it loses the game {record}."
        )
    return world.certificate(name, seat)


def blunders(world: World, name: str, shown: slice) -> Blunders:
    """Lay out some of an agent's blunders; the most serious come first."""
    mistakes, atlas = world.mistakes(name), world.atlas(name)
    numbers = range(len(atlas.row))[shown]

    def meeting(number: int) -> str:
        return (
            "Reachable in its own games"
            if atlas.chance[number]
            else "Not reachable in its own games"
        )

    return Blunders(
        total=count(len(mistakes.position)),
        classes=count(len(atlas.row)),
        shown=count(len(numbers)),
        href=addresses.blunders(name),
        counts=_counts(mistakes),
        groups=_groups(numbers, meeting, partial(_mistake, world, name)),
    )


def verdict(world: World, name: str, seat: str) -> SeatVerdict:
    """Judge an agent in a seat, "x" or "o"."""
    record, mark = world.losing(name, SEATS[seat]), MARKS[SEATS[seat]]
    if record is None:
        return SeatVerdict(seat, mark, None, proof(world, name, seat, slice(SAMPLE)))
    return SeatVerdict(seat, mark, _lost_game(world, name, seat, record), None)


def proof(world: World, name: str, seat: str, shown: slice) -> Proof:
    """Lay out some positions of a certificate; the seat is one where it has one."""
    certificate = world.certificate(name, seat)
    numbers = range(len(certificate.position))[shown]

    def move(number: int) -> str:
        return f"Its move {world.game.ply[certificate.position[number]] // 2 + 1}"

    return Proof(
        met=count(certificate.met),
        listed=count(len(certificate.position)),
        href=addresses.certificate(name, seat),
        csv=addresses.file_of(addresses.certificate(name, seat), "csv"),
        groups=_groups(numbers, move, partial(_proved, world, name, seat)),
    )


def _sheet(pictures: int, address: Callable[[int], str]) -> tuple[slice, Sheets]:
    """Return which of all pictures the page that is asked for has, and where the others are."""
    pages = max(1, -(-pictures // SHEET))
    number = read_whole("page", request.args.get("page") or "1", 1, pages)
    shown = slice((number - 1) * SHEET, min(number * SHEET, pictures))
    hrefs = [address(page) for page in range(1, pages + 1)]
    sheets = Sheets(count(shown.start + 1), count(shown.stop), count(pictures), number, hrefs)
    return shown, sheets


def _groups(
    numbers: Iterable[int], title: Callable[[int], str], show: Callable[[int], Exhibit]
) -> Groups:
    """Put what follows each other under one title into one group."""
    return [(name, [show(number) for number in of]) for name, of in groupby(numbers, title)]


def shown(world: World, name: str, position: int) -> Exhibit:
    """Show what a policy plays in a decision, beside what is right."""
    chosen, right = world.policies[name][position] > 0, world.right[position]
    signs = dict.fromkeys(np.flatnonzero(right).tolist(), "right")
    signs |= dict.fromkeys(np.flatnonzero(right & chosen).tolist(), "plays")
    signs |= dict.fromkeys(np.flatnonzero(chosen & ~right).tolist(), "blunder")
    mark, worth = MARKS[int(world.game.to_move[position])], best_play(world, position)
    does = f"As {mark} it keeps the {worth}"
    if (chosen & ~right).any():
        worst = min(np.flatnonzero(chosen).tolist(), key=lambda cell: world.truth[position, cell])
        does = f"As {mark}: the {worth} becomes a {outcome(world, position, worst)}"
    return _exhibit(world, name, position, signs, does)


def _exhibit(
    world: World, name: str, position: int, signs: Mapping[int, str], title: str, *notes: str
) -> Exhibit:
    """Show a decision in which an agent is to move; `signs` as in `small_board`.

    It leads there by a game of the agent's own, if it has one, and waits before its move.
    """
    seat = int(world.game.to_move[position])
    match = replace(against_person(name, seat, world.own_record(name, position)), pause=True)
    href = addresses.play(match)
    return Exhibit(small_board(world.game, position, signs), href, title, list(notes))


def _counts(mistakes: Mistakes) -> list[tuple[str, int, int]]:
    """Count the blunders by what they lose, the worst kind first, and all of them."""
    kinds = {
        f"{OUTCOMES[before]} to {OUTCOMES[after]}": (mistakes.before == before)
        & (mistakes.after == after)
        for before, after in [(1, -1), (1, 0), (0, -1)]
    }
    kinds["all"] = np.ones_like(mistakes.position, bool)
    return [
        (kind, int(of.sum()), int((mistakes.chance[of] > 0).sum())) for kind, of in kinds.items()
    ]


def _mistake(world: World, name: str, number: int) -> Exhibit:
    """Show the position that stands for a class of the atlas."""
    mistakes, atlas = world.mistakes(name), world.atlas(name)
    row = int(atlas.row[number])
    position = int(mistakes.position[row])
    signs = dict.fromkeys(np.flatnonzero(mistakes.right[row]).tolist(), "right")
    signs |= dict.fromkeys(np.flatnonzero(mistakes.wrong[row]).tolist(), "blunder")
    chance, erring, images = atlas.chance[number], int(atlas.erring[number]), atlas.images[number]
    often = f", in {percent(chance)}% of its games against Random" if chance else ""
    return _exhibit(
        world,
        name,
        position,
        signs,
        _loss(world, name, mistakes, row),
        f"as {MARKS[int(world.game.to_move[position])]}{often}",
        _images(erring, int(images)),
    )


def _loss(world: World, name: str, mistakes: Mistakes, row: int) -> str:
    """Say what the worst of its moves does to the game, or can do if it has others as well."""
    position = int(mistakes.position[row])
    worst = (mistakes.wrong[row] & (world.truth[position] == mistakes.after[row])).argmax()
    sure = (mistakes.wrong[row] >= (world.policies[name][position] > 0)).all()
    becomes = "becomes" if sure else "can become"
    return f"The {best_play(world, position)} {becomes} a {outcome(world, position, int(worst))}"


def _images(erring: int, images: int) -> str:
    if images == 1:
        return "alone in its symmetry class"
    which = f"all {images}" if erring == images else f"{erring} of {images}"
    return f"in {which} symmetric positions"


def _proved(world: World, name: str, seat: str, number: int) -> Exhibit:
    """Show a position of a certificate with the agent's moves."""
    certificate = world.certificate(name, seat)
    position, choice = int(certificate.position[number]), certificate.moves[number]
    signs = {
        cell: "plays" if world.right[position, cell] else "blunder"
        for cell in np.flatnonzero(choice).tolist()
    }
    return _exhibit(world, name, position, signs, best_play(world, position))


def _lost_game(world: World, name: str, seat: str, record: str) -> LostGame:
    """Show the game that beats an agent, ply by ply."""
    place = place_of(against_person(name, SEATS[seat], record), world)
    exhibits, chances, unpunished = [], [], 0
    address = addresses.plies_of(place.match)
    for ply, cell in enumerate(place.cells, 1):
        position, after = place.positions[ply - 1 : ply + 1]
        mover = int(world.game.to_move[position])
        own, blunder = mover == SEATS[seat], not world.right[position, cell]
        chances.append(world.policies[name][position, cell] if own else 1.0)
        unpunished += blunder and not own
        was, done = best_play(world, position), outcome(world, position, cell)
        if was != done:
            done = f"{was} became a {done}"
        if blunder:
            done = f"✗ Blunder: {done}" if own else f"✗ Blunder, unpunished: {done}"
        picture = small_board(world.game, after, {}, last=cell)
        title = f"{ply}. {MARKS[mover]} {short_name(world.game, cell)}"
        exhibits.append(Exhibit(picture, address(ply), title, [done], blunder and own))
    win, draw, loss = map(percent, world.judgement(name).chances[BEST_RESPONDER, seat])
    chance = prod(chances)
    return LostGame(
        href=addresses.play(place.match.at(0)),
        figures=f"wins {win}%, draws {draw}% and loses {loss}%",
        chance="every time"
        if chance == 1
        else f"in {percent(chance)}% of the games, for the agent chooses between equals",
        unpunished=_unpunished(unpunished),
        exhibits=exhibits,
    )


def _unpunished(number: int) -> str:
    """Say how many blunders of the opponent a lost game has: they do not save the agent."""
    if number == 0:
        return ""
    go = "goes" if number == 1 else "go"
    return f"{NUMBERS.get(number, str(number))} of its opponent {go} unpunished here"
