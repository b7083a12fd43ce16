"""The values that an agent, or another source, gives to the moves in a position.

A source of values, `lens` in URLs, is an agent, optimal play, or the exact solution of an agent's
training task.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.beads import compute_preferences, count_beads
from app.tictactoe.game import GAME, BoolArray, FloatArray, get_mover
from app.tictactoe.policy import PlayRule, policy_from_values
from app.tictactoe.views import (
    VALUE_DECIMALS,
    RewardScale,
    compute_colour_level,
    round_for_display,
    scale_values,
)
from app.web.formatting import format_beads, format_signed, spell_bead_count
from app.web.match import Match, MatchState
from app.web.site_data import (
    TASK_SUFFIX,
    TIE_DECIMALS,
    TRUTH,
    SiteData,
    cached_per_site,
    is_policy_name,
)
from app.web.translation import gettext, gettext_noop, ngettext

# the number of colours between a draw and a win, and between a draw and a loss
HEAT_STEPS = 20
OUTCOME_LABELS = {
    -1: gettext_noop("loss"),
    0: gettext_noop("draw"),
    1: gettext_noop("win"),
}
OUTCOME_TEXTS_WITH_MOVES = {
    -1: gettext_noop("loss in %(moves)s"),
    1: gettext_noop("win in %(moves)s"),
}
# loss -1, draw 0, win +1
OPTIMAL_PLAY_REWARDS = RewardScale()
# the colours in the legend
LEGEND_HEATS = range(-HEAT_STEPS, HEAT_STEPS + 1, HEAT_STEPS // 5)
# Pages show no smaller differences from an exact value, on the scale from -1 to +1.
MIN_TASK_ERROR = 0.1


class Note(NamedTuple):
    """A text beside the value of a move, in three lengths; "" if there is none."""

    # the text for a square of the usual size
    short_text: str
    # the text for screen readers
    spoken_text: str
    # the text for a very small square; "" to use the usual text
    shortest_text: str = ""


EMPTY_NOTE = Note("", "")


@dataclass(frozen=True, eq=False)
class MoveValues:
    """The values that one source gives to the moves in a position, in the mover's view.

    Arrays and lists have an entry for each cell. Entries of illegal moves have no meaning.
    """

    value_source: str
    # an unfinished position
    position: int
    # [cells] the values in the units of their source, NaN where illegal
    values: FloatArray
    # [cells] the values on the common scale from -1 to +1
    scaled_values: FloatArray
    # whether texts are in the source's units instead of on the common scale
    in_source_units: bool
    # [cells] the probability with which the agent or other source plays each move
    policy: FloatArray
    # whether the value was updated in training, or is exact
    is_known: list[bool]
    # the value as text; "" if it is not shown
    value_texts: list[str]
    # the value in words, for screen readers
    spoken_values: list[str]
    # the colours: -HEAT_STEPS is a loss, 0 a draw, HEAT_STEPS a win
    heats: list[int]
    # the moves with the highest probability
    likeliest_cells: list[int]
    # whether a star marks the move; without known values there are no stars
    is_best: list[bool]
    # [cells] result with optimal play after the move, such as "win in 2"
    optimal_results: list[str]
    # [cells] whether the value is nearest to another result than that of optimal play
    is_value_wrong: list[bool]
    # whether the value is wrong and the move is a blunder
    is_blunder: list[bool]
    # the text for cells with an unknown value
    unknown_text: str
    # whether the values are numbers of beads, not expected results
    are_beads: bool

    @property
    def is_stochastic(self) -> bool:
        """Whether the source also plays moves that are not the likeliest."""
        return bool(np.count_nonzero(self.policy) > len(self.likeliest_cells))

    @property
    def best_value(self) -> float | None:
        """The highest value of a legal move, from -1 to +1; None for beads, or if none is known.

        Moves without an update count too, because the agent plays the move with the highest value.
        """
        if self.are_beads or not any(self.is_known):
            return None
        return float(np.nanmax(self.scaled_values))

    @property
    def is_optimal_play(self) -> bool:
        return self.value_source == TRUTH


def describe_best_play(site: SiteData, position: int) -> str:
    """Return the mover's result with optimal play, such as "win in 2" or "draw"."""
    return describe_outcome(site, position, int(site.fastest_policy[position].argmax()))


