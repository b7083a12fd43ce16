"""The lesson: five steps with a URL each, and true statements."""

import re
from html import unescape

import numpy as np
from flask.testing import FlaskClient

from app.tictactoe.game import GAME
from app.tictactoe.notation import parse_record
from app.web.facts import build_unbeatable_proof, find_losing_game
from app.web.formatting import format_count, format_signed, name_square
from app.web.match import Match, replay_match
from app.web.pages.lesson import (
    LESSON_AGENT,
    LESSON_RECORD,
    UNBEATABLE_AGENT,
    find_misled_puzzle,
)
from app.web.pictures.minds import estimate_tiles
from app.web.site_data import SiteData
from app.web.wording import FRONT_PAGE_AGENT


def article(client: FlaskClient, slug: str) -> str:
    """Return the text of a step, without markup."""
    page = client.get(f"/how/{slug}").text
    told = re.search(r"<article.*?</article>", page, re.DOTALL)
    assert told
    return " ".join(unescape(re.sub(r"<[^>]+>", "", told[0])).split())


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_games_begin_in_other_positions_than_the_empty_board(
    client: FlaskClient, site: SiteData
) -> None:
    starts = [
        getattr(site.get_recipe(name), "start", "") for name in (LESSON_AGENT, FRONT_PAGE_AGENT)
    ]
    assert starts == ["random", "every"]
    card = site.agents[LESSON_AGENT].card
    assert f"makes {card.updates / card.games:.1f} moves" in article(client, "learning")


def test_the_rows_of_the_picture_become_right_from_the_bottom_and_all_after_self_play(
    site: SiteData,
) -> None:
    rows = GAME.ply[site.tile_layout.decisions]
    best = np.nanmax(site.optimal_q[site.tile_layout.decisions], axis=1)

    def share_right(name: str, updates: int, row: int) -> float:
        """Return the share of a row whose colour is nearest to that of the true result."""
        snapshot = site.agents[name].snapshot_updates.tolist().index(updates)
        values = estimate_tiles(site, name, snapshot)[0]
        nearest = np.where(abs(values) > 0.5, np.sign(values), 0)
        return float((nearest == best)[rows == row - 1].mean())

    on_the_way = [share_right(LESSON_AGENT, 10_000, row) for row in (7, 8, 9)]
    assert on_the_way == sorted(on_the_way)
    last = site.agents[LESSON_AGENT].card.updates
    assert [row for row in range(1, 10) if share_right(LESSON_AGENT, last, row) == 1] == [8, 9]
    assert all(best[rows < 2] == 0)
    assert all(estimate_tiles(site, LESSON_AGENT)[-1][rows < 2] > 0.4)
    last = site.agents[UNBEATABLE_AGENT].card.updates
    assert all(share_right(UNBEATABLE_AGENT, last, row) == 1 for row in range(1, 10))


def test_the_third_asks_and_gives_nothing_away(client: FlaskClient, site: SiteData) -> None:
    number, puzzle = find_misled_puzzle(site)
    page = client.get("/how/blunder").text
    board = re.search(r'<div id="board".*?</div>\s*</div>', page, re.DOTALL)
    assert board
    assert "data-heat" not in board[0]
    hrefs = re.findall(r'href="(/how/[^"]*)" data-key', page)
    free = np.flatnonzero(GAME.legal[puzzle.position]).tolist()
    assert hrefs == [f"/how/blunder?right={cell}" for cell in free]
    assert f'href="/puzzle/{number}"' in page


def test_what_misled_it_is_right_in_its_task_and_loses(site: SiteData) -> None:
    _, puzzle = find_misled_puzzle(site)
    exact = site.get_task_q(puzzle.agent_id)
    task = site.get_task(puzzle.agent_id)
    assert puzzle.agent_id == LESSON_AGENT
    assert exact is not None
    assert task is not None
    assert task.opponent == "random"
    assert np.nanmax(exact[puzzle.position]) == exact[puzzle.position, puzzle.blunder_cell] > 0
    assert puzzle.value_after == -1
    assert site.agents[puzzle.agent_id].q[puzzle.position, puzzle.blunder_cell] > 0


