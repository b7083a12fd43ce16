"""Read a claim from its TOML file, check it, and draw the conclusion from the results.

`claims/<id>.toml` has the author's statement, the recipes to train, and what is measured. Each part
of the claim has rules and two sentences: one if the part holds, one if it does not. The file also
describes the table of numbers and the figures. What no field can express is computed by a function
in `claims/<id>.py` (with _ for -); the TOML file has the function's name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import msgspec
import numpy as np

from app.experiments import Table
from app.recipes import parse_recipe
from app.recipes.names import suggest_word
from training.experiments import (
    FOLDER,
    SHARED,
    ClaimError,
    TomlTable,
    check_name,
    list_claims,
    read_toml,
)
from training.experiments.fields import (
    AgentId,
    ClaimContext,
    Labels,
    PlayerName,
    Sentences,
    SourceName,
    expand,
)
from training.experiments.figures import AnyClaimFigure, ClaimFigure
from training.experiments.network import EPOCHS_MEASURE, FIRST_EPOCHS_MEASURE
from training.experiments.numbers import NumberTable
from training.experiments.players import measure_player
from training.experiments.quantities import QUANTITIES, Definition, build_quantities
from training.experiments.results import Results, Statistic
from training.experiments.rules import ClaimPart, ClaimRule, VerdictRules
from training.measures import (
    CHECKPOINTS_MEASURE,
    END_MEASURE,
    EXACT_PROOF_MEASURE,
    PROOF_MEASURE,
    Measure,
)

MEASURES: Mapping[str, Measure] = {
    "end": END_MEASURE,
    "checkpoints": CHECKPOINTS_MEASURE,
    "proof": PROOF_MEASURE,
    "exact proof": EXACT_PROOF_MEASURE,
    "epochs": EPOCHS_MEASURE,
}
# the beginning of a line of TOML that has an item of a list
ITEM_PATTERN = ' +[{["]'


@dataclass(frozen=True)
class Sweep:
    """Recipes to train with many seeds, by their labels in figures, and what is measured of each run."""

    recipe_by_label: Mapping[str, str]  # the names of recipes, without a seed
    measure: Measure
    default_seeds: int = 1_000  # how many seeds, if the user sets no limit
    # whether a test repeats one run of the first recipe
    is_repeated_in_test: bool = True
    # whether the recipe and the seed determine a run completely, so that the lab can repeat it
    is_reproducible: bool = True
    # whether figures, rules and the table of numbers use its runs
    is_shown: bool = True


class SweepTable(TomlTable, frozen=True):
    """A table of a claim's file with recipes that are trained and measured in the same way."""

    measure: str
    # Keys are labels. "{draw}" in label and recipe stands for each value of `draw` in the table `vary`.
    recipes: dict[str, str]
    seeds: int = 1_000
    is_reproducible: bool = True


class RecipePick(TomlTable, frozen=True):
    """The one of several recipes that has the highest or the lowest statistic."""

    among: Labels
    highest: Statistic | None = None
    lowest: Statistic | None = None

    def find(self, results: Results) -> str:
        """Return the label of the one recipe that is picked."""
        statistic = self.highest or self.lowest
        assert statistic
        numbers = {label: statistic.compute(results, label) for label in self.among}
        choose = max if self.highest else min
        return choose(numbers, key=numbers.__getitem__)


