"""What the page says in sentences."""

from typing import NamedTuple

from app.tictactoe.card import Card
from app.tictactoe.game import O, X
from app.tictactoe.notation import MARKS, parse_record
from app.web.lens import Opinion, signed
from app.web.links import watched
from app.web.match import Match
from app.web.players import Players, losing


def headline(match: Match, players: Players, position: int) -> str:
    """Say whose turn it is or how the game ended, for the eye."""
    over = position - players.game.decisions
    if over >= 0:
        return _result(match, players, int(players.game.outcome[over]))
    who = match.to_move
    if not match.is_human(who):
        return f"{players.titles[match.seat(who)]} to move as {MARKS[who]}"
    return "Your turn" if not match.is_human(-who) else f"{MARKS[who]} to move"


def status(match: Match, players: Players, position: int) -> str:
    """Say what has happened, for a screen reader: both moves and what is next.

    While agents play each other it says only how the game ended.
    """
    over = position >= players.game.decisions
    if watched(match) and not over:
        return ""
    played = parse_record(players.game, match.shown)
    moves = [
        f"{MARKS[X if ply % 2 == 0 else O]}: {place(players, cell)}."
        for ply, cell in enumerate(played)
    ]
    return " ".join(
        [*([] if watched(match) else moves[-2:]), f"{headline(match, players, position)}."]
    )


class Legend(NamedTuple):
    """How to read the colours."""

    caption: str
    scale: list[tuple[str, str]]  # what a loss, a draw and a win are worth
    facts: str  # what is exactly true of whoever thinks so


def legend(match: Match, players: Players, seen: Opinion) -> Legend:
    """Explain an opinion: whose it is, for whom, on what scale, and how far to trust it."""
    player = match.to_move
    view = f"for {MARKS[player]}, to move"
    if seen.exact:
        return Legend(f"The truth {view}", _scale((-1, 0, 1), 0), "Found by solving the game.")
    card = players.agents[seen.lens].card
    worth = card.worth.x if player == X else card.worth.o
    after = "" if match.step is None else f" after {card.figures.updates[match.step]:,} updates"
    return Legend(f"Values of {card.title} {view}{after}", _scale(worth, 2), _facts(players, card))


def tally(match: Match) -> str:
    """Say how the games so far ended, "" before the first."""
    x, draws, o = match.tally
    return f"X won {x}, drawn {draws}, O won {o}" if x + draws + o else ""


def place(players: Players, cell: int) -> str:
    """Name a cell."""
    row, column = divmod(cell, players.game.columns)
    return f"row {row + 1}, column {column + 1}"


def _scale(worth: tuple[float, float, float], decimals: int) -> list[tuple[str, str]]:
    return [
        (name, signed(value, decimals))
        for name, value in zip(("loss", "draw", "win"), worth, strict=True)
    ]


def _facts(players: Players, card: Card) -> str:
    """Sum up an agent's exact figures, as shipped."""
    safe = [MARKS[player] for player in (X, O) if losing(players, card.id, player) is None]
    proof = f"cannot be beaten as {' or '.join(safe)}" if safe else "can be beaten in both seats"
    blunders = f"{card.figures.blunders[-1]:,} of {players.game.decisions:,} positions"
    return f"{card.title} blunders in {blunders} and {proof}."


def _result(match: Match, players: Players, outcome: int) -> str:
    if outcome == 0:
        return "Draw"
    if match.is_human(outcome) and not match.is_human(-outcome):
        return f"You win as {MARKS[outcome]}"
    if match.is_human(outcome):
        return f"{MARKS[outcome]} wins"
    return f"{players.titles[match.seat(outcome)]} wins as {MARKS[outcome]}"
