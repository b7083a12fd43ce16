"""A recipe that cannot be meant is refused with a sentence."""

from dataclasses import replace

import pytest

from app.tictactoe.card import ID
from app.tictactoe.game import Game
from training.recipe import Recipe
from training.recipes import RATES, RECIPES
from training.run import train

GOOD = RECIPES["q-learning-4"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"parameters": RATES | {"alpha": 1.5}}, "alpha lies within 0 and 1, not 1.5"),
        ({"parameters": RATES | {"gamma": -0.1}}, "gamma lies within 0 and 1, not -0.1"),
        ({"parameters": RATES | {"epsilon": "some"}}, "epsilon lies within 0 and 1, not some"),
        ({"parameters": RATES | {"alpha": float("nan")}}, "alpha lies within 0 and 1, not nan"),
        ({"parameters": {"alpha": 0.1}}, "the parameters are alpha, epsilon, gamma, not alpha"),
        ({"parameters": RATES | {"beta": 1}}, "not alpha, beta, epsilon, gamma"),
        ({"opponents": {}}, "there is no opponent"),
        ({"opponents": {"random": -5}}, "iterations against random are at least 1, not -5"),
        ({"opponents": {"random": 0}}, "iterations against random are at least 1, not 0"),
        ({"seed": -1}, "the seed is at least 0, not -1"),
    ],
)
def test_a_broken_recipe_is_refused(change, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^recipe q-learning-4: .*{sentence}"):
        replace(GOOD, **change)


def test_an_unknown_opponent_is_refused_before_anything_is_learned(game: Game) -> None:
    recipe = replace(GOOD, opponents={"random": 1, "nobody": 1})
    with pytest.raises(ValueError, match="no opponent 'nobody' here, only random and self"):
        train(recipe, game, 0, lambda progress: pytest.fail("it began"))


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_the_recipes_are_named_as_files_are(recipe: Recipe) -> None:
    assert ID.fullmatch(recipe.id)
    assert recipe.title
    assert recipe.origin
    assert recipe.reported
