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
    """Return a placeholder in a type's schema; `fill_formats` replaces it by limits of the game."""
    return Meta(extra_json_schema={"format": format})


Entry = TypeVar("Entry")
Mark = Literal["X", "O"]
Result = Literal["X", "draw", "O"]
Outcome = Literal["win", "draw", "loss"]
Cell = Annotated[
    int,
    describe("The number of a cell, from 0 (top left), in reading order.", ge=0),
    mark_format("cell"),
]
Chance = Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[str, describe("The name of this object in URLs.")]
Title = Annotated[str, describe("The title of this object on the pages of the site.")]
PagePath = Annotated[str, describe("The path of its page on this site.")]
Status = Annotated[int, describe("The HTTP status.")]
Fault = Annotated[str, describe("What is wrong, and what would be right.")]
ProvedSeats = Annotated[
    list[Mark], describe("The seats in which it is proved that no opponent can win.")
]
DecisionCount = Annotated[
    int, describe("The number of all positions in which a player has to move.", ge=0)
]
Position = Annotated[str, mark_format("position")]
Record = Annotated[str, mark_format("record")]
Board = Annotated[
    str, describe("The path, on this site, of a page with a board to play on.")
]


class Error(Struct, frozen=True):
    """The status and detail of a problem under the names of earlier versions."""

    code: Status
    message: Fault


class Problem(Struct, frozen=True):
    """The answer to a request that failed: problem details as in RFC 9457."""

    type: Annotated[
        str, describe("Always about:blank: the status is the kind of problem.")
    ]
    title: Annotated[str, describe("The phrase of the HTTP status.")]
    status: Status
    detail: Fault
    error: Annotated[
        Error,
        describe(
            "The status and the detail once more, for clients of earlier versions."
        ),
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
            describe(
                "The player of X: an agent or a baseline.", examples=["q-learning-1"]
            ),
            mark_format("player"),
        ],
        "o": Annotated[
            str,
            describe("The player of O: an agent or a baseline.", examples=["t-hand"]),
            mark_format("player"),
        ],
        "id": Annotated[
            str,
            describe("The name of an agent that learned.", examples=["q-table"]),
            mark_format("agent"),
        ],
        "claim": Annotated[
            str,
            describe("The name of a claim that was checked.", examples=["counting"]),
            mark_format("claim"),
        ],
    }
)


class LookQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The values to show for a position."""

    lens: Annotated[
        str,
        describe(
            "The source of the values: the name of an agent; or this name followed by "
            "_task, for the exact "
            "values of the agent's training task; or truth, for optimal play.",
            examples=["q-learning-1"],
        ),
        mark_format("lens"),
    ] = TRUTH
    step: (
        Annotated[
            int,
            describe(
                "The number of a snapshot of the agent's training, from 0. If omitted: "
                "the fully trained agent.",
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
            "The probability that a random move replaces the move of the player.",
            ge=0,
            le=1,
            examples=[0.1],
        ),
    ] = 0
    seed: (
        Annotated[
            int,
            describe(
                "The seed of the random draw. Equal seeds draw equal moves. If omitted, "
                "the draw is random.",
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
            "A policy as a sequence of bits, written as base64url without padding, most significant bit "
            "first. There is one bit for each legal move of each position: 1 if the policy plays it. "
            "Positions are ordered by ply, then by code; cells are in reading order. A shorter sequence "
            "may contain only the first position of each set of symmetric positions."
        ),
        mark_format("moves"),
    ]


class TableQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The reading of an ambiguous table; auto follows from the rows."""

    boards: Annotated[
        Literal["auto", "x", "mover"],
        describe(
            "The player that is 1 on a board of numbers: X, or the player to move."
        ),
    ] = "auto"
    digits: Annotated[
        Literal["auto", "first", "last"],
        describe("The digit of a base-3 number that is the top left cell."),
    ] = "auto"
    view: Annotated[
        Literal["auto", "mover", "x"],
        describe("The player for whom a high value is good: the player to move, or X."),
    ] = "auto"
    ties: Annotated[
        Literal["any", "first"],
        describe("The move that is played if several moves have the highest value."),
    ] = "any"
    missing: Annotated[
        Literal["auto", "any", "first", "image"],
        describe(
            "The move in a position that is not in the table: any empty cell, the first empty "
            "cell, or (image) the move of a symmetric position."
        ),
    ] = "auto"
    values: Annotated[
        bool, describe("Whether the response contains the values of all positions.")
    ] = False


class Outcomes(Struct, frozen=True):
    """The probabilities of the results of a game, for the agent."""

    win: Annotated[Chance, describe("The probability that the agent wins.")]
    draw: Annotated[Chance, describe("The probability of a draw.")]
    loss: Annotated[Chance, describe("The probability that the agent loses.")]


class Seats(Struct, frozen=True):
    """The results of an agent in both seats."""

    x: Annotated[
        Outcomes, describe("The results when the agent plays X and moves first.")
    ]
    o: Annotated[
        Outcomes, describe("The results when the agent plays O and moves second.")
    ]


