"""Agents that are trained because their recipe is named, wherever an agent can be named.

A recipe has one name, to which every other way to write it leads: that of the agent with it which
is always there, else the recipe's own.
"""

import zlib
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import wraps
from importlib.util import find_spec
from ipaddress import ip_network
from select import POLLIN, poll
from socket import MSG_PEEK
from threading import Lock, Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import brotli
import msgspec
from cachetools import LRUCache, cached
from flask import current_app, has_request_context, request
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    InternalServerError,
    NotFound,
    RequestURITooLarge,
    ServiceUnavailable,
)

from app.recipes import (
    ALGORITHMS,
    Recipe,
    RecipeError,
    get_max_length,
    name_recipe,
    parse_recipe,
    suggest_word,
)
from app.recipes.on_demand import parse_on_demand
from app.recipes.taught import Course, Refusal
from app.tictactoe.agents import Agent, ModelError, unpack_agent
from app.tictactoe.game import SEATS, Game
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import Figures, find_lost_game
from app.web.trainer_client import (
    QueuePosition,
    Trainer,
    TrainerBusyError,
    TrainerRefusedError,
    trainer,
)
from app.web.translation import gettext, gettext_noop

Value = TypeVar("Value")

UNPACKED = 16  # agents that are ready, 0.7 MB each; a comparison has four
NAMES = 1 << 18  # characters of the names that a function keeps: some 5,000 usual ones
STORIES = 32  # of trainings, some 10 KB each
RUNS = 4000  # of twenty seeds of two hundred recipes, some 2 KB each
PAGE_SECONDS = 3.0  # until a page, which somebody looks at, says that it waits
HELD_SECONDS = 8.0  # of a request for a page that has said so; htmx gives up after 10
FILE_SECONDS = 30.0  # that all else waits
LOOK_SECONDS = 0.5  # between two looks whether the client still waits
# within which a client that was told to wait comes back, or has left
AWAY_SECONDS = 4.0
RETRY_SECONDS = 1
IPV6_PREFIX = 64  # bits of an address that a provider gives to one customer
BEGAN = "on_demand.began"  # in the environment of a request: when it came


class SeedRun(NamedTuple):
    """What became of a recipe with one seed."""

    seed: int
    figures: Figures  # of every snapshot
    unbeatable: tuple[bool, bool]  # as X, as O, by proof


class TrainingPending(ServiceUnavailable):
    """The answer is not ready: the client may ask again, as pages do by themselves."""

    code = 202


class Question:
    """What the trainer is asked once for all who want it."""

    def __init__(self) -> None:
        self.waiting = 0  # requests
        self.until = 0.0  # when somebody is to come back
        self.answer: Future[Any] = Future()

    def wanted(self) -> bool:
        """Whether anybody waits for it, or is to come back."""
        return self.waiting > 0 or monotonic() < self.until


