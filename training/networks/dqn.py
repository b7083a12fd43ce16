"""Deep Q-learning: a network in place of the table, trained on minibatches from a replay buffer.

Source: Mnih et al. (2015), "Human-level control through deep reinforcement learning", algorithm 1.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.recipes.algorithms import Dqn
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import BASELINES, Policy, epsilon_greedy_policy
from training.learners.phases import Epoch, NextCheckpoint, Progress
from training.networks import net

# the next position if the game is over
NO_NEXT_STATE = -1
# A win is 1, a draw 0, another loss -1.
ILLEGAL_LOSS = -2
# The recipe's parameter `networks` says whether X and O share a network.
SEATS_OF_NETWORKS = {
    "shared": ((X, O),),
    "separate": ((X,), (O,)),
}

Numbers = NDArray[np.int32]


class PlayedGames(NamedTuple):
    """The positions and moves of N games that are played in parallel.

    A finished game keeps its last position. After an illegal move the position is S, the number of
    all positions.
    """

    # [cells + 2, N] the position before each ply; the last two rows are equal
    position: Numbers
    # [cells, N] the cell that is played at each ply; 0 after the end
    cell: Numbers


class EpochShares(NamedTuple):
    """A player's results in the games of an epoch, as shares of the games."""

    won: float
    # illegal moves included
    lost: float
    # lost by an illegal move
    forfeited: float


class MoveArrays(NamedTuple):
    """Moves of the learner in arrays of equal shape; a reward is that after the opponent's reply."""

    decision: Numbers
    cell: Numbers
    reward: NDArray[np.float32]
    # the position in which the learner moves next, or NO_NEXT_STATE
    next_decision: Numbers


class NetworkTrainee(NamedTuple):
    """A network in training, the seats that it plays, and its replay buffer."""

    seats: tuple[int, ...]
    state: net.TrainingState
    replay_buffer: MoveArrays
    # the number of steps of Adam in each epoch
    step_count: int


SampleCallback = Callable[[NetworkTrainee, MoveArrays], None]


def learn(
    game: Game,
    recipe: Dqn,
    next_checkpoint: NextCheckpoint,
    on_sample: SampleCallback | None = None,
) -> Iterator[Progress]:
    """Train in epochs: play games as X and as O against an opponent, then train the network.

    The games of an epoch are followed by `steps` steps of Adam. Each step samples a minibatch of
    `batch` moves from the last `memory` moves. Its loss is `net.compute_loss`, and the target of a
    move is r + gamma max Q(s', .). The network at the end of an epoch chooses the moves in the
    games of the next epoch; it is also the target network of that epoch's steps. Epsilon changes
    linearly from the first epoch to the last. If X and O have separate networks, these divide the
    steps between them, and each has a replay buffer with the moves of its own seat.

    With guard rails only legal moves are played, and a target of -5 pulls down the outputs of
    illegal moves. Without guard rails the network does not know which moves are legal: it chooses
    among all cells, and the maximum in its targets is over all cells. An illegal move then ends the
    game with the reward -5.

    An update is one step of Adam. The visits of a move count how often it was added to a replay
    buffer. Every epoch is reported, so `next_checkpoint` is not called. In each epoch `on_sample`
    gets each network as it is before its steps, and the moves that are sampled for them.
    """
    rng = np.random.default_rng(recipe.seed)
    inputs = net.build_inputs(game, recipe.encoding, recipe.convolution)
    trainees = _make_trainees(rng, game, recipe, inputs)
    outputs = _compute_outputs(game, trainees, inputs)
    q = np.where(game.legal, outputs, np.float32(np.nan))
    visits = np.zeros_like(outputs, np.uint32)
    yield Progress(0.0, 0, 0, q, visits.copy())
    opponents = _list_opponents(game, recipe)
    epsilons = np.linspace(recipe.epsilon, recipe.epsilon_last, len(opponents)).tolist()
    for epoch, (opponent, epsilon) in enumerate(
        zip(opponents, epsilons, strict=True), start=1
    ):
        behaviour = q if recipe.guard_rails else outputs
        own = epsilon_greedy_policy(behaviour, epsilon)
        games = {
            X: play_games(game, rng, own, opponent, recipe.games),
            O: play_games(game, rng, opponent, own, recipe.games),
        }
        new = _list_moves(game, recipe, games)
        for moves in new.values():
            np.add.at(
                visits,
                (moves.decision, moves.cell),
                game.legal[moves.decision, moves.cell],
            )
        trainees = [
            _train_epoch(rng, game, recipe, trainee, inputs, behaviour, new, on_sample)
            for trainee in trainees
        ]
        met = np.concatenate([moves.decision for moves in new.values()])
        # `outputs` still has the outputs by which the moves in these games were chosen.
        illegal_share_in_games = compute_illegal_share(game, outputs, met)
        outputs = _compute_outputs(game, trainees, inputs)
        q = np.where(game.legal, outputs, np.float32(np.nan))
        yield Progress(
            finished_share=epoch / len(opponents),
            games=epoch * 2 * recipe.games,
            updates=epoch * recipe.steps,
            q=q,
            visits=visits.copy(),
            epoch=_summarize_epoch(game, games, outputs, illegal_share_in_games),
        )


