"""Sentences on a value, shared by several algorithms.

Sentences on past updates follow from two numbers: the value and the number of its updates give
the average of its targets, and nothing else about them.
"""

from collections.abc import Sequence

from app.tictactoe.notation import MARKS
from app.web.algorithms.formula import format_number
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import format_percent, format_short_square_name, format_signed
from app.web.move_values import describe_best_play, evaluate_moves
from app.web.site_data import TRUTH
from app.web.translation import gettext, gettext_noop, localize_number, ngettext

ENDS = {-1: gettext_noop("lost"), 0: gettext_noop("drawn"), 1: gettext_noop("won")}
NEAR = 0.005  # smaller differences do not change the second decimal
SAME = 1e-5  # tolerance for the rounding of float32
BEST = gettext_noop("the best next move is worth")
BY_ANSWER = gettext_noop("one answer")
EXPLORING = gettext_noop("the next move, with those at random, is worth")


def name_cell(pair: ValueQuery, cell: int | None) -> str:
    """Return the name of a cell."""
    return format_short_square_name(pair.site.game, cell or 0)


def name_opponent(pair: ValueQuery) -> str:
    """Return the name of the opponent that replies."""
    if pair.opponent is None:
        return f"Its own play{', where it does not explore,' * pair.answers_explore}"
    return pair.site.display_titles[pair.opponent]


def describe_result(pair: ValueQuery, answer: Reply | None = None) -> str:
    """Return the result with optimal play after the move, or after an answer to it."""
    if answer is None:
        return evaluate_moves(pair.site, pair.position, TRUTH).optimal_results[
            pair.cell
        ]
    return (
        describe_best_play(pair.site, answer.position)
        if answer.outcome is None
        else ENDS[answer.outcome]
    )


def describe_best_next(pair: ValueQuery, answer: Reply) -> str:
    """Return the text on the next state after an answer: its result, or the mover's best move."""
    if answer.found is None:
        return f"the game is {ENDS[answer.outcome or 0]}"
    best = evaluate_moves(
        pair.site, answer.position, pair.lens, pair.step
    ).likeliest_cells[0]
    if get_exploration(pair):
        return (
            f"mostly {name_cell(pair, best)}, {format_signed(answer.found)} on average"
        )
    return f"best next move {name_cell(pair, best)}, {format_signed(answer.found)}"


def get_exploration(pair: ValueQuery) -> float:
    """Return the exploration rate of the training task, 0.0 if the task has no exploration."""
    return pair.task.epsilon if pair.task else 0.0


def describe_reply_value(pair: ValueQuery, answer: Reply) -> str:
    """Return the text on the value that an answer has for the opponent, who learns too."""
    decimals = 0 if pair.lens == TRUTH else 2
    return (
        f"worth {format_signed(answer.found or 0.0, decimals)} to {MARKS[-pair.mover]}"
    )


def describe_best_reply(pair: ValueQuery, best: Reply) -> str:
    """Return the text on the best answer and its value, to follow "the"."""
    mark, other = MARKS[pair.mover], MARKS[-pair.mover]
    return (
        f"best answer of {other} is {name_cell(pair, best.cell)}, "
        f"worth {format_signed(best.found or 0.0)} to {other}, "
        f"and what is good for {other} is bad for {mark}."
    )


def describe_target(pair: ValueQuery, reason: ValueReason, follows: str = "") -> str:
    """Return a sentence on the opponent's replies and the average target.

    `follows` names the next values, by default "the best next move is worth".
    """
    given = reason.given
    if given[0].cell is None:
        return describe_end(pair, reason)
    value = reason.hedge + reason.format(reason.target)
    if len(given) == 1:
        found = format_signed(given[0].found or 0.0)
        named = follows and given[0].found is not None
        then = f"{follows} {found}" if named else describe_best_next(pair, given[0])
        only = f"{name_cell(pair, given[0].cell)}: {then}"
        makes = "The target is" if pair.is_learned else "That makes"
        return f"{name_opponent(pair)} has one answer, {only}. {makes} {value}."
    several = gettext(
        "%(opponent)s has %(number)s equally likely replies: %(consequences)s.",
        opponent=name_opponent(pair),
        number=len(given),
        consequences=", ".join(
            _consequences(
                given,
                gettext(follows or (EXPLORING if get_exploration(pair) else BEST)),
            )
        ),
    )
    if pair.is_learned:
        return (
            f"{several} {gettext('The target is %(value)s on average.', value=value)}"
        )
    return f"{several} {gettext('That makes %(value)s on average.', value=value)}"


def _consequences(given: list[Reply], follows: str) -> list[str]:
    """Return texts with the numbers of replies by result, and the range of the next values."""

    def after(number: int) -> str:
        return (
            gettext("after each")
            if number == len(given)
            else gettext("after %(number)s", number=number)
        )

    counts = {
        word: sum(answer.outcome == end for answer in given)
        for end, word in ENDS.items()
    }
    sentences = [
        gettext(
            "%(after)s the game is %(ended)s", after=after(number), ended=gettext(word)
        )
        for word, number in counts.items()
        if number
    ]
    if found := [answer.found for answer in given if answer.found is not None]:
        span = format_signed(min(found))
        if span != (most := format_signed(max(found))):
            span = gettext("%(least)s to %(most)s", least=span, most=most)
        sentences.append(f"{after(len(found))} {follows} {span}")
    return sentences


