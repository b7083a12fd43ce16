"""Links to the pages on teaching a learner, on MENACE on paper, and for a class."""

from app.web.routes import Route

TEACH_ROUTE = Route("/teach", "now game")
PAPER_ROUTE = Route("/teach/paper", "set size of taught")
CLASSROOM_ROUTE = Route("/teach/class")
# The name of a learner can be truncated, so its page finds the canonical name.
TEACH_RECIPE_ROUTE = Route("/teach/<learner>", "now game")
TEACH_PREVIEW_ROUTE = Route("/preview/teach/<name>.png")
TEACH_QR_ROUTE = Route("/qr/teach/<name>.svg")


def teach_url(recipe_name: str = "", unfinished_moves: str = "") -> str:
    """Return the URL for teaching a learner, by default the first one in the list.

    `unfinished_moves` are the cells played so far in the current game.
    """
    return (
        TEACH_RECIPE_ROUTE.url(recipe_name, now=unfinished_moves)
        if recipe_name
        else TEACH_ROUTE.url(now=unfinished_moves)
    )


def paper_url(set_key: str = "", size_key: str = "", machine_recipe: str = "") -> str:
    """Return the URL of the sheets for MENACE on paper.

    `set_key` selects the boxes, `size_key` the paper, and `machine_recipe` the machine whose beads
    are printed on the labels.
    """
    return PAPER_ROUTE.url(
        set="" if machine_recipe or set_key == "short" else set_key,
        size="" if size_key == "a4" else size_key,
        of=machine_recipe,
    )


def unfinished_game_url(unfinished_moves: str) -> str:
    """Return the URL of a game in progress, relative to the page of its learner."""
    # The name of a taught learner is long, so the URL does not repeat it.
    return f"?now={unfinished_moves or '.'}"


def teach_game_url(game_number: int) -> str:
    """Return the URL of the updates of a game, relative to the page of its learner."""
    return f"?game={game_number}"
