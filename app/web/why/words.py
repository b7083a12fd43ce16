"""Why a value is what it is, in sentences, by the algorithm that made it."""

from collections.abc import Callable

from app.tictactoe.notation import MARKS
from app.web.numbers import count, signed
from app.web.players import TRUTH
from app.web.why.answers import Answer, Pair, Reason
from app.web.why.equations import is_sticky, shares_entry
from app.web.why.league_reasons import other_seat
from app.web.why.phrases import (
    ENDS,
    backward,
    distance,
    end,
    expected,
    images,
    memory,
    opponent,
    square,
    truth,
)
from app.web.why.reasons import bounds, opponent_of


def sentences(pair: Pair, reason: Reason) -> list[str]:
    """Say what the value is, where it comes from, and how the game really ends."""
    if pair.lens == TRUTH:
        return [_value(pair), *_minimax(pair, reason)]
    return [_value(pair), *_SENTENCES.get(pair.section, _unknown)(pair, reason), _really(pair)]


def _value(pair: Pair) -> str:
    who, move = pair.players.titles[pair.lens], f"{MARKS[pair.mover]} at {square(pair, pair.cell)}"
    if pair.lens == TRUTH:
        return f"{move} is exactly {signed(pair.value, 0)}: with best play by both, {truth(pair)}."
    if pair.known:
        return f"{who} gives {move} the value {signed(pair.value)}."
    if pair.section == "dqn":
        return (
            f"{who} never played {move} in training: what it is worth is unknown to it, and "
            f"{signed(pair.value)} is what its network makes of other moves."
        )
    return (
        f"{who} never updated {move}: what it is worth is unknown to it. "
        f"The entry is still what it began with, {signed(pair.value)}."
    )


def _really(pair: Pair) -> str:
    """Say what is exactly true, and how often the opponent of the training misses it."""
    said = f"With best play by both it is a {truth(pair)}"
    if pair.game.is_over(pair.after) or pair.section not in _ANSWERED:
        return f"{said}."
    given = pair.players.policies[opponent_of(pair)][pair.after] > 0
    values = pair.players.true_values
    missing = given & (values[pair.after] != -values[pair.position, pair.cell])
    if not missing.any():
        return f"{said}."
    return f"{said}; {opponent(pair)} misses that in {missing.sum()} of {given.sum()} answers."


def _q_learning(pair: Pair, reason: Reason) -> list[str]:
    return [expected(pair, reason), *distance(pair, reason), *memory(pair, reason)]


def _afterstates(pair: Pair, reason: Reason) -> list[str]:
    return [*_q_learning(pair, reason), *backward(pair), *images(pair)]


def _q_iteration(pair: Pair, reason: Reason) -> list[str]:
    if is_sticky(pair):
        causes = [answer for answer in reason.answers if answer.target == pair.value]
        by = "this answer" if len(causes) == 1 else "one of these answers"
        return [
            f"Once it is −1 it is never updated again. It became so by {by}: "
            f"{_sticking(pair, causes)}."
        ]
    said = [expected(pair, reason)]
    if not pair.game.is_over(pair.after):
        said += ["An update puts the target of one such answer in its place."]
    return [*said, *distance(pair, reason)]


def _sticking(pair: Pair, causes: list[Answer]) -> str:
    """Say which answers win at once, and which leave nothing better."""
    kinds = {True: "winning at once", False: f"leaving {MARKS[pair.mover]} only moves that are −1"}
    return "; ".join(
        f"{' or '.join(square(pair, answer.cell) for answer in answers)}, {how}"
        for ended, how in kinds.items()
        if (answers := [cause for cause in causes if (cause.outcome is not None) == ended])
    )


def _double_q(pair: Pair, reason: Reason) -> list[str]:
    if pair.game.is_over(pair.after):
        return [end(pair, reason.answers[0]), *distance(pair, reason), *images(pair)]
    return [
        expected(pair, reason, "is at most"),
        *distance(pair, reason),
        "Two tables learned, and only their average is kept. Each is drawn to the other's opinion "
        "of its own best move: on average that is at most what is computed here, and just that "
        "where both prefer the same. The end of a game teaches both tables, so it counts twice.",
        *backward(pair),
        *images(pair),
    ]


