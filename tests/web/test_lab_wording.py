"""The sentences of the lab: the difference between two trainings, and the verdict.

tests/golden/lab.txt has a sentence for every value of every parameter, for every pair of kinds of
parameters and for every two algorithms.  After an intended change or with a new parameter, update
it with `UPDATE_GOLDEN=1 python -m pytest tests/web/test_lab_wording.py` and read the difference.

"""

import os
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.recipes import ALGORITHMS, Parameter, Recipe, RecipeError, list_parameters, parse_recipe
from app.recipes.faults import FAULTY_RECIPES, find_correct_recipe
from app.recipes.parameters import ParameterValue
from app.web.formatting import join_words
from app.web.pages.lab import wording
from app.web.pages.lab.question import build_question_phrases
from app.web.pages.lab.verdict import LabMeasure, PairedSignTest, build_verdict
from app.web.site_data import SiteData

GOLDEN = Path(__file__).parents[1] / "golden" / "lab.txt"
SAMPLES: dict[type, list[ParameterValue]] = {
    int: [1, 2, -1, 0, 1000],
    float: [0.0, 0.5, 1.0],
    str: ["random", "self", "both", "random:50+self:200", "t-hand"],
}
TWO_THINGS = "q-table,vs=self,alpha=0.8"


def change(recipe: Recipe, parameter: Parameter) -> Iterator[Recipe]:
    """Return the recipe with other values of one parameter."""
    values: list[ParameterValue] = [*parameter.choices] or SAMPLES[parameter.value_type]
    if parameter.value_type is bool:
        values = [True, False]
    for value in values:
        try:
            changed = replace(recipe, **{parameter.field_name: value})
        except RecipeError:
            continue  # a value that the other parameters do not allow
        if value != parameter.value:
            yield changed


def sentences(site: SiteData, a: Recipe, b: Recipe) -> list[str]:
    """Return the question, and the headline for each side as the better one."""
    asked = "".join(text for text, _ in build_question_phrases(site, a, b, "blunders"))
    return [asked, *headlines(site, a, b)]


def headlines(site: SiteData, a: Recipe, b: Recipe) -> list[str]:
    """Return the headline for each side as the better one, with the warning if there is one."""
    warning = wording.warn_of_causes(wording.name_causes(a, b))
    return [
        f"{warning} Fewer blunders {sentence_end}. ({label})".lstrip()
        for label, sentence_end in wording.name_variants(site, a, b)
    ]


def list_sentences(site: SiteData) -> Iterator[str]:
    """Return the sentences for every value of every parameter, then for every pair of kinds."""
    told: set[str] = set()
    for algorithm in ALGORITHMS.values():
        recipe = algorithm()
        for parameter in list_parameters(recipe):
            for changed in change(recipe, parameter):
                new = [line for line in sentences(site, recipe, changed) if line not in told]
                told.update(new)
                yield from (f"{parameter.name}: {line}" for line in new)
    yield ""
    changes = ("vs=self", "seat=x", "alpha=0.8", "games=200", "draw=1", "ties=random")
    for size in (2, len(changes)):
        for some in combinations(changes, size):
            changed = parse_recipe(",".join(["q-table", *some]))
            yield from sentences(site, parse_recipe("q-table"), changed)
    yield ""
    for fault, faulty in FAULTY_RECIPES.items():
        yield from sentences(site, find_correct_recipe(fault), faulty)
    yield from sentences(site, faulty, find_correct_recipe(fault))
    yield ""
    for one, other in combinations(ALGORITHMS, 2):
        a, b = parse_recipe(one), parse_recipe(other)
        causes = wording.name_causes(a, b)
        asked, _, headline = sentences(site, a, b)
        yield f"{asked} {headline} They differ in {join_words(causes)}."
    yield from sentences(
        site, parse_recipe("double-q,seat=x"), parse_recipe("q-table,vs=self,alpha=0.8")
    )


def test_every_sentence_is_in_the_list_that_people_have_read(site: SiteData) -> None:
    lines = [*list_sentences(site)]
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert lines == GOLDEN.read_text("utf-8").splitlines()
    for line in lines:
        assert not re.search(r"  |\bwith learns|\bwith as\b|with against|\{|with [AB]\b", line)
        assert not re.search(r"\bNone\b|: : |Does [^?]*together|\?.*\?|\b(\w+) \1\b", line)


