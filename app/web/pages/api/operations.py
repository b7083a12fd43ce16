"""The addresses of the API."""

import random
from collections.abc import Collection

import msgspec
from flask import Blueprint, Response, current_app
from msgspec import UNSET
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.http import generate_etag

from app.tictactoe.notation import IllegalMoveError, parse_position
from app.web import addresses
from app.web.pages.api import answers, schema
from app.web.pages.api.description import answer, tree
from app.web.respond import revalidated
from app.web.world import MOVES, world

bp = Blueprint("api", __name__)


@bp.get(addresses.API_DESCRIPTION)
def openapi() -> Response:
    """Describe the API to programs."""
    return pure(current_app.extensions["openapi"])


@bp.get(addresses.API_AGENTS)
@tree.validate(resp=answer(schema.Agents), operation_id="agents")
def list_agents() -> Response:
    """All players."""
    return pure(answers.players(world()))


@bp.get(addresses.API_AGENT)
@tree.validate(resp=answer(schema.Agent, 404), operation_id="agent")
def show_agent(id: str) -> Response:
    """One agent, with its whole card."""
    _one_of(id, world().agents, world().agents.knows(id))
    return pure(answers.agent(world(), id))


@bp.get(addresses.API_JUDGE)
@tree.validate(resp=answer(schema.ApiJudgement), operation_id="judge")
def judge(query: schema.JudgeQuery) -> Response:
    """Any policy, judged exactly.

    What is sent is a policy and nothing else; nothing is kept of it.
    """
    name = MOVES + query.moves
    world().canonical(name)
    return pure(answers.judgement(world(), name))


@bp.get(addresses.API_POSITION)
@tree.validate(resp=answer(schema.ApiView, 404), operation_id="position")
def show_position(position: str, query: schema.LookQuery) -> Response:
    """A position as a lens values it, and with optimal play."""
    step = None if query.step is UNSET else query.step
    _one_of(query.lens, world().lenses, world().is_lens(query.lens))
    _check_step(query.lens, step)
    return pure(answers.view(world(), _number(position), query.lens, step))


@bp.get(addresses.API_MOVE)
@tree.validate(resp=answer(schema.ApiMove, 404, 409), operation_id="move")
def draw_move(position: str, query: schema.MoveQuery) -> Response:
    """The move of an agent: state in, decision out.

    The cell is drawn by the chances, anew each time unless a seed is given.
    """
    number = _number(position)
    _one_of(query.agent, world().policies, world().policies.knows(query.agent))
    if world().game.is_over(number):
        raise Conflict(f"The game is over in {position}: no player is to move.")
    if query.seed is UNSET:
        draw = current_app.extensions["random"]
        response = as_json(answers.move(world(), number, query.agent, query.epsilon, draw))
        response.cache_control.no_store = True
        return response
    draw = random.Random(f"{query.seed} {query.agent} {position}")
    return pure(answers.move(world(), number, query.agent, query.epsilon, draw))


@bp.get(addresses.API_GAME)
@tree.validate(resp=answer(schema.Game, 409), operation_id="game")
def follow_game(record: str) -> Response:
    """A game, move by move."""
    try:
        return pure(answers.game(world(), record))
    except IllegalMoveError as error:
        raise Conflict(f"This game cannot be: {error}.") from None
    except ValueError as error:
        raise BadRequest(f"This is no record of a game: {error}.") from None


@bp.get(addresses.API_MATCH)
@tree.validate(resp=answer(schema.ApiMatch, 404), operation_id="match")
def show_match(x: str, o: str) -> Response:
    """What can come of two players, exactly."""
    for name in (x, o):
        _one_of(name, world().policies, world().policies.knows(name))
    return pure(answers.match(world(), x, o))


@bp.get(addresses.API_EXPERIMENTS)
@tree.validate(resp=answer(schema.Claims), operation_id="experiments")
def list_experiments() -> Response:
    """What was claimed, and what is so."""
    return pure(answers.claims(world()))


@bp.get(addresses.API_EXPERIMENT)
@tree.validate(resp=answer(schema.Experiment, 404), operation_id="experiment")
def show_experiment(claim: str) -> Response:
    """A claim that was checked, with every number behind it."""
    _one_of(claim, world().experiments, claim in world().experiments)
    return pure(answers.experiment(world(), claim))


def pure(content: object) -> Response:
    """Answer with a function of the address alone, which every cache may keep."""
    response = as_json(content)
    return revalidated(response, generate_etag(response.data))


def as_json(content: object) -> Response:
    """Answer with JSON."""
    return Response(msgspec.json.encode(content), mimetype="application/json")


def _number(position: str) -> int:
    try:
        return parse_position(world().game, position)
    except ValueError as error:
        raise NotFound(f"There is no such position: {error}.") from None


def _one_of(name: str, names: Collection[str], known: bool) -> None:
    if not known:
        raise NotFound(f"There is no {name!r} here. There are: {', '.join(names)}.")


def _check_step(lens: str, step: int | None) -> None:
    learned = world().agents.find(lens)
    steps = len(learned.snapshot_updates) if learned else 0
    if step is not None and step >= steps:
        raise NotFound(f"{lens} has {steps} snapshots: there is no step {step}.")