class Lab:
    """Finds the agent of a recipe: the last ones are kept, for others the trainer is asked."""

    def __init__(
        self, game: Game, always: Mapping[str, Agent], source: Trainer | None
    ) -> None:
        """`source` is None where the lab is off: then only those are known who are always there."""
        self.game, self.always, self.source = game, always, source
        self.short = {agent.card.recipe: id for id, agent in always.items()}
        self.faults: dict[str, Agent] = {}  # those of the page /faults, by recipe
        self.agents: LRUCache[str, Agent] = LRUCache(UNPACKED)
        self.stories: LRUCache[str, bytes] = LRUCache(STORIES)
        self.runs: LRUCache[str, bytes] = LRUCache(RUNS)  # packed
        self.questions: dict[str, Question] = {}
        self.lock = Lock()  # of what is above

    def canonical(self, text: str) -> str | None:
        """Return the one name of a recipe, None for what is none.

        Raises an HTTPException with a sentence if it is meant as a recipe and cannot be had here.
        """
        slug, comma, _ = text.partition(",")
        if text in self.always or not (comma or "=" in text or slug in ALGORITHMS):
            return None
        if len(text) > get_max_length(text):
            raise RequestURITooLarge(
                f"The name of a recipe has at most {get_max_length(text)} characters, not {len(text)}."
            )
        if slug not in ALGORITHMS:
            nearest = suggest_word(slug, ALGORITHMS)
            raise NotFound(
                f"There is no algorithm {slug!r}{nearest}. There are: {', '.join(ALGORITHMS)}."
            )
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

    def seeded(self, recipe: Recipe, seed: int) -> str:
        """Return by what name a recipe with another seed is called here.

        Raises RecipeError if that is too long.
        """
        return self.called(_seeded(recipe, seed))

    def knows(self, text: str) -> bool:
        """Whether this is a recipe whose agent can be had; none is trained for that."""
        try:
            return self.canonical(text) is not None
        except HTTPException:
            return False

    def find(self, text: str) -> Agent:
        """Return the agent of a recipe that is known, trained now if it is none of the last.

        Raises TrainingPending, ServiceUnavailable if too many wait or it takes too long, and
        InternalServerError.
        """
        named = self.canonical(text) or text
        if named in self.always:
            return self.always[named]
        if named in self.faults:
            return self.faults[named]
        return self._asked(
            named, self.agents, lambda answer: read(self.game, named, answer)
        )

    def story(self, recipe: str) -> bytes:
        """Return what `training.story` tells of the training of a recipe, as JSON.

        Raises NotFound if the lab is off, and what `find` raises.
        """
        return self._asked(f"story/{recipe}", self.stories, bytes)

    def code(self, recipe: str) -> bytes:
        """Return a training as one file of Python; raises what `story` raises."""
        return self._asked(f"code/{recipe}", self.stories, bytes)

    def taught(self, recipe: str, now: str | None) -> Course | Refusal:
        """Return what a person sees of a learner, given its whole name, who has begun with `now`.

        Raises what `story` raises.
        """
        return self._asked(
            f"taught/{'-' if now is None else now}/{recipe}", {}, _course
        )

    def seeds(self, recipe: Recipe, seeds: Sequence[int]) -> list[SeedRun]:
        """Return what becomes of a recipe with each of these seeds, in their order.

        If some are not known they are asked for at once, which is one turn in the line.
        Raises what `find` raises, and RecipeError if a name is too long with one.
        """
        texts = {seed: self.seeded(recipe, seed) for seed in seeds}
        with self.lock:
            runs = {
                seed: self.runs[text]
                for seed, text in texts.items()
                if text in self.runs
            }
            agents = {seed: self.agents.get(text) for seed, text in texts.items()}
        for seed in texts.keys() - runs.keys():
            text = texts[seed]
            if agent := agents[seed] or self.always.get(text) or self.faults.get(text):
                runs[seed] = zlib.compress(msgspec.json.encode(self._run(agent)), 1)
        if len(runs) < len(texts):
            # All that are to be trained: then another worker's question is the same.
            trained = [seed for seed in seeds if texts[seed] not in self.always]
            asked = f"seeds/{'.'.join(map(str, trained))}/{texts[trained[0]]}"
            answer = self._asked(asked, {}, msgspec.msgpack.Decoder(list[bytes]).decode)
            runs |= dict(zip(trained, answer, strict=True))
        with self.lock:
            self.runs.update({texts[seed]: run for seed, run in runs.items()})
        return [
            msgspec.json.decode(zlib.decompress(runs[seed]), type=SeedRun)
            for seed in seeds
        ]

    def _run(self, agent: Agent) -> SeedRun:
        policy = policy_from_values(agent.q, agent.card.plays)
        # The best responder leaves a player that can be beaten unbeaten where it would risk too
        # much.
        as_x, as_o = (
            find_lost_game(self.game, policy, seat) is None for seat in SEATS.values()
        )
        return SeedRun(agent.card.seed, agent.card.figures, (as_x, as_o))

    def _trainable(self, text: str) -> str:
        if text in self.faults:
            return text
        if self.source is None:
            raise NotFound(
                "The lab is switched off here, so nothing is trained: there are only the agents "
                "of the list."
            )
        return _named(text)

    def _asked(
        self,
        text: str,
        kept: MutableMapping[str, Value],
        read: Callable[[bytes], Value],
    ) -> Value:
        """Return what the trainer's answer is read as; it is kept, and asked for once at a time."""
        if self.source is None:
            raise NotFound("The lab is switched off here.")
        with self.lock:
            if text in kept:
                return kept[text]
            question = self.questions.get(text)
            if question is None:
                question = Question()
                work = (self.source, question, text, client_network(), kept, read)
                Thread(
                    target=self._ask, args=work, daemon=True
                ).start()  # done after this lock
                self.questions[text] = question
            question.waiting += 1
        try:
            self._wait(self.source, question, text)
        finally:
            with self.lock:
                question.waiting -= 1
        try:
            answer: Value = question.answer.result()
        except TrainerBusyError:
            raise busy() from None
        except TrainerRefusedError as error:
            raise BadRequest(
                f"This is no recipe that can be learned: {error}."
            ) from None
        except Exception as error:
            current_app.logger.error("no answer to %s: %s", text, error)
            raise InternalServerError(
                "This agent could not be trained: our fault."
            ) from None
        return answer

    def _ask(
        self,
        source: Trainer,
        question: Question,
        text: str,
        client: str,
        kept: MutableMapping[str, Value],
        read: Callable[[bytes], Value],
    ) -> None:
        try:
            answer = read(source.ask(text, client, question.wanted))
            with self.lock:
                kept[text] = answer
            question.answer.set_result(answer)
        except Exception as error:
            question.answer.set_exception(error)
        with self.lock:
            del self.questions[text]

    def _wait(self, source: Trainer, question: Question, text: str) -> None:
        """Wait until a question is answered, or as long as a request of this kind does."""
        end = monotonic() + patience(bool(question.until))
        while not wait(
            [question.answer], min(LOOK_SECONDS, max(0.0, end - monotonic()))
        ).done:
            if has_gone():
                raise busy()
            if monotonic() >= end:
                question.until = monotonic() + AWAY_SECONDS
                sentence = describe_position(source.queue_position(text))
                raise TrainingPending(sentence, retry_after=RETRY_SECONDS)


