"""The hint: which of the best moves is most likely to make the opponent blunder."""

from app.web.formatting import format_percent, name_square_briefly
from app.web.match import MatchState
from app.web.match_controls import reply_chances
from app.web.move_values import evaluate_moves
from app.web.site_data import TRUTH
from app.web.translation import gettext, gettext_noop
from app.web.wording import name_squares


def list_hint_cells(state: MatchState) -> list[int]:
    """Return the cells of a hint: all moves that win soonest, lose latest, or keep the draw."""
    if not state.match.hint or state.over:
        return []
    return evaluate_moves(state.site, state.position, TRUTH).plays


def build_hint(state: MatchState) -> tuple[int, str]:
    """Return the cell that the hint proposes, and a sentence that says why.

    Of equal moves it is the one after which the opponent is most likely to blunder at once; then
    the one with the largest share of blunders among all answers.
    """
    site, best = state.site, list_hint_cells(state)
    keeps = evaluate_moves(site, state.position, TRUTH).truths[best[0]]
    scores = {cell: _measure_temptation(state, cell) for cell in best}
    first = max(best, key=scores.__getitem__)
    if len({*scores.values()}) == 1:
        there = name_squares(site.game, best).capitalize()
        return first, gettext(
            "%(squares)s: %(result)s with optimal play.", squares=there, result=keeps
        )
    chance, share = scores[first]
    if not chance:
        words = gettext_noop("%(share)s%% of the answers are blunders")
    elif chance > 0.995:
        words = gettext_noop("%(agent)s then blunders")
    else:
        words = gettext_noop("%(agent)s then blunders in %(share)s%% of games")
    other = site.titles[state.match.seat(-state.match.to_move)]
    tempted = gettext(words, agent=other, share=format_percent(chance or share, 0))
    sentence = gettext(
        "%(square)s is the best of %(number)s equal moves: %(result)s, and %(tempted)s.",
        square=name_square_briefly(site.game, first).capitalize(),
        number=len(best),
        result=keeps,
        tempted=tempted,
    )
    return first, sentence


def _measure_temptation(state: MatchState, cell: int) -> tuple[float, float]:
    """Return two chances of a blunder after a move: by the opponent, and by a uniformly random
    answer.
    """
    site, after = state.site, state.play(cell)
    if after.over:
        return 0.0, 0.0
    wrong = ~site.right[after.position]
    legal = site.game.legal[after.position]
    chances = (reply_chances(after), legal / legal.sum())
    return tuple(round(float(each[wrong].sum()), 6) for each in chances)  # type: ignore[return-value]
