"""Rates that fall in the course of the training."""


def decay(rate, drop, turn, together=1):
    """Return a rate in this turn: `rate` less `drop` for each tenth of the phase that is done.

    With `together` 2, the two games of a pair (as X and as O) have the same rate.
    """
    before = turn.number - turn.number % together
    return max(0.0, rate - drop * (10 * before // turn.length))
