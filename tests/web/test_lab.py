"""The lab: every recipe has a page, every change an address, and whatever is wrong a sentence."""

import json
import re
from html import unescape

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from app.recipes import ALGORITHMS, LONGEST, SHIPPED, name, parameters, parse
from app.tictactoe.game import tic_tac_toe
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.pages.lab import form, presets, result
from app.web.pages.lab.seeds import FEW, SEEDS
from app.web.world import World
from tests.web.conftest import unled
from training.plain import key_of, learn
from training.story import GAMES, TOLD, story

SMALL = "q-table,games=200"
EXAMPLE = "q-table,seat=x,alpha=0.9,seed=27"


def sent(page: str) -> dict[str, str]:
    """What the form of a page would send as it is."""
    found: dict[str, str] = {}
    body = page[page.index('<form id="recipe"') : page.index("</form>", page.index('id="recipe"'))]
    for tag in re.findall(r"<input[^>]*>", page[: page.index('<form id="recipe"')] + body):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        ours = tag in body or attributes.get("form") == "recipe"
        chosen = attributes.get("type") != "radio" or " checked" in tag
        if ours and chosen and "name" in attributes:
            found[attributes["name"]] = unescape(attributes["value"])
    for select in re.findall(r"<select.*?</select>", body, re.DOTALL):
        key = re.search(r'name="(\w+)"', select)
        value = re.search(r'value="([^"]*)" selected', select)
        assert key
        assert value
        found[key[1]] = unescape(value[1])
    return found


def test_the_lab_begins_with_a_shipped_agent(client: FlaskClient) -> None:
    page = client.get("/lab").get_data(as_text=True)
    assert sent(page)["algorithm"] == parse(presets.START).slug
    assert f'value="{presets.START}"' in page


@pytest.mark.parametrize("slug", ALGORITHMS)
def test_a_form_has_a_control_for_every_parameter(client: FlaskClient, slug: str) -> None:
    recipe = ALGORITHMS[slug]()
    page = client.get(f"/lab/{slug}", follow_redirects=True).get_data(as_text=True)
    values = sent(page)
    for parameter in parameters(recipe):
        assert parameter.name in values
        if parameter.name != "taught" and len(parameter.choices) != 1:  # which nobody chooses
            assert parameter.meaning.replace("'", "&#39;") in unled(page)
    assert form.read(values) == recipe


@pytest.mark.parametrize("agent", SHIPPED)
def test_a_form_sent_as_it_is_leads_back(client: FlaskClient, agent: str) -> None:
    values = sent(client.get(f"/lab/{agent}").get_data(as_text=True))
    answer = client.get("/lab", query_string=values)
    assert (answer.status_code, answer.location) == (303, f"/lab/{agent}")


def test_a_change_leads_to_the_one_address_with_what_it_was_as_a_ghost(client: FlaskClient) -> None:
    values = sent(client.get("/lab/q-table").get_data(as_text=True))
    answer = client.get("/lab", query_string=values | {"games": "200", "alpha": ".40"})
    assert (answer.status_code, answer.location) == (303, f"/lab/{SMALL}?ghost=q-table")
    page = client.get(answer.location).get_data(as_text=True)
    keys = re.findall(r'<path class="([^"]+)" d="M1 6h26"/></svg>([^<]+) <b', page)
    assert keys == [("accent curve", "games 200"), ("soft dashed curve", "games 14000")]


def test_turns_of_several_opponents_are_shared_as_before() -> None:
    whole = {"algorithm": "q-learning", "vs": "random:50+self:150", "games": "400"}
    assert name(form.read(whole)) == "q-learning,vs=random:100+self:300"
    assert name(form.read(whole | {"vs": "random"})) == "q-learning,games=400"
    assert name(form.read(whole | {"games": ""})) == "q-learning,vs=random:50+self:150"


def test_a_result_is_the_part_of_its_page_that_htmx_replaces(client: FlaskClient) -> None:
    whole = client.get(f"/lab/{SMALL}?ghost=double-q").get_data(as_text=True)
    part = client.get(f"/lab/{SMALL}?ghost=double-q", headers={"HX-Request": "true"})
    assert part.get_data(as_text=True).strip() in whole


