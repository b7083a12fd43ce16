"""Teaching: any play along the links of the page gives a learner with a URL."""

import gzip
import re
from html import unescape
from random import Random
from urllib.parse import unquote, urljoin

import pytest
import segno
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.recipes import name_recipe, parse_recipe
from app.recipes.parameters import list_taught_games
from app.recipes.taught import remove_last_lesson
from app.tictactoe.game import GAME, Game
from app.web.pages.teach.learners import DEFAULT_LEARNER, LEARNERS
from tests.training.test_taught import taught as lessons
from training.learners import learn
from training.taught import PupilCache

HTMX = {"HX-Request": "true"}
FOUR = "menace,vs=you,games=4,taught=245.45810.5713.12368"
LARGEST = 40_000  # bytes of a page, compressed


@pytest.fixture
def game(app) -> Game:
    there: Game = GAME
    return there


@pytest.fixture(autouse=True, scope="module")
def prepared(app: Flask) -> None:
    """Wait until the lab is ready, so that no test gets status 202."""
    while app.test_client().get("/teach").status_code == 202:
        pass


def cells(page: str) -> list[str]:
    """Return the URLs of the squares that are links."""
    found = re.findall(r'<a id="board-\w" class="[^"]*" href="([^"]*)"', page)
    return [unescape(address) for address in found]


def link(page: str, id: str) -> str:
    found = re.search(rf'<a id="{id}"[^>]*?\shref="([^"]*)"', page)
    return unescape(found[1]) if found else ""


def changes(page: str) -> list[tuple[str, str, str]]:
    """Return the squares whose values the last game changed, with the old and the new values."""
    return re.findall(r"([a-z]+(?: [a-z]+)?) (\S+)\xa0→\xa0(\S*\d)", taught_panel(page))


def taught_panel(page: str) -> str:
    found = re.search(r'(?s)<section id="panel-learned".*?</section>', page)
    assert found
    return found[0]


def follow(client: FlaskClient, address: str) -> tuple[str, TestResponse]:
    """Open a URL as a browser without JavaScript; return the final URL and its page."""
    answer = client.get(address)
    if answer.status_code == 303:
        return follow(client, answer.location)
    assert answer.status_code == 200, (address, answer.text)
    return address, answer


def recipe_at(address: str) -> str:
    return unquote(address.partition("?")[0].removeprefix("/teach/"))


@pytest.mark.parametrize("start", LEARNERS)
def test_any_play_through_the_links_is_what_the_command_line_trains(
    client: FlaskClient, game: Game, start: str
) -> None:
    dice = Random(start)
    at, answer = follow(client, f"/teach/{start}")
    for number in (1, 2):
        while squares := cells(answer.text):
            at, answer = follow(client, urljoin(at, dice.choice(squares)))
        recipe = parse_recipe(recipe_at(at))
        assert name_recipe(recipe) == recipe_at(at)
        assert len(list_taught_games(recipe)) == number
        assert f"<b>Game {number}.</b>" in answer.text
        assert link(answer.text, "take-back").removeprefix("/teach").strip("/") in (
            name_recipe(remove_last_lesson(recipe)),
            "" if number == 1 else None,
        )
        *_, end = learn(game, recipe, lambda updates: updates + 1)
        assert len(changes(answer.text)) <= end.updates
        at, answer = follow(client, urljoin(at, link(answer.text, "next")))
    assert (
        client.application.extensions["site"].get_agent(name_recipe(recipe)).q.tobytes()
        == end.q.tobytes()
    )


def test_the_end_of_a_game_is_one_round_trip_with_htmx(client: FlaskClient) -> None:
    at, now = "/teach", "8"
    answer = client.get(f"{at}?now={now}", headers=HTMX)
    while "HX-Push-Url" not in answer.headers:
        answer = client.get(urljoin(at, cells(answer.text)[-1]), headers=HTMX)
    where = answer.headers["HX-Push-Url"]
    assert "<b>Game 1.</b>" in answer.text
    whole = client.get(where).text
    assert answer.text.strip() in whole
    assert client.get(where, headers=HTMX).text == answer.text


def test_what_it_learned_is_in_beads_and_in_order(client: FlaskClient) -> None:
    page = client.get(f"/teach/{FOUR}").text
    assert "A draw. Each of its moves gets one more bead:" in page
    assert [int(new) - int(old) for _, old, new in changes(page)] == [1] * 4
    assert page.count('<i data-result="') == 4 + 3
    earlier = client.get(f"/teach/{FOUR}?game=1").text
    assert "<b>Game 1.</b>" in earlier
    assert link(earlier, "last") == f"/teach/{FOUR}"


