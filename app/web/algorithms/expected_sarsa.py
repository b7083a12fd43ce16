"""Expected Sarsa: what is found after the answer is the next move's value on average."""

from app.sources import sources
from app.web.algorithms.algorithm import Algorithm, UpdateRule, seen_by
from app.web.algorithms.formula import STEP, Formula, update
from app.web.algorithms.q_learning import games_from
from app.web.algorithms.sarsa import exploring
from app.web.algorithms.sentences import distance, expected, past
from app.web.algorithms.story import Story, drawn_to
from app.web.algorithms.targets import Pair, ValueReason, after_answer


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    so_far = past(pair, reason, pair.parameter("initial"))
    return [expected(pair, reason), *exploring(pair, reason), *distance(reason), *so_far]


ALGORITHM = Algorithm(
    title="Expected Sarsa",
    turns=games_from,
    story=Story(
        drawn_to("gamma times what it expects of its next move on average"),
    ),
    rule=UpdateRule(after_answer, _sentences, update),
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
