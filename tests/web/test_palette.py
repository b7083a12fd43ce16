"""The colours of values can be distinguished, and text on them is readable."""

import string
from itertools import pairwise

import pytest

from app.web.formatting import BEAD_SIGN, MINUS
from app.web.move_values import HEAT_STEPS
from app.web.pictures.palette import (
    PALETTES,
    SCHEMES,
    choose_text_colour,
    compute_colour,
    compute_contrast,
    write_stylesheet,
)
from app.web.pictures.svg import Drawing, Text, render_png

ENDS = {
    ("red-green", "light"): ["c62828", "f7f7f7", "00897b"],
    ("red-green", "dark"): ["ff6f61", "2a3038", "2fd9c0"],
    ("orange-blue", "light"): ["f59322", "e8eaeb", "0877bd"],
    ("orange-blue", "dark"): ["ffa23d", "2a3038", "4fb6ff"],
    ("red-yellow-green", "light"): ["d73027", "fee08b", "1a9850"],
    ("red-yellow-green", "dark"): ["ff5f52", "5c5320", "4fdc7a"],
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("palette", PALETTES)
def test_text_can_be_read_on_every_step(palette: str, scheme: str) -> None:
    for heat in range(-HEAT_STEPS, HEAT_STEPS + 1):
        background = compute_colour(palette, heat, scheme)
        assert compute_contrast(choose_text_colour(background), background) >= 4.5, heat


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("palette", PALETTES)
def test_text_changes_its_colour_at_most_once_on_the_way_to_either_end(
    palette: str, scheme: str
) -> None:
    for end in (-1, 1):
        texts = [
            choose_text_colour(compute_colour(palette, end * heat, scheme))
            for heat in range(HEAT_STEPS + 1)
        ]
        assert sum(one != other for one, other in pairwise(texts)) <= 1


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("palette", PALETTES)
def test_the_ends_and_the_middle_are_the_ones_chosen(palette: str, scheme: str) -> None:
    shown = [
        bytes(compute_colour(palette, heat, scheme)).hex() for heat in (-HEAT_STEPS, 0, HEAT_STEPS)
    ]
    assert shown == ENDS[palette, scheme]


@pytest.mark.parametrize("palette", PALETTES)
def test_in_the_dark_what_matters_glows(palette: str) -> None:
    black = (0, 0, 0)
    loss, draw, win = (
        compute_contrast(compute_colour(palette, heat, "dark"), black)
        for heat in (-HEAT_STEPS, 0, HEAT_STEPS)
    )
    assert draw < min(loss, win)


def test_contrast_is_that_of_the_standard() -> None:
    assert compute_contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert compute_contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.478, abs=1e-3)


@pytest.mark.parametrize("sign", [*string.digits, "+", MINUS, ".", "k", "M", BEAD_SIGN, "–", "…"])
def test_a_picture_of_pixels_has_a_letter_for_all_that_stands_on_a_board(sign: str) -> None:
    written, blank = (
        render_png(Drawing(40, 40, "", [Text("value", 10, 30, text)])) for text in (sign, "")
    )
    assert written != blank


def test_every_step_has_a_rule_and_in_each_palette_and_scheme_a_colour_of_text() -> None:
    rules = write_stylesheet()
    for heat in range(-HEAT_STEPS, HEAT_STEPS + 1):
        assert rules.count(f'[data-heat="{heat}"]') == 1 + len(PALETTES) * len(SCHEMES)
