"""Agents that are trained because their recipe is named, wherever an agent can be named.

A recipe has one name, to which every other way to write it leads: that of the agent with it which
is always there, else the recipe's own.
"""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar
from weakref import WeakValueDictionary

import msgspec
from cachetools import LRUCache, TTLCache
from flask import current_app
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    InternalServerError,
    NotFound,
    RequestURITooLarge,
    ServiceUnavailable,
)

from app.recipes import ALGORITHMS, Recipe, RecipeError, longest, name, parse
from app.recipes.on_demand import parse_on_demand
from app.recipes.taught import Course, Refusal
from app.tictactoe.agents import Agent, ModelError, from_files
from app.tictactoe.game import SEATS, Game
from app.tictactoe.policy import policy_of
from app.tictactoe.report import Figures, losing_game
from app.web.service.trainer import (
    Trainer,
    TrainerBusyError,
    TrainerError,
    TrainerRefusedError,
    trainer,
)

Value = TypeVar("Value")

UNPACKED = 8  # agents that are ready, 0.7 MB each; a comparison has four
PACKED = 2 << 20  # bytes of answers of the trainer, 50 to 300 KB each
MANY = 1024  # names, some 200 bytes each
STORIES = 32  # of trainings, some 10 KB each
RUNS = 800  # of twenty seeds of forty recipes, some 10 KB each
RETRY_SECONDS = 2
MEMBERS = ["card.json", "arrays.npz"]  # of an answer


class SeedRun(NamedTuple):
    """What became of a recipe with one seed."""

    seed: int
    figures: Figures  # of every snapshot
    unbeatable: tuple[bool, bool]  # as X, as O, by proof


