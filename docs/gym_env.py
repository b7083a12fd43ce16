"""Tic-tac-toe as an environment of Gymnasium: one seat, against an opponent of this site.

    pip install gymnasium                 # after `make install`; tested with gymnasium 1.4
    python docs/gym_env.py t-hand         # plays random moves against an opponent

Train an agent in it with your own code or a library, and judge it exactly:

    from gym_env import TicTacToe, player
    from judge import judge
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", TicTacToe(opponent="t-hand", seat="both")).learn(30_000)
    best = lambda seen: model.predict(seen, action_masks=seen == 0, deterministic=True)[0]
    print(judge(player(best)))

An agent is judged in every position, so it must never play an illegal move.  PPO and DQN of
stable-baselines3 have no action mask and play illegal moves after so few steps; `judge` names the
position.  For these learners, choose the free cell (`seen == 0`) with the highest value.

MaskablePPO was tested with sb3-contrib 2.2.1 and torch 1.13, which this project does not install:
30,000 steps with seed 1 lowered its losses against random moves from 29% to 4% of games as X, and
from 65% to 15% as O.

The opponent, a baseline, an agent or a recipe, is a part of the environment: a step is the move of
the agent and the opponent's reply.  `gymnasium.make("q-tac-toe/TicTacToe-v0", opponent="champion")`
creates the environment, too.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

try:
    import gymnasium
    import numpy as np
    from numpy.typing import NDArray
except ModuleNotFoundError as error:
    sys.exit(
        f"This needs {error.name}: run `make install` and `pip install gymnasium`."
    )

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project

from app.recipes import RecipeError
from app.tictactoe.game import GAME
from training.run import get_policy

SEATS = {"x": (1,), "o": (-1,), "both": (1, -1)}
ILLEGAL = -1.0  # the reward of an illegal move, which ends the game like a loss

# [9] the cells in reading order: 1 for the agent's marks, -1 for the opponent's, 0 if empty
Observation = NDArray[np.int8]


class TicTacToe(gymnasium.Env[Observation, np.int64]):
    """The environment; rewards are +1 for a won game, -1 for a lost game, else 0.

    `info["action_mask"]`, int8 [9], has a 1 for each legal move.  `action_masks()` returns the
    same mask for the maskable learners of sb3-contrib.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        opponent: str = "random",
        seat: Literal["x", "o", "both"] = "both",
        render_mode: str | None = None,
    ) -> None:
        """Create the environment; with seat "both", the seat of each game is random."""
        self.policy = get_policy(GAME, opponent)
        self.seats = SEATS[seat]
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(-1, 1, (GAME.cells,), np.int8)
        self.action_space = gymnasium.spaces.Discrete(GAME.cells)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game; if the agent plays O, the opponent has already moved."""
        super().reset(seed=seed)
        self.position, self.player = 0, int(self.np_random.choice(self.seats))
        if self.player != GAME.to_move[0]:
            self._play_reply()
        return self._observe()

    def step(
        self, action: np.int64
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a cell and the opponent's reply; return observation, reward, end flags and info."""
        if not self.action_masks()[action]:
            observation, info = self._observe()
            return observation, ILLEGAL, True, False, info
        self.position = int(GAME.successor[self.position, action])
        if self.position < GAME.decisions:
            self._play_reply()
        over = self.position >= GAME.decisions
        reward = float(self.player * GAME.get_result(self.position)) if over else 0.0
        observation, info = self._observe()
        return observation, reward, over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each cell is a legal move, [9]; all False after the game."""
        free: NDArray[np.bool_] = GAME.board[self.position] == 0
        return free & (self.position < GAME.decisions)

    def render(self) -> str | None:
        """Draw the board as three lines of X, O and dots."""
        if self.render_mode is None:
            return None
        cells = "".join(".XO"[stone] for stone in GAME.board[self.position])
        return "\n".join(cells[row : row + 3] for row in (0, 3, 6))

    def _play_reply(self) -> None:
        """Play a move of the opponent."""
        cell = self.np_random.choice(GAME.cells, p=self.policy[self.position])
        self.position = int(GAME.successor[self.position, cell])

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        """Return the observation of the board, and the info with the action mask."""
        observation: Observation = (self.player * GAME.board[self.position]).astype(
            np.int8
        )
        return observation, {"action_mask": self.action_masks().astype(np.int8)}


def player(
    predict: Callable[[Observation], Any],
) -> Callable[[tuple[int, ...], int], int]:
    """Return an agent trained in this environment as a function for `judge.py`."""

    def play(board: tuple[int, ...], player_to_move: int) -> int:
        return int(predict(np.array(board, np.int8) * np.int8(player_to_move)))

    return play


gymnasium.register("q-tac-toe/TicTacToe-v0", entry_point=TicTacToe)


def main() -> None:
    """Play games of random moves against an opponent, and print the results."""
    parser = argparse.ArgumentParser(description="Random moves against an opponent.")
    parser.add_argument("opponent", help="a baseline, an agent or a recipe")
    parser.add_argument("--seat", choices=[*SEATS], default="both")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    try:
        env = TicTacToe(arguments.opponent, arguments.seat)
    except RecipeError as error:
        parser.error(str(error))
    rng, rewards = np.random.default_rng(arguments.seed), []
    env.reset(seed=arguments.seed)
    for _ in range(arguments.games):
        (_, info), over, reward = env.reset(), False, 0.0
        while not over:
            move = rng.choice(np.flatnonzero(info["action_mask"]))
            _, reward, over, _, info = env.step(move)
        rewards.append(reward)
    for result, name in ((1, "won"), (0, "drawn"), (-1, "lost")):
        print(f"{name:<6}{rewards.count(result) / max(1, len(rewards)):.1%}")


if __name__ == "__main__":
    main()
