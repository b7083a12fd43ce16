"""What the line under the board tells about a square, computed again from the arrays."""

import re
from functools import cache
from html import unescape
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.game import GAME, X
from app.tictactoe.notation import replay_record
from app.web.algorithms.targets import ValueQuery
from app.web.move_values import evaluate_moves
from app.web.pages.parts.square_reason import explain_opening, explain_square, list_reason_sentences
from app.web.site_data import SiteData

AGENT = "q-learning-1"


def find_lines(board: str, mark: str) -> list[int]:
    """Return the empty cells that complete a line of a mark, on a board as text."""
    lines = ["012", "345", "678", "036", "147", "258", "048", "246"]
    return [
        int(next(cell for cell in line if board[int(cell)] == "."))
        for line in lines
        if sorted(board[int(cell)] for cell in line) == sorted([mark, mark, "."])
    ]


def board_after(record: str) -> str:
    board = ["."] * 9
    for ply, cell in enumerate(record):
        board[int(cell)] = "XO"[ply % 2]
    return "".join(board)


@pytest.mark.parametrize("record", ["04", "0435", "2", "10435", ""])
def test_answers_of_a_random_opponent_are_counted(site: SiteData, record: str) -> None:
    position = replay_record(GAME, record)[-1]
    mover, other = ("XO", "OX")[len(record) % 2]
    for cell in np.flatnonzero(GAME.legal[position]).tolist():
        after = board_after(record + str(cell))
        if cell in find_lines(board_after(record), mover):
            expected = ["It wins at once."]
        else:
            answers = [each for each in range(9) if after[each] == "."]
            losing = {*find_lines(after, other)}
            winning = [
                each
                for each in answers
                if each not in losing and find_lines(board_after(record + f"{cell}{each}"), mover)
            ]
            best = [
                np.nanmax(site.agents[AGENT].q[replay_record(GAME, f"{record}{cell}{each}")[-1]])
                for each in answers
                if not losing
            ]
            expected = [
                f"{len(losing)} of {len(answers)} answers" if losing else "",
                f"fter {len(winning)} of" if winning else "",
                ""
                if losing or winning
                else f"is worth {min(best):+.2f} to {max(best):+.2f}.".replace("-", "−"),
            ]
        told = explain_square(ValueQuery(site, AGENT, position, cell), is_result_shown=False)
        assert all(part in " ".join(told["sentences"]) for part in expected), (record, cell)


DISCOUNT = re.compile(r"One move of [XO] later, a result counts (\S+) times as much\.")


@pytest.mark.parametrize(
    ("source", "factor"),
    [
        (AGENT, 0.9),
        ("q-learning-4", 0.9),
        ("self-play,games=150,draw=0_task", 0.81),
        ("symmetric", None),
    ],
)
def test_the_discount_is_told_where_it_alone_makes_the_value(
    site: SiteData, source: str, factor: float | None
) -> None:
    """In a league gamma does not count in this way; `factor` is from an own move to the next."""
    q, told_of = site.get_values(source), set()
    for record in ("04", "048", "0184", "10435", "0182", "04582", "048261", "4081"):
        position = replay_record(GAME, record)[-1]
        for cell in np.flatnonzero(GAME.legal[position]).tolist():
            query = ValueQuery(site, source, position, cell)
            told = DISCOUNT.search(" ".join(list_reason_sentences(query, is_result_shown=False)))
            best, value = (
                find_best_next_values(site, q, record + str(cell), source),
                q[position, cell],
            )
            alone = (
                factor is not None
                and len({f"{each:.2f}" for each in best}) == 1
                and all(f"{factor * each:.2f}" == f"{value:.2f}" for each in best)
                and f"{best[0]:.2f}" != f"{value:.2f}"
            )
            assert bool(told) == alone, (record, cell, value, best)
            if told:
                assert float(told[1]) == factor
                told_of.add(round(float(value), 2))
    assert (factor in told_of) == (factor is not None)


