"""Requests to the trainer, as text, and their answers as bytes.

| request | answer |
|---|---|
| `q-learning,alpha=0.5` | the agent of the recipe, packed by brotli |
| `story/<recipe>` | the first games of the training, as JSON |
| `code/<recipe>` | the training as a Python file |
| `taught/<cells or ->/<recipe>` | the state of a learner taught by people, and its unfinished game |
| `seeds/3.4.5/<recipe>` | the figures and proofs of the recipe with each of these seeds |

Until the kernels are compiled, which takes a new machine 20 seconds, the textbook learners
answer. They make the same agent bit for bit.
"""

import zlib

import brotli
import msgspec
import numpy as np

from app.recipes import Recipe, name_recipe, parse_recipe
from app.recipes.on_demand import parse_on_demand
from app.tictactoe.agents import Agent, pack_agent
from app.tictactoe.game import SEATS, Game
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import compute_figures, evaluate_policies

STORY_PREFIX, CODE_PREFIX, TAUGHT_PREFIX, SEEDS_PREFIX = (
    "story",
    "code",
    "taught",
    "seeds",
)
# Kinds of requests that are answered by the textbook learners, in less time than a training.
QUICK_PREFIXES = (
    STORY_PREFIX,
    CODE_PREFIX,
    TAUGHT_PREFIX,
)
NO_GAME = "-"  # the cells in a request without an unfinished game
# the textbook learners need a few seconds for these updates
MAX_TEXTBOOK_UPDATES = 200_000


def split_request(request: str) -> tuple[str, str]:
    """Return the kind of a request ("" for an agent) and the text after the kind."""
    kind, slash, rest = request.partition("/")
    return (kind, rest) if slash else ("", request)


def is_batch(request: str) -> bool:
    """Return whether a request is for several seeds; pages wait for a single seed only."""
    kind, rest = split_request(request)
    return kind == SEEDS_PREFIX and "." in rest.partition("/")[0]


def is_quick(request: str) -> bool:
    """Return whether a request goes to the queue that does not wait behind trainings.

    Agents taught by people are quick as well: one process holds all taught learners.
    """
    return TAUGHT_PREFIX in request or split_request(request)[0] in QUICK_PREFIXES


def answer_request(game: Game, request: str, is_compiled: bool = True) -> bytes:
    """Return the answer to a request.

    Raises RecipeError if the recipe is invalid.
    """
    kind, rest = split_request(request)
    # Imported late, because the trainer process needs none of these modules.
    # A worker that must not read broken kernels disables numba's cache before these imports.
    if kind == STORY_PREFIX:
        from training.story import encode_story  # noqa: PLC0415

        return encode_story(game, parse_recipe(rest))
    if kind == CODE_PREFIX:
        from training.export_script import build_script  # noqa: PLC0415

        return build_script(parse_recipe(rest)).encode()
    if kind == TAUGHT_PREFIX:
        from training.taught import answer_course  # noqa: PLC0415

        cells, _, recipe = rest.partition("/")
        return answer_course(
            game, recipe, None if cells == NO_GAME else cells, is_compiled
        )
    if kind == SEEDS_PREFIX:
        seeds, _, text = rest.partition("/")
        recipes = [parse_recipe(text).with_seed(int(seed)) for seed in seeds.split(".")]
        runs = [
            run_seed(game, parse_on_demand(name_recipe(recipe))) for recipe in recipes
        ]
        return msgspec.msgpack.encode(runs)
    agent = train_agent(game, parse_on_demand(request), is_compiled)
    # Quality 1 packs an agent to a third of its size in 2 ms.
    packed_agent: bytes = brotli.compress(pack_agent(game, agent), quality=1)
    return packed_agent


def train_agent(game: Game, recipe: Recipe, is_compiled: bool) -> Agent:
    """Return the agent of a recipe.

    Until the kernels are compiled, the textbook learner trains short recipes.
    """
    from training.run import COMPILED, TrainingMethod, make_agent_id, train  # noqa: PLC0415
    from training.story import RECORDED_ALGORITHMS  # noqa: PLC0415
    from training.taught import learn  # noqa: PLC0415

    is_short = recipe.compute_max_updates() <= MAX_TEXTBOOK_UPDATES
    is_for_textbook = (
        is_short
        and recipe.slug in RECORDED_ALGORITHMS
        and recipe.length_parameter == "games"
    )
    method = (
        COMPILED
        if is_compiled or not is_for_textbook
        else TrainingMethod(learn, evaluate_policies)
    )
    return train(make_agent_id(recipe), recipe, game, lambda progress: None, method)


def run_seed(game: Game, recipe: Recipe) -> bytes:
    """Return the results of a training: its seed, its figures, its proofs of being unbeatable by seat.

    The answer is JSON, compressed by zlib. Figures about values are left out, because the lab
    compares the play of agents only.
    """
    from training import fast_evaluation  # noqa: PLC0415
    from training.run import record_history  # noqa: PLC0415

    history = record_history(recipe, game, lambda progress: None)
    tables = np.stack([game.gather_pairs(snapshot.q) for snapshot in history])
    updates = [snapshot.updates for snapshot in history]
    figures = compute_figures(
        game,
        tables,
        updates,
        None,
        recipe.plays,
        recipe.build_training_task(),
        fast_evaluation.evaluate_policies,
    )
    policy = policy_from_values(history[-1].q, recipe.plays)
    proofs = [
        fast_evaluation.is_unbeatable(game, policy, seat) for seat in SEATS.values()
    ]
    return zlib.compress(msgspec.json.encode((recipe.seed, figures, proofs)), 1)
