"""Read a claim from its TOML file, check the file, and derive the verdict from the results.

A claim is a statement in a publication. `claims/<id>.toml` has the statement, the recipes to train,
and what is measured. Each part of a claim has rules, which hold or not, and a sentence for either
case. The file also describes the table of numbers and the charts (figures). What TOML cannot
express is computed by a function whose name is in the TOML file; it is in `claims/<id>.py`, with _
for each -.
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
    CLAIMS_FOLDER,
    SHARED_SENTENCES_FILE,
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
    fill_in_names,
)
from training.experiments.figures import AnyClaimFigure, ClaimFigure
from training.experiments.network import EPOCHS_MEASURE, FIRST_EPOCHS_MEASURE
from training.experiments.numbers import NumberTable
from training.experiments.players import measure_player
from training.experiments.quantities import (
    QUANTITIES,
    QuantityDefinition,
    build_quantities,
)
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
# If each item of a list has its own line in the TOML file, the line begins like this.
LIST_ITEM_PATTERN = ' +[{["]'


@dataclass(frozen=True)
class Sweep:
    """Recipes to train with many seeds, and the measure that evaluates each training (run)."""

    # Labels are the names in charts. Recipes have no seed.
    recipe_by_label: Mapping[str, str]
    measure: Measure
    # A user may ask for fewer seeds.
    default_seeds: int = 1_000
    is_repeated_in_test: bool = True
    # whether the page /lab can repeat a run exactly from its recipe and its seed
    is_reproducible: bool = True
    # whether charts, rules and the table of numbers use the runs
    is_shown: bool = True


class SweepTable(TomlTable, frozen=True):
    """A table in a claim's file that lists recipes to train and measure in the same way."""

    measure: str
    # recipes by label; both may have names in braces, as `_expand_recipes` explains
    recipes: dict[str, str]
    seeds: int = 1_000
    is_reproducible: bool = True


class RecipePick(TomlTable, frozen=True):
    """The rule that picks the recipe with the highest or the lowest statistic."""

    recipes: Labels
    highest: Statistic | None = None
    lowest: Statistic | None = None

    def find_label(self, results: Results) -> str:
        statistic = self.highest or self.lowest
        assert statistic
        numbers = {label: statistic.compute(results, label) for label in self.recipes}
        choose = max if self.highest else min
        return choose(numbers, key=numbers.__getitem__)


