"""The options of a user for tables whose content is ambiguous."""

from typing import NamedTuple


class Options(NamedTuple):
    """The options that a user chose for a table; `QUESTIONS` lists their values."""

    boards: str = "auto"
    digits: str = "auto"
    view: str = "auto"
    ties: str = "any"
    missing: str = "auto"


DEFAULT_OPTIONS = Options()
DETECTED_VALUE = "detected"
# Label of each option in the form, and the labels of its values; the first value is the
# default.
QUESTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "boards": (
        "On a board of numbers, 1 is",
        {"auto": DETECTED_VALUE, "x": "X", "mover": "the player to move"},
    ),
    "digits": (
        "In a base-3 number the top left square is",
        {"auto": DETECTED_VALUE, "first": "the first digit", "last": "the last digit"},
    ),
    "view": (
        "A high value is good for",
        {"auto": DETECTED_VALUE, "mover": "the player to move", "x": "X"},
    ),
    "ties": (
        "Among equal values it plays",
        {"any": "any of them", "first": "the first of them"},
    ),
    "missing": (
        "Where the table has nothing it plays",
        {
            "auto": DETECTED_VALUE,
            "any": "any empty square",
            "first": "the first empty square",
            "image": "as in a symmetric position",
        },
    ),
}
