"""The explanation of a value, for its page and for plain text."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from flask import Blueprint, Response, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, Conflict

from app.recipes.algorithms import Menace, QTable
from app.recipes.games import UpdateExample
from app.recipes.taught import Course
from app.tictactoe.notation import (
    MARKS,
    format_position,
    parse_record,
    replay_record,
)
from app.tictactoe.views import scale_values
from app.web import urls
from app.web.algorithms import SECTIONS, find_rule, find_section, is_explainable
from app.web.algorithms.algorithm import CHANCE, UpdateRule
from app.web.algorithms.formula import Formula, draw_block
from app.web.algorithms.sentences import NEAR, describe_result, name_cell, name_opponent
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import (
    format_count,
    format_percent,
    format_short_square_name,
    format_signed,
)
from app.web.match import Match, MatchState, parse_match, read_cell
from app.web.move_values import choose_value_source, evaluate_moves
from app.web.pages.parts.next_update import NextUpdate, draw_next_update
from app.web.pages.parts.update import STEP_COUNT, UpdateLink
from app.web.pages.parts.update_examples import (
    ExamplePicture,
    MistakeEffect,
    describe_mistake,
    draw_example,
    draw_nearest_example,
    list_recorded_updates,
)
from app.web.pictures.boards import BoardPicture, lay_out_board
from app.web.rendering import Page, render_page
from app.web.site_data import TASK_SUFFIX, TRUTH, current_site, is_policy_name
from app.web.wording import describe_task

bp = Blueprint("why", __name__)
bp.add_app_template_filter(draw_block, "formula")

PARAMETER_TITLES = {"alpha": "Step size α", "gamma": "Discount factor γ"}


class AnswerRow(NamedTuple):
    """A table row for one reply of the opponent."""

    cell: int
    square_name: str
    share_text: str  # probability of the answer, or whether it counts: "yes" or "no"
    next_value_text: str
    target_text: str
    optimal_result: str


class ValueStatement(NamedTuple):
    """A value, for the sentence that states it: the template why/_value.html."""

    # optimal play, a training task, a snapshot, a finished training, or games of a person
    source: Literal["optimal", "task", "snapshot", "learned", "taught"]
    agent: str  # title of the agent
    move: str  # "X at top left"
    value: str
    is_known: bool
    # the result with optimal play, the training task, or the updates before the snapshot
    context: str = ""


class Explanation(NamedTuple):
    """The reasons for a value."""

    heading: str
    statement: ValueStatement
    sentences: list[str]
    facts: list[tuple[str, str]]
    updates: str  # number of updates of the value, "" if it is not recorded
    reply_column: str = ""  # heading of the column with the chance of each reply
    rows: Sequence[AnswerRow] = ()  # empty if the move ends the game


def explain(query: ValueQuery) -> Explanation:
    """Return the reasons for a value."""
    rule = find_rule(query)
    if query.site.is_taught(query.lens):
        return _explain_by_games(query, rule)
    reason = rule.compute_reason(query)
    return Explanation(
        heading=_name_move(query),
        statement=_state_value(query, reason),
        sentences=[
            *rule.describe_reason(query, reason),
            *_describe_gaps(query, reason),
            *_describe_task_value(query),
            *_describe_result(query, rule),
        ],
        facts=_list_facts(query, reason),
        updates=_format_updates(query),
        reply_column=rule.reply_column,
        rows=[
            _build_row(query, rule, reason, answer)
            for answer in reason.answers
            if answer.cell is not None
        ],
    )


def _name_move(query: ValueQuery) -> str:
    return f"{MARKS[query.mover]} at {name_cell(query, query.cell)}"


def _build_best_play_fact(query: ValueQuery) -> tuple[str, str]:
    """Return the result of a move with optimal play, as a number and in words, with its label."""
    number = format_signed(query.site.optimal_q[query.position, query.cell], 0)
    return "With optimal play", f"{number}, {describe_result(query)}"


def _explain_by_games(query: ValueQuery, rule: UpdateRule) -> Explanation:
    """Return the explanation of a value that a person's games changed."""
    game = query.game
    view = evaluate_moves(query.site, query.position, query.lens, query.step)
    move = _name_move(query)
    who = query.site.display_titles[query.lens]
    course = query.site.lab.replay_course(query.lens, None)
    lessons = course.lessons if isinstance(course, Course) else []
    shared = _build_sharing_key(query)
    changed = list[str]()
    number = 0
    for lesson in lessons:
        number += bool(lesson.record)
        positions = replay_record(game, lesson.record)
        cells = parse_record(game, lesson.record)
        changed += [
            f"game {number}: {_format_value(query, update.old_value)} → "
            f"{_format_value(query, update.new_value)}"
            for update in lesson.updates
            if shared(positions[update.move_index], cells[update.move_index])
            == shared(query.position, query.cell)
        ]
    practised = sum(lesson.games for lesson in lessons if not lesson.record)
    sentences = []
    if changed:
        games = "; ".join(changed)
        sentences.append(f"These games with its teacher changed it: {games}.")
    if practised:
        sentences.append(f"So did some of its {practised} games of practice, or none.")
    return Explanation(
        heading=move,
        statement=ValueStatement(
            "taught", who, move, view.spoken_values[query.cell], query.known
        ),
        sentences=[*sentences, *_describe_result(query, rule)],
        facts=[_build_best_play_fact(query)],
        updates=format_count(query.visits or 0),
    )


