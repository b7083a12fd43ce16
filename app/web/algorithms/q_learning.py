"""Q-learning: each update is a step towards the reward plus the discounted best next value.

The opponent is part of the environment.
"""

from app.recipes import Recipe
from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.sentences import describe_past_updates, get_exploration_rate
from app.web.algorithms.targets import ValueQuery, ValueReason

TARGET_TEXT = "gamma times the best that it expects of its next move"
TURNS_BY_START = {
    "random": "games from random positions",
    "every": "games from every position in turn",
    "empty": "games",
}


def name_training_games(recipe: Recipe) -> str:
    """Return the noun for the games of a training, such as "games from random positions"."""
    return TURNS_BY_START[recipe.start]  # type: ignore[attr-defined]


def describe_past_targets(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the past targets of an algorithm whose next move can be random."""
    initial = query.recipe.initial
    if not get_exploration_rate(query) or not reason.bootstraps:
        return describe_past_updates(query, reason, initial)
    ends = [
        reply.target for reply in reason.possible_replies if reply.next_value is None
    ]
    after = [
        reply.position
        for reply in reason.possible_replies
        if reply.next_value is not None
    ]
    values = query.table[after][query.game.legal[after]].tolist()
    targets = [*ends, *(query.gamma * value for value in values)]
    return describe_past_updates(
        query,
        reason,
        initial,
        targets,
        "one move of the opponent and one next move of the learner",
    )


ALGORITHM = Algorithm(
    title="Q-learning",
    name_training_unit=name_training_games,
    game_describer=GameDescriber(build_update_describer(TARGET_TEXT)),
    update_style=UpdateStyle(
        family="step",
        starts_at_zero=True,
        changes_one_value=True,
        next_mover="own",
        target_latex=r"y = r + \gamma \max\limits_{a'} Q(s', a')",
        difference_text=(
            "The other algorithms are compared with this target: the reward plus the best next value."
        ),
    ),
    section=Section(
        title="Q-learning",
        value_source="q-learning-1",
        example_record="8",
        source_slugs=(
            "flesch",
            "watkins-1989",
            "watkins-dayan-1992",
        ),
        formula=Formula(
            latex_lines=(
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
