"""Q-learning against an opponent that is part of the world."""

from app.recipes import Recipe
from app.sources import sources
from app.web.algorithms.algorithm import Algorithm, UpdateRule, seen_by
from app.web.algorithms.formula import STEP, Formula, update
from app.web.algorithms.sentences import distance, expected, past
from app.web.algorithms.story import Story, drawn_to
from app.web.algorithms.targets import Pair, ValueReason, after_answer

TARGET = "gamma times the best that it expects of its next move"
TURNS = {
    "random": "games from random positions",
    "every": "games from every position in turn",
    "empty": "games",
}


def games_from(recipe: Recipe) -> str:
    """Name the games of a training by where they begin."""
    return TURNS[recipe.start]  # type: ignore[attr-defined]


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    initial = pair.parameter("initial")
    return [expected(pair, reason), *distance(reason), *past(pair, reason, initial)]


ALGORITHM = Algorithm(
    title="Q-learning",
    turns=games_from,
    story=Story(drawn_to(TARGET)),
    rule=UpdateRule(after_answer, _sentences, update),
    start=seen_by("q-learning-1", "8"),
    sources=sources("flesch", "watkins-1989"),
    formula=Formula(
        (STEP, r"y = r + \gamma \max\limits_{a'} Q(s', a')"),
        {"Q": "the table"},
    ),
)
