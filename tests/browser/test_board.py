"""Play, watch and inspect: tasks on the board of the front page and of the play page."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import MARKS, SHIFTS, address, shifts

SELF_PLAY = "/play/?x=q-learning-4&o=q-learning-4&epsilon=0.1&delay=0.5"
SIZES = [(1280, 800), (360, 740)]


def wait_for_moves(page: Page, number: int) -> None:
    """Wait until agents have played more moves, in this game or the next."""
    page.evaluate("""() => {
        window.moved = 0;
        document.addEventListener("htmx:afterSwap", ({ target }) => { moved += target.id === "game"; });
    }""")
    page.wait_for_function(f"() => moved >= {number}")


@pytest.fixture(params=SIZES, ids=["desk", "phone"])
def sized(new_context: Callable[..., BrowserContext], request: pytest.FixtureRequest) -> Page:
    width, height = request.param
    return new_context(viewport={"width": width, "height": height}).new_page()


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


def test_it_plays_itself_game_after_game_and_keeps_the_score(page: Page) -> None:
    page.goto("/")
    page.click("#way-watch")
    expect(page.locator("#caption")).to_contain_text("value of each move for X")
    expect(page.locator("#caption")).to_contain_text("value of each move for O")
    page.click("#speed")
    page.click("#speed")
    expect(page).to_have_url(re.compile("tally="))  # the second game
    played = page.locator(".wins").all_inner_texts()
    drawn = page.locator(".between small").inner_text()
    assert sum(map(int, played)) + int(drawn.split()[0] if drawn else 0) == 1


def test_settings_changed_while_agents_play_hold(sized: Page) -> None:
    page = sized
    page.goto(SELF_PLAY)
    page.click("#speed")
    wait_for_moves(page, 2)
    expect(page.locator("#speed")).to_have_text("0.25 s")
    page.click("label[for=tab-settings]")
    for field, value, parameter in [
        ("#epsilon", "0.25", "epsilon=0.25"),
        ("#delay", "0.5", "delay=0.5"),
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


def test_a_step_back_and_forward_shows_the_values_of_the_mover(page: Page) -> None:
    page.goto("/play/0236?x=q-learning-4&o=q-learning-1&pause=1")
    expect(page.locator("#caption")).to_contain_text("Q-learning 4’s value of each move for X")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#caption")).to_contain_text("Q-learning 1’s value of each move for O")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#caption")).to_contain_text("Q-learning 4’s value of each move for X")


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


def test_a_press_explains_while_one_watches_and_the_game_waits(page: Page) -> None:
    page.goto(SELF_PLAY)
    page.locator("#board [data-explains]").first.click()
    expect(page.locator("#square-close")).to_be_visible()
    expect(page.locator("#line")).to_contain_text("With optimal play")
    record = page.evaluate("location.href")
    with pytest.raises(AssertionError):
        expect(page).not_to_have_url(record, timeout=1500)
    page.click("#square-close")
    expect(page).not_to_have_url(record)


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
