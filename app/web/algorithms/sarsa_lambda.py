"""Sarsa(lambda): each error changes the values of all moves of the game, the last move most."""

from typing import Any

from app.recipes.games import TrainingGame, TrainingUpdate
from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Formula, add_brackets, format_cases, format_short
from app.web.algorithms.q_learning import describe_past_moves, name_games
from app.web.algorithms.sentences import (
    describe_distance,
    describe_exploration,
    describe_target,
)
from app.web.algorithms.targets import ValueQuery, ValueReason

EARLIER_MOVES = (
    "The errors of later moves of each game moved it as well, "
    "so it is no average of such targets."
)
_of_last_move = build_sentence(
    "gamma times what it expects of the move that it plays next"
)


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    has_traces = pair.recipe.lambda_ and reason.bootstraps
    causes = [EARLIER_MOVES] if has_traces else describe_past_moves(pair, reason)
    return [
        describe_target(pair, reason),
        *describe_exploration(pair, reason),
        *describe_distance(reason),
        *causes,
    ]


def _sentence(recipe: Any, game: TrainingGame, update: int) -> str:
    """Return a sentence on an update of the last move, or of an earlier move by its trace."""
    turns = [change.move_index for change in game.updates[:update]]
    moves_back = 0
    while turns and turns.index(turns[-1]) < len(turns) - 1:
        turns.pop()
        moves_back += 1
    if not moves_back:
        return _of_last_move(recipe, game, update)
    trace = format_short((recipe.gamma * recipe.lambda_) ** moves_back)
    turn, last = game.updates[update - 1].move_index, turns[-1]
    return f"The error of move {last + 1} moves move {turn + 1}, too, with its trace, {trace}."


def _step(recipe: Any, update: TrainingUpdate) -> str:
    """Return the equation of a step, with the product of error and trace as a single number."""
    if not recipe.alpha:
        return ""
    way = add_brackets(format_short((update.new - update.old) / recipe.alpha))
    return f"{format_short(update.old)} + {recipe.alpha:g} × {way} = {format_short(update.new)}"


ALGORITHM = Algorithm(
    title="Sarsa(λ)",
    turns=name_games,
    story=Story(_sentence, _step),
    rule=UpdateRule(describe_reason=_sentences),
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="next value",
        line=r"y = r + \gamma Q(s', a')",
        words="As in Sarsa; the error then also changes the values of all earlier moves of the game.",
    ),
    section=Section(
        title="Sarsa(λ): eligibility traces",
        lens="sarsa-lambda",
        record="7",
        sources=("sutton-barto-2018", "rummery-niranjan-1994"),
        formula=Formula(
            lines=(
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