class NameTables(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of a claim's file that define names, which the other tables then use."""

    vary: Mapping[str, list[str] | dict[str, str]] = {}
    sweeps: Sequence[SweepTable] = ()
    quantities: Mapping[str, Definition] = {}
    # the name of a function that returns one or several exact numbers by label
    facts: str | None = None


class ClaimTable(TomlTable, NameTables, frozen=True):
    """The content of a claim's file; `app.experiments.ClaimSummary` explains the texts."""

    title: Sentences
    claim: Sentences
    sources: list[SourceName]  # The first one makes the claim.
    where: Sentences
    done: Sentences
    limits: Sentences
    agents: list[AgentId]
    parts: list[ClaimPart]
    players: Mapping[str, PlayerName] = {}  # players that do not learn, by label
    picked: Mapping[str, RecipePick] = {}
    verdict: VerdictRules = VerdictRules()
    numbers: NumberTable = NumberTable()
    figures: Sequence[AnyClaimFigure] = ()

    def __post_init__(self) -> None:
        verdict = self.verdict
        for test in (*verdict.reproduced, *(verdict.partly or ()), *verdict.decided):
            if isinstance(test, int) and not 1 <= test <= len(self.parts):
                raise ValueError(
                    f"there is no part {test}, only 1 to {len(self.parts)} - at `$.verdict`"
                )


@dataclass(frozen=True)
class Claim:
    """A claim, with the sweeps of trainings that check it."""

    id: str
    table: ClaimTable
    sweeps: Sequence[Sweep] = ()
    facts: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def conclude(self, results: Results) -> dict[str, Any]:
        """Return those fields of the claim's summary that follow from the results of all recipes."""
        table = self.table
        players = {name: [measure_player(one)] for name, one in table.players.items()}
        results = results.with_runs(players).with_runs(self.facts)
        picked = {
            one: results[pick.find(results)] for one, pick in table.picked.items()
        }
        results = results.with_runs(picked)
        figures = [figure.draw(results) for figure in table.figures]
        return {
            "figures": [figure for figure in figures if figure],
            "parts_reproduced": [bool(part.holds(results)) for part in table.parts],
            "numbers": table.numbers.write(results),
            "verdict": table.verdict.judge(results, table.parts),
        }

    def fill_in_texts(
        self, parts_reproduced: Sequence[bool], seed_count: int, numbers: Table
    ) -> dict[str, Any]:
        """Return the texts of the claim's summary by field; `parts_reproduced` says which parts hold.

        The sentences of the parts show cells of the table `numbers`: "{1[as X]}" is the cell of its
        first row in the column "as X".
        """
        table = self.table
        texts = {
            "title": table.title,
            "claim": table.claim,
            "source_location": table.where,
            "method": table.done,
            "limits": table.limits,
            "answer": " ".join(
                part.sentence_if_true if so else part.sentence_if_false
                for part, so in zip(table.parts, parts_reproduced, strict=True)
            ),
        }
        shared = read_shared_sentences() | {"seeds": f"{seed_count:,}"}
        # `str.format` reads a column that consists of digits as a number.
        columns = [int(one) if one.isdigit() else one for one in numbers.columns]
        rows = [dict(zip(columns, row, strict=True)) for row in numbers.rows.values()]
        try:
            filled = {
                field: " ".join(text.split()).format(None, *rows, **shared)
                for field, text in texts.items()
            }
        except LookupError as error:
            words = f"a sentence has a number that is not in the table: {error}"
            raise ClaimError(f"{self.id}.toml: {words}") from error
        filled = {field: " ".join(text.split()) for field, text in filled.items()}
        sources, agents = map(str, table.sources), map(str, table.agents)
        return {**filled, "sources": [*sources], "agents": [*agents]}


@cache
def read_shared_sentences() -> dict[str, str]:
    """Return the sentences that several claims share, by name."""
    return read_toml(FOLDER / f"{SHARED}.toml")


@cache
def load_claims() -> dict[str, Claim]:
    """Return all claims by id; raises ClaimError if a file is wrong."""
    return {
        claim_id: load_claim(FOLDER / f"{claim_id}.toml") for claim_id in list_claims()
    }


def load_claim(path: Path) -> Claim:
    """Return the claim that a file describes; raises ClaimError if the file is wrong."""
    raw = read_toml(path)
    module = _import_module(path)
    functions = {
        name: one
        for name, one in module.items()
        if isinstance(one, FunctionType) and one.__module__ == module["__name__"]
    }
    _write_out(raw)
    try:
        named = msgspec.convert(raw, NameTables)
        sweeps = [*_build_sweeps(named, MEASURES | module.get("MEASURES", {}))]
        facts = _compute_facts(named.facts, functions)
        labels = [label for sweep in sweeps for label in sweep.recipe_by_label]
        context = ClaimContext(
            [*labels, *raw.get("players", ()), *raw.get("picked", ()), *facts],
            {name: [*values] for name, values in named.vary.items()},
            functions,
            build_quantities(named.quantities, QUANTITIES, functions),
            read_shared_sentences() | {"seeds": ""},
        )
        table = msgspec.convert(raw, ClaimTable, dec_hook=context.read_field)
    except ValueError as error:
        reason, _, place = str(error).partition(" - at `")
        line = find_line(path.read_text("utf-8"), place.rstrip("`"), reason)
        hint = suggest_right(reason, place)
        raise ClaimError(f"{path}, line {line}: {reason}{hint}") from error
    return Claim(path.stem, table, sweeps, facts)


def _compute_facts(
    name: str | None, functions: Mapping[str, Any]
) -> dict[str, list[SimpleNamespace]]:
    """Return the exact numbers that a claim's function computes, each in the form of a run, by label."""
    if name is None:
        return {}
    check_name("function", name, functions)
    return {
        label: [SimpleNamespace(number=one) for one in np.atleast_1d(numbers).tolist()]
        for label, numbers in functions[name]().items()
    }


def _import_module(path: Path) -> Mapping[str, Any]:
    """Return everything that the Python file of a claim defines, by name; {} without a file."""
    name = path.stem.replace("-", "_")
    if not path.with_name(f"{name}.py").exists():
        return {}
    return vars(import_module(f"{__package__}.{FOLDER.name}.{name}"))


def _write_out(raw: dict[str, Any]) -> None:
    """Replace short forms such as "curves over games: blunders" or "median blunders" by tables."""
    for place, text in enumerate(raw.get("figures", [])):
        if isinstance(text, str):
            words, _, quantity = text.partition(": ")
            kind, _, over = words.partition(" over ")
            figure = {"kind": kind, "of": quantity, "over": over}
            raw["figures"][place] = {key: one for key, one in figure.items() if one}
    for side in ("rows", "columns"):
        cells = raw.get("numbers", {}).get(side, {})
        for title, text in cells.items():
            if isinstance(text, str):
                cells[title] = {"value": text}


def _build_sweeps(
    named: NameTables, measures: Mapping[str, Measure]
) -> Iterator[Sweep]:
    """Yield the sweeps of a claim; raises ValueError, naming the place in the file, if one is wrong."""
    for number, table in enumerate(named.sweeps):
        try:
            check_name("measure", table.measure, measures)
            by_label = _expand_recipes(table.recipes, named.vary)
        except ValueError as error:
            raise ValueError(f"{error} - at `$.sweeps[{number}]`") from error
        measure = measures[table.measure]
        is_network = measure is EPOCHS_MEASURE
        yield Sweep(
            by_label, measure, table.seeds, not is_network, table.is_reproducible
        )
        # A whole training of a network takes too long for a test.
        if is_network:
            first = {"the first epochs": next(iter(by_label.values()))}
            yield Sweep(first, FIRST_EPOCHS_MEASURE, 1, is_shown=False)


def _expand_recipes(
    templates: Mapping[str, str], vary: Mapping[str, list[str] | dict[str, str]]
) -> dict[str, str]:
    """Return the recipes by label, with each value that `vary` lists for a name in braces.

    Raises ValueError if a recipe is wrong.
    """
    recipes = {}
    values_by_word = {
        name: values if isinstance(values, dict) else {word: word for word in values}
        for name, values in vary.items()
    }
    for template, recipe in templates.items():
        for label, words in expand(template, values_by_word):
            values = {name: values_by_word[name][word] for name, word in words.items()}
            recipes[label] = recipe.format(**values)
    for recipe in recipes.values():
        try:
            parse_recipe(recipe)
        except ValueError as error:
            raise ValueError(f"the recipe {recipe!r} is wrong: {error}") from error
    return recipes


def suggest_right(reason: str, place: str) -> str:
    """Return what would be right in place of an unknown field or kind, as the end of a sentence."""
    if found := re.search("unknown field `(.+)`", reason):
        return suggest_word(found[1], {*_list_fields(TomlTable)})
    if "kind" in place:
        kinds: type[TomlTable] = (
            ClaimFigure if place.startswith("$.figures") else ClaimRule
        )
        tags = [str(one.__struct_config__.tag) for one in kinds.__subclasses__()]
        return f", only {', '.join(tags)}"
    return ""


def _list_fields(table: type[TomlTable]) -> Iterator[str]:
    """Yield the names of the fields of a table's class and of all its subclasses."""
    yield from table.__struct_encode_fields__
    for kind in table.__subclasses__():
        yield from _list_fields(kind)


def find_line(text: str, place: str, reason: str) -> int:
    """Return the line number of a place in a TOML file, such as `$.parts[0].rules[1].of`.

    If `reason` quotes a text that is in the file, return the line of this text.
    """
    lines = text.splitlines()
    at = 0
    for key, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", place):
        pattern = ITEM_PATTERN
        if key:
            pattern = rf'\[+([\w"-]+\.)*"?{key}"?[].]|(.*[{{,] *)?"?{key}"? *='
        elif lines[at].startswith("[["):
            pattern = re.escape(lines[at])
        is_open = key or lines[at].startswith("[[") or lines[at].endswith("[")
        # The entry that remains to be found lies within this line.
        if lines[at].startswith(" ") or not is_open:
            break
        start = at + (pattern == ITEM_PATTERN)
        found = [n for n in range(start, len(lines)) if re.match(pattern, lines[n])]
        count = int(index or 0)
        at = found[count] if count < len(found) else at
    for quoted in re.findall("['`](.+?)['`]", reason)[:1]:
        at = next((n for n in range(at, len(lines)) if quoted in lines[n]), at)
    return at + 1
