"""Expected Sarsa: a target with the mean value of the next move."""

from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.q_learning import name_games

ALGORITHM = Algorithm(
    title="Expected Sarsa",
    turns=name_games,
    story=Story(
        build_sentence("gamma times what it expects of its next move on average")
    ),
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="next value",
        line=r"y = r + \gamma \sum_{a'} \pi(a') Q(s', a')",
        words="The average value of the next moves, weighted by the probabilities of the policy.",
    ),
    section=Section(
        title="Expected Sarsa",
        lens="expected-sarsa",
        record="40",
        sources=(
            "van-seijen-2009",
            "sutton-barto-2018",
        ),
        formula=Formula(
            lines=(
                Q_STEP,
                format_cases(
                    "y", ("r", "if the game is over"), (r"r + \gamma v", "otherwise")
                ),
                r"v = \frac{\varepsilon}{n} \sum_{a'} Q(s', a') "
                r"+ (1 - \varepsilon) \max\limits_{a'} Q(s', a')",
            ),
            symbol_meanings={
                "Q": "the value of a move, an entry of the table",
                "v": "the expected value of the next move of the ε-greedy policy",
                "ε": "the exploration rate: the probability of a random move",
                "n": "the number of legal moves in the next position",
            },
        ),
    ),
)
