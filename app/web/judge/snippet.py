"""The few lines of Python that make a link of whatever plays: they need nothing but Python."""

SNIPPET = '''\
import base64

def link(play):
    """play(board, player) gives a move 0-8, or several; board: 9 numbers, 1 X, -1 O, 0 empty."""
    lines = (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)
    boards, bits = {(0,) * 9}, ""
    for player in (1, -1) * 4 + (1,):
        for board in sorted(boards, key=lambda b: [stone % 3 for stone in b]):
            moves = play(board, player)
            moves = {*moves} if hasattr(moves, "__iter__") else {int(moves)}
            bits += "".join("01"[cell in moves] for cell in range(9) if not board[cell])
        after = {b[:c] + (player,) + b[c + 1:] for b in boards for c in range(9) if not b[c]}
        boards = {b for b in after if not any(b[i] == b[j] == b[k] != 0 for i, j, k in lines)}
    code = base64.urlsafe_b64encode(int(bits + "0", 2).to_bytes(len(bits) // 8 + 1, "big"))
    return "SITE/judge?moves=" + code.decode().rstrip("=")
'''
USES = [
    (
        "a dict of dicts",
        "link(lambda board, player: max(q[board], key=q[board].get))",
        "q[board] = {move: value}",
    ),
    (
        "an array by base-3 number",
        "link(lambda b, player: max((c for c in range(9) if b[c] == 0),\n"
        "                           key=q[int(''.join(str(s % 3) for s in b), 3)].__getitem__))",
        "q of shape (19683, 9)",
    ),
    (
        "one's own side as 1",
        "link(lambda board, player: my_move([stone * player for stone in board]))",
        "a function of the board that the mover sees",
    ),
]  # of what, the line, what it stands for


def snippet(site: str) -> str:
    """Return the lines with the address of this site in them."""
    return SNIPPET.replace("SITE", site)