class Lab:
    """Finds the agent of a recipe: the last ones are kept, for others the trainer is asked."""

    def __init__(self, game: Game, always: Mapping[str, Agent], source: Trainer | None) -> None:
        """`source` is None where the lab is off: then only those are known who are always there."""
        self.game, self.always, self.source = game, always, source
        self.short = {agent.card.recipe: id for id, agent in always.items()}
        self.agents: LRUCache[str, Agent] = LRUCache(UNPACKED)
        self.answers: LRUCache[str, bytes] = LRUCache(PACKED, getsizeof=len)
        self.stories: LRUCache[str, bytes] = LRUCache(STORIES)
        self.runs: LRUCache[str, SeedRun] = LRUCache(RUNS)
        self.refused: TTLCache[str, bool] = TTLCache(MANY, RETRY_SECONDS)  # told to come back
        self.lock = Lock()  # of what is above and below
        self.turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    def canonical(self, text: str) -> str | None:
        """Return the one name of a recipe, None for what is none.

        Raises an HTTPException with a sentence if it is meant as a recipe and cannot be had here.
        """
        slug, comma, _ = text.partition(",")
        if text in self.always or not (comma or "=" in text or slug in ALGORITHMS):
            return None
        if len(text) > longest(text):
            raise RequestURITooLarge(
                f"The name of a recipe has at most {longest(text)} characters, not {len(text)}."
            )
        if slug not in ALGORITHMS:
            raise NotFound(f"There is no algorithm {slug!r}. There are: {', '.join(ALGORITHMS)}.")
        try:
            named = self.called(whole_name(text))
            return named if named in self.always else self._trainable(text)
        except RecipeError as error:
            raise BadRequest(f"This is no recipe that can be had: {error}.") from None

    def called(self, recipe: str) -> str:
        """Return by what name a recipe is called here, given its whole name.

        It is the id of the agent with it that is always there, if there is one.
        """
        return self.short.get(recipe, recipe)

    def knows(self, text: str) -> bool:
        """Whether this is a recipe whose agent can be had; none is trained for that."""
        try:
            return self.canonical(text) is not None
        except HTTPException:
            return False

    def find(self, text: str) -> Agent:
        """Return the agent of a recipe that is known, trained now if it is none of the last.

        Raises ServiceUnavailable if too many wait, and InternalServerError.
        """
        named = self.canonical(text) or text
        if named in self.always:
            return self.always[named]
        with self.lock:
            if named in self.agents:
                return self.agents[named]
            turn = self.turns.setdefault(named, Lock())
        with turn:  # who else wants it waits for it
            with self.lock:
                if named in self.agents:
                    return self.agents[named]
                answer = self.answers.get(named)
            agent = self.read(named, answer) if answer else self._train(named)
            with self.lock:
                self.agents[named] = agent
            return agent

    def seeds(self, recipe: Recipe, seeds: Sequence[int]) -> list[SeedRun]:
        """Return what becomes of a recipe with each of these seeds, in their order.

        Raises what `find` and `canonical` raise, and RecipeError if a name is too long with one.
        """
        return [self._run(name(recipe.with_seed(seed)), seed) for seed in seeds]

    def _run(self, text: str, seed: int) -> SeedRun:
        with self.lock:
            run = self.runs.get(text)
        if run is None:
            agent = self.find(self.called(text))
            policy = policy_of(agent.q, agent.card.plays)
            # The best responder leaves a player that can be beaten unbeaten where it would risk
            # too much.
            as_x, as_o = (losing_game(self.game, policy, seat) is None for seat in SEATS.values())
            run = SeedRun(seed, agent.card.figures, (as_x, as_o))
            with self.lock:
                self.runs[text] = run
        return run

    def _trainable(self, text: str) -> str:
        if self.source is None:
            raise NotFound(
                "The lab is switched off here, so nothing is trained: there are only the agents "
                "of the list."
            )
        return _named(text)

    def story(self, recipe: str) -> bytes:
        """Return what `training.story` tells of the training of a recipe, as JSON.

        Raises NotFound if the lab is off, ServiceUnavailable and InternalServerError as `find`.
        """
        with self.lock:
            told = self.stories.get(recipe)
        if told is None:
            told, _ = self._asked(f"story/{recipe}", lambda answer: None)
            with self.lock:
                self.stories[recipe] = told
        return told

    def taught(self, recipe: str, now: str | None) -> Course | Refusal:
        """Return what a person sees of a learner, given its whole name, who has begun with `now`.

        Raises what `story` raises.
        """
        _, read = self._asked(f"taught/{'-' if now is None else now}/{recipe}", _course)
        return read

    def _train(self, named: str) -> Agent:
        answer, agent = self._asked(named, lambda answer: self.read(named, answer))
        if len(answer) <= self.answers.maxsize:
            with self.lock:
                self.answers[named] = answer
        return agent

    def _asked(self, text: str, read: Callable[[bytes], Value]) -> tuple[bytes, Value]:
        """Return the trainer's answer, and what it is read as.

        A request that waited for one that was told to come back is told so too, and does not
        wait as long once more.
        """
        if self.source is None:
            raise NotFound("The lab is switched off here.")
        try:
            with self.lock:
                if text in self.refused:
                    raise TrainerBusyError
            answer = self.source.ask(text)
            return answer, read(answer)
        except TrainerBusyError:
            with self.lock:
                self.refused.setdefault(text, True)
            raise ServiceUnavailable(
                "Many people train agents at this moment. Please try again in a few seconds.",
                retry_after=RETRY_SECONDS,
            ) from None
        except TrainerRefusedError as error:
            raise BadRequest(f"This is no recipe that can be learned: {error}.") from None
        except (TrainerError, ModelError) as error:
            current_app.logger.error("no agent of %s: %s", text, error)
            raise InternalServerError("This agent could not be trained: our fault.") from None

    def read(self, named: str, answer: bytes) -> Agent:
        """Read the trainer's answer, and check it as a model is checked.

        Raises ModelError.
        """
        try:
            with zipfile.ZipFile(io.BytesIO(answer)) as archive:
                card, arrays = (archive.read(member) for member in MEMBERS)
            described = msgspec.json.decode(card)
            agent = from_files(self.game, described["id"], card, arrays, Path(named))
        except (zipfile.BadZipFile, KeyError, TypeError, msgspec.DecodeError) as error:
            raise ModelError(f"{named}: {error!r}") from error
        if agent.card.recipe != named:
            raise ModelError(f"{named}: this is {agent.card.recipe}")
        return agent


def _course(answer: bytes) -> Course | Refusal:
    if answer.startswith(b'{"sentence"'):
        return msgspec.json.decode(answer, type=Refusal)
    return msgspec.json.decode(answer, type=Course)


def source() -> Trainer | None:
    """Return the trainer of this server, None where what trains is not installed."""
    return trainer() if find_spec("numba") else None


@lru_cache(maxsize=MANY)
def whole_name(text: str) -> str:
    """Return the whole name of a recipe that is written in any way; RecipeError if it is none.

    A page asks for the same few names some hundred times.
    """
    return name(parse(text))


@lru_cache(maxsize=MANY)
def _named(text: str) -> str:
    """Return the name of a recipe that can be trained on demand; RecipeError otherwise."""
    return name(parse_on_demand(text))
