"""A claim as data: its TOML file, read and checked.

`claims/<id>.toml` has the author's statement, the recipes to train and what is measured, the
parts of the claim with a rule and two sentences each, the table of numbers, and the figures.
What no field can say is a function of `claims/<id>.py` (with _ for -), which the file names.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from app.experiments import Figure, Table, Verdict
from app.recipes import SHIPPED, parse_recipe
from app.recipes.names import suggest_word
from app.sources import SOURCES
from app.tictactoe.policy import BASELINES
from training.experiments import (
    FOLDER,
    SHARED,
    ClaimError,
    list_claims,
    read_table,
)
from training.experiments.fields import Context, Labels, TomlTable, list_names
from training.experiments.figures import AnyDrawing, Drawing
from training.experiments.network import EPOCHS_MEASURE, FIRST_EPOCHS_MEASURE
from training.experiments.numbers import Numbers
from training.experiments.players import measure_player
from training.experiments.results import Results
from training.experiments.rules import Part, Rule, VerdictRules
from training.experiments.statistics import Statistic
from training.measures import (
    CHECKPOINTS_MEASURE,
    END_MEASURE,
    EXACT_PROOF_MEASURE,
    PROOF_MEASURE,
    Measure,
)

MEASURES: Mapping[str, Measure[Any]] = {
    "end": END_MEASURE,
    "checkpoints": CHECKPOINTS_MEASURE,
    "proof": PROOF_MEASURE,
    "exact proof": EXACT_PROOF_MEASURE,
    "epochs": EPOCHS_MEASURE,
}


@dataclass(frozen=True)
class Sweep:
    """Recipes by their labels in the figures, with the measure applied to each seed."""

    recipe_by_label: Mapping[str, str]  # label -> a name of the recipe, without a seed
    measure: Measure[Any]
    default_seeds: int = 1_000  # number of seeds if the user does not limit it
    # whether a test repeats one run of the first recipe
    is_repeated_in_test: bool = True
    # whether the recipe and the seed determine a run completely, so that the lab can repeat it
    is_reproducible: bool = True
    is_shown: bool = True  # whether figures, rules and numbers have its runs


class SweepTable(TomlTable, frozen=True):
    """Recipes that are trained with equally many seeds and measured in the same way."""

    measure: str
    recipes: dict[
        str, str
    ]  # label -> recipe; "{draw}" in both is each draw that varies
    seeds: int = 1_000
    is_reproducible: bool = True


class Pick(TomlTable, frozen=True):
    """The recipe with the highest or lowest statistic among several."""

    among: Labels
    highest: Statistic | None = None
    lowest: Statistic | None = None

    def find(self, results: Results) -> str:
        """Return the label of the recipe."""
        if self.lowest:
            lowest = self.lowest
            return min(self.among, key=lambda label: lowest.compute(results, label))
        highest = self.highest
        assert highest
        return max(self.among, key=lambda label: highest.compute(results, label))


class ClaimTable(TomlTable, frozen=True):
    """The file of a claim; `app.experiments.ClaimSummary` explains the texts."""

    title: str
    claim: str
    sources: list[str]  # slugs of app.sources; the first makes the claim
    where: str
    done: str
    limits: str
    agents: list[str]
    parts: list[Part]
    vary: Mapping[str, list[str] | dict[str, str]] = {}
    sweeps: Sequence[SweepTable] = ()
    players: Mapping[str, str] = {}  # label -> a player that does not learn
    picked: Mapping[str, Pick] = {}
    verdict: VerdictRules = VerdictRules()
    numbers: Numbers = Numbers()
    figures: Sequence[AnyDrawing] = ()


@dataclass(frozen=True)
class Conclusion:
    """The figures, the verdict and the numbers that follow from the results of an experiment."""

    figures: Sequence[Figure]
    parts_reproduced: Sequence[bool]  # whether each part of the claim holds
    number_table: Table  # the numbers behind the verdict
    verdict: Verdict


@dataclass(frozen=True)
class Experiment:
    """A claim and the sweeps that check it."""

    id: str
    table: ClaimTable
    sweeps: Sequence[Sweep] = ()

    def conclude(self, results: Results) -> Conclusion:
        """Return what follows from the results of all recipes."""
        table = self.table
        runs = {label: [measure_player(name)] for label, name in table.players.items()}
        results = Results(results.recipe_by_label, {**results.runs_by_label, **runs})
        picked = {
            label: results[pick.find(results)] for label, pick in table.picked.items()
        }
        results = Results(results.recipe_by_label, {**results.runs_by_label, **picked})
        figures = [figure.draw(results) for figure in table.figures]
        return Conclusion(
            [figure for figure in figures if figure],
            [part.holds(results) for part in table.parts],
            table.numbers.write(results),
            table.verdict.judge(results, table.parts),
        )

    def fill_in_texts(
        self, parts_reproduced: Sequence[bool], seed_count: int
    ) -> dict[str, Any]:
        """Return the texts of a summary by field, for parts that hold or not and a number of seeds."""
        table = self.table
        answer = " ".join(
            part.sentence_if_true if so else part.sentence_if_false
            for part, so in zip(table.parts, parts_reproduced, strict=True)
        )
        texts = {
            "title": table.title,
            "claim": table.claim,
            "source_location": table.where,
            "method": table.done,
            "limits": table.limits,
            "answer": answer,
        }
        shared = read_shared_sentences() | {"seeds": f"{seed_count:,}"}
        filled = {
            field: " ".join(text.format(**shared).split())
            for field, text in texts.items()
        }
        return {**filled, "sources": table.sources, "agents": table.agents}


@cache
def read_shared_sentences() -> dict[str, str]:
    """Return the sentences that several claims share, by name."""
    return read_table(FOLDER / f"{SHARED}.toml")


# an item of a list in a line of its own
ITEM = ' +[{["]'


@cache
def load_claims() -> dict[str, Experiment]:
    """Return the experiments of all claims by id; raises ClaimError if a file is wrong."""
    return {
        claim_id: load_claim(FOLDER / f"{claim_id}.toml") for claim_id in list_claims()
    }


def load_claim(path: Path) -> Experiment:
    """Return the experiment of a claim's file; raises ClaimError if the file is wrong."""
    text = path.read_text("utf-8")
    raw = read_table(path)
    functions = _import_functions(path)
    _write_out(raw)
    try:
        vary = msgspec.convert(raw, _Recipes).vary
        sweeps = [*_build_sweeps(msgspec.convert(raw, _Recipes), functions)]
        labels = [
            *(label for sweep in sweeps for label in sweep.recipe_by_label),
            *raw.get("players", ()),
            *raw.get("picked", ()),
        ]
        context = Context(
            labels,
            {name: [*values] for name, values in vary.items()},
            {name: one for name, one in functions.items() if _is_own(one, functions)},
            functions.get("QUANTITIES", {}),
        )
        table = msgspec.convert(raw, ClaimTable, dec_hook=context.read_field)
        _check_names(table)
    except ValueError as error:
        reason, _, place = str(error).partition(" - at `")
        line = find_line(text, place.rstrip("`"), reason)
        hint = suggest_right(reason, place)
        raise ClaimError(f"{path}, line {line}: {reason}{hint}") from error
    return Experiment(path.stem, table, sweeps)


