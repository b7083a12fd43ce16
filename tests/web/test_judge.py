"""The judge: its results for moves are the results of the agent with these moves."""

import html
import importlib.util
import json
import re
from collections.abc import Callable
from inspect import unwrap
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from app.tictactoe.game import GAME, SEATS, Game
from app.tictactoe.notation import format_position
from app.tictactoe.policy import Policy, find_best_moves
from app.tictactoe.policy_codec import encode_moves
from app.web.facts import (
    BEST_RESPONDER,
    find_losing_game,
    get_figures,
    judge_policy,
)
from app.web.game_review import _review_move_cached
from app.web.move_values import _evaluate_moves
from app.web.pages.parts.sent_table import MAX_TABLE_BYTES
from app.web.routes import _quote_cached
from app.web.service.errors import MAX_URL_LENGTH
from app.web.site_data import MOVES_PREFIX, SiteData
from app.web.translation import ENGLISH_LANGUAGE
from tests.doctor.kinds import CORRECT_KINDS, FAULTY_KINDS
from tests.doctor.loading import doctor

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FUZZED = 30  # examples a run; 20,000 were tried once
DOCS = Path("docs/judge.py")
DATA = Path("tests/data/judge")


def code_of(site: SiteData, name: str) -> str:
    return encode_moves(GAME, site.policies[name] > 0)


def flipped(site: SiteData, name: str, position: int, cell: int) -> str:
    choice = site.policies[name] > 0
    choice[position, cell] = not choice[position, cell]
    return encode_moves(GAME, choice)


def asker(site: SiteData, policy: Policy) -> Callable[[tuple[int, ...], int], list[int]]:
    """Return a policy as a function, as the snippet and docs/judge.py call it."""
    rows = {tuple(board): row for row, board in enumerate(GAME.board[: GAME.decisions].tolist())}

    def play(board: tuple[int, ...], player: int) -> list[int]:
        assert GAME.to_move[rows[board]] == player
        return np.flatnonzero(policy[rows[board]] > 0).tolist()

    return play


