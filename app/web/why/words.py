"""Why a value is what it is, in sentences."""

from app.tictactoe.notation import MARKS
from app.web.numbers import signed
from app.web.players import TRUTH
from app.web.why.answers import Pair, Reason
from app.web.why.phrases import opponent, square, truth
from app.web.why.reasons import opponent_of
from app.web.why.rules.rule import CHANCE, Rule


def sentences(pair: Pair, rule: Rule, reason: Reason) -> list[str]:
    """Say what the value is, where it comes from, and how the game ends in truth."""
    told = rule.sentences(pair, reason)
    if pair.lens == TRUTH:
        return [_exact(pair), *told]
    return [_value(pair, rule), *told, _in_truth(pair, rule)]


def _exact(pair: Pair) -> str:
    return (
        f"In truth {_move(pair)} is worth {signed(pair.value, 0)}: "
        f"with best play by both it is a {truth(pair)}."
    )


def _value(pair: Pair, rule: Rule) -> str:
    who, value = pair.players.titles[pair.lens], signed(pair.value)
    if pair.known:
        return f"{who} gives {_move(pair)} the value {value}."
    return rule.unknown.format(who=who, move=_move(pair), value=value)


def _move(pair: Pair) -> str:
    return f"{MARKS[pair.mover]} at {square(pair, pair.cell)}"


def _in_truth(pair: Pair, rule: Rule) -> str:
    """Say what is exactly true, and how often the opponent of the training misses it."""
    said = f"With best play by both it is a {truth(pair)}"
    if pair.game.is_over(pair.after) or rule.shared != CHANCE:
        return f"{said}."
    given = pair.players.policies[opponent_of(pair)][pair.after] > 0
    values = pair.players.true_values
    missing = given & (values[pair.after] != -values[pair.position, pair.cell])
    if not missing.any():
        return f"{said}."
    return f"{said}; {opponent(pair)} misses that in {missing.sum()} of {given.sum()} answers."
