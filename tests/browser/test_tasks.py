"""Tasks of people in a real browser: play, watch, look inside; on a desktop and on a phone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import HELD, MARKS, SHIFTS, Gate, address, shifts, walk

SELF_PLAY = "/play/?x=q-learning-4&o=q-learning-4&epsilon=0.1"
LENS = "q-learning-1"
SIZES = [(1280, 800), (360, 740)]
COUNT = """() => {
    window.counted = { now: 0, most: 0 };
    document.addEventListener("htmx:beforeSend", () => {
        counted.most = Math.max(counted.most, ++counted.now);
    });
    document.addEventListener("htmx:afterRequest", () => counted.now--);
}"""


@pytest.fixture(params=SIZES, ids=["desk", "phone"])
def sized(new_context: Callable[..., BrowserContext], request: pytest.FixtureRequest) -> Page:
    width, height = request.param
    return new_context(viewport={"width": width, "height": height}).new_page()


def headline(page: Page, text: str) -> None:
    expect(page.locator(".headline")).to_have_text(text)


def labels(page: Page) -> list[str]:
    return [cell.get_attribute("aria-label") or "" for cell in page.locator(".cell").all()]


def wait_for_moves(page: Page, number: int) -> None:
    """Wait until agents have played more moves, in this game or the next."""
    page.evaluate("""() => {
        window.moved = 0;
        document.addEventListener("htmx:afterSwap", ({ target }) => { moved += target.id === "game"; });
    }""")
    page.wait_for_function(f"() => moved >= {number}")


# Play


def test_the_front_page_is_a_board_to_use(sized: Page) -> None:
    """Coloured at once; a square, the agent's move and the next game are one click each."""
    page = sized
    page.goto("/", wait_until="commit")
    expect(page.locator("#board [data-heat]")).to_have_count(5)
    page.wait_for_load_state()
    for part in ("h1", "#board", "#line", "#reply", "#hint", "#new-game", "#snapshot-step"):
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    texts = page.locator(".beside a, .controls a").all_inner_texts()
    page.evaluate(f"({SHIFTS})()")
    page.click("#board-4")
    expect(page.locator(MARKS)).to_have_count(6)  # the agent shown has answered
    expect(page).to_have_url(re.compile(r"/play/02764\d\?o=q-learning-4$"))
    page.click("#reply")
    expect(page.locator(".headline")).to_have_text("You win")
    expect(page.locator("#line")).to_contain_text("was a blunder")
    assert page.locator(".beside a, .controls a").all_inner_texts() == texts
    assert shifts(page) == []
    page.click("#rematch")
    expect(page.locator(MARKS)).to_have_count(0)


def test_a_game_is_won_as_x_and_moves_are_taken_back(sized: Page) -> None:
    page = sized
    page.goto("/play/?o=fixed")
    headline(page, "Your turn as X")
    page.click("#board-4")
    expect(page.locator(MARKS)).to_have_count(2)
    page.click("#board-8")
    expect(page.locator(MARKS)).to_have_count(4)
    page.click("#take-back")  # both plies
    expect(page).to_have_url(address("/play/40?o=fixed"))
    expect(page.locator(MARKS)).to_have_count(2)
    expect(page.locator("#take-back")).to_be_focused()
    page.click("#board-2")
    expect(page.locator(MARKS)).to_have_count(4)
    walk(page, "back")
    expect(page.locator(MARKS)).to_have_count(2)
    walk(page, "forward")
    expect(page.locator(MARKS)).to_have_count(4)
    page.click("#board-6")
    headline(page, "You win")
    expect(page).to_have_title("You win · Q-Tac-Toe")
    expect(page.locator(".strike line")).to_have_count(1)
    expect(page.locator("#status")).to_have_text(re.compile("X: row 3, column 1. You win."))
    expect(page.locator("#line")).to_contain_text("was a blunder: it gave away the draw")


