"""The judge: what is said of moves is what is true of the agent that makes them."""

import html
import importlib.util
import re
from collections.abc import Callable
from inspect import unwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.tictactoe.game import SEATS, Game
from app.tictactoe.policy import Policy, best_moves
from app.tictactoe.policy_codec import encode
from app.web import urls
from app.web.facts import (
    BEST_RESPONDER,
    build_certificate,
    find_losing_game,
    get_figures,
    judge_policy,
)
from app.web.game_review import _review_move_cached
from app.web.move_values import _evaluate_moves
from app.web.service.errors import MAX_ADDRESS
from app.web.site_data import MOVES, SiteData
from app.web.translation import IN_ENGLISH

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FUZZED = 60  # examples a run; 20,000 were tried once
DOCS = Path("docs/judge.py")


def code_of(site: SiteData, name: str) -> str:
    return encode(site.game, site.policies[name] > 0)


def flipped(site: SiteData, name: str, position: int, cell: int) -> str:
    choice = site.policies[name] > 0
    choice[position, cell] = not choice[position, cell]
    return encode(site.game, choice)


def asker(site: SiteData, policy: Policy) -> Callable[[tuple[int, ...], int], list[int]]:
    """Play a policy as the snippet and docs/judge.py ask for it."""
    game = site.game
    rows = {tuple(board): row for row, board in enumerate(game.board[: game.decisions].tolist())}

    def play(board: tuple[int, ...], player: int) -> list[int]:
        assert game.to_move[rows[board]] == player
        return np.flatnonzero(policy[rows[board]] > 0).tolist()

    return play


def ask(client: FlaskClient, address: str) -> Any:
    """Ask the API."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_the_figures_are_those_of_the_cards(site: SiteData) -> None:
    """Of all who play some moves with equal chances: MENACE draws its moves like beads."""
    judged = 0
    for name, agent in site.agents.items():
        if agent.card.plays == "proportional":
            continue
        judged += 1
        card, here = agent.card.figures, get_figures(site, MOVES + code_of(site, name))
        for opponent, chances in (card.vs | {BEST_RESPONDER: card.best_response}).items():
            ours = (here.vs | {BEST_RESPONDER: here.best_response})[opponent]
            for seat in SEATS:
                assert getattr(ours, seat)[-1] == getattr(chances, seat)[-1], (name, opponent)
        assert here.blunders[-1] == card.blunders[-1]
        assert here.nash_conv[-1] == card.nash_conv[-1]
        for seat in SEATS:
            met = here.reachable_blunders, card.reachable_blunders
            assert getattr(met[0], seat)[-1] == getattr(met[1], seat)[-1]
            moves = MOVES + code_of(site, name)
            assert find_losing_game(site, moves, SEATS[seat]) == find_losing_game(
                site, name, SEATS[seat]
            )
    assert judged > len(site.agents) / 2


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("champion", "Unbeatable, proved: no opponent can win, as X or as O."),
        ("q-table", "Unbeatable as X, proved. As O this game beats it."),
        ("random", "It can be beaten in both seats: here are the games."),
    ],
)
def test_the_verdict_comes_first(
    client: FlaskClient, site: SiteData, name: str, sentence: str
) -> None:
    page = client.get(f"/judge?moves={code_of(site, name)}").text
    assert f'<h1 id="sentence">{sentence}</h1>' in page
    judgement = judge_policy(site, name)
    assert f"{judgement.blunders:,} of 4,520" in page
    for seat in SEATS:
        beaten = f'id="beat-{seat}"' in page
        assert beaten is not judgement.unbeatable[seat]
        assert (f'id="certificate-{seat}"' in page) is judgement.unbeatable[seat]


def test_the_game_that_beats_it_is_replayed_against_the_visitor(
    client: FlaskClient, site: SiteData
) -> None:
    code = code_of(site, "q-table")
    page = client.get(f"/judge?moves={code}").text
    found = re.search(r'id="beat-o" class="[^"]*" href="([^"]+)"', page)
    assert found
    record = find_losing_game(site, "q-table", SEATS["o"])
    address = html.unescape(found[1])
    assert address == f"/play/{record}?ply=0&o={MOVES}{code}"
    assert client.get(address).status_code == 200


def test_two_links_that_differ_in_a_bit_differ_in_that_position(
    client: FlaskClient, site: SiteData
) -> None:
    """Optimal play that may also take a corner's neighbour after the centre: one position errs."""
    game = site.game
    position = int(game.successor[0, 4])  # O to move
    one, other = code_of(site, "minimax-random"), flipped(site, "minimax-random", position, 1)
    first, second = (ask(client, f"/api/v1/judge?moves={code}") for code in (one, other))
    assert (first["blunders"], second["blunders"]) == (0, 1)
    assert second["unbeatable_as"] == ["X"]
    # Nobody has to make that move: what else is known of it stays.
    assert second["against_random"]["x"] == first["against_random"]["x"]


