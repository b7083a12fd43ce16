"""The sections of the page that explains, and the facts that their texts are filled with."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.tictactoe.card import Card
from app.tictactoe.notation import replay
from app.web import algorithms, words
from app.web.lens import match_opinion
from app.web.match import Match
from app.web.numbers import count
from app.web.players import HUMAN, Players


class Section(NamedTuple):
    """What a part of the page is called, and the position that shows its point."""

    title: str
    start: Match


def _seen_by(lens: str, record: str, step: int | None = None) -> Match:
    return Match(record, o=HUMAN, lens=lens, step=step)


SECTIONS = {
    "action-values": Section("Positions, moves, values", _seen_by("q-learning-4", "1043")),
    "minimax": Section("Minimax: the truth", _seen_by("truth", "6587")),
    "q-iteration": Section("Q-iteration with sticky losses", _seen_by("q-iteration", "4")),
    "q-learning": Section("Q-learning", _seen_by("q-learning-1", "0")),
    "exploration": Section("Exploration", _seen_by("symmetric", "54687")),
    "afterstates": Section("Afterstates, backward over the game", _seen_by("q-table", "4")),
    "double-q": Section("Double Q-learning", _seen_by("double-q", "0")),
    "self-play": Section("Self-play with one shared table", _seen_by("self-play", "4")),
    "mitchell": Section("Q-learning for uncertain worlds", _seen_by("observing-symmetric", "487")),
    "dqn": Section("Deep Q-learning", _seen_by("dqn-vs-random", "485")),
    "champion": Section("The champion: at least and at most", _seen_by("champion", "2045", 8)),
    "best-response": Section("The best responder", _seen_by("q-learning-2", "048")),
    "nash-conv": Section("NashConv, and what a proof needs", _seen_by("double-q", "413562", 9)),
    "exact": Section("Why nothing is sampled", _seen_by("q-learning-1", "61")),
}


def boards(players: Players) -> list[str]:
    """List the sections whose position can be shown: the agent that it is about is there."""
    return [id for id, section in SECTIONS.items() if _can_be_seen(players, section.start)]


class Start(NamedTuple):
    """What the text of a section says of its first position, cell by cell."""

    values: list[str]
    tries: list[str]  # how often training updated the value


def start(players: Players, id: str, lens: str = "") -> Start:
    """Say what an agent thinks where a section's board begins: its own, or another one."""
    match = SECTIONS[id].start
    match = replace(match, lens=lens) if lens else match
    position = replay(players.game, match.record)[-1]
    tries = players.agents[match.lens].visits[position].tolist()
    return Start(match_opinion(match, players, position).texts, [count(number) for number in tries])


def made(players: Players, id: str) -> list[Card]:
    """List the agents that a section's algorithm made."""
    cards = [agent.card for agent in players.agents.values()]
    return [card for card in cards if algorithms.section(card) == id]


def parameters(players: Players, name: str) -> Mapping[str, bool | int | float | str]:
    """Return the parameters of an agent's training, none of an agent that is not there."""
    return players.agents[name].card.parameters if name in players.agents else {}


def legend(players: Players, id: str) -> words.Legend:
    """Explain the colours of a section's board as it begins."""
    match = SECTIONS[id].start
    position = replay(players.game, match.record)[-1]
    return words.legend(match, players, match_opinion(match, players, position))


def counts(players: Players) -> dict[str, str]:
    """Count the positions of the game in several ways."""
    game = players.game
    numbers = {
        "positions": game.positions,
        "decisions": game.decisions,
        "pairs": int(game.legal.sum()),
        "afterstates": len(np.unique(game.symmetry_class)) - 1,  # nothing makes the empty board
    }
    return {name: count(number) for name, number in numbers.items()}


def odds(players: Players, id: str, cell: int) -> str:
    """Say how often a learner of the league, in the end, draws a cell for each move worth 0."""
    match = SECTIONS[id].start
    agent = players.agents[match.lens]
    value = float(agent.q[replay(players.game, match.record)[-1], cell])
    return count(round(float(agent.card.parameters["k_limit"]) ** value))


def unnoticed(chance: float, games: int) -> float:
    """Return the chance that something is not seen in so many games, from its chance in one."""
    return float((1 - chance) ** games)


def _can_be_seen(players: Players, match: Match) -> bool:
    if match.step is None:
        return match.lens in players.lenses
    return match.lens in players.agents and match.step <= players.last_step(match.lens)
