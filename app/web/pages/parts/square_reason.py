"""A short explanation of the value of a square.

The line under the board shows it for the square under the pointer. The page /why has the whole
explanation.
"""

from collections.abc import Sequence

import numpy as np

from app.tictactoe.game import GAME
from app.tictactoe.notation import MARKS
from app.tictactoe.views import scale_values
from app.web.algorithms import (
    find_explaining_algorithm,
    get_opponent_name,
    is_explainable,
)
from app.web.algorithms.targets import ValueQuery
from app.web.formatting import (
    capitalize_first_letter,
    format_count,
    format_percent,
    format_signed,
    format_updates,
    name_square,
)
from app.web.move_values import (
    MIN_TASK_ERROR,
    MoveValues,
    evaluate_moves,
    spell_outcome,
)
from app.web.rendering import Variables
from app.web.site_data import TASK_SUFFIX, TRUTH, SiteData
from app.web.translation import gettext, gettext_noop, localize_number, ngettext

# The unit does not matter, because the page scales the curve.
CURVE_WIDTH, CURVE_HEIGHT = 100, 32
# The values of these agents for the same move are shown for comparison.
COMPARED_AGENTS = ("q-learning-1", "q-iteration", "self-play", "q-table")


def explain_square(query: ValueQuery, is_result_shown: bool) -> Variables:
    """Return the value of a move, and the reason for it.

    `is_result_shown` adds the result with optimal play, which would help a person who is to move.
    """
    site = query.site
    move_values = query.move_values
    known = move_values.is_known[query.cell]
    points, numbers = _plot_value_curve(query, move_values)
    last = max(1, site.get_last_snapshot(query.value_source)) if points else 1
    step = last if query.snapshot is None else query.snapshot
    square = name_square(query.cell)
    return {
        "square_name": capitalize_first_letter(square),
        "value_text": move_values.spoken_values[query.cell] if known else "",
        "heat": move_values.heats[query.cell] if known else None,
        "sentences": list_reason_sentences(query, is_result_shown),
        "curve_points": points,
        "curve_text": numbers,
        "curve_x": round(CURVE_WIDTH * step / last, 2),
        "others": _list_other_values(query),
    }


def explain_opening(site: SiteData, view: MoveValues, snapshot: int | None) -> str:
    """Say why an agent gives the first moves the value of a draw, "" if it does not."""
    name, task = view.value_source, view.value_source + TASK_SUFFIX
    heats = {
        heat for heat, known in zip(view.heats, view.is_known, strict=True) if known
    }
    if view.position != 0 or heats != {0} or snapshot is not None:
        return ""
    if not site.is_task_value_source(task) or any(evaluate_moves(site, 0, task).heats):
        return ""
    opponent, _ = site.get_recipe(name).phases[-1]
    return gettext(
        "All values are %(value)s, because %(agent)s ended its training against %(opponent)s: "
        "with optimal play, every first move leads to a draw.",
        value=format_signed(0.0),
        agent=site.display_titles[name],
        opponent=get_opponent_name(site, opponent),
    )


def list_reason_sentences(query: ValueQuery, is_result_shown: bool) -> list[str]:
    move_values = query.move_values
    sentences = [
        _count_updates(query, move_values),
        _describe_what_follows(query, move_values),
        _describe_star(query, move_values),
    ]
    if is_result_shown:
        result = spell_outcome(query.site, query.position, query.cell)
        sentences.append(gettext("With optimal play: %(result)s.", result=result))
    return [sentence for sentence in sentences if sentence]


def _count_updates(query: ValueQuery, move_values: MoveValues) -> str:
    if not query.is_learned:
        return ""
    if query.snapshot is not None:
        return "" if move_values.is_known[query.cell] else gettext("Not tried yet.")
    count = query.update_count or 0
    if count:
        return ngettext("Tried once.", "Tried %(count)s times.", count)
    here = int(query.agent.visits[query.position].sum())
    if not here:
        return gettext("Never tried: no training game came to this position.")
    total = int(query.agent.snapshot_updates[-1])
    words = gettext_noop(
        "Never tried: %(here)s of %(total)s were in this position, but none for this move."
    )
    if getattr(query.recipe, "start", "empty") != "empty":
        words = gettext_noop(
            "Never tried: games began in all positions; only %(here)s of %(total)s were here."
        )
    return gettext(
        words,
        total=format_updates(total),
        here=format_count(here),
    )