def test_the_fourth_shows_the_real_update(client: FlaskClient, site: SiteData) -> None:
    _, puzzle = find_misled_puzzle(site)
    page, told = client.get("/how/why").text, article(client, "why")
    value = format_signed(
        float(site.agents[puzzle.agent_id].q[puzzle.position, puzzle.blunder_cell])
    )
    assert value in told
    link = re.search(r'id="more-1" class="button" href="([^"]+)"', page)
    assert link
    why = client.get(unescape(link[1])).text
    numbers = re.compile(r'data-symbol="(\w+)"[^>]*><b[^>]*>([^<]*)</b>')
    seen = dict(numbers.findall(page))
    refuting = parse_record(GAME, puzzle.refutation)[1]
    cases = re.findall(r'id="why-after-(\d)" href="([^"]+)"', why)
    for cell, url in cases:
        after = dict(numbers.findall(client.get(unescape(url)).text))
        # "After every other answer it rises"
        assert (number(after["new"]) < number(after["old"])) == (int(cell) == refuting)
        assert (after == seen) == (int(cell) == refuting)
    assert len(cases) == 9 - len(puzzle.record) - 1
    assert f"+{seen['old']}" == value
    assert number(seen["target"]) == round(number(seen["gamma"]) * number(seen["next"]), 2)
    exact = site.get_task_q(puzzle.agent_id)
    assert exact is not None
    exact_value = format_signed(float(exact[puzzle.position, puzzle.blunder_cell]))
    assert f"worth exactly {exact_value}" in told
    answers = 9 - len(puzzle.record) - 1
    place = name_square(refuting)
    assert f"played {place} in only one of {answers} games" in told


def test_the_last_step_is_about_the_same_learner_after_more_games(
    client: FlaskClient, site: SiteData
) -> None:
    page, told = client.get("/how/unbeatable").text, article(client, "unbeatable")
    first, last = site.agents[LESSON_AGENT], site.agents[UNBEATABLE_AGENT]
    # Its training begins with the games of the other steps: the same values after 1,000,000 updates.
    before, after = (
        agent.history.get_values(agent.snapshot_updates.tolist().index(1_000_000))
        for agent in (first, last)
    )
    np.testing.assert_array_equal(before, after)
    assert f"{format_count(last.card.games - first.card.games)} more games" in told
    _, puzzle = find_misled_puzzle(site)
    place = puzzle.position, puzzle.blunder_cell
    assert last.q[place] < 0 < first.q[place]
    assert f"is now {format_signed(float(last.q[place]))}" in told
    for seat in ("x", "o"):
        assert find_losing_game(site, UNBEATABLE_AGENT, 1 if seat == "x" else -1) is None
        assert (
            format_count(build_unbeatable_proof(site, UNBEATABLE_AGENT, seat).reachable_count)
            in told
        )
        assert f'href="/agents/{UNBEATABLE_AGENT}/certificate-{seat}"' in page


def test_the_first_step_answers_a_click_on_each_square(client: FlaskClient, site: SiteData) -> None:
    page = client.get("/how/untrained").text
    state = replay_match(Match(LESSON_RECORD), site)
    urls = dict(re.findall(r'id="answer-(\d)" href="([^"]+)"', page))
    legal = GAME.legal[state.position].nonzero()[0].tolist()
    assert [*map(int, urls)] == legal
    for cell in legal:
        answer = client.get(urls[str(cell)]).text
        is_right = site.is_move_correct[state.position, cell]
        assert ("Right: this blocks the diagonal." in answer) == is_right
        assert ("Wrong: X can now win with one move." in answer) == site.loses_at_once[
            state.position, cell
        ]


def test_losing_squares_keep_values_near_0(site: SiteData) -> None:
    position = replay_match(Match(LESSON_RECORD), site).position
    losing = site.loses_at_once[position]
    assert (abs(site.agents[LESSON_AGENT].q[position][losing]) < 0.2).all()
