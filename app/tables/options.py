"""The options of a user for tables whose content is ambiguous."""

from typing import NamedTuple


class TableOptions(NamedTuple):
    """The options that a user chose for a table; `QUESTIONS` lists their values."""

    # meaning of the numbers on a board: X and O, or mover and opponent
    boards: str = "auto"
    digits: str = "auto"  # order of the digits of a base-3 number
    view: str = "auto"  # view of the values: the mover's or X's
    ties: str = "any"  # moves played among equal values
    missing: str = "auto"  # moves played in positions that the table does not have


DEFAULT_OPTIONS = TableOptions()
DETECTED_VALUE = "detected automatically"
# Option -> (its label in the form, value -> label of the value); the first value is the default.
QUESTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "boards": (
        "Which player is 1 on boards written as numbers?",
        {"auto": DETECTED_VALUE, "x": "X", "mover": "the player to move"},
    ),
    "digits": (
        "Which digit of a base-3 number is the top left square?",
        {"auto": DETECTED_VALUE, "first": "the first digit", "last": "the last digit"},
    ),
    "view": (
        "For which player is a high value good?",
        {"auto": DETECTED_VALUE, "mover": "the player to move", "x": "X"},
    ),
    "ties": (
        "Which move does the agent play if several have the highest value?",
        {"any": "any of these moves", "first": "the first of these moves"},
    ),
    "missing": (
        "Which move does the agent play in a position that is not in the table?",
        {
            "auto": DETECTED_VALUE,
            "any": "any empty square",
            "first": "the first empty square",
            "image": "the move of a symmetric position",
        },
    ),
}
