"""Tic-tac-toe as an environment of Gymnasium: one seat, against an opponent of this site.

    from gym_env import TicTacToe, player
    from judge import judge
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", TicTacToe(opponent="t-hand", seat="both")).learn(30_000)
    best = lambda seen: model.predict(seen, action_masks=seen == 0, deterministic=True)[0]
    print(judge(player(best)))

An agent is judged in every position, so it must know which cells are free: PPO and DQN of
stable-baselines3, which have no mask, still play illegal moves after so few steps, and `judge`
says where.  Take the highest of their values over the free cells (`seen == 0`) then.

Tried with stable-baselines3 and sb3-contrib 2.2.1, torch 1.13 (no dependency of this project), one
processor, 30,000 steps, seed 1: against random moves MaskablePPO went from 29% to 4% of games lost
as X and from 65% to 15% as O.

The opponent is a baseline, an agent or a recipe, and a part of the environment: a step is the move
of the agent and the answer to it.  `gymnasium.make("q-tac-toe/TicTacToe-v0", opponent="champion")`
makes it too.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project

from app.tictactoe.game import tic_tac_toe
from training.run import policy_called

GAME = tic_tac_toe()
SEATS = {"x": (1,), "o": (-1,), "both": (1, -1)}
ILLEGAL = -1.0  # what an illegal move is rewarded with, like a loss; it ends the game

Seen = NDArray[
    np.int8
]  # [9] in reading order, 1 for the agent's own marks, -1 for the other's


class TicTacToe(gymnasium.Env[Seen, np.int64]):
    """Rewards are +1 for a game won, -1 for one lost, 0 for everything else.

    `info["action_mask"]`, int8 [9], has a 1 for each legal move, and `action_masks()`, as the
    maskable learners of sb3-contrib ask for them.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        opponent: str = "random",
        seat: Literal["x", "o", "both"] = "both",
        render_mode: str | None = None,
    ) -> None:
        """Sit down opposite a baseline, an agent or a recipe; "both" draws the seat of a game."""
        self.policy = policy_called(GAME, opponent)
        self.seats = SEATS[seat]
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(-1, 1, (GAME.cells,), np.int8)
        self.action_space = gymnasium.spaces.Discrete(GAME.cells)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin a game; where the agent has O, the opponent has moved already."""
        super().reset(seed=seed)
        self.position, self.player = 0, int(self.np_random.choice(self.seats))
        if self.player != GAME.to_move[0]:
            self._answer()
        return self._seen()

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Play a cell and let the opponent answer."""
        if not self.action_masks()[action]:
            seen, info = self._seen()
            return seen, ILLEGAL, True, False, info
        self.position = int(GAME.successor[self.position, action])
        if self.position < GAME.decisions:
            self._answer()
        over = self.position >= GAME.decisions
        reward = float(self.player * GAME.result(self.position)) if over else 0.0
        seen, info = self._seen()
        return seen, reward, over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which cells may be played, [9]; none once the game is over."""
        free: NDArray[np.bool_] = GAME.board[self.position] == 0
        return free & (self.position < GAME.decisions)

    def render(self) -> str | None:
        """Draw the board as three lines of X, O and dots."""
        if self.render_mode is None:
            return None
        cells = "".join(".XO"[stone] for stone in GAME.board[self.position])
        return "\n".join(cells[row : row + 3] for row in (0, 3, 6))

    def _answer(self) -> None:
        cell = self.np_random.choice(GAME.cells, p=self.policy[self.position])
        self.position = int(GAME.successor[self.position, cell])

    def _seen(self) -> tuple[Seen, dict[str, Any]]:
        seen: Seen = (self.player * GAME.board[self.position]).astype(np.int8)
        return seen, {"action_mask": self.action_masks().astype(np.int8)}


def player(predict: Callable[[Seen], Any]) -> Callable[[tuple[int, ...], int], int]:
    """Return what was trained here, from what it sees to a cell, as `judge.py` asks for it."""

    def play(board: tuple[int, ...], to_move: int) -> int:
        return int(predict(np.array(board, np.int8) * np.int8(to_move)))

    return play


gymnasium.register("q-tac-toe/TicTacToe-v0", entry_point=TicTacToe)
