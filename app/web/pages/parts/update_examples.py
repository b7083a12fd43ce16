"""Recorded updates of real trainings as examples, with the game around them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from msgspec import structs

from app.recipes import parse_recipe
from app.recipes.games import (
    TrainingMove,
    UpdateExample,
    find_blunder_updates,
)
from app.recipes.shipped import SHIPPED
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.tictactoe.views import RewardScale
from app.web.algorithms import ALGORITHM_PAGES, MINIMAX, SECTIONS, find_algorithm_slug
from app.web.algorithms.targets import ValueQuery
from app.web.formatting import format_count, name_square
from app.web.links.how import how_url
from app.web.pages.parts.update import (
    FIGURE_STEP_COUNT,
    UpdatePicture,
    UpdateSquare,
    format_decimals,
    prepare_update_picture,
)
from app.web.rendering import Variables
from app.web.routes import Destination
from app.web.site_data import SiteData

# The keys are the settings that occur in training/updates.toml.
SETTING_SENTENCES = {
    "start=empty": "every game starts with the empty board",
    "exploring_starts=no": "the first move of a game is not always random",
}
BLUNDER_KIND = "blunder"
# The examples of these algorithms have moves from many games, so their moves have no order.
MANY_GAME_ALGORITHMS = ("q-iteration", "dqn")


def find_example(
    examples: Sequence[UpdateExample], example_name: str
) -> tuple[UpdateExample, int]:
    """Return the example with this name, and the index of its update.

    "usual" is an example, and "usual-2" the second update of its game. The default is the first
    example. Raises ValueError, with a list of the names, for any other name.
    """
    if not example_name:
        return examples[0], examples[0].shown_index
    kind, _, number = example_name.partition("-")
    for example in examples:
        if example.kind == kind:
            if not number:
                return example, example.shown_index
            if number.isdecimal() and 1 <= int(number) <= len(example.updates):
                return example, int(number) - 1
    kinds = ", ".join(example.kind for example in examples)
    raise ValueError(
        f"update in the address is {example_name!r}. There are: {kinds}; a number after it, as in "
        f"{examples[0].kind}-1, is one update of that game."
    )


def name_training(site: SiteData, agent: str) -> str:
    """Return the title of an agent, or the algorithm and the settings of a recipe."""
    if agent == MINIMAX:
        return "optimal play"
    if agent in site.shipped_agents:
        return site.shipped_agents[agent].card.title
    slug, *settings = agent.split(",")
    words = [
        SETTING_SENTENCES.get(setting, setting.replace("=", " = "))
        for setting in settings
    ]
    return f"{ALGORITHM_PAGES[slug].name} ({'; '.join(words)})"


def build_example(
    site: SiteData,
    examples: Sequence[UpdateExample],
    example_name: str,
    last_step: int,
    build_url: Callable[..., str],
) -> Variables:
    """Return the picture of an example's update, with its agent, its game and links.

    `last_step` is the step of the explanation that is shown first. `build_url` returns the URL of
    an update and a step. Raises ValueError as `find_example` does.
    """
    example, number = find_example(examples, example_name)
    pictures = _build_update_pictures(example)
    boards = _build_game_boards(example, pictures, number, build_url)
    kinds = [one.kind for one in examples]
    learning_order = find_learning_order(example, pictures[0].slug)
    step_urls = [
        build_url(update=example_name or example.kind, stage=step)
        for step in range(1, FIGURE_STEP_COUNT + 1)
    ]
    return {
        "update_picture": pictures[number],
        # an id or a recipe; "" for optimal play
        "agent": "" if example.agent == MINIMAX else example.agent,
        "title": name_training(site, example.agent),
        # The training was made for this example; no agent of the site has it.
        "is_own_training": example.agent != MINIMAX and example.agent not in SHIPPED,
        "game_label": format_count(example.game_number),
        "move_number": boards[number]["ply"],
        "last_step": last_step,
        "boards": boards[::-1] if learning_order == "backward" else boards,
        "learning_order": learning_order,
        "examples": [
            Destination(
                kind,
                build_url(update=kind),
                id=f"example-{kind}",
                is_current=kind == example.kind,
            )
            for kind in kinds
        ],
        "next_update": _find_next_update(example, boards, number, kinds, build_url),
        "example_kind": example.kind,
        # the URL of each step, of the step before the shown one, and of the step after it
        "walk": {
            "urls": step_urls,
            "back": step_urls[max(last_step - 2, 0)],
            "on": step_urls[min(last_step, FIGURE_STEP_COUNT - 1)],
        },
        "page_url": boards[number]["update_link"].href,
    }


def build_nearest_example(query: ValueQuery) -> Variables | None:
    """Return a recorded update to show in place of a next update that cannot be computed.

    If possible it updated the same move, or else the same agent. Returns None if the value is not
    learned, or if no update of its algorithm was recorded.
    """
    slug = find_algorithm_slug(query)
    site = query.site
    examples = site.update_examples.get(slug, [])
    has_rule = query.is_learned and not site.is_taught_by_person(query.value_source)
    if not has_rule or not examples:
        return None
    # No recorded example has the update rule "sum".
    if getattr(query.recipe, "update", "") == "sum":
        return None
    chosen = max(examples, key=lambda example: rank_example(example, query))
    return build_example(
        site, examples, chosen.kind, FIGURE_STEP_COUNT, partial(how_url, slug)
    )


def compute_blunder_effect(example: UpdateExample) -> Variables:
    change = example.updates[example.shown_index]
    values = [-math.inf if value is None else value for value in change.values]
    values[get_shown_move(example).cell] = change.new
    best = max(values)
    return {
        "was_raised": change.new > change.old,
        "square_name": name_square(values.index(best)),
        "value_text": format_decimals(best, 2),
    }


def list_examples(site: SiteData, slug: str) -> list[UpdateExample]:
    """Return the recorded updates of an algorithm, the last of which led to a blunder."""
    examples = list(site.update_examples[slug])
    mistakes = site.blunder_examples.get(SECTIONS[slug].value_source, {})
    for key in mistakes:
        board, _, cell = key.partition(" ")
        value_source = SECTIONS[slug].value_source
        made, _ = find_blunder_updates(
            site.blunder_examples, value_source, board, int(cell)
        )
        return [*examples, structs.replace(made, kind=BLUNDER_KIND)]
    return examples


def list_recorded_updates(query: ValueQuery) -> list[UpdateExample]:
    """Return two recorded updates, or [] before the last snapshot and if none are recorded.

    The first one made the agent prefer a blunder. The second one was the first update of its value.
    """
    board = format_position(GAME, query.position)
    if query.snapshot is not None:
        return []
    return find_blunder_updates(
        query.site.blunder_examples, query.value_source, board, query.cell
    )


def get_shown_move(example: UpdateExample) -> TrainingMove:
    return example.moves[example.updates[example.shown_index].move_index]


def rank_example(example: UpdateExample, query: ValueQuery) -> tuple[bool, bool]:
    """Return whether an example updates the same move, and the same agent, as a sort key."""
    turn = get_shown_move(example)
    board = format_position(GAME, query.position)
    has_move = turn.board == board and turn.cell == query.cell
    return has_move, example.agent == query.value_source


def _build_update_pictures(example: UpdateExample) -> list[UpdatePicture]:
    agent = example.agent
    if agent == MINIMAX:
        start = partial(UpdatePicture, ALGORITHM_PAGES[MINIMAX], RewardScale(), None)
    else:
        recipe = SHIPPED[agent].recipe if agent in SHIPPED else parse_recipe(agent)
        start = prepare_update_picture(recipe)
    pictures = []
    for update in example.updates:
        move = example.moves[update.move_index]
        picture = start(move, update)
        picture_kind = picture.algorithm.picture_kind
        if picture_kind in ("return", "beads"):
            picture = replace(picture, final_board=example.final_board)
        if picture_kind == "return" and picture.slug != "mcts":
            rest = example.moves[update.move_index + 1 :]
            later = sum(turn.mark == move.mark for turn in rest)
            picture = replace(picture, later_own_moves=later)
        pictures.append(picture)
    return pictures


def find_learning_order(
    example: UpdateExample, slug: str
) -> Literal["forward", "backward", ""]:
    """Return "forward" or "backward", the order in which a game's moves are updated, else ""."""
    turns = [change.move_index for change in example.updates]
    if slug in MANY_GAME_ALGORITHMS or len(turns) == 1:
        return ""
    is_backward = turns == sorted(turns, reverse=True)
    return "backward" if is_backward and len(set(turns)) > 1 else "forward"


