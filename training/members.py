"""Who plays in the league, as data: four learners, and two players that never learn."""

from dataclasses import dataclass
from math import inf

RANDOM, FIXED = -1, -2  # instead of a learner's number
LOSS, DRAW, WIN = -10.0, 3.0, 10.0  # rewards; that of a move that ends nothing is 0


@dataclass(frozen=True, kw_only=True)
class Learner:
    """How one of them learns.

    Raises ValueError if gamma is not within 0 and 1, or k does not rise from above 0 to its limit.
    """

    gamma: float
    k_start: float
    k_step: float  # what k grows by at every update
    k_limit: float
    observing: bool  # learns from the opponent's moves as if they were its own, too
    symmetric: bool  # takes a board for the same however it is turned or reflected

    def __post_init__(self) -> None:
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma lies within 0 and 1, not {self.gamma}")
        if not (0 < self.k_start <= self.k_limit < inf and 0 <= self.k_step < inf):
            raise ValueError(
                "k rises from k_start, above 0, to k_limit, "
                f"not from {self.k_start} by {self.k_step} to {self.k_limit}"
            )


SLOW = {"gamma": 0.7, "k_start": 0.001, "k_step": 0.001, "k_limit": 100.0}
FAST = {"gamma": 0.65, "k_start": 0.01, "k_step": 0.01, "k_limit": 10.0}

LEARNERS = {
    "q-learning-player": Learner(**SLOW, observing=False, symmetric=False),
    "observing": Learner(**SLOW, observing=True, symmetric=False),
    "symmetric": Learner(**FAST, observing=False, symmetric=True),
    "observing-symmetric": Learner(**FAST, observing=True, symmetric=True),
}
NEVER_LEARN = {"fixed": FIXED, "random": RANDOM}
MEMBERS = [*LEARNERS, *NEVER_LEARN]  # in this order they meet
