"""The operations of the API."""

import random
from collections.abc import Collection, Mapping
from math import isnan

import msgspec
from flask import Flask, Response, current_app, request
from flask.blueprints import BlueprintSetupState
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.http import generate_etag

from app.doctor import Diagnosis
from app.experiments import ClaimSummary
from app.sources import SOURCES
from app.tables.reader import TableReading
from app.tables.values import TableError
from app.tictactoe.agents import add_arrays_digest
from app.tictactoe.causes import BlunderCause
from app.tictactoe.game import GAME, SEATS, O, X
from app.tictactoe.notation import (
    MARKS,
    IllegalMoveError,
    find_record,
    format_position,
    parse_position,
    replay_record,
)
from app.tictactoe.policy import mix_policies
from app.tictactoe.policy_codec import encode_moves
from app.tictactoe.report import (
    ChancesBySeat,
    Figures,
    compute_policy_figures,
    round_figure,
)
from app.tictactoe.values import compute_outcome_chances, find_likeliest_game
from app.web.facts import find_blunder_causes, find_losing_games, get_figures
from app.web.formatting import format_valid_names
from app.web.links.agents import agent_url
from app.web.links.api import (
    API_AGENT_ROUTE,
    API_AGENTS_ROUTE,
    API_DESCRIPTION_ROUTE,
    API_EXPERIMENT_ROUTE,
    API_EXPERIMENTS_ROUTE,
    API_GAME_ROUTE,
    API_JUDGE_ROUTE,
    API_MATCH_ROUTE,
    API_MOVE_ROUTE,
    API_POSITION_ROUTE,
)
from app.web.links.experiments import EXPERIMENT_ROUTE
from app.web.links.judge import judge_url
from app.web.links.play import play_against_url, play_url
from app.web.match import Match
from app.web.move_values import OUTCOME_LABELS, MoveValues, evaluate_moves
from app.web.pages.api.description import (
    Experiment,
    OpenApiDocument,
    build_description,
    read_parameters,
)
from app.web.pages.api.page import bp
from app.web.pages.parts.sent_table import read_sent_table
from app.web.rendering import allow_revalidation
from app.web.site_data import (
    HUMAN,
    MOVES_PREFIX,
    TASK_SUFFIX,
    SiteData,
    get_current_site,
)

MARK_BY_PLAYER = {X: "X", O: "O"}
RESULT_BY_WINNER = {**MARK_BY_PLAYER, 0: "draw"}
MATCH_RESULTS = ("x_wins", "draw", "o_wins")


@bp.before_request
def check_parameters() -> None:
    """Convert the parameters of the request and refuse invalid ones, before the view runs."""
    request.view_args = read_parameters(request.view_args)


@bp.get(API_DESCRIPTION_ROUTE)
def get_openapi() -> Response:
    return build_cacheable_response(current_app.extensions["openapi"])


@bp.get(API_AGENTS_ROUTE)
def list_agents() -> Response:
    site = get_current_site()
    rules = [name for name in site.policies if name not in site.agents]
    return build_cacheable_response(
        {
            "agents": [build_agent_summary(site, id) for id in site.agents],
            "baselines": [
                {
                    "id": id,
                    "title": site.display_titles[id],
                    "play": play_against_url(id),
                }
                for id in rules
            ],
        }
    )


@bp.get(API_AGENT_ROUTE)
def show_agent(id: str) -> Response:
    site = get_current_site()
    _check_name_exists(id, site.agents, site.agents.contains_name(id))
    return build_cacheable_response(
        {
            "summary": build_agent_summary(site, id),
            "card": add_arrays_digest(site.agents[id]),
        }
    )


@bp.get(API_JUDGE_ROUTE)
def judge_moves(moves: str) -> Response:
    site = get_current_site()
    name = MOVES_PREFIX + moves
    site.canonicalize(name)
    return build_cacheable_response(build_judgement(site, name))


