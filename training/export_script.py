"""Export a training as a single Python file, which joins files of `app.textbook`.

The file begins with the parameters. Then come the learner, the training loop and the evaluation,
then the rules and the opponents, and at the end the random numbers. The code is that of the
textbook files, without the lines that import one of them into another.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from inspect import getsource
from textwrap import fill

from app.project import PACKAGE_PREFIX
from app.recipes import Recipe, RecipeError, name_recipe, name_script_file
from app.recipes.algorithms import League
from app.recipes.parameters import PERSON_OPPONENT, list_parameters
from app.reference import TEXTBOOK_OPPONENTS, find_learner, learn
from app.textbook.opponents.opponent import Opponent
from app.tictactoe.game import GAME

TEXTBOOK_PACKAGE = f"{PACKAGE_PREFIX}app.textbook"
# The learner's class may extend classes of these files, so they come before it.
BASE_FILES = ("learner", "backward_learner", "q_learning")
# After the learner's module, the textbook modules follow in this order.
FILE_ORDER = (
    "td_game",
    "whole_game",
    "start",
    "loop",
    "people",
    "table",
    "exploration",
    "schedule",
    "evaluation",
    "rules",
    "symmetry",
    "opponents.opponent",
    *sorted(
        {
            function.__module__.removeprefix(f"{TEXTBOOK_PACKAGE}.")
            for function in TEXTBOOK_OPPONENTS.values()
        }
    ),
    "rng",
)
MAX_LINE_LENGTH = 100
RULER_LINE = "# " + "-" * (MAX_LINE_LENGTH - 2)
IMPORT_PATTERN = re.compile(
    r"^(?:from (\S+) import (?:\(([^)]*)\)|(.*))|import (\S+))\n", re.MULTILINE
)
DOCSTRING_PATTERN = re.compile(r'\A"""(.*?)"""\n', re.DOTALL)
SCRIPT_HEAD_TEMPLATE = '''"""The training {name} in plain Python, one file; made by Q-Tac-Toe.

    python {file} > table.csv

prints the value of every move, which is equal to the value on the site bit for bit.  Progress,
and finally results against random moves, are printed to the error stream.
"""

{imports}


class parameters:
    """The parameters of the training."""

{parameters}
'''
TAUGHT_TURNS_CODE = """list_turns_with_people(
        parameters.phases, opponents, map(Person, parameters.taught.split("."))
    )"""
SCRIPT_END_TEMPLATE = """if __name__ == "__main__":
    game = TicTacToe()
    opponents = {opponents}
    turns = {turns}
    main(game, {learner}(game, parameters), turns, Random(parameters.seed))
