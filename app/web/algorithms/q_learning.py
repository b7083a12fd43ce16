"""Learning by one step against an opponent that is part of the world.

Q-learning finds after the answer the best next move, Sarsa the value of the move that is really
played next, and Expected Sarsa that value on average.
"""

from app.recipes import Recipe
from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateStyle,
    drawn_to,
)
from app.web.algorithms.formula import Q_STEP, Formula, cases
from app.web.algorithms.sentences import explores, past
from app.web.algorithms.targets import ValueQuery, ValueReason

TARGET = "gamma times the best that it expects of its next move"
TURNS = {
    "random": "games from random positions",
    "every": "games from every position in turn",
    "empty": "games",
}


def games_from(recipe: Recipe) -> str:
    """Name the games of a training by where they begin."""
    return TURNS[recipe.start]  # type: ignore[attr-defined]


def past_by_moves(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the targets so far; each target came from an answer and a next move."""
    initial = pair.recipe.initial
    if not explores(pair) or not reason.bootstraps:
        return past(pair, reason, initial)
    ends = [answer.target for answer in reason.given if answer.found is None]
    after = [answer.position for answer in reason.given if answer.found is not None]
    values = pair.table[after][pair.game.legal[after]].tolist()
    targets = [*ends, *(pair.gamma * value for value in values)]
    return past(pair, reason, initial, targets, "one answer and one next move")


ALGORITHM = Algorithm(
    title="Q-learning",
    turns=games_from,
    story=Story(drawn_to(TARGET)),
    update=UpdateStyle(
        family="step",
        next_mover="own",
        line=r"y = r + \gamma \max\limits_{a'} Q(s', a')",
        words="The others are compared with this line: reward plus the best value of the next position.",
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
                cases(
                    "y",
                    ("r", "if the game is over"),
                    (r"r + \gamma \max\limits_{a'} Q(s', a')", "otherwise"),
                ),
            ),
            symbol_meanings={
                "Q": "the table",
            },
        ),
    ),
)
