"""Exact facts about agents and baselines: results, proofs, blunders and puzzles.

Each fact is computed when it is first used, and cached in the site's data. A policy that is named
by its moves belongs to no agent: its name is a text that encodes the moves.
"""

from typing import NamedTuple

import numpy as np
from werkzeug.exceptions import NotFound

from app.sources import CLASSICS_HEADING, find_source_heading
from app.tictactoe.arena import (
    add_player,
    compute_round_robin,
    list_disagreements,
    summarize_round_robin,
)
from app.tictactoe.atlas import (
    BlunderClasses,
    BlunderDecisions,
    UnbeatableProof,
    group_blunder_decisions,
    list_blunder_decisions,
    prove_unbeatable,
)
from app.tictactoe.causes import BlunderCause, list_causes
from app.tictactoe.game import GAME, SEATS, FloatArray, IndexArray
from app.tictactoe.policy import BASELINES
from app.tictactoe.puzzles import Puzzle, make_puzzles
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import Chances, Figures, compute_figures, find_lost_game
from app.tictactoe.values import PolicyMoves, collect_policy_moves
from app.tictactoe.views import RewardScale, round_for_display, scale_values_of_movers
from app.web.site_data import (
    MAX_CACHED_POLICIES,
    MAX_CACHED_RESULTS,
    SiteData,
    cached_per_site,
    is_policy_name,
)
from app.web.translation import gettext, gettext_noop

# This key stands for the best responder in dicts whose other keys are baselines.
BEST_RESPONDER = "best-responder"


class PolicyJudgement(NamedTuple):
    """The exact results of a policy: its games, its blunders, and whether it can lose."""

    # the policy's chances of a win, a draw and a loss, by opponent and seat ("x" or "o")
    outcome_chances: dict[tuple[str, str], Chances]
    # the number of decisions with a possible blunder
    blunder_count: int
    # whether it is proved, for each seat, that no opponent can win
    is_unbeatable: dict[str, bool]


@cached_per_site(64)
def find_disagreements(
    site: SiteData, views: tuple[tuple[str, int | None], ...]
) -> IndexArray:
    """Return the decisions in which sources move differently, the largest difference first.

    Each of `views` is an agent or another source of values, with a snapshot or None.
    """
    return list_disagreements(GAME, [site.get_policy(*view) for view in views])


@cached_per_site(MAX_CACHED_RESULTS)
def find_losing_game(site: SiteData, policy_name: str, player: int) -> str | None:
    """Return the record of the likeliest game that a policy loses, None if it cannot lose.

    The policy plays X (+1) or O (-1).
    """
    return find_lost_game(GAME, site.policies[policy_name], player)


def find_losing_games(site: SiteData, policy_name: str) -> dict[str, str | None]:
    """Return "x" and "o" -> the likeliest game that a policy loses, None if it cannot."""
    return {
        seat: find_losing_game(site, policy_name, player)
        for seat, player in SEATS.items()
    }


@cached_per_site(MAX_CACHED_RESULTS)
def judge_policy(site: SiteData, policy_name: str) -> PolicyJudgement:
    """Return the exact results of a policy."""
    figures = (
        _judge_baselines(site)
        if policy_name in site.baselines
        else get_figures(site, policy_name)
    )
    at = list(BASELINES).index(policy_name) if policy_name in site.baselines else -1
    return PolicyJudgement(
        outcome_chances=list_outcome_chances(figures, at),
        blunder_count=figures.blunders[at],
        is_unbeatable={
            seat: record is None
            for seat, record in find_losing_games(site, policy_name).items()
        },
    )


def list_outcome_chances(
    figures: Figures, snapshot: int = -1
) -> dict[tuple[str, str], Chances]:
    """Return (opponent, "x" or "o") -> chances of a win, a draw and a loss at a snapshot."""
    opponents = figures.outcome_chances_by_baseline | {
        BEST_RESPONDER: figures.best_response
    }
    return {
        (opponent, seat): getattr(chances, seat)[snapshot]
        for opponent, chances in opponents.items()
        for seat in SEATS
    }


def get_figures(site: SiteData, policy_name: str) -> Figures:
    """Return the exact results of a policy as numbers at each snapshot."""
    return (
        _judge_named_moves(site, policy_name)
        if is_policy_name(policy_name)
        else site.agents[policy_name].card.figures
    )


@cached_per_site(MAX_CACHED_POLICIES)
def find_blunder_causes(site: SiteData, policy_name: str) -> list[BlunderCause]:
    return list_causes(
        find_reachable_play(site, policy_name),
        list_policy_blunders(site, policy_name),
        classify_blunders(site, policy_name),
    )


