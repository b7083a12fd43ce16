"""Compute the numbers that the texts of /how contain.

A function returns the numbers of one section as formatted texts, by their names in the template.
"""

from collections.abc import Callable, Mapping
from math import ceil

import numpy as np
from msgspec.structs import replace

from app.recipes.algorithms import SelfPlay
from app.tictactoe.game import GAME, SEATS, BoolArray, FloatArray, O, X
from app.tictactoe.notation import replay_record
from app.tictactoe.tasks import solve_task
from app.tictactoe.values import TIE_TOLERANCE
from app.web.algorithms.algorithm import Section
from app.web.facts import find_losing_game
from app.web.formatting import format_count, format_percent, format_signed
from app.web.site_data import SiteData

# an agent that often loses against random moves
OFTEN_BEATEN_AGENT = "q-learning-1"
# an agent that rarely loses against random moves
RARELY_BEATEN_AGENT = "q-learning-2"


def compute_section_numbers(site: SiteData, section: Section) -> Mapping[str, object]:
    """Return the numbers in the text of a section, by their names in the template.

    They are {} if the text has none, or if the site lacks the agent that it is about.
    """
    compute = NUMBER_FUNCTIONS.get(section.slug)
    return compute(site, section) if compute else {}


def _compute_best_response_numbers(
    site: SiteData, section: Section
) -> Mapping[str, object]:
    seat = _find_beaten_seat(site, OFTEN_BEATEN_AGENT)
    if not seat:
        return {}
    figures = site.agents[OFTEN_BEATEN_AGENT].card.figures
    wins = getattr(figures.outcome_chances_by_baseline["random"], seat)[-1][0]
    return {"mark": seat.upper(), "wins": format_percent(wins)}


def _compute_exact_numbers(site: SiteData, section: Section) -> Mapping[str, object]:
    facts: dict[str, object] = {}
    if OFTEN_BEATEN_AGENT in site.shipped_agents:
        facts["lost_game"] = find_losing_game(site, OFTEN_BEATEN_AGENT, O)
    seat = _find_beaten_seat(site, RARELY_BEATEN_AGENT)
    if not seat:
        return facts
    figures = site.agents[RARELY_BEATEN_AGENT].card.figures
    loss = getattr(figures.outcome_chances_by_baseline["random"], seat)[-1][2]
    unseen = {games: format_percent((1 - loss) ** games) for games in (100, 1000)}
    return facts | {
        "mark": seat.upper(),
        "loss": format_percent(loss),
        "unseen": unseen,
    }


def _find_beaten_seat(site: SiteData, agent_name: str) -> str:
    """Return "x" or "o" if the agent's best responder always wins against it there, else ""."""
    if agent_name not in site.shipped_agents:
        return ""
    worst = site.agents[agent_name].card.figures.best_response
    for seat in SEATS:
        if getattr(worst, seat)[-1][2] == 1:
            return seat
    return ""


def _compute_exploration_numbers(
    site: SiteData, section: Section
) -> Mapping[str, object]:
    """Return how much likelier the agent's best move is in training than a move of value 0."""
    if section.value_source not in site.shipped_agents:
        return {}
    position = replay_record(GAME, section.example_record)[-1]
    row = site.agents[section.value_source].q[position]
    recipe = site.get_recipe(section.value_source)
    limit: float = recipe.k_limit  # type: ignore[attr-defined]
    odds = format_count(round(limit ** float(np.nanmax(row))))
    return {"limit": f"{limit:g}", "odds": odds}


def _compute_q_table_numbers(site: SiteData, section: Section) -> Mapping[str, object]:
    positions = np.unique(GAME.symmetry_class)
    return {
        "decisions": format_count(int((positions < GAME.decisions).sum())),
        "pairs": format_count(len(np.unique(GAME.pair_class))),
        # The empty board is no afterstate.
        "afterstates": format_count(len(positions) - 1),
    }


