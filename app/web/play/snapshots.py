"""The training of a lens as something to move through: one position at every snapshot."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from app.tictactoe.agents import Agent
from app.web.match import Match, build
from app.web.numbers import updates
from app.web.players import Players


class Snapshots(NamedTuple):
    """A slider over the snapshots of one agent."""

    lens: str
    title: str
    marks: tuple[str, ...]  # how far training was at each, in words
    step: int  # the one that is shown
    running: bool  # whether the page goes on to the next by itself
    toggle: str  # the address that runs through them, or stops

    @property
    def last(self) -> int:
        """The step at which training was over."""
        return len(self.marks) - 1


def snapshots(match: Match, players: Players, lens: str) -> Snapshots | None:
    """Return the snapshots of the lens that a match shows; None for the truth, which learned not.

    Running through them begins where the slider is, from its end at the untouched table.
    """
    agent = players.agents.get(lens)
    if agent is None:
        return None
    running = match.train
    start = replace(match, lens=lens, step=match.step or 0, train=True)
    return Snapshots(
        lens=lens,
        title=agent.card.title,
        marks=marks(agent),
        step=players.last_step(lens) if match.step is None else match.step,
        running=running,
        toggle=build(replace(match, train=False) if running else start),
    )


@lru_cache
def marks(agent: Agent) -> tuple[str, ...]:
    """Say for each snapshot of an agent how far its training was."""
    *during, end = agent.card.figures.updates
    return (
        *(f"after {updates(number)}" for number in during),
        f"fully trained, after {updates(end)}",
    )


def next_snapshot(match: Match, players: Players) -> Match:
    """Return the match one snapshot of its lens later; the last one is the agent as it is."""
    step = (match.step or 0) + 1
    if step < players.last_step(match.lens):
        return replace(match, step=step)
    return replace(match, step=None, train=False)


def settle(query: dict[str, str], players: Players) -> dict[str, str]:
    """Return what a form with the slider means, which always sends a step.

    The step belongs to the lens that was shown, `step_of`: it is dropped with it, if somebody
    chose another than `lens_was`, and at the slider's end, where the agent is as it plays.
    """
    lens = query.pop("step_of", "")
    kept = query.get("lens", "") == query.pop("lens_was", "") and lens in players.agents
    if not kept or query.get("step") == str(players.last_step(lens)):
        return {name: text for name, text in query.items() if name != "step"}
    return query | {"lens": lens} if query.get("step") else query
