"""The page of all values: the picture, the board of each tile, and error messages."""

import re
from collections import Counter
from html import unescape
from io import BytesIO

import numpy as np
import pytest
from flask.testing import FlaskClient
from PIL import Image, ImageSequence

from app.tictactoe.notation import format_position
from app.tictactoe.value_map import UNKNOWN, encode_frame
from app.web.comparison import parse_comparison
from app.web.links.mind import mind_url
from app.web.pages.compare import ComparePage
from app.web.pages.mind import build_mind_page
from app.web.pictures.minds import (
    choose_decisions,
    colour_tiles,
    draw_mind,
)
from app.web.service.deployment import ROOT
from app.web.site_data import SiteData
from tests.tictactoe.checker import images
from tests.tictactoe.reference import SIGN, Rules, mover

HTMX = {"HX-Request": "true"}
NAMES = ["q-table", "champion", "observing", "dqn-vs-random"]
RULES = Rules()


class Told:
    """The values of an agent at a snapshot, computed again from the model file only.

    Boards are text, by the rules of tests/tictactoe/reference.py; only the numbers of positions and
    the rewards on the card come from the app.
    """

    def __init__(self, site: SiteData, name: str, step: int) -> None:
        rules, game, agent = RULES, site.game, site.agents[name]
        boards = [format_position(game, position) for position in range(game.decisions)]
        with np.load(ROOT / "models" / f"{name}.npz") as file:
            values = file["snapshot_q"][step].tolist()
            updated = file["snapshot_updated"][step].tolist()
            begun = int(file["snapshot_updates"][step]) > 0
            self.visits = {
                b: sum(row) for b, row in zip(boards, file["visits"].tolist(), strict=True)
            }
        best: dict[str, float] = {}
        self.known: dict[str, bool] = {}  # whether each board is known
        pairs = [(board, after) for board in boards for after in rules.children[board].values()]
        for (board, after), value, met in zip(pairs, values, updated, strict=True):
            best[board] = max(best.get(board, value), value)
            told = False
            if agent.card.algorithm == "dqn":  # an update of a network moves all its values
                told = begun
            elif agent.card.algorithm == "td-afterstates":  # the rules tell it of all ends
                told = rules.result(after) is not None
            self.known[board] = self.known.get(board, False) or met or told
        assert agent.card.reward_scale
        self.scales = {
            m: agent.card.reward_scale.get_rewards("x" if m == "X" else "o") for m in "XO"
        }
        self.best, self.images = best, {board: images(rules, board) for board in boards}
        self.number = {board: position for position, board in enumerate(boards)}
        self.truth = {b: SIGN[mover(b)] * rules.solved[b][0] for b in boards}

    def shown(self, board: str) -> str:
        """Return the position that represents its class: known, most updates, lowest number."""
        return max(
            self.images[board], key=lambda b: (self.known[b], self.visits[b], -self.number[b])
        )

    def expects(self, board: str) -> int | None:
        """Return the outcome nearest to the value, None if it is unknown."""
        if not self.known[board]:
            return None
        loss, draw, win = self.scales[mover(board)]
        value = min(max(self.best[board], loss), win) - draw
        part = value / (win - draw if value > 0 else draw - loss)
        return 0 if abs(part) <= 0.5 else 1 if part > 0 else -1


