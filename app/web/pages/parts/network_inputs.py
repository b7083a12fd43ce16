"""How one position looks to different learners and programs."""

from typing import NamedTuple

import numpy as np

from app.tictactoe import encodings
from app.tictactoe.game import Game
from app.tictactoe.notation import position_text
from app.web.language import gettext
from app.web.numbers import count


class Encoding(NamedTuple):
    """One way to write the position down."""

    name: str
    value: str
    note: str


def encoded(game: Game, position: int) -> list[Encoding]:
    """Write a position in all the ways."""
    stands = int(game.symmetry_class[position])
    packed = encodings.bit_packed(game, position)
    ways = [
        Encoding(
            gettext("Text"),
            position_text(game, position),
            gettext("one character a cell, row by row"),
        ),
        Encoding(
            gettext("Base-3 number"),
            count(int(game.code[position])),
            gettext(
                "empty 0, X 1, O 2, one digit a cell; it is position %(number)s of %(total)s",
                number=count(position),
                total=count(game.positions),
            ),
        ),
        Encoding(
            gettext("Symmetry class"),
            position_text(game, stands),
            gettext(
                "stands for all %(number)s symmetric positions",
                number=encodings.images(game, position),
            ),
        ),
        Encoding(
            gettext("Bit-packed integer"),
            count(packed),
            gettext(
                "two bits a cell, then two for the player to move: %(bits)s",
                bits=f"{packed:0{2 * game.cells + 2}b}",
            ),
        ),
        Encoding(
            gettext("Flat array"),
            f"[{' '.join(map(str, encodings.flat(game)[position]))}]",
            gettext("empty 0, X 1, O 2 for each cell, then for the player to move"),
        ),
    ]
    if not game.is_over(position):
        ways.append(_network_input(game, position))
    return ways


def _network_input(game: Game, position: int) -> Encoding:
    """Group what a network reads: a cell each, then who is to move, then the padding."""
    read = encodings.one_hot(game)[position].astype(np.int8).tolist()
    ends = [*range(3, 3 * game.cells + 1, 3), 3 * game.cells + 2, len(read)]
    groups = [
        "".join(map(str, read[start:end])) for start, end in zip([0, *ends], ends, strict=False)
    ]
    return Encoding(
        gettext("One-hot vector"),
        " ".join(groups),
        gettext(
            "what the deep Q-networks read: empty, X, O for each cell, then X or O to move, and a 0"
        ),
    )
