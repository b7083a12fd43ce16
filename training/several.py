"""Several agents trained at once, each in a process of its own, with one view of them all."""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from time import monotonic
from typing import Any

from app.recipes import Recipe, name, parse
from app.tictactoe.agents import save
from app.tictactoe.game import tic_tac_toe
from training.learners.phases import Progress
from training.processes import end_with
from training.run import Watcher, train

PAUSE = 0.1  # seconds at least between two signs of life of a learner

News = SimpleQueue[tuple[str, Progress] | None]
_setting: dict[str, Any] = {}  # what `_begin` gives to a process for all its trainings


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """A training that nobody waits for any more."""


def train_several(recipes: Mapping[str, Recipe], out: Path, line: Callable[[str], Watcher]) -> None:
    """Train the agents of these recipes, by id, and save each in `out` when it is finished.

    `line` starts a line of the view for an agent.  One agent is trained in this process.
    Raises ModelError or OSError if one cannot be saved.
    """
    if len(recipes) == 1:
        for agent_id, recipe in recipes.items():
            game = tic_tac_toe()
            save(out, game, train(agent_id, recipe, game, line(agent_id)))
        return
    context = multiprocessing.get_context("spawn")
    news: News = context.SimpleQueue()
    stop = context.Event()
    setup = (os.getpid(), news, stop)
    with ProcessPoolExecutor(
        min(os.cpu_count() or 1, len(recipes)), context, _begin, setup
    ) as pool:
        reader = Thread(target=_show, args=(news, line))
        reader.start()
        jobs = [pool.submit(_train, one, name(recipe), out) for one, recipe in recipes.items()]
        try:
            for job in jobs:
                job.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
            news.put(None)
            reader.join()


def _begin(parent: int, news: News, stop: Event) -> None:
    """Set up a process that trains: Ctrl-C and `kill` are for the one that started it."""
    signal(SIGINT, SIG_IGN)
    end_with(parent)
    _setting.update(news=news, stop=stop)


def _train(agent_id: str, recipe: str, out: Path) -> None:
    game, told = tic_tac_toe(), 0.0

    def watch(progress: Progress) -> None:
        nonlocal told
        if _setting["stop"].is_set():
            raise Stopped
        if progress.done == 1 or monotonic() - told > PAUSE:
            told = monotonic()
            shares = progress._replace(q=progress.q[:0], visits=progress.visits[:0])
            _setting["news"].put((agent_id, shares))

    save(out, game, train(agent_id, parse(recipe), game, watch))


def _show(news: News, line: Callable[[str], Watcher]) -> None:
    watchers: dict[str, Watcher] = {}
    while (told := news.get()) is not None:
        agent_id, progress = told
        if agent_id not in watchers:
            watchers[agent_id] = line(agent_id)
        watchers[agent_id](progress)