@pytest.mark.parametrize("agent", ["champion", "double-q", "q-learning-1"])
def test_the_verdict_says_what_is_proved(world: World, agent: str) -> None:
    parts = result.verdict(world, agent)
    told = result.sentence(parts)
    safe = [seat for seat, proved in world.judgement(agent).unbeatable.items() if proved]
    assert told.lower().count("proved") == (1 if safe else 0)
    assert told.count("this game beats it") == 2 - len(safe)
    assert sum(bool(part.href) for part in parts) == 2
    assert told[0].isupper()
    assert told.endswith(".")


def test_every_link_of_a_verdict_and_every_button_leads_somewhere(client: FlaskClient) -> None:
    page = client.get(f"/lab/{SMALL}?ghost=double-q").get_data(as_text=True)
    found = re.findall(r'id="((?:verdict|to|next|play|share)[\w-]*)"[^>]*\shref="([^"]*)"', page)
    assert {"play", "to-why", "to-compare", "next-seed", "to-agent", "share-file"} <= {
        key for key, _ in found
    }
    for key, href in found:
        assert client.get(unescape(href)).status_code == 200, key


def test_presets_are_recipes_with_a_sentence(client: FlaskClient) -> None:
    for preset in (*presets.WORTH_SEEING, *presets.EXERCISES):
        assert name(parse(preset.recipe)) == preset.recipe
        assert preset.line.endswith(".")
    page = client.get("/lab").get_data(as_text=True)
    for agent in SHIPPED.values():
        assert f"<b>{agent.title}</b>" in page


@given(
    st.dictionaries(
        st.sampled_from(["algorithm", "alpha", "games", "vs", "seat", "ghost", "curve", "recipe"]),
        st.sampled_from(["", "q-table", "0.5", "1e99", "٣", "nan", "random:1+self:2", "x"])
        | st.text(max_size=20),
    )
)
def test_no_form_is_a_fault(client_of_all: FlaskClient, query: dict[str, str]) -> None:
    assert client_of_all.get("/lab", query_string=query).status_code in (200, 303, 400, 404)


@pytest.fixture(scope="module")
def client_of_all(site: Flask) -> FlaskClient:
    return site.test_client()


# Game by game


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE,
        "double-q,vs=self",
        "double-q,vs=both,last=coin",
        "menace,vs=both",
        "td-afterstates,vs=both",
        "q-learning",
        "self-play",
        "sarsa,vs=self,start=empty",
        "expected-sarsa,epsilon=0.5",
        "monte-carlo,vs=self,seat=o,start=empty",
        "td-afterstates,vs=self,symmetric=yes,epsilon=0.5",
        "champion",
    ],
)
def test_a_story_has_the_updates_of_the_training(text: str) -> None:
    recipe = parse(text)
    updates = learn(tic_tac_toe(), recipe)
    games = json.loads(story(tic_tac_toe(), recipe))
    assert len(games) == GAMES
    for game in games:
        for change in game["changes"]:
            turn = game["turns"][change["turn"]]
            assert next(updates) == ((turn["board"], turn["cell"]), change["new"])
        assert [turn["after"] for turn in game["turns"][:-1]] == [
            turn["board"] for turn in game["turns"][1:]
        ]


def test_what_plays_no_games_in_turn_has_no_story_and_says_why(client: FlaskClient) -> None:
    untold = {slug: KNOWN[slug].untold for slug in ALGORITHMS if KNOWN[slug].untold}
    assert set(ALGORITHMS) - set(TOLD) == set(untold)
    assert all((KNOWN[slug].story is None) == (slug in untold) for slug in ALGORITHMS)
    for slug, why in untold.items():
        assert json.loads(story(tic_tac_toe(), ALGORITHMS[slug]())) == []
        shipped = next(one for one, agent in SHIPPED.items() if agent.recipe.slug == slug)
        assert why in client.get(f"/lab/{shipped}").get_data(as_text=True)


