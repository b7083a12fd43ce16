"""How an agent learned: its exact figures over the training, against whom the address says."""

from collections.abc import Mapping
from typing import NamedTuple

from werkzeug.exceptions import BadRequest

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.tictactoe.report import BySeat, Chances
from app.web.agents import address
from app.web.agents.charts import PERCENT, PLAIN, Chart, Charts, Line, Number, lay_out, percentage
from app.web.agents.outcomes import KINDS
from app.web.agents.standings import BEST_RESPONDER
from app.web.match import Match, build
from app.web.numbers import count
from app.web.players import Players

NASH_CONV_AT_WORST = 2.0


class Choice(NamedTuple):
    """Somebody whom the outcomes can be shown against."""

    id: str
    title: str
    href: str
    chosen: bool


def parse_against(query: Mapping[str, str], card: Card) -> str:
    """Read from a URL against whom to show the outcomes; random if it does not say.

    Raises BadRequest, naming those there are, if there are no figures against that one.
    """
    known = opponents(card)
    opponent = query.get("against") or known[0]
    if opponent not in known:
        raise BadRequest(
            f"There are no figures against {opponent!r}. There are: {', '.join(known)}."
        )
    return opponent


def opponents(card: Card) -> list[str]:
    """List everybody against whom a card has figures, the usual one first."""
    return [*card.figures.vs, BEST_RESPONDER]


def opponent_title(players: Players, opponent: str) -> str:
    """Name one of them."""
    return "its best responder" if opponent == BEST_RESPONDER else players.titles[opponent]


def chances_against(card: Card, opponent: str) -> BySeat[Chances]:
    """Return the chances against one of them at each snapshot."""
    figures = card.figures
    return figures.best_response if opponent == BEST_RESPONDER else figures.vs[opponent]


def choices(players: Players, card: Card, chosen: str) -> list[Choice]:
    """List them, each with the address of the page that shows the outcomes against that one."""
    usual, *_ = known = opponents(card)
    return [
        Choice(
            id=opponent,
            title=opponent_title(players, opponent),
            href=address(card.id) + ("" if opponent == usual else f"?against={opponent}"),
            chosen=opponent == chosen,
        )
        for opponent in known
    ]


def learning(players: Players, card: Card, opponent: str) -> Charts:
    """Chart the exact figures of every snapshot over the updates."""
    figures, title = card.figures, opponent_title(players, opponent)
    chances = chances_against(card, opponent)
    outcomes = [
        Chart(f"As {seat.upper()} against {title}", PERCENT, 100, _outcomes(getattr(chances, seat)))
        for seat in SEATS
    ]
    blunders = Line("Blunders", PLAIN[0], [Number(n, count(n)) for n in figures.blunders])
    gains = Line("NashConv", PLAIN[0], [Number(gain, f"{gain:.4g}") for gain in figures.nash_conv])
    charts = [
        *outcomes,
        Chart("Blunders", "", max(figures.blunders) or 1, [blunders]),
        Chart("NashConv", "", NASH_CONV_AT_WORST, [gains]),
    ]
    steps = [*range(len(figures.updates) - 1), None]  # the last one is the agent as shipped
    views = [build(Match(o=card.id, lens=card.id, step=step)) for step in steps]
    return lay_out("learning", "Updates", figures.updates, charts, views, logarithmic=True)


def winning(rates: BySeat[float]) -> Charts:
    """Chart the share of the training games that were won, epoch by epoch."""
    lines = [
        Line(f"as {seat.upper()}", kind, [percentage(rate) for rate in getattr(rates, seat)])
        for seat, kind in zip(SEATS, PLAIN, strict=True)
    ]
    epochs = range(1, len(rates.x) + 1)
    chart = Chart("Training games won", PERCENT, 100, lines)
    return lay_out("win-rate", "Epoch", epochs, [chart], [""] * len(epochs), logarithmic=False)


def _outcomes(chances: list[Chances]) -> list[Line]:
    return [
        Line(name, kind, [percentage(share) for share in column])
        for (kind, name), column in zip(KINDS.items(), zip(*chances, strict=True), strict=True)
    ]
