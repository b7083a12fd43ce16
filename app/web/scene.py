"""A match as a board shows it, on its page or in a frame: all that it says, and where it leads.

Its page and a frame have the same controls, each with addresses of its own.  What happens by itself
and the slider over a training belong to them.
"""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import numpy as np
from flask import current_app
from msgspec.structs import replace
from numpy.typing import NDArray
from werkzeug.exceptions import Conflict

from app.tictactoe.game import O, X, mover_at
from app.tictactoe.notation import MARKS, undo
from app.tictactoe.policy import mix
from app.tictactoe.views import heat, shown
from app.web import addresses, lens
from app.web.addresses import Routes
from app.web.language import gettext, marked, ngettext
from app.web.match import MAX_TALLY, Match, Place
from app.web.numbers import percent, short_name, signed, updates
from app.web.pictures.boards import Board, board
from app.web.text import NO_LONGER, Legend, character, headline_of, legend_of, squares, status
from app.web.world import HUMAN, TRUTH, World, is_moves, kept

REPLY_DELAY = 0.4  # seconds until an agent answers a person
SNAPSHOT_DELAY = 0.7  # seconds that a snapshot of the training is shown
GAME_DELAY = 2.0  # seconds at least that a finished game stays before the next
CURVE_HEIGHT = 20  # of the curve behind the slider, which is 100 wide
OVER = {
    -1: marked("The game is over: for %(mark)s a loss."),
    0: marked("The game is over: for %(mark)s a draw."),
    1: marked("The game is over: for %(mark)s a win."),
}
OPTIMAL = {
    -1: marked("For %(mark)s: %(agent)s estimates %(value)s; with optimal play it is a loss."),
    0: marked("For %(mark)s: %(agent)s estimates %(value)s; with optimal play it is a draw."),
    1: marked("For %(mark)s: %(agent)s estimates %(value)s; with optimal play it is a win."),
}


class Seat(NamedTuple):
    """One of the two who play."""

    mark: str
    name: str
    strength: str
    wins: int
    to_move: bool


class Action(NamedTuple):
    """Something to do next."""

    id: str
    label: str
    href: str
    key: str = ""
    kind: str = ""
    symbol: str = ""  # in place of the label, where there is little room


class Headline(NamedTuple):
    """What stands above the board."""

    headline: str
    caption: str
    actions: list[Action]


class Bar(NamedTuple):
    """What a position is worth to one side in heats, to a lens and with optimal play."""

    heat: int | None  # None where nothing is known
    truth: int | None  # None where values are hidden
    label: str


class Controls(NamedTuple):
    """One address a control, "" where it can do nothing now."""

    reply: str  # one move by the agent in the seat, or by the lens in a person's place
    hint: str  # where a person plays an agent, on the person's turn
    take_back: str
    new_game: str
    swap: str
    first: str
    back: str
    pause: str  # "" while paused
    play: str  # "" while playing
    step: str
    last: str


class Auto(NamedTuple):
    """What happens by itself, and after how many seconds."""

    href: str
    seconds: float
    stop: str = ""  # the control that stops it, where it goes on and on

    @property
    def whole_seconds(self) -> int:
        """The same where parts of a second do not count."""
        return ceil(self.seconds)


class Snapshots(NamedTuple):
    """A slider over the snapshots of one agent."""

    lens: str
    title: str
    how: str  # where its algorithm is explained
    marks: tuple[str, ...]  # how far training was at each, in words
    curve: str  # the points of a line: how many positions it blundered in by then
    step: int  # the one that is shown
    running: bool  # whether the page goes on to the next by itself
    toggle: str  # the address that runs through them, or stops

    @property
    def last(self) -> int:
        """The step at which training was over."""
        return len(self.marks) - 1


class Scene(NamedTuple):
    """A match where it stands."""

    says: Headline
    result: str  # "win", "draw" or "loss" at the end of a game, "" before
    status: str  # what is to be said to a screen reader; "" while nothing is
    board: Board
    bar: Bar
    opinion: lens.Opinion | None  # None where no values are shown
    ply: int | None  # whose decision the values are of
    legend: Legend | None  # likewise
    controls: Controls
    auto: Auto | None  # None while nothing happens by itself
    moves: list[lens.Move]
    blame: lens.Move | None  # the move that a finished game turned on, if it was a blunder

    @property
    def pause(self) -> int:
        """Milliseconds from a person's move until the answer to it is shown."""
        return round(1000 * REPLY_DELAY)