"""


def build_script(recipe: Recipe) -> str:
    """Return a training as the text of a Python file.

    Raises RecipeError in three cases: the learner is a network, an opponent has no file in
    `app/textbook`, or a recorded move of a person is impossible.
    """
    if recipe.is_network:
        raise RecipeError(
            f"the training of {name_recipe(recipe)} cannot be written as one file"
        )
    opponents = list_plain_opponents(recipe)
    if recipe.has_opponent(PERSON_OPPONENT):
        for _ in learn(GAME, recipe):
            pass
    learner = find_learner(recipe)
    modules = order_modules(
        [learner.__module__, *list_needed_modules(recipe, opponents)]
    )
    texts = [read_module(module) for module in modules]
    head = SCRIPT_HEAD_TEMPLATE.format(
        name=name_recipe(recipe),
        file=name_script_file(recipe),
        imports="\n".join(format_imports(texts)),
        parameters="\n".join(format_parameters(recipe)),
    )
    players = [
        f'"{one}": Opponent(game, {TEXTBOOK_OPPONENTS[one].__name__}),'
        for one in opponents
    ]
    run = SCRIPT_END_TEMPLATE.format(
        opponents="\n        ".join(["{", *players]) + "\n    }" if players else "{}",
        turns=TAUGHT_TURNS_CODE
        if recipe.has_opponent(PERSON_OPPONENT)
        else "list_turns(parameters.phases, opponents)",
        learner=learner.__name__,
    )
    return "\n\n\n".join([head.strip(), *map(format_module, texts), run])


def list_plain_opponents(recipe: Recipe) -> list[str]:
    """Return the names of the opponents that are programs with fixed rules.

    A league brings its own opponents, so the list is empty. Raises RecipeError for an opponent
    without a file in `app/textbook`.
    """
    if isinstance(recipe, League):
        return []
    names = list(dict.fromkeys(opponent for opponent, _ in recipe.phases))
    others = [one for one in names if one not in (PERSON_OPPONENT, "self", "both")]
    for one in others:
        if one not in TEXTBOOK_OPPONENTS:
            raise RecipeError(f"the opponent {one} is not written in plain Python")
    return others


def list_needed_modules(recipe: Recipe, opponents: Iterable[str]) -> Iterator[str]:
    yield from (
        f"{TEXTBOOK_PACKAGE}.{one}" for one in ("loop", "evaluation", "rules", "rng")
    )
    if recipe.has_opponent(PERSON_OPPONENT):
        yield f"{TEXTBOOK_PACKAGE}.people"
    for opponent in opponents:
        yield TEXTBOOK_OPPONENTS[opponent].__module__
        yield Opponent.__module__


def order_modules(modules: Sequence[str]) -> list[str]:
    """Return modules and all textbook modules that they import, in the order of the exported file.

    The first of `modules` must be the learner's.
    """
    needed_modules: list[str] = []
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in needed_modules:
            needed_modules.append(module)
            waiting += [
                one
                for one, _ in list_imports(read_module(module))
                if is_textbook_module(one)
            ]
    bases, others = (
        [f"{TEXTBOOK_PACKAGE}.{one}" for one in names]
        for names in (BASE_FILES, FILE_ORDER)
    )
    order = [module for module in bases if module in needed_modules]
    order += [modules[0], *(module for module in others if module in needed_modules)]
    return list(dict.fromkeys(order))


def read_module(module: str) -> str:
    return getsource(import_module(module))


def is_textbook_module(module: str) -> bool:
    return module.startswith(f"{TEXTBOOK_PACKAGE}.")


def list_imports(source_text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (module, names) for each import; `import math` gives ("math", [])."""
    for module, in_brackets, in_line, whole in IMPORT_PATTERN.findall(source_text):
        names = [one.strip() for one in (in_brackets or in_line).split(",")]
        yield module or whole, [one for one in names if one]


def format_imports(source_texts: Iterable[str]) -> Iterator[str]:
    """Yield each import of a module of Python's own library once."""
    imports = defaultdict[str, set[str]](set)
    for text in source_texts:
        for module, names in list_imports(text):
            if not is_textbook_module(module):
                imports[module].update(names)
    for module, parts in sorted(
        imports.items(), key=lambda one: (bool(one[1]), one[0])
    ):
        yield (
            f"from {module} import {', '.join(sorted(parts))}"
            if parts
            else f"import {module}"
        )


def format_module(source_text: str) -> str:
    """Return a module without its imports, and with its docstring turned into a comment."""
    (docstring,) = DOCSTRING_PATTERN.findall(source_text)
    comment = [f"# {line}".rstrip() for line in docstring.strip().splitlines()]
    body = IMPORT_PATTERN.sub("", DOCSTRING_PATTERN.sub("", source_text)).strip()
    return "\n".join([RULER_LINE, *comment, "", body])


def format_parameters(recipe: Recipe) -> Iterator[str]:
    """Yield lines of Python that set the parameters, with their meanings as comments.

    `phases` takes the place of the opponent and of the number of games.
    """
    told = [(one.field_name, one.value, one.meaning) for one in list_parameters(recipe)]
    hidden = {"vs", recipe.length_parameter}
    if not recipe.has_opponent(PERSON_OPPONENT):
        hidden.add("taught")
    phases = (
        "phases",
        recipe.phases,
        f"Opponents, and the {recipe.length_parameter} against each.",
    )
    for named, value, meaning in [phases, *told]:
        if named not in hidden:
            line = f"    {named} = {value!r}  # {meaning}"
            if len(line) <= MAX_LINE_LENGTH:
                yield line
            else:
                yield fill(
                    meaning,
                    MAX_LINE_LENGTH,
                    initial_indent="    # ",
                    subsequent_indent="    # ",
                )
                yield f"    {named} = {value!r}"