def _make_trainees(
    rng: np.random.Generator, game: Game, recipe: Dqn, inputs: net.Array
) -> list[NetworkTrainee]:
    """Return the networks of a recipe before training: one, or one for X and one for O."""
    seats = SEATS_OF_NETWORKS[recipe.networks]
    trainees = []
    for number, own_seats in enumerate(seats):
        network = net.make_network(rng, inputs, recipe.hidden_layer_widths, game.cells)
        state = net.start_training(network, seed=int(rng.integers(1 << 31)))
        # Separate networks divide the steps of an epoch; an odd step goes to that of X.
        steps = (recipe.steps + len(seats) - 1 - number) // len(seats)
        trainees.append(NetworkTrainee(own_seats, state, make_empty_buffer(), steps))
    return trainees


def _list_opponents(game: Game, recipe: Dqn) -> list[Policy]:
    return [
        policy
        for opponent, epochs in recipe.phases
        for policy in [BASELINES[opponent].build_policy(game)] * epochs
    ]


def _list_moves(
    game: Game, recipe: Dqn, games: Mapping[int, PlayedGames]
) -> dict[int, MoveArrays]:
    rewards = (net.ILLEGAL_TARGET, *recipe.get_reward_scale().x)
    return {
        seat: extract_moves(game, games[seat], seat, rewards, recipe.step)
        for seat in games
    }


def _train_epoch(
    rng: np.random.Generator,
    game: Game,
    recipe: Dqn,
    trainee: NetworkTrainee,
    inputs: net.Array,
    target_outputs: NDArray[np.float32],
    new_moves: Mapping[int, MoveArrays],
    on_sample: SampleCallback | None,
) -> NetworkTrainee:
    """Return a network after the steps of an epoch.

    `target_outputs`, [D, cells], are the outputs of the target network. `new_moves` has the moves
    of this epoch as X and as O.
    """
    buffer = append_moves(
        trainee.replay_buffer,
        [new_moves[seat] for seat in trainee.seats],
        recipe.memory,
    )
    moves = sample_moves(buffer, rng, (trainee.step_count, recipe.batch))
    if on_sample:
        on_sample(trainee, moves)
    batches = net.Minibatches(
        moves.decision, moves.cell, compute_targets(target_outputs, moves, recipe.gamma)
    )
    guarded = ~game.legal & recipe.guard_rails
    squared = recipe.error == "squared"
    others = target_outputs if recipe.outputs == "all" else None
    state = net.train_steps(
        trainee.state, inputs, guarded, batches, recipe.step_size, squared, others
    )
    return trainee._replace(state=state, replay_buffer=buffer)


def _summarize_epoch(
    game: Game,
    games: Mapping[int, PlayedGames],
    outputs: NDArray[np.float32],
    illegal_share_in_games: float,
) -> Epoch:
    as_x = compute_epoch_shares(game, games[X], X)
    as_o = compute_epoch_shares(game, games[O], O)
    return Epoch(
        won=(as_x.won, as_o.won),
        lost=(as_x.lost, as_o.lost),
        forfeited=(as_x.forfeited, as_o.forfeited),
        illegal_share=compute_illegal_share(game, outputs, slice(None)),
        illegal_share_in_games=illegal_share_in_games,
    )


def compute_illegal_share(
    game: Game, outputs: NDArray[np.float32], decisions: NDArray[np.int32] | slice
) -> float:
    """Return in how many positions an illegal move has the highest output, from 0 to 1.

    `decisions` are the positions, and `outputs`, [D, cells], has the outputs in all positions.
    """
    highest = outputs.argmax(axis=1)
    is_legal = game.legal[np.arange(game.decisions), highest]
    return float((~is_legal[decisions]).mean())


