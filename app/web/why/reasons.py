"""Why a value is what it is: the target that its algorithm draws it to, over all answers.

A model keeps nothing of its training but the table, so this is the next update: what it would draw
the value to, if training went on from the table as shipped.
"""

from collections.abc import Callable

import numpy as np

from app.web.players import TRUTH
from app.web.why.answers import Answer, Pair, Reason, averaged, counting, ways_on
from app.web.why.league_reasons import two_stage

ITSELF = "self"  # among the opponents on a card
STICKY = -1.0  # what Q-iteration never updates again
BOUNDS = {  # from a value of the champion to what it knows a move to be worth at least and at most
    lower + (upper - lower) / 4: (lower, upper)
    for lower in (-1, 0, 1)
    for upper in (-1, 0, 1)
    if lower <= upper
}


def reason(pair: Pair) -> Reason:
    """Say what a value is drawn to, by the algorithm that made it."""
    return _REASONS.get(pair.section, _unknown)(pair)


def opponent_of(pair: Pair) -> str:
    """Name whose policy gives the answers: the opponent at the end of the training."""
    opponent = pair.agent.card.opponents[-1]
    return pair.lens if opponent == ITSELF else opponent


def after_answer(pair: Pair, otherwise: float = 0.0, ending: float = 1.0) -> Reason:
    """The next state is the mover's own decision, after an answer of the opponent.

    `otherwise` is the reward where the game goes on, `ending` how often an end counts.
    """
    policy = pair.players.policies[opponent_of(pair)]
    answers = []
    for cell, position in ways_on(pair):
        chance = 1.0 if cell is None else float(policy[pair.after, cell])
        outcome = pair.outcome(position)
        if outcome is None:
            found = float(np.nanmax(pair.table[position]))
            target = otherwise + pair.parameter("gamma") * found
            answer = Answer(cell, position, None, otherwise, found, target, chance, chance)
        else:
            reward = pair.reward(outcome)
            weight = chance * ending
            answer = Answer(cell, position, outcome, reward, None, reward, chance, weight)
        answers.append(answer)
    return averaged(answers)


def before_answer(pair: Pair, gamma: float = 1.0) -> Reason:
    """The next state is the opponent's decision: its best move is the mover's loss."""
    if (outcome := pair.outcome(pair.after)) is not None:
        reward = pair.reward(outcome)
        return averaged([Answer(None, pair.after, outcome, reward, None, reward, 1.0, 1.0)])
    answers = []
    for cell, position in ways_on(pair):
        found = float(pair.table[pair.after, cell])  # the opponent's view
        answers.append(Answer(cell, position, pair.outcome(position), 0.0, found, -gamma * found))
    return averaged(counting(answers, [answer.found or 0.0 for answer in answers]))


def bounds(pair: Pair) -> tuple[int, int]:
    """What the champion knows a move to be worth at least and at most, by what its answers are."""
    if (outcome := pair.outcome(pair.after)) is not None:
        return outcome, outcome
    known = answer_bounds(pair)
    return -max(most for _, most in known), -max(least for least, _ in known)


def answer_bounds(pair: Pair) -> list[tuple[int, int]]:
    """What it knows each answer to be worth at least and at most to who gives it."""
    row = pair.table[pair.after]
    return [BOUNDS[value] for value in row[~np.isnan(row)].tolist()]


def _champion(pair: Pair) -> Reason:
    lower, upper = bounds(pair)
    return before_answer(pair)._replace(target=lower + (upper - lower) / 4)


def _self_play(pair: Pair) -> Reason:
    return before_answer(pair, pair.parameter("gamma"))


def _network(pair: Pair) -> Reason:
    # A draw is worth no more than a move that ends nothing.
    return after_answer(pair, otherwise=pair.reward(0))


def _double(pair: Pair) -> Reason:
    # An end is learned by both tables, any other target by one of them.
    return after_answer(pair, ending=2.0)


def _unknown(pair: Pair) -> Reason:
    """Of an unknown algorithm: what may be answered, but neither how likely nor what of it."""
    return before_answer(pair)._replace(target=None)


_REASONS: dict[str, Callable[[Pair], Reason]] = {
    "q-iteration": after_answer,
    "q-learning": after_answer,
    "afterstates": after_answer,
    "double-q": _double,
    "dqn": _network,
    "self-play": _self_play,
    TRUTH: before_answer,
    "champion": _champion,
    "mitchell": two_stage,
}