def _build_sharing_key(query: ValueQuery) -> Callable[[int, int], object]:
    """Return a function from a move (position, cell) to the key of its value in the table."""
    game = query.game
    recipe = query.recipe
    if getattr(recipe, "key", "") == "afterstate" or getattr(
        recipe, "symmetric", False
    ):
        return lambda position, cell: int(
            game.symmetry_class[game.successor[position, cell]]
        )
    if isinstance(recipe, (Menace, QTable)):
        classes = game.spread_pairs(game.pair_class, -1)
        return lambda position, cell: int(classes[position, cell])
    return lambda position, cell: (position, cell)


def _format_value(query: ValueQuery, value: float) -> str:
    reward_scale = query.agent.card.reward_scale
    if reward_scale is None:
        return f"{value:g}"
    return format_signed(
        scale_values(np.array([value]), reward_scale, query.mover).item()
    )


def _build_row(
    query: ValueQuery, rule: UpdateRule, reason: ValueReason, answer: Reply
) -> AnswerRow:
    likely = f"{format_percent(answer.chance)}%" if rule.reply_column == CHANCE else ""
    return AnswerRow(
        cell=answer.cell or 0,
        square_name=name_cell(query, answer.cell),
        share_text=likely or ("yes" if answer.chance else "no"),
        next_value_text=rule.describe_reply(query, answer),
        target_text=format_signed(answer.target, 0)
        if query.lens == TRUTH
        else reason.format(answer.target),
        optimal_result=describe_result(query, answer),
    )


def _state_value(query: ValueQuery, reason: ValueReason) -> ValueStatement:
    """Return the value with its source."""
    move = _name_move(query)
    if query.lens == TRUTH:
        value = format_signed(query.value, 0)
        return ValueStatement("optimal", "", move, value, True, describe_result(query))
    agent = query.site.display_titles[query.learner]
    value = reason.format(reason.value)
    if query.task and not query.is_learned:
        task = describe_task(query.site, query.task)
        return ValueStatement("task", agent, move, value, True, task)
    if query.step is None:
        return ValueStatement("learned", agent, move, value, query.known)
    updates = format_count(query.agent.card.figures.snapshot_updates[query.step])
    return ValueStatement("snapshot", agent, move, value, query.known, updates)