def _compute_double_q_numbers(site: SiteData, section: Section) -> Mapping[str, object]:
    biases = {}
    for name in ("q-table", "double-q"):
        exact = site.get_task_q(name) if name in site.agents else None
        if exact is not None:
            agent = site.agents[name]
            met = agent.visits.any(axis=1)
            highest = np.nanmax(agent.q[met], axis=1)
            bias = float((highest - np.nanmax(exact[met], axis=1)).mean())
            side = "high" if bias > 0 else "low"
            biases[name] = f"{abs(bias):.2f} too {side}"
    return {"biases": biases}


def _compute_sarsa_numbers(site: SiteData, section: Section) -> Mapping[str, object]:
    """Return exact values with and without random moves in training.

    "parting" counts the decisions in which the two have no best move in common.
    """
    task = site.get_task("sarsa") if "sarsa" in site.shipped_agents else None
    if task is None:
        return {}
    without = replace(task, epsilon=0.0)
    own, other = solve_task(GAME, task), solve_task(GAME, without)
    apart = ~(_find_best_moves(own) & _find_best_moves(other)).any(axis=1)
    row = replay_record(GAME, section.example_record)[-1]
    return {
        "parting": format_count(int(apart.sum())),
        "own": [format_signed(value) for value in own[row].tolist()],
        "other": [format_signed(value) for value in other[row].tolist()],
    }


def _find_best_moves(q: FloatArray) -> BoolArray:
    is_best: BoolArray = q >= np.nanmax(q, axis=1, keepdims=True) - TIE_TOLERANCE
    return is_best


def _compute_self_play_numbers(
    site: SiteData, section: Section
) -> Mapping[str, object]:
    if section.value_source not in site.agents:
        return {}
    recipe = site.get_recipe(section.value_source)
    assert isinstance(recipe, SelfPlay)
    fewest = int(site.agents[section.value_source].visits[GAME.legal].min())
    # The page gives an upper limit, so the share is rounded up.
    most = ceil(1000 * (1 - recipe.alpha) ** fewest) / 1000
    return {"fewest": format_count(fewest), "left": format_percent(most, 1)}


def _compute_td_afterstates_numbers(
    site: SiteData, section: Section
) -> Mapping[str, object]:
    return {
        "boards": format_count(GAME.positions - 1),
        "ends": format_count(GAME.positions - GAME.decisions),
    }


def _compute_mcts_numbers(site: SiteData, section: Section) -> Mapping[str, object]:
    if section.value_source not in site.shipped_agents:
        return {}
    figures = site.agents[section.value_source].card.figures
    blunders = [
        (format_count(updates // GAME.decisions), format_count(made))
        for updates, made in zip(
            figures.snapshot_updates, figures.blunders, strict=True
        )
    ]
    return {"early": blunders[len(blunders) // 2], "late": blunders[-1]}


def _compute_menace_numbers(site: SiteData, section: Section) -> Mapping[str, object]:
    decision = np.unique(GAME.symmetry_class[: GAME.decisions])
    # A position with a single free square needs no box.
    needed = GAME.legal[decision].sum(axis=1) > 1
    michie = int((needed & (GAME.to_move[decision] == X)).sum())
    both = michie + int((needed & (GAME.to_move[decision] == O)).sum())
    refills = (
        site.agents["menace"].card.refill_count
        if "menace" in site.shipped_agents
        else None
    )
    return {
        "michie": format_count(michie),
        "boxes": format_count(both),
        "refills": "" if refills is None else format_count(refills),
    }


# The keys are the slugs of sections.
NUMBER_FUNCTIONS: Mapping[str, Callable[[SiteData, Section], Mapping[str, object]]] = {
    "best-response": _compute_best_response_numbers,
    "exact": _compute_exact_numbers,
    "exploration": _compute_exploration_numbers,
    "q-table": _compute_q_table_numbers,
    "double-q": _compute_double_q_numbers,
    "sarsa": _compute_sarsa_numbers,
    "self-play": _compute_self_play_numbers,
    "td-afterstates": _compute_td_afterstates_numbers,
    "mcts": _compute_mcts_numbers,
    "menace": _compute_menace_numbers,
}
