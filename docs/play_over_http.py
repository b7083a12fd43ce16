"""Two agents play one game over HTTP: python play_over_http.py [SITE X O].

It needs only Python and a running site: `make run` or `q-tac-toe serve`.
"""

import json
import sys
from urllib.error import HTTPError
from urllib.request import urlopen


def play(site: str, x_player: str, o_player: str) -> None:
    """Play a game between two agents: request each move from the API and print its board."""
    agents = {"X": x_player, "O": o_player}
    state = {"position": ".........", "to_move": "X", "over": False}
    while not state["over"]:
        agent = agents[state["to_move"]]
        url = f"{site}/api/v1/moves/{state['position']}?agent={agent}"
        with urlopen(url) as response:
            move = json.load(response)
        print(f"{agent} plays {state['to_move']} on cell {move['cell']}")
        state = move["after"]
        for row in range(0, 9, 3):
            print(" ", *state["position"][row : row + 3])
    print("The result:", state["result"])


def main() -> None:
    """Play the game of the command line; exit with a sentence if it fails."""
    arguments = sys.argv[1:] or ["http://127.0.0.1:8000", "q-table", "t-hand"]
    if len(arguments) != 3:
        sys.exit("usage: python play_over_http.py [SITE X O]")
    try:
        play(*arguments)
    except HTTPError as error:
        sys.exit(json.load(error).get("detail", str(error)))
    except (OSError, ValueError) as error:
        sys.exit(f"{arguments[0]} does not answer: {error}")


if __name__ == "__main__":
    main()
