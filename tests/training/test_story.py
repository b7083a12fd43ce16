"""The recorded first games of a training equal the moves and updates of the compiled learner."""

import json

import numpy as np
import pytest

from app.recipes import parse_recipe
from app.reference import build_rules, get_move_key, make_learner
from app.textbook.rules import TicTacToe
from app.tictactoe.game import Game
from training.learners import learn
from training.story import MAX_SHOWN_GAMES, RECORDED_ALGORITHMS, encode_game_log

to_move = TicTacToe().player_to_move

BOTH = [
    "q-learning,vs=both,start=empty",
    "sarsa,vs=both,start=empty",
    "expected-sarsa,vs=both,start=empty",
    "monte-carlo,vs=both,start=empty",
    "td-afterstates,vs=both",
    "q-table,vs=both",
    "double-q,vs=both,last=coin",
    "menace,vs=both",
]
OTHERS = [
    *BOTH,
    "sarsa-lambda,vs=both,start=empty",
    "q-learning,vs=random:7+both:20",
    "q-learning,start=empty,vs=self",
    "league,observing=yes,symmetric=yes,rounds=40",
    "league,vs=fixed+random,stages=one,rounds=40",
    "league,vs=fixed,observing=yes,stages=one,rounds=40",
]


@pytest.mark.parametrize("text", [*RECORDED_ALGORITHMS, *OTHERS])
def test_after_each_game_the_table_holds_what_was_told(game: Game, text: str) -> None:
    """In a league, an update by an opponent's move belongs to the learner's table."""
    recipe, number = (
        parse_recipe(text),
        {board: s for s, board in enumerate(build_rules(game).unfinished_boards())},
    )
    learner, told = make_learner(game, recipe), json.loads(encode_game_log(recipe))
    assert len(told) == MAX_SHOWN_GAMES
    trained = learn(game, recipe, lambda updates: updates + 1)
    updates = compared = 0
    for one in told:
        updates += len(one["changes"])
        progress = next(moment for moment in trained if moment.updates >= updates)
        assert progress.updates == updates
        now: dict[tuple[str, int], float] = {}
        for change in one["changes"]:
            turn = one["turns"][change["turn"]]
            own = not one["opponent"] or to_move(turn["board"]) == one["seat"]
            if own and (change["new"] or recipe.slug != "menace"):  # an empty box is filled again
                now[turn["board"], turn["cell"]] = change["new"]
        for (board, cell), told_value in now.items():
            value = told_value
            if recipe.slug == "menace":  # a table holds for each square its share of the beads
                empty = build_rules(game).legal_moves(board)
                same = [get_move_key(learner, board, other) for other in empty]
                value /= same.count(get_move_key(learner, board, cell))
            assert progress.q[number[board], cell] == np.float32(value)
        compared += len(now)
    assert compared > MAX_SHOWN_GAMES


@pytest.mark.parametrize("text", BOTH)
def test_where_both_sides_learn_each_explores_and_each_of_its_moves_is_updated(
    game: Game, text: str
) -> None:
    """Except before random moves, if the recipe does not learn from these."""
    recipe = parse_recipe(text)
    silent = getattr(recipe, "learn_from", "all") == "greedy"
    explored = set()
    for one in json.loads(encode_game_log(recipe)):
        turns = one["turns"]
        assert [to_move(turn["board"]) for turn in turns] == list("XOXOXOXOX"[: len(turns)])
        updated = sorted(change["turn"] for change in one["changes"])
        expected = [
            number
            for number in range(len(turns))
            if recipe.slug != "td-afterstates" or number < len(turns) - 1
            if not (silent and number + 2 < len(turns) and turns[number + 2]["explored"])
        ]
        assert updated == expected
        explored |= {to_move(turn["board"]) for turn in turns if turn["explored"]}
    assert explored == {"X", "O"}


def test_a_league_tells_who_met_whom_and_every_ply(game: Game) -> None:
    told = json.loads(encode_game_log(parse_recipe("league,rounds=3")))
    assert {(one["opponent"], one["seat"]) for one in told} == {
        (opponent, seat)
        for opponent in ("observing", "symmetric", "observing-symmetric", "fixed", "random")
        for seat in "XO"
    }
    for one in told:
        boards = [turn["board"] for turn in one["turns"]]
        assert boards[0] == "." * 9
        assert [turn["after"] for turn in one["turns"][:-1]] == boards[1:]
        learned = [change["turn"] for change in one["changes"]]
        assert learned == [*range(len(boards))]
        assert not any(change["observed"] for change in one["changes"])
