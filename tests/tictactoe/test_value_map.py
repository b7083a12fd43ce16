"""The picture of all values: its tiles, their order and their colours."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from app.tictactoe import value_map
from app.tictactoe.agents import Agent, load_agents
from app.tictactoe.policy import policy_from_values
from app.tictactoe.value_map import UNKNOWN_LEVEL, TileLayout
from tests.tictactoe.both import Both
from tests.tictactoe.checker import images

MODELS = Path(__file__).parents[2] / "models"
A_PLY = [1, 3, 12, 38, 108, 153, 183, 95, 34]  # decisions up to symmetry: FACTS
STEPS = 20


@pytest.fixture(scope="module")
def where(tictactoe: Both) -> TileLayout:
    return value_map.place_tiles(tictactoe.game)


@pytest.fixture(scope="module")
def agents(tictactoe: Both) -> dict[str, Agent]:
    return load_agents(MODELS, tictactoe.game)


def test_there_is_a_tile_for_each_decision_up_to_symmetry(
    tictactoe: Both, where: TileLayout
) -> None:
    boards = [tictactoe.boards[position] for position in where.decisions]
    assert len(boards) == 627
    assert [Counter(9 - b.count(".") for b in boards)[ply] for ply in range(9)] == A_PLY
    covered = [image for board in boards for image in images(tictactoe.rules, board)]
    assert sorted(covered) == sorted(tictactoe.decisions)  # each once
    for board, row in zip(boards, where.symmetric_decisions, strict=True):
        assert {tictactoe.boards[position] for position in row} == images(tictactoe.rules, board)


@pytest.mark.parametrize("name", ["q-table", "self-play", "observing"])
def test_the_colour_is_the_best_value_of_the_representative(
    tictactoe: Both, where: TileLayout, agents: dict[str, Agent], name: str
) -> None:
    game, agent = tictactoe.game, agents[name]
    assert agent.card.reward_scale
    some = value_map.find_known_decisions(game, agent.history.find_all_updated_moves())
    moments = value_map.choose_representatives(where, agent.visits, some)
    best = value_map.estimate_outcomes(
        game, moments, agent.history.get_all_values(), agent.card.reward_scale
    )
    known = value_map.select_values(moments, some)
    coloured = value_map.colour_outcomes(best, known, STEPS)
    for step in (0, len(agent.snapshot_updates) // 2, -1):
        table, updated = agent.build_value_table(game, step), agent.find_updated_moves(game, step)
        for tile, row in enumerate(moments[step].tolist()):
            if not updated[row].any():
                assert coloured.colour_levels[step, tile] == UNKNOWN_LEVEL
                continue
            worth = agent.card.reward_scale.get_rewards("x" if game.to_move[row] > 0 else "o")
            value = np.interp(np.nanmax(table[row]), worth, (-1, 0, 1))
            number = round(float(value), 2)  # the colour has the sign of this number
            colour = np.sign(number) * max(1, round(abs(number) * STEPS))
            assert coloured.colour_levels[step, tile] == colour
            assert coloured.is_known[step, tile]


def test_snapshots_are_coloured_each_as_if_alone(
    tictactoe: Both, where: TileLayout, agents: dict[str, Agent]
) -> None:
    game, agent = tictactoe.game, agents["q-table"]
    tables = game.spread_pairs(agent.history.get_all_values())
    together = value_map.colour_blunders(
        game, where.decisions, policy_from_values(tables, agent.card.play_rule), 10
    )
    for step, table in enumerate(tables):
        alone = value_map.colour_blunders(
            game, where.decisions, policy_from_values(table, agent.card.play_rule), 10
        )
        np.testing.assert_array_equal(together.colour_levels[step], alone.colour_levels)
