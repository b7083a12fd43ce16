"""The types of the API's requests and answers, each field with its meaning.

The description of the API is generated from these types and from those of a card and of an
experiment.  A type with limits that follow from the game or its players, like a position, has a
`format`; `description` holds these limits.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from app.experiments import Summary as Checked
from app.experiments import Verdict
from app.tictactoe.card import Card
from app.tictactoe.causes import Kind, Rule
from app.tictactoe.npz import MAX_SNAPSHOTS
from app.web.site_data import TRUTH


def describe(description: str, **limits: Any) -> Meta:
    """Return the description of a field with its limits, as msgspec names them."""
    return Meta(description=description, **limits)


def mark_format(format: str) -> Meta:
    """Return the mark of a type with limits that follow from the game or its players."""
    return Meta(extra_json_schema={"format": format})


Entry = TypeVar("Entry")
Mark = Literal["X", "O"]
Result = Literal["X", "draw", "O"]
Outcome = Literal["win", "draw", "loss"]
Cell = Annotated[
    int, describe("A cell, from 0 in reading order.", ge=0), mark_format("cell")
]
Chance = Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[str, describe("Its name in addresses.")]
Title = Annotated[str, describe("Its name for people.")]
Position = Annotated[str, mark_format("position")]
Record = Annotated[str, mark_format("record")]
Board = Annotated[str, describe("A path on this site: the same on the board.")]


class Error(Struct, frozen=True):
    """The status and detail of a problem under the names of earlier versions."""

    code: Annotated[int, describe("The HTTP status.")]
    message: Annotated[str, describe("What is wrong, and what would be right.")]


class Problem(Struct, frozen=True):
    """The answer to a request that failed: problem details as in RFC 9457."""

    type: Annotated[str, describe("Always about:blank: the status tells the kind.")]
    title: Annotated[str, describe("The phrase of the HTTP status.")]
    status: Annotated[int, describe("The HTTP status.")]
    detail: Annotated[str, describe("What is wrong, and what would be right.")]
    error: Annotated[Error, describe("The same for clients of earlier versions.")]


# The parts of paths by name. Only the first example of each part appears in the example URLs.
PATH_PARTS: Mapping[str, Any] = MappingProxyType(
    {
        "position": Annotated[
            Position, Meta(examples=["X...O..X.", ".........", "XXX.OO..."])
        ],
        "record": Annotated[Record, Meta(examples=["40216", "0"])],
        "x": Annotated[
            str,
            describe("Who plays X: an agent or a baseline.", examples=["q-learning-1"]),
            mark_format("player"),
        ],
        "o": Annotated[
            str,
            describe("Who plays O: an agent or a baseline.", examples=["t-hand"]),
            mark_format("player"),
        ],
        "id": Annotated[
            str,
            describe("An agent, one that learned.", examples=["q-table"]),
            mark_format("agent"),
        ],
        "claim": Annotated[
            str,
            describe("A claim that was checked.", examples=["counting"]),
            mark_format("claim"),
        ],
    }
)


class LookQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The values to show for a position."""

    lens: Annotated[
        str,
        describe(
            "Whose values: an agent's, the exact ones of its training task (its name and _task), "
            "or truth, which is optimal play.",
            examples=["q-learning-1"],
        ),
        mark_format("lens"),
    ] = TRUTH
    step: (
        Annotated[
            int,
            describe(
                "A snapshot of an agent in training, 0 the first; as shipped if omitted.",
                ge=0,
                lt=MAX_SNAPSHOTS,
            ),
        ]
        | UnsetType
    ) = UNSET


class MoveQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The player who moves, its exploration and a seed."""

    agent: Annotated[
        str,
        describe("Who moves: an agent or a baseline.", examples=["q-learning-2"]),
        mark_format("player"),
    ]
    epsilon: Annotated[
        float, describe("Chance of a random move instead.", ge=0, le=1, examples=[0.1])
    ] = 0
    seed: (
        Annotated[
            int,
            describe(
                "Draws the same move each time; random if omitted.",
                ge=0,
                lt=2**31,
                examples=[7],
            ),
        ]
        | UnsetType
    ) = UNSET


class JudgeQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The policy to judge."""

    moves: Annotated[
        str,
        describe(
            "A policy: a bit for each legal pair of a position and a cell, 1 where the "
            "move is among those played. Positions by ply, then by code, cells in reading order; "
            "most significant bit first, as base64url without padding. The shorter kind has the "
            "first position of each symmetry class only."
        ),
        mark_format("moves"),
    ]


class TableQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The reading of an ambiguous table; auto follows from the rows."""

    boards: Annotated[
        Literal["auto", "x", "mover"],
        describe("Who is 1 on a board of numbers: X, or the player to move."),
    ] = "auto"
    digits: Annotated[
        Literal["auto", "first", "last"],
        describe("Which digit of a base-3 number is the top left cell."),
    ] = "auto"
    view: Annotated[
        Literal["auto", "mover", "x"],
        describe("For whom a high value is good: the player to move, or X."),
    ] = "auto"
    ties: Annotated[
        Literal["any", "first"],
        describe("Which of several moves of the highest value it plays."),
    ] = "any"
    missing: Annotated[
        Literal["auto", "any", "first", "image"],
        describe(
            "What it plays in a position that the table does not have: any empty cell, the first, "
            "or as in a symmetric position."
        ),
    ] = "auto"
    values: Annotated[
        bool, describe("Whether to return the values of all positions too.")
    ] = False


class Outcomes(Struct, frozen=True):
    """The chances of the results of a game, in the agent's view."""

    win: Annotated[Chance, describe("Chance that the agent wins.")]
    draw: Annotated[Chance, describe("Chance of a draw.")]
    loss: Annotated[Chance, describe("Chance that the agent loses.")]


class Seats(Struct, frozen=True):
    """The results of an agent in both seats."""

    x: Annotated[Outcomes, describe("As X, who begins.")]
    o: Annotated[Outcomes, describe("As O.")]


class Task(Struct, frozen=True):
    """The distance of an agent's values from the exact ones of its training task, in its own units.

    The exact values are Q*; if exploration is a part of the task, Q* over ε-soft policies.
    """

    largest: Annotated[float, describe("Largest difference, of all moves.", ge=0)]
    mean: Annotated[float, describe("Mean difference, over all moves.", ge=0)]
    lens: Annotated[
        str, describe("The lens that shows the exact values of its training task.")
    ]


class Summary(Struct, frozen=True):
    """An agent in short; every figure is exact and of its play as shipped."""

    id: Name
    title: Title
    origin: Annotated[str, describe("Its source, by a short name.")]
    algorithm: Annotated[str, describe("How it learned: a section of /how.")]
    recipe: Annotated[str, describe("The recipe that makes it, by its full name.")]
    updates: Annotated[int, describe("Updates of its table in training.", ge=0)]
    unbeatable_as: Annotated[
        list[Mark],
        describe("The seats in which it is proved that no opponent can win."),
    ]
    blunders: Annotated[
        int, describe("Positions in which its move can be a blunder.", ge=0)
    ]
    decisions: Annotated[
        int, describe("Of how many: those in which a player is to move.", ge=0)
    ]
    task: Annotated[
        Task | None, describe("Null where its training task has no exact values.")
    ]
    against_random: Annotated[Seats, describe("Against random moves.")]
    against_best_responder: Annotated[
        Seats, describe("Against the strongest opponent of this very agent.")
    ]
    href: Annotated[str, describe("A path on this site: its whole card, in this API.")]
    page: Annotated[str, describe("A path on this site: its page.")]
    play: Board


class Baseline(Struct, frozen=True):
    """A player that follows a rule and never learned anything."""

    id: Name
    title: Title
    play: Board


class Agents(Struct, frozen=True):
    """All players."""

    agents: Annotated[list[Summary], describe("Those that learned.")]
    baselines: Annotated[list[Baseline], describe("Those that follow a rule.")]


class Agent(Struct, frozen=True):
    """One agent with all facts about it besides its arrays."""

    summary: Annotated[Summary, describe("The agent in short.")]
    card: Annotated[Card, describe("Its card, as it lies beside its arrays.")]


