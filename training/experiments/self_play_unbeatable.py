"""Whether self-play ends unbeatable: not sampled against minimax, but proved."""

from collections.abc import Callable

from app.experiments import Bars, Table
from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import MARKS, Run

SELF_PLAY = "self-play"


def tell(results: claim.Results) -> claim.Conclusion:
    """Count the proofs."""
    recipe = results.recipes[SELF_PLAY]
    asked: dict[str, Callable[[Run], bool]] = {
        "unbeatable as X": table.unbeatable("x"),
        "unbeatable as O": table.unbeatable("o"),
        "unbeatable in both seats": table.beaten_nowhere,
        "without a blunder in any position": table.faultless,
    }
    answers = {text: [bool(ask(run)) for run in results[SELF_PLAY]] for text, ask in asked.items()}
    proved = answers["unbeatable in both seats"]
    half = 2 * sum(proved) >= len(proved)
    low, _ = claim.wilson(sum(proved), len(proved))
    clean = answers["without a blunder in any position"]
    return claim.Conclusion(
        [
            Bars(
                "Seeds for which this is proved",
                "%",
                [claim.share(text, truths, recipe) for text, truths in answers.items()],
                False,
            ),
            table.curves(results, table.BLUNDERS_LINE),
            table.curves(results, table.LOST_AT_WORST_LINE),
        ],
        [all(proved)],
        Table(
            ["seeds"],
            {
                "proved unbeatable in both seats": [of(proved)],
                "of all seeds, at least (95%)": [percent(100 * low)],
                "without a blunder in any of the 4,520 positions": [of(clean)],
            },
        ),
        claim.verdict_on(all(proved), half),
    )


EXPERIMENT = claim.Experiment(
    "self-play-unbeatable", tell, [claim.Sweep({SELF_PLAY: "self-play"}, MARKS)]
)
