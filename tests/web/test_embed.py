"""Contents for other sites: frames, files, citations; no other page can be framed."""

import base64
import csv
import hashlib
import io
import re
from html import unescape
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient
from resvg_py import svg_to_bytes

from app.tictactoe.game import GAME
from app.tictactoe.notation import replay_record
from app.web.move_values import evaluate_moves
from app.web.routes import iframe_file_url
from app.web.service.headers import CONTENT_SECURITY_POLICY
from app.web.site_data import SiteData

TAUGHT = "/teach/menace,vs=you,games=4,taught=245.45810.5713.12368"
FRAMES = [
    "/embed/board/408?o=q-learning-1",
    "/embed/board/",
    "/embed/curve/q-learning-1",
    "/embed/curve/q-learning-1?lens=self-play&figure=losses",
    "/embed/curve/dqn-vs-random?figure=win-rate",
    "/embed/mind/q-table?step=3",
    "/embed/mind/q-table?colour=visits",
    "/embed/experiment/bad-runs",
    "/embed/puzzle/5?right=0",
    "/embed/puzzle/10/score?answers=0123012301",
    "/embed/how/blunder",
    "/embed/teach",
    f"/embed{TAUGHT}",
]
FILES = [
    *FRAMES[:7],
    "/embed/value/4081?o=q-learning-1",
    "/embed/value/",
]
FRAMED = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
SVG = "{http://www.w3.org/2000/svg}"


def rows(client: FlaskClient, frame: str) -> list[dict[str, str]]:
    text = client.get(iframe_file_url(frame, "csv")).text
    return list(csv.DictReader(io.StringIO(text)))


# Who may be framed.


@pytest.mark.parametrize(
    "address",
    [
        *FRAMES,
        *(iframe_file_url(frame, "svg") for frame in FILES),
        "/embed/reply/4?o=fixed",
        "/embed/board/44",
        "/embed/mind/nobody",
        "/embed/nothing",
        "/embed/how/dqn",
        "/embed/how/exact",
        "/embed/teach/nobody",
    ],
)
def test_what_is_made_for_others_may_be_framed_and_shown_by_them(
    client: FlaskClient, address: str
) -> None:
    response = client.get(address)
    headers, policy = response.headers, FRAMED
    if written := re.search(r"<style>(.*?)</style>", response.text):  # its own style and no other
        digest = base64.b64encode(hashlib.sha256(unescape(written[1]).encode()).digest()).decode()
        policy = policy.replace("style-src 'self'", f"style-src 'sha256-{digest}'")
    assert headers.getlist("Content-Security-Policy") == [policy]
    assert headers.getlist("Cross-Origin-Resource-Policy") == ["cross-origin"]
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    assert "X-Frame-Options" not in headers


# A board in a frame.


def test_a_reply_stays_in_the_frame(client: FlaskClient) -> None:
    response = client.get("/embed/reply/4?o=fixed")
    assert (response.status_code, response.headers["Location"]) == (303, "/embed/board/40?o=fixed")
    assert response.headers["Cache-Control"] == "no-store"
    swapped = client.get("/embed/reply/4?o=fixed", headers={"HX-Request": "true"})
    assert swapped.headers["HX-Replace-Url"] == "/embed/board/40?o=fixed"
    assert "HX-Push-Url" not in swapped.headers
    whole = client.get("/embed/board/40?o=fixed").text
    for line in swapped.text.splitlines():
        assert line.strip() in whole


def test_a_game_that_ends_in_a_frame_is_learned_there(client: FlaskClient) -> None:
    now = "."
    while (answer := client.get(f"/embed{TAUGHT}?now={now}")).status_code == 200:
        now = re.findall(r'href="\?now=(\d+)"', answer.text)[0]
    assert answer.status_code == 303
    learned = answer.headers["Location"]
    assert learned.startswith("/embed/teach/menace,vs=you,games=5,")
    swapped = client.get(f"/embed{TAUGHT}?now={now}", headers={"HX-Request": "true"})
    assert swapped.headers["HX-Replace-Url"] == learned
    assert "HX-Push-Url" not in swapped.headers


# Figures as files.


@pytest.mark.parametrize("frame", FILES)
def test_a_picture_stands_alone(client: FlaskClient, frame: str) -> None:
    response = client.get(iframe_file_url(frame, "svg"))
    assert response.mimetype == "image/svg+xml"
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    picture = ElementTree.fromstring(response.text)
    assert not re.search(r"var\(|url\(|href=|<script|@import|light-dark", response.text)
    title = picture.find(f"{SVG}title")
    assert title is not None
    assert title.text
    pixels = svg_to_bytes(svg_string=response.text, skip_system_fonts=True)
    assert len(bytes(pixels)) > 500


def test_the_numbers_of_a_board_are_what_its_lens_thinks(
    client: FlaskClient, site: SiteData
) -> None:
    table = rows(client, "/embed/board/40?lens=q-learning-1")
    view = evaluate_moves(site, replay_record(GAME, "40")[-1], "q-learning-1")
    assert [row["mark"] for row in table] == list("O...X....")
    for cell, row in enumerate(table):
        assert (int(row["row"]), int(row["column"])) == (cell // 3 + 1, cell % 3 + 1)
        if row["mark"] == ".":
            assert float(row["value"]) == view.values[cell]
            assert (int(row["heat"]), row["best"]) == (
                view.heats[cell],
                str(int(view.is_best[cell])),
            )
            assert row["true_outcome"] == view.optimal_results[cell]
        else:
            assert row["value"] == row["heat"] == row["best"] == ""


def test_hidden_values_leave_with_no_file(client: FlaskClient) -> None:
    table = rows(client, "/embed/board/40?lens=q-learning-1&hide=1")
    assert {row["value"] + row["heat"] + row["true_outcome"] for row in table} == {""}


def test_the_numbers_of_a_game_are_its_moves(client: FlaskClient) -> None:
    table = rows(client, "/embed/value/4081?lens=truth")
    assert [row["mark"] for row in table] == list("XOXO")
    assert [(row["row"], row["column"]) for row in table] == [
        ("2", "2"), ("1", "1"), ("3", "3"), ("1", "2"),
    ]  # fmt: skip
    # O takes an edge where it had to take a corner: X wins.
    assert [row["true_value_for_x"] for row in table] == ["0", "0", "0", "1"]
    assert [row["blunder"] for row in table] == ["0", "0", "0", "1"]
