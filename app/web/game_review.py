"""The moves of a game, each with the value that its player expected and the exact result."""

from collections.abc import Sequence
from typing import NamedTuple

from app.recipes import MAX_NAME
from app.tictactoe.game import O, X, get_mover
from app.tictactoe.notation import MARKS
from app.web.formatting import name_square_briefly
from app.web.match import MatchState
from app.web.move_values import (
    choose_lens,
    compute_play_chances,
    describe_best_play,
    describe_outcome,
    evaluate_moves,
)
from app.web.site_data import HUMAN, SiteData, cached_per_site
from app.web.translation import gettext, gettext_noop
from app.web.urls import ply_urls

LEVELS = {
    1: gettext_noop("X wins"),
    0: gettext_noop("draw"),
    -1: gettext_noop("O wins"),
}


class ReviewedMove(NamedTuple):
    """A move of a game, with its expected value and its exact result."""

    ply: int
    mark: str
    name: str  # name of the square
    text: str  # value of the move, in the mover's view; "" if unknown
    spoken: str  # the value in words
    heat: int | None  # colour of the value, in the mover's view
    before: str  # value before the move with optimal play: "win in 3", "draw"
    after: str  # value after the move with optimal play
    blunder: bool  # whether the move lowered the minimax value
    truth: int  # minimax value after the move, in X's view
    # value of the move on the common scale, in X's view; None for beads
    expected: float | None
    random: bool = False  # whether its agent plays this move only at random
    href: str = ""
    shown: bool = False  # whether the board shows the position after the move


def review_moves(state: MatchState) -> list[ReviewedMove]:
    """Return the moves of the whole record."""
    site = state.site
    match = state.match
    address = ply_urls(state.match)
    lenses = {player: choose_lens(match, site, player) for player in (X, O)}
    listed = []
    for ply, (position, cell) in enumerate(
        zip(state.positions, state.cells, strict=False), 1
    ):
        lens = lenses[get_mover(ply - 1)]
        # Long names would fill the cache.
        judge = _review_move if len(lens) > MAX_NAME else _review_move_cached
        move = judge(site, position, ply, cell, lens, match.step, match.own)
        player = get_mover(ply - 1)
        seat = match.seat(player)
        seat_step = match.seat_step(player)
        random = (
            match.epsilon > 0
            and seat != HUMAN
            and not compute_play_chances(site, position, seat, seat_step)[cell] > 0
        )
        listed.append(
            move._replace(
                href=address(ply), shown=ply == len(match.shown), random=random
            )
        )
    return listed


def _review_move(
    site: SiteData,
    position: int,
    ply: int,
    cell: int,
    lens: str,
    step: int | None,
    own: bool,
) -> ReviewedMove:
    """Return a move as every match with this value source shows it, without its link."""
    to_move = int(site.game.to_move[position])
    view = evaluate_moves(site, position, lens, step, own)
    known = view.known[cell]
    return ReviewedMove(
        ply=ply,
        mark=MARKS[to_move],
        name=name_square_briefly(site.game, cell),
        text=view.texts[cell] if known else "",
        spoken=view.spoken[cell] if known else "",
        heat=view.heat[cell] if known else None,
        before=describe_best_play(site, position),
        after=describe_outcome(site, position, cell),
        blunder=not site.right[position, cell],
        truth=to_move * int(site.truth[position, cell]),
        expected=to_move * float(view.scaled[cell])
        if known and not view.beads
        else None,
    )


# Cached, some 1 KB each: every page of a game needs all its earlier moves.
_review_move_cached = cached_per_site(4096, per_language=True)(_review_move)


def describe_moves(listed: Sequence[ReviewedMove]) -> str:
    """Return the list of moves as a sentence, for visitors who cannot see the picture."""
    plies = [
        f"{move.ply}. {gettext(LEVELS[move.truth])}, {_describe_expectation(move)}"
        for move in listed
    ]
    words = gettext("After each move: how the game ends with optimal play.")
    return f"{words} {'; '.join(plies)}."


def _describe_expectation(move: ReviewedMove) -> str:
    if move.text and move.expected is None:
        return gettext(
            "%(mark)s had %(beads)s for it", mark=move.mark, beads=move.spoken
        )
    value = move.text or gettext("nothing yet")
    return gettext("%(mark)s expected %(value)s", mark=move.mark, value=value)
