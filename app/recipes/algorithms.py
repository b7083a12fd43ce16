"""The parameters of each algorithm, one class of recipes for each.

The descriptions are shown on pages. The algorithms themselves are in `training`, with their
sources.
"""

from types import MappingProxyType
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from app.recipes.parameters import (
    BOTH,
    SELF_OPPONENTS,
    YOU,
    DrawReward,
    LossReward,
    Recipe,
    RecipeError,
    RecipeWithRewards,
    WinReward,
    build_reward_meta,
    format_value,
)
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.policy import PlayRule
from app.tictactoe.tasks import Task
from app.tictactoe.views import RewardScale


def build_share_meta(symbol: str, meaning: str) -> Meta:
    """Return the range and the description of a parameter that is a number from 0 to 1."""
    return Meta(ge=0.0, le=1.0, description=meaning, extra={"symbol": symbol})


def build_count_meta(meaning: str, maximum: int = 999_999_999) -> Meta:
    """Return the range and the description of a parameter that is a whole number from 1."""
    return Meta(ge=1, le=maximum, description=meaning)


def build_sharpness_meta(meaning: str, minimum: float = 0.000001) -> Meta:
    """Return the range and the description of k: a move has a probability proportional to k ** Q."""
    return Meta(ge=minimum, le=1_000_000.0, description=meaning, extra={"symbol": "k"})


def build_initial_value_meta(meaning: str, symbol: str = "Q0") -> Meta:
    """Return the range and the description of an initial value."""
    return Meta(ge=-100.0, le=100.0, description=meaning, extra={"symbol": symbol})


def build_beads_meta(meaning: str) -> Meta:
    """Return the range and the description of a number of beads that is added to a move."""
    return Meta(ge=-100, le=100, description=meaning)


OpponentName = Annotated[
    str,
    Meta(
        description="The opponent, or several one after the other, each with its number of "
        "games, sweeps or epochs, as in random:50+self:200. With self the learner explores and "
        "learns in one seat, against its own greedy policy; with both it explores and learns in "
        "both seats of every game (self-play)."
    ),
]
Alpha = Annotated[
    float,
    build_share_meta("α", "Step size: the share of the error that an update corrects."),
]
Gamma = Annotated[
    float,
    build_share_meta("γ", "Discount factor from one move of the learner to the next."),
]
PlyGamma = Annotated[float, build_share_meta("γ", "Discount factor, for each ply.")]
Epsilon = Annotated[
    float, build_share_meta("ε", "Exploration rate: the probability of a random move.")
]
EpsilonDrop = Annotated[
    float,
    build_share_meta(
        "", "Decrease of epsilon after each tenth of the games against an opponent."
    ),
]
Games = Annotated[int, build_count_meta("Number of games played.")]
Start = Annotated[
    Literal["random", "every", "empty"],
    Meta(
        description="First position of a game: a random position, every position in turn, "
        "or the empty board."
    ),
]
Seat = Annotated[
    Literal["both", "x", "o"],
    Meta(description="The seat in which the learner learns: x, o, or both in turn."),
]
Symmetric = Annotated[
    bool, Meta(description="Whether symmetric boards share one value.")
]
Initial = Annotated[float, build_initial_value_meta("Initial Q-value of every move.")]
Taught = Annotated[
    str,
    Meta(
        description="The person's moves in the games that taught the learner: a digit for each "
        "cell, 0 to 8 in reading order, and a dot between games, as in 04.2.8516."
    ),
]

# the textbook learner makes this many updates in about two seconds
MAX_FAULTY_UPDATES = 250_000
SEAT_LETTERS = {"both": "xo", "x": "x", "o": "o"}


