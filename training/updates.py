"""Selection of example updates from real trainings, which pages show step by step.

`python -m training updates` writes `models/updates/<algorithm>.json`, so that no page has to
wait for a training.  The textbook learners make the updates; a test repeats all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from app.recipes import ALGORITHMS, Recipe, parse_recipe
from app.recipes.algorithms import TdControl
from app.recipes.games import (
    DECIDING_KIND,
    FIRST_KIND,
    UPDATES_FOLDER,
    TrainingMove,
    TrainingUpdate,
    UpdateExample,
)
from app.recipes.shipped import SHIPPED
from app.reference import build_rules, learn, list_recipe_turns, make_learner
from app.textbook.loop import Update
from app.textbook.mcts import Tree
from app.textbook.opponents.minimax import list_best_moves
from app.textbook.q_iteration import QIteration
from app.textbook.rng import Random
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.notation import format_position, parse_record, replay_record
from app.tictactoe.policy import compute_optimal_q
from training.story import GameRecorder, list_values, list_values_before, replace_nan

DECIMALS = 2  # number of decimals that a page shows
MIN_CHANGE = 0.008  # least change of a value that a page shows


class RecordedGame(NamedTuple):
    """A game of a training."""

    game_number: int  # number of the game in the training, from 1
    earlier_updates: int  # number of updates before the game
    moves: list[TrainingMove]
    updates: list[TrainingUpdate]
    final_board: str  # the last board of the game


UpdateTest = Callable[[Recipe, RecordedGame, TrainingUpdate], bool]


def round_for_page(value: float) -> float:
    return round(value, DECIMALS)


def has_consistent_rounding(recipe: Recipe, update: TrainingUpdate) -> bool:
    """Return whether the rounded numbers of an update still give its rounded result."""
    if update.target is None or update.step_size is None:
        return False
    old, new = update.in_table or (update.old, update.new)
    old = round_for_page(old)
    target = round_for_page(update.target)
    gamma: float = getattr(recipe, "gamma", 1.0)
    if recipe.slug == "self-play":
        gamma = -gamma
    made = update.reward + gamma * round_for_page(update.next_value)
    has_next = bool(update.next_board) and recipe.slug != "league"
    if has_next and round_for_page(made) != target:
        return False
    return round_for_page(old + update.step_size * (target - old)) == round_for_page(
        new
    )


def is_clear(recipe: Recipe, update: TrainingUpdate) -> bool:
    """Return whether a reader can check an update: the rounded numbers add up, and the value changes."""
    return (
        has_consistent_rounding(recipe, update)
        and abs(update.new - update.old) >= MIN_CHANGE
    )


def has_next_state(update: TrainingUpdate) -> bool:
    """Return whether the target was computed from a next state, not from the end of a game."""
    return bool(update.next_values)


def is_usual(recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
    """Return whether an update is typical: a greedy move and a next state, both with known values."""
    turn = game.moves[update.move_index]
    known = abs(update.old) >= 0.1 and abs(update.next_value) >= 0.1
    known = known and update.update_count >= 3
    # For Q-learning the update from 0.36 to 0.37 is chosen: a small step is easy to follow.
    wanted = recipe.slug != "q-learning" or (
        (round_for_page(update.old), round_for_page(update.new)) == (0.36, 0.37)
    )
    small = abs(update.new - update.old) <= 0.3
    ordinary = not turn.was_random or recipe.slug == "league"
    return (
        known
        and wanted
        and small
        and ordinary
        and has_next_state(update)
        and is_clear(recipe, update)
    )


def is_final_move(recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
    """Return whether a move ended the game and its value, not extreme yet, moves to the reward."""
    return (
        bool(update.next_board)
        and not has_next_state(update)
        and 0.1 <= abs(update.old) <= 0.9
        and is_clear(recipe, update)
    )


def is_random_improvement(
    recipe: Recipe, game: RecordedGame, update: TrainingUpdate
) -> bool:
    """Return whether a random move has a target above its value: exploration found a better move."""
    turn = game.moves[update.move_index]
    better = update.target is not None and update.target > update.old + 0.1
    known = abs(update.old) >= 0.05
    found = turn.was_random and better and known and has_next_state(update)
    return found and is_clear(recipe, update)


def makes_blunder_preferred(
    recipe: Recipe, game: RecordedGame, update: TrainingUpdate
) -> bool:
    """Return whether the learner prefers a blunder to the best move after the update."""
    board = game.moves[update.move_index].board
    cell = game.moves[update.move_index].cell
    right = list_best_moves(build_rules(tic_tac_toe()), board)
    if cell in right or update.update_count < 2 or not is_clear(recipe, update):
        return False
    others = [
        value
        for other, value in enumerate(update.values)
        if value is not None and other != cell
    ]
    best = max(others)
    found = any(update.values[move] == best for move in right)
    return found and update.old < best < update.new


def is_won_game(recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
    """Return whether a won game, shown from its first update, has three or more that raise values."""
    known = sum(abs(each.old) > 0.05 for each in game.updates) >= 2
    steps = len(game.updates) >= 3
    rises = sum(each.new > each.old for each in game.updates) >= 2
    clear = all(has_consistent_rounding(recipe, each) for each in game.updates)
    known = known and update.update_count >= 2 and is_clear(recipe, update)
    return game.updates[0] is update and steps and known and rises and clear


def is_won_return(recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
    """Return whether a move of a won game has a discounted return that changes a known average.

    The last move of a won game always wins, so its average never changes.
    """
    won = game.updates[0].target == 1
    earlier = update is not game.updates[0]
    known = update.update_count >= 3 and abs(update.old) >= 0.1
    return won and earlier and known and is_clear(recipe, update)


def is_traced_game(recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
    """Return whether a game is a good example of traces: its last error moves two earlier values."""
    index = next(n for n, each in enumerate(game.updates) if each is update)
    earlier = game.updates[index + 1 : index + 3]
    traced = len(earlier) == 2 and not any(each.next_board for each in earlier)
    known = abs(update.old) >= 0.1
    visible = 0.1 <= abs(update.new - update.old) <= 0.4
    moved = all(abs(each.new - each.old) >= 0.02 for each in earlier)
    return (
        bool(update.next_board)
        and traced
        and known
        and visible
        and moved
        and is_clear(recipe, update)
    )


def is_lost_game(recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
    """Return whether an update is the first of a lost game: the value of the last move decreases."""
    falls = update.new < update.old - 0.1 and update.update_count >= 2
    steps = len(game.updates) >= 3
    first = game.updates[0]
    return (
        first is update and steps and falls and has_consistent_rounding(recipe, update)
    )


def make_beads_test(min_beads: float, max_beads: float) -> UpdateTest:
    """Return a function that tests whether a game's first update adds this number of beads."""

    def adds_beads(_recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
        """Return whether an update is the first of several and adds this number of beads."""
        added_beads = update.new - update.old
        is_first = game.updates[0] is update
        has_several_updates = len(game.updates) >= 3
        return (
            is_first and has_several_updates and min_beads <= added_beads <= max_beads
        )

    return adds_beads


def has_narrower_bounds(
    _recipe: Recipe, game: RecordedGame, update: TrainingUpdate
) -> bool:
    """Return whether the bounds of the first moves of a game become narrower."""
    early = [
        each for each in game.updates if each.move_index < 4 and each.new != each.old
    ]
    return game.updates[-1] is update and len(early) >= 2


def is_last_update(_recipe: Recipe, game: RecordedGame, update: TrainingUpdate) -> bool:
    return game.updates[-1] is update


FORWARD_TESTS: Mapping[str, UpdateTest] = MappingProxyType(
    {
        "usual": is_usual,
        "end": is_final_move,
        "random": is_random_improvement,
        DECIDING_KIND: makes_blunder_preferred,
    }
)
BACKWARD_TESTS: Mapping[str, UpdateTest] = MappingProxyType(
    {
        "won": is_won_game,
        "lost": is_lost_game,
        "random": is_random_improvement,
        DECIDING_KIND: makes_blunder_preferred,
    }
)
RETURN_TESTS: Mapping[str, UpdateTest] = MappingProxyType(
    {"won": is_won_return, "lost": is_lost_game, DECIDING_KIND: makes_blunder_preferred}
)
BEAD_TESTS: Mapping[str, UpdateTest] = MappingProxyType(
    {
        "won": make_beads_test(3, 3),
        "lost": make_beads_test(-1, -1),
        "drawn": make_beads_test(1, 1),
    }
)
BOUND_TESTS: Mapping[str, UpdateTest] = MappingProxyType(
    {"played": is_last_update, "proved": has_narrower_bounds}
)
DRAWN_TESTS: Mapping[str, UpdateTest] = MappingProxyType(
    {"usual": is_usual, "end": is_final_move, DECIDING_KIND: makes_blunder_preferred}
)
TRACE_TESTS: Mapping[str, UpdateTest] = MappingProxyType(
    {"traced": is_traced_game, "end": is_final_move, "random": is_random_improvement}
)


class ExampleSelection(NamedTuple):
    """The selection of examples from a training."""

    agent: str  # id or recipe of the agent; its training is repeated
    tests: Mapping[str, UpdateTest]
    games: int  # number of games among which examples are selected


SELECTIONS: Mapping[str, ExampleSelection] = MappingProxyType(
    {
        slug: ExampleSelection(f"{slug},start=empty", FORWARD_TESTS, 9000)
        for slug, algorithm in ALGORITHMS.items()
        if issubclass(algorithm, TdControl)
    }
    | {
        "sarsa-lambda": ExampleSelection("sarsa-lambda,start=empty", TRACE_TESTS, 4000),
        "self-play": ExampleSelection("self-play", FORWARD_TESTS, 3000),
        "td-afterstates": ExampleSelection("td-afterstates", FORWARD_TESTS, 3000),
        "league": ExampleSelection("observing-symmetric", DRAWN_TESTS, 600),
        "q-table": ExampleSelection("q-table", BACKWARD_TESTS, 3000),
        "double-q": ExampleSelection("double-q", BACKWARD_TESTS, 3000),
        "monte-carlo": ExampleSelection(
            "monte-carlo,start=empty,exploring_starts=no", RETURN_TESTS, 3000
        ),
        "menace": ExampleSelection("menace", BEAD_TESTS, 500),
        "champion": ExampleSelection("champion", BOUND_TESTS, 700),
    }
)


def find_recipe(agent: str) -> Recipe:
    """Return the recipe of an agent by its id or by the name of the recipe."""
    return SHIPPED[agent].recipe if agent in SHIPPED else parse_recipe(agent)


def record_games(recipe: Recipe, game_count: int) -> Iterator[RecordedGame]:
    """Yield the first games of a training with the values of all moves before each update."""
    recorder = GameRecorder(tic_tac_toe(), recipe, with_values=True)
    learner = make_learner(tic_tac_toe(), recipe)
    before = told = 0
    for event in learn(tic_tac_toe(), recipe, learner):
        recorder.record_event(learner, event)
        if len(recorder.games) > told + 1:
            game = get_recorded_game(recorder, told, before)
            before += len(game.updates)
            told += 1
            yield game
            if told == game_count:
                return


def get_recorded_game(
    recorder: GameRecorder, game_index: int, earlier_updates: int
) -> RecordedGame:
    """Return a finished game of a recorder, given by index."""
    moves = recorder.games[game_index]
    return RecordedGame(
        game_number=game_index + 1,
        earlier_updates=earlier_updates,
        moves=moves,
        updates=recorder.updates_by_game.get(game_index, []),
        final_board=moves[-1].next_own_board,
    )


def select_examples(slug: str) -> list[UpdateExample]:
    """Return the example updates that pages show for a tabular algorithm that plays games."""
    agent, tests, games = SELECTIONS[slug]
    recipe = find_recipe(agent)
    waiting = dict(tests)
    found = dict[str, UpdateExample]()
    recorded = []
    for game in record_games(recipe, games):
        recorded.append(game)
        for shown, change in enumerate(game.updates):
            kind = next(
                (kind for kind, test in waiting.items() if test(recipe, game, change)),
                None,
            )
            if kind:
                found[kind] = make_example(kind, agent, game, shown)
                del waiting[kind]
                break
        if not waiting:
            break
    examples = [found[kind] for kind in tests if kind in found]
    if examples and tests is FORWARD_TESTS:
        examples[1:1] = find_first_update_example(agent, recorded, examples[0])
    return examples


def make_example(
    example_kind: str, agent: str, game: RecordedGame, shown_index: int
) -> UpdateExample:
    """Return an example: a recorded game, and the index `shown_index` of the update shown first."""
    return UpdateExample(
        example_kind,
        agent,
        game.game_number,
        game.earlier_updates,
        game.moves,
        game.updates,
        shown_index,
        game.final_board,
    )


def find_first_update_example(
    agent: str, recorded_games: list[RecordedGame], example: UpdateExample
) -> Iterator[UpdateExample]:
    """Yield an example: the first update of the value that `example` updates, if in another game."""
    turn = example.moves[example.updates[example.shown_index].move_index]
    for game in recorded_games:
        for shown, change in enumerate(game.updates):
            move = game.moves[change.move_index]
            is_same = (move.board, move.cell) == (turn.board, turn.cell)
            if is_same and change.new != change.old:
                if game.game_number != example.game_number:
                    yield make_example(FIRST_KIND, agent, game, shown)
                return


SWEEP_KINDS = ("usual", "end", "sticky")  # kinds of the examples of Q-iteration


def build_sweep_examples() -> list[UpdateExample]:
    """Return examples of Q-iteration: updates of single moves, each by one sampled answer."""
    agent = "q-iteration"
    recipe = find_recipe(agent)
    learner = make_learner(tic_tac_toe(), recipe)
    assert isinstance(learner, QIteration)
    rng = Random(recipe.seed)
    found = dict[str, UpdateExample]()
    for sweep, turn in enumerate(list_recipe_turns(tic_tac_toe(), recipe), 1):
        if len(found) == len(SWEEP_KINDS):
            break
        for number, update in enumerate(learner.play(turn, rng)):
            kind = _classify_sweep_update(learner, update, sweep)
            if kind and kind not in found:
                values = list_values_before(
                    learner, update, update.board, update.cell, ""
                )
                after = update.next_board
                move = TrainingMove(update.board, update.cell, False, after)
                change = TrainingUpdate(
                    move_index=0,
                    update_count=sweep,
                    is_opponent_move=False,
                    values=values,
                    next_values=list_values(learner, after),
                    old=update.old,
                    new=update.new,
                    reward=update.reward,
                    next_board=after,
                    next_value=update.next_value,
                    target=update.target,
                    step_size=update.step_size,
                )
                found[kind] = UpdateExample(
                    kind, agent, sweep, number, [move], [change], 0, after
                )
    return [found[kind] for kind in SWEEP_KINDS if kind in found]


def _classify_sweep_update(learner: QIteration, update: Update, sweep: int) -> str:
    """Return the kind of an update of Q-iteration as an example, "" if it is none."""
    if update.old == update.new:
        return ""
    over = learner.game.is_over(update.next_board)
    if over:
        return "end" if update.new == 1 else ""
    if update.new == learner.parameters.loss:
        return "sticky"
    return "usual" if sweep > 1 and update.next_value else ""


SIMULATED_BOARD = "...OX...."  # the root of the example's tree, with X to move
SIMULATION_COUNT = 60  # number of simulated games before the example


def build_simulation_examples() -> list[UpdateExample]:
    """Return two examples of Monte Carlo tree search, which the page shows one after the other.

    The first is a simulated game in a tree that is large enough to choose in; the second is the
    game that began this tree, when there was nothing to choose.
    """
    agent = "mcts"
    recipe = find_recipe(agent)
    game = build_rules(tic_tac_toe())
    number = game.unfinished_boards().index(SIMULATED_BOARD)
    exploration_constant: float = recipe.c  # type: ignore[attr-defined]
    tree = Tree(
        game, exploration_constant, SIMULATED_BOARD, Random(recipe.seed, number)
    )
    examples = []
    for simulated in range(1, SIMULATION_COUNT + 1):
        example = _build_simulation_example(tree, agent, simulated)
        if simulated == 1:
            examples.append(example)
        if simulated > 30 and len(example.updates) >= 3 and len(example.moves) > 4:
            return [example, *examples]
    return examples


def _list_bounds(tree: Tree, node: tuple[int, ...], board: str) -> list[float | None]:
    """Return the upper bounds of the moves at a node, None for occupied cells."""
    bounds: list[float | None] = [None] * len(board)
    for cell in tree.game.legal_moves(board):
        bound = tree.upper_bound(node, cell)
        bounds[cell] = None if bound == float("inf") else bound
    return bounds


def _build_simulation_example(
    tree: Tree, agent: str, example_number: int
) -> UpdateExample:
    """Simulate a game and return it as an example; the values of its moves are their upper bounds."""
    game = tree.game
    tries = dict(tree.visits)
    means = {}
    bounds: dict[tuple[int, ...], list[float | None]] = {}
    # Copied before the simulated game, because the game changes the tree.
    nodes = [(), *(node for node, count in tries.items() if count)]
    for node in nodes:
        board = tree.root
        for cell in node:
            board = game.make_move(board, cell)
        if not game.is_over(board):
            bounds[node] = _list_bounds(tree, node, board)
        means[node] = tree.mean(node)
    tree.simulate()
    path = tree.last_path
    cells = tree.last_moves
    board = tree.root
    turns = []
    for ply, cell in enumerate(cells):
        after = game.make_move(board, cell)
        turns.append(TrainingMove(board, cell, ply >= len(path), after))
        board = after
    changes = []
    for turn, (node, player) in reversed(list(enumerate(path))):
        result = game.result(board, player)
        changes.append(
            TrainingUpdate(
                move_index=turn,
                old=means.get(node, 0.0),
                new=tree.mean(node),
                update_count=tree.visits[node],
                is_opponent_move=False,
                reward=float(result),
                target=float(result),
                step_size=1 / tree.visits[node],
                values=bounds.get(node[:-1], [None] * game.cells),
            )
        )
    return UpdateExample(
        "simulated" if example_number > 1 else "began",
        agent,
        example_number,
        example_number - 1,
        turns,
        changes,
        0,
        board,
    )


MINIMAX_SLUG = "minimax"
# Records of games, and the number of moves before the first board that is shown.
COMPUTED_EXAMPLES = {"forced": ("0148356", 2), "held": ("048176253", 4)}


def build_minimax_examples() -> list[UpdateExample]:
    """Return games whose exact values are computed from the last move back."""
    game = tic_tac_toe()
    examples = []
    exact = compute_optimal_q(game)
    for kind, (record, first) in COMPUTED_EXAMPLES.items():
        positions = replay_record(game, record)
        boards = [format_position(game, position) for position in positions]
        cells = parse_record(game, record)
        turns = [
            TrainingMove(boards[ply], cells[ply], False, boards[ply + 1])
            for ply in range(first, len(cells))
        ]
        changes = []
        for turn in reversed(range(len(turns))):
            position = positions[first + turn]
            after = positions[first + turn + 1]
            value = float(exact[position, cells[first + turn]])
            next_values = [] if game.is_over(after) else replace_nan(exact[after])
            change = TrainingUpdate(
                move_index=turn,
                old=value,
                new=value,
                update_count=1,
                is_opponent_move=False,
                next_board=boards[first + turn + 1],
                values=replace_nan(exact[position]),
                next_values=next_values,
            )
            changes.append(change)
        examples.append(
            UpdateExample(kind, MINIMAX_SLUG, 1, 0, turns, changes, 1, boards[-1])
        )
    return examples


def build_examples(slug: str) -> list[UpdateExample]:
    """Return the examples of an algorithm that needs no network."""
    others = {
        "q-iteration": build_sweep_examples,
        "mcts": build_simulation_examples,
        MINIMAX_SLUG: build_minimax_examples,
    }
    return others[slug]() if slug in others else select_examples(slug)


EXAMPLE_SLUGS = (*SELECTIONS, "q-iteration", "mcts", MINIMAX_SLUG)


NETWORK_SLUG = "dqn"  # its examples need JAX: see `network_updates`


def encode_examples(examples: list[UpdateExample]) -> bytes:
    """Return examples as JSON, a line for each."""
    lines = [msgspec.json.encode(example) for example in examples]
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def write_examples(models: Path, slug: str) -> Path:
    """Write the examples of an algorithm and return their file."""
    path = models / UPDATES_FOLDER / f"{slug}.json"
    path.parent.mkdir(exist_ok=True)
    if slug == NETWORK_SLUG:
        from training.network_updates import build_minibatch  # noqa: PLC0415

        examples = build_minibatch()
    else:
        examples = build_examples(slug)
    path.write_bytes(encode_examples(examples))
    return path
