"""Names of recipes: one name for each recipe, and a clear error for invalid names."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.recipes import (
    AGENT_IDS_BY_RECIPE,
    ALGORITHMS,
    SHIPPED,
    Parameter,
    Recipe,
    RecipeError,
    get_max_length,
    get_parameters,
    name_recipe,
    parse_recipe,
)
from app.recipes.parameters import OPPONENTS, PERSON_OPPONENT


def values_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Generate values within the range of a parameter."""
    if parameter.value_type is bool:
        return st.booleans()
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    if parameter.name == "vs":
        phase = st.tuples(st.sampled_from((*OPPONENTS, PERSON_OPPONENT)), st.integers(1, 10**6))
        several = st.lists(phase, min_size=2, max_size=3)
        written = several.map(lambda phases: "+".join(f"{who}:{n}" for who, n in phases))
        return st.sampled_from(OPPONENTS) | written
    if parameter.name == "taught":
        cells = st.lists(st.sampled_from("012345678"), min_size=1, max_size=5, unique=True)
        return st.lists(cells.map("".join), max_size=9).map(".".join)
    if parameter.value_type is int:
        return st.integers(int(parameter.minimum or 0), int(parameter.maximum or 0))
    return st.floats(parameter.minimum, parameter.maximum)


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Generate recipes with a few parameters that differ from the defaults."""
    algorithm = ALGORITHMS[draw(st.sampled_from(list(ALGORITHMS)))]
    known = get_parameters(algorithm)
    chosen = draw(st.lists(st.sampled_from(list(known)), max_size=4, unique=True))
    try:
        recipe = algorithm(**{known[one].field_name: draw(values_of(known[one])) for one in chosen})
        name_recipe(recipe)
    except RecipeError:
        return algorithm()
    return recipe


@given(recipes())
def test_a_name_is_read_as_its_recipe(recipe: Recipe) -> None:
    text = name_recipe(recipe)
    assert parse_recipe(text) == recipe
    assert name_recipe(parse_recipe(text)) == text
    assert len(text) <= get_max_length(text)
    assert text.isascii()


@given(recipes(), st.randoms(use_true_random=False))
def test_the_order_of_parameters_makes_no_difference(recipe: Recipe, random) -> None:
    slug, *settings = name_recipe(recipe).split(",")
    random.shuffle(settings)
    assert parse_recipe(",".join([slug, *settings])) == recipe


@given(st.text() | st.text("qlearnigvs=,.:+-0123456789e ").map("q-learning,".__add__))
def test_whatever_is_no_name_is_refused_with_a_sentence(text: str) -> None:
    refused = ""
    try:
        recipe = parse_recipe(text)
        assert parse_recipe(name_recipe(recipe)) == recipe
    except RecipeError as error:
        refused = str(error)
    assert len(refused) < 700  # forty characters may be written as ten each


@pytest.mark.parametrize(
    ("text", "one_name"),
    [
        ("q-learning,vs=self,alpha=0.5,games=20000,seed=7",) * 2,
        (
            "q-learning,seed=7,alpha=.50,games=20000,vs=self",
            "q-learning,vs=self,alpha=0.5,games=20000,seed=7",
        ),
        ("q-learning,alpha=0.2,seed=0", "q-learning"),
        ("q-learning,vs=random:500", "q-learning,games=500"),
        ("q-learning,vs=self:500", "q-learning,vs=self,games=500"),
        ("q-learning,vs=first-empty", "q-learning,vs=fixed"),
        ("q-iteration,vs=random:50 self:200", "q-iteration"),
        ("q-iteration,vs=random:5+first-empty:6", "q-iteration,vs=random:5+fixed:6"),
        ("q-table,draw=-0", "q-table"),
        ("q-table,learning_rate=0.5,discount=0.9", "q-table,alpha=0.5,gamma=0.9"),
        ("dqn,step_size=1e-4", "dqn,step_size=0.0001"),
        ("q-table,draw=1e-89", f"q-table,draw=0.{'0' * 88}1"),
        ("q-iteration,sticky=no,sweeps=3,vs=self", "q-iteration,vs=self,sweeps=3,sticky=no"),
        ("menace,seed=7,taught=04.2,vs=you:2", "menace,vs=you,games=2,taught=04.2,seed=7"),
        (
            "menace,vs=you:2 random:100 you:1,taught=04.2.8516",
            "menace,vs=you:2+random:100+you:1,taught=04.2.8516",
        ),
        ("self-play,vs=you:1,taught=04", "self-play,vs=you,games=1,taught=04"),
        ("league,vs=you:2+fixed:5,taught=04.8", "league,vs=you:2+fixed:5,taught=04.8"),
    ],
)
def test_one_recipe_has_one_name(text: str, one_name: str) -> None:
    assert name_recipe(parse_recipe(text)) == one_name


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there is no algorithm '', only q-iteration, q-learning"),
        ("nobody", "there is no algorithm 'nobody', only"),
        ("q-lerning", "there is no algorithm 'q-lerning' (did you mean q-learning?), only"),
        ("q-table,alpah=1", "q-table has no parameter 'alpah' (did you mean alpha?), only vs"),
        ("q-table,alpha=0.1,learning_rate=0.1", "alpha is given twice"),
        ("champion,discount=1", "champion has no parameter 'discount'"),
        ("q-learning,beta=1", "q-learning has no parameter 'beta', only vs, start"),
        ("q-learning,", "q-learning has no parameter ''"),
        ("q-learning,alpha", "alpha has no value"),
        ("q-learning,alpha=0.1,alpha=0.1", "alpha is given twice"),
        ("q-learning,alpha=1.5", "alpha must be a number from 0 to 1, not '1.5'"),
        ("q-learning,alpha=nan", "alpha must be a number from 0 to 1, not 'nan'"),
        ("q-learning,alpha=1e9999", "alpha must be a number from 0 to 1, not"),
        ("q-learning,alpha=٠", "alpha must be a number from 0 to 1, not"),
        ("q-learning,alpha=some", "alpha must be a number from 0 to 1, not 'some'"),
        ("q-learning,games=0", "games must be a whole number from 1 to 999999999, not '0'"),
        ("q-learning,games=1.0", "games must be a whole number from 1 to 999999999, not '1.0'"),
        ("q-learning,seed=-1", "seed must be a whole number from 0 to 999999999, not '-1'"),
        ("q-learning,start=there", "start must be random or every or empty, not 'there'"),
        (
            "q-learning,vs=nobody",
            "vs is one or more of random, fixed, t-hand, minimax, minimax-random",
        ),
        ("q-learning,vs=random+self", "vs counts the turns against each opponent"),
        ("q-learning,vs=random:5+self:0", "vs counts the turns against each opponent"),
        ("q-learning,vs=random:5,games=5", "games is not given where vs says how many"),
        ("q-learning,vs=random:5+self:5,games=5", "games is not given where vs says how many"),
        ("q-learning,draw=1.5", "rewards rise from loss to draw to win, not -1, 1.5, 1"),
        ("self-play,draw=2", "rewards rise from loss to draw to win, not -1, 2, 1"),
        ("q-iteration,sticky=1", "sticky must be yes or no, not '1'"),
        ("league,k_start=101", "k_start is at most k_limit, not 101 above 100"),
        ("league,k_start=0", "k_start must be a number from 0.000001 to 1000000, not '0.0'"),
        ("dqn,vs=self", "vs is a player that never learns, not self or both"),
        ("q-iteration,vs=both", "vs is not both"),
        (
            "dqn,encoding=number,convolution=yes",
            "convolution is no where encoding is number: it has no cells",
        ),
        ("td-afterstates,vs=both,seat=x", "seat is both where vs is both"),
        ("q-table,vs=random:5+both:5,seat=o", "seat is both where vs is both"),
        ("q-learning" + ",seed=1" * 20, "a name has at most 120 characters, not 150"),
        ("menace,vs=you:2,taught=04", "taught has 1 games, and vs=you has 2"),
        ("menace,vs=you:1,taught=04.1", "taught has 2 games, and vs=you has 1"),
        ("menace,taught=04", "taught has 1 games, and vs=random has 0"),
        ("menace,vs=you:1+random:5", "taught has 0 games, and vs=you:1+random:5 has 1"),
        ("menace,vs=you:2,taught=04.09", "taught: move 2 of game 2 is '9', and a cell is 0 to 8"),
        ("menace,vs=you:2,taught=040.1", "taught: move 3 of game 1 is cell 0 once more"),
        ("menace,vs=you:3,taught=04..1", "taught: move 1 of game 2 is missing"),
        ("menace,vs=you:301,taught=" + ".".join(["04"] * 301), "people teach 300 games at most"),
        (
            "menace,vs=you:1+random:5000,taught=04",
            "a learner with people practises for 20,000 updates at most, and this may be 25,000",
        ),
        (
            "menace,vs=you:1" + "+random:1+t-hand:1" * 21 + ",taught=04",
            "a learner with people practises 40 times at most, not 42",
        ),
        ("q-learning,vs=you:1,taught=04", "start is empty where a person teaches"),
        ("q-table,vs=you:1,taught=04", "epsilon_drop is 0 where a person teaches"),
        ("champion,vs=you", "champion has no parameter 'vs'"),
        ("q-iteration,vs=you", "vs is not you: no person teaches q-iteration"),
        ("self-play,vs=you:1+random:9,taught=04", "vs is one or more of self, not 'random'"),
        ("menace,taught=" + "0" * 2000, "a name has at most 2000 characters, not 2014"),
    ],
)
def test_what_is_wrong_is_said(text: str, sentence: str) -> None:
    with pytest.raises(RecipeError) as refused:
        parse_recipe(text)
    assert str(refused.value).startswith(sentence)


def test_short_names_are_those_of_the_shipped() -> None:
    assert len(AGENT_IDS_BY_RECIPE) == len(SHIPPED)
    for agent_id, shipped in SHIPPED.items():
        assert shipped.id == agent_id
        assert AGENT_IDS_BY_RECIPE[name_recipe(shipped.recipe)] == agent_id
        if agent_id in ALGORITHMS:  # then the text means the same as a recipe
            assert parse_recipe(agent_id) == shipped.recipe
