"""The colours of the site.

An ink is a named colour, which pages use as `var(--ink)`. A heat is a step of the scale from loss
through draw to win, which an element has in its attribute `data-heat`. The rules of
`write_stylesheet` define both. Picture files contain the colours themselves: see
`app.web.pictures.svg`. The beads have their own colours in `static/parts/beads.css`, and
stylesheets add greys for shadows and lines.
"""

from itertools import product

from app.web.move_values import HEAT_STEPS

# red, green and blue from 0 to 255
Colour = tuple[int, int, int]
# "#rrggbb" in the light and in the dark scheme
SchemeColours = tuple[str, str]
# "#rrggbb" of a loss, a draw and a win
OutcomeColours = tuple[str, str, str]
COLOUR_SCHEMES = ("light", "dark")
# The levels of the scale from nothing to all are 0 to LEVEL_COUNT.
LEVEL_COUNT = 10
INK_COLOURS: dict[str, SchemeColours] = {
    "paper": ("#f4f5f8", "#0f1216"),
    "surface": ("#ffffff", "#181c22"),
    "sunk": ("#e9ebf0", "#12161b"),
    "ink": ("#15181d", "#eceff3"),
    "soft": ("#565f6b", "#a0aab6"),
    "line": ("#d9dde4", "#2b323b"),
    "accent": ("#4049c9", "#a9b2ff"),
    "on-accent": ("#ffffff", "#10131f"),
    "tint": ("#eef0ff", "#22273d"),
    # These are also colours of texts, so their contrast to the background is 4.5:1.
    "win": ("#00695f", "#4fd1c1"),
    "draw": ("#5c6670", "#b4bcc5"),
    "loss": ("#b71c1c", "#ff8a80"),
    # for the line below tiles; the heat of a draw would be too pale
    "drawn": ("#aab2bd", "#6a7583"),
}
# In the dark scheme wins and losses are the brightest colours, and a draw is dark.
PALETTES: dict[str, dict[str, OutcomeColours]] = {
    "red-green": {
        "light": ("#c62828", "#f7f7f7", "#00897b"),
        "dark": ("#ff6f61", "#2a3038", "#2fd9c0"),
    },
    "orange-blue": {
        "light": ("#f59322", "#e8eaeb", "#0877bd"),
        "dark": ("#ffa23d", "#2a3038", "#4fb6ff"),
    },
    "red-yellow-green": {
        "light": ("#d73027", "#fee08b", "#1a9850"),
        "dark": ("#ff5f52", "#5c5320", "#4fdc7a"),
    },
}
DEFAULT_PALETTE = next(iter(PALETTES))
BLACK = (0, 0, 0)
WHITE = (255, 255, 255)


def write_stylesheet() -> str:
    """Return the CSS rules of the named colours (inks), of the palettes, and of `data-heat`.

    A check box with the id `palette-NAME` selects a palette. A rule for a heat sets the variable
    `--heat`, which other elements can use.
    """
    default, *others = PALETTES
    inks = ";".join(
        f"--{name}:light-dark({','.join(ink)})" for name, ink in INK_COLOURS.items()
    )
    mix = "color-mix(in srgb,var(--end) calc(max(var(--heat),-1*var(--heat))*{}%),var(--even))"
    mixed = mix.format(f"{100 / HEAT_STEPS:g}")
    rules = [
        f":root{{{inks}}}",
        _write_palette_rules(default, ":root"),
        *(
            _write_palette_rules(palette, f":root:has(#palette-{palette}:checked)")
            for palette in others
        ),
        "[data-heat]{--end:var(--win-end);color:light-dark(var(--on-light),var(--on-dark));"
        f"background-color:{mixed};fill:{mixed}}}",
        '[data-heat^="-"]{--end:var(--loss-end)}',
        *(f'[data-heat="{heat}"]{{--heat:{heat}}}' for heat in _list_heats()),
        *(
            rule
            for palette in PALETTES
            for rule in _write_text_rules(palette, palette == default)
        ),
    ]
    return "\n".join(rules) + "\n"