@pytest.mark.parametrize("name", NAMES)
def test_every_tile_is_drawn_once_in_the_colour_that_the_film_has(
    site: SiteData, name: str
) -> None:
    last = site.get_last_snapshot(name)
    for step in (0, last // 2, last):
        drawn = draw_mind(site, name, step, has_all_frames=True)
        starts = [outline.count("M") for _, outline in drawn.paths_by_colour]
        assert sum(starts) == 627 == len(drawn.tile_coordinates.split())
        heats = colour_tiles(site, name, "expects").colour_levels[step]
        assert drawn.encoded_frames.split()[step] == encode_frame(heats)
        for (heat, outline), number in zip(drawn.paths_by_colour, starts, strict=True):
            value = UNKNOWN if heat is None else heat
            assert number == (heats == value).sum()
            assert outline.count(drawn.tile_outline) == number


def test_a_tile_says_what_is_so(client: FlaskClient, site: SiteData) -> None:
    name = "q-table"
    heats, told = colour_tiles(site, name, "expects"), Told(site, name, -1)
    for tile in range(0, 627, 48):
        page = client.get(mind_url(name, tile_number=tile), headers=HTMX).text
        truth = {1: "a win", 0: "a draw", -1: "a loss"}[int(site.tile_layout.optimal_value[tile])]
        assert f"With optimal play the result is <b>{truth}</b>" in page
        board = told.shown(format_position(site.game, site.tile_layout.decisions[tile]))
        unknown = told.expects(board) is None
        assert (
            ("The agent has never updated a value of this position" in page)
            == unknown
            == (heats.colour_levels[-1, tile] == UNKNOWN)
        )
        link = re.search(r'id="tile-open" class="button" href="([^"]+)"', page)
        assert link
        stones = client.get(unescape(link[1])).text.count('class="mark"')
        assert stones >= 9 - board.count(".")


def every_mind(site: SiteData) -> list[tuple[str, int]]:
    """Return an agent of each algorithm with expected results, at the end and at three snapshots."""
    cards = {name: agent.card for name, agent in site.agents.items()}
    names = {card.algorithm: name for name, card in cards.items() if card.reward_scale}.values()
    lasts = {name: site.get_last_snapshot(name) for name in names}
    return [(name, step) for name, last in lasts.items() for step in {0, last // 2, last - 1, last}]


def test_what_is_known_expected_and_counted_is_so(site: SiteData) -> None:
    """The tiles, the sentence and the table, compared with the model file."""
    names = [format_position(site.game, position) for position in site.tile_layout.decisions]
    for name, step in every_mind(site):
        told, page = Told(site, name, step), build_mind_page(site, name, {"step": str(step)})
        shown = [told.shown(board) for board in names]
        known = sum(any(told.known[image] for image in told.images[board]) for board in names)
        assert page.film.frames[step].caption == f"Values learned in {known} of 627 positions."
        rows, knows = choose_decisions(site, name, step)
        assert rows[0].tolist() == [told.number[board] for board in shown]
        assert knows[0].tolist() == [told.known[board] for board in shown]
        assert knows.sum() == known
        table = Counter((9 - b.count("."), told.truth[b], told.expects(b)) for b in shown)
        assert page.agreement_counts == [
            [table[ply, truth, expects] for truth in (1, 0, -1) for expects in (1, 0, -1, None)]
            for ply in range(9)
        ]


def test_two_minds_agree_where_they_expect_the_same_outcome(site: SiteData) -> None:
    decisions = [format_position(site.game, position) for position in site.tile_layout.decisions]
    for views in (("double-q", -1), ("q-table", 3)), (("self-play", 9), ("dqn-vs-random", -1)):
        one, other = (Told(site, *view) for view in views)
        agree = sum(
            one.expects(one.shown(board)) == other.expects(other.shown(board)) is not None
            for board in decisions
        )
        lenses = [name if step < 0 else f"{name}_{step}" for name, step in views]
        minds = ComparePage(*parse_comparison("", lenses, site)).compared_minds
        assert minds
        assert minds.agreement_text == str(agree)


def test_the_film_of_a_training_is_a_moving_picture(client: FlaskClient, site: SiteData) -> None:
    """It is the same for everybody, small, and has a frame for each snapshot."""
    for name in ("q-table", "q-learning-4"):
        film = client.get(f"/mind/{name}.gif")
        assert film.mimetype == "image/gif"
        assert len(film.data) < 2_000_000
        with Image.open(BytesIO(film.data)) as picture:
            sizes = [frame.size for frame in ImageSequence.Iterator(picture)]
        assert sizes == [(640, 340)] * (site.get_last_snapshot(name) + 1)
    assert client.get("/mind/q-table.gif").data == (ROOT / "docs/film.gif").read_bytes()
