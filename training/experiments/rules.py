"""The rules that decide whether a part of a claim holds, and which verdict follows.

Each kind of rule is a class; `kind` in the claim's file is the `tag` of the class.
"""

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

BOUND_COMPARISONS = {"above": gt, "below": lt, "at_least": ge, "at_most": le}


class ClaimRule(TomlTable, frozen=True, tag_field="kind"):
    """The base class of rules, each of which holds or not for the results of an experiment."""

    def holds(self, results: Results) -> bool:
        raise NotImplementedError


class Threshold(ClaimRule, frozen=True, tag="compare"):
    """The rule that a statistic is above or below a number, or the statistic of other recipes.

    `factor` times the statistic is compared with the sum of the bound and `margin`.
    """

    statistic: Statistic
    # by default all recipes of the claim
    recipes: Labels = NO_LABELS
    min_count: int | None = None
    above: Bound | None = None
    below: Bound | None = None
    at_least: Bound | None = None
    at_most: Bound | None = None
    margin: float = 0
    factor: float = 1

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not None for name in BOUND_COMPARISONS) != 1:
            raise ValueError(
                f"a comparison has a bound: one of {', '.join(BOUND_COMPARISONS)}"
            )

    def holds(self, results: Results) -> bool:
        """Return whether the rule holds for all recipes, or for at least `min_count`."""
        sign = next(
            sign for sign in BOUND_COMPARISONS if getattr(self, sign) is not None
        )
        bound: Bound = getattr(self, sign)
        numbers = [self.statistic.compute(results, label) for label in bound.labels]
        if bound.number is not None:
            numbers = [bound.number]
        labels = self.recipes or [*results.recipe_by_label]
        found = [
            all(
                BOUND_COMPARISONS[sign](own, number + self.margin) for number in numbers
            )
            for label in labels
            for own in [self.factor * self.statistic.compute(results, label)]
        ]
        return sum(found) >= (len(found) if self.min_count is None else self.min_count)


class SignTest(ClaimRule, frozen=True, tag="sign test"):
    """The rule that one recipe has a significantly higher average than another one.

    A sign test compares their runs with equal seeds.
    """

    quantity: Quantity
    higher: Labels
    lower: Labels
    average: Literal["median", "mean"] = "median"

    def holds(self, results: Results) -> bool:
        higher, lower = (
            results.list_values(recipe.single, self.quantity)
            for recipe in (self.higher, self.lower)
        )
        average = AVERAGES[self.average]
        is_higher = average(higher) > average(lower)
        return is_higher and compute_sign_test(higher, lower) < MAX_SIGNIFICANT_P


class Separation(ClaimRule, frozen=True, tag="separate"):
    """The rule that all runs of `higher` have higher numbers than all runs of `lower`.

    It is for recipes with too few seeds for a sign test.
    """

    quantity: Quantity
    higher: Labels
    lower: Labels
    min_count: int | None = None

    def holds(self, results: Results) -> bool:
        """Return whether the rule holds for all pairs of two recipes, or for at least `min_count`."""
        found = [
            min(results.list_values(upper, self.quantity))
            > max(results.list_values(lower, self.quantity))
            for upper in self.higher
            for lower in self.lower
        ]
        return sum(found) >= (len(found) if self.min_count is None else self.min_count)


class HigherCurve(ClaimRule, frozen=True, tag="curves"):
    """The rule that learning curves are above another recipe's at more than half of their points."""

    quantity: Quantity
    recipes: Labels
    lower_recipe: Labels
    # the share of the updates that counts: 0.5 is the first half of the training
    counted_share: float = 1

    def holds(self, results: Results) -> bool:
        other = trace_curve(results, self.lower_recipe.single, self.quantity)
        curves = [trace_curve(results, label, self.quantity) for label in self.recipes]
        points = [
            list_higher_points(curve, other, self.counted_share) for curve in curves
        ]
        return all(2 * sum(higher) > len(higher) for higher in points)


class FunctionRule(ClaimRule, frozen=True, tag="function"):
    """The rule that a function in the claim's Python file returns true for the results.

    The function gets the results and the labels in `recipes`.
    """

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
    """A part of a claim: its rules, a sentence to show if it holds, and one to show if it does not.

    Exactly one of `rules`, `any_of_rules` and `not_all_of_rules` is given.
    """

    # Numbers in these sentences are cells of the claim's table: see `Claim.fill_in_texts`.
    sentence_if_true: str
    sentence_if_false: str
    # The part holds if all these tests hold.
    rules: Sequence[Test] = ()
    # The part holds if at least one of these tests holds.
    any_of_rules: Sequence[Test] = ()
    # The part holds if at least one of these tests does not hold.
    not_all_of_rules: Sequence[Test] = ()

    def __post_init__(self) -> None:
        if sum(map(bool, (self.rules, self.any_of_rules, self.not_all_of_rules))) != 1:
            raise ValueError(
                "a part has its rules in one of rules, any_of_rules and not_all_of_rules"
            )

    def holds(self, results: Results) -> bool:
        if self.any_of_rules:
            return any(passes(test, results) for test in self.any_of_rules)
        every = all(
            passes(test, results) for test in self.rules or self.not_all_of_rules
        )
        return not every if self.not_all_of_rules else every


class VerdictRules(TomlTable, frozen=True):
    """How the verdict on a claim follows from its parts.

    By default a claim is reproduced if all parts hold, partly reproduced if some hold, otherwise
    not reproduced. A field may list a part, by its number from 1, in place of a test.
    """

    # The claim is reproduced if all of these hold. By default they are all parts.
    reproduced_if: Sequence[int | Test] = ()
    # The claim is partly reproduced if one of these holds. By default they are the tests of
    # `reproduced_if`.
    partly_reproduced_if: Sequence[int | Test] | None = None
    # If none of these holds, the experiment is inconclusive.
    inconclusive_unless: Sequence[int | Test] = ()
    # If true, a single test of any part is enough for a claim to be partly reproduced.
    partly_reproduced_if_any_rule: bool = False
    # If the publication only asks a question, any clear answer counts as reproduced: all parts
    # hold, or none does. Otherwise the claim is inconclusive.
    is_question: bool = False

    def judge(self, results: Results, parts: Sequence[ClaimPart]) -> ClaimVerdict:

        def holds(test: int | Test) -> bool:
            if isinstance(test, int):
                return parts[test - 1].holds(results)
            return passes(test, results)

        if self.is_question:
            is_clear = len({part.holds(results) for part in parts}) == 1
            return "reproduced" if is_clear else "inconclusive"
        if self.inconclusive_unless and not any(map(holds, self.inconclusive_unless)):
            return "inconclusive"
        reproduced = self.reproduced_if or range(1, len(parts) + 1)
        if all(map(holds, reproduced)):
            return "reproduced"
        partly = (
            reproduced
            if self.partly_reproduced_if is None
            else self.partly_reproduced_if
        )
        if self.partly_reproduced_if_any_rule:
            partly = [
                test for part in parts for test in (*part.rules, *part.any_of_rules)
            ]
        return "partly reproduced" if any(map(holds, partly)) else "not reproduced"
