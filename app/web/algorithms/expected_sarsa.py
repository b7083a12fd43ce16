"""Expected Sarsa: a target with the mean value of the next move."""

from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.q_learning import name_training_games

ALGORITHM = Algorithm(
    title="Expected Sarsa",
    name_training_unit=name_training_games,
    game_describer=GameDescriber(
        build_update_describer(
            "gamma times what it expects of its next move on average"
        )
    ),
    update_style=UpdateStyle(
        family="step",
        next_value_text=(
            "The next value is the average over the next moves of {mover}, weighted by the "
            "probabilities of the policy: {next}."
        ),
        next_value_symbol="v",
        starts_at_zero=True,
        changes_one_value=True,
        next_mover="own",
        differing_part="next value",
        target_latex=r"y = r + \gamma \sum_{a'} \pi(a') Q(s', a')",
        difference_text=(
            "The target has the average value of the next moves, weighted by the "
            "probabilities of the policy."
        ),
    ),
    section=Section(
        title="Expected Sarsa",
        value_source="expected-sarsa",
        example_record="40",
        source_slugs=(
            "van-seijen-2009",
            "sutton-barto-2018",
        ),
        formula=Formula(
            latex_lines=(
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
