"""The view of a match, on its own page or in a frame: position, texts and links."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from app.tictactoe.game import O, X, get_mover
from app.tictactoe.notation import MARKS
from app.tictactoe.views import compute_heat, round_for_display
from app.web import move_values, urls
from app.web.formatting import (
    format_percent,
    format_signed,
    format_updates,
    name_square_briefly,
)
from app.web.game_review import ReviewedMove, review_moves
from app.web.hint import (
    build_hint,
    explain_blunder,
    find_explained_blunder,
    list_hint_cells,
    note_blunder,
)
from app.web.match import Match, MatchState
from app.web.match_controls import (
    REPLY_DELAY,
    Auto,
    Controls,
    count_results,
    is_answered,
    plan_automatic_step,
)
from app.web.move_values import (
    MoveValues,
    Note,
    build_notes,
    choose_lens,
    evaluate_match,
    evaluate_moves,
    find_shown_ply,
    find_viewing_side,
)
from app.web.pictures.boards import Board, PlayOptions, lay_out_board
from app.web.site_data import HUMAN, SiteData, cached_per_site, is_moves
from app.web.translation import gettext, gettext_noop, ngettext
from app.web.urls import Routes, move_urls
from app.web.wording import (
    NO_LONGER,
    Legend,
    build_legend,
    describe_character,
    describe_status,
    describe_turn,
)

OVER = {
    -1: gettext_noop("The game is over: for %(mark)s a loss."),
    0: gettext_noop("The game is over: for %(mark)s a draw."),
    1: gettext_noop("The game is over: for %(mark)s a win."),
}
OPTIMAL = {
    -1: gettext_noop(
        "For %(mark)s: %(agent)s estimates %(value)s; with optimal play it is a loss."
    ),
    0: gettext_noop(
        "For %(mark)s: %(agent)s estimates %(value)s; with optimal play it is a draw."
    ),
    1: gettext_noop(
        "For %(mark)s: %(agent)s estimates %(value)s; with optimal play it is a win."
    ),
}


class Seat(NamedTuple):
    """A player, as shown above the board."""

    mark: str
    name: str
    strength: str
    wins: int
    to_move: bool


class Action(NamedTuple):
    """A button that is offered above the board."""

    id: str
    label: str
    href: str
    key: str = ""
    kind: str = ""
    symbol: str = ""  # icon that replaces the label on small screens


class Headline(NamedTuple):
    """The texts and buttons above the board."""

    headline: str
    caption: str
    actions: list[Action]


class Bar(NamedTuple):
    """The value of a position for a side, by the value source and with optimal play."""

    heat: int | None  # None if no value is known
    truth: int | None  # None if values are hidden
    label: str


class MatchView(NamedTuple):
    """A match at the position shown, with everything that its board displays."""

    says: Headline
    result: str  # "win", "draw" or "loss"; "" before the end
    status: str  # announcement for screen readers, "" for none
    board: Board
    bar: Bar
    opinion: MoveValues | None  # None if no values are shown
    ply: int | None  # ply of the position with the values shown
    legend: Legend | None  # None if no values are shown
    controls: Controls
    auto: Auto | None  # None if nothing happens automatically
    moves: list[ReviewedMove]
    blame: ReviewedMove | None  # the blunder that decided a finished game

    @property
    def pause(self) -> int:
        """Milliseconds from a person's move until the reply is shown."""
        return round(1000 * REPLY_DELAY)


def build_match_view(state: MatchState, routes: Routes = urls.ON_PAGE) -> MatchView:
    """Return the view of a match with links to `routes`."""
    match = state.match
    auto = plan_automatic_step(state, routes)
    controls = Controls(state, routes)
    played = review_moves(state)
    blame = find_losing_move(state)
    ply = find_shown_ply(state)
    values = None if match.hide or ply is None else evaluate_match(state, ply)
    legend = build_legend(state, values) if values else None
    return MatchView(
        says=build_headline(
            state, controls, played, blame, legend, auto is not None, routes.show
        ),
        result=name_result(state),
        status=describe_status(state, auto is not None),
        board=lay_out_board(
            state,
            values,
            None if auto else move_urls(match, routes.show),
            notes=_note_squares(state, values) if values else None,
            play=PlayOptions(
                more=describe_cells(state, values),
                hinted=list_hint_cells(state),
                reply=move_urls(match, routes.reply) if is_answered(state) else None,
                held=ply != len(match.shown) and not state.over,
            ),
        ),
        bar=build_bar(state, values),
        opinion=values,
        ply=ply,
        legend=legend,
        controls=controls,
        auto=auto,
        moves=played,
        blame=blame,
    )


