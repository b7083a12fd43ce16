"""A mind as a picture that stands alone, and as the table of its tiles."""

from collections.abc import Iterator

from app.tictactoe.notation import MARKS, position_text, record_to
from app.web.lens import HEAT_STEPS
from app.web.numbers import updates
from app.web.pictures.drawing import INKS, LETTER, Drawing, Shade, heat
from app.web.pictures.mind import LEVELS, LINE, Kind, Picture, colouring, kinds, representatives
from app.web.pictures.palette import mixed, to_hex, to_rgb
from app.web.world import World

TILE = 15  # pixels: the side of one
LEFT, TOP, BOTTOM, EDGE = 34, 46, 46, 14  # pixels around the tiles
DRAWN: Shade = ("#aab2bd", "#6a7583")  # under what is really a draw, where a heat would be too pale
SWATCH = "M0 0h.9v.9h-.9z"
COLUMNS = ("position", "record", "move", "to_move", "true_value", "heat", "visits")


def mind_picture(world: World, picture: Picture, step: int) -> Drawing:
    """Draw a mind with the numbers of its rows and what its colours mean."""
    where, kind = world.tiles, kinds(world, picture.name)[picture.kind]
    width = round(LEFT + where.columns * TILE + EDGE)
    height = round(TOP + where.height * TILE + BOTTOM)
    when = updates(int(world.agents[picture.name].snapshot_updates[step]))
    title = f"The mind of {picture.title} after {when}"
    label = f"{title}: {kind.title.lower()}, position by position, a row for each move."
    drawing = Drawing(width, height, label)
    drawing.text(EDGE, 26, title, size=16, weight=650)
    inside = f"translate({LEFT} {TOP}) scale({TILE})"
    for band in picture.bands:
        outline = f"M{band.x:g} {band.y:g}h{band.width:g}v{LINE}h-{band.width:g}z"
        drawing.path(outline, fill=_truth(band.heat), at=inside)
    for number, middle in enumerate(picture.middles, 1):
        y = round(TOP + middle * TILE + 4, 1)
        drawing.text(LEFT - 10, y, str(number), INKS["soft"], 11, "end")
    for value, outline in picture.paths:
        if value is None:
            _unknown(drawing, outline, inside)
        else:
            drawing.path(outline, INKS["line"], _shade(kind, value), 0.05, at=inside)
    x = float(EDGE)
    for name, shade in _key(kind):
        if shade:
            drawing.rect(x, height - 26, 12, 12, shade)
        else:
            _unknown(drawing, SWATCH, f"translate({x:g} {height - 26}) scale(13)")
        drawing.text(x + 18, height - 16, name, INKS["soft"])
        x += 18 + 12 * LETTER * len(name) + 12
    return drawing


def mind_numbers(world: World, picture: Picture, step: int) -> Iterator[tuple[object, ...]]:
    """Yield a row for each tile, in the order of the picture, as COLUMNS name them.

    A heat is what colours it, None where nothing is known.
    """
    game, where, agent = world.game, world.tiles, world.agents[picture.name]
    colours = colouring(world, picture.name, picture.kind)
    for tile, position in enumerate(representatives(world, picture.name).tolist()):
        yield (
            position_text(game, position),
            record_to(game, position),
            int(where.ply[tile]) + 1,
            MARKS[int(game.to_move[position])],
            int(where.truth[tile]),
            int(colours.heat[step, tile]) if colours.known[step, tile] else None,
            int(agent.visits[position].sum()),
        )


def _shade(kind: Kind, value: int) -> Shade:
    """Return the colour of a heat, or of a level: so much of the accent, the rest nothing."""
    if kind.scale == "heat":
        return heat(value)
    light, dark = (
        to_hex(mixed(to_rgb(none), to_rgb(all_of_it), value / LEVELS))
        for none, all_of_it in zip(INKS["sunk"], INKS["accent"], strict=True)
    )
    return light, dark


def _truth(value: int) -> Shade:
    return heat(value) if value else DRAWN


def _unknown(drawing: Drawing, outline: str, at: str) -> None:
    """Draw what nothing is known of: an outline of dots, and empty."""
    drawing.path(outline, INKS["soft"], INKS["surface"], 0.06, "0.02 0.15", at)


def _key(kind: Kind) -> list[tuple[str, Shade | None]]:
    """Say what the colours mean; None is that of what is unknown."""
    most = HEAT_STEPS if kind.scale == "heat" else LEVELS
    ends: list[tuple[str, Shade | None]]
    if kind.least:
        ends = [(kind.least, _shade(kind, 0)), (kind.most, _shade(kind, most))]
    else:
        ends = [("a loss", heat(-most)), ("a draw", heat(0)), ("a win", heat(most))]
    return [*ends, ("knows nothing", None), ("line: the truth", DRAWN)]
