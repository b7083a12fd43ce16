"""The colours of values can be distinguished, and text on them is readable."""

import string

import pytest

from app.web.formatting import BEAD_SIGN, MINUS
from app.web.move_values import HEAT_STEPS
from app.web.pictures.palette import (
    COLOUR_SCHEMES,
    DEFAULT_PALETTE,
    PALETTES,
    choose_text_colour,
    compute_colour,
    compute_contrast,
    write_stylesheet,
)
from app.web.pictures.svg import Drawing, Text, render_png


@pytest.mark.parametrize("scheme", COLOUR_SCHEMES)
@pytest.mark.parametrize("palette", PALETTES)
def test_text_can_be_read_on_every_step(palette: str, scheme: str) -> None:
    for heat in range(-HEAT_STEPS, HEAT_STEPS + 1):
        background = compute_colour(palette, heat, scheme)
        assert compute_contrast(choose_text_colour(background), background) >= 4.5, heat


def test_contrast_is_that_of_the_standard() -> None:
    assert compute_contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert compute_contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.478, abs=1e-3)


@pytest.mark.parametrize("sign", [*string.digits, "+", MINUS, ".", "k", "M", BEAD_SIGN, "–", "…"])
def test_a_picture_of_pixels_has_a_letter_for_all_that_stands_on_a_board(sign: str) -> None:
    written, blank = (
        render_png(Drawing(40, 40, "", [Text("value", 10, 30, text)])) for text in (sign, "")
    )
    assert written != blank


@pytest.mark.parametrize("scheme", COLOUR_SCHEMES)
def test_a_win_is_greener_and_a_loss_is_redder(scheme: str) -> None:
    """Also in the style sheet: minus is the colour of a loss."""
    for heat in (1, HEAT_STEPS):
        (red, green, _), (lost_red, lost_green, _) = (
            compute_colour(DEFAULT_PALETTE, sign * heat, scheme) for sign in (1, -1)
        )
        assert green - red > 0 > lost_green - lost_red or heat == 1
        assert green - red > lost_green - lost_red
    assert '[data-heat^="-"]{--end:var(--loss-end)}' in write_stylesheet()
