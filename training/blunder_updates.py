"""Find the updates that led to an agent's blunders, for the pages that explain a value.

Two updates are shown for a blunder. The first update is the first one that changed the blunder's
value. The deciding update is the one after which the agent preferred the blunder to all other moves
until the end of its training. `python -m training updates --mistakes` repeats the training of each
agent twice: first to find these updates, then to record their games.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from app.recipes.games import (
    BLUNDERS_FOLDER,
    DECIDING_UPDATE_KIND,
    FIRST_UPDATE_KIND,
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
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.tictactoe.policy import policy_from_values
from app.tictactoe.puzzles import list_candidate_puzzles
from training.story import GameRecorder, find_entry_key, read_entry
from training.updates import ExamplePlace, record_examples

# MCTS and the networks are left out, because no single update made their blunders.
# Sarsa(lambda) is left out, because each of its updates changes the values of many moves.
# The others are left out, because training them twice in plain Python would take too long.
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
MAX_BLUNDERS = 40


class Blunder(NamedTuple):
    """A blunder that the trained agent makes whenever it moves on this board."""

    # one of "X", "O" and "." for each cell
    board: str
    cell: int

    @property
    def seat(self) -> str:
        """The player who blunders, "X" or "O"."""
        return "X" if self.board.count("X") == self.board.count("O") else "O"

    @property
    def name(self) -> str:
        return name_blunder(self.board, self.cell)


def list_blunders(agent_id: str, models: Path) -> list[Blunder]:
    """Return the blunders of a shipped agent, the likeliest first, at most MAX_BLUNDERS."""
    loaded = load_agent(models, GAME, agent_id)
    policy = policy_from_values(loaded.q, loaded.card.play_rule)
    puzzles = list_candidate_puzzles(GAME, agent_id, policy, loaded.q)
    blunders = [
        Blunder(format_position(GAME, one.position), one.blunder_cell)
        for one in puzzles
    ]
    return blunders[:MAX_BLUNDERS]


def group_blunders_by_entry(
    learner: ReferenceLearner,
    blunders: list[Blunder],
    list_cells: Callable[[Blunder], Iterable[int]],
) -> dict[Hashable, list[Blunder]]:
    """Return {key of a table entry: blunders with one of their cells in this entry}.

    `list_cells(blunder)` returns cells on the board of the blunder.
    """
    blunders_by_entry: dict[Hashable, list[Blunder]] = {}
    for blunder in blunders:
        for cell in list_cells(blunder):
            entry = find_entry_key(learner, blunder.board, cell, blunder.seat)
            blunders_by_entry.setdefault(entry, []).append(blunder)
    return blunders_by_entry


def prefers_blunder(learner: ReferenceLearner, blunder: Blunder) -> bool:
    values = {
        cell: read_entry(learner, blunder.board, cell, blunder.seat)
        for cell in learner.game.legal_moves(blunder.board)
    }
    highest = max(values.values())
    return [cell for cell in values if values[cell] == highest] == [blunder.cell]


def find_blunder_updates(
    agent_id: str, blunders: list[Blunder]
) -> dict[Blunder, tuple[ExamplePlace, ExamplePlace]]:
    """Train an agent again; return the places {blunder: (deciding update, first update)}.

    The first update is the first one that changed the value of the blunder. After the deciding
    update the learner preferred the blunder until the end. A blunder without such updates is left
    out.
    """
    recipe = SHIPPED[agent_id].recipe
    recorder = GameRecorder(recipe)
    learner = make_learner(GAME, recipe)
    watched = group_blunders_by_entry(
        learner, blunders, lambda blunder: learner.game.legal_moves(blunder.board)
    )
    own = group_blunders_by_entry(learner, blunders, lambda blunder: [blunder.cell])
    deciding = dict[Blunder, ExamplePlace]()
    firsts = dict[Blunder, ExamplePlace]()
    preferred = {blunder: prefers_blunder(learner, blunder) for blunder in blunders}
    place = 0, 0
    for event in learn(GAME, recipe, learner):
        if not isinstance(event, Update):
            recorder.record_event(learner, event)
            # Only the number of the game is needed; the moves of all games would fill the memory.
            if len(recorder.games) > 1:
                recorder.games[-2] = []
            continue
        game = len(recorder.games)
        place = game, place[1] + 1 if place[0] == game else 0
        key = get_update_key(learner, event)
        for blunder in watched.get(key, ()):
            now = prefers_blunder(learner, blunder)
            if now and not preferred[blunder]:
                deciding[blunder] = place
            preferred[blunder] = now
        if event.new != event.old:
            for blunder in own.get(key, ()):
                firsts.setdefault(blunder, place)
    return {
        blunder: (deciding[blunder], firsts[blunder])
        for blunder in blunders
        if preferred[blunder] and blunder in deciding and blunder in firsts
    }


def build_blunder_updates(
    agent_id: str, models: Path
) -> dict[str, list[UpdateExample]]:
    """Return {name of a blunder: [example of the deciding update, example of the first one]}.

    Blunders that no update decided are left out.
    """
    found = find_blunder_updates(agent_id, list_blunders(agent_id, models))
    places = {place for both in found.values() for place in both}
    examples = record_examples(agent_id, places) if places else {}
    return {
        blunder.name: [
            replace(examples[deciding], kind=DECIDING_UPDATE_KIND),
            replace(examples[first], kind=FIRST_UPDATE_KIND),
        ]
        for blunder, (deciding, first) in found.items()
    }


def encode_blunder_updates(
    examples_by_blunder: Mapping[str, list[UpdateExample]],
) -> bytes:
    lines = [
        msgspec.json.encode(key) + b": " + msgspec.json.encode(examples)
        for key, examples in examples_by_blunder.items()
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def write_blunder_updates(models: Path, agent_id: str) -> Path:
    path = models / UPDATES_FOLDER / BLUNDERS_FOLDER / f"{agent_id}.json"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(encode_blunder_updates(build_blunder_updates(agent_id, models)))
    return path
