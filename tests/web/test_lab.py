"""The lab: every recipe has a page, every change a URL, and every error a sentence."""

import csv
import json
import re
from html import unescape
from urllib.parse import unquote

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.experiments import compute_sign_test
from app.recipes import (
    Recipe,
    parse_recipe,
)
from app.reference import get_move_key, make_learner
from app.tictactoe.game import GAME
from app.web.facts import judge_policy
from app.web.pages.lab import recipe_comparison
from app.web.pages.lab.page import EXERCISES
from app.web.pages.lab.training_game import build_game_picture
from app.web.pages.lab.verdict import MAX_SEEDS, run_sign_test
from app.web.pages.lab.wording import name_causes
from app.web.site_data import SiteData
from training.story import encode_game_log


def change(client: FlaskClient, **query: str) -> str:
    """Return the URL that a form leads to."""
    answer = client.get("/lab", query_string={key.replace("_", "."): query[key] for key in query})
    assert answer.status_code == 303
    return unquote(answer.location)


def test_a_menu_changes_both_recipes_or_only_b(client: FlaskClient) -> None:
    pair = {"recipe": "q-table,alpha=0.8", "ghost": "q-table"}
    both = "/lab/q-table,alpha=0.8,games=200?ghost=q-table,games=200"
    assert change(client, **pair, games="200") == both
    assert change(client, **pair, b_alpha=".9") == "/lab/q-table,alpha=0.9?ghost=q-table"
    assert change(client, **pair, a_alpha=".1") == "/lab/q-table,alpha=0.8?ghost=q-table,alpha=0.1"
    sarsa = "/lab/sarsa,alpha=0.8,gamma=1,epsilon=0.7,epsilon_drop=0.1,games=14000?ghost="
    assert change(client, **pair, algorithm="sarsa") == sarsa + sarsa[5:-7].replace("0.8", "0.4")
    assert change(client, **pair, b_alpha="0.4") == "/lab/q-table"  # nothing is compared
    assert change(client, recipe="q-table", b_alpha="0.8") == "/lab/q-table,alpha=0.8?ghost=q-table"
    assert change(client, recipe="q-table", games="200", curve="losses") == (
        "/lab/q-table,games=200?curve=losses"
    )


def test_a_student_who_changes_the_opponent_compares_like_with_like(
    client: FlaskClient, site: SiteData
) -> None:
    """Every link of a shared menu leads to two trainings with the same difference as before."""
    page = client.get("/lab/q-table,alpha=0.8?ghost=q-table").get_data(as_text=True)
    pattern = r'id="(?:vs|games|algorithm|seat|ties|by)-[\w-]+" href="([^"]*)"'
    links = re.findall(pattern, page)
    assert len(links) > 30
    for link in map(unescape, links):
        chosen, _, query = unquote(link).removeprefix("/lab/").partition("?")
        baseline = re.search("ghost=([^&]*)", query)
        if baseline is None:  # an algorithm without a step size
            continue
        a, b = (form_of(site, one) for one in (baseline[1], chosen))
        assert name_causes(a, b) == ["the step size α"], link


def form_of(site: SiteData, text: str) -> Recipe:
    return recipe_comparison.find_recipe(site, text)


WRITTEN = st.sampled_from(["", "q-table", "0.5", "1e99", "٣", "nan", "random:1+self:2", "x"])
FIELDS = ["algorithm", "b.algorithm", "alpha", "a.alpha", "b.alpha", "games", "vs", "b.vs", "seat"]
FIELDS += ["ghost", "curve", "recipe"]


@given(
    st.dictionaries(st.sampled_from(FIELDS), WRITTEN | st.text(max_size=20)),
    st.sampled_from(["algorithm", "recipe"]),
)
def test_no_form_is_a_fault(client_of_all: FlaskClient, query: dict[str, str], base: str) -> None:
    """A form has `algorithm` or `recipe`; an unusual spelling of a recipe is redirected (301)."""
    query.setdefault(base, "q-table")
    assert client_of_all.get("/lab", query_string=query).status_code in (200, 301, 303, 400, 404)


