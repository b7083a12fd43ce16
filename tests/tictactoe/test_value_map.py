"""The picture of all values: its tiles, their order and their colours."""

from collections import Counter
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from app.tictactoe import value_map
from app.tictactoe.agents import Agent, load_agents
from app.tictactoe.policy import greedy_policy, policy_from_values
from app.tictactoe.tasks import Task, solve_task
from app.tictactoe.value_map import UNKNOWN, Tiles
from app.tictactoe.views import RewardScale
from tests.tictactoe.both import Both
from tests.tictactoe.checker import images
from tests.tictactoe.reference import SIGN, mover

MODELS = Path(__file__).parents[2] / "models"
A_PLY = [1, 3, 12, 38, 108, 153, 183, 95, 34]  # decisions up to symmetry: FACTS
STEPS = 20


@pytest.fixture(scope="module")
def where(tictactoe: Both) -> Tiles:
    return value_map.place_tiles(tictactoe.game)


@pytest.fixture(scope="module")
def agents(tictactoe: Both) -> dict[str, Agent]:
    return load_agents(MODELS, tictactoe.game)


def truth_of(tictactoe: Both, board: str) -> int:
    return SIGN[mover(board)] * tictactoe.rules.solved[board][0]


def test_there_is_a_tile_for_each_decision_up_to_symmetry(tictactoe: Both, where: Tiles) -> None:
    boards = [tictactoe.boards[position] for position in where.decisions]
    assert len(boards) == 627
    assert [Counter(9 - b.count(".") for b in boards)[ply] for ply in range(9)] == A_PLY
    covered = [image for board in boards for image in images(tictactoe.rules, board)]
    assert sorted(covered) == sorted(tictactoe.decisions)  # each once
    for board, row in zip(boards, where.symmetric_decisions, strict=True):
        assert {tictactoe.boards[position] for position in row} == images(tictactoe.rules, board)


def test_rows_go_by_ply_and_in_a_row_what_is_won_comes_first(tictactoe: Both, where: Tiles) -> None:
    boards = [tictactoe.boards[position] for position in where.decisions]
    assert where.plies.tolist() == [9 - board.count(".") for board in boards]
    assert where.optimal_value.tolist() == [truth_of(tictactoe, board) for board in boards]
    assert (np.diff(where.plies) >= 0).all()
    for _, tiles in groupby(range(len(boards)), lambda tile: where.plies[tile]):
        truths = [truth_of(tictactoe, boards[tile]) for tile in tiles]
        assert truths == sorted(truths, reverse=True)


def test_in_a_band_a_win_comes_the_sooner_and_a_loss_the_later_the_further_left(
    tictactoe: Both, where: Tiles
) -> None:
    plies = [tictactoe.rules.solved[tictactoe.boards[p]][1] for p in where.decisions]
    for (_, truth), tiles in groupby(
        range(627), lambda t: (where.plies[t], where.optimal_value[t])
    ):
        lengths = [plies[tile] for tile in tiles]
        assert truth == 0 or lengths == sorted(lengths, reverse=bool(truth < 0))


def test_no_two_tiles_lie_over_each_other_and_bands_do_not_mix(where: Tiles) -> None:
    places = [*zip(where.column_index.tolist(), where.top_distance.tolist(), strict=True)]
    assert len(set(places)) == 627
    assert where.column_index.min() == 0
    assert where.column_index.max() + 1 == where.columns
    assert where.top_distance.max() + 1 == where.height
    for ply in range(9):
        row = where.plies == ply
        columns = [
            set(where.column_index[row & (where.optimal_value == truth)]) for truth in (1, 0, -1)
        ]
        assert not columns[0] & columns[1]
        assert not columns[1] & columns[2]
        assert (
            where.top_distance[row].min()
            <= where.row_middles[ply]
            <= where.top_distance[row].max() + 1
        )
        if ply:
            assert (
                where.top_distance[row].min() > where.top_distance[where.plies == ply - 1].max() + 1
            )