def compute_colour(palette: str, heat: int, scheme: str = "light") -> Colour:
    """Return a colour from loss (-HEAT_STEPS) through draw to win (HEAT_STEPS), mixed in sRGB."""
    loss, draw, win = map(parse_hex, PALETTES[palette][scheme])
    return mix_colours(draw, win if heat > 0 else loss, abs(heat) / HEAT_STEPS)


def fill_in_inks(rules: str, scheme: str) -> str:
    """Return the CSS rules with colours in place of variables, for programs without variables."""
    for name, ink in INK_COLOURS.items():
        rules = rules.replace(f"var(--{name})", ink[COLOUR_SCHEMES.index(scheme)])
    return rules


def write_step_rules(scale: str, scale_step: int, scheme: str) -> str:
    """Return the CSS rules of a colour and of text on it.

    The scale is "heat" (from loss to win) or "level" (from nothing to all).
    """
    if scale == "heat":
        shade = compute_colour(DEFAULT_PALETTE, scale_step, scheme)
    else:
        none = parse_hex(INK_COLOURS["sunk"][COLOUR_SCHEMES.index(scheme)])
        all_of_it = parse_hex(INK_COLOURS["accent"][COLOUR_SCHEMES.index(scheme)])
        shade = mix_colours(none, all_of_it, scale_step / LEVEL_COUNT)
    place = f'[data-{scale}="{scale_step}"]'
    text = format_hex(choose_text_colour(shade))
    return f"{place}{{fill:{format_hex(shade)}}}.on{place}{{fill:{text}}}"


def mix_colours(first_colour: Colour, second_colour: Colour, share: float) -> Colour:
    red, green, blue = (
        round(a + share * (b - a))
        for a, b in zip(first_colour, second_colour, strict=True)
    )
    return red, green, blue


def format_hex(colour: Colour) -> str:
    return "#" + bytes(colour).hex()


def parse_hex(text: str) -> Colour:
    red, green, blue = bytes.fromhex(text[1:])
    return red, green, blue


def choose_text_colour(background: Colour) -> Colour:
    return max(BLACK, WHITE, key=lambda text: compute_contrast(text, background))


def compute_contrast(first_colour: Colour, second_colour: Colour) -> float:
    """Return the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, relative luminance)."""
    dark, light = sorted(
        (_compute_luminance(first_colour), _compute_luminance(second_colour))
    )
    return (light + 0.05) / (dark + 0.05)


def _list_heats() -> range:
    return range(-HEAT_STEPS, HEAT_STEPS + 1)


def _write_palette_rules(palette: str, css_scope: str) -> str:
    light, dark = (PALETTES[palette][scheme] for scheme in COLOUR_SCHEMES)
    names = ("--loss-end", "--even", "--win-end")
    ends = ";".join(
        f"{name}:light-dark({a},{b})"
        for name, a, b in zip(names, light, dark, strict=True)
    )
    return f"{css_scope}{{{ends}}}"


def _write_text_rules(palette: str, is_default: bool) -> list[str]:
    scope = "" if is_default else f":root:has(#palette-{palette}:checked) "
    rules = []
    for scheme, text in product(COLOUR_SCHEMES, (BLACK, WHITE)):
        heats = [
            h
            for h in _list_heats()
            if choose_text_colour(compute_colour(palette, h, scheme)) == text
        ]
        chosen = ",".join(f'[data-heat="{heat}"]' for heat in heats)
        if heats:
            value = "#000" if text == BLACK else "#fff"
            rules.append(f"{scope}:is({chosen}){{--on-{scheme}:{value}}}")
    return rules


def _compute_luminance(colour: Colour) -> float:
    linear = [
        value / 12.92
        if (value := channel / 255) <= 0.04045
        else ((value + 0.055) / 1.055) ** 2.4
        for channel in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
