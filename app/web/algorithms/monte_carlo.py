"""Monte Carlo control: a value is the average return of whole games."""

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.tasks import evaluate_policy
from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Formula
from app.web.algorithms.q_learning import name_games
from app.web.algorithms.sentences import (
    describe_best_next,
    describe_distance,
    describe_target,
    get_exploration,
)
from app.web.algorithms.targets import (
    Reply,
    ValueQuery,
    ValueReason,
    target_after_reply,
)
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData, cached_per_site

FOLLOWS = "the rest of the game brings"


@cached_per_site(4)
def _returns(site: SiteData, lens: str, step: int | None) -> NDArray[np.float64]:
    """Return the mean return of each decision, [D], if both sides play as in the training."""
    policy, task = site.get_policy(lens, step), site.get_task(lens)
    assert task is not None  # all recipes of this algorithm have a task
    brings = evaluate_policy(site.game, task, policy)
    played, explored = np.nansum(policy * brings, axis=1), np.nanmean(brings, axis=1)
    mixed: NDArray[np.float64] = (1 - task.epsilon) * played + task.epsilon * explored
    return mixed


def _reason(pair: ValueQuery) -> ValueReason:
    returns = _returns(pair.site, pair.lens, pair.step)
    return target_after_reply(
        pair, finds=lambda _pair, position: float(returns[position])
    )


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    sentences, then = [describe_target(pair, reason, FOLLOWS)], ""
    if reason.bootstraps:
        then = ", with the moves that it played at that time"
        how = ", now and then at random" if get_exploration(pair) else ""
        played = f"the games are played to their end, by its own moves{how}"
        sentences += [f"No other value is asked: {played}."]
    sentences += describe_distance(reason)
    if not pair.known or pair.visits is None:
        return sentences
    if pair.visits == 1:
        one = f"It is what the one game brought that went through it, {format_signed(pair.value)}."
        return [*sentences, one]
    return [
        *sentences,
        f"It is the average of what {format_count(pair.visits)} games brought{then}.",
    ]


def _follows(pair: ValueQuery, answer: Reply) -> str:
    if answer.found is None:
        return describe_best_next(pair, answer)
    return f"{FOLLOWS} {format_signed(answer.found)} on average"


ALGORITHM = Algorithm(
    title="Monte Carlo control",
    turns=name_games,
    story=Story(
        build_sentence("gamma times what the next move brought", backward=True)
    ),
    rule=UpdateRule(_reason, _sentences, _follows),
    update=UpdateStyle(
        family="return",
        next_mover="own",
        differs="result",
        line=r"y = \gamma^k r",
        words="No next value: the target is the discounted result of the whole game.",
    ),
    section=Section(
        title="Monte Carlo",
        lens="monte-carlo",
        record="8",
        sources=("sutton-barto-2018",),
        formula=Formula(
            lines=(
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