def _write_out(raw: dict[str, Any]) -> None:
    """Replace short forms in a claim's file: "curves over games: blunders", "median blunders"."""
    figures = raw.get("figures", [])
    for place, text in enumerate(figures):
        if isinstance(text, str):
            words, _, quantity = text.partition(": ")
            kind, _, over = words.partition(" over ")
            figures[place] = {"kind": kind, "of": quantity} | (
                {"over": over} if over else {}
            )
    for field in ("rows", "columns"):
        cells = raw.get("numbers", {}).get(field, {})
        for title, text in cells.items():
            if isinstance(text, str):
                cells[title] = {"value": text}


class _Recipes(msgspec.Struct, frozen=True):
    """The fields of a claim's file that define labels of recipes, which other fields name."""

    vary: Mapping[str, list[str] | dict[str, str]] = {}
    sweeps: Sequence[SweepTable] = ()


def _import_functions(path: Path) -> dict[str, Any]:
    """Return what the Python file beside the file of a claim defines."""
    name = path.stem.replace("-", "_")
    if not path.with_name(f"{name}.py").exists():
        return {}
    return vars(import_module(f"{__package__}.{FOLDER.name}.{name}"))


def _is_own(value: Any, functions: Mapping[str, Any]) -> bool:
    """Return whether a value is a function that the Python file of a claim defines."""
    function = getattr(value, "func", value)  # of a partial
    is_function = callable(function) and not isinstance(function, type)
    return is_function and function.__module__ == functions["__name__"]