def _describe_star(query: ValueQuery, move_values: MoveValues) -> str:
    """Say why a star marks this move, although others show the same value; "" for no reason."""
    values, texts = move_values.values, move_values.value_texts
    equal_values = [
        values[cell]
        for cell in np.flatnonzero(move_values.is_known)
        if texts[cell] == texts[query.cell] and not move_values.is_best[cell]
    ]
    is_star = move_values.is_best[query.cell] and bool(equal_values)
    if not is_star or values[query.cell] <= max(equal_values):
        return ""
    return gettext("★: before rounding, its value is the highest.")


def _describe_what_follows(query: ValueQuery, move_values: MoveValues) -> str:
    if GAME.is_over(query.next_position):
        wins = bool(query.get_outcome(query.next_position))
        return (
            gettext("It wins at once.")
            if wins
            else gettext("It ends the game in a draw.")
        )
    site = query.site
    if query.value_source != TRUTH and (
        site.is_taught_by_person(query.agent_name)
        or not is_explainable(site, query.agent_name, query.snapshot)
    ):
        return ""
    if move_values.are_beads:
        share = format_percent(move_values.policy[query.cell], 0)
        return gettext(
            "One of its beads is drawn in %(share)s%% of games.", share=share
        )
    answers = np.flatnonzero(query.reply_chances > 0).tolist()
    after = [int(GAME.successor[query.next_position, cell]) for cell in answers]
    best_values = _list_best_values(query, after)
    opponent = _name_opponent(query)
    if len(answers) == 1:
        sentences = [
            _describe_only_answer(query, opponent, answers[0], best_values),
            _describe_error(query),
        ]
    else:
        sentences = [_describe_answers(query, opponent, after, best_values)]
    sentences.append(_describe_discount(query, best_values))
    return " ".join(filter(None, sentences))


def _list_best_values(query: ValueQuery, positions: Sequence[int]) -> list[float]:
    """Return the value of the best move in each position; [] if one is unknown or the game is over."""
    best_values = [
        None if GAME.is_over(position) else query.evaluate(position).best_value
        for position in positions
    ]
    known_values = [value for value in best_values if value is not None]
    return known_values if len(known_values) == len(positions) else []


def _describe_answers(
    query: ValueQuery,
    opponent: str,
    positions: Sequence[int],
    best_values: Sequence[float],
) -> str:
    """Say what follows the opponent's replies, which lead to `positions` with `best_values`."""
    losing = sum(
        GAME.is_over(each) and bool(query.get_outcome(each)) for each in positions
    )
    winning = sum(_can_win_at_once(query.site, each) for each in positions)
    values = {
        "all": len(positions),
        "opponent": opponent,
        "mark": MARKS[query.mover],
        "losing": losing,
        "winning": winning,
    }
    if losing and winning:
        words = gettext_noop(
            "%(losing)s of %(all)s answers of %(opponent)s win at once; "
            "after %(winning)s of them %(mark)s can win."
        )
    elif losing:
        words = gettext_noop(
            "%(losing)s of %(all)s answers of %(opponent)s win at once."
        )
    elif winning:
        words = gettext_noop(
            "After %(winning)s of %(all)s answers of %(opponent)s, %(mark)s can win at once."
        )
    else:
        return _describe_best_moves(opponent, best_values)
    return gettext(words, **values)


def _describe_best_moves(opponent: str, best_values: Sequence[float]) -> str:
    if not best_values:
        return ""
    worst, best = (format_signed(f(best_values)) for f in (min, max))
    if worst == best:
        words = gettext_noop(
            "After each of the %(all)s answers of %(opponent)s, the best next move is worth %(worst)s."
        )
    else:
        words = gettext_noop(
            "After the %(all)s answers of %(opponent)s, the best next move is worth "
            "%(worst)s to %(best)s."
        )
    return gettext(
        words, all=len(best_values), opponent=opponent, worst=worst, best=best
    )


