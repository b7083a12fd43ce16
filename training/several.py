"""Several agents trained at once, each in a process of its own, with one view of them all."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.managers import SyncManager
from pathlib import Path
from queue import Queue
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from time import monotonic

from joblib import Parallel, cpu_count, delayed

from app.tictactoe.agents import save
from app.tictactoe.game import connect
from training.environment import Progress
from training.recipe import Recipe
from training.run import Watcher, train

PAUSE = 0.1  # seconds at least between two signs of life of a learner

News = Queue[tuple[str, Progress] | None]


def train_several(
    recipes: Iterable[Recipe], seed: int | None, out: Path, line: Callable[[str], Watcher]
) -> None:
    """Train the agents of these recipes and save each in `out` when it is finished.

    `line` starts a line of the view for an agent; a `seed` stands for all their own.
    Raises ModelError or OSError if one cannot be saved.
    """
    wanted = list(recipes)
    with _news(line) as news:
        jobs = (delayed(_train)(recipe, seed, out, news) for recipe in wanted)
        Parallel(n_jobs=min(cpu_count(), len(wanted)))(jobs)


def _train(recipe: Recipe, seed: int | None, out: Path, news: News) -> None:
    game, told = connect(), 0.0

    def watch(progress: Progress) -> None:
        nonlocal told
        if progress.done == 1 or monotonic() - told > PAUSE:
            told = monotonic()
            news.put((recipe.id, progress._replace(q=progress.q[:0], visits=progress.visits[:0])))

    save(out, game, train(recipe, game, recipe.seed if seed is None else seed, watch))


@contextmanager
def _news(line: Callable[[str], Watcher]) -> Iterator[News]:
    """Give a queue whose news are shown, each agent's on its line."""
    manager = SyncManager()
    manager.start(signal, (SIGINT, SIG_IGN))  # Ctrl-C is for those who train
    with manager:
        news: News = manager.Queue()
        reader = Thread(target=_show, args=(news, line))
        reader.start()
        try:
            yield news
        finally:
            news.put(None)
            reader.join()


def _show(news: News, line: Callable[[str], Watcher]) -> None:
    watchers: dict[str, Watcher] = {}
    while (told := news.get()) is not None:
        name, progress = told
        if name not in watchers:
            watchers[name] = line(name)
        watchers[name](progress)