def scene(place: Place, routes: Routes = addresses.ON_PAGE) -> Scene:
    """Gather what is the same wherever the board of a match stands, but for where it leads."""
    match = place.match
    going_on, controls, played = auto(place, routes), links(place, routes), lens.moves(place)
    blame = losing_move(place)
    ply = lens.seen_ply(place)
    seen = None if match.hide or ply is None else lens.opinion_at(place, ply)
    legend = legend_of(place, seen) if seen else None
    return Scene(
        says=headline(place, controls, played, blame, legend, going_on is not None, routes.show),
        result=result(place),
        status=status(place, going_on is not None),
        board=board(
            place,
            seen,
            None if going_on else addresses.moves_of(match, routes.show),
            notes=lens.notes(place.world, seen, match.step, match.errors) if seen else None,
            more=expectations(place, seen),
            hinted=hinted(place),
            reply=addresses.moves_of(match, routes.reply) if answered(place) else None,
            held=ply != len(match.shown) and not place.over,
        ),
        bar=bar(place, seen),
        opinion=seen,
        ply=ply,
        legend=legend,
        controls=controls,
        auto=going_on,
        moves=played,
        blame=blame,
    )


def seats(place: Place) -> tuple[Seat, Seat]:
    """Say who plays X and who plays O."""
    return _seat(place, X), _seat(place, O)


def headline(
    place: Place,
    links: Controls,
    played: list[lens.Move],
    blame: lens.Move | None,
    legend: Legend | None,
    going_on: bool,
    show: Callable[[Match], str],
) -> Headline:
    """Say whose turn it is and what the colours are, and offer what is to be done."""
    match, titles = place.match, place.world.titles
    title, caption = headline_of(place), legend.caption if legend else ""
    if match.hide:
        caption = gettext("The values are hidden.")
    if place.over:
        title = gettext("Your turn") if match.replay else title
        return Headline(title, *_lesson(place, links, blame, show))
    mover, mark = titles[match.seat(match.to_move)], MARKS[match.to_move]
    if match.hint:
        best, sentence = hint(place)
        action = Action("play-hint", gettext("Play it"), show(match.play(best)), kind="primary")
        return Headline(gettext("Hint"), sentence, [action])
    if match.shown and played[len(match.shown) - 1].random:
        by_chance = gettext("%(mark)s’s move was random.", mark=MARKS[-match.to_move])
        caption = f"{by_chance} {caption}"
    if not match.at_end:
        shown, total = len(match.shown), len(match.record)
        where = f"{gettext('Move %(shown)s of %(total)s.', shown=shown, total=total)} {caption}"
        actions = [Action("now", gettext("To the end"), links.last, symbol="last")]
        if lens.viewer(match, place.world) not in (None, match.to_move):
            view = show(replace(match, view=mark.lower()))
            actions.insert(0, Action("view", gettext("View as %(mark)s", mark=mark), view))
        return Headline(title, where, actions)
    if match.pause and not match.is_human(match.to_move):
        words = marked("Let %(agent)s go on") if match.watched else marked("Let %(agent)s reply")
        action = Action("go-on", gettext(words, agent=mover), links.play, kind="primary")
        return Headline(gettext("Paused"), caption, [action])
    if going_on or not links.take_back:
        return Headline(title, caption, [])
    back = Action("take-back", gettext("Take back"), links.take_back, "u")
    return Headline(title, caption, [back])


def result(place: Place) -> str:
    """Say how a game ended for the person who played, or that a player won; "" before."""
    if not place.over:
        return ""
    outcome = place.world.game.result(place.position)
    side = lens.viewer(place.match, place.world)
    if place.match.watched or side is None:
        side = outcome
    return lens.OUTCOMES[outcome * side] if outcome else lens.OUTCOMES[0]


def hinted(place: Place) -> list[int]:
    """Return the cells of a hint: all that win as soon or lose as late as possible, or draw."""
    if not place.match.hint or place.over:
        return []
    return lens.opinion(place.world, place.position, TRUTH).plays


def hint(place: Place) -> tuple[int, str]:
    """Return the cell to play, and why: of equal moves the one that tempts the opponent most.

    That is the chance that the opponent blunders at once, then the share of blunders among all
    answers.
    """
    world, best = place.world, hinted(place)
    keeps = lens.opinion(world, place.position, TRUTH).truths[best[0]]
    scores = {cell: _temptation(place, cell) for cell in best}
    first = max(best, key=scores.__getitem__)
    if len({*scores.values()}) == 1:
        there = squares(world.game, best).capitalize()
        return first, gettext(
            "%(squares)s: %(result)s with optimal play.", squares=there, result=keeps
        )
    chance, share = scores[first]
    if not chance:
        words = marked("%(share)s%% of the answers are blunders")
    elif chance > 0.995:
        words = marked("%(agent)s then blunders")
    else:
        words = marked("%(agent)s then blunders in %(share)s%% of games")
    other = world.titles[place.match.seat(-place.match.to_move)]
    tempted = gettext(words, agent=other, share=percent(chance or share, 0))
    sentence = gettext(
        "%(square)s is the best of %(number)s equal moves: %(result)s, and %(tempted)s.",
        square=short_name(world.game, first).capitalize(),
        number=len(best),
        result=keeps,
        tempted=tempted,
    )
    return first, sentence