def _note_squares(state: MatchState, values: MoveValues) -> list[Note]:
    """Return the note on each square: on the explained blunder, or on wrong values."""
    blunder = find_explained_blunder(state)
    if blunder is not None:
        return note_blunder(state, blunder)
    return build_notes(state.site, values, state.match.step, state.match.errors)


def describe_seats(state: MatchState) -> tuple[Seat, Seat]:
    """Return the players of X and O."""
    return _describe_seat(state, X), _describe_seat(state, O)


def build_headline(
    state: MatchState,
    links: Controls,
    played: list[ReviewedMove],
    blame: ReviewedMove | None,
    legend: Legend | None,
    going_on: bool,
    show: Callable[[Match], str],
) -> Headline:
    """Return the turn or the result, the meaning of the colours, and the offered actions."""
    match = state.match
    title = describe_turn(state)
    caption = legend.caption if legend else ""
    if match.hide:
        caption = gettext("The values are hidden.")
    if state.over:
        title = gettext("Your turn") if match.replay else title
        return Headline(title, *_build_final_caption(state, links, blame, show))
    if match.hint:
        return _build_hint_headline(state, links, show)
    if match.shown and played[len(match.shown) - 1].random:
        by_chance = gettext("%(mark)s’s move was random.", mark=MARKS[-match.to_move])
        caption = f"{by_chance} {caption}"
    if not match.at_end:
        return _build_earlier_headline(state, links, title, caption, show)
    if match.pause and not match.is_human(match.to_move):
        return _build_pause_headline(state, links, caption)
    if going_on or not links.take_back:
        return Headline(title, caption, [])
    back = Action("take-back", gettext("Take back"), links.take_back, "u")
    return Headline(title, caption, [back])


def _build_hint_headline(
    state: MatchState, links: Controls, show: Callable[[Match], str]
) -> Headline:
    """Return the texts and buttons of a hint, or of a blunder of the record."""
    blunder = find_explained_blunder(state)
    if blunder is not None:
        ply = len(state.match.shown) + 1
        title = gettext("Move %(ply)s was a blunder", ply=ply)
        action = Action("now", gettext("To the end"), links.last, symbol="last")
        return Headline(title, explain_blunder(state, blunder), [action])
    best, sentence = build_hint(state)
    url = show(state.match.play(best))
    action = Action("play-hint", gettext("Play it"), url, kind="primary")
    return Headline(gettext("Hint"), sentence, [action])


def _build_earlier_headline(
    state: MatchState,
    links: Controls,
    title: str,
    caption: str,
    show: Callable[[Match], str],
) -> Headline:
    """Return the headline of an earlier position, with the way to the end of the record."""
    match = state.match
    shown = len(match.shown)
    total = len(match.record)
    where = gettext("Move %(shown)s of %(total)s.", shown=shown, total=total)
    actions = [Action("now", gettext("To the end"), links.last, symbol="last")]
    if find_viewing_side(match, state.site) not in (None, match.to_move):
        mark = MARKS[match.to_move]
        view = show(replace(match, view=mark.lower()))
        label = gettext("View as %(mark)s", mark=mark)
        actions.insert(0, Action("view", label, view))
    return Headline(title, f"{where} {caption}", actions)


def _build_pause_headline(state: MatchState, links: Controls, caption: str) -> Headline:
    """Return the headline of a paused match, with the action that lets the agent go on."""
    match = state.match
    words = (
        gettext_noop("Let %(agent)s go on")
        if match.watched
        else gettext_noop("Let %(agent)s reply")
    )
    mover = state.site.titles[match.seat(match.to_move)]
    action = Action("go-on", gettext(words, agent=mover), links.play, kind="primary")
    return Headline(gettext("Paused"), caption, [action])


