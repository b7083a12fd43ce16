"""The values of moves, in a position and of a game, by a lens: an agent, optimal play or a task."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.recipes import LONGEST
from app.tictactoe.beads import beads, leanings
from app.tictactoe.game import O, X, mover_at
from app.tictactoe.notation import MARKS
from app.tictactoe.policy import Plays, policy_of
from app.tictactoe.views import DECIMALS, Worth, heat, on_scale, shown
from app.web import addresses
from app.web.language import gettext, marked
from app.web.match import Match, Place
from app.web.numbers import bead_count, beads_in_words, short_name, signed
from app.web.world import HUMAN, TASK, TIE_DECIMALS, TRUTH, World, is_moves, kept

HEAT_STEPS = 20  # from a draw to a win, and from a draw to a loss
OUTCOMES = {-1: marked("loss"), 0: marked("draw"), 1: marked("win")}
LEVELS = {1: marked("X wins"), 0: marked("draw"), -1: marked("O wins")}
IN_MOVES = {-1: marked("loss in %(moves)s"), 1: marked("win in %(moves)s")}
ONES = Worth()  # of optimal play: a loss is worth -1, a win 1
HEATS = range(-HEAT_STEPS, HEAT_STEPS + 1, HEAT_STEPS // 5)  # those that explain the colours
OFF = 0.1  # of the way from a draw to a win: by less a value is not off


class Note(NamedTuple):
    """What is true of a move, where that is to be said; "" where it is not."""

    text: str  # short, for a square
    label: str  # in full


NOTHING = Note("", "")


@dataclass(frozen=True, eq=False)
class Opinion:
    """One lens on one decision, cell by cell, in the mover's view; illegal moves mean nothing."""

    lens: str
    position: int  # of the decision
    values: NDArray[np.float64]  # [cells] in the units of the lens, NaN where illegal
    scaled: NDArray[np.float64]  # [cells] the same from -1, a loss or never, to +1, a win or always
    own: bool  # whether the texts are in the units of the lens, and not on the common scale
    policy: NDArray[np.float64]  # [cells] chance of each move where the lens plays
    known: list[bool]  # whether anything is known of the move
    texts: list[str]  # the value as it is shown; "" where it is not
    spoken: list[str]  # the same in words
    heat: list[int]  # of the value as it is shown: -HEAT_STEPS a loss, 0 a draw, HEAT_STEPS a win
    plays: list[int]  # the cells that it is likeliest to play
    best: list[bool]  # the same as stars: none where it knows nothing of any move
    truths: list[str]  # how the game ends after this move with optimal play: "win in 3", "draw"
    wrong: list[bool]  # whether the value is nearer to another outcome than to the true one
    blunders: list[bool]  # whether it is, and the move is a blunder
    blank: str  # what a cell of which nothing is known means
    beads: bool  # whether the values are beads: they say what is drawn, and expect no result

    @property
    def draws(self) -> bool:
        """Whether it may also play what it is less likely to play."""
        return bool(np.count_nonzero(self.policy) > len(self.plays))

    @property
    def best_value(self) -> float | None:
        """The highest value of all legal moves on the common scale, as minds are coloured.

        Moves that were never tried count too, for the agent plays one if its value is the highest.
        None for beads, which are no values, and where nothing is known of any move.
        """
        if self.beads or not any(self.known):
            return None
        return float(np.nanmax(self.scaled))

    @property
    def exact(self) -> bool:
        """Whether this is optimal play, and not an agent or its task."""
        return self.lens == TRUTH


def best_play(world: World, position: int) -> str:
    """Say what a decision is worth to the mover with optimal play: "win in 3", "draw"."""
    return outcome(world, position, int(world.best_play[position].argmax()))


def outcome(world: World, position: int, cell: int) -> str:
    """Say how the game ends for the mover after this move, with optimal play."""
    return _ended(world.endings.item(position, cell))


def lens_of(match: Match, world: World, to_move: int) -> str:
    """Return whose values to show: those asked for, else the mover's, else the other side's.

    Of a policy that is known by its moves alone these are shown.
    """
    candidates = (match.lens, match.seat(to_move), match.seat(-to_move))
    able = (name for name in candidates if is_moves(name) or world.is_lens(name))
    return next(able, world.lenses[0])


