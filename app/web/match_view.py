"""The class MatchView: everything that a page, or an iframe on a foreign page, shows of a match.

A value source is the agent, policy or exact solution whose move values the board shows.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from app.tictactoe.game import Game, O, X, get_mover
from app.tictactoe.notation import MARKS
from app.tictactoe.views import compute_colour_level, round_for_display
from app.web import move_values, urls
from app.web.formatting import (
    format_percent,
    format_short_square_name,
    format_signed,
    format_updates,
)
from app.web.game_review import ReviewedMove, review_moves
from app.web.hint import (
    build_blunder_notes,
    build_hint,
    explain_blunder,
    find_explained_blunder,
    list_hint_cells,
)
from app.web.match import Match, MatchState
from app.web.match_controls import (
    REPLY_DELAY,
    AutomaticStep,
    Controls,
    count_results,
    is_reply_automatic,
    plan_automatic_step,
)
from app.web.move_values import (
    MoveValues,
    Note,
    build_notes,
    choose_value_source,
    evaluate_match,
    evaluate_moves,
    find_shown_ply,
    find_viewing_side,
)
from app.web.pictures.boards import BoardPicture, PlayOptions, lay_out_board
from app.web.site_data import HUMAN, SiteData, cached_per_site, is_policy_name
from app.web.translation import gettext, gettext_noop, ngettext
from app.web.urls import MatchRoutes, map_moves_to_urls
from app.web.wording import (
    LOST_RESULT_TEXTS,
    Legend,
    build_legend,
    describe_character,
    describe_status,
    describe_turn,
)

# result for X or O: -1, 0 or +1 -> text of the bar after the end
GAME_OVER_TEXTS = {
    -1: gettext_noop("The game is over: %(mark)s has lost."),
    0: gettext_noop("The game is over: a draw for %(mark)s."),
    1: gettext_noop("The game is over: %(mark)s has won."),
}
# result with optimal play for X or O: -1, 0 or +1 -> text of the bar
OPTIMAL_RESULT_TEXTS = {
    -1: gettext_noop(
        "Value for %(mark)s: %(agent)s expects %(value)s. With optimal play %(mark)s loses."
    ),
    0: gettext_noop(
        "Value for %(mark)s: %(agent)s expects %(value)s. With optimal play it is a draw."
    ),
    1: gettext_noop(
        "Value for %(mark)s: %(agent)s expects %(value)s. With optimal play %(mark)s wins."
    ),
}


class SeatHeader(NamedTuple):
    """One of the two players as shown above the board."""

    player_mark: str
    player_title: str
    strength: str  # how well the player plays, e.g. "unbeatable"; "human" for people
    win_count: int  # games won in this series of games
    is_to_move: bool


class ActionButton(NamedTuple):
    """A button that is offered above the board."""

    id: str
    label: str
    href: str
    shortcut_key: str = ""
    css_class: str = ""
    icon: str = (
        ""  # name of the icon that replaces the label on small screens, "" for none
    )


class BoardHeadline(NamedTuple):
    """The title, the caption and the buttons above the board."""

    title: str
    caption: str
    actions: list[ActionButton]


class EvaluationBar(NamedTuple):
    """The bar beside the board: the estimate of the value source, and the result with optimal play."""

    # Both are colour steps from -HEAT_STEPS (a loss) to HEAT_STEPS (a win).
    heat: int | None  # of the estimate; None if no value is known
    optimal_heat: int | None  # of the exact result; None if values are hidden
    label: str  # text for screen readers


class MatchView(NamedTuple):
    """A match at the position shown, with everything that its board displays."""

    headline: BoardHeadline
    result_class: str  # "win", "draw" or "loss"; "" before the end
    status_text: str  # announcement for screen readers, "" for none
    board: BoardPicture
    evaluation_bar: EvaluationBar
    move_values: MoveValues | None  # None if no values are shown
    ply: int | None  # number of moves before the position whose values are shown
    legend: Legend | None  # None if no values are shown
    controls: Controls
    automatic_step: AutomaticStep | None  # None if nothing happens automatically
    reviewed_moves: list[ReviewedMove]
    losing_move: ReviewedMove | None  # the blunder that decided a finished game

    @property
    def reply_delay_ms(self) -> int:
        """Milliseconds from a person's move until the reply is shown."""
        return round(1000 * REPLY_DELAY)