@bp.post(API_JUDGE_ROUTE)
def judge_table(values: bool, **_reading_options: str) -> Response:
    site = get_current_site()
    try:
        reading, _ = read_sent_table()
    except TableError as error:
        raise BadRequest(f"This table cannot be read: {error}.") from None
    if isinstance(reading, Diagnosis):
        raise BadRequest(
            "This is a trace of updates and no table: send it to the page /judge."
        )
    if reading.unread_reasons:
        raise BadRequest(
            f"This table cannot be read as a whole: {reading.fault_sentence}."
        )
    moves = encode_moves(GAME, reading.chosen_moves)
    proportional_figures = None
    if reading.is_proportional:
        proportional_figures = compute_policy_figures(GAME, reading.policy)
    response = build_json_response(
        build_judgement(site, MOVES_PREFIX + moves, proportional_figures)
        | {
            "moves": moves,
            "read": reading.position_count,
            "notes": reading.notes,
            "values": list_position_values(site, reading) if values else None,
        }
    )
    response.cache_control.no_store = True
    return response


def _list_proved_seats(lost_games: Mapping[str, str | None]) -> list[str]:
    return [
        MARK_BY_PLAYER[SEATS[seat]]
        for seat, record in lost_games.items()
        if record is None
    ]


def build_judgement(
    site: SiteData, policy_name: str, proportional_figures: Figures | None = None
) -> OpenApiDocument:
    """Return the exact results of a policy, whose moves are equally likely by default.

    `proportional_figures` are the results of a table that plays in proportion to its values.
    """
    figures = proportional_figures or get_figures(site, policy_name)
    lost_games = find_losing_games(site, policy_name)
    reachable = figures.reachable_blunders
    return {
        "title": site.display_titles[policy_name],
        "unbeatable_as": _list_proved_seats(lost_games),
        "losing_games": lost_games,
        "blunders": figures.blunders[-1],
        "decisions": GAME.decisions,
        "reachable_blunders": {"x": reachable.x[-1], "o": reachable.o[-1]},
        "nash_conv": figures.nash_conv[-1],
        "against_random": build_final_results(
            figures.outcome_chances_by_baseline["random"]
        ),
        "against_best_responder": build_final_results(figures.best_response),
        "causes": [
            _build_cause(site, cause)
            for cause in find_blunder_causes(site, policy_name)
        ],
        "page": judge_url(policy_name),
        "play": play_against_url(policy_name),
    }


def list_position_values(
    site: SiteData, reading: TableReading
) -> dict[str, list[float | None]] | None:
    """Return position -> values for JSON, None if the table has only moves."""
    if reading.q is None:
        return None
    positions = [format_position(GAME, position) for position in range(len(reading.q))]
    values = [
        [None if isnan(value) else value for value in row] for row in reading.q.tolist()
    ]
    return dict(zip(positions, values, strict=True))


@bp.get(API_POSITION_ROUTE)
def show_position(position: str, lens: str, step: int | None = None) -> Response:
    site = get_current_site()
    _check_name_exists(lens, site.value_sources, site.is_value_source(lens))
    learned = site.agents.find(lens)
    steps = len(learned.snapshot_updates) if learned else 0
    if step is not None and step >= steps:
        raise NotFound(f"{lens} has {steps} snapshots: there is no step {step}.")
    number = _parse_position_number(position)
    return build_cacheable_response(build_position_view(site, number, lens, step))


@bp.get(API_MOVE_ROUTE)
def draw_move(
    position: str, agent: str, epsilon: float, seed: int | None = None
) -> Response:
    """Choose an agent's move at random, by its policy; the same seed gives the same move."""
    site = get_current_site()
    number = _parse_position_number(position)
    _check_name_exists(agent, site.policies, site.policies.contains_name(agent))
    if GAME.is_over(number):
        raise Conflict(f"The game is over in {position}: no player is to move.")
    if seed is None:
        draw = current_app.extensions["random"]
        response = build_json_response(
            build_chosen_move(site, number, agent, epsilon, draw)
        )
        response.cache_control.no_store = True
        return response
    draw = random.Random(f"{seed} {agent} {position}")
    return build_cacheable_response(
        build_chosen_move(site, number, agent, epsilon, draw)
    )


