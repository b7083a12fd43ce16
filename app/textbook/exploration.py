"""How learners choose moves: epsilon-greedily."""


def epsilon_greedy(values, epsilon, rng, ties="random"):
    """Return a random move with probability epsilon, else a greedy one, and whether it was random.

    One random number u is enough. If u < epsilon, u / epsilon selects a random move, otherwise (u -
    epsilon) / (1 - epsilon) selects a greedy one. Both are uniform in [0, 1).
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
    """Return the cell at the fraction u of a list; rounding could make u 1, hence the `min`."""
    return cells[min(int(u * len(cells)), len(cells) - 1)]
