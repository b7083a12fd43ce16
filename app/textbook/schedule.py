"""Step sizes and exploration rates that decrease during the training."""


def decay(rate, drop, turn, together=1):
    """Return a rate in this turn: `rate` minus `drop` for each tenth of the phase that is over.

    With `together=2` it changes only after every second game, so it is the same as X and as O.
    """
    before = turn.number - turn.number % together
    return max(0.0, rate - drop * (10 * before // turn.length))