class QIteration(RecipeWithRewards, frozen=True, kw_only=True):
    """Sweeps over every position and move, each update with one sampled move of the opponent."""

    slug: ClassVar[str] = "q-iteration"
    length_parameter: ClassVar[str] = "sweeps"

    vs: OpponentName = "random:50+self:200"
    sweeps: Annotated[
        int, build_count_meta("Number of sweeps over every position and move.")
    ] = 250
    gamma: Gamma = 1.0
    sticky: Annotated[
        bool, Meta(description="Whether a value that is a loss is never updated again.")
    ] = True
    initial: Initial = 0.0

    def check_combination(self) -> None:
        """Raise RecipeError for contradictions, and if `vs` is both: a sweep has no two learners."""
        super().check_combination()
        if self.has_opponent(BOTH):
            raise RecipeError(
                "vs is not both: a sweep has every position and move of both sides"
            )

    def build_exact_values_task(self) -> Task:
        """Return the task for the exact values: games against the recipe's last opponent.

        They can begin in any position.
        """
        return Task(
            self.get_task_opponent(),
            self.gamma,
            self.get_reward_scale(),
            starts_everywhere=True,
        )

    def compute_max_updates_per_turn(self) -> int:
        """Return the number of legal pairs: a sweep updates each pair once."""
        return tic_tac_toe().pairs


class TdControl(RecipeWithRewards, frozen=True, kw_only=True):
    """Parameters of Q-learning and all Sarsas, which update after each reply of the opponent."""

    # name of the compiled loop that Q-learning and all Sarsas share
    slug: ClassVar[str] = "q-learning"

    vs: OpponentName = "random"
    start: Start = "random"
    seat: Seat = "both"
    alpha: Alpha = 0.2
    gamma: Gamma = 0.9
    epsilon: Epsilon = 0.1
    epsilon_drop: EpsilonDrop = 0.0
    games: Games = 100_000
    initial: Initial = 0.0
    taught: Taught = ""

    def build_exact_values_task(self) -> Task:
        """Return the task against the last opponent."""
        return make_environment_task(self)


# in the order of the page /faults
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
    """Q-learning with an update after each step; the opponent is a part of the environment."""

    slug: ClassVar[str] = "q-learning"

    fault: Annotated[
        FaultName,
        Meta(
            description="A classic fault in the code of the learner, planted on purpose: see /faults."
        ),
    ] = "none"

    def check_combination(self) -> None:
        """Raise RecipeError if a recipe with a fault is too long or has a person as opponent."""
        super().check_combination()
        if self.fault == "none":
            return
        if self.has_opponent(YOU):
            raise RecipeError("fault is none where a person teaches")
        if self.compute_max_updates() > MAX_FAULTY_UPDATES:
            raise RecipeError(
                f"a learner with a fault learns in plain Python, from {MAX_FAULTY_UPDATES:,} updates "
                f"at most, and this may be {self.compute_max_updates():,}: lower games"
            )


class Sarsa(TdControl, frozen=True, kw_only=True):
    """Sarsa: the target contains the value of the next move that is played."""

    slug: ClassVar[str] = "sarsa"

    games: Games = 300_000

    def build_exact_values_task(self) -> Task:
        """Return the task against the last opponent, with the final exploration rate."""
        return make_environment_task(
            self, compute_final_rate(self.epsilon, self.epsilon_drop)
        )


class ExpectedSarsa(Sarsa, frozen=True, kw_only=True):
    """Expected Sarsa: the target contains the mean value of the next moves, by their probabilities."""

    slug: ClassVar[str] = "expected-sarsa"


class SarsaLambda(Sarsa, frozen=True, kw_only=True):
    """Sarsa with eligibility traces: each TD error also changes the values of all earlier moves."""

    slug: ClassVar[str] = "sarsa-lambda"

    lambda_: Annotated[
        float,
        build_share_meta(
            "λ",
            "Trace decay: an error moves each earlier move of the game by γλ times as much as "
            "the move after it; with 0 it is Sarsa.",
        ),
    ] = field(default=0.5, name="lambda")

    def compute_max_updates_per_turn(self) -> int:
        """Return an upper bound on the updates of a game: each move updates all earlier moves, too."""
        moves = super().compute_max_updates_per_turn()
        return moves * (moves + 1) // 2 if self.lambda_ else moves


