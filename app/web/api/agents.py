"""The agents and baselines in the API."""

from typing import Annotated

from msgspec import Meta, Struct

from app.tictactoe.card import Card
from app.tictactoe.report import BySeat, Chances
from app.web.agents import address
from app.web.api.answers import SIDES, Address, Chance, Mark
from app.web.match import Match, build
from app.web.players import Players, losing


class Outcomes(Struct, frozen=True):
    """How likely a game is to end each way, from the agent's own side."""

    win: Annotated[Chance, Meta(description="Chance that the agent wins.")]
    draw: Annotated[Chance, Meta(description="Chance of a draw.")]
    loss: Annotated[Chance, Meta(description="Chance that the agent loses.")]


class Seats(Struct, frozen=True):
    """The same of an agent in both seats."""

    x: Annotated[Outcomes, Meta(description="As X, who begins.")]
    o: Annotated[Outcomes, Meta(description="As O.")]


class Summary(Struct, frozen=True):
    """An agent in short; every figure is exact and of its greedy play."""

    id: Annotated[str, Meta(description="Its name in addresses.")]
    title: Annotated[str, Meta(description="Its name for people.")]
    origin: Annotated[str, Meta(description="Where its kind was found.")]
    algorithm: Annotated[str, Meta(description="How it learned.")]
    updates: Annotated[int, Meta(description="Updates of its table in training.")]
    unbeatable_as: Annotated[
        list[Mark], Meta(description="The seats in which it is proved that nobody ever beats it.")
    ]
    blunders: Annotated[
        int,
        Meta(description="Positions, of all 4,520 decisions, whose value its move can give away."),
    ]
    against_random: Annotated[Seats, Meta(description="Against random moves.")]
    against_best_responder: Annotated[
        Seats, Meta(description="Against the strongest opponent of this very agent.")
    ]
    href: Annotated[Address, Meta(description="Its whole card, in this API.")]
    page: Annotated[Address, Meta(description="Its page.")]
    play: Annotated[Address, Meta(description="The board to play against it.")]


class Baseline(Struct, frozen=True):
    """A player that follows a rule and never learned anything."""

    id: Annotated[str, Meta(description="Its name in addresses.")]
    title: Annotated[str, Meta(description="Its name for people.")]
    play: Annotated[Address, Meta(description="The board to play against it.")]


class Agents(Struct, frozen=True):
    """Everybody who can play."""

    agents: Annotated[list[Summary], Meta(description="Those who learned.")]
    baselines: Annotated[list[Baseline], Meta(description="Those who follow a rule.")]


class Agent(Struct, frozen=True):
    """One agent with everything there is to know of it besides its arrays."""

    summary: Annotated[Summary, Meta(description="The agent in short.")]
    card: Annotated[Card, Meta(description="Its card, as it lies beside its arrays.")]


def everybody(players: Players) -> Agents:
    """List who can play, each agent with its key figures."""
    return Agents(
        agents=[summary(players, id) for id in players.agents],
        baselines=[
            Baseline(id, players.titles[id], build(Match(o=id)))
            for id in players.policies
            if id not in players.agents
        ],
    )


def agent(players: Players, id: str) -> Agent:
    """Tell everything of an agent."""
    return Agent(summary(players, id), players.agents[id].card)


def summary(players: Players, id: str) -> Summary:
    """Tell the key figures of an agent as shipped."""
    card = players.agents[id].card
    return Summary(
        id=id,
        title=card.title,
        origin=card.origin,
        algorithm=card.algorithm,
        updates=card.updates,
        unbeatable_as=[SIDES[seat] for seat in SIDES if losing(players, id, seat) is None],
        blunders=card.figures.blunders[-1],
        against_random=_as_shipped(card.figures.vs["random"]),
        against_best_responder=_as_shipped(card.figures.best_response),
        href=f"/api/v1/agents/{id}",
        page=address(id),
        play=build(Match(o=id)),
    )


def _as_shipped(figures: BySeat[Chances]) -> Seats:
    return Seats(Outcomes(*figures.x[-1]), Outcomes(*figures.o[-1]))
