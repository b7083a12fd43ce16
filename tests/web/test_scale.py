"""One scale for all boards: the sign of a number is the sign of its colour."""

import random
import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO

import numpy as np
import pytest
from flask.testing import FlaskClient
from msgspec import structs
from PIL import Image

from app.recipes import name_recipe, parse_recipe
from app.recipes.parameters import Recipe, RecipeError
from app.tictactoe import value_map
from app.tictactoe.agents import Agent
from app.tictactoe.game import GAME
from app.tictactoe.history import History
from app.web.formatting import MINUS
from app.web.move_values import HEAT_STEPS, evaluate_moves
from app.web.on_demand import AgentsOnDemand
from app.web.pictures.boards import SQUARE_GAP, SQUARE_SIZE
from app.web.pictures.palette import DEFAULT_PALETTE, compute_colour
from app.web.pictures.svg import PREVIEW_MARGIN, PREVIEW_SIZE, PREVIEW_TEXT_HEIGHT
from app.web.site_data import TRUTH, SiteData
from training.run import record_history

LEARNERS = (
    *("q-learning", "q-table", "double-q", "sarsa", "expected-sarsa", "sarsa-lambda"),
    "monte-carlo",
    *("td-afterstates", "self-play", "q-iteration"),
)
REWARDS = (-10, -1, -0.5, -0.01, 0, 0.01, 0.3, 1, 2.5, 10)


def colour_of(text: str) -> int:
    """Return the colour number of a value: its sign, and a step for each twentieth."""
    value = float(text.replace(MINUS, "-"))
    assert not (value == 0 and text.strip("0.")), f"{text} is another way to write 0.00"
    steps = max(1, round(HEAT_STEPS * abs(value))) if value else 0
    return steps if value > 0 else -steps


def squares(site: SiteData, lens: str, step: int | None = None) -> Iterator[tuple[str, int]]:
    """Return the numbers on coloured squares of some positions, and their colours."""
    for position in range(0, GAME.decisions, 401):
        view = evaluate_moves(site, position, lens, step)
        for cell in GAME.legal[position].nonzero()[0]:
            if view.is_known[cell] and not view.are_beads:
                yield view.value_texts[cell], view.heats[cell]


def recipes() -> list[Recipe]:
    """100 recipes of all kinds of learners, with all kinds of rewards."""
    dice = random.Random(21)
    found: dict[str, Recipe] = {}
    while len(found) < 100:
        loss, draw, win = sorted(dice.choices(REWARDS, k=3))
        kind = dice.choice(LEARNERS)
        much = f"sweeps={dice.randint(1, 3)}" if kind == "q-iteration" else "games=30"
        try:
            recipe = parse_recipe(f"{kind},{much},loss={loss},draw={draw},win={win}")
        except RecipeError:
            continue
        found[name_recipe(recipe)] = recipe
    return list(found.values())


@pytest.fixture(scope="module")
def trained(site: SiteData) -> SiteData:
    """Site data with these recipes as agents, without evaluation."""
    card = site.agents["q-learning-1"].card
    agents = {}
    for recipe in recipes():
        start, *_, end = record_history(recipe, GAME, lambda _: None)
        tables = np.stack([moment.q[GAME.legal] for moment in (start, end)])
        known = np.stack([moment.visits[GAME.legal] > 0 for moment in (start, end)])
        agents[name_recipe(recipe)] = Agent(
            card=structs.replace(
                card,
                recipe=name_recipe(recipe),
                algorithm=recipe.slug,
                reward_scale=recipe.get_reward_scale(),
            ),
            q=end.q,
            visits=end.visits,
            snapshot_updates=site.agents["q-learning-1"].snapshot_updates[[0, -1]],
            history=History.from_snapshots(tables, known),
        )
    return SiteData(AgentsOnDemand(agents, None), agents, site.baselines)