class MonteCarlo(RecipeWithRewards, frozen=True, kw_only=True):
    """Monte Carlo control: the value of a move is the average return of games with the move."""

    slug: ClassVar[str] = "monte-carlo"

    vs: OpponentName = "random"
    start: Start = "random"
    exploring_starts: Annotated[
        bool,
        Meta(description="Whether the first move of each game is random."),
    ] = True
    seat: Seat = "both"
    gamma: Gamma = 0.9
    epsilon: Epsilon = 0.1
    epsilon_drop: EpsilonDrop = 0.0
    games: Games = 300_000
    initial: Initial = 0.0
    taught: Taught = ""

    def build_exact_values_task(self) -> Task:
        """Return the task against the last opponent, with the final exploration rate."""
        return make_environment_task(
            self, compute_final_rate(self.epsilon, self.epsilon_drop)
        )


class TdAfterstates(RecipeWithRewards, frozen=True, kw_only=True):
    """TD(0) on afterstates: each value moves towards the value of the next afterstate."""

    slug: ClassVar[str] = "td-afterstates"
    knows_final_values: ClassVar[bool] = True

    vs: OpponentName = "random"
    seat: Seat = "both"
    symmetric: Symmetric = False
    learn_from: Annotated[
        Literal["greedy", "all"],
        Meta(
            description="Moves that update the value of the previous board: only greedy moves, or "
            "random moves as well (all)."
        ),
    ] = "greedy"
    alpha: Alpha = 0.1
    alpha_drop: Annotated[
        float,
        build_share_meta(
            "",
            "Decrease of alpha after each tenth of the games against an opponent.",
        ),
    ] = 0.0
    epsilon: Epsilon = 0.1
    epsilon_drop: EpsilonDrop = 0.0
    games: Games = 100_000
    initial: Annotated[
        float,
        build_initial_value_meta(
            "Initial value of every board that does not end the game.", "V0"
        ),
    ] = 0.5
    taught: Taught = ""
    draw: DrawReward = 0.5
    loss: LossReward = 0.0

    def build_exact_values_task(self) -> Task:
        """Return the task against the last opponent, with exploration if `learn_from` is all."""
        explores = (
            compute_final_rate(self.epsilon, self.epsilon_drop)
            if self.learn_from == "all"
            else 0.0
        )
        return Task(
            self.get_task_opponent(),
            reward_scale=self.get_reward_scale(),
            seats=SEAT_LETTERS[self.seat],
            epsilon=explores,
        )


class QTable(RecipeWithRewards, frozen=True, kw_only=True):
    """Q-learning that updates backward over each finished game; symmetric moves share a value."""

    slug: ClassVar[str] = "q-table"

    vs: OpponentName = "random"
    seat: Seat = "both"
    key: Annotated[
        Literal["pair", "afterstate"],
        Meta(
            description="Key of a value, up to symmetry: the move in its position, or the board "
            "after the move."
        ),
    ] = "pair"
    ties: Annotated[
        Literal["first", "random"],
        Meta(
            description="Move played if several have the highest value: the first, or a random one."
        ),
    ] = "first"
    update: Annotated[
        Literal["average", "sum"],
        Meta(
            description="Update of a value: a step towards its target, or alpha times the target "
            "added to it (sum)."
        ),
    ] = "average"
    alpha: Alpha = 0.4
    gamma: Gamma = 1.0
    epsilon: Epsilon = 0.7
    epsilon_drop: EpsilonDrop = 0.1
    games: Games = 14_000
    initial: Initial = 0.0
    taught: Taught = ""

    @property
    def plays(self) -> PlayRule:
        """The rule of play: ties are broken as in training."""
        return "first" if self.ties == "first" else "greedy"

    def build_exact_values_task(self) -> Task | None:
        """Return the task against the last opponent, None if `update` is sum: sums do not converge."""
        if self.update == "sum":
            return None
        return Task(
            self.get_task_opponent(),
            self.gamma,
            self.get_reward_scale(),
            seats=SEAT_LETTERS[self.seat],
        )


