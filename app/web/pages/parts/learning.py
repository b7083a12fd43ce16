"""The training of agents as charts of exact figures, and as films.

A film is a replay of a training with a frame for each snapshot. Its numbers are a table
on the page, which the script reads.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS, replay_record
from app.tictactoe.report import Chances, ChancesBySeat, Figures, RatesBySeat
from app.web import urls
from app.web.comparison import FIGURES, View
from app.web.facts import BEST_RESPONDER
from app.web.formatting import format_count, join_words, name_square_briefly
from app.web.match import Match, read_word
from app.web.move_values import MoveValues, evaluate_moves
from app.web.pictures.curves import (
    OUTCOMES,
    PERCENT,
    PLAIN,
    Chart,
    Charts,
    Curve,
    Number,
    build_percentage,
    lay_out_charts,
)
from app.web.pictures.minds import choose_decisions
from app.web.site_data import SiteData, cached_per_site
from app.web.translation import gettext

NASH_CONV_AT_WORST = 2.0
WON = "win-rate"  # id of the curve of games won during training


def _build_number(value: float) -> Number:
    return Number(round(value, 9), f"{value:.4g}")


# By figure of FIGURES, what the curve of an agent has at each snapshot; nothing where it has none.
COURSES: Mapping[str, Callable[[Figures], list[Number]]] = {
    "blunders": lambda figures: [
        Number(number, format_count(number)) for number in figures.blunders
    ],
    "losses": lambda figures: [
        build_percentage((x[2] + o[2]) / 2)
        for x, o in zip(figures.best_response.x, figures.best_response.o, strict=True)
    ],
    "nash-conv": lambda figures: [_build_number(gain) for gain in figures.nash_conv],
    "task": lambda figures: (
        [_build_number(off) for off in figures.task.mean] if figures.task else []
    ),
}


def parse_against(query: Mapping[str, str], card: Card) -> str:
    """Return the opponent of the curves in a URL; by default the first opponent of the card.

    Raises BadRequest, naming the known opponents, for any other opponent.
    """
    there = list_opponents(card)
    return read_word("against", query, there, next(iter(there)))


def list_opponents(card: Card) -> dict[str, ChancesBySeat]:
    """Return the chances against each opponent of a card, at each snapshot; the default is first."""
    return card.figures.vs | {BEST_RESPONDER: card.figures.best_response}


def name_opponent(site: SiteData, opponent: str) -> str:
    """Return the name of an opponent of a card."""
    return "its best responder" if opponent == BEST_RESPONDER else site.titles[opponent]


def chart_training(site: SiteData, card: Card, opponent: str) -> Charts:
    """Return charts of the exact figures at every snapshot, over the number of updates."""
    figures = card.figures
    title = name_opponent(site, opponent)
    chances = list_opponents(card)[opponent]
    charts = [
        Chart(
            f"As {seat.upper()} against {title}",
            PERCENT,
            100,
            _build_outcome_curves(getattr(chances, seat)),
        )
        for seat in SEATS
    ]
    blunders = Curve("Blunders", PLAIN[0], [*COURSES["blunders"](figures)])
    gains = Curve("NashConv", PLAIN[0], [*COURSES["nash-conv"](figures)])
    charts += [
        Chart("Blunders", "", max(figures.blunders) or 1, [blunders]),
        Chart("NashConv", "", NASH_CONV_AT_WORST, [gains]),
    ]
    if off := figures.task:
        lines = [
            Curve("mean, all moves", PLAIN[0], [*COURSES["task"](figures)]),
            Curve(
                "within reach",
                PLAIN[1],
                [_build_number(far) for far in off.mean_reached],
            ),
        ]
        top = max(*off.mean, *off.mean_reached) or 1
        charts.append(
            Chart(
                "Mean difference from the exact values of its training task",
                "",
                top,
                lines,
            )
        )
    # the last one is the agent as shipped
    steps = [*range(len(figures.updates) - 1), None]
    name = site.name_for_url(card)
    views = [urls.play(Match(o=name, lens=name, step=step)) for step in steps]
    return lay_out_charts("learning", "Updates", figures.updates, charts, views)


def chart_wins(rates: RatesBySeat) -> Charts:
    """Return a chart of the share of training games won in each epoch."""
    lines = [
        Curve(
            f"as {seat.upper()}",
            kind,
            [build_percentage(rate) for rate in getattr(rates, seat)],
        )
        for seat, kind in zip(SEATS, PLAIN, strict=False)
    ]
    chart = Chart("Training games won", PERCENT, 100, lines)
    epochs = range(1, len(rates.x) + 1)
    return lay_out_charts(WON, "Epoch", epochs, [chart], logarithmic=False)


def chart_comparison(
    site: SiteData, views: Sequence[View], figure: str
) -> Charts | None:
    """Return a chart of one of FIGURES for the agents among the views; None without the figure."""
    inks = choose_inks(site, views)
    figures = {name: site.agents[name].card.figures for name in inks}
    curves = {
        name: dict(zip(own.updates, values, strict=True))
        for name, own in figures.items()
        if (values := COURSES[figure](own))
    }
    if not curves:
        return None
    places = sorted({place for values in curves.values() for place in values})
    lines = [
        Curve(site.titles[name], inks[name], [values.get(place) for place in places])
        for name, values in curves.items()
    ]
    top = max(number.value for values in curves.values() for number in values.values())
    unit = PERCENT if figure == "losses" else ""
    chart = Chart(FIGURES[figure].several, unit, top or 1, lines)
    return lay_out_charts("curves", "Updates", places, [chart])


def choose_inks(site: SiteData, views: Sequence[View]) -> dict[str, str]:
    """Return the colour of each agent among the views, the same in every chart."""
    names = dict.fromkeys(view.lens for view in views if site.agents.knows(view.lens))
    return dict(zip(names, PLAIN, strict=False))


def _build_outcome_curves(chances: list[Chances]) -> list[Curve]:
    return [
        Curve(name, kind, [build_percentage(share) for share in column])
        for (kind, name), column in zip(
            OUTCOMES.items(), zip(*chances, strict=True), strict=True
        )
    ]


# milliseconds to the next frame: if nothing changes, if something changes
STILL, MOVING = (140, 560)
SURE = 0.3  # of the way from a draw to a win: how far ahead the best square has to be
WIDTH, HEIGHT = 100.0, 28.0  # size of the curve of wrong positions


class FilmSquare(NamedTuple):
    """An empty cell in a frame."""

    cell: int
    text: str  # "" where nothing is known of it
    heat: int | None  # None likewise
    best: bool


class Frame(NamedTuple):
    """The values of an agent at a snapshot."""

    updates: str
    blunders: str  # positions in which it errs
    # cell -> its square; empty if the film shows no board
    squares: dict[int, FilmSquare]
    caption: str
    pause: int  # milliseconds until the next frame
    x: float  # on the curve


class Film(NamedTuple):
    """All snapshots of an agent, at one position or at all positions."""

    title: str
    frames: list[Frame]
    # for each agent: a colour of PLAIN, and the SVG path of its curve
    curves: list[tuple[str, str]]
    # cell -> name of each empty cell; empty if no board is shown
    places: dict[int, str]
    stones: list[str]  # "X", "O" or "." for each cell; [] if no board is shown
    mover: str  # the player to move; "" if no board is shown

    @property
    def last(self) -> int:
        """The number of the last frame, which shows the agent as shipped."""
        return len(self.frames) - 1


@cached_per_site(16, per_language=True)
def film_position(site: SiteData, name: str, record: str) -> Film:
    """Return the film of an agent's values in one decision.

    Raises ValueError or IllegalMoveError as `replay` does.
    """
    game = site.game
    last = site.get_last_step(name)
    position = replay_record(game, record)[-1]
    opinions = [
        evaluate_moves(site, position, name, site.step_for_url(name, step))
        for step in range(last + 1)
    ]
    cells = np.flatnonzero(game.legal[position]).tolist()
    frames = [
        {
            cell: FilmSquare(
                cell,
                view.texts[cell] if view.known[cell] else "",
                view.heat[cell] if view.known[cell] else None,
                view.best[cell],
            )
            for cell in cells
        }
        for view in opinions
    ]
    captions = [describe_block(site, position, view) for view in opinions]
    return _build_film(site, name, frames, captions)._replace(
        places={cell: name_square_briefly(game, cell).capitalize() for cell in cells},
        stones=[MARKS[stone] for stone in game.board[position].tolist()],
        mover=MARKS[int(game.to_move[position])],
    )


@cached_per_site(16, per_language=True)
def film_all_positions(site: SiteData, name: str) -> Film:
    """Return the film of an agent's values in all positions."""
    known = choose_decisions(site, name).known.sum(axis=1).tolist()
    total = format_count(len(site.tiles.decision))
    captions = [
        gettext(
            "It knows %(known)s of %(total)s positions.",
            known=format_count(number),
            total=total,
        )
        for number in known
    ]
    return _build_film(site, name, [{} for _ in known], captions)


