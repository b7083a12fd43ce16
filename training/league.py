"""A league of learners that learn from one another, and from two players that never learn."""

from collections.abc import Iterator, Mapping
from itertools import permutations

import numpy as np

from app.tictactoe.game import Game
from training.environment import NextStop, Progress
from training.league_games import board_of, minds_of, play
from training.members import LEARNERS, MEMBERS, NEVER_LEARN, Learner
from training.owners_view import own_moves, view_of


def league(
    game: Game,
    rng: np.random.Generator,
    next_stop: NextStop,
    *,
    opponents: Mapping[str, int],
    learner: str,
    gamma: float,
    k_start: float,
    k_step: float,
    k_limit: float,
    observing: bool,
    symmetric: bool,
) -> Iterator[Progress]:
    """Play a league in which `learner` meets its opponents in so many rounds, and show it.

    In a round everybody meets everybody, once in each seat.  The others are what `LEARNERS` says
    of them, and learn as well.  Whichever of them is shown, the same members and the same seed
    play the same league.

    Every move of a game is an update, the opponent's too, always with the learner's own reward
    (*two-stage*): on a board where the opponent is to move, the maximum is over the opponent's
    moves, as if it were to please the learner.  When the game is over, and its last move has been
    learned, the reward becomes the value of all entries of its last board; so what a winning move
    is drawn to is 10 at first, and 10 + gamma 10 as soon as its board is known.
    An *observing* learner then updates once more with each move of the opponent, as the opponent
    sees it, with its reward.
    Source: Mitchell (1997), "Machine Learning", chapter 13; see `training.mitchell`.

    Games and updates are the learner's own.
    Raises ValueError if a member is unknown or would meet itself, if the rounds are not equally
    many against all, or as `Learner` does.
    """
    own = Learner(
        gamma=gamma,
        k_start=k_start,
        k_step=k_step,
        k_limit=k_limit,
        observing=observing,
        symmetric=symmetric,
    )
    rounds = _rounds(learner, opponents)
    members = [name for name in MEMBERS if name == learner or name in opponents]
    learners = {name: LEARNERS[name] for name in members if name in LEARNERS} | {learner: own}
    numbers = {name: number for number, name in enumerate(learners)} | NEVER_LEARN
    meetings = np.array(list(permutations([numbers[name] for name in members], 2)))
    me, last = numbers[learner], rounds * len(meetings)
    mine = (meetings == me).any(axis=1)

    views = [view_of(game, len(game.symmetry) if one.symmetric else 1) for one in learners.values()]
    begins = np.cumsum([0] + [view.entries for view in views[:-1]], dtype=np.int32)
    board, minds = board_of(game, views, begins), minds_of(list(learners.values()), views)
    entries = own_moves(game, views[me]) + begins[me]

    def shown(played: int) -> Progress:
        games = played // len(mine) * mine.sum() + mine[: played % len(mine)].sum()
        q = np.where(game.legal, minds.q[entries], np.nan).astype(np.float32)
        visits = np.where(game.legal, minds.visits[entries], 0).astype(np.uint32)
        return Progress(played / last, int(games), int(minds.updates[me]), q, visits)

    played = 0
    yield shown(played)
    while played < last:
        stop = next_stop(int(minds.updates[me]))
        played = play(rng, board, minds, meetings, me, last, stop, played)
        yield shown(played)


def _rounds(learner: str, opponents: Mapping[str, int]) -> int:
    """Say how many rounds there are, or why there can be none."""
    if learner not in LEARNERS:
        raise ValueError(f"no learner {learner!r} here, only {', '.join(LEARNERS)}")
    for name in opponents:
        if name not in MEMBERS or name == learner:
            raise ValueError(f"{learner} cannot meet {name!r}, only others of {', '.join(MEMBERS)}")
    rounds = set(opponents.values())
    if len(rounds) != 1:
        raise ValueError(f"a league has equally many rounds against all, not {sorted(rounds)}")
    return rounds.pop()
