"""What can be asked of the API: the parts of its addresses, each with what is allowed there."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from app.tictactoe.npz import MAX_SNAPSHOTS
from app.web.players import TRUTH

POSITION = Meta(
    pattern="^[XO.]{9}$",
    max_length=9,
    description="A position: its cells in reading order, each X, O or '.' for empty.",
    examples=["X...O..X.", ".........", "XXX.OO..."],
)
RECORD = Meta(
    pattern="^[0-8]{1,9}$",
    max_length=9,
    description="A game: the cells played, 0 to 8 in reading order.",
    examples=["40216", "0"],
)
X = Meta(description="Who plays X: an agent or a baseline.", examples=["q-learning-1"])
O = Meta(description="Who plays O: an agent or a baseline.", examples=["t-hand"])  # noqa: E741
ID = Meta(description="An agent, one that learned.", examples=["q-table"])
IN_PATH = {
    "position": Annotated[str, POSITION],
    "record": Annotated[str, RECORD],
    "x": Annotated[str, X],
    "o": Annotated[str, O],
    "id": Annotated[str, ID],
}


class LookQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How to look at a position."""

    lens: Annotated[
        str,
        Meta(
            description="Whose values: an agent, or truth.",
            examples=["q-learning-1"],
        ),
    ] = TRUTH
    step: (
        Annotated[
            int,
            Meta(
                ge=0,
                lt=MAX_SNAPSHOTS,
                description="A snapshot of the lens in training, 0 the first; without this, the "
                "agent as shipped.",
            ),
        ]
        | UnsetType
    ) = UNSET


class MoveQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Who moves, and how."""

    agent: Annotated[
        str, Meta(description="Who moves: an agent or a baseline.", examples=["q-learning-2"])
    ]
    epsilon: Annotated[
        float, Meta(ge=0, le=1, description="Chance of a random move instead.", examples=[0.1])
    ] = 0
    seed: (
        Annotated[
            int,
            Meta(
                ge=0,
                lt=2**31,
                description="Draws the same move each time; without this, as chance has it.",
                examples=[7],
            ),
        ]
        | UnsetType
    ) = UNSET
