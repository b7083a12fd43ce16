"""A class for each algorithm, with its parameters.

`parameters.toml` has the ranges and meanings of the parameters. The algorithms themselves are in
`training`, with their sources.
"""

from types import MappingProxyType
from typing import ClassVar, Literal

from msgspec import field

from app.recipes.parameters import (
    BOTH_OPPONENT,
    PERSON_OPPONENT,
    SELF_OPPONENTS,
    Recipe,
    RecipeError,
    RecipeWithRewards,
    format_value,
)
from app.tictactoe.game import GAME
from app.tictactoe.policy import PlayRule
from app.tictactoe.tasks import TrainingTask
from app.tictactoe.views import RewardScale

StartOption = Literal["random", "every", "empty"]
SeatOption = Literal["both", "x", "o"]

# Plain Python makes these updates in two seconds; a learner with a fault has no compiled loop.
MAX_FAULTY_UPDATES = 250_000
SEAT_LETTERS = {"both": "xo", "x": "x", "o": "o"}


class QIteration(RecipeWithRewards, frozen=True, kw_only=True):
    """Updates every move in every position once in a sweep, each with one sampled reply."""

    slug: ClassVar[str] = "q-iteration"
    length_parameter: ClassVar[str] = "sweeps"

    vs: str = "random:50+self:200"
    sweeps: int = 250
    gamma: float = 1.0
    sticky: bool = True
    initial: float = 0.0

    def check_combination(self) -> None:
        """Raise RecipeError if parameters contradict each other, or if two players would learn.

        A sweep has only one learner, so `vs=both` is impossible.
        """
        super().check_combination()
        if self.has_opponent(BOTH_OPPONENT):
            raise RecipeError(
                "vs is not both: a sweep has every position and move of both sides"
            )

    def build_exact_values_task(self) -> TrainingTask:
        return TrainingTask(
            self.get_task_opponent(),
            self.gamma,
            self.get_reward_scale(),
            starts_everywhere=True,
        )

    def compute_max_updates_per_turn(self) -> int:
        return GAME.pairs


class TdControl(RecipeWithRewards, frozen=True, kw_only=True):
    """The parameters of Q-learning and all Sarsas, which update a move after the opponent's reply."""

    # Sarsa and its variants extend this class. They have no loop of their own, so they are trained
    # by the compiled loop with this slug, which is that of Q-learning.
    slug: ClassVar[str] = "q-learning"

    vs: str = "random"
    start: StartOption = "random"
    seat: SeatOption = "both"
    alpha: float = 0.2
    gamma: float = 0.9
    epsilon: float = 0.1
    epsilon_drop: float = 0.0
    games: int = 100_000
    initial: float = 0.0
    taught: str = ""

    def build_exact_values_task(self) -> TrainingTask:
        return make_environment_task(self)


# The page /faults shows them in this order.
FaultName = Literal[
    "none",
    "terminal",
    "answer",
    "sign",
    "occupied",
    "loser",
    "sides",
    "reward",
    "in-place",
    "exploration",
    "step",
]


class QLearning(TdControl, frozen=True, kw_only=True):
    """Q-learning with an update after each reply of the opponent, who is part of the environment."""

    slug: ClassVar[str] = "q-learning"

    fault: FaultName = "none"

    def check_combination(self) -> None:
        super().check_combination()
        if self.fault == "none":
            return
        if self.has_opponent(PERSON_OPPONENT):
            raise RecipeError("fault is none where a person teaches")
        if self.compute_max_updates() > MAX_FAULTY_UPDATES:
            raise RecipeError(
                f"a learner with a fault learns in plain Python, from {MAX_FAULTY_UPDATES:,} updates "
                f"at most, and this may be {self.compute_max_updates():,}: lower games"
            )


class Sarsa(TdControl, frozen=True, kw_only=True):
    """Sarsa: the target contains the value of the next move that is played."""

    slug: ClassVar[str] = "sarsa"

    games: int = 300_000

    def build_exact_values_task(self) -> TrainingTask:
        return make_environment_task(
            self, compute_final_rate(self.epsilon, self.epsilon_drop)
        )


class ExpectedSarsa(Sarsa, frozen=True, kw_only=True):
    """Expected Sarsa: the target contains the mean value of the possible next moves."""

    slug: ClassVar[str] = "expected-sarsa"


class SarsaLambda(Sarsa, frozen=True, kw_only=True):
    """Sarsa with eligibility traces: each TD error also changes the values of all earlier moves."""

    slug: ClassVar[str] = "sarsa-lambda"

    lambda_: float = field(default=0.5, name="lambda")

    def compute_max_updates_per_turn(self) -> int:
        moves = super().compute_max_updates_per_turn()
        return moves * (moves + 1) // 2 if self.lambda_ else moves


