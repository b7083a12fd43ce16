"""Play a game in which a player's next move is chosen before the last one is updated."""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Move
from app.textbook.schedule import decay
from app.textbook.start import start_game
from app.textbook.table import get_reward


def play_td_game(learner, turn, rng):
    """Play a game; when the learner has chosen a move, update its previous move.

    Sarsa needs this order (Sutton & Barto, section 6.4); for Q-learning it makes no difference.
    Yields each Move and each Update.
    """
    game, parameters = learner.game, learner.parameters
    learner.epsilon = decay(parameters.epsilon, parameters.epsilon_drop, turn)
    opponent = turn.player or learner
    board, learning_seats = start_game(game, parameters, turn, rng)
    # The last (s, a) of each learning player waits for the player's next move.
    last = {}
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
    # No more moves follow, so each player's last move is updated with the final reward.
    for player in (game.player_to_move(board), game.last_player(board)):
        if player in last:
            reward = get_reward(game, parameters, board, player)
            yield learner.update(*last[player], reward, board, None)
