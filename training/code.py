"""A training as one file of plain Python: what `training.plain` does with a recipe, by itself.

The file is made of the very definitions of `training.plain` that the recipe needs.  The game and
the recipe, which they are given here, are the file's own: `training.plain.alone` is its game, and
the recipe's parameters are its constants.  What the recipe decides is decided in it: a test of its
algorithm, its opponents or its switches leaves one way only.
"""

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from inspect import getsource
from pathlib import Path
from textwrap import fill
from typing import Any

from app.recipes import Recipe, RecipeError, name
from app.recipes.parameters import parameters
from training.learners import module_of
from training.plain import LEARNERS
from training.plain.randomness import Random

GIVEN = {"game", "recipe", "_recipe"}  # what the definitions are given and the file has
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
}
WIDE = 96  # letters of a line that is made here
IMPORTED = {
    "collections": ("Counter", "defaultdict"),
    "fractions": ("Fraction",),
    "functools": ("cache",),
}
MARK = "import imports"  # where they come
HEAD = '''"""{title}: the training {name} in plain Python, one file.

    python training.py > table.csv

writes the value of every move for the player to move, bit for bit the table of the site, to the
standard output and its progress to the error stream.  A board is its nine cells in reading order,
as X, O or a dot.  Made by Q-Tac-Toe from its own learner in plain Python.
{source}
"""

import struct
import sys
{imports}


class recipe:
    """The parameters."""

{parameters}


# Of the random numbers, from seed {seed}.
STATE = {state}


def main():
    """Train, and write the table."""
    rng, learner, updates, said = Random(), Learner(), 0, 0
    for turn in turns():
        for _ in learner.play(turn, rng):
            updates += 1
        if updates >= said + 100_000:
            said = updates
            print(f"{{turn.played + 1}} turns, {{updates}} updates", file=sys.stderr)
    print(f"{{updates}} updates in all", file=sys.stderr)
    print("position,cell,q")
    for board in unfinished_boards():
        for cell in legal_cells(board):
            (q,) = struct.unpack("f", struct.pack("f", {value}))  # 32 bits, as the site keeps it
            print(f"{{board}},{{cell}},{{q:.9g}}")

'''
OWN = '''
class Random:
    """Random numbers by xoshiro256+ (Blackman & Vigna, 2021)."""

    def __init__(self):
        self.state = STATE

class Turn:
    """A game, or a sweep, of the training."""

    def __init__(self, opponent, number, length, played):
        self.opponent, self.number, self.length, self.played = opponent, number, length, played

def turns():
    """List the turns of the training, against one opponent after the other."""
    played = 0
    for opponent, length in recipe.phases:
        for number in range(length):
            yield Turn(opponent, number, length, played)
            played += 1

def same_moves(board, cell):
    """Count the cells that are the same move by symmetry, which share its beads."""
    pairs = [standing_pair(board, other) for other in legal_cells(board)]
    return pairs.count(standing_pair(board, cell))
'''


def code_of(recipe: Recipe) -> str:
    """Return a training as a file.

    Raises RecipeError if it is not one of a table by itself.
    """
    if not recipe.leaves_as_code():
        raise RecipeError(f"the training of {name(recipe)} cannot be written as one file")
    value = next(VALUES[slug] for slug in type(recipe).lineage() if slug in VALUES)
    if recipe.plays != "proportional":
        value = value.removesuffix(" / same_moves(board, cell)")
    head = HEAD.format(
        title=type(recipe).__name__,
        name=name(recipe),
        source=source_of(recipe),
        imports=MARK,
        parameters="\n".join(constants(recipe)),
        state=Random(recipe.seed).state,
        seed=recipe.seed,
        value=value,
    )
    known = definitions(recipe)
    wanted, read = names(ast.parse(head)), set[str]()
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
    parts = [written(statement) for one, statement in known.items() if one in read]
    head = head.replace(MARK, "\n".join(imports)).rstrip()
    return "\n\n\n".join([head, *parts, 'if __name__ == "__main__":\n    main()\n'])


def source_of(recipe: Recipe) -> str:
    """Return what the compiled learner says of the algorithm and its source, unimported."""
    spec = find_spec(module_of(type(recipe)))
    assert spec
    assert spec.origin
    return ast.get_docstring(ast.parse(Path(spec.origin).read_text())) or ""


def constants(recipe: Recipe) -> Iterator[str]:
    """Write the parameters that the training reads, each below its meaning."""
    told = [
        (parameter.name, parameter.value, parameter.meaning)
        for parameter in parameters(recipe)
        if parameter.name not in ("vs", "seed", "taught")
    ]
    for named, value, meaning in [*told, ("phases", recipe.phases, "Opponents, and the turns.")]:
        yield fill(meaning, WIDE, initial_indent="    # ", subsequent_indent="    # ")
        yield f"    {named} = {value!r}"


