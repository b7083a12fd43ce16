"""The comparison page: several boards show one position with different values."""

import re
from collections import Counter

import pytest
from flask.testing import FlaskClient

from app.tictactoe.notation import find_record, replay_record
from app.tictactoe.report import find_blunders
from app.web.comparison import (
    CURVE_TITLES,
    Comparison,
    SourceSnapshot,
    find_next_disagreement,
    parse_comparison,
)
from app.web.facts import find_disagreements
from app.web.links.compare import compare_url
from app.web.match import Match, MatchState, replay_match
from app.web.move_values import can_blunder, evaluate_moves
from app.web.pages.compare import ComparePage, Panel
from app.web.pages.parts.learning import chart_comparison
from app.web.site_data import TRUTH, SiteData

HTMX = {"HX-Request": "true"}
X_WON = "03142"
ADDRESSES = [
    "/compare/",
    "/compare/40",
    f"/compare/{X_WON}",
    "/compare/31?lens=observing",
    "/compare/31?lens=q-learning-1&lens=q-learning-1_3&lens=observing_0&lens=dqn-vs-random",
]


USUAL = (SourceSnapshot("q-learning-1"), SourceSnapshot("q-iteration"))


def title(page: str) -> str:
    """Return the title of a page, with single spaces."""
    found = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    assert found
    return " ".join(found[1].split())


def made(site: SiteData, comparison: Comparison) -> ComparePage:
    return ComparePage(comparison, replay_match(Match(comparison.record, o="human"), site))


def panels(site: SiteData, comparison: Comparison) -> list[Panel]:
    return made(site, comparison).panels


def at(site: SiteData, position: int) -> MatchState:
    return replay_match(Match(find_record(site.game, position)), site)


def test_every_board_shows_the_values_of_its_lens(site: SiteData) -> None:
    views = (
        SourceSnapshot("q-learning-1"),
        SourceSnapshot("q-learning-1", 5),
        SourceSnapshot("self-play"),
    )
    for record in ("", "4", "40", "3140"):
        position = replay_record(site.game, record)[-1]
        boards = panels(site, Comparison(record, views))
        for panel, seen in zip(boards, (*views, SourceSnapshot(TRUTH)), strict=True):
            expected = evaluate_moves(site, position, *seen)
            for number, cell in enumerate(panel.board.squares):
                if site.game.legal[position, number]:
                    assert (cell.value_text, cell.is_best) == (
                        expected.value_texts[number],
                        expected.is_best[number],
                    )
                else:
                    assert (cell.value_text, cell.move_url) == ("", "")


def test_a_blunder_is_what_the_report_counts(site: SiteData) -> None:
    for name in site.agents:
        counted = find_blunders(site.game, site.policies[name])
        for position in range(0, site.game.decisions, 17):
            seen = evaluate_moves(site, position, name)
            assert can_blunder(at(site, position), seen) == counted[position]


def test_the_training_is_walked_through_snapshot_by_snapshot(site: SiteData) -> None:
    last = site.agents["self-play"].history.snapshot_count - 1
    address = {
        step: compare_url(Comparison("4", (SourceSnapshot("self-play", step),)))
        for step in range(last)
    }
    address[last] = compare_url(Comparison("4", (SourceSnapshot("self-play"),)))
    for step in range(last + 1):
        shown = SourceSnapshot("self-play", step if step < last else None)
        panel = panels(site, Comparison("4", (shown,)))[0]
        assert (panel.earlier_url, panel.later_url) == (
            address.get(step - 1, ""),
            address.get(step + 1, ""),
        )


@pytest.mark.parametrize("url", ADDRESSES)
def test_the_fragment_is_the_part_of_the_page_that_it_replaces(
    client: FlaskClient, url: str
) -> None:
    page, answer = client.get(url).text, client.get(url, headers=HTMX).text
    _, fragment = answer.split("</title>")
    assert fragment.strip() in page
    assert title(answer) == title(page)
    for target in ("status", "notice", "comparison"):
        assert fragment.count(f'id="{target}"') == page.count(f'id="{target}"') == 1


def test_one_can_go_through_all_positions_in_which_they_part(site: SiteData) -> None:
    views = (SourceSnapshot("self-play", 3), SourceSnapshot("champion"))
    listed = find_disagreements(site, views).tolist()
    record = find_next_disagreement(views, site)
    for position in listed:
        assert record is not None
        assert replay_record(site.game, record)[-1] == position
        record = find_next_disagreement(views, site, position)
    assert record is None
    assert (
        made(site, Comparison("", USUAL[1:])).disagreement_url == ""
    )  # it plays as well as can be


@pytest.mark.parametrize("figure", CURVE_TITLES)
def test_the_curves_are_the_figures_of_the_cards(site: SiteData, figure: str) -> None:
    names = ("q-learning-1", "self-play", "observing")
    views = [SourceSnapshot(name) for name in names] + [
        SourceSnapshot("self-play", 3),
        SourceSnapshot("truth"),
    ]
    charts = chart_comparison(site, views, figure)
    assert charts is not None
    (chart,) = charts.charts
    told = [
        name for name in names if figure != "task" or site.agents[name].card.figures.task_distance
    ]
    assert [line.name for line in chart.curves] == [site.display_titles[name] for name in told]
    assert len({line.css_ink for line in chart.curves}) == len(told)
    places = [moment.x_number.value for moment in charts.points]
    assert places == sorted(set(places))
    for line, name in zip(chart.curves, told, strict=True):
        card = site.agents[name].card.figures
        worst = card.best_response
        values = {
            "blunders": card.blunders,
            "losses": [50 * (x[2] + o[2]) for x, o in zip(worst.x, worst.o, strict=True)],
            "nash-conv": card.nash_conv,
            "task": card.task_distance.mean_distance if card.task_distance else [],
        }[figure]
        shown = {
            place: number.value
            for place, number in zip(places, line.numbers, strict=True)
            if number
        }
        assert list(shown) == card.snapshot_updates
        assert list(shown.values()) == pytest.approx(values, abs=1e-6)


def test_two_minds_are_one_picture_and_two_trainings_one_film(
    client: FlaskClient, site: SiteData
) -> None:
    names = ("champion", "q-learning-1")
    lasts = [site.get_last_snapshot(name) for name in names]
    asked = [f"{name}_0" for name in names]
    for frame in range(max(lasts) + 1):
        shown = ComparePage(*parse_comparison("4", asked, site)).compared_minds
        assert shown
        assert shown.film
        assert shown.are_tiles_divided
        assert (shown.frame_index, shown.film.last_frame) == (frame, max(lasts))
        for (_, _, whole), last in zip(shown.pictures, lasts, strict=True):
            moments = whole.encoded_frames.split()
            assert len(moments) == last + 1
            tiles = {heat: outline.count("M") for heat, outline in whole.paths_by_colour}
            assert Counter(moments[round(frame * last / max(lasts))]) == {
                "." if heat is None else chr(ord("U") + heat): number
                for heat, number in tiles.items()
            }
        asked = re.findall(r"lens=([^&]*)", shown.next_frame_url)
    assert asked == [f"{name}_0" for name in names]  # after the last frame the first
    page = client.get("/compare/4?lens=champion&lens=champion_1").text
    assert "Each tile has two halves" in page
    assert "film-play" not in page  # one training cannot be at two moments at once
