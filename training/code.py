"""A training as one file of plain Python: what `training.plain` does with a recipe, by itself.

The file is made of the very definitions of `training.plain` that the recipe needs.  The game and
the recipe, which they are given here, are the file's own: `training.plain.alone` is its game, and
the recipe's parameters are its constants.  What the recipe decides is decided in it: a test of its
algorithm, its opponents or its switches leaves one way only.
"""

import ast
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from inspect import getsource
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import Any

from msgspec.structs import asdict

from app.recipes import Recipe, RecipeError, name
from app.recipes.algorithms import League
from app.recipes.parameters import YOU, parameters
from app.tictactoe.game import tic_tac_toe
from training.learners import league, module_of
from training.plain import LEARNERS, learn

GIVEN = {"game", "recipe", "_recipe"}  # what the definitions are given and the file has
PEOPLE = {"person", "people"}  # who teaches, where a person does
WAY = {"observing", "symmetric", "stages", "gamma", "k_start", "k_step", "k_limit"}
HEARD = {"moved", "refilled", "revised", "met", "answered"}  # only stories are told by them
# What a table says of a move, by the algorithm or an ancestor of it.
VALUES = {
    "q-table": "learner.average[key_of(board, cell)]",
    "td-afterstates": "learner.value(move(board, cell))",
    "champion": "learner.value(standing(move(board, cell)))",
    "menace": "learner.beads(board, cell) / same_moves(board, cell)",
    "self-play": "learner.q[board, cell] * (1 if to_move(board) == 'X' else -1)",
    "q-learning": "learner.q[board, cell]",
    "monte-carlo": "learner.q[board, cell]",
    "q-iteration": "learner.q[board, cell]",
    "league": "learner.own.q[learner.own.seen(board, cell, to_move(board))]",
    "mcts": "learner.trees[board].mean((cell,))",
}
WIDE = 100  # letters of a line that is made here
IMPORTED = {
    "collections": ("Counter", "defaultdict"),
    "fractions": ("Fraction",),
    "functools": ("cache",),
    "itertools": ("accumulate", "permutations"),
    "math": ("inf", "log", "sqrt"),
    "types": ("SimpleNamespace",),
    "typing": ("NamedTuple",),
}
HEAD = '''"""{title}: the training {name} in plain Python, one file.

    python training.py > table.csv

writes the value of every move to its player, as the site has it bit for bit; progress is told on
the error stream.  A board is its nine cells in reading order.  Made by Q-Tac-Toe.
{source}
"""

import struct
import sys
{imports}


class recipe:
    """The parameters."""

{parameters}
'''
MAIN = '''
def main():
    """Train, and write the table."""
    rng, learner, updates = Random(recipe.seed), Learner(), 0
    for turn in turns():
        before, updates = updates, updates + sum(1 for _ in learner.play(turn, rng))
        if updates // 100_000 > before // 100_000:
            print(f"{turn.played + 1} turns, {updates} updates", file=sys.stderr)
    print(f"{updates} updates in all", file=sys.stderr)
    print("position,cell,q")
    for board in unfinished_boards():
        for cell in legal_cells(board):
            print(f"{board},{cell},{shortest(VALUE)}")


def shortest(value):
    """Return a number of 32 bits, as the site keeps it, by as few digits as tell which."""
    kept = struct.pack("f", value)
    (value,) = struct.unpack("f", kept)
    numbers = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next(number for number in numbers if struct.pack("f", number) == kept)

'''
OWN = '''
class Person:
    """The person who taught in one game, by the cells that they played."""

    def __init__(self, number, cells):
        self.number, self.cells = number, iter(cells)

    def choose(self, board):
        """Return the next cell."""
        return int(next(self.cells))

def games_taught():
    """List the cells that the person played in each game."""
    return recipe.taught.split(".")

def same_moves(board, cell):
    """Count the cells that are the same move by symmetry, which share its beads."""
    pairs = [standing_pair(board, other) for other in legal_cells(board)]
    return pairs.count(standing_pair(board, cell))
'''


