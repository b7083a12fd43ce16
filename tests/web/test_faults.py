"""The gallery of faults: agents as their recipes define them, exact figures, solvable puzzles."""

import re
from html import unescape
from pathlib import Path

import brotli
import msgspec
import numpy as np
import pytest
from flask.testing import FlaskClient

from app.recipes import name_recipe
from app.recipes.faults import (
    CORRECT_RECIPES,
    FAULT_SEEDS,
    FAULTY_RECIPES,
    SEED_RUNS_FILE,
    find_correct_recipe,
)
from app.tictactoe.agents import ModelError
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position, replay_record
from app.web.on_demand import load_seed_runs
from app.web.pages.faults import (
    FAULT_ORDER,
    FAULT_TEXTS,
    build_lab_url,
    find_example_record,
    find_fault_agents,
    list_puzzle_choices,
    measure_harm,
)
from app.web.site_data import SiteData
from tests.doctor.loading import doctor
from tests.tictactoe.reference import Rules, equally, in_floats

MIN_WORSE = 18  # of FAULT_SEEDS


def test_the_doctor_knows_the_faults() -> None:
    assert set(FAULT_ORDER) == set(FAULT_TEXTS) < set(doctor.FAULTS)


def test_every_fault_has_its_agent_and_the_right_one(site: SiteData) -> None:
    recipes = {
        name_recipe(recipe) for recipe in [*FAULTY_RECIPES.values(), *CORRECT_RECIPES.values()]
    }
    assert set(site.on_demand.fault_agents) == recipes
    for fault, recipe in FAULTY_RECIPES.items():
        assert name_recipe(recipe) == f"{name_recipe(find_correct_recipe(fault))},fault={fault}"


def test_they_are_no_agents_of_the_list(site: SiteData) -> None:
    assert not set(site.on_demand.fault_agents) & set(site.agents)
    for name in site.on_demand.fault_agents:
        assert site.agents.contains_name(name)


@pytest.mark.parametrize("fault", FAULT_ORDER)
def test_a_fault_is_shown_with_its_figures(client: FlaskClient, site: SiteData, fault: str) -> None:
    page = unescape(client.get(f"/faults/{fault}").text)
    assert FAULT_TEXTS[fault].faulty_line in page
    assert FAULT_TEXTS[fault].correct_line in page
    shown = re.search(r"from ([\d,.]+) to ([\d,.]+) of 4,520 positions", page)
    assert shown
    harm = measure_harm(site, fault)
    assert harm.worse_seed_count >= MIN_WORSE
    for text, counts in zip(shown.groups(), reversed(harm), strict=True):
        assert float(text.replace(",", "")) == np.median(counts)
    assert client.get("/faults/none").status_code == 404


@pytest.mark.parametrize("fault", FAULT_ORDER)
def test_the_lab_of_a_fault_shows_twenty_seeds_without_training(
    client: FlaskClient, site: SiteData, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.on_demand, "trainer", None)
    page = unescape(client.get(build_lab_url(fault)).text)
    (headline,) = re.findall(r'class="verdict">([^<]*)<', page)
    faulty, correct = measure_harm(site, fault).medians
    # The question is whether the fault harms.
    assert headline.startswith("Yes")
    assert f"median {correct} instead of {faulty}" in headline
    assert len(re.findall("<title>seed", page)) == len(FAULT_SEEDS)
    assert 'hx-trigger="load' not in page


def test_the_board_shows_a_loss_at_once_or_a_value_that_no_game_has(site: SiteData) -> None:
    for fault in FAULT_ORDER:
        position = replay_record(GAME, find_example_record(site, fault))[-1]
        faulty, right = find_fault_agents(site, fault)
        # The values of the two boards on the page differ visibly.
        assert np.nanmax(np.abs(faulty.q[position] - right.q[position])) > 0.3
        if fault == "terminal":
            assert np.nanmax(faulty.q[position]) > 1
            continue
        lost = sum(
            chance
            for cell, chance in enumerate(site.get_policy(faulty.card.recipe)[position])
            if chance
            and any(
                GAME.get_result(int(end)) != 0
                for end in GAME.successor[GAME.successor[position, cell]]
                if end >= GAME.decisions
            )
        )
        assert lost > 0.5
        wrong = ~site.is_move_correct[position] & GAME.legal[position]
        assert (site.get_policy(right.card.recipe)[position] * wrong).sum() == 0


@pytest.mark.long
def test_the_figures_are_those_of_an_independent_evaluation(site: SiteData) -> None:
    rules = Rules()
    uniform = in_floats(rules.uniform())
    for name, agent in site.on_demand.fault_agents.items():
        policy = in_floats(
            {
                format_position(GAME, decision): equally(np.flatnonzero(row).tolist())
                for decision, row in enumerate(site.get_policy(name))
            }
        )
        figures = agent.card.figures
        blunders = sum(bool(set(policy[board]) & rules.blunder_cells(board)) for board in policy)
        assert (len(policy), blunders) == (4520, figures.blunders[-1])
        start = rules.boards[0]
        for seat, chances in (
            ("x", rules.chances(policy, uniform)[start]),
            ("o", rules.chances(uniform, policy)[start][::-1]),
        ):
            assert getattr(figures.outcome_chances_by_baseline["random"], seat)[
                -1
            ] == pytest.approx(chances, abs=1e-6)


def test_a_puzzle_has_one_right_answer(client: FlaskClient) -> None:
    for number, fault in enumerate(FAULT_ORDER, 1):
        lines = list_puzzle_choices(number)
        assert len(set(lines)) == 3
        assert fault in lines
    assert "<b>Right.</b>" in client.get("/faults/puzzle/5?answer=loser").text
    wrong = next(one for one in list_puzzle_choices(5) if one != FAULT_ORDER[4])
    assert "<b>No.</b>" in client.get(f"/faults/puzzle/5?answer={wrong}").text
    assert client.get("/faults/puzzle/5?answer=what").status_code == 400
    assert client.get("/faults/puzzle/11").status_code == 404
    assert client.get("/faults/puzzle").location == "/faults/puzzle/1"


@pytest.mark.parametrize("content", [None, b"", brotli.compress(msgspec.msgpack.encode([]))])
def test_broken_results_are_refused_with_the_name_of_their_file(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / SEED_RUNS_FILE
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ModelError, match=re.escape(str(file))):
        load_seed_runs(file)
