"""Answer the requests of the site that need a training while a visitor waits.

A request is a text, and an answer is bytes:

| request | answer |
|---|---|
| `q-learning,alpha=0.5` | the agent of the recipe, packed by brotli |
| `story/<recipe>` | the first games of the training, as JSON |
| `code/<recipe>` | the training as a Python file |
| `taught/<cells>/<recipe>` | the state of a learner taught by people, and its unfinished game |
| `seeds/3.4.5/<recipe>` | exact results of the recipe with each of the seeds 3, 4 and 5 |

`<cells>` are the moves of the unfinished game, or `-` if there is none. A new machine needs 20
seconds to compile the training loops (kernels). Until then the slower learners of `app.textbook`
make the same agents, bit for bit.
"""

import zlib

import brotli
import msgspec
import numpy as np

from app.recipes import ALGORITHMS, Recipe, name_recipe, parse_recipe
from app.recipes.on_demand import parse_on_demand
from app.tictactoe.agents import Agent, pack_agent
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import compute_figures, evaluate_policies
from training.kernels import choose_kernel_folder, is_compiled

NO_TAUGHT_CELLS = "-"
# This many updates take a textbook learner a few seconds.
MAX_TEXTBOOK_UPDATES = 200_000


def answer_request(request: str) -> bytes:
    # numba reads the folder of its files once, on import. So whatever imports numba is imported later.
    choose_kernel_folder()
    kind, _, rest = request.partition("/")
    if kind == "story":
        from training.story import encode_game_log  # noqa: PLC0415

        return encode_game_log(parse_recipe(rest))
    if kind == "code":
        from training.export_script import build_script  # noqa: PLC0415

        return build_script(parse_recipe(rest)).encode()
    if kind == "taught":
        from training.taught import answer_course  # noqa: PLC0415

        cells, _, recipe = rest.partition("/")
        return answer_course(
            recipe,
            None if cells == NO_TAUGHT_CELLS else cells,
            is_compiled(ALGORITHMS[recipe.partition(",")[0]]),
        )
    if kind == "seeds":
        seeds, _, text = rest.partition("/")
        recipes = [parse_recipe(text).with_seed(int(seed)) for seed in seeds.split(".")]
        runs = [
            evaluate_seed(parse_on_demand(name_recipe(recipe))) for recipe in recipes
        ]
        return msgspec.msgpack.encode(runs)
    wanted = parse_on_demand(request)
    agent = train_agent(wanted, is_compiled(type(wanted)))
    # Quality 1 packs an agent to a third of its size in 2 ms.
    packed_agent: bytes = brotli.compress(pack_agent(GAME, agent), quality=1)
    return packed_agent


def train_agent(recipe: Recipe, has_kernels: bool) -> Agent:
    """Return the agent of a recipe.

    Without compiled kernels (`has_kernels` is false) a textbook learner trains it, if that takes
    only a few seconds; otherwise the kernels are compiled first.
    """
    from training.run import COMPILED_METHOD, TrainingMethod, make_agent_id, train  # noqa: PLC0415
    from training.story import RECORDED_ALGORITHMS  # noqa: PLC0415
    from training.taught import learn  # noqa: PLC0415

    is_short = recipe.compute_max_updates() <= MAX_TEXTBOOK_UPDATES
    is_for_textbook = (
        is_short
        and recipe.slug in RECORDED_ALGORITHMS
        and recipe.length_parameter == "games"
    )
    method = (
        COMPILED_METHOD
        if has_kernels or not is_for_textbook
        else TrainingMethod(learn, evaluate_policies)
    )
    return train(make_agent_id(recipe), recipe, GAME, lambda progress: None, method)


def evaluate_seed(recipe: Recipe) -> bytes:
    """Train a recipe; return (seed, exact results, (unbeatable as X, unbeatable as O)).

    The answer is JSON, compressed by zlib. It has no results about values, because the page /lab
    compares only how agents play.
    """
    from training import fast_evaluation  # noqa: PLC0415
    from training.run import record_history  # noqa: PLC0415

    history = record_history(recipe, GAME, lambda progress: None)
    tables = np.stack([GAME.gather_pairs(snapshot.q) for snapshot in history])
    updates = [snapshot.updates for snapshot in history]
    figures = compute_figures(
        GAME,
        tables,
        updates,
        None,
        recipe.plays,
        recipe.build_training_task(),
        fast_evaluation.evaluate_policies_fast,
    )
    policy = policy_from_values(history[-1].q, recipe.plays)
    proofs = [
        fast_evaluation.is_unbeatable(GAME, policy, seat) for seat in SEATS.values()
    ]
    return zlib.compress(msgspec.json.encode((recipe.seed, figures, proofs)), 1)
