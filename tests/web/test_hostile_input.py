"""Hostile input: twice as much of it costs about twice the time, in every form and pattern.

Time is processor time of this process.  What takes less than NOTICEABLE_SECONDS is fast enough,
whatever it grows like.
"""

import ast
import importlib
import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web.pages.parts.sent_table import MAX_TABLE_BYTES
from tests.web.test_class import MENACE

NOTICEABLE_SECONDS = 0.1
HOPELESS_SECONDS = 3.0
MOST_GROWTH = 3.0  # of the time when the input is doubled; what is quadratic grows 4 times
ATTEMPTS = 4  # another program may disturb one measurement, but not all
METHODS = ("match", "fullmatch", "search", "findall", "sub", "split")

# shape -> a text of about that many characters
SHAPES: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "9" * n,
    "letters": lambda n: "a" * n,
    "blanks": lambda n: " " * n,
    "dots": lambda n: "." * n,
    "signs": lambda n: "-" * n,
    "slashes": lambda n: "/" * n,
    "link names": lambda n: "h" * n + " " + "https://" * (n // 8),
    "commas": lambda n: "," * n,
    "quotes": lambda n: '"' * n,
    "open quote": lambda n: '"' + "a" * n,
    "escapes": lambda n: '"' + "\\" * n,
    "lines of one letter": lambda n: "a\n" * (n // 2),
    "empty lines": lambda n: "\n" * n,
    "links": lambda n: f"/teach/{MENACE}\n" * (n // (len(MENACE) + 8)),
    "columns": lambda n: ",".join("012345678"[i % 9] for i in range(n // 2)),
    "heading of columns": lambda n: (
        "board," + ",".join(f"q{i % 9}" for i in range(n // 8)) + "\n" + ".........,0\n" * (n // 24)
    ),
    "cells in one column": lambda n: "board,q0\n" + ".........,0\n" * (n // 12),
    "nesting": lambda n: "[" * n,
    "nested objects": lambda n: '{"q":' * (n // 5),
    "closed nesting": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "calls": lambda n: "{" + "array(" * (n // 6),
    "angles": lambda n: "{array(" + "<" * n,
    "number in JSON": lambda n: json.dumps({".........": "9" * n}),
    "number with a letter": lambda n: json.dumps({".........": ["9" * n + "x", *[0] * 8]}),
    "numbers in JSON": lambda n: json.dumps({".........": [0.5] * (n // 5)}),
    "number, broken off": lambda n: '{".........": "' + "9" * n + '"',
    "number as key": lambda n: json.dumps({"9" * n: 1}),
    "list, broken off": lambda n: "{(" + "9," * (n // 2),
    "many keys": lambda n: json.dumps({f"x{i}": i for i in range(n // 14)}),
    "equal keys": lambda n: "{" + ",".join(['".........": 1'] * (n // 14)) + "}",
    "exponents": lambda n: "{'.........': " + "1e" * (n // 2) + "}",
}
# where the site takes input that is larger than a URL -> the field of its form, "" for a body
FORMS = {"/judge": "table", "/api/v1/judge": "", "/teach/class": "links"}


def grows_too_fast(run: Callable[[int], object], size: int) -> str:
    """Return how the time of `run(size)` grows when the size is doubled, "" if it is right."""
    grown = []
    for _ in range(ATTEMPTS):
        seconds = [_measure(run, n) for n in (size, 2 * size)]
        if seconds[1] < NOTICEABLE_SECONDS or seconds[1] < MOST_GROWTH * seconds[0]:
            return ""
        grown.append("{:.2f} s, then {:.2f} s".format(*seconds))
        if seconds[1] > HOPELESS_SECONDS:
            break
    return "; ".join(grown)


def _measure(run: Callable[[int], object], size: int) -> float:
    begin = time.process_time()
    run(size)
    return time.process_time() - begin


@pytest.mark.long
@pytest.mark.parametrize("path", FORMS)
def test_twice_the_text_in_a_form_costs_twice_the_time(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    # Read in this process, whose time is measured.
    monkeypatch.setattr(
        "app.web.pages.parts.sent_table.read_in_process",
        lambda function, *arguments: function(*arguments),
    )
    posted = {str(rule) for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    assert posted == set(FORMS), "the test knows every form"

    def post(shape: Callable[[int], str], size: int) -> None:
        text = shape(size)
        field = FORMS[path]
        head = f'--edge\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n'
        body = f"{head}{text}\r\n--edge--\r\n" if field else text
        kind = "multipart/form-data; boundary=edge" if field else "text/plain"
        answer = client.post(path, data=body.encode(), content_type=kind)
        assert answer.status_code in (200, 303, 400, 413)
        assert len(answer.data) < MAX_TABLE_BYTES

    slow = {name: grows_too_fast(partial(post, shape), 30_000) for name, shape in SHAPES.items()}
    assert {name: said for name, said in slow.items() if said} == {}


def find_patterns() -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """List each use of a regular expression in the code of the site: (place, method, pattern).

    The site's own texts, templates and figures are no input.
    """
    own_texts = ("packing.py", "formula.py", "glossary.py", "card.py")
    for path in sorted(Path("app").rglob("[!_]*.py")):
        if path.name in own_texts:
            continue
        module = importlib.import_module(".".join(path.with_suffix("").parts))
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            method, called = node.func.attr, node.func.value
            if method not in METHODS or not isinstance(called, ast.Name):
                continue
            pattern = getattr(module, called.id, None)
            first = node.args[0] if node.args else None
            if pattern is re and isinstance(first, ast.Constant):
                flags = re.ASCII if "re.ASCII" in ast.unparse(node) else re.NOFLAG
                pattern = re.compile(first.value, flags)
            if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                yield f"{path}:{node.lineno} {pattern.pattern}", method, pattern


@pytest.mark.long
def test_no_pattern_is_quadratic() -> None:
    """Each pattern is tried on every shape, whole and with an end that does not fit."""
    tried = list(find_patterns())
    assert len(tried) > 20
    slow = {}
    for place, method, pattern in tried:
        apply = getattr(pattern, method)
        apply = partial(apply, "") if method == "sub" else apply
        for name, shape in SHAPES.items():
            for end in ("", "\0"):

                def run(size: int, shape=shape, end=end, apply=apply) -> None:
                    apply(shape(size) + end)

                if said := grows_too_fast(run, 8_000):
                    slow[f"{place} on {name}"] = said
    assert slow == {}
