"""The random numbers of the compiled learners once more, with the whole numbers of Python.

Source: Blackman & Vigna (2021), "Scrambled linear pseudorandom number generators": xoshiro256+.
"""

import numpy as np

MASK = 2**64 - 1


class Random:
    """The numbers of one seed, or of a part of it."""

    def __init__(self, seed: int, *part: int):
        sequence = np.random.SeedSequence(seed, spawn_key=part)
        self.state = sequence.generate_state(4, np.uint64).tolist()

    def random(self) -> float:
        """Draw the next number from 0 to 1, never 1."""
        a, b, c, d = self.state
        number = (a + d & MASK) >> 11
        c, d = c ^ a, d ^ b
        shifted = self.state[1] << 17 & MASK
        self.state = [a ^ d, b ^ c, c ^ shifted, (d << 45 | d >> 19) & MASK]
        return float(number * 2.0**-53)

    def moved(self, board: str, cell: int, explored: bool) -> None:
        """Hear that a learner moves, and whether by chance; whoever tells a story listens."""

    def refilled(self, board: str) -> None:
        """Hear that the box of a board was emptied and filled as it began."""

    def revised(self, board: str, value: float) -> None:
        """Hear what a board that was met in some game is worth from now on to whoever made it."""

    def met(self, opponent: str, seat: str) -> None:
        """Hear against whom the next game is and in which seat; "" if the learner only watches."""

    def answered(self, board: str, itself: bool) -> None:
        """Hear what board an opponent's answer made, and whether it was the learner itself."""
