"""Teaching: any play along the links of the page gives a learner with a URL."""

import gzip
import re
from collections import Counter
from collections.abc import Callable
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
from app.tictactoe.game import Game
from app.web.pages.teach.learners import DEFAULT_LEARNER, LEARNERS
from tests.training.test_taught import taught as lessons
from training.learners import learn
from training.taught import PupilCache

HTMX = {"HX-Request": "true"}
FOUR = "menace,vs=you,games=4,taught=245.45810.5713.12368"
DRAWING = "q-learning,vs=you,start=empty,alpha=0.5,games=3,taught=5861.7815.1328"
LARGEST = 40_000  # bytes of a page, compressed


@pytest.fixture
def game(app) -> Game:
    there: Game = app.extensions["site"].game
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


def follow(client: FlaskClient, address: str) -> tuple[str, TestResponse]:
    """Open a URL as a browser without JavaScript; return the final URL and its page."""
    answer = client.get(address)
    if answer.status_code == 303:
        return follow(client, answer.location)
    assert answer.status_code == 200, (address, answer.text)
    return address, answer


def recipe_at(address: str) -> str:
    return unquote(address.partition("?")[0].removeprefix("/teach/"))


def test_the_first_page_is_menace_that_has_moved(client: FlaskClient) -> None:
    page = client.get("/teach").text
    assert "Game 1. Your move as O." in page
    assert page.count('<span class="value">4●</span>') == len(cells(page)) == 8
    assert 'class="cell taken last"' in page


@pytest.mark.parametrize("learner", [*LEARNERS][1:])
def test_the_link_to_a_learner_before_its_first_game_is_to_this_one(
    client: FlaskClient, learner: str
) -> None:
    page = client.get(f"/teach/{learner}").text
    assert f'value="http://localhost/teach/{learner}"' in page


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
        assert f"What the learner learned from game {number}" in answer.text
        assert link(answer.text, "take-back").removeprefix("/teach").strip("/") in (
            name_recipe(remove_last_lesson(recipe)),
            "" if number == 1 else None,
        )
        *_, end = learn(game, recipe, lambda updates: updates + 1)
        values = re.findall(r"<b>(\S+) → (\S+)(?: beads?)?</b>", answer.text)
        assert len(values) <= end.updates
        at, answer = follow(client, urljoin(at, link(answer.text, "next")))
    assert (
        client.application.extensions["site"].get_agent(name_recipe(recipe)).q.tobytes()
        == end.q.tobytes()
    )


def test_a_learner_that_has_only_met_its_teacher_is_beaten_by_somebody_else(
    client: FlaskClient,
) -> None:
    """The page names and shows the game."""
    _, answer = follow(client, f"/teach/{DRAWING}")
    words = re.sub(r"<[^>]*>", "", answer.text)
    assert (
        "The learner has not lost the last 3 games against you, but it learned only from your moves."
        in words
    )
    assert "Show a lost game as" in words
    for seat in "12":
        if game := link(answer.text, f"losing-{seat}"):
            assert re.search(r"You win|wins", client.get(game).text)


def test_the_same_teacher_of_a_learner_with_other_numbers(client: FlaskClient) -> None:
    """With other parameters the moves may be impossible; the games before them are kept."""
    page = client.get(f"/lab/{FOUR}").text
    assert f'name="recipe" value="{FOUR}"' in page
    sent = "/lab?algorithm=menace&vs=you&games=4&taught=245.45810.5713.12368"
    at, _ = follow(client, f"{sent}&beads=9")
    assert at == f"/lab/{FOUR}".replace("vs=you", "vs=you,beads=9")
    _, answer = follow(client, f"{sent}&seed=1")
    assert "These games are not possible" in answer.text
    kept = link(answer.text, "kept")
    assert kept.endswith("seed=1")
    assert client.get(kept).status_code == 200


