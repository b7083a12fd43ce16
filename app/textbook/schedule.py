"""Step sizes and exploration rates that fall during the training."""


def decay(rate, drop, turn, together=1):
    """Return a rate in this turn: `rate` minus `drop` for each finished tenth of the phase.

    With `together=2` every two games (as X and as O) have the same rate.
    """
    before = turn.number - turn.number % together
    return max(0.0, rate - drop * (10 * before // turn.length))
