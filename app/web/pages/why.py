"""The page that explains a value: why it is what it is, and which update changes it next."""

import dataclasses
from collections.abc import Hashable
from functools import partial

import numpy as np
from flask import Response, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, Conflict

from app.recipes.games import DECIDING_UPDATE_KIND
from app.recipes.taught import Course
from app.reference import get_move_key, make_learner
from app.tictactoe.game import GAME
from app.tictactoe.notation import (
    MARKS,
    format_position,
    parse_record,
    replay_record,
)
from app.tictactoe.views import scale_values
from app.web.algorithms import (
    SECTIONS,
    find_algorithm_slug,
    find_explaining_algorithm,
    is_explainable,
)
from app.web.algorithms.algorithm import CHANCE_HEADING, Algorithm
from app.web.algorithms.formula import convert_to_mathml
from app.web.algorithms.sentences import (
    MIN_SHOWN_DIFFERENCE,
    describe_optimal_result,
    name_opponent,
)
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import (
    format_count,
    format_percent,
    format_signed,
    name_square,
)
from app.web.links.play import MATCH_PREVIEW_ROUTE, match_url, play_url
from app.web.links.why import WHY_ROUTE, why_url
from app.web.match import Match, MatchState, parse_match, read_cell
from app.web.move_values import choose_value_source
from app.web.navigation import PageBlueprint
from app.web.pages.parts.next_update import build_next_update
from app.web.pages.parts.square_reason import list_reason_sentences
from app.web.pages.parts.update import FIGURE_STEP_COUNT
from app.web.pages.parts.update_examples import (
    build_example,
    build_nearest_example,
    compute_blunder_effect,
    get_shown_move,
    list_recorded_updates,
)
from app.web.pictures.boards import lay_out_board
from app.web.rendering import Variables, render_page
from app.web.routes import Destination
from app.web.site_data import TASK_SUFFIX, TRUTH, get_current_site, is_policy_name
from app.web.wording import describe_task

bp = PageBlueprint("why", __name__)
bp.add_app_template_filter(convert_to_mathml, "formula")

PARAMETER_TITLES = {"alpha": "Step size α", "gamma": "Discount factor γ"}


def explain_value(query: ValueQuery) -> Variables:
    """Explain a value by sentences, numbers, and a table of the opponent's replies."""
    algorithm = find_explaining_algorithm(query)
    if query.site.is_taught_by_person(query.value_source):
        return _explain_taught_value(query, algorithm)
    reason = algorithm.compute_value_reason(query)
    count = query.update_count
    return {
        "heading": _name_move(query),
        "value_statement": _build_value_statement(query, reason),
        "sentences": [
            *algorithm.describe_reason(query, reason),
            *_describe_missing_count(query, reason),
            *_describe_task_value(query),
            *_describe_result(query, algorithm),
        ],
        "facts": _list_facts(query, reason),
        # "" for an earlier snapshot, whose updates nobody has counted
        "update_count_text": "" if count is None else format_count(count),
        "reply_heading": algorithm.reply_heading,
        # no rows if the move ends the game
        "rows": [
            _build_reply_row(query, algorithm, reason, answer)
            for answer in reason.replies
            if answer.cell is not None
        ],
    }


def _name_move(query: ValueQuery) -> str:
    return f"{MARKS[query.mover]} at {name_square(query.cell)}"


def _build_best_play_fact(query: ValueQuery) -> tuple[str, str]:
    number = format_signed(query.site.optimal_q[query.position, query.cell], 0)
    return "With optimal play", f"{number}, {describe_optimal_result(query)}"


