"""Learning curves, and films of trainings.

A film shows how an agent changed during its training, with a frame for each snapshot. The frames
are rows of a table on the page, from which the script reads them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.tictactoe.card import Card
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.notation import MARKS, replay_record
from app.tictactoe.report import Chances, ChancesBySeat, Figures, RatesBySeat
from app.web.comparison import CURVE_TITLES, SourceSnapshot
from app.web.facts import BEST_RESPONDER
from app.web.formatting import (
    capitalize_first_letter,
    format_count,
    join_words,
    name_square,
)
from app.web.links.play import play_url
from app.web.match import Match, read_choice
from app.web.move_values import MoveValues, evaluate_moves
from app.web.pictures.curves import (
    CURVE_INKS,
    OUTCOME_PARTICIPLES,
    PERCENT_UNIT,
    Chart,
    Charts,
    Curve,
    LabelledNumber,
    build_percentage,
    lay_out_charts,
)
from app.web.pictures.minds import choose_decisions
from app.web.routes import Query
from app.web.site_data import SiteData, cached_per_site
from app.web.translation import gettext

MAX_NASH_CONV = 2.0
O_BLOCKS_RECORD, X_BLOCKS_RECORD = "024", "4082"
WIN_RATE_KEY = "win-rate"


def _build_plain_number(value: float) -> LabelledNumber:
    return LabelledNumber(round(value, 9), f"{value:.4g}")


# Each function returns a number for each snapshot, or [] if the agent has no such curve.
CURVE_BUILDERS: Mapping[str, Callable[[Figures], list[LabelledNumber]]] = {
    "blunders": lambda figures: [
        LabelledNumber(number, format_count(number)) for number in figures.blunders
    ],
    "losses": lambda figures: [
        build_percentage((x[2] + o[2]) / 2)
        for x, o in zip(figures.best_response.x, figures.best_response.o, strict=True)
    ],
    "nash-conv": lambda figures: [
        _build_plain_number(gain) for gain in figures.nash_conv
    ],
    "task": lambda figures: (
        [_build_plain_number(off) for off in figures.task_distance.mean_distance]
        if figures.task_distance
        else []
    ),
}


def parse_opponent(query: Query, card: Card) -> str:
    """Return the opponent in the query for the learning curves, by default the agent's first.

    Raises BadRequest, with a list of all opponents, if there is no such opponent.
    """
    there = list_card_opponents(card)
    return read_choice("against", query, there, next(iter(there)))


def list_card_opponents(card: Card) -> dict[str, ChancesBySeat]:
    """Return opponent -> results at each snapshot, the default opponent first."""
    return card.figures.outcome_chances_by_baseline | {
        BEST_RESPONDER: card.figures.best_response
    }


def get_opponent_title(site: SiteData, opponent: str) -> str:
    return (
        "its best responder"
        if opponent == BEST_RESPONDER
        else site.display_titles[opponent]
    )


def build_training_charts(site: SiteData, card: Card, opponent: str) -> Charts:
    figures = card.figures
    title = get_opponent_title(site, opponent)
    chances = list_card_opponents(card)[opponent]
    charts = [
        Chart(
            f"Results as {seat.upper()} against {title}",
            PERCENT_UNIT,
            100,
            _build_outcome_curves(getattr(chances, seat)),
        )
        for seat in SEATS
    ]
    blunders = Curve("Blunders", CURVE_INKS[0], [*CURVE_BUILDERS["blunders"](figures)])
    gains = Curve("NashConv", CURVE_INKS[0], [*CURVE_BUILDERS["nash-conv"](figures)])
    charts += [
        Chart("Blunders", "", max(figures.blunders) or 1, [blunders]),
        Chart("NashConv", "", MAX_NASH_CONV, [gains]),
    ]
    if off := figures.task_distance:
        lines = [
            Curve("mean, all moves", CURVE_INKS[0], [*CURVE_BUILDERS["task"](figures)]),
            Curve(
                "within reach",
                CURVE_INKS[1],
                [_build_plain_number(far) for far in off.mean_reachable_distance],
            ),
        ]
        top = max(*off.mean_distance, *off.mean_reachable_distance) or 1
        charts.append(
            Chart(
                "Mean difference from the exact values",
                "",
                top,
                lines,
            )
        )
    # None stands for the last snapshot, which the URL does not name.
    steps = [*range(len(figures.snapshot_updates) - 1), None]
    name = site.get_url_name(card)
    views = [
        play_url(Match(o=name, value_source=name, snapshot=step)) for step in steps
    ]
    return lay_out_charts(
        "learning", "Updates", figures.snapshot_updates, charts, views
    )


def build_win_rate_chart(rates: RatesBySeat) -> Charts:
    lines = [
        Curve(
            f"as {seat.upper()}",
            kind,
            [build_percentage(rate) for rate in getattr(rates, seat)],
        )
        for seat, kind in zip(SEATS, CURVE_INKS, strict=False)
    ]
    chart = Chart("Training games won", PERCENT_UNIT, 100, lines)
    epochs = range(1, len(rates.x) + 1)
    return lay_out_charts(WIN_RATE_KEY, "Epoch", epochs, [chart], is_logarithmic=False)


def build_comparison_chart(
    site: SiteData, views: Sequence[SourceSnapshot], curve_key: str
) -> Charts | None:
    """Return a learning curve for each agent in one chart, None if no agent has this curve."""
    inks = choose_inks(site, views)
    curves = {}
    for name in inks:
        figures = site.agents[name].card.figures
        values = CURVE_BUILDERS[curve_key](figures)
        if values:
            curves[name] = dict(zip(figures.snapshot_updates, values, strict=True))
    if not curves:
        return None
    places = sorted({place for values in curves.values() for place in values})
    lines = [
        Curve(
            site.display_titles[name],
            inks[name],
            [values.get(place) for place in places],
        )
        for name, values in curves.items()
    ]
    top = max(number.value for values in curves.values() for number in values.values())
    unit = PERCENT_UNIT if curve_key == "losses" else ""
    chart = Chart(CURVE_TITLES[curve_key].title_for_several, unit, top or 1, lines)
    return lay_out_charts("curves", "Updates", places, [chart])


def choose_inks(site: SiteData, views: Sequence[SourceSnapshot]) -> dict[str, str]:
    """Return agent -> colour of its curve, for at most as many agents as there are colours."""
    names = dict.fromkeys(
        view.value_source
        for view in views
        if site.agents.contains_name(view.value_source)
    )
    return dict(zip(names, CURVE_INKS, strict=False))


def _build_outcome_curves(chances: list[Chances]) -> list[Curve]:
    return [
        Curve(name, kind, [build_percentage(share) for share in column])
        for (kind, name), column in zip(
            OUTCOME_PARTICIPLES.items(), zip(*chances, strict=True), strict=True
        )
    ]


# A frame that looks like the next one is shown for a shorter time.
STILL_PAUSE_MS, MOVING_PAUSE_MS = (140, 560)
# The agent has learned to block if the best value is higher than all others by at least this. The
# distance from a draw to a win is 1.
MIN_CLEAR_LEAD = 0.3
CURVE_WIDTH, CURVE_HEIGHT = 100.0, 28.0


class FilmSquare(NamedTuple):
    """An empty square in a frame of a film, with the value of a move there."""

    cell: int
    # "" if the value is unknown
    value_text: str
    # None if the value is unknown
    heat: int | None
    is_best: bool


class FilmFrame(NamedTuple):
    """The state of one or more agents at a moment of their training."""

    update_text: str
    # number of positions in which the agent blunders
    blunder_text: str
    # by cell; empty if the film shows no board
    squares: dict[int, FilmSquare]
    caption: str
    pause_ms: int
    # x coordinate on the curve of blunders, from 0 to CURVE_WIDTH
    curve_x: float


class Film(NamedTuple):
    """The training of one or more agents, frame by frame.

    A film of one agent can show a board with its values.
    """

    title: str
    frames: list[FilmFrame]
    # (colour of CURVE_INKS, SVG path) for each agent
    curve_paths: list[tuple[str, str]]
    # names of the empty squares, by cell; empty if the film shows no board
    square_names: dict[int, str]
    # "X", "O" or "." by cell; [] if the film shows no board
    marks: list[str]
    # "X" or "O"; "" if the film shows no board
    mover: str

    @property
    def last_frame(self) -> int:
        return len(self.frames) - 1


def find_block_record(site: SiteData, agent_name: str) -> str:
    """Return the moves to a position in which the player to move must block a line.

    It is X if the agent learned only as X, otherwise O.
    """
    seat = getattr(site.get_recipe(agent_name), "seat", "both")
    return X_BLOCKS_RECORD if seat == "x" else O_BLOCKS_RECORD


def _build_square(move_values: MoveValues, cell: int) -> FilmSquare:
    if not move_values.is_known[cell]:
        return FilmSquare(cell, "", None, move_values.is_best[cell])
    return FilmSquare(
        cell,
        move_values.value_texts[cell],
        move_values.heats[cell],
        move_values.is_best[cell],
    )


@cached_per_site(16, per_language=True)
def build_position_film(site: SiteData, agent_name: str, record: str) -> Film:
    """Return the film of an agent's values in a position where only a block is right.

    Raises the errors of `replay_record`.
    """
    last = site.get_last_snapshot(agent_name)
    position = replay_record(GAME, record)[-1]
    values_by_snapshot = [
        evaluate_moves(
            site, position, agent_name, site.get_snapshot_parameter(agent_name, step)
        )
        for step in range(last + 1)
    ]
    cells = np.flatnonzero(GAME.legal[position]).tolist()
    frames = [
        {cell: _build_square(view, cell) for cell in cells}
        for view in values_by_snapshot
    ]
    captions = [describe_block(site, position, view) for view in values_by_snapshot]
    return _build_film(site, agent_name, frames, captions)._replace(
        square_names={
            cell: capitalize_first_letter(name_square(cell)) for cell in cells
        },
        marks=[MARKS[stone] for stone in GAME.board[position].tolist()],
        mover=MARKS[int(GAME.to_move[position])],
    )


@cached_per_site(16, per_language=True)
def build_agent_film(site: SiteData, agent_name: str) -> Film:
    """Return the film of an agent's blunders and learned values, without a board."""
    known = choose_decisions(site, agent_name)[1].sum(axis=1).tolist()
    total = format_count(len(site.tile_layout.decisions))
    captions = [
        gettext(
            "Values learned in %(known)s of %(total)s positions.",
            known=format_count(number),
            total=total,
        )
        for number in known
    ]
    return _build_film(site, agent_name, [{} for _ in known], captions)


