"""Agents of this site in PettingZoo's tic-tac-toe, and agents of PettingZoo judged here.

    python docs/with_pettingzoo.py champion t-hand

plays a game between two of them, the first with X.  PettingZoo counts cells by columns, 0 3 6 in
the first row, and shows each player its own marks in the first plane; this site counts them in
reading order.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project

from judge import judge

from app.tictactoe.game import tic_tac_toe
from training.run import policy_called

GAME = tic_tac_toe()
ROWS = {
    tuple(board): row for row, board in enumerate(GAME.board[: GAME.decisions].tolist())
}
Act = Callable[
    [dict[str, Any]], int
]  # from an observation with its action mask to an action


def by_columns(cell: int) -> int:
    """Return PettingZoo's number of a cell in reading order, and the other way round."""
    return cell % 3 * 3 + cell // 3


def board_of(observation: dict[str, Any]) -> tuple[int, ...]:
    """Return the board of an observation in reading order, 1 X, -1 O, 0 empty.

    The planes are the player's own marks and the other's; who has as many as the other is X.
    """
    own, other = np.moveaxis(observation["observation"].astype(int), 2, 0)
    player = 1 if own.sum() == other.sum() else -1
    return tuple((player * (own - other)).T.ravel().tolist())


def observation_of(board: tuple[int, ...], player: int) -> dict[str, Any]:
    """Return what PettingZoo shows the player to move, 1 X or -1 O, of a board."""
    squares = np.array(board).reshape(3, 3).T
    planes = np.stack([squares == player, squares == -player], axis=2)
    return {
        "observation": planes.astype(np.int8),
        "action_mask": (squares.ravel() == 0).astype(np.int8),
    }


def actor(policy: np.ndarray, rng: np.random.Generator) -> Act:
    """Return an agent of this site, its chances [4520, 9], as a function from observations."""

    def act(observation: dict[str, Any]) -> int:
        row = policy[ROWS[board_of(observation)]]
        return by_columns(int(rng.choice(GAME.cells, p=row)))

    return act


def judge_actor(act: Act) -> dict[str, Any]:
    """Judge an agent of PettingZoo that always plays the same, as `judge.py` does."""
    return judge(lambda board, player: by_columns(act(observation_of(board, player))))


def play(x: Act, o: Act) -> dict[str, float]:
    """Let two agents play a game; returns the rewards of "player_1", who has X, and "player_2"."""
    env = pettingzoo.make("aec", "classic/tictactoe-v3")
    env.reset()
    actors = {"player_1": x, "player_2": o}
    for agent in env.agent_iter():
        observation, _, ended, cut, _ = env.last()
        if ended or cut:
            rewards = dict(env.rewards)
            break
        env.step(actors[agent](observation))
    env.close()
    return rewards


def main() -> None:
    """Play a game between the two that the command line names."""
    rng = np.random.default_rng()
    x, o = (actor(policy_called(GAME, text), rng) for text in sys.argv[1:3])
    print(play(x, o))


if __name__ == "__main__":
    main()