def test_the_worked_example_is_told(client: FlaskClient) -> None:
    equations = []
    for update in range(4):
        page = client.get(f"/lab/{EXAMPLE}?game=1&update={update}").get_data(as_text=True)
        equations += re.findall(r'class="equation">([^<]*)<', page)
    assert "It won as X with 3 moves" in page
    assert equations == [
        "0 + 0.9 × (1 − 0) = 0.9",
        "0 + 0.9 × (0.9 − 0) = 0.81",
        "0 + 0.9 × (0.81 − 0) = 0.729",
    ]
    assert re.findall(r'class="(explored|greedy)"', page) == ["greedy", "explored", "explored"]


def equation(client: FlaskClient, address: str) -> str:
    page = unescape(client.get(address).get_data(as_text=True))
    written = re.search(r'class="equation">([^<]*)<', page)
    return written[1] if written else ""


def computed(written: str) -> tuple[float, float]:
    """Both sides of a sum in numbers, the left one worked out."""
    left, right = written.replace("×", "*").replace("\N{MINUS SIGN}", "-").split(" = ")
    assert re.fullmatch(r"[-+*/() .\d]+", left)
    return float(eval(left)), float(right)  # nothing but digits and signs


@pytest.mark.parametrize(
    "text",
    [
        "sarsa,start=empty,games=500",
        "expected-sarsa,start=empty,epsilon=0.5,games=500",
        "monte-carlo,start=empty,games=500",
        "td-afterstates,games=500",
        "td-afterstates,vs=both,games=500",
        "q-learning,vs=both,start=empty,games=500",
        "league,vs=fixed+random,rounds=50",
        "league,observing=yes,symmetric=yes,rounds=50",
        "champion",
    ],
)
def test_the_sums_of_a_story_are_right(client: FlaskClient, text: str) -> None:
    known: dict[object, float] = {}
    recipe, told = parse(text), 0
    for number, game in enumerate(json.loads(story(tic_tac_toe(), recipe))[:6], 1):
        for update, change in enumerate(game["changes"], 1):
            turn = game["turns"][change["turn"]]
            key = key_of(tic_tac_toe(), recipe, turn["board"], turn["cell"])
            if hasattr(recipe, "initial"):  # else values change besides that are not told here
                assert change["old"] == known.get(key, recipe.initial)
            known[key] = change["new"]
            left, right = computed(equation(client, f"/lab/{text}?game={number}&update={update}"))
            assert left == pytest.approx(right, abs=1e-3)
            assert right == pytest.approx(change["new"], abs=1e-4)
            told += 1
    assert told > 10


def test_a_board_is_drawn_to_the_next_one_and_nothing_is_learned_from_a_random_move() -> None:
    recipe = parse("td-afterstates,epsilon=0.5,alpha=1")
    games = json.loads(story(tic_tac_toe(), recipe))
    updated = [{change["turn"] for change in game["changes"]} for game in games]
    for game, learned in zip(games, updated, strict=True):
        last = len(game["turns"]) - 1
        after_random = {n for n in range(last) if game["turns"][n + 1]["explored"]}
        ended_by_answer = game["turns"][-1]["after"].count(".") % 2 == (
            game["turns"][0]["board"].count(".") % 2
        )
        assert learned == {*range(last)} - after_random | ({last} if ended_by_answer else set())


def test_no_sum_is_written_where_the_step_size_falls(client: FlaskClient) -> None:
    falling = "td-afterstates,alpha_drop=0.01,games=500"
    assert equation(client, f"/lab/{falling}?game=2&update=1") == ""