def test_the_players_change_seats_with_their_scores(page: Page) -> None:
    """The agent, now X, moves first; then the visitor plays O."""
    page.goto("/play/?o=fixed&tally=2-1-0")
    page.click("label[for=tab-settings]")
    page.click("#swap")
    expect(page.locator("#seat-o b")).to_contain_text("You")
    expect(page.locator("#seat-o .wins")).to_have_text("2")
    expect(page.locator("#seat-x .wins")).to_have_text("0")
    expect(page.locator("#board-0 .mark")).to_have_count(1)
    headline(page, "Your turn as O")
    page.click("#board-4")
    expect(page.locator("#board-1 .mark")).to_have_count(1)


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


def test_a_hint_marks_its_square_and_is_played(page: Page) -> None:
    page.goto("/play/0314?o=fixed")
    page.keyboard.press("h")
    expect(page.locator(".hinted")).to_have_count(1)
    expect(page.locator("#line")).to_contain_text("Top right wins in 1 move.")
    page.click("#close-hint")
    expect(page.locator(".hinted")).to_have_count(0)
    page.keyboard.press("h")
    page.click("#play-hint")
    headline(page, "You win")


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


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_players_are_found_while_one_types(
    new_context: Callable[..., BrowserContext], width: int, height: int
) -> None:
    page = new_context(viewport={"width": width, "height": height}).new_page()
    page.goto("/play/?o=q-learning-1")
    page.click("#seat-o")
    cards = page.locator(".card:visible")
    expect(cards.nth(5 if width > height else 2)).to_be_in_viewport(ratio=0.9)
    page.fill("#find", "double")
    expect(cards).to_have_count(1)
    page.press("#find", "Enter")
    expect(page).to_have_url(re.compile(r"/play/\?.*o=double-q"))


def test_agents_to_choose_and_both_sides_are_one_click_away(page: Page) -> None:
    page.goto("/")
    page.click("#choose-q-iteration")
    expect(page.locator("#seat-o b")).to_contain_text("Q-iteration")
    expect(page.locator("#board-4 .value")).to_have_text("+1.00")
    expect(page.locator(".learned")).to_contain_text("How Q-iteration learned")
    page.click("#way-both")
    expect(page).to_have_url(address("/play/0276?o=human&lens=q-iteration"))
    heats = page.locator("#board [data-heat]")
    expect(heats).to_have_count(5)
    page.click("#board-1")
    expect(page.locator(".headline")).to_have_text("O to move")
    expect(heats).to_have_count(4)
    page.click("#reply")  # one ply a press, for whoever is to move
    expect(page.locator(MARKS)).to_have_count(6)


def test_another_agent_goes_on_with_the_game_on_the_front_page(page: Page) -> None:
    page.goto("/")
    expect(page.locator(".lead:visible")).to_contain_text("Q-value")
    page.click("#board-4")
    expect(page.locator(MARKS)).to_have_count(6)
    page.click("#choose-menace")
    expect(page.locator("#seat-o b")).to_contain_text("MENACE")
    expect(page.locator(".lead:visible")).to_contain_text("beads")
    expect(page.locator(".learned")).to_contain_text("How MENACE learned")
    shown = page.locator("#board").inner_text()
    page.reload()
    expect(page.locator("#seat-o b")).to_contain_text("MENACE")
    expect(page.locator(MARKS)).to_have_count(6)
    assert page.locator("#board").inner_text() == shown
    page.goto("/")
    page.click("#swap")
    expect(page.locator("#seat-o b")).to_contain_text("You")
    expect(page.locator(MARKS)).to_have_count(1)


# Watch


def test_what_is_chosen_below_the_board_is_seen_on_it(sized: Page) -> None:
    for press in ("#choose-menace", "#way-watch", "#way-learn"):
        sized.goto("/")
        sized.click(press)
        expect(sized.locator("#board")).to_be_in_viewport(ratio=1)
    sized.goto("/")
    for member in sized.locator(".member").all():
        assert member.evaluate("""card => {
            const text = document.createRange(); // a word that is too long leaves its element
            text.selectNodeContents(card.querySelector("b"));
            const strength = card.querySelector("b + *").getBoundingClientRect();
            const apart = (line) => line.right <= strength.left || line.bottom <= strength.top;
            return [...text.getClientRects()].every(apart);
        }""")