def viewer(match: Match, world: World) -> int | None:
    """Return whose view the board keeps through a game: +1 X's, -1 O's, None the player's to move.

    It is the person's, where one plays; where agents play each other, that of the lens, and X's if
    it does not sit at the board.  An earlier ply may be looked at in another.
    """
    if match.view and not match.at_end:
        return X if match.view == "x" else O
    people = [player for player in (X, O) if match.is_human(player)]
    if people:
        return None if len(people) == 2 else people[0]
    lens = match.lens.removesuffix(TASK) or match.x
    if not world.agents.knows(lens) and not match.lens:
        lens = match.o
    return O if lens == match.o and lens != match.x and world.agents.knows(lens) else X


def seen_ply(place: Place) -> int | None:
    """Return the ply whose decision colours the board; None where there was none to keep.

    While a reply is awaited it is the viewer's last one, and so it is after the game's end and
    where one steps back: nothing flashes in the other side's view.
    """
    here, side = len(place.match.shown), viewer(place.match, place.world)
    if place.match.at_end and not (place.over or awaits_reply(place)):
        return here
    ply = here - 1 if place.over else here
    if side is not None and mover_at(ply) != side:
        ply -= 1
    return ply if ply >= 0 else None


def awaits_reply(place: Place) -> bool:
    """Whether an agent is about to move by itself."""
    match = place.match
    return not (
        place.over
        or match.pause
        or match.train
        or not match.at_end
        or match.is_human(match.to_move)
    )


def opinion_at(place: Place, ply: int | None = None) -> Opinion:
    """Return the values of a match's lens where it stands, or at another ply of it."""
    position = place.position if ply is None else place.positions[ply]
    lens = lens_of(place.match, place.world, int(place.world.game.to_move[position]))
    return opinion(place.world, position, lens, place.match.step, place.match.own)


def opinion(
    world: World, position: int, lens: str, step: int | None = None, own: bool = False
) -> Opinion:
    """Return the values of a lens for the moves in a decision, at a snapshot or as shipped.

    Its values are written on the common scale, as they are coloured, or in its `own` units.
    Of a policy that is known by its moves alone: what it plays, and which of it is a blunder.
    """
    if is_moves(lens):
        return _played(world, position, lens)
    return _opinion(world, position, lens, step, own)


@kept(512, per_language=True)  # some 2 KB each; a game asks for the same ones at every move
def _opinion(world: World, position: int, lens: str, step: int | None, own: bool) -> Opinion:
    """Return the opinion of a lens that has values."""
    legal, worth = world.game.legal[position], world.worth(lens)
    if not world.agents.knows(lens):
        values = world.values(lens)[position]
        policy = (
            world.best_play[position]
            if lens == TRUTH
            else policy_of(values.round(TIE_DECIMALS), "greedy")
        )
        return weighed(world, position, lens, values, legal, policy, worth, own)
    learned, known = _learned(world, lens, step, position)
    shipped, plays = step is None, world.agents[lens].card.plays
    # A copy, so that what is kept here does not keep a whole policy.
    policy = world.policies[lens][position].copy() if shipped else policy_of(learned, plays)
    view = weighed(
        world,
        position,
        lens,
        values=learned.astype(np.float64),
        known=known,
        policy=policy,
        worth=worth,
        own=own,
        plays=plays,
        blank=gettext("never tried") if shipped else gettext("not tried yet"),
    )
    if view.beads:
        return view
    wrong = known & (np.rint(view.scaled) != world.truth[position])
    blunders = wrong & ~world.right[position]
    return replace(view, wrong=wrong.tolist(), blunders=blunders.tolist())