def code_of(recipe: Recipe) -> str:
    """Return a training as a file.

    Raises RecipeError if it is that of a network, or a person's move in it cannot be played.
    """
    if recipe.is_network:
        raise RecipeError(f"the training of {name(recipe)} cannot be written as one file")
    if recipe.is_met(YOU):
        for _ in learn(tic_tac_toe(), recipe):
            pass
    value = next(VALUES[slug] for slug in type(recipe).lineage() if slug in VALUES)
    if recipe.plays != "proportional":
        value = value.removesuffix(" / same_moves(board, cell)")
    main, known = MAIN.replace("VALUE", value), definitions(recipe)
    wanted, read = names(ast.parse(main)), set[str]()
    while wanted:
        one = wanted.pop()
        if one not in read:
            read.add(one)
            wanted |= names(known[one]) if one in known else set()
    imports = [
        f"from {module} import {', '.join(one for one in ones if one in read)}"
        for module, ones in IMPORTED.items()
        if read & {*ones}
    ]
    parts = [statement for one, statement in known.items() if one in read]
    blocks = [
        ("\n" if assigned else "\n\n\n").join(map(written, block))
        for assigned, block in groupby(parts, lambda part: isinstance(part, ast.Assign))
    ]
    head = HEAD.format(
        title=type(recipe).__name__,
        name=name(recipe),
        source=source_of(recipe),
        imports="\n".join(imports),
        parameters="\n".join(constants(recipe, "".join([main, *blocks]))),
    )
    end = 'if __name__ == "__main__":\n    main()\n'
    return "\n\n\n".join([head.strip(), main.strip(), *blocks, end])


def source_of(recipe: Recipe) -> str:
    """Return what the compiled learner says of the algorithm and its source, unimported."""
    spec = find_spec(module_of(type(recipe)))
    assert spec
    assert spec.origin
    return ast.get_docstring(ast.parse(Path(spec.origin).read_text())) or ""


def constants(recipe: Recipe, code: str) -> Iterator[str]:
    """Write the parameters that the code reads, each with its meaning.

    The others have decided what it is.
    """
    told = [(one.name, one.value, one.meaning) for one in parameters(recipe)]
    for named, value, meaning in [*told, ("phases", recipe.phases, "Opponents, and the turns.")]:
        if re.search(rf"\b(recipe|way)\.{named}\b", code):
            line = f"    {named} = {value!r}  # {meaning}"
            if len(line) <= WIDE:
                yield line
            else:
                yield fill(meaning, WIDE, initial_indent="    # ", subsequent_indent="    # ")
                yield f"    {named} = {value!r}"


def definitions(recipe: Recipe) -> dict[str, ast.stmt]:
    """Return what a training may need, by name, as the file has it, in the order of the file."""
    learner = sys.modules[LEARNERS[recipe.slug].__module__]
    modules = [import_module(f"training.plain.{one}") for one in ("randomness", "alone", "boards")]
    modules += [import_module("training.plain.q_learning"), learner]
    texts = [(vars(module), getsource(module)) for module in modules]
    own = OWN + members() if isinstance(recipe, League) else OWN
    found: dict[str, ast.stmt] = {}
    for names_of, text in [*texts, (globals(), own)]:
        # What is defined earlier stands for what is defined later, but for the learner's own.
        last = names_of in (vars(learner), globals())
        for statement in Alone(recipe, names_of).visit(ast.parse(text)).body:
            named = name_of(statement)
            if named and (named not in found or last):
                found[named] = statement
    return found


def members() -> str:
    """Write down who is in a league, and how they learn that are not the recipe's learner."""
    ways = {
        one: [f"{key}={value!r}" for key, value in asdict(way).items() if key in WAY]
        for one, way in league.LEARNERS.items()
    }
    lines = [f"{one!r}: SimpleNamespace({', '.join(way)})," for one, way in ways.items()]
    functions = getsource(league.own_place), getsource(league.meets)
    return "\n".join([f"MEMBERS = {league.MEMBERS!r}", "LEARNERS = {", *lines, "}", *functions])


def name_of(statement: ast.stmt) -> str | None:
    """Return the name that a statement defines, None if it defines none."""
    match statement:
        case ast.FunctionDef(name=named) | ast.ClassDef(name=named):
            return named
        case ast.Assign(targets=[ast.Name(id=named)]):
            return named
    return None


