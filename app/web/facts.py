"""Exact facts about agents and baselines: figures, proofs, blunders and puzzles.

Each fact is computed at its first use and cached in the site's data.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from werkzeug.exceptions import NotFound

from app.sources import CLASSICS_HEADING, find_origin_heading
from app.tictactoe.arena import add_player, compute_round_robin, list_disagreements
from app.tictactoe.atlas import (
    BlunderClasses,
    BlunderDecisions,
    Certificate,
    group_blunder_decisions,
    list_blunder_decisions,
    prove_unbeatable,
)
from app.tictactoe.causes import Cause, list_causes
from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from app.tictactoe.puzzles import Puzzle, make_puzzles
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import Chances, Figures, compute_figures, find_lost_game
from app.tictactoe.values import PolicyMoves, collect_policy_moves
from app.tictactoe.views import RewardScale, round_for_display, scale_values_of_movers
from app.web.site_data import (
    MAX_JUDGED_POLICIES,
    MAX_REGISTERED,
    SiteData,
    cached_per_site,
    is_policy_name,
)
from app.web.translation import gettext, gettext_noop

BEST_RESPONDER = "best-responder"  # id beside the ids of the opponents


class PolicyJudgement(NamedTuple):
    """Exact results of an agent's policy, as shipped."""

    # (opponent, seat) -> chances to win, draw and lose
    outcome_chances: dict[tuple[str, str], Chances]
    blunder_count: int  # number of decisions with a possible blunder
    is_unbeatable: dict[str, bool]  # seat -> whether no opponent can win, proved


@cached_per_site(64)
def find_disagreements(
    site: SiteData, views: tuple[tuple[str, int | None], ...]
) -> NDArray[np.intp]:
    """Return the decisions where value sources, each at its step, choose different moves.

    The largest differences come first.
    """
    return list_disagreements(site.game, [site.get_policy(*view) for view in views])


@cached_per_site(MAX_REGISTERED)
def find_losing_game(site: SiteData, name: str, player: int) -> str | None:
    """Return the likeliest lost game of a policy as X (+1) or O (-1); None if it cannot lose."""
    return find_lost_game(site.game, site.policies[name], player)


def find_losing_games(site: SiteData, name: str) -> dict[str, str | None]:
    """Return the likeliest lost game of a policy in each seat, "x" and "o"."""
    return {
        seat: find_losing_game(site, name, player) for seat, player in SEATS.items()
    }


@cached_per_site(MAX_REGISTERED)
def judge_policy(site: SiteData, name: str) -> PolicyJudgement:
    """Return the exact results of a policy, from the card of an agent or computed here."""
    figures = (
        _judge_baselines(site) if name in site.baselines else get_figures(site, name)
    )
    at = list(BASELINES).index(name) if name in site.baselines else -1
    opponents = figures.baseline_chances | {BEST_RESPONDER: figures.best_response}
    return PolicyJudgement(
        outcome_chances={
            (opponent, seat): getattr(chances, seat)[at]
            for opponent, chances in opponents.items()
            for seat in SEATS
        },
        blunder_count=figures.blunders[at],
        is_unbeatable={
            seat: record is None
            for seat, record in find_losing_games(site, name).items()
        },
    )


def get_figures(site: SiteData, name: str) -> Figures:
    """Return the exact figures of an agent from its card, or of a policy named by its moves."""
    return (
        _judge_moves(site, name)
        if is_policy_name(name)
        else site.agents[name].card.figures
    )


@cached_per_site(MAX_JUDGED_POLICIES)
def find_causes(site: SiteData, name: str) -> list[Cause]:
    """Return the reasons for a policy's blunders, as far as its moves show them."""
    return list_causes(
        explore_reachable_play(site, name),
        find_mistakes(site, name),
        build_atlas(site, name),
    )


@cached_per_site(4)
def play_round_robin(site: SiteData, added_player: str) -> NDArray[np.float64]:
    """Return the probabilities that X wins, draws and loses in each pair, [x, o, 3].

    Players are in the order of the policies; a newcomer comes last, "" for no newcomer.
    """
    if not added_player:
        return compute_round_robin(site.game, list(site.policies.values()))
    return add_player(
        site.game,
        play_round_robin(site, ""),
        _collect_policy_moves(site),
        site.policies[added_player],
    )


@cached_per_site(4)
def explore_reachable_play(site: SiteData, name: str) -> ReachablePlay:
    """Return the positions that can be reached in games of a policy; 0.3 MB each."""
    return ReachablePlay(site.game, site.policies[name])