def test_likely_causes_are_shown_on_boards_that_lead_to_play(
    client: FlaskClient, site: SiteData
) -> None:
    game = site.game
    q = np.where((game.to_move == 1)[:, None], site.truth, -site.truth)
    choice = (q == np.fmax.reduce(q, axis=1, keepdims=True)) & game.legal
    code = encode(game, choice)
    page = client.get(f"/judge?moves={code}").text
    causes = page[page.index('id="causes"') : page.index("</section>", page.index('id="causes"'))]
    assert "Its values as O are in the other side" in html.unescape(causes)
    (href,) = re.findall(r'<a href="([^"]+)"><svg', causes)
    assert client.get(html.unescape(href)).status_code == 200
    (cause,) = ask(client, f"/api/v1/judge?moves={code}")["causes"]
    assert (cause["kind"], cause["seat"]) == ("other-side", "O")
    assert f"{cause['number']:,} of {cause['of']:,}" in causes


def test_who_does_not_err_has_no_causes(client: FlaskClient, site: SiteData) -> None:
    page = client.get(f"/judge?moves={code_of(site, 'champion')}").text
    assert 'id="causes"' not in page
    assert "No blunder" in page


def test_all_its_parts_have_addresses(client: FlaskClient, site: SiteData) -> None:
    code = code_of(site, "q-table")
    assert client.get(f"/judge/blunders?moves={code}").status_code == 200
    assert client.get(f"/judge/certificate-x?moves={code}").status_code == 200
    lines = client.get(f"/judge/certificate-x.csv?moves={code}").text.splitlines()
    assert len(lines) == 1 + len(build_certificate(site, "q-table", "x").position)
    assert client.get(f"/judge/certificate-o?moves={code}").status_code == 404
    arena = client.get(f"/arena?add={MOVES}{code}").text
    assert site.titles[MOVES + code] in arena


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


def test_a_whole_link_in_the_form_is_as_good_as_the_moves(
    client: FlaskClient, site: SiteData
) -> None:
    code = code_of(site, "champion")
    answer = client.get("/judge", query_string={"moves": f" https://x.example/judge?moves={code} "})
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/judge?moves={code}"


def test_only_where_moves_can_stand_an_address_may_be_long(
    client: FlaskClient, site: SiteData
) -> None:
    long, name = "A" * MAX_ADDRESS, MOVES + code_of(site, "q-table")
    assert client.get(f"/agents?sort={long}").status_code == 414
    assert client.get(f"/compare/?lens={long}").status_code == 414
    assert client.get(f"/judge?moves={long * 5}").status_code == 414
    assert client.get(f"/play/4?x={name}&o={name}").status_code == 200


def test_long_addresses_cannot_eat_the_memory(client: FlaskClient, site: SiteData) -> None:
    """Names by moves are no keys of what is kept for thousands of positions."""
    client.get("/play/4")  # with values, of which some are kept from now on
    rng, sizes = np.random.default_rng(0), []
    for _ in range(3):
        choice = site.game.legal & (rng.random(site.game.legal.shape) < 0.5)
        idle = ~choice.any(axis=1)
        choice[idle] = site.game.legal[idle]
        name = MOVES + encode(site.game, choice)
        for record in ("", "4", "40", "408"):
            assert client.get(f"/play/{record}?x={name}&o={name}").status_code == 200
        told = (_evaluate_moves, _review_move_cached)
        caches = [site.caches[unwrap(cache), IN_ENGLISH] for cache in told]
        caches.append(urls._quoted_once)
        sizes.append([cache.cache_info().currsize for cache in caches])
    assert sizes[0] == sizes[1] == sizes[2]
    assert site.caches[unwrap(SiteData.choice)].cache_info().maxsize in range(1, 9)


def test_a_judged_policy_sits_in_a_seat_and_its_moves_are_marked(
    client: FlaskClient, site: SiteData
) -> None:
    name = MOVES + code_of(site, "q-table")
    page = client.get(f"/play/?x={name}&o=human&pause=1").text
    board = page[page.index('id="board"') : page.index('class="bar"')]
    plays = np.flatnonzero(site.policies["q-table"][0] > 0)
    starred = re.findall(r'id="board-(\d)" class="cell best"', board)
    assert [int(cell) for cell in starred] == plays.tolist()
    assert "data-heat" not in board
    assert "its values are not known" in page
    assert f"<b>{site.titles[name]}</b>" in page


def test_it_answers_and_is_watched(client: FlaskClient, site: SiteData) -> None:
    name = MOVES + code_of(site, "q-table")
    answer = client.get(f"/reply/4?o={name}")
    assert answer.status_code == 303
    played = int(re.match(r"/play/4(\d)", answer.headers["Location"])[1])  # type: ignore[index]
    assert site.policies["q-table"][int(site.game.successor[0, 4]), played] > 0
    over = client.get(f"/play/402?x={name}&o={name}")
    assert over.status_code == 200


