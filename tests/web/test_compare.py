"""Several boards show one position, each as its lens sees it, and move together."""

import html
import re

import pytest
from flask.testing import FlaskClient

from app.tictactoe.notation import parse_position, record_to, replay
from app.tictactoe.report import blunders
from app.web.board_view import Cell
from app.web.compare import differences
from app.web.compare.comparison import Comparison, View, build
from app.web.compare.page import view
from app.web.compare.panels import Panel
from app.web.lens import opinion
from app.web.players import TRUTH, Players

HTMX = {"HX-Request": "true"}
X_WON = "03142"
ADDRESSES = [
    "/compare/",
    "/compare/40",
    f"/compare/{X_WON}",
    "/compare/31?lens=observing",
    "/compare/31?lens=q-learning-1&lens=q-learning-1_3&lens=observing_0&lens=dqn-vs-random",
]


USUAL = (View("q-learning-1"), View("q-iteration"))


def title(page: str) -> str:
    """What the browser is to call a page, spaces made one."""
    found = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    assert found
    return " ".join(found[1].split())


def panels(players: Players, comparison: Comparison) -> list[Panel]:
    made: list[Panel] = view(comparison, players)["panels"]  # type: ignore[assignment]
    return made


def test_every_board_shows_the_values_of_its_lens(players: Players) -> None:
    views = (View("q-learning-1"), View("q-learning-1", 5), View("self-play"))
    for record in ("", "4", "40", "3140"):
        position = replay(players.game, record)[-1]
        made = panels(players, Comparison(record, views))
        for panel, seen in zip(made, (*views, View(TRUTH)), strict=True):
            expected = opinion(players, position, *seen)
            for number, cell in enumerate(panel.board.cells):
                if players.game.legal[position, number]:
                    assert (cell.text, cell.best) == (expected.texts[number], expected.best[number])
                else:
                    assert (cell.text, cell.href) == ("", "")


def test_the_title_says_who_is_compared(client: FlaskClient) -> None:
    page = client.get("/compare/4?lens=self-play&lens=champion_2").text
    assert title(page) == (
        "Self-play and Champion after 14 updates compared with the truth · Q-Tac-Toe"
    )


def test_a_square_is_played_on_all_boards(client: FlaskClient) -> None:
    page = client.get("/compare/4?lens=self-play&lens=champion_2").text
    assert page.count('href="/compare/40?lens=self-play&amp;lens=champion_2"') == 3
    assert 'href="/compare/44' not in page


def test_the_table_holds_every_empty_square_of_every_board(players: Players) -> None:
    comparison = Comparison("31", (View("q-learning-1"), View("dqn-vs-random")))
    rows: list[tuple[str, list[Cell]]] = view(comparison, players)["rows"]  # type: ignore[assignment]
    places = ["row 1, column 1", "row 1, column 3", "row 2, column 2", "row 2, column 3"]
    assert [place for place, _ in rows] == places + [f"row 3, column {n}" for n in (1, 2, 3)]
    boards = [panel.board.cells for panel in panels(players, comparison)]
    assert [cells for _, cells in rows] == [
        list(cells) for cells in zip(*boards, strict=True) if cells[0].mark == "."
    ]


def test_a_blunder_is_what_the_report_counts(players: Players) -> None:
    for name in players.agents:
        counted = blunders(players.game, players.policies[name])
        for position in range(0, players.game.decisions, 17):
            seen = opinion(players, position, name)
            assert differences.blundering(players, position, seen) == counted[position]


def summary(players: Players, record: str, *lenses: str) -> str:
    comparison = Comparison(record, tuple(map(View, lenses)))
    return str(view(comparison, players)["summary"])


def test_the_summary_says_who_agrees_and_who_errs(players: Players) -> None:
    blocked = record_to(players.game, parse_position(players.game, "XX..O...."))
    assert summary(players, blocked, "q-iteration", "champion") == (
        "Both play row 1, column 3. In truth that is right: it keeps the draw."
    )
    assert summary(players, blocked, "q-iteration") == (
        "Q-iteration plays row 1, column 3. In truth that is right: it keeps the draw."
    )
    assert summary(players, "31", "q-iteration", "champion", "q-learning-1") == (
        "Q-iteration and Champion play row 1, column 1 or row 2, column 2; "
        "Q-learning 1 alone plays row 3, column 2. "
        "In truth there is a win to be had, and Q-learning 1 can miss it."
    )
    lost = record_to(players.game, parse_position(players.game, "XX.O....."))
    assert summary(players, lost, "q-iteration").endswith("every move loses to best play.")


def test_a_name_in_a_sentence_has_no_comma(players: Players) -> None:
    assert "DQN against random plays" in summary(players, "31", "dqn-vs-random", "q-iteration")