class DoubleQ(QTable, frozen=True, kw_only=True):
    """Double Q-learning, backward: one table selects the next move, the other table gives its value."""

    slug: ClassVar[str] = "double-q"

    last: Annotated[
        Literal["both", "coin"],
        Meta(
            description="Tables updated by the last move of a game: both, or one selected by a coin, "
            "as for every other move (van Hasselt 2010, algorithm 1)."
        ),
    ] = "both"


class SelfPlay(Recipe, frozen=True, kw_only=True):
    """Q-learning in self-play with a single table: X plays for the highest value, O for the lowest."""

    slug: ClassVar[str] = "self-play"

    vs: Annotated[
        Literal["self"],
        Meta(
            description="The opponent: the learner itself, except in games with a person."
        ),
    ] = "self"
    alpha: Alpha = 0.3
    gamma: PlyGamma = 0.9
    epsilon: Epsilon = 0.9
    epsilon_drop: EpsilonDrop = 0.0
    games: Games = 200_000
    initial: Annotated[
        float, build_initial_value_meta("Initial Q-value of every move, in X's view.")
    ] = 1.0
    taught: Taught = ""
    win: Annotated[float, build_reward_meta("The reward of X if X wins.")] = 1.0
    draw: Annotated[
        float,
        build_reward_meta("The reward of X for a draw; O gets minus this reward."),
    ] = 0.5
    loss: Annotated[float, build_reward_meta("The reward of X if O wins.")] = -1.0

    def get_reward_scale(self) -> RewardScale:
        """Return the rewards of X and O for a loss, a draw and a win; a reward of O is minus X's."""
        return RewardScale(
            x=(self.loss, self.draw, self.win), o=(-self.win, -self.draw, -self.loss)
        )

    def build_exact_values_task(self) -> Task:
        """Return minimax with a discount at every ply."""
        return Task(None, self.gamma, self.get_reward_scale(), discounted_plies=1)

    def compute_max_updates_per_turn(self) -> int:
        """Return the number of plies of a game: each is an update."""
        return tic_tac_toe().cells


class League(RecipeWithRewards, frozen=True, kw_only=True):
    """A league of six players: two follow a rule, four learn from games against the other members.

    The step size decreases with the visits of a pair; a move has a probability proportional
    to k ** Q.
    """

    slug: ClassVar[str] = "league"
    length_parameter: ClassVar[str] = "rounds"

    vs: Annotated[
        Literal["league", "fixed", "random", "fixed+random"],
        Meta(
            description="Opponents in a round: all other members, or only members that never learn."
        ),
    ] = "league"
    observing: Annotated[
        bool,
        Meta(
            description="Whether it also learns from its opponent's moves as if they were its own."
        ),
    ] = False
    symmetric: Symmetric = False
    stages: Annotated[
        Literal["two", "one"],
        Meta(
            description="Moves updated with the learner's own reward: its own and its opponent's "
            "(two), or only its own (one)."
        ),
    ] = "two"
    gamma: PlyGamma = 0.7
    k_start: Annotated[
        float,
        build_sharpness_meta(
            "k at first: a move has a probability proportional to k ** Q."
        ),
    ] = 0.001
    k_step: Annotated[
        float, build_sharpness_meta("Increase of k at every update.", minimum=0.0)
    ] = 0.001
    k_limit: Annotated[float, build_sharpness_meta("Largest value of k.")] = 100.0
    rounds: Annotated[
        int,
        build_count_meta(
            "Number of rounds: every two members meet in both seats; with you a round is one game."
        ),
    ] = 10_000
    taught: Taught = ""
    win: WinReward = 10.0
    draw: DrawReward = 3.0
    loss: LossReward = -10.0

    def check_combination(self) -> None:
        """Raise RecipeError if parameters contradict each other, or k starts above its limit."""
        super().check_combination()
        if self.k_start > self.k_limit:
            start = format_value(self.k_start)
            limit = format_value(self.k_limit)
            raise RecipeError(f"k_start is at most k_limit, not {start} above {limit}")

    def compute_max_updates_per_turn(self) -> int:
        """Return the largest number of updates in a round.

        A learner that observes also updates the moves of its opponents.
        """
        opponents = {"league": 5, "fixed+random": 2}.get(self.vs, 1)
        return opponents * tic_tac_toe().cells * (2 + self.observing)


