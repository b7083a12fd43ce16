"""Games, moves and matches in the API."""

import random
from typing import Annotated

from msgspec import Meta, Struct

from app.tictactoe.game import O, X
from app.tictactoe.notation import position_text, replay
from app.tictactoe.policy import mix
from app.tictactoe.values import likeliest_game, outcome_chances
from app.web.api.answers import (
    SIDES,
    Address,
    Cell,
    Chance,
    Mark,
    Position,
    Record,
    Result,
    rounded,
)
from app.web.match import Match as Board
from app.web.match import build
from app.web.players import HUMAN, Players

RESULTS: dict[int, Result] = {**SIDES, 0: "draw"}


class State(Struct, frozen=True):
    """Where a game stands."""

    position: Position
    code: Annotated[
        int,
        Meta(description="The position as a base-3 number: empty 0, X 1, O 2, first cell first."),
    ]
    to_move: Annotated[Mark | None, Meta(description="Whose turn it is; null when it is over.")]
    over: Annotated[bool, Meta(description="Whether the game has ended.")]
    result: Annotated[Result | None, Meta(description="Who won; null while it goes on.")]


class Game(Struct, frozen=True):
    """A game, move by move."""

    record: Record
    states: Annotated[
        list[State], Meta(description="The empty board, then the state after each move.")
    ]
    page: Annotated[Address, Meta(description="The game on the board.")]


class Move(Struct, frozen=True):
    """The decision of an agent."""

    agent: Annotated[str, Meta(description="Who plays.")]
    before: Annotated[State, Meta(description="Where it was asked to move.")]
    chances: Annotated[
        list[Chance], Meta(description="How likely it was to play each cell, in reading order.")
    ]
    cell: Annotated[Cell, Meta(description="The cell that it plays: drawn by these chances.")]
    after: Annotated[State, Meta(description="Where the game stands then.")]


class Ends(Struct, frozen=True):
    """How likely a match is to end each way."""

    x_wins: Annotated[Chance, Meta(description="Chance that X wins.")]
    draw: Annotated[Chance, Meta(description="Chance of a draw.")]
    o_wins: Annotated[Chance, Meta(description="Chance that O wins.")]


class Games(Struct, frozen=True):
    """The likeliest game of each outcome; null where there is none."""

    x_wins: Annotated[Record | None, Meta(description="The likeliest game that X wins.")]
    draw: Annotated[Record | None, Meta(description="The likeliest drawn game.")]
    o_wins: Annotated[Record | None, Meta(description="The likeliest game that O wins.")]


class Match(Struct, frozen=True):
    """Everything that can come of two players, exactly."""

    x: Annotated[str, Meta(description="Who plays X.")]
    o: Annotated[str, Meta(description="Who plays O.")]
    chances: Annotated[Ends, Meta(description="How it ends, over all its games.")]
    likeliest: Annotated[Games, Meta(description="How its games go.")]
    page: Annotated[Address, Meta(description="The match on the board.")]


def state(players: Players, position: int) -> State:
    """Tell where a game stands."""
    game = players.game
    over = game.is_over(position)
    return State(
        position=position_text(game, position),
        code=int(game.code[position]),
        to_move=None if over else SIDES[int(game.to_move[position])],
        over=over,
        result=RESULTS[game.result(position)] if over else None,
    )


def game(players: Players, record: str) -> Game:
    """Follow a game; raises ValueError, or IllegalMoveError, as `replay` does."""
    return Game(
        record=record,
        states=[state(players, position) for position in replay(players.game, record)],
        page=build(Board(record, o=HUMAN)),
    )


def move(players: Players, position: int, name: str, epsilon: float, draw: random.Random) -> Move:
    """Draw an agent's move in a decision, with chance `epsilon` a random one."""
    own, at_random = players.policies[name][position], players.policies["random"][position]
    chances = mix(own, at_random, epsilon).tolist()
    cell = draw.choices(range(len(chances)), chances)[0]
    return Move(
        agent=name,
        before=state(players, position),
        chances=[rounded(chance) for chance in chances],
        cell=cell,
        after=state(players, int(players.game.successor[position, cell])),
    )


def match(players: Players, x: str, o: str) -> Match:
    """Tell everything that can come of X playing O."""
    policies = players.policies[x], players.policies[o]
    chances = outcome_chances(players.game, *policies)[0]
    likeliest = [likeliest_game(players.game, *policies, outcome) for outcome in (X, 0, O)]
    return Match(
        x=x,
        o=o,
        chances=Ends(*(rounded(chance) for chance in chances)),
        likeliest=Games(*likeliest),
        page=build(Board(x=x, o=o)),
    )
