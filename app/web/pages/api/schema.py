"""The types of the API's requests and answers, each field with its meaning.

The description of the API is generated from these types and from those of a card and of an
experiment.  A type with limits that follow from the game or its players, like a position, has a
`format`; `description` holds these limits.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from app.experiments import ClaimSummary, Verdict
from app.tictactoe.card import Card
from app.tictactoe.causes import Kind, Rule
from app.tictactoe.npz import MAX_SNAPSHOTS
from app.web.site_data import TRUTH


def describe(description: str, **limits: Any) -> Meta:
    """Return the description of a field with its limits, as msgspec names them."""
    return Meta(description=description, **limits)


def mark_format(format: str) -> Meta:
    """Return a placeholder for limits in a type's schema; `fill_formats` replaces it later."""
    return Meta(extra_json_schema={"format": format})


Entry = TypeVar("Entry")
Mark = Literal["X", "O"]
Result = Literal["X", "draw", "O"]
Outcome = Literal["win", "draw", "loss"]
Cell = Annotated[
    int,
    describe(
        "The number of a cell of the board: from 0 for the top left cell, in reading order.",
        ge=0,
    ),
    mark_format("cell"),
]
Chance = Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[
    str, describe("The name of the agent, player or claim in the URLs of this site.")
]
Title = Annotated[
    str, describe("The title of the agent, player or claim on the pages of this site.")
]
PagePath = Annotated[
    str, describe("The path of the page of this site about the agent or claim.")
]
Status = Annotated[int, describe("The number of the HTTP status, for example 404.")]
Fault = Annotated[
    str,
    describe("A sentence that names the error in the request and a correct request."),
]
ProvedSeats = Annotated[
    list[Mark],
    describe(
        "The seats (X or O) in which the agent is proved unbeatable: no opponent can win "
        "against it."
    ),
]
DecisionCount = Annotated[
    int,
    describe(
        "The number of all positions of the game in which a player has to move.", ge=0
    ),
]
Position = Annotated[str, mark_format("position")]
Record = Annotated[str, mark_format("record")]
Board = Annotated[
    str,
    describe("The path of a page of this site with a board, on which you can play."),
]


class Error(Struct, frozen=True):
    """The status and the message of an error, in fields named as in earlier versions of this API."""

    code: Status
    message: Fault


class Problem(Struct, frozen=True):
    """The response to a request that failed: problem details as in RFC 9457."""

    type: Annotated[
        str,
        describe(
            "Always the text about:blank, because the HTTP status already names the kind of "
            "error."
        ),
    ]
    title: Annotated[str, describe("The HTTP status in words, for example Not Found.")]
    status: Status
    detail: Fault
    error: Annotated[
        Error,
        describe(
            "The fields status and detail again, for programs that use an earlier version of "
            "this API."
        ),
    ]


# part of a path -> its type; the example URLs use the first example of each type
PATH_PARTS: Mapping[str, Any] = MappingProxyType(
    {
        "position": Annotated[
            Position, Meta(examples=["X...O..X.", ".........", "XXX.OO..."])
        ],
        "record": Annotated[Record, Meta(examples=["40216", "0"])],
        "x": Annotated[
            str,
            describe(
                "The player that plays X: an agent or a baseline.",
                examples=["q-learning-1"],
            ),
            mark_format("player"),
        ],
        "o": Annotated[
            str,
            describe(
                "The player that plays O: an agent or a baseline.", examples=["t-hand"]
            ),
            mark_format("player"),
        ],
        "id": Annotated[
            str,
            describe(
                "The name of an agent that learned to play.", examples=["q-table"]
            ),
            mark_format("agent"),
        ],
        "claim": Annotated[
            str,
            describe(
                "The name of a claim that an experiment of this site checks.",
                examples=["counting"],
            ),
            mark_format("claim"),
        ],
    }
)


class LookQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The values to show for a position."""

    lens: Annotated[
        str,
        describe(
            "The source of the values: the name of an agent for its learned values; the name "
            "followed by _task for the exact values of the agent's training task; or truth for "
            "the results of optimal play.",
            examples=["q-learning-1"],
        ),
        mark_format("lens"),
    ] = TRUTH
    step: (
        Annotated[
            int,
            describe(
                "The number of a snapshot of the agent's training, counted from "
                "0. Without this parameter "
                "the response has the values of the fully trained agent.",
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
            "The player whose move is chosen: an agent or a baseline.",
            examples=["q-learning-2"],
        ),
        mark_format("player"),
    ]
    epsilon: Annotated[
        float,
        describe(
            "The exploration rate: the probability that a random move replaces the player's own "
            "move.",
            ge=0,
            le=1,
            examples=[0.1],
        ),
    ] = 0
    seed: (
        Annotated[
            int,
            describe(
                "The seed of the random choice: requests with the same seed choose "
                "the same move. Without a seed, the move is chosen at random for "
                "each request.",
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
            "A policy as a sequence of bits, written as base64url without padding, most "
            "significant bit first. There is one bit for each legal move of each position: 1 if "
            "the policy plays this move. The positions are ordered by the number of moves "
            "played, then by their base-3 number; the moves of a position are in reading order "
            "of the cells. A shorter sequence may contain only the first position of each set of "
            "symmetric positions."
        ),
        mark_format("moves"),
    ]


class TableQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The reading of an ambiguous table; auto follows from the rows."""

    numbers: Annotated[
        Literal["auto", "moves", "boards"],
        describe(
            "The meaning of a single number beside a board: the cell that is played, the value of "
            "the board, or auto to detect it."
        ),
    ] = "auto"
    marks: Annotated[
        Literal["auto", "01-1", "012", "-110", "-101", "201", "210", "120", "102"],
        describe(
            "The numbers for an empty cell, X and O, written one after another, or auto to detect "
            "them."
        ),
    ] = "auto"
    boards: Annotated[
        Literal["auto", "x", "mover"],
        describe(
            "The player whose marks are the number 1, if the boards of the table consist of "
            "numbers: x for X, mover for the player to move, auto to detect it."
        ),
    ] = "auto"
    begins: Annotated[
        Literal["auto", "x", "o"],
        describe("The mark that begins, or auto to detect it."),
    ] = "auto"
    digits: Annotated[
        Literal["auto", "first", "last"],
        describe(
            "The digit of the top left cell, if the boards of the table are base-3 numbers: the "
            "first or the last digit, or auto to detect it."
        ),
    ] = "auto"
    cells: Annotated[
        Literal["auto", "0", "1"],
        describe("The number of the top left cell, or auto to detect it."),
    ] = "auto"
    view: Annotated[
        Literal["auto", "mover", "x", "o", "moved"],
        describe(
            "The player for whom a high value is good: mover for the player to move, x for X, o for "
            "O, moved for the player who has just moved (for values of boards), auto to detect it."
        ),
    ] = "auto"
    play: Annotated[
        Literal["highest", "proportional"],
        describe(
            "The choice of a move: the highest value, or a move drawn in proportion to the values."
        ),
    ] = "highest"
    ties: Annotated[
        Literal["any", "first"],
        describe(
            "The move that the policy plays if several moves have the highest value: "
            "any of these moves, or the first of these moves."
        ),
    ] = "any"
    missing: Annotated[
        Literal["auto", "any", "first", "image"],
        describe(
            "The move of the policy in a position that is not in the table: any empty cell, the "
            "first empty cell, image for the move of a symmetric position, or auto to detect it."
        ),
    ] = "auto"
    values: Annotated[
        bool, describe("Whether the response contains the values of all positions.")
    ] = False


class Outcomes(Struct, frozen=True):
    """The probabilities of the three results of a game, from the agent's point of view."""

    win: Annotated[Chance, describe("The probability that the agent wins.")]
    draw: Annotated[Chance, describe("The probability that the game is a draw.")]
    loss: Annotated[Chance, describe("The probability that the agent loses.")]


