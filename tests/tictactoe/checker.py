"""Check of a proof that a policy is unbeatable, based only on the rules of the game."""

from collections.abc import Iterable
from functools import cache

from tests.tictactoe.reference import SIGN, Rules, mover

Line = tuple[str, list[int]]  # a board, and the cells that may be played there


def flaw(rules: Rules, seat: str, lines: Iterable[Line]) -> str | None:
    """Return what is wrong in a proof that a seat is unbeatable: a list of positions and moves.

    Return None if the proof is valid: the first board of the player is listed, up to symmetry, and
    every reply to a listed move leads to a listed board, or ends the game without a loss.
    """
    lines = list(lines)
    listed = {image for board, _ in lines for image in images(rules, board)}
    empty = rules.boards[0]
    begins = [empty] if seat == "X" else list(rules.children[empty].values())
    for board in begins:
        if board not in listed:
            return f"it begins at {board}, which is not listed"
    flaws = (flaw_of_line(rules, seat, line, listed) for line in lines)
    return next((found for found in flaws if found), None)


def flaw_of_line(rules: Rules, seat: str, line: Line, listed: set[str]) -> str | None:
    board, cells = line
    if not rules.children.get(board) or mover(board) != seat:
        return f"{seat} is not to move at {board}"
    if not cells or not set(cells) <= set(rules.children[board]):
        return f"{cells} are no moves at {board}"
    for after in (rules.children[board][cell] for cell in cells):
        for answered in rules.children[after].values() or [after]:
            if rules.children[answered] and answered not in listed:
                return f"{board} leads to {answered}, which is not listed"
            if not rules.children[answered] and rules.result(answered) == -SIGN[seat]:
                return f"{board} leads to {answered}, which is lost"
    return None


@cache
def images(rules: Rules, board: str) -> set[str]:
    return {"".join(board[cell] for cell in cells) for cells in rules.symmetries()}
