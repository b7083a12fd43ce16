"""Sentences that explain a value, shared by several algorithms.

The site does not record past updates.  But the average of a value's past targets can be computed
from the value and the number of its updates.
"""

from collections.abc import Sequence
from itertools import chain

from app.tictactoe.game import GAME
from app.tictactoe.notation import MARKS
from app.web.algorithms.formula import format_unsigned
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import format_percent, format_signed, name_square
from app.web.move_values import describe_best_play, spell_outcome
from app.web.site_data import TRUTH
from app.web.translation import gettext, gettext_noop, localize_number, ngettext

OUTCOME_VERBS = {
    -1: gettext_noop("lost"),
    0: gettext_noop("drawn"),
    1: gettext_noop("won"),
}
# Smaller differences do not change the second decimal.
MIN_SHOWN_DIFFERENCE = 0.005
# Values are stored as float32, which has such rounding errors.
ROUNDING_TOLERANCE = 1e-5
BEST_NEXT_PHRASE = gettext_noop("the best next move is worth")
REPLY_CHANCE_PHRASE = gettext_noop("one random move of the opponent")
NEXT_MOVE_CHANCE_PHRASE = (
    "one random move of the opponent and one next move of the learner"
)
EXPLORING_NEXT_PHRASE = gettext_noop("the next move, random moves included, is worth")


def name_opponent(query: ValueQuery) -> str:
    """Return the opponent as the subject of a sentence, such as "Random" or "The agent itself"."""
    if query.opponent is None:
        return f"The agent itself{', where it does not explore,' * query.opponent_explores}"
    return query.site.display_titles[query.opponent]


def describe_optimal_result(query: ValueQuery, reply: Reply | None = None) -> str:
    """Return the result with optimal play after the move, or after a reply to it."""
    if reply is None:
        return spell_outcome(query.site, query.position, query.cell)
    return (
        describe_best_play(query.site, reply.position)
        if reply.outcome is None
        else OUTCOME_VERBS[reply.outcome]
    )


def describe_next_state(query: ValueQuery, reply: Reply) -> str:
    if reply.next_value is None:
        return f"the game is {OUTCOME_VERBS[reply.outcome or 0]}"
    best = query.evaluate(reply.position).likeliest_cells[0]
    if query.epsilon:
        return f"{name_square(best)} is likeliest: {format_signed(reply.next_value)} on average"
    return f"{name_square(best)} is best: {format_signed(reply.next_value)}"


def describe_reply_value(query: ValueQuery, reply: Reply) -> str:
    """Return the value of a reply for the opponent, such as "value +0.42 for O"."""
    decimals = 0 if query.value_source == TRUTH else 2
    return f"value {format_signed(reply.next_value or 0.0, decimals)} for {MARKS[-query.mover]}"


def describe_best_reply(query: ValueQuery, best_reply: Reply) -> str:
    """Describe the opponent's best reply and its value, for use after "the"."""
    mark, other = MARKS[query.mover], MARKS[-query.mover]
    return (
        f"best next move of {other} is {best_reply.square_name}, "
        f"with the value {format_signed(best_reply.next_value or 0.0)} for {other}; "
        f"what is good for {other} is bad for {mark}."
    )


def describe_target(
    query: ValueQuery, reason: ValueReason, next_value_phrase: str = ""
) -> str:
    """Say which replies the opponent has, and what the target is on average.

    `next_value_phrase` stands before the next values, such as "the best next move is worth".
    """
    given = reason.possible_replies
    if given[0].cell is None:
        return describe_final_target(query, reason)
    value = reason.target_prefix + reason.format_value(reason.target)
    if len(given) == 1:
        found = format_signed(given[0].next_value or 0.0)
        named = next_value_phrase and given[0].next_value is not None
        then = (
            f"{next_value_phrase} {found}"
            if named
            else describe_next_state(query, given[0])
        )
        makes = "The target is" if query.is_learned else "So the value is"
        reply = f"{name_opponent(query)} answers {given[0].square_name}"
        joined = "and" if given[0].next_value is None else "and then"
        return f"{reply}, {joined} {then}. {makes} {value}."
    several = gettext(
        "%(opponent)s has %(number)s equally likely moves: %(consequences)s.",
        opponent=name_opponent(query),
        number=len(given),
        consequences=", ".join(
            _describe_consequences(
                given,
                gettext(
                    next_value_phrase
                    or (EXPLORING_NEXT_PHRASE if query.epsilon else BEST_NEXT_PHRASE)
                ),
            )
        ),
    )
    if query.is_learned:
        average = gettext("The average target is %(value)s.", value=value)
    else:
        average = gettext("The average is %(value)s.", value=value)
    return f"{several} {average}"


def _describe_consequences(
    possible_replies: list[Reply], next_value_phrase: str
) -> list[str]:
    def format_after(number: int) -> str:
        return (
            gettext("after each of them")
            if number == len(possible_replies)
            else gettext("after %(number)s of them", number=number)
        )

    counts = {
        word: sum(reply.outcome == end for reply in possible_replies)
        for end, word in OUTCOME_VERBS.items()
    }
    sentences = [
        gettext(
            "%(after)s the game is %(ended)s",
            after=format_after(number),
            ended=gettext(word),
        )
        for word, number in counts.items()
        if number
    ]
    if found := [
        reply.next_value for reply in possible_replies if reply.next_value is not None
    ]:
        span = format_signed(min(found))
        if span != (most := format_signed(max(found))):
            span = gettext("%(least)s to %(most)s", least=span, most=most)
        sentences.append(f"{format_after(len(found))} {next_value_phrase} {span}")
    return sentences


