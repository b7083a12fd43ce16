"""Tic-tac-toe agents trained by Q-learning: train, judge and inspect them in a notebook.

    import q_tac_toe

    agent = q_tac_toe.train("q-learning,alpha=0.5,games=20000,seed=7")
    agent.board("X...O....")
    q_tac_toe.judge(agent.play)["blunders"]

`q-tac-toe` is the command line, and `q-tac-toe serve` the site.
"""

from typing import Any

__all__ = ["Agent", "Board", "board", "judge", "train"]


def __getattr__(name: str) -> Any:
    """Return a function or class of the notebook API; the API is imported at its first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from q_tac_toe import notebook  # noqa: PLC0415

    return getattr(notebook, name)


def __dir__() -> list[str]:
    """Return the names of the API."""
    return __all__
