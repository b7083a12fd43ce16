"""Q-learning: a step towards the reward plus the discounted best value of the next position.

The opponent is part of the environment.
"""

from app.recipes import Recipe
from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.sentences import describe_past, get_exploration
from app.web.algorithms.targets import ValueQuery, ValueReason

TARGET = "gamma times the best that it expects of its next move"
TURNS = {
    "random": "games from random positions",
    "every": "games from every position in turn",
    "empty": "games",
}


def name_games(recipe: Recipe) -> str:
    """Return a name for the games of a training, by their first position."""
    return TURNS[recipe.start]  # type: ignore[attr-defined]


def describe_past_moves(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the targets so far; each target came from an answer and a next move."""
    initial = pair.recipe.initial
    if not get_exploration(pair) or not reason.bootstraps:
        return describe_past(pair, reason, initial)
    ends = [answer.target for answer in reason.given if answer.found is None]
    after = [answer.position for answer in reason.given if answer.found is not None]
    values = pair.table[after][pair.game.legal[after]].tolist()
    targets = [*ends, *(pair.gamma * value for value in values)]
    return describe_past(pair, reason, initial, targets, "one answer and one next move")


ALGORITHM = Algorithm(
    title="Q-learning",
    turns=name_games,
    story=Story(build_sentence(TARGET)),
    update=UpdateStyle(
        family="step",
        next_mover="own",
        line=r"y = r + \gamma \max\limits_{a'} Q(s', a')",
        words="The other algorithms are compared with this target: the reward plus the best next value.",
    ),
    section=Section(
        title="Q-learning",
        lens="q-learning-1",
        record="8",
        sources=(
            "flesch",
            "watkins-1989",
            "watkins-dayan-1992",
        ),
        formula=Formula(
            lines=(
                Q_STEP,
                format_cases(
                    "y",
                    ("r", "if the game is over"),
                    (r"r + \gamma \max\limits_{a'} Q(s', a')", "otherwise"),
                ),
            ),
            symbol_meanings={
                "Q": "the value of a move, an entry of the table",
            },
        ),
    ),
)