def _explain_taught_value(query: ValueQuery, algorithm: Algorithm) -> Variables:
    course = query.site.on_demand.replay_course(query.value_source, None)
    lessons = course.lessons if isinstance(course, Course) else []
    learner = make_learner(GAME, query.recipe)

    def find_entry(position: int, cell: int) -> Hashable:
        return get_move_key(learner, format_position(GAME, position), cell)

    entry = find_entry(query.position, query.cell)
    changed = list[str]()
    number = 0
    for lesson in lessons:
        number += bool(lesson.record)
        positions = replay_record(GAME, lesson.record)
        cells = parse_record(GAME, lesson.record)
        changed += [
            f"game {number}: {_format_value(query, update.old_value)} → "
            f"{_format_value(query, update.new_value)}"
            for update in lesson.updates
            if find_entry(positions[update.move_index], cells[update.move_index])
            == entry
        ]
    practised = sum(lesson.games for lesson in lessons if not lesson.record)
    sentences = []
    if changed:
        games = "; ".join(changed)
        sentences.append(f"These games with the teacher changed the value: {games}.")
    if practised:
        sentences.append(
            f"Some of the {practised} games of practice may have changed the value, too."
        )
    return {
        "heading": _name_move(query),
        "value_statement": {
            "source": "taught",
            "agent": query.site.display_titles[query.value_source],
            "move": _name_move(query),
            "value": query.move_values.spoken_values[query.cell],
            "is_known": query.is_known,
        },
        "sentences": [*sentences, *_describe_result(query, algorithm)],
        "facts": [_build_best_play_fact(query)],
        "update_count_text": format_count(query.update_count or 0),
        "rows": [],
    }


def _format_value(query: ValueQuery, value: float) -> str:
    reward_scale = query.agent.card.reward_scale
    if reward_scale is None:
        return f"{value:g}"
    return format_signed(
        scale_values(np.array([value]), reward_scale, query.mover).item()
    )


def _build_reply_row(
    query: ValueQuery, algorithm: Algorithm, reason: ValueReason, reply: Reply
) -> Variables:
    likely = (
        f"{format_percent(reply.chance)}%"
        if algorithm.reply_heading == CHANCE_HEADING
        else ""
    )
    target = reason.format_value(reply.target)
    if query.value_source == TRUTH:
        target = format_signed(reply.target, 0)
    elif reply.is_ignored:
        target = "no update"
    return {
        "cell": reply.cell or 0,
        "square_name": reply.square_name,
        # a probability, or whether the reply is possible
        "share_text": likely or ("yes" if reply.chance else "no"),
        "next_value_text": algorithm.describe_reply(query, reply),
        "target_text": target,
        "optimal_result": describe_optimal_result(query, reply),
    }


def _build_value_statement(query: ValueQuery, reason: ValueReason) -> Variables:
    """Return the parts of the sentence in why/_value.html, which states the value."""
    if query.value_source == TRUTH:
        return {
            "source": "optimal",
            "move": _name_move(query),
            "value": format_signed(query.value, 0),
            "is_known": True,
            "context": describe_optimal_result(query),
        }
    statement = {
        "source": "learned",
        "agent": query.site.display_titles[query.agent_name],
        "move": _name_move(query),
        "value": reason.format_value(reason.value),
        "is_known": query.is_known,
    }
    if query.task and not query.is_learned:
        task = describe_task(query.site, query.task)
        return statement | {"source": "task", "is_known": True, "context": task}
    if query.snapshot is None:
        return statement
    updates = query.agent.card.figures.snapshot_updates[query.snapshot]
    return statement | {"source": "snapshot", "context": format_count(updates)}


def _describe_missing_count(query: ValueQuery, reason: ValueReason) -> list[str]:
    if (
        query.snapshot is None
        or not query.is_known
        or abs(reason.value_minus_target) < MIN_SHOWN_DIFFERENCE
    ):
        return []
    return ["The number of updates of this value until then is not recorded."]


def _describe_task_value(query: ValueQuery) -> list[str]:
    if not query.task or not query.is_learned or query.exact_task_value is None:
        return []
    task = describe_task(query.site, query.task)
    exact = query.exact_task_value
    agrees = query.is_known and abs(query.value - exact) < MIN_SHOWN_DIFFERENCE
    addition = ", as the agent learned" if agrees else ""
    return [
        f"The agent trained {task}. In these games the move is worth exactly "
        f"{format_signed(exact)}{addition}."
    ]