def name_result(state: MatchState) -> str:
    """Return the result for the person: "win", "draw" or "loss"; "" before the end of the game.

    A won game between two people or between two agents is a "win".
    """
    if not state.over:
        return ""
    outcome = state.site.game.result(state.position)
    side = find_viewing_side(state.match, state.site)
    if state.match.watched or side is None:
        side = outcome
    return move_values.OUTCOMES[outcome * side] if outcome else move_values.OUTCOMES[0]


def build_bar(state: MatchState, values: MoveValues | None) -> Bar:
    """Return the value of the position in the viewer's view, or in X's view without a viewer.

    After the end of the game the bar shows the result.
    """
    if values is None:
        words = (
            gettext_noop("The values are hidden.")
            if state.match.hide
            else gettext_noop("No value yet.")
        )
        return Bar(None, None, gettext(words))
    side = find_viewing_side(state.match, state.site) or X
    sign = side * int(state.site.game.to_move[values.position])
    if state.over:
        ended = side * state.site.game.result(state.position)
        label = gettext(OVER[ended], mark=MARKS[side])
        return Bar(
            ended * move_values.HEAT_STEPS, ended * move_values.HEAT_STEPS, label
        )
    best_value = values.best_value
    expected = None if best_value is None else np.array(sign * best_value)
    value = int(state.site.solution.value[values.position])
    if values.beads:
        expects = gettext("no result, it only has beads")
    elif is_moves(values.lens):
        expects = gettext("nothing known")
    elif expected is None:
        expects = gettext("nothing yet")
    else:
        expects = format_signed(float(round_for_display(expected)))
    who = state.site.titles[values.lens]
    label = gettext(OPTIMAL[side * value], mark=MARKS[side], agent=who, value=expects)
    colour = (
        None
        if expected is None
        else int(compute_heat(expected, move_values.HEAT_STEPS))
    )
    return Bar(colour, side * value * move_values.HEAT_STEPS, label)


def describe_cells(state: MatchState, seen: MoveValues | None) -> list[str] | None:
    """Return a sentence for each cell: its value, its number of updates, the expected reply."""
    if seen is None or state.match.step is not None or is_moves(seen.lens):
        return None
    site = state.site
    game = state.site.game
    position = seen.position
    replies = _list_likeliest_moves(site, seen.lens)
    after = game.successor[position].tolist()
    agent = site.agents.find(seen.lens)
    tried = agent.visits[position].tolist() if agent else None
    answering = MARKS[-int(game.to_move[position])]
    sentences = []
    for cell, successor in enumerate(after):
        if successor < 0:
            sentences.append("")
            continue
        value = seen.truths[cell] if seen.exact else seen.spoken[cell] or seen.blank
        sentence = f"{name_square_briefly(game, cell).capitalize()}: {value}"
        if tried:
            times = ngettext(
                "tried %(count)s time", "tried %(count)s times", tried[cell]
            )
            sentence += f", {times}"
        if successor < len(replies) and not seen.beads:
            square = name_square_briefly(game, replies[successor])
            reply = gettext(
                "expects %(mark)s at %(square)s", mark=answering, square=square
            )
            sentence += f"; {reply}"
        sentences.append(f"{sentence}.")
    return sentences


def _describe_seat(state: MatchState, player: int) -> Seat:
    match = state.match
    site = state.site
    player_id = match.seat(player)
    mark = MARKS[player]
    is_only_person = player_id == HUMAN and not match.is_human(-player)
    name = gettext("You") if is_only_person else site.titles[player_id]
    wins = count_results(state)[0 if player == X else 2]
    strength = gettext(describe_character(site, player_id).strength or "human")
    step = match.seat_step(player)
    if step is not None:
        updates = format_updates(site.agents[player_id].card.figures.updates[step])
        strength = gettext("after %(updates)s", updates=updates)
    if player_id != HUMAN and match.epsilon:
        share = format_percent(match.epsilon, 0)
        strength += ", " + gettext("%(share)s%% random", share=share)
    return Seat(
        mark=mark,
        name=name,
        strength=strength,
        wins=wins,
        to_move=not state.over and match.to_move == player,
    )