@cached_per_site(4)
def play_round_robin(site: SiteData, added_player: str) -> FloatArray:
    """Return the chances that X wins, of a draw, and that O wins, [x, o, 3].

    The first two axes are the players as X and as O: all policies of the site, then `added_player`.
    """
    if not added_player:
        return compute_round_robin(GAME, list(site.policies.values()))
    return add_player(
        GAME,
        play_round_robin(site, ""),
        _collect_policy_moves(site),
        site.policies[added_player],
    )


def rank_players(site: SiteData, added_recipe: str = "") -> dict[str, int]:
    """Return player -> index in `play_round_robin`, from the weakest to the strongest player."""
    names = [*site.policies, *([added_recipe] if added_recipe else [])]
    scores = summarize_round_robin(play_round_robin(site, added_recipe)).mean_score
    return {
        names[index]: index
        for index in sorted(range(len(names)), key=lambda index: scores[index])
    }


@cached_per_site(4)  # A result takes 0.3 MB.
def find_reachable_play(site: SiteData, policy_name: str) -> ReachablePlay:
    """Return all games that a policy can play."""
    return ReachablePlay(GAME, site.policies[policy_name])


@cached_per_site(1)
def get_random_play(site: SiteData) -> ReachablePlay:
    return ReachablePlay(GAME, site.policies["random"])


@cached_per_site(MAX_CACHED_POLICIES)
def list_policy_blunders(site: SiteData, policy_name: str) -> BlunderDecisions:
    return list_blunder_decisions(find_reachable_play(site, policy_name))


@cached_per_site(8)
def classify_blunders(site: SiteData, policy_name: str) -> BlunderClasses:
    """Group a policy's blunders by symmetry, the most serious first."""
    return group_blunder_decisions(GAME, list_policy_blunders(site, policy_name))


@cached_per_site(8)
def build_unbeatable_proof(
    site: SiteData, policy_name: str, seat: str
) -> UnbeatableProof:
    return prove_unbeatable(find_reachable_play(site, policy_name), SEATS[seat])


def find_record_of_policy(site: SiteData, policy_name: str, position: int) -> str:
    """Return the moves of a game that leads to a position, if possible of a game of the policy."""
    seat = int(GAME.to_move[position])
    games = (
        find_reachable_play(site, policy_name).games_by_player[seat],
        get_random_play(site).games_by_player[seat],
    )
    return next(
        record for of in games if (record := of.find_record(position)) is not None
    )


@cached_per_site(1)
def list_puzzles(site: SiteData) -> list[Puzzle]:
    """Return all puzzles; the number of a puzzle is its index + 1."""
    # No puzzle is about an agent of a classic algorithm, because the puzzles had numbers before
    # these agents, or about beads, which are not expected results.
    worths = {
        name: agent.card.reward_scale
        for name, agent in site.agents.items()
        if find_source_heading(agent.card.origin) != CLASSICS_HEADING
        and agent.card.reward_scale is not None
    }
    return make_puzzles(
        GAME,
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


def check_puzzle_number(puzzle_number: int, site: SiteData) -> None:
    """Raise NotFound if no puzzle has this number."""
    total = len(list_puzzles(site))
    if not 1 <= puzzle_number <= total:
        words = gettext_noop(
            "There is no puzzle %(number)s: no agent here errs for sure."
        )
        if total:
            words = gettext_noop(
                "There is no puzzle %(number)s: they are numbered 1 to %(total)s."
            )
        raise NotFound(gettext(words, number=puzzle_number, total=total))


def _round_values_for_display(
    site: SiteData, agent_name: str, reward_scale: RewardScale
) -> FloatArray:
    """Return an agent's values from -1 to +1, rounded as on pages, [D, cells]; NaN if unknown."""
    known = GAME.spread_pairs(
        site.find_known_moves(agent_name, -1), illegal_value=False
    )
    mover = GAME.to_move[: GAME.decisions]
    values = round_for_display(
        scale_values_of_movers(mover, site.agents[agent_name].q.T, reward_scale).T
    )
    return np.where(known, values, np.nan)


@cached_per_site(MAX_CACHED_POLICIES)
def _judge_named_moves(site: SiteData, policy_name: str) -> Figures:
    table = site.decode_moves(policy_name)[GAME.legal].astype(np.float32)
    return compute_figures(GAME, table[None], [0], RewardScale())


@cached_per_site(1)
def _collect_policy_moves(site: SiteData) -> PolicyMoves:
    pairs = [policy[GAME.legal] for policy in site.policies.values()]
    return collect_policy_moves(GAME, np.stack(pairs))


@cached_per_site(1)
def _judge_baselines(site: SiteData) -> Figures:
    """Return the exact results of all baselines; entry i of each list is of baseline i."""
    legal = GAME.legal
    tables = np.stack([site.policies[name][legal] for name in BASELINES])
    return compute_figures(GAME, tables, range(len(BASELINES)), RewardScale())