class MonteCarlo(RecipeWithRewards, frozen=True, kw_only=True):
    """Monte Carlo control: the value of a move is the mean return of all games with this move."""

    slug: ClassVar[str] = "monte-carlo"

    vs: str = "random"
    start: StartOption = "random"
    exploring_starts: bool = True
    seat: SeatOption = "both"
    gamma: float = 0.9
    epsilon: float = 0.1
    epsilon_drop: float = 0.0
    games: int = 300_000
    initial: float = 0.0
    taught: str = ""

    def build_exact_values_task(self) -> TrainingTask:
        return make_environment_task(
            self, compute_final_rate(self.epsilon, self.epsilon_drop)
        )


class TdAfterstates(RecipeWithRewards, frozen=True, kw_only=True):
    """TD(0) on afterstates: each value moves towards the value of the next afterstate."""

    slug: ClassVar[str] = "td-afterstates"
    knows_final_values: ClassVar[bool] = True

    vs: str = "random"
    seat: SeatOption = "both"
    symmetric: bool = False
    learn_from: Literal["greedy", "all"] = "greedy"
    alpha: float = 0.1
    alpha_drop: float = 0.0
    epsilon: float = 0.1
    epsilon_drop: float = 0.0
    games: int = 100_000
    initial: float = 0.5
    taught: str = ""
    draw: float = 0.5
    loss: float = 0.0

    def build_exact_values_task(self) -> TrainingTask:
        """Return the training task, with exploration if the agent learns from random moves."""
        explores = (
            compute_final_rate(self.epsilon, self.epsilon_drop)
            if self.learn_from == "all"
            else 0.0
        )
        return TrainingTask(
            self.get_task_opponent(),
            reward_scale=self.get_reward_scale(),
            seats=SEAT_LETTERS[self.seat],
            epsilon=explores,
        )


class QTable(RecipeWithRewards, frozen=True, kw_only=True):
    """Q-learning after each game, from its last move to its first; symmetric moves share a value."""

    slug: ClassVar[str] = "q-table"

    vs: str = "random"
    seat: SeatOption = "both"
    key: Literal["pair", "afterstate"] = "pair"
    ties: Literal["first", "random"] = "first"
    update: Literal["average", "sum"] = "average"
    alpha: float = 0.4
    gamma: float = 1.0
    epsilon: float = 0.7
    epsilon_drop: float = 0.1
    games: int = 14_000
    initial: float = 0.0
    taught: str = ""

    @property
    def plays(self) -> PlayRule:
        return "first" if self.ties == "first" else "greedy"

    def build_exact_values_task(self) -> TrainingTask | None:
        """Return the training task; with `update=sum` it is None, because the values diverge."""
        if self.update == "sum":
            return None
        return TrainingTask(
            self.get_task_opponent(),
            self.gamma,
            self.get_reward_scale(),
            seats=SEAT_LETTERS[self.seat],
        )


class DoubleQ(QTable, frozen=True, kw_only=True):
    """Double Q-learning on finished games: one table selects the next move, one gives its value."""

    slug: ClassVar[str] = "double-q"

    last: Literal["both", "coin"] = "both"


class SelfPlay(Recipe, frozen=True, kw_only=True):
    """Both players share one table: a high value for one of them is a low value for the other."""

    slug: ClassVar[str] = "self-play"

    vs: Literal["self"] = "self"
    alpha: float = 0.3
    gamma: float = 0.9
    epsilon: float = 0.9
    epsilon_drop: float = 0.0
    games: int = 200_000
    initial: float = 1.0
    taught: str = ""
    win: float = 1.0
    draw: float = 0.5
    loss: float = -1.0

    def get_reward_scale(self) -> RewardScale:
        return RewardScale(
            x=(self.loss, self.draw, self.win), o=(-self.win, -self.draw, -self.loss)
        )

    def build_exact_values_task(self) -> TrainingTask:
        return TrainingTask(
            None, self.gamma, self.get_reward_scale(), discounted_plies=1
        )

    def compute_max_updates_per_turn(self) -> int:
        return GAME.cells


class League(RecipeWithRewards, frozen=True, kw_only=True):
    """A league of six players: two follow a rule, and four learn from games against the others.

    The step size decreases with each update of a value. A learner plays a move with a probability
    proportional to k ** Q, and its k grows from `k_start` to `k_limit`.
    """

    slug: ClassVar[str] = "league"
    length_parameter: ClassVar[str] = "rounds"

    vs: Literal["league", "fixed", "random", "fixed+random"] = "league"
    observing: bool = False
    symmetric: bool = False
    stages: Literal["two", "one"] = "two"
    gamma: float = 0.7
    k_start: float = 0.001
    k_step: float = 0.001
    k_limit: float = 100.0
    rounds: int = 10_000
    taught: str = ""
    win: float = 10.0
    draw: float = 3.0
    loss: float = -10.0

    def check_combination(self) -> None:
        super().check_combination()
        if self.k_start > self.k_limit:
            start = format_value(self.k_start)
            limit = format_value(self.k_limit)
            raise RecipeError(f"k_start is at most k_limit, not {start} above {limit}")

    def compute_max_updates_per_turn(self) -> int:
        """Return the largest number of updates in a round, with two games against each opponent.

        Observing learners also make the updates of their opponents.
        """
        opponents = {"league": 5, "fixed+random": 2}.get(self.vs, 1)
        return opponents * GAME.cells * (2 + self.observing)