def weighed(
    world: World,
    position: int,
    lens: str,
    values: NDArray[np.float64],
    known: NDArray[np.bool_],
    policy: NDArray[np.float64],
    worth: Worth | None,
    own: bool = False,
    plays: Plays = "greedy",
    blank: str = "",
) -> Opinion:
    """Return the opinion of a lens with values, of which some are known, and a policy, all [cells].

    A star is where the lens plays.  If a move that it never tried is one of these, that is what it
    acts on, and the value is shown although it means nothing.  Without a `worth` they are beads.
    Whether the values err is not asked.
    """
    if worth is None:
        values, scaled = _box(world, position, values, plays)
    else:
        values = values + 0.0  # never -0.0
        scaled = on_scale(values, worth, int(world.game.to_move[position]))
    liked = policy if worth else scaled  # squares that are one move share its beads
    likeliest = liked == np.fmax.reduce(liked)
    best = likeliest & known.any()
    written = values if own or worth is None else shown(scaled)
    decimals = 0 if lens == TRUTH else DECIMALS
    texts = [
        (signed(value, decimals) if worth else bead_count(value)) if is_shown else ""
        for value, is_shown in zip(written.tolist(), (known | best).tolist(), strict=True)
    ]
    return Opinion(
        lens=lens,
        position=position,
        values=values,
        scaled=scaled,
        own=own,
        policy=policy,
        known=known.tolist(),
        texts=texts,
        spoken=texts
        if worth
        else [
            beads_in_words(value) if text else ""
            for value, text in zip(values.tolist(), texts, strict=True)
        ],
        heat=np.nan_to_num(heat(scaled, HEAT_STEPS)).astype(np.int8).tolist(),
        plays=np.flatnonzero(likeliest).tolist(),
        best=best.tolist(),
        truths=_truths(world, position),
        wrong=[False] * world.game.cells,
        blunders=[False] * world.game.cells,
        blank=blank,
        beads=worth is None,
    )


def _played(world: World, position: int, lens: str) -> Opinion:
    """Return what a policy plays that is known by its moves alone; not kept: its name is long."""
    policy = world.policies[lens][position].copy()
    plays, nothing = policy > 0, np.full(world.game.cells, np.nan)
    blunders = (plays & ~world.right[position]).tolist()
    view = weighed(world, position, lens, nothing, np.isfinite(nothing), policy, ONES)
    return replace(view, best=plays.tolist(), wrong=blunders, blunders=blunders)


def can_blunder(place: Place, view: Opinion) -> bool:
    """Whether one of the moves that a lens plays there is a blunder."""
    return bool((view.policy > 0)[~place.world.right[place.position]].any())


def notes(world: World, view: Opinion, step: int | None, errors: str) -> list[Note]:
    """Return what is to be said of each cell beside its value.

    Of optimal play that is all it says.  Of others it is said where their value errs: `errors`
    is "" for blunders alone, "truth" for all values that are nearer to another outcome than to the
    true one, "task" for those that are off the exact ones of the agent's training task, and "none".
    """
    if view.exact:
        return [Note(truth, truth) for truth in view.truths]
    if errors == "task":
        values = off_task(world, view.position, view.lens, step, view.own)
        return [
            Note(
                gettext("task: %(value)s", value=value),
                gettext("task: %(value)s, in its training", value=value),
            )
            if value
            else NOTHING
            for value in values
        ]
    if errors == "none":
        return [NOTHING] * len(view.texts)
    results = np.sign(world.endings[view.position]).tolist()
    erring = view.wrong if errors == "truth" else view.blunders
    return [
        Note(_optimal(gettext(OUTCOMES[result])), _optimal(truth)) if wrong else NOTHING
        for wrong, result, truth in zip(erring, results, view.truths, strict=True)
    ]


def _optimal(result: str) -> str:
    return gettext("optimal: %(result)s", result=result)


@kept(256, per_language=True)
def off_task(
    world: World, position: int, lens: str, step: int | None = None, own: bool = False
) -> list[str]:
    """Return the value that an agent's task gives each cell whose own is off by OFF or more.

    "" stands for all other cells; every one of them where the lens has no task.
    """
    if not world.is_task_lens(lens + TASK):
        return [""] * world.game.cells
    learned = opinion(world, position, lens, step)
    asked = opinion(world, position, lens + TASK, None, own)
    off = np.abs(learned.scaled - asked.scaled) >= OFF
    return [
        text if known and bad else ""
        for text, known, bad in zip(asked.texts, learned.known, off.tolist(), strict=True)
    ]


