"""The judge: exact results for a table that a visitor sends, or for the moves in a URL.

Other pages list all blunders of a policy, or prove that nobody can beat it. The policy is an agent
of the site, or the moves in the URL.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from flask import redirect, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from app.doctor import Diagnosis
from app.project import ROOT
from app.tables.options import DEFAULT_OPTIONS, OPTION_QUESTIONS, TableOptions
from app.tables.rows import PICKLE_COMMAND
from app.tables.values import TableError
from app.tictactoe.arena import summarize_round_robin
from app.tictactoe.atlas import UnbeatableProof
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.notation import (
    DIGITS,
    MARKS,
    format_position,
    parse_position,
)
from app.tictactoe.policy_codec import encode_moves
from app.tictactoe.report import compute_policy_figures
from app.web.facts import (
    build_unbeatable_proof,
    classify_blunders,
    find_blunder_causes,
    find_losing_game,
    get_figures,
    list_outcome_chances,
    play_round_robin,
)
from app.web.links.agents import (
    BLUNDERS_ROUTE,
    PROOF_ROUTE,
    blunders_url,
    proof_url,
)
from app.web.links.judge import (
    JUDGE_BLUNDERS_ROUTE,
    JUDGE_PROOF_ROUTE,
    JUDGE_ROUTE,
    JUDGE_TOOL_ROUTE,
    judge_url,
)
from app.web.match import parse_match, read_integer
from app.web.move_values import describe_best_play
from app.web.navigation import PageBlueprint
from app.web.pages.parts import judgement
from app.web.pages.parts.export import (
    build_csv_response,
    build_file_response,
    export_board,
)
from app.web.pages.parts.sent_table import (
    MAX_TABLE_BYTES,
    MAX_TRACE_ROWS,
    read_sent_table,
)
from app.web.pictures.boards import plot_small_board
from app.web.pictures.minds import (
    COLOURINGS,
    plot_policy_blunders,
)
from app.web.rendering import Variables, render_page, wants_fragment
from app.web.routes import Destination
from app.web.site_data import MOVES_PREFIX, SiteData, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import build_player_profile

bp = PageBlueprint("judge", __name__)
bp.add_menu_page("Research", "judge", gettext_noop("Judge"), JUDGE_ROUTE.url)

# The ranking shows this many players above the policy, and this many below it.
NEIGHBOUR_COUNT = 2
MAX_SHOWN_BLUNDERS = 12

TOOL_FILES = {"doctor": ROOT / "app/doctor.py", "judge": ROOT / "docs/judge.py"}
PICTURES_PER_PAGE = 60


def rank_neighbours(site: SiteData, policy_name: str) -> list[tuple[str, int, float]]:
    """Return (name, rank, mean score from -1 to 1) of a policy and the players next to it."""
    names = [*site.policies, policy_name]
    table = summarize_round_robin(play_round_robin(site, policy_name))
    order = np.argsort(-table.mean_score, kind="stable").tolist()
    here = order.index(len(names) - 1)
    around = order[max(0, here - NEIGHBOUR_COUNT) : here + NEIGHBOUR_COUNT + 1]
    return [
        (names[player], int(table.ranks[player]), table.mean_score.item(player))
        for player in around
    ]


@bp.get(JUDGE_ROUTE, strict_slashes=False)
def show_judge() -> Response:
    text = request.args.get("moves", "").strip()
    site = get_current_site()
    if not text:
        return render_form(site)
    # The form also accepts a link, which ends with the code of the moves.
    code = text.rpartition("moves=")[2]
    if code != request.args["moves"]:
        return redirect(judge_url(code), 303)
    name = get_judged_policy()
    mind = plot_policy_blunders(site, name)
    verdicts = judgement.build_seat_verdicts(site, name)
    return render_page(
        "judge/judged.html",
        site=site,
        name=name,
        move_code=code,
        profile=build_player_profile(site, name),
        exact=get_figures(site, name),
        links=[
            Destination(
                f"The game that beats it as {seat.upper()}",
                verdict["url"],
                id=f"beat-{seat}",
            )
            for seat, verdict in verdicts.items()
            if "proof" not in verdict
        ]
        + judgement.list_game_links(name),
        boards_by_cause=[
            (
                cause,
                [
                    judgement.build_decision_board(site, name, position)
                    for position in cause.example_positions
                ],
            )
            for cause in find_blunder_causes(site, name)
        ],
        results=judgement.list_result_bars(site, name),
        mind_picture=mind,
        colouring=COLOURINGS[mind.colouring_key],
        neighbours=rank_neighbours(site, name),
        blunders=judgement.build_blunder_boards(site, name, slice(MAX_SHOWN_BLUNDERS)),
        verdicts=verdicts,
        export=export_board(parse_match("", {"o": name}, site)),
    )


@bp.post(JUDGE_ROUTE, strict_slashes=False)
def judge_table() -> Response:
    """Read the table in the form, and redirect to the page with its results.

    htmx gets a part of the page, which says how the table was read. If a row cannot be read, every
    client gets this part, with status 400.
    """
    site = get_current_site()
    try:
        reading, options = read_sent_table()
    except TableError as error:
        response = render_form(site, fault_sentence=str(error))
        response.status_code = 400
    else:
        if isinstance(reading, Diagnosis):
            return show_diagnosis(site, reading)
        code = encode_moves(GAME, reading.chosen_moves)
        fields: Variables = {"reading": reading, "move_code": code}
        # A link holds the moves of a table, but not their probabilities.
        if reading.is_proportional:
            figures = compute_policy_figures(GAME, reading.policy)
            fields["drawn"] = figures
            fields["drawn_results"] = judgement.build_result_bars(
                site, list_outcome_chances(figures)
            )
        elif not reading.unread_reasons and not wants_fragment():
            return redirect(judge_url(code), 303)
        response = render_form(site, options, **fields)
        response.status_code = 400 if reading.unread_reasons else 200
    response.headers |= NO_STORE_HEADERS | OUTCOME_HEADERS
    return response


def show_diagnosis(site: SiteData, diagnosis: Diagnosis) -> Response:
    """Show which update rule, or which bug, explains the updates that a visitor sent."""
    board = None
    if diagnosis.status == 1 and diagnosis.board:
        position = find_position(diagnosis.board.replace("/", ""))
        if position is not None:
            board = plot_small_board(position, {diagnosis.move: "plays"}, None)
    response = render_form(site, diagnosis=diagnosis, diagnosed_board=board)
    response.status_code = 400 if diagnosis.status == 2 else 200
    response.headers |= NO_STORE_HEADERS | OUTCOME_HEADERS
    return response


def find_position(board: str) -> int | None:
    try:
        return parse_position(GAME, board)
    except ValueError:
        return None


@bp.get(JUDGE_TOOL_ROUTE)
def download_tool(tool: str) -> Response:
    content = TOOL_FILES[tool].read_bytes()
    return build_file_response(content, "text/x-python", f"{tool}.py")


# htmx shows a response with status 400 as a short notice, unless these headers name its place.
OUTCOME_HEADERS = {"HX-Retarget": "#outcome", "HX-Reswap": "innerHTML"}
NO_STORE_HEADERS = {"Cache-Control": "no-store"}


def render_form(
    site: SiteData,
    chosen_options: TableOptions = DEFAULT_OPTIONS,
    **template_variables: Any,
) -> Response:
    """Show the form for a table, and below it the result of the table that was sent.

    `template_variables` describe the result.
    """
    values = {
        "reading": None,
        "fault_sentence": "",
        "diagnosis": None,
        # the board on which the wrong update was made
        "diagnosed_board": None,
        "move_code": "",
        # No link can hold a table of probabilities, so this page shows the results of such a table.
        "drawn": None,
        "drawn_results": None,
    }
    return render_page(
        "judge/judge.html",
        fragment=("outcome",),
        decision_count=GAME.decisions,
        option_questions=OPTION_QUESTIONS,
        chosen_options=chosen_options,
        max_table_bytes=MAX_TABLE_BYTES,
        max_trace_rows=MAX_TRACE_ROWS,
        convert_pickle=PICKLE_COMMAND,
        **values | template_variables,
    )


@bp.get(BLUNDERS_ROUTE)
@bp.get(JUDGE_BLUNDERS_ROUTE)
def show_blunders(name: str = "") -> Response:
    name = get_judged_policy(name)
    site = get_current_site()
    count = len(classify_blunders(site, name).example_rows)
    shown, values = _build_page_of_pictures(name, count, partial(blunders_url, name))
    blunders = judgement.build_blunder_boards(site, name, shown)
    return render_page(
        "judge/listed.html", blunders=blunders, proof=None, seat="", **values
    )


@bp.get(PROOF_ROUTE)
@bp.get(JUDGE_PROOF_ROUTE)
def show_proof(seat: str, name: str = "") -> Response:
    name = get_judged_policy(name)
    site = get_current_site()
    count = len(get_proof(site, name, seat).positions)
    shown, values = _build_page_of_pictures(name, count, partial(proof_url, name, seat))
    proof = judgement.build_proof(site, name, seat, shown)
    return render_page(
        "judge/listed.html", blunders=None, proof=proof, seat=seat, **values
    )


def _build_page_of_pictures(
    policy_name: str, picture_count: int, build_page_url: Callable[[int], str]
) -> tuple[slice, Variables]:
    pages = max(1, -(-picture_count // PICTURES_PER_PAGE))
    number = read_integer("page", request.args.get("page") or "1", 1, pages)
    shown = slice((number - 1) * PICTURES_PER_PAGE, number * PICTURES_PER_PAGE)
    return shown, {
        "name": policy_name,
        "title": get_current_site().display_titles[policy_name],
        "page_number": number,
        "shown_pictures": range(picture_count)[shown],
        "picture_count": picture_count,
        "page_urls": [build_page_url(page) for page in range(1, pages + 1)],
    }


@bp.get(PROOF_ROUTE.append_ending(".csv"))
@bp.get(JUDGE_PROOF_ROUTE.append_ending(".csv"))
def download_proof(seat: str, name: str = "") -> Response:
    """Return a proof as CSV, with a row for each position: the moves, and the exact result."""
    site = get_current_site()
    proof = get_proof(get_current_site(), get_judged_policy(name), seat)
    rows = (
        (
            format_position(GAME, position),
            " ".join(DIGITS[cell] for cell in np.flatnonzero(choice)),
            describe_best_play(site, position),
        )
        for position, choice in zip(proof.positions.tolist(), proof.moves, strict=True)
    )
    return build_csv_response(
        ("position", "moves", "value"), rows, f"{name or 'judged'}-{seat}"
    )


def get_judged_policy(policy_name: str = "") -> str:
    """Return `policy_name` or, without it, the policy whose moves are in the URL.

    Raises NotFound for an unknown agent, and BadRequest for invalid moves.
    """
    if policy_name:
        get_current_site().get_agent(policy_name)
        return policy_name
    moves = MOVES_PREFIX + request.args.get("moves", "")
    get_current_site().canonicalize(moves)
    return moves


def get_proof(site: SiteData, policy_name: str, seat: str) -> UnbeatableProof:
    """Return the proof that a policy never loses as "x" or "o".

    Raises NotFound with a lost game if the policy can lose.
    """
    record = find_losing_game(site, policy_name, SEATS[seat])
    if record is not None:
        raise NotFound(
            f"{site.display_titles[policy_name]} can be beaten as {MARKS[SEATS[seat]]}, so there is no "
            f"certificate: it loses the game {record}."
        )
    return build_unbeatable_proof(site, policy_name, seat)
