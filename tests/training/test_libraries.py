"""The agents in the libraries of the field, and theirs judged here: the files in docs/."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from open_spiel.python.policy import UniformRandomPolicy

from app.tictactoe.game import tic_tac_toe
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import report
from training.run import policy_called

DOCS = Path("docs")
GAME = tic_tac_toe()


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """They import each other as files of one folder."""
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])


def module(name: str) -> ModuleType:
    """Import a file of docs/."""
    return importlib.import_module(name)


# One of each way to play; the command of docs/with_open_spiel.py compares all agents.
@pytest.mark.parametrize("text", ["self-play", "q-table", "menace"])
def test_open_spiel_finds_the_same_exploitability(text: str) -> None:
    policy = policy_called(GAME, text)
    theirs, here = module("with_open_spiel").both(policy)
    figures = report(GAME, policy[None, GAME.legal], [0], None, "proportional")
    assert theirs == pytest.approx(here, abs=1e-9)
    assert 2 * here == pytest.approx(figures.nash_conv[-1])


@pytest.mark.parametrize("text", ["random", "t-hand"])
def test_a_policy_of_open_spiel_is_judged(text: str) -> None:
    spiel = module("with_open_spiel")
    policy = policy_called(GAME, text)
    theirs = spiel.SitePolicy(policy) if text != "random" else UniformRandomPolicy(spiel.SPIEL)
    ours = report(GAME, policy[None, GAME.legal], [0], None, "proportional")
    assert spiel.judge_policy(theirs) == ours


def test_pettingzoo_counts_cells_by_columns() -> None:
    """What is recomputed from an observation of the real board is that board."""
    petting, rng = module("with_pettingzoo"), np.random.default_rng(0)
    env = petting.pettingzoo.make("aec", "classic/tictactoe-v3")
    seen = 0
    for _ in range(20):
        env.reset()
        position = 0
        for _ in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                assert position >= GAME.decisions
                break
            board = tuple(GAME.board[position].tolist())
            assert petting.board_of(observation) == board
            again = petting.observation_of(board, int(GAME.to_move[position]))
            for name, array in observation.items():
                np.testing.assert_array_equal(again[name], array)
            cell = int(rng.choice(np.flatnonzero(GAME.legal[position])))
            position = int(GAME.successor[position, cell])
            env.step(petting.by_columns(cell))
            seen += 1
    assert seen > 100


def test_agents_play_in_pettingzoo_and_theirs_are_judged() -> None:
    petting, rng = module("with_pettingzoo"), np.random.default_rng(0)
    best, weak = (petting.actor(policy_called(GAME, text), rng) for text in ("minimax", "fixed"))
    assert petting.play(best, weak) == {"player_1": 1, "player_2": -1}
    assert petting.play(best, best) == {"player_1": 0, "player_2": 0}
    figures = report(GAME, BASELINES["fixed"].policy(GAME)[None, GAME.legal], [0], None)
    assert petting.judge_actor(weak)["blunders"] == figures.blunders[0]


@pytest.mark.parametrize("seat", ["x", "o", "both"])
def test_the_environment_is_one_of_gymnasium(seat: str) -> None:
    module("gym_env")
    env = gymnasium.make("q-tac-toe/TicTacToe-v0", opponent="t-hand", seat=seat, render_mode="ansi")
    check_env(env.unwrapped)


def test_an_agent_trained_in_the_environment_is_judged() -> None:
    """A few lines of Q-learning against random moves win more of such games than at first."""
    env = module("gym_env").TicTacToe("random", "x")
    q: dict[bytes, np.ndarray] = {}
    rng = np.random.default_rng(0)

    def values(seen: np.ndarray) -> np.ndarray:
        return q.setdefault(seen.tobytes(), np.where(seen == 0, 0.0, -9.0))

    before = module("judge").judge(module("gym_env").player(lambda seen: values(seen).argmax()))
    q.clear()
    for game in range(3000):
        seen, info = env.reset(seed=game if game == 0 else None)
        over = False
        while not over:
            free = np.flatnonzero(info["action_mask"])
            action = rng.choice(free) if rng.random() < 0.2 else values(seen).argmax()
            after, reward, over, _, info = env.step(action)
            aim = reward if over else values(after).max()
            values(seen)[action] += 0.3 * (aim - values(seen)[action])
            seen = after
    judged = module("judge").judge(module("gym_env").player(lambda seen: values(seen).argmax()))
    assert judged["against_random"]["x"][0] > 0.9 > before["against_random"]["x"][0]


def test_an_illegal_move_ends_the_game_as_a_loss() -> None:
    env = module("gym_env").TicTacToe("random", "x")
    env.reset(seed=1)
    env.step(np.int64(4))
    _, reward, ended, _, info = env.step(np.int64(4))
    assert (reward, ended) == (-1.0, True)
    assert info["action_mask"][4] == 0