def build_match_view(
    state: MatchState, routes: MatchRoutes = urls.PAGE_ROUTES
) -> MatchView:
    """Return the view of a match; its links lead to pages or to frames, as `routes` builds them."""
    match = state.match
    auto = plan_automatic_step(state, routes)
    controls = Controls(state, routes)
    played = review_moves(state)
    blame = find_losing_move(state)
    ply = find_shown_ply(state)
    values = None if match.hides_values or ply is None else evaluate_match(state, ply)
    legend = build_legend(state, values) if values else None
    return MatchView(
        headline=build_headline(
            state,
            controls,
            played,
            blame,
            legend,
            auto is not None,
            routes.build_match_url,
        ),
        result_class=get_result_name(state),
        status_text=describe_status(state, auto is not None),
        board=lay_out_board(
            state,
            values,
            None if auto else map_moves_to_urls(match, routes.build_match_url),
            notes=_build_square_notes(state, values) if values else None,
            options=PlayOptions(
                cell_sentences=describe_cells(state, values),
                hinted_cells=list_hint_cells(state),
                build_reply_url=map_moves_to_urls(match, routes.build_reply_url)
                if is_reply_automatic(state)
                else None,
                shows_earlier_values=ply != len(match.shown_record)
                and not state.is_over,
            ),
        ),
        evaluation_bar=build_evaluation_bar(state, values),
        move_values=values,
        ply=ply,
        legend=legend,
        controls=controls,
        automatic_step=auto,
        reviewed_moves=played,
        losing_move=blame,
    )


def _build_square_notes(state: MatchState, move_values: MoveValues) -> list[Note]:
    """Return a note for each cell: on the blunder that is explained, or on a wrong value."""
    blunder = find_explained_blunder(state)
    if blunder is not None:
        return build_blunder_notes(state, blunder)
    return build_notes(
        state.site, move_values, state.match.snapshot, state.match.marked_errors
    )


def describe_seats(state: MatchState) -> tuple[SeatHeader, SeatHeader]:
    """Return the headers of the players of X and O."""
    return _describe_seat(state, X), _describe_seat(state, O)


def _build_caption(
    match: Match, reviewed_moves: list[ReviewedMove], legend: Legend | None
) -> str:
    """Return sentences on the meaning of the colours, and on a last move that was random."""
    caption = legend.caption if legend else ""
    if match.hides_values:
        caption = gettext("The values are hidden.")
    if match.shown_record and reviewed_moves[len(match.shown_record) - 1].is_random:
        mark = MARKS[-match.player_to_move]
        by_chance = gettext("The last move, by %(mark)s, was random.", mark=mark)
        caption = f"{by_chance} {caption}"
    return caption


def build_headline(
    state: MatchState,
    controls: Controls,
    reviewed_moves: list[ReviewedMove],
    losing_move: ReviewedMove | None,
    legend: Legend | None,
    goes_on_automatically: bool,
    build_url: Callable[[Match], str],
) -> BoardHeadline:
    """Return the texts and buttons above the board: whose turn it is or who won, and actions.

    `build_url` returns the URL of a match.
    """
    match = state.match
    title = describe_turn(state)
    if state.is_over:
        title = gettext("Your turn") if match.replays_record else title
        return BoardHeadline(
            title, *_build_final_caption(state, controls, losing_move, build_url)
        )
    if match.shows_hint:
        return _build_hint_headline(state, controls, build_url)
    caption = _build_caption(match, reviewed_moves, legend)
    if not match.is_at_end:
        return _build_earlier_headline(state, controls, title, caption, build_url)
    if match.is_paused and not match.is_human(match.player_to_move):
        return _build_pause_headline(state, controls, caption)
    if goes_on_automatically or not controls.take_back_url:
        return BoardHeadline(title, caption, [])
    back = ActionButton("take-back", gettext("Take back"), controls.take_back_url, "u")
    return BoardHeadline(title, caption, [back])


