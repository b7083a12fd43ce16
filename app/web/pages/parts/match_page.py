"""The class MatchPage: everything that a page or an iframe shows of a match.

The values on the board come from an agent, another policy, or the exact solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from msgspec.structs import replace

from app.tictactoe.game import GAME, O, X, get_mover
from app.tictactoe.notation import DIGITS, MARKS
from app.tictactoe.views import compute_colour_level, round_for_display
from app.web import move_values
from app.web.formatting import format_percent, format_signed, format_updates
from app.web.game_review import ReviewedMove, review_moves
from app.web.links.play import (
    PAGE_URL_BUILDERS,
    SQUARE_ROUTE,
    MatchUrlBuilders,
    map_moves_to_urls,
    match_url,
)
from app.web.match import Match, MatchState
from app.web.move_values import (
    EMPTY_NOTE,
    MoveValues,
    Note,
    build_notes,
    choose_value_source,
    evaluate_match,
    evaluate_moves,
    find_shown_ply,
)
from app.web.pages.parts.hint import (
    build_blunder_notes,
    build_hint,
    explain_blunder,
    find_explained_blunder,
    list_hinted_cells,
)
from app.web.pages.parts.match_controls import (
    REPLY_SECONDS,
    AutomaticStep,
    build_snapshot_slider,
    count_results,
    is_reply_automatic,
    list_control_urls,
    list_speeds,
    plan_automatic_step,
)
from app.web.pages.parts.square_reason import explain_opening
from app.web.pictures.boards import BoardPicture, lay_out_board
from app.web.rendering import Variables
from app.web.site_data import HUMAN, is_policy_name
from app.web.translation import gettext, gettext_noop
from app.web.wording import (
    FRONT_PAGE_RECORD,
    LOST_RESULT_TEXTS,
    Legend,
    build_legend,
    build_player_profile,
    describe_status,
    describe_turn,
)

GAME_OVER_TEXTS = {
    -1: gettext_noop("The game is over: O has won."),
    0: gettext_noop("The game is over: a draw."),
    1: gettext_noop("The game is over: X has won."),
}
OPTIMAL_RESULT_TEXTS = {
    -1: gettext_noop(
        "Value for X: %(agent)s expects %(value)s. With optimal play O wins."
    ),
    0: gettext_noop(
        "Value for X: %(agent)s expects %(value)s. With optimal play it is a draw."
    ),
    1: gettext_noop(
        "Value for X: %(agent)s expects %(value)s. With optimal play X wins."
    ),
}


@dataclass(frozen=True)
class MatchPage:
    """A match in one position, with all that its page shows.

    `url_builders` builds links to pages, or to pages in iframes of other websites.
    """

    state: MatchState
    url_builders: MatchUrlBuilders = PAGE_URL_BUILDERS

    @property
    def match(self) -> Match:
        return self.state.match

    @cached_property
    def seats(self) -> tuple[Variables, Variables]:
        return _describe_seat(self.state, X), _describe_seat(self.state, O)

    @property
    def drawn_count(self) -> int:
        return count_results(self.state)[1]

    @cached_property
    def ply(self) -> int:
        """How many moves lead to the position whose values are shown."""
        return find_shown_ply(self.state)

    @cached_property
    def value_source(self) -> str:
        """The agent, or other source, of the values on the board, even if they are hidden."""
        return find_shown_value_source(self.state)

    @cached_property
    def value_source_title(self) -> str:
        return self.state.site.display_titles[self.value_source]

    @cached_property
    def move_values(self) -> MoveValues | None:
        hidden = self.state.match.hides_values
        return None if hidden else evaluate_match(self.state, self.ply)

    @cached_property
    def legend(self) -> Legend | None:
        return build_legend(self.state, self.move_values) if self.move_values else None

    @cached_property
    def automatic_step(self) -> AutomaticStep | None:
        return plan_automatic_step(self.state, self.url_builders)

    @cached_property
    def controls(self) -> dict[str, str]:
        return list_control_urls(self.state, self.url_builders)

    @property
    def speeds(self) -> list[tuple[float, str]]:
        return list_speeds(self.match.move_delay)

    @cached_property
    def reviewed_moves(self) -> list[ReviewedMove]:
        return review_moves(self.state)

    @cached_property
    def losing_move(self) -> ReviewedMove | None:
        return find_losing_move(self.state, self.reviewed_moves)

    @cached_property
    def result_class(self) -> str:
        """The result for the visitor, "win", "draw" or "loss"; "" before the end."""
        return get_result_name(self.state)

    @cached_property
    def status_text(self) -> str:
        """The text for screen readers, "" for none."""
        return describe_status(self.state, self.automatic_step is not None)

    @property
    def reply_delay_ms(self) -> int:
        return round(1000 * REPLY_SECONDS)

    @cached_property
    def snapshot_slider(self) -> Variables | None:
        """The slider through the training, None without a training or with hidden values."""
        if self.state.match.hides_values:
            return None
        return build_snapshot_slider(self.state, self.value_source)

    @property
    def _shown_cells(self) -> list[int]:
        return self.state.played_cells[: len(self.match.shown_record)]

    @cached_property
    def square_url(self) -> str:
        """The URL that explains the value of a square, still without the parameter `cell`."""
        return "" if self.state.is_over else self._build_square_url(self.ply)

    def _build_square_url(self, ply: int, *query_parts: str) -> str:
        """Return the URL that explains the value of a square in the position at a ply.

        It is "" in an iframe, and if the values are hidden or unknown.
        """
        match = self.match
        if (
            match.hides_values
            or self.url_builders is not PAGE_URL_BUILDERS
            or is_policy_name(
                choose_value_source(match, self.state.site, get_mover(ply))
            )
        ):
            return ""
        return match_url(SQUARE_ROUTE, match.show_ply(ply), *query_parts)

    @cached_property
    def board(self) -> BoardPicture:
        """The board with its values and links.

        A click makes a move if a person is to move, and otherwise explains the value of the square.
        After the end the board shows the winning line and the losing move.
        """
        state = self.state
        match = state.match
        if state.is_over:
            return self._lay_out_final_board()
        is_played = not match.is_watched
        if self.automatic_step and not match.plays_training:
            is_played = False
        return lay_out_board(
            state,
            self.move_values,
            map_moves_to_urls(match, self.url_builders.build_match_url)
            if is_played
            else None,
            notes=self._mark_random_moves(_build_square_notes(state, self.move_values))
            if self.move_values
            else None,
            hinted_cells=list_hinted_cells(state),
            build_reply_url=map_moves_to_urls(match, self.url_builders.build_reply_url)
            if is_reply_automatic(state)
            else None,
            build_explain_url=self._build_explain_url if match.is_watched else None,
            shows_earlier_values=self.ply != len(match.shown_record),
        )

    def _lay_out_final_board(self) -> BoardPicture:
        notes = self._mark_random_moves([EMPTY_NOTE] * GAME.cells)
        blame, cell = self.losing_move, None
        if blame:
            move, blunder = gettext("move %(ply)s", ply=blame.ply), gettext("blunder")
            cell = self.state.played_cells[blame.ply - 1]
            notes[cell] = Note(f"✗ {move}", f"{move}, {blunder}")
        return lay_out_board(
            self.state,
            None,
            None,
            chosen_cell=cell,
            notes=notes,
            build_explain_url=self._build_explain_url,
        )

    def _build_explain_url(self, cell: int) -> str:
        """Return the URL that explains an empty square or the move played on a square; "" for none."""
        played = self._shown_cells
        if cell not in played and self.state.is_over:
            return ""
        ply = played.index(cell) if cell in played else len(played)
        return self._build_square_url(ply, f"cell={DIGITS[cell]}")

    def _mark_random_moves(self, notes: list[Note]) -> list[Note]:
        move = gettext("random move")
        note = Note(move, move, gettext("random"))
        moves = zip(self._shown_cells, self.reviewed_moves, strict=False)
        random_cells = [cell for cell, move in moves if move.is_random]
        return [
            note if cell in random_cells else each for cell, each in enumerate(notes)
        ]

    @cached_property
    def evaluation_bar(self) -> Variables:
        return _build_evaluation_bar(self.state, self.move_values)

    @cached_property
    def headline(self) -> Variables:
        state = self.state
        match = state.match
        title = describe_turn(state)
        caption = self.legend.caption if self.legend else ""
        if state.is_over:
            return self._build_final_headline(title)
        if match.shows_hint:
            return self._build_hint_headline(caption)
        sentence = _describe_random_moves(match, self.reviewed_moves)
        if match.hides_values:
            hidden = gettext("The values are hidden.")
            sentence = f"{hidden} {sentence}"
        actions = []
        if not match.is_at_end:
            total = len(match.record)
            where = gettext(
                "Move %(shown)s of %(total)s.",
                shown=len(match.shown_record),
                total=total,
            )
            sentence = f"{where} {sentence}"
            actions = [self._build_last_position_button()]
            if match.replays_record:
                title = gettext("Replay of a shared game")
        elif match.is_paused and not match.is_human(match.player_to_move):
            title = gettext("Paused")
            actions = [self._build_resume_button()]
        return _build_headline(title, caption, actions, sentence)

    @property
    def usual_line(self) -> str:
        """The text under the board while no square is explained."""
        sentence: str = self.headline["sentence"]
        if sentence or not self.square_url or self.move_values is None:
            return sentence
        match = self.match
        invitation = gettext(
            "Point at a square, or press and hold it, to read why it has its value."
        )
        if (
            match.shown_record == match.record == FRONT_PAGE_RECORD
            and match.person_side
        ):
            prepared = gettext(
                "We set up this position; from here %(agent)s plays.",
                agent=self.state.site.display_titles[
                    match.get_player_name(-match.person_side)
                ],
            )
            return f"{prepared} {invitation}"
        return (
            explain_opening(self.state.site, self.move_values, match.snapshot)
            or invitation
        )

    def _build_last_position_button(self) -> dict[str, str]:
        label = gettext("Go to the last move")
        return _build_button(
            "now", label, self.controls["last_position_url"], icon="last"
        )

    def _build_resume_button(self) -> dict[str, str]:
        return _build_button(
            "go-on", gettext("Continue"), self.controls["resume_url"], "primary"
        )

    def _build_hint_headline(self, caption: str) -> Variables:
        state = self.state
        blunder = find_explained_blunder(state)
        if blunder is not None:
            ply = len(state.match.shown_record) + 1
            title = gettext("Move %(ply)s was a blunder", ply=ply)
            actions = [self._build_last_position_button()]
            return _build_headline(
                title, caption, actions, explain_blunder(state, blunder)
            )
        best, sentence = build_hint(state)
        build_url = self.url_builders.build_match_url
        play_url = build_url(state.match.follow_move(best))
        close_url = build_url(replace(state.match, shows_hint=False))
        actions = [
            _build_button("play-hint", gettext("Play it"), play_url, "primary"),
            _build_button("close-hint", gettext("Close"), close_url),
        ]
        return _build_headline(gettext("Hint"), caption, actions, sentence)

    def _build_final_headline(self, title: str) -> Variables:
        state = self.state
        match = state.match
        build_url = self.url_builders.build_match_url
        if match.replays_record:
            person = HUMAN if match.is_watched else match.x
            yours = replace(match, is_paused=False, x=person).follow_record("")
            mark = MARKS[yours.person_side or X]
            label = gettext("New game as %(mark)s", mark=mark)
            play = _build_button("your-turn", label, build_url(yours), "primary")
            return _build_headline(
                gettext("Can you do better?"),
                "",
                [play],
                summarize_game(state, self.losing_move),
            )
        actions = [
            _build_button(
                "rematch",
                gettext("Play again"),
                self.controls["new_game_url"],
                "primary",
            )
        ]
        losing_move = self.losing_move
        if not losing_move:
            return _build_headline(
                title, "", actions, gettext("No move was a blunder.")
            )
        before = build_url(
            replace(match.show_ply(losing_move.ply - 1), shows_hint=True)
        )
        show = _build_button(
            "show", gettext("Show move %(ply)s", ply=losing_move.ply), before
        )
        return _build_headline(
            title, "", [show, *actions], _describe_losing_move(state, losing_move)
        )


def _build_button(
    id: str, label: str, href: str, css_class: str = "", icon: str = ""
) -> dict[str, str]:
    return {
        "id": id,
        "label": label,
        "href": href,
        "css_class": css_class,
        "icon": icon,
    }


def _build_headline(
    title: str,
    caption: str,
    actions: Sequence[dict[str, str]],
    sentence: str = "",
) -> Variables:
    return {
        "title": title,
        "caption": caption,
        "actions": actions,
        "sentence": sentence,
    }


def _build_square_notes(state: MatchState, values: MoveValues) -> list[Note]:
    """Return a note for each cell; some say that the value or the move is wrong."""
    match = state.match
    blunder = find_explained_blunder(state)
    if blunder is not None:
        return build_blunder_notes(state, blunder)
    # Notes do not help a person who is to move, unless a hint or the settings ask for it.
    is_thinking = match.is_at_end and not state.is_over and not match.is_watched
    marked = match.marked_errors
    if not marked and is_thinking and not match.shows_hint:
        marked = "none"
    return build_notes(state.site, values, match.snapshot, marked)


def _describe_random_moves(match: Match, reviewed_moves: list[ReviewedMove]) -> str:
    """Say that the last move was random or, before a game and in a pause, how many moves are."""
    ply = len(match.shown_record)
    if ply and reviewed_moves[ply - 1].is_random:
        mark = MARKS[-match.player_to_move]
        return gettext("The last move, by %(mark)s, was random.", mark=mark)
    if not match.is_watched or not match.epsilon or (ply and not match.is_paused):
        return ""
    return gettext(
        "%(share)s%% of the moves are random, so that the games differ: see Settings.",
        share=format_percent(match.epsilon, 0),
    )


def get_result_name(state: MatchState) -> str:
    """Return "win", "draw" or "loss" for the visitor, "" before the end of the game.

    If the visitor plays nobody or both X and O, a decided game is a "win".
    """
    if not state.is_over:
        return ""
    outcome = GAME.get_result(state.position)
    side = state.match.visitor_side or outcome
    return move_values.OUTCOME_LABELS[outcome * side]


def _build_evaluation_bar(
    state: MatchState, shown_values: MoveValues | None
) -> Variables:
    """Return what the agent expects for X, and the result of optimal play, as colours and text.

    A colour goes from -HEAT_STEPS (O wins) to HEAT_STEPS (X wins), or is None if it is unknown or
    hidden.
    """
    if state.is_over:
        result = GAME.get_result(state.position)
        level = result * move_values.HEAT_STEPS
        text = gettext(GAME_OVER_TEXTS[result])
        return {"heat": level, "optimal_heat": level, "label": text}
    if shown_values is None:
        text = gettext("The values are hidden.")
        return {"heat": None, "optimal_heat": None, "label": text}
    mover = int(GAME.to_move[shown_values.position])
    best_value = shown_values.best_value
    expected = None if best_value is None else np.array(mover * best_value)
    optimal_value = int(state.site.solution.values[shown_values.position])
    if shown_values.are_beads:
        expects = gettext("no result, because it only counts beads")
    elif is_policy_name(shown_values.value_source):
        expects = gettext("nothing known")
    elif expected is None:
        expects = gettext("nothing yet")
    else:
        expects = format_signed(float(round_for_display(expected)))
    label = gettext(
        OPTIMAL_RESULT_TEXTS[optimal_value],
        agent=state.site.display_titles[shown_values.value_source],
        value=expects,
    )
    heat = None
    if expected is not None:
        heat = int(compute_colour_level(expected, move_values.HEAT_STEPS))
    optimal_heat = optimal_value * move_values.HEAT_STEPS
    return {"heat": heat, "optimal_heat": optimal_heat, "label": label}


def _describe_seat(state: MatchState, player: int) -> Variables:
    match = state.match
    site = state.site
    player_id = match.get_player_name(player)
    mark = MARKS[player]
    is_visitor = player == match.visitor_side
    name = gettext("You") if is_visitor else site.display_titles[player_id]
    wins = count_results(state)[0 if player == X else 2]
    strength_name = build_player_profile(site, player_id).strength_name
    strength = gettext(strength_name) if strength_name else ""
    if is_visitor:
        strength = gettext("human")
    step = match.get_player_snapshot(player)
    if step is not None:
        updates = format_updates(
            site.agents[player_id].card.figures.snapshot_updates[step]
        )
        strength = gettext("after %(updates)s", updates=updates)
    elif player_id != HUMAN and match.epsilon:
        share = gettext("%(share)s%% random", share=format_percent(match.epsilon, 0))
        strength = f"{strength}, {share}" if strength else share
    return {
        "player_mark": mark,
        "player_title": name,
        "strength": strength,
        "win_count": wins,
        "is_to_move": not state.is_over and match.player_to_move == player,
    }


def find_losing_move(
    state: MatchState, reviewed_moves: list[ReviewedMove]
) -> ReviewedMove | None:
    """Return the last blunder of a finished game, None if there was none.

    If a person did not win, it is the person's own last blunder, if possible.
    """
    if not state.is_over:
        return None
    side = state.match.person_side
    blunders = [move for move in reviewed_moves if move.is_blunder]
    if side is not None and get_result_name(state) != "win":
        own = [move for move in blunders if move.mark == MARKS[side]]
        blunders = own or blunders
    return blunders[-1] if blunders else None


def _describe_losing_move(state: MatchState, losing_move: ReviewedMove) -> str:
    match = state.match
    ply = losing_move.ply - 1
    player = get_mover(ply)
    words = gettext_noop("Move %(ply)s by %(who)s was a blunder: %(what)s.")
    if losing_move.is_random:
        words = gettext_noop(
            "Move %(ply)s by %(who)s, a random move, was a blunder: %(what)s."
        )
    elif match.is_human(player) and not match.is_human(-player):
        words = gettext_noop("Your move %(ply)s was a blunder: %(what)s.")
    who = MARKS[player]
    if not match.is_human(player) and (losing_move.is_own or losing_move.is_random):
        who = state.site.display_titles[match.get_player_name(player)]
    lost_value = player * int(state.site.solution.values[state.positions[ply]])
    what = gettext(LOST_RESULT_TEXTS[lost_value])
    return gettext(words, ply=losing_move.ply, who=who, what=what)


def summarize_game(state: MatchState, losing_move: ReviewedMove | None) -> str:
    match = state.match
    site = state.site
    if not losing_move:
        return gettext("No move was a blunder.")
    winner = GAME.get_result(state.position)
    ply = losing_move.ply - 1
    who = match.get_player_name(winner)
    erred = match.get_player_name(get_mover(ply))
    cell = state.played_cells[ply]
    words = gettext_noop("The game was a draw because move %(ply)s was a blunder.")
    if winner:
        words = gettext_noop("%(who)s won because move %(ply)s was a blunder.")
    value = ""
    if site.agents.contains_name(erred) and losing_move.is_own:
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
    return gettext(words, who=name, value=value, ply=losing_move.ply)


def build_shared_title(state: MatchState, reviewed_moves: list[ReviewedMove]) -> str:
    match = state.match
    titles = state.site.display_titles
    if match.is_human(X) and match.is_human(O):
        if state.is_over:
            return gettext("A game of tic-tac-toe, move by move")
        return gettext(
            "Which square would you play as %(mark)s?", mark=MARKS[match.player_to_move]
        )
    names = [titles[match.get_player_name(player)] for player in (X, O)]
    if match.person_side is None:
        return gettext(
            "%(x)s plays %(o)s: two programs that learned tic-tac-toe",
            x=names[0],
            o=names[1],
        )
    losing_move = find_losing_move(state, reviewed_moves)
    if losing_move and get_mover(losing_move.ply - 1) == match.person_side:
        story = summarize_game(state, losing_move)
        return gettext("Can you do better? %(story)s", story=story)
    agent = titles[match.get_player_name(-match.person_side)]
    blunders = [move.ply for move in reviewed_moves if move.is_blunder and move.is_own]
    own_plies = [ply for ply in blunders if get_mover(ply - 1) == -match.person_side]
    if own_plies and own_plies[0] <= len(match.shown_record):
        return gettext(
            "Can you beat %(agent)s? It blundered at move %(ply)s",
            agent=agent,
            ply=own_plies[0],
        )
    words = gettext_noop("Can you beat %(agent)s?")
    if not state.is_over and match.shown_record:
        words = gettext_noop("Can you beat %(agent)s from here?")
    return gettext(words, agent=agent)


def find_shown_value_source(state: MatchState) -> str:
    """Return the agent, or other source, of the board's values, even if they are hidden."""
    position = state.positions[find_shown_ply(state)]
    mover = int(GAME.to_move[position])
    return choose_value_source(state.match, state.site, mover)