@cached_per_site(16, per_language=True)
def film_agents(site: SiteData, names: tuple[str, ...]) -> Film:
    """Return the film of several agents, each from the start of its training to the end."""
    films = [film_all_positions(site, name) for name in names]
    tables = [site.agents[name].card.figures.blunders for name in names]
    worst = max(1, *(max(table) for table in tables))
    last = max(film.last for film in films)
    moments = zip(*(match_steps(film.last, last) for film in films), strict=True)
    frames = [
        build_agents_frame(site, names, steps)._replace(x=_place_frame(number, last))
        for number, steps in enumerate(moments)
    ]
    title = join_words([film.title for film in films])
    curves = [
        (ink, _outline_blunders(table, worst))
        for ink, table in zip(PLAIN, tables, strict=False)
    ]
    return Film(title, frames, curves, {}, [], "")


def build_agents_frame(
    site: SiteData, names: Sequence[str], steps: Sequence[int]
) -> Frame:
    """Return the frame with each agent at a step of its own."""
    films = [film_all_positions(site, name) for name in names]
    moments = [film.frames[step] for film, step in zip(films, steps, strict=True)]
    both = zip(films, moments, strict=True)
    return Frame(
        updates=" / ".join(moment.updates for moment in moments),
        blunders=" / ".join(moment.blunders for moment in moments),
        squares={},
        caption=" ".join(f"{film.title}: {moment.caption}" for film, moment in both),
        pause=max(moment.pause for moment in moments),
        x=0.0,
    )