@pytest.mark.parametrize(
    ("a", "b", "causes"),
    [
        ("q-table", "q-table,alpha=0.8", ["the step size α"]),
        ("q-table", TWO_THINGS, ["the opponent", "the step size α"]),
        ("q-table", "q-table,alpha=0.8,seed=3", ["the step size α"]),  # the seeds are paired
        ("q-table", "double-q", ["the algorithm"]),
        ("q-table", "double-q,games=60", ["the algorithm", "the number of games"]),
        ("q-table", "q-table,epsilon=0,epsilon_drop=0", ["the exploration rate"]),
        (
            "q-table",
            "q-table,epsilon=1,epsilon_drop=0",
            ["the exploration rate", "the decay of ε"],
        ),
        ("q-learning,games=6", "q-learning,vs=random:1+self:5", ["the opponent"]),
        ("q-learning,vs=random:1+self:5", "q-learning,vs=random:2+self:4", ["the opponent"]),
        (
            "q-learning,vs=random:1+self:5",
            "q-learning,vs=random:2+self:10",
            ["the number of games"],
        ),
        (
            "q-learning,vs=random:33+self:67",
            "q-learning,vs=random:3+self:7",
            ["the number of games"],
        ),
        ("menace,games=60", "q-table,games=60", ["the algorithm"]),  # beads are no rewards
        (
            "dqn,games=10",
            "q-table,games=20",
            [
                "the algorithm",
                "the discount factor",
                "the exploration rate",
                "the reward for a draw",
                "the reward for a loss",
            ],
        ),
    ],
)
def test_what_may_be_the_cause_is_named(a: str, b: str, causes: list[str]) -> None:
    assert sorted(wording.name_causes(parse_recipe(a), parse_recipe(b))) == sorted(causes)
    assert sorted(wording.name_causes(parse_recipe(b), parse_recipe(a))) == sorted(causes)


MEASURES = [
    LabMeasure("Blunders", "", "", "Fewer blunders", "more", False, lambda _: []),
    LabMeasure("Distance", "", "", "Nearer to the exact values", "farther", False, lambda _: []),
]
PHRASES = {"A": "with α 0.4", "B": "with α 0.8"}


@pytest.mark.parametrize(
    ("contest", "measure", "verdict"),
    [
        (
            (1, 4, 5),
            0,
            "So far, B had fewer blunders with 4 seeds, more with 1. "
            "The verdict comes when all 20 seeds are trained.",
        ),
        (
            (5, 0, 5),
            0,
            "So far, A had fewer blunders with all 5 seeds. "
            "The verdict comes when all 20 seeds are trained.",
        ),
        (
            (0, 0, 5),
            0,
            "So far, A and B are equal in all 5 seeds. "
            "The verdict comes when all 20 seeds are trained.",
        ),
        (
            (2, 2, 5),
            0,
            "So far, B had fewer blunders with 2 seeds, more with 2, as many with 1. "
            "The verdict comes when all 20 seeds are trained.",
        ),
        (
            (15, 3, 20),
            1,
            "No: nearer to the exact values with α 0.4 (median 1 instead of 2). A was nearer to the "
            "exact values with 15 seeds, farther with 3, equally near with 2. "
            "Exact sign test: p\u00a0=\u00a00.01.",
        ),
    ],
)
def test_verdicts_are_sentences(contest: tuple[int, int, int], measure: int, verdict: str) -> None:
    said = build_verdict(
        PairedSignTest(*contest, p_value=0.01),
        MEASURES[measure],
        PHRASES,
        [1, 2],
        yes_variant="B",
    )
    assert said.text == verdict


@pytest.mark.parametrize(
    ("medians", "answer", "size"),
    [
        ((1160.5, 1147), "Yes, but little", "median 1,147 instead of 1,160.5, 1% fewer"),
        ((100, 95), "Yes", "median 95 instead of 100, 5% fewer"),
        ((100, 96), "Yes, but little", "median 96 instead of 100, 4% fewer"),
        ((1000, 999), "Yes, but little", "median 999 instead of 1,000, less than 1% fewer"),
        # The seeds decide, so the medians may be equal.
        ((7, 7), "Yes, but little", "both medians are 7"),
    ],
)
def test_the_headline_says_how_much(medians: tuple[float, float], answer: str, size: str) -> None:
    contest = PairedSignTest(2, 16, 20, p_value=0.01)
    verdict = build_verdict(contest, MEASURES[0], PHRASES, medians, yes_variant="B")
    assert verdict.headline == f"{answer}: fewer blunders with α 0.8 ({size})."