class Champion(Recipe, frozen=True, kw_only=True):
    """Self-play with a lower and an upper bound on every value, until both bounds are equal."""

    slug: ClassVar[str] = "champion"

    games: Annotated[int, build_count_meta("Maximum number of games.")] = 1_000

    def build_exact_values_task(self) -> Task:
        """Return optimal play."""
        return Task(None, discounted_plies=1)

    def compute_max_updates_per_turn(self) -> int:
        """Return the number of plies of a game: each is an update."""
        return tic_tac_toe().cells


class Menace(Recipe, frozen=True, kw_only=True):
    """MENACE: boxes of beads; a bead drawn at random is the move; a result adds or removes beads."""

    slug: ClassVar[str] = "menace"

    vs: OpponentName = "random"
    seat: Seat = "both"
    beads: Annotated[
        int,
        build_count_meta(
            "Number of beads of each move in the boxes for a player's first move.",
            maximum=1000,
        ),
    ] = 4
    beads_drop: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="Decrease of this number for each later move of the player, down to one bead.",
        ),
    ] = 1
    plays: Annotated[
        Literal["proportional", "greedy"],
        Meta(
            description="Play after the training: draw a bead, as in training, or play the move "
            "with the most beads."
        ),
    ] = "proportional"
    opening: Annotated[
        Literal["any", "corner", "edge", "centre"],
        Meta(
            description="First square of X: the box of the empty board has beads for all squares, "
            "or for one only."
        ),
    ] = "any"
    paper: Annotated[
        bool,
        Meta(
            description="Whether its games with people were played with paper boxes: people drew the "
            "beads, so taught has the moves of both sides."
        ),
    ] = False
    games: Games = 10_000
    taught: Taught = ""
    win: Annotated[
        int, build_beads_meta("Number of beads added to every move of a won game.")
    ] = 3
    draw: Annotated[
        int, build_beads_meta("Number of beads added to every move of a drawn game.")
    ] = 1
    loss: Annotated[
        int,
        build_beads_meta(
            "Number of beads added to every move of a lost game; -1 removes one."
        ),
    ] = -1

    def get_reward_scale(self) -> None:
        """Return None: numbers of beads are weights of moves, not expected rewards."""


class Mcts(Recipe, frozen=True, kw_only=True):
    """Monte Carlo tree search (UCT) from every position: planning without learning."""

    slug: ClassVar[str] = "mcts"
    length_parameter: ClassVar[str] = "rollouts"

    rollouts: Annotated[
        int,
        build_count_meta(
            "Number of games simulated from each position.", maximum=100_000
        ),
    ] = 200
    c: Annotated[
        float,
        Meta(
            ge=0.0,
            le=100.0,
            description="Exploration constant: the upper bound of a move is its mean plus c times "
            "the square root of ln N / n.",
            extra={"symbol": "c"},
        ),
    ] = 1.4

    def build_exact_values_task(self) -> Task:
        """Return optimal play: with more rollouts the means converge to its values."""
        return Task(None, discounted_plies=1)

    def compute_max_updates_per_turn(self) -> int:
        """Return the number of decisions: a rollout updates one move of each decision."""
        return tic_tac_toe().decisions


