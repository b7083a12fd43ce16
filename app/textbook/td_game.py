"""Play a game in which each move is updated when the same player chooses its next move."""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Move
from app.textbook.schedule import decay
from app.textbook.start import start_game
from app.textbook.table import get_reward


def play_td_game(learner, turn, rng):
    """Play a game; after the learner has chosen its next move, update its previous one.

    This is the order of Sarsa (Sutton & Barto, section 6.4); for Q-learning it makes no difference.
    Yields each Move and each Update.
    """
    game, parameters = learner.game, learner.parameters
    learner.epsilon = decay(parameters.epsilon, parameters.epsilon_drop, turn)
    opponent = turn.player or learner
    board, learning_seats = start_game(game, parameters, turn, rng)
    last = {}  # for each learning player, the last (s, a), which waits for its update
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
    # The game is over, so each player's last move is updated with the reward.
    for player in (game.player_to_move(board), game.last_player(board)):
        if player in last:
            reward = get_reward(game, parameters, board, player)
            yield learner.update(*last[player], reward, board, None)