def test_a_value_that_does_not_fit_the_only_answer_says_where_more_tries_lead(
    site: SiteData,
) -> None:
    q, policy = site.agents["q-learning-4"].q, site.policies["q-learning-4"]
    told_of = set()
    for position, cell in np.argwhere(site.agents["q-learning-4"].visits)[::23].tolist():
        after = GAME.successor[position, cell]
        if GAME.is_over(after) or np.count_nonzero(policy[after]) != 1:
            continue
        end = GAME.successor[after, policy[after].argmax()]
        target = -abs(GAME.get_result(end)) if GAME.is_over(end) else 0.9 * np.nanmax(q[end])
        query = ValueQuery(site, "q-learning-4", position, cell)
        told = " ".join(list_reason_sentences(query, is_result_shown=False))
        direction = "raise" if target > q[position, cell] else "lower"
        words = f"{direction} it towards {target:+.2f}.".replace("-", "−").replace("+0.00", "0.00")
        is_wrong = abs(target - q[position, cell]) >= 0.1
        assert (words in told) == ("more tries" in told) == is_wrong, (told, words)
        told_of.add(direction if is_wrong else "")
    assert told_of == {"raise", "lower", ""}


def test_the_star_among_equal_numbers_is_explained(site: SiteData) -> None:
    starred = set()
    for name in ("q-learning-4", "q-table"):
        for record in ("", "53", "53087", "04", "0276"):
            position = replay_record(GAME, record)[-1]
            row, known = site.agents[name].q[position], site.agents[name].visits[position] > 0
            shown = [f"{value + 0.0:.2f}" for value in row]
            for cell in np.flatnonzero(known).tolist():
                alike = known & [each == shown[cell] for each in shown]
                highest = row[cell] == np.nanmax(row)
                told = list_reason_sentences(ValueQuery(site, name, position, cell), False)
                assert any("★" in each for each in told) == (
                    highest and row[alike].min() < row[cell]
                )
                starred.add(any("★" in each for each in told))
    assert starred == {True, False}


def test_an_answer_that_makes_two_threats_is_called_so(site: SiteData) -> None:
    """O answers middle right, and then has two of three squares on the right and a diagonal."""
    query = ValueQuery(site, "q-learning-4", replay_record(GAME, "0276")[-1], 3)
    assert len(find_lines(board_after("027635"), "O")) == 2
    assert "two lines" in " ".join(list_reason_sentences(query, is_result_shown=False))


def find_best_next_values(site: SiteData, q: Any, record: str, source: str) -> list[float]:
    """Return the best next value after each reply, [] if the game may end before that."""
    game, position = GAME, replay_record(GAME, record)[-1]
    if game.is_over(position):
        return []
    replies = np.flatnonzero(game.legal[position])
    if source != AGENT:  # it replies to itself
        replies = np.flatnonzero(q[position] >= np.nanmax(q[position]) - 1e-9)
    after = [replay_record(game, f"{record}{reply}")[-1] for reply in replies]
    return [] if any(map(game.is_over, after)) else [float(np.nanmax(q[each])) for each in after]


def test_a_first_board_of_zeros_is_explained_by_the_opponent_of_the_training(
    site: SiteData,
) -> None:
    game, explained = GAME, set()

    @cache
    def best_result(position: int, opponent: str) -> float:
        """Return what X can expect at best, against the best moves if the opponent is itself."""
        if game.is_over(position):
            return game.get_result(position)
        after = game.successor[position]
        results = [best_result(int(each), opponent) if each >= 0 else 0.0 for each in after]
        legal = np.array(results)[game.legal[position]]
        if game.to_move[position] == X:
            return float(legal.max())
        if opponent == "self":
            return float(legal.min())
        return float(results @ site.policies[opponent][position])

    for name, agent in site.agents.items():
        opponent, _ = site.get_recipe(name).phases[-1]
        known = agent.q[0][agent.visits[0] > 0]
        all_zero = agent.card.reward_scale is not None and max(abs(known)) < 0.005
        assert bool(explain_opening(site, evaluate_moves(site, 0, name), None)) == all_zero
        if all_zero:
            explained.add(opponent)
            assert {best_result(int(first), opponent) for first in game.successor[0]} == {0}
    assert explained == {"self", "minimax-random"}
    assert best_result(0, "random") > 0.9  # whoever trained against random moves expects to win
    # before it played against itself, this agent did too
    history = site.agents["q-learning-4"].history.get_all_values()
    assert max(history[:, :9].max(axis=1)) > 0.1


