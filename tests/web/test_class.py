"""The page for a class: its worksheet, and the table of pasted links."""

import re
from collections import Counter
from html import unescape

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.tictactoe.game import GAME
from app.tictactoe.policy import find_best_moves
from app.tictactoe.policy_codec import encode_moves
from app.web.job_queue import QueueFullError
from app.web.site_data import SiteData

MENACE = "menace,vs=you,games=4,taught=245.45810.5713.12368"
PAPER = "menace,vs=you,seat=x,opening=centre,paper=yes,games=2,taught=405386.40315"
OPTIMAL = encode_moves(GAME, find_best_moves(GAME))
LINKS = [
    f"Ada: https://school.example/teach/{MENACE}?hl=de",
    "",
    f"http://localhost/teach/{PAPER}",
    f"Cut https://school.example/teach/{MENACE[:-2]}",
    "no link at all",
    "https://school.example/teach/nobody",
    f"Grace\thttps://school.example/judge?moves={OPTIMAL}",
    "https://school.example/judge?moves=abc",
]


def compare(client: FlaskClient, text: str, query: str = "") -> TestResponse:
    head = 'Content-Disposition: form-data; name="links"'
    body = f"--edge\r\n{head}\r\n\r\n{text}\r\n--edge--\r\n"
    kind = "multipart/form-data; boundary=edge"
    return client.post(f"/teach/class{query}", data=body.encode(), content_type=kind)


def rows(page: str) -> list[list[str]]:
    """Return the cells of the table of the class, as text."""
    table = re.search(r'(?s)<table id="class-table".*?<tbody>(.*?)</tbody>', page)
    assert table
    cells = [re.findall(r"(?s)<t[hd].*?</t[hd]>", row) for row in table[1].split("</tr>")]
    texts = [[unescape(re.sub(r"<[^>]*>", "", one)).strip() for one in row] for row in cells]
    return [row for row in texts if row]


@pytest.mark.long
def test_the_links_of_a_class_become_one_table(client: FlaskClient) -> None:
    answer = compare(client, "\n".join(LINKS))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    ada, paper, grace = rows(answer.text)
    assert ada[:3] == ["Ada", "MENACE", "4"]
    assert paper[:3] == ["Line 3", "MENACE", "2"]
    assert grace == ["Grace", "judged table", *["–"] * 3, "0%", "0%", *["–"] * 5]
    lessons = client.application.extensions["site"].on_demand.replay_course(PAPER, None).lessons
    assert paper[5:7] == [f"{100 * lessons[-1].loss_chances['x']:.0f}%", "–"]
    assert f'href="/teach/{MENACE}"' in answer.text


def test_a_wrong_line_is_named_and_the_others_go_on(client: FlaskClient) -> None:
    page = compare(client, "\n".join(LINKS)).text
    faults = re.search(r'(?s)<div id="faults".*?</div>', page)
    assert faults
    said = [unescape(one) for one in re.findall(r"<li>(.*?)</li>", faults[0])]
    assert [one.partition(":")[0] for one in said] == ["Line 4", "Line 5", "Line 6", "Line 8"]
    assert "cut off when it was copied" in said[0]
    assert "this line has no link to /teach or /judge" in said[1]
    assert "no algorithm" in said[2]
    assert "moves have" in said[3]


def test_the_most_frequent_blunder_is_the_one_that_is_met_most(client: FlaskClient) -> None:
    """After an opening in a corner only the centre keeps the draw, and this opening is frequent."""
    page = compare(client, f"/teach/{MENACE}").text
    first = re.search(r'(?s)class="worst">.*?aria-label="([^"]*)"', page)
    assert first
    squares = Counter(re.findall(r"right|blunder|[XO]", first[1]))
    assert squares == {"X": 1, "right": 1, "blunder": 7}
    assert "1 learner blunders here (of 1)" in page


def test_the_average_of_a_blunder_is_that_of_the_learners_that_make_it(client: FlaskClient) -> None:
    """A learner that never meets the board does not make the blunder rarer."""
    alone = compare(client, f"/teach/{MENACE}").text
    both = compare(client, f"/teach/{MENACE}\n/judge?moves={OPTIMAL}").text
    said = [re.search(r"on average in (\S+)% of the games", page) for page in (alone, both)]
    assert said[0]
    assert said[1]
    assert said[0][1] == said[1][1]
    assert "1 learner blunders here (of 2)" in both


def test_nothing_is_pasted(client: FlaskClient) -> None:
    answer = compare(client, " \n ")
    assert answer.status_code == 400
    assert "There are no links in this request." in answer.text
    assert client.post("/teach/class", data={"links": "x"}).status_code == 400
    large = compare(client, "x" * 300_000)
    assert large.status_code == 413
    assert "256 KB" in large.text


def test_a_class_has_sixty_lines_at_most(client: FlaskClient) -> None:
    page = compare(client, "\n".join([f"/teach/{PAPER}"] * 61)).text
    assert len(rows(page)) == 60
    assert "Lines from 61 on were not read: a class can have 60 lines." in page
    page = compare(client, "no link\n\n" * 10_000).text
    assert page.count("has no link to /teach or /judge") == 60
    assert "Line 1: a line has at most" in compare(client, "a" * 5_000).text


class BusyTrainer:
    """A trainer that refuses every request."""

    def request_answer(self, *_: object, **options: object) -> bytes:
        raise QueueFullError


def test_a_busy_server_does_not_lose_the_pasted_links(
    client: FlaskClient, site: SiteData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.on_demand, "trainer", BusyTrainer())
    answer = compare(client, f"Ada: /teach/{MENACE.replace('245', '254')}")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert "Refresh" not in answer.headers  # it would ask for the page without its links
    assert f">Ada: /teach/{MENACE.replace('245', '254')}</textarea>" in answer.text
    assert 'id="busy"' in answer.text