def spell_best_play(site: SiteData, position: int) -> str:
    """Return the mover's result with optimal play in words, such as "win in 2 moves"."""
    return spell_outcome(site, position, int(site.fastest_policy[position].argmax()))


def describe_outcome(site: SiteData, position: int, cell: int) -> str:
    """Return the mover's result with optimal play after a move, such as "loss in 2"."""
    return _format_result(site.signed_moves_to_end.item(position, cell))


def spell_outcome(site: SiteData, position: int, cell: int) -> str:
    """Return the mover's result with optimal play after a move, such as "loss in 2 moves"."""
    moves = site.signed_moves_to_end.item(position, cell)
    if not moves:
        return gettext(OUTCOME_LABELS[0])
    if moves > 0:
        return ngettext("win in %(count)s move", "win in %(count)s moves", moves)
    return ngettext("loss in %(count)s move", "loss in %(count)s moves", -moves)


def choose_value_source(match: Match, site: SiteData, player_to_move: int) -> str:
    """Return the agent, or other source, whose values a match shows.

    By default it is the player to move or, if that player has no values, its opponent.
    """
    candidates = (
        match.value_source,
        match.get_player_name(player_to_move),
        match.get_player_name(-player_to_move),
    )
    sources = (
        name
        for name in candidates
        if is_policy_name(name) or site.is_value_source(name)
    )
    return next(sources, site.value_sources[0])


def find_shown_ply(state: MatchState) -> int:
    """Return how many moves were made before the decision whose values are shown.

    This is usually the decision in the shown position. After the end, and while an agent is about
    to reply, it is the person's last decision or, without a person, the last one of the game.
    """
    shown = len(state.match.shown_record)
    person = state.match.person_side
    if not state.is_over and (person is None or not is_reply_pending(state)):
        return shown
    ply = shown - 1
    if ply >= 0 and person is not None and get_mover(ply) != person:
        ply -= 1
    return ply if ply >= 0 else shown


def is_reply_pending(state: MatchState) -> bool:
    match = state.match
    return not (
        state.is_over
        or match.is_paused
        or match.plays_training
        or not match.is_at_end
        or match.is_human(match.player_to_move)
    )


def evaluate_match(state: MatchState, ply: int | None = None) -> MoveValues:
    """Return the values of the moves in the shown position, or after `ply` moves."""
    position = state.position if ply is None else state.positions[ply]
    value_source = choose_value_source(
        state.match, state.site, int(GAME.to_move[position])
    )
    return evaluate_moves(
        state.site,
        position,
        value_source,
        state.match.snapshot,
        state.match.in_source_units,
    )


def compute_play_chances(
    site: SiteData, position: int, player_name: str, snapshot: int | None
) -> FloatArray:
    """Return the probability of each move of an agent or a baseline, [cells].

    `snapshot` is a snapshot of the agent's training, None for the last one.
    """
    if snapshot is None:
        move_chances: FloatArray = site.policies[player_name][position]
        return move_chances
    return evaluate_moves(site, position, player_name, snapshot).policy


def evaluate_moves(
    site: SiteData,
    position: int,
    value_source: str,
    snapshot: int | None = None,
    in_source_units: bool = False,
) -> MoveValues:
    """Return the values that a source gives to all moves in a position.

    With `in_source_units`, texts show the source's own numbers, otherwise numbers from -1 to +1.
    """
    if is_policy_name(value_source):
        return _build_policy_moves(site, position, value_source)
    return _evaluate_moves(site, position, value_source, snapshot, in_source_units)


# Every page of a game needs the values of earlier positions, so they are cached, 2 KB each.
@cached_per_site(512, per_language=True)
def _evaluate_moves(
    site: SiteData,
    position: int,
    value_source: str,
    snapshot: int | None,
    in_source_units: bool,
) -> MoveValues:
    legal = GAME.legal[position]
    reward_scale = site.get_rewards(value_source)
    if not site.agents.contains_name(value_source):
        values = site.get_values(value_source)[position]
        policy = (
            site.fastest_policy[position]
            if value_source == TRUTH
            else policy_from_values(values.round(TIE_DECIMALS), "greedy")
        )
        return build_move_values(
            site,
            position,
            value_source,
            values,
            legal,
            policy,
            reward_scale,
            in_source_units,
        )
    learned, known = _read_learned_values(site, value_source, snapshot, position)
    shipped = snapshot is None
    plays = site.agents[value_source].card.play_rule
    # A view of the row would keep the whole policy in the cache, so the row is copied.
    policy = (
        site.policies[value_source][position].copy()
        if shipped
        else policy_from_values(learned, plays)
    )
    view = build_move_values(
        site,
        position,
        value_source,
        source_values=learned.astype(np.float64),
        is_known=known,
        policy=policy,
        reward_scale=reward_scale,
        in_source_units=in_source_units,
        play_rule=plays,
        unknown_text=gettext("never tried") if shipped else gettext("not tried yet"),
    )
    if view.are_beads:
        return view
    wrong = known & (np.rint(view.scaled_values) != site.optimal_q[position])
    blunders = wrong & ~site.is_move_correct[position]
    return replace(view, is_value_wrong=wrong.tolist(), is_blunder=blunders.tolist())


