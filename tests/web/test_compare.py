"""The comparison page: several boards show one position with different values."""

import html
import re
from collections import Counter

import pytest
from flask.testing import FlaskClient

from app.tictactoe.notation import find_record, parse_position, replay_record
from app.tictactoe.report import find_blunders
from app.web import urls
from app.web.comparison import (
    CURVE_TITLES,
    Comparison,
    SourceSnapshot,
    find_next_disagreement,
    parse_comparison,
)
from app.web.facts import find_disagreements
from app.web.match import Match, MatchState, replay_match
from app.web.move_values import can_blunder, evaluate_moves
from app.web.pages.compare import ComparePage, Panel, describe_plays
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


def test_the_title_says_who_is_compared(client: FlaskClient, site: SiteData) -> None:
    updates = site.agents["champion"].snapshot_updates[2]
    page = client.get("/compare/4?lens=self-play&lens=champion_2").text
    assert title(page) == (
        f"Self-play and Champion after {updates} updates compared with optimal play · Q-Tac-Toe"
    )


def test_a_square_is_played_on_all_boards(client: FlaskClient) -> None:
    page = client.get("/compare/4?lens=self-play&lens=champion_2").text
    assert html.unescape(page).count('href="/compare/40?lens=self-play&lens=champion_2"') == 3
    assert 'href="/compare/44' not in page


def test_the_table_holds_every_empty_square_of_every_board(site: SiteData) -> None:
    comparison = Comparison("31", (SourceSnapshot("q-learning-1"), SourceSnapshot("dqn-vs-random")))
    rows = made(site, comparison).rows
    names = [
        "top left",
        "top right",
        "centre",
        "middle right",
        "bottom left",
        "bottom middle",
        "bottom right",
    ]
    assert [name for name, _ in rows] == names
    boards = [panel.board.squares for panel in panels(site, comparison)]
    assert [cells for _, cells in rows] == [
        list(cells) for cells in zip(*boards, strict=True) if cells[0].mark == "."
    ]


def test_a_blunder_is_what_the_report_counts(site: SiteData) -> None:
    for name in site.agents:
        counted = find_blunders(site.game, site.policies[name])
        for position in range(0, site.game.decisions, 17):
            seen = evaluate_moves(site, position, name)
            assert can_blunder(at(site, position), seen) == counted[position]


def summary(site: SiteData, record: str, *lenses: str) -> str:
    comparison = Comparison(record, tuple(map(SourceSnapshot, lenses)))
    return made(site, comparison).agreement_text


def test_the_summary_says_who_agrees_and_who_errs(site: SiteData) -> None:
    blocked = find_record(site.game, parse_position(site.game, "XX..O...."))
    assert summary(site, blocked, "q-iteration", "champion") == (
        "Both play top right. No agent blunders in this position: "
        "with optimal play the result stays a draw."
    )
    assert summary(site, blocked, "q-iteration") == (
        "Q-iteration plays top right. No agent blunders in this position: "
        "with optimal play the result stays a draw."
    )
    title = site.display_titles["double-q"]
    assert summary(site, "31", "q-iteration", "champion", "double-q") == (
        "Q-iteration and Champion play top left or centre; "
        f"{title} alone plays bottom left. "
        f"With optimal play the result is a win, but {title} can give away the win by a blunder."
    )
    lost = find_record(site.game, parse_position(site.game, "XX.O....."))
    assert summary(site, lost, "q-iteration").endswith("With optimal play every move loses here.")


def test_a_name_in_a_sentence_has_no_comma(site: SiteData) -> None:
    assert "DQN against random plays" in summary(site, "31", "dqn-vs-random", "q-iteration")


def test_a_finished_game_is_so_on_all_boards(client: FlaskClient) -> None:
    page = client.get(f"/compare/{X_WON}").text
    assert page.count('class="strike"') == 3
    assert "X wins" in page
    assert 'class="value"' not in page
    assert "As numbers" not in page


def test_the_training_is_walked_through_snapshot_by_snapshot(site: SiteData) -> None:
    last = site.agents["self-play"].history.snapshot_count - 1
    address = {
        step: urls.compare_url(Comparison("4", (SourceSnapshot("self-play", step),)))
        for step in range(last)
    }
    address[last] = urls.compare_url(Comparison("4", (SourceSnapshot("self-play"),)))
    for step in range(last + 1):
        shown = SourceSnapshot("self-play", step if step < last else None)
        panel = panels(site, Comparison("4", (shown,)))[0]
        assert (panel.earlier_url, panel.later_url) == (
            address.get(step - 1, ""),
            address.get(step + 1, ""),
        )


def test_a_view_is_not_led_to_where_another_board_has_it(site: SiteData) -> None:
    last = site.agents["self-play"].history.snapshot_count - 1
    both = Comparison("", (SourceSnapshot("self-play", last - 1), SourceSnapshot("self-play")))
    before, shipped, _ = panels(site, both)
    assert (before.later_url, shipped.earlier_url) == ("", "")


def test_the_last_agent_cannot_be_removed(site: SiteData) -> None:
    two = panels(site, Comparison("4", USUAL))
    assert two[0].remove_url == "/compare/4?lens=q-iteration"
    assert two[1].remove_url == "/compare/4?lens=q-learning-1"
    alone = panels(site, Comparison("4", (SourceSnapshot("q-iteration"),)))
    assert [panel.remove_url for panel in alone] == ["", ""]


