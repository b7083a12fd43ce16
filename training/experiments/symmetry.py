"""Whether symmetry learns faster and is overtaken."""

from app.experiments import Series
from training.experiments import claim, table
from training.experiments.claim import chance, of, percent
from training.measures import MARKS

PLAIN = "plain"
AS_THERE, ALIKE = "symmetric, as there", "symmetric, k and gamma as plain"
RECIPES = {
    PLAIN: "league",
    AS_THERE: "league,symmetric=yes,gamma=0.65,k_start=0.01,k_step=0.01,k_limit=10",
    ALIKE: "league,symmetric=yes",
}
EARLY = 1 / 100  # of the updates
LITTLE = 1.0  # percent that are no degradation


def tell(results: claim.Results) -> claim.Conclusion:
    """Ask of both whether they are ahead early and behind in the end."""
    end = results.medians(table.wins)
    won = table.curves(results, table.WINS_LINE)
    begins = {line.name: _early(line) for line in won.series}
    early = {label: table.ahead(begins[label], begins[PLAIN]) for label in RECIPES}
    faster = {label: 2 * sum(early[label]) > len(early[label]) for label in RECIPES}
    p = {label: results.sign_test(label, PLAIN, table.wins) for label in (AS_THERE, ALIKE)}
    overtaken = {label: results.higher(PLAIN, label, table.wins)[0] for label in p}
    parts = [part[label] for part in (faster, overtaken) for label in (AS_THERE, ALIKE)]
    symmetric = {label: early[label] for label in p}
    fallen = {line.name: max(line.median) - line.median[-1] for line in won.series}
    falls = any(fallen[label] > LITTLE for label in p)
    return claim.Conclusion(
        [won, table.curves(results, table.BLUNDERS_LINE)],
        [all(faster.values()), overtaken[AS_THERE], overtaken[ALIKE], falls],
        claim.compare(
            RECIPES,
            {
                "ahead of the plain one at early points": (of, symmetric),
                "won against random in the end, median": (percent, end),
                "the end, against the plain one (sign test)": (chance, p),
                "median below its best in the end by": (percent, fallen),
            },
        ),
        claim.verdict_on(*parts, falls),
    )


def _early(line: Series) -> Series:
    """Keep the points of the first part of a training."""
    count = sum(x <= EARLY * line.x[-1] for x in line.x)
    return Series(
        name=line.name,
        recipe=line.recipe,
        **{
            part: getattr(line, part)[:count]
            for part in ("x", "median", "low", "high", "least", "most")
        },
        n=line.n,
        typical=line.typical,
    )


EXPERIMENT = claim.Experiment("symmetry", tell, [claim.Sweep(RECIPES, MARKS)])
