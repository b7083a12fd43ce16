"""Train agents on demand: wherever a URL names an agent, it can also name a recipe.

The canonical name of a recipe is the id of the shipped agent with this recipe. If there is none, it
is the full name of the recipe. URLs with other spellings are redirected.
"""

import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from ipaddress import ip_network
from pathlib import Path
from select import select
from socket import MSG_PEEK
from threading import Lock
from time import monotonic
from typing import NamedTuple

import brotli
import msgspec
from cachetools import LRUCache
from flask import has_request_context, request
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
from app.recipes.on_demand import check_on_demand, parse_on_demand
from app.recipes.taught import Course, Refusal
from app.tictactoe.agents import Agent, ModelError, unpack_agent
from app.tictactoe.files import read_plain_file
from app.tictactoe.game import GAME
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import Figures, find_lost_games
from app.web.job_queue import QueueFullError
from app.web.trainer import QUICK_JOB, TRAINING_JOB, Trainer
from app.web.translation import gettext, gettext_noop, mark_english

# Each agent takes 0.7 MB.
MAX_CACHED_AGENTS = 16
MAX_SEED_RUNS_BYTES = 1 << 20
# These names take at most 3 MB.
MAX_CACHED_NAMES = 500
# the longest wait of a page before it shows the place in the queue
MAX_PAGE_WAIT_SECONDS = 3.0
# the longest wait of a request for a file
MAX_FILE_WAIT_SECONDS = 30.0
# After this many seconds without a request, a waiting page counts as closed.
CLOSED_PAGE_SECONDS = 4.0
RETRY_SECONDS = 1
IPV6_PREFIX_BITS = 64
# the key in the WSGI environment for the time when a request arrived
ARRIVAL_TIME_KEY = "on_demand.began"


class SeedRun(NamedTuple):
    """The exact results of a training with one seed."""

    seed: int
    # the exact results at every snapshot of the training
    figures: Figures
    # whether the play is proved to be unbeatable, as X and as O
    is_unbeatable: tuple[bool, bool]


class TrainingPending(ServiceUnavailable):
    """Raised while a training is not finished; the page repeats its request by itself."""

    code = 202
    # the heading of the waiting page, "" for the default heading
    heading = ""