@pytest.fixture(scope="module")
def client_of_all(app: Flask) -> FlaskClient:
    return app.test_client()


# Game by game


def equation(client: FlaskClient, address: str) -> str:
    page = unescape(client.get(address).get_data(as_text=True))
    written = re.search(r'class="equation">([^<]*)<', page)
    return written[1] if written else ""


def computed(written: str) -> tuple[float, float]:
    """Return both sides of an equation as numbers, the left side computed."""
    left, right = written.replace("×", "*").replace("\N{MINUS SIGN}", "-").split(" = ")
    assert re.fullmatch(r"[-+*/() .\d]+", left)
    return float(eval(left)), float(right)  # nothing but digits and signs


@pytest.mark.parametrize(
    "text",
    [
        "sarsa,start=empty,games=500",
        "monte-carlo,start=empty,games=500",
        "td-afterstates,vs=both,games=500",
        "q-learning,vs=both,start=empty,games=500",
        "league,observing=yes,symmetric=yes,rounds=50",
        "champion",
    ],
)
def test_the_sums_of_a_story_are_right(client: FlaskClient, site: SiteData, text: str) -> None:
    known: dict[object, float] = {}
    recipe, told, pages = parse_recipe(text), 0, 0
    shown = recipe_comparison.build_recipe_comparison(site, text, {})
    learner = make_learner(GAME, recipe)
    for number, game in enumerate(json.loads(encode_game_log(recipe))[:6], 1):
        for update, change in enumerate(game["changes"], 1):
            turn = game["turns"][change["turn"]]
            key = get_move_key(learner, turn["board"], turn["cell"])
            if hasattr(recipe, "initial"):  # otherwise values change without a recorded update
                assert change["old"] == known.get(key, recipe.initial)
            known[key] = change["new"]
            asked = {"game": str(number), "update": str(update)}
            told_game = build_game_picture(shown, asked)
            assert told_game
            left, right = computed(told_game["equation"])
            assert left == pytest.approx(right, abs=1e-3)
            assert right == pytest.approx(change["new"], abs=1e-4)
            told += 1
            if update == number:  # a page of the lab takes long
                page = equation(client, f"/lab/{text}?game={number}&update={update}")
                assert page == told_game["equation"]
                pages += 1
    assert told > 10
    assert pages > 0


def test_the_exercises_do_what_their_sentences_say(site: SiteData) -> None:
    def measured(recipe: str) -> tuple[int, float, int]:
        """Return blunders, games won against random, and the number of known positions."""
        agent = site.agents[recipe]
        random = agent.card.figures.outcome_chances_by_baseline["random"]
        won = (random.x[-1][0] + random.o[-1][0]) / 2
        return agent.card.figures.blunders[-1], won, int((agent.visits > 0).sum())

    blunders, won, met = measured("td-afterstates")
    itself, alike, greedy, all_moves, falling = (measured(preset.recipe) for preset in EXERCISES)
    assert all(judge_policy(site, EXERCISES[0].recipe).is_unbeatable.values())
    assert itself[0] == pytest.approx(blunders / 2, rel=0.1)
    assert won - 0.005 < itself[1] < won
    assert alike[0] < 0.35 * blunders
    assert greedy[0] == pytest.approx(2 * blunders, rel=0.1)
    assert greedy[2] < 0.35 * met
    assert all_moves[0] == pytest.approx(blunders, rel=0.02)
    assert all_moves[1] == pytest.approx(won, abs=0.001)
    assert falling[0] < blunders / 2
    assert falling[2] > met


# Twenty seeds


def test_the_medians_of_all_seeds_are_handed_out(client: FlaskClient) -> None:
    """The curve of the page equals the file, over each axis."""
    address = "/lab/q-table,games=60?ghost=q-table,games=50&axis=linear"
    first, *_, last = follow(client, address)
    (file,) = re.findall(r'id="csv-curves[\w-]*" href="([^"]*)"', first)
    rows = [*csv.DictReader(client.get(unescape(file)).text.splitlines())]
    ends = {row["name"]: float(row["value"]) for row in rows if row["measure"] == "median"}
    assert {row["n"] for row in rows} == {"20"}
    medians = re.findall(r"\(median ([\d,.]+) instead of ([\d,.]+), less than 1% fewer\)", last)[0]
    shown = [float(number.replace(",", "")) for number in medians]
    assert shown == sorted(ends.values())  # the better one first