class Seats(Struct, frozen=True):
    """The results of an agent when it plays X and when it plays O."""

    x: Annotated[
        Outcomes, describe("The results when the agent plays X and moves first.")
    ]
    o: Annotated[
        Outcomes, describe("The results when the agent plays O and moves second.")
    ]


class Task(Struct, frozen=True):
    """The difference between an agent's values and the exact values of its task, in units of reward.

    The exact values are the Q-values of the best policy; if exploration is a part of the task, of the
    best ε-soft policy.
    """

    largest: Annotated[
        float,
        describe(
            "The largest difference between a learned and an exact value, over all moves.",
            ge=0,
        ),
    ]
    mean: Annotated[
        float,
        describe(
            "The mean difference between a learned and an exact value, over all moves.",
            ge=0,
        ),
    ]
    lens: Annotated[
        str,
        describe(
            "The text to use as the parameter lens of another request, to get the exact values "
            "of the training task."
        ),
    ]


class Summary(Struct, frozen=True):
    """A summary of an agent at the end of its training; every number is exact."""

    id: Name
    title: Title
    origin: Annotated[str, describe("The short name of the source of the agent.")]
    algorithm: Annotated[
        str,
        describe(
            "The learning algorithm of the agent, which is explained on the page "
            "/how/<algorithm>."
        ),
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
            "The difference between the agent's values and the exact values of its training "
            "task; null if the task has no exact values."
        ),
    ]
    against_random: Annotated[
        Seats, describe("The results of games against the random player.")
    ]
    against_best_responder: Annotated[
        Seats,
        describe(
            "The results of games against the best responder, the strongest opponent of this "
            "agent."
        ),
    ]
    href: Annotated[
        str,
        describe("The path of the API request that returns all data about the agent."),
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

    agents: Annotated[list[Summary], describe("All agents that learned to play.")]
    baselines: Annotated[
        list[Baseline],
        describe("All players that follow a fixed rule and do not learn."),
    ]


class Agent(Struct, frozen=True):
    """One agent with all its data, except its table of values."""

    summary: Annotated[Summary, describe("The summary of the agent.")]
    card: Annotated[
        Card, describe("The card of the agent: its training and all its exact figures.")
    ]


class Met(Struct, frozen=True):
    """The number of positions in which a policy plays a blunder with a chance above 0, for each seat."""

    x: Annotated[
        int,
        describe(
            "The number of positions in which the policy can blunder when it plays X.",
            ge=0,
        ),
    ]
    o: Annotated[
        int,
        describe(
            "The number of positions in which the policy can blunder when it plays O.",
            ge=0,
        ),
    ]


class Lost(Struct, frozen=True):
    """The most likely game that the policy loses as X, and the most likely game that it loses as O."""

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
    """A likely cause of a policy's blunders, found from the moves of the policy alone."""

    kind: Annotated[
        Kind, describe("The kind of mistake that is the likely cause of the blunders.")
    ]
    seat: Annotated[
        Mark | None,
        describe(
            "The seat in which the policy blunders for this cause; null for both seats."
        ),
    ]
    rule: Annotated[
        Rule,
        describe(
            "The fixed rule by which the policy seems to choose its moves, if such a rule is the "
            "cause; otherwise an empty text."
        ),
    ]
    number: Annotated[
        int,
        describe(
            "The number of positions in which the policy's moves show this cause.", ge=0
        ),
    ]
    of: Annotated[
        int, describe("The number of positions in which this cause could show.", ge=0)
    ]
    by_chance: Annotated[
        float,
        describe(
            "The number of positions that would show this cause on average if the moves were "
            "random.",
            ge=0,
        ),
    ]
    shown_in: Annotated[
        list[Position],
        describe("Examples of positions in which the policy's moves show this cause."),
    ]


class ApiJudgement(Struct, frozen=True):
    """The exact evaluation of a policy."""

    title: Title
    unbeatable_as: ProvedSeats
    losing_games: Annotated[
        Lost,
        describe("The most likely games that the policy loses, one for each seat."),
    ]
    blunders: Annotated[
        int, describe("The number of positions in which the policy can blunder.", ge=0)
    ]
    decisions: DecisionCount
    reachable_blunders: Annotated[
        Met,
        describe(
            "The number of positions that can occur in games of the policy and in "
            "which the policy can blunder, for each seat."
        ),
    ]
    nash_conv: Annotated[
        float,
        describe(
            "NashConv: how much better the mean result of the best responder (win 1, draw 0, "
            "loss -1) is against the policy than against optimal play, added over both seats.",
            ge=0,
            le=2,
        ),
    ]
    against_random: Annotated[
        Seats, describe("The results of games against the random player.")
    ]
    against_best_responder: Annotated[
        Seats,
        describe(
            "The results of games against the best responder, the strongest opponent of this "
            "policy."
        ),
    ]
    causes: Annotated[
        list[LikelyCause], describe("The likely causes of the policy's blunders.")
    ]
    page: Annotated[
        str, describe("The path of the page of this site with these results.")
    ]
    play: Board


class TableJudgement(ApiJudgement, frozen=True):
    """The exact evaluation of a table that was sent, with notes on how it was read."""

    moves: Annotated[
        str,
        describe(
            "The policy that was read from the table, written as in the parameter moves of the "
            "request GET /api/v1/judge."
        ),
    ]
    read: Annotated[
        int, describe("The number of positions for which the table has an entry.", ge=0)
    ]
    notes: Annotated[
        list[str], describe("Sentences that explain how this site read the table.")
    ]
    values: Annotated[
        dict[str, list[float | None]] | None,
        describe(
            "For each position the values of its cells, from the point of view "
            "of the player to move; null "
            "for a cell without a value. The field values is null if the request did not ask for "
            "the values or the table contains only moves."
        ),
    ]


class State(Struct, frozen=True):
    """The state of a game: a position, the player to move and the result."""

    position: Position
    code: Annotated[
        int,
        describe(
            "The position as a base-3 number: the digit of an empty cell is 0, of X 1 and of O "
            "2; the top left cell is the first digit."
        ),
    ]
    to_move: Annotated[
        Mark | None, describe("The player to move; null when the game is over.")
    ]
    over: Annotated[bool, describe("Whether the game is over.")]
    result: Annotated[
        Result | None,
        describe("The winner (X or O) or the word draw; null if the game is not over."),
    ]


class Truth(Struct, frozen=True):
    """The result after a move if both sides then play optimally."""

    outcome: Annotated[
        Outcome,
        describe(
            "The result for the player who makes the move, if both sides then play optimally."
        ),
    ]
    plies: Annotated[
        int,
        describe(
            "The number of moves of both players until the end of the game, including this move."
        ),
    ]


class ApiSquare(Struct, frozen=True):
    """A cell of the board, and a move to this cell; the values are null if the move is illegal."""

    cell: Cell
    mark: Annotated[
        str, describe("The content of the cell: X, O, or '.' for an empty cell.")
    ]
    legal: Annotated[bool, describe("Whether a move to the cell is legal.")]
    value: Annotated[
        float | None,
        describe(
            "The value of the move for the player to move, on the scale that the "
            "field worth gives; if worth is null, the number of beads of the move. "
            "The field value is null if the training had not yet updated the value "
            "of the move."
        ),
    ] = None
    best: Annotated[
        bool,
        describe(
            "Whether the move is a best move of the agent: the agent plays no other "
            "move with a higher probability. The field best is false if the agent "
            "has learned no value in this position."
        ),
    ] = False
    policy: Annotated[
        Chance,
        describe("The probability that the agent plays the move."),
    ] = 0.0
    visits: Annotated[
        int | None,
        describe(
            "The number of updates of the move's value in the whole training; null if the value is "
            "exact and not learned."
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
    """The scale of the learned values: the value of a loss, a draw and a win for the player to move."""

    loss: Annotated[float, describe("The value of a lost game.")]
    draw: Annotated[float, describe("The value of a drawn game.")]
    win: Annotated[float, describe("The value of a won game.")]


class ApiView(State, frozen=True):
    """A position with the values of its moves and with the results of optimal play."""

    symmetry_class: Annotated[
        Position,
        describe(
            "One of the positions that are symmetric to this position: all of these "
            "symmetric positions have the same symmetry_class."
        ),
    ]
    value: Annotated[
        int,
        describe(
            "The result with optimal play by both players: 1 if X wins, 0 for a draw, -1 if O "
            "wins.",
            ge=-1,
            le=1,
        ),
    ]
    plies: Annotated[
        int,
        describe(
            "The number of moves of both players until the end of the game, if both play "
            "optimally."
        ),
    ]
    lens: Annotated[
        str, describe("The source of the values: the parameter lens of the request.")
    ]
    updates: Annotated[
        int | None,
        describe(
            "The number of updates in the training until the snapshot with these "
            "values; null if the values are "
            "exact and not learned."
        ),
    ]
    worth: Annotated[
        ApiScale | None,
        describe(
            "The values of a loss, a draw and a win on the scale of the learned values; null if "
            "the values are numbers of beads or the game is over."
        ),
    ]
    cells: Annotated[
        list[ApiSquare], describe("All cells of the board, in reading order.")
    ]
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
    """A move of a player, chosen at random with the player's probabilities."""

    agent: Annotated[str, describe("The player who moves.")]
    before: Annotated[State, describe("The position before the move.")]
    chances: Annotated[
        list[Chance],
        describe(
            "The probability that the player moves to each cell, in reading order of the cells."
        ),
    ]
    cell: Annotated[Cell, describe("The cell of the move.")]
    after: Annotated[State, describe("The position after the move.")]


class ApiClaim(Struct, frozen=True):
    """A summary of a claim that an experiment of this site checks."""

    id: Name
    title: Title
    source: Annotated[
        str, describe("The short name of the author or source of the claim.")
    ]
    verdict: Annotated[Verdict, describe("The verdict on the claim.")]
    href: Annotated[
        str,
        describe(
            "The path of the API request that returns the experiment with all its numbers."
        ),
    ]
    page: PagePath


class Claims(Struct, frozen=True):
    """All claims that are checked on this site, with their verdicts."""

    claims: Annotated[list[ApiClaim], describe("All claims, each with its verdict.")]


class Experiment(ClaimSummary, frozen=True, kw_only=True):
    """A claim with the experiment that checks it: all texts, all numbers and the path of its page."""

    page: PagePath


class ByResult(Struct, Generic[Entry], frozen=True):
    """One entry for each possible result of a match."""

    x_wins: Annotated[
        Entry,
        describe(
            "The entry for the result that X wins: its probability, or the most "
            "likely game with this result."
        ),
    ]
    draw: Annotated[
        Entry,
        describe(
            "The entry for a draw: its probability, or the most likely game with this result."
        ),
    ]
    o_wins: Annotated[
        Entry,
        describe(
            "The entry for the result that O wins: its probability, or the most "
            "likely game with this result."
        ),
    ]


class Ends(ByResult[Chance], frozen=True):
    """The probabilities of the three results of a match between two players."""


class Games(ByResult[Record | None], frozen=True):
    """For each of the three results of a match, the most likely game that ends with it."""


class ApiMatch(Struct, frozen=True):
    """The exact results of a match between two players."""

    x: Annotated[str, describe("The player that plays X.")]
    o: Annotated[str, describe("The player that plays O.")]
    chances: Annotated[
        Ends, describe("The probabilities of the three results: X wins, draw, O wins.")
    ]
    likeliest: Annotated[
        Games,
        describe(
            "For each result the most likely game that ends with it; null if no game has this "
            "result."
        ),
    ]
    page: Board