def _self_play(pair: Pair, reason: Reason) -> list[str]:
    if pair.game.is_over(pair.after):
        said = [end(pair, reason.answers[0])]
    else:
        mark, other = MARKS[pair.mover], MARKS[-pair.mover]
        best = next(answer for answer in reason.answers if answer.chance)
        said = [
            "One table serves both sides, and nothing is left to chance: the best answer of "
            f"{other} is {square(pair, best.cell)}, worth {signed(best.found or 0.0)} to {other}, "
            f"and what is good for {other} is bad for {mark}. "
            f"The target is {signed(reason.target or 0.0)}."
        ]
    return [*said, *distance(pair, reason), *memory(pair, reason)]


def _league(pair: Pair, reason: Reason) -> list[str]:
    said = [_two_stage(pair, reason), *([] if shares_entry(pair) else distance(pair, reason))]
    if shares_entry(pair):
        said += [
            "The same entry is used in the seat of O, for a board that looks the same to its "
            f"owner with X, the opponent, to move: there the target is {signed(other_seat(pair))}. "
            "How many of its updates were of which kind is not recorded."
        ]
    if pair.known:
        so_far = f"{count(pair.visits)} targets" if pair.visits > 1 else "one target"
        said += [
            "The step size falls at every update, so that the value is the plain average of its "
            f"{so_far} so far and the 0 it began with."
        ]
    return said


def _two_stage(pair: Pair, reason: Reason) -> str:
    best = next(answer for answer in reason.answers if answer.chance)
    target = signed(reason.target or 0.0)
    if best.cell is None:
        return (
            f"The game is {ENDS[best.outcome or 0]} by this move, reward {signed(best.reward)}. "
            "The finished board holds its reward as well, which counts discounted unless it is "
            f"below 0: the target is {target}."
        )
    said = (
        "Every ply is an update, the opponent's too, always with the learner's own reward: so it "
        f"looks for the answer that would please {MARKS[pair.mover]} most"
    )
    if (best.found or 0.0) <= 0:
        said += ", and counts it as 0 if it is not above that"
    if shares_entry(pair):
        return (
            f"{said}. What it expected of the answers is not kept for X; by what that was drawn "
            f"to in turn, the best is {square(pair, best.cell)} and the target about {target}."
        )
    return (
        f"{said}. Here that is {square(pair, best.cell)}, and the target is {target}. What it "
        "expects of X's answers is in the entries of its own moves as X on boards that look the "
        "same, and mixed with them."
    )


def _champion(pair: Pair, reason: Reason) -> list[str]:
    lower, upper = (signed(bound, 0) for bound in bounds(pair))
    by = "the rules" if pair.game.is_over(pair.after) else "its answers"
    worth = f"just {lower}" if lower == upper else f"at least {lower} and at most {upper}"
    return [f"By {by} it is worth {worth}.", *distance(pair, reason), *images(pair)]


def _network(pair: Pair, reason: Reason) -> list[str]:
    return [
        expected(pair, reason),
        *distance(pair, reason),
        "One network gives the values of all moves, and no move has an entry of its own: its "
        "outputs only come near the targets.",
    ]


def _minimax(pair: Pair, reason: Reason) -> list[str]:
    best = [answer for answer in reason.answers if answer.chance]
    if best[0].cell is None:
        return ["The game is over with this move."]
    if len(best) == len(reason.answers):
        return [f"No answer of {MARKS[-pair.mover]} changes that."]
    places = " or ".join(square(pair, answer.cell) for answer in best)
    return [f"{MARKS[-pair.mover]} makes it so by answering at {places}."]


def _unknown(_pair: Pair, _reason: Reason) -> list[str]:
    return ["How its algorithm updates a value is not known here."]


_ANSWERED = ("q-learning", "q-iteration", "afterstates", "double-q", "dqn")
_SENTENCES: dict[str, Callable[[Pair, Reason], list[str]]] = {
    "q-iteration": _q_iteration,
    "q-learning": _q_learning,
    "afterstates": _afterstates,
    "double-q": _double_q,
    "dqn": _network,
    "self-play": _self_play,
    "champion": _champion,
    "mitchell": _league,
}
