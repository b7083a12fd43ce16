"""Why a value is what it is: the target that an update draws it to, over all answers.

A model keeps nothing of its training but the table, so this is the next update: what it would draw
the value to, if training went on from the table as shipped.
"""

import numpy as np

from app.web.why.answers import Answer, Pair, Reason, averaged, counting, ways_on

ITSELF = "self"  # among the opponents on a card


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