@cached_per_site(16, per_language=True)
def build_agents_film(site: SiteData, agent_names: tuple[str, ...]) -> Film:
    """Return one film for several agents, whose trainings all end in the last frame."""
    films = [build_agent_film(site, name) for name in agent_names]
    tables = [site.agents[name].card.figures.blunders for name in agent_names]
    worst = max(1, *(max(table) for table in tables))
    last = max(film.last_frame for film in films)
    moments = zip(
        *(align_snapshots(film.last_frame, last) for film in films), strict=True
    )
    frames = [
        build_agents_frame(site, agent_names, steps)._replace(
            curve_x=compute_frame_x(number, last)
        )
        for number, steps in enumerate(moments)
    ]
    title = join_words([film.title for film in films])
    curves = [
        (ink, _build_blunder_path(table, worst))
        for ink, table in zip(CURVE_INKS, tables, strict=False)
    ]
    return Film(title, frames, curves, {}, [], "")


def build_agents_frame(
    site: SiteData, agent_names: Sequence[str], snapshots: Sequence[int]
) -> FilmFrame:
    films = [build_agent_film(site, name) for name in agent_names]
    moments = [film.frames[step] for film, step in zip(films, snapshots, strict=True)]
    both = zip(films, moments, strict=True)
    return FilmFrame(
        update_text=" / ".join(moment.update_text for moment in moments),
        blunder_text=" / ".join(moment.blunder_text for moment in moments),
        squares={},
        caption=" ".join(f"{film.title}: {moment.caption}" for film, moment in both),
        pause_ms=max(moment.pause_ms for moment in moments),
        curve_x=0.0,
    )