@cached_per_site(1)
def get_random_play(site: SiteData) -> ReachablePlay:
    """Return the positions that can be reached with random moves: all positions."""
    return ReachablePlay(site.game, site.policies["random"])


@cached_per_site(MAX_JUDGED_POLICIES)
def find_mistakes(site: SiteData, name: str) -> BlunderDecisions:
    """Return the blunders of a policy."""
    return list_blunder_decisions(explore_reachable_play(site, name))


@cached_per_site(8)
def build_atlas(site: SiteData, name: str) -> BlunderClasses:
    """Return the blunders of a policy up to symmetry, the most serious first."""
    return group_blunder_decisions(site.game, find_mistakes(site, name))


@cached_per_site(8)
def build_certificate(site: SiteData, name: str, seat: str) -> Certificate:
    """Return the proof that a policy cannot be beaten in a seat.

    Raises ValueError if it can be beaten.
    """
    return prove_unbeatable(explore_reachable_play(site, name), SEATS[seat])


def find_record_of_policy(site: SiteData, name: str, position: int) -> str:
    """Return a game that leads to a decision, if possible a game of the policy."""
    seat = int(site.game.to_move[position])
    games = (
        explore_reachable_play(site, name).games_by_seat[seat],
        get_random_play(site).games_by_seat[seat],
    )
    return next(
        record for of in games if (record := of.find_record(position)) is not None
    )


@cached_per_site(1)
def list_puzzles(site: SiteData) -> list[Puzzle]:
    """Return the blunders that are puzzles, in the order of their numbers, which start at 1.

    Agents of the classics have no puzzles, because they were added after the numbers had been
    given out. Agents with beads have none, because beads are not expected results. The first
    puzzles are of agents whose rewards are -1, 0 and +1.
    """
    worths = {
        name: agent.card.reward_scale
        for name, agent in site.agents.items()
        if find_origin_heading(agent.card.origin) != CLASSICS_HEADING
        and agent.card.reward_scale is not None
    }
    return make_puzzles(
        site.game,
        {name: site.policies[name] for name in worths},
        {
            name: _round_values_for_display(site, name, reward_scale)
            for name, reward_scale in worths.items()
        },
        [
            name
            for name, reward_scale in worths.items()
            if reward_scale == RewardScale()
        ],
    )


def check_puzzle(number: int, site: SiteData) -> None:
    """Raise NotFound with a sentence if no puzzle has this number."""
    total = len(list_puzzles(site))
    if not 1 <= number <= total:
        words = gettext_noop(
            "There is no puzzle %(number)s: no agent here errs for sure."
        )
        if total:
            words = gettext_noop(
                "There is no puzzle %(number)s: they are numbered 1 to %(total)s."
            )
        raise NotFound(gettext(words, number=number, total=total))


def _round_values_for_display(
    site: SiteData, name: str, reward_scale: RewardScale
) -> NDArray[np.float64]:
    """Return the values of an agent as squares show them, [D, cells]; NaN if unknown."""
    known = site.game.spread_pairs(site.find_known_pairs(name, -1), illegal_value=False)
    mover = site.game.to_move[: site.game.decisions]
    values = round_for_display(
        scale_values_of_movers(mover, site.agents[name].q.T, reward_scale).T
    )
    return np.where(known, values, np.nan)


@cached_per_site(MAX_JUDGED_POLICIES)
def _judge_moves(site: SiteData, name: str) -> Figures:
    """Return the figures of a policy named by its moves: each move played has the highest value."""
    table = site.decode_moves(name)[site.game.legal].astype(np.float32)
    return compute_figures(site.game, table[None], [0], RewardScale())


@cached_per_site(1)
def _collect_policy_moves(site: SiteData) -> PolicyMoves:
    """Return the policies that are always available, prepared for matches."""
    pairs = [policy[site.game.legal] for policy in site.policies.values()]
    return collect_policy_moves(site.game, np.stack(pairs))


@cached_per_site(1)
def _judge_baselines(site: SiteData) -> Figures:
    """Return the figures of all baselines in their order, a baseline in place of each snapshot.

    The probabilities of a baseline's moves serve as its table.
    """
    legal = site.game.legal
    tables = np.stack([site.policies[name][legal] for name in BASELINES])
    return compute_figures(site.game, tables, range(len(BASELINES)), RewardScale())
