"""The verdict on two recipes: the number of seeds in which each is better, and a sign test."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.experiments import compute_sign_test, count_higher
from app.web.formatting import format_count_of, lower_first_letter
from app.web.pages.lab.measures import Measure

MAX_SEEDS = 20  # number of seeds that a verdict needs
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
SIGNIFICANCE_LEVEL = 0.05  # significance level of the sign test


class Contest(NamedTuple):
    """The number of seeds in which each of two recipes is better."""

    a_wins: int
    b_wins: int
    seed_count: int
    p_value: float  # p-value of the exact two-sided sign test

    @property
    def better_side(self) -> str:
        """The side that is significantly better after all seeds: "A", "B" or ""."""
        return (
            self.leading_side
            if self.seed_count == MAX_SEEDS and self.p_value < SIGNIFICANCE_LEVEL
            else ""
        )

    @property
    def tie_count(self) -> int:
        """The number of seeds with equal results."""
        return self.seed_count - self.a_wins - self.b_wins

    @property
    def leading_side(self) -> str:
        """The side that is better in more seeds, "" if neither is."""
        if self.a_wins == self.b_wins:
            return ""
        return "A" if self.a_wins > self.b_wins else "B"

    @property
    def is_tie(self) -> bool:
        """Whether all seeds are ties."""
        return self.tie_count == self.seed_count

    @property
    def result_words(self) -> str:
        """The result in short words, for a cell of a table."""
        seeds = format_count_of(self.seed_count, "seed")
        if self.is_tie:
            return f"A and B equal in {seeds}"
        if self.seed_count == MAX_SEEDS and not self.better_side:
            return "no clear difference"
        same = f", equal in {self.tie_count}" if self.tie_count else ""
        if not self.leading_side:
            return f"A in {self.a_wins}, B in {self.b_wins}{same} of {seeds}"
        return (
            f"{self.leading_side} in {max(self.a_wins, self.b_wins)} of {seeds}{same}"
        )


class Verdict(NamedTuple):
    """A verdict as sentences."""

    headline: str
    detail: str
    # sentence before both if the recipes differ in several parameters
    warning: str = ""

    @property
    def text(self) -> str:
        return " ".join(filter(None, [self.warning, self.headline, self.detail]))


def build_contest(
    final_values: Sequence[Sequence[float]], more_is_better: bool
) -> Contest:
    """Return the numbers of seeds in which each of two recipes is better.

    `final_values` is [2, R], the results of both recipes for R seeds.  `more_is_better` means that
    a larger result is better.
    """
    recipe_a, recipe_b = final_values
    above = count_higher(recipe_a, recipe_b)
    below = count_higher(recipe_b, recipe_a)
    wins = (above, below) if more_is_better else (below, above)
    return Contest(*wins, len(recipe_a), compute_sign_test(recipe_a, recipe_b))


def describe_contest(
    contest: Contest,
    measure: Measure,
    side_phrases: Mapping[str, str],
    medians: Sequence[str],
    answers_question: bool,
) -> Verdict:
    """Return the verdict on two recipes.

    `side_phrases` name A and B in a sentence ("with α 0.8"), and `medians` are the medians of both.
    If `answers_question`, the headline begins with Yes or No.
    """
    if contest.seed_count == 1:
        return Verdict(
            f"No verdict yet. {measure.title}: A {medians[0]}, B {medians[1]}.",
            "With one seed of A and one of B, the difference may be luck.",
        )
    if contest.seed_count < MAX_SEEDS:
        after = f"The verdict follows after {MAX_SEEDS} seeds of A and of B."
        return Verdict(
            f"So far: {_describe_lead(contest, measure, side_phrases)}.", after
        )
    if contest.is_tie:
        headline = "No difference: A and B are equal in every seed."
        return Verdict(
            headline, f"Compared number: {measure.title}, with {MAX_SEEDS} seeds."
        )
    score = _describe_score(contest, measure)
    between = f"Medians: A {medians[0]}, B {medians[1]}"
    test = f"Exact sign test: {format_p_value(contest.p_value)}"
    better = f"{measure.better_phrase} {side_phrases[contest.leading_side or 'B']}"
    if not contest.better_side:
        return Verdict(
            f"No clear difference after {MAX_SEEDS} seeds.",
            f"{better} {score}: this may be luck. {between}. {test}.",
        )
    detail = f"This holds {score}. {between}. {test}."
    if not answers_question:
        return Verdict(f"{better}.", detail)
    answer = "Yes" if contest.better_side == "B" else "No"
    return Verdict(f"{answer}: {lower_first_letter(better)}.", detail)


def format_p_value(p_value: float) -> str:
    """Return the text of a p-value, on one line."""
    text = f"p = {p_value:.2g}" if p_value >= 0.001 else "p < 0.001"
    return text.replace(" ", NO_BREAK_SPACE)


def _describe_lead(
    contest: Contest, measure: Measure, side_phrases: Mapping[str, str]
) -> str:
    if contest.leading_side:
        lead = f"{measure.better_phrase} {side_phrases[contest.leading_side]}"
        return f"{lower_first_letter(lead)} {_describe_score(contest, measure)}"
    if contest.is_tie:
        return f"A and B are equal in all {contest.seed_count} seeds"
    return f"neither A nor B is ahead in {contest.seed_count} seeds"


def _describe_score(contest: Contest, measure: Measure) -> str:
    wins = max(contest.a_wins, contest.b_wins)
    losses = min(contest.a_wins, contest.b_wins)
    score = f"in {wins} of {contest.seed_count} seeds"
    if losses:
        score += f", {measure.worse_word} in {losses}"
    if contest.tie_count:
        score += f", equal in {contest.tie_count}"
    return score