def _temptation(place: Place, cell: int) -> tuple[float, float]:
    """Return the chance of a blunder after a move, by the opponent and by any legal answer."""
    world, after = place.world, place.play(cell)
    if after.over:
        return 0.0, 0.0
    wrong = ~world.right[after.position]
    legal = world.game.legal[after.position]
    chances = (reply_chances(after), legal / legal.sum())
    return tuple(round(float(each[wrong].sum()), 6) for each in chances)  # type: ignore[return-value]


def bar(place: Place, seen: lens.Opinion | None) -> Bar:
    """Say what the position is worth to the side whose view is kept, else to X.

    After the end that is how the game ended, whatever a lens expected.
    """
    if seen is None:
        words = marked("The values are hidden.") if place.match.hide else marked("No value yet.")
        return Bar(None, None, gettext(words))
    side = lens.viewer(place.match, place.world) or X
    sign = side * int(place.world.game.to_move[seen.position])
    if place.over:
        ended = side * place.world.game.result(place.position)
        label = gettext(OVER[ended], mark=MARKS[side])
        return Bar(ended * lens.HEAT_STEPS, ended * lens.HEAT_STEPS, label)
    best_value = seen.best_value
    expected = None if best_value is None else np.array(sign * best_value)
    value = int(place.world.solution.value[seen.position])
    if seen.beads:
        expects = gettext("no result, it only has beads")
    elif is_moves(seen.lens):
        expects = gettext("nothing known")
    elif expected is None:
        expects = gettext("nothing yet")
    else:
        expects = signed(float(shown(expected)))
    who = place.world.titles[seen.lens]
    label = gettext(OPTIMAL[side * value], mark=MARKS[side], agent=who, value=expects)
    colour = None if expected is None else int(heat(expected, lens.HEAT_STEPS))
    return Bar(colour, side * value * lens.HEAT_STEPS, label)


def expectations(place: Place, seen: lens.Opinion | None) -> list[str] | None:
    """Say of each cell how often it was tried and which reply is expected, by cell."""
    if seen is None or place.match.step is not None or is_moves(seen.lens):
        return None
    world, game, position = place.world, place.world.game, seen.position
    replies, after = _replies(world, seen.lens), game.successor[position].tolist()
    agent = world.agents.find(seen.lens)
    tried = agent.visits[position].tolist() if agent else None
    answering, sentences = MARKS[-int(game.to_move[position])], []
    for cell, successor in enumerate(after):
        if successor < 0:
            sentences.append("")
            continue
        value = seen.truths[cell] if seen.exact else seen.spoken[cell] or seen.blank
        sentence = f"{short_name(game, cell).capitalize()}: {value}"
        if tried:
            times = ngettext("tried %(count)s time", "tried %(count)s times", tried[cell])
            sentence += f", {times}"
        if successor < len(replies) and not seen.beads:
            square = short_name(game, replies[successor])
            reply = gettext("expects %(mark)s at %(square)s", mark=answering, square=square)
            sentence += f"; {reply}"
        sentences.append(f"{sentence}.")
    return sentences


def _seat(place: Place, player: int) -> Seat:
    match, world = place.match, place.world
    who, mark = match.seat(player), MARKS[player]
    alone = who == HUMAN and not match.is_human(-player)
    name = gettext("You") if alone else world.titles[who]
    wins = match.tally[0 if player == X else 2]
    strength = gettext(character(world, who).strength or "human")
    if who != HUMAN and match.epsilon:
        share = percent(match.epsilon, 0)
        strength += ", " + gettext("%(share)s%% random", share=share)
    return Seat(
        mark=mark,
        name=name,
        strength=strength,
        wins=wins,
        to_move=not place.over and match.to_move == player,
    )


