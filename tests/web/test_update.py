"""One update, step by step: what a page shows of it are the numbers of the training."""

import re
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.recipes.games import TrainingUpdate, UpdateExample
from app.web.pages.parts.update import DECIMALS, STEPS
from app.web.site_data import SiteData
from app.web.urls import how

ALGORITHMS = (
    "q-learning", "sarsa", "expected-sarsa", "self-play", "td-afterstates", "league", "q-table",
    "double-q", "monte-carlo", "menace", "champion", "q-iteration", "mcts", "dqn", "sarsa-lambda",
)  # fmt: skip
TOKEN = re.compile(r'data-symbol="(\w+)"[^>]*><b[^>]*>([^<]*)</b><small>([^<]*)</small>')


def tokens(html: str) -> dict[str, str]:
    """The numbers in the formula, by symbol."""
    return {symbol: number for symbol, number, _ in TOKEN.findall(html)}


def steps(html: str) -> list[str]:
    found = re.search(r'<ol class="update-steps".*?</ol>', html, re.DOTALL)
    assert found
    items = re.findall(r"<span>(.*?)</span></li>", found[0], re.DOTALL)
    return [" ".join(unescape(re.sub("<[^>]+>", "", item)).split()) for item in items]


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def shown(example: UpdateExample) -> TrainingUpdate:
    return example.changes[example.shown]


@pytest.mark.parametrize("slug", ALGORITHMS)
def test_each_algorithm_shows_its_updates(client: FlaskClient, site: SiteData, slug: str) -> None:
    for example in site.updates[slug]:
        html = client.get(how(slug, update=example.kind)).text
        change, seen = shown(example), tokens(html)
        old, new = change.in_table or (change.old, change.new)
        assert any(number(seen["new"]) == round(new, decimals) for decimals in DECIMALS)
        if slug != "champion":
            assert any(number(seen["old"]) == round(old, decimals) for decimals in DECIMALS)
        if "target" in seen and change.target is not None:
            assert any(
                number(seen["target"]) == round(change.target, decimals) for decimals in DECIMALS
            )
        sentences = steps(html)
        assert len(sentences) == STEPS
        assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize(
    "slug", [slug for slug in ALGORITHMS if slug not in ("menace", "champion", "dqn")]
)
def test_the_formula_makes_its_target_and_its_new_value(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    """As far as the numbers that are shown are rounded."""
    for example in site.updates[slug]:
        for index in range(len(example.changes)):
            html = client.get(how(slug, update=f"{example.kind}-{index + 1}")).text
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


def test_as_it_is_shown_the_first_update_of_q_learning_adds_up(client: FlaskClient) -> None:
    seen = {name: number(text) for name, text in tokens(client.get(how("q-learning")).text).items()}
    assert (seen["old"], seen["new"]) == (0.36, 0.37)
    assert round(seen["reward"] + seen["gamma"] * seen["next"], 2) == seen["target"]
    assert round(seen["old"] + seen["alpha"] * (seen["target"] - seen["old"]), 2) == seen["new"]


@pytest.mark.parametrize(
    "slug", [slug for slug in ALGORITHMS if slug not in ("menace", "mcts", "dqn")]
)
def test_at_the_end_of_a_game_the_next_value_is_said_to_be_0(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    kinds = {"end", "lost", "played"} & {example.kind for example in site.updates[slug]}
    told = steps(client.get(how(slug, update=kinds.pop())).text)
    assert re.search("next value is 0|would be 0|no next move", told[3])


def test_every_update_of_a_game_has_a_link_and_every_step_too(
    client: FlaskClient, site: SiteData
) -> None:
    for example in site.updates["q-table"]:
        html = client.get(how("q-table", update=example.kind)).text
        linked = re.findall(r'id="update-((?!step)\w+-\d+)" href="([^"]+)"', html)
        assert len(linked) == len(example.changes)
        for (_, href), change in zip(linked, example.changes, strict=True):
            assert number(tokens(client.get(unescape(href)).text)["target"]) == pytest.approx(
                change.target, abs=0.005
            )
        stages = re.findall(r'href="([^"]+)" data-step="(\d)"', html)
        for href, step in stages:
            page = client.get(unescape(href)).text
            assert f'data-stage="{step}"' in page
            assert page.count('aria-current="step"') == 1


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
    answer = client.get(how("q-learning", **query))
    assert answer.status_code == 400
    assert message in unescape(answer.text)


def test_a_page_with_an_update_is_small(app: Flask, client: FlaskClient) -> None:
    for slug in ALGORITHMS:
        answer = client.get(how(slug), headers={"Accept-Encoding": "gzip"})
        assert len(answer.data) < 12 * 1024, slug
