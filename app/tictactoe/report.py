"""An agent judged exactly: the figures of its card, its blunders, and the game that beats it."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Generic, TypeVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.own_play import move_chances
from app.tictactoe.policy import BASELINES, Plays, Policy, best_moves, optimal_q, policy_of
from app.tictactoe.tasks import Task, reachable_pairs, task_q
from app.tictactoe.values import Values, likeliest_game, meet, reached, respond
from app.tictactoe.views import Worth, common_scale

Entry = TypeVar("Entry")
Chance = Annotated[float, Meta(ge=0, le=1)]
Chances = tuple[Chance, Chance, Chance]  # win, draw, loss, from the agent's own side
Count = Annotated[int, Meta(ge=0)]
Distance = Annotated[float, Meta(ge=0)]
DECIMALS = 9  # of what a card records


class BySeat(msgspec.Struct, Generic[Entry], frozen=True, forbid_unknown_fields=True):
    """A list for each seat, with one entry a snapshot."""

    x: Annotated[list[Entry], Meta(description="As X, one entry a snapshot (or epoch).")]
    o: Annotated[list[Entry], Meta(description="As O, one entry a snapshot (or epoch).")]


class TaskDistance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a table is from the exact values of its own task, in its own units."""

    largest: Annotated[list[Distance], Meta(description="Largest difference, of all pairs.")]
    mean: Annotated[list[Distance], Meta(description="Mean difference, over all pairs.")]
    largest_reached: Annotated[
        list[Distance], Meta(description="Largest difference, of the pairs its task can reach.")
    ]
    mean_reached: Annotated[
        list[Distance], Meta(description="Mean difference, over the pairs its task can reach.")
    ]


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is exactly true of an agent at each of its snapshots, the last one as shipped."""

    updates: Annotated[
        list[Count], Meta(description="Updates made by each snapshot; the last one is the agent.")
    ]
    vs: Annotated[
        dict[str, BySeat[Chances]],
        Meta(description="Chances of win, draw, loss against each baseline, its own side."),
    ]
    best_response: Annotated[
        BySeat[Chances], Meta(description="Chances against the agent's best responder.")
    ]
    nash_conv: Annotated[
        list[Annotated[float, Meta(ge=0, le=2)]],
        Meta(description="What the best responders of both seats gain together; 0 for nothing."),
    ]
    blunders: Annotated[
        list[Count],
        Meta(description="Decisions in which its move can give away the value of the game."),
    ]
    reachable_blunders: Annotated[
        BySeat[Count], Meta(description="Those of them that its own play in a seat can meet.")
    ]
    classes_right: Annotated[
        list[Chance] | None,
        Meta(
            description="Share of its values that are nearest to the true outcome; null where "
            "they are no expected outcomes."
        ),
    ]
    task: Annotated[
        TaskDistance | None,
        Meta(
            description="How far it is from what it was asked to learn; null where its opponents "
            "learned too, so that there is no such table."
        ),
    ]


def report(
    game: Game,
    tables: NDArray[np.floating],
    updates: Iterable[int],
    worth: Worth | None,
    plays: Plays = "greedy",
    task: Task | None = None,
) -> Figures:
    """Judge a table at each of its snapshots by its play, all of them in one pass.

    `tables` is [T, P] in the mover's view, the legal pairs of each snapshot, `updates` says after
    how many updates each was taken, `worth` what its rewards mean, if its values are made of them,
    `plays` how it plays by its values, and `task` what it was asked to learn, if there is such a
    table.
    """
    policies: Values = policy_of(game.spread(tables), plays)[:, game.legal]
    vs, met = _against_baselines(game, policies)
    beaten = BySeat(*(_worst_chances(game, policies, seat) for seat in (X, O)))
    blundering = _blundering(game, policies)
    return Figures(
        updates=list(updates),
        vs=vs,
        best_response=beaten,
        nash_conv=[
            _rounded(x[2] - x[0] + o[2] - o[0]) for x, o in zip(beaten.x, beaten.o, strict=True)
        ],
        blunders=blundering.sum(axis=1).tolist(),
        reachable_blunders=BySeat(
            *((blundering & met[seat]).sum(axis=1).tolist() for seat in (X, O))
        ),
        classes_right=None if worth is None else _classes_right(game, tables, worth),
        task=None if task is None else _task_distance(game, tables, task),
    )


def chances_against(game: Game, opponent: Policy, policy: Policy, seat: int) -> Chances:
    """Win, draw, loss of `policy` in this seat (+1 X, -1 O) against `opponent`, rounded."""
    both = np.stack([policy, opponent])[:, game.legal]
    x, o = np.array([[0], [1]] if seat == X else [[1], [0]])
    return _own_side(meet(game, both, x, o), seat)[0]


def chances_at_worst(game: Game, policy: Policy, seat: int) -> Chances:
    """Win, draw, loss left to `policy` in this seat against its best responder, rounded."""
    return _worst_chances(game, policy[None, game.legal], seat)[0]


def losing_game(game: Game, policy: Policy, seat: int) -> str | None:
    """Return the game that `policy` loses in this seat and is likeliest to allow, if there is one.

    How likely it is follows from the policy's own moves: whoever plays against it just plays the
    others.  None is a proof that nobody ever beats it there.
    """
    anything = game.legal.astype(np.float64)
    x, o = (policy, anything) if seat == X else (anything, policy)
    return likeliest_game(game, x, o, -seat)


def blunders(game: Game, policy: Policy) -> NDArray[np.bool_]:
    """Whether the policy's move can drop the value of the game, for each decision, [D]."""
    (blundering,) = _blundering(game, policy[None, game.legal])
    return np.asarray(blundering)


