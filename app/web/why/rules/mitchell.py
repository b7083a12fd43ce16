"""Q-learning for uncertain worlds, in a league: every ply is an update, with one reward."""

from app.tictactoe.game import O, X
from app.tictactoe.notation import MARKS
from app.web.numbers import count, signed
from app.web.why.answers import Answer, Pair, Reason, averaged, counting, ways_on
from app.web.why.equations import ALPHA, combined, moved, parameter
from app.web.why.expression import Node, fraction, number, row
from app.web.why.phrases import ENDS, distance, square
from app.web.why.rules.league import answer_value, drawn_to, other_seat
from app.web.why.rules.rule import COUNTS, Rule


def shares_entry(pair: Pair) -> bool:
    """Whether the learner uses the entry in both seats, so that two targets draw it."""
    return pair.mover == X


def _reason(pair: Pair) -> Reason:
    """The table is asked which answer would please the mover most, as if it were to be given."""
    hedge = "about " if shares_entry(pair) else ""
    if (outcome := pair.outcome(pair.after)) is not None:
        reward, target = pair.reward(outcome), drawn_to(pair, pair.after, pair.mover)
        ended = Answer(None, pair.after, outcome, reward, reward, target, 1.0, 1.0)
        return averaged([ended])._replace(hedge=hedge)
    answers = []
    for cell, position in ways_on(pair):
        found = answer_value(pair, cell or 0, position)
        target = pair.parameter("gamma") * max(0.0, found)
        answers.append(Answer(cell, position, pair.outcome(position), 0.0, found, target))
    pleasing = [answer.found or 0.0 for answer in answers]
    return averaged(counting(answers, pleasing))._replace(hedge=hedge)


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    best = reason.given[0]
    said = [_ended(best) if best.cell is None else _pleasing(pair, reason, best)]
    if shares_entry(pair):
        said += [
            "The same entry is used in the seat of O, for a board that looks the same to its "
            f"owner with X, the opponent, to move: there the target is {signed(other_seat(pair))}. "
            "How many of its updates were of which kind is not recorded."
        ]
    else:
        said += distance(pair, reason)
    if pair.known:
        so_far = f"{count(pair.visits)} targets" if pair.visits > 1 else "one target"
        said += [
            "The step size falls at every update, so that the value is the plain average of its "
            f"{so_far} so far and the 0 it began with."
        ]
    return said


def _ended(answer: Answer) -> str:
    return (
        f"The game is {ENDS[answer.outcome or 0]} by this move, reward {signed(answer.reward)}. "
        "The finished board holds its reward as well, which counts discounted unless it is "
        f"below 0: the target is {signed(answer.target)}."
    )


def _pleasing(pair: Pair, reason: Reason, best: Answer) -> str:
    said = (
        "Every ply is an update, the opponent's too, always with the learner's own reward: so it "
        f"looks for the answer that would please {MARKS[pair.mover]} most"
    )
    if (best.found or 0.0) <= 0:
        said += ", and counts it as 0 if it is not above that"
    target = f"{reason.hedge}{signed(reason.target)}"
    if shares_entry(pair):
        return (
            f"{said}. What it expected of the answers is not kept for X; by what that was drawn "
            f"to in turn, the best is {square(pair, best.cell)} and the target {target}."
        )
    return (
        f"{said}. Here that is {square(pair, best.cell)}, and the target is {target}. What it "
        "expects of X's answers is in the entries of its own moves as X on boards that look the "
        "same, and mixed with them."
    )


def _equations(pair: Pair, reason: Reason) -> list[Node]:
    """Write what an entry is drawn to, for X in both seats, and its step size."""
    written = [row("y =", _target(pair, reason.given[0]))]
    if shares_entry(pair):
        seat = Node("msub", (row("y"), row("O")))
        written.append(row(seat, "=", number(other_seat(pair))))
    if pair.known:
        alpha = 1 / (2 + pair.visits)
        step = fraction(row("1"), row("1 +", str(pair.visits + 1)))
        written.append(row(f"{ALPHA} =", step, "≈", parameter(alpha)))
        if not shares_entry(pair):
            written += moved(pair, alpha, reason.target)
    return written


def _target(pair: Pair, answer: Answer) -> Node:
    found = row("max ( 0 ,", number(answer.found or 0.0), ")")
    return combined(answer, pair.parameter("gamma"), found)


def _follows(pair: Pair, answer: Answer) -> str:
    found = signed(answer.found or 0.0)
    return f"worth {found}" if pair.mover == O else f"to be worth {found}"


RULE = Rule(_reason, _sentences, _equations, _follows, _target, shared=COUNTS)
