"""The lesson: five steps with a URL each, and true statements."""

import re
from html import unescape

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.notation import parse_record
from app.web.facts import build_certificate, find_losing_game
from app.web.formatting import format_count, format_short_square_name, format_signed
from app.web.pages.lesson import (
    BLUNDERING_AGENT,
    UNBEATABLE_AGENT,
    choose_filmed_agent,
    find_misled_puzzle,
)
from app.web.site_data import SiteData
from app.web.wording import LESSON_STEPS

SLUGS = [stop.slug for stop in LESSON_STEPS]


def article(client: FlaskClient, slug: str) -> str:
    """Return the text of a step, without markup."""
    page = client.get(f"/how/{slug}").text
    told = re.search(r"<article.*?</article>", page, re.DOTALL)
    assert told
    return " ".join(unescape(re.sub(r"<[^>]+>", "", told[0])).split())


@pytest.mark.parametrize("slug", SLUGS)
def test_each_stop_is_a_page_with_its_title_and_the_way_on(client: FlaskClient, slug: str) -> None:
    page = client.get(f"/how/{slug}")
    assert page.status_code == 200
    number = SLUGS.index(slug)
    assert f"<h1>{LESSON_STEPS[number].title}</h1>" in page.text
    stops = re.search(r'<ol class="stops">.*?</ol>', page.text, re.DOTALL)
    assert stops
    assert stops[0].count('aria-current="step"') == 1
    for other in SLUGS:
        assert f'id="stop-{other}" href="/how/{other}"' in page.text
    following = f"/how/{SLUGS[number + 1]}" if number < 4 else f"/play/?o={UNBEATABLE_AGENT}"
    rel = ' rel="next"' * (number < 4)
    way_on = f'id="stop-after" class="button primary"{rel} data-key="n" href="{following}"'
    assert way_on in page.text
    assert ('id="stop-before"' in page.text) == (number > 0)
    again = client.get(f"/how/{slug}", headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 304


def test_the_first_stop_is_before_the_first_game(client: FlaskClient, site: SiteData) -> None:
    page, told = client.get("/how/untrained").text, article(client, "untrained")
    assert "<b data-film-updates>0</b>" in page
    assert format_count(site.game.decisions) in told
    assert format_count(site.game.pairs) in told
    assert "bottom right" in told
    assert "one of the 6 free squares, although O loses after 5 of these moves" in told


def test_the_second_says_what_the_training_was(client: FlaskClient, site: SiteData) -> None:
    told = article(client, "learning")
    card = site.agents[choose_filmed_agent(site)].card
    assert f"{card.title} plays {format_count(card.games)} games" in told
    assert [opponent for opponent, _ in site.get_recipe(card.id).phases] == ["random"]
    assert "627 tiles" in told


def test_the_third_asks_and_gives_nothing_away(client: FlaskClient, site: SiteData) -> None:
    number, puzzle = find_misled_puzzle(site)
    page = client.get("/how/blunder").text
    board = re.search(r'<div id="board".*?</div>\s*</div>', page, re.DOTALL)
    assert board
    assert "data-heat" not in board[0]
    hrefs = re.findall(r'href="(/how/[^"]*)" data-key', page)
    free = np.flatnonzero(site.game.legal[puzzle.position]).tolist()
    assert hrefs == [f"/how/blunder?right={cell}" for cell in free]
    assert f'href="/puzzle/{number}"' in page


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("sees", [True, False])
def test_the_third_is_answered_in_place(
    client: FlaskClient, site: SiteData, right: bool, sees: bool
) -> None:
    _, puzzle = find_misled_puzzle(site)
    free = np.flatnonzero(site.game.legal[puzzle.position]).tolist()
    chosen = next(cell for cell in free if (cell in puzzle.correct_cells) == right)
    guess = next(cell for cell in free if (cell == puzzle.blunder_cell) == sees)
    page = client.get(f"/how/blunder?right={chosen}").text
    assert ("Your move is right." in page) == right
    assert "★" not in page.split('<section class="shown"')[1].split("</section>")[0]
    page = client.get(f"/how/blunder?right={chosen}&plays={guess}").text
    told = page.split('id="asked"')[1].split("</div>")[0]
    assert ("Your answer is right." in told) == sees
    assert "The program’s value of this move is" in told
    assert 'href="/how/why"' in page
    assert client.get(f"/how/blunder?plays={guess}").status_code == 400
    assert client.get(f"/how/blunder?right={puzzle.record[0]}").status_code == 409


def test_what_misled_it_is_right_in_its_task_and_loses(site: SiteData) -> None:
    _, puzzle = find_misled_puzzle(site)
    exact = site.get_task_q(puzzle.agent_id)
    task = site.get_task(puzzle.agent_id)
    assert puzzle.agent_id == BLUNDERING_AGENT
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
    assert seen == dict(numbers.findall(why))
    assert f"+{seen['old']}" == value
    assert float(seen["target"]) == round(float(seen["gamma"]) * float(seen["next"]), 2)
    exact = site.get_task_q(puzzle.agent_id)
    assert exact is not None
    exact_value = format_signed(float(exact[puzzle.position, puzzle.blunder_cell]))
    assert f"square has the exact value {exact_value}, the highest" in told
    answers = 9 - len(puzzle.record) - 1
    refuting = parse_record(site.game, puzzle.refutation)[1]
    place = format_short_square_name(site.game, refuting)
    assert f"played {place} in only one of {answers} games" in told


def test_the_last_is_about_somebody_whose_proof_is_there(
    client: FlaskClient, site: SiteData
) -> None:
    page, told = client.get("/how/unbeatable").text, article(client, "unbeatable")
    assert f"{format_count(site.agents[UNBEATABLE_AGENT].card.games)} games against itself" in told
    for seat in ("x", "o"):
        assert find_losing_game(site, UNBEATABLE_AGENT, 1 if seat == "x" else -1) is None
        assert format_count(build_certificate(site, UNBEATABLE_AGENT, seat).reachable_count) in told
        assert f'href="/agents/{UNBEATABLE_AGENT}/certificate-{seat}"' in page


def test_how_leads_to_every_stop(client: FlaskClient) -> None:
    page = client.get("/how").text
    for stop in LESSON_STEPS:
        assert re.search(rf'href="/how/{stop.slug}">\d. {stop.title}</a>', page)


def test_a_film_goes_on_by_links_alone(client: FlaskClient) -> None:
    assert 'href="/how/learning?step=1"' in client.get("/how/learning").text
    assert 'href="/how/untrained?step=4"' in client.get("/how/untrained?step=3").text
    assert 'href="/how/unbeatable?step=0"' in client.get("/how/unbeatable").text
