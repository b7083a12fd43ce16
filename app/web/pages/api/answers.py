"""The answers of the API, found in the world."""

import random
from typing import cast

from msgspec.structs import asdict

from app.experiments import Summary as Checked
from app.sources import SOURCES
from app.tictactoe.agents import whole_card
from app.tictactoe.causes import Cause
from app.tictactoe.game import SEATS, O, X
from app.tictactoe.notation import MARKS, position_text, record_to, replay
from app.tictactoe.policy import mix
from app.tictactoe.report import DECIMALS, BySeat, Chances
from app.tictactoe.values import likeliest_game, outcome_chances
from app.web import addresses
from app.web.algorithms.targets import worth_of
from app.web.lens import OUTCOMES, Opinion, opinion
from app.web.match import Match
from app.web.pages.api import schema
from app.web.world import HUMAN, TASK, World

SIDES: dict[int, schema.Mark] = {X: "X", O: "O"}
RESULTS: dict[int, schema.Result] = {**SIDES, 0: "draw"}


def players(world: World) -> schema.Agents:
    """List who can play, each agent with its key figures."""
    return schema.Agents(
        agents=[summary(world, id) for id in world.agents],
        baselines=[
            schema.Baseline(id, world.titles[id], addresses.play(Match(o=id)))
            for id in world.policies
            if id not in world.agents
        ],
    )


def agent(world: World, id: str) -> schema.Agent:
    """Tell everything of an agent."""
    return schema.Agent(summary(world, id), whole_card(world.game, world.agents[id]))


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


def claims(world: World) -> schema.Claims:
    """List the claims that were checked."""
    return schema.Claims([_claim(one) for one in world.experiments.values()])


def experiment(world: World, claim: str) -> schema.Experiment:
    """Tell everything of a claim that was checked."""
    summary = world.experiments[claim]
    fields = {name: getattr(summary, name) for name in summary.__struct_fields__}
    return schema.Experiment(**fields, page=addresses.EXPERIMENT.to(claim))


def _claim(summary: Checked) -> schema.ApiClaim:
    return schema.ApiClaim(
        id=summary.id,
        title=summary.title,
        source=SOURCES[summary.sources[0]].name,
        verdict=summary.verdict,
        href=addresses.API_EXPERIMENT.to(summary.id),
        page=addresses.EXPERIMENT.to(summary.id),
    )


def judgement(world: World, name: str) -> schema.ApiJudgement:
    """Judge a policy that is named by its moves."""
    figures = world.figures(name)
    lost = {seat: world.losing(name, player) for seat, player in SEATS.items()}
    met = figures.reachable_blunders
    return schema.ApiJudgement(
        title=world.titles[name],
        unbeatable_as=[SIDES[SEATS[seat]] for seat, record in lost.items() if record is None],
        losing_games=schema.Lost(**lost),
        blunders=figures.blunders[-1],
        decisions=world.game.decisions,
        reachable_blunders=schema.Met(met.x[-1], met.o[-1]),
        nash_conv=figures.nash_conv[-1],
        against_random=_as_shipped(figures.vs["random"]),
        against_best_responder=_as_shipped(figures.best_response),
        causes=[_cause(world, cause) for cause in world.causes(name)],
        page=addresses.judge(name),
        play=addresses.play(Match(o=name)),
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
    worth = worth_of(world, lens)
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


def game(world: World, record: str) -> schema.Game:
    """Follow a game; raises ValueError, or IllegalMoveError, as `replay` does."""
    return schema.Game(
        record=record,
        states=[state(world, position) for position in replay(world.game, record)],
        page=addresses.play(Match(record, o=HUMAN)),
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


def match(world: World, x: str, o: str) -> schema.ApiMatch:
    """Tell everything that can come of X playing O."""
    policies = world.policies[x], world.policies[o]
    chances = outcome_chances(world.game, *policies)[0]
    likeliest = [likeliest_game(world.game, *policies, outcome) for outcome in (X, 0, O)]
    return schema.ApiMatch(
        x=x,
        o=o,
        chances=schema.ByResult(*(rounded(chance) for chance in chances)),
        likeliest=schema.ByResult(*likeliest),
        page=addresses.play(Match(x=x, o=o)),
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


def _as_shipped(figures: BySeat[Chances]) -> schema.Seats:
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
