"""The lesson: five short steps, each with its own URL; it takes about four minutes."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from flask import Response, request
from werkzeug.exceptions import BadRequest, NotFound

from app.tictactoe.game import GAME, SEATS
from app.tictactoe.notation import DIGITS, MARKS, format_position, parse_record
from app.tictactoe.puzzles import Puzzle
from app.web.algorithms.targets import ValueQuery
from app.web.facts import build_unbeatable_proof, list_puzzles
from app.web.formatting import format_count, format_signed, name_square
from app.web.links.how import HOW_PART_ROUTE, how_url
from app.web.links.play import play_against_url
from app.web.links.why import why_url
from app.web.match import Match, get_next_snapshot, read_snapshot, replay_match
from app.web.move_values import EMPTY_NOTE, Note, evaluate_moves
from app.web.navigation import PageBlueprint
from app.web.pages.parts.attempt import (
    PuzzleAttempt,
    describe_wrong_move,
    lay_out_attempt,
    read_free_cell,
    read_puzzle_answers,
)
from app.web.pages.parts.export import export_lesson_step
from app.web.pages.parts.learning import build_agent_film, build_position_film
from app.web.pages.parts.next_update import build_next_update
from app.web.pages.parts.update import UpdateSquare
from app.web.pictures.boards import lay_out_board
from app.web.pictures.minds import plot_value_map
from app.web.rendering import Variables, get_url_in_iframe, render_page
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import gettext, gettext_noop, localize_number, mark_english
from app.web.wording import LESSON_STEPS

bp = PageBlueprint("lesson", __name__)
bp.add_menu_page(
    "Learn", "lesson", gettext_noop("Lesson"), lambda: how_url("untrained")
)

# In this game X threatens to complete a line, and this agent, trained against random moves, learns
# to block it.  It still blunders elsewhere.
LESSON_AGENT, LESSON_RECORD = "q-learning-1", "024"
# Its training begins with all games of LESSON_AGENT and goes on with games against itself.
UNBEATABLE_AGENT = "q-learning-continued"


# the template's variables, some of which each step of the lesson replaces
EMPTY_ILLUSTRATION: Mapping[str, Any] = MappingProxyType(
    {
        "facts": {},
        "film": None,
        "frame_index": 0,
        "mind_picture": None,
        "board": None,
        # one position with values learned against each of two opponents
        "boards": {},
        "attempt": None,
        "next_update": None,
        "puzzle_number": 0,
        "why_url": "",
    }
)


def build_illustration(agent_id: str, **parts: Any) -> Variables:
    return {**EMPTY_ILLUSTRATION, "agent_id": agent_id, **parts}


def choose_filmed_agent(site: SiteData) -> str:
    return LESSON_AGENT if LESSON_AGENT in site.agents else next(iter(site.agents))


# The module `how` serves the other parts below /how.
LESSON_ROUTE = HOW_PART_ROUTE.replace_rule(
    HOW_PART_ROUTE.rule.replace(
        "slug", f"any({', '.join(stop.slug for stop in LESSON_STEPS)}):slug"
    )
)


@bp.get(LESSON_ROUTE)
@bp.get(LESSON_ROUTE.for_iframe, endpoint="framed")
def show_lesson(slug: str) -> Response:
    site = get_current_site()
    number = [stop.slug for stop in LESSON_STEPS].index(slug)
    illustration = ILLUSTRATIONS[slug](site, request.args.get("step", ""))
    film = illustration["film"]
    frame_index = illustration["frame_index"]
    following = film and get_next_snapshot(frame_index, film.last_frame)
    return render_page(
        "lesson/lesson.html",
        site=site,
        step_index=number,
        lesson_steps=LESSON_STEPS,
        illustration=illustration,
        next_frame_url=get_url_in_iframe(how_url(slug, step=following)),
        final_game_url=play_against_url(UNBEATABLE_AGENT),
        export=export_lesson_step(LESSON_STEPS[number]),
    )


def _illustrate_untrained(site: SiteData, frame_text: str) -> Variables:
    name = choose_filmed_agent(site)
    state = replay_match(Match(LESSON_RECORD), site)
    right = site.is_move_correct[state.position]
    legal = GAME.legal[state.position]
    mover = int(GAME.to_move[state.position])
    answer = request.args.get("right", "")
    chosen, verdict = None, ""
    if answer:
        chosen = read_free_cell(site, state.position, "right", answer)
        verdict = (
            gettext("Right: this blocks the diagonal.")
            if right[chosen]
            else describe_wrong_move(site, state.position, chosen)
        )
    return build_illustration(
        name,
        facts={
            "chosen": chosen,
            "verdict": verdict,
            "answer_urls": {
                cell: get_url_in_iframe(how_url("untrained", right=cell))
                for cell in np.flatnonzero(legal).tolist()
            },
            "mover": MARKS[mover],
            "other": MARKS[-mover],
            "right": name_square(int(right.argmax())),
            "free": format_count(int(legal.sum())),
            "losing": format_count(int((legal & ~right).sum())),
        },
        film=build_position_film(site, name, LESSON_RECORD),
        frame_index=read_snapshot(name, frame_text, 0, site),
    )


def _illustrate_learning(site: SiteData, frame_text: str) -> Variables:
    name = choose_filmed_agent(site)
    card = site.agents[name].card
    # against random moves each move of the program is followed by an update
    moves = localize_number(f"{card.updates / max(card.games, 1):.1f}")
    snapshot = read_snapshot(name, frame_text, 0, site)
    return _illustrate_decisions(site, name, snapshot) | {"facts": {"moves": moves}}


def _illustrate_unbeatable_play(site: SiteData, frame_text: str) -> Variables:
    name = _find_unbeatable_agent(site)
    snapshot = read_snapshot(name, frame_text, site.get_last_snapshot(name), site)
    facts = {
        seat: format_count(build_unbeatable_proof(site, name, seat).reachable_count)
        for seat in SEATS
    }
    _, puzzle = find_misled_puzzle(site)
    boards = {
        "random": _list_squares(site, puzzle, puzzle.agent_id),
        "self": _list_squares(site, puzzle, name),
    }
    facts["agent"] = site.display_titles[puzzle.agent_id]
    facts["games"] = format_count(site.get_recipe(name).count_turns_against("self"))
    facts["place"] = name_square(puzzle.blunder_cell)
    facts["value"] = boards["self"][puzzle.blunder_cell].value_text
    return _illustrate_decisions(site, name, snapshot) | {
        "facts": facts,
        "boards": boards,
    }


def _list_squares(site: SiteData, puzzle: Puzzle, agent_id: str) -> list[UpdateSquare]:
    values = evaluate_moves(site, puzzle.position, agent_id)
    marks = format_position(GAME, puzzle.position).replace(".", " ")
    return [
        UpdateSquare(
            mark=mark.strip(),
            value_text=value_text,
            heat=heat if value_text else None,
            symbol_class="old" if cell == puzzle.blunder_cell else "",
        )
        for cell, (mark, value_text, heat) in enumerate(
            zip(marks, values.value_texts, values.heats, strict=True)
        )
    ]


def _illustrate_decisions(site: SiteData, agent_name: str, snapshot: int) -> Variables:
    mind = plot_value_map(site, agent_name, snapshot, has_all_frames=True)
    return build_illustration(
        agent_name,
        film=build_agent_film(site, agent_name),
        frame_index=snapshot,
        mind_picture=mind,
    )


def _illustrate_blunder(site: SiteData, _: str) -> Variables:
    number, puzzle = find_misled_puzzle(site)
    attempt = read_puzzle_answers(PuzzleAttempt(site, number), request.args)

    def build_answer_url(cell: int) -> str:
        chosen = attempt.choose_cell(cell)
        return get_url_in_iframe(
            how_url(
                "blunder",
                right=chosen.chosen_correct_cell,
                plays=chosen.chosen_agent_cell,
            )
        )

    return build_illustration(
        puzzle.agent_id,
        board=lay_out_attempt(attempt, build_answer_url),
        attempt=attempt,
        puzzle_number=number,
    )


def _illustrate_why(site: SiteData, _: str) -> Variables:
    number, puzzle = find_misled_puzzle(site)
    query = ValueQuery(site, puzzle.agent_id, puzzle.position, puzzle.blunder_cell)
    refutation = parse_record(GAME, puzzle.refutation)[1]
    match = Match(puzzle.record, o=HUMAN, value_source=puzzle.agent_id)
    notes = [EMPTY_NOTE] * GAME.cells
    notes[puzzle.blunder_cell] = Note(gettext("blunder"), gettext("blunder"))
    return build_illustration(
        puzzle.agent_id,
        facts={
            "value": format_signed(query.value),
            "exact": format_signed(query.exact_task_value or 0),
            "place": name_square(puzzle.blunder_cell),
            "answer": name_square(refutation),
            "answers": format_count(int(GAME.legal[query.next_position].sum())),
        },
        board=lay_out_board(
            replay_match(match, site),
            evaluate_moves(site, puzzle.position, puzzle.agent_id),
            lambda cell: why_url(match, cell),
            label=gettext("The position and its Q-values"),
            chosen_cell=puzzle.blunder_cell,
            notes=notes,
        ),
        next_update=_build_blunder_update(
            query, request.args.get("answer") or DIGITS[refutation]
        ),
        puzzle_number=number,
        why_url=why_url(match, puzzle.blunder_cell),
    )


def _build_blunder_update(query: ValueQuery, case_name: str) -> Variables | None:
    try:
        update = build_next_update(query, case_name, _build_answer_url)
    except ValueError as error:
        raise BadRequest(mark_english(str(error))) from None
    if update:
        update["picture"] = replace(update["picture"], most_decimals=2)
    return update


def _build_answer_url(answer: str) -> str:
    return get_url_in_iframe(how_url("why", answer=answer))


ILLUSTRATIONS = {
    "untrained": _illustrate_untrained,
    "learning": _illustrate_learning,
    "blunder": _illustrate_blunder,
    "why": _illustrate_why,
    "unbeatable": _illustrate_unbeatable_play,
}


def find_misled_puzzle(site: SiteData) -> tuple[int, Puzzle]:
    """Return the number of a puzzle, and the puzzle, in which the agent's training misled it.

    The agent's move is the best move against random moves, and loses against optimal play. Raises
    NotFound if there is no such puzzle.
    """
    candidates = [
        (number, puzzle)
        for number, puzzle in enumerate(list_puzzles(site), 1)
        if puzzle.value_after < 0 and _is_best_against_random(site, puzzle)
    ]
    preferred = [each for each in candidates if each[1].agent_id == LESSON_AGENT]
    if not candidates:
        raise NotFound(
            gettext(
                "This step of the lesson cannot be shown, because no agent of this site makes such "
                "a mistake every time."
            )
        )

    def get_expected_value(numbered_puzzle: tuple[int, Puzzle]) -> float:
        puzzle = numbered_puzzle[1]
        return float(
            evaluate_moves(site, puzzle.position, puzzle.agent_id).scaled_values[
                puzzle.blunder_cell
            ]
        )

    return max(preferred or candidates, key=get_expected_value)


def _is_best_against_random(site: SiteData, puzzle: Puzzle) -> bool:
    task = site.get_task(puzzle.agent_id)
    exact = site.get_task_q(puzzle.agent_id)
    if task is None or exact is None or task.opponent != "random":
        return False
    return bool(np.nanargmax(exact[puzzle.position]) == puzzle.blunder_cell)


def _find_unbeatable_agent(site: SiteData) -> str:
    if UNBEATABLE_AGENT in site.agents:
        return UNBEATABLE_AGENT
    words = gettext_noop(
        "This step of the lesson cannot be shown, because this site does not have the agent "
        "%(agent)s."
    )
    raise NotFound(gettext(words, agent=UNBEATABLE_AGENT))