def _compute_outputs(
    game: Game, trainees: Sequence[NetworkTrainee], inputs: net.Array
) -> NDArray[np.float32]:
    outputs = [
        net.compute_outputs(trainee.state.network, inputs) for trainee in trainees
    ]
    return np.where(game.to_move[:, None] == X, outputs[0], outputs[-1])


def play_games(
    game: Game,
    rng: np.random.Generator,
    x_policy: Policy,
    o_policy: Policy,
    game_count: int,
) -> PlayedGames:
    """Play games between two policies, [D, cells], in parallel; an illegal move ends a game."""
    position = np.zeros((game.cells + 2, game_count), np.int32)
    cell = np.zeros((game.cells, game_count), np.int32)
    for ply in range(game.cells):
        here = position[ply]
        after = position[ply + 1]
        after[:] = here
        going_on = np.flatnonzero(here < game.decisions)
        decision = here[going_on]
        drawn = sample_cells(rng, (x_policy, o_policy)[ply % 2][decision])
        cell[ply, going_on] = drawn
        legal = game.legal[decision, drawn]
        after[going_on] = np.where(
            legal, game.successor[decision, drawn], game.positions
        )
    position[-1] = position[-2]
    return PlayedGames(position, cell)


def sample_cells(rng: np.random.Generator, chances: Policy) -> Numbers:
    """Return a cell for each row of probabilities, [N, cells], sampled by them, [N]."""
    sums = chances.cumsum(axis=1)
    drawn = rng.random((len(sums), 1)) * sums[:, -1:]
    passed = sums > drawn
    cells: Numbers = passed.argmax(axis=1).astype(np.int32)
    return cells


def extract_moves(
    game: Game,
    games: PlayedGames,
    player: int,
    rewards: tuple[float, ...],
    step_reward: float,
) -> MoveArrays:
    """Return a player's moves (+1 X, -1 O) in games with their rewards, [M].

    The reward comes after the opponent's reply. It is `step_reward` if the game goes on, otherwise
    one of `rewards`: for an illegal move, a loss, a draw, a win. Only this player may have made
    illegal moves.
    """
    first = 0 if player == X else 1
    decision = games.position[first:-2:2]
    after = games.position[first + 2 :: 2]
    made = decision < game.decisions
    after = after[made]
    over = after >= game.decisions
    result = _find_results(game, after, player)
    return MoveArrays(
        decision[made],
        games.cell[first::2][made],
        np.where(
            over,
            np.array(rewards, np.float32)[result - ILLEGAL_LOSS],
            np.float32(step_reward),
        ),
        np.where(over, np.int32(NO_NEXT_STATE), after),
    )


def compute_epoch_shares(game: Game, games: PlayedGames, player: int) -> EpochShares:
    """Return the shares of games that a player (+1 X, -1 O) won and lost.

    An illegal move in a game counts as a move of this player.
    """
    result = _find_results(game, games.position[-1], player)
    return EpochShares(
        float((result == 1).mean()),
        float((result < 0).mean()),
        float((result == ILLEGAL_LOSS).mean()),
    )


def _find_results(game: Game, position: Numbers, player: int) -> Numbers:
    finished = np.clip(position - game.decisions, 0, len(game.outcome) - 1)
    result = game.outcome[finished] * np.int32(player)
    return np.where(position == game.positions, np.int32(ILLEGAL_LOSS), result)


def make_empty_buffer() -> MoveArrays:
    none = np.empty(0, np.int32)
    return MoveArrays(none, none, np.empty(0, np.float32), none)


def append_moves(
    buffer: MoveArrays, new_moves: Iterable[MoveArrays], max_moves: int
) -> MoveArrays:
    columns: list[Any] = [
        np.concatenate(column)[-max_moves:]
        for column in zip(buffer, *new_moves, strict=True)
    ]
    return MoveArrays(*columns)


def sample_moves(
    buffer: MoveArrays, rng: np.random.Generator, shape: tuple[int, ...]
) -> MoveArrays:
    """Sample moves from the replay buffer, uniformly and with replacement."""
    drawn = rng.integers(len(buffer.cell), size=shape)
    columns: list[Any] = [column[drawn] for column in buffer]
    return MoveArrays(*columns)


def compute_targets(
    q: NDArray[np.float32], moves: MoveArrays, gamma: float
) -> NDArray[np.float32]:
    """Return r + gamma max Q(s', .) for each move; `q` is [D, cells]."""
    highest = np.nanmax(q, axis=1)
    later = np.where(
        moves.next_decision == NO_NEXT_STATE, 0, highest[moves.next_decision]
    )
    return (moves.reward + gamma * later).astype(np.float32)