def _describe_result(query: ValueQuery, algorithm: Algorithm) -> list[str]:
    if query.value_source == TRUTH:
        return []
    result = f"With optimal play the move leads to a {describe_optimal_result(query)}"
    if (
        query.site.is_taught_by_person(query.value_source)
        or GAME.is_over(query.next_position)
        or algorithm.reply_heading != CHANCE_HEADING
    ):
        return [f"{result}."]
    possible = query.reply_chances > 0
    best = -query.site.optimal_q[query.position, query.cell]
    missing = possible & (query.site.optimal_q[query.next_position] != best)
    if not missing.any():
        return [f"{result}."]
    whose = "its own" if query.opponent is None else f"{name_opponent(query)}’s"
    are = "is a blunder" if missing.sum() == 1 else "are blunders"
    answers = f"{missing.sum()} of {whose} {possible.sum()} possible answers {are}"
    if possible.sum() == 1:
        answers = f"{whose} answer is a blunder"
    return [f"{result}, but {answers}."]


def _list_facts(query: ValueQuery, reason: ValueReason) -> list[tuple[str, str]]:
    best_play = _build_best_play_fact(query)
    if query.value_source == TRUTH:
        return [best_play]
    facts = [best_play]
    view = query.move_values
    if (
        not view.are_beads
        and abs(view.scaled_values[query.cell] - query.value) >= MIN_SHOWN_DIFFERENCE
    ):
        facts.insert(
            0,
            (
                "On the board, from a loss at −1 to a win at +1",
                view.value_texts[query.cell],
            ),
        )
    if query.is_learned and query.exact_task_value is not None:
        facts.append(
            (
                "Exact value against its training opponent",
                format_signed(query.exact_task_value),
            )
        )
    if query.is_learned and reason.has_target:
        target = reason.target_prefix + reason.format_value(reason.target)
        is_average = len({reply.target for reply in reason.possible_replies}) > 1
        label = "Average target" if is_average else "Target"
        facts.append((f"{label} of the next update", target))
    return facts + _list_parameters(query)


def _list_parameters(query: ValueQuery) -> list[tuple[str, str]]:
    titles = PARAMETER_TITLES
    if not query.is_learned:
        titles = {"gamma": PARAMETER_TITLES["gamma"]}
    return [
        (title, f"{getattr(query.recipe, key):g}")
        for key, title in titles.items()
        if getattr(query.recipe, key, None) is not None
    ]


@bp.get(WHY_ROUTE.without_variables)
@bp.get(WHY_ROUTE)
def show_why(record: str = "") -> Response:
    state = parse_match(record, request.args, get_current_site())
    query = parse_value_query(state, request.args.get("cell", ""))
    return render_page(
        "why/why.html",
        fragment=("explanation",),
        **describe_explanation(state, query),
        **describe_update(state.match, query, request.args.get("answer", "")),
    )


def describe_explanation(state: MatchState, query: ValueQuery) -> Variables:
    match, explanation = state.match, explain_value(query)
    values = query.evaluate(query.position, match.in_source_units)
    return {
        "explanation": explanation,
        "value_source_title": query.site.display_titles[query.value_source],
        "reason_sentences": list_reason_sentences(query, is_result_shown=False),
        "algorithm_slug": find_algorithm_slug(query),
        "formula": SECTIONS[find_algorithm_slug(query)].formula,
        "board": lay_out_board(
            state,
            values,
            partial(why_url, match),
            "why-board",
            "The position",
            query.cell,
        ),
        "next_position_urls": {
            row["cell"]: _build_reply_url(match, query.cell, row["cell"])
            for row in explanation["rows"]
        },
        "other_sources": _list_other_sources(match, query),
        "page_url": why_url(match, query.cell),
        "match_url": play_url(match),
        "preview_url": match_url(
            MATCH_PREVIEW_ROUTE, replace(match, value_source=query.value_source)
        ),
    }


