"""Play a game in the terminal against an agent whose values are shown on the cells, in colour."""

from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.tictactoe.agents import Agent
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.notation import DIGITS, MARKS, replay_record, undo_moves
from app.tictactoe.policy import policy_from_values
from app.tictactoe.views import round_for_display, scale_values

LOSS_COLOUR, DRAW_COLOUR, WIN_COLOUR = np.array(
    [(0xC6, 0x28, 0x28), (0xF7, 0xF7, 0xF7), (0x00, 0x89, 0x7B)]
)
BACK_KEY, QUIT_KEY = "u", "q"


def play_in_terminal(
    agent: Agent,
    seat: str,
    seed: int | None,
    read_line: Callable[[str], str],
) -> str:
    """Play a game as "x" or "o" against an agent; return its record, finished or not.

    `read_line` shows a prompt and returns the text that was typed: a cell, "u" to take back a move,
    or "q" to quit. `seed` is for the agent's random moves.
    """
    console = Console(highlight=False)
    rng = np.random.default_rng(seed)
    policy = policy_from_values(agent.q, agent.card.play_rule)
    record = ""
    while True:
        position = replay_record(GAME, record)[-1]
        console.print(build_board_table(agent, position))
        if GAME.is_over(position):
            result = GAME.get_result(position)
            console.print(f"{MARKS[result]} wins." if result else "A draw.")
            return record
        if GAME.to_move[position] != SEATS[seat]:
            cell = DIGITS[rng.choice(GAME.cells, p=policy[position])]
            console.print(f"{agent.card.title} plays {cell}.")
            record += cell
            continue
        typed = read_line(
            f"{seat.upper()}, your cell ({BACK_KEY}: take back, {QUIT_KEY}: quit)"
        ).strip()
        if typed == QUIT_KEY:
            return record
        if len(typed) != 1:
            console.print(f"One cell, please, not {typed!r}.")
            continue
        if typed == BACK_KEY:
            record = undo_moves(record, 2) if len(record) > 1 else record
            continue
        try:
            replay_record(GAME, record + typed)
        except ValueError as error:
            console.print(f"{error}.")
        else:
            record += typed


def build_board_table(agent: Agent, position: int) -> Table:
    """Return a board whose empty cells show their number and the value of a move there."""
    texts = [
        format_cell(agent, position, cell, int(stone))
        for cell, stone in enumerate(GAME.board[position])
    ]
    table = Table(show_header=False, show_lines=True, padding=0)
    for start in range(0, GAME.cells, GAME.columns):
        table.add_row(*texts[start : start + GAME.columns])
    return table


def format_cell(agent: Agent, position: int, cell: int, stone: int) -> Text:
    """Return a cell: its mark, or its number and value, coloured from red (loss) to green (win).

    The value is on a scale from -1 for a loss to 1 for a win. Numbers of beads have no colour.
    """
    if stone or GAME.is_over(position):
        return Text(f"\n   {MARKS[stone].replace('.', ' ')}   \n", "bold")
    value = agent.q[position, cell]
    reward_scale = agent.card.reward_scale
    if not agent.visits[position, cell]:
        return Text(f" {DIGITS[cell]}\n{'?':^7}\n")
    if reward_scale is None:
        return Text(f" {DIGITS[cell]}\n{value:^7g}\n")
    scaled = float(
        round_for_display(
            scale_values(value, reward_scale, int(GAME.to_move[position]))
        )
    )
    number = f"{scaled:+.2f}" if scaled else "0.00"
    end = WIN_COLOUR if scaled > 0 else LOSS_COLOUR
    red, green, blue = np.rint(DRAW_COLOUR + abs(scaled) * (end - DRAW_COLOUR))
    ink = "white" if abs(scaled) > 2 / 3 else "black"
    ground = f"{ink} on rgb({red:.0f},{green:.0f},{blue:.0f})"
    return Text(f" {DIGITS[cell]}\n{number:^7}\n", style=ground)