class Champion(Recipe, frozen=True, kw_only=True):
    """Self-play with a lower and an upper bound for every value, until both are equal."""

    slug: ClassVar[str] = "champion"

    games: int = 1_000

    def build_exact_values_task(self) -> TrainingTask:
        return TrainingTask(None, discounted_plies=1)

    def compute_max_updates_per_turn(self) -> int:
        return GAME.cells


class Menace(Recipe, frozen=True, kw_only=True):
    """MENACE: it draws a bead from a box to choose a move, and results of games add or remove beads."""

    slug: ClassVar[str] = "menace"

    vs: str = "random"
    seat: SeatOption = "both"
    beads: int = 4
    beads_drop: int = 1
    plays: Literal["proportional", "greedy"] = "proportional"
    opening: Literal["any", "corner", "edge", "centre"] = "any"
    paper: bool = False
    games: int = 10_000
    taught: str = ""
    win: int = 3
    draw: int = 1
    loss: int = -1

    def get_reward_scale(self) -> None:
        """Return None: numbers of beads are no expected rewards."""


class Mcts(Recipe, frozen=True, kw_only=True):
    """Monte Carlo tree search (UCT) from every position, which plans each move and learns nothing."""

    slug: ClassVar[str] = "mcts"
    length_parameter: ClassVar[str] = "rollouts"

    rollouts: int = 200
    c: float = 1.4

    def build_exact_values_task(self) -> TrainingTask:
        """Return the training task of two optimal players; the search converges to its values."""
        return TrainingTask(None, discounted_plies=1)

    def compute_max_updates_per_turn(self) -> int:
        return GAME.decisions


class Dqn(RecipeWithRewards, frozen=True, kw_only=True):
    """A deep Q-network, trained on minibatches sampled from a replay buffer."""

    slug: ClassVar[str] = "dqn"
    is_network: ClassVar[bool] = True
    length_parameter: ClassVar[str] = "epochs"

    vs: str = "random"
    epochs: int = 400
    games: int = 100
    gamma: float = 0.9
    epsilon: float = 0.4
    epsilon_last: float = 0.02
    step_size: float = 5e-5
    memory: int = 10_000
    steps: int = 200
    batch: int = 32
    guard_rails: bool = True
    encoding: Literal["one-hot", "flat", "bits", "number"] = "one-hot"
    layers: int = 3
    width: int = 840
    convolution: bool = False
    networks: Literal["shared", "separate"] = "shared"
    error: Literal["huber", "squared"] = "huber"
    outputs: Literal["played", "all"] = "played"
    step: float = -0.1
    draw: float = -0.1
    loss: float = -2.0

    def check_combination(self) -> None:
        super().check_combination()
        if self.has_opponent(*SELF_OPPONENTS):
            raise RecipeError("vs is a player that never learns, not self or both")
        if self.convolution and self.encoding == "number":
            raise RecipeError(
                "convolution is no where encoding is number: it has no cells"
            )

    @property
    def hidden_layer_widths(self) -> tuple[int, ...]:
        narrow = self.width // 7
        return {1: (self.width,), 2: (narrow, self.width)}.get(
            self.layers, (narrow, self.width, narrow)
        )

    def build_exact_values_task(self) -> TrainingTask:
        return TrainingTask(
            self.get_task_opponent(), self.gamma, self.get_reward_scale(), self.step
        )

    def compute_max_updates_per_turn(self) -> int:
        return self.steps


ALGORITHMS = MappingProxyType(
    {
        algorithm.slug: algorithm
        for algorithm in (
            QIteration,
            QLearning,
            QTable,
            DoubleQ,
            SelfPlay,
            League,
            Champion,
            Dqn,
            Sarsa,
            ExpectedSarsa,
            SarsaLambda,
            MonteCarlo,
            TdAfterstates,
            Menace,
            Mcts,
        )
    }
)


def make_environment_task(
    recipe: TdControl | MonteCarlo, epsilon: float = 0.0
) -> TrainingTask:
    return TrainingTask(
        recipe.get_task_opponent(),
        recipe.gamma,
        recipe.get_reward_scale(),
        seats=SEAT_LETTERS[recipe.seat],
        starts_everywhere=recipe.start != "empty",
        epsilon=epsilon,
    )


def compute_final_rate(initial_rate: float, drop: float) -> float:
    """Return a rate in the last tenth of the games; it falls by `drop` after each tenth."""
    return max(0.0, initial_rate - 9 * drop)
