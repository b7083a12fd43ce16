"""The next update that a value would get from the table on display, in each case.

A case is an answer of the opponent, or a result of the game, depending on the algorithm.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from app.recipes.games import TrainingMove, make_training_update
from app.textbook.loop import Update
from app.tictactoe.notation import DIGITS, format_position
from app.tictactoe.policy import Policy, policy_from_values, uniform_policy
from app.tictactoe.reachable_play import find_likeliest_games
from app.tictactoe.views import RewardScale
from app.web.algorithms import (
    find_algorithm,
)
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason, list_move_values
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
)

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
        terms.algorithm.family in ("return", "beads"),
    )


def list_cases(query: ValueQuery) -> list[UpdateCase]:
    """Return the possible next updates of a value, as the textbook learner makes them.

    Depending on the algorithm there is a case for each answer of the opponent, for each result of
    the game, or a single case.

    The list is empty if the table does not determine them.
    """
    algorithm = find_algorithm(query)
    reason = algorithm.compute_reason(query)
    if algorithm.update_cases == "result":
        return _list_game_cases(query, reason, algorithm)
    if not (algorithm.update_cases and reason.has_target):
        return []
    replies = reason.possible_replies
    values = list_move_values(query, query.position)
    cases = []
    for reply in replies:
        if reply.update is None:
            return []
        if algorithm.update_cases == "single":
            event = _make_event(query, reply.update, values, reason.next_values)
            return [UpdateCase("", "", event, 0.0)]
        next_values = list_move_values(query, reply.position)
        event = _make_event(query, reply.update, values, next_values)
        if not query.is_learned:
            event = _average_replies(event, replies, query.value)
        cases.append(make_reply_case(reason, reply, event))
    return cases


def _get_update_terms(query: ValueQuery) -> UpdateTerms:
    """Return the algorithm, rewards and discount factor for the update of a value."""
    if query.is_learned:
        return build_update_terms(query.recipe)
    algorithm = find_algorithm(query)
    if query.task is None:
        return UpdateTerms(algorithm, RewardScale(), None)
    return UpdateTerms(algorithm, query.reward_scale, query.gamma)


def _make_event(
    query: ValueQuery,
    update: Update,
    values: list[float | None],
    next_values: Sequence[float | None] = (),
    end: str = "",
) -> UpdateEvent:
    """Return the event of an update, with the values of its board and of the next one.

    `end` is the last board of a game, for learners from results.
    """
    board = format_position(query.game, query.position)
    return UpdateEvent(
        TrainingMove(
            board, query.cell, was_random=False, next_own_board=end or update.next_board
        ),
        make_training_update(
            update,
            update_count=(query.update_count or 0) + 1,
            values=values,
            next_values=list(next_values),
        ),
        end,
    )


def _average_replies(
    event: UpdateEvent, replies: list[Reply], value: float
) -> UpdateEvent:
    """Return the event of an exact value, which is the mean of the targets after all replies."""
    total = sum(reply.weight for reply in replies)
    shares = [
        WeightedReply(reply.cell or 0, reply.weight / total, reply.target)
        for reply in replies
    ]
    exact = replace(event.update, new=value, step_size=None)
    return event._replace(update=exact, weighted_replies=shares)


def make_reply_case(
    reason: ValueReason, reply: Reply, event: UpdateEvent
) -> UpdateCase:
    """Return the case of a reply; its rank is low if its target is near the average target."""
    rank = abs(reply.target - reason.target)
    if reply.cell is None:
        return UpdateCase("", "", event, rank)
    title = name_square(reply.cell)
    return UpdateCase(DIGITS[reply.cell], title, event, rank)


def _list_game_cases(
    query: ValueQuery, reason: ValueReason, algorithm: Algorithm
) -> list[UpdateCase]:
    """Return a case for each result that a game can have after the move, by the likeliest game."""
    family = algorithm.family
    is_simulated = not reason.has_target and family == "return"
    if (
        (family == "return" and query.update_count is None)
        or (is_simulated and not query.is_known)
        or (family == "beads" and not reason.has_target)
    ):
        return []
    game = query.game
    cases = []
    policy = uniform_policy(game) if is_simulated else _get_training_policy(query)
    for result, line in find_likeliest_games(game, policy, query.next_position).items():
        end = query.next_position
        for cell in line.cells:
            end = int(game.successor[end, cell])
        outcome = result * query.mover
        later = 0 if family == "beads" or is_simulated else len(line.cells) // 2
        board = format_position(game, end)
        update = algorithm.update_after_game(query, board, later)
        event = _make_event(query, update, algorithm.list_values(query), end=board)
        event = event._replace(later_own_moves=later)
        name = RESULT_NAMES[outcome]
        title = TITLES_BY_RESULT[outcome]
        cases.append(UpdateCase(name, title, event, -line.game_chance))
    order = list(RESULT_NAMES.values())
    return sorted(cases, key=lambda case: order.index(case.url_name))


def _get_training_policy(query: ValueQuery) -> Policy:
    """Return the policy of a training game: the learner's on its side, the opponent's on the other."""
    own_policy = (
        policy_from_values(query.table, "proportional")
        if query.reward_scale is None
        else query.site.get_policy(query.value_source, None)
    )
    if query.opponent is None:
        return own_policy
    is_own = query.game.to_move == query.mover
    mixed_policy: Policy = np.where(
        is_own[:, None], own_policy, query.site.policies[query.opponent]
    )
    return mixed_policy
