"""How agents learned, as charts: one by all its exact figures, or several by one of them."""

from collections.abc import Mapping, Sequence

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.tictactoe.report import BySeat, Chances, Figures
from app.web import addresses
from app.web.comparison import FIGURES, View
from app.web.match import Match, read_word
from app.web.numbers import count
from app.web.pictures.curves import (
    OUTCOMES,
    PERCENT,
    PLAIN,
    Chart,
    Charts,
    Curve,
    Number,
    laid_out,
    percentage,
)
from app.web.world import BEST_RESPONDER, World

NASH_CONV_AT_WORST = 2.0
WON = "win-rate"  # the figure of those whose training counted the games won


def parse_against(query: Mapping[str, str], card: Card) -> str:
    """Read from a URL against whom to show the outcomes; random if it does not say.

    Raises BadRequest, naming those there are, if there are no figures against that one.
    """
    there = opponents(card)
    return read_word("against", query, there, next(iter(there)))


def opponents(card: Card) -> dict[str, BySeat[Chances]]:
    """Return the chances at each snapshot against each opponent of a card, the usual one first."""
    return card.figures.vs | {BEST_RESPONDER: card.figures.best_response}


def opponent_title(world: World, opponent: str) -> str:
    """Name one of them."""
    return "its best responder" if opponent == BEST_RESPONDER else world.titles[opponent]


def learning(world: World, card: Card, opponent: str) -> Charts:
    """Chart the exact figures of every snapshot over the updates."""
    figures, title = card.figures, opponent_title(world, opponent)
    chances = opponents(card)[opponent]
    charts = [
        Chart(f"As {seat.upper()} against {title}", PERCENT, 100, _outcomes(getattr(chances, seat)))
        for seat in SEATS
    ]
    blunders = Curve("Blunders", PLAIN[0], [Number(n, count(n)) for n in figures.blunders])
    charts += [
        Chart("Blunders", "", max(figures.blunders) or 1, [blunders]),
        Chart("NashConv", "", NASH_CONV_AT_WORST, [_plain("NashConv", 0, figures.nash_conv)]),
    ]
    if off := figures.task:
        lines = [
            _plain("mean, all moves", 0, off.mean),
            _plain("within reach", 1, off.mean_reached),
        ]
        top = max(*off.mean, *off.mean_reached) or 1
        charts.append(
            Chart("Mean difference from the exact values of its training task", "", top, lines)
        )
    steps = [*range(len(figures.updates) - 1), None]  # the last one is the agent as shipped
    name = world.name_of(card)
    views = [addresses.play(Match(o=name, lens=name, step=step)) for step in steps]
    return laid_out("learning", "Updates", figures.updates, charts, views)


def winning(rates: BySeat[float]) -> Charts:
    """Chart the share of the training games that were won, epoch by epoch."""
    lines = [
        Curve(f"as {seat.upper()}", kind, [percentage(rate) for rate in getattr(rates, seat)])
        for seat, kind in zip(SEATS, PLAIN, strict=False)
    ]
    chart = Chart("Training games won", PERCENT, 100, lines)
    epochs = range(1, len(rates.x) + 1)
    return laid_out(WON, "Epoch", epochs, [chart], logarithmic=False)


def compared(world: World, views: Sequence[View], figure: str) -> Charts | None:
    """Chart one of FIGURES of the agents among some views; None if no agent of them has it."""
    inks = inks_of(world, views)
    curves = {name: course(world.agents[name].card.figures, figure) for name in inks}
    curves = {name: values for name, values in curves.items() if values}
    if not curves:
        return None
    places = sorted({place for values in curves.values() for place in values})
    lines = [
        Curve(world.titles[name], inks[name], [values.get(place) for place in places])
        for name, values in curves.items()
    ]
    top = max(number.value for values in curves.values() for number in values.values())
    unit = PERCENT if figure == "losses" else ""
    chart = Chart(FIGURES[figure].several, unit, top or 1, lines)
    return laid_out("curves", "Updates", places, [chart])


def inks_of(world: World, views: Sequence[View]) -> dict[str, str]:
    """Return the ink of each agent among some views, whichever of its curves is drawn."""
    names = dict.fromkeys(view.lens for view in views if world.agents.knows(view.lens))
    return dict(zip(names, PLAIN, strict=False))


def course(figures: Figures, figure: str) -> dict[int, Number]:
    """Return one of FIGURES by the number of updates; nothing where an agent has none."""
    worst = figures.best_response
    if figure == "blunders":
        values = [Number(number, count(number)) for number in figures.blunders]
    elif figure == "losses":
        values = [percentage((x[2] + o[2]) / 2) for x, o in zip(worst.x, worst.o, strict=True)]
    elif figure == "nash-conv":
        values = [_figure(gain) for gain in figures.nash_conv]
    elif figures.task:
        values = [_figure(off) for off in figures.task.mean]
    else:
        return {}
    return dict(zip(figures.updates, values, strict=True))


def _plain(name: str, number: int, values: list[float]) -> Curve:
    return Curve(name, PLAIN[number], [_figure(value) for value in values])


def _outcomes(chances: list[Chances]) -> list[Curve]:
    return [
        Curve(name, kind, [percentage(share) for share in column])
        for (kind, name), column in zip(OUTCOMES.items(), zip(*chances, strict=True), strict=True)
    ]


def _figure(value: float) -> Number:
    return Number(round(value, 9), f"{value:.4g}")