class Met(Struct, frozen=True):
    """A count in each seat."""

    x: Annotated[int, describe("As X.", ge=0)]
    o: Annotated[int, describe("As O.", ge=0)]


class Lost(Struct, frozen=True):
    """The likeliest game that is lost in each seat."""

    x: Annotated[
        Record | None, describe("As X; null where it is proved that there is none.")
    ]
    o: Annotated[
        Record | None, describe("As O; null where it is proved that there is none.")
    ]


class LikelyCause(Struct, frozen=True):
    """A likely cause of blunders, as far as the moves show it."""

    kind: Annotated[Kind, describe("What it is.")]
    seat: Annotated[Mark | None, describe("In which seat; null for both.")]
    rule: Annotated[
        Rule, describe("What is played there, if that is the cause; else empty.")
    ]
    number: Annotated[int, describe("Positions in which it is so.", ge=0)]
    of: Annotated[int, describe("Of how many in which it could be.", ge=0)]
    by_chance: Annotated[
        float, describe("In how many random moves would make it so.", ge=0)
    ]
    shown_in: Annotated[list[Position], describe("Positions that show it.")]


class ApiJudgement(Struct, frozen=True):
    """The exact evaluation of a policy."""

    title: Title
    unbeatable_as: Annotated[
        list[Mark],
        describe("The seats in which it is proved that no opponent can win."),
    ]
    losing_games: Annotated[Lost, describe("The games that beat them.")]
    blunders: Annotated[
        int, describe("Positions in which a move can be a blunder.", ge=0)
    ]
    decisions: Annotated[
        int, describe("Of how many: those in which a player is to move.", ge=0)
    ]
    reachable_blunders: Annotated[
        Met, describe("Blunders that their own games in a seat come to.")
    ]
    nash_conv: Annotated[
        float,
        describe("What the best responders of both seats gain together.", ge=0, le=2),
    ]
    against_random: Annotated[Seats, describe("Against random moves.")]
    against_best_responder: Annotated[
        Seats, describe("Against their strongest opponent.")
    ]
    causes: Annotated[
        list[LikelyCause], describe("Why they err, where the numbers say so.")
    ]
    page: Annotated[str, describe("A path on this site: the judgement for people.")]
    play: Board


class TableJudgement(ApiJudgement, frozen=True):
    """A table that was sent, judged exactly, and how it was read."""

    moves: Annotated[str, describe("What it plays, for the parameter moves of a GET.")]
    read: Annotated[int, describe("Positions that the table has.", ge=0)]
    notes: Annotated[list[str], describe("How it was read, in sentences.")]
    values: Annotated[
        dict[str, list[float | None]] | None,
        describe(
            "By position, the values of its cells in the view of the player to move, null where "
            "there is none. Null unless asked for, and if the table only has moves."
        ),
    ]


class State(Struct, frozen=True):
    """A position, the player to move and the result."""

    position: Position
    code: Annotated[
        int, describe("As a base-3 number: empty 0, X 1, O 2, first cell first.")
    ]
    to_move: Annotated[Mark | None, describe("Whose turn it is; null when it is over.")]
    over: Annotated[bool, describe("Whether the game has ended.")]
    result: Annotated[Result | None, describe("Who won; null while it goes on.")]


class Truth(Struct, frozen=True):
    """The result after a move if both sides then play optimally."""

    outcome: Annotated[Outcome, describe("For the side to move: the mover's view.")]
    plies: Annotated[
        int, describe("Moves of both sides to the end, this one included.")
    ]


