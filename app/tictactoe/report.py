"""Compute the exact results of an agent, its blunders, and games that it loses.

The results are the figures on the agent's card, which is the JSON file beside its arrays.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Annotated, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.tictactoe.game import SEATS, BoolArray, Game, X
from app.tictactoe.policy import (
    BASELINES,
    PlayRule,
    Policy,
    compute_optimal_q,
    find_best_moves,
    policy_from_values,
)
from app.tictactoe.tasks import TrainingTask, find_reachable_moves, solve_task
from app.tictactoe.values import (
    PolicyMoves,
    Values,
    collect_policy_moves,
    compute_best_responses,
    compute_match_results,
    find_likeliest_game,
    iterate_matches,
    join_policy_moves,
)
from app.tictactoe.views import RewardScale, scale_values_of_movers

EntryType = TypeVar("EntryType")
Chance = Annotated[float, Meta(ge=0, le=1)]
# The chances of a win, a draw and a loss. The type is not tuple[Chance, Chance, Chance], because
# its JSON schema has `items: false`, which few tools can read.
Chances = Annotated[tuple[Chance, ...], Meta(min_length=3, max_length=3)]
Count = Annotated[int, Meta(ge=0)]
Distance = Annotated[float, Meta(ge=0)]
FIGURE_DECIMALS = 9


class BySeat(
    msgspec.Struct, Generic[EntryType], frozen=True, forbid_unknown_fields=True
):
    """A list for X and a list for O, with an entry for each snapshot.

    Attributes:
        x: The results when the agent plays X: one entry for each snapshot (or epoch) of the training.
        o: The results when the agent plays O: one entry for each snapshot (or epoch) of the training.
    """

    x: list[EntryType]
    o: list[EntryType]


class ChancesBySeat(BySeat[Chances], frozen=True):
    """The probabilities of a win, a draw and a loss, as X and as O, at each snapshot."""


class CountsBySeat(BySeat[Count], frozen=True):
    """The number of positions in which the agent can blunder, as X and as O, at each snapshot."""


class RatesBySeat(BySeat[Chance], frozen=True):
    """The share of games that the agent won, as X and as O, in each epoch of the training."""


class TaskDistance(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "largest_distance": "largest",
        "mean_distance": "mean",
        "largest_reachable_distance": "largest_reached",
        "mean_reachable_distance": "mean_reached",
    },
):
    """How far an agent's values are from the exact values of its training task, in units of reward.

    Attributes:
        largest_distance: The largest difference between a learned and an exact value, over all moves,
            at each snapshot.
        mean_distance: The mean difference between a learned and an exact value, over all moves, at each
            snapshot.
        largest_reachable_distance: The largest difference between a learned and an exact value, over
            the moves that can occur in the training task, at each snapshot.
        mean_reachable_distance: The mean difference between a learned and an exact value, over the
            moves that can occur in the training task, at each snapshot.
    """

    largest_distance: list[Distance]
    mean_distance: list[Distance]
    largest_reachable_distance: list[Distance]
    mean_reachable_distance: list[Distance]


class Figures(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "snapshot_updates": "updates",
        "outcome_chances_by_baseline": "vs",
        "correct_class_shares": "classes_right",
        "task_distance": "task",
    },
):
    """The exact results of an agent at each snapshot; the last snapshot is the final agent.

    Attributes:
        snapshot_updates: The number of updates in the training before each snapshot.
        outcome_chances_by_baseline: The probabilities that the agent wins, draws and loses against
            each baseline.
        best_response: The probabilities that the agent wins, draws and loses against its best
            responder.
        nash_conv: NashConv at each snapshot: the mean result of the best responder as X plus that as
            O, where a win is 1, a draw 0 and a loss -1. It is 0 for an agent that cannot be beaten.
        blunders: The number of positions in which the agent can blunder, at each snapshot.
        reachable_blunders: The number of positions that the agent's games can reach and in which the
            agent can blunder, for each seat.
        correct_class_shares: The share of moves whose learned value is nearer to the result of optimal
            play (win, draw or loss) than to the other two results. It is null if the values are not
            expected results.
        task_distance: The difference between the agent's values and the exact values of the training
            task. It is null if the task has no exact values because the opponents learned, too.
    """

    snapshot_updates: list[Count]
    outcome_chances_by_baseline: dict[str, ChancesBySeat]
    best_response: ChancesBySeat
    nash_conv: list[Annotated[float, Meta(ge=0, le=2)]]
    blunders: list[Count]
    reachable_blunders: CountsBySeat
    correct_class_shares: list[Chance] | None
    task_distance: TaskDistance | None


class PolicyResults(NamedTuple):
    """The results of T policies, as the chances that X wins, of a draw, and that O wins."""

    # [2, L, T, 3] as X and as O, against each of L baselines
    outcome_chances_by_baseline: Values
    # [2, T, 3] as X and as O, against the policy's best responder
    best_response_chances: Values
    # [2, T, D] whether the policy can reach each position, as X and as O
    is_reachable: BoolArray


def evaluate_policies(game: Game, policies: Values) -> PolicyResults:
    vs, reachable = _evaluate_against_baselines(game, policies)
    worst = []
    for seat in SEATS.values():
        _, chances = compute_best_responses(game, policies, -seat)
        worst.append(chances[..., 0].T)
    return PolicyResults(vs, np.stack(worst), reachable)


def compute_figures(
    game: Game,
    tables: NDArray[np.floating],
    updates: Iterable[int],
    reward_scale: RewardScale | None,
    play_rule: PlayRule = "greedy",
    task: TrainingTask | None = None,
    evaluate: Callable[[Game, Values], PolicyResults] = evaluate_policies,
) -> Figures:
    """Return the exact results (figures) of an agent at T snapshots of its training.

    `tables`, [T, P], has the values of the legal moves at each snapshot, in the mover's view.
    `updates` has the number of updates before each snapshot. `reward_scale` is None if the values
    are not expected rewards. `play_rule` says how the agent chooses moves by its values. `task` is
    its training task, or None if the task has no exact values. `evaluate` can be replaced by a
    faster function with the same results.
    """
    policies: Values = game.gather_pairs(
        policy_from_values(game.spread_pairs(tables), play_rule)
    )
    followed = evaluate(game, policies)
    beaten = _split_by_seat(followed.best_response_chances)
    # A best responder's mean result is its chance of a win minus its chance of a loss. The sum over
    # both seats is NashConv, because the values of both seats add up to 0.
    gains = [
        round_figure(as_x[2] - as_x[0] + as_o[2] - as_o[0])
        for as_x, as_o in zip(beaten.x, beaten.o, strict=True)
    ]
    blundering = _find_blunders_of_policies(game, policies)
    return Figures(
        snapshot_updates=list(updates),
        outcome_chances_by_baseline={
            name: _split_by_seat(followed.outcome_chances_by_baseline[:, number])
            for number, name in enumerate(BASELINES)
        },
        best_response=beaten,
        nash_conv=gains,
        blunders=blundering.sum(axis=1).tolist(),
        reachable_blunders=CountsBySeat(
            *(
                (blundering & reachable).sum(axis=1).tolist()
                for reachable in followed.is_reachable
            )
        ),
        correct_class_shares=None
        if reward_scale is None
        else _compute_correct_class_shares(game, tables, reward_scale),
        task_distance=None
        if task is None
        else _measure_task_distance(game, tables, task),
    )


def compute_policy_figures(game: Game, policy: Policy) -> Figures:
    chances = policy[game.legal][None]
    return compute_figures(game, chances, [0], RewardScale(), "proportional")


def compute_chances(
    game: Game, opponent: Policy, policy: Policy, player: int
) -> Chances:
    both = collect_policy_moves(game, np.stack([policy, opponent])[:, game.legal])
    own = np.array([0])
    other = np.array([1])
    x, o = (own, other) if player == X else (other, own)
    return _convert_to_players_view(compute_match_results(game, both, x, o), player)[0]


def find_lost_game(game: Game, policy: Policy, player: int) -> str | None:
    """Return the record of the likeliest game that `policy` loses as `player` (+1 X, -1 O).

    Only the chances of the policy's moves count; the opponent may play any moves. The result is
    None if no opponent can win.
    """
    anything = game.legal.astype(np.float64)
    x, o = (policy, anything) if player == X else (anything, policy)
    return find_likeliest_game(game, x, o, -player)


def find_lost_games(game: Game, policy: Policy) -> dict[str, str | None]:
    return {
        seat: find_lost_game(game, policy, player) for seat, player in SEATS.items()
    }


def find_blunders(game: Game, policy: Policy) -> BoolArray:
    (blundering,) = _find_blunders_of_policies(game, policy[None, game.legal])
    return np.asarray(blundering)


def _evaluate_against_baselines(
    game: Game, policies: Values
) -> tuple[Values, BoolArray]:
    snapshots = len(policies)
    rivals = len(BASELINES)
    players = join_policy_moves(
        collect_policy_moves(game, policies), _collect_baseline_moves(game)
    )
    # Match r * T + t is played by policy t and baseline r. The baselines are the players after the
    # T policies.
    own = np.tile(np.arange(snapshots), rivals)
    other = snapshots + np.repeat(np.arange(rivals), snapshots)
    # The random player may make every move, so its matches reach all reachable decisions.
    first_random = list(BASELINES).index("random") * snapshots
    against_random = slice(first_random, first_random + snapshots)
    reachable = np.zeros((2, snapshots, game.decisions), np.bool_)
    chances = np.empty((2, rivals, snapshots, 3))
    for seat, (x, o) in enumerate([(own, other), (other, own)]):
        *plies, (_, ends) = iterate_matches(game, players, x, o)
        # The policies move in every second ply, from ply 0 as X and from ply 1 as O.
        for rows, chance in plies[seat::2]:
            reachable[seat][:, rows] = chance[against_random] > 0
        chances[seat] = ends.reshape(rivals, snapshots, 3)
    return chances, reachable


@lru_cache(maxsize=2)
def list_baseline_policies(game: Game) -> Values:
    return np.stack(
        [baseline.build_policy(game)[game.legal] for baseline in BASELINES.values()]
    )


@lru_cache(maxsize=2)
def _collect_baseline_moves(game: Game) -> PolicyMoves:
    return collect_policy_moves(game, list_baseline_policies(game))


def _find_blunders_of_policies(game: Game, policies: Values) -> BoolArray:
    wrong = (policies > 0) & ~find_best_moves(game)[game.legal]
    can_blunder: BoolArray = np.logical_or.reduceat(wrong, game.first_pair[:-1], axis=1)
    return can_blunder


def _compute_correct_class_shares(
    game: Game, tables: NDArray[np.floating], reward_scale: RewardScale
) -> list[float]:
    """Return for each table, [T, P], the share of values nearest to the result of optimal play.

    On the common scale, a value above 1/2 is nearest to a win and one below -1/2 to a loss.
    """
    mover = game.to_move[game.pair_decision]
    right = (
        np.rint(scale_values_of_movers(mover, tables, reward_scale))
        == compute_optimal_q(game)[game.legal]
    )
    return [round_figure(share) for share in right.mean(axis=1)]


def _measure_task_distance(
    game: Game, tables: NDArray[np.floating], task: TrainingTask
) -> TaskDistance:
    exact = solve_task(game, task)[game.legal]
    distances = np.abs(tables - exact)
    reached = distances[:, find_reachable_moves(game, task)[game.legal]]
    measures = (
        distances.max(axis=1),
        distances.mean(axis=1),
        reached.max(axis=1),
        reached.mean(axis=1),
    )
    return TaskDistance(
        *([round_figure(distance) for distance in each] for each in measures)
    )


def _split_by_seat(chances: Values) -> ChancesBySeat:
    """Return the chances of a win, a draw and a loss as X and as O.

    `chances`, [2, T, 3], are the chances that X wins, of a draw, and that O wins.
    """
    return ChancesBySeat(*map(_convert_to_players_view, chances, SEATS.values()))


def _convert_to_players_view(chances: Values, player: int) -> list[Chances]:
    """Return a player's rounded chances of a win, a draw and a loss.

    `chances`, [N, 3], are the chances that X wins, of a draw, and that O wins.
    """
    # This turns -0.0 into 0.0.
    own = np.round(chances[:, ::player], FIGURE_DECIMALS) + 0.0
    return [(win, draw, loss) for win, draw, loss in np.clip(own, 0, 1).tolist()]


def round_figure(figure: float) -> float:
    """Round a number to the precision of cards, which hides rounding errors."""
    return round(float(figure), FIGURE_DECIMALS) + 0.0
