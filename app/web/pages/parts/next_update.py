"""The next update of a value, if the training went on from the table that the page shows.

It depends on what happens next: a reply of the opponent or, for some algorithms, the result of the
game. Each possibility is a case.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from msgspec import structs

from app.recipes.games import TrainingMove, make_training_update
from app.textbook.loop import Update
from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS, format_position
from app.tictactoe.policy import Policy, policy_from_values, uniform_policy
from app.tictactoe.reachable_play import find_likeliest_games
from app.web.algorithms import find_explaining_algorithm
from app.web.algorithms.targets import ValueQuery, ValueReason, list_move_values
from app.web.formatting import name_square
from app.web.pages.parts.update import (
    RESULT_NAMES,
    UpdatePicture,
    prepare_update_picture,
)
from app.web.rendering import Variables
from app.web.routes import Destination

TITLES_BY_RESULT = {1: "wins", 0: "draws", -1: "loses"}


class UpdateCase(NamedTuple):
    # the digit of the reply, or the result
    url_name: str
    # the square of the reply, or the result; "" if there is only one case
    title: str
    picture: UpdatePicture
    # By default the page shows the case with the lowest rank.
    default_rank: float


def build_next_update(
    query: ValueQuery, case_name: str, build_url: Callable[..., str]
) -> Variables | None:
    """Return the picture of a value's next update, with links to the other cases.

    `case_name` is a reply or a result, or "" for the most typical case. `build_url` returns the URL
    of a case. Returns None if the table alone does not determine the update. Raises ValueError if
    there is no such case.
    """
    # The replies of a person have no probabilities.
    if query.site.is_taught_by_person(query.value_source):
        return None
    cases = list_update_cases(query)
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
        Destination(
            case.title,
            build_url(answer=case.url_name),
            id=f"why-after-{case.url_name}",
            is_current=case == chosen,
        )
        for case in cases
    ]
    return {"picture": chosen.picture, "case_links": links if len(cases) > 1 else []}


def list_update_cases(query: ValueQuery) -> list[UpdateCase]:
    """Return the possible next updates of a value, computed by the textbook learner.

    There are none if the table does not determine the update.
    """
    algorithm = find_explaining_algorithm(query)
    reason = algorithm.compute_value_reason(query)
    if algorithm.update_cases == "result":
        return _list_game_cases(query, reason)
    replies = reason.possible_replies
    needs_target = algorithm.picture_kind == "step"
    is_determined = all(
        each.update and not (needs_target and each.update.target is None)
        for each in replies
    )
    if not (algorithm.update_cases and reason.has_target and is_determined):
        return []
    values = list_move_values(query, query.position)
    draw = partial(_build_update_picture, query, values=values)
    if algorithm.update_cases == "single":
        picture = draw(replies[0].update, next_values=reason.next_values)
        return [UpdateCase("", "", picture, 0.0)]
    cases = []
    for reply in replies:
        next_values = list_move_values(query, reply.position)
        picture = draw(reply.update, next_values=next_values)
        # An exact value is the mean of all targets; a learned value would move towards one of them.
        if not query.is_learned:
            total = sum(each.chance for each in replies)
            exact = structs.replace(picture.update, new=query.value, step_size=None)
            shares = [(each.chance / total, each.target) for each in replies]
            picture = replace(picture, update=exact, weighted_replies=shares)
        # The case whose target is nearest to the mean is shown first.
        rank = abs(reply.target - reason.target)
        name, title = "", ""
        if reply.cell is not None:
            name, title = DIGITS[reply.cell], name_square(reply.cell)
        cases.append(UpdateCase(name, title, picture, rank))
    return cases


def _build_update_picture(
    query: ValueQuery,
    update: Update | None,
    values: list[float | None],
    next_values: Sequence[float | None] = (),
    **rest: Any,
) -> UpdatePicture:
    """Return the picture of an update, with the values on its two boards, by cell.

    `rest` has fields of `UpdatePicture` for algorithms that learn from the result of a game.
    """
    if query.is_learned:
        start = prepare_update_picture(query.recipe)
    else:
        gamma = query.gamma if query.task else None
        start = partial(
            UpdatePicture, find_explaining_algorithm(query), query.reward_scale, gamma
        )
    assert update is not None
    board = format_position(GAME, query.position)
    after = rest.get("final_board") or update.next_board
    move = TrainingMove(board, query.cell, was_random=False, next_own_board=after)
    change = make_training_update(
        update,
        update_count=(query.update_count or 0) + 1,
        values=values,
        next_values=list(next_values),
    )
    return start(move, change, **rest)


def _list_game_cases(query: ValueQuery, reason: ValueReason) -> list[UpdateCase]:
    algorithm = find_explaining_algorithm(query)
    picture_kind = algorithm.picture_kind
    is_simulated = not reason.has_target and picture_kind == "return"
    if (
        (picture_kind == "return" and query.update_count is None)
        or (is_simulated and not query.is_known)
        or (picture_kind == "beads" and not reason.has_target)
    ):
        return []
    cases = []
    policy = uniform_policy(GAME) if is_simulated else _get_training_policy(query)
    games = find_likeliest_games(GAME, policy, query.next_position)
    for result, (cells, chance) in games.items():
        end = query.next_position
        for cell in cells:
            end = int(GAME.successor[end, cell])
        outcome = result * query.mover
        later = 0 if picture_kind == "beads" or is_simulated else len(cells) // 2
        board = format_position(GAME, end)
        picture = _build_update_picture(
            query,
            algorithm.update_after_game(query, board, later),
            algorithm.list_choice_values(query),
            final_board=board,
            later_own_moves=later,
        )
        name, title = RESULT_NAMES[outcome], TITLES_BY_RESULT[outcome]
        cases.append(UpdateCase(name, title, picture, -chance))
    order = list(RESULT_NAMES.values())
    return sorted(cases, key=lambda case: order.index(case.url_name))


def _get_training_policy(query: ValueQuery) -> Policy:
    own_policy = (
        policy_from_values(query.table, "proportional")
        if query.reward_scale is None
        else query.site.get_policy(query.value_source, None)
    )
    if query.opponent is None:
        return own_policy
    is_own = GAME.to_move == query.mover
    mixed_policy: Policy = np.where(
        is_own[:, None], own_policy, query.site.policies[query.opponent]
    )
    return mixed_policy
