"""Rates that fall in the course of the training."""


def decay(rate, drop, turn, together=1):
    """Return a rate in a turn: it falls by `drop` after every tenth of those against an opponent.

    Where a learner changes seats, `together` is 2: two games in a row have the same rate.
    """
    before = turn.number - turn.number % together
    return max(0.0, rate - drop * (10 * before // turn.length))