def ask(client: FlaskClient, address: str) -> Any:
    """Request the API."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_the_figures_are_those_of_the_cards(site: SiteData) -> None:
    """For agents that play several moves with equal chances; MENACE draws moves like beads."""
    judged = 0
    for name, agent in site.agents.items():
        if agent.card.play_rule == "proportional":
            continue
        judged += 1
        card, here = agent.card.figures, get_figures(site, MOVES_PREFIX + code_of(site, name))
        for opponent, chances in (
            card.outcome_chances_by_baseline | {BEST_RESPONDER: card.best_response}
        ).items():
            ours = (here.outcome_chances_by_baseline | {BEST_RESPONDER: here.best_response})[
                opponent
            ]
            for seat in SEATS:
                assert getattr(ours, seat)[-1] == getattr(chances, seat)[-1], (name, opponent)
        assert here.blunders[-1] == card.blunders[-1]
        assert here.nash_conv[-1] == card.nash_conv[-1]
        for seat in SEATS:
            met = here.reachable_blunders, card.reachable_blunders
            assert getattr(met[0], seat)[-1] == getattr(met[1], seat)[-1]
            moves = MOVES_PREFIX + code_of(site, name)
            assert find_losing_game(site, moves, SEATS[seat]) == find_losing_game(
                site, name, SEATS[seat]
            )
    assert judged > len(site.agents) / 2


def test_two_links_that_differ_in_a_bit_differ_in_that_position(
    client: FlaskClient, site: SiteData
) -> None:
    """Optimal play with a blunder in one position."""
    position = int(GAME.successor[0, 4])  # O to move
    one, other = code_of(site, "minimax-random"), flipped(site, "minimax-random", position, 1)
    first, second = (ask(client, f"/api/v1/judge?moves={code}") for code in (one, other))
    assert (first["blunders"], second["blunders"]) == (0, 1)
    assert second["unbeatable_as"] == ["X"]
    # Nobody has to make that move: what else is known of it stays.
    assert second["against_random"]["x"] == first["against_random"]["x"]


def test_what_is_no_code_is_refused_in_a_sentence(client: FlaskClient) -> None:
    for moves, reason in [
        ("A" * 100, "2695 characters, or 379, not 100"),
        ("A" * 379, "no move is played in ........."),
        ("*" * 379, "character 1 of the moves"),
    ]:
        for address in (f"/judge?moves={moves}", f"/api/v1/judge?moves={moves}"):
            answer = client.get(address)
            assert answer.status_code == 400
            assert reason in html.unescape(answer.text)
    assert client.get("/api/v1/judge").status_code == 400


def test_only_where_moves_can_stand_an_address_may_be_long(
    client: FlaskClient, site: SiteData
) -> None:
    long, name = "A" * MAX_URL_LENGTH, MOVES_PREFIX + code_of(site, "q-table")
    assert client.get(f"/agents?sort={long}").status_code == 414
    assert client.get(f"/compare/?lens={long}").status_code == 414
    assert client.get(f"/judge?moves={long * 5}").status_code == 414
    assert client.get(f"/play/4?x={name}&o={name}").status_code == 200


def test_long_addresses_cannot_eat_the_memory(client: FlaskClient, site: SiteData) -> None:
    """Agents given by moves are not keys of caches with thousands of positions."""
    client.get("/play/4")  # some of the values are cached after this request
    rng, sizes = np.random.default_rng(0), []
    for _ in range(3):
        choice = GAME.legal & (rng.random(GAME.legal.shape) < 0.5)
        idle = ~choice.any(axis=1)
        choice[idle] = GAME.legal[idle]
        name = MOVES_PREFIX + encode_moves(GAME, choice)
        for record in ("", "4", "40", "408"):
            assert client.get(f"/play/{record}?x={name}&o={name}").status_code == 200
        told = (_evaluate_moves, _review_move_cached)
        caches = [site.caches[unwrap(cache), ENGLISH_LANGUAGE] for cache in told]
        caches.append(_quote_cached)
        sizes.append([cache.cache_info().currsize for cache in caches])
    assert sizes[0] == sizes[1] == sizes[2]
    assert site.caches[unwrap(SiteData.decode_moves)].cache_info().maxsize in range(1, 9)


def test_a_judged_policy_sits_in_a_seat_and_its_moves_are_marked(
    client: FlaskClient, site: SiteData
) -> None:
    name = MOVES_PREFIX + code_of(site, "q-table")
    page = client.get(f"/play/?x={name}&o=human&pause=1").text
    board = page[page.index('id="board"') : page.index('class="bar"')]
    plays = np.flatnonzero(site.policies["q-table"][0] > 0)
    starred = re.findall(r'id="board-(\d)" class="cell best"', board)
    assert [int(cell) for cell in starred] == plays.tolist()
    assert "data-heat" not in board
    assert "Its values are not known" in page
    assert f"<b>{site.display_titles[name]} <i" in page


@pytest.mark.parametrize(
    "path", ["/why/4?o={}", "/why/4?o=q-table&lens={}", "/play/4?lens={}", "/compare/?lens={}"]
)
def test_where_only_values_will_do_it_is_refused(
    client: FlaskClient, site: SiteData, path: str
) -> None:
    name = MOVES_PREFIX + code_of(site, "champion")
    assert client.get(path.format(name)).status_code == 400


def snippet_of(client: FlaskClient) -> str:
    page = client.get("/judge").text
    found = re.search(r'<pre id="snippet"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found
    return html.unescape(found[1])


@pytest.mark.parametrize("name", ["q-table", "champion", "random"])
def test_the_lines_on_the_page_make_the_link(
    client: FlaskClient, site: SiteData, name: str
) -> None:
    lines = snippet_of(client)
    made: dict[str, Any] = {}
    assert not re.search("numpy|pickle", lines)
    exec(lines, made)
    link = made["link"](asker(site, site.policies[name]))
    app, _, moves = link.partition("/judge?moves=")
    assert app == "http://localhost"
    choice = site.decode_moves(MOVES_PREFIX + moves)
    assert (choice == (site.policies[name] > 0)).all()
    assert client.get(f"/judge?moves={moves}").status_code == 200


def test_the_uses_on_the_page_are_right(client: FlaskClient, site: SiteData) -> None:
    """A dict by board, an array by base-3 number, and a function of the mover's board."""
    game, q = GAME, site.agents["q-table"].q
    best = np.where(np.isnan(q), -np.inf, q)
    boards = [tuple(board) for board in game.board[: game.decisions].tolist()]
    rows = {board: row for row, board in enumerate(boards)}
    by_board = {b: {c: float(best[r, c]) for c in range(9) if b[c] == 0} for b, r in rows.items()}
    by_code = np.zeros((3**9, 9))
    by_code[game.code[: game.decisions]] = best
    mine = {
        tuple(stone * int(game.to_move[row]) for stone in board): int(best[row].argmax())
        for board, row in rows.items()
    }
    page = html.unescape(client.get("/judge").text)
    uses = re.findall(r"<dd><pre[^>]*>(link\(.*?)</pre>", page, re.DOTALL)
    assert len(uses) == 3
    names: dict[str, Any] = {}
    exec(snippet_of(client), names)
    wanted = (np.eye(9)[best.argmax(axis=1)] > 0) & game.legal
    for line, q_here in zip(uses, (by_board, by_code, None), strict=True):
        given = names | {"q": q_here, "my_move": lambda board: mine[tuple(board)]}
        link = eval(line, given)
        assert (site.decode_moves(MOVES_PREFIX + link.partition("moves=")[2]) == wanted).all(), line