def losing_move(place: Place) -> lens.Move | None:
    """Return the last blunder of a finished game: the person's own, unless the person won."""
    if not place.over:
        return None
    side = None if place.match.watched else lens.viewer(place.match, place.world)
    lost = [move for move in lens.moves(place) if move.blunder]
    own = [move for move in lost if side is not None and move.mark == MARKS[side]]
    return next(reversed(lost if result(place) == "win" else own or lost), None)


def _lesson(
    place: Place, links: Controls, blame: lens.Move | None, show: Callable[[Match], str]
) -> tuple[str, list[Action]]:
    """Return what a finished game teaches, and where to go from it."""
    match = place.match
    if match.replay:
        yours = replace(match, pause=False, x=HUMAN if match.watched else match.x)
        action = Action("your-turn", gettext("Play it"), show(yours.go("")), kind="primary")
        return summed_up(place), [action]
    actions = [Action("rematch", gettext("Rematch"), links.new_game, kind="primary")]
    if links.take_back:
        back = gettext("Take back")
        actions.append(Action("take-back", back, links.take_back, "u", symbol="undo"))
    if not blame:
        return gettext("No move was a blunder."), actions
    before = match.at(blame.ply - 1)
    if lens.viewer(match, place.world) not in (None, mover_at(blame.ply - 1)):
        before = replace(before, view=blame.mark.lower())
    actions.insert(0, Action("show", gettext("Show me"), show(before)))
    worth = mover_at(blame.ply - 1) * int(
        place.world.solution.value[place.positions[blame.ply - 1]]
    )
    words = marked("Move %(ply)s was a blunder: %(what)s.")
    if blame.random:
        words = marked("Move %(ply)s, a random move, was a blunder: %(what)s.")
    return gettext(words, ply=blame.ply, what=gettext(NO_LONGER[worth])), actions


def summed_up(place: Place) -> str:
    """Say in a line what a finished game turned on, to people who did not play it."""
    match, world, blame = place.match, place.world, losing_move(place)
    if not blame:
        return gettext("No move was a blunder.")
    winner, ply = world.game.result(place.position), blame.ply - 1
    who, erred = match.seat(winner), match.seat(mover_at(ply))
    cell, words = place.cells[ply], marked("A draw, after a blunder: move %(ply)s.")
    if winner:
        words = marked("%(who)s won after a blunder: move %(ply)s.")
    value = ""
    if world.agents.knows(erred) and not blame.random:
        view = lens.opinion(world, place.positions[ply], erred)
        if view.known[cell] and not view.beads:
            who, value = erred, view.texts[cell]
            words = marked("%(who)s gave move %(ply)s the value %(value)s: a blunder.")
    named = MARKS[winner] if match.is_human(winner) and not value else world.titles[who]
    return gettext(words, who=named, value=value, ply=blame.ply)


@kept(64)
def _replies(world: World, name: str) -> bytes:
    """Return the cell that a lens is likeliest to play in each decision, [D]."""
    return bytes(world.policy(name).argmax(axis=1).tolist())


def links(place: Place, routes: Routes = addresses.ON_PAGE) -> Controls:
    """Return the address behind every control of a match."""
    match, over = replace(place.match, train=False, hint=False), place.over
    ply, replays = len(match.shown), match.replay and not match.at_end
    halted = replace(match, pause=match.pause or match.watched or match.replay)
    reply = "" if over else routes.reply(match.go(match.shown))
    agent_reply = "" if match.is_human(match.to_move) else reply
    # Where nothing would ever move by itself there is nothing to pause.
    moving = match.watched and match.keep if over else not (match.is_human(X) and match.is_human(O))
    moving = moving or replays
    going = (match.at_end or replays) and not match.pause
    onward = match if replays else match.at(len(match.record))
    asks = match.is_human(match.to_move) and not match.is_human(-match.to_move) and not over
    show, begun = routes.show, next_game(place) if over else match
    return Controls(
        reply=reply,
        hint=show(replace(match, hint=True, replay=False)) if asks and not place.match.hint else "",
        take_back=_take_back(match, show),
        new_game=show(next_game(place)),
        swap=show(replace(begun, x=begun.o, o=begun.x, tally=begun.tally[::-1])),
        first=show(halted.at(0)) if ply else "",
        back=show(halted.at(ply - 1)) if ply else "",
        pause=show(replace(match, pause=True)) if moving and going else "",
        play=show(replace(onward, pause=False)) if moving and not going else "",
        step=show(halted.at(ply + 1)) if not match.at_end else agent_reply,
        last=show(match.at(len(match.record))) if not match.at_end else "",
    )


