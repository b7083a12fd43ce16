"""A league: every learner plays against all other learners, and against two players that never learn.

Source: Mitchell (1997), "Machine Learning": eq. 13.10 and 13.11 for nondeterministic rewards and
actions, and section 13.3.5 for actions with probabilities proportional to k ** Q.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import accumulate, permutations
from types import SimpleNamespace
from typing import Any, NamedTuple

from app.textbook.exploration import epsilon_greedy, pick
from app.textbook.loop import Move, Update
from app.textbook.symmetry import list_symmetric_moves
from app.textbook.table import Values, get_reward

SLOW_PARAMETERS = {"gamma": 0.7, "k_start": 0.001, "k_step": 0.001, "k_limit": 100.0}
QUICK_PARAMETERS = {"gamma": 0.65, "k_start": 0.01, "k_step": 0.01, "k_limit": 10.0}
# The members that learn. The learner of this training takes the place of the member with the same
# values of `observing` and `symmetric`.
LEARNERS: Mapping[str, Mapping[str, Any]] = {
    "q-learning-player": {"observing": False, "symmetric": False, **SLOW_PARAMETERS},
    "observing": {"observing": True, "symmetric": False, **SLOW_PARAMETERS},
    "symmetric": {"observing": False, "symmetric": True, **QUICK_PARAMETERS},
    "observing-symmetric": {"observing": True, "symmetric": True, **QUICK_PARAMETERS},
}
# The games of a round are played in the order of their players in this list.
MEMBERS = (*LEARNERS, "fixed", "random")


class Meeting(NamedTuple):
    """The learner's opponent and seat in a league game; "" and "" in a game of other members."""

    opponent: str
    seat: str


class Player:
    """A league member that learns a table of Q(s, a); stones in s are its own or the opponent's."""

    def __init__(self, game, parameters, rewards):
        self.game, self.parameters, self.rewards = game, parameters, rewards
        self.q = Values()
        self.visits = Counter()
        self.k = parameters.k_start

    def update(self, board, cell, seat):
        """Update Q(s, a) after a move of either player, with the reward for the player in `seat`.

        The step size alpha is 1 / (1 + visits) (Mitchell, eq. 13.10). The program that this league
        reproduces has two peculiarities. Its next board is the one right after the move, and the
        best next value is never below 0. It also stores the final reward for every cell of a
        finished board. So this reward counts twice: as the reward, and discounted as the next
        value.
        """
        game, parameters, q = self.game, self.parameters, self.q
        after = game.make_move(board, cell)
        s, a = self.see(board, cell, seat)
        s_next, _ = self.see(after, cell, seat)
        old, reward = q[s, a], get_reward(game, self.rewards, after, seat)
        self.visits[s, a] += 1
        alpha = 1 / (1 + self.visits[s, a])
        best_next = max(0.0, *(q[s_next, a_next] for a_next in range(game.cells)))
        target = reward + parameters.gamma * best_next
        q[s, a] = (1 - alpha) * q[s, a] + alpha * target
        self.k = min(self.k + parameters.k_step, parameters.k_limit)
        if game.is_over(after):
            q.update({(s_next, a_next): reward for a_next in range(game.cells)})
        return Update(s, a, old, q[s, a], reward, after, None, best_next, target, alpha)

    def sample_move(self, board, seat, rng):
        """Return a random move, whose probability is proportional to k ** Q(s, a)."""
        cells = self.game.legal_moves(board)
        weights = [self.k ** self.q[self.see(board, cell, seat)] for cell in cells]
        ends = list(accumulate(weights))
        u = rng.random() * ends[-1]
        return next(cell for cell, end in zip(cells, ends) if u < end)

    def see(self, board, cell, seat):
        """Return a board and a cell as this player sees them when it plays in `seat`."""
        symmetric = self.parameters.symmetric
        return see_from_seat(self.game, board, cell, seat, symmetric)


class League:
    """The learner of this training, with the other members of its league."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.name = next(
            name
            for name, other in LEARNERS.items()
            if other["observing"] == parameters.observing
            and other["symmetric"] == parameters.symmetric
        )
        self.players = {
            name: Player(game, SimpleNamespace(stages="two", **other), parameters)
            for name, other in LEARNERS.items()
        }
        self.own = self.players[self.name] = Player(game, parameters, parameters)

    def play(self, turn, rng):
        """Play a round with two games for each pair of members, or a game with a person."""
        for names in self.list_meetings(turn):
            opponent, seat = "", ""
            if self.name in names:
                seat = "XO"[names.index(self.name)]
                opponent = names[1 - names.index(self.name)]
            yield Meeting(opponent, seat)
            for name, event in play_league_game(
                self.game, names, self.players, turn.player, rng
            ):
                if name == self.name or not name:
                    yield event

    def list_meetings(self, turn):
        """Return the names of X and O in each game of a turn."""
        if turn.opponent == "you":
            as_x = turn.seat("both", turn.number) == "X"
            return [(self.name, "you") if as_x else ("you", self.name)]
        members = [
            name
            for name in MEMBERS
            if name == self.name
            or turn.opponent == "league"
            or name in turn.opponent.split("+")
        ]
        return list(permutations(members, 2))

    def choose(self, board, rng):
        cells = self.game.legal_moves(board)
        values = {cell: self.value(board, cell) for cell in cells}
        return epsilon_greedy(values, 0.0, rng)[0]

    def value(self, board, cell):
        return self.own.q[self.key(board, cell)]

    def key(self, board, cell):
        """Return the key (s, a) of a move in the table of this training's learner."""
        return self.own.see(board, cell, self.game.player_to_move(board))


def play_league_game(game, names, players, person, rng):
    """Play a game; yield ("", Move) for each move, and (name of a learner, Update) for each update.

    Each player updates its table after its own moves. A two-stage player also does so after a move
    of its opponent, with its own reward. An observing player then makes the opponent's update in
    its own table, with the opponent's reward.
    """
    board = game.empty
    while not game.is_over(board):
        mover = game.player_to_move(board)
        name = names["XO".index(mover)]
        cell = choose_league_move(game, name, players, person, board, rng)
        yield "", Move(board, cell, True)
        for name, seat in zip(names, "XO"):
            if name in players:
                player = players[name]
                if seat == mover or player.parameters.stages == "two":
                    yield name, player.update(board, cell, seat)
                if seat != mover and player.parameters.observing:
                    yield name, player.update(board, cell, mover)
        board = game.make_move(board, cell)


def choose_league_move(game, name, players, person, board, rng):
    if name in players:
        return players[name].sample_move(board, game.player_to_move(board), rng)
    if name == "fixed":
        return game.legal_moves(board)[0]
    if name == "random":
        return pick(game.legal_moves(board), rng.random())
    return person.choose(board, rng)


@cache
def see_from_seat(game, board, cell, seat, symmetric):
    """Return a board with one's own stones as 1 and the opponent's as 2, and a cell on it.

    If `symmetric`, the result is the same for all symmetric boards and moves.
    """
    seen = board.translate(str.maketrans(".XO", "012" if seat == "X" else "021"))
    if not symmetric:
        return seen, cell
    images = list_symmetric_moves(game, seen, cell)
    highest = max(image for image, _ in images)
    return min(image for image in images if image[0] == highest)
