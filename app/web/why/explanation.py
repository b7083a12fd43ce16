"""Everything there is to say of one value; the page and the plain text are made of it."""

from typing import NamedTuple

from app.tictactoe.notation import MARKS
from app.web.algorithms import rule_of
from app.web.algorithms.algorithm import CHANCE, Rule
from app.web.algorithms.targets import Answer, Pair, Reason
from app.web.algorithms.telling import NEAR, opponent, square, truth
from app.web.numbers import count, percent, signed
from app.web.words import task_words
from app.web.world import TRUTH

SYMBOLS = {"alpha": "Step size α", "gamma": "Discount γ"}


class Row(NamedTuple):
    """An answer of the opponent."""

    cell: int
    place: str
    share: str  # how likely it is, or whether it counts
    follows: str
    target: str  # a formula
    truth: str


class Explanation(NamedTuple):
    """Why a value is what it is."""

    heading: str
    sentences: list[str]
    facts: list[tuple[str, str]]
    equations: list[str]  # formulas
    shared: str  # what the answers' shares are
    rows: list[Row]  # none where the move ends the game


def explain(pair: Pair) -> Explanation:
    """Say why a value is what it is."""
    rule = rule_of(pair)
    reason = rule.reason(pair)
    return Explanation(
        heading=f"{MARKS[pair.mover]} at {square(pair, pair.cell)}",
        sentences=[
            _value(pair, rule, reason),
            *rule.sentences(pair, reason),
            *_unrecorded(pair, reason),
            *_in_its_task(pair),
            *_in_truth(pair, rule),
        ],
        facts=_facts(pair, rule, reason),
        equations=rule.equations(pair, reason) if reason.has_target else [],
        shared=rule.shared,
        rows=[_row(pair, rule, answer) for answer in reason.answers if answer.cell is not None],
    )


def _row(pair: Pair, rule: Rule, answer: Answer) -> Row:
    likely = f"{percent(answer.chance)}%" if rule.shared == CHANCE else ""
    return Row(
        cell=answer.cell or 0,
        place=square(pair, answer.cell),
        share=likely or ("yes" if answer.chance else "no"),
        follows=rule.follows(pair, answer),
        target=rule.target(pair, answer),
        truth=truth(pair, answer),
    )


def _value(pair: Pair, rule: Rule, reason: Reason) -> str:
    """Say what the value is and whose."""
    move = f"{MARKS[pair.mover]} at {square(pair, pair.cell)}"
    if pair.lens == TRUTH:
        worth = signed(pair.value, 0)
        return f"In truth {move} is worth {worth}: with best play by both it is a {truth(pair)}."
    who, value = pair.world.titles[pair.learner], rule.written(reason, reason.value)
    if pair.task and not pair.is_learned:
        asked = task_words(pair.world, pair.task)
        return f"{who} was asked to learn {asked}. In that task {move} is worth exactly {value}."
    if pair.step is not None:
        then = f"After {count(pair.agent.card.figures.updates[pair.step])} updates {who}"
        if pair.known:
            return f"{then} {rule.had.format(move=move, value=value)}."
        return f"{then} had not yet updated {move}, and what it is worth was unknown to it."
    if not pair.known:
        return rule.unknown.format(who=who, move=move, value=value)
    return f"{who} {rule.has.format(move=move, value=value)}."


def _unrecorded(pair: Pair, reason: Reason) -> list[str]:
    """Say what is not known of a value at a snapshot that might explain it."""
    if pair.step is None or not pair.known or abs(reason.above) < NEAR:
        return []
    return ["How often it had been updated by then is not recorded."]


def _in_its_task(pair: Pair) -> list[str]:
    """Say what the move is exactly worth in what its agent was asked to learn."""
    if not pair.task or not pair.is_learned or pair.exact_in_task is None:
        return []
    asked, exact = task_words(pair.world, pair.task), pair.exact_in_task
    agrees = pair.known and abs(pair.value - exact) < NEAR
    there = ", and that is its value" if agrees else ""
    return [
        f"It was asked to learn {asked}: there the move is worth exactly {signed(exact)}{there}."
    ]


def _in_truth(pair: Pair, rule: Rule) -> list[str]:
    """Say what is exactly true, and how often the opponent of the training misses it."""
    if pair.lens == TRUTH:
        return []
    said = f"With best play by both it is a {truth(pair)}"
    if pair.game.is_over(pair.after) or rule.shared != CHANCE:
        return [f"{said}."]
    given = pair.answer_chances > 0
    missing = given & (pair.world.truth[pair.after] != -pair.world.truth[pair.position, pair.cell])
    if not missing.any():
        return [f"{said}."]
    return [f"{said}; {opponent(pair)} misses that in {missing.sum()} of {given.sum()} answers."]


def _facts(pair: Pair, rule: Rule, reason: Reason) -> list[tuple[str, str]]:
    """List the numbers there are."""
    exact = signed(pair.world.truth[pair.position, pair.cell], 0)
    best_play = ("Exact value", f"{exact}, {truth(pair)}")
    if pair.lens == TRUTH:
        return [best_play]
    value = rule.written(reason, reason.value)
    facts = [("Value", value if pair.known else f"unknown, the entry is {value}"), best_play]
    if pair.is_learned and pair.exact_in_task is not None:
        facts.append(("Exact value of its task", signed(pair.exact_in_task)))
    if pair.visits is not None:
        facts.append((rule.counted, count(pair.visits)))
    if pair.is_learned and reason.has_target:
        target = reason.hedge + rule.written(reason, reason.target)
        facts.append(("Target of the next update", target))
    names = SYMBOLS if pair.is_learned else {"gamma": SYMBOLS["gamma"]}
    given = [(name, getattr(pair.recipe, key, None)) for key, name in names.items()]
    return facts + [(name, f"{number:g}") for name, number in given if number is not None]
