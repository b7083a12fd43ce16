"""One update, step by step: pages show the numbers of the training."""

import re
from html import unescape

import msgspec
import pytest
from flask.testing import FlaskClient

from app.recipes.games import TrainingUpdate, UpdateExample
from app.tictactoe.game import GAME
from app.tictactoe.notation import find_record, parse_position, replay_record
from app.web.links.how import how_url
from app.web.links.why import why_url
from app.web.match import Match
from app.web.pages.parts.update import DECIMALS_TO_TRY, FIGURE_STEP_COUNT
from app.web.site_data import SiteData

ALGORITHMS = (
    "q-learning", "sarsa", "expected-sarsa", "self-play", "td-afterstates", "league", "q-table",
    "double-q", "monte-carlo", "menace", "champion", "q-iteration", "mcts", "dqn", "sarsa-lambda",
    "minimax",
)  # fmt: skip
TOKEN = re.compile(r'data-symbol="(\w+)"[^>]*><b[^>]*>([^<]*)</b><small>([^<]*)</small>')


def tokens(html: str) -> dict[str, str]:
    """Return the numbers in the formula, by symbol."""
    return {symbol: number for symbol, number, _ in TOKEN.findall(html)}


def steps(html: str) -> list[str]:
    found = re.search(r'<ol class="update-steps".*?</ol>', html, re.DOTALL)
    assert found
    items = re.findall(r"<span>(.*?)</span></li>", found[0], re.DOTALL)
    return [" ".join(unescape(re.sub("<[^>]+>", "", item)).split()) for item in items]


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def shown(example: UpdateExample) -> TrainingUpdate:
    return example.updates[example.shown_index]


@pytest.mark.parametrize("slug", ALGORITHMS)
def test_each_algorithm_shows_its_updates(client: FlaskClient, site: SiteData, slug: str) -> None:
    for example in site.update_examples[slug]:
        html = client.get(how_url(slug, update=example.kind)).text
        change, seen = shown(example), tokens(html)
        old, new = change.in_table or (change.old, change.new)
        shown_new = number(seen.get("new") or seen["lower"])  # for minimax both bounds
        assert any(shown_new == round(new, decimals) for decimals in DECIMALS_TO_TRY)
        if slug not in ("champion", "minimax"):
            assert any(number(seen["old"]) == round(old, decimals) for decimals in DECIMALS_TO_TRY)
        if "target" in seen and change.target is not None:
            assert any(
                number(seen["target"]) == round(change.target, decimals)
                for decimals in DECIMALS_TO_TRY
            )
        sentences = steps(html)
        assert len(sentences) == FIGURE_STEP_COUNT
        assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize("slug", [slug for slug in ALGORITHMS if slug not in ("dqn", "minimax")])
def test_a_page_opens_with_its_first_example_and_each_moves_its_value(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    examples = site.update_examples[slug]
    for example in examples:
        if example.kind != "proved":  # a proof may leave the value as it was
            assert abs(shown(example).new - shown(example).old) >= 0.005
    assert tokens(client.get(how_url(slug)).text) == tokens(
        client.get(how_url(slug, update=examples[0].kind)).text
    )


@pytest.mark.parametrize(
    "slug", [slug for slug in ALGORITHMS if slug not in ("menace", "champion", "dqn", "minimax")]
)
def test_the_formula_makes_its_target_and_its_new_value(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    """Within the rounding of the numbers shown."""
    for example in site.update_examples[slug]:
        for number_of_update in {1, example.shown_index + 1, len(example.updates)}:
            html = client.get(how_url(slug, update=f"{example.kind}-{number_of_update}")).text
            seen = {name: number(text) for name, text in tokens(html).items()}
            if "reward" not in seen:  # an earlier move, by the error of the last one
                moved = seen["old"] + seen["alpha"] * seen["error"]
                assert moved == pytest.approx(seen["new"], abs=0.011)
                continue
            later = len(re.findall(r'data-symbol="gamma"', html)) if "next" not in seen else 0
            gamma, sign = seen.get("gamma", 1.0), -1 if slug == "self-play" else 1
            made = seen["reward"] * gamma**later + sign * gamma * seen.get("next", 0.0)
            assert made == pytest.approx(seen["target"], abs=0.011)
            moved = seen["old"] + seen["alpha"] * (seen["target"] - seen["old"])
            assert moved == pytest.approx(seen["new"], abs=0.011)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"update": "other"}, "There are: usual, first, end, random, mistake"),
        ({"update": "usual-99"}, "usual-1, is one update of that game"),
        ({"stage": "7"}, "stage"),
    ],
)
def test_an_update_that_does_not_exist_is_named(
    client: FlaskClient, query: dict[str, str], message: str
) -> None:
    answer = client.get(how_url("q-learning", **query))
    assert answer.status_code == 400
    assert message in unescape(answer.text)


