"""Selection of the updates behind blunders of shipped agents, for pages that explain a value.

Two updates are behind a blunder: the first update that changed its value, and the deciding update,
from which on the agent preferred this move to all other moves.
`python -m training updates --mistakes` repeats the training of each agent twice: first to find these
updates, then to record their games.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from app.recipes.games import (
    BLUNDERS_FOLDER,
    DECIDING_KIND,
    FIRST_KIND,
    UPDATES_FOLDER,
    UpdateExample,
    name_blunder,
)
from app.recipes.shipped import SHIPPED
from app.reference import (
    ReferenceLearner,
    get_update_key,
    learn,
    make_learner,
)
from app.textbook.loop import Update
from app.tictactoe.agents import load_agent
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.notation import format_position
from app.tictactoe.policy import policy_from_values
from app.tictactoe.puzzles import list_candidate_puzzles
from training.story import GameRecorder, find_entry_key, read_value
from training.updates import make_example

# MCTS and the networks are left out, because no single update made their blunders.
# Sarsa(lambda) is left out, because each of its updates changes the values of many moves.
# The others are left out, because two trainings in plain Python would take too long.
RECORDED_AGENTS = (
    "q-learning-1",
    "q-learning-2",
    "q-learning-3",
    "q-learning-4",
    "q-table",
    "q-table-draw-1",
    "double-q",
    "q-learning-player",
    "observing",
    "symmetric",
    "observing-symmetric",
    "sarsa",
    "expected-sarsa",
    "monte-carlo",
    "td-afterstates",
)
MAX_BLUNDERS = 40  # limit for the blunders of an agent
# Recording of all move values starts this many updates before a selected update.  No game has more
# updates, so the whole game of the selected update has values.
VALUED_UPDATES = 60
# One empty list replaces the moves of all forgotten games; it is never changed.
FORGOTTEN_MOVES: list[Any] = []


class Blunder(NamedTuple):
    """A blunder that the trained agent plays whenever its board occurs."""

    board: str  # "X", "O" or "." for each cell, in reading order
    cell: int

    @property
    def seat(self) -> str:
        """The player who makes the blunder, "X" or "O"."""
        return "X" if self.board.count("X") == self.board.count("O") else "O"

    @property
    def key(self) -> str:
        """The key of the blunder in the stored file."""
        return name_blunder(self.board, self.cell)


def list_blunders(agent_id: str, models: Path) -> list[Blunder]:
    """Return the blunders that a shipped agent always plays, the most frequent first.

    At most MAX_BLUNDERS are returned.
    """
    game = tic_tac_toe()
    loaded = load_agent(models, game, agent_id)
    policy = policy_from_values(loaded.q, loaded.card.play_rule)
    puzzles = list_candidate_puzzles(game, agent_id, policy, loaded.q)
    blunders = [
        Blunder(format_position(game, one.position), one.blunder_cell)
        for one in puzzles
    ]
    return blunders[:MAX_BLUNDERS]


def index_blunders(
    learner: ReferenceLearner,
    blunders: list[Blunder],
    list_cells: Callable[[Blunder], Iterable[int]],
) -> dict[Hashable, list[Blunder]]:
    """Return the blunders by the key of an entry in the learner's table.

    A blunder is listed under the entries of the moves on its board that `list_cells` returns.
    """
    blunders_by_entry: dict[Hashable, list[Blunder]] = {}
    for blunder in blunders:
        for cell in list_cells(blunder):
            entry = find_entry_key(learner, blunder.board, cell, blunder.seat)
            blunders_by_entry.setdefault(entry, []).append(blunder)
    return blunders_by_entry


def prefers_blunder(learner: ReferenceLearner, blunder: Blunder) -> bool:
    """Return whether a blunder alone has the highest value of its board."""
    values = {
        cell: read_value(learner, blunder.board, cell, blunder.seat)
        for cell in learner.game.legal_moves(blunder.board)
    }
    highest = max(values.values())
    return [cell for cell in values if values[cell] == highest] == [blunder.cell]


class UpdateNumbers(NamedTuple):
    """The numbers of two updates in a training, counted from 1."""

    # number of the update from which on the blunder alone had the highest value, until the end
    deciding_update: int
    first_update: int  # number of the first update that changed the blunder's value


def find_updates_behind_blunders(
    agent_id: str, blunders: list[Blunder]
) -> dict[Blunder, UpdateNumbers]:
    """Repeat a training; return the numbers of the updates behind its final blunders.

    Left out are blunders that do not alone have the highest value at the end, blunders that were
    preferred from the start to the end, and blunders whose own value no update changed.
    """
    recipe = SHIPPED[agent_id].recipe
    learner = make_learner(tic_tac_toe(), recipe)
    watched = index_blunders(
        learner, blunders, lambda blunder: learner.game.legal_moves(blunder.board)
    )
    own = index_blunders(learner, blunders, lambda blunder: [blunder.cell])
    deciding = dict[Blunder, int]()
    firsts = dict[Blunder, int]()
    preferred = {blunder: prefers_blunder(learner, blunder) for blunder in blunders}
    number = 0
    for update in learn(tic_tac_toe(), recipe, learner):
        if not isinstance(update, Update):
            continue
        number += 1
        key = get_update_key(learner, update)
        for blunder in watched.get(key, ()):
            now = prefers_blunder(learner, blunder)
            if now and not preferred[blunder]:
                deciding[blunder] = number
            preferred[blunder] = now
        if update.new != update.old:
            for blunder in own.get(key, ()):
                firsts.setdefault(blunder, number)
    return {
        blunder: UpdateNumbers(deciding[blunder], firsts[blunder])
        for blunder in blunders
        if preferred[blunder] and blunder in deciding and blunder in firsts
    }


def record_games_of_updates(
    agent_id: str, update_numbers: set[int]
) -> dict[int, UpdateExample]:
    """Run a training; return the game of each of these updates as an example, by update number.

    All examples have DECIDING_KIND; `build_blunder_updates` changes the kind of first updates.
    """
    recipe = SHIPPED[agent_id].recipe
    recorder = GameRecorder(tic_tac_toe(), recipe)
    learner = make_learner(tic_tac_toe(), recipe)
    ahead = sorted(update_numbers, reverse=True)
    # selected updates whose game is not finished: number of the update ->
    # (index of its game, index of the update in the game)
    pending_updates: dict[int, tuple[int, int]] = {}
    examples: dict[int, UpdateExample] = {}
    number = 0
    for event in learn(tic_tac_toe(), recipe, learner):
        is_near = bool(ahead) and ahead[-1] - number <= VALUED_UPDATES
        recorder.with_values = bool(pending_updates) or is_near
        if isinstance(event, Update) and not recorder.with_values:
            # Far from the selected updates counting is enough, which halves the time of the run.
            recorder.count_update(learner, event)
        else:
            recorder.record_event(learner, event)
        game = len(recorder.games) - 1
        if pending_updates and min(pending_updates.values())[0] < game:
            examples |= _make_examples(recorder, agent_id, pending_updates)
            pending_updates.clear()
        elif not pending_updates:
            _forget_game(recorder, game - 2)
        if isinstance(event, Update):
            number += 1
            if ahead and number == ahead[-1]:
                pending_updates[ahead.pop()] = (
                    game,
                    len(recorder.updates_by_game[game]) - 1,
                )
        if len(examples) == len(update_numbers):
            break
    return examples | _make_examples(recorder, agent_id, pending_updates)


def _forget_game(recorder: GameRecorder, game_index: int) -> None:
    """Delete the recorded moves and updates of a finished game, given by index, to save memory."""
    if game_index >= 0:
        recorder.games[game_index] = FORGOTTEN_MOVES
        recorder.updates_by_game.pop(game_index, None)


def _make_examples(
    recorder: GameRecorder,
    agent_id: str,
    pending_updates: Mapping[int, tuple[int, int]],
) -> dict[int, UpdateExample]:
    """Return an example for each pending update, by update number.

    `pending_updates` has the index of the update's game, and of the update in the game.
    """
    return {
        number: make_example(
            recorder, agent_id, DECIDING_KIND, game, shown, number - shown - 1
        )
        for number, (game, shown) in pending_updates.items()
    }


def build_blunder_updates(
    agent_id: str, models: Path
) -> dict[str, list[UpdateExample]]:
    """Return examples of the deciding and the first update of blunders that have both, by key."""
    found = find_updates_behind_blunders(agent_id, list_blunders(agent_id, models))
    numbers = {number for one in found.values() for number in one}
    examples = record_games_of_updates(agent_id, numbers)
    return {
        blunder.key: [
            examples[one.deciding_update],
            msgspec.structs.replace(examples[one.first_update], kind=FIRST_KIND),
        ]
        for blunder, one in found.items()
    }


def encode_blunder_updates(
    examples_by_blunder: Mapping[str, list[UpdateExample]],
) -> bytes:
    """Return examples by blunder as JSON, with one line for each blunder."""
    lines = [
        msgspec.json.encode(key) + b": " + msgspec.json.encode(examples)
        for key, examples in examples_by_blunder.items()
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def write_updates_behind_blunders(models: Path, agent_id: str) -> Path:
    """Write the updates behind the blunders of an agent and return their file."""
    path = models / UPDATES_FOLDER / BLUNDERS_FOLDER / f"{agent_id}.json"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(encode_blunder_updates(build_blunder_updates(agent_id, models)))
    return path
