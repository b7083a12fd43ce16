"""Everything there is to say of one value; the page and the plain text are made of it."""

from typing import NamedTuple

from app.tictactoe.notation import MARKS
from app.web.numbers import count, percent, signed
from app.web.players import TRUTH
from app.web.why.answers import Answer, Pair, Reason
from app.web.why.expression import Node, text
from app.web.why.phrases import square, truth
from app.web.why.rules import rule_of
from app.web.why.rules.rule import CHANCE, Rule
from app.web.why.words import sentences


class Row(NamedTuple):
    """An answer of the opponent."""

    cell: int
    place: str
    share: str  # how likely it is, or whether it counts
    follows: str
    target: Node
    truth: str


class Explanation(NamedTuple):
    """Why a value is what it is."""

    heading: str
    sentences: list[str]
    facts: list[tuple[str, str]]
    equations: list[Node]
    shared: str  # what the answers' shares are, "" where nothing is known of them
    rows: list[Row]  # none where the move ends the game


def explain(pair: Pair) -> Explanation:
    """Say why a value is what it is."""
    rule = rule_of(pair)
    reason = rule.reason(pair)
    return Explanation(
        heading=f"{MARKS[pair.mover]} at {square(pair, pair.cell)}",
        sentences=sentences(pair, rule, reason),
        facts=_facts(pair, rule, reason),
        equations=rule.equations(pair, reason) if reason.has_target else [],
        shared=rule.shared,
        rows=[_row(pair, rule, answer) for answer in reason.answers if answer.cell is not None],
    )


def text_lines(explanation: Explanation) -> list[str]:
    """Write all of it as plain text."""
    lines = [explanation.heading, *explanation.sentences]
    lines += [f"  {name}: {value}" for name, value in explanation.facts]
    lines += [f"  {text(equation)}" for equation in explanation.equations]
    for row in explanation.rows:
        shared = [f"{explanation.shared} {row.share}"] if explanation.shared else []
        parts = [row.place, *shared, row.follows, f"y: {text(row.target)}", row.truth]
        lines.append(f"  - {' | '.join(parts)}")
    return lines


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


def _facts(pair: Pair, rule: Rule, reason: Reason) -> list[tuple[str, str]]:
    """List the numbers there are."""
    exact = signed(pair.players.true_values[pair.position, pair.cell], 0)
    exactly = ("Exact value", f"{exact}, {truth(pair)}")
    if pair.lens == TRUTH:
        return [exactly]
    value = signed(pair.value)
    listed = [("Value", value if pair.known else f"unknown, the entry is {value}"), exactly]
    listed.append((rule.counted, count(pair.visits)))
    if reason.has_target:
        listed.append(("Target of the next update", reason.hedge + signed(reason.target)))
    names = {"alpha": "Step size α", "gamma": "Discount γ"}  # noqa: RUF001
    given = pair.agent.card.parameters
    return listed + [(names[name], f"{given[name]:g}") for name in names if name in given]
