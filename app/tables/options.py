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
        "On boards written as numbers, the number 1 is",
        {"auto": DETECTED_VALUE, "x": "X", "mover": "the player to move"},
    ),
    "digits": (
        "In boards written as base-3 numbers, the top left square is",
        {"auto": DETECTED_VALUE, "first": "the first digit", "last": "the last digit"},
    ),
    "view": (
        "A high value is good for",
        {"auto": DETECTED_VALUE, "mover": "the player to move", "x": "X"},
    ),
    "ties": (
        "If several moves have the highest value, the agent plays",
        {"any": "any of these moves", "first": "the first of these moves"},
    ),
    "missing": (
        "In positions that are not in the table, the agent plays",
        {
            "auto": DETECTED_VALUE,
            "any": "any empty square",
            "first": "the first empty square",
            "image": "the move of a symmetric position",
        },
    ),
}