@pytest.fixture(scope="module")
def judge_py() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judge_py", DOCS)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
@pytest.mark.parametrize("name", ["random", "t-hand", "minimax-random", "q-table", "champion"])
def test_the_file_to_copy_finds_what_the_library_finds(
    site: SiteData, judge_py: ModuleType, name: str
) -> None:
    found = judge_py.judge(asker(site, site.policies[name]), site="")
    judgement, code = judge_policy(site, name), code_of(site, name)
    assert found["blunders"] == judgement.blunder_count
    assert found["unbeatable_as"] == [
        seat.upper() for seat, proved in judgement.is_unbeatable.items() if proved
    ]
    for seat in SEATS:
        for ours, theirs in (("random", "random"), ("strongest", BEST_RESPONDER)):
            expected = judgement.outcome_chances[theirs, seat]
            np.testing.assert_allclose(found[f"against_{ours}"][seat], expected, atol=1e-8)
    moves = found["link"].partition("moves=")[2]
    assert (site.decode_moves(MOVES_PREFIX + moves) == site.decode_moves(MOVES_PREFIX + code)).all()


def post_file(client: FlaskClient, address: str, content: bytes) -> TestResponse:
    """Send a form with a file; Werkzeug's client would write a large file into a temporary folder."""
    head = b'Content-Disposition: form-data; name="file"; filename="mine.csv"'
    body = b"--part\r\n" + head + b"\r\n\r\n" + content + b"\r\n--part--\r\n"
    return client.post(address, data=body, content_type="multipart/form-data; boundary=part")


def post_table(client: FlaskClient, table: bytes | str, **fields: str) -> TestResponse:
    """Send the form of the page, with the table as a file."""
    content = table.encode() if isinstance(table, str) else table
    form = {"table": "", "file": (BytesIO(content), "mine.json"), **fields}
    return client.post("/judge", data=form, content_type="multipart/form-data")


@pytest.mark.parametrize("field", ["file", "table"])
def test_a_table_in_the_form_leads_to_its_judgement(
    client: FlaskClient, site: SiteData, field: str
) -> None:
    text = json.dumps(
        {
            format_position(GAME, position): int(site.policies["champion"][position].argmax())
            for position in range(GAME.decisions)
        }
    )
    content = (BytesIO(text.encode()), "mine.json") if field == "file" else text
    answer = client.post("/judge", data={field: content}, content_type="multipart/form-data")
    assert answer.status_code == 303
    assert answer.headers["Cache-Control"] == "no-store"
    choice = site.decode_moves(
        MOVES_PREFIX + answer.headers["Location"].partition("/judge?moves=")[2]
    )
    assert (choice.argmax(axis=1) == site.policies["champion"].argmax(axis=1)).all()
    assert "Proved unbeatable" in client.get(answer.headers["Location"]).text


