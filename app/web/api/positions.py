"""A position in the API: what a lens thinks of it, and what is true of it."""

from typing import Annotated, cast

from msgspec import Meta, Struct
from msgspec.structs import asdict

from app.tictactoe.game import X
from app.tictactoe.notation import MARKS, position_text, record_to
from app.tictactoe.views import Worth
from app.web.api.answers import Address, Cell, Chance, Outcome, Position, rounded
from app.web.api.games import State, state
from app.web.lens import OUTCOMES, Opinion, opinion
from app.web.match import Match, build
from app.web.players import HUMAN, TRUTH, Players


class Truth(Struct, frozen=True):
    """How the game ends after a move, if both sides play as well as possible from then on."""

    outcome: Annotated[Outcome, Meta(description="For the side to move: the mover's view.")]
    plies: Annotated[int, Meta(description="Moves of both sides to the end, this one included.")]


class Square(Struct, frozen=True):
    """One cell, and what the lens thinks of a move there."""

    cell: Cell
    mark: Annotated[str, Meta(description="Whose it is, X or O; '.' where it is empty.")]
    legal: Annotated[bool, Meta(description="Whether it can be played now.")]
    value: Annotated[
        float | None,
        Meta(
            description="What the lens expects of a move here, in the view of the side to move and "
            "on the scale of worth; null where no move is possible, and where "
            "training never updated it or, at a snapshot, had not changed it yet."
        ),
    ]
    best: Annotated[bool, Meta(description="Whether no move is better in the eyes of the lens.")]
    policy: Annotated[
        Chance, Meta(description="Chance that the lens, playing greedily, plays here.")
    ]
    visits: Annotated[
        int | None,
        Meta(
            description="How often the whole training updated the value; null for the truth and "
            "where no move is possible."
        ),
    ]
    truth: Annotated[Truth | None, Meta(description="Null where no move is possible.")]


class Scale(Struct, frozen=True):
    """What the ends of a game are worth to the side to move, on the scale of the lens."""

    loss: Annotated[float, Meta(description="A lost game.")]
    draw: Annotated[float, Meta(description="A drawn game.")]
    win: Annotated[float, Meta(description="A won game.")]


class View(State, frozen=True):
    """A position as a lens sees it, and as it truly is."""

    symmetry_class: Annotated[
        Position, Meta(description="The position that stands for this one and its mirror images.")
    ]
    value: Annotated[
        int,
        Meta(
            ge=-1,
            le=1,
            description="Exact, with best play: 1 X wins, 0 a draw, -1 O wins. Always X's view.",
        ),
    ]
    plies: Annotated[int, Meta(description="Moves of both sides to the end with best play.")]
    lens: Annotated[str, Meta(description="Whose values these are: an agent's id, or truth.")]
    updates: Annotated[
        int | None,
        Meta(description="Updates of the lens in training until then; null for the truth."),
    ]
    worth: Annotated[
        Scale | None, Meta(description="The scale of the values; null when the game is over.")
    ]
    cells: Annotated[list[Square], Meta(description="All cells, in reading order.")]
    page: Annotated[Address, Meta(description="The same on the board.")]


def view(players: Players, position: int, lens: str, step: int | None) -> View:
    """Tell what a lens thinks of a position, at a snapshot or as shipped, and what is true."""
    game, solution = players.game, players.solution
    seen = None if game.is_over(position) else opinion(players, position, lens, step)
    return View(
        **asdict(state(players, position)),
        symmetry_class=position_text(game, int(game.symmetry_class[position])),
        value=int(solution.value[position]),
        plies=int(solution.plies[position]),
        lens=lens,
        updates=_updates(players, lens, step),
        worth=_scale(players, position, lens) if seen else None,
        cells=[_square(players, position, cell, seen) for cell in range(game.cells)],
        page=build(Match(record_to(game, position), o=HUMAN, lens=lens, step=step)),
    )


def _square(players: Players, position: int, cell: int, seen: Opinion | None) -> Square:
    mark = MARKS[int(players.game.board[position, cell])]
    if seen is None or not players.game.legal[position, cell]:
        return Square(cell, mark, False, None, False, 0.0, None, None)
    learned = players.agents.get(seen.lens)
    after = players.game.successor[position, cell]
    return Square(
        cell=cell,
        mark=mark,
        legal=True,
        value=rounded(seen.values[cell]) if seen.texts[cell] else None,
        best=seen.best[cell],
        policy=rounded(seen.best[cell] / sum(seen.best)),
        visits=int(learned.visits[position, cell]) if learned else None,
        truth=Truth(
            outcome=cast(Outcome, OUTCOMES[int(players.true_values[position, cell])]),
            plies=int(players.solution.plies[after]) + 1,
        ),
    )


def _updates(players: Players, lens: str, step: int | None) -> int | None:
    if lens == TRUTH:
        return None
    return players.agents[lens].card.figures.updates[-1 if step is None else step]


def _scale(players: Players, position: int, lens: str) -> Scale:
    worth = Worth() if lens == TRUTH else players.agents[lens].card.worth
    return Scale(*(worth.x if players.game.to_move[position] == X else worth.o))
