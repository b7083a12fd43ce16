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
from app.web.algorithms import SECTIONS, explainable, rule_of, section_of
from app.web.algorithms.algorithm import CHANCE, UpdateRule
from app.web.algorithms.formula import Formula, block
from app.web.algorithms.sentences import NEAR, name_cell, opponent, truth
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import (
    format_count,
    format_percent,
    format_signed,
    name_square_briefly,
)
from app.web.match import Match, MatchState, parse_match, read_cell
from app.web.move_values import choose_lens, evaluate_moves
from app.web.pages.parts.next_update import NextUpdate, draw_next_update
from app.web.pages.parts.update import STEPS, UpdateLink
from app.web.pages.parts.update_examples import (
    ExamplePicture,
    MistakeEffect,
    describe_mistake,
    draw_example,
    draw_nearest_example,
    find_recorded,
)
from app.web.pictures.boards import Board, lay_out_board
from app.web.rendering import Page, render_page
from app.web.site_data import TASK, TRUTH, current_site, is_moves
from app.web.wording import describe_task

bp = Blueprint("why", __name__)
bp.add_app_template_filter(block, "formula")

SYMBOLS = {"alpha": "Step size α", "gamma": "Discount factor γ"}


class AnswerRow(NamedTuple):
    """A table row for one reply of the opponent."""

    cell: int
    place: str
    share: str  # probability of the answer, or whether it counts: "yes" or "no"
    follows: str
    target: str
    truth: str


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


def explain(pair: ValueQuery) -> Explanation:
    """Return the reasons for a value."""
    rule = rule_of(pair)
    if pair.site.is_taught(pair.lens):
        return _explain_by_games(pair, rule)
    reason = rule.compute_reason(pair)
    return Explanation(
        heading=f"{MARKS[pair.mover]} at {name_cell(pair, pair.cell)}",
        statement=_state_value(pair, reason),
        sentences=[
            *rule.describe_reason(pair, reason),
            *_describe_gaps(pair, reason),
            *_describe_task_value(pair),
            *_describe_result(pair, rule),
        ],
        facts=_list_facts(pair, reason),
        updates=_format_updates(pair),
        reply_column=rule.reply_column,
        rows=[
            _build_row(pair, rule, reason, answer)
            for answer in reason.answers
            if answer.cell is not None
        ],
    )


def _explain_by_games(pair: ValueQuery, rule: UpdateRule) -> Explanation:
    """Return the explanation of a value that a person's games changed."""
    game = pair.game
    view = evaluate_moves(pair.site, pair.position, pair.lens, pair.step)
    move = f"{MARKS[pair.mover]} at {name_cell(pair, pair.cell)}"
    who = pair.site.titles[pair.lens]
    course = pair.site.lab.replay_course(pair.lens, None)
    lessons = course.lessons if isinstance(course, Course) else []
    shared = _build_sharing_key(pair)
    changed = list[str]()
    number = 0
    for lesson in lessons:
        number += bool(lesson.record)
        positions = replay_record(game, lesson.record)
        cells = parse_record(game, lesson.record)
        changed += [
            f"game {number}: {_format_value(pair, update.old)} → {_format_value(pair, update.new)}"
            for update in lesson.updates
            if shared(positions[update.ply], cells[update.ply])
            == shared(pair.position, pair.cell)
        ]
    practised = sum(lesson.games for lesson in lessons if not lesson.record)
    sentences = [
        f"These games with its teacher changed it: {'; '.join(changed)}."
    ] * bool(changed)
    sentences += [f"So did some of its {practised} games of practice, or none."] * bool(
        practised
    )
    exact = format_signed(pair.site.truth[pair.position, pair.cell], 0)
    return Explanation(
        heading=move,
        statement=ValueStatement(
            "taught", who, move, view.spoken[pair.cell], pair.known
        ),
        sentences=[*sentences, *_describe_result(pair, rule)],
        facts=[("With optimal play", f"{exact}, {truth(pair)}")],
        updates=format_count(pair.visits or 0),
    )