def _describe_discount(query: ValueQuery, best_values: Sequence[float]) -> str:
    """Say how much less a later result counts, "" if this alone does not explain the value."""
    if query.task is None or not query.is_known or not best_values:
        return ""
    # If one table has the moves of both sides, the opponent's move is discounted, too.
    discount = query.gamma ** (2 // query.task.discounted_plies)
    shown = format_signed(query.move_values.scaled_values[query.cell])
    best = {format_signed(value) for value in best_values}
    discounted = {format_signed(discount * value) for value in best_values}
    if discounted != {shown} or len(best) > 1 or best == discounted:
        return ""
    return gettext(
        "One move of %(mark)s later, a result counts %(discount)s times as much.",
        mark=MARKS[query.mover],
        discount=localize_number(f"{discount:g}"),
    )


def _describe_error(query: ValueQuery) -> str:
    """Say where more updates would move a value, "" if it is near to the target of the next one."""
    if not query.is_learned or not query.is_known or query.reward_scale is None:
        return ""
    reason = find_explaining_algorithm(query).compute_value_reason(query)
    if not reason.has_target or reason.target_prefix:
        return ""
    value, target = scale_values(
        np.array([reason.value, reason.target]), query.reward_scale, query.mover
    )
    if abs(value - target) < MIN_TASK_ERROR:
        return ""
    words = gettext_noop("Too low: more tries would raise it towards %(value)s.")
    if value > target:
        words = gettext_noop("Too high: more tries would lower it towards %(value)s.")
    return gettext(words, value=format_signed(target))


def _describe_only_answer(
    query: ValueQuery, opponent: str, cell: int, best_values: Sequence[float]
) -> str:
    position = int(GAME.successor[query.next_position, cell])
    words = gettext_noop("%(opponent)s answers %(square)s.")
    if GAME.is_over(position):
        words = gettext_noop("%(opponent)s answers %(square)s and draws.")
        if query.get_outcome(position):
            words = gettext_noop("%(opponent)s answers %(square)s and wins.")
    elif _can_win_at_once(query.site, position):
        words = gettext_noop("%(opponent)s answers %(square)s, then %(mark)s can win.")
    elif query.site.loses_at_once[position][GAME.legal[position]].all():
        words = gettext_noop(
            "%(opponent)s answers %(square)s and threatens two lines at once."
        )
    elif best_values:
        words = gettext_noop(
            "%(opponent)s answers %(square)s, then the best next move is worth %(best)s."
        )
    sentence = gettext(
        words,
        opponent=opponent,
        square=name_square(cell),
        mark=MARKS[query.mover],
        best=format_signed(best_values[0]) if best_values else "",
    )
    return capitalize_first_letter(sentence)


def _name_opponent(query: ValueQuery) -> str:
    if query.opponent == "random":
        return gettext("a random opponent")
    title = query.site.display_titles[query.opponent or query.agent_name]
    # no line break within a name
    return title.replace("-", "\N{NON-BREAKING HYPHEN}").replace(
        " ", "\N{NO-BREAK SPACE}"
    )


def _can_win_at_once(site: SiteData, position: int) -> bool:
    return not GAME.is_over(position) and bool(site.wins_at_once[position].any())


def _plot_value_curve(query: ValueQuery, move_values: MoveValues) -> tuple[str, str]:
    """Return a curve of the value over the training as SVG points, and its values as text.

    It begins at the first snapshot that knows the value. A win is at the top, a loss at the bottom.
    """
    reward_scale = query.reward_scale
    if not query.is_learned or reward_scale is None or move_values.are_beads:
        return "", ""
    history = query.agent.history
    pair = int(GAME.first_pair[query.position]) + int(
        GAME.legal[query.position, : query.cell].sum()
    )
    pairs = slice(pair, pair + 1)
    last = history.snapshot_count - 1
    learned = [
        (step, history.get_values(step, pairs)[0])
        for step in range(last + 1)
        if query.site.find_known_moves(query.value_source, step, pairs)[0]
    ]
    if not learned:
        return "", ""
    steps, values = zip(*learned, strict=True)
    scaled = scale_values(np.array(values, float), reward_scale, query.mover)
    points = [
        f"{CURVE_WIDTH * step / max(1, last):.3g},{CURVE_HEIGHT * (1 - value) / 2:.3g}"
        for step, value in zip(steps, np.clip(scaled, -1, 1), strict=True)
    ]
    return " ".join(points), ", ".join(format_signed(value) for value in scaled)


def _list_other_values(query: ValueQuery) -> list[Variables]:
    site = query.site
    names = [
        name
        for name in COMPARED_AGENTS
        if name in site.agents and name != query.value_source
    ]
    others = []
    for name in names[:3]:
        move_values = evaluate_moves(site, query.position, name)
        known = move_values.is_known[query.cell]
        others.append(
            {
                "title": site.display_titles[name],
                "value_text": move_values.value_texts[query.cell] if known else "–",
                "heat": move_values.heats[query.cell] if known else None,
            }
        )
    return others
