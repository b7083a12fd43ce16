/* The loop of training/learners/q_learning.py against a random opponent, in C: the same random
   numbers and the same sums in the same order, so that the tables are equal bit for bit. */

#include <stdint.h>

enum { DRAWN = -2 }; /* LOST is one less, WON one more, for who moves */

static inline uint64_t rotated(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

/* xoshiro256+: Blackman & Vigna (2021). */
static inline double uniform(uint64_t *s) {
    uint64_t number = s[0] + s[3], shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotated(s[3], 45);
    return (number >> 11) * 0x1.0p-53;
}

static inline int epsilon_greedy(const uint32_t *first_pair, const double *q, int s, double epsilon,
                                 uint64_t *rng_state) {
    int start = first_pair[s], end = first_pair[s + 1], leader = start, equals = 1;
    double u = uniform(rng_state), highest = q[start];
    if (u < epsilon) {
        int chosen = (int)(u / epsilon * (end - start));
        return start + (chosen < end - start - 1 ? chosen : end - start - 1);
    }
    for (int p = start + 1; p < end; p++) {
        int higher = q[p] > highest;
        equals = higher ? 1 : equals + (q[p] == highest);
        leader = higher ? p : leader;
        highest = higher ? q[p] : highest;
    }
    if (equals > 1) {
        int skip = (int)((u - epsilon) / (1 - epsilon) * equals);
        for (skip = skip < equals - 1 ? skip : equals - 1; skip > 0; skip -= q[leader] == highest)
            leader++;
    }
    return leader;
}

/* `side` is 1 where `s` ended the game by a move of the learner, and -1 by one of the opponent. */
static inline double value(const uint32_t *first_pair, const double *q, int s, double gamma,
                           double side) {
    if (s < 0)
        return side * (s - DRAWN);
    double highest = q[first_pair[s]];
    for (int p = first_pair[s] + 1; p < first_pair[s + 1]; p++)
        highest = q[p] > highest ? q[p] : highest;
    return gamma * highest;
}

/* Play so many games from random decisions and return how many updates there were. */
int64_t play(uint64_t *rng_state, double alpha, double gamma, double epsilon, const uint32_t *first_pair,
             const int32_t *next_state, double *q, uint32_t *visits, int64_t decisions, int64_t games) {
    int64_t updates = 0;
    for (int64_t game = 0; game < games; game++) {
        int s = (int)(uniform(rng_state) * decisions);
        while (s >= 0) {
            int p = epsilon_greedy(first_pair, q, s, epsilon, rng_state);
            double side = 1.0;
            s = next_state[p];
            if (s >= 0) {
                s = next_state[first_pair[s] + (int)(uniform(rng_state) * (first_pair[s + 1] - first_pair[s]))];
                side = -1.0;
            }
            q[p] += alpha * (value(first_pair, q, s, gamma, side) - q[p]);
            visits[p]++;
            updates++;
        }
    }
    return updates;
}