def _build_game_boards(
    example: UpdateExample,
    pictures: Sequence[UpdatePicture],
    chosen_index: int,
    build_url: Callable[..., str],
) -> list[Variables]:
    """Return a board with a link for each update of a game, in the order of the updates."""
    boards = []
    for index, picture in enumerate(pictures):
        algorithm, move, change = picture.algorithm, picture.move, picture.update
        is_updated, is_chosen = index <= chosen_index, index == chosen_index
        # An exact value is computed once, so it has no old value.
        is_exact = picture.slug == MINIMAX
        old, new = (
            format_decimals(value, picture.square_decimals)
            for value in (change.old, change.new)
        )
        kind = f"{example.kind}-{index + 1}"
        url = build_url(update=example.kind if index == example.shown_index else kind)
        title = new if is_exact else f"{old} → {new}"
        value: float | None = change.new
        if not is_updated:
            value = None if is_exact else change.old
        can_explore = algorithm.is_epsilon_greedy and not algorithm.no_game_reason
        boards.append(
            {
                "update_link": Destination(
                    title, url, id=f"update-{kind}", is_current=is_chosen
                ),
                # begins at 1
                "ply": len(move.board) - move.board.count(".") + 1,
                "squares": _build_move_board(picture, value, is_chosen, is_updated),
                "target_text": ""
                if change.target is None
                else format_decimals(change.target, 2),
                "is_random": move.was_random and can_explore,
                "is_updated": is_updated,
            }
        )
    return boards


def _build_move_board(
    picture: UpdatePicture, value: float | None, is_chosen: bool, is_updated: bool
) -> list[list[UpdateSquare]]:
    move = picture.move
    shown_values: list[float | None] = [None] * len(move.board)
    shown_values[move.cell] = value
    symbols = {move.cell: "old"} if is_chosen else {}
    rows = picture.lay_out_squares(move.board, shown_values, move.mark, symbols)
    rows = [[square._replace(lacks_value=False) for square in row] for row in rows]
    if is_updated:
        return rows
    return [[square._replace(heat=None) for square in row] for row in rows]


def _find_next_update(
    example: UpdateExample,
    boards: Sequence[Mapping[str, Any]],
    shown_index: int,
    example_kinds: Sequence[str],
    build_url: Callable[..., str],
) -> Destination | None:
    """Return a link to the next update of the game, or else to the next example, or None.

    Its title is the number of the move, or "" for another example.
    """
    if shown_index + 1 < len(boards):
        board = boards[shown_index + 1]
        link: Destination = board["update_link"]
        return link._replace(title=str(board["ply"]))
    position = example_kinds.index(example.kind) + 1
    if position == len(example_kinds):
        return None
    return Destination("", build_url(update=example_kinds[position]))
