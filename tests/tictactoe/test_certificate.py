"""The proof that nobody beats an agent, judged by a checker that knows only the rules."""

import numpy as np
import pytest

from app.tictactoe.atlas import certificate
from app.tictactoe.game import SEATS
from app.tictactoe.own_play import OwnPlay
from app.tictactoe.policy import greedy
from tests.tictactoe.both import Both
from tests.tictactoe.checker import Line, flaw, images
from tests.tictactoe.reference import SIGN, Policy

PROVED = [("optimal", "X"), ("optimal", "O"), ("noisy", "X")]
BEATEN = [("noisy", "O"), ("rough", "X"), ("zero", "X"), ("first", "O")]


def listed(both: Both, q, seat: str) -> list[Line]:
    proof = certificate(OwnPlay(both.game, greedy(q)), SEATS[seat.lower()])
    return [
        (both.boards[position], np.flatnonzero(moves).tolist())
        for position, moves in zip(proof.position.tolist(), proof.moves, strict=True)
    ]


def alike(both: Both, line: Line) -> Line:
    """One of all lines that are the same, turned or mirrored."""
    board, cells = line
    return min(
        ("".join(board[cell] for cell in cells_of), sorted(map(cells_of.index, cells)))
        for cells_of in both.rules.symmetries()
    )


def met(both: Both, policy: Policy, seat: str) -> list[Line]:
    return [(board, sorted(policy[board])) for board in both.rules.reachable(policy, seat)]


@pytest.mark.parametrize(("name", "seat"), PROVED)
def test_it_proves_what_it_claims(tictactoe: Both, tables, name: str, seat: str):
    assert flaw(tictactoe.rules, seat, listed(tictactoe, tables[name], seat)) is None


@pytest.mark.parametrize(("name", "seat"), PROVED)
def test_it_lists_all_that_the_agent_can_meet_and_each_once(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    lines, expected = listed(tictactoe, tables[name], seat), met(tictactoe, policies[name], seat)
    assert all(line in expected for line in lines)
    classes = [alike(tictactoe, line) for line in lines]
    assert sorted(classes) == sorted(
        {str(c): c for c in (alike(tictactoe, m) for m in expected)}.values()
    )
    proof = certificate(OwnPlay(tictactoe.game, greedy(tables[name])), SEATS[seat.lower()])
    assert proof.met == len(expected)


@pytest.mark.parametrize(("name", "seat"), PROVED)
def test_a_list_with_a_hole_is_refused(tictactoe: Both, tables, name: str, seat: str):
    lines = listed(tictactoe, tables[name], seat)
    for i, (board, _) in enumerate(lines):
        rest = lines[:i] + lines[i + 1 :]
        if not images(tictactoe.rules, board) & {other for other, _ in rest}:
            assert flaw(tictactoe.rules, seat, rest) is not None, board


@pytest.mark.parametrize(("name", "seat"), PROVED)
def test_a_list_with_a_losing_move_is_refused(tictactoe: Both, tables, name: str, seat: str):
    rules, lines = tictactoe.rules, listed(tictactoe, tables[name], seat)
    refused = 0
    for i, (board, cells) in enumerate(lines):
        after = rules.children[board]
        for losing in (c for c in after if rules.solved[after[c]][0] == -SIGN[seat]):
            changed = [*lines[:i], (board, [*cells, losing]), *lines[i + 1 :]]
            assert flaw(rules, seat, changed) is not None, (board, losing)
            refused += 1
    assert refused > 50


def test_a_list_of_nonsense_is_refused(tictactoe: Both, tables):
    lines = listed(tictactoe, tables["optimal"], "X")
    board = lines[0][0]
    for nonsense in [(board, []), (board, [9]), ("X........", [1]), ("XXX.OO...", [3])]:
        assert flaw(tictactoe.rules, "X", [*lines, nonsense]) is not None, nonsense
    assert flaw(tictactoe.rules, "O", lines) is not None
    assert flaw(tictactoe.rules, "X", []) is not None


@pytest.mark.parametrize(("name", "seat"), BEATEN)
def test_there_is_none_for_an_agent_that_can_be_beaten(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    with pytest.raises(ValueError, match="it loses the game"):
        certificate(OwnPlay(tictactoe.game, greedy(tables[name])), SEATS[seat.lower()])
    assert flaw(tictactoe.rules, seat, met(tictactoe, policies[name], seat)) is not None
