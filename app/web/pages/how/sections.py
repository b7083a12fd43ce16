"""What is explained besides the algorithms, each of which brings its own section."""

import numpy as np

from app.sources import sources
from app.tictactoe.game import SEATS
from app.tictactoe.notation import replay
from app.web.algorithms import ALGORITHMS
from app.web.algorithms.algorithm import Section, seen_by
from app.web.algorithms.formula import Formula
from app.web.numbers import count, percent
from app.web.world import World

RARELY_BEATEN, OFTEN_BEATEN = "q-learning-2", "q-learning-1"  # by random moves


def _odds(world: World) -> dict[str, object]:
    """Say how often a learner of the league draws its best move for each move worth 0."""
    start = EXPLORATION.start
    if start.lens not in world.always:
        return {"powers": POWERS}
    row = world.agents[start.lens].q[replay(world.game, start.record)[-1]]
    limit = float(getattr(world.recipe(start.lens), "k_limit"))  # noqa: B009 - of this algorithm
    odds = count(round(limit ** float(np.nanmax(row))))
    return {"powers": POWERS, "limit": f"{limit:g}", "odds": odds}


def _unnoticed(world: World) -> dict[str, object]:
    """Say how likely it is that a rare loss is not seen in so many games."""
    seat = _beaten_seat(world, RARELY_BEATEN)
    if not seat:
        return {}
    loss = getattr(world.agents[RARELY_BEATEN].card.figures.vs["random"], seat)[-1][2]
    unseen = {games: percent((1 - loss) ** games) for games in (100, 1000)}
    return {"mark": seat.upper(), "loss": percent(loss), "unseen": unseen}


def _beaten(world: World) -> dict[str, object]:
    """Say how often an agent beats random moves that a best responder beats in every game."""
    name = OFTEN_BEATEN
    seat = _beaten_seat(world, name)
    if not seat:
        return {}
    wins = getattr(world.agents[name].card.figures.vs["random"], seat)[-1][0]
    return {"mark": seat.upper(), "wins": percent(wins)}


def _beaten_seat(world: World, name: str) -> str:
    """Name a seat in which an agent loses every game to its best responder, "" without one."""
    if name not in world.always:
        return ""
    worst = world.agents[name].card.figures.best_response
    return next((seat for seat in SEATS if getattr(worst, seat)[-1][2] == 1), "")


POWERS = Formula(
    (r"P(a) = \frac{k^{Q(s, a)}}{\sum_b k^{Q(s, b)}}",),
    {
        "P": "the probability that a move is played",
        "k": "how sharp the choice is",
        "Q": "the table",
        "a": "the move",
        "b": "every legal move in turn, a too",
    },
    "powers of k",
)
ACTION_VALUES = Section(
    title="Positions, moves, values",
    start=seen_by("q-learning-4", "1043"),
    sources=sources("sutton-barto-2018", "watkins-1989"),
    formula=Formula(
        (
            r"Q^*(s, a) = \sum_{s', r} p(s', r \mid s, a) "
            r"\left[ r + \gamma \max\limits_{a'} Q^*(s', a') \right]",
        ),
        {
            "Q*": "the action values of the best policy",
            "p": "the transition probability: how likely the opponent’s answer leads there",
        },
    ),
)
EXPLORATION = Section(
    title="Exploration",
    start=seen_by("symmetric", "34678"),
    sources=sources("sutton-barto-2018", "hernandez"),
    formula=Formula(
        (
            r"P(a) = \frac{\varepsilon}{n} + \begin{cases} \frac{1 - \varepsilon}{m} & "
            r"\text{for a best move} \\ 0 & \text{for the others} \end{cases}",
        ),
        {
            "P": "the probability that a move is played",
            "a": "the move",
            "ε": "the exploration rate: the probability to play at random",
            "n": "how many moves are legal",
            "m": "how many of them have the highest value",
        },
        "ε-greedy",
    ),
    facts=_odds,
)
BEST_RESPONSE = Section(
    title="The best responder",
    start=seen_by("q-learning-2", "5"),
    sources=sources("lanctot-2017"),
    formula=Formula(
        (
            r"b(s) = \begin{cases} \max\limits_{s'} b(s') & \text{its own move} \\ "
            r"\sum_{s'} \pi(s' \mid s) b(s') & \text{the agent’s} \end{cases}",
        ),
        {
            "b": "what the responder may expect: 1 for its win, −1 for its loss",
            "s′": "a position that a move leads to",
            "π": "the agent’s policy: the probability that it moves there",
        },
    ),
    facts=_beaten,
)
NASH_CONV = Section(
    title="NashConv, and what a proof needs",
    start=seen_by("self-play", "865243", 15),
    sources=sources("lanctot-2017"),
    formula=Formula(
        (r"\text{NashConv} = b_{\mathrm O} + b_{\mathrm X}",),
        {"b": "what the best responder expects to gain, as O against the agent as X, and as X"},
    ),
)
EXACT = Section(
    title="Why nothing is sampled",
    start=seen_by("q-learning-1", "357"),
    sources=sources("garcia-1990"),
    formula=Formula(
        (r"P = {(1 - p)}^n",),
        {
            "P": "the chance to see none",
            "p": "the chance of a loss in one game",
            "n": "how many games are played",
        },
    ),
    facts=_unnoticed,
)

SECTIONS: dict[str, Section] = {
    "action-values": ACTION_VALUES,
    **{slug: algorithm.section for slug, algorithm in ALGORITHMS.items()},
    "exploration": EXPLORATION,
    "best-response": BEST_RESPONSE,
    "nash-conv": NASH_CONV,
    "exact": EXACT,
}
