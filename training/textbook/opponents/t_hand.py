"""The opponent that wins or blocks where it can, and else plays at random.

Source: Boyan (1992), "Modular neural networks for learning context-dependent game strategies".
"""


def list_t_hand_moves(game, board):
    """List the moves that win, else those that block, else all."""
    own, other = game.player_to_move(board), game.last_player(board)
    wins, blocks = (
        list_completing(game, board, own),
        list_completing(game, board, other),
    )
    return wins or blocks or game.legal_moves(board)


def list_completing(game, board, player):
    """List the cells with which a player would fill a line."""
    return [
        cell
        for cell in game.legal_moves(board)
        if any(
            cell in line
            and all(board[other] == player for other in line if other != cell)
            for line in game.lines
        )
    ]