def test_how_a_table_is_read_is_a_choice_of_the_form(client: FlaskClient, site: SiteData) -> None:
    table = (DATA / "x-view.json").read_bytes()
    codes = {
        view: post_table(client, table, view=view).headers["Location"].partition("moves=")[2]
        for view in ("auto", "x", "mover")
    }
    assert codes["auto"] == codes["x"] == encode_moves(GAME, find_best_moves(GAME))
    assert codes["mover"] != codes["x"]
    wrong = post_table(client, table, view="both")
    assert wrong.status_code == 400
    assert "There is no view=" in wrong.text


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_rows_that_cannot_be_read_are_named_and_the_others_can_be_judged(
    client: FlaskClient, headers: dict[str, str]
) -> None:
    form = {"table": (DATA / "faulty.csv").read_text()}
    answer = client.post("/judge", data=form, headers=headers, content_type="multipart/form-data")
    assert answer.status_code == 400
    assert answer.headers["HX-Retarget"] == "#outcome"
    assert re.findall("<li>(line .*?)</li>", answer.text) == [
        "line 3: nine is no move",
        "line 4: no game comes to this board",
        "line 5: this is no board: X.O.....",
        "line 6: high is no number",
    ]
    found = re.search(
        r'id="to-verdict" class="button" href="(.*?)">Evaluate the other rows', answer.text
    )
    assert found
    assert client.get(found[1]).status_code == 200
    assert ("<html" in answer.text) is not bool(headers)