@pytest.mark.parametrize("name", ["q-table", "self-play", "observing"])
def test_the_colour_is_the_best_value_of_the_representative(
    tictactoe: Both, where: Tiles, agents: dict[str, Agent], name: str
) -> None:
    game, agent = tictactoe.game, agents[name]
    assert agent.card.reward_scale
    some = value_map.find_known_decisions(game, agent.history.find_all_updated_pairs())
    moments = value_map.choose_representatives(where, agent.visits, some)
    best = value_map.estimate_outcomes(
        game, moments, agent.history.get_all_values(), agent.card.reward_scale
    )
    known = value_map.select_decisions(moments, some)
    coloured = value_map.colour_outcomes(best, known, STEPS)
    for step in (0, len(agent.snapshot_updates) // 2, -1):
        table, updated = agent.build_table(game, step), agent.find_updated_pairs(game, step)
        for tile, row in enumerate(moments[step].tolist()):
            if not updated[row].any():
                assert coloured.colour_levels[step, tile] == UNKNOWN
                continue
            worth = agent.card.reward_scale.get_rewards("x" if game.to_move[row] > 0 else "o")
            value = np.interp(np.nanmax(table[row]), worth, (-1, 0, 1))
            number = round(float(value), 2)  # the colour has the sign of this number
            colour = np.sign(number) * max(1, round(abs(number) * STEPS))
            assert coloured.colour_levels[step, tile] == colour
            assert coloured.is_known[step, tile]


def test_a_perfect_mind_is_clean_bands(
    tictactoe: Both, where: Tiles, agents: dict[str, Agent]
) -> None:
    game, agent = tictactoe.game, agents["champion"]
    assert agent.card.reward_scale
    some = value_map.find_known_decisions(game, agent.history.find_updated_pairs(-1))
    rows = value_map.choose_representatives(where, agent.visits, some)
    best = value_map.estimate_outcomes(
        game, rows, agent.history.get_values(-1), agent.card.reward_scale
    )
    known = some[rows]
    heat = value_map.colour_outcomes(best, known, STEPS).colour_levels
    assert known.all()
    np.testing.assert_array_equal(heat, where.optimal_value * STEPS)
    assert not value_map.colour_errors(
        best, where.optimal_value.astype(float), known, 10
    ).colour_levels.any()
    table = value_map.count_outcomes(where, value_map.round_outcomes(best), known)
    for ply, row in enumerate(table):
        bands = [int(((where.plies == ply) & (where.optimal_value == t)).sum()) for t in (1, 0, -1)]
        won, drawn, lost = bands
        assert row == [won, 0, 0, 0, 0, drawn, 0, 0, 0, 0, lost, 0]


def test_an_error_is_the_distance_to_the_truth_that_is_asked_for(
    tictactoe: Both, where: Tiles
) -> None:
    """An agent that has learned its task has no error in the task, but may differ from optimal play."""
    game, task = tictactoe.game, Task(opponent="random", gamma=0.9)
    exact = solve_task(game, task)[game.legal]
    rows, known = where.decisions, np.ones(len(where.decisions), bool)
    best = value_map.estimate_outcomes(game, rows, exact, RewardScale())
    assert not value_map.colour_errors(best, best, known, 10).colour_levels.any()
    against_truth = value_map.colour_errors(
        best, where.optimal_value.astype(float), known, 10
    ).colour_levels
    expected = [
        round(abs(a - b) / 2 * 10) for a, b in zip(best.tolist(), where.optimal_value, strict=True)
    ]
    assert against_truth.tolist() == expected
    assert max(expected) > 5
    nowhere = np.where(where.optimal_value == 0, np.nan, best)
    hidden = value_map.colour_errors(best, nowhere, known, 10)
    assert (hidden.colour_levels[where.optimal_value == 0] == UNKNOWN).all()
    assert not hidden.is_known[where.optimal_value == 0].any()


def test_how_often_a_tile_was_updated(
    tictactoe: Both, where: Tiles, agents: dict[str, Agent]
) -> None:
    visits = agents["q-table"].visits
    rows = value_map.choose_representatives(where, visits, visits.sum(axis=1) > 0)
    coloured = value_map.colour_visits(rows, visits, 10)
    often = visits[rows].sum(axis=1)
    assert coloured.is_known.tolist() == (often > 0).tolist()
    assert coloured.colour_levels[often.argmax()] == 10
    by_number = [
        heat for _, heat in sorted(zip(often.tolist(), coloured.colour_levels, strict=True))
    ]
    assert by_number == sorted(by_number)


def test_where_it_blunders(tictactoe: Both, where: Tiles, tables) -> None:
    game, q = tictactoe.game, tables["rough"]
    coloured = value_map.colour_blunders(game, where.decisions, greedy_policy(q), 10)
    policy = tictactoe.policy_of(q, "greedy")
    for position, heat in zip(where.decisions, coloured.colour_levels.tolist(), strict=True):
        board = tictactoe.boards[position]
        wrong = tictactoe.rules.blunder_cells(board)
        chance = sum(float(policy[board].get(cell, 0)) for cell in wrong)
        assert heat == round(chance * 10)
    assert {0, 10} <= {*coloured.colour_levels.tolist()}


def test_snapshots_are_coloured_each_as_if_alone(
    tictactoe: Both, where: Tiles, agents: dict[str, Agent]
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


def test_a_frame_is_a_character_a_tile_that_html_does_not_mind() -> None:
    heats = np.array([*range(-STEPS, STEPS + 1), UNKNOWN], np.int8)
    written = value_map.encode_frame(heats)
    assert len(set(written)) == len(written) == len(heats)
    assert (written[0], written[STEPS], written[2 * STEPS], written[-1]) == ("A", "U", "i", ".")
    assert not set(written) & set("<>&\"' ")
