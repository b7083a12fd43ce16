"""Self-play: one learner moves for both sides, and both learn."""

from collections.abc import Callable, Iterator, Mapping

from training.environment import NextStop, Progress


def against_itself(
    next_stop: NextStop,
    opponents: Mapping[str, int],
    play: Callable[[int, int, int, int], tuple[int, int]],
    show: Callable[[tuple[float, int, int]], Progress],
) -> Iterator[Progress]:
    """Play so many games, showing what is known at the start and every stop.

    `play(last, stop, games, updates)` goes on until there were `last` games or `stop` updates, and
    returns how many there were of both; fewer of both is the end: there is nothing left to learn.
    `show` takes the share that is over, the games and the updates.
    Raises ValueError if anybody else is among the opponents.
    """
    if opponents.keys() != {"self"}:
        raise ValueError(f"this learner plays against 'self', not {', '.join(opponents)}")
    last, games, updates = opponents["self"], 0, 0
    yield show((0.0, 0, 0))
    while games < last:
        stop = next_stop(updates)
        games, updates = play(last, stop, games, updates)
        if updates < stop:
            last = games
        yield show((games / last, games, updates))
