"""What a recipe comes to: a verdict, its figures beside those of another, and one curve of both."""

from typing import NamedTuple

from msgspec.structs import replace

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.web import addresses
from app.web.comparison import FIGURES
from app.web.match import Match, against_person
from app.web.numbers import count, percent
from app.web.pages.parts.learning import course
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
from app.web.world import World

BLUNDERS, LOSSES, TASK = KINDS = "blunders", "losses", "task"  # of FIGURES; the lab shows these
WON_VS_RANDOM = "Won vs Random"
GHOST = "soft"  # the ink of its line


class Part(NamedTuple):
    """Some words of a sentence, and where they lead, if anywhere."""

    text: str
    href: str = ""


class EndFigure(NamedTuple):
    """A number at the end of training, and the same of the ghost."""

    title: str
    text: str
    before: str  # "" without a ghost
    better: bool | None  # than the ghost; None if there is none or they are equal


def curves(world: World, name: str) -> dict[str, str]:
    """Return the curves that an agent has, with a title each; an opponent's id is one of them."""
    figures = world.agents[name].card.figures
    own = {kind: FIGURES[kind].short for kind in KINDS if kind != TASK or figures.task}
    return own | {opponent: f"vs {world.titles[opponent]}" for opponent in figures.vs}


def verdict(world: World, name: str) -> list[Part]:
    """Say in one sentence who can beat an agent."""
    lost = {seat: world.losing(name, player) for seat, player in SEATS.items()}
    if not any(record is not None for record in lost.values()):
        return [
            Part("Unbeatable: "),
            Part("proved as X", addresses.certificate(name, "x")),
            Part(" and "),
            Part("as O", addresses.certificate(name, "o")),
            Part("."),
        ]
    parts: list[Part] = []
    for seat, record in sorted(lost.items(), key=lambda item: item[1] is not None):
        mark = MARKS[SEATS[seat]]
        parts.append(Part("; " if parts else ""))
        if record is None:
            parts += [
                Part("unbeatable as "),
                Part(f"{mark}, proved", addresses.certificate(name, seat)),
            ]
        else:
            match = replace(against_person(name, SEATS[seat], record).at(0), lens=name)
            parts += [Part(f"as {mark} "), Part("this game beats it", addresses.play(match))]
    first = next(number for number, part in enumerate(parts) if part.text)
    parts[first] = parts[first]._replace(text=parts[first].text[0].upper() + parts[first].text[1:])
    return [part for part in [*parts, Part(".")] if part.text]


def sentence(parts: list[Part]) -> str:
    """Return a sentence as plain text."""
    return "".join(part.text for part in parts)


def figures(world: World, name: str, ghost: str) -> list[EndFigure]:
    """Return the figures at the end of training, beside those of a ghost if there is one."""
    mine = _numbers(world.agents[name].card)
    other = _numbers(world.agents[ghost].card) if ghost else {}
    return [
        EndFigure(
            title,
            text := _figure(title, value),
            before := _figure(title, other[title]) if other else "",
            None if before in ("", text) else (value < other[title]) == (title != WON_VS_RANDOM),
        )
        for title, value in mine.items()
    ]


def chart(world: World, name: str, ghost: str, curve: str, labels: tuple[str, str]) -> Charts:
    """Chart one figure of an agent over its training, and of a ghost if there is one."""
    mine = _lines(world.agents[name].card, curve)
    before = _lines(world.agents[ghost].card, curve) if ghost else {}
    places = sorted(
        {place for lines in (mine, before) for values in lines.values() for place in values}
    )
    lines = [
        Curve(OUTCOMES.get(kind, labels[0]), kind, [values.get(at) for at in places])
        for kind, values in mine.items()
        if kind != "draw" or not ghost  # four lines are enough
    ]
    lines += [
        Curve(
            f"{OUTCOMES[kind]}, {labels[1]}" if kind in OUTCOMES else labels[1],
            kind if kind in OUTCOMES else GHOST,
            [values.get(at) for at in places],
        )
        for kind, values in before.items()
        if kind != "draw"
    ]
    top = max(number.value for line in lines for number in line.numbers if number)
    title = FIGURES[curve].one if curve in FIGURES else f"Games against {world.titles[curve]}"
    unit = PERCENT if curve not in (BLUNDERS, TASK) else ""
    steps = {updates: step for step, updates in enumerate(world.agents[name].card.figures.updates)}
    views = [
        addresses.play(Match(o=name, lens=name, step=steps[place])) if place in steps else ""
        for place in places
    ]
    drawn = Chart(title, unit, 100 if unit else top or 1, lines)
    return laid_out("lab-curve", "Updates", places, [drawn], views)


def _lines(card: Card, curve: str) -> dict[str, dict[int, Number]]:
    """Return the lines of a curve by their kind: a number by the updates at each snapshot.

    Nothing where the card has no such figures.
    """
    figures = card.figures
    if curve not in figures.vs:
        values = course(card, curve)
        return {PLAIN[0]: values} if values else {}
    seats = zip(figures.vs[curve].x, figures.vs[curve].o, strict=True)
    both = [[(x + o) / 2 for x, o in zip(*pair, strict=True)] for pair in seats]
    return {
        kind: dict(zip(figures.updates, map(percentage, column), strict=True))
        for kind, column in zip(OUTCOMES, zip(*both, strict=True), strict=True)
    }


def _numbers(card: Card) -> dict[str, float]:
    """Return the figures of an agent by their titles."""
    random, worst = card.figures.vs["random"], card.figures.best_response
    return {
        "Blunders": card.figures.blunders[-1],
        "Lost to best responder as X": float(worst.x[-1][2]),
        "Lost to best responder as O": float(worst.o[-1][2]),
        WON_VS_RANDOM: (random.x[-1][0] + random.o[-1][0]) / 2,
    }


def _figure(title: str, value: float) -> str:
    return count(int(value)) if title == "Blunders" else f"{percent(value, 1)}%"