@pytest.mark.parametrize(
    "path", ["/why/4?o={}", "/why/4?o=q-table&lens={}", "/play/4?lens={}", "/compare/?lens={}"]
)
def test_where_only_values_will_do_it_is_refused(
    client: FlaskClient, site: SiteData, path: str
) -> None:
    name = MOVES + code_of(site, "champion")
    assert client.get(path.format(name)).status_code == 400


def test_wrong_moves_in_a_seat_say_what_is_wrong(client: FlaskClient) -> None:
    answer = client.get(f"/play/?o={MOVES}{'A' * 379}")
    assert answer.status_code == 400
    assert "no move is played in ........." in answer.text


def test_the_api_tells_the_same_as_the_list_of_agents(client: FlaskClient, site: SiteData) -> None:
    listed = {agent["id"]: agent for agent in ask(client, "/api/v1/agents")["agents"]}
    for name in ("q-table", "champion", "dqn-vs-random"):
        answer = ask(client, f"/api/v1/judge?moves={code_of(site, name)}")
        for field in ("blunders", "decisions", "unbeatable_as", "against_random"):
            assert answer[field] == listed[name][field]
        assert answer["against_best_responder"] == listed[name]["against_best_responder"]
        for seat, player in SEATS.items():
            assert answer["losing_games"][seat] == find_losing_game(site, name, player)
        assert client.get(answer["page"]).status_code == 200
        assert client.get(answer["play"]).status_code == 200


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
    choice = site.choice(MOVES + moves)
    assert (choice == (site.policies[name] > 0)).all()
    assert client.get(f"/judge?moves={moves}").status_code == 200


def test_the_uses_on_the_page_are_right(client: FlaskClient, site: SiteData) -> None:
    """Of a dict by board, an array by base-3 number, and a function of the mover's board."""
    game, q = site.game, site.agents["q-table"].q
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
        assert (site.choice(MOVES + link.partition("moves=")[2]) == wanted).all(), line


@pytest.fixture(scope="module")
def judge_py() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judge_py", DOCS)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["random", "t-hand", "minimax-random", "q-table", "champion"])
def test_the_file_to_copy_finds_what_the_library_finds(
    site: SiteData, judge_py: ModuleType, name: str
) -> None:
    found = judge_py.judge(asker(site, site.policies[name]), app="")
    judgement, code = judge_policy(site, name), code_of(site, name)
    assert found["blunders"] == judgement.blunders
    assert found["unbeatable_as"] == [
        seat.upper() for seat, proved in judgement.unbeatable.items() if proved
    ]
    for seat in SEATS:
        for ours, theirs in (("random", "random"), ("strongest", BEST_RESPONDER)):
            expected = judgement.chances[theirs, seat]
            np.testing.assert_allclose(found[f"against_{ours}"][seat], expected, atol=1e-8)
    moves = found["link"].partition("moves=")[2]
    assert (site.choice(MOVES + moves) == site.choice(MOVES + code)).all()


def test_the_file_to_copy_names_a_move_that_cannot_be(judge_py: ModuleType) -> None:
    with pytest.raises(ValueError, match="no free square"):
        judge_py.judge(lambda board, player: 0)


def test_the_page_to_bring_it_works_without_a_script(client: FlaskClient) -> None:
    page = client.get("/judge").text
    assert "Without one the Python below makes the link." in page
    assert re.search(r'<form class="have" method="get" action="/judge">', page)
    assert "nothing is uploaded" in page


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
    | st.integers(0, 2**64).map(lambda seed: "moves:" + str(seed))
)
def test_whatever_is_sent_is_judged_or_refused(
    client: FlaskClient, site: SiteData, moves: str
) -> None:
    answer = client.get("/judge", query_string={"moves": code_like(site.game, moves)})
    assert answer.status_code in (200, 303, 400, 414)


def code_like(game: Game, moves: str) -> str:
    """Return the text itself, or, of a number, a right code with a sign or two changed."""
    if not moves.startswith("moves:"):
        return moves
    rng = np.random.default_rng(int(moves[6:]))
    choice = game.legal & (rng.random(game.legal.shape) < 0.7)
    idle = ~choice.any(axis=1)
    choice[idle] = game.legal[idle]
    code = [*encode(game, best_moves(game) if rng.random() < 0.5 else choice)]
    for _ in range(rng.integers(3)):
        code[rng.integers(len(code))] = SIGNS[rng.integers(len(SIGNS))]
    return "".join(code)


def test_a_title_tells_two_judged_agents_apart(site: SiteData) -> None:
    titles = {site.titles[MOVES + code_of(site, name)] for name in ("q-table", "champion")}
    assert len(titles) == 2
    assert all(re.fullmatch("Judged [0-9a-f]{4}", title) for title in titles)
