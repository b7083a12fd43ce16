"""Two agents play one game over HTTP: python play_over_http.py [address X O]."""

import json
import sys
from urllib.request import urlopen


def play(address: str, x: str, o: str) -> None:
    """Ask for move after move from the empty board on, and print the board after each."""
    agents = {"X": x, "O": o}
    state = {"position": ".........", "to_move": "X", "over": False}
    while not state["over"]:
        agent = agents[state["to_move"]]
        with urlopen(
            f"{address}/api/v1/moves/{state['position']}?agent={agent}"
        ) as answer:
            move = json.load(answer)
        print(f"{agent} plays {state['to_move']} on cell {move['cell']}")
        state = move["after"]
        for row in range(0, 9, 3):
            print(" ", *state["position"][row : row + 3])
    print("The result:", state["result"])


play(*(sys.argv[1:] or ["http://127.0.0.1:8000", "q-table", "t-hand"]))