@pytest.mark.parametrize("address", ["/judge", "/api/v1/judge"])
def test_a_table_of_more_than_4_mb_is_refused(client: FlaskClient, address: str) -> None:
    row = b".........,4\n"
    right = (row * (MAX_TABLE_BYTES // len(row) + 1))[:MAX_TABLE_BYTES]
    assert len(right) == MAX_TABLE_BYTES
    for content, statuses in ((right, {303, 400}), (right + b"\n", {413}), (right * 3, {413})):
        answer = post_file(client, address, content)
        assert answer.status_code in statuses
        if address != "/judge":
            assert client.post(address, data=content).status_code in statuses
    assert "The table is larger than 4 MB, the limit." in answer.text


def test_a_chunked_table_is_stopped_at_4_mb(client: FlaskClient) -> None:
    stream = BytesIO(b".........,4\n" * 900_000)
    in_chunks = {"wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    answer = client.post("/api/v1/judge", input_stream=stream, environ_overrides=in_chunks)
    assert answer.status_code == 413
    assert stream.tell() < 2 * MAX_TABLE_BYTES


def fault_of(answer: TestResponse) -> str:
    """Return the error message of an answer of the API."""
    error = json.loads(answer.text)["error"]
    assert error["code"] == answer.status_code
    message: str = error["message"]
    return message


def test_the_api_reads_and_judges_a_table(client: FlaskClient, site: SiteData) -> None:
    content = (DATA / "tuples.txt").read_bytes()
    raw = client.post("/api/v1/judge", data=content)
    sent = post_file(client, "/api/v1/judge", content)
    assert raw.status_code == 200
    assert raw.json == sent.json
    told = json.loads(raw.text)
    assert (told["read"], told["values"]) == (803, None)
    assert "A high value is good for the player to move." in told["notes"]
    judged = ask(client, f"/api/v1/judge?moves={told['moves']}")
    assert {name: told[name] for name in judged} == judged
    assert told["page"] == f"/judge?moves={told['moves']}"
    answer = client.post("/api/v1/judge?values=true&ties=first", data=content)
    values = json.loads(answer.text)["values"]
    assert len(values) == GAME.decisions
    assert values["........."] == [0.83, 0.865, 0.83, 0.865, 0.996, 0.865, 0.83, 0.865, 0.83]


@pytest.mark.parametrize(
    ("address", "table", "fault"),
    [
        ("/api/v1/judge", "[1, 2", "cannot be read: line 1: this is neither JSON nor"),
        (
            "/api/v1/judge",
            '{".........": 4, "X........": [1, 2, 3]}',
            "entry 2 (X........): it has",
        ),
        ("/api/v1/judge?view=both", '{".........": 4}', "view is wrong: invalid enum value 'both'"),
        ("/api/v1/judge?look=x", '{".........": 4}', "no parameter look"),
        ("/api/v1/judge", "", "There is no table in this request."),
    ],
)
def test_the_api_refuses_a_table_in_a_sentence(
    client: FlaskClient, address: str, table: str, fault: str
) -> None:
    answer = client.post(address, data=table)
    assert answer.status_code == 400
    assert fault in fault_of(answer)
    assert answer.headers["Cache-Control"] == "no-store"


@settings(
    max_examples=FUZZED,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(
    st.binary(max_size=300) | st.text(max_size=300).map(str.encode),
    st.sampled_from(["", "application/json", "text/csv", "multipart/form-data; boundary=x"]),
    st.sampled_from(["/judge", "/api/v1/judge"]),
)
def test_whatever_body_is_sent_is_judged_or_refused(
    client: FlaskClient, body: bytes, kind: str, address: str
) -> None:
    answer = client.post(address, data=body, content_type=kind)
    assert answer.status_code in (200, 303, 400, 413)


@settings(
    max_examples=FUZZED,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(
    st.text(SIGNS, min_size=379, max_size=379)
    | st.text(SIGNS, max_size=3000)
    | st.text(max_size=300)
    | st.binary(min_size=284, max_size=284).map(lambda some: some.hex())
    | st.integers(0, 2**64)
)
def test_whatever_is_sent_is_judged_or_refused(
    client: FlaskClient, site: SiteData, moves: str | int
) -> None:
    answer = client.get("/judge", query_string={"moves": code_like(GAME, moves)})
    assert answer.status_code in (200, 303, 400, 414)


def code_like(game: Game, moves: str | int) -> str:
    """Return a text unchanged; for a number, a valid code with up to two characters changed."""
    if isinstance(moves, str):
        return moves
    rng = np.random.default_rng(moves)
    choice = game.legal & (rng.random(game.legal.shape) < 0.7)
    idle = ~choice.any(axis=1)
    choice[idle] = game.legal[idle]
    code = [*encode_moves(game, find_best_moves(game) if rng.random() < 0.5 else choice)]
    for _ in range(rng.integers(3)):
        code[rng.integers(len(code))] = SIGNS[rng.integers(len(SIGNS))]
    return "".join(code)


def write_trace(kind: str) -> str:
    """Return the trace of a learner as CSV."""
    rows: list[list[Any]] = []
    (CORRECT_KINDS | FAULTY_KINDS)[kind][0](lambda *row: rows.append([*row]), 3)
    lines = (",".join(str(int(c) if isinstance(c, bool) else c) for c in row) for row in rows)
    return "\n".join([",".join(doctor.TRACE_COLUMNS), *lines])


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_moves_drawn_in_proportion_are_judged_with_their_chances(
    client: FlaskClient, headers: dict[str, str]
) -> None:
    beads = json.dumps({".........": [1, 2, 3, 4, 5, 6, 7, 8, 9], "X........": [0, *[1] * 7, 8]})
    drawn, highest = (
        client.post(f"/api/v1/judge?play={play}", data=beads).json or {}
        for play in ("proportional", "highest")
    )
    assert drawn["nash_conv"] != highest["nash_conv"]
    form = {"table": beads, "play": "proportional"}
    page = client.post("/judge", data=form, headers=headers, content_type="multipart/form-data")
    assert f"NashConv is {drawn['nash_conv']:.4g}" in page.text


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_trace_in_the_form_is_diagnosed(client: FlaskClient, headers: dict[str, str]) -> None:
    form = {"table": write_trace("early board of the loser is valued")}
    answer = client.post("/judge", data=form, headers=headers, content_type="multipart/form-data")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    diagnosis = answer.text[answer.text.index('id="diagnosis"') :]
    assert "Fault: the value of a finished board is added" in diagnosis
    assert "<svg" in diagnosis
    assert re.search(r"<dt>Right value</dt><dd>-0\.\d+</dd>", diagnosis)
    right = post_table(client, write_trace("plain"))
    assert "Nothing found" in right.text
    assert "updates follow Q-learning" in right.text


@pytest.mark.parametrize(
    ("tool", "path"), [("doctor", "app/doctor.py"), ("judge", "docs/judge.py")]
)
def test_the_tools_are_downloaded_from_the_page(client: FlaskClient, tool: str, path: str) -> None:
    assert f'href="/judge/{tool}.py"' in client.get("/judge").text
    assert client.get(f"/judge/{tool}.py").data == Path(path).read_bytes()
