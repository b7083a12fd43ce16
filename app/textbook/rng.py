"""Random numbers by the generator xoshiro256+, seeded like numpy's SeedSequence.

With these numbers an exported training has exactly the values of the site. Sources: Blackman &
Vigna (2021), "Scrambled linear pseudorandom number generators"; O'Neill (2015), "Developing a
seed_seq alternative".
"""


class Random:
    """A generator of uniform random numbers in [0, 1)."""

    def __init__(self, seed, *part):
        self.state = seed_state(seed, *part)

    def random(self):
        """Return the next random number in [0, 1)."""
        a, b, c, d = self.state
        number = (a + d) % 2**64 >> 11
        c, d, shifted = c ^ a, d ^ b, b << 17
        self.state = [a ^ d, b ^ c, (c ^ shifted) % 2**64, (d << 45 | d >> 19) % 2**64]
        return number / 2**53


def seed_state(seed, *part):
    """Return the initial state of the generator: four 64-bit words, hashed from the seed."""
    hash_number = make_hash(0x43B0D7E5, 0x931E8875)
    pool = [hash_number(number) for number in (seed, 0, 0, 0)]
    for source in range(4):
        for target in range(4):
            if target != source:
                pool[target] = combine_hashes(pool[target], hash_number(pool[source]))
    for number in part:
        pool = [combine_hashes(word, hash_number(number)) for word in pool]
    hash_number = make_hash(0x8B51F9DD, 0x58F38DED)
    words = [hash_number(word) for word in pool + pool]
    return [low | high << 32 for low, high in zip(words[::2], words[1::2])]


def make_hash(key, factor):
    """Return a function that hashes 32-bit numbers, with a new key at each call."""

    def hash_number(number):
        nonlocal key
        number, key = number ^ key, key * factor % 2**32
        number = number * key % 2**32
        return number ^ number >> 16

    return hash_number


def combine_hashes(one, other):
    """Return a 32-bit hash of two 32-bit numbers."""
    number = (0xCA01F9DD * one - 0x4973F715 * other) % 2**32
    return number ^ number >> 16
