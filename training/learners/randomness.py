"""Random numbers in compiled loops, where a call of numpy's generator costs as much as an update.

Source: Blackman & Vigna (2021), "Scrambled linear pseudorandom number generators": xoshiro256+,
whose authors recommend it for floating-point numbers.
"""

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

RngState = NDArray[np.uint64]  # [4]; every number that is drawn changes it in place


def make_rng_state(seed: int, *part: int) -> RngState:
    """Return the generator's first state for a seed.

    Each `part` of a training, like one search tree of many, has random numbers of its own.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=part)
    return sequence.generate_state(4, np.uint64).astype(np.uint64)


@njit(cache=True)
def draw_uniform(rng_state):  # type: ignore[no-untyped-def]
    """Draw a float64 from [0, 1)."""
    s0, s1, s2, s3 = rng_state[0], rng_state[1], rng_state[2], rng_state[3]
    total = s0 + s3
    s2 ^= s0
    s3 ^= s1
    rng_state[0] = s0 ^ s3
    rng_state[1] = s1 ^ s2
    rng_state[2] = s2 ^ (s1 << uint64(17))
    rng_state[3] = s3 << uint64(45) | s3 >> uint64(19)  # rotated by 45 bits
    # The upper 53 bits, as many as a float64 holds: the lowest bits are the weak ones.
    return (total >> uint64(11)) * 2.0**-53