@bp.get(API_GAME_ROUTE)
def show_game(record: str) -> Response:
    site = get_current_site()
    try:
        states = [
            build_state(site, position) for position in replay_record(GAME, record)
        ]
    except IllegalMoveError as error:
        raise Conflict(f"This game cannot be: {error}.") from None
    except ValueError as error:
        raise BadRequest(f"This is no record of a game: {error}.") from None
    return build_cacheable_response(
        {
            "record": record,
            "states": states,
            "page": play_url(Match(record, o=HUMAN)),
        }
    )


@bp.get(API_MATCH_ROUTE)
def show_match(x: str, o: str) -> Response:
    site = get_current_site()
    for name in (x, o):
        _check_name_exists(name, site.policies, site.policies.contains_name(name))
    policies = site.policies[x], site.policies[o]
    chances = [
        round_figure(chance) for chance in compute_outcome_chances(GAME, *policies)[0]
    ]
    likeliest = [find_likeliest_game(GAME, *policies, outcome) for outcome in (X, 0, O)]
    return build_cacheable_response(
        {
            "x": x,
            "o": o,
            "chances": dict(zip(MATCH_RESULTS, chances, strict=True)),
            "likeliest": dict(zip(MATCH_RESULTS, likeliest, strict=True)),
            "page": play_url(Match(x=x, o=o)),
        }
    )


@bp.get(API_EXPERIMENTS_ROUTE)
def list_experiments() -> Response:
    claims = [
        {
            "id": one.id,
            "title": one.title,
            "source": SOURCES[one.sources[0]].name,
            "verdict": one.verdict,
            "href": API_EXPERIMENT_ROUTE.url(one.id),
            "page": EXPERIMENT_ROUTE.url(one.id),
        }
        for one in get_current_site().experiments.values()
    ]
    return build_cacheable_response({"claims": claims})


@bp.get(API_EXPERIMENT_ROUTE)
def show_experiment(claim: str) -> Response:
    summaries = get_current_site().experiments
    _check_name_exists(claim, summaries, claim in summaries)
    page = EXPERIMENT_ROUTE.url(claim)
    fields = {
        name: getattr(summaries[claim], name) for name in ClaimSummary.__struct_fields__
    }
    return build_cacheable_response(Experiment(**fields, page=page))


@bp.record
def register_description(state: BlueprintSetupState) -> None:
    assert isinstance(state.app, Flask)
    with state.app.app_context():
        state.app.extensions["openapi"] = build_description(get_current_site())


def build_cacheable_response(content: object) -> Response:
    """Return a JSON response that caches may keep, because it depends only on the URL."""
    response = build_json_response(content)
    return allow_revalidation(response, generate_etag(response.data))


def build_json_response(content: object) -> Response:
    return Response(msgspec.json.encode(content), mimetype="application/json")


def _parse_position_number(position: str) -> int:
    try:
        return parse_position(GAME, position)
    except ValueError as error:
        raise NotFound(f"There is no such position: {error}.") from None


def _check_name_exists(name: str, valid_names: Collection[str], is_known: bool) -> None:
    if not is_known:
        raise NotFound(f"There is no {name!r} here. {format_valid_names(valid_names)}")


def build_agent_summary(site: SiteData, agent_id: str) -> OpenApiDocument:
    card = site.agents[agent_id].card
    figures = card.figures
    far = card.figures.task_distance
    task = far and {
        "largest": far.largest_distance[-1],
        "mean": far.mean_distance[-1],
        "lens": agent_id + TASK_SUFFIX,
    }
    return {
        "id": agent_id,
        "title": card.title,
        "origin": card.origin,
        "algorithm": card.algorithm,
        "recipe": card.recipe,
        "updates": card.updates,
        "unbeatable_as": _list_proved_seats(find_losing_games(site, agent_id)),
        "blunders": figures.blunders[-1],
        "decisions": GAME.decisions,
        "task": task,
        "against_random": build_final_results(
            figures.outcome_chances_by_baseline["random"]
        ),
        "against_best_responder": build_final_results(figures.best_response),
        "href": API_AGENT_ROUTE.url(agent_id),
        "page": agent_url(agent_id),
        "play": play_url(Match(o=agent_id)),
    }


def build_state(site: SiteData, position: int) -> OpenApiDocument:
    over = GAME.is_over(position)
    return {
        "position": format_position(GAME, position),
        "code": int(GAME.code[position]),
        "to_move": None if over else MARK_BY_PLAYER[int(GAME.to_move[position])],
        "over": over,
        "result": RESULT_BY_WINNER[GAME.get_result(position)] if over else None,
    }


