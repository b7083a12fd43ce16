"""The arena: the exact chances of each pair of agents."""

import re

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.values import compute_outcome_chances
from app.web import urls
from app.web.formatting import MINUS, format_percent
from app.web.match import Match
from app.web.move_values import HEAT_STEPS
from app.web.pages.arena import ARENA_MEASURES, ArenaRow, Standing, build_arena_page
from app.web.site_data import SiteData
from app.web.wording import STRENGTH_MEANINGS

PLACES = {"win": 0, "draw": 1, "loss": 2}


def table(site: SiteData, show: str) -> list[ArenaRow]:
    return build_arena_page(show, site).rows


def league(site: SiteData) -> dict[str, Standing]:
    return {standing.title: standing for standing in build_arena_page("score", site).standings}


def number(text: str) -> float:
    """Return a score as it is written, in percent, with the forms "<1%" and ">99%"."""
    return float(text.replace(MINUS, "-").replace("<1", "0.5").replace(">99", "99.5"))


def test_every_square_shows_the_chances_of_its_pair(site: SiteData) -> None:
    tables = {show: table(site, show) for show in ARENA_MEASURES}
    names = [row.id for row in tables["score"]]
    assert sorted(names) == sorted(site.policies)
    for x, name in enumerate(names):
        for o, other in enumerate(names):
            policies = site.policies[name], site.policies[other]
            chances = compute_outcome_chances(site.game, *policies)[0].round(9)
            for show, place in PLACES.items():
                cell = tables[show][x].pairings[o]
                assert cell.text == format_percent(chances[place], 0)
                assert abs(cell.heat) == round(chances[place] * HEAT_STEPS)
                assert f"{format_percent(chances[place])}%" in cell.label
            cell, score = tables["score"][x].pairings[o], chances[0] - chances[2]
            assert number(cell.text) == pytest.approx(100 * score, abs=0.5 + 1e-9)
            assert (abs(score) == 1) == (cell.text in ("+100", f"{MINUS}100"))
            assert cell.heat == round(score * HEAT_STEPS)
            assert cell.href == urls.play_url(Match(x=name, o=other))
            assert cell.label.startswith(
                f"{cell.text}: {site.display_titles[name]} as X "
                f"against {site.display_titles[other]} as O"
            )


def test_what_is_good_for_x_is_coloured_like_a_win(site: SiteData) -> None:
    for show in ARENA_MEASURES:
        heats = {pairing.heat for row in table(site, show) for pairing in row.pairings}
        assert heats <= set(range(-HEAT_STEPS, HEAT_STEPS + 1))
        assert (min(heats) < 0, max(heats) > 0) == (show in ("score", "loss"), show != "loss")


def test_random_against_random_is_on_the_page(client: FlaskClient) -> None:
    page = client.get("/arena").text
    won, drawn, lost = (format_percent(chance) for chance in (737 / 1260, 8 / 63, 121 / 420))
    label = f"X wins {won}%, draw {drawn}%, O wins {lost}%"
    assert re.search(rf'title="\+30: Random as X against Random as O: {label}">\+30<', page)


def test_the_league_is_sorted_and_equals_share_a_rank(site: SiteData) -> None:
    standings = league(site)
    ranks = [standing.rank for standing in standings.values()]
    assert ranks == sorted(ranks)
    assert ranks[0] == 1
    # Three ways to play any best move with equal chances.
    same = {site.display_titles[name] for name in ("q-iteration", "champion", "minimax-random")}
    assert len({standings[title].rank for title in same}) == 1


def test_the_league_says_who_can_be_beaten(site: SiteData) -> None:
    standings = league(site)
    for name in ("minimax", "strongest", "champion", "self-play"):
        assert standings[site.display_titles[name]].beating_player_count == 0
        assert standings[site.display_titles[name]].shares[2].text == "0"
    assert standings[site.display_titles["random"]].beating_player_count == len(site.policies)


def test_everybody_has_a_strength(site: SiteData) -> None:
    for standing in build_arena_page("score", site).standings:
        assert standing.strength in STRENGTH_MEANINGS
        assert (standing.strength == "unbeatable") == (standing.beating_player_count == 0)


def test_the_score_of_the_league_is_the_mean_of_its_squares(site: SiteData) -> None:
    rows, standings = table(site, "score"), league(site)
    for place, row in enumerate(rows):
        as_x = np.mean([number(pairing.text) for pairing in row.pairings]) / 100
        as_o = -np.mean([number(other.pairings[place].text) for other in rows]) / 100
        shown = standings[row.title]
        for text, mean in [
            (shown.score_as_x, as_x),
            (shown.score_as_o, as_o),
            (shown.score, as_x / 2 + as_o / 2),
        ]:
            assert float(text.replace(MINUS, "-")) == pytest.approx(mean, abs=0.011)


@pytest.mark.parametrize("show", ["", *ARENA_MEASURES])
def test_each_figure_has_its_address(client: FlaskClient, site: SiteData, show: str) -> None:
    page = client.get(f"/arena?show={show}").text
    shown = re.findall(r'href="/arena\?show=(\w+)&amp;player=[\w-]+" aria-current="true"', page)
    assert shown == [show or "score"]
    table, others = page.split("</table>")[:2]
    assert table.count("<td data-heat=") == len(site.policies) ** 2
    assert others.count("<td data-heat=") == 2 * len(site.policies)


def test_the_table_goes_from_weak_to_strong(site: SiteData) -> None:
    page = build_arena_page("score", site)
    assert [site.display_titles[row.id] for row in page.rows] == [
        standing.title for standing in reversed(page.standings)
    ]
    scores = [number(standing.score) for standing in reversed(page.standings)]
    assert scores == sorted(scores)


def test_one_player_can_be_looked_at(client: FlaskClient, site: SiteData) -> None:
    page = build_arena_page("win", site, "t-hand")
    place = next(place for place, row in enumerate(page.rows) if row.id == "t-hand")
    assert page.selected_row == place
    shown = client.get("/arena?show=win&player=t-hand").text
    matches = shown.split('<table class="matches">')[1].split("</table>")[0]
    expected = [
        pairing.label
        for number, other in enumerate(page.rows)
        for pairing in (page.rows[place].pairings[number], other.pairings[place])
    ]
    assert re.findall(r'title="([^"]+)"', matches) == expected
    assert re.findall(r'<option value="([^"]+)" selected', shown) == ["t-hand"]
    assert 'name="show" value="win"' in shown


def test_the_sketch_has_a_square_for_every_match(site: SiteData) -> None:
    sketch = build_arena_page("score", site).table_sketch
    paths = re.findall(r'<path data-heat="(-?\d+)" d="([^"]+)"/>', sketch)
    assert sum(outline.count("M") for _, outline in paths) == len(site.policies) ** 2
    assert len({heat for heat, _ in paths}) == len(paths)
