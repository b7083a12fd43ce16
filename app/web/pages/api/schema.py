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
Name = Annotated[str, describe("The name in URLs.")]
Title = Annotated[str, describe("The title on pages.")]
Position = Annotated[str, mark_format("position")]
Record = Annotated[str, mark_format("record")]
Board = Annotated[str, describe("A path on this site: the page with the board.")]


class Error(Struct, frozen=True):
    """The status and detail of a problem under the names of earlier versions."""

    code: Annotated[int, describe("The HTTP status.")]
    message: Annotated[str, describe("What is wrong, and what would be right.")]


class Problem(Struct, frozen=True):
    """The answer to a request that failed: problem details as in RFC 9457."""

    type: Annotated[
        str, describe("Always about:blank: the status is the kind of problem.")
    ]
    title: Annotated[str, describe("The phrase of the HTTP status.")]
    status: Annotated[int, describe("The HTTP status.")]
    detail: Annotated[str, describe("What is wrong, and what would be right.")]
    error: Annotated[
        Error,
        describe("The status and the detail again, for clients of earlier versions."),
    ]


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
            describe("An agent that learned.", examples=["q-table"]),
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
            "The value source: an agent, the exact values of its training task (the agent's name and "
            "_task), or truth, which is optimal play.",
            examples=["q-learning-1"],
        ),
        mark_format("lens"),
    ] = TRUTH
    step: (
        Annotated[
            int,
            describe(
                "A snapshot of the agent's training, 0 is the first; the agent as shipped if omitted.",
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
        describe(
            "The player to move: an agent or a baseline.", examples=["q-learning-2"]
        ),
        mark_format("player"),
    ]
    epsilon: Annotated[
        float,
        describe(
            "Chance that a random move replaces the player's own.",
            ge=0,
            le=1,
            examples=[0.1],
        ),
    ] = 0
    seed: (
        Annotated[
            int,
            describe(
                "Seed of the random draw: the same seed draws the same move; random if omitted.",
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
        describe("Which move is played if several have the highest value."),
    ] = "any"
    missing: Annotated[
        Literal["auto", "any", "first", "image"],
        describe(
            "The move in a position that the table does not have: any empty cell, the first empty "
            "cell, or the move of a symmetric position."
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

    x: Annotated[
        Outcomes, describe("Results when the agent plays X, which moves first.")
    ]
    o: Annotated[Outcomes, describe("Results when the agent plays O.")]


class Task(Struct, frozen=True):
    """The distance of an agent's values from the exact values of its training task, in rewards.

    The exact values are Q*; if exploration is a part of the task, Q* over ε-soft policies.
    """

    largest: Annotated[float, describe("Largest difference, of all moves.", ge=0)]
    mean: Annotated[float, describe("Mean difference, over all moves.", ge=0)]
    lens: Annotated[
        str,
        describe(
            "The value of the parameter lens for the exact values of the training task."
        ),
    ]


class Summary(Struct, frozen=True):
    """A summary of an agent; every figure is exact, for the agent as shipped."""

    id: Name
    title: Title
    origin: Annotated[str, describe("Short name of the source of the agent.")]
    algorithm: Annotated[str, describe("The learning algorithm: a section of /how.")]
    recipe: Annotated[str, describe("Full name of the recipe that trains the agent.")]
    updates: Annotated[int, describe("Number of updates in the training.", ge=0)]
    unbeatable_as: Annotated[
        list[Mark],
        describe("The seats in which it is proved that no opponent can win."),
    ]
    blunders: Annotated[
        int, describe("Positions in which the agent can blunder.", ge=0)
    ]
    decisions: Annotated[
        int, describe("All positions in which a player is to move.", ge=0)
    ]
    task: Annotated[
        Task | None,
        describe(
            "Distance from the exact values of the training task; null if it has none."
        ),
    ]
    against_random: Annotated[Seats, describe("Results against random moves.")]
    against_best_responder: Annotated[
        Seats,
        describe("Results against the agent's best responder, its strongest opponent."),
    ]
    href: Annotated[str, describe("A path of this API: the agent with all facts.")]
    page: Annotated[str, describe("A path on this site: its page.")]
    play: Board


class Baseline(Struct, frozen=True):
    """A player that follows a rule and never learned anything."""

    id: Name
    title: Title
    play: Board


class Agents(Struct, frozen=True):
    """All players."""

    agents: Annotated[list[Summary], describe("The agents that learned.")]
    baselines: Annotated[list[Baseline], describe("The players that follow a rule.")]


class Agent(Struct, frozen=True):
    """One agent with all facts about it besides its arrays."""

    summary: Annotated[Summary, describe("The summary of the agent.")]
    card: Annotated[Card, describe("The content of the agent's card file.")]


class Met(Struct, frozen=True):
    """A count in each seat."""

    x: Annotated[int, describe("The number when the policy plays X.", ge=0)]
    o: Annotated[int, describe("The number when the policy plays O.", ge=0)]


class Lost(Struct, frozen=True):
    """The likeliest game that is lost in each seat."""

    x: Annotated[
        Record | None,
        describe("Likeliest game lost as X; null if it is proved that X cannot lose."),
    ]
    o: Annotated[
        Record | None,
        describe("Likeliest game lost as O; null if it is proved that O cannot lose."),
    ]


class LikelyCause(Struct, frozen=True):
    """A likely cause of blunders, as far as the moves show it."""

    kind: Annotated[Kind, describe("The kind of cause.")]
    seat: Annotated[
        Mark | None, describe("The seat with this cause; null for both seats.")
    ]
    rule: Annotated[
        Rule,
        describe(
            "The rule by which the moves are chosen, if that is the cause; else empty."
        ),
    ]
    number: Annotated[int, describe("Positions that show the cause.", ge=0)]
    of: Annotated[int, describe("Positions that could show the cause.", ge=0)]
    by_chance: Annotated[
        float,
        describe("Positions expected to show the cause if moves were random.", ge=0),
    ]
    shown_in: Annotated[
        list[Position], describe("Examples of positions that show the cause.")
    ]


class ApiJudgement(Struct, frozen=True):
    """The exact evaluation of a policy."""

    title: Title
    unbeatable_as: Annotated[
        list[Mark],
        describe("The seats in which it is proved that no opponent can win."),
    ]
    losing_games: Annotated[Lost, describe("The likeliest lost game in each seat.")]
    blunders: Annotated[
        int, describe("Positions in which a move can be a blunder.", ge=0)
    ]
    decisions: Annotated[
        int, describe("All positions in which a player is to move.", ge=0)
    ]
    reachable_blunders: Annotated[
        Met, describe("Blunders that games of the policy in a seat can reach.")
    ]
    nash_conv: Annotated[
        float,
        describe("Sum of what the best responders gain in both seats.", ge=0, le=2),
    ]
    against_random: Annotated[Seats, describe("Results against random moves.")]
    against_best_responder: Annotated[
        Seats,
        describe(
            "Results against the policy's best responder, its strongest opponent."
        ),
    ]
    causes: Annotated[list[LikelyCause], describe("Likely causes of the blunders.")]
    page: Annotated[str, describe("A path on this site: the judgement for people.")]
    play: Board


class TableJudgement(ApiJudgement, frozen=True):
    """A table that was sent, judged exactly, and how it was read."""

    moves: Annotated[str, describe("The policy, as the parameter moves of a GET.")]
    read: Annotated[int, describe("Number of positions in the table.", ge=0)]
    notes: Annotated[list[str], describe("Sentences on how the table was read.")]
    values: Annotated[
        dict[str, list[float | None]] | None,
        describe(
            "The values of the cells of each position, in the view of the player to move; null for a "
            "cell without a value. Null unless requested, and if the table has only moves."
        ),
    ]


class State(Struct, frozen=True):
    """A position, the player to move and the result."""

    position: Position
    code: Annotated[
        int,
        describe(
            "The position as a base-3 number: empty 0, X 1, O 2, first cell first."
        ),
    ]
    to_move: Annotated[
        Mark | None, describe("The player to move; null when the game is over.")
    ]
    over: Annotated[bool, describe("Whether the game is over.")]
    result: Annotated[
        Result | None, describe("The winner, or draw; null while the game goes on.")
    ]


class Truth(Struct, frozen=True):
    """The result after a move if both sides then play optimally."""

    outcome: Annotated[Outcome, describe("The result for the player to move.")]
    plies: Annotated[
        int, describe("Number of moves of both sides to the end, with this one.")
    ]


class ApiSquare(Struct, frozen=True):
    """One cell, and the value of a move there by the lens; null where no move is possible."""

    cell: Cell
    mark: Annotated[
        str, describe("The mark in the cell: X, O or '.' for an empty cell.")
    ]
    legal: Annotated[bool, describe("Whether a move there is legal now.")]
    value: Annotated[
        float | None,
        describe(
            "The value of a move here by the lens, in the view of the side to move and on the "
            "scale of worth; if worth is null, the number of beads of the move. Null if training "
            "had not updated the value by this snapshot."
        ),
    ] = None
    best: Annotated[
        bool,
        describe(
            "Whether the lens is likeliest to play here, and has learned any value."
        ),
    ] = False
    policy: Annotated[Chance, describe("Chance that the lens plays here.")] = 0.0
    visits: Annotated[
        int | None,
        describe(
            "Number of updates of the value in the whole training; null for an exact value."
        ),
    ] = None
    task: Annotated[
        float | None,
        describe(
            "Exact value of the move in the agent's training task, if it has exact values."
        ),
    ] = None
    truth: Annotated[
        Truth | None, describe("Result of the move with optimal play.")
    ] = None


class ApiScale(Struct, frozen=True):
    """The rewards of the results for the side to move, on the scale of the values."""

    loss: Annotated[float, describe("Value of a lost game.")]
    draw: Annotated[float, describe("Value of a drawn game.")]
    win: Annotated[float, describe("Value of a won game.")]


class ApiView(State, frozen=True):
    """A position as a lens values it, and with optimal play."""

    symmetry_class: Annotated[
        Position,
        describe("The position that represents all symmetric positions."),
    ]
    value: Annotated[
        int,
        describe(
            "Result with optimal play, always in X's view: 1 X wins, 0 a draw, -1 O wins.",
            ge=-1,
            le=1,
        ),
    ]
    plies: Annotated[
        int, describe("Number of moves of both sides to the end with optimal play.")
    ]
    lens: Annotated[str, describe("The source of the values.")]
    updates: Annotated[
        int | None,
        describe("Number of updates before this snapshot; null for exact values."),
    ]
    worth: Annotated[
        ApiScale | None,
        describe(
            "The scale of the values; null if the values are beads or the game is over."
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

    agent: Annotated[str, describe("The player to move.")]
    before: Annotated[State, describe("The position before the move.")]
    chances: Annotated[list[Chance], describe("Chance of each cell, in reading order.")]
    cell: Annotated[Cell, describe("The cell that was drawn by these chances.")]
    after: Annotated[State, describe("The position after the move.")]


class ApiClaim(Struct, frozen=True):
    """A summary of a claim that was checked."""

    id: Name
    title: Title
    source: Annotated[str, describe("Short name of the source of the claim.")]
    verdict: Annotated[Verdict, describe("The verdict on the claim.")]
    href: Annotated[
        str, describe("A path of this API: the experiment with all figures.")
    ]
    page: Annotated[str, describe("A path on this site: its page.")]


class Claims(Struct, frozen=True):
    """The claims and their verdicts."""

    claims: Annotated[list[ApiClaim], describe("Every claim that was checked.")]


class Experiment(Checked, frozen=True, kw_only=True):
    """A claim that was checked: every number of its figures, and the path of its page."""

    page: Annotated[str, describe("A path on this site: its page.")]


class ByResult(Struct, Generic[Entry], frozen=True):
    """An entry for each result of a match."""

    x_wins: Annotated[Entry, describe("The entry for games that X wins.")]
    draw: Annotated[Entry, describe("The entry for drawn games.")]
    o_wins: Annotated[Entry, describe("The entry for games that O wins.")]


class Ends(ByResult[Chance], frozen=True):
    """The chances of the results of a match."""


class Games(ByResult[Record | None], frozen=True):
    """The likeliest game of each result."""


class ApiMatch(Struct, frozen=True):
    """The exact results of two players."""

    x: Annotated[str, describe("The player of X.")]
    o: Annotated[str, describe("The player of O.")]
    chances: Annotated[Ends, describe("The chance of each result.")]
    likeliest: Annotated[
        Games, describe("The likeliest game of each result; null if no game has it.")
    ]
    page: Board
