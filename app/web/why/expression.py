"""A formula as a value, written as plain text here and as MathML by templates/_math.html."""

from typing import NamedTuple, Union

from app.web.numbers import MINUS, signed

RELATED = "=≈+−×"


class Node(NamedTuple):
    """An element of MathML Core, and what is in it."""

    tag: str
    parts: tuple[Union["Node", str], ...]


def row(*parts: Node | str) -> Node:
    """Put parts side by side; of a text every word is a name, a number or an operator."""
    inside: list[Node] = []
    for part in parts:
        inside += [part] if isinstance(part, Node) else map(_symbol, part.split())
    return Node("mrow", tuple(inside))


def number(value: float, decimals: int = 2) -> Node:
    """Write a number, before which only a minus stands."""
    return Node("mn", (signed(value, decimals).removeprefix("+"),))


def fenced(value: float, decimals: int = 2) -> Node:
    """Write a number that follows an operator, in parentheses if it is negative."""
    written = number(value, decimals)
    return row("(", written, ")") if text(written).startswith(MINUS) else written


def fraction(over: Node, under: Node) -> Node:
    """Divide."""
    return Node("mfrac", (over, under))


def listed(values: list[Node], between: str) -> Node:
    """Put an operator between values."""
    return row(*[part for value in values for part in (between, value)][1:])


def equals(*shown: float) -> str:
    """Return the sign between these numbers and what they make: "=" if none of them is rounded."""
    whole = all(abs(value - round(value, 2)) < 1e-9 for value in shown)
    return "=" if whole else "≈"


def text(node: Node | str) -> str:
    """Write an expression as plain text."""
    if isinstance(node, str):
        return node
    inside = [text(part) for part in node.parts]
    if node.tag == "mo":
        return {",": ", "}.get(inside[0], f" {inside[0]} " if inside[0] in RELATED else inside[0])
    if node.tag == "mfrac":
        return " / ".join(f"({side})" if " " in side else side for side in inside)
    if node.tag == "msub":
        return "_".join(inside)
    return "".join(inside).replace("  ", " ").lstrip()


def _symbol(word: str) -> Node:
    tag = "mi" if word.isalpha() else "mn" if word[-1].isdigit() else "mo"
    return Node(tag, (word,))
