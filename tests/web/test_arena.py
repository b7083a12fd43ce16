"""The arena: the exact chances of each pair of agents."""

from typing import Any

import numpy as np
import pytest

from app.tictactoe.game import GAME
from app.tictactoe.values import compute_outcome_chances
from app.web.facts import rank_players
from app.web.formatting import MINUS, format_percent
from app.web.links.play import play_url
from app.web.match import Match
from app.web.move_values import HEAT_STEPS
from app.web.pages.arena import ARENA_MEASURES, build_table_rows, list_standings
from app.web.site_data import SiteData

PLACES = {"win": 0, "draw": 1, "loss": 2}


def table(site: SiteData, show: str) -> list[dict[str, Any]]:
    return build_table_rows(site, rank_players(site), ARENA_MEASURES[show])


def league(site: SiteData) -> dict[str, dict[str, Any]]:
    return {one["title"]: one for one in list_standings(site, rank_players(site))}


def number(text: str) -> float:
    """Return a score as it is written, in percent, with the forms "<1%" and ">99%"."""
    return float(text.replace(MINUS, "-").replace("<1", "0.5").replace(">99", "99.5"))


def test_every_square_shows_the_chances_of_its_pair(site: SiteData) -> None:
    tables = {show: table(site, show) for show in ARENA_MEASURES}
    names = [row["id"] for row in tables["score"]]
    assert sorted(names) == sorted(site.policies)
    for x, name in enumerate(names):
        # every fifth square of the row, so that each row and each column has some
        for o in range(x % 5, len(names), 5):
            other = names[o]
            policies = site.policies[name], site.policies[other]
            chances = compute_outcome_chances(GAME, *policies)[0].round(9)
            for show, place in PLACES.items():
                cell = tables[show][x]["pairings"][o]
                assert cell["text"] == format_percent(chances[place], 0)
                assert abs(cell["heat"]) == round(chances[place] * HEAT_STEPS)
                assert f"{format_percent(chances[place])}%" in cell["label"]
            cell, score = tables["score"][x]["pairings"][o], chances[0] - chances[2]
            assert number(cell["text"]) == pytest.approx(100 * score, abs=0.5 + 1e-9)
            assert (abs(score) == 1) == (cell["text"] in ("+100", f"{MINUS}100"))
            assert cell["heat"] == round(score * HEAT_STEPS)
            assert cell["href"] == play_url(Match(x=name, o=other))
            assert cell["label"].startswith(
                f"{cell['text']}: {site.display_titles[name]} as X "
                f"against {site.display_titles[other]} as O"
            )


def test_the_league_is_sorted_and_equals_share_a_rank(site: SiteData) -> None:
    standings = league(site)
    ranks = [standing["rank"] for standing in standings.values()]
    assert ranks == sorted(ranks)
    assert ranks[0] == 1
    # Three ways to play any best move with equal chances.
    same = {site.display_titles[name] for name in ("q-iteration", "champion", "minimax-random")}
    assert len({standings[title]["rank"] for title in same}) == 1


def test_the_score_of_the_league_is_the_mean_of_its_squares(site: SiteData) -> None:
    rows, standings = table(site, "score"), league(site)
    for place, row in enumerate(rows):
        as_x = np.mean([number(pairing["text"]) for pairing in row["pairings"]]) / 100
        as_o = -np.mean([number(other["pairings"][place]["text"]) for other in rows]) / 100
        shown = standings[row["title"]]
        for text, mean in [
            (shown["score_as_x"], as_x),
            (shown["score_as_o"], as_o),
            (shown["score"], as_x / 2 + as_o / 2),
        ]:
            assert float(text.replace(MINUS, "-")) == pytest.approx(mean, abs=0.011)