def test_settings_changed_while_agents_play_hold(sized: Page) -> None:
    page = sized
    page.goto(f"{SELF_PLAY}&delay=0.5")
    speed = page.locator("#speed")
    expect(speed).to_have_value("0.5")
    speed.select_option("Normal")
    wait_for_moves(page, 2)
    expect(speed).to_have_value("1")
    page.click("label[for=tab-settings]")
    for field, value, parameter in [
        ("#epsilon", "0.25", "epsilon=0.25"),
        ("#lens", "q-iteration", "lens=q-iteration"),
        ("#errors", "truth", "errors=truth"),
    ]:
        page.select_option(field, value)
        wait_for_moves(page, 2)
        expect(page).to_have_url(re.compile(parameter))
        expect(page.locator(field)).to_have_value(value)
    page.check("#hide")
    wait_for_moves(page, 2)
    expect(page.locator("#board [data-heat]")).to_have_count(0)
    page.uncheck("#hide")
    page.evaluate("document.getElementById('palette-orange-blue').click()")
    wait_for_moves(page, 2)
    expect(page.locator("#palette-orange-blue")).to_be_checked()


def test_agents_move_as_fast_as_was_chosen(own_page: Page) -> None:
    """The clock of the page moves only when it is told to."""
    page, asked = own_page, list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.clock.install(time=0)
    page.goto(f"{SELF_PLAY}&pause=1")
    page.clock.pause_at(1000)
    for delay in (2.0, 0.5):
        page.select_option("#speed", f"{delay:g}")
        expect(page).to_have_url(re.compile(f"delay={delay:g}"))
        page.click("#pause")
        expect(page).not_to_have_url(re.compile("pause=1"))
        asked.clear()
        page.clock.run_for(int(900 * delay))
        assert not [url for url in asked if "/reply/" in url]
        with page.expect_request_finished(lambda request: "/reply/" in request.url):
            page.clock.run_for(int(200 * delay))
        page.clock.run_for(100)  # htmx settles what it swapped
        expect(page.locator(MARKS)).not_to_have_count(0)
        page.click("#pause")
        expect(page).to_have_url(re.compile("pause=1"))


def test_it_plays_itself_game_after_game_and_keeps_the_score(page: Page) -> None:
    page.goto("/")
    page.click("#way-watch")
    expect(page.locator("#caption")).to_contain_text("value of each move for X")
    expect(page.locator("#caption")).to_contain_text("value of each move for O")
    page.select_option("#speed", "Fast")
    expect(page).to_have_url(re.compile("tally="))  # the second game
    played = page.locator(".wins").all_inner_texts()
    drawn = page.locator(".between small").inner_text()
    assert sum(map(int, played)) + int(drawn.split()[0] if drawn else 0) == 1


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
    page.click("#now")
    expect(page.locator(MARKS)).to_have_count(3)
    page.click("#first")
    expect(page.locator(MARKS)).to_have_count(0)
    expect(page.locator("#first")).to_be_focused()
    page.click("#pause")
    headline(page, "First empty cell wins as X")


def test_a_watched_game_goes_on_from_the_move_that_is_shown(page: Page) -> None:
    page.goto("/play/04235?x=fixed&o=fixed&pause=1")
    page.click("#first")
    expect(page.locator(MARKS)).to_have_count(0)
    page.click("#pause")
    for shown in range(1, 5):
        expect(page).to_have_url(re.compile(rf"/play/04235\?ply={shown}&x=fixed&o=fixed$"))
        expect(page.locator(MARKS)).to_have_count(shown)
    expect(page).to_have_url(re.compile("/play/042351"))  # a new move
    page.click("#move-2")  # it stands still where one looks back
    expect(page.locator("#pause")).to_have_attribute("aria-label", "Continue")