def describe_end(pair: ValueQuery, reason: ValueReason) -> str:
    """Return the sentence that the move ends the game and the target is the reward."""
    ended = reason.given[0]
    # A network has a value of moves that were never played in its training.
    met = pair.known and pair.visits != 0
    draws = "every update draws it to" if met else "an update would draw it to"
    how = f"The game is {ENDS[ended.outcome or 0]} by this move"
    return f"{how}: {draws} the reward, {reason.format(ended.reward)}."


def describe_distance(reason: ValueReason) -> list[str]:
    """Return a sentence on the distance from the target, [] for an unknown value."""
    if not (reason.compared and reason.has_target):
        return []
    if abs(reason.above) < 1e-6:
        return [gettext("The value is just that.")]
    if not round(reason.above, reason.decimals_apart):
        least = localize_number(f"{10.0**-reason.decimals_apart:g}")
        return [
            gettext("The value is less than %(least)s away from that.", least=least)
        ]
    apart = format_number(abs(reason.above), reason.decimals_apart)
    if reason.above > 0:
        return [gettext("The value is %(apart)s above that.", apart=apart)]
    return [gettext("The value is %(apart)s below that.", apart=apart)]


def describe_past(
    pair: ValueQuery,
    reason: ValueReason,
    initial: float,
    targets: Sequence[float] = (),
    by: str = BY_ANSWER,
) -> list[str]:
    """Return sentences on the past updates of a value with a fixed step size alpha.

    After n updates the initial value has the weight (1 - alpha)^n; the rest is the exponential
    moving average of the targets, which can be computed from the value.  `targets` are the
    possible targets now, by default one for each reply; `by` names the chance behind a target.
    """
    if not pair.known or not reason.has_target or pair.visits is None:
        return []
    alpha, visits = pair.recipe.alpha, pair.visits
    begun = (1 - alpha) ** visits
    sentences = []
    if begun * abs(initial - reason.target) >= NEAR:
        sentences.append(
            ngettext(
                "After one update the %(initial)s that it began with still counts %(share)s%%.",
                "After %(count)s updates the %(initial)s that it began with still counts "
                "%(share)s%%.",
                visits,
                initial=format_signed(initial),
                share=format_percent(begun, 0),
            )
        )
    if begun == 1:
        return sentences
    met = (pair.value - begun * initial) / (1 - begun)
    if (1 - begun) * abs(met - reason.target) < NEAR:
        return sentences
    so_far = ngettext(
        "Its one target was %(value)s",
        "The exponential moving average of its targets is %(value)s",
        visits,
        value=format_signed(met),
    )
    targets = targets or [answer.target for answer in reason.given]
    return [*sentences, f"{so_far}: {_cause(pair, targets, gettext(by), met, visits)}"]


def _cause(
    pair: ValueQuery, targets: Sequence[float], by: str, met: float, visits: int
) -> str:
    """Return the reason for the difference between the past targets and the next target."""
    alpha = pair.recipe.alpha
    slack = SAME / (1 - (1 - alpha) ** visits)
    if min(targets) - slack <= met <= max(targets) + slack:
        last = min(visits, max(1, round(1 / alpha)))
        if visits == 1:
            return gettext("it went by %(by)s, drawn by chance.", by=by)
        if last == visits:
            return gettext(
                "each went by %(by)s, drawn by chance, and there were no more of them.",
                by=by,
            )
        return gettext(
            "each went by %(by)s, drawn by chance, and with a step size of %(alpha)s the last "
            "%(last)s make up %(share)s%% of the value.",
            by=by,
            alpha=localize_number(f"{alpha:g}"),
            last=last,
            share=f"{100 * (1 - (1 - alpha) ** last):.0f}",
        )
    if met > max(targets):
        return f"{gettext('more than any answer brings now.')} {describe_changes(pair)}"
    return f"{gettext('less than any answer brings now.')} {describe_changes(pair)}"


def describe_changes(pair: ValueQuery) -> str:
    """Return a sentence on the changes since a target that is impossible now."""
    if pair.opponent is None or len(pair.recipe.phases) > 1:
        return gettext(
            "Since then the answers have changed, or the values of the moves after them."
        )
    return gettext("Since then the values of the moves after them have changed.")


def describe_order(reason: ValueReason) -> list[str]:
    """Return the sentence that later moves are updated first, [] without a next value."""
    if not reason.bootstraps:
        return []
    return [
        "Updates go backward over each game: the next move's value has just moved itself."
    ]


def describe_exploration(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return the sentence that the next value includes random moves, [] if it does not."""
    if not get_exploration(pair) or not reason.bootstraps:
        return []
    share = format_percent(get_exploration(pair), 0)
    return [
        f"It counts the next move as it plays: {share}% of the time that is any move."
    ]


def describe_update(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the target of a value that has a fixed step size, and on its distance."""
    so_far = describe_past(pair, reason, pair.recipe.initial)
    return [
        describe_target(pair, reason),
        *describe_exploration(pair, reason),
        *describe_distance(reason),
        *so_far,
    ]


def describe_symmetries(pair: ValueQuery) -> list[str]:
    """Return a sentence with the number of symmetric boards that share the value, or []."""
    classes = pair.game.symmetry_class
    shared = int((classes == classes[pair.after]).sum())
    if shared == 1:
        return []
    return [
        f"One value serves {shared} symmetric boards: the one that the move makes is one of them."
    ]