def test_a_finished_game_is_so_on_all_boards(client: FlaskClient) -> None:
    page = client.get(f"/compare/{X_WON}").text
    assert page.count('class="strike"') == 3
    assert "X wins" in page
    assert 'class="value"' not in page
    assert "The same as numbers" not in page


def test_the_training_is_walked_through_snapshot_by_snapshot(players: Players) -> None:
    last = len(players.agents["self-play"].snapshot_q) - 1
    address = {step: build(Comparison("4", (View("self-play", step),))) for step in range(last)}
    address[last] = build(Comparison("4", (View("self-play"),)))
    for step in range(last + 1):
        shown = View("self-play", step if step < last else None)
        panel = panels(players, Comparison("4", (shown,)))[0]
        assert (panel.earlier, panel.later) == (
            address.get(step - 1, ""),
            address.get(step + 1, ""),
        )


def test_a_view_is_not_led_to_where_another_board_has_it(players: Players) -> None:
    last = len(players.agents["self-play"].snapshot_q) - 1
    both = Comparison("", (View("self-play", last - 1), View("self-play")))
    before, shipped, _ = panels(players, both)
    assert (before.later, shipped.earlier) == ("", "")


def test_the_last_agent_cannot_be_removed(players: Players) -> None:
    two = panels(players, Comparison("4", USUAL))
    assert two[0].remove == "/compare/4?lens=q-iteration"
    assert two[1].remove == "/compare/4?lens=q-learning-1"
    alone = panels(players, Comparison("4", (View("q-iteration"),)))
    assert [panel.remove for panel in alone] == ["", ""]


def test_who_is_there_is_not_offered_again(client: FlaskClient) -> None:
    page = client.get("/compare/?lens=self-play&lens=champion_2").text
    offered = re.findall(r'<option value="([^"]+)"', page)
    assert offered.count("self-play") == 1  # itself, as what its own board shows
    assert offered.count("champion") == 3  # to add it, and in place of either


def test_four_are_the_most(client: FlaskClient) -> None:
    page = client.get(ADDRESSES[-1]).text
    assert 'id="adding"' not in page
    assert page.count('class="board"') == 5


@pytest.mark.parametrize("url", ADDRESSES)
def test_the_fragment_is_the_part_of_the_page_that_it_replaces(
    client: FlaskClient, url: str
) -> None:
    page, answer = client.get(url).text, client.get(url, headers=HTMX).text
    _, fragment = answer.split("</title>")
    assert fragment.strip() in page
    assert title(answer) == title(page)
    for target in ("status", "notice", "comparison"):
        assert fragment.count(f'id="{target}"') == page.count(f'id="{target}"') == 1


@pytest.mark.parametrize("url", ADDRESSES)
def test_every_focusable_thing_has_an_id_of_its_own(client: FlaskClient, url: str) -> None:
    fragment = client.get(url, headers=HTMX).text
    for tag in re.findall(r"<(?:a|select|input|button)\b[^>]*>", fragment):
        assert ' id="' in tag or 'type="hidden"' in tag or 'type="submit"' in tag, tag
    ids = re.findall(r' id="([^"]+)"', fragment)
    assert len(ids) == len(set(ids))
    assert not re.search(r"\sstyle=|\son\w+=|hx-on|<style", fragment)


@pytest.mark.parametrize("url", ADDRESSES)
def test_every_link_is_answered(client: FlaskClient, url: str) -> None:
    links = re.findall(r'href="(/(?:compare|play|agents/)[^"]*)"', client.get(url).text)
    assert links
    for href in set(links):
        assert client.get(html.unescape(href)).status_code == 200, href


@pytest.mark.parametrize(
    ("url", "code"), [("/compare/4x", 400), ("/compare/44", 409), ("/compare/?lens=x", 400)]
)
def test_a_wrong_request_is_explained(client: FlaskClient, url: str, code: int) -> None:
    response = client.get(url, headers=HTMX)
    assert response.status_code == code
    assert 'class="notice"' in response.text


def test_the_agents_moves_are_those_it_would_play(players: Players) -> None:
    position = replay(players.game, "31")[-1]
    seen = opinion(players, position, "q-iteration")
    assert seen.best == (players.policies["q-iteration"][position] > 0).tolist()
    assert differences.plays(players, seen) == "Row 1, column 1 or row 2, column 2: +1.00"
    assert differences.plays(players, opinion(players, position, TRUTH)) == (
        "Row 1, column 1 or row 2, column 2: win in 5"
    )
    untouched = opinion(players, 0, "observing", 0)
    assert differences.plays(players, untouched) == "Any of 9 squares: as before training"
