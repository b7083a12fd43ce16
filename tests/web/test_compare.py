"""The comparison page: several boards show one position with different values."""

from typing import Any

import pytest

from app.tictactoe.game import GAME
from app.tictactoe.notation import find_record, replay_record
from app.tictactoe.report import find_blunders
from app.web.comparison import (
    CURVE_TITLES,
    Comparison,
    SourceSnapshot,
)
from app.web.match import Match, MatchState, replay_match
from app.web.move_values import can_blunder, evaluate_moves
from app.web.pages.compare import build_panels
from app.web.pages.parts.learning import build_comparison_chart
from app.web.site_data import TRUTH, SiteData


def panels(site: SiteData, comparison: Comparison) -> list[dict[str, Any]]:
    return build_panels(comparison, replay_match(Match(comparison.record, o="human"), site))


def at(site: SiteData, position: int) -> MatchState:
    return replay_match(Match(find_record(GAME, position)), site)


def test_every_board_shows_the_values_of_its_lens(site: SiteData) -> None:
    views = (
        SourceSnapshot("q-learning-1"),
        SourceSnapshot("q-learning-1", 5),
        SourceSnapshot("self-play"),
    )
    for record in ("", "4", "40", "3140"):
        position = replay_record(GAME, record)[-1]
        boards = panels(site, Comparison(record, views))
        for panel, seen in zip(boards, (*views, SourceSnapshot(TRUTH)), strict=True):
            expected = evaluate_moves(site, position, *seen)
            for number, cell in enumerate(panel["board"].squares):
                if GAME.legal[position, number]:
                    assert (cell.value_text, cell.is_best) == (
                        expected.value_texts[number],
                        expected.is_best[number],
                    )
                else:
                    assert (cell.value_text, cell.move_url) == ("", "")


def test_a_blunder_is_what_the_report_counts(site: SiteData) -> None:
    for name in site.agents:
        counted = find_blunders(GAME, site.policies[name])
        for position in range(0, GAME.decisions, 101):
            seen = evaluate_moves(site, position, name)
            assert can_blunder(at(site, position), seen) == counted[position]


@pytest.mark.parametrize("figure", CURVE_TITLES)
def test_the_curves_are_the_figures_of_the_cards(site: SiteData, figure: str) -> None:
    names = ("q-learning-1", "self-play", "observing")
    views = [SourceSnapshot(name) for name in names] + [
        SourceSnapshot("self-play", 3),
        SourceSnapshot("truth"),
    ]
    charts = build_comparison_chart(site, views, figure)
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