def test_the_end_of_a_game_is_one_round_trip_with_htmx(client: FlaskClient) -> None:
    at, now = "/teach", "8"
    answer = client.get(f"{at}?now={now}", headers=HTMX)
    while "HX-Push-Url" not in answer.headers:
        answer = client.get(urljoin(at, cells(answer.text)[-1]), headers=HTMX)
    where = answer.headers["HX-Push-Url"]
    assert "What the learner learned from game 1" in answer.text
    whole = client.get(where).text
    assert answer.text.strip() in whole
    assert client.get(where, headers=HTMX).text == answer.text


def test_what_it_learned_is_in_beads_and_in_order(client: FlaskClient) -> None:
    page = client.get(f"/teach/{FOUR}").text
    assert "A draw: 1 bead more for each of its moves." in page
    moves = re.findall(r"<span>Move (\d), [a-z ]+</span> <b>(\d+) → (\d+) beads?</b>", page)
    assert [int(ply) for ply, _, _ in moves] == [2, 4, 6, 8]
    assert all(int(new) == int(old) + 1 for _, old, new in moves)
    assert page.count('<i data-result="') == 4 + 3
    earlier = client.get(f"/teach/{FOUR}?game=1").text
    assert "What the learner learned from game 1" in earlier
    assert link(earlier, "last") == f"/teach/{FOUR}"


def test_it_can_be_taken_back_practise_and_start_over(client: FlaskClient) -> None:
    page = client.get(f"/teach/{FOUR}").text
    assert (
        link(page, "take-back") == f"/teach/{name_recipe(remove_last_lesson(parse_recipe(FOUR)))}"
    )
    assert link(page, "over") == "/teach/menace,seed=1"
    assert link(page, "to-usual") == f"/compare/?lens={FOUR}&lens=menace"
    assert link(page, "to-code") == f"/lab/{FOUR}.py"
    practised = link(page, "practice-1")
    assert unquote(practised) == ("/teach/menace,vs=you:4+random:100,taught=245.45810.5713.12368")
    after = client.get(practised).text
    assert "The learner practised 100 games." in after
    assert "What the learner learned from 100 games against Random" in after
    assert link(after, "take-back") == f"/teach/{FOUR}"
    begun = client.get(urljoin(practised, link(after, "next"))).text
    assert "Game 5. Your move as O." in begun


@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/teach?now=x!", 400, "now=x! in the URL is wrong"),
        ("/teach/champion", 400, "This learner cannot be taught: no person teaches champion."),
        ("/teach/q-table", 400, "cannot be taught: epsilon_drop is 0 where a person teaches"),
        ("/teach/nobody", 400, "there is no algorithm"),
        (f"/teach/{FOUR}?game=5", 400, "game must be 1 to 4"),
        ("/teach/menace,vs=you,games=1,taught=00", 400, "move 2 of game 1 is cell 0 once more"),
    ],
)
def test_what_is_wrong_is_said(client: FlaskClient, address: str, status: int, sentence) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert sentence in unescape(answer.text)


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


def test_it_is_everywhere_by_its_name_and_that_is_short(client: FlaskClient) -> None:
    for address in (
        f"/agents/{FOUR}",
        f"/agents/{FOUR}.json",
        f"/agents/{FOUR}/blunders",
        f"/mind/{FOUR}",
        f"/play/4?o={FOUR}",
        f"/compare/4?lens={FOUR}&lens=menace",
        f"/lab/{FOUR}",
        f"/arena?add={FOUR}",
        f"/embed/mind/{FOUR}",
        f"/embed/board/4?o={FOUR}",
        f"/api/v1/agents/{FOUR}",
        f"/api/v1/positions/X........?lens={FOUR}",
    ):
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.text)
    assert "MENACE, taught 4 games" in client.get(f"/play/4?o={FOUR}").text
    assert "<h1>MENACE, taught 4 games</h1>" in re.sub(
        r"<h1[^>]*>\s*", "<h1>", client.get(f"/agents/{FOUR}").text
    )


