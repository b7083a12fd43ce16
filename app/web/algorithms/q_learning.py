"""Q-learning against an opponent that is part of the world."""

from app.recipes import Recipe
from app.sources import sources
from app.web.algorithms.algorithm import Algorithm, seen_by
from app.web.algorithms.formula import STEP, Formula
from app.web.algorithms.story import Story, drawn_to

TARGET = "gamma times the best that it expects of its next move"
TURNS = {
    "random": "games from random positions",
    "every": "games from every position in turn",
    "empty": "games",
}


def games_from(recipe: Recipe) -> str:
    """Name the games of a training by where they begin."""
    return TURNS[recipe.start]  # type: ignore[attr-defined]


ALGORITHM = Algorithm(
    title="Q-learning",
    turns=games_from,
    story=Story(drawn_to(TARGET)),
    start=seen_by("q-learning-1", "8"),
    sources=sources("flesch", "watkins-1989"),
    formula=Formula(
        (STEP, r"y = r + \gamma \max\limits_{a'} Q(s', a')"),
        {"Q": "the table"},
    ),
)
