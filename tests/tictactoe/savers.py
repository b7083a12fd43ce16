"""Programs that save models: one is killed while it saves, the other saves again and again.

Run as `python -m tests.tictactoe.savers`, because a process that forks should have one thread.

"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from select import select
from shutil import copytree

from app.tictactoe.agents import UNFINISHED_PREFIX, ModelError, load_agents, save_agent
from app.tictactoe.game import build_game
from tests.tictactoe.models import ID, assert_same, make_agent

GAME = build_game(2, 2, 2)
AGENTS = [make_agent(GAME, seed) for seed in range(3)]  # all with the same id
EVENTS = ("open", "os.", "fcntl.")


def is_killed(folder: Path, seed: int, steps: int) -> bool:
    """Save in a process that is killed after some steps; False if it finished before."""
    child = os.fork()
    if child == 0:
        left = iter(range(steps))

        def die(event: str, _: object) -> None:
            if event.startswith(EVENTS) and next(left, None) is None:
                os._exit(9)

        try:
            sys.addaudithook(die)
            save_agent(folder, GAME, AGENTS[seed])
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return {9: True, 0: False}[os.waitstatus_to_exitcode(status)]


def found(folder: Path) -> int | str | None:
    """Return the seed of the saved model, or the reason why none can be loaded."""
    if not folder.exists() or not {path.suffix for path in folder.iterdir()} & {".json", ".npz"}:
        return None
    try:
        agents = load_agents(folder, GAME)
    except ModelError as error:
        return str(error)
    assert list(agents) == [ID]
    assert_same(agents[ID], AGENTS[agents[ID].card.seed])
    return agents[ID].card.seed


def files(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder without unfinished files."""
    paths = (
        path for path in sorted(folder.iterdir()) if not path.name.startswith(UNFINISHED_PREFIX)
    )
    return {path.name: path.read_bytes() for path in paths}


def killed_at_each_step(folder: Path, seed: int, before: Path | None) -> Iterator[Path]:
    """Yield copies of a folder after saves that were killed after 1, 2, ... steps."""
    for steps in count():
        copy = folder / str(steps)
        if before:
            copytree(before, copy)
        is_last = not is_killed(copy, seed, steps)
        yield copy
        if is_last:
            return


def kill(folder: Path) -> None:
    """Print the results of killed saves: a first save, one over it, and another over that.

    The last results are printed for each state in which the second save can leave the folder.
    """
    first = [found(copy) for copy in killed_at_each_step(folder / "first", 0, None)]
    save_agent(folder / "saved", GAME, AGENTS[0])
    second, third, seen = [], [], []
    for copy in killed_at_each_step(folder / "second", 1, folder / "saved"):
        second.append(found(copy))
        if files(copy) not in seen:
            seen.append(files(copy))
            again = killed_at_each_step(folder / "third" / copy.name, 2, copy)
            third.append([second[-1], [found(each) for each in again]])
    print(json.dumps({"first": first, "second": second, "third": third}))


def go_on(folder: Path, seed: int) -> None:
    """Save until the standard input ends."""
    while not select([sys.stdin], [], [], 0)[0]:
        save_agent(folder, GAME, AGENTS[seed])


if __name__ == "__main__":
    programs: dict[str, Callable[..., None]] = {"kill": kill, "go-on": go_on}
    programs[sys.argv[1]](Path(sys.argv[2]), *map(int, sys.argv[3:]))
