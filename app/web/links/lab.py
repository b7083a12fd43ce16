"""Links to the lab."""

from app.recipes.algorithms import ALGORITHMS
from app.recipes.parameters import get_parameters
from app.web.routes import Route

# Pages show this measure by default.
BLUNDERS_KEY = "blunders"
_LAB_PARAMETERS = "ghost curve axis step game update seeds elsewhere"
_RECIPE_PARAMETERS = sorted(
    {name for kind in ALGORITHMS.values() for name in get_parameters(kind)}
)
# Each query parameter changes a parameter of both recipes in the lab (alpha), or of only one
# (a.alpha, b.alpha).
LAB_CHANGE_PARAMETERS = [
    side + name
    for side in ("", "a.", "b.")
    for name in ("algorithm", *_RECIPE_PARAMETERS)
]
RECIPE_SCRIPT_ROUTE = Route("/lab/<name>.py")
LAB_ROUTE = Route(
    "/lab", " ".join(["recipe algorithm", _LAB_PARAMETERS, *LAB_CHANGE_PARAMETERS[1:]])
)
LAB_RECIPE_ROUTE = Route("/lab/<name>", _LAB_PARAMETERS)
LAB_PREVIEW_ROUTE = Route("/preview/lab/<name>.png", _LAB_PARAMETERS)


def lab_url(
    recipe_name: str = "",
    baseline: str = "",
    measure_key: str = "",
    step: int | None = None,
    game: int | None = None,
    update: int | None = None,
    seeds: int | None = None,
    axis_key: str = "",
    elsewhere: int | None = None,
) -> str:
    """Return the URL of the lab with a recipe, compared with `baseline` if that differs.

    `step` is a snapshot, `seeds` the number of seeds, and `game` the number of a training game,
    shown after its first `update` updates. `elsewhere` is the number of verdicts in the table that
    repeats the comparison with other opponents and numbers of games.
    """
    numbers = {"step": step, "game": game, "update": update, "seeds": seeds}
    numbers["elsewhere"] = elsewhere
    query = {
        "ghost": "" if baseline == recipe_name else baseline,
        "curve": "" if measure_key == BLUNDERS_KEY else measure_key,
        "axis": axis_key,
        **numbers,
    }
    return (
        LAB_RECIPE_ROUTE.url(recipe_name, **query)
        if recipe_name
        else LAB_ROUTE.url(**query)
    )
