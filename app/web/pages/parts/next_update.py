"""The next update that a value would get from the table on display, in each case.

A case is an answer of the opponent, or a result of the game, depending on the algorithm.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from app.recipes.algorithms import compute_final_rate
from app.recipes.games import TrainingMove, TrainingUpdate
from app.tictactoe.beads import count_beads
from app.tictactoe.notation import DIGITS, format_position
from app.tictactoe.policy import Policy, policy_from_values, uniform_policy
from app.tictactoe.reachable_play import find_likeliest_games
from app.tictactoe.views import RewardScale
from app.web.algorithms import ALGORITHMS, MINIMAX, rule_of, section_of
from app.web.algorithms.champion import BOUNDS
from app.web.algorithms.league import shares_entry
from app.web.algorithms.mcts import compute_bounds
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import name_square_briefly
from app.web.pages.parts.update import (
    RESULTS,
    UpdateEvent,
    UpdateLink,
    UpdatePicture,
    UpdateTerms,
    WeightedReply,
    draw_update,
    terms_of,
)
from app.web.site_data import TRUTH

RESULT_TITLES = {1: "wins", 0: "draws", -1: "loses"}


class Case(NamedTuple):
    """One way in which the next update of a value can come about."""

    name: str  # in the URL: the digit of the answer, or the result
    title: str  # name of the answer's square, or the result in a word; "" for the only case
    event: UpdateEvent
    rank: float  # the case with the lowest rank is shown by default


class NextUpdate(NamedTuple):
    """The next update of a value in one case, with links to the other cases."""

    update: UpdatePicture
    cases: list[UpdateLink]  # [] if there is only one
    are_results: bool  # whether the cases are results of a game, not answers


def draw_next_update(
    pair: ValueQuery, name: str, url: Callable[..., str]
) -> NextUpdate | None:
    """Return the next update of a value, None if the table alone does not determine it.

    `name` is the name of a case, "" for the most typical case; `url` builds the URL of the page
    with another case.  Raises ValueError with a sentence if there is no such case.
    """
    # people have no policy to average over
    if pair.site.is_taught(pair.lens):
        return None
    cases = list_cases(pair)
    if not cases:
        return None
    chosen = min(cases, key=lambda case: case.rank)
    if name:
        chosen = next((case for case in cases if case.name == name), chosen)
        if chosen.name != name:
            names = ", ".join(f"{case.name} ({case.title})" for case in cases)
            raise ValueError(f"answer in the address is {name!r}. There are: {names}.")
    links = [
        UpdateLink(
            f"why-after-{case.name}", case.title, url(answer=case.name), case == chosen
        )
        for case in cases
    ]
    terms = _find_terms(pair)
    return NextUpdate(
        draw_update(pair.game, terms, chosen.event),
        links if len(cases) > 1 else [],
        terms.style.family in ("return", "beads"),
    )


def list_cases(pair: ValueQuery) -> list[Case]:
    """Return the possible next updates of a value.

    Depending on the algorithm there is a case for each answer of the opponent, for each result of
    the game, or a single case.

    The list is empty if the table does not determine them.
    """
    section = section_of(pair)
    style = _find_terms(pair).style
    reason = rule_of(pair).compute_reason(pair)
    if style.family == "mean":
        return _list_weighted_answers(pair, reason)
    if style.family == "bounds":
        return _follow_bounds(pair, reason) if reason.has_target else []
    if section in BUILDERS:
        return BUILDERS[section](pair, reason)
    if section in STEP_SIZES and reason.has_target:
        return _list_steps(pair, reason)
    return []


def _find_terms(pair: ValueQuery) -> UpdateTerms:
    """Return the terms of the update of a value, or of an exact value."""
    if pair.is_learned:
        return terms_of(pair.recipe)
    exact = ALGORITHMS[MINIMAX].update
    if pair.task is None or pair.lens == TRUTH:
        return UpdateTerms(MINIMAX, exact, RewardScale(), None)
    style = exact._replace(family="mean", next_mover="own")
    if pair.task.plies == 1:
        style = style._replace(next_mover="other")
    return UpdateTerms("task", style, pair.worth, pair.gamma)


def _final_alpha(recipe: Any) -> float:
    return compute_final_rate(recipe.alpha, getattr(recipe, "alpha_drop", 0.0))


# The step size at the end of a training, of the algorithms that step towards an answer's target.
STEP_SIZES: Mapping[str, Callable[[Any], float]] = {
    "q-learning": _final_alpha,
    "sarsa": _final_alpha,
    "sarsa-lambda": _final_alpha,
    "expected-sarsa": _final_alpha,
    "q-table": _final_alpha,
    "td-afterstates": _final_alpha,
    "q-iteration": lambda _recipe: 1.0,
}


def _row(pair: ValueQuery, position: int) -> list[float | None]:
    """Return the values of the moves of a position, None where illegal; [] after the end."""
    if pair.game.is_over(position):
        return []
    row = pair.table[position].tolist()
    return [None if math.isnan(value) else value for value in row]


def _make_move(pair: ValueQuery, after: str) -> TrainingMove:
    board = format_position(pair.game, pair.position)
    return TrainingMove(board, pair.cell, explored=False, after=after)


def _make_update(pair: ValueQuery, **numbers: Any) -> TrainingUpdate:
    """Return the next update of the value, with the given numbers."""
    fields: dict[str, Any] = {
        "turn": 0,
        "old": pair.value,
        "times": (pair.visits or 0) + 1,
        "observed": False,
        "values": _row(pair, pair.position),
    }
    return TrainingUpdate(**(fields | numbers))


def _step_to(
    pair: ValueQuery, target: float, step_size: float, **numbers: Any
) -> TrainingUpdate:
    """Return the next update of the value by a step towards a target."""
    old: float = numbers.get("old", pair.value)
    return _make_update(
        pair,
        new=old + step_size * (target - old),
        target=target,
        step_size=step_size,
        **numbers,
    )


def _list_steps(pair: ValueQuery, reason: ValueReason) -> list[Case]:
    """Return a case for each answer; its target uses the values of the next position."""
    cases = []
    for reply in reason.given:
        next_values = _row(pair, reply.position)
        followed = max(_known(next_values), default=0.0)
        if section_of(pair) == "expected-sarsa":
            followed = reply.found or 0.0
        change = _step_to(
            pair,
            reply.reward + pair.gamma * followed,
            STEP_SIZES[section_of(pair)](pair.recipe),
            reward=reply.reward,
            next_board=format_position(pair.game, reply.position),
            next_cell=next_values.index(followed) if followed in next_values else None,
            next_value=followed,
            next_values=next_values,
        )
        cases.append(_answer_case(pair, reason, reply, _make_event(pair, change)))
    return cases


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _make_event(pair: ValueQuery, change: TrainingUpdate) -> UpdateEvent:
    """Return the move of a value, to the next board of its update, with this update."""
    return UpdateEvent(_make_move(pair, change.next_board), change)


def _answer_case(
    pair: ValueQuery, reason: ValueReason, reply: Reply, event: UpdateEvent
) -> Case:
    """Return the case of an answer; the nearer its target is to the average, the lower its rank."""
    rank = abs(reply.target - reason.target)
    if reply.cell is None:
        return Case("", "", event, rank)
    title = name_square_briefly(pair.game, reply.cell)
    return Case(DIGITS[reply.cell], title, event, rank)


def _list_weighted_answers(pair: ValueQuery, reason: ValueReason) -> list[Case]:
    """Return a case for each answer, for an exact value that is the average over all answers."""
    if pair.task is not None and pair.task.plies == 1:
        return _follow_best(pair, reason, 1.0)
    total = sum(reply.weight for reply in reason.given)
    shares = [
        WeightedReply(reply.cell or 0, reply.weight / total, reply.target)
        for reply in reason.given
    ]
    cases = []
    for reply in reason.given:
        next_values = _row(pair, reply.position)
        best = max(_known(next_values), default=0.0)
        change = _make_update(
            pair,
            new=pair.value,
            target=reply.target,
            reward=reply.reward,
            next_board=format_position(pair.game, reply.position),
            next_cell=next_values.index(best) if next_values else None,
            next_value=reply.found or 0.0,
            next_values=next_values,
        )
        event = _make_event(pair, change)._replace(shares=shares)
        cases.append(_answer_case(pair, reason, reply, event))
    return cases


def _follow_bounds(pair: ValueQuery, reason: ValueReason) -> list[Case]:
    """Return the single case in which the bounds of all answers make the bounds of a value."""
    if reason.target not in BOUNDS:
        return []
    change = _make_update(
        pair,
        new=reason.target,
        next_board=format_position(pair.game, pair.after),
        next_values=_row(pair, pair.after),
    )
    return [Case("", "", _make_event(pair, change), 0.0)]


def _follow_best(pair: ValueQuery, reason: ValueReason, step_size: float) -> list[Case]:
    """Return the single case in which the opponent plays its best answer by the same table."""
    next_values = _row(pair, pair.after)
    best = max(_known(next_values), default=0.0)
    reward = reason.given[0].reward
    change = _step_to(
        pair,
        reward - pair.gamma * best,
        step_size,
        reward=reward,
        next_board=format_position(pair.game, pair.after),
        next_value=best,
        next_values=next_values,
    )
    return [Case("", "", _make_event(pair, change), 0.0)]


def _follow_self_play(pair: ValueQuery, reason: ValueReason) -> list[Case]:
    return _follow_best(pair, reason, _final_alpha(pair.recipe))


def _follow_league(pair: ValueQuery, reason: ValueReason) -> list[Case]:
    """Return the next update by the answer with the highest value for the learner.

    Values that are shared with another seat have a second target, so the table alone does not
    determine their next update.
    """
    if shares_entry(pair):
        return []
    reply = reason.given[0]
    next_values: list[float | None] = []
    if reply.cell is not None:
        next_values = [None] * pair.game.cells
        for answer in reason.answers:
            next_values[answer.cell or 0] = answer.found
    change = _step_to(
        pair,
        reason.target,
        1 / (2 + (pair.visits or 0)),
        reward=reply.reward,
        next_board=format_position(pair.game, pair.after),
        next_cell=reply.cell,
        next_value=max(0.0, reply.found or 0.0),
        next_values=next_values,
    )
    return [Case("", "", _make_event(pair, change), 0.0)]


def _list_games(
    pair: ValueQuery,
    policy: Policy,
    make_change: Callable[[int, int], TrainingUpdate],
) -> list[Case]:
    """Return a case for each result that a game can have after the move.

    `policy` has the moves of both sides; the game of a case is the likeliest with its result.
    `make_change` gets the result for the mover and the number of its later moves.
    """
    cases = []
    game = pair.game
    for result, line in find_likeliest_games(game, policy, pair.after).items():
        end = pair.after
        for cell in line.cells:
            end = int(game.successor[end, cell])
        outcome = result * pair.mover
        later = len(line.cells) // 2
        change = make_change(outcome, later)
        board = format_position(game, end)
        is_discounted = section_of(pair) == "monte-carlo"
        event = UpdateEvent(
            _make_move(pair, board), change, board, later if is_discounted else 0
        )
        name = RESULTS[outcome]
        title = RESULT_TITLES[outcome]
        cases.append(Case(name, title, event, -line.chance))
    return sorted(cases, key=lambda case: list(RESULTS.values()).index(case.name))


def _both_sides(pair: ValueQuery, own: Policy) -> Policy:
    """Return one policy with the moves of the learner and of its opponent."""
    if pair.opponent is None:
        return own
    is_own = pair.game.to_move == pair.mover
    mixed: Policy = np.where(is_own[:, None], own, pair.site.policies[pair.opponent])
    return mixed


def _list_returns(pair: ValueQuery, _reason: ValueReason) -> list[Case]:
    """Return the next update of Monte Carlo control by a game with each result."""
    if pair.visits is None:
        return []

    def make_change(outcome: int, later: int) -> TrainingUpdate:
        target = pair.reward(outcome) * pair.gamma**later
        return _step_to(pair, target, 1 / ((pair.visits or 0) + 1))

    return _list_games(
        pair, _both_sides(pair, pair.site.get_policy(pair.lens, None)), make_change
    )


def _list_simulations(pair: ValueQuery, _reason: ValueReason) -> list[Case]:
    """Return the next update of tree search by a simulated game with each result."""
    if pair.visits is None or not pair.known:
        return []
    bounds: list[float | None] = [None] * pair.game.cells
    for cell, bound in compute_bounds(pair).items():
        bounds[cell] = bound

    def make_change(outcome: int, _later: int) -> TrainingUpdate:
        step_size = 1 / ((pair.visits or 0) + 1)
        return _step_to(pair, float(outcome), step_size, values=bounds)

    return _list_games(pair, uniform_policy(pair.game), make_change)


def _list_bead_updates(pair: ValueQuery, reason: ValueReason) -> list[Case]:
    """Return a case for each result of a game: MENACE adds or removes beads of the move."""
    if not reason.has_target:
        return []
    game = pair.game
    plays = pair.agent.card.plays
    beads = game.spread_pairs(count_beads(game, pair.table[game.legal], plays))
    row = beads[pair.position].tolist()
    values = [None if math.isnan(value) else value for value in row]
    held = row[pair.cell]

    def make_change(outcome: int, _later: int) -> TrainingUpdate:
        paid = float(getattr(pair.recipe, RESULTS[outcome]))
        return _make_update(
            pair, old=held, new=max(0.0, held + paid), reward=paid, values=values
        )

    own = policy_from_values(pair.table, "proportional")
    return _list_games(pair, _both_sides(pair, own), make_change)


# section of an algorithm -> the function that lists its cases, for rules of their own
BUILDERS: Mapping[str, Callable[[ValueQuery, ValueReason], list[Case]]] = {
    "self-play": _follow_self_play,
    "league": _follow_league,
    "monte-carlo": _list_returns,
    "mcts": _list_simulations,
    "menace": _list_bead_updates,
}
