"""The rules of claims, each of which is true or false for the results of an experiment."""

from collections.abc import Sequence
from operator import ge, gt, le, lt
from types import FunctionType
from typing import Literal

from app.experiments import ClaimVerdict, compute_sign_test
from training.experiments import TomlTable
from training.experiments.fields import NO_LABELS, Bound, Labels
from training.experiments.quantities import Quantity
from training.experiments.results import (
    AVERAGES,
    MAX_SIGNIFICANT_P,
    Results,
    Statistic,
    list_higher_points,
    trace_curve,
)

BOUNDS = {"above": gt, "below": lt, "at_least": ge, "at_most": le}


class ClaimRule(TomlTable, frozen=True, tag_field="kind"):
    """The base class of the rules; `kind` in the claim's file is the `tag` of a class below."""

    def holds(self, results: Results) -> bool:
        raise NotImplementedError


class Threshold(ClaimRule, frozen=True, tag="compare"):
    """A rule: a statistic is above, below, at least or at most a number, or that of other recipes.

    Before the comparison the statistic is multiplied by `factor`, and `by` is added to the bound.
    """

    value: Statistic
    recipes: Labels = NO_LABELS  # the recipes to compare; by default all
    some: int | None = None  # for how many recipes it must hold, instead of all
    above: Bound | None = None
    below: Bound | None = None
    at_least: Bound | None = None
    at_most: Bound | None = None
    by: float = 0
    factor: float = 1

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not None for name in BOUNDS) != 1:
            raise ValueError(f"a comparison has a bound: one of {', '.join(BOUNDS)}")

    def holds(self, results: Results) -> bool:
        """Return whether the comparison holds for all recipes, or for `some` of them."""
        sign = next(sign for sign in BOUNDS if getattr(self, sign) is not None)
        bound: Bound = getattr(self, sign)
        numbers = [self.value.compute(results, label) for label in bound.labels]
        if bound.number is not None:
            numbers = [bound.number]
        labels = self.recipes or [*results.recipe_by_label]
        found = [
            all(BOUNDS[sign](own, number + self.by) for number in numbers)
            for label in labels
            for own in [self.factor * self.value.compute(results, label)]
        ]
        return sum(found) >= (len(found) if self.some is None else self.some)


class SignTest(ClaimRule, frozen=True, tag="sign test"):
    """A rule: a recipe has the higher average, and runs with equal seeds differ significantly."""

    of: Quantity
    higher: Labels
    lower: Labels
    average: Literal["median", "mean"] = "median"

    def holds(self, results: Results) -> bool:
        higher, lower = (
            results.list_values(recipe.single, self.of)
            for recipe in (self.higher, self.lower)
        )
        average = AVERAGES[self.average]
        is_higher = average(higher) > average(lower)
        return is_higher and compute_sign_test(higher, lower) < MAX_SIGNIFICANT_P


class Separation(ClaimRule, frozen=True, tag="separate"):
    """A rule for few seeds: every run of one recipe has a higher number than every run of another."""

    of: Quantity
    higher: Labels
    lower: Labels
    some: int | None = None  # for how many pairs it must hold, instead of all

    def holds(self, results: Results) -> bool:
        """Return whether this is so for all pairs of recipes, or for `some` of them."""
        found = [
            min(results.list_values(upper, self.of))
            > max(results.list_values(lower, self.of))
            for upper in self.higher
            for lower in self.lower
        ]
        return sum(found) >= (len(found) if self.some is None else self.some)


class HigherCurve(ClaimRule, frozen=True, tag="curves"):
    """A rule: at more than half of its points, a curve of medians is above that of another recipe."""

    of: Quantity
    recipes: Labels
    above: Labels
    until: float = 1  # the part of all updates that counts, from the first on

    def holds(self, results: Results) -> bool:
        """Return whether the curves of all recipes are mostly above the other curve."""
        other = trace_curve(results, self.above.single, self.of)
        curves = [trace_curve(results, label, self.of) for label in self.recipes]
        points = [list_higher_points(curve, other, self.until) for curve in curves]
        return all(2 * sum(higher) > len(higher) for higher in points)


class FunctionRule(ClaimRule, frozen=True, tag="function"):
    """A rule as a function in the claim's Python file, which gets the results and labels of recipes."""

    function: FunctionType
    recipes: Labels = NO_LABELS

    def holds(self, results: Results) -> bool:
        return bool(self.function(results, *self.recipes))


AnyClaimRule = Threshold | SignTest | Separation | HigherCurve | FunctionRule
# A test is one rule, or several rules that must all hold.
Test = AnyClaimRule | list[AnyClaimRule]


def passes(test: Test, results: Results) -> bool:
    rules = test if isinstance(test, list) else [test]
    return all(rule.holds(results) for rule in rules)


class ClaimPart(
    TomlTable,
    frozen=True,
    rename={"sentence_if_true": "so", "sentence_if_false": "not_so"},
):
    """A part of a claim: its rules, a sentence if it holds, and a sentence if it does not."""

    # Numbers in these sentences are cells of the claim's table: see `Claim.fill_in_texts`.
    sentence_if_true: str
    sentence_if_false: str
    rules: Sequence[Test] = ()  # All of them must hold.
    any: Sequence[Test] = ()  # One of them must hold.
    unless: Sequence[Test] = ()  # At least one of them must not hold.

    def __post_init__(self) -> None:
        if sum(map(bool, (self.rules, self.any, self.unless))) != 1:
            raise ValueError("a part has its rules in one of rules, any and unless")

    def holds(self, results: Results) -> bool:
        if self.any:
            return any(passes(test, results) for test in self.any)
        every = all(passes(test, results) for test in self.rules or self.unless)
        return not every if self.unless else every


class VerdictRules(TomlTable, frozen=True):
    """The rules of a verdict that does not just depend on whether all parts hold, or some.

    A number means the part with this number, counted from 1.
    """

    # The claim is reproduced if all of these hold; by default all parts.
    reproduced: Sequence[int | Test] = ()
    # It is partly reproduced if one of these holds; by default those of `reproduced`.
    partly: Sequence[int | Test] | None = None
    # It is inconclusive if none of these holds.
    decided: Sequence[int | Test] = ()
    # whether it is partly reproduced if any test of a part holds, although no part does
    by_test: bool = False
    # whether the source only asks: reproduced if all parts hold or none, otherwise inconclusive
    is_question: bool = False

    def judge(self, results: Results, parts: Sequence[ClaimPart]) -> ClaimVerdict:
        """Return the verdict on a claim with these parts."""

        def holds(test: int | Test) -> bool:
            if isinstance(test, int):
                return parts[test - 1].holds(results)
            return passes(test, results)

        if self.is_question:
            is_clear = len({part.holds(results) for part in parts}) == 1
            return "reproduced" if is_clear else "inconclusive"
        if self.decided and not any(map(holds, self.decided)):
            return "inconclusive"
        reproduced = self.reproduced or range(1, len(parts) + 1)
        if all(map(holds, reproduced)):
            return "reproduced"
        partly = reproduced if self.partly is None else self.partly
        if self.by_test:
            partly = [test for part in parts for test in (*part.rules, *part.any)]
        return "partly reproduced" if any(map(holds, partly)) else "not reproduced"
