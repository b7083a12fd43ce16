"""The addresses of the API, and their answers, found in the world."""

import random
from collections.abc import Collection
from typing import cast

import msgspec
from flask import Flask, Response, current_app
from flask.blueprints import BlueprintSetupState
from msgspec import UNSET
from msgspec.structs import asdict
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.http import generate_etag

from app.experiments import Summary as Checked
from app.sources import SOURCES
from app.tictactoe.agents import whole_card
from app.tictactoe.causes import Cause
from app.tictactoe.game import SEATS, O, X
from app.tictactoe.notation import (
    MARKS,
    IllegalMoveError,
    parse_position,
    position_text,
    record_to,
    replay,
)
from app.tictactoe.policy import mix
from app.tictactoe.report import DECIMALS, ChancesBySeat
from app.tictactoe.values import likeliest_game, outcome_chances
from app.web import addresses
from app.web.lens import OUTCOMES, Opinion, opinion
from app.web.match import Match
from app.web.numbers import choice
from app.web.pages.api import schema
from app.web.pages.api.description import answer, bp, describe, tree
from app.web.respond import revalidated
from app.web.world import HUMAN, MOVES, TASK, World, world

SIDES: dict[int, schema.Mark] = {X: "X", O: "O"}
RESULTS: dict[int, schema.Result] = {**SIDES, 0: "draw"}


@bp.get(addresses.API_DESCRIPTION)
def openapi() -> Response:
    """Describe the API to programs."""
    return pure(current_app.extensions["openapi"])


@bp.get(addresses.API_AGENTS)
@tree.validate(resp=answer(schema.Agents), operation_id="agents")
def list_agents() -> Response:
    """All players."""
    there = world()
    rules = [name for name in there.policies if name not in there.agents]
    return pure(
        schema.Agents(
            agents=[summary(there, id) for id in there.agents],
            baselines=[
                schema.Baseline(id, there.titles[id], addresses.play_against(id)) for id in rules
            ],
        )
    )


@bp.get(addresses.API_AGENT)
@tree.validate(resp=answer(schema.Agent, 404), operation_id="agent")
def show_agent(id: str) -> Response:
    """One agent, with its whole card."""
    there = world()
    _one_of(id, there.agents, there.agents.knows(id))
    return pure(schema.Agent(summary(there, id), whole_card(there.game, there.agents[id])))


@bp.get(addresses.API_JUDGE)
@tree.validate(resp=answer(schema.ApiJudgement), operation_id="judge")
def judge(query: schema.JudgeQuery) -> Response:
    """Any policy, judged exactly.

    What is sent is a policy and nothing else; nothing is kept of it.
    """
    there, name = world(), MOVES + query.moves
    there.canonical(name)
    figures = there.figures(name)
    lost = {seat: there.losing(name, player) for seat, player in SEATS.items()}
    met = figures.reachable_blunders
    return pure(
        schema.ApiJudgement(
            title=there.titles[name],
            unbeatable_as=[SIDES[SEATS[seat]] for seat, record in lost.items() if record is None],
            losing_games=schema.Lost(**lost),
            blunders=figures.blunders[-1],
            decisions=there.game.decisions,
            reachable_blunders=schema.Met(met.x[-1], met.o[-1]),
            nash_conv=figures.nash_conv[-1],
            against_random=_as_shipped(figures.vs["random"]),
            against_best_responder=_as_shipped(figures.best_response),
            causes=[_cause(there, cause) for cause in there.causes(name)],
            page=addresses.judge(name),
            play=addresses.play_against(name),
        )
    )


