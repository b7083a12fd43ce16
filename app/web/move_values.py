"""The values of the moves in a position by a value source.

A value source, `lens` in URLs, is an agent, optimal play, or the exact solution of an agent's
training task.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.beads import compute_preferences, count_beads
from app.tictactoe.game import O, X, get_mover
from app.tictactoe.policy import Plays, policy_from_values
from app.tictactoe.views import (
    DECIMALS,
    RewardScale,
    compute_heat,
    round_for_display,
    scale_values,
)
from app.web.formatting import format_beads, format_signed, spell_beads
from app.web.match import Match, MatchState
from app.web.site_data import (
    TASK,
    TIE_DECIMALS,
    TRUTH,
    SiteData,
    cached_per_site,
    is_moves,
)
from app.web.translation import gettext, gettext_noop

HEAT_STEPS = 20  # number of colours from a draw to a win, and from a draw to a loss
OUTCOMES = {-1: gettext_noop("loss"), 0: gettext_noop("draw"), 1: gettext_noop("win")}
IN_MOVES = {-1: gettext_noop("loss in %(moves)s"), 1: gettext_noop("win in %(moves)s")}
ONES = RewardScale()  # rewards of optimal play: loss -1, draw 0, win 1
# the colours shown in the legend
HEATS = range(-HEAT_STEPS, HEAT_STEPS + 1, HEAT_STEPS // 5)
OFF = 0.1  # smallest difference from the training task that counts, on the common scale


class Note(NamedTuple):
    """The text beside the value of a move; "" for no text."""

    text: str  # short form, for a square
    label: str  # long form, for screen readers
    short: str = ""  # shortest form, for a very small square; "" for the short form


NOTHING = Note("", "")


@dataclass(frozen=True, eq=False)
class MoveValues:
    """The values of all moves in a position by a value source, in the mover's view.

    Arrays and lists have an entry for each cell; entries of illegal moves have no meaning.
    """

    lens: str
    position: int  # number of a non-terminal position
    values: NDArray[np.float64]  # [cells] in the source's units, NaN where illegal
    scaled: NDArray[np.float64]  # [cells] on the common scale from -1 to +1
    own: bool  # whether texts are in the source's units, else on the common scale
    # [cells] probability of each move when the source plays
    policy: NDArray[np.float64]
    known: list[bool]  # whether training updated the value
    texts: list[str]  # the value as shown; "" if it is not shown
    spoken: list[str]  # the value in words, for screen readers
    heat: list[int]  # colour: -HEAT_STEPS is a loss, 0 a draw, HEAT_STEPS a win
    plays: list[int]  # the cells with the highest probability
    best: list[bool]  # whether a star marks the cell; no stars without known values
    truths: list[str]  # result with optimal play after the move: "win in 3", "draw"
    wrong: list[bool]  # whether the value is nearest to a wrong result
    blunders: list[bool]  # whether the value is wrong and the move is a blunder
    blank: str  # text for cells with an unknown value
    beads: bool  # whether the values are numbers of beads, not expected results

    @property
    def draws(self) -> bool:
        """Whether the policy also plays moves that are not the likeliest."""
        return bool(np.count_nonzero(self.policy) > len(self.plays))

    @property
    def best_value(self) -> float | None:
        """The highest value of all legal moves on the common scale.

        Moves without an update count too, because the agent plays the move with the highest value.
        None for beads, which are no values, and if no value is known.
        """
        if self.beads or not any(self.known):
            return None
        return float(np.nanmax(self.scaled))

    @property
    def exact(self) -> bool:
        """Whether this is optimal play, and not an agent or its task."""
        return self.lens == TRUTH


def describe_best_play(site: SiteData, position: int) -> str:
    """Return the value of a position for the mover with optimal play: "win in 3", "draw"."""
    return describe_outcome(site, position, int(site.best_play[position].argmax()))


def describe_outcome(site: SiteData, position: int, cell: int) -> str:
    """Return the result for the mover after a move, with optimal play: "loss in 2", "draw"."""
    return _format_result(site.endings.item(position, cell))


def choose_lens(match: Match, site: SiteData, to_move: int) -> str:
    """Return the value source to show: the source in the URL, else the mover, else the opponent.

    A policy that is named by its moves can be a source too: its moves are shown.
    """
    candidates = (match.lens, match.seat(to_move), match.seat(-to_move))
    sources = (name for name in candidates if is_moves(name) or site.is_lens(name))
    return next(sources, site.lenses[0])


def find_viewing_side(match: Match, site: SiteData) -> int | None:
    """Return the viewer, the side with the fixed point of view: +1 for X, -1 for O.

    The viewer is the person, and in games between agents the value source, or X if the source does
    not play. None stands for the player to move at each ply. A URL can choose the view of the other
    side for an earlier ply.
    """
    if match.view and not match.at_end:
        return X if match.view == "x" else O
    people = [player for player in (X, O) if match.is_human(player)]
    if people:
        return None if len(people) == 2 else people[0]
    lens = match.lens.removesuffix(TASK) or match.x
    if not site.agents.knows(lens) and not match.lens:
        lens = match.o
    return O if lens == match.o and lens != match.x and site.agents.knows(lens) else X


def find_shown_ply(state: MatchState) -> int | None:
    """Return the ply with the values to show, None if there is no such ply.

    During a pending reply, after the end, and at earlier positions, the values of the viewer's
    last ply stay, so that the board never changes to the view of the other side.
    """
    current = len(state.match.shown)
    side = find_viewing_side(state.match, state.site)
    if state.match.at_end and not (state.over or is_reply_pending(state)):
        return current
    ply = current - 1 if state.over else current
    if side is not None and get_mover(ply) != side:
        ply -= 1
    return ply if ply >= 0 else None


def is_reply_pending(state: MatchState) -> bool:
    """Return whether an agent is about to move automatically."""
    match = state.match
    return not (
        state.over
        or match.pause
        or match.train
        or not match.at_end
        or match.is_human(match.to_move)
    )


def evaluate_match(state: MatchState, ply: int | None = None) -> MoveValues:
    """Return the move values of a match at the position shown, or at another ply."""
    position = state.position if ply is None else state.positions[ply]
    lens = choose_lens(state.match, state.site, int(state.site.game.to_move[position]))
    return evaluate_moves(state.site, position, lens, state.match.step, state.match.own)


def compute_play_chances(
    site: SiteData, position: int, name: str, step: int | None
) -> NDArray[np.float64]:
    """Return the probability of each cell, [cells], when an agent or a baseline moves.

    An agent can move as at a snapshot; None is the agent as shipped.
    """
    if step is None:
        chances: NDArray[np.float64] = site.policies[name][position]
        return chances
    return evaluate_moves(site, position, name, step).policy


def evaluate_moves(
    site: SiteData, position: int, lens: str, step: int | None = None, own: bool = False
) -> MoveValues:
    """Return the values of all moves in a position by a source, at a snapshot or as shipped.

    Texts are on the common scale from -1 to +1, or in the source's `own` units. For a policy that
    is named by its moves, only the moves that it plays and its blunders are known.
    """
    if is_moves(lens):
        return _build_policy_moves(site, position, lens)
    return _evaluate_moves(site, position, lens, step, own)


# 2 KB each; every page of a game needs the values of earlier positions again
@cached_per_site(512, per_language=True)
def _evaluate_moves(
    site: SiteData, position: int, lens: str, step: int | None, own: bool
) -> MoveValues:
    """Return the move values of a source that has values."""
    legal = site.game.legal[position]
    worth = site.get_rewards(lens)
    if not site.agents.knows(lens):
        values = site.get_values(lens)[position]
        policy = (
            site.best_play[position]
            if lens == TRUTH
            else policy_from_values(values.round(TIE_DECIMALS), "greedy")
        )
        return build_move_values(
            site, position, lens, values, legal, policy, worth, own
        )
    learned, known = _read_learned_values(site, lens, step, position)
    shipped = step is None
    plays = site.agents[lens].card.plays
    # A copy, because a cached view of the row would keep the whole policy in memory.
    policy = (
        site.policies[lens][position].copy()
        if shipped
        else policy_from_values(learned, plays)
    )
    view = build_move_values(
        site,
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
    wrong = known & (np.rint(view.scaled) != site.truth[position])
    blunders = wrong & ~site.right[position]
    return replace(view, wrong=wrong.tolist(), blunders=blunders.tolist())


def build_move_values(
    site: SiteData,
    position: int,
    lens: str,
    values: NDArray[np.float64],
    known: NDArray[np.bool_],
    policy: NDArray[np.float64],
    worth: RewardScale | None,
    own: bool = False,
    plays: Plays = "greedy",
    blank: str = "",
) -> MoveValues:
    """Return move values from the arrays of a source: values, known, policy, all [cells].

    A star marks the moves that the source plays. The value of such a move is shown even without an
    update. Without `worth` the values are beads. Wrong values are not marked here.
    """
    if worth is None:
        values, scaled = _read_box(site, position, values, plays)
    else:
        values = values + 0.0  # never -0.0
        scaled = scale_values(values, worth, int(site.game.to_move[position]))
    # Symmetric squares share the beads of a move, so their probabilities are no preference.
    preference = policy if worth else scaled
    likeliest = preference == np.fmax.reduce(preference)
    best = likeliest & known.any()
    written = values if own or worth is None else round_for_display(scaled)
    decimals = 0 if lens == TRUTH else DECIMALS
    texts = [
        (format_signed(value, decimals) if worth else format_beads(value))
        if is_shown
        else ""
        for value, is_shown in zip(
            written.tolist(), (known | best).tolist(), strict=True
        )
    ]
    return MoveValues(
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
            spell_beads(value) if text else ""
            for value, text in zip(values.tolist(), texts, strict=True)
        ],
        heat=np.nan_to_num(compute_heat(scaled, HEAT_STEPS)).astype(np.int8).tolist(),
        plays=np.flatnonzero(likeliest).tolist(),
        best=best.tolist(),
        truths=_list_results(site, position),
        wrong=[False] * site.game.cells,
        blunders=[False] * site.game.cells,
        blank=blank,
        beads=worth is None,
    )


def _build_policy_moves(site: SiteData, position: int, lens: str) -> MoveValues:
    """Return the move values of a policy that is named by its moves.

    The result is not cached, because the name is long.
    """
    policy = site.policies[lens][position].copy()
    plays = policy > 0
    nothing = np.full(site.game.cells, np.nan)
    blunders = (plays & ~site.right[position]).tolist()
    view = build_move_values(
        site, position, lens, nothing, np.isfinite(nothing), policy, ONES
    )
    return replace(view, best=plays.tolist(), wrong=blunders, blunders=blunders)


def can_blunder(state: MatchState, view: MoveValues) -> bool:
    """Return whether the source can play a blunder."""
    return bool((view.policy > 0)[~state.site.right[state.position]].any())


def build_notes(
    site: SiteData, view: MoveValues, step: int | None, errors: str
) -> list[Note]:
    """Return the note beside the value of each cell.

    For optimal play the note is the result of the move. For other sources it marks wrong values:
    with `errors` "" blunders only, with "truth" all values nearest to a wrong result, with "task"
    all values unlike the exact values of the agent's training task, with "none" no values.
    """
    if view.exact:
        return [Note(truth, truth) for truth in view.truths]
    if errors == "task":
        values = list_task_values(site, view.position, view.lens, step, view.own)
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
    results = np.sign(site.endings[view.position]).tolist()
    erring = view.wrong if errors == "truth" else view.blunders
    return [
        Note(
            _format_optimal_result(gettext(OUTCOMES[result])),
            _format_optimal_result(truth),
            f"✗ {gettext(OUTCOMES[result])}",
        )
        if wrong
        else NOTHING
        for wrong, result, truth in zip(erring, results, view.truths, strict=True)
    ]


def _format_optimal_result(result: str) -> str:
    return gettext("with optimal play: %(result)s", result=result)


@cached_per_site(256, per_language=True)
def list_task_values(
    site: SiteData, position: int, lens: str, step: int | None = None, own: bool = False
) -> list[str]:
    """Return texts with exact values of the training task, for values that are OFF or more off.

    The texts of all other cells are "", also if the source has no training task.
    """
    if not site.is_task_lens(lens + TASK):
        return [""] * site.game.cells
    learned = evaluate_moves(site, position, lens, step)
    task_values = evaluate_moves(site, position, lens + TASK, None, own)
    off = np.abs(learned.scaled - task_values.scaled) >= OFF
    return [
        text if known and bad else ""
        for text, known, bad in zip(
            task_values.texts, learned.known, off.tolist(), strict=True
        )
    ]


def _read_box(
    site: SiteData, position: int, row: NDArray[np.float64], plays: Plays
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the beads of each move in a position, and the preferences of the box, both [cells]."""
    legal = site.game.legal[position]
    pairs = slice(*site.game.pair_start[position : position + 2])
    held, leaning = np.full((2, len(legal)), np.nan)
    held[legal] = count_beads(site.game, row[legal], plays, pairs)
    leaning[legal] = compute_preferences(site.game, held[legal], position)
    return held, leaning


def _read_learned_values(
    site: SiteData, name: str, step: int | None, position: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return an agent's values of a position, and whether each value is known, both [cells]."""
    agent = site.agents[name]
    legal = site.game.legal[position]
    pairs = slice(*site.game.pair_start[position : position + 2])
    known = np.zeros(len(legal), np.bool_)
    known[legal] = site.find_known_pairs(name, -1 if step is None else step, pairs)
    if step is None:
        return agent.q[position], known
    values = np.full(len(legal), np.nan, np.float32)
    values[legal] = agent.history.values(step, pairs)
    return values, known


def _list_results(site: SiteData, position: int) -> list[str]:
    legal = site.game.legal[position].tolist()
    endings = site.endings[position].tolist()
    return [
        _format_result(plies) if free else ""
        for plies, free in zip(endings, legal, strict=True)
    ]


def _format_result(plies: int) -> str:
    if not plies:
        return gettext(OUTCOMES[0])
    return gettext(IN_MOVES[1 if plies > 0 else -1], moves=abs(plies))
