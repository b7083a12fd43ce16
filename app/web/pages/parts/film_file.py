"""The film of a training as an animated GIF: a board with its values, and the curve of blunders."""

from io import BytesIO
from textwrap import wrap

from PIL import Image

from app.tictactoe.game import GAME
from app.tictactoe.notation import replay_record
from app.web.formatting import format_count, name_square
from app.web.match import Match, replay_match
from app.web.move_values import EMPTY_NOTE, evaluate_moves
from app.web.pages.parts.learning import Film, build_position_film, find_block_record
from app.web.pictures import svg
from app.web.pictures.boards import lay_out_board, plot_squares
from app.web.site_data import HUMAN, SiteData, cached_per_site
from app.web.translation import gettext

FILM_WIDTH, FILM_HEIGHT, FILM_MARGIN = 640, 340, 16
BOARD_TOP, BOARD_SCALE = 44, 0.8
TEXT_LEFT = 320
CURVE_LEFT, CURVE_TOP, CURVE_WIDTH, CURVE_HEIGHT = 364, 150, 256, 148
MAX_CAPTION_CHARACTERS = 44
GIF_COLOUR_COUNT = 128
# leaves time to read the last frame before the film starts again
LAST_FRAME_MS = 3_000


@cached_per_site(4, per_language=True)
def render_film(site: SiteData, agent_name: str) -> bytes:
    """Return a training as an animated GIF, with a frame for each snapshot."""
    record = find_block_record(site, agent_name)
    film = build_position_film(site, agent_name, record)
    drawings = [
        _plot_frame(site, agent_name, record, film, step)
        for step in range(film.last_frame + 1)
    ]
    pictures = [
        Image.open(BytesIO(svg.render_png(one))).convert("RGB") for one in drawings
    ]
    # A GIF with one table of colours for all frames is smaller.
    sample = Image.new("RGB", (FILM_WIDTH, len(pictures) * FILM_HEIGHT))
    for row, picture in enumerate(pictures):
        sample.paste(picture, (0, row * FILM_HEIGHT))
    colours = sample.quantize(GIF_COLOUR_COUNT, dither=Image.Dither.NONE)
    frames = [
        picture.quantize(palette=colours, dither=Image.Dither.NONE)
        for picture in pictures
    ]
    file = BytesIO()
    frames[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[*(frame.pause_ms for frame in film.frames[:-1]), LAST_FRAME_MS],
        loop=0,
    )
    return file.getvalue()


def _plot_frame(
    site: SiteData, agent_name: str, record: str, film: Film, step: int
) -> svg.Drawing:
    frame = film.frames[step]
    match = Match(record=record, x=HUMAN, o=HUMAN, value_source=agent_name)
    state = replay_match(match, site)
    snapshot = site.get_snapshot_parameter(agent_name, step)
    position = replay_record(GAME, record)[-1]
    values = evaluate_moves(site, position, agent_name, snapshot)
    board = lay_out_board(
        state, values, None, "film", "", notes=[EMPTY_NOTE] * GAME.cells
    )
    blunders = site.agents[agent_name].card.figures.blunders
    highest = max(1, *blunders)
    points = [
        (
            CURVE_LEFT + CURVE_WIDTH * number / max(1, film.last_frame),
            CURVE_TOP + CURVE_HEIGHT * (1 - count / highest),
        )
        for number, count in enumerate(blunders)
    ]
    x, y = points[step]
    bottom = CURVE_TOP + CURVE_HEIGHT
    right = CURVE_LEFT + CURVE_WIDTH
    updates, blunders_title = gettext("Updates"), gettext("Blunders")
    last_updates = f"{updates} {film.frames[-1].update_text}"
    # The font of the pictures has no star, so the name of the best square replaces it.
    starred_square = name_square(values.likeliest_cells[0])
    caption = frame.caption.replace("★", starred_square)
    mover = gettext("%(mark)s to move", mark=film.mover)
    caption_lines = wrap(f"{mover}. {caption}", MAX_CAPTION_CHARACTERS)
    heading = svg.cut_text(film.title, FILM_WIDTH - 2 * FILM_MARGIN, 17)
    shapes: list[svg.Shape] = [
        svg.Text("heading", FILM_MARGIN, 28, heading),
        svg.Inset("", plot_squares(board), FILM_MARGIN, BOARD_TOP, BOARD_SCALE),
        svg.Text("heading", TEXT_LEFT, 62, f"{updates} {frame.update_text}"),
        *(
            svg.Text("told", TEXT_LEFT, 84 + 16 * row, line)
            for row, line in enumerate(caption_lines)
        ),
        svg.Text(
            "label",
            CURVE_LEFT,
            CURVE_TOP - 12,
            f"{blunders_title} {frame.blunder_text}",
        ),
        svg.Text("tick", CURVE_LEFT, CURVE_TOP + 4, format_count(highest), "end", 8),
        svg.Text("tick", CURVE_LEFT, bottom + 4, "0", "end", 8),
        svg.Text("tick", CURVE_LEFT, bottom + 18, film.frames[0].update_text),
        svg.Text("tick", right, bottom + 18, last_updates, "end"),
        svg.Segment("base", CURVE_LEFT, bottom, right, bottom),
        svg.Path("soft curve", points),
        svg.Path("accent curve", points[: step + 1]),
        svg.Dot("accent dot", x, y),
    ]
    return svg.Drawing(FILM_WIDTH, FILM_HEIGHT, film.title, shapes)
