"""Whether an agent can be beaten in a seat: the game that does it, or the proof that none does."""

from math import prod
from typing import NamedTuple

from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS, parse_record, replay
from app.web.judgement.exhibits import Exhibit, seated
from app.web.judgement.proof import Proof, proof
from app.web.match import build
from app.web.moves import moves
from app.web.numbers import percent
from app.web.players import Players, losing
from app.web.small_board import small_board

SAMPLE = 8  # positions of a certificate on the agent's own page


class Line(NamedTuple):
    """The likeliest of all games that an agent loses."""

    href: str  # the same on the play page, from its start
    figures: str  # against the best responder
    chance: str  # against whoever plays exactly these moves
    exhibits: list[Exhibit]  # ply by ply


class Verdict(NamedTuple):
    """What is true of an agent in a seat: either a line or a proof."""

    seat: str
    mark: str
    line: Line | None
    proof: Proof | None


def verdict(players: Players, name: str, seat: str) -> Verdict:
    """Judge an agent in a seat, "x" or "o"."""
    record = losing(players, name, SEATS[seat])
    mark = MARKS[SEATS[seat]]
    if record is None:
        return Verdict(seat, mark, None, proof(players, name, seat, SAMPLE))
    return Verdict(seat, mark, _line(players, name, seat, record), None)


def _line(players: Players, name: str, seat: str, record: str) -> Line:
    """Show the game that beats an agent, ply by ply."""
    game, player = players.game, SEATS[seat]
    match = seated(name, player, record)
    positions = replay(game, record)
    made = moves(match, players, positions)
    cells = parse_record(game, record)
    ours = [int(game.to_move[position]) == player for position in positions[:-1]]
    exhibits = [
        Exhibit(
            board=small_board(game, after, {}, last=cell),
            href=move.href,
            title=f"{move.ply}. {move.mark} {move.place}",
            notes=[_said(move.said, move.blunder, own)],
            blunder=move.blunder and own,
        )
        for move, cell, after, own in zip(made, cells, positions[1:], ours, strict=True)
    ]
    chance = prod(
        players.policies[name][position, cell]
        for position, cell, own in zip(positions[:-1], cells, ours, strict=True)
        if own
    )
    return Line(build(match.at(0)), _figures(players, name, seat), _chance(chance), exhibits)


def _said(said: str, blunder: bool, own: bool) -> str:
    """Say what a move did; the opponent may err as well, in a game that the agent loses."""
    if not blunder:
        return said
    return f"✗ Blunder: {said}" if own else f"✗ Blunder, unpunished: {said}"


def _figures(players: Players, name: str, seat: str) -> str:
    figures = players.agents[name].card.figures.best_response
    win, draw, loss = map(percent, getattr(figures, seat)[-1])
    return f"wins {win}%, draws {draw}% and loses {loss}%"


def _chance(chance: float) -> str:
    if chance == 1:
        return "every time"
    return f"in {percent(chance)}% of the games, for the agent chooses between equals"