def test_a_watched_game_waits_while_the_training_is_replayed(page: Page) -> None:
    page.goto("/play/40?x=q-learning-4&o=q-learning-4&delay=5")
    expect(page.locator("#pause")).to_have_attribute("aria-label", "Pause")
    page.click("#train")
    expect(page.locator("#pause")).to_have_attribute("aria-label", "Continue")
    expect(page.locator("#trained")).not_to_have_text("after 0 updates")
    page.click("#pause")
    expect(page.locator("#pause")).to_have_attribute("aria-label", "Pause")
    expect(page.locator("#train")).to_have_attribute("aria-label", "Replay the training")


def test_a_visitor_takes_the_place_of_the_agent_to_move(sized: Page) -> None:
    page = sized
    page.goto("/play/40?x=fixed&o=fixed&epsilon=0.1&delay=2&pause=1&tally=1-0-0")
    expect(page.locator(".rooms [aria-current]")).to_have_text("Watch")
    page.click("#take-over")
    expect(page).to_have_url(address("/play/40?o=fixed&delay=2"))
    headline(page, "Your turn as X")
    expect(page.locator(".rooms [aria-current]")).to_have_text("Play")
    page.click("#board-8")
    expect(page.locator(MARKS)).to_have_count(4)


def test_a_step_back_and_forward_shows_the_values_of_the_mover(page: Page) -> None:
    page.goto("/play/0236?x=q-learning-4&o=q-learning-1&pause=1")
    expect(page.locator("#caption")).to_contain_text("Q-learning 4’s value of each move for X")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#caption")).to_contain_text("Q-learning 1’s value of each move for O")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#caption")).to_contain_text("Q-learning 4’s value of each move for X")


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


def test_who_asked_for_less_motion_starts_the_game_by_hand(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.goto("/play/01234?x=fixed&o=fixed&delay=0.25")
    expect(page).to_have_url(re.compile("pause=1"))
    page.wait_for_load_state()
    page.click("#pause")
    headline(page, "First empty cell wins as X")


# Look inside


def test_the_line_explains_the_square_under_the_pointer_or_with_the_focus(page: Page) -> None:
    page.goto("/play/0276?o=q-learning-4")
    line = page.locator("#line")
    usual = line.inner_text()
    page.hover("#board-8")
    expect(line).to_contain_text("Bottom right: +0.16")
    expect(line).to_contain_text("Tried 6 times")
    expect(line).to_contain_text("Q-iteration −1.00")
    expect(line).not_to_contain_text("With optimal play")  # it is the visitor's turn
    expect(line.get_by_role("img", name="The value during the training")).to_be_visible()
    page.hover("header")
    expect(line).to_have_text(usual)
    page.keyboard.press("Tab")
    page.locator("#board-5").focus()
    page.keyboard.press("w")
    expect(line).to_contain_text("Middle right: −0.81")
    page.keyboard.press("Escape")
    expect(line).to_have_text(usual)
    page.hover("#board-8")
    expect(line).to_contain_text("Bottom right")
    page.click("#square-why")
    expect(page.locator("#why-heading")).to_contain_text("ottom right")


def test_an_explanation_that_comes_late_does_not_hide_the_end(page: Page) -> None:
    page.goto("/play/4021?o=fixed")
    explanation = Gate(page, "**/square/**")
    page.hover("#board-6")
    expect(page.locator("#line.htmx-request")).to_have_count(1)
    page.click("#board-6")
    headline(page, "You win")
    with page.expect_response("**/square/**"):
        explanation.open()
    page.wait_for_function("() => !document.querySelector('.htmx-request')")
    expect(page.locator("#line")).to_contain_text("was a blunder")


def test_a_press_explains_while_one_watches_and_the_game_waits(page: Page) -> None:
    page.goto(f"{SELF_PLAY}&delay=0.5")
    page.locator("#board [data-explains]").first.click()
    expect(page.locator("#square-close")).to_be_visible()
    expect(page.locator("#line")).to_contain_text("With optimal play")
    record = page.evaluate("location.href")
    with pytest.raises(AssertionError):
        expect(page).not_to_have_url(record, timeout=1500)
    page.click("#square-close")
    expect(page).not_to_have_url(record)


def test_a_press_explains_a_played_move_after_the_end(page: Page) -> None:
    page.goto("/play/021486?o=q-learning-1")
    line = page.locator("#line")
    usual = line.inner_text()
    page.hover("#board-2")
    page.click("#board-2")
    expect(line).to_contain_text("Top right (move 2, blunder)")
    page.press("#board-2", "Escape")
    expect(line).to_have_text(usual)


def test_a_long_press_explains_on_a_phone_and_does_not_play(
    new_context: Callable[..., BrowserContext],
) -> None:
    context = new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto("/play/0276?o=q-learning-4")
    box = page.locator("#board-8").bounding_box()
    assert box
    touch = context.new_cdp_session(page)
    points = [{"x": box["x"] + 40, "y": box["y"] + 40}]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
    expect(page.locator("#line")).to_contain_text("Bottom right: +0.16")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator("#square-close")).to_be_in_viewport(ratio=1)
    expect(page).to_have_url(address("/play/0276?o=q-learning-4"))
    page.click("#square-close")
    page.tap("#board-4")
    expect(page.locator(MARKS)).to_have_count(6)


