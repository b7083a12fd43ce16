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
        words="The average value of the next move, weighted by how likely it is played.",
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
                "Q": "the table",
                "v": "the expected value of the next move, which is played ε-greedily",
                "ε": "the exploration rate: the probability to play at random",
                "n": "how many moves are legal in the next position",
            },
        ),
    ),
)
