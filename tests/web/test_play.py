"""The texts and links of the play page, and its preview picture."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.web import urls
from app.web.formatting import format_short_square_name
from app.web.hint import build_hint
from app.web.match import Match, replay_match
from app.web.pages.play import PlayPage, build_preferences_page
from app.web.site_data import SiteData
from app.web.wording import grade_strength

HTMX = {"HX-Request": "true"}
LOST = Match("021486", o="q-learning-1", result_counts=(2, 1, 0))


def page(site: SiteData, match: Match) -> PlayPage:
    return PlayPage(replay_match(match, site))


def link(shown: str, id: str) -> str:
    return unescape(re.findall(f'<a id="{id}"[^>]*?href="([^"]+)"', shown)[0])


def test_the_strip_says_who_plays_how_strong_they_are_and_the_score(site: SiteData) -> None:
    x, o = page(site, LOST).match_view.seats
    assert (x.player_title, x.strength, x.win_count) == ("You", "human", 2)
    assert (o.player_title, o.strength, o.win_count) == (
        "Q-learning 1",
        "strong",
        1,
    )  # the won game included


def test_the_score_is_there_before_the_first_result(client: FlaskClient) -> None:
    assert client.get("/play/4").text.count('<span class="wins">0</span>') == 2


def test_how_often_agents_move_at_random_is_said_by_their_names(site: SiteData) -> None:
    x, o = page(site, Match("4", o="q-learning-1", epsilon=0.1)).match_view.seats
    assert (x.strength, o.strength) == ("human", "strong, 10% random")


def test_who_asks_for_no_game_gets_one_with_colours(client: FlaskClient) -> None:
    lively = client.get("/play/?o=q-learning-1").data
    for bare in ("/play/", "/play/?o=&lens=", "/play/?utm_source=class"):
        assert client.get(bare).data == lively
    assert len(set(re.findall(rb'data-heat="(-?\d+)"', lively))) > 3
    for asked in ("/play/?o=q-iteration", "/play/4", "/play/?lens=truth", "/play/?hide=1"):
        assert "Q-iteration" in client.get(asked).text
    # What the bare address does not mean is written out where the site leads to it.
    assert 'href="/play/?o=q-iteration"' in client.get("/play/40").text


def test_the_end_is_a_lesson_with_a_way_to_it_and_to_the_next_game(site: SiteData) -> None:
    shown = page(site, LOST)
    assert (shown.match_view.headline.title, shown.match_view.result_class) == ("You lost", "loss")
    assert shown.match_view.headline.sentence == "Your move 5 was a blunder: it gave away the draw."
    assert {way.label: way.href for way in shown.match_view.headline.actions} == {
        "Show move 5": "/play/021486?ply=4&o=q-learning-1&hint=1&tally=2-1-0",
        "Play again": "/play/?o=q-learning-1&tally=2-1-1",
    }
    assert shown.why_url == "/why/021486?ply=4&o=q-learning-1&tally=2-1-0&cell=8"
    assert shown.preferences_url == "/minds/021486?ply=4&o=q-learning-1&tally=2-1-0"
    assert shown.match_view.snapshot_slider is not None
    assert any(square.value_text for square in shown.match_view.board.squares)  # the values stay


def test_show_me_names_the_move_and_marks_what_was_right(site: SiteData) -> None:
    """In every game, the squares marked as right are no blunders."""
    shown = page(site, Match("021486", o="q-learning-1", ply=4, shows_hint=True)).match_view
    assert shown.headline.title == "Move 5 was a blunder"
    assert shown.headline.sentence == (
        "You played bottom right. Only bottom left would have kept the draw."
    )
    notes = {
        square.shortcut_key: square.note.short_text
        for square in shown.board.squares
        if square.note.short_text
    }
    assert notes == {"7": "✓ right", "9": "✗ blunder"}
    other = page(site, Match("03142", o="q-learning-1", ply=1, shows_hint=True)).match_view
    assert other.headline.sentence == (
        "Q-learning 1 plays middle left. Only centre would have kept the draw."
    )
    right = page(site, Match("041263578", o="q-iteration", ply=2, shows_hint=True)).match_view
    assert right.headline.title == "Hint"  # the next move was none


def test_the_speed_of_a_watched_game_goes_round(client: FlaskClient) -> None:
    url, seen = "/play/?x=minimax&o=random&pause=1", []
    for _ in range(6):
        shown = client.get(url).text
        seen.append(re.findall(r'id="speed"[^>]*>([^<]*)<', shown)[0])
        url = link(shown, "speed")
    assert seen == ["1 s", "0.5 s", "0.25 s", "5 s", "2 s", "1 s"]
    assert 'id="speed"' not in client.get("/play/4").text


def test_whoever_wins_is_shown_what_the_other_gave_away(site: SiteData) -> None:
    won = page(site, Match("03142", o="q-learning-1"))
    assert (won.match_view.headline.title, won.match_view.result_class) == ("You win", "win")
    assert (
        won.match_view.headline.sentence
        == "Move 2 by Q-learning 1 was a blunder: it gave away the draw."
    )
    assert won.match_view.headline.actions[0].href == "/play/03142?ply=1&o=q-learning-1&hint=1"
    drawn = page(site, Match("041263578", o="q-iteration"))
    assert (drawn.match_view.headline.title, drawn.match_view.result_class) == ("Draw", "draw")
    assert drawn.match_view.headline.sentence == "No move was a blunder."
    assert [way.id for way in drawn.match_view.headline.actions] == ["rematch"]


@pytest.mark.parametrize(
    ("match", "told"),
    [
        (LOST, "Q-learning 1 won because move 5 was a blunder."),
        (
            Match("03142", o="q-learning-1"),
            "Q-learning 1 gave move 2 the value +0.37, but this move was a blunder.",
        ),
        (
            Match("021486", x="q-table", o="q-table"),
            "Q-table gave move 5 the value −0.14, but this move was a blunder.",
        ),
        (Match("041263578", o="q-iteration"), "No move was a blunder."),
        (Match("03142", o="human"), "X won because move 2 was a blunder."),
    ],
)
def test_a_finished_game_is_passed_on_as_a_card_and_a_replay(
    client: FlaskClient, site: SiteData, match: Match, told: str
) -> None:
    """The replay shows every ply in order, then a challenge."""
    ended = client.get(urls.play_url(match)).text
    passed = unescape(client.get(link(ended, "pass-on")).text)
    assert f'<img src="{urls.MATCH_PREVIEW.build_match_url(match)}"' in passed
    assert told in passed
    url = link(passed, "watch-replay")
    shown = unescape(client.get(url).text)
    picture = re.findall('og:image" content="http://localhost(.*?)"', shown)[0]
    assert client.get(picture).data == client.get(urls.MATCH_PREVIEW.build_match_url(match)).data
    halted = client.get(link(shown, "pause")).text  # a paused game can be stepped through
    for _ in match.record:
        assert 'hx-trigger="load' not in halted
        halted = client.get(link(halted, "step")).text
    assert '<h2 class="headline">Your turn</h2>' in halted
    for ply in range(len(match.record) + 1):
        shown = client.get(url).text
        squares = re.findall(r'<a id="board-\d".*?</a>', shown, re.DOTALL)
        assert "".join(squares).count('class="mark"') == ply
        url = unescape("".join(re.findall(r'hx-get="(/play/[^"]+)" hx-trigger="load', shown)))
    assert not url
    assert '<h2 class="headline">Your turn</h2>' in shown
    assert link(shown, "your-turn").startswith("/play/?o=")


def test_a_pause_is_said_with_the_way_on_and_is_not_inherited(site: SiteData) -> None:
    paused = page(site, Match("4", o="q-learning-1", is_paused=True))
    assert paused.match_view.headline.title == "Paused"
    assert [(way.label, way.href) for way in paused.match_view.headline.actions] == [
        ("Continue", "/play/4?o=q-learning-1")
    ]
    assert paused.match_view.controls.new_game_url == "/play/?o=q-learning-1"
    watched = page(site, Match("4", x="fixed", o="q-learning-1", is_paused=True))
    assert [way.id for way in watched.match_view.headline.actions] == ["go-on"]


def test_a_hint_names_what_keeps_the_value_and_is_gone_with_the_move(site: SiteData) -> None:
    before = page(site, Match("0314"))
    assert before.match_view.controls.hint_url == "/play/0314?hint=1"
    shown = page(site, Match("0314", shows_hint=True))
    assert [square.is_hinted for square in shown.match_view.board.squares] == [
        cell == 2 for cell in range(9)
    ]
    assert (
        shown.match_view.headline.sentence
        == "Best move: top right. Result with optimal play: win in 1 move."
    )
    assert [(way.label, way.href) for way in shown.match_view.headline.actions] == [
        ("Play it", "/play/03142"),
        ("Close", "/play/0314"),
    ]
    assert shown.match_view.controls.hint_url == ""
    # The agent moves in a person's place too, where there is one.
    assert (
        before.match_view.controls.reply_url == shown.match_view.controls.reply_url == "/reply/0314"
    )


def test_a_hint_names_the_equal_move_that_tempts_this_opponent_most(site: SiteData) -> None:
    state = replay_match(Match(o="q-learning-1", shows_hint=True), site)
    best, sentence = build_hint(state)
    policy, game = site.policies["q-learning-1"], site.game
    equal = np.flatnonzero(site.is_move_correct[0])
    chances = {}
    for cell in equal.tolist():
        after = game.successor[0, cell]
        chances[cell] = policy[after][~site.is_move_correct[after]].sum()
    assert len(equal) == 9
    assert chances[best] == pytest.approx(max(chances.values()))
    assert chances[best] > min(chances.values())
    square = format_short_square_name(game, best)
    assert sentence == (
        f"Play {square} (draw). Then Q-learning 1 blunders. "
        "With optimal play any of 8 squares is as good."
    )


def test_while_an_agent_thinks_the_values_stay_and_are_marked(site: SiteData) -> None:
    before, thinking = page(site, Match()), page(site, Match("4"))
    assert thinking.match_view.board.shows_earlier_values
    assert not before.match_view.board.shows_earlier_values
    for cell, (old, new) in enumerate(
        zip(before.match_view.board.squares, thinking.match_view.board.squares, strict=True)
    ):
        assert cell == 4 or (old.value_text, old.heat) == (new.value_text, new.heat)
    assert thinking.match_view.headline.caption == before.match_view.headline.caption


def test_the_bar_holds_the_lens_against_the_truth_always_for_the_same_side(site: SiteData) -> None:
    lens = site.agents["q-learning-1"].q
    shown = page(site, Match("4023", o="q-learning-1")).match_view.evaluation_bar
    assert (shown.heat, shown.optimal_heat) == (20, 20)
    lost = page(site, LOST).match_view.evaluation_bar
    assert (lost.heat, lost.optimal_heat) == (-20, -20)  # the result of the game, not the estimate
    assert lost.label == "The game is over: O has won."
    first = page(site, Match(value_source="q-learning-1", o="human")).match_view.evaluation_bar
    assert first.heat == round(20 * float(max(lens[0])))
    as_o = page(site, Match("4", value_source="q-learning-1", o="human")).match_view.evaluation_bar
    assert as_o.label.startswith("Value for X:")
    assert page(site, Match(hides_values=True)).match_view.evaluation_bar.heat is None


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
    squares = page(site, Match("4023", o="fixed")).match_view.board.squares
    assert squares[1].reply_url == "/reply/40231?o=fixed"
    assert squares[6].move_url == "/play/40236?o=fixed"
    assert squares[6].reply_url == ""  # it ends the game
    answer = client.get(squares[1].reply_url, headers=HTMX | {"HX-Trigger": "board-1"})
    assert answer.headers["HX-Push-Url"] == "/play/402315?o=fixed"
    assert answer.headers["Cache-Control"] == "no-store"
    for match in (Match("40", o="human"), Match("40", is_paused=True), Match("4")):
        assert {square.reply_url for square in page(site, match).match_view.board.squares} == {""}


def test_stepping_back_shows_the_values_of_the_mover(site: SiteData) -> None:
    for ply in (2, 3):
        shown = page(site, Match("4023", ply=ply, o="q-learning-1")).match_view
        assert (shown.ply, shown.board.shows_earlier_values) == (ply, False)
        assert shown.headline.caption.endswith("XO"[ply % 2])
        (end,) = shown.headline.actions
        assert end.href == "/play/4023?o=q-learning-1"


def test_nothing_is_given_away_on_ones_own_turn(site: SiteData) -> None:
    """Blunders whose value is wrong are marked in review, with a hint, or if they are asked for."""

    def marks(**options: object) -> int:
        match = Match(o="q-learning-4", **options)  # type: ignore[arg-type]
        squares = page(site, match).match_view.board.squares
        return sum("optimal play" in square.label for square in squares)

    assert marks(record="0276") == 0
    assert marks(record="0276", shows_hint=True)
    assert marks(record="0276", marked_errors="blunders")
    assert marks(record="02768", ply=4)


def test_a_random_move_of_a_watched_agent_is_marked(site: SiteData, client: FlaskClient) -> None:
    match = Match("41", x="fixed", o="fixed", epsilon=0.1, is_paused=True)
    played = page(site, match).match_view
    assert [move.is_random for move in played.reviewed_moves] == [True, True]
    assert played.headline.sentence == "The last move, by O, was random."
    usual = page(site, Match("01", x="fixed", o="fixed", epsilon=0.1)).match_view
    assert [move.is_random for move in usual.reviewed_moves] == [False, False]
    assert not any(
        move.is_random for move in page(site, Match("41", o="fixed")).match_view.reviewed_moves
    )
    assert client.get("/play/41?x=fixed&o=fixed&epsilon=0.1").text.count("random move: ") == 2


def test_who_would_play_what(site: SiteData) -> None:
    shown = {
        mind.id: mind
        for mind in build_preferences_page(replay_match(Match("0314"), site)).preferred_moves
    }
    assert set(shown) == {"truth", *site.agents}
    assert (shown["truth"].move_text, shown["truth"].value_text) == ("top right", "win in 1")
    assert not shown["truth"].is_blunder
    assert shown["champion"].url == "/play/0314?lens=champion"
    for name in site.agents:
        policy = site.policies[name][replay_match(Match("0314"), site).position]
        right = site.is_move_correct[replay_match(Match("0314"), site).position]
        assert shown[name].is_blunder == (not right[policy == policy.max()].all())


def test_a_reply_to_htmx_is_the_board_at_once(client: FlaskClient) -> None:
    by_itself = client.get("/reply/4?o=fixed", headers=HTMX | {"HX-Trigger": "auto-4-None"})
    assert by_itself.status_code == 200
    assert by_itself.headers["HX-Replace-Url"] == "/play/40?o=fixed"
    assert by_itself.headers["Cache-Control"] == "no-store"
    assert "ETag" not in by_itself.headers
    assert by_itself.text == client.get("/play/40?o=fixed", headers=HTMX).text
    asked = client.get("/reply/4?o=fixed", headers=HTMX | {"HX-Trigger": "reply"})
    assert asked.headers["HX-Push-Url"] == "/play/40?o=fixed"


def test_a_link_is_shown_with_a_picture_of_that_very_board(client: FlaskClient) -> None:
    html = client.get("/play/40?o=q-learning-1").text
    address = "/preview/40.png?o=q-learning-1"
    assert f'<meta property="og:image" content="http://localhost{address}">' in html
    assert '<meta property="og:title" content="Your turn as X">' in html
    assert re.search(r'name="description" property="og:description"\s+content="[^"]+"', html)
    picture = client.get(address)
    assert picture.data.startswith(b"\x89PNG")
    assert picture.mimetype == "image/png"
    assert picture.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "public" in picture.headers["Cache-Control"]
    assert (
        client.get(address, headers={"If-None-Match": picture.headers["ETag"]}).status_code == 304
    )


def test_a_picture_depends_on_what_is_shown_and_on_nothing_else(client: FlaskClient) -> None:
    def picture(query: str) -> bytes:
        drawn: bytes = client.get(f"/preview/40.png?{query}").data
        return drawn

    assert picture("lens=truth") == picture("lens=truth&utm=1")
    assert picture("lens=truth") != picture("lens=q-learning-1")
    assert picture("hide=1") != picture("lens=truth")
    assert client.get("/preview/44.png").status_code == 409
    assert client.get("/preview/.png").status_code == 200


@pytest.mark.parametrize("record", ["", "4", "40", "03142"])
def test_each_place_of_a_match_is_reached_by_a_move(site: SiteData, record: str) -> None:
    state = replay_match(Match(record, o="human"), site)
    for square in page(site, state.match).match_view.board.squares:
        if square.move_url:
            after = state.follow_move(int(square.shortcut_key) - 1)
            assert square.move_url == f"/play/{after.match.record}?o=human"
            assert after == replace(replay_match(after.match, site))


def test_who_can_be_seated_is_fetched_when_it_is_wanted(
    client: FlaskClient, site: SiteData
) -> None:
    page = client.get("/play/4?o=minimax").text
    assert 'class="card"' not in page
    found = re.search(r'id="to-players" href="([^"]*)"', page)
    assert found
    whole = client.get(unescape(found[1])).text
    assert '<input type="hidden" name="at" value="/play/4?o=minimax">' in whole
    fragment = client.get("/players/", headers=HTMX).text
    assert fragment.strip() in whole
    assert re.findall(r"<h3>(.*?)</h3>", fragment)[1:] == ["Beginner", "Strong", "Unbeatable"]
    assert re.findall(r'name="player" value="([^"]*)"', fragment) == ["human", *_by_level(site)]
    for query in ("at=/play/99", "at=/play/?o=nobody", "at=/play/44"):
        assert 400 <= client.get(f"/players/?{query}").status_code < 410


def _by_level(site: SiteData) -> list[str]:
    """Return agents by strength, weakest first; ties: agents that learned come first."""
    names = [*site.agents, *(name for name in site.policies if name not in site.agents)]
    order = ("beginner", "strong", "unbeatable")
    return sorted(names, key=lambda name: order.index(grade_strength(site, name)))
