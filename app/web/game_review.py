"""The moves of a game, each with the value that its player expected and the exact result."""

from collections.abc import Sequence
from typing import NamedTuple

from app.recipes import LONGEST
from app.tictactoe.game import O, X, mover_at
from app.tictactoe.notation import MARKS
from app.web.formatting import name_square_briefly
from app.web.match import MatchState
from app.web.move_values import choose_lens, describe_best_play, describe_outcome, evaluate_moves
from app.web.site_data import HUMAN, SiteData, cached_per_site
from app.web.translation import gettext, gettext_noop
from app.web.urls import ply_urls

LEVELS = {1: gettext_noop("X wins"), 0: gettext_noop("draw"), -1: gettext_noop("O wins")}


class ReviewedMove(NamedTuple):
    """One ply."""

    ply: int
    mark: str
    name: str  # of its square
    text: str  # what the lens expected of it, in the mover's view; "" where it never tried
    spoken: str  # the same in words
    heat: int | None  # the colour of what it expected, in the mover's view
    before: str  # what the position was worth to the mover with optimal play: "win in 3", "draw"
    after: str  # and what was left of that
    blunder: bool  # whether it lowered the minimax value of the game
    truth: int  # the value after it in X's view, -1, 0 or +1
    expected: float | None  # what the lens expected, in X's view from -1 to +1; beads nothing
    random: bool = False  # whether its agent never plays it, but for a random move
    href: str = ""
    shown: bool = False  # whether the board shows the position after it


def review_moves(state: MatchState) -> list[ReviewedMove]:
    """List the whole record."""
    site, match, address = state.site, state.match, ply_urls(state.match)
    lenses = {player: choose_lens(match, site, player) for player in (X, O)}
    listed = []
    for ply, (position, cell) in enumerate(zip(state.positions, state.cells, strict=False), 1):
        lens = lenses[mover_at(ply - 1)]
        judge = (
            _review_move if len(lens) > LONGEST else _review_move_cached
        )  # long names would fill the cache
        move = judge(site, position, ply, cell, lens, match.step, match.own)
        seat = match.seat(mover_at(ply - 1))
        explores = match.epsilon > 0 and seat != HUMAN
        random = explores and not site.policies[seat][position, cell] > 0
        listed.append(
            move._replace(href=address(ply), shown=ply == len(match.shown), random=random)
        )
    return listed


def _review_move(
    site: SiteData, position: int, ply: int, cell: int, lens: str, step: int | None, own: bool
) -> ReviewedMove:
    """Return a move as it is in every match with this lens: one that leads nowhere."""
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
        expected=to_move * float(view.scaled[cell]) if known and not view.beads else None,
    )


# Some 1 KB each; a game asks for its earlier ones at every move.
_review_move_cached = cached_per_site(4096, per_language=True)(_review_move)


def describe_moves(listed: Sequence[ReviewedMove]) -> str:
    """Write what the list says, for visitors who cannot see the picture."""
    plies = [
        f"{move.ply}. {gettext(LEVELS[move.truth])}, {_describe_expectation(move)}"
        for move in listed
    ]
    words = gettext("After each move: how the game ends with optimal play.")
    return f"{words} {'; '.join(plies)}."


def _describe_expectation(move: ReviewedMove) -> str:
    if move.text and move.expected is None:
        return gettext("%(mark)s had %(beads)s for it", mark=move.mark, beads=move.spoken)
    value = move.text or gettext("nothing yet")
    return gettext("%(mark)s expected %(value)s", mark=move.mark, value=value)