class Dqn(RecipeWithRewards, frozen=True, kw_only=True):
    """A deep Q-network, trained on minibatches sampled from a replay buffer."""

    slug: ClassVar[str] = "dqn"
    is_network: ClassVar[bool] = True
    length_parameter: ClassVar[str] = "epochs"

    vs: OpponentName = "random"
    epochs: Annotated[
        int,
        build_count_meta(
            "Number of epochs; in an epoch the agent plays games and then learns."
        ),
    ] = 400
    games: Annotated[
        int,
        build_count_meta(
            "Number of games of an epoch in each seat.", maximum=1_000_000
        ),
    ] = 100
    gamma: Gamma = 0.9
    epsilon: Annotated[
        float, build_share_meta("ε", "Exploration rate in the first epoch.")
    ] = 0.4
    epsilon_last: Annotated[
        float,
        build_share_meta(
            "", "Exploration rate in the last epoch, to which it falls linearly."
        ),
    ] = 0.02
    step_size: Annotated[
        float,
        Meta(ge=0.0, le=1.0, description="Step size of Adam.", extra={"symbol": "α"}),
    ] = 5e-5
    memory: Annotated[int, build_count_meta("Size of the replay buffer, in moves.")] = (
        10_000
    )
    steps: Annotated[
        int, build_count_meta("Number of steps of Adam in an epoch.", maximum=1_000_000)
    ] = 200
    batch: Annotated[
        int,
        build_count_meta("Size of the minibatch of a step, in moves.", maximum=100_000),
    ] = 32
    guard_rails: Annotated[
        bool,
        Meta(
            description="Whether the agent plays only legal moves, and each training step pulls the "
            "outputs of illegal moves to -5; otherwise an illegal move is possible and loses "
            "the game."
        ),
    ] = True
    encoding: Annotated[
        Literal["one-hot", "flat", "bits", "number"],
        Meta(
            description="How the network gets a position: three inputs for each cell (one-hot), one "
            "for each cell (flat), two for each cell (bits), or all bits as one number."
        ),
    ] = "one-hot"
    layers: Annotated[
        int,
        Meta(ge=1, le=3, description="Number of layers between input and output."),
    ] = 3
    width: Annotated[
        int,
        Meta(
            ge=7,
            le=10_000,
            description="Number of units of the widest layer; other layers have a seventh as many.",
        ),
    ] = 840
    convolution: Annotated[
        bool,
        Meta(
            description="Whether the first layer reads squares of 2 by 2 cells, all with the "
            "same weights."
        ),
    ] = False
    networks: Annotated[
        Literal["shared", "separate"],
        Meta(description="One network for both seats, or a network for each seat."),
    ] = "shared"
    error: Annotated[
        Literal["huber", "squared"],
        Meta(description="The loss function: the Huber loss or the squared error."),
    ] = "huber"
    outputs: Annotated[
        Literal["played", "all"],
        Meta(
            description="Outputs in the loss: the output of the move played, or all outputs, where "
            "the targets of other legal moves are the outputs of the target network."
        ),
    ] = "played"
    step: Annotated[
        float, build_reward_meta("The reward of a move after which the game goes on.")
    ] = -0.1
    draw: DrawReward = -0.1
    loss: LossReward = -2.0

    def check_combination(self) -> None:
        """Raise RecipeError if a network plays itself, or has a convolution over a single number."""
        super().check_combination()
        if self.has_opponent(*SELF_OPPONENTS):
            raise RecipeError("vs is a player that never learns, not self or both")
        if self.convolution and self.encoding == "number":
            raise RecipeError(
                "convolution is no where encoding is number: it has no cells"
            )

    @property
    def hidden_layer_widths(self) -> tuple[int, ...]:
        """The number of units of each layer between input and output."""
        narrow = self.width // 7
        return {1: (self.width,), 2: (narrow, self.width)}.get(
            self.layers, (narrow, self.width, narrow)
        )

    def build_exact_values_task(self) -> Task:
        """Return the task against the last opponent."""
        return Task(
            self.get_task_opponent(), self.gamma, self.get_reward_scale(), self.step
        )

    def compute_max_updates_per_turn(self) -> int:
        """Return the steps of an epoch: each is an update."""
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


def make_environment_task(recipe: TdControl | MonteCarlo, epsilon: float = 0.0) -> Task:
    """Return the training task of a learner against its last opponent, a part of the environment."""
    return Task(
        recipe.get_task_opponent(),
        recipe.gamma,
        recipe.get_reward_scale(),
        seats=SEAT_LETTERS[recipe.seat],
        starts_everywhere=recipe.start != "empty",
        epsilon=epsilon,
    )


def compute_final_rate(initial_rate: float, drop: float) -> float:
    """Return the rate in the last tenth of the games, after nine decreases by `drop`."""
    return max(0.0, initial_rate - 9 * drop)
