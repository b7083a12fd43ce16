"""The update that made a value, written out with its numbers: Q is the value, y its target."""

from app.tictactoe.game import X
from app.web.numbers import MINUS
from app.web.players import TRUTH
from app.web.why.answers import Answer, Pair, Reason
from app.web.why.expression import Node, equals, fenced, fraction, listed, number, row, text
from app.web.why.league_reasons import other_seat
from app.web.why.reasons import STICKY, answer_bounds, bounds

ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
AVERAGED = ("q-learning", "q-iteration", "afterstates", "double-q", "dqn")  # over the answers


def equations(pair: Pair, reason: Reason) -> list[Node]:
    """Write the target of the next update and what it makes of the value, as far as is known."""
    if reason.target is None or is_sticky(pair):
        return []
    if pair.section == TRUTH:
        return [_minimum([answer.target for answer in reason.answers])]
    if pair.section == "champion":
        return _from_both_sides(pair, reason.target)
    if pair.section == "mitchell":
        return _league(pair, reason)
    return [_target(pair, reason), *_update(pair, reason.target)]


def is_sticky(pair: Pair) -> bool:
    """Whether it is a loss that Q-iteration never updates again."""
    return pair.section == "q-iteration" and pair.value == STICKY


def target_of(pair: Pair, answer: Answer) -> Node:
    """Write what one answer draws the value to."""
    target = number(answer.target, 0 if pair.lens == TRUTH else 2)
    if answer.found is None or pair.section in (TRUTH, "champion", ""):
        return target
    reward = row(number(answer.reward), "+") if answer.reward else row()
    sign = equals(answer.target, answer.reward, answer.found)
    gamma, found = pair.parameter("gamma"), fenced(answer.found)
    if pair.section == "self-play":
        gamma = -gamma
    if pair.section == "mitchell":
        found = row("max ( 0 ,", number(answer.found), ")")
    return row(reward, _parameter(gamma), "×", found, sign, target)


def _target(pair: Pair, reason: Reason) -> Node:
    """Write the target, or where several answers make it, the average."""
    counted = [answer for answer in reason.answers if answer.weight]
    if pair.section not in AVERAGED or len(counted) == 1:
        return row("y =", target_of(pair, counted[0]))
    unit = min(answer.weight for answer in counted)
    times: dict[str, int] = {}
    for answer in sorted(counted, key=lambda answer: -answer.target):
        written = text(fenced(answer.target))
        times[written] = times.get(written, 0) + round(answer.weight / unit)
    terms = [
        row(str(count), "×", Node("mn", (target,))) if count > 1 else Node("mn", (target,))
        for target, count in times.items()
    ]
    mean = fraction(listed(terms, "+"), row(str(sum(times.values()))))
    target = reason.target or 0.0
    sign = equals(target, *(answer.target for answer in counted))
    return row("E [ y ] =", mean, sign, number(target))


def _update(pair: Pair, target: float) -> list[Node]:
    """Write what the next update makes of the value on average, where one table is updated."""
    if not pair.known or pair.section in ("double-q", "q-iteration"):
        return []
    value = pair.value
    if pair.section == "dqn":
        wrong = row(number(value), "−", fenced(target), equals(value, target))
        return [row("Q − E [ y ] =", wrong, number(value - target))]
    return [_moved(value, pair.parameter("alpha"), target)]


def _moved(value: float, alpha: float, target: float) -> Node:
    after = value + alpha * (target - value)
    way = row("(", number(target), "−", fenced(value), ")", equals(after, value, target))
    return row(
        f"Q + {ALPHA} ( y − Q ) =", number(value), "+", _parameter(alpha), "×", way, number(after)
    )


def _league(pair: Pair, reason: Reason) -> list[Node]:
    """Write what a league's entry is drawn to, for X in both seats, and its step size."""
    counted = next(answer for answer in reason.answers if answer.weight)
    written, target = [row("y =", target_of(pair, counted))], reason.target or 0.0
    if shares_entry(pair):
        seat = Node("msub", (row("y"), Node("mtext", ("O",))))
        written.append(row(seat, "=", number(other_seat(pair))))
    if pair.known:
        alpha = 1 / (2 + pair.visits)
        step = fraction(row("1"), row("1 +", str(pair.visits + 1)))
        written.append(row(f"{ALPHA} =", step, "≈", _parameter(alpha)))
        if not shares_entry(pair):
            written.append(_moved(pair.value, alpha, target))
    return written


def shares_entry(pair: Pair) -> bool:
    """Whether a league's learner uses the entry in both seats, so that two targets draw it."""
    return pair.section == "mitchell" and pair.mover == X


def _from_both_sides(pair: Pair, value: float) -> list[Node]:
    """Write what the answers leave of the range from a loss to a win, and what is shown of it."""
    lower, upper = bounds(pair)
    middle = fraction(row(number(upper, 0), "−", fenced(lower, 0)), row("4"))
    written = [row("Q = L +", middle, "=", number(value))]
    if pair.outcome(pair.after) is None:
        known = answer_bounds(pair)
        most = listed([number(high, 0) for _, high in known], ",")
        least = listed([number(low, 0) for low, _ in known], ",")
        written = [
            row("L =", row("− max (", most, ") ="), number(lower, 0)),
            row("U =", row("− max (", least, ") ="), number(upper, 0)),
            *written,
        ]
    return written


def _minimum(targets: list[float]) -> Node:
    values = listed([number(target, 0) for target in targets], ",")
    return row("v = min (", values, ") =", number(min(targets), 0))


def _parameter(value: float) -> Node:
    return Node("mn", (f"{value:.3g}".replace("-", MINUS),))