class AgentsOnDemand:
    """The agents of all recipes: shipped, cached, or trained on demand."""

    def __init__(
        self, shipped_agents: Mapping[str, Agent], trainer: Trainer | None
    ) -> None:
        """Without a `trainer`, only the agents in `shipped_agents` are available."""
        self.shipped = shipped_agents
        self.trainer = trainer
        self.id_by_recipe = {
            agent.card.recipe: id for id, agent in shipped_agents.items()
        }
        self.fault_agents: dict[str, Agent] = {}
        # recipe with a seed -> its SeedRun as JSON
        self.fault_runs: dict[str, bytes] = {}
        self.agents: LRUCache[str, Agent] = LRUCache(MAX_CACHED_AGENTS)
        self.agents_lock = Lock()

    def canonicalize(self, recipe_text: str) -> str | None:
        """Return the canonical name of a recipe, None for a text that is no recipe.

        Raises an HTTPException if the recipe is not available on this site.
        """
        slug, comma, _ = recipe_text.partition(",")
        if recipe_text in self.shipped or not (
            comma or "=" in recipe_text or slug in ALGORITHMS
        ):
            return None
        if len(recipe_text) > get_max_length(recipe_text):
            most = get_max_length(recipe_text)
            words = f"The name of a recipe has at most {most} characters, not {len(recipe_text)}."
            raise RequestURITooLarge(mark_english(words))
        if slug not in ALGORITHMS:
            words = f"There is no algorithm {slug!r}{suggest_word(slug, ALGORITHMS)}."
            names = f"There are: {', '.join(ALGORITHMS)}."
            raise NotFound(mark_english(f"{words} {names}"))
        try:
            name = self.find_canonical_name(get_full_name(recipe_text))
            return (
                name if name in self.shipped else self._require_trainable(recipe_text)
            )
        except RecipeError as error:
            words = f"This recipe cannot be trained: {error}."
            raise BadRequest(mark_english(words)) from None

    def find_canonical_name(self, recipe: str) -> str:
        """Return the id of the shipped agent with this recipe, or else its full name."""
        return self.id_by_recipe.get(recipe, recipe)

    def name_with_seed(self, recipe: Recipe, seed: int) -> str:
        """Return the canonical name of a recipe with another seed.

        Raises RecipeError if the name is too long.
        """
        return self.find_canonical_name(_name_with_seed(recipe, seed))

    def is_available(self, recipe_text: str) -> bool:
        """Return whether a text is a recipe whose agent this site has or can train."""
        try:
            return self.canonicalize(recipe_text) is not None
        except HTTPException:
            return False

    def can_train(self, recipe: Recipe) -> bool:
        try:
            name = self.find_canonical_name(name_recipe(recipe))
            if name in self.shipped or name in self.fault_agents:
                return True
            check_on_demand(recipe)
        except RecipeError:
            return False
        return self.trainer is not None

    def get_agent(self, recipe_text: str) -> Agent:
        """Return the agent of an available recipe; train it now if it is not cached.

        Raises TrainingPending while the training is not finished, ServiceUnavailable if the queue
        is full, and InternalServerError if the training fails.
        """
        name = self.canonicalize(recipe_text) or recipe_text
        if name in self.shipped:
            return self.shipped[name]
        if name in self.fault_agents:
            return self.fault_agents[name]
        with self.agents_lock:
            agent = self.agents.get(name)
        if agent:
            return agent
        # A separate process trains learners taught by people, so that they do not wait for long
        # jobs.
        kind = QUICK_JOB if "taught=" in name else TRAINING_JOB
        answer = self._request_answer(name, kind)
        with (
            self.agents_lock
        ):  # Threads that wait for the same agent get the same object.
            if name not in self.agents:
                self.agents[name] = decode_trained_agent(name, answer)
            return self.agents[name]

    def get_game_log(self, recipe: str) -> bytes:
        """Return all games of a training with their updates, as JSON.

        Raises NotFound without a trainer, and the errors of `get_agent`.
        """
        return self._request_answer(f"story/{recipe}", QUICK_JOB)

    def get_script(self, recipe: str) -> bytes:
        """Return a training as a Python script; raises the errors of `get_game_log`."""
        return self._request_answer(f"code/{recipe}", QUICK_JOB)

    def replay_course(
        self, recipe: str, unfinished_moves: str | None
    ) -> Course | Refusal:
        """Return what a learner learned in its games with a person, or why these are impossible.

        `unfinished_moves` are the cells of a game in progress. Raises the errors of `get_game_log`.
        """
        cells = "-" if unfinished_moves is None else unfinished_moves
        answer = self._request_answer(f"taught/{cells}/{recipe}", QUICK_JOB)
        if answer.startswith(b'{"reason"'):
            return msgspec.json.decode(answer, type=Refusal)
        return msgspec.json.decode(answer, type=Course)

    def train_seeds(self, recipe: Recipe, seeds: Sequence[int]) -> list[SeedRun]:
        """Return the results of a recipe with several seeds, in their order.

        One job trains all seeds whose results are neither stored nor cached. Raises the errors of
        `get_agent`, and RecipeError if a name is too long.
        """
        names = {seed: self.name_with_seed(recipe, seed) for seed in seeds}
        with self.agents_lock:
            cached = {**self.agents}
        loaded = {
            **self.shipped,
            **self.fault_agents,
            **(cached if len(seeds) == 1 else {}),
        }
        runs = {}
        for seed, name in names.items():
            if name in self.fault_runs:
                runs[seed] = msgspec.json.decode(self.fault_runs[name], type=SeedRun)
            elif name in loaded:
                runs[seed] = self._build_seed_run(loaded[name])
        # All web workers have to send the same request, so it also contains seeds that only one of
        # them has cached.
        trained = [seed for seed in seeds if seed not in runs]
        if trained:
            text = f"seeds/{'.'.join(map(str, trained))}/{names[trained[0]]}"
            answer = self._request_answer(text, TRAINING_JOB, is_batch=len(trained) > 1)
            for packed in msgspec.msgpack.decode(answer, type=list[bytes]):
                run = msgspec.json.decode(zlib.decompress(packed), type=SeedRun)
                runs[run.seed] = run
        return [runs[seed] for seed in seeds]

    def has_stored_runs(self, recipe: Recipe) -> bool:
        """Return whether the results of a recipe with all seeds are stored, so that none is trained."""
        return name_recipe(recipe) in self.fault_runs

    def _build_seed_run(self, agent: Agent) -> SeedRun:
        policy = policy_from_values(agent.q, agent.card.play_rule)
        # A best responder may avoid a risky win, so a policy can be beatable although this
        # responder never wins.
        lost_games = find_lost_games(GAME, policy)
        as_x, as_o = (record is None for record in lost_games.values())
        return SeedRun(agent.card.seed, agent.card.figures, (as_x, as_o))

    def _require_trainable(self, recipe_text: str) -> str:
        if recipe_text in self.fault_agents:
            return recipe_text
        if self.trainer is None:
            raise NotFound(
                mark_english(
                    "The lab is switched off here, so nothing is trained: there are only the "
                    "agents of the list."
                )
            )
        return _get_trainable_name(recipe_text)

    def _request_answer(self, request: str, kind: str, is_batch: bool = False) -> bytes:
        if self.trainer is None:
            raise NotFound(mark_english("The lab is switched off here."))
        address = get_client_network()
        try:
            answer = self.trainer.request_answer(
                request,
                kind,
                address,
                choose_wait_seconds(),
                is_wanted=lambda: not has_client_left(),
                is_batch=is_batch,
            )
            if answer is None:
                queue = self.trainer.job_queue
                queue.request_job(request, kind, is_batch, address, CLOSED_PAGE_SECONDS)
                sentence = describe_place(queue.find_place_in_queue(request))
                raise TrainingPending(sentence, retry_after=RETRY_SECONDS)
        except QueueFullError:
            words = gettext(
                "Many people are training agents now. Please try again in a few seconds."
            )
            raise ServiceUnavailable(words, retry_after=RETRY_SECONDS) from None
        if answer.status == 400:
            words = f"This recipe cannot be trained: {answer.content.decode()}."
            raise BadRequest(mark_english(words))
        if answer.status != 200:
            words = "This agent could not be trained because of an error of the server."
            raise InternalServerError(mark_english(words))
        return answer.content


