"""The API for notebooks: train, load and judge agents, and show their values on a board."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.recipes import SHIPPED, parse_recipe
from app.tictactoe import agents
from app.tictactoe.beads import compute_preferences, count_beads
from app.tictactoe.game import GAME, Game
from app.tictactoe.notation import MARKS, parse_position
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import Figures
from app.tictactoe.views import compute_colour_level, round_for_display, scale_values
from app.web.formatting import format_beads, format_signed
from app.web.move_values import HEAT_STEPS
from app.web.pictures import boards, svg
from training.external_agents import describe_chosen_moves, read_moves
from training.run import MODELS, make_agent_id
from training.run import train as train_recipe

EMPTY = "........."
Play = Callable[[tuple[int, ...], int], Any]


def game() -> Game:
    """Return the game: its positions by number, with their boards, legal moves and successors."""
    return GAME


@dataclass(frozen=True)
class Board:
    """A picture of a position with values; a notebook shows it as SVG."""

    svg: str
    text: str  # the position and its values in words

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Agent:
    """A trained agent."""

    saved: agents.Agent

    @classmethod
    def load(cls, name: str, folder: str | Path = MODELS) -> "Agent":
        """Load an agent by its id or recipe from a folder; the default folder comes with the site.

        Raises RecipeError for a wrong name and ModelError if the folder has no such agent.
        """
        known = name if name in SHIPPED else make_agent_id(parse_recipe(name))
        return cls(agents.load_agent(Path(folder), game(), known))

    def save(self, folder: str | Path) -> None:
        """Save the agent as two files in a folder, from which `load` and the site read it."""
        agents.save_agent(Path(folder), game(), self.saved)

    @property
    def recipe(self) -> str:
        """The name of the agent's recipe."""
        return self.saved.card.recipe

    @property
    def figures(self) -> Figures:
        """The exact results of the agent at each snapshot of its training."""
        return self.saved.card.figures

    @property
    def q(self) -> NDArray[np.float32]:
        """The values, [4520, 9]: a row for each position, in the mover's view, NaN if illegal."""
        return self.saved.q

    @cached_property
    def policy(self) -> NDArray[np.float64]:
        """The chance of each move in each position, [4520, 9]."""
        return policy_from_values(self.q, self.saved.card.play_rule)

    def play(self, board: Sequence[int], player: int) -> list[int]:
        """Return the cells that the agent may play on a board of nine numbers: 1 X, -1 O, 0 empty.

        Raises ValueError if the game is over, or if `player` is not to move.
        """
        position = parse_position(game(), "".join(MARKS[stone] for stone in board))
        if game().is_over(position) or player != game().to_move[position]:
            raise ValueError(f"player {player} is not to move on {tuple(board)}")
        return np.flatnonzero(self.policy[position]).tolist()

    def board(self, position: str = EMPTY) -> Board:
        """Return a picture of a position with the agent's values; see the function `board`."""
        return board(self, position)


def train(recipe: str) -> Agent:
    """Train the agent of a recipe, as in "q-learning,alpha=0.5,games=20000,seed=7".

    Raises RecipeError, with the reason, if the recipe is not valid.
    """
    parsed = parse_recipe(recipe)
    return Agent(
        train_recipe(make_agent_id(parsed), parsed, game(), lambda progress: None)
    )


def judge(play: Play, site: str = "http://127.0.0.1:8000") -> Mapping[str, Any]:
    """Compute exact results of a player; they are those of the function `judge` in docs/judge.py.

    `play(board, player)` returns a cell, or a list of cells that it plays with equal chances.
    `board` is a tuple of nine numbers, 1 for X, -1 for O and 0 for empty; `player` is 1 or -1.
    Raises ValueError, naming the position, if an answer is not an empty cell.
    """
    return describe_chosen_moves(read_moves(play), site)


def board(q: "Agent | NDArray[np.floating]", position: str = EMPTY) -> Board:
    """Draw the values of an agent, or of an array [4520, 9], in a position such as "X...O....".

    The values of an array are expected results in the mover's view, from -1 (a loss) to 1 (a win),
    and NaN if unknown.  Raises ValueError if no game leads to the position.
    """
    number = parse_position(game(), position)
    squares = [
        boards.BoardSquare("", "", cell // 3 + 1, cell % 3 + 1, mark)
        for cell, mark in enumerate(position)
    ]
    headline = "The game is over"
    if not game().is_over(number):
        squares = [*_add_values(squares, q, number)]
        headline = f"{MARKS[game().to_move[number]]} to move"
    ranks = [squares[start : start + 3] for start in range(0, len(squares), 3)]
    drawn = boards.BoardPicture(
        "", headline, ranks, [], shows_earlier_values=False, player_to_move=""
    )
    title = q.saved.card.title if isinstance(q, Agent) else ""
    picture = svg.write_file(boards.plot_board_file(drawn, headline, title))
    return Board(picture, f"{headline}. {'; '.join(one.label for one in squares)}")


def _add_values(
    squares: Sequence[boards.BoardSquare],
    q: "Agent | NDArray[np.floating]",
    number: int,
) -> Iterator[boards.BoardSquare]:
    """Yield each square with the value of a move on it; a star marks the highest values."""
    values, scaled, written = _read_values(q, number)
    empty = game().legal[number]
    known = empty & ~np.isnan(values)
    highest = np.where(known, scaled, -np.inf).max()
    for square, one in zip(squares, range(len(values)), strict=True):
        if not known[one]:
            yield square._replace(unknown_text="unknown" if empty[one] else "")
            continue
        yield square._replace(
            heat=int(compute_colour_level(scaled[one : one + 1], HEAT_STEPS)[0]),
            value_text=written[one],
            spoken_value=written[one],
            is_best=bool(scaled[one] == highest),
        )


def _read_values(
    q: "Agent | NDArray[np.floating]", number: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Return the values in a position, [9], the same values scaled to -1 to 1, and their texts."""
    if not isinstance(q, Agent):
        values = np.asarray(q[number], np.float64)
        return (
            values,
            values,
            [format_signed(value) for value in round_for_display(values)],
        )
    card = q.saved.card
    # Each update of a network changes all values, so all of them count as learned.
    is_known = parse_recipe(q.recipe).is_network | (q.saved.visits[number] > 0)
    values = np.where(is_known, q.q[number], np.nan).astype(np.float64)
    if card.reward_scale is None:
        return _read_beads(q, number)
    scaled = scale_values(values, card.reward_scale, int(game().to_move[number]))
    return values, scaled, [format_signed(value) for value in round_for_display(scaled)]


def _read_beads(
    agent: Agent, number: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Return the beads in a position, [9], how much each move is preferred (-1 to 1), and texts."""
    start, end = game().first_pair[number : number + 2]
    cells = game().legal[number]
    held = count_beads(
        game(), agent.q[number][cells], agent.saved.card.play_rule, slice(start, end)
    )
    values, preferences = np.full((2, game().cells), np.nan)
    values[cells], preferences[cells] = held, compute_preferences(game(), held, number)
    texts = ["" if np.isnan(value) else format_beads(value) for value in values]
    return values, preferences, texts