def _build_sharing_key(pair: ValueQuery) -> Callable[[int, int], object]:
    """Return a function from a move (position, cell) to the key of its value in the table."""
    game = pair.game
    recipe = pair.recipe
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


def _format_value(pair: ValueQuery, value: float) -> str:
    worth = pair.agent.card.worth
    if worth is None:
        return f"{value:g}"
    return format_signed(scale_values(np.array([value]), worth, pair.mover).item())


def _build_row(
    pair: ValueQuery, rule: UpdateRule, reason: ValueReason, answer: Reply
) -> AnswerRow:
    likely = f"{format_percent(answer.chance)}%" if rule.reply_column == CHANCE else ""
    return AnswerRow(
        cell=answer.cell or 0,
        place=name_cell(pair, answer.cell),
        share=likely or ("yes" if answer.chance else "no"),
        follows=rule.describe_reply(pair, answer),
        target=format_signed(answer.target, 0)
        if pair.lens == TRUTH
        else reason.format(answer.target),
        truth=truth(pair, answer),
    )


def _state_value(pair: ValueQuery, reason: ValueReason) -> ValueStatement:
    """Return the value with its source."""
    move = f"{MARKS[pair.mover]} at {name_cell(pair, pair.cell)}"
    if pair.lens == TRUTH:
        value = format_signed(pair.value, 0)
        return ValueStatement("optimal", "", move, value, True, truth(pair))
    agent = pair.site.titles[pair.learner]
    value = reason.format(reason.value)
    if pair.task and not pair.is_learned:
        task = describe_task(pair.site, pair.task)
        return ValueStatement("task", agent, move, value, True, task)
    if pair.step is None:
        return ValueStatement("learned", agent, move, value, pair.known)
    updates = format_count(pair.agent.card.figures.updates[pair.step])
    return ValueStatement("snapshot", agent, move, value, pair.known, updates)


