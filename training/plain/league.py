"""A league in plain Python: see `training.learners.league`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate, permutations

from app.recipes.algorithms import League
from app.recipes.parameters import YOU
from app.tictactoe.game import Game
from training.learners.league import LEARNERS, MEMBERS, meets, own_place
from training.plain import boards
from training.plain.boards import Pair, Person, Turn, Update
from training.plain.randomness import Random

Meeting = tuple[str, str]  # who plays X, and who O

SEATS = "XO"
SEEN = {"X": str.maketrans(".XO", "012"), "O": str.maketrans(".XO", "021")}


class Learner:
    """The learner of the recipe among the others, all of which learn."""

    def __init__(self, game: Game, recipe: League) -> None:
        self.game, self.me = game, own_place(recipe)
        ways = dict(LEARNERS) | {self.me: recipe}
        self.players = {name: Player(game, way, recipe) for name, way in ways.items()}
        self.own = self.players[self.me]

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a round, or a game with a person, yielding each update of the recipe's learner.

        The board of an update is what the learner sees: own stones 1, others 2, empty 0.
        """
        for meeting in self.meetings(turn):
            rng.met(*met(meeting, self.me))
            for name, update in play(self.game, meeting, self.players, rng, turn.person):
                if name == self.me:
                    yield update

    def meetings(self, turn: Turn) -> list[Meeting]:
        """List who meets in a turn, who plays X first."""
        if turn.person:
            as_x = turn.seat(self.own.recipe, 0) == "X"
            return [(self.me, YOU) if as_x else (YOU, self.me)]
        there = [name for name in MEMBERS if name == self.me or meets(turn.opponent, name)]
        return list(permutations(there, 2))


class Player:
    """A member that learns."""

    def __init__(self, game: Game, way: League, recipe: League):
        """`way` is how it learns; the rewards are those of the recipe, as all others'."""
        self.game, self.way, self.recipe = game, way, recipe
        self.q: dict[Pair, float] = defaultdict(float)
        self.visits: dict[Pair, int] = defaultdict(int)
        self.k = way.k_start

    def choose(self, board: str, seat: str, rng: Random) -> int:
        """Draw a cell with a chance proportional to k ** Q."""
        cells = boards.legal_cells(board)
        powers = [self.k ** self.q[self.seen(board, cell, seat)] for cell in cells]
        u = rng.random() * sum(powers)
        return next(cell for cell, end in zip(cells, accumulate(powers), strict=True) if u < end)

    def learn(self, board: str, cell: int, after: str, seat: str) -> Update:
        """Update once with a move, by what is seen and won in this seat."""
        pair = self.seen(board, cell, seat)
        known, _ = self.seen(after, cell, seat)
        over, cells = boards.is_over(self.game, after), range(self.game.cells)
        ending = boards.reward(self.game, self.recipe, after, seat) if over else 0.0
        self.visits[pair] += 1
        alpha = 1 / (1 + self.visits[pair])
        highest = max(0.0, *(self.q[known, other] for other in cells))
        target = ending + self.way.gamma * highest
        self.q[pair] = (1 - alpha) * self.q[pair] + alpha * target
        self.k = min(self.k + self.way.k_step, self.way.k_limit)
        if over:
            self.q.update({(known, other): ending for other in cells})
        return pair, self.q[pair]

    def seen(self, board: str, cell: int, seat: str) -> Pair:
        """Return the board and the cell that stand for these in a seat."""
        return seen(self.game, board, cell, seat, self.way.symmetric)


def met(meeting: Meeting, me: str) -> Meeting:
    """Return a member's opponent in a game and its own seat there; "" if it is not in it."""
    if me not in meeting:
        return "", ""
    return meeting[1 - meeting.index(me)], SEATS[meeting.index(me)]


def play(
    game: Game,
    meeting: Meeting,
    players: Mapping[str, Player],
    rng: Random,
    person: Person | None,
) -> Iterator[tuple[str, Update]]:
    """Play a game, yielding who learns what."""
    board, mover = boards.empty(game), 0
    while not boards.is_over(game, board):
        if person and meeting[mover] == YOU:
            cell = person.choose(board)
        else:
            cell = choose(meeting[mover], players, board, SEATS[mover], rng)
        rng.moved(board, cell, explored=True)
        after = boards.move(board, cell)
        for seat, name in enumerate(meeting):
            if name in players:
                if seat == mover or players[name].way.stages == "two":
                    yield name, players[name].learn(board, cell, after, SEATS[seat])
                if players[name].way.observing and seat != mover:
                    yield name, players[name].learn(board, cell, after, SEATS[mover])
        board, mover = after, 1 - mover


def choose(name: str, players: Mapping[str, Player], board: str, seat: str, rng: Random) -> int:
    """Let a member choose a cell."""
    cells = boards.legal_cells(board)
    if name == "fixed":
        return cells[0]
    if name == "random":
        return cells[int(rng.random() * len(cells))]
    return players[name].choose(board, seat, rng)


@cache
def seen(game: Game, board: str, cell: int, seat: str, symmetric: bool) -> Pair:
    """Return the board and the cell that stand for these in a seat."""
    numbered = board.translate(SEEN[seat])
    if not symmetric:
        return numbered, cell
    alike = boards.images(game, numbered, cell)
    highest = max(image for image, _ in alike)
    return min(one for one in alike if one[0] == highest)
