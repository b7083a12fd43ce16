"""The texts and links of the play page, and its preview picture."""

import re
from html import unescape

import numpy as np
from flask.testing import FlaskClient
from msgspec.structs import replace

from app.tictactoe.game import GAME
from app.web.formatting import name_square
from app.web.match import Match, replay_match
from app.web.pages.parts.hint import build_hint
from app.web.pages.parts.match_page import MatchPage
from app.web.site_data import SiteData
from app.web.wording import FRONT_PAGE_AGENTS, FRONT_PAGE_RECORD

HTMX = {"HX-Request": "true"}
LOST = Match("021486", o="q-learning-1", result_counts=(2, 1, 0))


def page(site: SiteData, match: Match) -> MatchPage:
    return MatchPage(replay_match(match, site))


def link(shown: str, id: str) -> str:
    return unescape(re.findall(f'<a id="{id}"[^>]*?href="([^"]+)"', shown)[0])


def test_who_asks_for_no_game_gets_one_with_colours(client: FlaskClient) -> None:
    lively = client.get("/play/?o=q-learning-1").data
    for bare in ("/play/", "/play/?o=&lens=", "/play/?utm_source=class"):
        assert client.get(bare).data == lively
    assert len(set(re.findall(rb'data-heat="(-?\d+)"', lively))) > 3
    for asked in ("/play/?o=q-iteration", "/play/4", "/play/?lens=truth", "/play/?hide=1"):
        assert "Q-iteration" in client.get(asked).text
    # What the bare address does not mean is written out where the site leads to it.
    assert 'href="/play/?o=q-iteration"' in client.get("/play/40").text


def test_a_hint_names_the_equal_move_that_tempts_this_opponent_most(site: SiteData) -> None:
    for name in ("q-learning-1", "q-learning-4", "menace"):
        best, sentence = build_hint(replay_match(Match(o=name, shows_hint=True), site))
        policy, after = site.policies[name], GAME.successor[0]
        chances = np.where(site.is_move_correct[after], 0, policy[after]).sum(axis=1).round(2)
        assert chances[best] == chances.max() > chances.min()
        assert name_square(best).capitalize() in sentence
        others = np.count_nonzero(chances == chances.max()) - 1
        assert re.findall(r"\d+ other", sentence) == [f"{others} other"] * bool(others)


def test_a_hint_marks_only_the_square_that_it_names(site: SiteData) -> None:
    for record, opponent in [("", "minimax"), ("0314", "minimax"), ("04", "q-learning-4")]:
        shown = page(site, Match(record, o=opponent, shows_hint=True))
        best, _ = build_hint(shown.state)
        squares = shown.board.squares
        assert [cell for cell in range(9) if squares[cell].is_hinted] == [best]
        assert not any(square.is_best for square in squares)


def test_a_hint_names_the_reply_of_an_agent_with_one_reply(site: SiteData) -> None:
    state = replay_match(Match("04", o="q-learning-4", shows_hint=True), site)
    best, sentence = build_hint(state)
    (reply,) = np.flatnonzero(site.policies["q-learning-4"][state.follow_move(best).position])
    assert name_square(int(reply)) in sentence
    assert page(site, Match("04", o="q-learning-4")).board.squares[best].is_best


def test_the_bar_holds_the_lens_against_the_truth_always_for_the_same_side(site: SiteData) -> None:
    lens = site.agents["q-learning-1"].q
    shown = page(site, Match("4023", o="q-learning-1")).evaluation_bar
    assert (shown["heat"], shown["optimal_heat"]) == (20, 20)
    lost = page(site, LOST).evaluation_bar
    assert (lost["heat"], lost["optimal_heat"]) == (
        -20,
        -20,
    )  # the result of the game, not the estimate
    assert lost["label"] == "The game is over: O has won."
    first = page(site, Match(value_source="q-learning-1", o="human")).evaluation_bar
    assert first["heat"] == round(20 * float(max(lens[0])))
    as_o = page(site, Match("4", value_source="q-learning-1", o="human")).evaluation_bar
    assert as_o["label"].startswith("Value for X:")
    assert page(site, Match(hides_values=True)).evaluation_bar["heat"] is None


def test_hidden_values_are_nowhere(client: FlaskClient) -> None:
    html = client.get("/play/40?o=q-learning-1&hide=1", headers=HTMX).text
    assert not re.search(r"value [+−0]|data-heat|expects|’s reply: |tried [\d,]+ time", html)
    told = ('class="value-chart"', 'id="snapshot-step"', 'class="legend', '<span class="tick"')
    for hide, number in (("", 1), ("&hide=1", 0)):
        page = client.get(f"/play/3140?o=human&lens=q-learning-1{hide}").text
        assert [page.count(part) for part in told] == [number] * len(told)
        assert ("The values are hidden." in page) != number


