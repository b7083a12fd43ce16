"""Sarsa(lambda): each error also changes the values of earlier moves, by their eligibility traces."""

from app.recipes.algorithms import SarsaLambda
from app.recipes.games import TrainingGame, TrainingUpdate
from app.recipes.parameters import Recipe
from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import (
    Formula,
    bracket_negative,
    format_cases,
    format_short_unsigned,
)
from app.web.algorithms.q_learning import describe_past_targets, name_training_games
from app.web.algorithms.sentences import (
    describe_distance,
    describe_exploration,
    describe_target,
)
from app.web.algorithms.targets import ValueQuery, ValueReason

EARLIER_MOVES_TEXT = (
    "The errors of later moves of each game also changed this value, so it is no "
    "average of such targets."
)
_describe_last_move_update = build_update_describer(
    "gamma times what it expects of the move that it plays next"
)


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value that later errors of a game change too."""
    has_traces = query.recipe.lambda_ and reason.bootstraps
    causes = (
        [EARLIER_MOVES_TEXT] if has_traces else describe_past_targets(query, reason)
    )
    return [
        describe_target(query, reason),
        *describe_exploration(query, reason),
        *describe_distance(reason),
        *causes,
    ]


def _describe_training_update(recipe: Recipe, game: TrainingGame, update: int) -> str:
    """Return a sentence on update number `update`: of the last move, or of an earlier one."""
    assert isinstance(recipe, SarsaLambda)
    turns = [change.move_index for change in game.updates[:update]]
    moves_back = 0
    while turns and turns.index(turns[-1]) < len(turns) - 1:
        turns.pop()
        moves_back += 1
    if not moves_back:
        return _describe_last_move_update(recipe, game, update)
    trace = format_short_unsigned((recipe.gamma * recipe.lambda_) ** moves_back)
    turn, last = game.updates[update - 1].move_index, turns[-1]
    return f"The error of move {last + 1} moves move {turn + 1}, too, with its trace, {trace}."


def _format_step_equation(recipe: Recipe, update: TrainingUpdate) -> str:
    """Return the equation of an update; the product of error and trace is a single number."""
    assert isinstance(recipe, SarsaLambda)
    if not recipe.alpha:
        return ""
    way = bracket_negative(
        format_short_unsigned((update.new - update.old) / recipe.alpha)
    )
    old, new = format_short_unsigned(update.old), format_short_unsigned(update.new)
    return f"{old} + {recipe.alpha:g} × {way} = {new}"


ALGORITHM = Algorithm(
    title="Sarsa(λ)",
    name_training_unit=name_training_games,
    game_describer=GameDescriber(_describe_training_update, _format_step_equation),
    update_rule=UpdateRule(describe_reason=_describe_reason),
    update_style=UpdateStyle(
        family="step",
        next_value_text=(
            "{mover} has already chosen its next move. The value of the next move is "
            "{next}."
        ),
        next_value_symbol="Q(s′, a′)",
        starts_at_zero=True,
        next_mover="own",
        differing_part="next value",
        target_latex=r"y = r + \gamma Q(s', a')",
        difference_text=(
            "The same target as Sarsa, but the error also changes the values of all earlier moves "
            "of the game."
        ),
    ),
    section=Section(
        title="Sarsa(λ): eligibility traces",
        value_source="sarsa-lambda",
        example_record="7",
        source_slugs=("sutton-barto-2018", "rummery-niranjan-1994"),
        formula=Formula(
            latex_lines=(
                format_cases(
                    r"\delta",
                    ("r - Q(s, a)", "if the game is over"),
                    (r"r + \gamma Q(s', a') - Q(s, a)", "otherwise"),
                ),
                r"z(b, c) \leftarrow \gamma \lambda z(b, c) \text{, then } "
                r"z(s, a) \leftarrow z(s, a) + 1",
                r"Q(b, c) \leftarrow Q(b, c) + \alpha \delta z(b, c)",
            ),
            symbol_meanings={
                "δ": "the TD error of the latest move",
                "Q": "the value of a move, an entry of the table",
                "a′": "the next move that is really played",
                "z": "the eligibility trace of a move",
                "b": "an earlier position of this game",
                "c": "the move that was played in the position b",
                "λ": "the trace decay: how much a trace decreases with each move",
            },
        ),
    ),
)