def test_seeds_are_judged_as_their_agents_are(site: SiteData) -> None:
    runs = site.on_demand.train_seeds(parse_recipe("q-table,games=60"), [3, 0])
    assert [run.seed for run in runs] == [3, 0]
    for run, agent in zip(runs, ("q-table,games=60,seed=3", "q-table,games=60"), strict=True):
        figures = site.agents[agent].card.figures
        assert run.figures == replace(
            figures, correct_class_shares=run.figures.correct_class_shares
        )
        assert run.is_unbeatable == tuple(judge_policy(site, agent).is_unbeatable.values())


def follow(client: FlaskClient, address: str) -> list[str]:
    """Return the pages of a comparison, from the first one to the page with all seeds."""
    pages, asks = [], re.search("(.*)", address)
    while asks:
        answer = client.get(unescape(asks[1]), headers={"HX-Request": "true"})
        pages.append(unescape(answer.text))
        asks = re.search(r'<div id="after-[^>]* hx-get="([^"]*)"', answer.text)
    return pages


def headline(page: str) -> str:
    found = re.search(r'class="verdict">([^<]*)<', page)
    assert found
    return found[1]


def test_a_comparison_grows_to_twenty_seeds_and_then_has_a_verdict(
    client: FlaskClient, site: SiteData
) -> None:
    pages = follow(client, "/lab/q-table,games=60?ghost=q-table,games=20")
    assert count_seeds(pages) == [1, *range(5, MAX_SEEDS + 1, 5)]
    names = [
        [f"q-table,games={games}" + f",seed={seed}" * bool(seed) for seed in range(MAX_SEEDS)]
        for games in (20, 60)
    ]
    a, b = ([site.agents[one].card.figures.blunders[-1] for one in each] for each in names)
    assert headline(pages[0]) == (
        f"No verdict yet. Positions with a blunder (of 4,520): {a[0]:,} for A, {b[0]:,} for B."
    )
    assert "With one seed each, the difference may be luck." in pages[0]
    assert f"<td>{np.median(a):,.0f}</td>" in pages[-1]
    fewer = sum(x > y for x, y in zip(a, b, strict=True))
    assert compute_sign_test(a, b) < 0.05
    medians = f"median {np.median(b):,.0f} instead of {np.median(a):,.0f}, "
    assert headline(pages[-1]).startswith(
        f"Yes, but little: fewer blunders with 60 games ({medians}"
    )
    every = "all " if fewer == MAX_SEEDS else ""
    assert f"B had fewer blunders with {every}{fewer} seeds" in pages[-1]
    assert "Exact sign test: p\u00a0<\u00a00.001" in pages[-1]
    assert len(re.findall("<title>seed", pages[-1])) >= MAX_SEEDS


def count_seeds(pages: list[str]) -> list[int]:
    return [int(re.findall(r'value="(\d+)"></progress>', page)[0]) for page in pages]


def test_the_seeds_of_a_slow_learner_are_counted_one_by_one(client: FlaskClient) -> None:
    pages = follow(client, "/lab/q-learning,games=20,fault=step?ghost=q-learning,games=20")
    assert count_seeds(pages) == [*range(1, MAX_SEEDS + 1)]


def test_no_verdict_is_promised_where_other_seeds_take_too_long(client: FlaskClient) -> None:
    page = client.get("/lab/q-learning-2?ghost=q-learning-1").text
    assert "Their other seeds cannot be trained here, so there will be no verdict." in page
    assert "Training now" not in page
    assert "The verdict comes" not in page


