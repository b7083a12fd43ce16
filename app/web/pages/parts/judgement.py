"""The exact results of a policy on pages: scores, blunders, proofs and lost games.

The macro `show` of `templates/parts/_judgement.html` shows a list of captioned boards.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from math import prod

import numpy as np
from msgspec.structs import replace

from app.tictactoe.atlas import BlunderDecisions
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.notation import MARKS
from app.tictactoe.report import Chances
from app.web.facts import (
    BEST_RESPONDER,
    build_unbeatable_proof,
    classify_blunders,
    find_losing_games,
    find_record_of_policy,
    judge_policy,
    list_policy_blunders,
)
from app.web.formatting import format_percent, name_square
from app.web.links.play import map_plies_to_urls, play_against_url, play_url
from app.web.match import Match, build_match_against_person, replay_match
from app.web.move_values import OUTCOME_LABELS, spell_best_play
from app.web.pages.parts.learning import get_opponent_title
from app.web.pictures.boards import plot_small_board
from app.web.pictures.curves import build_bar_parts
from app.web.rendering import Variables
from app.web.routes import Destination
from app.web.site_data import HUMAN, SiteData


def list_result_bars(
    site: SiteData, policy_name: str
) -> dict[str, list[list[Variables]]]:
    """Return opponent -> a bar of wins, draws and losses as X, and one as O.

    The opponents are all baselines and the best responder.
    """
    return build_result_bars(site, judge_policy(site, policy_name).outcome_chances)


def build_result_bars(
    site: SiteData, chances: dict[tuple[str, str], Chances]
) -> dict[str, list[list[Variables]]]:
    """Return opponent -> a bar as X, and one as O; `chances` are by (opponent, seat)."""
    return {
        get_opponent_title(site, opponent): [
            build_bar_parts(chances[opponent, seat]) for seat in SEATS
        ]
        for opponent, _ in chances
    }


# The page of an agent shows only the first positions of the proof.
MAX_SHOWN_PROOF_POSITIONS = 8

CaptionedBoard = Variables


def list_game_links(policy_name: str) -> list[Destination]:
    return [
        Destination("Play X against it", play_against_url(policy_name), id="play-x"),
        Destination(
            "Play O against it",
            play_url(Match(x=policy_name, o=HUMAN)),
            id="play-o",
        ),
        Destination(
            "Watch it play itself",
            play_url(Match(x=policy_name, o=policy_name)),
            id="watch",
        ),
    ]


def build_blunder_boards(
    site: SiteData, policy_name: str, shown_range: slice
) -> Variables:
    """Return a policy's blunders as boards, the worst first, and how many there are.

    Symmetric blunders share a board. `shown_range` selects some of the boards.
    """
    mistakes = list_policy_blunders(site, policy_name)
    atlas = classify_blunders(site, policy_name)
    numbers = range(len(atlas.example_rows))[shown_range]

    def format_reachability(class_number: int) -> str:
        return (
            "Reachable in the agent’s games"
            if atlas.chances[class_number]
            else "Not reachable in its games"
        )

    groups = _group_boards(
        numbers, format_reachability, partial(_build_blunder_board, site, policy_name)
    )
    return {
        "counts_by_kind": _count_blunders(mistakes),
        "class_count": len(atlas.example_rows),
        "shown_count": len(numbers),
        "groups": groups,
    }


def build_seat_verdicts(site: SiteData, policy_name: str) -> dict[str, Variables]:
    """Return "x" and "o" -> a proof that the agent cannot lose, or a game that it loses.

    Only a proof has the key "proof".
    """
    records = find_losing_games(site, policy_name)
    return {
        seat: build_proof(site, policy_name, seat, slice(MAX_SHOWN_PROOF_POSITIONS))
        if record is None
        else _build_lost_game(site, policy_name, seat, record)
        for seat, record in records.items()
    }


def build_proof(
    site: SiteData, policy_name: str, seat: str, shown_range: slice
) -> Variables:
    """Return the proof that a policy cannot lose as "x" or "o", and some of its positions."""
    proof = build_unbeatable_proof(site, policy_name, seat)
    numbers = range(len(proof.positions))[shown_range]

    def format_move_number(index: int) -> str:
        return f"Move {GAME.ply[proof.positions[index]] // 2 + 1} of the agent"

    build_board = partial(_build_proof_board, site, policy_name, seat)
    return {
        "proof": proof,
        "groups": _group_boards(numbers, format_move_number, build_board),
    }


def _group_boards(
    picture_numbers: Iterable[int],
    format_title: Callable[[int], str],
    build_board: Callable[[int], CaptionedBoard],
) -> list[tuple[str, list[CaptionedBoard]]]:
    return [
        (name, [build_board(number) for number in of])
        for name, of in groupby(picture_numbers, format_title)
    ]


def build_decision_board(
    site: SiteData, policy_name: str, position: int
) -> CaptionedBoard:
    chosen = site.policies[policy_name][position] > 0
    right = site.is_move_correct[position]
    signs = dict.fromkeys(np.flatnonzero(right).tolist(), "right")
    signs |= dict.fromkeys(np.flatnonzero(right & chosen).tolist(), "plays")
    signs |= dict.fromkeys(np.flatnonzero(chosen & ~right).tolist(), "blunder")
    mark = MARKS[int(GAME.to_move[position])]
    best_result = OUTCOME_LABELS[int(np.nanmax(site.optimal_q[position]))]
    does = f"As {mark} the agent keeps the {best_result}"
    if (chosen & ~right).any():
        worst = min(
            np.flatnonzero(chosen).tolist(),
            key=lambda cell: site.optimal_q[position, cell],
        )
        does = (
            f"As {mark} the agent turns the {best_result} "
            f"into a {_describe_bad_result(site, position, worst)}"
        )
    return _build_captioned_board(site, policy_name, position, signs, does)


def _build_captioned_board(
    site: SiteData,
    policy_name: str,
    position: int,
    signs: Mapping[int, str],
    title: str,
    *notes: str,
) -> CaptionedBoard:
    """Return a small board that links to a game, stopped before the policy moves there.

    `signs` is as in `plot_small_board`.
    """
    seat = int(GAME.to_move[position])
    match = replace(
        build_match_against_person(
            policy_name, seat, find_record_of_policy(site, policy_name, position)
        ),
        is_paused=True,
    )
    return {
        "board": plot_small_board(position, signs),
        "url": play_url(match),
        "title": title,
        "notes": notes,
    }


def _count_blunders(blunder_decisions: BlunderDecisions) -> list[tuple[str, int, int]]:
    """Return (kind, number of positions, number of reachable ones), the worst kind first.

    A kind is a loss of value, such as "win to draw"; the last kind is "all". A position is
    reachable if the policy's own games can lead to it.
    """
    kinds = {
        f"{OUTCOME_LABELS[before]} to {OUTCOME_LABELS[after]}": (
            blunder_decisions.value_before == before
        )
        & (blunder_decisions.value_after == after)
        for before, after in [(1, -1), (1, 0), (0, -1)]
    }
    kinds["all"] = np.ones_like(blunder_decisions.positions, bool)
    return [
        (kind, int(of.sum()), int((blunder_decisions.chances[of] > 0).sum()))
        for kind, of in kinds.items()
    ]


def _build_blunder_board(
    site: SiteData, policy_name: str, class_number: int
) -> CaptionedBoard:
    mistakes = list_policy_blunders(site, policy_name)
    atlas = classify_blunders(site, policy_name)
    row = int(atlas.example_rows[class_number])
    position = int(mistakes.positions[row])
    signs = dict.fromkeys(np.flatnonzero(mistakes.correct_moves[row]).tolist(), "right")
    signs |= dict.fromkeys(np.flatnonzero(mistakes.blunders[row]).tolist(), "blunder")
    chance = atlas.chances[class_number]
    erring = int(atlas.blundering_counts[class_number])
    images = atlas.symmetric_counts[class_number]
    often = (
        f"  and reaches this position in {format_percent(chance)}% of its games against Random"
        if chance
        else ""
    )
    return _build_captioned_board(
        site,
        policy_name,
        position,
        signs,
        _describe_value_loss(site, policy_name, mistakes, row),
        f"It plays {MARKS[int(GAME.to_move[position])]}{often}",
        _describe_symmetric_blunders(erring, int(images)),
    )


def _describe_value_loss(
    site: SiteData,
    policy_name: str,
    blunder_decisions: BlunderDecisions,
    blunder_index: int,
) -> str:
    position = int(blunder_decisions.positions[blunder_index])
    blunders = blunder_decisions.blunders[blunder_index]
    is_worst = blunders & (
        site.optimal_q[position] == blunder_decisions.value_after[blunder_index]
    )
    worst = is_worst.argmax()
    played = site.policies[policy_name][position] > 0
    turns = "turns" if (blunders | ~played).all() else "can turn"
    before = OUTCOME_LABELS[int(blunder_decisions.value_before[blunder_index])]
    after = _describe_bad_result(site, position, int(worst))
    return f"The agent {turns} a {before} into a {after}"


def _describe_bad_result(site: SiteData, position: int, cell: int) -> str:
    """Return the result of a blunder: "draw", or "loss: X can then force a win in 2 moves"."""
    moves = -site.signed_moves_to_end.item(position, cell)
    if not moves:
        return OUTCOME_LABELS[0]
    opponent = MARKS[-int(GAME.to_move[position])]
    speed = "win at once" if moves == 1 else f"force a win in {moves} moves"
    return f"{OUTCOME_LABELS[-1]}: {opponent} can then {speed}"


def _describe_symmetric_blunders(erring_count: int, symmetric_count: int) -> str:
    if symmetric_count == 1:
        return "No other position is symmetric to this one"
    which = (
        f"all {symmetric_count}"
        if erring_count == symmetric_count
        else f"{'only one' if erring_count == 1 else erring_count} of the {symmetric_count}"
    )
    return f"It blunders in {which} symmetric positions"


def _build_proof_board(
    site: SiteData, policy_name: str, seat: str, proof_index: int
) -> CaptionedBoard:
    proof = build_unbeatable_proof(site, policy_name, seat)
    position = int(proof.positions[proof_index])
    choice = proof.moves[proof_index]
    signs = {
        cell: "plays" if site.is_move_correct[position, cell] else "blunder"
        for cell in np.flatnonzero(choice).tolist()
    }
    return _build_captioned_board(
        site, policy_name, position, signs, spell_best_play(site, position)
    )


def _describe_ending(site: SiteData, position: int, cell: int, ply: int) -> str:
    """Return the result after a move: "a draw", "X wins" or "X can win by move 7"."""
    moves = site.signed_moves_to_end.item(position, cell)
    if not moves:
        return "a draw"
    winner = MARKS[int(GAME.to_move[position]) * (1 if moves > 0 else -1)]
    if moves == 1:
        return f"{winner} wins"
    plies = int(site.solution.plies_to_end[GAME.successor[position, cell]])
    return f"{winner} can win by move {ply + plies}"


def _build_lost_game(
    site: SiteData, policy_name: str, seat: str, record: str
) -> Variables:
    state = replay_match(
        build_match_against_person(policy_name, SEATS[seat], record), site
    )
    boards = []
    chances = []
    unpunished = 0
    address = map_plies_to_urls(state.match)
    for ply, cell in enumerate(state.played_cells, 1):
        position, after = state.positions[ply - 1 : ply + 1]
        mover = int(GAME.to_move[position])
        own = mover == SEATS[seat]
        blunder = not site.is_move_correct[position, cell]
        chances.append(site.policies[policy_name][position, cell] if own else 1.0)
        unpunished += blunder and not own
        done = _describe_ending(site, position, cell, ply)
        if blunder:
            done = f"✗ Blunder: {done}" if own else f"✗ Blunder, unpunished: {done}"
        boards.append(
            {
                "board": plot_small_board(after, {}, last_cell=cell),
                "url": address(ply),
                "title": f"{ply}. {MARKS[mover]} {name_square(cell)}",
                "notes": [done],
                "is_blunder": blunder and own,
            }
        )
    results = judge_policy(site, policy_name).outcome_chances
    return {
        "url": play_url(state.match.show_ply(0)),
        "best_response_chances": results[BEST_RESPONDER, seat],
        "game_chance": prod(chances),
        # the blunders of the opponent, who wins this game because the policy blunders again
        "unpunished_count": unpunished,
        "boards": boards,
    }