def _box(
    world: World, position: int, row: NDArray[np.float64], plays: Plays
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the beads of each move in a decision, [cells], and how the box leans to it."""
    legal = world.game.legal[position]
    pairs = slice(*world.game.pair_start[position : position + 2])
    held, leaning = np.full((2, len(legal)), np.nan)
    held[legal] = beads(world.game, row[legal], plays, pairs)
    leaning[legal] = leanings(world.game, held[legal], position)
    return held, leaning


def _learned(
    world: World, name: str, step: int | None, position: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return an agent's values of a decision, [cells], and of which it knows anything."""
    agent, legal = world.agents[name], world.game.legal[position]
    pairs = slice(*world.game.pair_start[position : position + 2])
    known = np.zeros(len(legal), np.bool_)
    known[legal] = world.known(name, -1 if step is None else step, pairs)
    if step is None:
        return agent.q[position], known
    values = np.full(len(legal), np.nan, np.float32)
    values[legal] = agent.history.values(step, pairs)
    return values, known


def _truths(world: World, position: int) -> list[str]:
    legal, endings = world.game.legal[position].tolist(), world.endings[position].tolist()
    return [_ended(plies) if free else "" for plies, free in zip(endings, legal, strict=True)]


def _ended(plies: int) -> str:
    if not plies:
        return gettext(OUTCOMES[0])
    return gettext(IN_MOVES[1 if plies > 0 else -1], moves=abs(plies))


class Move(NamedTuple):
    """One ply."""

    ply: int
    mark: str
    name: str  # of its square
    text: str  # what the lens expected of it, in the mover's view; "" where it never tried
    spoken: str  # the same in words
    heat: int | None  # the colour of what it expected, in the mover's view
    before: str  # what the position was worth to the mover with optimal play: "win in 3", "draw"
    after: str  # and what was left of that
    blunder: bool  # whether it lowered the minimax value of the game
    truth: int  # the value after it in X's view, -1, 0 or +1
    expected: float | None  # what the lens expected, in X's view from -1 to +1; beads nothing
    random: bool = False  # whether its agent never plays it, but for a random move
    href: str = ""
    shown: bool = False  # whether the board shows the position after it


def moves(place: Place) -> list[Move]:
    """List the whole record."""
    world, match, address = place.world, place.match, addresses.plies_of(place.match)
    lenses = {player: lens_of(match, world, player) for player in (X, O)}
    listed = []
    for ply, (position, cell) in enumerate(zip(place.positions, place.cells, strict=False), 1):
        lens = lenses[mover_at(ply - 1)]
        judge = _judge if len(lens) > LONGEST else _judged  # long names would fill the cache
        move = judge(world, position, ply, cell, lens, match.step, match.own)
        seat = match.seat(mover_at(ply - 1))
        explores = match.epsilon > 0 and seat != HUMAN
        random = explores and not world.policies[seat][position, cell] > 0
        listed.append(
            move._replace(href=address(ply), shown=ply == len(match.shown), random=random)
        )
    return listed


def _judge(
    world: World, position: int, ply: int, cell: int, lens: str, step: int | None, own: bool
) -> Move:
    """Return a move as it is in every match with this lens: one that leads nowhere."""
    to_move = int(world.game.to_move[position])
    view = opinion(world, position, lens, step, own)
    known = view.known[cell]
    return Move(
        ply=ply,
        mark=MARKS[to_move],
        name=short_name(world.game, cell),
        text=view.texts[cell] if known else "",
        spoken=view.spoken[cell] if known else "",
        heat=view.heat[cell] if known else None,
        before=best_play(world, position),
        after=outcome(world, position, cell),
        blunder=not world.right[position, cell],
        truth=to_move * int(world.truth[position, cell]),
        expected=to_move * float(view.scaled[cell]) if known and not view.beads else None,
    )


# Some 1 KB each; a game asks for its earlier ones at every move.
_judged = kept(4096, per_language=True)(_judge)


def label_of(listed: Sequence[Move]) -> str:
    """Write what the list says, for visitors who cannot see the picture."""
    plies = [f"{move.ply}. {gettext(LEVELS[move.truth])}, {_thought(move)}" for move in listed]
    words = gettext("After each move: how the game ends with optimal play.")
    return f"{words} {'; '.join(plies)}."


def _thought(move: Move) -> str:
    if move.text and move.expected is None:
        return gettext("%(mark)s had %(beads)s for it", mark=move.mark, beads=move.spoken)
    value = move.text or gettext("nothing yet")
    return gettext("%(mark)s expected %(value)s", mark=move.mark, value=value)
