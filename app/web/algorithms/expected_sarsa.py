"""Expected Sarsa: what is found after the answer is the next move's value on average."""

from app.sources import sources
from app.web.algorithms.algorithm import Algorithm, seen_by
from app.web.algorithms.formula import STEP, Formula
from app.web.algorithms.q_learning import games_from
from app.web.algorithms.story import Story, drawn_to

ALGORITHM = Algorithm(
    title="Expected Sarsa",
    turns=games_from,
    story=Story(
        drawn_to("gamma times what it expects of its next move on average"),
    ),
    start=seen_by("expected-sarsa", "40"),
    sources=sources("van-seijen-2009", "sutton-barto-2018"),
    formula=Formula(
        (
            STEP,
            r"y = r + \gamma (\frac{\varepsilon}{n} \sum_{a'} Q(s', a')"
            r" + (1 - \varepsilon) \max\limits_{a'} Q(s', a'))",
        ),
        {
            "Q": "the table",
            "ε": "the exploration rate: the probability to play at random",
            "n": "how many moves are legal in the next position",
        },
    ),
)
