"""The colours of the heat can be told apart and read on."""

import pytest

from app.web.lens import HEAT_STEPS
from app.web.palette import PALETTES, colour, contrast, stylesheet, text_colour

ENDS = {
    "red-green": ["c62828", "f7f7f7", "00897b"],
    "orange-blue": ["f59322", "e8eaeb", "0877bd"],
}


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("heat", range(-HEAT_STEPS, HEAT_STEPS + 1))
def test_text_can_be_read_on_every_step(palette: str, heat: int) -> None:
    background = colour(palette, heat)
    assert contrast(text_colour(background), background) >= 4.5


@pytest.mark.parametrize("palette", PALETTES)
def test_the_ends_and_the_middle_are_the_ones_chosen(palette: str) -> None:
    shown = [bytes(colour(palette, heat)).hex() for heat in (-HEAT_STEPS, 0, HEAT_STEPS)]
    assert shown == ENDS[palette]


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.478, abs=1e-3)


def test_every_step_of_both_palettes_has_a_rule() -> None:
    assert stylesheet().count("[data-heat=") == len(PALETTES) * (2 * HEAT_STEPS + 1)