@pytest.mark.parametrize("agent", [AGENT, "q-learning-4"])
def test_it_says_how_often_a_move_was_tried_or_why_never(site: SiteData, agent: str) -> None:
    visits = site.agents[agent].visits
    for cell in range(9):
        told = explain_square(ValueQuery(site, agent, 0, cell), is_result_shown=False)
        count = int(visits[0, cell])
        if count:
            often = "once" if count == 1 else f"{count:,} times"
            assert told["sentences"][0] == f"Tried {often}."
            assert told["value_text"]
        else:
            assert f"{int(visits[0].sum()):,} of " in told["sentences"][0]
            assert "games began in all positions" in told["sentences"][0]
            assert told["value_text"] == ""
    assert not visits[0].all()  # both cases occur


def test_the_curve_is_the_value_at_each_snapshot(site: SiteData) -> None:
    position = replay_record(GAME, "04")[-1]
    agent = site.agents[AGENT]
    told = explain_square(ValueQuery(site, AGENT, position, 8), is_result_shown=False)
    points = [tuple(map(float, point.split(","))) for point in told["curve_points"].split()]
    values = GAME.spread_pairs(agent.history.get_all_values()[-1], np.nan)[position]
    x, y = points[-1]
    assert x == 100
    assert y == pytest.approx(16 * (1 - values[8]), abs=0.2)
    assert len(points) == len(told["curve_text"].split(", ")) <= agent.history.snapshot_count
    assert told["curve_text"].split(", ")[-1] == told["value_text"]


def test_the_result_is_told_only_where_nobody_has_to_think(client: FlaskClient) -> None:
    def tells_result(url: str) -> bool:
        text = re.sub("<[^>]*>", "", unescape(client.get(url).text))
        return "With optimal play: " in text.partition("Back to the game")[0]

    assert not tells_result("/square/0276?o=q-learning-4&cell=8")
    assert tells_result("/square/0276?o=q-learning-4&cell=8&hint=1")
    assert tells_result("/square/0276?x=q-learning-4&o=q-learning-4&cell=8")
    assert tells_result("/square/02768?ply=4&o=q-learning-4&cell=8")


def test_a_square_of_a_finished_game_tells_of_the_move_played_there(
    client: FlaskClient, site: SiteData
) -> None:
    record = "021486"
    board = client.get(f"/play/{record}?o={AGENT}").text
    links = dict(re.findall(r'id="board-(.)" class="[^"]*" href="([^"]*)" data-explains', board))
    assert {*links} == {*record}  # nobody can play on the others any more
    positions = replay_record(GAME, record)
    for ply, cell in enumerate(map(int, record)):
        exact = site.optimal_q[positions[ply]]
        blunder = ", blunder" if exact[cell] < np.nanmax(exact) else ""
        text = re.sub("<[^>]*>", "", unescape(client.get(unescape(links[str(cell)])).text))
        value = f"{site.agents[AGENT].q[positions[ply], cell]:+.2f}".replace("-", "−")
        known = site.agents[AGENT].visits[positions[ply], cell]
        assert f"(move {ply + 1}{blunder})" in text
        assert (f"(move {ply + 1}{blunder}): {value}" in text) == bool(known)


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/square/04?cell=0", 409),
        ("/square/021486?o=q-learning-1&cell=3", 409),
        ("/square/04?cell=9", 400),
        ("/square/04", 400),
        ("/square/0x?cell=1", 400),
    ],
)
def test_what_is_no_square_to_ask_about_is_refused(
    client: FlaskClient, url: str, status: int
) -> None:
    assert client.get(url).status_code == status
