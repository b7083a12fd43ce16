"""A game in which each move of the learner is updated when it makes its next move."""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Move
from app.textbook.schedule import decay
from app.textbook.start import start_game
from app.textbook.table import get_reward


def play_td_game(learner, turn, rng):
    """Play a game; after the learner's next move is chosen, update its previous one.

    This is the order of Sarsa (Sutton & Barto, section 6.4); for Q-learning it makes no
    difference. Yields each Move and each Update.
    """
    game, parameters = learner.game, learner.parameters
    learner.epsilon = decay(parameters.epsilon, parameters.epsilon_drop, turn)
    opponent = turn.player or learner
    board, learning_seats = start_game(game, parameters, turn, rng)
    last = {}  # by learning player, the last board and move, not updated yet
    while not game.is_over(board):
        player = game.player_to_move(board)
        if player in learning_seats:
            cell, explored = epsilon_greedy(learner.values(board), learner.epsilon, rng)
            yield Move(board, cell, explored)
            if player in last:
                yield learner.update(*last[player], 0.0, board, cell)
            last[player] = board, cell
        else:
            cell = opponent.choose(board, rng)
            yield Move(board, cell, None)
        board = game.make_move(board, cell)
    # The game is over: each player's last move is updated with the reward.
    for player in (game.player_to_move(board), game.last_player(board)):
        if player in last:
            reward = get_reward(game, parameters, board, player)
            yield learner.update(*last[player], reward, board, None)