def load_seed_runs(file: Path) -> dict[str, bytes]:
    """Return the results that `python -m training.faults` saved: recipe with a seed -> JSON.

    Raises ModelError, naming the file, if it is missing or broken.
    """
    try:
        content = brotli.decompress(read_plain_file(file, MAX_SEED_RUNS_BYTES))
        return msgspec.msgpack.decode(content, type=dict[str, bytes])
    except (ValueError, brotli.error) as error:
        raise ModelError(f"{file}: {error}") from error


def decode_trained_agent(recipe_name: str, answer: bytes) -> Agent:
    """Return the agent in the trainer's answer; raises ModelError if the answer is invalid."""
    try:
        return unpack_agent(GAME, brotli.decompress(answer), recipe_name)
    except brotli.error as error:
        raise ModelError(f"{recipe_name}: {error}") from error


def has_client_left() -> bool:
    """Return whether the client of this request has disconnected; False if unknown."""
    client = request.environ.get("gunicorn.socket") if has_request_context() else None
    if client is None:
        return False
    try:
        readable, _, _ = select([client], [], [], 0)
        return bool(readable) and not client.recv(1, MSG_PEEK)
    except OSError:
        return True


def choose_wait_seconds() -> float:
    """Return how many more seconds the current request can wait for an answer."""
    if not has_request_context():
        return MAX_FILE_WAIT_SECONDS
    seconds = MAX_FILE_WAIT_SECONDS
    if "HX-Request" in request.headers or "html" in request.headers.get("Accept", ""):
        seconds = MAX_PAGE_WAIT_SECONDS
    now = monotonic()
    arrival_time: float = request.environ.get(ARRIVAL_TIME_KEY, now)
    return seconds - (now - arrival_time)


def get_client_network() -> str:
    """Return the IPv4 address of the client, or the network of its IPv6 address."""
    address = request.remote_addr or "" if has_request_context() else ""
    if ":" not in address:
        return address
    with suppress(ValueError):
        return str(
            ip_network((address.partition("%")[0], IPV6_PREFIX_BITS), strict=False)
        )
    return address


def describe_place(place: int) -> str:
    """Say where a training is in the queue; at place 0 it is running."""
    if place:
        words = gettext_noop(
            "Your request is number %(number)s in the queue. This page reloads automatically."
        )
        return gettext(words, number=place)
    return gettext("The agent is being trained. This page reloads automatically.")


@lru_cache(MAX_CACHED_NAMES)
def get_full_name(recipe_text: str) -> str:
    """Return the full name of a recipe from any spelling of it.

    Raises RecipeError for an invalid recipe.
    """
    return name_recipe(parse_recipe(recipe_text))


@lru_cache(MAX_CACHED_NAMES)
def _name_with_seed(recipe: Recipe, seed: int) -> str:
    return name_recipe(recipe.with_seed(seed))


@lru_cache(MAX_CACHED_NAMES)
def _get_trainable_name(recipe_text: str) -> str:
    return name_recipe(parse_on_demand(recipe_text))
