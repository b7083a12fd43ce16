"""Learning from randomised minimax instead of random, and what its table holds afterwards."""

from collections.abc import Sequence
from operator import attrgetter
from time import perf_counter

import msgspec
import numpy as np

from app.experiments import Histogram, Mark
from app.recipes import Recipe
from app.tictactoe.game import SEATS, Game, O, X, tic_tac_toe
from app.tictactoe.policy import BASELINES, Policy, policy_of
from app.tictactoe.report import chances_against
from app.tictactoe.values import Numbers
from training.experiments import claim
from training.experiments.claim import percent
from training.learners import learn
from training.measures import Measure

REPORTED_WON, REPORTED_LOST, REPORTED_MET = 50.0, 22.7, 355
TESTS = 1_000  # games against random in each seat, as its author played
RECIPES = {
    f"{key}, {ties}": "q-table,vs=minimax-random" + "".join(settings)
    for key, ties, settings in (
        ("moves", "first best", ()),
        ("moves", "ties at random", (",ties=random",)),
        ("boards", "first best", (",key=afterstate",)),
        ("boards", "ties at random", (",key=afterstate,ties=random",)),
    )
}
REPORTED = "reported"
AS_REPORTED, AGAINST_RANDOM = "moves, first best", "against random instead"


class Met(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one training plays against random, and which positions it has met, up to symmetry."""

    seconds: float
    won: float  # percent, as O
    lost: float
    learned: int  # positions of which it has updated a move
    tested: int  # those and what it met in the test games


def measure_met(recipe: Recipe) -> Met:
    """Train a recipe, judge it as O against random, and let it play the test games."""
    game, begin = tic_tac_toe(), perf_counter()
    *_, end = learn(game, recipe)
    policy, random = policy_of(end.q, recipe.plays), BASELINES["random"].policy(game)
    won, _, lost = chances_against(game, random, policy, O)
    known = np.flatnonzero((end.visits > 0).any(axis=1))
    drawn = np.random.default_rng(recipe.seed)
    tested = [_moved_in(game, policy, random, seat, drawn) for seat in SEATS.values()]
    classes = game.symmetry_class
    return Met(
        perf_counter() - begin,
        100 * won,
        100 * lost,
        len(np.unique(classes[known])),
        len(np.unique(classes[np.concatenate([known, *tested])])),
    )


def _moved_in(
    game: Game,
    policy: Policy,
    random: Policy,
    seat: int,
    drawn: np.random.Generator,
) -> Numbers:
    """Play the test games side by side; list the decisions in which the policy moved."""
    positions = np.zeros(TESTS, np.intp)
    met: list[Numbers] = []
    mover = X
    while len(positions):
        if mover == seat:
            met.append(positions)
        chances = (policy if mover == seat else random)[positions].cumsum(axis=1)
        cells = (drawn.random((len(positions), 1)) * chances[:, -1:] >= chances).sum(axis=1)
        positions = game.successor[positions, cells].astype(np.intp)
        positions = positions[positions < game.decisions]
        mover = -mover
    return np.concatenate(met)


MET = Measure("met-in-tests", 1, Met, measure_met)
WON, LOST, LEARNED, TESTED = (
    claim.Quantity(title, unit, attrgetter(field))
    for field, unit, title in (
        ("won", "%", "Games won as O against random"),
        ("lost", "%", "Games lost as O against random"),
        ("learned", "positions", "Positions that the training has updated, of 627"),
        ("tested", "positions", "Positions updated or met in 1,000 test games a seat"),
    )
)


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare with the training against random, and with what was reported."""
    taught: Sequence[Met] = results[AS_REPORTED]
    won, lost = results.medians(WON.of), results.medians(LOST.of)
    worse = won[AS_REPORTED] < won[AGAINST_RANDOM] and lost[AS_REPORTED] > lost[AGAINST_RANDOM]
    learned = [met.learned for met in taught]
    seen = min(learned) <= REPORTED_MET <= max(learned)
    updated, met = (
        {label: f"{min(seeds)} to {max(seeds)}" for label, seeds in results.each(value).items()}
        for value in (LEARNED.of, TESTED.of)
    )
    return claim.Conclusion(
        [
            _marked(results.strips(WON), Mark(REPORTED_WON, "reported: 50%")),
            _marked(results.strips(LOST), Mark(REPORTED_LOST, "reported: 22.7%")),
            results.strips(LEARNED),
            _marked(results.strips(TESTED, exact=False), Mark(REPORTED_MET, "reported: 355")),
        ],
        [worse, seen],
        claim.compare(
            [REPORTED, *results.recipes],
            {
                "won, median": (percent, {REPORTED: REPORTED_WON} | won),
                "lost, median": (percent, {REPORTED: REPORTED_LOST} | lost),
                "positions updated, of 627": (str, {REPORTED: REPORTED_MET} | updated),
                "with those of the test games": (str, met),
            },
            "as O against random",
        ),
    )


def _marked(strips: Histogram, mark: Mark) -> Histogram:
    """Mark all recipes but the last one, about which nothing was reported."""
    *groups, last = strips.groups
    marked = [msgspec.structs.replace(group, marks=[mark]) for group in groups]
    return msgspec.structs.replace(strips, groups=[*marked, last])


EXPERIMENT = claim.Experiment(
    "trained-on-minimax", tell, [claim.Sweep(RECIPES | {AGAINST_RANDOM: "q-table"}, MET)]
)