def _format_shown_values(
    source_values: list[float],
    is_shown: list[bool],
    format_value: Callable[[float], str],
) -> list[str]:
    pairs = zip(source_values, is_shown, strict=True)
    return [format_value(value) if shown else "" for value, shown in pairs]


def build_move_values(
    site: SiteData,
    position: int,
    value_source: str,
    source_values: FloatArray,
    is_known: BoolArray,
    policy: FloatArray,
    reward_scale: RewardScale | None,
    in_source_units: bool = False,
    play_rule: PlayRule = "greedy",
    unknown_text: str = "",
) -> MoveValues:
    """Return move values from `source_values`, `is_known` and `policy`, which are all [cells].

    Without a `reward_scale` the values are beads. `is_value_wrong` and `is_blunder` are all False
    here.
    """
    if reward_scale is None:
        source_values, scaled = _compute_bead_preferences(
            site, position, source_values, play_rule
        )
    else:
        # The addition changes -0.0 to 0.0.
        source_values = source_values + 0.0
        scaled = scale_values(source_values, reward_scale, int(GAME.to_move[position]))
    # With beads, symmetric squares share the probability of a move, so the move with the most beads
    # can have less probability for each of its squares than another move.
    preference = policy if reward_scale else scaled
    likeliest = preference == np.fmax.reduce(preference)
    best = likeliest & is_known.any()
    written = (
        source_values
        if in_source_units or reward_scale is None
        else round_for_display(scaled)
    )
    write = format_beads
    if reward_scale:
        write = partial(
            format_signed, decimals=0 if value_source == TRUTH else VALUE_DECIMALS
        )
    is_shown = (is_known | best).tolist()
    texts = _format_shown_values(written.tolist(), is_shown, write)
    spoken = texts
    if reward_scale is None:
        spoken = _format_shown_values(
            source_values.tolist(), is_shown, spell_bead_count
        )
    return MoveValues(
        value_source=value_source,
        position=position,
        values=source_values,
        scaled_values=scaled,
        in_source_units=in_source_units,
        policy=policy,
        is_known=is_known.tolist(),
        value_texts=texts,
        spoken_values=spoken,
        heats=np.nan_to_num(compute_colour_level(scaled, HEAT_STEPS))
        .astype(np.int8)
        .tolist(),
        likeliest_cells=np.flatnonzero(likeliest).tolist(),
        is_best=best.tolist(),
        optimal_results=_format_optimal_results(site, position),
        is_value_wrong=[False] * GAME.cells,
        is_blunder=[False] * GAME.cells,
        unknown_text=unknown_text,
        are_beads=reward_scale is None,
    )


def _build_policy_moves(site: SiteData, position: int, value_source: str) -> MoveValues:
    policy = site.policies[value_source][position].copy()
    plays = policy > 0
    nothing = np.full(GAME.cells, np.nan)
    blunders = (plays & ~site.is_move_correct[position]).tolist()
    view = build_move_values(
        site,
        position,
        value_source,
        nothing,
        np.isfinite(nothing),
        policy,
        OPTIMAL_PLAY_REWARDS,
    )
    return replace(
        view, is_best=plays.tolist(), is_value_wrong=blunders, is_blunder=blunders
    )


def can_blunder(state: MatchState, move_values: MoveValues) -> bool:
    return bool(
        (move_values.policy > 0)[~state.site.is_move_correct[state.position]].any()
    )


