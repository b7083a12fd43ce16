"""The options with which a user says how to read an ambiguous table."""

from typing import NamedTuple

from app.tables.values import TableError


class TableOptions(NamedTuple):
    """The options for reading a table; `OPTION_QUESTIONS` explains them and their values."""

    numbers: str = "auto"
    marks: str = "auto"
    boards: str = "auto"
    begins: str = "auto"
    digits: str = "auto"
    cells: str = "auto"
    view: str = "auto"
    play: str = "highest"
    ties: str = "any"
    missing: str = "auto"


DEFAULT_OPTIONS = TableOptions()
DETECTED_ANSWER = "detected automatically"
# The three numbers stand for an empty cell, X and O, or for an empty cell, the player to move and the
# opponent.
MARK_CODES = {
    "01-1": ("0", "1", "-1"),
    "012": ("0", "1", "2"),
    "-110": ("-1", "1", "0"),
    "-101": ("-1", "0", "1"),
    "201": ("2", "0", "1"),
    "210": ("2", "1", "0"),
    "120": ("1", "2", "0"),
    "102": ("1", "0", "2"),
}
# The first answer to each question is the default.
OPTION_QUESTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "numbers": (
        "What does a single number after a board mean?",
        {
            "auto": DETECTED_ANSWER,
            "moves": "the square that is played",
            "boards": "the value of the board",
        },
    ),
    "marks": (
        "Which numbers are an empty square, X and O?",
        {"auto": DETECTED_ANSWER}
        | {code: ", ".join(numbers) for code, numbers in MARK_CODES.items()},
    ),
    "boards": (
        "Which player is 1 on boards written as numbers?",
        {"auto": DETECTED_ANSWER, "x": "X", "mover": "the player to move"},
    ),
    "begins": (
        "Which mark begins?",
        {"auto": DETECTED_ANSWER, "x": "X", "o": "O"},
    ),
    "digits": (
        "Which digit of a base-3 number is the top left square?",
        {"auto": DETECTED_ANSWER, "first": "the first digit", "last": "the last digit"},
    ),
    "cells": (
        "Which number is the top left square?",
        {"auto": DETECTED_ANSWER, "0": "0", "1": "1"},
    ),
    "view": (
        "For which player is a high value good?",
        {
            "auto": DETECTED_ANSWER,
            "mover": "the player to move",
            "x": "X",
            "o": "O",
            "moved": "the player who has just moved",
        },
    ),
    "play": (
        "How does the agent choose a move?",
        {
            "highest": "it plays the highest value",
            "proportional": "it draws a move in proportion to the values",
        },
    ),
    "ties": (
        "Which move does the agent play if several have the highest value?",
        {"any": "any of these moves", "first": "the first of these moves"},
    ),
    "missing": (
        "Which move does the agent play in a position that is not in the table?",
        {
            "auto": DETECTED_ANSWER,
            "any": "any empty square",
            "first": "the first empty square",
            "image": "the move stored for a symmetric position",
        },
    ),
}


def ask_for_option(option: str, evidence: str) -> TableError:
    question, answers = OPTION_QUESTIONS[option]
    choices = ", ".join(
        f"{option}={value} ({answer})"
        for value, answer in answers.items()
        if value != "auto"
    )
    return TableError(
        f"it is not clear how to read it: {question} {evidence} Choose one: {choices}"
    )
