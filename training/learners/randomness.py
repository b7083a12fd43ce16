"""Random numbers within compiled loops: a call of numpy's generator takes as long as an update.

Source: Blackman & Vigna (2021), "Scrambled linear pseudorandom number generators": xoshiro256+,
whose authors recommend it for floating-point numbers.
"""

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

Stream = NDArray[np.uint64]  # [4] the state, which every number moves on


def stream(seed: int, *part: int) -> Stream:
    """Begin the random numbers of a seed, or those of a part of it, which no other part has."""
    sequence = np.random.SeedSequence(seed, spawn_key=part)
    return sequence.generate_state(4, np.uint64).astype(np.uint64)


@njit(cache=True)
def uniform(stream):  # type: ignore[no-untyped-def]
    """Draw a number from 0 to 1, never 1."""
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    number = s0 + s3
    s2 ^= s0
    s3 ^= s1
    stream[0], stream[1] = s0 ^ s3, s1 ^ s2
    stream[2], stream[3] = s2 ^ (s1 << uint64(17)), s3 << uint64(45) | s3 >> uint64(19)
    return (number >> uint64(11)) * 2.0**-53
