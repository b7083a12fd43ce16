"""What the board shows is what the tables hold."""

import numpy as np
import pytest

from app.tictactoe.notation import parse_position
from app.tictactoe.views import common_scale
from app.web.lens import HEAT_STEPS, lens_of, opinion
from app.web.match import Match
from app.web.numbers import percent, signed
from app.web.players import Players

CENTRE_TAKEN = "....X...."


def number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-"))


def agents(players: Players) -> list[str]:
    return list(players.agents)


def test_every_value_shown_is_the_tables_to_two_decimals(players: Players) -> None:
    for name, agent in players.agents.items():
        for position in range(0, players.game.decisions, 7):
            seen = opinion(players, position, name)
            for cell in np.flatnonzero(players.game.legal[position]):
                if agent.visits[position, cell]:
                    assert abs(number(seen.texts[cell]) - agent.q[position, cell]) <= 0.005 + 1e-6
                else:
                    assert seen.texts[cell] == ""


def test_all_best_moves_are_best_and_only_they(players: Players) -> None:
    for name, agent in players.agents.items():
        for position in range(0, players.game.decisions, 11):
            row = agent.q[position]
            assert opinion(players, position, name).best == (row == np.nanmax(row)).tolist()


def test_the_truth_knows_how_many_plies_it_takes(players: Players) -> None:
    position = parse_position(players.game, "XX.OO....")
    seen = opinion(players, position, "truth")
    assert seen.truths[2] == "win in 1"
    assert seen.truths[6] == "loss in 2"
    assert seen.best == [cell == 2 for cell in range(9)]
    assert (seen.texts[2], seen.heat[2]) == ("+1", HEAT_STEPS)
    assert (seen.texts[6], seen.heat[6]) == ("−1", -HEAT_STEPS)


def test_the_truth_prefers_to_win_sooner_and_to_lose_later(players: Players) -> None:
    lost = parse_position(players.game, "XO.X.....")  # O has to stop the left column
    seen = opinion(players, lost, "truth")
    assert seen.truths[6] != "loss in 2"
    assert seen.best[6]
    assert "loss in 2" in seen.truths


def test_an_error_is_marked_where_the_outcome_is_another(players: Players) -> None:
    for name, agent in players.agents.items():
        seen = opinion(players, 0, name)
        scaled = common_scale(players.game, agent.q, agent.card.worth)[0]
        assert seen.wrong == (abs(scaled) > 0.5).tolist()  # every first move is a draw


def test_nothing_is_known_before_the_first_update(players: Players) -> None:
    first = agents(players)[0]
    assert opinion(players, 0, first, 0).texts == [""] * 9


def test_the_last_step_is_the_table_to_half_precision(players: Players) -> None:
    for name, agent in players.agents.items():
        shown = opinion(players, 0, name, len(agent.snapshot_q) - 1).values
        np.testing.assert_allclose(shown, agent.q[0], atol=5e-3)


def test_the_lens_is_whoever_is_to_move_unless_asked_for(players: Players) -> None:
    match = Match(x="q-learning-1", o="q-iteration")
    assert lens_of(match, players, +1) == "q-learning-1"
    assert lens_of(match, players, -1) == "q-iteration"
    assert lens_of(Match(), players, +1) == "q-iteration"  # a person has no table
    assert lens_of(Match(x="minimax", o="random"), players, +1) == agents(players)[0]
    assert lens_of(Match(lens="truth"), players, +1) == "truth"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.424, "+0.42"),
        (-1.0, "−1.00"),
        (0.0, "0.00"),
        (-0.001, "0.00"),
        (0.004, "0.00"),
        (12.5, "+12.50"),
    ],
)
def test_a_value_has_a_sign_unless_it_is_zero(value: float, text: str) -> None:
    assert signed(value) == text


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0.0, "0"), (1.0, "100"), (0.5, "50.00"), (0.00001, "<0.01"), (0.99999, ">99.99")],
)
def test_a_chance_is_never_rounded_to_none_or_all(chance: float, text: str) -> None:
    assert percent(chance) == text
