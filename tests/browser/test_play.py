"""The play page, in a real browser against the real server."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import HELD, MARKS, Gate, address, walk


def headline(page: Page, text: str) -> None:
    expect(page.locator(".headline")).to_have_text(text)


def board(page: Page) -> list[str]:
    return [cell.get_attribute("aria-label") or "" for cell in page.locator(".cell").all()]


def test_a_game_by_mouse(page: Page) -> None:
    page.goto("/play/?o=fixed")
    headline(page, "Your turn as X")
    expect(page).to_have_title("Your turn as X · Q-Tac-Toe")
    for cell, after in [("4", "/play/40"), ("2", "/play/4021")]:
        page.click(f"#board-{cell}")
        expect(page).to_have_url(address(f"{after}?o=fixed"))
        headline(page, "Your turn as X")
    page.click("#board-6")
    headline(page, "You win")
    expect(page).to_have_title("You win · Q-Tac-Toe")
    expect(page.locator(".strike line")).to_have_count(1)
    expect(page.locator("#status")).to_have_text(re.compile("X: row 3, column 1. You win."))
    expect(page.locator("#hint")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#line")).to_contain_text("was a blunder: it gave away the draw")


def test_a_game_by_keyboard_alone(page: Page) -> None:
    page.goto("/play/?o=fixed")
    while page.evaluate("document.activeElement.id") != "board-0":
        page.keyboard.press("Tab")
    for keys, cell in [(["ArrowDown", "ArrowRight"], 4), (["ArrowUp", "ArrowRight"], 2)]:
        for key in keys:
            page.keyboard.press(key)
        expect(page.locator(f"#board-{cell}")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#board-0, #board-1").locator(".mark")).to_have_count(
            1 if cell == 4 else 2
        )
        headline(page, "Your turn as X")
        expect(page.locator(f"#board-{cell}")).to_be_focused()
    page.keyboard.press("7")
    headline(page, "You win")
    page.keyboard.press("n")
    expect(page).to_have_url(address("/play/?o=fixed&tally=1-0-0"))
    expect(page.locator("#seat-x .wins")).to_have_text("1")


def test_a_game_without_javascript(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/play/?o=fixed")
    for cell, after in [("4", "/play/40"), ("2", "/play/4021")]:
        page.click(f"#board-{cell}")
        expect(page).to_have_url(address(f"{after}?o=fixed"))
    page.click("#board-6")
    headline(page, "You win")
    page.click("#rematch")
    expect(page).to_have_url(address("/play/?o=fixed&tally=1-0-0"))
    page.wait_for_load_state()  # the opened part loads after the button
    page.click("#seat-o")
    page.click("#to-players")
    page.click(".card[value=minimax]")
    expect(page).to_have_url(address("/play/?o=minimax"))
    page.click("label[for=tab-settings]")
    page.click("#to-settings")
    page.check("#hide")
    page.click("#settings [type=submit]")
    expect(page).to_have_url(address("/play/?o=minimax&hide=1"))
    expect(page.locator("#board .value")).to_have_count(0)


def test_the_agent_moves_for_either_side(page: Page) -> None:
    page.goto("/play/031?o=human&lens=truth")
    page.click("#reply")
    expect(page).to_have_url(address("/play/0312?o=human&lens=truth"))
    page.click("#reply")
    expect(page.locator(MARKS)).to_have_count(5)
    headline(page, "O to move")


def test_two_agents_play_to_the_end(page: Page) -> None:
    first = Gate(page, "**/reply/?*")
    page.goto("/play/?x=minimax&o=fixed&delay=0.25")
    expect(page.locator("#status")).to_have_text("")
    first.open()
    headline(page, "Minimax wins as X")
    expect(page.locator("#status")).to_have_text("Minimax wins as X.")


def test_a_watched_game_is_paused_stepped_and_goes_on(page: Page) -> None:
    reply = Gate(page, "**/reply/01*")
    with page.expect_request("**/reply/01*"):
        page.goto("/play/01?x=fixed&o=fixed&delay=0.25")
    page.click("#pause")  # while the move is under way, which it comes before
    expect(page.locator("#pause")).to_have_attribute("aria-label", "Continue")
    reply.open()
    page.click("#step")
    expect(page.locator(MARKS)).to_have_count(3)
    page.click("#back")
    expect(page.locator(MARKS)).to_have_count(2)
    page.click("#last")
    expect(page.locator(MARKS)).to_have_count(3)
    page.click("#first")
    expect(page.locator(MARKS)).to_have_count(0)
    expect(page.locator("#first")).to_be_focused()
    page.click("#pause")
    headline(page, "First empty cell wins as X")


def test_another_speed_is_kept_and_the_next_game_counted(page: Page) -> None:
    page.goto("/play/?x=minimax&o=fixed&pause=1")
    page.click("label[for=tab-settings]")
    page.select_option("#delay", "0.25")
    expect(page).to_have_url(address("/play/?x=minimax&o=fixed&delay=0.25&pause=1"))
    second = Gate(page, "**/play/?*tally=1-0-0*")
    page.click("#pause")
    headline(page, "Minimax wins as X")
    second.open()
    expect(page.locator("#seat-x .wins")).to_have_text("1")
    expect(page.locator("#seat-o .wins")).to_have_text("0")


def test_taking_back_undoes_both_plies(page: Page) -> None:
    page.goto("/play/4021?o=fixed")
    page.click("#take-back")
    expect(page).to_have_url(address("/play/40?o=fixed"))
    headline(page, "Your turn as X")
    expect(page.locator("#take-back")).to_be_focused()
    page.keyboard.press("u")
    expect(page).to_have_url(address("/play/?o=fixed"))


def test_back_and_forward_walk_through_the_persons_moves(page: Page) -> None:
    page.goto("/play/?o=fixed")
    page.click("#board-4")
    expect(page).to_have_url(address("/play/40?o=fixed"))
    page.click("#board-2")
    expect(page).to_have_url(address("/play/4021?o=fixed"))
    walk(page, "back")
    expect(page).to_have_url(address("/play/40?o=fixed"))
    expect(page.locator(MARKS)).to_have_count(2)
    walk(page, "back")
    expect(page).to_have_url(address("/play/?o=fixed"))
    expect(page.locator(MARKS)).to_have_count(0)
    walk(page, "forward")
    expect(page.locator(MARKS)).to_have_count(2)
    page.click("#board-8")
    expect(page.locator(MARKS)).to_have_count(4)


def test_a_shared_link_shows_the_same_board(
    page: Page, new_context: Callable[..., BrowserContext]
) -> None:
    page.goto("/play/?o=q-iteration")
    page.click("label[for=tab-settings]")
    page.select_option("#lens", "q-learning-1")
    expect(page).to_have_url(address("/play/?lens=q-learning-1"))
    page.click("#board-1")
    expect(page.locator(MARKS)).to_have_count(2)
    headline(page, "Your turn as X")
    elsewhere = new_context().new_page()
    elsewhere.goto(page.url)
    assert board(elsewhere) == board(page)


def test_moves_lead_to_their_ply_and_play_branches_there(page: Page) -> None:
    page.goto("/play/4021?o=fixed")
    page.click("#move-2")
    expect(page).to_have_url(address("/play/4021?ply=2&o=fixed"))
    expect(page.locator("#move-2")).to_have_attribute("aria-current", "step")
    page.click("#board-8")
    expect(page).to_have_url(address("/play/4081?o=fixed"))


def test_values_can_be_hidden_and_seats_changed(page: Page) -> None:
    page.goto("/play/4")
    expect(page.locator("[data-heat].cell")).not_to_have_count(0)
    page.goto("/play/40")
    page.click("label[for=tab-settings]")
    page.check("#hide")
    expect(page.locator(".cell .value")).to_have_count(0)
    expect(page.locator(".cell .star")).to_have_count(0)
    expect(page.locator("#hide")).to_be_focused()
    page.click("#swap")
    expect(page.locator("#seat-x b")).to_contain_text("Q-iteration")
    expect(page.locator("#seat-o b")).to_contain_text("You")


def test_single_keys_work_anywhere_but_in_fields_and_can_be_switched_off(page: Page) -> None:
    page.goto("/play/408?o=human")
    page.focus("#new-game")
    page.keyboard.press("u")
    expect(page.locator(MARKS)).to_have_count(2)
    page.click("label[for=tab-settings]")
    page.focus("#lens")
    page.keyboard.press("u")
    page.focus("#board-8")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    expect(page.locator("#keys dt")).not_to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(MARKS)).to_have_count(2)
    page.click("#preferences-button")
    page.uncheck("#shortcuts")
    page.keyboard.press("Escape")
    page.focus("#board-8")
    page.keyboard.press("u")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#board-5")).to_be_focused()
    expect(page.locator(MARKS)).to_have_count(2)


def test_another_palette_is_remembered(page: Page) -> None:
    page.goto("/play/?lens=truth")
    page.click("#preferences-button")
    page.check("#palette-orange-blue")
    page.goto("/play/?o=human&lens=truth")
    expect(page.locator("#palette-orange-blue")).to_be_checked()
    page.click("#board-4")
    expect(page.locator(MARKS)).to_have_count(1)
    walk(page, "back")
    expect(page.locator(MARKS)).to_have_count(0)
    expect(page.locator("#palette-orange-blue")).to_be_checked()


@pytest.mark.console("409")
def test_a_refused_move_is_said_and_the_game_stays(page: Page) -> None:
    page.goto("/play/40?o=human")
    page.evaluate("htmx.ajax('GET', '/play/44', {source: '#main', target: '#game'})")
    expect(page.locator("#notice")).to_contain_text("already taken")
    expect(page.locator(MARKS)).to_have_count(2)


@pytest.mark.console("Failed to load|ERR_FAILED|htmx:sendError")
def test_a_request_that_fails_is_said_by_the_board_and_comes_back(page: Page) -> None:
    page.goto("/play/40?o=human")
    page.route("**/play/408*", lambda route: route.abort())
    page.click("#board-8")
    expect(page.locator("#notice")).to_contain_text("did not answer")
    expect(page.locator(".ghost")).to_have_count(0)
    page.unroute("**/play/408*")
    page.click("#retry")
    expect(page.locator(MARKS)).to_have_count(3)
    expect(page).to_have_url(address("/play/408?o=human"))
    expect(page.locator("#notice")).to_be_empty()


@pytest.mark.console("Failed to load|ERR_FAILED|htmx:sendError")
def test_a_watched_game_tries_again_by_itself(page: Page) -> None:
    page.route("**/reply/*", lambda route: route.abort())
    page.goto("/play/01234?x=fixed&o=fixed&delay=0.25")
    expect(page.locator("#notice")).to_contain_text("did not answer")
    page.unroute("**/reply/*")
    headline(page, "First empty cell wins as X")
    expect(page.locator("#notice")).to_be_empty()


def test_a_double_click_is_one_move(page: Page) -> None:
    page.goto("/play/?o=human")
    gate = Gate(page, "**/play/*")
    page.dblclick("#board-4")
    gate.open()
    expect(page).to_have_url(address("/play/4?o=human"))
    assert len(gate.asked) == 1


def test_a_move_does_not_scroll_the_page(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 480})
    page.goto("/play/?o=human")
    page.mouse.wheel(0, 40)
    page.wait_for_function("() => scrollY === 40")
    page.click("#board-4")
    expect(page.locator(MARKS)).to_have_count(1)
    assert page.evaluate("scrollY") == 40


def test_back_while_an_agent_is_thinking_shows_the_board_of_the_address(page: Page) -> None:
    page.goto("/play/?o=fixed")
    Gate(page, "**/reply/*")  # a gate that never opens
    with page.expect_request("**/reply/*"):
        page.click("#swap")
    walk(page, "back")
    expect(page).to_have_url(address("/play/?o=fixed"))
    expect(page.locator(MARKS)).to_have_count(0)


def test_a_lost_game_is_explained_by_one_press_from_its_end(page: Page) -> None:
    page.goto("/play/021486?o=q-learning-1")
    headline(page, "You lost")
    page.click("label[for=tab-why]")
    expect(page.locator("#why-heading")).to_contain_text("ottom right")
    expect(page).to_have_url(address("/play/021486?o=q-learning-1"))
    page.click("label[for=tab-minds]")
    expect(page.locator("#minds caption")).to_contain_text("Before move 5.")
    page.keyboard.press("u")
    expect(page).to_have_url(address("/play/0214?o=q-learning-1"))
    headline(page, "Your turn as X")


def test_an_open_list_stays_open_while_a_game_is_watched(page: Page) -> None:
    page.goto("/play/0123?x=fixed&o=fixed&delay=0.25&pause=1")
    page.evaluate(HELD)
    if not page.evaluate("CSS.supports('selector(:open)')"):
        pytest.skip("this browser does not tell whether a list is open")
    page.click("label[for=tab-settings]")
    page.locator("#pause").evaluate("pause => pause.click()")  # no pointer closes the list
    page.click("#lens")
    page.wait_for_function("() => held")
    page.keyboard.press("Escape")
    headline(page, "First empty cell wins as X")


def test_who_asked_for_less_motion_starts_the_game_by_hand(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.goto("/play/01234?x=fixed&o=fixed&delay=0.25")
    expect(page).to_have_url(re.compile("pause=1"))
    page.wait_for_load_state()
    page.click("#pause")
    headline(page, "First empty cell wins as X")


@pytest.mark.console("502")
def test_what_a_broken_proxy_says_is_not_shown(page: Page) -> None:
    page.goto("/play/?o=human")
    page.route("**/play/4*", lambda route: route.fulfill(status=502, body="<h1>inside</h1>"))
    page.click("#board-4")
    expect(page.locator("#notice")).to_have_text(re.compile("did not answer"))


def test_back_is_no_trap_for_whoever_wants_less_motion(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.goto("/agents/q-learning-1")
    page.get_by_role("link", name="Watch it play itself").click()
    expect(page).to_have_url(re.compile("pause=1"))
    page.go_back()
    expect(page).to_have_url(address("/agents/q-learning-1"))


def test_whoever_wants_less_motion_seats_agents_that_wait(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.goto("/play/?o=minimax&delay=0.25")
    page.click("#seat-x")
    page.click(".card[value=fixed]")
    expect(page.locator("#chooser")).to_be_hidden()
    expect(page).to_have_url(address("/play/?x=fixed&o=minimax&epsilon=0.1&delay=0.25&pause=1"))
    page.click("#pause")
    expect(page.locator(MARKS)).not_to_have_count(0)


def test_choosing_leaves_no_trail_in_the_history(page: Page) -> None:
    page.goto("/agents")
    page.goto("/play/?o=human")
    page.click("label[for=tab-settings]")
    for lens in ("truth", "champion", "q-table"):
        page.select_option("#lens", lens)
        expect(page).to_have_url(re.compile(f"lens={lens}"))
    page.go_back()
    expect(page).to_have_url(address("/agents"))
    page.go_forward()
    expect(page).to_have_url(address("/play/?o=human&lens=q-table"))


def test_the_same_position_is_compared(page: Page) -> None:
    page.goto("/play/40?lens=self-play&o=human")
    page.click("label[for=tab-minds]")
    expect(page.locator("#minds tbody tr")).not_to_have_count(0)
    page.click("#mind-champion")
    expect(page).to_have_url(address("/play/40?o=human&lens=champion"))
    page.goto("/play/40?lens=self-play&o=human")
    page.click("label[for=tab-minds]")
    page.click("#compare")
    expect(page).to_have_url(re.compile(re.escape("/compare/40?lens=self-play&lens=q-learning-1")))
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".board")).to_have_count(3)


def test_squares_keep_their_nodes_and_a_reply_takes_one_round_trip(page: Page) -> None:
    page.goto("/play/?o=fixed&lens=q-learning-1")
    page.evaluate("document.querySelectorAll('.cell').forEach((cell) => { cell.kept = true; })")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.click("#board-4")
    expect(page.locator(MARKS)).to_have_count(2)
    asked_for = [url.split("/")[3] for url in asked if "/static/" not in url]
    assert [each for each in asked_for if each != "square"] == ["reply"]  # the line under the board
    page.focus("#snapshot-step")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("step="))
    assert page.evaluate("[...document.querySelectorAll('.cell')].every((cell) => cell.kept)")


def test_a_pressed_square_answers_before_the_server(page: Page) -> None:
    page.goto("/play/?o=human")
    gate = Gate(page, "**/play/4*")
    page.click("#board-4")
    expect(page.locator("#board-4 .ghost")).to_have_count(1)
    gate.open()
    expect(page.locator("#board-4 .ghost")).to_have_count(0)
    expect(page.locator("#board-4 .mark")).to_have_count(1)


def test_a_pause_is_said_in_words_with_the_way_on(page: Page) -> None:
    page.goto("/play/4?o=fixed&pause=1")
    headline(page, "Paused")
    page.click("#go-on")
    headline(page, "Your turn as X")
    expect(page).to_have_url(address("/play/40?o=fixed"))


def test_a_hint_marks_the_squares_and_is_played(page: Page) -> None:
    page.goto("/play/0314?o=fixed")
    page.keyboard.press("h")
    expect(page.locator(".hinted")).to_have_count(1)
    expect(page.locator("#line")).to_contain_text(
        "Best move: top right. Result with optimal play: win in 1 move."
    )
    page.click("#close-hint")
    expect(page.locator(".hinted")).to_have_count(0)
    page.keyboard.press("h")
    page.click("#play-hint")
    headline(page, "You win")


@pytest.mark.parametrize(("width", "height"), [(320, 640), (900, 700)])
def test_every_word_of_the_move_list_can_be_read(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/play/1872?x=human")
    page.click("label[for=tab-moves]")
    expect(page.locator("#move-3 .truly")).to_contain_text("loss in 6")
    clipped = "parts => parts.filter((part) => part.scrollWidth > part.clientWidth).length"
    assert page.locator(".list :is(a, .where, .truly)").evaluate_all(clipped) == 0


def test_a_finished_game_is_passed_on_and_played_again_for_others(page: Page) -> None:
    """On a phone without scrolling: the end, the card, and the link with the challenge."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/play/021486?o=q-learning-1&delay=0.25")
    page.click("#pass-on")
    card = page.get_by_role("img", name="Q-learning 1 won because move 5 was a blunder.")
    expect(card).to_be_in_viewport(ratio=1)
    assert (
        card.evaluate("async image => { await image.decode(); return image.naturalWidth }") == 1200
    )
    expect(page.locator("#watch-replay")).to_be_in_viewport(ratio=1)
    page.goto(page.input_value("#replay"))
    headline(page, "Your turn")
    expect(page.locator("#line")).to_be_in_viewport(ratio=1)
    page.click("#your-turn")
    expect(page).to_have_url(address("/play/?o=q-learning-1&delay=0.25"))