def auto(place: Place, routes: Routes = addresses.ON_PAGE) -> Auto | None:
    """Return what happens by itself: a snapshot more, an agent's move, or the next game."""
    match = place.match
    if match.replay and not (match.at_end or match.pause or match.train):
        return Auto(routes.show(match.at(len(match.shown) + 1)), match.delay, "pause")
    if match.train and not place.over:
        return Auto(routes.show(next_snapshot(place)), SNAPSHOT_DELAY, "train")
    if lens.awaits_reply(place):
        seconds, stop = (match.delay, "pause") if match.watched else (REPLY_DELAY, "")
        return Auto(routes.reply(match), seconds, stop)
    if place.over and match.at_end and not match.pause and match.watched and match.keep:
        return Auto(routes.show(next_game(place)), max(match.delay, GAME_DELAY), "pause")
    return None


def answered(place: Place) -> bool:
    """Whether an agent answers at once to a move that is made where a match stands."""
    match = place.match
    return not (place.over or match.pause or match.is_human(-match.to_move))


def next_game(place: Place) -> Match:
    """Return the match at the start of another game; one that is over is counted.

    It never begins paused.
    """
    match = replace(place.match, pause=False)
    if not place.over:
        return match.go("")
    column = 1 - place.world.game.result(place.position)  # 0 X won, 1 draw, 2 O won
    tally = [min(n + (i == column), MAX_TALLY) for i, n in enumerate(match.tally)]
    return match.go("", tally=tuple(tally))


def reply_chances(place: Place) -> NDArray[np.float64]:
    """Chance of each cell to be played next, by the agent in the seat.

    Where a person sits it is the lens that plays, at the snapshot that is shown.
    """
    match, policies = place.match, place.world.policies
    if match.is_human(match.to_move):
        return lens.opinion_at(place).policy
    seat = policies[match.seat(match.to_move)]
    return mix(seat[place.position], policies["random"][place.position], match.epsilon)


def replied(place: Place) -> Place:
    """Draw one move for the player to move, and return where the match stands after it.

    Raises Conflict if the game is over.
    """
    if place.over:
        ply = len(place.match.shown)
        raise Conflict(f"The game is over after {ply} moves: no player is to move.")
    chances = reply_chances(place)
    return place.play(current_app.extensions["random"].choices(range(len(chances)), chances)[0])


def shown_lens(place: Place) -> str:
    """Return whose values the board shows, or would if they were not hidden."""
    ply = lens.seen_ply(place)
    here = place.position if ply is None or place.over else place.positions[ply]
    to_move = place.match.to_move if place.over else int(place.world.game.to_move[here])
    return lens.lens_of(place.match, place.world, to_move)


def snapshots(place: Place, name: str) -> Snapshots | None:
    """Return the snapshots of the lens that a match shows; None for one that never learned.

    Running through them begins where the slider is, from its end at the untouched table.
    """
    match, world = place.match, place.world
    if not world.agents.knows(name):
        return None
    start = replace(match, lens=name, step=match.step or 0, train=True, hint=False)
    marks, curve = _training(world, name)
    return Snapshots(
        lens=name,
        title=world.titles[name],
        how=addresses.how(world.agents[name].card.algorithm),
        marks=marks,
        curve=curve,
        step=world.whole_step(name, match.step),
        running=match.train,
        toggle=addresses.play(replace(match, train=False) if match.train else start),
    )


def next_snapshot(place: Place) -> Match:
    """Return the match one snapshot of its lens later; the last one is the agent as it is."""
    match = place.match
    step = (match.step or 0) + 1
    if step < place.world.last_step(match.lens):
        return replace(match, step=step)
    return replace(match, step=None, train=False)


def _take_back(match: Match, show: Callable[[Match], str]) -> str:
    """Undo up to the last choice of a person: with an agent's answer, if it has come."""
    if match.watched:
        return ""
    plies = 1 if match.is_human(-match.to_move) else 2
    if len(match.shown) < plies:
        return ""
    return show(match.go(undo(match.shown, plies)))


@kept(64, per_language=True)
def _training(world: World, name: str) -> tuple[tuple[str, ...], str]:
    """Return what each snapshot of an agent is called, and the curve of its blunders."""
    figures = world.agents[name].card.figures
    *during, end = figures.updates
    marks = (
        *(gettext("after %(updates)s", updates=updates(number)) for number in during),
        gettext("trained: %(updates)s", updates=updates(end)),
    )
    across, most = 100 / max(1, len(during)), max(*figures.blunders, 1)
    curve = " ".join(
        f"{step * across:.3g},{CURVE_HEIGHT * (1 - number / most):.3g}"
        for step, number in enumerate(figures.blunders)
    )
    return marks, curve
