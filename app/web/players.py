"""Everybody who can sit at the board, loaded once when the server starts."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from flask import current_app
from numpy.typing import NDArray

from app.tictactoe.agents import Agent, load_all
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import BASELINES, Policy, best_moves, greedy, optimal_q
from app.tictactoe.report import losing_game
from app.tictactoe.values import Solution, optimal

HUMAN = "human"
TRUTH = "truth"


@dataclass(frozen=True, eq=False)
class Players:
    """The game, its agents and baselines, and the truth about it; read-only."""

    game: Game
    agents: dict[str, Agent]
    policies: dict[str, Policy]  # of every agent and baseline, [D, cells]
    titles: dict[str, str]  # of every seat and lens
    solution: Solution
    true_values: NDArray[np.float64]  # [D, cells] mover's view, -1, 0 or +1
    right: NDArray[np.bool_]  # [D, cells] the moves that keep what a decision is worth

    def last_step(self, lens: str) -> int:
        """Return the last snapshot of an agent, which is the agent as shipped."""
        return len(self.agents[lens].snapshot_q) - 1

    @property
    def seats(self) -> list[str]:
        """Who can sit at the board."""
        return [HUMAN, *self.policies]

    @property
    def lenses(self) -> list[str]:
        """Whose values a board can show."""
        return [*self.agents, TRUTH]


def load_players(models: Path) -> Players:
    """Load and check every model of a folder.

    Raises ModelError, naming the file and the reason, if one of them is broken.
    """
    game = connect()
    agents = load_all(models, game)
    return Players(
        game=game,
        agents=agents,
        policies={name: greedy(agent.q) for name, agent in agents.items()}
        | {name: baseline.policy(game) for name, baseline in BASELINES.items()},
        titles={HUMAN: "Human", TRUTH: "The truth"}
        | {name: agent.card.title for name, agent in agents.items()}
        | {name: baseline.title for name, baseline in BASELINES.items()},
        solution=optimal(game),
        true_values=optimal_q(game),
        right=best_moves(game),
    )


@lru_cache
def losing(players: Players, name: str, player: int) -> str | None:
    """Return the likeliest game that beats an agent as X (+1) or O (-1), None if nothing does."""
    return losing_game(players.game, players.policies[name], player)


def players() -> Players:
    """Return the players of the app that is answering."""
    loaded: Players = current_app.extensions["players"]
    return loaded
