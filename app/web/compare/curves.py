"""How the agents of a comparison learned: their exact figures over each other."""

from collections.abc import Sequence

from app.tictactoe.card import Card
from app.web.charts import PLAIN, Chart, Charts, Line, Number, laid_out
from app.web.comparison import FIGURES, View
from app.web.numbers import count
from app.web.world import World

WORDS = {
    "blunders": "In how many positions each blundered.",
    "losses": "How often each lost to its best responder, in percent of the games in both seats.",
    "nash-conv": "What the best responders of each gain in both seats together.",
    "task": "Mean difference between its values and the exact ones of what it was asked to learn, "
    "in the units of each.",
}


def curves(world: World, views: Sequence[View], figure: str) -> Charts | None:
    """Chart one of FIGURES of the agents among some views; None if no agent of them has it."""
    names = dict.fromkeys(view.lens for view in views if view.lens in world.agents)
    told = {name: values for name in names if (values := _told(world.agents[name].card, figure))}
    if not told:
        return None
    places = sorted({place for values in told.values() for place in values})
    lines = [
        Line(world.titles[name], kind, [values.get(place) for place in places])
        for (name, values), kind in zip(told.items(), PLAIN, strict=False)
    ]
    top = max(number.value for values in told.values() for number in values.values())
    unit = "%" if figure == "losses" else ""
    chart = Chart(FIGURES[figure], unit, top or 1, lines)
    return laid_out("curves", "Updates", places, [chart])


def _told(card: Card, figure: str) -> dict[int, Number]:
    """Return a figure by the number of updates; nothing where the card has none."""
    figures = card.figures
    if figure == "task" and not figures.task:
        return {}
    worst = figures.best_response
    values = {
        "blunders": lambda: [Number(number, count(number)) for number in figures.blunders],
        "losses": lambda: [
            _plain(50 * (x[2] + o[2])) for x, o in zip(worst.x, worst.o, strict=True)
        ],
        "nash-conv": lambda: [_plain(gain) for gain in figures.nash_conv],
        "task": lambda: [_plain(off) for off in figures.task.mean] if figures.task else [],
    }[figure]()
    return dict(zip(figures.updates, values, strict=True))


def _plain(value: float) -> Number:
    return Number(round(value, 7), f"{value:.4g}")