def match_steps(last: int, longest: int) -> list[int]:
    """Return the snapshot, from 0 to `last`, that each of the frames 0 to `longest` shows."""
    return [round(frame * last / max(1, longest)) for frame in range(longest + 1)]


def describe_block(site: SiteData, position: int, view: MoveValues) -> str:
    """Return a sentence on an agent's move in a position where only a block is right."""
    right = site.right[position]
    if not any(view.known):
        return gettext("No idea: it has learned nothing here yet.")
    if len(view.plays) > 1:
        return gettext("It has tried little here, and still plays almost at random.")
    if not right[view.plays[0]]:
        if view.draws:
            return gettext(
                "It draws the square with the star most often, and that loses."
            )
        return gettext("It would play the square with the star, and that loses.")
    values = np.sort(view.scaled[site.game.legal[position]])
    if values[-1] - values[-2] < SURE:
        return gettext("It begins to prefer the block, but is not sure yet.")
    return gettext("It has learned to block.")


def _build_film(
    site: SiteData, name: str, squares: list[dict[int, FilmSquare]], captions: list[str]
) -> Film:
    """Return a film without a board, from the squares and captions of its frames."""
    agent = site.agents[name]
    blunders = agent.card.figures.blunders
    updates = agent.snapshot_updates.tolist()
    last = len(updates) - 1
    return Film(
        title=agent.card.title,
        frames=[
            Frame(
                updates=format_count(updates[step]),
                blunders=format_count(blunders[step]),
                squares=squares[step],
                caption=captions[step],
                pause=_choose_pause(squares, captions, step),
                x=_place_frame(step, last),
            )
            for step in range(last + 1)
        ],
        curves=[(PLAIN[0], _outline_blunders(blunders, max(1, *blunders)))],
        places={},
        stones=[],
        mover="",
    )


def _place_frame(step: int, last: int) -> float:
    """Return the place of a frame on the slider; an agent without updates has a single frame."""
    return round(WIDTH * step / max(1, last), 2)


def _outline_blunders(blunders: Sequence[int], worst: int) -> str:
    """Return the outline of the number of blunders by snapshot, from `worst` at the top to 0."""
    ys = (round(HEIGHT * (1 - number / worst), 2) for number in blunders)
    return "M" + "L".join(
        f"{_place_frame(i, len(blunders) - 1):g} {y:g}" for i, y in enumerate(ys)
    )


def _choose_pause(
    squares: list[dict[int, FilmSquare]], captions: list[str], step: int
) -> int:
    after = min(step + 1, len(squares) - 1)
    same = squares[step] == squares[after] and captions[step] == captions[after]
    return STILL if same else MOVING
