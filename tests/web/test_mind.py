"""The mind page: the picture, any tile of it as a board, and what is wrong said in sentences."""

import gzip
import re
from html import unescape

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.mind import UNKNOWN, frame
from app.web import addresses
from app.web.lens import HEAT_STEPS
from app.web.pictures.minds import (
    KINDS,
    colouring,
    kinds,
    outlines,
    picture,
    representatives,
)
from app.web.pictures.palette import LEVELS
from app.web.world import World

HTMX = {"HX-Request": "true"}
NAMES = ["q-table", "champion", "observing", "dqn-vs-random"]
A_FRAME = 15 * 1024  # bytes


@pytest.mark.parametrize("name", NAMES)
def test_every_tile_is_drawn_once_in_the_colour_that_the_film_has(world: World, name: str) -> None:
    last = world.last_step(name)
    for step in (0, last // 2, last):
        drawn = picture(world, name, step, moving=True)
        starts = [outline.count("M") for _, outline in drawn.paths]
        assert sum(starts) == 627 == len(drawn.places.split())
        heats = colouring(world, name, "expects").heat[step]
        assert drawn.frames.split()[step] == frame(heats)
        for (heat, outline), number in zip(drawn.paths, starts, strict=True):
            value = UNKNOWN if heat is None else heat
            assert number == (heats == value).sum()
            assert outline.count(drawn.tile) == number


def test_a_tile_lies_where_the_picture_says(world: World) -> None:
    where = world.tiles
    heat = np.full(627, UNKNOWN, np.int8)
    heat[100] = 7
    (_, _), (_, alone) = outlines(where, heat)
    x, y = where.column[100] + 0.15, where.top[100] + 0.05
    assert alone.startswith(f"M{x:g} {y:g}h")


def test_a_network_knows_everything_after_its_first_update(world: World) -> None:
    known = colouring(world, "dqn-vs-random", "expects").known
    assert not known[0].any()
    assert known[1:].all()


def test_who_has_no_task_is_not_coloured_by_it(world: World, client: FlaskClient) -> None:
    assert world.task("observing") is None
    assert "wrong-task" not in kinds(world, "observing")
    assert [*kinds(world, "q-table")] == [*KINDS]
    assert client.get("/mind/observing?colour=wrong-task").status_code == 400


def test_in_its_own_task_a_mind_errs_less_than_by_best_play(world: World) -> None:
    """Q-learning 1 was asked to beat random moves, and so it hopes for too much of others."""
    by_truth, by_task = (
        colouring(world, "q-learning-1", kind).heat[-1] for kind in ("wrong", "wrong-task")
    )
    assert by_task.mean() < by_truth.mean()
    assert by_truth.max() > LEVELS / 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES[:2])
def test_each_colouring_has_a_page(client: FlaskClient, name: str, kind: str) -> None:
    page = client.get(addresses.mind(name, 3, kind)).text
    scale = KINDS[kind].scale
    assert f'data-scale="{scale}"' in page
    assert f'id="colour-{kind}" href="/mind/{name}?step=3' in page
    low = -HEAT_STEPS if scale == "heat" else 0
    shown = {int(heat) for heat in re.findall(rf'<path data-{scale}="(-?\d+)" d="[^"]*h.7l', page)}
    assert shown <= {*range(low, (HEAT_STEPS if scale == "heat" else LEVELS) + 1)}


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_is_light(client: FlaskClient, name: str) -> None:
    """The whole page, which has all frames, sends at most so much for each."""
    body = client.get(f"/mind/{name}", headers={"Accept-Encoding": "gzip"}).data
    assert len(body) <= A_FRAME
    assert b"<svg" in gzip.decompress(body)


def test_a_tile_says_what_is_so(client: FlaskClient, world: World) -> None:
    name = "q-table"
    rows, heats = representatives(world, name), colouring(world, name, "expects")
    for tile in range(0, 627, 48):
        page = client.get(addresses.mind(name, tile=tile), headers=HTMX).text
        truth = {1: "a win", 0: "a draw", -1: "a loss"}[int(world.tiles.truth[tile])]
        assert f"Really <b>{truth}</b>" in page
        expects = heats.heat[-1, tile]
        wrong = expects != UNKNOWN and round(expects / HEAT_STEPS) != world.tiles.truth[tile]
        assert ('class="error"' in page) == wrong
        assert ("knows nothing here" in page) == (expects == UNKNOWN)
        link = re.search(r'id="tile-open" class="button" href="([^"]+)"', page)
        assert link
        stones = client.get(unescape(link[1])).text.count('class="mark"')
        assert stones >= int((world.game.board[rows[tile]] != 0).sum())


def test_the_tiles_are_a_ring_of_links(client: FlaskClient) -> None:
    first = client.get("/mind/q-table").text
    assert 'id="tile-before" class="button" href="/mind/q-table?tile=626"' in first
    assert 'id="tile-after" class="button" href="/mind/q-table?tile=1"' in first
    last = client.get("/mind/q-table?step=2&tile=626").text
    assert 'id="tile-after" class="button" href="/mind/q-table?step=2"' in last


def test_the_fragment_is_a_part_of_the_page(client: FlaskClient) -> None:
    url = "/mind/q-table?step=4&tile=99&colour=wrong"
    page, fragment = client.get(url), client.get(url, headers=HTMX)
    assert fragment.text.strip() in page.text
    assert "HX-Request" in page.headers["Vary"]
    assert page.headers["ETag"] != fragment.headers["ETag"]
