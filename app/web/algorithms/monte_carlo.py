"""Monte Carlo control: a value is the average discounted result of whole games."""

import numpy as np
from numpy.typing import NDArray

from app.reference import build_rules
from app.textbook.loop import Update
from app.textbook.table import get_reward
from app.tictactoe.notation import MARKS, format_position
from app.tictactoe.tasks import evaluate_policy
from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import Formula
from app.web.algorithms.learners import list_transition, load_learner
from app.web.algorithms.q_learning import name_training_games
from app.web.algorithms.sentences import (
    describe_distance,
    describe_next_state,
    describe_target,
    get_exploration_rate,
)
from app.web.algorithms.targets import (
    Reply,
    ValueQuery,
    ValueReason,
    build_reason_after_reply,
)
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData, cached_per_site

RETURN_PHRASE = "the mean return of the rest of the game is"


@cached_per_site(4)
def _compute_mean_returns(
    site: SiteData, value_source: str, snapshot: int | None
) -> NDArray[np.float64]:
    """Return the mean discounted result from each decision, [D], with the moves of the training."""
    policy, task = site.get_policy(value_source, snapshot), site.get_task(value_source)
    assert task is not None  # Monte Carlo agents always have a training task
    brings = evaluate_policy(site.game, task, policy)
    played, explored = np.nansum(policy * brings, axis=1), np.nanmean(brings, axis=1)
    mean_returns: NDArray[np.float64] = (
        1 - task.epsilon
    ) * played + task.epsilon * explored
    return mean_returns


def _compute_reason(query: ValueQuery) -> ValueReason:
    """Return a reason whose next values are mean returns, not values of the table."""
    returns = _compute_mean_returns(query.site, query.value_source, query.snapshot)

    def update_after_reply(
        query: ValueQuery, reply_cell: int | None, next_cell: int | None
    ) -> Update:
        """Return the update by a game in which the rest after a reply brings its mean return."""
        reward, mean = list_transition(query, reply_cell)[2], 0.0
        if next_cell is not None:
            mean = float(returns[query.find_position_after(reply_cell)])
        update = _update_by_return(query, reward + query.gamma * mean)
        return update._replace(reward=reward, next_value=mean)

    return build_reason_after_reply(query, update_after_reply)


def _update_by_return(query: ValueQuery, episode_return: float) -> Update:
    learner = load_learner(query)
    board = format_position(query.game, query.position)
    learner.visits[board, query.cell] = query.update_count or 0
    update: Update = learner.update(board, query.cell, episode_return)
    return update


def _update_after_game(query: ValueQuery, end: str, later_own_moves: int) -> Update:
    rules, mark = build_rules(query.game), MARKS[query.mover]
    reward = get_reward(rules, query.recipe, end, mark)
    return _update_by_return(query, reward * query.gamma**later_own_moves)


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value as the average of whole games."""
    sentences, then = [describe_target(query, reason, RETURN_PHRASE)], ""
    if reason.bootstraps:
        then = ", played with the policy that the learner had at that time"
        how = ", which are sometimes random" if get_exploration_rate(query) else ""
        played = f"the games are played to their end by the learner's own moves{how}"
        sentences += [f"The target uses no other value: {played}."]
    sentences += describe_distance(reason)
    if not query.is_known or query.update_count is None:
        return sentences
    if query.update_count == 1:
        one = (
            "The value is the return of the only game in which the move was played, "
            f"{format_signed(query.value)}."
        )
        return [*sentences, one]
    return [
        *sentences,
        f"The value is the average return of {format_count(query.update_count)} games{then}.",
    ]


def _describe_reply(query: ValueQuery, reply: Reply) -> str:
    """Return a text on the rest of the game after a reply."""
    if reply.next_value is None:
        return describe_next_state(query, reply)
    return f"{RETURN_PHRASE} {format_signed(reply.next_value)}"


ALGORITHM = Algorithm(
    title="Monte Carlo control",
    name_training_unit=name_training_games,
    game_describer=GameDescriber(
        build_update_describer(
            "gamma times what the next move brought", is_backward=True
        )
    ),
    update_rule=UpdateRule(
        _compute_reason,
        _describe_reason,
        _describe_reply,
        update_cases="result",
        update_after_game=_update_after_game,
    ),
    update_style=UpdateStyle(
        family="return",
        starts_at_zero=True,
        next_mover="own",
        differing_part="result",
        target_latex=r"y = \gamma^k r",
        difference_text="No next value: the target is the discounted result of the whole game.",
    ),
    section=Section(
        title="Monte Carlo",
        value_source="monte-carlo",
        example_record="8",
        source_slugs=("sutton-barto-2018",),
        formula=Formula(
            latex_lines=(
                r"Q(s, a) \leftarrow Q(s, a) + \frac{y - Q(s, a)}{n}",
                r"y = \gamma^k r",
            ),
            symbol_meanings={
                "Q": "the value of a move, an entry of the table",
                "n": "the number of games in which the move was played",
                "k": "the number of moves that the learner made after this move",
            },
        ),
    ),
)
