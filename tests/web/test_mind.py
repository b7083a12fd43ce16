"""The page of all values: the picture, the board of each tile, and error messages."""

from collections import Counter
from functools import cache
from io import BytesIO

import numpy as np
import pytest
from flask.testing import FlaskClient
from PIL import Image, ImageSequence

from app.project import ROOT
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.web.pages.mind import count_agreement
from app.web.pages.parts.learning import build_agent_film
from app.web.pictures.minds import (
    choose_decisions,
)
from app.web.site_data import SiteData
from tests.tictactoe.checker import images
from tests.tictactoe.reference import SIGN, Rules, mover

build_rules = cache(Rules)


class Told:
    """The values of an agent at a snapshot, computed again from the model file only.

    Boards are text, by the rules of tests/tictactoe/reference.py; only the numbers of positions and
    the rewards on the card come from the app.
    """

    def __init__(self, site: SiteData, name: str, step: int) -> None:
        rules, game, agent = build_rules(), GAME, site.agents[name]
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


def every_mind(site: SiteData) -> list[tuple[str, int]]:
    """Return an agent of each algorithm with expected results, at the end and at three snapshots."""
    cards = {name: agent.card for name, agent in site.agents.items()}
    names = {card.algorithm: name for name, card in cards.items() if card.reward_scale}.values()
    lasts = {name: site.get_last_snapshot(name) for name in names}
    return [(name, step) for name, last in lasts.items() for step in {0, last // 2, last - 1, last}]


@pytest.mark.long
def test_what_is_known_expected_and_counted_is_so(site: SiteData) -> None:
    """The tiles, the sentence and the table, compared with the model file."""
    names = [format_position(GAME, position) for position in site.tile_layout.decisions]
    for name, step in every_mind(site):
        told, film = Told(site, name, step), build_agent_film(site, name)
        shown = [told.shown(board) for board in names]
        known = sum(any(told.known[image] for image in told.images[board]) for board in names)
        assert film.frames[step].caption == f"Values learned in {known} of 627 positions."
        rows, knows = choose_decisions(site, name, step)
        assert rows[0].tolist() == [told.number[board] for board in shown]
        assert knows[0].tolist() == [told.known[board] for board in shown]
        assert knows.sum() == known
        table = Counter((9 - b.count("."), told.truth[b], told.expects(b)) for b in shown)
        assert count_agreement(site, name, step) == [
            [table[ply, truth, expects] for truth in (1, 0, -1) for expects in (1, 0, -1, None)]
            for ply in range(9)
        ]


def test_the_film_of_a_training_is_a_moving_picture(client: FlaskClient, site: SiteData) -> None:
    """It is the same for everybody, small, and has a frame for each snapshot."""
    film = client.get("/mind/q-table.gif")
    assert film.mimetype == "image/gif"
    assert len(film.data) < 2_000_000
    with Image.open(BytesIO(film.data)) as picture:
        sizes = [frame.size for frame in ImageSequence.Iterator(picture)]
    assert sizes == [(640, 340)] * (site.get_last_snapshot("q-table") + 1)
    assert film.data == (ROOT / "docs/film.gif").read_bytes()
