"""Selection of the updates that caused blunders of shipped agents, for pages that explain a value.

`python -m training updates --mistakes` repeats the training of each agent twice: first to find the
updates, then to record their games. A blunder is a move; the mistake behind it is the update after
which the agent always preferred that move.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from app.recipes.games import UpdateExample
from app.recipes.shipped import SHIPPED
from app.tictactoe.agents import load_agent
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.notation import format_position
from app.tictactoe.policy import policy_from_values
from app.tictactoe.puzzles import list_candidates
from training.reference import (
    ReferenceLearner,
    get_update_key,
    learn,
    make_learner,
)
from training.story import GameRecorder, find_entry_key, read_value
from training.textbook.loop import Update
from training.updates import (
    FIRST_KIND,
    UPDATES_FOLDER,
    RecordedGame,
    make_example,
)

MISTAKES_FOLDER = "mistakes"  # a folder inside the folder of updates
# No single update made the blunders of MCTS and of the networks; other agents are left out because
# two more trainings in plain Python would take too long.
RECORDED_AGENTS = (
    "q-learning-1",
    "q-learning-3",
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
MAX_BLUNDERS = 40  # limit for the blunders of an agent; the most frequent are kept
# Values are recorded for this many updates before a selected update: no game has more.
VALUED_UPDATES = 60
MISTAKE_KIND = "mistake"
FORGOTTEN: list[Any] = []  # shared by millions of finished games, never changed


class Blunder(NamedTuple):
    """A blunder that an agent always plays."""

    board: str
    cell: int

    @property
    def seat(self) -> str:
        """The player who moves."""
        return "X" if self.board.count("X") == self.board.count("O") else "O"

    @property
    def key(self) -> str:
        """The key of the blunder in the stored file."""
        return f"{self.board} {self.cell}"


def list_blunders(agent: str, models: Path) -> list[Blunder]:
    """Return the blunders that a shipped agent always plays, the most frequent first.

    At most MAX_BLUNDERS are returned.
    """
    game = tic_tac_toe()
    loaded = load_agent(models, game, agent)
    policy = policy_from_values(loaded.q, loaded.card.play_rule)
    puzzles = list_candidates(game, agent, policy, loaded.q)
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
    """Return a dictionary from table entries to blunders: those with a listed move in the entry."""
    index: dict[Hashable, list[Blunder]] = {}
    for blunder in blunders:
        for cell in list_cells(blunder):
            entry = find_entry_key(learner, blunder.board, cell, blunder.seat)
            index.setdefault(entry, []).append(blunder)
    return index


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

    mistake_update: (
        int  # from this update to the end, the learner preferred the blunder
    )
    first_update: int  # the first update that changed the value of the blunder


def find_causes(agent: str, blunders: list[Blunder]) -> dict[Blunder, UpdateNumbers]:
    """Run a training; return the updates behind each blunder that its last table prefers.

    Blunders that no update caused, as they were preferred from the start, are left out.
    """
    recipe = SHIPPED[agent].recipe
    learner = make_learner(tic_tac_toe(), recipe)
    watched = index_blunders(
        learner, blunders, lambda blunder: learner.game.legal_moves(blunder.board)
    )
    own = index_blunders(learner, blunders, lambda blunder: [blunder.cell])
    mistakes = dict[Blunder, int]()
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
                mistakes[blunder] = number
            preferred[blunder] = now
        if update.new != update.old:
            for blunder in own.get(key, ()):
                firsts.setdefault(blunder, number)
    return {
        blunder: UpdateNumbers(mistakes[blunder], firsts[blunder])
        for blunder in blunders
        if preferred[blunder] and blunder in mistakes and blunder in firsts
    }


def record_games_of_updates(
    agent: str, update_numbers: set[int]
) -> dict[int, UpdateExample]:
    """Run a training; return the games with these updates as examples, by number of the update."""
    recipe = SHIPPED[agent].recipe
    listener = GameRecorder(tic_tac_toe(), recipe)
    learner = make_learner(tic_tac_toe(), recipe)
    ahead = sorted(update_numbers, reverse=True)
    # number of an update -> (index of its game, index of the update in the game)
    waiting: dict[int, tuple[int, int]] = {}
    examples: dict[int, UpdateExample] = {}
    number = 0
    for event in learn(tic_tac_toe(), recipe, learner):
        is_near = bool(ahead) and ahead[-1] - number <= VALUED_UPDATES
        listener.with_values = bool(waiting) or is_near
        if isinstance(event, Update) and not listener.with_values:
            # Far from the selected updates counting is enough, which halves the time of the run.
            listener.count_update(learner, event)
        else:
            listener.record_event(learner, event)
        game = len(listener.games) - 1
        if waiting and min(waiting.values())[0] < game:
            examples |= _make_examples(listener, agent, waiting)
            waiting.clear()
        elif not waiting:
            _forget_game(listener, game - 2)
        if isinstance(event, Update):
            number += 1
            if ahead and number == ahead[-1]:
                waiting[ahead.pop()] = game, len(listener.changes[game]) - 1
        if len(examples) == len(update_numbers):
            break
    return examples | _make_examples(listener, agent, waiting)


def _forget_game(listener: GameRecorder, game: int) -> None:
    """Delete the recorded moves and updates of a finished game, to save memory."""
    for listed in (listener.games, listener.changes):
        if 0 <= game < len(listed):
            listed[game] = FORGOTTEN


def _make_examples(
    listener: GameRecorder, agent: str, pending_updates: Mapping[int, tuple[int, int]]
) -> dict[int, UpdateExample]:
    """Return an example for each waiting update, given its game and its place in the game."""
    return {
        update: _make_example(listener, agent, update, game, shown)
        for update, (game, shown) in pending_updates.items()
    }


def _make_example(
    listener: GameRecorder, agent: str, update: int, game: int, shown_index: int
) -> UpdateExample:
    """Return the recorded game of an update as an example that opens at this update."""
    turns = listener.games[game]
    recorded = RecordedGame(
        number=game + 1,
        earlier_updates=update - shown_index - 1,
        moves=turns,
        updates=listener.changes[game],
        final_board=turns[-1].next_own_board,
    )
    return make_example(MISTAKE_KIND, agent, recorded, shown_index)


def build_mistakes(agent: str, models: Path) -> dict[str, list[UpdateExample]]:
    """Return the updates behind the blunders of an agent, by board and cell."""
    found = find_causes(agent, list_blunders(agent, models))
    numbers = {number for one in found.values() for number in one}
    examples = record_games_of_updates(agent, numbers)
    return {
        blunder.key: [
            examples[one.mistake_update],
            msgspec.structs.replace(examples[one.first_update], kind=FIRST_KIND),
        ]
        for blunder, one in found.items()
    }


def encode_mistakes(mistakes: Mapping[str, list[UpdateExample]]) -> bytes:
    """Return examples by blunder as JSON, a line for each blunder."""
    lines = [
        msgspec.json.encode(key) + b": " + msgspec.json.encode(examples)
        for key, examples in mistakes.items()
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def write_mistakes(models: Path, agent: str) -> Path:
    """Write the updates behind the blunders of an agent and return their file."""
    path = models / UPDATES_FOLDER / MISTAKES_FOLDER / f"{agent}.json"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(encode_mistakes(build_mistakes(agent, models)))
    return path
