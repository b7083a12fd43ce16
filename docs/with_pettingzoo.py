"""Agents of this site in PettingZoo's tic-tac-toe, and agents of PettingZoo judged here.

    pip install pettingzoo pygame-ce      # after `make install`; tested with pettingzoo 1.27
    python docs/with_pettingzoo.py champion t-hand

plays a game between two agents, the first as X, and prints both rewards.  PettingZoo numbers the
cells by columns (the first row is 0 3 6), this site in reading order.  In an observation of
PettingZoo, the first plane has the marks of the player to move.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import numpy as np
    import pettingzoo
    import pygame  # noqa: F401 - PettingZoo draws its board with it
except ModuleNotFoundError as error:
    sys.exit(
        f"This needs {error.name}: run `make install` and `pip install pettingzoo pygame-ce`."
    )

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project

from judge import judge

from app.recipes import RecipeError
from app.tictactoe.game import GAME
from training.run import get_policy

ROWS = {
    tuple(board): row for row, board in enumerate(GAME.board[: GAME.decisions].tolist())
}
# An agent: a function from an observation with its action mask to an action.
Agent = Callable[[dict[str, Any]], int]


def convert_cell(cell: int) -> int:
    """Return PettingZoo's number of a cell; the inverse is the same function."""
    return cell % 3 * 3 + cell // 3


def read_board(observation: dict[str, Any]) -> tuple[int, ...]:
    """Return the board of an observation in reading order: 1 for X, -1 for O, 0 if empty.

    The planes are the marks of the player to move and of the opponent; X is to move if they have
    equal numbers of marks.
    """
    own, other = np.moveaxis(observation["observation"].astype(int), 2, 0)
    player = 1 if own.sum() == other.sum() else -1
    return tuple((player * (own - other)).T.ravel().tolist())


def build_observation(board: tuple[int, ...], player: int) -> dict[str, Any]:
    """Return the observation of a board for the player to move, 1 X or -1 O."""
    squares = np.array(board).reshape(3, 3).T
    planes = np.stack([squares == player, squares == -player], axis=2)
    return {
        "observation": planes.astype(np.int8),
        "action_mask": (squares.ravel() == 0).astype(np.int8),
    }


def make_agent(policy: np.ndarray, rng: np.random.Generator) -> Agent:
    """Return an agent of PettingZoo that draws its actions from a policy, [4520, 9]."""

    def act(observation: dict[str, Any]) -> int:
        row = policy[ROWS[read_board(observation)]]
        return convert_cell(int(rng.choice(GAME.cells, p=row)))

    return act


def judge_agent(agent: Agent) -> dict[str, Any]:
    """Return the judgement of `judge.py` on a deterministic agent of PettingZoo."""
    return judge(
        lambda board, player: convert_cell(agent(build_observation(board, player)))
    )


def play(x_agent: Agent, o_agent: Agent) -> dict[str, float]:
    """Play a game; return the rewards of "player_1" (X) and "player_2" (O)."""
    env = pettingzoo.make("aec", "classic/tictactoe-v3")
    env.reset()
    agents = {"player_1": x_agent, "player_2": o_agent}
    for agent in env.agent_iter():
        observation, _, ended, cut, _ = env.last()
        if ended or cut:
            rewards = dict(env.rewards)
            break
        env.step(agents[agent](observation))
    env.close()
    return rewards


def main() -> None:
    """Play a game between the two agents on the command line."""
    parser = argparse.ArgumentParser(
        description="Two agents play a game in PettingZoo."
    )
    parser.add_argument("x", help="an agent, a recipe or a baseline, which has X")
    parser.add_argument("o", help="the same, which has O")
    parser.add_argument("--seed", type=int, help="of the moves drawn at random")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    try:
        x, o = (
            make_agent(get_policy(GAME, text), rng)
            for text in (arguments.x, arguments.o)
        )
    except RecipeError as error:
        parser.error(str(error))
    print(play(x, o))


if __name__ == "__main__":
    main()