def names(tree: ast.AST) -> set[str]:
    """Return the names that a piece of code reads and does not define in its functions."""
    scope = isinstance(tree, ast.FunctionDef | ast.Lambda)
    inner = [names(one) for one in ast.iter_child_nodes(tree)]
    read = set().union(*inner)
    if isinstance(tree, ast.Name) and isinstance(tree.ctx, ast.Load):
        read.add(tree.id)
    if scope:
        read -= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
        read -= {
            one.id
            for one in ast.walk(tree)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
    return read


def written(statement: ast.stmt) -> str:
    """Write a definition, the methods of a class and the members of a league apart."""
    text = ast.unparse(ast.fix_missing_locations(statement)).replace("), '", "),\n    '")
    return text.replace("\n\n    def ", "\n    def ").replace("\n    def ", "\n\n    def ")


class Alone(ast.NodeTransformer):
    """Takes out of a module what a file of one recipe does not need."""

    def __init__(self, recipe: Recipe, module: dict[str, Any]) -> None:
        """`module` says what its names stand for: classes of recipes, names of opponents."""
        self.known: dict[str, Any] = {
            one: kind for one, kind in module.items() if isinstance(kind, type)
        } | {"recipe": recipe, "_recipe": recipe}
        self.module = module
        self.opponents = {opponent for opponent, _ in recipe.phases}
        self.given = GIVEN if YOU in self.opponents else GIVEN | PEOPLE

    def is_given(self, node: ast.AST) -> bool:
        """Whether this is the game or the recipe, or an attribute that is one of them."""
        return name_in(node) in self.given

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        """Leave out annotations, what the file has itself, and what only stories hear."""
        if node.name in HEARD:
            return None
        self.generic_visit(node)
        node.args.args = [one for one in node.args.args if one.arg not in self.given]
        node.returns = None
        ends = [number for number, one in enumerate(node.body, 1) if isinstance(one, ast.Return)]
        node.body = node.body[: ends[0]] if ends else node.body
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Leave out the annotation."""
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Leave out the annotation, but that of a field."""
        if node.value is None:
            return None if self.is_given(node.target) else node
        return self.visit(ast.Assign([node.target], node.value, lineno=node.lineno))  # type: ignore[no-any-return]

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """Leave out what would name game and recipe anew."""
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            kept = [
                pair
                for pair in zip(target.elts, value.elts, strict=True)
                if not self.is_given(pair[0])
            ]
            if not kept:
                return None
            target.elts, value.elts = map(list, zip(*kept, strict=True))
            if len(kept) == 1:
                node.targets, node.value = [target.elts[0]], value.elts[0]
        elif self.is_given(target):
            return None
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Leave out what only stories hear."""
        match node.value:
            case ast.Call(func=ast.Attribute(attr=attribute)) if attribute in HEARD:
                return None
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Pass on neither game nor recipe; know what is asked of the recipe."""
        asks = isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "getattr")
        if asks and self.is_given(node.args[0]):
            return ast.Constant(eval(ast.unparse(self.generic_visit(node)), self.known))
        if isinstance(node.func, ast.Subscript):  # list[Pair]()
            node.func = node.func.value
        node.args = [one for one in node.args if not self.is_given(one)]
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Read the recipe, the size of the game and what `boards` does where the file has them."""
        if name_in(node.value) == "boards":
            return self.visit_Name(ast.Name(node.attr, ast.Load()))
        if self.is_given(node):
            return self.visit_Name(ast.Name(node.attr, ast.Load()))
        if node.attr == "cells" and self.is_given(node.value):
            return ast.Name("CELLS", ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Write the names of opponents out; there is none where no person teaches."""
        if node.id == "person" and self.is_given(node):
            return ast.Constant(None)
        known = self.module.get(node.id) if node.id in ("SELF", "BOTH", "YOU") else None
        return ast.Constant(known) if known else node

    def visit_Compare(self, node: ast.expr) -> ast.AST:
        """Decide what recipe and opponents decide."""
        self.generic_visit(node)
        decided = self.decided(node)
        return node if decided is None else ast.Constant(decided)

    visit_UnaryOp = visit_Compare  # noqa: N815 - what is not so

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Leave one way where the others are decided."""
        self.generic_visit(node)
        stops = isinstance(node.op, ast.Or)  # the value that decides all
        rest: list[ast.expr] = []
        for one in node.values:
            decided = self.decided(one)
            if decided is stops:
                rest.append(ast.Constant(stops))
                break
            if decided is None:
                rest.append(one)
        node.values = rest
        if not rest:
            return ast.Constant(not stops)
        return rest[0] if len(rest) == 1 else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Leave one way."""
        self.generic_visit(node)
        decided = self.decided(node.test)
        return node if decided is None else node.body if decided else node.orelse

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt] | None:
        """Leave one way."""
        self.generic_visit(node)
        decided = self.decided(node.test)
        if decided is not None:
            return node.body if decided else node.orelse
        if node.body or node.orelse:
            return node
        return ast.Expr(node.test)  # what was tested may do something

    def decided(self, test: ast.expr) -> bool | None:
        """Return what a test comes to with this recipe, None if that is not decided."""
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if name_in(test) == "person" and self.opponents == {YOU}:
            return True
        match test:
            case ast.Compare(left, [ast.Eq()], [ast.Constant(one)]) if name_in(left) == "opponent":
                met = one in self.opponents
                return met if not met or len(self.opponents) == 1 else None
        try:
            value = eval(ast.unparse(test), self.known)
        except (NameError, AttributeError):  # modules of several learners read what is not there
            return None
        return value if isinstance(value, bool) else None


def name_in(node: ast.AST) -> str | None:
    """Return the name of a variable or an attribute, None if this is neither."""
    match node:
        case ast.Name(id=named) | ast.Attribute(attr=named):
            return named
    return None