def find_losing_move(state: MatchState) -> ReviewedMove | None:
    """Return the last blunder of a finished game: the person's own, unless the person won."""
    if not state.over:
        return None
    side = None if state.match.watched else find_viewing_side(state.match, state.site)
    blunders = [move for move in review_moves(state) if move.blunder]
    own = [move for move in blunders if side is not None and move.mark == MARKS[side]]
    return next(
        reversed(blunders if name_result(state) == "win" else own or blunders), None
    )


def _build_final_caption(
    state: MatchState,
    links: Controls,
    blame: ReviewedMove | None,
    show: Callable[[Match], str],
) -> tuple[str, list[Action]]:
    """Return the sentence on the decisive blunder of a finished game, and the next actions."""
    match = state.match
    if match.replay:
        yours = replace(match, pause=False, x=HUMAN if match.watched else match.x)
        action = Action(
            "your-turn", gettext("Play it"), show(yours.go("")), kind="primary"
        )
        return summarise_game(state), [action]
    actions = [Action("rematch", gettext("Rematch"), links.new_game, kind="primary")]
    if links.take_back:
        back = gettext("Take back")
        actions.append(Action("take-back", back, links.take_back, "u", symbol="undo"))
    if not blame:
        return gettext("No move was a blunder."), actions
    before = replace(match.at(blame.ply - 1), hint=True)
    if find_viewing_side(match, state.site) not in (None, get_mover(blame.ply - 1)):
        before = replace(before, view=blame.mark.lower())
    actions.insert(0, Action("show", gettext("Show me"), show(before)))
    worth = get_mover(blame.ply - 1) * int(
        state.site.solution.value[state.positions[blame.ply - 1]]
    )
    player = get_mover(blame.ply - 1)
    words = gettext_noop("Move %(ply)s by %(who)s was a blunder: %(what)s.")
    if blame.random:
        words = gettext_noop(
            "Move %(ply)s by %(who)s, a random move, was a blunder: %(what)s."
        )
    elif match.is_human(player) and not match.is_human(-player):
        words = gettext_noop("Your move %(ply)s was a blunder: %(what)s.")
    who = MARKS[player]
    if not match.is_human(player):
        who = state.site.titles[match.seat(player)]
    sentence = gettext(words, ply=blame.ply, who=who, what=gettext(NO_LONGER[worth]))
    return sentence, actions


def summarise_game(state: MatchState) -> str:
    """Return a sentence on a finished game, for the shared picture."""
    match = state.match
    site = state.site
    blame = find_losing_move(state)
    if not blame:
        return gettext("No move was a blunder.")
    winner = site.game.result(state.position)
    ply = blame.ply - 1
    who = match.seat(winner)
    erred = match.seat(get_mover(ply))
    cell = state.cells[ply]
    words = gettext_noop("A draw, after a blunder: move %(ply)s.")
    if winner:
        words = gettext_noop("%(who)s won after a blunder: move %(ply)s.")
    value = ""
    if site.agents.knows(erred) and not blame.random:
        step = match.seat_step(get_mover(ply))
        view = evaluate_moves(site, state.positions[ply], erred, step)
        if view.known[cell] and not view.beads:
            who = erred
            value = view.texts[cell]
            words = gettext_noop(
                "%(who)s gave move %(ply)s the value %(value)s: a blunder."
            )
    name = MARKS[winner] if match.is_human(winner) and not value else site.titles[who]
    return gettext(words, who=name, value=value, ply=blame.ply)


@cached_per_site(64)
def _list_likeliest_moves(site: SiteData, name: str) -> bytes:
    """Return the cell that a source is most likely to play in each decision, [D]."""
    return bytes(site.get_policy(name).argmax(axis=1).tolist())


def find_shown_lens(state: MatchState) -> str:
    """Return the value source of the board, even if values are hidden."""
    ply = find_shown_ply(state)
    position = state.position if ply is None or state.over else state.positions[ply]
    to_move = (
        state.match.to_move if state.over else int(state.site.game.to_move[position])
    )
    return choose_lens(state.match, state.site, to_move)