class Task(Struct, frozen=True):
    """The distance of an agent's values from the exact values of its training task, in rewards.

    The exact values are Q*; if exploration is a part of the task, Q* over ε-soft policies.
    """

    largest: Annotated[float, describe("The largest difference over all moves.", ge=0)]
    mean: Annotated[float, describe("The mean difference over all moves.", ge=0)]
    lens: Annotated[
        str,
        describe(
            "The value to use for the parameter lens to get the exact values of the training task."
        ),
    ]


class Summary(Struct, frozen=True):
    """A summary of an agent; every number is exact, for the values at the end of its training."""

    id: Name
    title: Title
    origin: Annotated[str, describe("The short name of the source of the agent.")]
    algorithm: Annotated[
        str, describe("The learning algorithm, which is explained at /how/<algorithm>.")
    ]
    recipe: Annotated[
        str,
        describe(
            "The full name of the recipe (algorithm and parameters) that trains the agent."
        ),
    ]
    updates: Annotated[int, describe("The number of updates in the training.", ge=0)]
    unbeatable_as: ProvedSeats
    blunders: Annotated[
        int, describe("The number of positions in which the agent can blunder.", ge=0)
    ]
    decisions: DecisionCount
    task: Annotated[
        Task | None,
        describe(
            "The distance of the agent's values from the exact values of its training "
            "task; null if the task has no exact values."
        ),
    ]
    against_random: Annotated[Seats, describe("The results against random moves.")]
    against_best_responder: Annotated[
        Seats,
        describe(
            "The results against the best responder, the strongest opponent of this agent."
        ),
    ]
    href: Annotated[
        str, describe("The path, in this API, of all data about the agent.")
    ]
    page: PagePath
    play: Board


class Baseline(Struct, frozen=True):
    """A player that follows a fixed rule and does not learn."""

    id: Name
    title: Title
    play: Board


class Agents(Struct, frozen=True):
    """All players of this site: agents and baselines."""

    agents: Annotated[list[Summary], describe("The agents that learned.")]
    baselines: Annotated[
        list[Baseline], describe("The players that follow a fixed rule.")
    ]


class Agent(Struct, frozen=True):
    """One agent with all its data, except its arrays of values."""

    summary: Annotated[Summary, describe("The summary of the agent.")]
    card: Annotated[
        Card, describe("The card of the agent: its training and all its exact figures.")
    ]


class Met(Struct, frozen=True):
    """Two counts, one for the policy as X and one for the policy as O."""

    x: Annotated[int, describe("The count when the policy plays X.", ge=0)]
    o: Annotated[int, describe("The count when the policy plays O.", ge=0)]


class Lost(Struct, frozen=True):
    """The most likely game that is lost in each seat."""

    x: Annotated[
        Record | None,
        describe(
            "The most likely game lost as X; null if it is proved that the policy cannot lose as X."
        ),
    ]
    o: Annotated[
        Record | None,
        describe(
            "The most likely game lost as O; null if it is proved that the policy cannot lose as O."
        ),
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
            "The rule that seems to choose the moves, if this is the cause; otherwise empty."
        ),
    ]
    number: Annotated[
        int, describe("The number of positions that show the cause.", ge=0)
    ]
    of: Annotated[
        int, describe("The number of positions that could show the cause.", ge=0)
    ]
    by_chance: Annotated[
        float,
        describe(
            "The expected number of positions that show the cause if moves were random.",
            ge=0,
        ),
    ]
    shown_in: Annotated[
        list[Position], describe("Examples of positions that show the cause.")
    ]


class ApiJudgement(Struct, frozen=True):
    """The exact evaluation of a policy."""

    title: Title
    unbeatable_as: ProvedSeats
    losing_games: Annotated[Lost, describe("The most likely lost game in each seat.")]
    blunders: Annotated[
        int, describe("The number of positions in which the policy can blunder.", ge=0)
    ]
    decisions: DecisionCount
    reachable_blunders: Annotated[
        Met,
        describe(
            "The number of positions with a blunder that can occur in games of the policy, by its seat."
        ),
    ]
    nash_conv: Annotated[
        float,
        describe(
            "NashConv: the gain of the best responders over optimal play, added over both seats.",
            ge=0,
            le=2,
        ),
    ]
    against_random: Annotated[Seats, describe("The results against random moves.")]
    against_best_responder: Annotated[
        Seats,
        describe(
            "The results against the best responder, the strongest opponent of this policy."
        ),
    ]
    causes: Annotated[list[LikelyCause], describe("The likely causes of the blunders.")]
    page: Annotated[
        str, describe("The path, on this site, of the page with these results.")
    ]
    play: Board