def reachable(game: Game, policy: Policy, seat: int) -> NDArray[np.bool_]:
    """Whether `policy` in this seat can come to move at a decision, whoever it plays, [D]."""
    moved = np.logical_or.reduce(move_chances(game, policy, seat) > 0, axis=1)
    own_decisions: NDArray[np.bool_] = moved & (game.to_move == seat)
    return own_decisions


def _against_baselines(
    game: Game, policies: Values
) -> tuple[dict[str, BySeat[Chances]], dict[int, NDArray[np.bool_]]]:
    """Let T policies, [T, P], meet every baseline in both seats.

    Returns their chances, and for each seat in which decisions they can come to move, [T, D].
    """
    opponents = _baselines(game)
    snapshots, rivals = len(policies), len(opponents)
    everybody = np.concatenate([policies, opponents])
    own = np.tile(np.arange(snapshots), rivals)
    other = snapshots + np.repeat(np.arange(rivals), snapshots)
    seats = {X: (own, other), O: (other, own)}
    at_random = list(BASELINES).index("random") * snapshots  # who may answer anything
    met = {seat: np.zeros((snapshots, game.decisions), np.bool_) for seat in seats}
    chances: dict[str, list[list[Chances]]] = {name: [] for name in BASELINES}
    for seat, (x, o) in seats.items():
        *plies, (_, ends) = reached(game, everybody, x, o)
        for rows, chance in plies[0 if seat == X else 1 :: 2]:
            met[seat][:, rows] = chance[at_random : at_random + snapshots] > 0
        for number, name in enumerate(BASELINES):
            of = slice(number * snapshots, (number + 1) * snapshots)
            chances[name].append(_own_side(ends[of], seat))
    return {name: BySeat(*both) for name, both in chances.items()}, met


@lru_cache(maxsize=2)
def _baselines(game: Game) -> Values:
    """Return the baselines' chances of the legal pairs, [L, P]."""
    return np.stack([baseline.policy(game)[game.legal] for baseline in BASELINES.values()])


def _worst_chances(game: Game, policies: Values, seat: int) -> list[Chances]:
    _, chances = respond(game, policies, -seat)
    return _own_side(chances[..., 0].T, seat)


def _blundering(game: Game, policies: Values) -> NDArray[np.bool_]:
    """Whether each of T policies, [T, P], can drop the value of the game, [T, D]."""
    wrong = (policies > 0) & ~best_moves(game)[game.legal]
    blundering: NDArray[np.bool_] = np.logical_or.reduceat(wrong, game.pair_start[:-1], axis=1)
    return blundering


def _classes_right(game: Game, tables: NDArray[np.floating], worth: Worth) -> list[float]:
    """Share of legal pairs whose value, [T, P], is nearer to the true outcome than to another.

    The scale is that of `common_scale`, so the borders lie at -1/2 and +1/2.
    """
    mover = np.repeat(game.to_move, np.diff(game.pair_start))
    right = np.rint(common_scale(mover, tables, worth)) == optimal_q(game)[game.legal]
    return [_rounded(share) for share in right.mean(axis=1)]


def _task_distance(game: Game, tables: NDArray[np.floating], task: Task) -> TaskDistance:
    off = np.abs(tables - task_q(game, task)[game.legal])
    within = off[:, reachable_pairs(game, task)[game.legal]]
    measures = (off.max(axis=1), off.mean(axis=1), within.max(axis=1), within.mean(axis=1))
    return TaskDistance(*([_rounded(distance) for distance in each] for each in measures))


def _own_side(chances: Values, seat: int) -> list[Chances]:
    """Turn chances of X winning, a draw, O winning, [N, 3], into those of a seat, rounded."""
    own = np.round(chances[:, ::seat], DECIMALS) + 0.0  # never -0.0
    return [(win, draw, loss) for win, draw, loss in np.clip(own, 0, 1).tolist()]


def _rounded(figure: float) -> float:
    return round(float(figure), DECIMALS) + 0.0
