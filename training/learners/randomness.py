"""A random number generator for compiled loops, in which calls of numpy's would be too slow.

Source: Blackman & Vigna (2021), "Scrambled linear pseudorandom number generators": xoshiro256+,
whose authors recommend it for floating-point numbers.
"""

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

# [4] the state of a random number generator, which changes with every number that is drawn
RngState = NDArray[np.uint64]


def make_rng_state(seed: int, *part_numbers: int) -> RngState:
    """Return the initial state of a random number generator with this seed.

    `part_numbers` name a part of a training, such as the number of a search tree. Each part gets
    its own, independent sequence of random numbers.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=part_numbers)
    return sequence.generate_state(4, np.uint64).astype(np.uint64)


@njit(cache=True)
def draw_uniform(rng_state):  # type: ignore[no-untyped-def]
    """Return a random float64 from [0, 1)."""
    s0 = rng_state[0]
    s1 = rng_state[1]
    s2 = rng_state[2]
    s3 = rng_state[3]
    total = s0 + s3
    s2 ^= s0
    s3 ^= s1
    rng_state[0] = s0 ^ s3
    rng_state[1] = s1 ^ s2
    rng_state[2] = s2 ^ (s1 << uint64(17))
    # a rotation by 45 bits
    rng_state[3] = s3 << uint64(45) | s3 >> uint64(19)
    # A float64 holds 53 bits. The lowest bits are less random, so the upper ones are used.
    return (total >> uint64(11)) * 2.0**-53