def build_position_view(
    site: SiteData, position: int, value_source: str, snapshot: int | None
) -> OpenApiDocument:
    """Return a position with its exact values, and the values of an agent or another source."""
    learned = site.agents.find(value_source)
    values = (
        None
        if GAME.is_over(position)
        else evaluate_moves(site, position, value_source, snapshot)
    )
    reward_scale = site.get_rewards(value_source)
    scale = updates = None
    if values and reward_scale:
        is_x = GAME.to_move[position] == X
        rewards = reward_scale.x if is_x else reward_scale.o
        scale = dict(zip(("loss", "draw", "win"), rewards, strict=True))
    if learned:
        updates = int(learned.snapshot_updates[-1 if snapshot is None else snapshot])
    shown = Match(
        find_record(GAME, position),
        o=HUMAN,
        value_source=value_source,
        snapshot=snapshot,
    )
    return build_state(site, position) | {
        "symmetry_class": format_position(GAME, int(GAME.symmetry_class[position])),
        "value": int(site.solution.values[position]),
        "plies": int(site.solution.plies_to_end[position]),
        "lens": value_source,
        "updates": updates,
        "worth": scale,
        "cells": [
            _build_square(site, position, cell, values) for cell in range(GAME.cells)
        ],
        "page": play_url(shown),
    }


def build_chosen_move(
    site: SiteData, position: int, player_name: str, epsilon: float, rng: random.Random
) -> OpenApiDocument:
    """Return a move chosen by a player's policy or, with probability `epsilon`, at random."""
    own = site.policies[player_name][position]
    at_random = site.policies["random"][position]
    chances = mix_policies(own, at_random, epsilon).tolist()
    cell = rng.choices(range(len(chances)), chances)[0]
    return {
        "agent": player_name,
        "before": build_state(site, position),
        "chances": [round_figure(chance) for chance in chances],
        "cell": cell,
        "after": build_state(site, int(GAME.successor[position, cell])),
    }


def _build_cause(site: SiteData, cause: BlunderCause) -> OpenApiDocument:
    return {
        "kind": cause.kind,
        "seat": MARK_BY_PLAYER.get(cause.player),
        "rule": cause.rule,
        "number": cause.matching_count,
        "of": cause.possible_count,
        "by_chance": round_figure(cause.expected_by_chance),
        "shown_in": [
            format_position(GAME, position) for position in cause.example_positions
        ],
    }


def build_final_results(figures: ChancesBySeat) -> OpenApiDocument:
    """Return the chances of a win, a draw and a loss after the training, as X and as O."""
    seats = {"x": figures.x[-1], "o": figures.o[-1]}
    return {
        seat: dict(zip(("win", "draw", "loss"), chances, strict=True))
        for seat, chances in seats.items()
    }


def _build_square(
    site: SiteData, position: int, cell: int, move_values: MoveValues | None
) -> OpenApiDocument:
    square = {
        "cell": cell,
        "mark": MARKS[int(GAME.board[position, cell])],
        "legal": False,
        "value": None,
        "best": False,
        "policy": 0.0,
        "visits": None,
        "task": None,
        "truth": None,
    }
    if move_values is None or not GAME.legal[position, cell]:
        return square
    learned = site.agents.find(move_values.value_source)
    task = (
        None
        if move_values.is_optimal_play
        else site.get_task_q(move_values.value_source.removesuffix(TASK_SUFFIX))
    )
    after = GAME.successor[position, cell]
    if move_values.is_known[cell]:
        square["value"] = round_figure(move_values.values[cell])
    return square | {
        "legal": True,
        "best": move_values.is_best[cell],
        "policy": round_figure(move_values.policy[cell]),
        "visits": int(learned.visits[position, cell]) if learned else None,
        "task": None if task is None else round_figure(task[position, cell]),
        "truth": {
            "outcome": OUTCOME_LABELS[int(site.optimal_q[position, cell])],
            "plies": int(site.solution.plies_to_end[after]) + 1,
        },
    }
