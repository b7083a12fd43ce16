"""How learners choose moves: epsilon-greedily."""


def epsilon_greedy(values, epsilon, rng, ties="random"):
    """Return a random move with probability epsilon, else a greedy one, and whether it was random.

    A single random number u decides. If u < epsilon, then u / epsilon is uniform in [0, 1) and
    selects the random move. Otherwise (u - epsilon) / (1 - epsilon) is uniform in [0, 1) and
    selects one of the greedy moves.
    """
    u = rng.random()
    if u < epsilon:
        return pick(list(values), u / epsilon), True
    highest = max(values.values())
    best = [cell for cell, value in values.items() if value == highest]
    if ties == "first" or len(best) == 1:
        return best[0], False
    return pick(best, (u - epsilon) / (1 - epsilon)), False


def pick(cells, u):
    """Return a random cell of a list, by a random number u; rounding could make u 1, hence the `min`."""
    return cells[min(int(u * len(cells)), len(cells) - 1)]