def describe_update(match: Match, query: ValueQuery, case: str) -> Variables:
    """Return what the template shows of the next update, or of a recorded one.

    `case` is the name of a recorded update, a reply or a result. Raises BadRequest if there is no
    such case.
    """
    site, agent = query.site, query.value_source
    recorded = list_recorded_updates(query)
    kind = case.partition("-")[0]
    shows_recorded = kind in [example.kind for example in recorded]

    def build_url(answer: str = "", update: str = "", stage: int = 0) -> str:
        return why_url(match, query.cell, answer or update)

    next_update = example = None
    try:
        if shows_recorded:
            example = build_example(site, recorded, case, FIGURE_STEP_COUNT, build_url)
        else:
            next_update = build_next_update(query, case, build_url)
    except ValueError as error:
        raise BadRequest(str(error)) from None
    chosen = next((each for each in recorded if each.kind == case), None)
    shown_kind = kind if shows_recorded else ""
    return {
        "chosen_case": case,
        "next_update": next_update,
        "shows_recorded_update": shows_recorded,
        "example": example or (None if next_update else build_nearest_example(query)),
        "recorded_links": [
            Destination(
                one,
                build_url(one),
                id=f"why-{one or 'next'}",
                is_current=one == shown_kind,
            )
            for one in ["", *(each.kind for each in recorded)]
        ]
        if recorded
        else [],
        "blunder_effect": compute_blunder_effect(chosen)
        if chosen and case == DECIDING_UPDATE_KIND
        else None,
        "is_on_symmetric_board": chosen is not None
        and get_shown_move(chosen).board != format_position(GAME, query.position),
        "is_blunder_unrecorded": not recorded and _is_played_blunder(query),
        # The blunders of other agents are not recorded.
        "recorded_blunder_count": len(site.blunder_examples.get(agent, {}))
        if agent in site.shipped_agents
        else None,
    }


def _is_played_blunder(query: ValueQuery) -> bool:
    if not query.is_learned or query.snapshot is not None:
        return False
    view = query.move_values
    return bool(view.is_blunder[query.cell] and view.policy[query.cell] == 1)


def parse_value_query(state: MatchState, cell_text: str) -> ValueQuery:
    """Return the value to explain: of a move to `cell_text` or, if that is "", of the best move.

    Raises BadRequest or Conflict if no value of this move can be explained.
    """
    match = state.match
    if state.is_over:
        raise Conflict(
            f"The game is over after {len(match.shown_record)} moves: no move has a value."
        )
    value_source = choose_value_source(
        match, state.site, int(GAME.to_move[state.position])
    )
    if is_policy_name(value_source):
        raise BadRequest("Only values can be explained: of these moves none are known.")
    if not is_explainable(state.site, value_source, match.snapshot):
        raise BadRequest(
            "Only the values as shipped can be explained, not those of a step: the opponent "
            "changed during this training, and which one it had by then is not recorded."
        )
    if not cell_text:
        query = ValueQuery(state.site, value_source, state.position, 0, match.snapshot)
        return dataclasses.replace(query, cell=query.move_values.likeliest_cells[0])
    cell = read_cell("cell", cell_text)
    if not GAME.legal[state.position, cell]:
        raise Conflict(f"The {name_square(cell)} square is taken: no move has a value.")
    return ValueQuery(state.site, value_source, state.position, cell, match.snapshot)


def _list_other_sources(match: Match, query: ValueQuery) -> list[tuple[str, str, str]]:
    task = query.agent_name + TASK_SUFFIX
    names = {
        "why-truth": (TRUTH, "with optimal play"),
        "why-task": (task, "against the agent’s training opponent"),
        "why-agent": (
            query.agent_name,
            f"by {query.site.display_titles[query.agent_name]}",
        ),
    }
    return [
        (
            id,
            name,
            why_url(
                replace(
                    match,
                    value_source=value_source,
                    snapshot=None,
                    plays_training=False,
                ),
                query.cell,
            ),
        )
        for id, (value_source, name) in names.items()
        if value_source != query.value_source
        and query.site.is_value_source(value_source)
    ]


def _build_reply_url(match: Match, cell: int, reply_cell: int) -> str:
    played = match.follow_move(cell).follow_move(reply_cell)
    return play_url(replace(played, is_paused=match.is_paused or match.is_watched))