def test_the_slider_goes_back_in_training_by_keyboard(page: Page) -> None:
    page.goto(f"/play/408?lens={LENS}&pause=1")
    expect(page.locator("#trained")).to_have_text("after 1.52 million updates")
    before = page.locator("#board-2").get_attribute("aria-label")
    first, slider = Gate(page, "**/set/*step=0*"), page.locator("#snapshot-step")
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "after 0 updates")  # at once, not after
    first.open()
    expect(page).to_have_url(address(f"/play/408?lens={LENS}&step=0&pause=1"))
    expect(page.locator("#trained")).to_have_text("after 0 updates")
    expect(page.locator("#board-2")).to_have_attribute("aria-label", re.compile("not tried yet"))
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", "after 0 updates")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".caption")).to_have_text(re.compile(r"for O, after [1-9]\d* updates?"))
    page.keyboard.press("End")
    expect(page).to_have_url(address(f"/play/408?lens={LENS}&pause=1"))
    expect(page.locator("#board-2")).to_have_attribute("aria-label", before or "")


def test_dragging_asks_for_one_position_at_a_time(page: Page) -> None:
    page.goto(f"/play/40?lens={LENS}&pause=1")
    page.evaluate(COUNT)
    page.locator("#snapshot-step").scroll_into_view_if_needed()
    box = page.locator("#snapshot-step").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 8, y)
    page.mouse.down()
    for share in range(95, 9, -1):
        page.mouse.move(box["x"] + box["width"] * share / 100, y)
    page.mouse.up()
    step = page.locator("#snapshot-step").input_value()
    assert 0 < int(step) < 5
    expect(page).to_have_url(address(f"/play/40?lens={LENS}&step={step}&pause=1"))
    assert page.evaluate("counted.most") == 1


def test_it_learns_in_this_very_board(page: Page) -> None:
    page.goto("/")
    page.click("#way-learn")
    expect(page.locator("#trained")).to_have_text("after 0 updates")
    expect(page.locator("#board [data-heat]")).to_have_count(0)
    expect(page.locator("#trained")).not_to_have_text("after 0 updates")
    expect(page.locator("h1")).to_be_visible()
    page.click("#train")
    label = page.get_by_role("link", name="Replay the training", exact=True)
    expect(label).to_be_visible()
    page.locator("#snapshot-step").focus()
    page.keyboard.press("End")
    expect(page.locator("#trained")).to_have_text("after 1.67 million updates")
    expect(page.locator("#board [data-heat]")).to_have_count(5)
    page.click("#board-4")
    expect(page.locator(MARKS)).to_have_count(6)


def test_a_run_through_the_training_ends_with_the_agent_as_it_plays(page: Page) -> None:
    page.goto("/play/4?o=human&lens=champion&step=7")
    second = Gate(page, "**/play/*step=8*")
    page.click("#train")
    expect(page.locator("#train")).to_have_attribute(
        "aria-label", "Stop the replay of the training"
    )
    second.open()
    expect(page.locator("#trained")).to_have_text("after 1,931 updates")
    expect(page).to_have_url(address("/play/4?o=human&lens=champion"))
    expect(page.locator("#train")).to_have_attribute("aria-label", "Replay the training")


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