def build_notes(
    site: SiteData, move_values: MoveValues, snapshot: int | None, marked_errors: str
) -> list[Note]:
    """Return the note beside the value of each cell.

    If the values are those of optimal play, each note is the result of the move. For other sources
    `marked_errors` selects the values that get a note: those of blunders (""), those nearest to
    another result than that of optimal play ("truth"), those that differ from the exact values of
    the training task ("task"), or none of them ("none").
    """
    if move_values.is_optimal_play:
        return [Note(truth, truth) for truth in move_values.optimal_results]
    if marked_errors == "task":
        values = list_task_value_texts(
            site,
            move_values.position,
            move_values.value_source,
            snapshot,
            move_values.in_source_units,
        )
        return [
            Note(
                gettext("exact: %(value)s", value=value),
                gettext(
                    "exact value against its training opponent: %(value)s", value=value
                ),
            )
            if value
            else EMPTY_NOTE
            for value in values
        ]
    if marked_errors == "none":
        return [EMPTY_NOTE] * len(move_values.value_texts)
    results = np.sign(site.signed_moves_to_end[move_values.position]).tolist()
    erring = (
        move_values.is_value_wrong
        if marked_errors == "truth"
        else move_values.is_blunder
    )
    return [
        Note(
            _format_optimal_result(gettext(OUTCOME_LABELS[result])),
            _format_optimal_result(truth),
            f"✗ {gettext(OUTCOME_LABELS[result])}",
        )
        if wrong
        else EMPTY_NOTE
        for wrong, result, truth in zip(
            erring, results, move_values.optimal_results, strict=True
        )
    ]


def _format_optimal_result(result_text: str) -> str:
    return gettext("with optimal play: %(result)s", result=result_text)


@cached_per_site(256, per_language=True)
def list_task_value_texts(
    site: SiteData,
    position: int,
    value_source: str,
    snapshot: int | None = None,
    in_source_units: bool = False,
) -> list[str]:
    """Return for each cell the exact value in the agent's training task, as a text.

    It is "" if the agent's value is unknown or about the same, or if there is no exact value.
    """
    if not site.is_task_value_source(value_source + TASK_SUFFIX):
        return [""] * GAME.cells
    learned = evaluate_moves(site, position, value_source, snapshot)
    task_values = evaluate_moves(
        site, position, value_source + TASK_SUFFIX, None, in_source_units
    )
    off = np.abs(learned.scaled_values - task_values.scaled_values) >= MIN_TASK_ERROR
    return [
        text if known and bad else ""
        for text, known, bad in zip(
            task_values.value_texts, learned.is_known, off.tolist(), strict=True
        )
    ]


def _compute_bead_preferences(
    site: SiteData, position: int, bead_row: FloatArray, play_rule: PlayRule
) -> tuple[FloatArray, FloatArray]:
    """Return the beads of each move, and its preference by `compute_preferences`, [cells]."""
    legal = GAME.legal[position]
    pairs = slice(*GAME.first_pair[position : position + 2])
    held, leaning = np.full((2, len(legal)), np.nan)
    held[legal] = count_beads(GAME, bead_row[legal], play_rule, pairs)
    leaning[legal] = compute_preferences(GAME, held[legal], position)
    return held, leaning


def _read_learned_values(
    site: SiteData, agent_name: str, snapshot: int | None, position: int
) -> tuple[NDArray[np.float32], BoolArray]:
    """Return an agent's values in a position, and whether each of them is known, [cells]."""
    agent = site.agents[agent_name]
    legal = GAME.legal[position]
    pairs = slice(*GAME.first_pair[position : position + 2])
    known = np.zeros(len(legal), np.bool_)
    known[legal] = site.find_known_moves(
        agent_name, -1 if snapshot is None else snapshot, pairs
    )
    if snapshot is None:
        return agent.q[position], known
    values = np.full(len(legal), np.nan, np.float32)
    values[legal] = agent.history.get_values(snapshot, pairs)
    return values, known


def _format_optimal_results(site: SiteData, position: int) -> list[str]:
    legal = GAME.legal[position].tolist()
    endings = site.signed_moves_to_end[position].tolist()
    return [
        _format_result(moves) if free else ""
        for moves, free in zip(endings, legal, strict=True)
    ]


def _format_result(moves: int) -> str:
    if not moves:
        return gettext(OUTCOME_LABELS[0])
    return gettext(OUTCOME_TEXTS_WITH_MOVES[1 if moves > 0 else -1], moves=abs(moves))
