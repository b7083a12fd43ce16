"""A league in plain Python: see `training.learners.league`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate, permutations

from app.recipes.algorithms import League
from training.learners.league import LEARNERS, MEMBERS, meets, own_place
from training.plain.boards import EMPTY, Pair, Update, has_line, is_over, legal_cells, move
from training.plain.randomness import Random

SEATS = "XO"
SEEN = {"X": str.maketrans(".XO", "012"), "O": str.maketrans(".XO", "021")}
TURNED = (6, 3, 0, 7, 4, 1, 8, 5, 2)  # which cell comes to each place
REFLECTED = (2, 1, 0, 5, 4, 3, 8, 7, 6)


def league(recipe: League, rng: Random) -> Iterator[Update]:
    """Play round after round, yielding each update of the recipe's learner.

    The board of an update is what the learner sees: own stones 1, others 2, empty 0.
    """
    me = own_place(recipe)
    members = [name for name in MEMBERS if name == me or meets(recipe, name)]
    ways = dict(LEARNERS) | {me: recipe}
    players = {name: Player(ways[name], recipe) for name in members if name in ways}
    for _ in range(recipe.rounds):
        for meeting in permutations(members, 2):
            others = [name for name in meeting if name != me]
            rng.met(*((others[0], SEATS[meeting.index(me)]) if me in meeting else ("", "")))
            for name, update in play(meeting, players, rng):
                if name == me:
                    yield update


class Player:
    """A member that learns."""

    def __init__(self, way: League, rewards: League):
        self.way, self.rewards = way, rewards
        self.q: dict[Pair, float] = defaultdict(float)
        self.visits: dict[Pair, int] = defaultdict(int)
        self.k = way.k_start

    def choose(self, board: str, seat: str, rng: Random) -> int:
        """Draw a cell with a chance proportional to k ** Q."""
        cells = legal_cells(board)
        powers = [self.k ** self.q[seen(board, cell, seat, self.way.symmetric)] for cell in cells]
        u = rng.random() * sum(powers)
        return next(cell for cell, end in zip(cells, accumulate(powers), strict=True) if u < end)

    def learn(self, board: str, cell: int, after: str, seat: str) -> Update:
        """Update once with a move, by what is seen and won in this seat."""
        pair = seen(board, cell, seat, self.way.symmetric)
        known, _ = seen(after, cell, seat, self.way.symmetric)
        self.visits[pair] += 1
        alpha = 1 / (1 + self.visits[pair])
        highest = max(0.0, *(self.q[known, other] for other in range(9)))
        target = reward(self.rewards, after, seat) + self.way.gamma * highest
        self.q[pair] = (1 - alpha) * self.q[pair] + alpha * target
        self.k = min(self.k + self.way.k_step, self.way.k_limit)
        if is_over(after):
            self.q.update({(known, other): reward(self.rewards, after, seat) for other in range(9)})
        return pair, self.q[pair]


def play(
    meeting: tuple[str, ...], players: Mapping[str, Player], rng: Random
) -> Iterator[tuple[str, Update]]:
    """Play a game, yielding who learns what."""
    board, mover = EMPTY, 0
    while not is_over(board):
        cell = choose(meeting[mover], players, board, SEATS[mover], rng)
        rng.moved(board, cell, explored=True)
        after = move(board, cell)
        for seat, name in enumerate(meeting):
            if name in players:
                if seat == mover or players[name].way.stages == "two":
                    yield name, players[name].learn(board, cell, after, SEATS[seat])
                if players[name].way.observing and seat != mover:
                    yield name, players[name].learn(board, cell, after, SEATS[mover])
        board, mover = after, 1 - mover


def choose(name: str, players: Mapping[str, Player], board: str, seat: str, rng: Random) -> int:
    """Let a member choose a cell."""
    cells = legal_cells(board)
    if name == "fixed":
        return cells[0]
    if name == "random":
        return cells[int(rng.random() * len(cells))]
    return players[name].choose(board, seat, rng)


def reward(rewards: League, board: str, seat: str) -> float:
    """Return what coming to a board is worth in a seat."""
    if has_line(board):
        return rewards.win if seat == SEATS[board.count(".") % 2] else rewards.loss
    return 0.0 if "." in board else rewards.draw


@cache
def seen(board: str, cell: int, seat: str, symmetric: bool) -> Pair:
    """Return the board and the cell that stand for these in a seat."""
    images = [(board.translate(SEEN[seat]), cell)]
    if symmetric:
        for _ in range(3):
            images.append(image(*images[-1], TURNED))
        images += [image(*one, REFLECTED) for one in images]
    highest = max(int(numbered, 3) for numbered, _ in images)
    return min(one for one in images if int(one[0], 3) == highest)


def image(board: str, cell: int, cells: tuple[int, ...]) -> Pair:
    """Move the stones and the cell."""
    return "".join(board[one] for one in cells), cells.index(cell)
