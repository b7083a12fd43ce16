"""The table of values, and the rewards."""


class Values(dict):
    """A dictionary that returns `initial` for missing keys."""

    def __init__(self, initial=0.0):
        super().__init__()
        self.initial = initial

    def __missing__(self, key):
        return self.initial


def get_reward(game, parameters, board, player):
    """Return a player's reward for the board after a move: 0 while the game goes on."""
    if not game.is_over(board):
        return 0.0
    rewards = {1: parameters.win, 0: parameters.draw, -1: parameters.loss}
    return rewards[game.result(board, player)]