def test_who_is_there_is_not_offered_again(client: FlaskClient) -> None:
    page = client.get("/compare/?lens=self-play&lens=champion_2").text
    offered = re.findall(r'<option value="([^"]+)"', page)
    assert offered.count("self-play") == 1  # itself, as what its own board shows
    assert offered.count("champion") == 3  # one link to add it, and two to replace an agent


def test_four_are_the_most(client: FlaskClient) -> None:
    page = client.get(ADDRESSES[-1]).text
    assert 'id="adding"' not in page
    assert page.count('class="board"') == 5


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


def test_the_agents_moves_are_those_it_would_play(site: SiteData) -> None:
    position = replay_record(site.game, "31")[-1]
    seen = evaluate_moves(site, position, "q-iteration")
    assert seen.is_best == (site.policies["q-iteration"][position] > 0).tolist()
    assert describe_plays(site, seen) == "Top left or centre: +1.00"
    assert (
        describe_plays(site, evaluate_moves(site, position, TRUTH))
        == "Top left or centre: win in 5 moves"
    )
    untouched = evaluate_moves(site, 0, "observing", 0)
    assert describe_plays(site, untouched) == "Any of 9 squares: not tried yet"


def test_it_opens_where_the_usual_ones_part(client: FlaskClient, site: SiteData) -> None:
    comparison, state = parse_comparison("", [], site)
    one, other = (
        set(evaluate_moves(site, state.position, view.value_source).likeliest_cells)
        for view in USUAL
    )
    assert not one & other
    assert any(panel.is_blunder for panel in panels(site, comparison))
    page = html.unescape(client.get("/compare/").text)
    assert page.count(f'href="/compare/{comparison.record}0?lens=q-learning-1&lens=q-iteration"')


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


def test_another_figure_is_a_link_that_keeps_the_rest(client: FlaskClient) -> None:
    page = html.unescape(client.get("/compare/4?lens=self-play&figure=losses").text)
    links = re.findall(r'id="figure-([^"]+)" href="([^"]+)"( aria-current="true")?', page)
    assert [(name, bool(chosen)) for name, _, chosen in links] == [
        (name, name == "losses") for name in CURVE_TITLES
    ]
    for name, href, _ in links:
        assert href == f"/compare/4?lens=self-play&figure={name}"
    assert 'href="/compare/40?lens=self-play&figure=losses"' in page
    assert client.get("/compare/4?figure=points").status_code == 400


def test_where_nobody_learned_there_is_no_curve(client: FlaskClient) -> None:
    page = client.get("/compare/4?lens=q-iteration_task").text
    assert "These agents have no learning curves of this kind." in page
    assert 'class="mind' not in page


def test_the_whole_mind_of_everybody_who_learned_is_there(client: FlaskClient) -> None:
    page = client.get("/compare/4?lens=self-play&lens=menace_3&lens=self-play_task").text
    assert page.count('class="mind small"') == 2  # beads expect nothing: they stand beside it
    assert 'href="/mind/menace?step=3"' in page


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


def test_a_curve_of_the_slider_has_the_ink_of_its_board_and_of_its_chart(
    client: FlaskClient,
) -> None:
    """Also if the first value source has no such figure."""
    lenses = ("menace", "q-learning-1", "q-iteration")
    page = client.get(f"/compare/4?figure=task&{'&'.join(f'lens={name}' for name in lenses)}").text
    boards = re.findall(r'<section class="panel[^>]*data-ink="(\w+)"', page)
    slider = re.findall(r'<path class="curve" data-ink="(\w+)"', page)
    assert boards == slider
    assert len(set(boards)) == 3
    drawn = re.findall(r'<path class="(\w+) curve"[^>]*d="M1 6h26"', page)
    assert drawn == [boards[1]]
    assert '<a href="/compare/" aria-current="true">Compare</a>' in page


def test_a_frame_of_the_film_is_a_moment_of_all_agents(client: FlaskClient, site: SiteData) -> None:
    names = ("champion", "observing", "q-iteration_task")
    lasts = [site.get_last_snapshot(name) for name in names[:2]]
    asked = "&".join(f"lens={name}" for name in names)
    for frame in range(max(lasts) + 1):
        answer = client.get(f"/compare/4?{asked}&figure=losses&frame={frame}")
        steps = [round(frame * last / max(lasts)) for last in lasts]
        views = [
            SourceSnapshot(name, None if step == last else step)
            for name, step, last in zip(names, steps, lasts, strict=False)
        ]
        shown = Comparison("4", (*views, SourceSnapshot(names[2])), "losses")
        assert (answer.status_code, answer.location) == (303, urls.compare_url(shown))
        told = made(site, shown).compared_minds
        assert told
        assert told.frame_index == frame
    # What the slider sends leads to a moment from any other, and the numbers are what is shown.
    page = html.unescape(client.get("/compare/4?lens=champion_2&lens=observing").text)
    sent = re.findall(r'<form id="moment".*?</form>', page, re.DOTALL)[0]
    one, other = site.agents["champion"].card.figures, site.agents["observing"].card.figures
    assert f">{one.snapshot_updates[2]:,} / {other.snapshot_updates[-1]:,}</b>" in sent
    assert f">{one.blunders[2]:,} / {other.blunders[-1]:,}</b>" in sent
    assert re.findall(r'name="lens" value="([^"]+)"', sent) == ["champion_2", "observing"]
    assert 'hx-get="/compare/4"' in sent
    assert 'name="frame" min="0"' in sent
    assert "<noscript><button" in sent