class ApiSquare(Struct, frozen=True):
    """One cell, and the value of a move there by the lens; null where no move is possible."""

    cell: Cell
    mark: Annotated[str, describe("Whose it is, X or O; '.' where it is empty.")]
    legal: Annotated[bool, describe("Whether it can be played now.")]
    value: Annotated[
        float | None,
        describe(
            "The value of a move here by the lens, in the view of the side to move and on the "
            "scale of worth, or if that is null how many beads the move has; null too where "
            "training had not updated it by then."
        ),
    ] = None
    best: Annotated[
        bool,
        describe("Whether the lens is likeliest to play here, and knows of any move."),
    ] = False
    policy: Annotated[Chance, describe("Chance that the lens plays here.")] = 0.0
    visits: Annotated[
        int | None,
        describe(
            "How often the whole training updated the value; null too where it is exact."
        ),
    ] = None
    task: Annotated[
        float | None,
        describe(
            "What it is exactly worth in the agent's training task, if that has exact values."
        ),
    ] = None
    truth: Annotated[Truth | None, describe("How it ends with optimal play.")] = None


class ApiScale(Struct, frozen=True):
    """The rewards of the results for the side to move, on the scale of the values."""

    loss: Annotated[float, describe("A lost game.")]
    draw: Annotated[float, describe("A drawn game.")]
    win: Annotated[float, describe("A won game.")]


class ApiView(State, frozen=True):
    """A position as a lens values it, and with optimal play."""

    symmetry_class: Annotated[
        Position,
        describe("The position that stands for this one and all symmetric ones."),
    ]
    value: Annotated[
        int,
        describe(
            "With optimal play: 1 X wins, 0 a draw, -1 O wins. Always X's view.",
            ge=-1,
            le=1,
        ),
    ]
    plies: Annotated[int, describe("Moves of both sides to the end with optimal play.")]
    lens: Annotated[str, describe("Whose values these are.")]
    updates: Annotated[
        int | None,
        describe("Updates of the agent in training until then; null for exact values."),
    ]
    worth: Annotated[
        ApiScale | None,
        describe(
            "The scale of the values; null where they are beads, and when the game is over."
        ),
    ]
    cells: Annotated[list[ApiSquare], describe("All cells, in reading order.")]
    page: Board


class Game(Struct, frozen=True):
    """A game, move by move."""

    record: Record
    states: Annotated[
        list[State], describe("The empty board, then the state after each move.")
    ]
    page: Board


class ApiMove(Struct, frozen=True):
    """The decision of an agent."""

    agent: Annotated[str, describe("Who plays.")]
    before: Annotated[State, describe("Where it was asked to move.")]
    chances: Annotated[
        list[Chance], describe("How likely it was to play each cell, in reading order.")
    ]
    cell: Annotated[Cell, describe("The cell that it plays: drawn by these chances.")]
    after: Annotated[State, describe("Where the game stands then.")]


class ApiClaim(Struct, frozen=True):
    """A claim that was checked, in short."""

    id: Name
    title: Title
    source: Annotated[str, describe("Whose claim it is, by a short name.")]
    verdict: Annotated[Verdict, describe("What came of it.")]
    href: Annotated[str, describe("A path on this site: all of it, in this API.")]
    page: Annotated[str, describe("A path on this site: its page.")]


class Claims(Struct, frozen=True):
    """The claims and their verdicts."""

    claims: Annotated[list[ApiClaim], describe("Every claim that was checked.")]


class Experiment(Checked, frozen=True, kw_only=True):
    """A claim that was checked: every number of its figures, and where its page is."""

    page: Annotated[str, describe("A path on this site: its page.")]


class ByResult(Struct, Generic[Entry], frozen=True):
    """Something for each way in which a match can end."""

    x_wins: Annotated[Entry, describe("Of the games that X wins.")]
    draw: Annotated[Entry, describe("Of the drawn games.")]
    o_wins: Annotated[Entry, describe("Of the games that O wins.")]


class Ends(ByResult[Chance], frozen=True):
    """The chances of the results of a match."""


class Games(ByResult[Record | None], frozen=True):
    """The likeliest game of each result."""


class ApiMatch(Struct, frozen=True):
    """The exact results of two players."""

    x: Annotated[str, describe("Who plays X.")]
    o: Annotated[str, describe("Who plays O.")]
    chances: Annotated[Ends, describe("How it ends, over all its games.")]
    likeliest: Annotated[
        Games, describe("The likeliest game of each result; null where none is.")
    ]
    page: Board
