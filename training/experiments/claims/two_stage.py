"""How many more blunders the learner with the two-stage update makes."""

from training.experiments.quantities import QUANTITIES
from training.experiments.results import Results, format_percentage


def compare_blunders(results: Results) -> dict[str, str]:
    """Return {"two-stage": "49% more"}, from the median blunders of both updates."""
    two_stage, one_stage = (
        results.compute_median(label, QUANTITIES["blunders"])
        for label in ("two-stage", "one-stage")
    )
    change = 100 * (two_stage / one_stage - 1)
    direction = "more" if change > 0 else "fewer"
    return {"two-stage": f"{format_percentage(abs(change), 0)} {direction}"}