def test_why_a_value_is_what_it_is_are_the_games_that_changed_it(client: FlaskClient) -> None:
    """The games of a box are the same for all symmetric positions."""
    page = client.get(f"/teach/{FOUR}").text
    learned = re.search(r"<span>Move 2, ([a-z ]+)</span> <b>(\d+) → (\d+) beads?</b>", page)
    assert learned
    for record, cell in (("1", 7), ("3", 5), ("7", 1), ("5", 3)):
        told = unescape(client.get(f"/why/{record}?lens={FOUR}&cell={cell}").text)
        assert f"game 4: {learned[2]} → {learned[3]}" in told, record
    assert "never updated" in unescape(client.get(f"/why/0123?lens={FOUR}&cell=5").text)


def test_many_games_are_a_page_of_bearable_size(client: FlaskClient, game: Game) -> None:
    """With the longest names, twice in a comparison."""
    *_, last = lessons(PupilCache(game), parse_recipe(DEFAULT_LEARNER), Random(1), 60)
    taught = last.recipe
    assert len(list_taught_games(parse_recipe(taught))) == 60
    assert len(gzip.compress(client.get(f"/teach/{taught}").data)) < LARGEST
    assert client.get(f"/compare/4?lens={taught}&lens={FOUR}").status_code == 200


def test_where_the_lab_is_off_nobody_is_taught(start: Callable[..., Flask]) -> None:
    answer = start(LAB="0").test_client().get("/teach")
    assert answer.status_code == 404
    assert "The lab is switched off here" in answer.text


def test_the_learners_on_offer_are_written_as_their_names() -> None:
    assert all(name_recipe(parse_recipe(text)) == text for text in LEARNERS)
    assert DEFAULT_LEARNER == "menace"


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


def test_another_way_to_write_a_name_leads_to_the_one(client: FlaskClient) -> None:
    answer = client.get("/teach/menace,games=1,vs=you,taught=245?game=1")
    assert (answer.status_code, answer.location) == (
        301,
        "/teach/menace,vs=you,games=1,taught=245?game=1",
    )


def test_the_box_of_its_last_move_is_shown_with_its_beads(client: FlaskClient) -> None:
    """The first box of MENACE has four beads each for corner, edge and centre."""
    page = client.get("/teach?now=.").text
    tray = re.search(r'<svg class="matchbox".*?</svg>', page)
    assert tray
    beads = Counter(re.findall(r'<g class="bead bead-\d( drawn)?"', tray[0]))
    assert beads == {"": 11, " drawn": 1}
    assert re.search(r"The learner drew bead \d \(4 of 12 beads\) and plays [a-z ]+\.", page)
    assert "On the squares: the learner’s beads for your move." in page


def test_other_learners_show_the_value_of_their_last_move(client: FlaskClient) -> None:
    start = "td-afterstates,symmetric=yes,alpha=1,epsilon=0,initial=0.25"
    page = client.get(f"/teach/{start}?now=.").text
    assert "The last move of the learner" in page
    assert 'class="matchbox"' not in page


def test_the_beads_of_a_game_come_and_go(client: FlaskClient) -> None:
    won, lost = (client.get(f"/teach/{FOUR}?game={game}").text for game in (1, 2))
    assert "The learner won: 3 beads more" in won
    assert [
        len(re.findall("<i class", one)) for one in re.findall(r'flying in".*?</span>', won)
    ] == [3] * won.count('class="flying in"')
    assert "The learner lost: 1 bead fewer" in lost
    assert lost.count('class="flying out"') == len(re.findall(r'<li id="change', lost))


def test_a_line_that_it_lost_is_shown_before_and_after(client: FlaskClient) -> None:
    page = re.sub(r"<[^>]*>", "", client.get(f"/teach/{FOUR}").text)
    assert "The marked move lost game 2. Now the learner cannot lose from this board." in page
    for word in ("pessimist", "twin", "median"):
        assert word not in page


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