@bp.get(addresses.API_POSITION)
@tree.validate(resp=answer(schema.ApiView, 404), operation_id="position")
def show_position(position: str, query: schema.LookQuery) -> Response:
    """A position as an agent sees it, and as it truly is."""
    step = None if query.step is UNSET else query.step
    _one_of(query.lens, world().lenses, world().is_lens(query.lens))
    learned = world().agents.find(query.lens)
    steps = len(learned.snapshot_updates) if learned else 0
    if step is not None and step >= steps:
        raise NotFound(f"{query.lens} has {steps} snapshots: there is no step {step}.")
    return pure(view(world(), _number(position), query.lens, step))


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
        response = as_json(move(world(), number, query.agent, query.epsilon, draw))
        response.cache_control.no_store = True
        return response
    draw = random.Random(f"{query.seed} {query.agent} {position}")
    return pure(move(world(), number, query.agent, query.epsilon, draw))


@bp.get(addresses.API_GAME)
@tree.validate(resp=answer(schema.Game, 409), operation_id="game")
def follow_game(record: str) -> Response:
    """A game, move by move."""
    there = world()
    try:
        states = [state(there, position) for position in replay(there.game, record)]
    except IllegalMoveError as error:
        raise Conflict(f"This game cannot be: {error}.") from None
    except ValueError as error:
        raise BadRequest(f"This is no record of a game: {error}.") from None
    return pure(schema.Game(record, states, addresses.play(Match(record, o=HUMAN))))


@bp.get(addresses.API_MATCH)
@tree.validate(resp=answer(schema.ApiMatch, 404), operation_id="match")
def show_match(x: str, o: str) -> Response:
    """What can come of two players, exactly."""
    there = world()
    for name in (x, o):
        _one_of(name, there.policies, there.policies.knows(name))
    policies = there.policies[x], there.policies[o]
    chances = outcome_chances(there.game, *policies)[0]
    likeliest = [likeliest_game(there.game, *policies, outcome) for outcome in (X, 0, O)]
    return pure(
        schema.ApiMatch(
            x=x,
            o=o,
            chances=schema.Ends(*(rounded(chance) for chance in chances)),
            likeliest=schema.Games(*likeliest),
            page=addresses.play(Match(x=x, o=o)),
        )
    )


@bp.get(addresses.API_EXPERIMENTS)
@tree.validate(resp=answer(schema.Claims), operation_id="experiments")
def list_experiments() -> Response:
    """What was claimed, and what is so."""
    claims = [
        schema.ApiClaim(
            id=one.id,
            title=one.title,
            source=SOURCES[one.sources[0]].name,
            verdict=one.verdict,
            href=addresses.API_EXPERIMENT.to(one.id),
            page=addresses.EXPERIMENT.to(one.id),
        )
        for one in world().experiments.values()
    ]
    return pure(schema.Claims(claims))


@bp.get(addresses.API_EXPERIMENT)
@tree.validate(resp=answer(schema.Experiment, 404), operation_id="experiment")
def show_experiment(claim: str) -> Response:
    """A claim that was checked, with every number behind it."""
    there = world().experiments
    _one_of(claim, there, claim in there)
    page = addresses.EXPERIMENT.to(claim)
    fields = {name: getattr(there[claim], name) for name in Checked.__struct_fields__}
    return pure(schema.Experiment(**fields, page=page))


@bp.record
def explain(state: BlueprintSetupState) -> None:
    """Describe, once all of it is served, what the API of a site answers."""
    assert isinstance(state.app, Flask)
    with state.app.app_context():
        state.app.extensions["openapi"] = describe(world())


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
        raise NotFound(f"There is no {name!r} here. {choice(names)}")


def summary(world: World, id: str) -> schema.Summary:
    """Tell the key figures of an agent as shipped."""
    card = world.agents[id].card
    figures, far = card.figures, card.figures.task
    return schema.Summary(
        id=id,
        title=card.title,
        origin=card.origin,
        algorithm=card.algorithm,
        recipe=card.recipe,
        updates=card.updates,
        unbeatable_as=[SIDES[seat] for seat in SEATS.values() if world.losing(id, seat) is None],
        blunders=figures.blunders[-1],
        decisions=world.game.decisions,
        task=schema.Task(far.largest[-1], far.mean[-1], id + TASK) if far else None,
        against_random=_as_shipped(figures.vs["random"]),
        against_best_responder=_as_shipped(figures.best_response),
        href=addresses.API_AGENT.to(id),
        page=addresses.agent(id),
        play=addresses.play(Match(o=id)),
    )