def _build_hint_headline(
    state: MatchState, controls: Controls, build_url: Callable[[Match], str]
) -> BoardHeadline:
    """Return the headline of a hint, or of a blunder that is explained."""
    blunder = find_explained_blunder(state)
    if blunder is not None:
        ply = len(state.match.shown_record) + 1
        title = gettext("Move %(ply)s was a blunder", ply=ply)
        action = ActionButton(
            "now",
            gettext("Go to the last move"),
            controls.last_position_url,
            icon="last",
        )
        return BoardHeadline(title, explain_blunder(state, blunder), [action])
    best, sentence = build_hint(state)
    url = build_url(state.match.follow_move(best))
    action = ActionButton("play-hint", gettext("Play it"), url, css_class="primary")
    return BoardHeadline(gettext("Hint"), sentence, [action])


def _build_earlier_headline(
    state: MatchState,
    controls: Controls,
    title: str,
    caption: str,
    build_url: Callable[[Match], str],
) -> BoardHeadline:
    """Return the headline of an earlier position, with a button to the position after the last move."""
    match = state.match
    shown = len(match.shown_record)
    total = len(match.record)
    where = gettext("Move %(shown)s of %(total)s.", shown=shown, total=total)
    actions = [
        ActionButton(
            "now",
            gettext("Go to the last move"),
            controls.last_position_url,
            icon="last",
        )
    ]
    if find_viewing_side(match, state.site) not in (None, match.player_to_move):
        mark = MARKS[match.player_to_move]
        view = build_url(replace(match, viewing_seat=mark.lower()))
        label = gettext("Show the values for %(mark)s", mark=mark)
        actions.insert(0, ActionButton("view", label, view))
    return BoardHeadline(title, f"{where} {caption}", actions)


def _build_pause_headline(
    state: MatchState, controls: Controls, caption: str
) -> BoardHeadline:
    """Return the headline of a paused match, with a button that resumes it."""
    match = state.match
    words = (
        gettext_noop("Continue with %(agent)s")
        if match.is_watched
        else gettext_noop("Let %(agent)s move")
    )
    mover = state.site.display_titles[match.get_player_name(match.player_to_move)]
    action = ActionButton(
        "go-on", gettext(words, agent=mover), controls.resume_url, css_class="primary"
    )
    return BoardHeadline(gettext("Paused"), caption, [action])


def get_result_name(state: MatchState) -> str:
    """Return the result of a game for the person: "win", "draw" or "loss"; "" before its end.

    A won game between two people or between two agents is a "win".
    """
    if not state.is_over:
        return ""
    outcome = state.site.game.get_result(state.position)
    side = find_viewing_side(state.match, state.site)
    if state.match.is_watched or side is None:
        side = outcome
    return (
        move_values.OUTCOME_LABELS[outcome * side]
        if outcome
        else move_values.OUTCOME_LABELS[0]
    )


def build_evaluation_bar(
    state: MatchState, shown_values: MoveValues | None
) -> EvaluationBar:
    """Return the bar with the value of the position for the viewing side, or else for X.

    After the end of the game the bar shows the result.
    """
    if shown_values is None:
        words = (
            gettext_noop("The values are hidden.")
            if state.match.hides_values
            else gettext_noop("No value yet.")
        )
        return EvaluationBar(None, None, gettext(words))
    side = find_viewing_side(state.match, state.site) or X
    sign = side * int(state.site.game.to_move[shown_values.position])
    if state.is_over:
        ended = side * state.site.game.get_result(state.position)
        label = gettext(GAME_OVER_TEXTS[ended], mark=MARKS[side])
        return EvaluationBar(
            ended * move_values.HEAT_STEPS, ended * move_values.HEAT_STEPS, label
        )
    best_value = shown_values.best_value
    expected = None if best_value is None else np.array(sign * best_value)
    value = int(state.site.solution.values[shown_values.position])
    if shown_values.are_beads:
        expects = gettext("no result, because it only counts beads")
    elif is_policy_name(shown_values.value_source):
        expects = gettext("nothing known")
    elif expected is None:
        expects = gettext("nothing yet")
    else:
        expects = format_signed(float(round_for_display(expected)))
    who = state.site.display_titles[shown_values.value_source]
    label = gettext(
        OPTIMAL_RESULT_TEXTS[side * value], mark=MARKS[side], agent=who, value=expects
    )
    colour = (
        None
        if expected is None
        else int(compute_colour_level(expected, move_values.HEAT_STEPS))
    )
    return EvaluationBar(colour, side * value * move_values.HEAT_STEPS, label)