MOVES = {  # lens -> a position and a move
    "q-learning-1": ("8", 1), "sarsa": ("408", 2), "sarsa-lambda": ("40", 8), "q-table": ("408", 5),
    "monte-carlo": ("8", 4), "menace": ("04", 2), "mcts": ("4", 8), "observing": ("0", 4),
    "self-play": ("40", 8), "champion": ("40", 8), "td-afterstates": ("8", 0),
    "q-learning-2_task": ("408", 2), "self-play_task": ("40", 8), "truth": ("4081", 7),
}  # fmt: skip


@pytest.mark.parametrize("lens", MOVES)
def test_why_shows_the_update_of_the_very_value(
    client: FlaskClient, site: SiteData, lens: str
) -> None:
    """In every case the old value is that of the table, and the numbers give the new value."""
    record, cell = MOVES[lens]
    state = replay_record(GAME, record)[-1]
    value = float(site.get_values(lens)[state, cell])
    first = client.get(why_url(Match(record, value_source=lens), cell)).text
    assert "An example" not in first
    cases = re.findall(r'id="why-after-\w+" href="([^"]+)"', first)
    for href in cases or [why_url(Match(record, value_source=lens), cell)]:
        seen = tokens(client.get(unescape(href)).text)
        if lens == "menace":  # two squares are one move by symmetry, and share its beads
            beads = {"wins": 3, "draws": 1, "loses": -1}
            assert number(seen["old"]) == round(2 * value)
            assert number(seen["new"]) - number(seen["old"]) in beads.values()
            assert number(seen["new"]) - number(seen["old"]) == number(seen["reward"])
        elif "alpha" in seen:
            assert number(seen["old"]) == pytest.approx(value, abs=0.006)
            way = number(seen["target"]) - number(seen["old"])
            moved = number(seen["old"]) + number(seen["alpha"]) * way
            assert moved == pytest.approx(number(seen["new"]), abs=0.011)
        else:  # exact: nothing is learned
            shown_value = seen.get("new") or seen["lower"]
            assert number(shown_value) == pytest.approx(value, abs=0.006)


def test_an_exact_value_of_a_task_is_the_mean_of_the_targets_shown(
    client: FlaskClient, site: SiteData
) -> None:
    html = client.get(why_url(Match("408", value_source="q-learning-2_task"), 2)).text
    line = re.findall(r'<p class="sum">(.*?)</p>', html, re.DOTALL)[1]
    value, *terms = [number(text) for text in re.findall(r"<b[^>]*>([^<]+)</b>", line)]
    assert sum(a * b for a, b in zip(terms[::2], terms[1::2], strict=True)) == pytest.approx(value)
    assert sum(terms[::2]) == pytest.approx(1)


def test_a_blunder_of_a_shipped_agent_has_the_update_that_made_it(
    client: FlaskClient, site: SiteData
) -> None:
    key, encoded = next(iter(site.blunder_examples["q-table"].items()))
    board, cell = key.split()
    mistake, first = msgspec.json.decode(encoded, type=list[UpdateExample])
    state = parse_position(GAME, board)
    match = Match(find_record(GAME, state), value_source="q-table")
    assert 'id="why-mistake"' in client.get(why_url(match, int(cell))).text
    for example in (mistake, first):
        html = client.get(why_url(match, int(cell), example.kind)).text
        assert number(tokens(html)["old"]) == pytest.approx(shown(example).old, abs=0.006)
        assert f"game {example.game_number:,}" in html
        linked = re.findall(r'id="update-\w+-\d+" href="([^"]+)"', html)
        assert len(linked) == len(example.updates)
        assert client.get(unescape(linked[0])).status_code == 200
    text = " ".join(unescape(client.get(why_url(match, int(cell), "mistake")).text).split())
    assert "The update lowered the value of a better move." in text
    assert "preferred the blunder: here middle left, 0.65." in text
    assert client.get(why_url(match, int(cell), "mistake-99")).status_code == 400