def test_a_press_is_answered_with_the_board_after_the_reply(
    client: FlaskClient, site: SiteData
) -> None:
    squares = page(site, Match("4023", o="fixed")).board.squares
    assert squares[1].reply_url == "/reply/40231?o=fixed"
    assert squares[6].move_url == "/play/40236?o=fixed"
    assert squares[6].reply_url == ""  # it ends the game
    answer = client.get(squares[1].reply_url, headers=HTMX | {"HX-Trigger": "board-1"})
    assert answer.headers["HX-Push-Url"] == "/play/402315?o=fixed"
    assert answer.headers["Cache-Control"] == "no-store"
    for match in (Match("40", o="human"), Match("40", is_paused=True), Match("4")):
        assert {square.reply_url for square in page(site, match).board.squares} == {""}


def test_nothing_is_given_away_on_ones_own_turn(site: SiteData) -> None:
    """Blunders whose value is wrong are marked in review, with a hint, or if they are asked for."""

    def marks(**options: object) -> int:
        match = Match(o="q-learning-4", **options)  # type: ignore[arg-type]
        squares = page(site, match).board.squares
        return sum("optimal play" in square.label for square in squares)

    assert marks(record="0276") == 0
    assert marks(record="0276", shows_hint=True)
    assert marks(record="0276", marked_errors="blunders")
    assert marks(record="02768", ply=4)


def test_a_blunder_has_the_name_of_an_agent_only_if_it_plays_it(site: SiteData) -> None:
    """Each agent on the front page is shown in a position that it did not play."""
    own = page(site, Match("1602458", o="q-learning-4")).headline["sentence"]
    assert "Move 2 by Q-learning 4" in own
    for name in FRONT_PAGE_AGENTS:
        prepared = page(site, Match(f"{FRONT_PAGE_RECORD}458", o=name)).headline["sentence"]
        assert "Move 4" in prepared
        assert site.display_titles[name] not in prepared


def test_a_random_move_of_a_watched_agent_is_marked(site: SiteData, client: FlaskClient) -> None:
    match = Match("41", x="fixed", o="fixed", epsilon=0.1, is_paused=True)
    played = page(site, match)
    assert [move.is_random for move in played.reviewed_moves] == [True, True]
    assert played.headline["sentence"] == "The last move, by O, was random."
    usual = page(site, Match("01", x="fixed", o="fixed", epsilon=0.1))
    assert [move.is_random for move in usual.reviewed_moves] == [False, False]
    assert not any(move.is_random for move in page(site, Match("41", o="fixed")).reviewed_moves)
    always = page(site, Match("01", o="fixed", epsilon=1))
    assert [move.is_random for move in always.reviewed_moves] == [False, True]
    assert client.get("/play/41?x=fixed&o=fixed&epsilon=0.1").text.count("random move: ") == 2

    def list_marked(match: Match) -> list[int]:
        squares = page(site, match).board.squares
        return [cell for cell, square in enumerate(squares) if "random move" in square.label]

    assert list_marked(match) == [1, 4]
    assert list_marked(replace(match, ply=1)) == [4]
    assert list_marked(Match("01", x="fixed", o="fixed", epsilon=0.1)) == []
    prepared = Match(f"{FRONT_PAGE_RECORD}8", x="fixed", o="fixed", epsilon=0.1)
    assert list_marked(prepared) == [8]
    over = page(site, replace(match, record="41305"))
    blame = over.losing_move
    assert blame
    random = {move.ply for move in over.reviewed_moves if move.is_random} - {blame.ply}
    assert list_marked(over.match) == sorted(int("41305"[ply - 1]) for ply in random) != []


def test_a_reply_to_htmx_is_the_board_at_once(client: FlaskClient) -> None:
    by_itself = client.get("/reply/4?o=fixed", headers=HTMX | {"HX-Trigger": "auto-4-None"})
    assert by_itself.status_code == 200
    assert by_itself.headers["HX-Replace-Url"] == "/play/40?o=fixed"
    assert by_itself.headers["Cache-Control"] == "no-store"
    assert "ETag" not in by_itself.headers
    assert by_itself.text == client.get("/play/40?o=fixed", headers=HTMX).text
    asked = client.get("/reply/4?o=fixed", headers=HTMX | {"HX-Trigger": "reply"})
    assert asked.headers["HX-Push-Url"] == "/play/40?o=fixed"
