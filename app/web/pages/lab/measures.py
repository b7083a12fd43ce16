"""The measures by which the lab compares agents: a number for each snapshot of a training."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from app.tictactoe.report import Figures
from app.web.comparison import CURVE_TITLES
from app.web.facts import judge_policy
from app.web.links.lab import BLUNDERS_KEY
from app.web.on_demand import SeedRun
from app.web.pages.lab.wording import introduce_opponent
from app.web.pictures.curves import PERCENT_UNIT
from app.web.site_data import SiteData

# with BLUNDERS_KEY these measures are keys of CURVE_TITLES
LOSSES_KEY, TASK_KEY = "losses", "task"

# takes the exact results of a training, returns a number for each snapshot
GetCurve = Callable[[Figures], Sequence[float]]


class Measure(NamedTuple):
    """A number that an agent has at each snapshot of its training, such as its blunders."""

    title: str
    noun: str  # noun to follow "by", such as "blunders"
    unit: str
    better_phrase: str  # phrase for a better result, such as "Fewer blunders"
    worse_word: str  # word for a worse result, such as "more"
    more_is_better: bool  # whether a larger number is better
    get_curve: GetCurve

    def get_final_value(self, run: SeedRun) -> float:
        """Return the measure of the trained agent: its value at the last snapshot."""
        return self.get_curve(run.figures)[-1]


def list_measures(site: SiteData, runs: Iterable[SeedRun]) -> dict[str, Measure]:
    """Return the measures that all runs have, by key; the key of a result is the opponent's id."""
    runs = list(runs)
    measures = {
        BLUNDERS_KEY: _build_measure(
            BLUNDERS_KEY, "blunders", "Fewer blunders", lambda figures: figures.blunders
        ),
        LOSSES_KEY: _build_measure(
            LOSSES_KEY,
            "losses to the best responder",
            "Fewer losses to the best responder",
            build_outcome_curve_getter(2),
        )._replace(unit=PERCENT_UNIT),
    }
    if all(run.figures.task_distance for run in runs):
        measures[TASK_KEY] = _build_measure(
            TASK_KEY,
            "the mean difference of learned from exact values",
            "Nearer to the exact values",
            lambda figures: (
                figures.task_distance.mean_distance if figures.task_distance else []
            ),
        )._replace(worse_word="farther")
    for opponent in runs[0].figures.baseline_chances:
        measures[opponent] = _build_measure_against(site, opponent)
    return measures


def _build_measure(
    measure_key: str, noun: str, better_word: str, get_curve: GetCurve
) -> Measure:
    titles = CURVE_TITLES[measure_key]
    return Measure(
        titles.title_for_one,
        noun,
        "",
        better_word,
        "more",
        False,
        get_curve,
    )


def _build_measure_against(site: SiteData, opponent: str) -> Measure:
    """Return the measure "games won" against an opponent, or "games lost" if it is unbeatable."""
    is_unbeatable = all(judge_policy(site, opponent).is_unbeatable.values())
    outcome, verb = (2, "lost") if is_unbeatable else (0, "won")
    preposition = "to" if is_unbeatable else "against"
    player = introduce_opponent(site, opponent)
    noun = f"games {verb} {preposition} {player}"
    better, worse = ("Fewer", "more") if is_unbeatable else ("More", "fewer")
    course = build_outcome_curve_getter(outcome, opponent)
    return Measure(
        f"Games {verb} {preposition} {player}",
        noun,
        PERCENT_UNIT,
        f"{better} {noun}",
        worse,
        not is_unbeatable,
        course,
    )


def build_outcome_curve_getter(outcome: int, opponent: str = "") -> GetCurve:
    """Return a function that computes the percentage of games with an outcome at each snapshot.

    The agent plays them in both seats, against an opponent or the best responder.
    """

    def compute_curve(figures: Figures) -> list[float]:
        chances = (
            figures.baseline_chances[opponent] if opponent else figures.best_response
        )
        seats = zip(chances.x, chances.o, strict=True)
        return [round(50 * (x[outcome] + o[outcome]), 7) for x, o in seats]

    return compute_curve
