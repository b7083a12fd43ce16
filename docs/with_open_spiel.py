"""Agents of this site as policies of OpenSpiel, and policies of OpenSpiel judged here.

    pip install open-spiel                # after `make install`; tested with open-spiel 2.0.2
    python docs/with_open_spiel.py        # every shipped agent
    python docs/with_open_spiel.py champion q-table,alpha=0.9

prints the exploitability of each agent, which is half of its NashConv, computed by OpenSpiel over
games and by this project over positions.  The exit status is 1 if the two numbers differ.
"""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.policy import Policy
except ModuleNotFoundError as error:
    sys.exit(
        f"This needs {error.name}: run `make install` and `pip install open-spiel`."
    )

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project

from app.recipes import SHIPPED, RecipeError
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.tictactoe.report import Figures, compute_figures
from training.run import get_policy

SPIEL = pyspiel.load_game("tic_tac_toe")


class SitePolicy(Policy):
    """An agent of this site as a policy of OpenSpiel; both number cells in reading order."""

    def __init__(self, policy: np.ndarray) -> None:
        """Create the policy from the probabilities of all moves, float64 [4520, 9]."""
        super().__init__(SPIEL, [0, 1])
        self.chances = {
            format_position(GAME, position): {
                cell: p for cell, p in enumerate(row) if p > 0
            }
            for position, row in enumerate(policy.tolist())
        }

    def action_probabilities(
        self, state: pyspiel.State, player_id: int | None = None
    ) -> dict[int, float]:
        """Return the probabilities of the moves in a state, by cell."""
        return self.chances[str(state).replace("\n", "").upper()]


def judge_policy(policy: Policy) -> Figures:
    """Judge the play of a policy of OpenSpiel exactly, as agents are judged here.

    The policy is called once for each position, with the state of one game that leads there.
    """
    chances = np.zeros((GAME.decisions, GAME.cells))
    for row, board in enumerate(GAME.board[: GAME.decisions]):
        x, o = (np.flatnonzero(board == stone).tolist() for stone in (1, -1))
        state = SPIEL.new_initial_state()
        # X and O move in turn; the position has no full line, so the game does not end before it.
        for ply in range(len(x) + len(o)):
            state.apply_action((o if ply % 2 else x)[ply // 2])
        for cell, chance in policy.action_probabilities(state).items():
            chances[row, cell] = chance
    return compute_figures(
        GAME,
        chances[None, GAME.legal],
        [0],
        reward_scale=None,
        play_rule="proportional",
    )


def compute_both(policy: np.ndarray) -> tuple[float, float]:
    """Return the exploitability of a policy, [4520, 9], by OpenSpiel and by this project."""
    ours = SitePolicy(policy)
    return nash_conv(SPIEL, ours) / 2, judge_policy(ours).nash_conv[-1] / 2


def main() -> None:
    """Print both numbers for each agent on the command line; exit with 1 if they differ."""
    parser = argparse.ArgumentParser(
        description="Compare exploitabilities with OpenSpiel."
    )
    parser.add_argument(
        "agents", nargs="*", default=[*SHIPPED], help="agents or recipes; default: all"
    )
    differences = 0
    print(f"{'exploitability':<24} OpenSpiel      here")
    for text in parser.parse_args().agents:
        try:
            policy = get_policy(GAME, text)
        except RecipeError as error:
            parser.error(f"{text}: {error}")
        theirs, here = compute_both(policy)
        differences += int(abs(theirs - here) > 1e-9)
        print(f"{text:<24} {theirs:9.6f} {here:9.6f}", flush=True)
    sys.exit(differences > 0)


if __name__ == "__main__":
    main()
