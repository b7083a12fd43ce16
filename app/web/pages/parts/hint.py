"""The hint: of the best moves, the one after which the opponent is most likely to blunder.

If the next move of a finished game is a blunder, the hint explains this blunder instead.
"""

import numpy as np

from app.tictactoe.game import GAME, FloatArray
from app.tictactoe.notation import MARKS
from app.web.formatting import (
    capitalize_first_letter,
    format_percent,
    name_square,
)
from app.web.match import MatchState
from app.web.move_values import (
    EMPTY_NOTE,
    Note,
    evaluate_match,
    evaluate_moves,
)
from app.web.pages.parts.match_controls import compute_reply_chances
from app.web.site_data import TRUTH
from app.web.translation import gettext, gettext_noop, ngettext
from app.web.wording import name_squares


def list_hinted_cells(state: MatchState) -> list[int]:
    """Return the recommended cell or, if the hint explains a blunder, all right cells."""
    if not state.match.shows_hint or state.is_over:
        return []
    if find_explained_blunder(state) is not None:
        return _list_correct_cells(state)
    return [build_hint(state)[0]]


def _list_correct_cells(state: MatchState) -> list[int]:
    cells: list[int] = np.flatnonzero(
        state.site.is_move_correct[state.position]
    ).tolist()
    return cells


def find_explained_blunder(state: MatchState) -> int | None:
    """Return the cell of the blunder that the hint explains, None if there is none.

    The hint explains the next move of the record, if the match shows an earlier position.
    """
    match = state.match
    if not match.shows_hint or match.is_at_end or state.is_over:
        return None
    cell = state.played_cells[len(match.shown_record)]
    return None if state.site.is_move_correct[state.position, cell] else cell


def explain_blunder(state: MatchState, cell: int) -> str:
    """Say in a sentence which moves would have kept the result."""
    site = state.site
    match = state.match
    played = name_square(cell)
    if match.is_human(match.player_to_move) and not match.is_human(
        -match.player_to_move
    ):
        move = gettext("You played %(square)s.", square=played)
    else:
        move = gettext(
            "%(mark)s played %(square)s.",
            mark=MARKS[match.player_to_move],
            square=played,
        )
    right = _list_correct_cells(state)
    wins = state.match.player_to_move * int(site.solution.values[state.position]) == 1
    if len(right) > 1:
        words = gettext_noop("%(squares)s would have kept the draw.")
        if wins:
            words = gettext_noop("%(squares)s would have won.")
    elif wins:
        words = gettext_noop("Only %(squares)s would have won.")
    else:
        words = gettext_noop("Only %(squares)s would have kept the draw.")
    squares = name_squares(right)
    if len(right) > 1:
        squares = capitalize_first_letter(squares)
    return f"{move} {gettext(words, squares=squares)}"


def build_blunder_notes(state: MatchState, cell: int) -> list[Note]:
    notes = [EMPTY_NOTE] * GAME.cells
    right, blunder = gettext("right"), gettext("blunder")
    for right_cell in _list_correct_cells(state):
        notes[right_cell] = Note(f"✓ {right}", right)
    notes[cell] = Note(f"✗ {blunder}", blunder)
    return notes


def build_hint(state: MatchState) -> tuple[int, str]:
    """Return the recommended cell, and the reason in sentences."""
    best = evaluate_moves(state.site, state.position, TRUTH).likeliest_cells
    chances = [_compute_blunder_chance(state.follow_move(cell)) for cell in best]
    chance = max(chances)
    equal = [cell for cell, each in zip(best, chances, strict=True) if each == chance]
    # the square with the star, if it is one of them
    stars = evaluate_match(state, len(state.match.shown_record)).is_best
    first = max(equal, key=stars.__getitem__)
    sentences = [
        _describe_hint_result(state, first),
        _describe_reply(state.follow_move(first), chance),
    ]
    if others := len(equal) - 1:
        sentences.append(
            ngettext(
                "%(count)s other square is as good.",
                "%(count)s other squares are as good.",
                others,
            )
        )
    return first, " ".join(filter(None, sentences))


def _describe_hint_result(state: MatchState, cell: int) -> str:
    square = capitalize_first_letter(name_square(cell))
    moves = state.site.signed_moves_to_end.item(state.position, cell)
    if moves > 0:
        return ngettext(
            "%(square)s wins in %(count)s move.",
            "%(square)s wins in %(count)s moves.",
            moves,
            square=square,
        )
    words = gettext_noop("%(square)s keeps the draw.")
    if moves:
        words = gettext_noop("%(square)s delays the loss longest.")
    return gettext(words, square=square)


def _describe_reply(state: MatchState, blunder_chance: float) -> str:
    """Say how an agent replies, or how many of a person's replies are blunders."""
    if state.is_over:
        return ""
    player = state.match.player_to_move
    is_human = state.match.is_human(player)
    replies = np.flatnonzero(_compute_reply_chances(state)).tolist()
    if not blunder_chance and (is_human or len(replies) > 1):
        return ""
    words = gettext_noop("%(opponent)s answers %(square)s.")
    if is_human:
        words = gettext_noop("%(share)s%% of the replies are blunders.")
    elif blunder_chance == 1:
        words = gettext_noop("Then %(opponent)s blunders.")
    elif blunder_chance:
        words = gettext_noop("Then %(opponent)s blunders in %(share)s%% of games.")
    return gettext(
        words,
        opponent=state.site.display_titles[state.match.get_player_name(player)],
        square=name_square(replies[0]),
        share=format_percent(blunder_chance, 0),
    )


def _compute_blunder_chance(state: MatchState) -> float:
    if state.is_over:
        return 0.0
    wrong = ~state.site.is_move_correct[state.position]
    return round(float(_compute_reply_chances(state)[wrong].sum()), 2)


def _compute_reply_chances(state: MatchState) -> FloatArray:
    if state.match.is_human(state.match.player_to_move):
        random_policy: FloatArray = state.site.policies["random"][state.position]
        return random_policy
    return compute_reply_chances(state)