def _describe_gaps(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return the sentence that a snapshot has no number of updates, [] if it is not needed."""
    if pair.step is None or not pair.known or abs(reason.above) < NEAR:
        return []
    return ["How often it had been updated by then is not recorded."]


def _describe_task_value(pair: ValueQuery) -> list[str]:
    """Return a sentence with the exact value in the agent's training task."""
    if not pair.task or not pair.is_learned or pair.exact_in_task is None:
        return []
    task = describe_task(pair.site, pair.task)
    exact = pair.exact_in_task
    agrees = pair.known and abs(pair.value - exact) < NEAR
    addition = ", and that is its value" if agrees else ""
    return [
        f"Its training task is {task}: there the move is worth exactly "
        f"{format_signed(exact)}{addition}."
    ]


def _describe_result(pair: ValueQuery, rule: UpdateRule) -> list[str]:
    """Return a sentence with the result of optimal play, and the answers that miss it."""
    if pair.lens == TRUTH:
        return []
    result = f"With optimal play by both it is a {truth(pair)}"
    if (
        pair.site.is_taught(pair.lens)
        or pair.game.is_over(pair.after)
        or rule.reply_column != CHANCE
    ):
        return [f"{result}."]
    possible = pair.answer_chances > 0
    missing = possible & (
        pair.site.truth[pair.after] != -pair.site.truth[pair.position, pair.cell]
    )
    if not missing.any():
        return [f"{result}."]
    return [
        f"{result}; {opponent(pair)} misses that in {missing.sum()} of {possible.sum()} answers."
    ]


def _format_updates(pair: ValueQuery) -> str:
    """Return the number of updates of a value, "" if it is not recorded."""
    return "" if pair.visits is None else format_count(pair.visits)


def _list_facts(pair: ValueQuery, reason: ValueReason) -> list[tuple[str, str]]:
    """Return the labelled numbers of a value."""
    exact = format_signed(pair.site.truth[pair.position, pair.cell], 0)
    best_play = ("With optimal play", f"{exact}, {truth(pair)}")
    if pair.lens == TRUTH:
        return [best_play]
    facts = [best_play]
    view = evaluate_moves(pair.site, pair.position, pair.lens, pair.step)
    if not view.beads and abs(view.scaled[pair.cell] - pair.value) >= NEAR:
        facts.insert(
            0, ("On the board, from a loss at −1 to a win at +1", view.texts[pair.cell])
        )
    if pair.is_learned and pair.exact_in_task is not None:
        facts.append(
            ("Exactly in its training task", format_signed(pair.exact_in_task))
        )
    if pair.is_learned and reason.has_target:
        target = reason.hedge + reason.format(reason.target)
        facts.append(("Target of the next update", target))
    names = SYMBOLS if pair.is_learned else {"gamma": SYMBOLS["gamma"]}
    parameters = [
        (name, getattr(pair.recipe, key, None)) for key, name in names.items()
    ]
    return facts + [
        (name, f"{number:g}") for name, number in parameters if number is not None
    ]


class WhyPage(Page, frozen=True):
    """The page that explains a value."""

    template: ClassVar = "why/why.html"
    fragment: ClassVar = ("explanation",)

    state: MatchState
    pair: ValueQuery  # the move with the explained value
    answer: str = ""  # the answer, or the result of the game, in the next update

    @cached_property
    def next_update(self) -> NextUpdate | None:
        """The next update of the value, None if the table alone does not determine it.

        Raises BadRequest with a sentence if the answer is impossible.
        """
        if self.is_recorded:
            return None
        try:
            return draw_next_update(self.pair, self.answer, self._link_update)
        except ValueError as error:
            raise BadRequest(str(error)) from None

    @cached_property
    def _recorded(self) -> list[UpdateExample]:
        """The updates that made a blunder of the agent, [] for other moves."""
        return find_recorded(self.pair)

    @property
    def is_recorded(self) -> bool:
        """Whether the picture shows a recorded update and not the next one."""
        kinds = [example.kind for example in self._recorded]
        return self.answer.partition("-")[0] in kinds

    @property
    def recorded_links(self) -> list[UpdateLink]:
        """The links to the next update and to the recorded updates, [] if none is recorded."""
        if not self._recorded:
            return []
        kind = self.answer.partition("-")[0] if self.is_recorded else ""
        kinds = ["", *(example.kind for example in self._recorded)]
        return [
            UpdateLink(f"why-{one or 'next'}", one, self._link_update(one), one == kind)
            for one in kinds
        ]

    @property
    def made_mistake(self) -> MistakeEffect | None:
        """What the update that made the blunder did, None for other updates."""
        for example in self._recorded:
            if example.kind == self.answer == "mistake":
                return describe_mistake(self.pair.game, example)
        return None

    @property
    def is_symmetric(self) -> bool:
        """Whether the recorded update was made on a symmetric board."""
        board = format_position(self.pair.game, self.pair.position)
        return any(
            example.kind == self.answer
            and example.turns[example.changes[example.shown].turn].board != board
            for example in self._recorded
        )

    def _link_update(self, answer: str = "", update: str = "", stage: int = 0) -> str:
        """Return the URL of this page with another case, or with a recorded update."""
        return urls.why(self.state.match, self.pair.cell, answer or update)

    @cached_property
    def example(self) -> ExamplePicture | None:
        """A recorded update, or one of the algorithm for a value without a next update.

        Raises BadRequest with a sentence if there is no such update.
        """
        if self.is_recorded:
            try:
                return draw_example(
                    self.pair.site,
                    self._recorded,
                    self.answer,
                    STEPS,
                    self._link_update,
                )
            except ValueError as error:
                raise BadRequest(str(error)) from None
        if self.next_update:
            return None
        return draw_nearest_example(self.pair)

    @cached_property
    def why(self) -> Explanation:
        """The explanation."""
        return explain(self.pair)

    @property
    def lens(self) -> str:
        """The name of the value source."""
        return self.pair.site.titles[self.pair.lens]

    @property
    def board(self) -> Board:
        """The position, where each empty square links to the explanation of its value."""
        pair = self.pair
        match = self.state.match
        values = evaluate_moves(
            pair.site, pair.position, pair.lens, pair.step, match.own
        )
        link = partial(urls.why, match)
        return lay_out_board(
            self.state, values, link, "why-board", "The position", pair.cell
        )

    @property
    def after(self) -> dict[int, str]:
        """The URL of the position after each answer, by cell."""
        match = self.state.match
        cell = self.pair.cell
        return {
            row.cell: _build_reply_url(match, cell, row.cell) for row in self.why.rows
        }

    @property
    def algorithm(self) -> str:
        """The section of /how about the algorithm."""
        return section_of(self.pair)

    @property
    def formula(self) -> Formula:
        """The formula of the update rule."""
        return SECTIONS[self.algorithm].formula

    @property
    def here(self) -> str:
        """The URL of this page."""
        return urls.why(self.state.match, self.pair.cell)

    @property
    def preview(self) -> str:
        """The URL of the preview picture."""
        return urls.MATCH_PREVIEW.url_for_match(
            replace(self.state.match, lens=self.pair.lens)
        )

    @property
    def back(self) -> str:
        """The URL of the match."""
        return urls.play(self.state.match)

    @property
    def others(self) -> list[tuple[str, str, str]]:
        """The other value sources for this move: id, name and URL."""
        return _list_other_sources(self.state.match, self.pair)


@bp.get(urls.WHY.url(""))
@bp.get(urls.WHY)
def why(record: str = "") -> Response:
    """Explain the value of a move in the position shown, by default of the best move."""
    state = parse_match(record, request.args, current_site())
    pair = parse_pair(state, request.args.get("cell", ""))
    return render_page(WhyPage(state, pair, request.args.get("answer", "")))


def parse_pair(state: MatchState, text: str) -> ValueQuery:
    """Return the move to explain: at the cell in the query, or the best move of the source.

    Raises BadRequest or Conflict with a sentence that names the fault.
    """
    match = state.match
    game = state.site.game
    if state.over:
        raise Conflict(
            f"The game is over after {len(match.shown)} moves: no move has a value."
        )
    lens = choose_lens(match, state.site, int(game.to_move[state.position]))
    if is_moves(lens):
        raise BadRequest("Only values can be explained: of these moves none are known.")
    if not explainable(state.site, lens, match.step):
        raise BadRequest(
            "Only the values as shipped can be explained, not those of a step: the opponent "
            "changed during this training, and which one it had by then is not recorded."
        )
    if not text:
        best = evaluate_moves(state.site, state.position, lens, match.step).plays[0]
        return ValueQuery(state.site, lens, state.position, best, match.step)
    cell = read_cell("cell", text, game)
    if not game.legal[state.position, cell]:
        raise Conflict(
            f"The {name_square_briefly(game, cell)} square is taken: no move has a value."
        )
    return ValueQuery(state.site, lens, state.position, cell, match.step)


def _list_other_sources(match: Match, pair: ValueQuery) -> list[tuple[str, str, str]]:
    """Return the other value sources for a move: optimal play, the training task, the agent."""
    task = pair.learner + TASK
    names = {
        "why-truth": (TRUTH, "optimal play"),
        "why-task": (task, "its training task"),
        "why-agent": (pair.learner, pair.site.titles[pair.learner]),
    }
    return [
        (
            id,
            name,
            urls.why(replace(match, lens=lens, step=None, train=False), pair.cell),
        )
        for id, (lens, name) in names.items()
        if lens != pair.lens and pair.site.is_lens(lens)
    ]


def _build_reply_url(match: Match, cell: int, answer: int) -> str:
    """Return the URL of the position after the move and an answer, without automatic moves."""
    played = match.play(cell).play(answer)
    return urls.play(replace(played, pause=match.pause or match.watched))