def _build_sweeps(recipes: _Recipes, functions: Mapping[str, Any]) -> Iterator[Sweep]:
    """Yield the sweeps of a claim; raises ValueError, with a place, if one is wrong."""
    measures = MEASURES | functions.get("MEASURES", {})
    for number, table in enumerate(recipes.sweeps):
        place = f" - at `$.sweeps[{number}]"
        if table.measure not in measures:
            raise ValueError(
                f"there is no measure {table.measure!r}{suggest_word(table.measure, measures)}, "
                f"only {', '.join(measures)}{place}.measure`"
            )
        try:
            by_label = _expand_recipes(table.recipes, recipes.vary)
        except (KeyError, ValueError) as error:
            raise ValueError(f"{error}{place}.recipes`") from error
        measure = measures[table.measure]
        is_network = measure is EPOCHS_MEASURE
        yield Sweep(
            by_label, measure, table.seeds, not is_network, table.is_reproducible
        )
        if is_network:  # a test can repeat only the first epochs
            first = {"the first epochs": next(iter(by_label.values()))}
            yield Sweep(first, FIRST_EPOCHS_MEASURE, 1, is_shown=False)


def _expand_recipes(
    templates: Mapping[str, str], vary: Mapping[str, list[str] | dict[str, str]]
) -> dict[str, str]:
    """Return the recipes by label, for all values of what varies; raises ValueError if one is wrong."""
    recipes = {}
    for label, recipe in templates.items():
        names = list_names(label)
        for row in product(*(vary[name] for name in names)):
            words = dict(zip(names, row, strict=True))
            values = {
                name: values[word] if isinstance(values := vary[name], dict) else word
                for name, word in words.items()
            }
            recipes[label.format(**words)] = recipe.format(**values)
    for recipe in recipes.values():
        try:
            parse_recipe(recipe)
        except ValueError as error:
            raise ValueError(f"the recipe {recipe!r} is wrong: {error}") from error
    return recipes


def _check_names(table: ClaimTable) -> None:
    """Raise ValueError, with a place, if a text of a claim is empty or names something unknown."""
    shared = read_shared_sentences() | {"seeds": ""}
    for field in ("title", "claim", "where", "done", "limits"):
        text = getattr(table, field)
        unknown = [name for name in list_names(text) if name not in shared]
        if not text.strip():
            raise ValueError(f"{field} is empty: write a sentence - at `$.{field}`")
        if unknown:
            raise ValueError(
                f"there is no sentence {unknown[0]!r}, only {', '.join(shared)} - at `$.{field}`"
            )
    verdict = table.verdict
    for test in (*verdict.reproduced, *(verdict.partly or ()), *verdict.decided):
        if isinstance(test, int) and not 1 <= test <= len(table.parts):
            raise ValueError(
                f"there is no part {test}, only 1 to {len(table.parts)} - at `$.verdict`"
            )
    known: list[tuple[str, Sequence[str], Any]] = [
        ("sources", table.sources, SOURCES),
        ("agents", table.agents, SHIPPED),
        ("players", [*table.players.values()], BASELINES),
    ]
    for field, names, right in known:
        for name in names:
            if name not in right:
                raise ValueError(
                    f"there is nothing called {name!r} in {field}{suggest_word(name, right)}, "
                    f"only {', '.join(right)} - at `$.{field}`"
                )


def suggest_right(reason: str, place: str) -> str:
    """Return what would be right in place of an unknown field or kind, as the end of a sentence."""
    if found := re.search("unknown field `(.+)`", reason):
        return suggest_word(found[1], {*_list_fields(TomlTable)})
    if "kind" in place:
        kinds: type[TomlTable] = Drawing if place.startswith("$.figures") else Rule
        tags = [str(one.__struct_config__.tag) for one in kinds.__subclasses__()]
        return f", only {', '.join(tags)}"
    return ""


def _list_fields(table: type[TomlTable]) -> Iterator[str]:
    """Yield the names of the fields of all kinds of tables."""
    yield from table.__struct_encode_fields__
    for kind in table.__subclasses__():
        yield from _list_fields(kind)


def find_line(text: str, place: str, reason: str) -> int:
    """Return the number of the line of a place in a TOML file, such as `$.parts[0].rules[1].of`.

    If the reason quotes a text of the file, it is the line of this text.
    """
    lines = text.splitlines()
    at = 0
    for key, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", place):
        pattern = ITEM
        if key:
            pattern = rf'\[+([\w"-]+\.)*"?{key}"?[].]|(.*[{{,] *)?"?{key}"? *='
        elif lines[at].startswith("[["):
            pattern = re.escape(lines[at])
        if lines[at].startswith(" "):  # an item of a list is on one line
            break
        start = at + (pattern == ITEM)
        found = [n for n in range(start, len(lines)) if re.match(pattern, lines[n])]
        count = int(index or 0)
        at = found[count] if count < len(found) else at
    for quoted in re.findall("['`](.+?)['`]", reason)[:1]:
        at = next((n for n in range(at, len(lines)) if quoted in lines[n]), at)
    return at + 1
