"""The colours of the heat, from a loss over a draw to a win, with text that can be read on them."""

from app.web.lens import HEAT_STEPS

Colour = tuple[int, int, int]  # red, green, blue, 0 to 255
PALETTES = {
    "red-green": ((0xC6, 0x28, 0x28), (0xF7, 0xF7, 0xF7), (0x00, 0x89, 0x7B)),
    "orange-blue": ((0xF5, 0x93, 0x22), (0xE8, 0xEA, 0xEB), (0x08, 0x77, 0xBD)),
}
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


def stylesheet() -> str:
    """Write the rules that colour `data-heat`; the box `palette` picks the second palette."""
    default, other = PALETTES
    return "\n".join(_rules(default, "") + _rules(other, ":root:has(#palette:checked) ")) + "\n"


def colour(palette: str, heat: int) -> Colour:
    """Return the colour of a heat from -HEAT_STEPS to HEAT_STEPS: straight lines in sRGB."""
    loss, draw, win = PALETTES[palette]
    end, share = (win if heat > 0 else loss), abs(heat) / HEAT_STEPS
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(draw, end, strict=True))
    return red, green, blue


def text_colour(background: Colour) -> Colour:
    """Return black or white, whichever stands out more."""
    return max(BLACK, WHITE, key=lambda text: contrast(text, background))


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, relative luminance)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _rules(palette: str, scope: str) -> list[str]:
    rules = []
    for heat in range(-HEAT_STEPS, HEAT_STEPS + 1):
        background = colour(palette, heat)
        rules.append(
            f'{scope}[data-heat="{heat}"]'
            f"{{background:{_hex(background)};color:{_hex(text_colour(background))}}}"
        )
    return rules


def _luminance(colour: Colour) -> float:
    linear = [
        value / 12.92 if (value := channel / 255) <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for channel in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in colour)