class TableJudgement(ApiJudgement, frozen=True):
    """The exact evaluation of a table that was sent, with notes on how it was read."""

    moves: Annotated[
        str, describe("The policy, in the form of the parameter moves of GET /judge.")
    ]
    read: Annotated[int, describe("The number of positions in the table.", ge=0)]
    notes: Annotated[list[str], describe("Sentences on how the table was read.")]
    values: Annotated[
        dict[str, list[float | None]] | None,
        describe(
            "For each position the values of its cells, for the player to move; null for "
            "a cell without a "
            "value. The whole field is null if it was not requested or the table contains only moves."
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
        Result | None, describe("The winner, or draw; null if the game is not over.")
    ]


class Truth(Struct, frozen=True):
    """The result after a move if both sides then play optimally."""

    outcome: Annotated[Outcome, describe("The result, for the player to move.")]
    plies: Annotated[
        int,
        describe(
            "The number of moves of both sides until the end of the game, including this move."
        ),
    ]


class ApiSquare(Struct, frozen=True):
    """A cell, with the values of a move to it; values are null if the move is illegal."""

    cell: Cell
    mark: Annotated[
        str, describe("The mark in the cell: X, O or '.' for an empty cell.")
    ]
    legal: Annotated[bool, describe("Whether a move to the cell is legal.")]
    value: Annotated[
        float | None,
        describe(
            "The value of the move for the player to move, on the scale in worth; if worth is null, the "
            "number of beads of the move. Null if the training had not updated the value before "
            "this snapshot."
        ),
    ] = None
    best: Annotated[
        bool,
        describe(
            "Whether the source of the values plays no other move with a higher probability; "
            "false if it has learned no value."
        ),
    ] = False
    policy: Annotated[
        Chance,
        describe("The probability that the source of the values plays this move."),
    ] = 0.0
    visits: Annotated[
        int | None,
        describe(
            "The number of updates of the value in the whole training; null for an exact value."
        ),
    ] = None
    task: Annotated[
        float | None,
        describe(
            "The exact value of the move in the agent's training task; null if the task "
            "has no exact values."
        ),
    ] = None
    truth: Annotated[
        Truth | None,
        describe("The result of the move if both sides then play optimally."),
    ] = None


class ApiScale(Struct, frozen=True):
    """The values of a lost, a drawn and a won game, for the side to move."""

    loss: Annotated[float, describe("The value of a lost game.")]
    draw: Annotated[float, describe("The value of a drawn game.")]
    win: Annotated[float, describe("The value of a won game.")]


class ApiView(State, frozen=True):
    """A position with the values of its moves and with the results of optimal play."""

    symmetry_class: Annotated[
        Position,
        describe(
            "The position that represents this position and all positions that are symmetric to it."
        ),
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
        int,
        describe(
            "The number of moves of both sides until the end of the game with optimal play."
        ),
    ]
    lens: Annotated[
        str, describe("The source of the values, as in the parameter lens.")
    ]
    updates: Annotated[
        int | None,
        describe(
            "The number of updates of the training before this snapshot; null for exact values."
        ),
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
        list[State],
        describe(
            "The states of the game: the empty board, then the state after each move."
        ),
    ]
    page: Board


class ApiMove(Struct, frozen=True):
    """A move of an agent, drawn by its probabilities."""

    agent: Annotated[str, describe("The player to move.")]
    before: Annotated[State, describe("The position before the move.")]
    chances: Annotated[
        list[Chance], describe("The probability of each cell, in reading order.")
    ]
    cell: Annotated[Cell, describe("The cell that was drawn with these probabilities.")]
    after: Annotated[State, describe("The position after the move.")]


class ApiClaim(Struct, frozen=True):
    """A summary of a claim that was checked."""

    id: Name
    title: Title
    source: Annotated[str, describe("Short name of the source of the claim.")]
    verdict: Annotated[Verdict, describe("The verdict on the claim.")]
    href: Annotated[
        str, describe("The path, in this API, of the experiment with all its numbers.")
    ]
    page: PagePath


class Claims(Struct, frozen=True):
    """The claims and their verdicts."""

    claims: Annotated[list[ApiClaim], describe("Every claim that was checked.")]


class Experiment(Checked, frozen=True, kw_only=True):
    """A claim that was checked: every number of its figures, and the path of its page."""

    page: PagePath


class ByResult(Struct, Generic[Entry], frozen=True):
    """An entry for each result of a match."""

    x_wins: Annotated[Entry, describe("The entry for games that X wins.")]
    draw: Annotated[Entry, describe("The entry for drawn games.")]
    o_wins: Annotated[Entry, describe("The entry for games that O wins.")]


class Ends(ByResult[Chance], frozen=True):
    """The probabilities of the results of a match."""


class Games(ByResult[Record | None], frozen=True):
    """The most likely game with each result."""


class ApiMatch(Struct, frozen=True):
    """The exact results of two players."""

    x: Annotated[str, describe("The player of X.")]
    o: Annotated[str, describe("The player of O.")]
    chances: Annotated[Ends, describe("The probability of each result.")]
    likeliest: Annotated[
        Games,
        describe(
            "The most likely game with each result; null if no game has this result."
        ),
    ]
    page: Board