def test_a_hidden_page_rests(page: Page) -> None:
    page.goto("/play/0123?x=fixed&o=fixed&delay=0.25&pause=1")
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    page.evaluate(HELD)
    page.click("#pause")
    page.wait_for_function("() => held")
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    headline(page, "First empty cell wins as X")


def test_watched_moves_are_announced_for_whoever_wishes(page: Page) -> None:
    page.goto("/play/?x=fixed&o=fixed&delay=0.25&pause=1")
    page.click("#preferences-button")
    page.check("#tell")
    page.keyboard.press("Escape")
    page.click("#step")
    expect(page.locator(MARKS)).to_have_count(1)
    Gate(page, "**/reply/01*")  # a gate that never opens
    page.click("#pause")
    expect(page.locator("#status")).to_have_text("Row 1, column 2, O, last move")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_players_are_found_while_one_types(
    new_context: Callable[..., BrowserContext], width: int, height: int
) -> None:
    page = new_context(viewport={"width": width, "height": height}).new_page()
    page.goto("/play/?o=q-learning-1")
    page.click("#seat-o")
    cards = page.locator(".card:visible")
    expect(cards.nth(5)).to_be_in_viewport(ratio=0.9)
    page.fill("#find", "double")
    expect(cards).to_have_count(1)
    page.press("#find", "Enter")
    expect(page).to_have_url(re.compile(r"/play/\?.*o=double-q"))
