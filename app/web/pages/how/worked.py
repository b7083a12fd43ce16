"""What is worked through on a page of its own: a position in all its writings, and one won game."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from werkzeug.exceptions import BadRequest

from app.tictactoe.game import Game
from app.tictactoe.notation import MARKS, parse_position, parse_record, position_text, replay
from app.web import addresses
from app.web.lens import HEAT_STEPS
from app.web.pages.parts.network_inputs import Encoding, encoded
from app.web.pictures.boards import SmallBoard, small_board

WRITING, WON_GAME = "writing", "won-game"
TITLES = {WRITING: "A position, written down", WON_GAME: "One won game, worked through"}
WRITTEN = "04"  # the record with which the writing begins
IMAGES = (
    "as it is",
    "rotated left",
    "rotated by 180°",
    "rotated right",
    "reflected, left and right",
    "reflected, along the falling diagonal",
    "reflected, top and bottom",
    "reflected, along the rising diagonal",
)  # in the order of `Game.symmetry`; a board that is no square has every second
GAME = "03142"  # X wins with its third move
ALPHA = 0.9  # how far a value goes towards its target
STAGES = 4  # before the first value, and after each of three


class Edit(NamedTuple):
    """A square of the position that can be changed."""

    id: str
    mark: str
    label: str  # what it holds and what a press makes of it
    href: str  # "" where a press would leave a position that no game reaches


class Image(NamedTuple):
    """What a symmetry makes of the position."""

    name: str
    board: SmallBoard
    href: str  # the same page with this position
    chosen: bool  # it stands for all of them


class Writing(NamedTuple):
    """A position in all its writings."""

    turn: str
    ranks: list[list[Edit]]  # row by row
    empty: str  # where the board is empty again
    encodings: list[Encoding]
    images: list[Image]


class Cell(NamedTuple):
    """A square of a board of the worked example."""

    mark: str
    text: str  # the value of the move there, "" where it is not about that move
    heat: int | None
    played: bool


class WorkedMove(NamedTuple):
    """A move of the winner: the board before it, and how its value comes about."""

    title: str
    label: str
    ranks: list[list[Cell]]  # row by row
    sum: str  # "" before its turn


class WonGame(NamedTuple):
    """The worked example at one of its stages."""

    stage: int
    stages: list[str]  # the addresses of all
    said: str
    turns: list[WorkedMove]
    back: str  # "" at the first
    on: str  # "" at the last


def parse_board(query: Mapping[str, str], game: Game) -> int:
    """Read the position that is written down.

    Raises BadRequest with a sentence if it is none.
    """
    if not query.get("board"):
        return replay(game, WRITTEN)[-1]
    try:
        return parse_position(game, query["board"])
    except ValueError as error:
        raise BadRequest(f"board in the address is wrong: {error}.") from None


def writing(game: Game, position: int) -> Writing:
    """Write a position in all ways, with what a press on each square makes of it."""
    over = game.is_over(position)
    text = position_text(game, position)
    mover = "X" if text.count("X") == text.count("O") else "O"
    stands = int(game.symmetry_class[position])
    names = IMAGES[:: len(IMAGES) // len(game.symmetry)]
    return Writing(
        turn=f"{mover} to move" if not over else "The game is over",
        ranks=[
            [_edit(game, text, cell, "" if over else mover) for cell in rank]
            for rank in _ranks(game)
        ],
        empty=addresses.how(WRITING, board="." * game.cells) if text.strip(".") else "",
        encodings=encoded(game, position),
        images=[
            Image(
                name=name,
                board=small_board(game, image, {}),
                href=addresses.how(WRITING, board=position_text(game, image)),
                chosen=image == stands,
            )
            for name, image in zip(names, game.image[:, position].tolist(), strict=True)
        ],
    )


def won_game(game: Game, stage: int) -> WonGame:
    """Work out the values of the winner's moves, the last first, as far as a stage goes."""
    positions = replay(game, GAME)
    played = parse_record(game, GAME)
    turns, target, said = [], 1.0, "X has won. So far the value of each of its moves is 0."
    for number, ply in enumerate(range(len(played) - 1, -1, -2), 1):
        value = ALPHA * target
        done = number <= stage
        source = "the win, 1" if number == 1 else f"the value just found, {target:.2f}"
        if number == stage:
            said = f"The target is {source}. The value goes nine tenths of the way there from 0."
        turns.append(
            WorkedMove(
                title=f"Move {ply + 1}",
                label=f"Before move {ply + 1}: {position_text(game, positions[ply])}",
                ranks=_worked(game, positions[ply], played[ply], value if done else 0.0),
                sum=f"0 + {ALPHA} × ({target:.2f} − 0) = {value:.2f}" if done else "",
            )
        )
        target = value
    addressed = [addresses.how(WON_GAME, stage=number) for number in range(STAGES)]
    return WonGame(
        stage=stage,
        stages=addressed,
        said=said,
        turns=turns[::-1],
        back=addressed[stage - 1] if stage else "",
        on=addressed[stage + 1] if stage + 1 < STAGES else "",
    )


def _edit(game: Game, text: str, cell: int, mover: str) -> Edit:
    """Offer the mover's stone on an empty square, and none on a square that has one."""
    row, column = game.row_column(cell)
    mark = text[cell]
    after = text[:cell] + (mover if mark == "." else ".") + text[cell + 1 :]
    possible = bool(mark != "." or mover) and _reached(game, after)
    press = (f"press for {mover}" if mark == "." else "press to remove it") if possible else ""
    holds = "empty" if mark == "." else mark
    label = ", ".join(filter(None, [f"Row {row + 1}, column {column + 1}", holds, press]))
    return Edit(
        f"{WRITING}-{cell}", mark, label, addresses.how(WRITING, board=after) if possible else ""
    )


def _reached(game: Game, text: str) -> bool:
    try:
        parse_position(game, text)
    except ValueError:
        return False
    return True


def _worked(game: Game, position: int, played: int, value: float) -> list[list[Cell]]:
    """Show a board with the value of the one move that was played."""
    cells = [Cell(MARKS[stone], "", None, False) for stone in game.board[position].tolist()]
    cells[played] = Cell(MARKS[0], f"{value:.2f}", round(value * HEAT_STEPS), True)
    return [[cells[cell] for cell in rank] for rank in _ranks(game)]


def _ranks(game: Game) -> list[list[int]]:
    ranks: list[list[int]] = np.arange(game.cells).reshape(game.rows, game.columns).tolist()
    return ranks
