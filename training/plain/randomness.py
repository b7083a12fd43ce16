"""The random numbers of the compiled learners once more, with the whole numbers of Python.

Source: Blackman & Vigna (2021), "Scrambled linear pseudorandom number generators": xoshiro256+; and
O'Neill (2015), "Developing a seed_seq alternative", as `numpy.random.SeedSequence` has it.
"""

from collections.abc import Callable

MASK = 2**64 - 1


class Random:
    """The numbers of one seed, or of a part of it."""

    def __init__(self, seed: int, *part: int):
        self.state = seeded(seed, *part)

    def random(self) -> float:
        """Draw the next number from 0 to 1, never 1."""
        a, b, c, d = self.state
        number = (a + d & MASK) >> 11
        c, d = c ^ a, d ^ b
        shifted = self.state[1] << 17 & MASK
        self.state = [a ^ d, b ^ c, c ^ shifted, (d << 45 | d >> 19) & MASK]
        return float(number * 2.0**-53)

    def moved(self, board: str, cell: int, explored: bool) -> None:
        """Hear that a learner moves, and whether by chance; what tells a story listens."""

    def refilled(self, board: str) -> None:
        """Hear that the box of a board was emptied and filled as it began."""

    def revised(self, board: str, value: float) -> None:
        """Hear what a board of some game is worth from now on to the player who made it."""

    def met(self, opponent: str, seat: str) -> None:
        """Hear against whom the next game is and in which seat; "" if the learner only watches."""

    def answered(self, board: str, itself: bool) -> None:
        """Hear what board an opponent's answer made, and whether it was the learner itself."""


def seeded(seed: int, *part: int) -> list[int]:
    """Return four numbers of 64 bits for a seed, or for a part of it; all are below 2^32."""
    scramble = scrambler(0x43B0D7E5, 0x931E8875)
    pool = [scramble(seed), *(scramble(0) for _ in range(3))]
    for source in range(4):
        for place in range(4):
            if place != source:
                pool[place] = mixed(pool[place], scramble(pool[source]))
    for number in part:
        pool = [mixed(one, scramble(number)) for one in pool]
    scramble = scrambler(0x8B51F9DD, 0x58F38DED)
    words = [scramble(one) for one in pool + pool]
    return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]


def scrambler(key: int, factor: int) -> Callable[[int], int]:
    """Return what scrambles one number of 32 bits after the other, each with another key."""

    def scramble(number: int) -> int:
        nonlocal key
        number, key = number ^ key, key * factor & 0xFFFFFFFF
        number = number * key & 0xFFFFFFFF
        return number ^ number >> 16

    return scramble


def mixed(one: int, other: int) -> int:
    """Mix two numbers of 32 bits."""
    number = 0xCA01F9DD * one - 0x4973F715 * other & 0xFFFFFFFF
    return number ^ number >> 16