class NameTables(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a claim's file that is read first, because the rest refers to the names in it."""

    varied_values: Mapping[str, list[str] | dict[str, str]] = {}
    sweeps: Sequence[SweepTable] = ()
    quantities: Mapping[str, QuantityDefinition] = {}
    # the name of a function that returns exact numbers by label, which need no training
    exact_numbers_function: str | None = None


class ClaimTable(TomlTable, NameTables, frozen=True):
    """The content of a claim's file.

    `app.experiments.ClaimSummary` explains the texts.
    """

    title: Sentences
    # It can show cells of the table `numbers`, such as {1[as X]}, like the sentences of the parts.
    effect: str
    claim: Sentences
    # The first source makes the claim.
    sources: list[SourceName]
    source_location: Sentences
    method: Sentences
    limits: Sentences
    agents: list[AgentId]
    parts: list[ClaimPart]
    # players that do not learn, by label
    players: Mapping[str, PlayerName] = {}
    picked_recipes: Mapping[str, RecipePick] = {}
    verdict: VerdictRules = VerdictRules()
    numbers: NumberTable = NumberTable()
    figures: Sequence[AnyClaimFigure] = ()

    def __post_init__(self) -> None:
        verdict = self.verdict
        for test in (
            *verdict.reproduced_if,
            *(verdict.partly_reproduced_if or ()),
            *verdict.inconclusive_unless,
        ):
            if isinstance(test, int) and not 1 <= test <= len(self.parts):
                raise ValueError(
                    f"there is no part {test}, only 1 to {len(self.parts)} - at `$.verdict`"
                )


@dataclass(frozen=True)
class Claim:
    """A claim as its file describes it, and the trainings that check it."""

    id: str
    table: ClaimTable
    sweeps: Sequence[Sweep] = ()
    exact_numbers: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def conclude(self, results: Results) -> dict[str, Any]:
        """Return the verdict, the numbers and other fields of the summary that depend on results.

        `results` must have the runs of every recipe.
        """
        table = self.table
        players = {name: [measure_player(one)] for name, one in table.players.items()}
        results = results.with_runs(players).with_runs(self.exact_numbers)
        picked = {
            one: results[pick.find_label(results)]
            for one, pick in table.picked_recipes.items()
        }
        results = results.with_runs(picked)
        figures = [figure.build(results) for figure in table.figures]
        return {
            "figures": [figure for figure in figures if figure],
            "parts_reproduced": [bool(part.holds(results)) for part in table.parts],
            "numbers": table.numbers.format(results),
            "verdict": table.verdict.judge(results, table.parts),
        }

    def fill_in_texts(
        self, parts_reproduced: Sequence[bool], seed_count: int, numbers: Table
    ) -> dict[str, Any]:
        """Return the texts of the claim's summary by field, such as {"answer": "..."}.

        `parts_reproduced` has a flag for each part of the claim, which selects one of its two
        sentences. `seed_count` replaces "{seeds}". A sentence may show cells of the table
        `numbers`: "{1[as X]}" is the cell of its first row in the column "as X".
        """
        table = self.table
        fields = ("title", "effect", "claim", "source_location", "method", "limits")
        texts = {field: getattr(table, field) for field in fields}
        texts["answer"] = " ".join(
            part.sentence_if_true if so else part.sentence_if_false
            for part, so in zip(table.parts, parts_reproduced, strict=True)
        )
        shared = read_shared_sentences() | {"seeds": f"{seed_count:,}"}
        # `str.format` reads a column that consists of digits as a number.
        columns = [int(one) if one.isdigit() else one for one in numbers.columns]
        rows = [dict(zip(columns, row, strict=True)) for row in numbers.rows.values()]
        try:
            filled = {
                field: _join_lines(text).format(None, *rows, **shared)
                for field, text in texts.items()
            }
        except LookupError as error:
            words = f"a sentence has a number that is not in the table: {error}"
            raise ClaimError(f"{self.id}.toml: {words}") from error
        sources, agents = map(str, table.sources), map(str, table.agents)
        return {**filled, "sources": [*sources], "agents": [*agents]}


@cache
def read_shared_sentences() -> dict[str, str]:
    sentences = read_toml(CLAIMS_FOLDER / f"{SHARED_SENTENCES_FILE}.toml")
    return {name: _join_lines(text) for name, text in sentences.items()}


def _join_lines(text: str) -> str:
    return " ".join(text.split())


@cache
def load_claims() -> dict[str, Claim]:
    return {
        claim_id: load_claim(CLAIMS_FOLDER / f"{claim_id}.toml")
        for claim_id in list_claims()
    }


def load_claim(path: Path) -> Claim:
    raw = read_toml(path)
    module = _import_claim_module(path)
    functions = {
        name: one
        for name, one in module.items()
        if isinstance(one, FunctionType) and one.__module__ == module["__name__"]
    }
    _expand_short_forms(raw)
    try:
        name_tables = msgspec.convert(raw, NameTables)
        sweeps = [*_build_sweeps(name_tables, MEASURES | module.get("MEASURES", {}))]
        exact_numbers = _compute_exact_numbers(
            name_tables.exact_numbers_function, functions
        )
        labels = [label for sweep in sweeps for label in sweep.recipe_by_label]
        context = ClaimContext(
            [
                *labels,
                *raw.get("players", ()),
                *raw.get("picked_recipes", ()),
                *exact_numbers,
            ],
            {name: [*values] for name, values in name_tables.varied_values.items()},
            functions,
            build_quantities(name_tables.quantities, QUANTITIES, functions),
            read_shared_sentences() | {"seeds": ""},
        )
        table = msgspec.convert(raw, ClaimTable, dec_hook=context.read_field)
    except ValueError as error:
        reason, _, place = str(error).partition(" - at `")
        line = find_line(path.read_text("utf-8"), place.rstrip("`"), reason)
        hint = suggest_correction(reason, place)
        raise ClaimError(f"{path}, line {line}: {reason}{hint}") from error
    return Claim(path.stem, table, sweeps, exact_numbers)


def _compute_exact_numbers(
    name: str | None, functions: Mapping[str, Any]
) -> dict[str, list[SimpleNamespace]]:
    """Call a claim's function for exact numbers, and return its results by label.

    Each result gets the form of a run, so rules and tables can use it like a trained recipe.
    """
    if name is None:
        return {}
    check_name("function", name, functions)
    return {
        label: [SimpleNamespace(number=one) for one in np.atleast_1d(numbers).tolist()]
        for label, numbers in functions[name]().items()
    }


def _import_claim_module(path: Path) -> Mapping[str, Any]:
    name = path.stem.replace("-", "_")
    if not path.with_name(f"{name}.py").exists():
        return {}
    return vars(import_module(f"{__package__}.{CLAIMS_FOLDER.name}.{name}"))


def _expand_short_forms(claim_table: dict[str, Any]) -> None:
    """Replace short forms by the tables that they stand for.

    The figure "curves over games: blunders" becomes {kind = "curves", quantity = "blunders",
    x_unit = "games"}, and a cell "median blunders" becomes {statistic = "median blunders"}.
    """
    for place, text in enumerate(claim_table.get("figures", [])):
        if isinstance(text, str):
            words, _, quantity = text.partition(": ")
            kind, _, x_unit = words.partition(" over ")
            figure = {"kind": kind, "quantity": quantity, "x_unit": x_unit}
            claim_table["figures"][place] = {
                key: one for key, one in figure.items() if one
            }
    for side in ("rows", "columns"):
        cells = claim_table.get("numbers", {}).get(side, {})
        for title, text in cells.items():
            if isinstance(text, str):
                cells[title] = {"statistic": text}


def _build_sweeps(
    name_tables: NameTables, measures: Mapping[str, Measure]
) -> Iterator[Sweep]:
    for number, table in enumerate(name_tables.sweeps):
        try:
            check_name("measure", table.measure, measures)
            by_label = _expand_recipes(table.recipes, name_tables.varied_values)
        except ValueError as error:
            raise ValueError(f"{error} - at `$.sweeps[{number}]`") from error
        measure = measures[table.measure]
        is_network = measure is EPOCHS_MEASURE
        yield Sweep(
            by_label, measure, table.seeds, not is_network, table.is_reproducible
        )
        # A test cannot repeat the whole training of a network, so it repeats only the first epochs.
        if is_network:
            first = {"the first epochs": next(iter(by_label.values()))}
            yield Sweep(first, FIRST_EPOCHS_MEASURE, 1, is_shown=False)


def _expand_recipes(
    templates: Mapping[str, str],
    varied_values: Mapping[str, list[str] | dict[str, str]],
) -> dict[str, str]:
    """Return the recipes by label, with every value in place of a name in braces.

    With gamma = ["0.9", "1"] in `varied_values`, the label "gamma {gamma}" becomes "gamma 0.9" and
    "gamma 1". Raises ValueError if a recipe is invalid.
    """
    recipes = {}
    values_by_word = {
        name: values if isinstance(values, dict) else {word: word for word in values}
        for name, values in varied_values.items()
    }
    for template, recipe in templates.items():
        for label, words in fill_in_names(template, values_by_word):
            values = {name: values_by_word[name][word] for name, word in words.items()}
            recipes[label] = recipe.format(**values)
    for recipe in recipes.values():
        try:
            parse_recipe(recipe)
        except ValueError as error:
            raise ValueError(f"the recipe {recipe!r} is wrong: {error}") from error
    return recipes


def suggest_correction(reason: str, place: str) -> str:
    """Return the end of an error message that suggests valid names, "" if no name is similar.

    `reason` is the message of msgspec, and `place` is the place of the mistake in the file.
    """
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
    yield from table.__struct_encode_fields__
    for kind in table.__subclasses__():
        yield from _list_fields(kind)


def find_line(text: str, place: str, reason: str) -> int:
    """Return the number of the line in a TOML file to which an error message of msgspec refers.

    `reason` is the message, and `place` is the place in it, such as `$.parts[0].rules[1].quantity`.
    """
    lines = text.splitlines()
    at = 0
    for key, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", place):
        pattern = LIST_ITEM_PATTERN
        if key:
            pattern = rf'\[+([\w"-]+\.)*"?{key}"?[].]|(.*[{{,] *)?"?{key}"? *='
        elif lines[at].startswith("[["):
            pattern = re.escape(lines[at])
        is_open = key or lines[at].startswith("[[") or lines[at].endswith("[")
        # An item or an inline table fills one line, so the rest of the path is in the same line.
        if lines[at].startswith(" ") or not is_open:
            break
        start = at + (pattern == LIST_ITEM_PATTERN)
        found = [n for n in range(start, len(lines)) if re.match(pattern, lines[n])]
        count = int(index or 0)
        at = found[count] if count < len(found) else at
    # If the message quotes a text, the line is the next one with this text.
    for quoted in re.findall("['`](.+?)['`]", reason)[:1]:
        at = next((n for n in range(at, len(lines)) if quoted in lines[n]), at)
    return at + 1
