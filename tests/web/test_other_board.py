"""The site with another board: only texts and drawings are specific to 3 x 3."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from flask import Flask

from app.recipes import parse_recipe
from app.tictactoe.agents import save_agent
from app.tictactoe.game import build_game
from app.web import create_app
from app.web.wording import LESSON_STEPS
from training.run import train

GAME = build_game(3, 4, 3)  # X wins with optimal play: nobody is unbeatable in both seats
TRAINED = {
    "q-table": "q-table,games=60",
    "q-learning-1": "q-learning,games=60",
    "q-iteration": "q-iteration,vs=random:1+self:7",
    "self-play": "self-play,games=60",
    "observing": "league,observing=yes,rounds=3",
    "champion": "champion,games=30",
    "menace": "menace,games=60",
    "mcts": "mcts,rollouts=3",
}
RECORD, POSITION = "4b", "....X......O"  # the last of the twelve cells is b
ANSWERED = [
    *("/", "/agents", "/agents/q-table", "/agents/menace", "/agents/q-table/blunders"),
    *("/agents.csv", "/agents/q-table.npz", "/agents/q-table.json", "/agents/q-table.csv"),
    *("/agents/q-iteration/certificate-x", "/agents/q-iteration/certificate-x.csv"),
    *("/api", "/api/v1/openapi.json", "/api/v1/agents", "/api/v1/agents/q-table"),
    *(f"/api/v1/games/{RECORD}", "/api/v1/matches/champion/menace"),
    *(f"/api/v1/positions/{POSITION}", f"/api/v1/moves/{POSITION}?agent=q-table"),
    *("/arena", "/compare/", f"/compare/{RECORD}", "/healthz", "/experiments", "/judge"),
    *(f"/square/{RECORD}?cell=1", "/square/?cell=1"),
    *("/glossary", "/sources", "/robots.txt", "/sitemap.xml"),
    *("/embed/board/", "/embed/board/.svg", "/embed/board/.csv", f"/embed/board/{RECORD}"),
    *(f"/embed/board/{RECORD}.svg", f"/embed/board/{RECORD}.csv"),
    *(f"/embed/value/{RECORD}.svg?cell=0", "/embed/value/.csv?cell=11", f"/embed/reply/{RECORD}"),
    *("/embed/curve/q-table", "/embed/curve/q-table.svg", "/embed/curve/q-table.csv"),
    *("/embed/curve/q-table.png", "/embed/mind/q-table.png"),
    *("/embed/mind/q-table", "/embed/mind/q-table.svg", "/embed/mind/q-table.csv"),
    *("/embed/puzzle/1", "/embed/puzzle/today"),
    "/embed/reply/?x=q-table&o=menace",
    *("/how", "/how/won-game", f"/how/writing?board={POSITION}", "/how/champion", "/how/exact"),
    *("/lab", "/lab/q-table", "/mind/q-table", "/mind/menace", "/minds/", f"/minds/{RECORD}"),
    *("/play/", f"/play/{RECORD}", f"/play/{RECORD}?lens=menace", f"/play/{RECORD}?hint=1"),
    *("/play/0b152?lens=q-table", "/players/", "/preview/.png", f"/preview/{RECORD}.png"),
    *("/puzzle", "/puzzle/today", "/puzzle/1", "/puzzle/1?right=b", "/puzzle/1?right=b&plays=b"),
    "/settings/",
    *("/reply/?x=q-table", f"/reply/{RECORD}?x=menace&o=q-table", "/take/", f"/take/{RECORD}"),
    *("/why/", f"/why/{RECORD}?lens=q-table&cell=3", f"/why/{RECORD}?lens=menace"),
    *(f"/why/{RECORD}?lens=champion", f"/why/{RECORD}?lens=self-play"),
    f"/why/{RECORD}?lens=mcts",
]
# Where there is nothing for this board: no experiment, no trainer, moves too long for an address.
ELSEWHERE = (
    *(
        "/faults",
        "/teach",
        "/qr/teach",
        "/experiments/",
        "/api/v1/experiments",
        "/embed/experiment",
    ),
    *("/judge/", "/api/v1/judge", "/puzzle/<int:number>/score", "/static", "/set"),
    *(
        "/embed/teach",
        "/embed/how",
        "/embed/puzzle/<int:number>/score",
        "/lab/<name>.py",
        "/how/<any",
    ),
    "/lab/<name>.<any(svg, png, csv):ending>",
    *("/preview/teach", "/preview/lab"),
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    folder: Path = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("training.run.MAX_SNAPSHOTS", 3)  # each is judged in 50,000 positions
        for name, recipe in TRAINED.items():
            save_agent(folder, GAME, train(name, parse_recipe(recipe), GAME, lambda progress: None))
        patch.setattr("app.web.site_data.tic_tac_toe", lambda: GAME)
        patch.setenv("LAB", "0")
        yield create_app(folder, seed=1)


def test_every_page_answers(app: Flask) -> None:
    client = app.test_client()
    answers = {address: client.get(address) for address in ANSWERED}
    wrong = {a: r.text for a, r in answers.items() if r.status_code not in (200, 302, 303)}
    assert not wrong


def test_a_stop_of_the_lesson_is_there_or_says_what_is_missing(app: Flask) -> None:
    for stop in LESSON_STEPS:
        for address in (f"/how/{stop.slug}", f"/embed/how/{stop.slug}"):
            answer = app.test_client().get(address)
            shown = answer.status_code == 200
            assert shown or answer.status_code == 404
            assert shown or re.search(
                "This step of the lesson cannot be shown, because (no agent of this site makes such "
                "a mistake every time|every agent of this site can be beaten)\\.",
                answer.text,
            )


def test_every_kind_of_page_is_asked_for(app: Flask) -> None:
    routes = app.url_map.bind("localhost")
    asked = {str(routes.match(a.partition("?")[0], return_rule=True)[0]) for a in ANSWERED}
    rules = {str(rule) for rule in app.url_map.iter_rules()}
    assert {rule for rule in rules - asked if not rule.startswith(ELSEWHERE)} == set()


def test_squares_are_named_by_row_and_column(app: Flask) -> None:
    client = app.test_client()
    assert "Row 2, column 4" in unescape(client.get("/compare/4b").text)