@pytest.mark.long
def test_a_verdict_names_the_measure_that_contradicts_it(client: FlaskClient) -> None:
    """Higher initial values leave fewer blunders, but more games are lost to the best responder."""
    url = "/lab/q-learning,games=2000,initial=0.5?ghost=q-learning,games=2000"
    by_blunders = headline(follow(client, url)[-1])
    by_losses = headline(follow(client, f"{url}&curve=losses")[-1])
    assert by_blunders.startswith("Yes, but little: fewer blunders")
    assert "But fewer losses" in by_blunders
    assert by_losses.startswith("No, but little: fewer losses")
    assert "But fewer blunders" in by_losses


def test_a_difference_that_twenty_seeds_do_not_show_is_called_that(client: FlaskClient) -> None:
    same = follow(client, "/lab/q-table,games=60,seed=1?ghost=q-table,games=60")[-1]
    assert headline(same) == "No difference: A and B are equal in every seed."
    near = follow(client, "/lab/q-table,games=61?ghost=q-table,games=60")[-1]
    assert headline(near) == "No clear difference after 20 seeds."
    assert "may be luck" in near


@pytest.mark.parametrize(
    ("ends", "more", "better", "words"),
    [
        ([[2] * 20, [1] * 20], False, "B", "B in 20 of 20 seeds"),
        ([[2] * 20, [1] * 20], True, "A", "A in 20 of 20 seeds"),
        ([[2] * 14 + [0] * 6, [1] * 20], False, "", "no clear difference"),  # p = 0.115
        ([[2] * 15 + [0] * 5, [1] * 20], False, "B", "B in 15 of 20 seeds"),  # p = 0.041
        (
            [[1] * 14 + [2] * 6, [1] * 20],
            False,
            "B",
            "B in 6 of 20 seeds, equal in 14",
        ),  # p = 0.031
        ([[1] * 15 + [2] * 5, [1] * 20], False, "", "no clear difference"),  # p = 0.063
        ([[2] * 5, [1] * 5], False, "", "B in 5 of 5 seeds"),
    ],
)
def test_a_contest_is_decided_by_the_sign_test_after_all_seeds(
    ends: list[list[float]], more: bool, better: str, words: str
) -> None:
    decided = run_sign_test(ends, more)
    assert (decided.better_variant, decided.result_words) == (better, words)


# The same comparison with other opponents


@pytest.mark.long
def test_a_small_verdict_is_that_of_its_own_page(client: FlaskClient) -> None:
    """Only the row of this opponent is trained here, because its own length comes first."""
    pair_url = "/lab/q-table,vs=both,games=60?ghost=q-table,games=60"
    page = unescape(client.get(f"{pair_url}&elsewhere=3").text)
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th>(.*?)</tr>", page, re.DOTALL)
    (cells,) = [cells for title, cells in rows if title == "This opponent"]
    verdicts = re.findall(r'<(?:a href="([^"]*)"|b)>([^<]*)<', cells)
    assert len(verdicts) == 3
    for url, words in verdicts:
        own = headline(client.get(f"{url or pair_url}&seeds=20").text)
        answer = {"yes": "Yes", "no ": "No d", "no,": "No:", "equ": "No d"}[words[:3]]
        assert own.startswith(answer), (url, words)


def test_the_evidence_is_one_figure_with_everything_in_it(client: FlaskClient) -> None:
    query = "ghost=q-table,games=20"
    answer = client.get(f"/lab/q-table,games=60.svg?{query}")
    name_of_file = "lab-q-table-games-60-vs-q-table-games-20"
    assert f"filename={name_of_file}.svg" in answer.headers["Content-Disposition"]
    words = unescape(" ".join(re.findall(r">([^<>]+)</text>", answer.text)))
    assert "Does training for more games (20 → 60) help Q-table" in words
    assert "Yes, but little: fewer blunders with 60 games" in words
    assert "A: q-table,games=20 B: q-table,games=60 20 seeds of A and of B." in words
    link = f"http://localhost/lab/q-table,games=60?{query}&seeds=20"
    assert link in words
    assert headline(client.get(link).text) in words
    png = client.get(f"/lab/q-table,games=60.png?{query}")
    assert png.data.startswith(b"\x89PNG")
    assert f"filename={name_of_file}.png" in png.headers["Content-Disposition"]
