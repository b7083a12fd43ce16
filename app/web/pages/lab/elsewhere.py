"""Does the change of a comparison also help in other trainings?

A table repeats the comparison against each opponent, with half as many, as many and twice as many
turns.
"""

from collections.abc import Mapping, Sequence

from app.recipes import Recipe, RecipeError
from app.recipes.parameters import BOTH_OPPONENT, OPPONENTS, SELF_OPPONENT
from app.web.formatting import format_count
from app.web.pages.lab.change import (
    change_recipe_pair,
    count_turns,
    find_possible_causes,
    find_shared_parameters,
)
from app.web.pages.lab.menus import RecipePair
from app.web.pages.lab.question import find_yes_variant
from app.web.pages.lab.recipe_comparison import can_train_seeds, list_seeds, train_seeds
from app.web.pages.lab.verdict import (
    MAX_SEEDS,
    PairedSignTest,
    list_measures,
    run_sign_test,
)
from app.web.pages.lab.wording import name_causes
from app.web.rendering import Variables
from app.web.site_data import SiteData


def build_other_verdicts(
    recipe_pair: RecipePair, max_verdicts: int
) -> Variables | None:
    """Train the comparison with other opponents and lengths; return the verdicts as a table.

    Only the first `max_verdicts` cells are trained. Returns None if nothing else can be compared.
    Raises the errors of `train_seeds`.
    """
    opponents = _list_opponents(recipe_pair)
    lengths = _list_lengths(recipe_pair)
    comparisons = _list_comparisons(recipe_pair, opponents, lengths)
    if len(comparisons) < 2:
        return None
    trained = min(max_verdicts, len(comparisons))
    cells = {}
    for number, (place, recipes) in enumerate(comparisons.items()):
        sign_test = _compare_recipes(recipe_pair, recipes) if number < trained else None
        cells[place] = _build_cell(recipe_pair, recipes, sign_test)
    rows = [
        (title, [cells.get((row, column)) for column in range(len(lengths))])
        for row, title in enumerate(opponents.values())
    ]
    return {
        "columns": [title for _, title in lengths],
        "rows": rows,
        "trained_count": trained,
        "trainable_count": len(comparisons),
        "next_request_count": trained + 1 if trained < len(comparisons) else 0,
    }


def _list_opponents(recipe_pair: RecipePair) -> dict[str, str]:
    """Return name -> title of each opponent that both algorithms allow.

    The name "" stands for the recipes' own opponents.
    """
    shared = {
        one.name: one
        for one in find_shared_parameters(recipe_pair.recipe_a, recipe_pair.recipe_b)
    }
    varied = {
        one.name
        for one in find_possible_causes(recipe_pair.recipe_b, recipe_pair.recipe_a)
    }
    if "vs" not in shared or "vs" in varied:
        return {"": "This opponent"}
    choices = shared["vs"].choices or OPPONENTS
    titles = {
        SELF_OPPONENT: "Itself",
        BOTH_OPPONENT: "Itself, both sides learning",
        "league": "The league",
    }
    opponents = {
        one: titles.get(one) or _name_policies(recipe_pair.site, one) for one in choices
    }
    current = str(shared["vs"].value)
    return opponents if current in opponents else {"": "These opponents"} | opponents


def _name_policies(site: SiteData, joined_names: str) -> str:
    return " and ".join(site.display_titles[one] for one in joined_names.split("+"))


def _list_lengths(recipe_pair: RecipePair) -> list[tuple[int, str]]:
    """Return (number of games or sweeps, title) for half, the same and double length.

    If the recipes differ in length, the only number is 0, and both keep their lengths.
    """
    turns = recipe_pair.recipe_a.length_parameter
    shared = {
        one.name
        for one in find_shared_parameters(recipe_pair.recipe_a, recipe_pair.recipe_b)
    }
    varied = {
        one.name
        for one in find_possible_causes(recipe_pair.recipe_b, recipe_pair.recipe_a)
    }
    if turns not in shared or turns in varied:
        return [(0, "This length")]
    number = count_turns(recipe_pair.recipe_a.phases)
    lengths = [max(1, number // 2), number, 2 * number]
    return [(one, f"{format_count(one)} {turns}") for one in lengths]


def _list_comparisons(
    recipe_pair: RecipePair,
    titles_by_opponent: Mapping[str, str],
    titled_lengths: Sequence[tuple[int, str]],
) -> dict[tuple[int, int], tuple[Recipe, Recipe]]:
    comparisons = {}
    columns = sorted(
        range(len(titled_lengths)),
        key=lambda column: column != len(titled_lengths) // 2,
    )
    for column in columns:
        number, _ = titled_lengths[column]
        for row, opponent in enumerate(titles_by_opponent):
            changes = {"vs": opponent} if opponent else {}
            if number:
                changes[recipe_pair.recipe_a.length_parameter] = str(number)
            try:
                recipes = change_recipe_pair(
                    recipe_pair.recipe_a, recipe_pair.recipe_b, changes
                )
            except RecipeError:
                continue
            seeds = list_seeds(recipes[1])
            if recipes[0] != recipes[1] and all(
                can_train_seeds(recipe_pair.site, one, seeds) for one in recipes
            ):
                comparisons[row, column] = recipes
    return comparisons


def _compare_recipes(
    recipe_pair: RecipePair, recipes: tuple[Recipe, Recipe]
) -> PairedSignTest | None:
    runs = train_seeds(recipe_pair.site, recipes, list_seeds(recipes[1]), MAX_SEEDS)
    measures = list_measures(recipe_pair.site, [each[0] for each in runs])
    measure = measures.get(recipe_pair.measure_key)
    if measure is None:
        return None
    ends = [[measure.get_final_value(run) for run in each] for each in runs]
    return run_sign_test(ends, measure.more_is_better)


def _build_cell(
    recipe_pair: RecipePair,
    recipes: tuple[Recipe, Recipe],
    sign_test: PairedSignTest | None,
) -> Variables:
    """Return a cell such as "yes, 16 to 4", which is empty before its training."""
    answer = text = ""
    if sign_test is not None:
        better = sign_test.better_variant
        if better:
            answer = "yes" if better == find_yes_variant(*recipes) else "no"
        is_one_thing = len(name_causes(recipe_pair.recipe_a, recipe_pair.recipe_b)) == 1
        words = answer if is_one_thing else better
        score = f"{sign_test.b_wins} to {sign_test.a_wins}"
        text = f"{words}, {score}" if words else f"no difference ({score})"
        if sign_test.is_tie:
            text = f"equal in {sign_test.seed_count}"
    return {
        "url": recipe_pair.build_url(*recipes),
        "result_words": text,
        "answer": answer,
        "is_current_comparison": recipes
        == (recipe_pair.recipe_a, recipe_pair.recipe_b),
    }