def _describe_value(game: Game, move_values: MoveValues, cell: int) -> str:
    """Return a text with the name of a square and the value of the move there."""
    if move_values.is_optimal_play:
        value = move_values.optimal_results[cell]
    else:
        value = move_values.spoken_values[cell] or move_values.unknown_text
    return f"{format_short_square_name(game, cell).capitalize()}: {value}"


def describe_cells(
    state: MatchState, move_values: MoveValues | None
) -> list[str] | None:
    """Return a sentence for each cell: its value, its number of updates, and the expected reply.

    None if no values are shown, if they are of a snapshot before the end of the training, or if
    the source is a list of moves without values.
    """
    if (
        move_values is None
        or state.match.snapshot is not None
        or is_policy_name(move_values.value_source)
    ):
        return None
    site = state.site
    game = state.site.game
    position = move_values.position
    replies = _list_likeliest_moves(site, move_values.value_source)
    after = game.successor[position].tolist()
    agent = site.agents.find(move_values.value_source)
    tried = agent.visits[position].tolist() if agent else None
    answering = MARKS[-int(game.to_move[position])]
    sentences = []
    for cell, successor in enumerate(after):
        if successor < 0:
            sentences.append("")
            continue
        sentence = _describe_value(game, move_values, cell)
        if tried and tried[cell]:
            times = ngettext(
                "tried %(count)s time",
                "tried %(count)s times",
                tried[cell],
            )
            sentence += f", {times}"
        if successor < len(replies) and not move_values.are_beads:
            square = format_short_square_name(game, replies[successor])
            reply = gettext(
                "%(mark)s’s reply: %(square)s", mark=answering, square=square
            )
            sentence += f"; {reply}"
        sentences.append(f"{sentence}.")
    return sentences


def _describe_seat(state: MatchState, player: int) -> SeatHeader:
    match = state.match
    site = state.site
    player_id = match.get_player_name(player)
    mark = MARKS[player]
    is_only_person = player_id == HUMAN and not match.is_human(-player)
    name = gettext("You") if is_only_person else site.display_titles[player_id]
    wins = count_results(state)[0 if player == X else 2]
    strength = gettext(describe_character(site, player_id).strength_name or "human")
    step = match.get_player_snapshot(player)
    if step is not None:
        updates = format_updates(
            site.agents[player_id].card.figures.snapshot_updates[step]
        )
        strength = gettext("after %(updates)s", updates=updates)
    if player_id != HUMAN and match.epsilon:
        share = format_percent(match.epsilon, 0)
        strength += ", " + gettext("%(share)s%% random", share=share)
    return SeatHeader(
        player_mark=mark,
        player_title=name,
        strength=strength,
        win_count=wins,
        is_to_move=not state.is_over and match.player_to_move == player,
    )


def find_losing_move(state: MatchState) -> ReviewedMove | None:
    """Return the last blunder of a finished game, None if there was none.

    If a person did not win, this is the person's last blunder, if there is one.
    """
    if not state.is_over:
        return None
    side = (
        None if state.match.is_watched else find_viewing_side(state.match, state.site)
    )
    blunders = [move for move in review_moves(state) if move.is_blunder]
    if side is not None and get_result_name(state) != "win":
        own = [move for move in blunders if move.mark == MARKS[side]]
        blunders = own or blunders
    return blunders[-1] if blunders else None


