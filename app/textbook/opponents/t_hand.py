"""The opponent "T-hand", which wins if it can, else blocks if it can, else plays at random.

Source: Boyan (1992), "Modular neural networks for learning context-dependent game strategies".
"""


def list_win_or_block_moves(game, board):
    """Return the moves that win, if there are any, else the moves that block, else all moves."""
    own, other = game.player_to_move(board), game.last_player(board)
    wins, blocks = (
        list_winning_cells(game, board, own),
        list_winning_cells(game, board, other),
    )
    return wins or blocks or game.legal_moves(board)


def list_winning_cells(game, board, player):
    """Return the cells with which a player would complete a line."""
    return [
        cell
        for cell in game.legal_moves(board)
        if any(
            cell in line
            and all(board[other] == player for other in line if other != cell)
            for line in game.lines
        )
    ]
