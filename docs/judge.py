"""Judge a tic-tac-toe agent exactly: one file, nothing but numpy; copy it into your project.

    from judge import judge
    print(judge(lambda board, player: max(q[board], key=q[board].get)))

`play(board, player)` gives a move 0-8, or several that it plays with equal chances; `board` is a
tuple of nine numbers in reading order, 1 X, -1 O, 0 empty, and `player` is 1 or -1.
"""

import base64

import numpy as np

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def positions():
    """List the unfinished boards of each ply by base-3 number, and of the others who won."""
    plies, results, ply = [], {}, {(0,) * 9}
    for move in range(10):
        here = sorted(ply, key=lambda board: [stone % 3 for stone in board])
        won = {b: b[i] for b in here for i, j, k in LINES if b[i] == b[j] == b[k] != 0}
        results |= {b: won.get(b, 0) for b in here if b in won or move == 9}
        plies.append([b for b in here if b not in results])
        ply = {after(b, c) for b in plies[-1] for c in range(9) if not b[c]}
    return plies[:9], results


def after(board, cell):
    """Return the board after a move."""
    return (*board[:cell], mover(board), *board[cell + 1 :])


def mover(board):
    """Return who is to move: 1 X, -1 O."""
    return -1 if sum(board) else 1


def backward(plies, results, best, chances):
    """Work out the chances of every board: X wins, draw, O wins.

    `best[player]` says how a side that chooses weighs these three, and by what it chooses among
    equals; a side without it plays the cells of `chances(board)`, each as often.
    """
    ends = {board: np.eye(3)[1 - won] for board, won in results.items()}
    for board in (board for ply in reversed(plies) for board in ply):
        player = mover(board)
        moves = [cell for cell in range(9) if not board[cell]]
        options = np.array([ends[after(board, cell)] for cell in moves])
        if player in best:
            keys = [
                tuple(np.round([key @ option for key in best[player]], 9)) for option in options
            ]
            ends[board] = options[max(range(len(moves)), key=keys.__getitem__)]
        else:
            ends[board] = np.mean([ends[after(board, cell)] for cell in chances(board)], axis=0)
    return ends


def judge(play, site="http://127.0.0.1:8000"):
    """Judge an agent; returns a dict.

    Of each seat, "x" and "o": win, draw, loss against random moves and against the strongest
    opponent of this very agent, and whether nobody ever beats it there.  `blunders` are positions,
    of 4,520, in which a move of it gives the value of the game away; `nash_conv` is what its
    strongest opponents gain in both seats; `link` shows all of it, and why.
    """
    plies, results = positions()
    moves, bits = {}, ""
    for board in (board for ply in plies for board in ply):
        given = play(board, mover(board))
        cells = set(map(int, given)) if np.iterable(given) else {int(given)}
        if not cells or any(cell not in range(9) or board[cell] for cell in cells):
            raise ValueError(f"in {board} it plays {given}, which is no free square")
        moves[board] = sorted(cells)
        bits += "".join("01"[cell in cells] for cell in range(9) if not board[cell])

    score = np.array([1.0, 0.0, -1.0])  # X's view
    best = {1: [score], -1: [-score]}
    truth = {board: ends @ score for board, ends in backward(plies, results, best, None).items()}
    blunders = sum(
        any(truth[after(board, cell)] != truth[board] for cell in cells)
        for board, cells in moves.items()
    )

    empty, random, strongest = (0,) * 9, {}, {}
    for seat, player in (("x", 1), ("o", -1)):

        def chances(board, player=player):
            free = [cell for cell in range(9) if not board[cell]]
            return moves[board] if mover(board) == player else free

        own = slice(None, None, player)  # from its own side: win, draw, loss
        lost = np.array([1.0, 0.0, 0.0])[::player]  # by the other side
        keys = {-player: [-score * player, -lost]}
        random[seat] = backward(plies, results, {}, chances)[empty][own].tolist()
        strongest[seat] = backward(plies, results, keys, chances)[empty][own].tolist()
    code = int(bits + "0" * (-len(bits) % 8), 2).to_bytes((len(bits) + 7) // 8, "big")
    return {
        "blunders": blunders,
        "nash_conv": sum(loss - win for win, _, loss in strongest.values()),
        "unbeatable_as": [
            seat.upper() for seat in "xo" if _never_loses(plies, results, moves, seat)
        ],
        "against_random": random,
        "against_strongest": strongest,
        "link": f"{site}/judge?moves={base64.urlsafe_b64encode(code).decode().rstrip('=')}",
    }


def _never_loses(plies, results, moves, seat):
    """Follow every line of play: whether none of them is lost in this seat."""
    player, reached = (1 if seat == "x" else -1), {(0,) * 9}
    for ply in plies:
        for board in reached.intersection(ply):
            own = mover(board) == player
            cells = moves[board] if own else [cell for cell in range(9) if not board[cell]]
            reached |= {after(board, cell) for cell in cells}
    return not any(results.get(board) == -player for board in reached)
