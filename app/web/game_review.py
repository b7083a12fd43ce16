"""Review a game: for each move the result that its player expected, and the exact result."""

from collections.abc import Sequence
from typing import NamedTuple

from app.recipes import MAX_NAME_LENGTH
from app.tictactoe.game import GAME, O, X, get_mover
from app.tictactoe.notation import MARKS
from app.web.formatting import name_square
from app.web.links.play import map_plies_to_urls
from app.web.match import MatchState
from app.web.move_values import (
    choose_value_source,
    compute_play_chances,
    describe_best_play,
    describe_outcome,
    evaluate_moves,
)
from app.web.site_data import HUMAN, SiteData, cached_per_site
from app.web.translation import gettext, gettext_noop
from app.web.wording import is_move_prepared

RESULT_LABELS = {
    1: gettext_noop("X wins"),
    0: gettext_noop("draw"),
    -1: gettext_noop("O wins"),
}


class ReviewedMove(NamedTuple):
    """A move of a game, with the value that its player expected and its exact result."""

    ply: int
    mark: str
    square_name: str
    # the value of the move, in the mover's view; "" if unknown
    value_text: str
    # the value in words, for screen readers
    spoken_value: str
    # the colour of the value, in the mover's view; None if the value is unknown
    heat: int | None
    # result with optimal play before the move, such as "win in 2" or "draw"
    optimal_result_before: str
    # the result with optimal play after the move
    optimal_result_after: str
    # whether the move lowered the minimax value
    is_blunder: bool
    # the result with optimal play as a number, in X's view
    optimal_value: int
    # value of the move on the common scale from -1 to +1, in X's view; None for beads
    expected_value: float | None
    # whether a person made this move, or the agent also plays it by its own rule
    is_own: bool = True
    # whether an agent certainly moved at random: its rule may also choose the square of a random move
    is_random: bool = False
    href: str = ""
    # whether the board shows the position after the move
    is_shown: bool = False


def review_moves(state: MatchState) -> list[ReviewedMove]:
    """Return all moves of a game with their values, their exact results and their links."""
    site = state.site
    match = state.match
    address = map_plies_to_urls(state.match)
    lenses = {player: choose_value_source(match, site, player) for player in (X, O)}
    listed = []
    for ply, (position, cell) in enumerate(
        zip(state.positions, state.played_cells, strict=False), 1
    ):
        value_source = lenses[get_mover(ply - 1)]
        # The names of some agents are so long that they would fill the cache.
        judge = (
            _review_move if len(value_source) > MAX_NAME_LENGTH else _review_move_cached
        )
        move = judge(
            site,
            position,
            ply,
            cell,
            value_source,
            match.snapshot,
            match.in_source_units,
        )
        player = get_mover(ply - 1)
        seat = match.get_player_name(player)
        seat_step = match.get_player_snapshot(player)
        is_human = seat == HUMAN
        # This agent did not make the moves of a prepared position, or of an earlier player.
        is_own = is_human or bool(
            compute_play_chances(site, position, seat, seat_step)[cell] > 0
        )
        is_random = match.epsilon == 1 or (match.epsilon > 0 and not is_own)
        listed.append(
            move._replace(
                href=address(ply),
                is_shown=ply == len(match.shown_record),
                is_own=is_own,
                is_random=is_random
                and not is_human
                and not is_move_prepared(match.record, ply),
            )
        )
    return listed


def _review_move(
    site: SiteData,
    position: int,
    ply: int,
    cell: int,
    value_source: str,
    snapshot: int | None,
    in_source_units: bool,
) -> ReviewedMove:
    to_move = int(GAME.to_move[position])
    view = evaluate_moves(site, position, value_source, snapshot, in_source_units)
    known = view.is_known[cell]
    return ReviewedMove(
        ply=ply,
        mark=MARKS[to_move],
        square_name=name_square(cell),
        value_text=view.value_texts[cell] if known else "",
        spoken_value=view.spoken_values[cell] if known else "",
        heat=view.heats[cell] if known else None,
        optimal_result_before=describe_best_play(site, position),
        optimal_result_after=describe_outcome(site, position, cell),
        is_blunder=not site.is_move_correct[position, cell],
        optimal_value=to_move * int(site.optimal_q[position, cell]),
        expected_value=to_move * float(view.scaled_values[cell])
        if known and not view.are_beads
        else None,
    )


# Every page of a game needs all earlier moves, so they are cached, some 1 KB each.
_review_move_cached = cached_per_site(4096, per_language=True)(_review_move)


def describe_moves(moves: Sequence[ReviewedMove]) -> str:
    plies = [
        f"{move.ply}. {gettext(RESULT_LABELS[move.optimal_value])}, {_describe_expectation(move)}"
        for move in moves
    ]
    words = gettext("The result after each move, if both sides then play optimally.")
    return f"{words} {'; '.join(plies)}."


def _describe_expectation(move: ReviewedMove) -> str:
    if move.value_text and move.expected_value is None:
        return gettext(
            "%(mark)s had %(beads)s for this move",
            mark=move.mark,
            beads=move.spoken_value,
        )
    value = move.value_text or gettext("nothing yet")
    return gettext("%(mark)s expected %(value)s", mark=move.mark, value=value)
