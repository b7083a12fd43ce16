"""The example updates from real training runs, which pages show step by step.

`python -m training updates` writes `models/updates/<algorithm>.json`, so that no page has to wait
for a training. `updates.toml` names an agent for each algorithm, and the places of the examples in
its training: the number of a game, and the index of an update in the game. The textbook learners
make the updates; a test repeats all of them.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from app.recipes import ALGORITHMS, Recipe, parse_recipe
from app.recipes.algorithms import Mcts
from app.recipes.games import (
    UPDATES_FOLDER,
    TrainingMove,
    TrainingUpdate,
    UpdateExample,
    make_training_update,
)
from app.recipes.shipped import SHIPPED
from app.reference import build_rules, learn, list_recipe_turns, make_learner
from app.textbook.loop import Update
from app.textbook.mcts import Tree
from app.textbook.rng import Random
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position, parse_record, replay_record
from app.tictactoe.policy import compute_optimal_q
from training.story import GameRecorder, list_entries, list_entries_before, replace_nan

# The examples of a network need JAX, so the module `network_updates` makes them.
NETWORK_SLUG = "dqn"
MINIMAX_SLUG = "minimax"
# (number of the game, from 1; index of the update in this game, from 0)
ExamplePlace = tuple[int, int]
# {kind of an example: place of the update that a page shows first}
ExamplePlaceByKind = Mapping[str, ExamplePlace]
# If updates.toml has no example of an algorithm, one is chosen from the first games of a training.
SEARCHED_GAMES = 300


def load_example_places() -> dict[str, tuple[str, ExamplePlaceByKind]]:
    """Return {algorithm: (agent, places of the updates that are its examples)}.

    Networks and minimax are left out; an algorithm that is not in updates.toml has no places.
    """
    tables = msgspec.toml.decode(
        Path(__file__).with_suffix(".toml").read_bytes(),
        type=dict[str, dict[str, str | ExamplePlace]],
    )
    others = ALGORITHMS.keys() - tables.keys() - {NETWORK_SLUG}
    example_places: dict[str, tuple[str, ExamplePlaceByKind]] = {}
    for slug, table in tables.items():
        agent = str(table.pop("agent"))
        example_places[slug] = agent, msgspec.convert(table, dict[str, ExamplePlace])
    return example_places | {slug: (slug, {}) for slug in sorted(others)}


EXAMPLE_PLACES = load_example_places()
EXAMPLE_SLUGS = (*EXAMPLE_PLACES, MINIMAX_SLUG)


def find_trained_recipe(agent: str) -> Recipe:
    return SHIPPED[agent].recipe if agent in SHIPPED else parse_recipe(agent)


def build_examples(slug: str) -> list[UpdateExample]:
    if slug == MINIMAX_SLUG:
        return build_minimax_examples()
    agent, place_by_kind = EXAMPLE_PLACES[slug]
    place_by_kind = place_by_kind or choose_places(agent)
    others = {"q-iteration": record_sweep_updates, "mcts": record_simulated_games}
    examples = others.get(slug, record_examples)(agent, place_by_kind.values())
    return [
        replace(examples[place], kind=kind) for kind, place in place_by_kind.items()
    ]


def record_examples(
    agent: str, places: Collection[ExamplePlace]
) -> dict[ExamplePlace, UpdateExample]:
    """Train an agent again; return the games with the updates at `places`, as examples.

    An example has all updates of its game, each with the values of all moves before the update.
    """
    recipe = find_trained_recipe(agent)
    recorder = GameRecorder(recipe)
    learner = make_learner(GAME, recipe)
    wanted_games = {game for game, _ in places}
    examples: dict[ExamplePlace, UpdateExample] = {}
    earlier_updates = finished = 0
    for event in learn(GAME, recipe, learner):
        recorder.records_values = len(recorder.games) in wanted_games
        recorder.record_event(learner, event)
        if len(recorder.games) < finished + 2:
            continue
        moves, recorder.games[finished] = recorder.games[finished], []
        updates = recorder.updates_by_game.pop(finished, [])
        finished += 1
        for game, shown_index in places:
            if game == finished:
                examples[game, shown_index] = UpdateExample(
                    kind="",
                    agent=agent,
                    game_number=game,
                    earlier_updates=earlier_updates,
                    moves=moves,
                    updates=updates,
                    shown_index=shown_index,
                    final_board=moves[-1].next_own_board,
                )
        earlier_updates += len(updates)
        if finished == max(wanted_games):
            break
    return examples


def choose_places(agent: str) -> ExamplePlaceByKind:
    """Choose the update that changes a value most in the first games, as the example."""
    recipe = find_trained_recipe(agent)
    recorder = GameRecorder(recipe)
    learner = make_learner(GAME, recipe)
    for event in learn(GAME, recipe, learner):
        recorder.record_event(learner, event)
        if len(recorder.games) > SEARCHED_GAMES:
            break
    changes = {
        (game + 1, index): abs(update.new - update.old)
        for game, updates in recorder.updates_by_game.items()
        for index, update in enumerate(updates)
    }
    return {"usual": max(changes, key=lambda place: changes[place])}


def record_sweep_updates(
    agent: str, places: Collection[ExamplePlace]
) -> dict[ExamplePlace, UpdateExample]:
    """Return updates of Q-iteration as examples; their places count sweeps, not games."""
    recipe = find_trained_recipe(agent)
    learner = make_learner(GAME, recipe)
    rng = Random(recipe.seed)
    examples: dict[ExamplePlace, UpdateExample] = {}
    for sweep, turn in enumerate(list_recipe_turns(GAME, recipe), 1):
        for number, update in enumerate(learner.play(turn, rng)):
            if (sweep, number) in places:
                assert isinstance(update, Update)
                board, cell, after = update.board, update.cell, update.next_board
                change = make_training_update(
                    update,
                    update_count=sweep,
                    values=list_entries_before(learner, update, board, cell, ""),
                    next_values=list_entries(learner, after),
                )
                move = TrainingMove(board, cell, False, after)
                examples[sweep, number] = UpdateExample(
                    "", agent, sweep, number, [move], [change], 0, after
                )
        if len(examples) == len(places):
            break
    return examples


# X is to move here.
SIMULATED_BOARD = "...OX...."


def record_simulated_games(
    agent: str, places: Collection[ExamplePlace]
) -> dict[ExamplePlace, UpdateExample]:
    """Return games that Monte Carlo tree search simulates from SIMULATED_BOARD as examples."""
    recipe = find_trained_recipe(agent)
    assert isinstance(recipe, Mcts)
    game = build_rules(GAME)
    number = game.unfinished_boards().index(SIMULATED_BOARD)
    tree = Tree(game, recipe.c, SIMULATED_BOARD, Random(recipe.seed, number))
    last_game = max(game for game, _ in places)
    examples = [_simulate_game(tree, agent, one + 1) for one in range(last_game)]
    return {place: examples[place[0] - 1] for place in places}


def _list_bounds(tree: Tree, node: tuple[int, ...], board: str) -> list[float | None]:
    """Return the upper bound of each cell; None for occupied cells and untried moves."""
    bounds: list[float | None] = [None] * len(board)
    for cell in tree.game.legal_moves(board):
        bound = tree.upper_bound(node, cell)
        bounds[cell] = None if bound == float("inf") else bound
    return bounds


def _simulate_game(tree: Tree, agent: str, game_number: int) -> UpdateExample:
    game = tree.game
    means = {}
    bounds: dict[tuple[int, ...], list[float | None]] = {}
    # The simulated game changes the tree, so the bounds and the means are copied before it.
    for node in [(), *(node for node, count in tree.visits.items() if count)]:
        board = tree.root
        for cell in node:
            board = game.make_move(board, cell)
        if not game.is_over(board):
            bounds[node] = _list_bounds(tree, node, board)
        means[node] = tree.mean(node)
    tree.simulate()
    board = tree.root
    moves = []
    for ply, cell in enumerate(tree.last_moves):
        after = game.make_move(board, cell)
        moves.append(TrainingMove(board, cell, ply >= len(tree.last_path), after))
        board = after
    updates = []
    for turn, (node, player) in reversed(list(enumerate(tree.last_path))):
        result = float(game.result(board, player))
        updates.append(
            TrainingUpdate(
                move_index=turn,
                old=means.get(node, 0.0),
                new=tree.mean(node),
                update_count=tree.visits[node],
                is_opponent_move=False,
                reward=result,
                target=result,
                step_size=1 / tree.visits[node],
                values=bounds.get(node[:-1], [None] * game.cells),
            )
        )
    return UpdateExample(
        "", agent, game_number, game_number - 1, moves, updates, 0, board
    )


# {kind of example: (moves of a game, number of moves before the first shown board)}
MINIMAX_RECORDS = {"forced": ("0148356", 2), "held": ("048176253", 4)}


def build_minimax_examples() -> list[UpdateExample]:
    """Return games whose values minimax computes, from the last move back to the first."""
    exact = compute_optimal_q(GAME)
    examples = []
    for kind, (record, first) in MINIMAX_RECORDS.items():
        positions, cells = replay_record(GAME, record), parse_record(GAME, record)
        boards = [format_position(GAME, position) for position in positions]
        moves = [
            TrainingMove(boards[ply], cells[ply], False, boards[ply + 1])
            for ply in range(first, len(cells))
        ]
        updates = []
        for ply in range(len(cells) - 1, first - 1, -1):
            position, after = positions[ply : ply + 2]
            value = float(exact[position, cells[ply]])
            updates.append(
                TrainingUpdate(
                    move_index=ply - first,
                    old=value,
                    new=value,
                    update_count=1,
                    is_opponent_move=False,
                    next_board=boards[ply + 1],
                    values=replace_nan(exact[position]),
                    next_values=[]
                    if GAME.is_over(after)
                    else replace_nan(exact[after]),
                )
            )
        examples.append(
            UpdateExample(kind, MINIMAX_SLUG, 1, 0, moves, updates, 1, boards[-1])
        )
    return examples


def encode_examples(examples: list[UpdateExample]) -> bytes:
    lines = [msgspec.json.encode(example) for example in examples]
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def write_examples(models: Path, slug: str) -> Path:
    path = models / UPDATES_FOLDER / f"{slug}.json"
    path.parent.mkdir(exist_ok=True)
    if slug == NETWORK_SLUG:
        from training.network_updates import build_minibatch  # noqa: PLC0415

        examples = build_minibatch()
    else:
        examples = build_examples(slug)
    path.write_bytes(encode_examples(examples))
    return path
