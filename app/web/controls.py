"""Where the controls of a board lead, what happens by itself, and the slider over a training.

The play page and a board in a frame have the same controls, each with addresses of its own.
"""

from math import ceil
from typing import NamedTuple

from flask import current_app
from msgspec.structs import replace
from numpy import float64
from numpy.typing import NDArray
from werkzeug.exceptions import Conflict

from app.tictactoe.game import O, X
from app.tictactoe.notation import undo
from app.tictactoe.policy import mix
from app.web import addresses
from app.web.addresses import Routes
from app.web.lens import lens_of, opinion_at, seen_ply, thinks
from app.web.match import MAX_TALLY, Match, Place
from app.web.numbers import updates
from app.web.world import World, kept

REPLY_DELAY = 0.4  # seconds until an agent answers a person
SNAPSHOT_DELAY = 0.7  # seconds that a snapshot of the training is shown
GAME_DELAY = 2.0  # seconds at least that a finished game stays before the next
CURVE_HEIGHT = 20  # of the curve behind the slider, which is 100 wide


class Controls(NamedTuple):
    """One address a control, "" where it can do nothing now."""

    reply: str  # one move by the agent in the seat, or by the lens in a person's place
    hint: str  # where a person plays an agent
    take_back: str
    new_game: str
    swap: str
    first: str
    back: str
    pause: str  # "" while paused
    play: str  # "" while playing
    step: str
    last: str
    offers_hint: bool  # whether the hint has the place of the agent's move


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
    marks: tuple[str, ...]  # how far training was at each, in words
    curve: str  # the points of a line: how many positions it blundered in by then
    step: int  # the one that is shown
    running: bool  # whether the page goes on to the next by itself
    toggle: str  # the address that runs through them, or stops

    @property
    def last(self) -> int:
        """The step at which training was over."""
        return len(self.marks) - 1


def links(place: Place, routes: Routes = addresses.ON_PAGE) -> Controls:
    """Return the address behind every control of a match."""
    match, over = replace(place.match, train=False, hint=False), place.over
    ply = len(match.shown)
    halted = replace(match, pause=match.pause or match.watched)
    reply = "" if over else routes.reply(match.go(match.shown))
    agent_reply = "" if match.is_human(match.to_move) else reply
    # Where nothing would ever move by itself there is nothing to pause.
    moving = match.watched and match.keep if over else not (match.is_human(X) and match.is_human(O))
    going = match.at_end and not match.pause
    asks = match.is_human(match.to_move) and not match.is_human(-match.to_move) and not over
    show = routes.show
    return Controls(
        reply=reply,
        hint=show(replace(match, hint=True)) if asks and not place.match.hint else "",
        take_back=_take_back(match, routes),
        new_game=show(next_game(place)),
        swap=show(_swapped(next_game(place) if over else match)),
        first=show(halted.at(0)) if ply else "",
        back=show(halted.at(ply - 1)) if ply else "",
        pause=show(replace(match, pause=True)) if moving and going else "",
        play=show(replace(match, ply=None, pause=False)) if moving and not going else "",
        step=show(halted.at(ply + 1)) if not match.at_end else agent_reply,
        last=show(replace(match, ply=None)) if not match.at_end else "",
        offers_hint=match.is_human(X) != match.is_human(O) and (asks or over or thinks(place)),
    )


def auto(place: Place, routes: Routes = addresses.ON_PAGE) -> Auto | None:
    """Return what happens by itself: a snapshot more, an agent's move, or the next game."""
    match = place.match
    if match.train and not place.over:
        return Auto(routes.show(next_snapshot(place)), SNAPSHOT_DELAY, "train")
    if thinks(place):
        seconds, stop = (match.delay, "pause") if match.watched else (REPLY_DELAY, "")
        return Auto(routes.reply(match), seconds, stop)
    if place.over and match.at_end and not match.pause and match.watched and match.keep:
        return Auto(routes.show(next_game(place)), max(match.delay, GAME_DELAY), "pause")
    return None


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


def reply_chances(place: Place) -> NDArray[float64]:
    """Chance of each cell to be played next, by the agent in the seat.

    Where a person sits it is the lens that plays, at the snapshot that is shown.
    """
    match, policies = place.match, place.world.policies
    if match.is_human(match.to_move):
        return opinion_at(place).policy
    seat = policies[match.seat(match.to_move)]
    return mix(seat[place.position], policies["random"][place.position], match.epsilon)


def replied(place: Place) -> Place:
    """Draw one move for the player to move, and return where the match stands after it.

    Raises Conflict if the game is over.
    """
    if place.over:
        ply = len(place.match.shown)
        raise Conflict(f"The game is over after {ply} moves: nobody is to move.")
    chances = reply_chances(place)
    return place.play(current_app.extensions["random"].choices(range(len(chances)), chances)[0])


def shown_lens(place: Place) -> str:
    """Return whose values the board shows, or would if they were not hidden."""
    ply = seen_ply(place)
    here = place.position if ply is None or place.over else place.positions[ply]
    to_move = place.match.to_move if place.over else int(place.world.game.to_move[here])
    return lens_of(place.match, place.world, to_move)


def snapshots(place: Place, lens: str) -> Snapshots | None:
    """Return the snapshots of the lens that a match shows; None for one that never learned.

    Running through them begins where the slider is, from its end at the untouched table.
    """
    match, world = place.match, place.world
    if not world.agents.knows(lens):
        return None
    start = replace(match, lens=lens, step=match.step or 0, train=True, hint=False)
    marks, curve = _training(world, lens)
    return Snapshots(
        lens=lens,
        title=world.titles[lens],
        marks=marks,
        curve=curve,
        step=world.whole_step(lens, match.step),
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


def _swapped(match: Match) -> Match:
    return replace(match, x=match.o, o=match.x, tally=match.tally[::-1])


def _take_back(match: Match, routes: Routes) -> str:
    """Undo up to the last choice of a person: with an agent's answer, if it has come."""
    if match.watched:
        return ""
    plies = 1 if match.is_human(-match.to_move) else 2
    if len(match.shown) < plies:
        return ""
    return routes.show(match.go(undo(match.shown, plies)))


@kept(64)
def _training(world: World, lens: str) -> tuple[tuple[str, ...], str]:
    """Return what each snapshot of an agent is called, and the curve of its blunders."""
    figures = world.agents[lens].card.figures
    *during, end = figures.updates
    marks = (
        *(f"after {updates(number)}" for number in during),
        f"trained: {updates(end)}",
    )
    across, most = 100 / max(1, len(during)), max(*figures.blunders, 1)
    curve = " ".join(
        f"{step * across:.3g},{CURVE_HEIGHT * (1 - number / most):.3g}"
        for step, number in enumerate(figures.blunders)
    )
    return marks, curve