def state(world: World, position: int) -> schema.State:
    """Tell where a game stands."""
    game = world.game
    over = game.is_over(position)
    return schema.State(
        position=position_text(game, position),
        code=int(game.code[position]),
        to_move=None if over else SIDES[int(game.to_move[position])],
        over=over,
        result=RESULTS[game.result(position)] if over else None,
    )


def view(world: World, position: int, lens: str, step: int | None) -> schema.ApiView:
    """Return the values of a lens in a position, at a snapshot or as shipped, and exact ones."""
    game, learned = world.game, world.agents.find(lens)
    seen = None if game.is_over(position) else opinion(world, position, lens, step)
    worth = world.worth(lens)
    return schema.ApiView(
        **asdict(state(world, position)),
        symmetry_class=position_text(game, int(game.symmetry_class[position])),
        value=int(world.solution.value[position]),
        plies=int(world.solution.plies[position]),
        lens=lens,
        updates=int(learned.snapshot_updates[-1 if step is None else step]) if learned else None,
        worth=schema.ApiScale(*(worth.x if game.to_move[position] == X else worth.o))
        if seen and worth
        else None,
        cells=[_square(world, position, cell, seen) for cell in range(game.cells)],
        page=addresses.play(Match(record_to(game, position), o=HUMAN, lens=lens, step=step)),
    )


def move(
    world: World, position: int, name: str, epsilon: float, draw: random.Random
) -> schema.ApiMove:
    """Draw an agent's move in a decision, with chance `epsilon` a random one."""
    own, at_random = world.policies[name][position], world.policies["random"][position]
    chances = mix(own, at_random, epsilon).tolist()
    cell = draw.choices(range(len(chances)), chances)[0]
    return schema.ApiMove(
        agent=name,
        before=state(world, position),
        chances=[rounded(chance) for chance in chances],
        cell=cell,
        after=state(world, int(world.game.successor[position, cell])),
    )


def rounded(number: float) -> float:
    """Return a number with as many decimals as cards have, and never -0.0."""
    return round(float(number), DECIMALS) + 0.0


def _cause(world: World, cause: Cause) -> schema.LikelyCause:
    return schema.LikelyCause(
        kind=cause.kind,
        seat=SIDES.get(cause.seat),
        rule=cause.rule,
        number=cause.number,
        of=cause.of,
        by_chance=rounded(cause.by_chance),
        shown_in=[position_text(world.game, position) for position in cause.positions],
    )


def _as_shipped(figures: ChancesBySeat) -> schema.Seats:
    return schema.Seats(schema.Outcomes(*figures.x[-1]), schema.Outcomes(*figures.o[-1]))


def _square(world: World, position: int, cell: int, seen: Opinion | None) -> schema.ApiSquare:
    mark = MARKS[int(world.game.board[position, cell])]
    if seen is None or not world.game.legal[position, cell]:
        return schema.ApiSquare(cell, mark, legal=False)
    learned = world.agents.find(seen.lens)
    task = None if seen.exact else world.task_q(seen.lens.removesuffix(TASK))
    return schema.ApiSquare(
        cell=cell,
        mark=mark,
        legal=True,
        value=rounded(seen.values[cell]) if seen.known[cell] else None,
        best=seen.best[cell],
        policy=rounded(seen.policy[cell]),
        visits=int(learned.visits[position, cell]) if learned else None,
        task=None if task is None else rounded(task[position, cell]),
        truth=schema.Truth(
            outcome=cast(schema.Outcome, OUTCOMES[int(world.truth[position, cell])]),
            plies=int(world.solution.plies[world.game.successor[position, cell]]) + 1,
        ),
    )
