"""The verdict on two recipes: the number of seeds in which each is better, and a sign test."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.experiments import sign_test
from app.web.pages.lab.measures import Measure

SEEDS = 20  # number of seeds before a verdict
LEVEL = 0.05  # significance level of the sign test


class Contest(NamedTuple):
    """The number of seeds in which each of two recipes is better."""

    a: int
    b: int
    seeds: int
    p_value: float  # p-value of the exact two-sided sign test

    @property
    def better(self) -> str:
        """The side with a significant lead after all seeds, "" without one."""
        return self.leader if self.seeds == SEEDS and self.p_value < LEVEL else ""

    @property
    def ties(self) -> int:
        """The number of seeds in which neither side is better."""
        return self.seeds - self.a - self.b

    @property
    def leader(self) -> str:
        """The side that is better in more seeds, "" if neither is."""
        if self.a == self.b:
            return ""
        return "A" if self.a > self.b else "B"

    @property
    def is_tie(self) -> bool:
        """Whether all seeds are ties."""
        return self.ties == self.seeds

    @property
    def words(self) -> str:
        """The result for a cell of a table."""
        if self.is_tie:
            return f"the same in {self.seeds} of {self.seeds}"
        if self.seeds == SEEDS and not self.better:
            return "no clear difference"
        same = f", the same in {self.ties}" if self.ties else ""
        if not self.leader:
            return f"A in {self.a}, B in {self.b}{same}"
        return f"{self.leader} in {max(self.a, self.b)} of {self.seeds}{same}"


class Finding(NamedTuple):
    """A verdict as sentences."""

    headline: str
    detail: str
    warning: str = ""  # goes before both if several things differ

    @property
    def text(self) -> str:
        """All sentences of the verdict."""
        return " ".join(filter(None, [self.warning, self.headline, self.detail]))


def build_contest(ends: Sequence[Sequence[float]], more: bool) -> Contest:
    """Return the comparison of two recipes, seed by seed.

    `ends`, [2, R], are the results of R seeds; `more` means that a larger number is
    better.
    """
    a, b = ends
    above = sum(one > other for one, other in zip(a, b, strict=True))
    below = sum(one < other for one, other in zip(a, b, strict=True))
    wins = (above, below) if more else (below, above)
    return Contest(*wins, len(a), sign_test(a, b))


def describe_contest(
    contest: Contest,
    measure: Measure,
    phrases: Mapping[str, str],
    medians: Sequence[str],
    answers_question: bool,
) -> Finding:
    """Return the verdict on two recipes.

    `phrases` name A and B in a sentence ("with α 0.8"), and `medians` are the medians of both.
    If `answers_question`, the headline begins with Yes or No.
    """
    if contest.seeds == 1:
        return Finding(
            f"No verdict yet, with one seed each: {' → '.join(medians)}.",
            f"{measure.title}: first A, then B. With one seed each, the difference may be luck.",
        )
    if contest.seeds < SEEDS:
        after = f"The verdict follows after {SEEDS} seeds of A and of B."
        return Finding(f"So far: {_describe_lead(contest, measure, phrases)}.", after)
    if contest.is_tie:
        headline = "No difference: A and B are the same in every seed."
        return Finding(headline, f"{measure.title}, {SEEDS} seeds.")
    score = _describe_score(contest, measure)
    between = f"Medians {' → '.join(medians)}"
    test = f"exact sign test, {format_chance(contest.p_value)}"
    better = f"{measure.better_phrase} {phrases[contest.leader or 'B']}"
    if not contest.better:
        return Finding(
            f"No clear difference after {SEEDS} seeds.",
            f"{better} {score}: this may be luck. {between}, {test}.",
        )
    detail = f"{_capitalize(score)}. {between}, {test}."
    if not answers_question:
        return Finding(f"{better}.", detail)
    answer = "Yes" if contest.better == "B" else "No"
    return Finding(f"{answer}: {better[0].lower()}{better[1:]}.", detail)


def format_chance(p: float) -> str:
    """Return the text of a p-value."""
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def _describe_lead(
    contest: Contest, measure: Measure, phrases: Mapping[str, str]
) -> str:
    """Return the lead of a recipe before all seeds are trained."""
    if contest.leader:
        lead = f"{measure.better_phrase} {phrases[contest.leader]}"
        return f"{lead[0].lower()}{lead[1:]} {_describe_score(contest, measure)}"
    if contest.is_tie:
        return f"the same in {contest.seeds} of {contest.seeds} seeds"
    return f"neither is ahead in {contest.seeds} seeds"


def _describe_score(contest: Contest, measure: Measure) -> str:
    """Return the numbers of seeds in which the leading recipe is better, worse and equal."""
    wins = max(contest.a, contest.b)
    losses = min(contest.a, contest.b)
    score = f"in {wins} of {contest.seeds} seeds"
    if losses:
        score += f", {measure.worse} in {losses}"
    if contest.ties:
        score += f", the same in {contest.ties}"
    return score


def _capitalize(text: str) -> str:
    return text[0].upper() + text[1:]