def test_the_boards_are_those_of_the_moves_that_the_text_names(client: FlaskClient) -> None:
    for game in range(1, 5):
        page = client.get(f"/teach/{FOUR}?game={game}").text
        shown = re.findall(r'(?s)<span class="taught-board".*?</span>', page)
        moves = [int(number) for number in re.findall(r"<p>Move (\d), before", page)]
        assert len(shown) == 2 * len(moves) == 4
        assert moves == sorted(moves)
        for board, move in zip(shown[::2], moves, strict=True):
            assert board.count("<use") == move - 1
        own = [re.findall(r"<i[ >]", board) for board in shown]
        assert {len(squares) for squares in own} == {9}


def test_what_the_games_taught_stays_while_the_next_game_goes_on(client: FlaskClient) -> None:
    """And squares on which the learner has more beads than before are green."""
    ended, begun = (client.get(f"/teach/{FOUR}{query}").text for query in ("", "?now=."))
    assert taught_panel(begun) == taught_panel(ended)
    before, now, *_ = re.findall(r'(?s)<span class="taught-board".*?</span>', begun)
    assert "data-heat" not in before
    beads = [int(number) for number in re.findall(r">(\d+)●<", now)]
    assert max(beads) > min(beads)
    assert max(int(heat) for heat in re.findall(r'data-heat="(-?\d+)"', now)) > 0


def test_of_games_that_cannot_have_been_played_those_before_are_kept(client: FlaskClient) -> None:
    """A learner with other parameters plays other moves."""
    wrong = FOUR.replace("12368", "12345")
    said = "move 2 of game 4 is cell 2, which is taken"
    page = client.get(f"/teach/{wrong}").text
    assert re.search(r"<p>Taught: move \d of game 4 .*\.</p>", page), said
    assert link(page, "kept") == f"/teach/{name_recipe(remove_last_lesson(parse_recipe(FOUR)))}"
    for elsewhere in (f"/agents/{wrong}", f"/mind/{wrong}", f"/play/?o={wrong}&lens={wrong}"):
        answer = client.get(elsewhere)
        assert answer.status_code == 400, elsewhere
        assert "of game 4" in answer.text
    assert client.get(f"/lab/{wrong}").location == f"/teach/{wrong}"
    assert client.get(f"/lab/{wrong}", headers=HTMX).headers["HX-Redirect"] == f"/teach/{wrong}"


def test_why_a_value_is_what_it_is_are_the_games_that_changed_it(client: FlaskClient) -> None:
    """The games of a box are the same for all symmetric positions."""
    page = client.get(f"/teach/{FOUR}").text
    _, old, new = changes(page)[0]
    for record, cell in (("1", 7), ("3", 5), ("7", 1), ("5", 3)):
        told = unescape(client.get(f"/why/{record}?lens={FOUR}&cell={cell}").text)
        assert f"game 4: {old} → {new}" in told, record
    assert "never updated" in unescape(client.get(f"/why/0123?lens={FOUR}&cell=5").text)


@pytest.mark.long
def test_many_games_are_a_page_of_bearable_size(client: FlaskClient, game: Game) -> None:
    """With the longest names, twice in a comparison."""
    *_, last = lessons(PupilCache(), parse_recipe(DEFAULT_LEARNER), Random(1), 60)
    taught = last.recipe
    assert len(list_taught_games(parse_recipe(taught))) == 60
    assert len(gzip.compress(client.get(f"/teach/{taught}").data)) < LARGEST
    assert client.get(f"/compare/4?lens={taught}&lens={FOUR}").status_code == 200


@pytest.mark.parametrize(
    ("address", "whole", "games", "kept"),
    [
        (FOUR[:-2], 3, 4, "menace,vs=you,games=3,taught=245.45810.5713"),
        (FOUR[:-11], 1, 4, "menace,vs=you,games=1,taught=245"),
        (FOUR[: FOUR.index(",taught")], 0, 4, "menace"),
        ("menace,vs=you:4+random:100,taught=245.458", 1, 4, "menace,vs=you,games=1,taught=245"),
        ("sarsa,vs=you,start=empty,games=12,taught=24", 0, 12, "sarsa,start=empty"),
    ],
)
def test_a_link_that_was_cut_off_goes_on_from_what_is_left(
    client: FlaskClient, address: str, whole: int, games: int, kept: str
) -> None:
    page = client.get(f"/teach/{address}").text
    said = f"This link was cut off when it was copied: it has {whole} of {games} games."
    assert said in page
    assert link(page, "kept") == f"/teach/{kept}"
    assert client.get(link(page, "kept")).status_code == 200


def test_the_qr_code_holds_the_link_unless_that_is_too_long(client: FlaskClient) -> None:
    page = client.get(f"/teach/{FOUR}").text
    address = re.search(r'<img src="(/qr/[^"]*)"', page)
    assert address
    answer = client.get(unescape(address[1]))
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    size = segno.make(f"http://localhost/teach/{FOUR}", error="l", micro=False).symbol_size(
        border=3
    )
    assert f'viewBox="0 0 {size[0]} {size[1]}"' in answer.text
    long = f"menace,vs=you,games=130,taught={'.'.join(['1238'] * 130)}"
    assert client.get(f"/qr/teach/{long}.svg").status_code == 400