def definitions(recipe: Recipe) -> dict[str, ast.stmt]:
    """Return what a training may need, by name, as the file has it, in the order of the file."""
    learner = sys.modules[LEARNERS[recipe.slug].__module__]
    own = ast.parse(OWN).body
    modules = [import_module(f"training.plain.{one}") for one in ("randomness", "alone", "boards")]
    modules += [import_module("training.plain.q_learning"), learner]
    found: dict[str, ast.stmt] = {}
    for module in modules:
        # What is defined earlier stands for what is defined later, but for the learner's own.
        for statement in Alone(recipe, vars(module)).visit(ast.parse(getsource(module))).body:
            named = name_of(statement)
            if named and (named not in found or module is learner):
                found[named] = statement
    made = {str(name_of(statement)): statement for statement in own}
    for one, method in (("Random", "random"), ("Turn", "seat")):
        methods = [part for part in vars(found[one])["body"] if name_of(part) == method]
        vars(made[one])["body"].extend(methods)
    return found | made


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
    """Write a definition, the methods of a class apart."""
    text = ast.unparse(ast.fix_missing_locations(statement))
    return text.replace("\n\n    def ", "\n    def ").replace("\n    def ", "\n\n    def ")


class Alone(ast.NodeTransformer):
    """Takes out of a module what a file of one recipe does not need."""

    def __init__(self, recipe: Recipe, module: dict[str, Any]) -> None:
        """`module` says what its names stand for: classes of recipes, names of opponents."""
        self.recipe, self.module = recipe, module
        self.opponents = {opponent for opponent, _ in recipe.phases}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave out annotations, and what the file has itself."""
        self.generic_visit(node)
        node.args.args = [one for one in node.args.args if one.arg not in GIVEN]
        node.returns = None
        ends = [number for number, one in enumerate(node.body, 1) if isinstance(one, ast.Return)]
        node.body = node.body[: ends[0]] if ends else node.body
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Leave out the annotation."""
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Leave out the annotation, and fields without a value."""
        if node.value is None:
            return None
        return self.visit(ast.Assign([node.target], node.value, lineno=node.lineno))  # type: ignore[no-any-return]

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """Leave out what would name game and recipe anew."""
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            kept = [
                pair for pair in zip(target.elts, value.elts, strict=True) if not is_given(pair[0])
            ]
            if not kept:
                return None
            target.elts, value.elts = map(list, zip(*kept, strict=True))
            if len(kept) == 1:
                node.targets, node.value = [target.elts[0]], value.elts[0]
        elif is_given(target):
            return None
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Leave out what only stories hear."""
        match node.value:
            case ast.Call(func=ast.Attribute(attr=attribute)) if attribute in HEARD:
                return None
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Pass on neither game nor recipe; know of what class the recipe is."""
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "isinstance"
            and is_given(node.args[0])
        ):
            return ast.Constant(
                isinstance(self.recipe, eval(ast.unparse(node.args[1]), self.module))
            )
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and is_given(node.args[0]):
            attribute, default = map(ast.literal_eval, node.args[1:])
            return ast.Constant(getattr(self.recipe, attribute, default))
        if isinstance(node.func, ast.Subscript):  # list[Pair]()
            node.func = node.func.value
        node.args = [one for one in node.args if not is_given(one)]
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Read the recipe and the size of the game where the file has them."""
        if is_given(node):
            return ast.Name(node.attr, ast.Load())
        if node.attr == "cells" and is_given(node.value):
            return ast.Name("CELLS", ast.Load())
        if node.attr == "person":
            return ast.Constant(None)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Write the names of opponents out."""
        known = self.module.get(node.id) if node.id in ("SELF", "BOTH", "YOU") else None
        return ast.Constant(known) if known else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Decide what recipe and opponents decide."""
        self.generic_visit(node)
        left, right = node.left, node.comparators[0]
        if not isinstance(node.ops[0], ast.Eq) or not isinstance(right, ast.Constant):
            return node
        if isinstance(left, ast.Attribute) and is_given(left.value):
            # A module that others use too may read what this recipe does not have.
            return ast.Constant(getattr(self.recipe, left.attr, None) == right.value)
        if ast.unparse(left).endswith("opponent"):
            met = right.value in self.opponents
            if not met or len(self.opponents) == 1:
                return ast.Constant(met)
        return node

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

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Decide what is not so."""
        self.generic_visit(node)
        decided = self.decided(node.operand)
        return (
            node
            if decided is None or not isinstance(node.op, ast.Not)
            else ast.Constant(not decided)
        )

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
        if isinstance(test, ast.Attribute) and is_given(test.value):
            value = getattr(self.recipe, test.attr, None)
            return value if isinstance(value, bool) else None
        return None


def is_given(node: ast.AST) -> bool:
    """Whether this is the game or the recipe, or an attribute that is one of them."""
    return (isinstance(node, ast.Name) and node.id in GIVEN) or (
        isinstance(node, ast.Attribute) and node.attr in GIVEN
    )
