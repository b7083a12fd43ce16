"""What the page says in sentences."""

from typing import NamedTuple

from app.tictactoe.card import Card
from app.tictactoe.game import O, X
from app.tictactoe.notation import MARKS, parse_record
from app.tictactoe.views import Worth
from app.web.lens import HEAT_STEPS, Opinion
from app.web.match import Match
from app.web.numbers import count, signed, updates
from app.web.players import Players, losing


def headline(match: Match, players: Players, position: int) -> str:
    """Say whose turn it is or how the game ended, for the eye."""
    if players.game.is_over(position):
        return _result(match, players, players.game.result(position))
    who = match.to_move
    if not match.is_human(who):
        return f"{players.titles[match.seat(who)]} to move as {MARKS[who]}"
    return f"Your turn as {MARKS[who]}" if not match.is_human(-who) else f"{MARKS[who]} to move"


def status(match: Match, players: Players, position: int, going_on: bool) -> str:
    """Say what has happened, for a screen reader: the last moves of both and what is next.

    It waits with that while an agent is about to move, so nothing is said twice, and of a game
    between agents it says only how it ended, unless somebody goes through it step by step.
    """
    over = players.game.is_over(position)
    if going_on and not over:
        return ""
    played = list(enumerate(parse_record(players.game, match.shown)))[-2:]
    moves = [f"{MARKS[O if ply % 2 else X]}: {place(players, cell)}." for ply, cell in played]
    if match.watched and over:
        moves = []
    return " ".join([*moves, f"{headline(match, players, position)}."])


class Legend(NamedTuple):
    """How to read the colours."""

    caption: str
    blank: str  # what a square without a value means, "" where all have one
    heats: range  # colours to show
    scale: list[tuple[str, str]]  # what its two ends and its middle stand for
    facts: str  # what is exactly true of whoever thinks so


def legend(match: Match, players: Players, seen: Opinion) -> Legend:
    """Explain an opinion: whose it is, for whom, on what scale, and how far to trust it."""
    player = match.to_move
    view = f"for {MARKS[player]}, to move"
    heats = range(-HEAT_STEPS, HEAT_STEPS + 1, HEAT_STEPS // 4)
    if seen.exact:
        caption = f"On the squares: how the game ends {view}"
        return Legend(caption, "", heats, _scale(Worth(), "x", 0), "Found by solving the game.")
    card = players.agents[seen.lens].card
    seat = "x" if player == X else "o"
    caption = f"On the squares: what {card.title} expects {view}"
    if match.step is not None:
        when = updates(card.figures.updates[match.step])
        caption = f"On the squares: what {card.title} expected after {when}, {view}"
    said = facts(players, card, match.step)
    return Legend(caption, seen.blank, heats, _scale(card.worth, seat, 2), said)


def tally(match: Match) -> str:
    """Say how the games so far ended, "" before the first."""
    x, draws, o = match.tally
    return f"X won {x}, drawn {draws}, O won {o}" if x + draws + o else ""


def place(players: Players, cell: int) -> str:
    """Name a cell."""
    row, column = players.game.row_column(cell)
    return f"row {row + 1}, column {column + 1}"


def _scale(worth: Worth, seat: str, decimals: int) -> list[tuple[str, str]]:
    loss, draw, win = getattr(worth, seat)
    names = ["loss", "draw", "win"]
    if draw in (loss, win):  # then halfway is nobody's result
        names = ["loss or draw", "", "win"] if draw == loss else ["loss", "", "draw or win"]
    values = [signed(value, decimals) for value in worth.scale(seat)]
    return list(zip(names, values, strict=True))


def facts(players: Players, card: Card, step: int | None = None) -> str:
    """Sum up an agent's exact figures, as shipped or at a snapshot."""
    number = card.figures.blunders[-1 if step is None else step]
    blunders = f"{count(number)} of {count(players.game.decisions)} positions"
    if step is not None:
        return f"At that moment {card.title} blundered in {blunders}."
    safe = [MARKS[player] for player in (X, O) if losing(players, card.id, player) is None]
    proof = f"cannot be beaten as {' or '.join(safe)}" if safe else "can be beaten in both seats"
    return f"{card.title} blunders in {blunders} and {proof}."


def _result(match: Match, players: Players, outcome: int) -> str:
    if outcome == 0:
        return "Draw"
    if match.is_human(outcome) and not match.is_human(-outcome):
        return f"You win as {MARKS[outcome]}"
    if match.is_human(outcome):
        return f"{MARKS[outcome]} wins"
    return f"{players.titles[match.seat(outcome)]} wins as {MARKS[outcome]}"
