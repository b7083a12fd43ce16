"""The five exercises of the first chapter of Sutton & Barto, each with the switch that it asks for.

All of them are about `td-afterstates`, the example of that chapter.  The exercises ask; the claims
are the answers that the book suggests or that its text leads to.
"""

from collections.abc import Sequence
from operator import attrgetter
from time import perf_counter

import msgspec

from app.experiments import Bars
from app.recipes import Recipe
from app.tictactoe.game import SEATS, tic_tac_toe
from app.tictactoe.policy import BASELINES, mix, policy_of
from app.tictactoe.report import chances_against
from training.experiments import claim, table
from training.experiments.claim import chance, number, of, percent
from training.learners import learn
from training.measures import END, MARKS, NEVER, Measure, Run

BOOK = "Sutton & Barto (2018), section 1.5, exercise 1."
ASKED = ": the answer that is checked is ours."
EXPLORING = 0.1  # how often it moves at random while it learns


class Both(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one training plays against random, in percent of both seats' games."""

    seconds: float
    greedy: float  # won without exploration
    exploring: float  # won while it explores as often as in training
    greedy_lost: float
    exploring_lost: float


def measure_both(recipes: Sequence[Recipe]) -> list[Both]:
    """Train each recipe, and judge its greedy play and its exploring play exactly."""
    return [_both(recipe) for recipe in recipes]


def _both(recipe: Recipe) -> Both:
    game, begin = tic_tac_toe(), perf_counter()
    *_, end = learn(game, recipe, lambda updates: NEVER)
    greedy, random = policy_of(end.q, recipe.plays), BASELINES["random"].policy(game)
    chances = [
        [chances_against(game, random, policy, seat) for seat in SEATS.values()]
        for policy in (greedy, mix(greedy, random, EXPLORING))
    ]
    won, lost = (
        [50 * (as_x[outcome] + as_o[outcome]) for as_x, as_o in chances]
        for outcome in (table.WON, table.LOST)
    )
    return Both(perf_counter() - begin, won[0], won[1], lost[0], lost[1])


BOTH = Measure("greedy-and-exploring", 1, Both, measure_both)


# 1.1: self-play

AGAINST_RANDOM, AGAINST_ITSELF = "against random", "both sides learn"
POINT = 1.0  # percent won: less is no other way of playing


def tell_self_play(results: claim.Results) -> claim.Told:
    """Compare what is learned from random and from itself."""
    won, lost, errors = (
        results.medians(value) for value in (table.wins, table.lost_at_worst, table.blunders)
    )
    p = results.sign_test(AGAINST_RANDOM, AGAINST_ITSELF, table.wins)
    parts = [
        lost[AGAINST_ITSELF] < lost[AGAINST_RANDOM],
        won[AGAINST_ITSELF] <= won[AGAINST_RANDOM] - POINT and p < 0.05,
    ]
    return claim.Told(
        [
            results.strips("Games won against random, both seats", "%", table.wins),
            results.strips(
                "Games lost to the best responder, both seats", "%", table.lost_at_worst
            ),
            table.blunder_strips(results),
        ],
        parts,
        claim.compare(
            results.recipes,
            {
                f"won against random, median (sign test: {chance(p)})": ("{:.2f}%".format, won),
                "lost to the best responder, both seats, median": (percent, lost),
                "unbeatable in both seats": (of, results.each(table.beaten_nowhere)),
                "blunders, median": (number, errors),
            },
        ),
    )


# 1.2: symmetries

PLAIN, SYMMETRIC = "boards as they are", "symmetric boards alike"
PLAIN_FIXED, SYMMETRIC_FIXED = f"{PLAIN}, against fixed", f"{SYMMETRIC}, against fixed"


def value_error(run: Run) -> float:
    """Take the mean difference from the exact values of its task, where the task can lead."""
    assert run.figures.task is not None
    return run.figures.task.mean_reached[-1]


def tell_symmetries(results: claim.Results) -> claim.Told:
    """Ask whether it is faster, and what it costs where the opponent is not symmetric itself."""
    won = table.win_curves(results, (PLAIN, SYMMETRIC))
    plain, symmetric = won.series
    leads = table.ahead(symmetric, plain)
    end = {line.name: line.median[-1] for line in won.series}
    fixed = {PLAIN: PLAIN_FIXED, SYMMETRIC: SYMMETRIC_FIXED}
    off, alone = (
        {label: results.median(taught, value) for label, taught in fixed.items()}
        for value in (value_error, table.both_seats("fixed", table.WON))
    )
    p = results.sign_test(SYMMETRIC_FIXED, PLAIN_FIXED, value_error)
    faster = 2 * sum(leads) > len(leads)
    costs = off[SYMMETRIC] > off[PLAIN] and p < 0.05
    return claim.Told(
        [
            won,
            results.strips(
                "Taught by fixed: mean error of its values in positions that it can meet",
                "of a win",
                value_error,
                fixed.values(),
            ),
        ],
        [faster, costs],
        claim.compare(
            [SYMMETRIC, PLAIN],
            {
                "taught by random: points of the curve ahead": (of, {SYMMETRIC: leads}),
                "taught by random: won against it": (percent, end),
                f"taught by fixed: mean error of its values (sign test: {chance(p)})": (
                    "{:.3f}".format,
                    off,
                ),
                "taught by fixed: won against it": (percent, alone),
            },
            "median seed",
        ),
    )


# 1.3: greedy play

EXPLORES, GREEDY = "explores a tenth of its moves", "always greedy"
EXPLORES_ITSELF, GREEDY_ITSELF = f"{EXPLORES}, self-play", f"{GREEDY}, self-play"


def tell_greedy(results: claim.Results) -> claim.Told:
    """Compare learning with and without exploration."""
    won, lost, updated = (
        results.medians(value) for value in (table.wins, table.lost_at_worst, table.known)
    )
    p = results.sign_test(GREEDY, EXPLORES, table.wins)
    q = results.sign_test(GREEDY_ITSELF, EXPLORES_ITSELF, table.lost_at_worst)
    parts = [
        won[GREEDY] < won[EXPLORES] and p < 0.05,
        lost[GREEDY_ITSELF] > lost[EXPLORES_ITSELF] and q < 0.05,
    ]
    return claim.Told(
        [
            results.strips("Games won against random, both seats", "%", table.wins),
            results.strips(
                "Games lost to the best responder, both seats", "%", table.lost_at_worst
            ),
            results.strips("Positions that were updated, of 627", "positions", table.known),
        ],
        parts,
        claim.compare(
            results.recipes,
            {
                f"won against random (taught by it, sign test: {chance(p)})": (percent, won),
                f"lost to the best responder (self-play, sign test: {chance(q)})": (percent, lost),
                "positions updated, of 627": (number, updated),
            },
            "median seed",
        ),
    )


# 1.4: learning from exploration

FROM_GREEDY, FROM_ALL = "learns from greedy moves", "learns from all moves"


def tell_exploration(results: claim.Results) -> claim.Told:
    """Compare both kinds of values by greedy play and by play that goes on exploring."""
    kinds = [attrgetter(kind) for kind in ("greedy", "exploring")]
    greedy, exploring = (results.medians(kind) for kind in kinds)
    p, q = (results.sign_test(FROM_GREEDY, FROM_ALL, kind) for kind in kinds)
    parts = [
        greedy[FROM_GREEDY] > greedy[FROM_ALL] and p < 0.05,
        exploring[FROM_ALL] > exploring[FROM_GREEDY] and q < 0.05,
    ]
    return claim.Told(
        [
            results.strips(title, "%", attrgetter(kind))
            for title, kind in (
                ("Games won against random, greedy, both seats", "greedy"),
                ("Games won against random, exploring, both seats", "exploring"),
                ("Games lost to random, exploring, both seats", "exploring_lost"),
            )
        ],
        parts,
        claim.compare(
            results.recipes,
            {
                f"plays greedily (sign test: {chance(p)})": ("{:.2f}%".format, greedy),
                f"goes on exploring (sign test: {chance(q)})": ("{:.2f}%".format, exploring),
            },
            "won against random, median seed",
        ),
    )


# 1.5: other improvements

AS_IT_IS = "as in the book"
OTHERS = {
    "a step size that falls": "td-afterstates,alpha_drop=0.01",
    "exploration that falls": "td-afterstates,epsilon_drop=0.01",
    "more exploration, falling": "td-afterstates,epsilon=0.9,epsilon_drop=0.1",
    "symmetric boards alike": "td-afterstates,symmetric=yes",
    "optimistic initial values": "td-afterstates,initial=1",
    "self-play, both sides learn": "td-afterstates,vs=both",
}
CHAMPION = "lower and upper bounds (champion)"


def tell_improvements(results: claim.Results) -> claim.Told:
    """Compare each change alone with the book's learner, and all of them with the champion."""
    won, lost, errors = (
        results.medians(value) for value in (table.wins, table.lost_at_worst, table.blunders)
    )
    p = {label: results.sign_test(label, AS_IT_IS, table.blunders) for label in OTHERS}
    better = [label for label in OTHERS if errors[label] < errors[AS_IT_IS] and p[label] < 0.05]
    games = results.medians(lambda run: run.games[-1])
    solved = errors[CHAMPION] == 0 and lost[CHAMPION] == 0
    return claim.Told(
        [
            table.blunder_strips(results),
            results.strips("Games won against random, both seats", "%", table.wins),
            Bars(
                "Games played until the end of the training",
                "games",
                [results.bar(label, median) for label, median in games.items()],
                exact=True,
                logarithmic=True,
            ),
        ],
        [bool(better), solved],
        claim.compare(
            results.recipes,
            {
                "blunders": (number, errors),
                "against the book's (sign test)": (chance, p),
                "games": (number, games),
                "won against random": (percent, won),
            },
            "median seed",
        ),
    )


LIMITS = (
    "Step size and exploration are the usual 0.1 and the opponent is random where nothing else is "
    "said, which the book leaves open; a draw is worth half a win."
)

EXPERIMENTS = [
    claim.Experiment(
        id="sutton-barto-1",
        title="Exercise 1.1: self-play",
        claim="Learning against itself instead of a random opponent leads to another way of "
        "playing: harder to beat, and winning less against a weak opponent.",
        sources=["sutton-barto-2018"],
        where=BOOK + "1, which asks what would happen" + ASKED,
        done="The learner of afterstates played 100,000 games with each of {seeds} seeds against "
        "random and as many against itself, and was judged exactly. In self-play both sides move "
        "by one table, explore a tenth of their moves and learn.",
        limits=LIMITS + " A median that is less than a point lower is not taken as winning less.",
        agents=["td-afterstates"],
        parts=[
            claim.Part(
                "Self-play in which both sides learn makes it harder to beat.",
                "Self-play in which both sides learn does not make it harder to beat.",
            ),
            claim.Part(
                "It wins less against a weak opponent.",
                "It wins about as much against a weak opponent.",
            ),
        ],
        tell=tell_self_play,
        sweeps=[
            claim.Sweep(
                {AGAINST_RANDOM: "td-afterstates", AGAINST_ITSELF: "td-afterstates,vs=both"}, END
            )
        ],
    ),
    claim.Experiment(
        id="sutton-barto-2",
        title="Exercise 1.2: symmetries",
        claim="If symmetric boards share their value, it learns faster; but against an opponent "
        "that does not play alike in them, they should not.",
        sources=["sutton-barto-2018"],
        where=BOOK + "2, which asks in what ways it would help, and whether it is right" + ASKED,
        done="It learned from fixed, who plays the first empty square, and from random, with and "
        "without symmetries and with {seeds} seeds each, and was judged exactly; taught by random "
        "also on the way.",
        limits=LIMITS,
        agents=["td-afterstates"],
        parts=[
            claim.Part(
                "With shared values it learns faster.",
                "With shared values it does not learn faster.",
            ),
            claim.Part(
                "Against an opponent that does not play alike its values are further off.",
                "Even against an opponent that does not play alike its values are no further off.",
            ),
        ],
        tell=tell_symmetries,
        sweeps=[
            claim.Sweep(
                {PLAIN: "td-afterstates", SYMMETRIC: "td-afterstates,symmetric=yes"}, MARKS
            ),
            claim.Sweep(
                {
                    PLAIN_FIXED: "td-afterstates,vs=fixed",
                    SYMMETRIC_FIXED: "td-afterstates,vs=fixed,symmetric=yes",
                },
                END,
            ),
        ],
    ),
    claim.Experiment(
        id="sutton-barto-3",
        title="Exercise 1.3: greedy play",
        claim="A learner that always plays the move it rates highest learns to play worse than one "
        "that explores.",
        sources=["sutton-barto-2018"],
        where=BOOK + "3, which asks what problems might occur" + ASKED,
        done="It learned against random, and in self-play in which both sides learn, with {seeds} "
        "seeds each, exploring a tenth of its moves or none, and its greedy play was judged "
        "exactly.",
        limits=LIMITS,
        agents=["td-afterstates"],
        parts=[
            claim.Part(
                "Without exploration it wins less against random.",
                "Without exploration it wins as much against random.",
            ),
            claim.Part(
                "In self-play it becomes easier to beat.",
                "In self-play it becomes no easier to beat.",
            ),
        ],
        tell=tell_greedy,
        sweeps=[
            claim.Sweep(
                {
                    EXPLORES: "td-afterstates",
                    GREEDY: "td-afterstates,epsilon=0",
                    EXPLORES_ITSELF: "td-afterstates,vs=both",
                    GREEDY_ITSELF: "td-afterstates,vs=both,epsilon=0",
                },
                END,
            )
        ],
    ),
    claim.Experiment(
        id="sutton-barto-4",
        title="Exercise 1.4: learning from exploration",
        claim="Values learned from greedy moves only are those of playing greedily, and win more "
        "then; values learned from all moves are those of going on exploring, and win more so.",
        sources=["sutton-barto-2018"],
        where=BOOK + "4, which asks which set of values wins more" + ASKED,
        done="It learned from random with {seeds} seeds each, from its greedy moves only or from "
        "all. Its play was judged exactly twice: greedy, and with a tenth of the moves at random "
        "as in training.",
        limits=LIMITS
        + " Its step size stays what it is, so both sets of values go on fluctuating.",
        agents=["td-afterstates"],
        parts=[
            claim.Part(
                "Values of greedy moves win more in greedy play.",
                "Values of greedy moves do not win more in greedy play.",
            ),
            claim.Part(
                "Values of all moves win more in exploring play.",
                "That values of all moves win more in exploring play could not be told from "
                "chance.",
            ),
        ],
        tell=tell_exploration,
        sweeps=[
            claim.Sweep(
                {FROM_GREEDY: "td-afterstates", FROM_ALL: "td-afterstates,learn_from=all"},
                BOTH,
            )
        ],
    ),
    claim.Experiment(
        id="sutton-barto-5",
        title="Exercise 1.5: other improvements",
        claim="The learner can be improved in other ways, and there are better ways to solve the "
        "problem as posed.",
        sources=["sutton-barto-2018"],
        where=BOOK + "5, which asks for both" + ASKED,
        done="Each change was tried alone, with {seeds} seeds: step size or exploration that fall, "
        "symmetries, optimistic initial values, self-play in which both sides learn. Beside them "
        "stands the champion, which keeps what a move is worth at least and at most.",
        limits=f"{LIMITS} The champion is told the result of a game and the rules, as they "
        "are, but knows that its opponent answers as well as possible.",
        agents=["td-afterstates", "champion"],
        parts=[
            claim.Part(
                "There are changes that leave fewer blunders.", "No change leaves fewer blunders."
            ),
            claim.Part(
                "A learner that keeps bounds in place of averages solves the game.",
                "A learner that keeps bounds in place of averages does not solve the game.",
            ),
        ],
        tell=tell_improvements,
        sweeps=[claim.Sweep({AS_IT_IS: "td-afterstates", **OTHERS, CHAMPION: "champion"}, END)],
    ),
]
