"""The API: the same numbers as in the arrays and on the cards."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position, parse_position
from app.tictactoe.policy import mix_policies
from app.tictactoe.values import compute_outcome_chances
from app.web.site_data import SiteData

DRAWN = "/api/v1/moves/.........?agent=random"


def get(client: FlaskClient, address: str) -> Any:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == 200, response.text
    return response.json


def test_every_agent_and_baseline_is_listed(client: FlaskClient, site: SiteData) -> None:
    listed = get(client, "agents")
    assert [agent["id"] for agent in listed["agents"]] == list(site.agents)
    names = [one["id"] for kind in listed.values() for one in kind]
    assert names == list(site.policies)
    for summary in listed["agents"]:
        figures = site.agents[summary["id"]].card.figures
        assert summary["blunders"] == figures.blunders[-1]
        assert (
            tuple(summary["against_random"]["o"].values())
            == figures.outcome_chances_by_baseline["random"].o[-1]
        )
        proved = summary["against_best_responder"]
        for seat in summary["unbeatable_as"]:
            assert proved[seat.lower()]["loss"] == 0


def test_a_card_is_the_one_beside_the_arrays(client: FlaskClient, site: SiteData) -> None:
    for name in site.agents:
        card = json.loads((Path("models") / f"{name}.json").read_text())
        assert get(client, f"agents/{name}")["card"] == card


@pytest.mark.parametrize("name", ["q-learning-1", "q-table-draw-1"])
def test_a_position_is_the_row_of_the_arrays(
    client: FlaskClient, site: SiteData, name: str
) -> None:
    agent, game = site.agents[name], GAME
    for position in range(0, game.decisions, 97):
        view = get(client, f"positions/{format_position(game, position)}?lens={name}")
        cells = view["cells"]
        assert [cell["legal"] for cell in cells] == game.legal[position].tolist()
        for number in np.flatnonzero(game.legal[position]):
            cell, visits = cells[number], agent.visits[position, number]
            assert cell["visits"] == visits
            expected = pytest.approx(agent.q[position, number], abs=1e-9) if visits else None
            assert cell["value"] == expected
            assert cell["policy"] == pytest.approx(site.policies[name][position, number])
            worth = {"loss": -1, "draw": 0, "win": 1}[cell["truth"]["outcome"]]
            assert worth == site.optimal_q[position, number]
            task = site.get_task_q(name)
            assert task is not None
            assert cell["task"] == pytest.approx(task[position, number], abs=1e-9)
        assert view["value"] == site.solution.values[position]
        assert view["updates"] == agent.card.updates


def test_a_snapshot_is_the_row_of_its_table(client: FlaskClient, site: SiteData) -> None:
    agent = site.agents["q-learning-1"]
    step = agent.history.snapshot_count // 2
    table, learned = (
        agent.build_value_table(GAME, step),
        agent.find_updated_moves(GAME, step),
    )
    position = learned.any(axis=1).argmax()
    text = format_position(GAME, int(position))
    view = get(client, f"positions/{text}?lens=q-learning-1&step={step}")
    shown = [cell["value"] for cell in view["cells"]]
    expected = np.where(learned[position], table[position], np.nan)
    np.testing.assert_allclose(np.array(shown, float), expected, atol=1e-9)
    assert view["updates"] == agent.snapshot_updates[step]


def test_no_number_is_minus_zero(client: FlaskClient, site: SiteData) -> None:
    for lens in site.value_sources:
        for position in range(0, GAME.decisions, 1009):
            text = format_position(GAME, position)
            answer = client.get(f"/api/v1/positions/{text}?lens={lens}").text
            assert not re.search(r"-0(\.0)?[^\d.]", answer)


def test_values_are_the_movers_and_the_position_is_xs(client: FlaskClient) -> None:
    view = get(client, "positions/XX.OO...X")
    assert (view["to_move"], view["value"]) == ("O", -1)
    assert view["cells"][5]["value"] == 1


@pytest.mark.parametrize("epsilon", [0, 0.25, 1])
def test_a_move_is_drawn_from_the_policy(
    client: FlaskClient, site: SiteData, epsilon: float
) -> None:
    text = "X...O...."
    position = parse_position(GAME, text)
    move = get(client, f"moves/{text}?agent=q-table&epsilon={epsilon}")
    policies = [site.policies[name][position] for name in ("q-table", "random")]
    np.testing.assert_allclose(
        move["chances"], mix_policies(policies[0], policies[1], epsilon), atol=1e-9
    )
    assert move["chances"][move["cell"]] > 0
    after = list(text)
    after[move["cell"]] = "X"
    assert move["after"]["position"] == "".join(after)
    assert (move["before"]["to_move"], move["after"]["to_move"]) == ("X", "O")


def test_a_seed_repeats_a_move_and_may_be_kept(client: FlaskClient) -> None:
    moves = {seed: get(client, f"moves/.........?agent=random&seed={seed}") for seed in range(30)}
    assert len({move["cell"] for move in moves.values()}) > 3
    for seed, move in moves.items():
        assert get(client, f"moves/.........?agent=random&seed={seed}") == move
    assert client.get(DRAWN).headers["Cache-Control"] == "no-store"
    assert "ETag" not in client.get(DRAWN).headers


def test_a_match_is_exact(client: FlaskClient, site: SiteData) -> None:
    chances = get(client, "matches/random/random")["chances"]
    assert list(chances.values()) == pytest.approx([737 / 1260, 8 / 63, 121 / 420])
    match = get(client, "matches/q-table/minimax")
    q, minimax = site.policies["q-table"], site.policies["minimax"]
    exact = compute_outcome_chances(GAME, q, minimax)[0]
    assert list(match["chances"].values()) == pytest.approx(exact)
    for outcome, record in match["likeliest"].items():
        assert (record is None) == (match["chances"][outcome] == 0)
        if record:
            result = get(client, f"games/{record}")["states"][-1]["result"]
            assert result == {"x_wins": "X", "draw": "draw", "o_wins": "O"}[outcome]


# What is wrong with a request to the API is said in one shape.


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [
        ("/api/v1/nothing", 404, "/api"),
        ("/api/nothing", 404, "/api"),
        ("/api/v1/agents/nobody", 404, "q-iteration"),
        ("/api/v1/agents/minimax", 404, "q-iteration"),
        ("/api/v1/positions/XO", 400, "'.' (empty)"),
        ("/api/v1/positions/xo.......", 400, "'.' (empty)"),
        ("/api/v1/positions/XXX......", 404, "no game reaches"),
        ("/api/v1/positions/.........?lens=minimax", 404, "champion"),
        ("/api/v1/positions/.........?lens=q-table&step=-1", 400, "step"),
        ("/api/v1/positions/.........?lens=q-table&step=x", 400, "step"),
        ("/api/v1/positions/.........?lens=q-table&step=1&step=2", 400, "step"),
        ("/api/v1/positions/.........?lens=q-table&step=23", 404, "snapshots"),
        ("/api/v1/positions/.........?step=0", 404, "snapshots"),
        ("/api/v1/positions/.........?agent=q-table", 400, "agent"),
        ("/api/v1/moves/.........", 400, "agent"),
        ("/api/v1/moves/.........?agent=human", 404, "q-iteration"),
        ("/api/v1/moves/.........?agent=random&epsilon=nan", 400, "epsilon"),
        ("/api/v1/moves/.........?agent=random&seed=-1", 400, "seed"),
        ("/api/v1/moves/XXX.OO...?agent=random", 409, "over"),
        ("/api/v1/games/9", 400, "0 to 8"),
        ("/api/v1/games/44", 409, "move 2"),
        ("/api/v1/matches/random/nobody", 404, "q-iteration"),
        ("/api/v1/games/" + "0" * 1000, 414, "1000 characters"),
    ],
)
def test_a_wrong_request_is_explained(
    client: FlaskClient, address: str, code: int, said: str
) -> None:
    response = client.get(address)
    assert (response.status_code, response.mimetype) == (code, "application/problem+json")
    assert response.headers["Cache-Control"] == "no-store"
    problem = json.loads(response.text)
    assert problem["type"] == "about:blank"
    assert (bool(problem["title"]), problem["status"]) == (True, code)
    assert said in problem["detail"]
    assert problem["error"] == {"code": code, "message": problem["detail"]}


# Schemathesis asks all that the description of the API allows, and much that it does not.

SETTINGS = Path(__file__).with_name("schemathesis.toml")
SECONDS = 600
COMMAND = [sys.executable, "-m", "schemathesis.cli", f"--config-file={SETTINGS}", "run"]


@pytest.mark.long
def test_every_answer_is_as_it_is_described(server: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [*COMMAND, "--checks=all", f"{server}/api/v1/openapi.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Selected: 10/10" in run.stdout
    assert "Tested: 10" in run.stdout