# Share


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
    assert labels(elsewhere) == labels(page)


def test_a_finished_game_is_passed_on_and_played_again_for_others(page: Page) -> None:
    """On a phone without scrolling: the end, the card, and the link with the challenge."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/play/021486?o=q-learning-1&delay=0.25")
    page.click("#pass-on")
    headline(page, "You lost")
    expect(page.locator("#board [data-heat]")).to_have_count(0)
    expect(page.locator("#board-8 .note")).to_have_text("✗ move 5")  # as on the card
    card = page.get_by_role("img", name="Q-learning 1 won because move 5 was a blunder.")
    expect(card).to_be_in_viewport(ratio=1)
    assert (
        card.evaluate("async image => { await image.decode(); return image.naturalWidth }") == 1200
    )
    expect(page.locator("#watch-replay")).to_be_in_viewport(ratio=1)
    page.goto(page.input_value("#replay"))
    headline(page, "Can you do better?")
    expect(page.locator("#status")).to_contain_text("Q-learning 1 wins as O.")
    expect(page.locator("#seat-x")).not_to_contain_text("You")  # somebody else has played
    expect(page.locator("#line")).to_be_in_viewport(ratio=1)
    page.click("#your-turn")
    expect(page).to_have_url(address("/play/?o=q-learning-1&delay=0.25"))


def test_the_sentence_at_the_end_is_never_cut(sized: Page) -> None:
    page = sized
    for query in ("o=q-learning-1", "x=dqn-vs-heuristic&o=dqn-vs-random&pause=1"):
        page.goto(f"/play/021486?{query}")
        expect(page.locator("#line")).to_contain_text("was a blunder")
        for part in ("#line", ".headline"):
            cut = page.locator(part).evaluate(
                "part => [part.scrollHeight - part.clientHeight, part.scrollWidth - part.clientWidth]"
            )
            assert max(cut) <= 1, (query, part, cut)
        inside = """() => {
            const [part, whole] = [".headline", ".say"].map((each) =>
                document.querySelector(each).getBoundingClientRect());
            return part.top >= whole.top - 1 && part.bottom <= whole.bottom + 1;
        }"""
        assert page.evaluate(inside), query


# What goes wrong


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


def test_back_while_an_agent_is_thinking_shows_the_board_of_the_address(page: Page) -> None:
    page.goto("/play/?o=fixed")
    Gate(page, "**/reply/*")  # a gate that never opens
    with page.expect_request("**/reply/*"):
        page.click("#swap")
    walk(page, "back")
    expect(page).to_have_url(address("/play/?o=fixed"))
    expect(page.locator(MARKS)).to_have_count(0)


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


# Without JavaScript


def test_a_player_is_chosen_on_the_front_page(page: Page) -> None:
    page.goto("/")
    page.click("#seat-o")
    page.click(".card[value=menace]")
    expect(page.locator("#seat-o")).to_contain_text("MENACE")
    expect(page.locator(".learned")).to_have_count(0)  # it is about another agent


def test_all_players_of_the_front_page_can_be_chosen_and_compared(page: Page) -> None:
    page.goto("/")
    count = page.locator("#all-agents").inner_text().split()[-1]
    page.click("#all-agents")
    expect(page.locator(".card")).to_have_count(int(count) + 1)  # and the visitor
    page.click("#figures")
    page.click("#to-players")
    page.click(".card[value=champion]")
    expect(page).to_have_url(address("/play/?o=champion"))


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


def test_without_javascript_the_front_page_is_played_and_explained(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/")
    page.click("#choose-self-play")
    page.click("#board-4")
    expect(page).to_have_url(address("/play/02764?o=self-play"))
    page.goto("/play/0276?x=q-learning-4&o=q-learning-4&pause=1")
    page.click("#board-8")
    expect(page.locator("h1")).to_have_text("Why this value")
    expect(page.locator("#square")).to_contain_text("Bottom right: +0.16")
    page.click("#back")
    expect(page.locator("#board")).to_be_visible()