def read(game: Game, named: str, answer: bytes) -> Agent:
    """Read the trainer's answer; raises ModelError if it is not that agent."""
    try:
        return unpack_agent(game, brotli.decompress(answer), named)
    except brotli.error as error:
        raise ModelError(f"{named}: {error}") from error


def has_gone() -> bool:
    """Whether the client of this request has hung up, as far as that can be known."""
    client = request.environ.get("gunicorn.socket") if has_request_context() else None
    if client is None:
        return False
    try:
        ready = poll()
        ready.register(client, POLLIN)
        return bool(ready.poll(1)) and not client.recv(1, MSG_PEEK)
    except OSError:
        return True


def patience(has_said_so: bool) -> float:
    """Return the seconds that this request may still wait for an answer.

    A page that has said that it waits shows nothing new until the answer is there: its next request
    is held open, which costs less than to answer it in between.
    """
    if not has_request_context():
        return FILE_SECONDS
    seconds = FILE_SECONDS
    if "HX-Request" in request.headers or "html" in request.headers.get("Accept", ""):
        seconds = HELD_SECONDS if has_said_so else PAGE_SECONDS
    now = monotonic()
    began: float = request.environ.get(BEGAN, now)
    return seconds - (now - began)


def client_network() -> str:
    """Return the network of this request's client, which has one share of the trainer.

    That is an IPv4 address, or the part of an IPv6 address that a provider gives to one customer.
    """
    address = request.remote_addr or "" if has_request_context() else ""
    if ":" not in address:
        return address
    with suppress(ValueError):
        return str(ip_network((address.partition("%")[0], IPV6_PREFIX), strict=False))
    return address


def busy() -> ServiceUnavailable:
    """Return what those are told who cannot wait here any longer."""
    return ServiceUnavailable(
        gettext(
            "Many people train agents at this moment. Please try again in a few seconds."
        ),
        retry_after=RETRY_SECONDS,
    )


def describe_position(position: QueuePosition | None) -> str:
    """Say in a sentence why an answer is not ready."""
    if position and position.is_compiling:
        return gettext(
            "The lab is being prepared: some seconds, once. This page comes by itself."
        )
    if position and position.number:
        words = gettext_noop("Number %(number)s in line. This page comes by itself.")
        return gettext(words, number=position.number)
    return gettext("Being trained at this moment. This page comes by itself.")


def _course(answer: bytes) -> Course | Refusal:
    if answer.startswith(b'{"sentence"'):
        return msgspec.json.decode(answer, type=Refusal)
    return msgspec.json.decode(answer, type=Course)


def source() -> Trainer | None:
    """Return the trainer of this server, None where what trains is not installed."""
    return trainer() if find_spec("numba") else None


def keep_names(function: Callable[[str], str]) -> Callable[[str], str]:
    """Keep the last results of a function from one name to another: NAMES characters of both."""

    @cached(LRUCache(NAMES, getsizeof=lambda names: sum(map(len, names))), lock=Lock())
    def both(text: str) -> tuple[str, str]:
        return text, function(text)

    @wraps(function)
    def answer(text: str) -> str:
        return both(text)[1]

    return answer


@keep_names
def whole_name(text: str) -> str:
    """Return the whole name of a recipe that is written in any way; RecipeError if it is none.

    A page asks for the same few names some hundred times.
    """
    return name_recipe(parse_recipe(text))


@cached(LRUCache(NAMES, getsizeof=len), lock=Lock())
def _seeded(recipe: Recipe, seed: int) -> str:
    return name_recipe(recipe.with_seed(seed))


@keep_names
def _named(text: str) -> str:
    """Return the name of a recipe that can be trained on demand; RecipeError otherwise."""
    return name_recipe(parse_on_demand(text))
