"""The next update that a value would get from the table on display, in each case.

A case is an answer of the opponent, or a result of the game, depending on the algorithm.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from app.recipes.algorithms import QTable, TdAfterstates, TdControl, compute_final_rate
from app.recipes.games import TrainingMove, TrainingUpdate
from app.tictactoe.beads import count_beads
from app.tictactoe.notation import DIGITS, format_position
from app.tictactoe.policy import Policy, policy_from_values, uniform_policy
from app.tictactoe.reachable_play import find_likeliest_games
from app.tictactoe.views import RewardScale
from app.web.algorithms import (
    ALGORITHMS,
    MINIMAX,
    find_algorithm_slug,
    find_update_rule,
)
from app.web.algorithms.champion import BOUNDS_BY_VALUE
from app.web.algorithms.league import is_shared_by_seats
from app.web.algorithms.mcts import compute_upper_bounds
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import name_square
from app.web.pages.parts.update import (
    RESULT_NAMES,
    UpdateEvent,
    UpdateLink,
    UpdatePicture,
    UpdateTerms,
    WeightedReply,
    build_update_terms,
    draw_update,
    get_best_value,
)
from app.web.site_data import TRUTH

TITLES_BY_RESULT = {1: "wins", 0: "draws", -1: "loses"}


class UpdateCase(NamedTuple):
    """One way in which the next update of a value can come about."""

    url_name: str  # name in the URL: the digit of the reply, or the result
    title: str  # name of the reply's square, or the result; "" for the only case
    event: UpdateEvent
    default_rank: float  # the page shows the case with the lowest rank by default


class NextUpdate(NamedTuple):
    """The next update of a value in one case, with links to the other cases."""

    update: UpdatePicture
    case_links: list[UpdateLink]  # links to all cases; [] for a single case
    are_cases_results: bool  # whether the cases are results of a game, not replies


def draw_next_update(
    query: ValueQuery, case_name: str, build_url: Callable[..., str]
) -> NextUpdate | None:
    """Return the next update of a value, None if the table alone does not determine it.

    `case_name` is a reply or a result, "" for the most typical case; `build_url` returns the URL of
    the page with another case.  Raises ValueError with a sentence if there is no such case.
    """
    # a person has no policy, so the replies have no probabilities
    if query.site.is_taught_by_person(query.value_source):
        return None
    cases = list_cases(query)
    if not cases:
        return None
    chosen = min(cases, key=lambda case: case.default_rank)
    if case_name:
        chosen = next((case for case in cases if case.url_name == case_name), chosen)
        if chosen.url_name != case_name:
            names = ", ".join(f"{case.url_name} ({case.title})" for case in cases)
            raise ValueError(
                f"answer in the address is {case_name!r}. There are: {names}."
            )
    links = [
        UpdateLink(
            f"why-after-{case.url_name}",
            case.title,
            build_url(answer=case.url_name),
            case == chosen,
        )
        for case in cases
    ]
    terms = _get_update_terms(query)
    return NextUpdate(
        draw_update(query.game, terms, chosen.event),
        links if len(cases) > 1 else [],
        terms.style.family in ("return", "beads"),
    )


def list_cases(query: ValueQuery) -> list[UpdateCase]:
    """Return the possible next updates of a value.

    Depending on the algorithm there is a case for each answer of the opponent, for each result of
    the game, or a single case.

    The list is empty if the table does not determine them.
    """
    section = find_algorithm_slug(query)
    style = _get_update_terms(query).style
    reason = find_update_rule(query).compute_reason(query)
    if style.family == "mean":
        return _list_weighted_cases(query, reason)
    if style.family == "bounds":
        return _list_bound_cases(query, reason) if reason.has_target else []
    if section in CASE_BUILDERS:
        return CASE_BUILDERS[section](query, reason)
    if section in FINAL_STEP_SIZES and reason.has_target:
        return _list_step_cases(query, reason)
    return []


def _get_update_terms(query: ValueQuery) -> UpdateTerms:
    """Return the algorithm, rewards and discount factor for the update of a value."""
    if query.is_learned:
        return build_update_terms(query.recipe)
    exact = ALGORITHMS[MINIMAX].update_style
    if query.task is None or query.value_source == TRUTH:
        return UpdateTerms(MINIMAX, exact, RewardScale(), None)
    style = exact._replace(family="mean", next_mover="own")
    if query.task.discounted_plies == 1:
        style = style._replace(next_mover="other")
    return UpdateTerms("task", style, query.reward_scale, query.gamma)


def _get_final_alpha(recipe: TdControl | QTable | TdAfterstates) -> float:
    """Return the step size of a recipe at the end of its training."""
    return compute_final_rate(recipe.alpha, getattr(recipe, "alpha_drop", 0.0))


# slug -> function from a recipe to the step size at the end of its training
FINAL_STEP_SIZES: Mapping[str, Callable[[Any], float]] = {
    "q-learning": _get_final_alpha,
    "sarsa": _get_final_alpha,
    "sarsa-lambda": _get_final_alpha,
    "expected-sarsa": _get_final_alpha,
    "q-table": _get_final_alpha,
    "td-afterstates": _get_final_alpha,
    "q-iteration": lambda _recipe: 1.0,
}


def list_move_values(query: ValueQuery, position: int) -> list[float | None]:
    """Return the values of the moves of a position, None where illegal; [] after the end."""
    if query.game.is_over(position):
        return []
    row = query.table[position].tolist()
    return [None if math.isnan(value) else value for value in row]


def _make_move(query: ValueQuery, next_board: str) -> TrainingMove:
    board = format_position(query.game, query.position)
    return TrainingMove(board, query.cell, was_random=False, next_own_board=next_board)


def _make_update(query: ValueQuery, **numbers: Any) -> TrainingUpdate:
    """Return the next update of the value, with the given numbers."""
    update_fields: dict[str, Any] = {
        "move_index": 0,
        "old": query.value,
        "update_count": (query.update_count or 0) + 1,
        "is_opponent_move": False,
        "values": list_move_values(query, query.position),
    }
    return TrainingUpdate(**(update_fields | numbers))


def _make_step_update(
    query: ValueQuery, target: float, step_size: float, **numbers: Any
) -> TrainingUpdate:
    """Return the next update of the value by a step towards a target."""
    old_value: float = numbers.get("old", query.value)
    return _make_update(
        query,
        new=old_value + step_size * (target - old_value),
        target=target,
        step_size=step_size,
        **numbers,
    )


def _list_step_cases(query: ValueQuery, reason: ValueReason) -> list[UpdateCase]:
    """Return a case for each answer; its target uses the values of the next position."""
    cases = []
    for reply in reason.possible_replies:
        next_values = list_move_values(query, reply.position)
        followed = get_best_value(next_values)
        if find_algorithm_slug(query) == "expected-sarsa":
            followed = reply.next_value or 0.0
        change = _make_step_update(
            query,
            reply.reward + query.gamma * followed,
            FINAL_STEP_SIZES[find_algorithm_slug(query)](query.recipe),
            reward=reply.reward,
            next_board=format_position(query.game, reply.position),
            next_cell=next_values.index(followed) if followed in next_values else None,
            next_value=followed,
            next_values=next_values,
        )
        cases.append(make_reply_case(query, reason, reply, _make_event(query, change)))
    return cases


def _make_event(query: ValueQuery, update: TrainingUpdate) -> UpdateEvent:
    """Return the event of an update: the update together with its move."""
    return UpdateEvent(_make_move(query, update.next_board), update)


def make_reply_case(
    query: ValueQuery, reason: ValueReason, reply: Reply, event: UpdateEvent
) -> UpdateCase:
    """Return the case of a reply; its rank is low if its target is near the average target."""
    rank = abs(reply.target - reason.target)
    if reply.cell is None:
        return UpdateCase("", "", event, rank)
    title = name_square(reply.cell)
    return UpdateCase(DIGITS[reply.cell], title, event, rank)


def _list_weighted_cases(query: ValueQuery, reason: ValueReason) -> list[UpdateCase]:
    """Return a case for each answer, for an exact value that is the average over all answers."""
    if query.task is not None and query.task.discounted_plies == 1:
        return _list_best_reply_cases(query, reason, 1.0)
    total = sum(reply.weight for reply in reason.possible_replies)
    shares = [
        WeightedReply(reply.cell or 0, reply.weight / total, reply.target)
        for reply in reason.possible_replies
    ]
    cases = []
    for reply in reason.possible_replies:
        next_values = list_move_values(query, reply.position)
        best = get_best_value(next_values)
        change = _make_update(
            query,
            new=query.value,
            target=reply.target,
            reward=reply.reward,
            next_board=format_position(query.game, reply.position),
            next_cell=next_values.index(best) if next_values else None,
            next_value=reply.next_value or 0.0,
            next_values=next_values,
        )
        event = _make_event(query, change)._replace(weighted_replies=shares)
        cases.append(make_reply_case(query, reason, reply, event))
    return cases


def _list_bound_cases(query: ValueQuery, reason: ValueReason) -> list[UpdateCase]:
    """Return the single case in which the bounds of all answers make the bounds of a value."""
    if reason.target not in BOUNDS_BY_VALUE:
        return []
    change = _make_update(
        query,
        new=reason.target,
        next_board=format_position(query.game, query.next_position),
        next_values=list_move_values(query, query.next_position),
    )
    return [UpdateCase("", "", _make_event(query, change), 0.0)]


def _list_best_reply_cases(
    query: ValueQuery, reason: ValueReason, step_size: float
) -> list[UpdateCase]:
    """Return the single case in which the opponent plays its best answer by the same table."""
    next_values = list_move_values(query, query.next_position)
    best = get_best_value(next_values)
    reward = reason.possible_replies[0].reward
    change = _make_step_update(
        query,
        reward - query.gamma * best,
        step_size,
        reward=reward,
        next_board=format_position(query.game, query.next_position),
        next_value=best,
        next_values=next_values,
    )
    return [UpdateCase("", "", _make_event(query, change), 0.0)]


def _list_self_play_cases(query: ValueQuery, reason: ValueReason) -> list[UpdateCase]:
    return _list_best_reply_cases(query, reason, _get_final_alpha(query.recipe))


def _list_league_cases(query: ValueQuery, reason: ValueReason) -> list[UpdateCase]:
    """Return the next update by the answer with the highest value for the learner.

    Values that are shared with another seat have a second target, so the table alone does not
    determine their next update.
    """
    if is_shared_by_seats(query):
        return []
    reply = reason.possible_replies[0]
    next_values: list[float | None] = []
    if reply.cell is not None:
        next_values = [None] * query.game.cells
        for answer in reason.replies:
            next_values[answer.cell or 0] = answer.next_value
    change = _make_step_update(
        query,
        reason.target,
        1 / (2 + (query.update_count or 0)),
        reward=reply.reward,
        next_board=format_position(query.game, query.next_position),
        next_cell=reply.cell,
        next_value=max(0.0, reply.next_value or 0.0),
        next_values=next_values,
    )
    return [UpdateCase("", "", _make_event(query, change), 0.0)]


def _list_game_cases(
    query: ValueQuery,
    policy: Policy,
    make_update: Callable[[int, int], TrainingUpdate],
) -> list[UpdateCase]:
    """Return a case for each result that a game can have after the move.

    `policy` has the moves of both sides; the game of a case is the likeliest with its result.
    `make_update` gets the result for the mover and the number of its later moves.
    """
    cases = []
    game = query.game
    for result, line in find_likeliest_games(game, policy, query.next_position).items():
        end = query.next_position
        for cell in line.cells:
            end = int(game.successor[end, cell])
        outcome = result * query.mover
        later = len(line.cells) // 2
        change = make_update(outcome, later)
        board = format_position(game, end)
        is_discounted = find_algorithm_slug(query) == "monte-carlo"
        event = UpdateEvent(
            _make_move(query, board), change, board, later if is_discounted else 0
        )
        name = RESULT_NAMES[outcome]
        title = TITLES_BY_RESULT[outcome]
        cases.append(UpdateCase(name, title, event, -line.game_chance))
    order = list(RESULT_NAMES.values())
    return sorted(cases, key=lambda case: order.index(case.url_name))


def _combine_policies(query: ValueQuery, own_policy: Policy) -> Policy:
    """Return the policy in which the learner plays its own side and the opponent the other side."""
    if query.opponent is None:
        return own_policy
    is_own = query.game.to_move == query.mover
    mixed_policy: Policy = np.where(
        is_own[:, None], own_policy, query.site.policies[query.opponent]
    )
    return mixed_policy


def _list_return_cases(query: ValueQuery, _reason: ValueReason) -> list[UpdateCase]:
    """Return the next update of Monte Carlo control by a game with each result."""
    if query.update_count is None:
        return []

    def make_update(outcome: int, later_own_moves: int) -> TrainingUpdate:
        target = query.compute_reward(outcome) * query.gamma**later_own_moves
        return _make_step_update(query, target, 1 / ((query.update_count or 0) + 1))

    return _list_game_cases(
        query,
        _combine_policies(query, query.site.get_policy(query.value_source, None)),
        make_update,
    )


def _list_simulation_cases(query: ValueQuery, _reason: ValueReason) -> list[UpdateCase]:
    """Return the next update of tree search by a simulated game with each result."""
    if query.update_count is None or not query.is_known:
        return []
    reply_bounds: list[float | None] = [None] * query.game.cells
    for cell, bound in compute_upper_bounds(query).items():
        reply_bounds[cell] = bound

    def make_update(outcome: int, _later_own_moves: int) -> TrainingUpdate:
        step_size = 1 / ((query.update_count or 0) + 1)
        return _make_step_update(query, float(outcome), step_size, values=reply_bounds)

    return _list_game_cases(query, uniform_policy(query.game), make_update)


def _list_bead_cases(query: ValueQuery, reason: ValueReason) -> list[UpdateCase]:
    """Return a case for each result of a game: MENACE adds or removes beads of the move."""
    if not reason.has_target:
        return []
    game = query.game
    plays = query.agent.card.play_rule
    beads = game.spread_pairs(count_beads(game, query.table[game.legal], plays))
    row = beads[query.position].tolist()
    values = [None if math.isnan(value) else value for value in row]
    held = row[query.cell]

    def make_update(outcome: int, _later_own_moves: int) -> TrainingUpdate:
        paid = float(getattr(query.recipe, RESULT_NAMES[outcome]))
        return _make_update(
            query, old=held, new=max(0.0, held + paid), reward=paid, values=values
        )

    own = policy_from_values(query.table, "proportional")
    return _list_game_cases(query, _combine_policies(query, own), make_update)


# slug of an algorithm -> function that lists its cases; other algorithms have a case for each reply
CASE_BUILDERS: Mapping[str, Callable[[ValueQuery, ValueReason], list[UpdateCase]]] = {
    "self-play": _list_self_play_cases,
    "league": _list_league_cases,
    "monte-carlo": _list_return_cases,
    "mcts": _list_simulation_cases,
    "menace": _list_bead_cases,
}