def _describe_gaps(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return the sentence that a snapshot has no number of updates, [] if it is not needed."""
    if query.step is None or not query.known or abs(reason.above) < NEAR:
        return []
    return ["How often it had been updated by then is not recorded."]


def _describe_task_value(query: ValueQuery) -> list[str]:
    """Return a sentence with the exact value in the agent's training task."""
    if not query.task or not query.is_learned or query.exact_in_task is None:
        return []
    task = describe_task(query.site, query.task)
    exact = query.exact_in_task
    agrees = query.known and abs(query.value - exact) < NEAR
    addition = ", and that is its value" if agrees else ""
    return [
        f"Its training task is {task}: there the move is worth exactly "
        f"{format_signed(exact)}{addition}."
    ]


def _describe_result(query: ValueQuery, rule: UpdateRule) -> list[str]:
    """Return a sentence with the result of optimal play, and the answers that miss it."""
    if query.lens == TRUTH:
        return []
    result = f"With optimal play by both it is a {describe_result(query)}"
    if (
        query.site.is_taught(query.lens)
        or query.game.is_over(query.after)
        or rule.reply_column != CHANCE
    ):
        return [f"{result}."]
    possible = query.answer_chances > 0
    best = -query.site.optimal_q[query.position, query.cell]
    missing = possible & (query.site.optimal_q[query.after] != best)
    if not missing.any():
        return [f"{result}."]
    return [
        f"{result}; {name_opponent(query)} misses that in {missing.sum()} of {possible.sum()} answers."
    ]


def _format_updates(query: ValueQuery) -> str:
    """Return the number of updates of a value, "" if it is not recorded."""
    return "" if query.visits is None else format_count(query.visits)


def _list_facts(query: ValueQuery, reason: ValueReason) -> list[tuple[str, str]]:
    """Return the labelled numbers of a value."""
    best_play = _build_best_play_fact(query)
    if query.lens == TRUTH:
        return [best_play]
    facts = [best_play]
    view = evaluate_moves(query.site, query.position, query.lens, query.step)
    if not view.are_beads and abs(view.scaled_values[query.cell] - query.value) >= NEAR:
        facts.insert(
            0,
            (
                "On the board, from a loss at −1 to a win at +1",
                view.value_texts[query.cell],
            ),
        )
    if query.is_learned and query.exact_in_task is not None:
        facts.append(
            ("Exactly in its training task", format_signed(query.exact_in_task))
        )
    if query.is_learned and reason.has_target:
        target = reason.hedge + reason.format(reason.target)
        facts.append(("Target of the next update", target))
    return facts + _list_parameters(query)


def _list_parameters(query: ValueQuery) -> list[tuple[str, str]]:
    """Return the parameters of the recipe that the update of a value reads."""
    titles = PARAMETER_TITLES
    if not query.is_learned:
        titles = {"gamma": PARAMETER_TITLES["gamma"]}
    return [
        (title, f"{getattr(query.recipe, key):g}")
        for key, title in titles.items()
        if getattr(query.recipe, key, None) is not None
    ]


class WhyPage(Page, frozen=True):
    """The page that explains a value."""

    template: ClassVar = "why/why.html"
    fragment: ClassVar = ("explanation",)

    state: MatchState
    query: ValueQuery  # the move with the explained value
    chosen_case: str = ""  # the answer, or the result of the game, in the next update

    @cached_property
    def next_update(self) -> NextUpdate | None:
        """The next update of the value, None if the table alone does not determine it.

        Raises BadRequest with a sentence if the answer is impossible.
        """
        if self.is_recorded:
            return None
        try:
            return draw_next_update(self.query, self.chosen_case, self._link_update)
        except ValueError as error:
            raise BadRequest(str(error)) from None

    @cached_property
    def _recorded_updates(self) -> list[UpdateExample]:
        """The updates that made a blunder of the agent, [] for other moves."""
        return list_recorded_updates(self.query)

    @property
    def is_blunder_unrecorded(self) -> bool:
        """Whether the agent always plays this blunder, and no update of it is recorded."""
        query = self.query
        if not query.is_learned or query.step is not None or self._recorded_updates:
            return False
        view = evaluate_moves(query.site, query.position, query.lens)
        return bool(view.is_blunder[query.cell] and view.policy[query.cell] == 1)

    @property
    def recorded_blunders(self) -> int | None:
        """The number of recorded blunders of the agent; None if it does not come with the site."""
        site, agent = self.query.site, self.query.lens
        return (
            len(site.mistake_examples.get(agent, {}))
            if agent in site.shipped_agents
            else None
        )

    @property
    def is_recorded(self) -> bool:
        """Whether the picture shows a recorded update and not the next one."""
        kinds = [example.kind for example in self._recorded_updates]
        return self.chosen_case.partition("-")[0] in kinds

    @property
    def recorded_links(self) -> list[UpdateLink]:
        """The links to the next update and to the recorded updates, [] if none is recorded."""
        if not self._recorded_updates:
            return []
        kind = self.chosen_case.partition("-")[0] if self.is_recorded else ""
        kinds = ["", *(example.kind for example in self._recorded_updates)]
        return [
            UpdateLink(f"why-{one or 'next'}", one, self._link_update(one), one == kind)
            for one in kinds
        ]

    @property
    def mistake_effect(self) -> MistakeEffect | None:
        """What the update that made the blunder did, None for other updates."""
        for example in self._recorded_updates:
            if example.kind == self.chosen_case == "mistake":
                return describe_mistake(self.query.game, example)
        return None

    @property
    def is_symmetric(self) -> bool:
        """Whether the recorded update was made on a symmetric board."""
        board = format_position(self.query.game, self.query.position)
        return any(
            example.kind == self.chosen_case
            and example.moves[example.updates[example.shown_index].move_index].board
            != board
            for example in self._recorded_updates
        )

    def _link_update(self, answer: str = "", update: str = "", stage: int = 0) -> str:
        """Return the URL of this page with another case, or with a recorded update."""
        return urls.why(self.state.match, self.query.cell, answer or update)

    @cached_property
    def example(self) -> ExamplePicture | None:
        """A recorded update, or one of the algorithm for a value without a next update.

        Raises BadRequest with a sentence if there is no such update.
        """
        if self.is_recorded:
            try:
                return draw_example(
                    self.query.site,
                    self._recorded_updates,
                    self.chosen_case,
                    STEP_COUNT,
                    self._link_update,
                )
            except ValueError as error:
                raise BadRequest(str(error)) from None
        if self.next_update:
            return None
        return draw_nearest_example(self.query)

    @cached_property
    def explanation(self) -> Explanation:
        """The explanation."""
        return explain(self.query)

    @property
    def value_source_title(self) -> str:
        """The name of the value source."""
        return self.query.site.display_titles[self.query.lens]

    @property
    def board(self) -> BoardPicture:
        """The position, where each empty square links to the explanation of its value."""
        query = self.query
        match = self.state.match
        values = evaluate_moves(
            query.site, query.position, query.lens, query.step, match.in_source_units
        )
        link = partial(urls.why, match)
        return lay_out_board(
            self.state, values, link, "why-board", "The position", query.cell
        )

    @property
    def next_position_urls(self) -> dict[int, str]:
        """The URL of the position after each answer, by cell."""
        match = self.state.match
        cell = self.query.cell
        return {
            row.cell: _build_reply_url(match, cell, row.cell)
            for row in self.explanation.rows
        }

    @property
    def algorithm_slug(self) -> str:
        """The section of /how about the algorithm."""
        return find_section(self.query)

    @property
    def formula(self) -> Formula:
        """The formula of the update rule."""
        return SECTIONS[self.algorithm_slug].formula

    @property
    def page_url(self) -> str:
        """The URL of this page."""
        return urls.why(self.state.match, self.query.cell)

    @property
    def preview_url(self) -> str:
        """The URL of the preview picture."""
        return urls.MATCH_PREVIEW.build_match_url(
            replace(self.state.match, value_source=self.query.lens)
        )

    @property
    def match_url(self) -> str:
        """The URL of the match."""
        return urls.play(self.state.match)

    @property
    def other_sources(self) -> list[tuple[str, str, str]]:
        """The other value sources for this move: id, name and URL."""
        return _list_other_sources(self.state.match, self.query)


@bp.get(urls.WHY.url(""))
@bp.get(urls.WHY)
def show_why(record: str = "") -> Response:
    """Explain the value of a move in the position shown, by default of the best move."""
    state = parse_match(record, request.args, current_site())
    query = parse_pair(state, request.args.get("cell", ""))
    return render_page(WhyPage(state, query, request.args.get("answer", "")))


def parse_pair(state: MatchState, text: str) -> ValueQuery:
    """Return the move to explain: at the cell in the query, or the best move of the source.

    Raises BadRequest or Conflict with a sentence that names the fault.
    """
    match = state.match
    game = state.site.game
    if state.is_over:
        raise Conflict(
            f"The game is over after {len(match.shown_record)} moves: no move has a value."
        )
    value_source = choose_value_source(
        match, state.site, int(game.to_move[state.position])
    )
    if is_policy_name(value_source):
        raise BadRequest("Only values can be explained: of these moves none are known.")
    if not is_explainable(state.site, value_source, match.snapshot):
        raise BadRequest(
            "Only the values as shipped can be explained, not those of a step: the opponent "
            "changed during this training, and which one it had by then is not recorded."
        )
    if not text:
        best = evaluate_moves(
            state.site, state.position, value_source, match.snapshot
        ).likeliest_cells[0]
        return ValueQuery(
            state.site, value_source, state.position, best, match.snapshot
        )
    cell = read_cell("cell", text, game)
    if not game.legal[state.position, cell]:
        raise Conflict(
            f"The {format_short_square_name(game, cell)} square is taken: no move has a value."
        )
    return ValueQuery(state.site, value_source, state.position, cell, match.snapshot)


def _list_other_sources(match: Match, query: ValueQuery) -> list[tuple[str, str, str]]:
    """Return the other value sources for a move: optimal play, the training task, the agent."""
    task = query.learner + TASK_SUFFIX
    names = {
        "why-truth": (TRUTH, "optimal play"),
        "why-task": (task, "its training task"),
        "why-agent": (query.learner, query.site.display_titles[query.learner]),
    }
    return [
        (
            id,
            name,
            urls.why(
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
        if value_source != query.lens and query.site.is_value_source(value_source)
    ]


def _build_reply_url(match: Match, cell: int, answer: int) -> str:
    """Return the URL of the position after the move and an answer, without automatic moves."""
    played = match.follow_move(cell).follow_move(answer)
    return urls.play(replace(played, is_paused=match.is_paused or match.is_watched))
