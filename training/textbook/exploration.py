"""Exploration: epsilon-greedy moves."""


def epsilon_greedy(values, epsilon, rng, ties="random"):
    """Choose any move with chance epsilon, else one of the best; also return whether it was any.

    One random number decides both: within the part it falls into, it is uniform again.
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
    """Choose a cell by a random number from 0 to 1."""
    return cells[min(int(u * len(cells)), len(cells) - 1)]
