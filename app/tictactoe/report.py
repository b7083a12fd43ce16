"""An agent judged exactly: the figures of its card, its blunders, and the game that beats it."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.own_play import move_chances
from app.tictactoe.policy import BASELINES, Policy, best_moves, greedy, optimal_q
from app.tictactoe.values import (
    best_response,
    likeliest_game,
    outcome_chances,
)
from app.tictactoe.views import Worth, common_scale

Entry = TypeVar("Entry")
Chances = tuple[float, float, float]  # win, draw, loss, from the agent's own side
DECIMALS = 9  # of what a card records


class BySeat(msgspec.Struct, Generic[Entry], frozen=True, forbid_unknown_fields=True):
    """A list for each seat, with one entry a snapshot."""

    x: list[Entry]
    o: list[Entry]


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is exactly true of an agent at each of its snapshots, the last one as shipped."""

    updates: list[int]
    vs: dict[str, BySeat[Chances]]
    best_response: BySeat[Chances]  # what is left to the agent in that seat
    nash_conv: list[float]  # what the best responders gain, added over both seats
    blunders: list[int]  # decisions whose greedy move can drop the value of the game
    reachable_blunders: BySeat[int]  # those that its own play in that seat can meet
    classes_right: list[float]  # share of pairs whose value is nearest to the true outcome


def report(
    game: Game, tables: NDArray[np.floating], updates: Iterable[int], worth: Worth
) -> Figures:
    """Judge a table at each of its snapshots by its greedy play.

    `tables` is [T, D, cells] in the mover's view, `updates` says after how many updates each was
    taken, and `worth` what its rewards mean.
    """
    policies = [greedy(q) for q in tables]

    def by_seat(judge: Callable[[Policy, int], Entry]) -> BySeat[Entry]:
        return BySeat(*([judge(policy, seat) for policy in policies] for seat in (X, O)))

    opponents = {name: baseline.policy(game) for name, baseline in BASELINES.items()}
    beaten = by_seat(partial(chances_at_worst, game))
    return Figures(
        updates=list(updates),
        vs={
            name: by_seat(partial(chances_against, game, opponent))
            for name, opponent in opponents.items()
        },
        best_response=beaten,
        nash_conv=[
            _rounded(x[2] - x[0] + o[2] - o[0]) for x, o in zip(beaten.x, beaten.o, strict=True)
        ],
        blunders=[int(blunders(game, policy).sum()) for policy in policies],
        reachable_blunders=by_seat(partial(_count_reachable_blunders, game)),
        classes_right=[_rounded(classes_right(game, q, worth)) for q in tables],
    )


def chances_against(game: Game, opponent: Policy, policy: Policy, seat: int) -> Chances:
    """Win, draw, loss of `policy` in this seat (+1 X, -1 O) against `opponent`, rounded."""
    x, o = (policy, opponent) if seat == X else (opponent, policy)
    return _own_side(outcome_chances(game, x, o)[0], seat)


def chances_at_worst(game: Game, policy: Policy, seat: int) -> Chances:
    """Win, draw, loss left to `policy` in this seat against its best responder, rounded."""
    return _own_side(best_response(game, policy, -seat).chances[0], seat)


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
    played: NDArray[np.bool_] = policy > 0
    blundering: NDArray[np.bool_] = np.logical_or.reduce(played & ~best_moves(game), axis=1)
    return blundering


def reachable(game: Game, policy: Policy, seat: int) -> NDArray[np.bool_]:
    """Whether `policy` in this seat can come to move at a decision, whoever it plays, [D]."""
    moved = np.logical_or.reduce(move_chances(game, policy, seat) > 0, axis=1)
    own_decisions: NDArray[np.bool_] = moved & (game.to_move == seat)
    return own_decisions


def classes_right(game: Game, q: NDArray[np.floating], worth: Worth) -> float:
    """Share of legal pairs whose value, [D, cells], is nearer to the true outcome than to another.

    The scale is that of `common_scale`, so the borders lie at -1/2 and +1/2.
    """
    truth = optimal_q(game)
    right = np.rint(common_scale(game, q, worth)) == truth
    return float(right[game.legal].mean())


def _count_reachable_blunders(game: Game, policy: Policy, seat: int) -> int:
    return int((blunders(game, policy) & reachable(game, policy, seat)).sum())


def _own_side(chances: NDArray[np.float64], seat: int) -> Chances:
    win, draw, loss = (_rounded(chance) for chance in chances[::seat])
    return win, draw, loss


def _rounded(figure: float) -> float:
    return round(float(figure), DECIMALS) + 0.0  # never -0.0
