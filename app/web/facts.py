"""Exact facts about agents and baselines: figures, proofs, blunders and puzzles.

Each fact is computed when it is first asked for, and cached in the site's data.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.sources import CLASSICS, heading
from app.tictactoe.arena import disagreements, join, round_robin
from app.tictactoe.atlas import Atlas, Certificate, Mistakes, atlas, certificate, mistakes
from app.tictactoe.causes import Cause, causes
from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from app.tictactoe.puzzles import Puzzle, puzzles
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import Chances, Figures, losing_game, report
from app.tictactoe.values import LineUp, line_up
from app.tictactoe.views import Worth, common_scale, shown
from app.web.site_data import JUDGED, MANY, SiteData, cached_per_site, is_moves

BEST_RESPONDER = "best-responder"  # as if it were one more opponent


class PolicyJudgement(NamedTuple):
    """What is exactly true of an agent's play, as shipped."""

    chances: dict[tuple[str, str], Chances]  # opponent, seat -> win, draw, loss from the own side
    blunders: int  # decisions in which it can blunder
    unbeatable: dict[str, bool]  # seat -> whether it is proved


@cached_per_site(64)
def find_disagreements(
    site: SiteData, views: tuple[tuple[str, int | None], ...]
) -> NDArray[np.intp]:
    """Return the decisions in which lenses, at their steps, part, most telling first."""
    return disagreements(site.game, [site.policy(*view) for view in views])


@cached_per_site(MANY)
def find_losing_game(site: SiteData, name: str, player: int) -> str | None:
    """Return the likeliest game that a policy loses as X (+1) or O (-1), None if none is."""
    return losing_game(site.game, site.policies[name], player)


@cached_per_site(MANY)
def judge_policy(site: SiteData, name: str) -> PolicyJudgement:
    """Judge a policy: an agent by its card, a baseline or moves here."""
    figures = _judge_baselines(site) if name in site.baselines else get_figures(site, name)
    at = list(BASELINES).index(name) if name in site.baselines else -1
    opponents = figures.vs | {BEST_RESPONDER: figures.best_response}
    return PolicyJudgement(
        chances={
            (opponent, seat): getattr(chances, seat)[at]
            for opponent, chances in opponents.items()
            for seat in SEATS
        },
        blunders=figures.blunders[at],
        unbeatable={
            seat: find_losing_game(site, name, player) is None for seat, player in SEATS.items()
        },
    )


def get_figures(site: SiteData, name: str) -> Figures:
    """Return the exact figures of an agent, from its card, or of moves."""
    return _judge_moves(site, name) if is_moves(name) else site.agents[name].card.figures


@cached_per_site(JUDGED)
def find_causes(site: SiteData, name: str) -> list[Cause]:
    """Return why a policy errs, as far as its moves tell."""
    return causes(site.reachable_play(name), find_mistakes(site, name), build_atlas(site, name))


@cached_per_site(4)
def play_round_robin(site: SiteData, newcomer: str) -> NDArray[np.float64]:
    """Chances of win, draw and loss for X in each pair, [x, o, 3], in the order of policies.

    A newcomer comes last; "" is none.
    """
    if not newcomer:
        return round_robin(site.game, list(site.policies.values()))
    return join(
        site.game, play_round_robin(site, ""), _policy_line_up(site), site.policies[newcomer]
    )


@cached_per_site(1)
def get_random_play(site: SiteData) -> ReachablePlay:
    """The same of uniformly random moves: every position."""
    return ReachablePlay(site.game, site.policies["random"])


@cached_per_site(JUDGED)
def find_mistakes(site: SiteData, name: str) -> Mistakes:
    """Return an agent's blunders."""
    return mistakes(site.reachable_play(name))


@cached_per_site(8)
def build_atlas(site: SiteData, name: str) -> Atlas:
    """Return an agent's blunders up to symmetry, the most serious first."""
    return atlas(site.game, find_mistakes(site, name))


@cached_per_site(8)
def build_certificate(site: SiteData, name: str, seat: str) -> Certificate:
    """Return the proof that an agent cannot be beaten in a seat.

    Raises ValueError if it can.
    """
    return certificate(site.reachable_play(name), SEATS[seat])


def find_own_record(site: SiteData, name: str, position: int) -> str:
    """Return a game to a decision: one that the policy to move there can play, or any."""
    seat = int(site.game.to_move[position])
    games = (site.reachable_play(name).games[seat], get_random_play(site).games[seat])
    return next(record for of in games if (record := of.record(position)) is not None)


@cached_per_site(1)
def list_puzzles(site: SiteData) -> list[Puzzle]:
    """Return the blunders to be found, in the order of their numbers, which begin at 1.

    The classics have none: they came when the numbers had been given out.  Nor does a box of
    beads expect what it plays to be good.  The first are of agents whose rewards are written
    on the squares as they were given.
    """
    worths = {
        name: agent.card.worth
        for name, agent in site.agents.items()
        if heading(agent.card.origin) != CLASSICS and agent.card.worth is not None
    }
    return puzzles(
        site.game,
        {name: site.policies[name] for name in worths},
        {name: _shown_values(site, name, worth) for name, worth in worths.items()},
        [name for name, worth in worths.items() if worth == Worth()],
    )


def _shown_values(site: SiteData, name: str, worth: Worth) -> NDArray[np.float64]:
    """Return the values of an agent as squares show them, [D, cells], NaN where it has none."""
    known = site.game.spread(site.known(name, -1), illegal=False)
    mover = site.game.to_move[: site.game.decisions]
    values = shown(common_scale(mover, site.agents[name].q.T, worth).T)
    return np.where(known, values, np.nan)


@cached_per_site(JUDGED)
def _judge_moves(site: SiteData, name: str) -> Figures:
    """Judge moves as a table of which each move played has the highest value."""
    table = site.choice(name)[site.game.legal].astype(np.float32)
    return report(site.game, table[None], [0], Worth())


@cached_per_site(1)
def _policy_line_up(site: SiteData) -> LineUp:
    """The policies that are always there, ready for matches."""
    pairs = [policy[site.game.legal] for policy in site.policies.values()]
    return line_up(site.game, np.stack(pairs))


@cached_per_site(1)
def _judge_baselines(site: SiteData) -> Figures:
    """The figures of all baselines in their order, each in the place of a snapshot.

    The chances by which one plays serve as its table: what it plays has the highest.
    """
    tables = np.stack([site.policies[name][site.game.legal] for name in BASELINES])
    return report(site.game, tables, range(len(BASELINES)), Worth())
