"""The list of moves, and the chart of the value over the game."""

import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.tictactoe.game import GAME
from app.tictactoe.notation import replay_record
from app.web.game_review import ReviewedMove, describe_moves, review_moves
from app.web.match import Match, replay_match
from app.web.pictures.curves import ROOM_ABOVE, lay_out_game_values
from app.web.pictures.svg import Dot, Shape
from app.web.site_data import SiteData
from tests.web.test_match import WORLD, records

MINUS = "\N{MINUS SIGN}"
EXPECTING = [name for name, agent in WORLD.agents.items() if agent.card.reward_scale is not None]


def listed(site: SiteData, match: Match) -> list[ReviewedMove]:
    return review_moves(replay_match(match, site))


def chart_of(site: SiteData, match: Match) -> Sequence[Shape]:
    """Return the shapes of the chart, where a win of X is 72 pixels above a win of O."""
    state = replay_match(match, site)
    return lay_out_game_values(state, review_moves(state), 72).shapes


def dots_of(chart: Sequence[Shape]) -> list[tuple[float, float]]:
    return [(shape.x, shape.y) for shape in chart if isinstance(shape, Dot)]


def to_two_decimals(value: float | Fraction) -> str:
    """Return a value rounded from its exact digits, with a sign unless it is 0."""
    hundredths = round(Fraction(value) * 100)
    sign = "+" if hundredths > 0 else MINUS if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02d}"


def common(value: Fraction, worth: tuple[float, ...]) -> Fraction:
    """Return the value between -1 (loss) and +1 (win), piecewise linear over a draw."""
    loss, draw, win = map(Fraction, worth)
    if draw in (loss, win):
        draw = (loss + win) / 2
    value = min(max(value, loss), win)
    return (value - draw) / (win - draw if value > draw else draw - loss)


@given(records())
def test_a_blunder_is_where_the_value_falls(record: str) -> None:
    game, value = GAME, WORLD.solution.values
    positions = replay_record(game, record)
    for move, before, after in zip(
        listed(WORLD, Match(record=record)), positions, positions[1:], strict=False
    ):
        mover = game.to_move[before]
        assert move.is_blunder == (mover * value[after] < mover * value[before])
        assert move.optimal_value == value[after]


@given(records(), st.sampled_from(EXPECTING), st.integers(0, 30))
def test_list_and_picture_say_what_the_table_holds(record: str, lens: str, step: int) -> None:
    """Computed again from the table, in exact fractions and without tolerance."""
    game, agent = GAME, WORLD.agents[lens]
    shown = min(step, WORLD.get_last_snapshot(lens))
    match = Match(record, value_source=lens, snapshot=shown)
    table, updated = agent.build_value_table(game, shown), agent.find_updated_moves(game, shown)
    if agent.card.algorithm == "dqn":
        updated = game.legal & (agent.snapshot_updates[shown] > 0)
    if agent.card.algorithm == "td-afterstates":  # the rules say how games end
        updated = updated | (game.successor >= game.decisions)
    labels = re.findall(r"[XO] expected ([^;.]+(?:\.\d\d)?)", describe_moves(listed(WORLD, match)))
    dots = []
    for ply, (position, cell) in enumerate(
        zip(replay_record(game, record), map(int, record), strict=False), 1
    ):
        value, mover = float(table[position, cell]), int(game.to_move[position])
        known = bool(updated[position, cell])
        assert agent.card.reward_scale
        worth = agent.card.reward_scale.x if mover == 1 else agent.card.reward_scale.o
        expected = common(Fraction(value), worth)
        text, own = (to_two_decimals(one) if known else "" for one in (expected, Fraction(value)))
        assert listed(WORLD, match)[ply - 1].value_text == text
        assert listed(WORLD, replace(match, in_source_units=True))[ply - 1].value_text == own
        assert labels[ply - 1] == (text or "nothing yet")
        if known:
            height = ROOM_ABOVE + 36 - 36 * mover * expected
            dots.append((ply / 9, float(height)))
    drawn = dots_of(chart_of(WORLD, match))
    assert len(drawn) == len(dots)
    # A dot is put on a tenth of a pixel.
    np.testing.assert_allclose(np.reshape(drawn, (-1, 2)), np.reshape(dots, (-1, 2)), atol=0.0501)