@pytest.mark.parametrize("text", ["q-table,vs=both,games=500", "td-afterstates,vs=both,games=500"])
def test_where_both_sides_learn_each_is_told_how_the_game_ended_for_it(
    client: FlaskClient, text: str
) -> None:
    decided = 0
    for number, game in enumerate(json.loads(story(tic_tac_toe(), parse(text))), 1):
        turns = game["turns"]
        winner = {"win": "X", "loss": "O", "draw": ""}[game["result"]]
        ends = {"X": "X won", "O": "O won", "": "it was a draw"}[winner]
        for update, change in enumerate(game["changes"], 1):
            page = unescape(
                client.get(f"/lab/{text}?game={number}&update={update}").get_data(as_text=True)
            )
            assert f"It played itself, and {ends} after {len(turns)} moves" in page
            move = change["turn"] + 1
            mover = "XO"[change["turn"] % 2]
            result = "win" if winner == mover else "loss" if winner else "draw"
            said = f"Move {move} ended in a {result}: its value is drawn to that reward."
            assert (said in page) == (move >= len(turns) - 1)
            decided += said in page and bool(winner)
    assert decided > 10


@pytest.mark.parametrize(
    ("title", "safe"),
    [("Afraid", "xo"), ("Glad of a draw", "xo"), ("Fearless", ""), ("Never explore", "")],
)
def test_a_preset_does_what_its_sentence_says(world: World, title: str, safe: str) -> None:
    recipe = next(preset.recipe for preset in presets.WORTH_SEEING if preset.title == title)
    proved = world.judgement(recipe).unbeatable
    assert "".join(seat for seat in "xo" if proved[seat]) == safe


def test_the_exercises_do_what_their_sentences_say(world: World) -> None:
    def measured(recipe: str) -> tuple[int, float, int]:
        """Blunders, games won against random, and moves that were met."""
        agent = world.agents[recipe]
        random = agent.card.figures.vs["random"]
        won = (random.x[-1][0] + random.o[-1][0]) / 2
        return agent.card.figures.blunders[-1], won, int((agent.visits > 0).sum())

    blunders, won, met = measured("td-afterstates")
    itself, alike, greedy, all_moves, falling = (
        measured(preset.recipe) for preset in presets.EXERCISES
    )
    assert all(world.judgement(presets.EXERCISES[0].recipe).unbeatable.values())
    assert itself[0] == pytest.approx(blunders / 2, rel=0.1)
    assert won - 0.005 < itself[1] < won
    assert alike[0] < 0.35 * blunders
    assert greedy[0] == pytest.approx(2 * blunders, rel=0.1)
    assert greedy[2] < 0.35 * met
    assert all_moves[0] == pytest.approx(blunders, rel=0.02)
    assert all_moves[1] == pytest.approx(won, abs=0.001)
    assert falling[0] < blunders / 2
    assert falling[2] > met


@pytest.mark.parametrize(
    ("address", "frame"),
    [
        ("/lab/q-table", "/embed/curve/q-table?figure=blunders"),
        (f"/lab/{SMALL}?ghost=double-q", f"/embed/curve/{SMALL}?lens=double-q&figure=blunders"),
        (f"/lab/{SMALL}?curve=losses", f"/embed/curve/{SMALL}?figure=losses"),
        ("/lab/q-table?curve=t-hand&ghost=double-q", "/embed/curve/q-table?against=t-hand"),
    ],
)
def test_the_curve_and_the_mind_are_taken_along(
    client: FlaskClient, address: str, frame: str
) -> None:
    page = unescape(client.get(address).get_data(as_text=True))
    recipe = address.removeprefix("/lab/").partition("?")[0]
    for taken in (frame, f"/embed/mind/{recipe}"):
        assert taken in unescape(page)
        assert client.get(taken).status_code == 200
    files = re.findall(r'id="(?:svg|csv)-[\w-]+" href="([^"]*)"', page)
    assert len(files) == 4
    for file in files:
        assert client.get(unescape(file)).status_code == 200


# Twenty seeds


def test_seeds_are_judged_as_their_agents_are(world: World) -> None:
    runs = world.lab.seeds(parse("q-table,games=60"), [3, 0])
    assert [run.seed for run in runs] == [3, 0]
    for run, agent in zip(runs, ("q-table,games=60,seed=3", "q-table,games=60"), strict=True):
        assert run.figures == world.agents[agent].card.figures
        assert run.unbeatable == tuple(world.judgement(agent).unbeatable.values())