def describe_final_target(query: ValueQuery, reason: ValueReason) -> str:
    ended = reason.possible_replies[0]
    # A network also has values of moves that were never played in training.
    met = query.is_known and query.update_count != 0
    draws = (
        "every update moves the value towards"
        if met
        else "an update would move the value towards"
    )
    how = f"The game is {OUTCOME_VERBS[ended.outcome or 0]} by this move"
    return f"{how}: {draws} the reward, {reason.format_value(ended.reward)}."


def describe_distance(reason: ValueReason) -> list[str]:
    """Say how far a value is from its target; [] if pages do not show this."""
    if not (reason.shows_distance and reason.has_target):
        return []
    if abs(reason.value_minus_target) < 1e-6:
        return [gettext("The value of the move is equal to its target.")]
    if not round(reason.value_minus_target, reason.decimals[1]):
        least = localize_number(f"{10.0 ** -reason.decimals[1]:g}")
        return [
            gettext(
                (
                    "The value of the move differs from its target by less than "
                    "%(least)s."
                ),
                least=least,
            )
        ]
    apart = format_unsigned(abs(reason.value_minus_target), reason.decimals[1])
    if reason.value_minus_target > 0:
        return [
            gettext("The value of the move is %(apart)s above its target.", apart=apart)
        ]
    return [
        gettext("The value of the move is %(apart)s below its target.", apart=apart)
    ]


def describe_past_targets(
    query: ValueQuery, reason: ValueReason, initial_value: float
) -> list[str]:
    """Say what the average target was so far, if the step size alpha was constant.

    After n updates the initial value has the weight (1 - alpha)^n. The rest of the value is the
    exponential moving average of the targets. So this average can be computed from the value.
    """
    if not query.is_known or not reason.has_target or query.update_count is None:
        return []
    alpha, update_count = query.recipe.alpha, query.update_count
    initial_weight = (1 - alpha) ** update_count
    sentences = []
    if initial_weight * abs(initial_value - reason.target) >= MIN_SHOWN_DIFFERENCE:
        sentences.append(
            ngettext(
                "After one update the initial value, %(initial)s, still has a weight of "
                "%(share)s%%.",
                "After %(count)s updates the initial value, %(initial)s, still has a "
                "weight of %(share)s%%.",
                update_count,
                initial=format_signed(initial_value),
                share=format_percent(initial_weight, 0),
            )
        )
    if initial_weight == 1:
        return sentences
    average_target = (query.value - initial_weight * initial_value) / (
        1 - initial_weight
    )
    if (1 - initial_weight) * abs(
        average_target - reason.target
    ) < MIN_SHOWN_DIFFERENCE:
        return sentences
    so_far = ngettext(
        "The only target of this value was %(value)s",
        "The exponential moving average of all targets so far is %(value)s",
        update_count,
        value=format_signed(average_target),
    )
    possible = [reply.possible_targets for reply in reason.possible_replies]
    chance_phrase = (
        NEXT_MOVE_CHANCE_PHRASE
        if any(len(targets) > 1 for targets in possible)
        else REPLY_CHANCE_PHRASE
    )
    cause = _explain_past_targets(
        query, [*chain(*possible)], gettext(chance_phrase), average_target, update_count
    )
    return [*sentences, f"{so_far}: {cause}"]


def _explain_past_targets(
    query: ValueQuery,
    targets: Sequence[float],
    chance_phrase: str,
    average_target: float,
    update_count: int,
) -> str:
    alpha = query.recipe.alpha
    slack = ROUNDING_TOLERANCE / (1 - (1 - alpha) ** update_count)
    if min(targets) - slack <= average_target <= max(targets) + slack:
        last = min(update_count, max(1, round(1 / alpha)))
        if update_count == 1:
            return gettext("it came from %(by)s.", by=chance_phrase)
        if last == update_count:
            return gettext("each came from %(by)s.", by=chance_phrase)
        return gettext(
            "each came from %(by)s, and with a step size of %(alpha)s the last %(last)s "
            "make up %(share)s%% of the value.",
            by=chance_phrase,
            alpha=localize_number(f"{alpha:g}"),
            last=last,
            share=f"{100 * (1 - (1 - alpha) ** last):.0f}",
        )
    if average_target > max(targets):
        distance = gettext("more than every target that is possible now.")
    else:
        distance = gettext("less than every target that is possible now.")
    return f"{distance} {describe_later_changes(query)}"


def describe_later_changes(query: ValueQuery) -> str:
    if query.opponent is None or len(query.recipe.phases) > 1:
        return gettext(
            "Since then the opponent's moves or the values of the next moves have changed."
        )
    return gettext("Since then the values of the next moves have changed.")


def describe_backward_updates(reason: ValueReason) -> list[str]:
    """Say that updates go backward over a game; [] if the target uses no next value."""
    if not reason.bootstraps:
        return []
    return [
        "The updates go backward over each game, so the next move was updated just before."
    ]


def describe_exploration(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Say that random moves count in the next value; [] if they do not."""
    if not query.epsilon or not reason.bootstraps:
        return []
    share = format_percent(query.epsilon, 0)
    return [
        f"The next value counts exploration, too: {share}% of the next moves are random."
    ]


def describe_shared_boards(query: ValueQuery) -> list[str]:
    """Say how many symmetric boards share the value; [] if none does."""
    classes = GAME.symmetry_class
    shared = int((classes == classes[query.next_position]).sum())
    if shared == 1:
        return []
    return [
        f"{shared} symmetric boards share this value: the board after the move is one of them."
    ]