def test_on_a_square_of_every_agent(site: SiteData) -> None:
    for lens in (*site.value_sources, TRUTH):
        shown = list(squares(site, lens))
        assert [colour_of(text) for text, _ in shown] == [heat for _, heat in shown], lens


def test_on_a_square_of_100_recipes(trained: SiteData) -> None:
    assert len(trained.agents) == 100
    seen = set()
    for lens in trained.agents:
        for text, heat in squares(trained, lens):
            assert colour_of(text) == heat, (lens, text)
            seen.add(heat)
    assert len(seen) > HEAT_STEPS  # colours of all kinds


def test_the_bar_has_the_value_that_the_mind_has(site: SiteData) -> None:
    """In all positions with an untried move of the highest value, and in others."""
    untried_best = 0
    for lens, agent in site.agents.items():
        if agent.card.reward_scale is None:
            continue
        game, learned = GAME, agent.q[GAME.legal]
        rows = np.arange(game.decisions)
        values = value_map.estimate_outcomes(game, rows, learned, agent.card.reward_scale)
        last = site.get_last_snapshot(lens)
        known = site.find_known_moves(lens, last, slice(None))
        tried = value_map.get_best_move_values(game, rows, np.where(known, learned, -np.inf))
        deciding = (tried < value_map.get_best_move_values(game, rows, learned)) & np.isfinite(
            tried
        )
        untried_best += int(np.count_nonzero(deciding))
        for position in {*np.flatnonzero(deciding).tolist(), *range(0, game.decisions, 301)}:
            found = evaluate_moves(site, position, lens).best_value
            if np.isfinite(tried[position]):
                assert found == values[position], (lens, position)
            else:
                assert found is None
    assert untried_best > 400


def preview_of_page(client: FlaskClient, url: str) -> Image.Image:
    """Return the preview picture of a page."""
    head = client.get(url).text
    (shown,) = re.findall('og:image" content="http://localhost([^"]+)"', head)
    picture = client.get(unescape(shown))
    assert picture.status_code == 200, picture.text
    assert picture.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    return Image.open(BytesIO(picture.data)).convert("RGB")


@pytest.mark.parametrize(
    "url",
    [
        "/",
        "/agents",
        "/play/40?o=q-learning-1",
        "/play/4?o=human&lens=observing",
        "/why/4?lens=observing&cell=0",
        "/compare/40?lens=self-play&lens=q-table",
        "/teach/menace,vs=you,games=4,taught=245.45810.5713.12368",
        "/teach",
    ],
)
def test_the_preview_of_a_page_has_the_squares_of_its_board(client: FlaskClient, url: str) -> None:
    """Never with values for the other side, and always in light colours."""
    text = client.get("/" if url == "/agents" else url).text
    squares = re.findall(r'<(?:a|div|button)[^>]*class="cell[^>]*>', text)[:9]
    heats = [found and int(found[1]) for found in (re.search('heat="(.+?)"', s) for s in squares)]
    assert any(heats) or url.startswith("/teach")
    image = preview_of_page(client, url)
    scale = (PREVIEW_SIZE[1] - PREVIEW_MARGIN - PREVIEW_TEXT_HEIGHT) / (
        3 * (SQUARE_SIZE + SQUARE_GAP) - SQUARE_GAP
    )
    left = (PREVIEW_SIZE[0] - scale * (3 * (SQUARE_SIZE + SQUARE_GAP) - SQUARE_GAP)) / 2
    for cell, heat in enumerate(heats):
        if heat is not None:
            row, column = divmod(cell, 3)
            place = (
                column * (SQUARE_SIZE + SQUARE_GAP) + 12,
                row * (SQUARE_SIZE + SQUARE_GAP) + 12,
            )
            at = (int(left + scale * place[0]), int(PREVIEW_MARGIN + scale * place[1]))
            assert image.getpixel(at) == compute_colour(DEFAULT_PALETTE, heat), (url, cell)