def _build_final_caption(
    state: MatchState,
    controls: Controls,
    losing_move: ReviewedMove | None,
    build_url: Callable[[Match], str],
) -> tuple[str, list[ActionButton]]:
    """Return the sentence on the decisive blunder of a finished game, and the next actions."""
    match = state.match
    if match.replays_record:
        yours = replace(
            match, is_paused=False, x=HUMAN if match.is_watched else match.x
        )
        action = ActionButton(
            "your-turn",
            gettext("Play it"),
            build_url(yours.follow_record("")),
            css_class="primary",
        )
        return summarise_game(state), [action]
    actions = [
        ActionButton(
            "rematch", gettext("Play again"), controls.new_game_url, css_class="primary"
        )
    ]
    if controls.take_back_url:
        back = gettext("Take back")
        actions.append(
            ActionButton("take-back", back, controls.take_back_url, "u", icon="undo")
        )
    if not losing_move:
        return gettext("No move was a blunder."), actions
    before = replace(match.show_ply(losing_move.ply - 1), shows_hint=True)
    if find_viewing_side(match, state.site) not in (
        None,
        get_mover(losing_move.ply - 1),
    ):
        before = replace(before, viewing_seat=losing_move.mark.lower())
    actions.insert(
        0,
        ActionButton(
            "show", gettext("Show move %(ply)s", ply=losing_move.ply), build_url(before)
        ),
    )
    value = get_mover(losing_move.ply - 1) * int(
        state.site.solution.values[state.positions[losing_move.ply - 1]]
    )
    player = get_mover(losing_move.ply - 1)
    words = gettext_noop("Move %(ply)s by %(who)s was a blunder: %(what)s.")
    if losing_move.is_random:
        words = gettext_noop(
            "Move %(ply)s by %(who)s, a random move, was a blunder: %(what)s."
        )
    elif match.is_human(player) and not match.is_human(-player):
        words = gettext_noop("Your move %(ply)s was a blunder: %(what)s.")
    who = MARKS[player]
    if not match.is_human(player):
        who = state.site.display_titles[match.get_player_name(player)]
    sentence = gettext(
        words,
        ply=losing_move.ply,
        who=who,
        what=gettext(LOST_RESULT_TEXTS[value]),
    )
    return sentence, actions


def summarise_game(state: MatchState) -> str:
    """Return a sentence on a finished game: the caption of its preview picture."""
    match = state.match
    site = state.site
    blame = find_losing_move(state)
    if not blame:
        return gettext("No move was a blunder.")
    winner = site.game.get_result(state.position)
    ply = blame.ply - 1
    who = match.get_player_name(winner)
    erred = match.get_player_name(get_mover(ply))
    cell = state.played_cells[ply]
    words = gettext_noop("The game was a draw because move %(ply)s was a blunder.")
    if winner:
        words = gettext_noop("%(who)s won because move %(ply)s was a blunder.")
    value = ""
    if site.agents.contains_name(erred) and not blame.is_random:
        step = match.get_player_snapshot(get_mover(ply))
        view = evaluate_moves(site, state.positions[ply], erred, step)
        if view.is_known[cell] and not view.are_beads:
            who = erred
            value = view.value_texts[cell]
            words = gettext_noop(
                "%(who)s gave move %(ply)s the value %(value)s, but this move was a blunder."
            )
    is_person = match.is_human(winner) and not value
    name = MARKS[winner] if is_person else site.display_titles[who]
    return gettext(words, who=name, value=value, ply=blame.ply)


@cached_per_site(64)
def _list_likeliest_moves(site: SiteData, value_source: str) -> bytes:
    """Return the cell that a value source is most likely to play in each of D decisions, a byte each."""
    return bytes(site.get_policy(value_source).argmax(axis=1).tolist())


def find_shown_value_source(state: MatchState) -> str:
    """Return the name of the value source that the board shows, or would show if not hidden."""
    ply = find_shown_ply(state)
    to_move = state.match.player_to_move
    if ply is not None and not state.is_over:
        position = state.positions[ply]
        to_move = int(state.site.game.to_move[position])
    return choose_value_source(state.match, state.site, to_move)
