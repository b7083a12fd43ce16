"""The update that made a value, written out with its numbers: Q is the value, y its target."""

from app.web.numbers import MINUS
from app.web.players import TRUTH
from app.web.why.answers import Answer, Pair, Reason
from app.web.why.expression import Node, equals, fenced, fraction, listed, number, row, text

ALPHA = "\N{GREEK SMALL LETTER ALPHA}"


def just(pair: Pair, answer: Answer) -> Node:
    """Write what an answer draws the value to."""
    return number(answer.target, 0 if pair.lens == TRUTH else 2)


def discounted(pair: Pair, answer: Answer) -> Node:
    """Write what an answer draws the value to: what an update finds there, discounted."""
    return combined(answer, pair.parameter("gamma"))


def combined(answer: Answer, gamma: float, found: Node | None = None) -> Node:
    """Write a target as it is made of a reward and of `found`, a value, where there is one."""
    target = number(answer.target)
    if answer.found is None:
        return target
    reward = row(number(answer.reward), "+") if answer.reward else row()
    sign = equals(answer.target, answer.reward, answer.found)
    return row(reward, parameter(gamma), "×", found or fenced(answer.found), sign, target)


def mean(pair: Pair, reason: Reason) -> Node:
    """Write the target of an update, or where several answers make it, the average."""
    counted = [answer for answer in reason.answers if answer.weight]
    if len(counted) == 1:
        return row("y =", discounted(pair, counted[0]))
    unit = min(answer.weight for answer in counted)
    times: dict[str, int] = {}
    for answer in sorted(counted, key=lambda answer: -answer.target):
        written = text(fenced(answer.target))
        times[written] = times.get(written, 0) + round(answer.weight / unit)
    terms = [
        row(str(count), "×", Node("mn", (target,))) if count > 1 else Node("mn", (target,))
        for target, count in times.items()
    ]
    average = fraction(listed(terms, "+"), row(str(sum(times.values()))))
    sign = equals(reason.target, *(answer.target for answer in counted))
    return row("E [ y ] =", average, sign, number(reason.target))


def moved(pair: Pair, alpha: float, target: float) -> list[Node]:
    """Write what the next update makes of the value on average; nothing of an unknown one."""
    if not pair.known:
        return []
    value = pair.value
    after = value + alpha * (target - value)
    way = row("(", number(target), "−", fenced(value), ")", equals(after, value, target))
    old = number(value)
    return [row(f"Q + {ALPHA} ( y − Q ) =", old, "+", parameter(alpha), "×", way, number(after))]


def update(pair: Pair, reason: Reason) -> list[Node]:
    """Write the target, and the value on its way there with a fixed step size."""
    return [mean(pair, reason), *moved(pair, pair.parameter("alpha"), reason.target)]


def target_alone(pair: Pair, reason: Reason) -> list[Node]:
    """Write the target, where what becomes of the value is not known, or is the target itself."""
    return [mean(pair, reason)]


def parameter(value: float) -> Node:
    """Write a number with as many decimals as it needs, at most three figures."""
    return Node("mn", (f"{value:.3g}".replace("-", MINUS),))