def test_twenty_seeds_are_trained_a_few_a_request(client: FlaskClient) -> None:
    address, done = "/lab/q-table,games=50,seed=3/seeds", []
    for _ in range(SEEDS // FEW):
        answer = client.get(address, headers={"HX-Request": "true"})
        page = answer.get_data(as_text=True)
        done += [int(number) for number in re.findall(r'value="(\d+)"></progress>', page)]
        assert page.count('class="soft faint curve"') == done[-1]
        asks = re.search(r'hx-get="([^"]*)"', page)
        assert ("no-store" in answer.headers["Cache-Control"]) == bool(asks)
        if asks:
            address = unescape(asks[1])
    assert done == [*range(FEW, SEEDS + 1, FEW)]
    assert not asks
    assert f"of {SEEDS}</b>" in page


def test_the_quartiles_of_seeds_are_those_of_their_agents(
    client: FlaskClient, world: World
) -> None:
    address = "/lab/q-table,games=60/seeds?done=19"
    for _ in range(SEEDS):
        page = client.get(address).get_data(as_text=True)
    names = ["q-table,games=60", *(f"q-table,games=60,seed={seed}" for seed in range(1, SEEDS))]
    ends = [world.agents[one].card.figures.blunders[-1] for one in names]
    low, middle, high = np.percentile(ends, (25, 50, 75))
    assert re.findall(r"<td>([\d,]+)</td>", page) == [f"{end:,.0f}" for end in (low, middle, high)]


def test_a_name_that_has_no_room_for_a_seed_offers_none(client: FlaskClient) -> None:
    for room, offers in ((8, 2), (7, 1), (0, 0)):  # ",seed=19" and ",seed=1" are so long
        whole = name(parse(f"league,rounds=1,draw=1e-{97 - room}"))
        assert len(whole) == LONGEST - room
        page = client.get(f"/lab/{whole}").get_data(as_text=True)
        assert len(re.findall(r'id="(?:next-seed|to-seeds)"[^>]*\shref=', page)) == offers
    refused = client.get(f"/lab/{whole}/seeds")
    assert refused.status_code == 400
    assert "at most 120 characters" in refused.get_data(as_text=True)


def test_a_seed_is_unbeatable_where_no_game_beats_it(world: World) -> None:
    """The best responder of this one draws every game: what would beat it risks as much."""
    recipe = parse("q-learning,alpha=1,gamma=0.1,epsilon=0")
    (run,) = world.lab.seeds(recipe, [0])
    assert run.unbeatable == (False, False)
    assert world.figures(name(recipe)).best_response.x[-1] == (0, 1, 0)


def test_without_chance_all_games_are_two(world: World) -> None:
    agent = world.agents[preset("First of the best on ties")]
    met = np.flatnonzero((agent.visits > 0).any(axis=1))
    assert len(np.unique(world.game.symmetry_class[met])) == 8
    assert agent.visits.max() == 7000
    other_seed = world.agents[f"{preset('First of the best on ties')},seed=1"]
    assert (other_seed.q[world.game.legal] == agent.q[world.game.legal]).all()


def test_matchboxes_and_sums_do_what_their_sentences_say(world: World) -> None:
    figures = world.agents[preset("Adding up")].card.figures
    lost = (figures.vs["random"].x[-1][2] + figures.vs["random"].o[-1][2]) / 2
    assert round(lost, 2) == 0.26  # one game in four
    win, draw, _ = world.agents[preset("Matchboxes")].card.figures.vs["minimax-random"].x[-1]
    assert win == 0
    assert draw > 0.95


def preset(title: str) -> str:
    """The name of the recipe of a preset."""
    return next(preset.recipe for preset in presets.WORTH_SEEING if preset.title == title)


def test_beads_are_told_as_beads(client: FlaskClient) -> None:
    page = unescape(client.get("/lab/menace,games=500?game=2&update=1").text)
    before, after = map(int, re.findall(r"with (\d+) beads of it.*now there are (\d+)", page)[0])
    assert after - before in (3, 1, -1)
    assert page.count('class="drawn"') == len(re.findall(r"<b>Move \d+</b>", page))
