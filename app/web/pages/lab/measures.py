"""The measures by which the lab compares agents: a number for each snapshot of a training."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from app.tictactoe.report import Figures
from app.web.comparison import FIGURES
from app.web.facts import judge_policy
from app.web.on_demand import SeedRun
from app.web.pictures.curves import PERCENT
from app.web.site_data import SiteData

BLUNDERS, LOSSES, TASK = "blunders", "losses", "task"  # keys of FIGURES

Course = Callable[[Figures], Sequence[float]]  # a number for each snapshot


class Measure(NamedTuple):
    """A figure of an agent at each snapshot of its training."""

    title: str
    short: str
    noun: str  # goes on after "by": "blunders"
    unit: str
    better_phrase: str  # "Fewer blunders"
    worse: str  # a seed in which the other recipe is better: "more"
    more: bool  # whether a larger number is better
    get_curve: Course

    def end(self, run: SeedRun) -> float:
        """Return the measure of the trained agent: its value at the last snapshot."""
        return self.get_curve(run.figures)[-1]


def list_measures(site: SiteData, runs: Iterable[SeedRun]) -> dict[str, Measure]:
    """Return the measures that all runs have, by key; the key of a result is the opponent's id."""
    runs = list(runs)
    measures = {
        BLUNDERS: _build_measure(
            BLUNDERS, "blunders", "Fewer blunders", lambda figures: figures.blunders
        ),
        LOSSES: _build_measure(
            LOSSES,
            "losses to the best responder",
            "Fewer losses to the best responder",
            _course_of_outcome(2),
        )._replace(unit=PERCENT),
    }
    if all(run.figures.task for run in runs):
        measures[TASK] = _build_measure(
            TASK,
            "the distance from the exact values",
            "Nearer to the exact values",
            lambda figures: figures.task.mean if figures.task else [],
        )._replace(worse="farther")
    for opponent in runs[0].figures.vs:
        measures[opponent] = _build_measure_against(site, opponent)
    return measures


def _build_measure(key: str, noun: str, better: str, course: Course) -> Measure:
    """Return a measure for which smaller numbers are better."""
    titles = FIGURES[key]
    return Measure(titles.one, titles.short, noun, "", better, "more", False, course)


def _build_measure_against(site: SiteData, opponent: str) -> Measure:
    """Return the games won against an opponent, or the games lost if it cannot be beaten."""
    title = site.titles[opponent]
    is_unbeatable = all(judge_policy(site, opponent).unbeatable.values())
    outcome, verb = (2, "lost") if is_unbeatable else (0, "won")
    preposition = "to" if is_unbeatable else "against"
    noun = f"games {verb} {preposition} {title}"
    short = f"{verb.capitalize()} {preposition} {title}"
    better, worse = ("Fewer", "more") if is_unbeatable else ("More", "fewer")
    course = _course_of_outcome(outcome, opponent)
    return Measure(
        short,
        short,
        noun,
        PERCENT,
        f"{better} {noun}",
        worse,
        not is_unbeatable,
        course,
    )


def _course_of_outcome(outcome: int, opponent: str = "") -> Course:
    """Return a function from figures to the share of games with an outcome, in percent.

    The games are in both seats, against an opponent or the best responder.
    """

    def course(figures: Figures) -> list[float]:
        chances = figures.vs[opponent] if opponent else figures.best_response
        seats = zip(chances.x, chances.o, strict=True)
        return [round(50 * (x[outcome] + o[outcome]), 7) for x, o in seats]

    return course