def align_snapshots(last_snapshot: int, last_frame: int) -> list[int]:
    """Return the snapshot of an agent in each frame of a longer or shorter film.

    Frames are numbered 0 to `last_frame`, snapshots 0 to `last_snapshot`.
    """
    return [
        round(frame * last_snapshot / max(1, last_frame))
        for frame in range(last_frame + 1)
    ]


def describe_block(site: SiteData, position: int, move_values: MoveValues) -> str:
    right = site.is_move_correct[position]
    if not any(move_values.is_known):
        return gettext("The program has learned no value here yet.")
    if len(move_values.likeliest_cells) > 1:
        return gettext("The program still plays almost at random.")
    if not right[move_values.likeliest_cells[0]]:
        if move_values.is_stochastic:
            return gettext("The program mostly plays ★, a losing move.")
        return gettext("The program would play ★, a losing move.")
    values = np.sort(move_values.scaled_values[GAME.legal[position]])
    if values[-1] - values[-2] < MIN_CLEAR_LEAD:
        return gettext("The program begins to block.")
    return gettext("The program has learned to block.")


def _build_film(
    site: SiteData,
    agent_name: str,
    squares_by_frame: list[dict[int, FilmSquare]],
    captions_by_frame: list[str],
) -> Film:
    agent = site.agents[agent_name]
    blunders = agent.card.figures.blunders
    updates = agent.snapshot_updates.tolist()
    last = len(updates) - 1
    return Film(
        title=agent.card.title,
        frames=[
            FilmFrame(
                update_text=format_count(updates[step]),
                blunder_text=format_count(blunders[step]),
                squares=squares_by_frame[step],
                caption=captions_by_frame[step],
                pause_ms=_choose_pause_ms(squares_by_frame, captions_by_frame, step),
                curve_x=compute_frame_x(step, last),
            )
            for step in range(last + 1)
        ],
        curve_paths=[(CURVE_INKS[0], _build_blunder_path(blunders, max(1, *blunders)))],
        square_names={},
        marks=[],
        mover="",
    )


def compute_frame_x(frame_index: int, last_frame: int) -> float:
    """Return the x coordinate of a frame on the curve, from 0 to CURVE_WIDTH."""
    return round(CURVE_WIDTH * frame_index / max(1, last_frame), 2)


def _build_blunder_path(blunder_counts: Sequence[int], maximum: int) -> str:
    points = []
    for i, number in enumerate(blunder_counts):
        x = compute_frame_x(i, len(blunder_counts) - 1)
        y = round(CURVE_HEIGHT * (1 - number / maximum), 2)
        points.append(f"{x:g} {y:g}")
    return "M" + "L".join(points)


def _choose_pause_ms(
    squares_by_frame: list[dict[int, FilmSquare]],
    captions_by_frame: list[str],
    frame_index: int,
) -> int:
    after = min(frame_index + 1, len(squares_by_frame) - 1)
    shown = (squares_by_frame[frame_index], captions_by_frame[frame_index])
    return (
        STILL_PAUSE_MS
        if shown == (squares_by_frame[after], captions_by_frame[after])
        else MOVING_PAUSE_MS
    )
