"""Pictures of boards: large boards for pages and files, and small boards."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS, MARKS
from app.web.match import MatchState
from app.web.move_values import EMPTY_NOTE, MoveValues, Note, build_notes
from app.web.pictures import svg
from app.web.translation import gettext, gettext_noop

SIGN_PATHS = {
    "last": "m.06.06h.88v.88h-.88z",
    "x": "m.24.24.52.52m0-.52-.52.52",
    "o": "m.22.5a.28.28 0 1 0 .56 0a.28.28 0 1 0-.56 0",
    "right": "m.5.16.1.24.26.02-.2.17.06.25-.22-.13-.22.13.06-.25-.2-.17.26-.02z",
    "blunder": "m.5.16a.34.34 0 1 0 0 .68a.34.34 0 1 0 0-.68"
    "m0 .26.13-.13.08.08-.13.13.13.13-.08.08-.13-.13-.13.13-.08-.08.13-.13-.13-.13.08-.08z",
    "plays": "m.34.5a.16.16 0 1 0 .32 0a.16.16 0 1 0-.32 0",
}
# in pixels
SQUARE_SIZE, SQUARE_GAP, BOARD_MARGIN = 112, 6, 16
SQUARE_DISTANCE = SQUARE_SIZE + SQUARE_GAP
# The side does not include the margin.
BOARD_SIDE = 3 * SQUARE_DISTANCE - SQUARE_GAP
GRID_LINES = "M1 0v3M2 0v3M0 1h3M0 2h3"
HEADING_HEIGHT = 58
CSV_COLUMNS = ("row", "column", "mark", "value", "heat", "best", "true_outcome", "note")
SIGN_WORDS = {
    "right": gettext_noop("right"),
    "blunder": gettext_noop("blunder"),
    "plays": gettext_noop("its move"),
    "last": gettext_noop("just played"),
}


# A function from a cell to a URL.
CellUrl = Callable[[int], str]


class BoardSquare(NamedTuple):
    id: str
    shortcut_key: str
    row: int
    column: int
    # "X", "O" or "."
    mark: str
    # "" if nobody may move to this square
    move_url: str = ""
    # "" if no agent replies
    reply_url: str = ""
    is_last_move: bool = False
    is_page_subject: bool = False
    is_in_winning_line: bool = False
    # a step of the heat scale; None if the value is unknown
    heat: int | None = None
    # "" if the value is hidden
    value_text: str = ""
    spoken_value: str = ""
    # the result with optimal play, if the value is wrong or the page shows all results
    note: Note = EMPTY_NOTE
    is_best: bool = False
    unknown_text: str = ""
    is_hinted: bool = False
    # the URL of the reason for the value, if nobody may move to this square; "" without a reason
    explain_url: str = ""

    @property
    def css_classes(self) -> str:
        """The CSS classes besides `cell`, each after a space."""
        return (
            " taken" * (self.mark != ".")
            + " last" * self.is_last_move
            + " best" * self.is_best
            + " unknown" * bool(self.unknown_text)
            + " chosen" * self.is_page_subject
            + " hinted" * self.is_hinted
        )

    @property
    def label(self) -> str:
        words = [
            gettext("Row %(row)s, column %(column)s", row=self.row, column=self.column),
            self.mark if self.mark != "." else gettext("empty"),
        ]
        words += [
            gettext("value %(value)s", value=self.spoken_value)
            if self.value_text
            else "",
            self.unknown_text,
            self.note.spoken_text,
            gettext("best") if self.is_best else "",
            gettext("hint") if self.is_hinted else "",
            gettext("last move") if self.is_last_move else "",
            gettext("wins") if self.is_in_winning_line else "",
        ]
        return ", ".join(filter(None, words))


class BoardPicture(NamedTuple):
    id: str
    label: str
    square_rows: list[list[BoardSquare]]
    winning_lines: list[svg.Segment]
    # True while the page waits for a reply: the values are from the position before the last move
    shows_earlier_values: bool
    # "X" or "O"; "" after the end
    player_to_move: str

    @property
    def squares(self) -> list[BoardSquare]:
        return [square for rank in self.square_rows for square in rank]


class SmallBoard(NamedTuple):
    """A small picture of a board. A cell is 1 wide, and (0, 0) is the top left corner."""

    # for screen readers
    label: str
    # All signs of a kind are one outline, which makes the picture small.
    signs: list[svg.Sign]

    @property
    def svg(self) -> Markup:
        box = f'viewBox="0 0 3 3" role="img" aria-label="{self.label}"'
        return svg.write_inline(
            [svg.Inset("position", self.signs)], "drawing mini", box
        )


def lay_out_board(
    match_state: MatchState,
    move_values: MoveValues | None,
    build_move_url: CellUrl | None,
    board_id: str = "board",
    label: str = "",
    chosen_cell: int | None = None,
    notes: Sequence[Note] | None = None,
    *,
    build_explain_url: CellUrl | None = None,
    hinted_cells: Collection[int] = (),
    build_reply_url: CellUrl | None = None,
    shows_earlier_values: bool = False,
) -> BoardPicture:
    """Return the board in the shown position of a match.

    `build_move_url` and `build_reply_url` take a cell, and return the URL of a move and of the
    agent's reply. `build_move_url` is None if nobody may move, and `build_reply_url` is None if no
    agent replies. `build_explain_url` takes a cell, and returns the URL of the reason for its value.
    `chosen_cell` is the cell that the page is about. By default the notes mark blunders.
    `shows_earlier_values` is set while the page waits for a reply.
    """
    position = match_state.position
    lines = _find_winning_lines(position) if match_state.is_over else []
    winning = set(chain.from_iterable(lines))
    squares = [
        _lay_out_square(match_state, cell, board_id)._replace(
            is_page_subject=cell == chosen_cell,
            note=notes[cell] if notes else EMPTY_NOTE,
            is_in_winning_line=cell in winning,
            is_hinted=cell in hinted_cells,
            explain_url=build_explain_url(cell) if build_explain_url else "",
        )
        for cell in range(GAME.cells)
    ]
    empty = np.flatnonzero(GAME.board[position] == 0).tolist()
    if not match_state.is_over:
        for cell in empty:
            squares[cell] = _add_move_urls(
                squares[cell], match_state, cell, build_move_url, build_reply_url
            )
    if move_values:
        notes = notes or build_notes(match_state.site, move_values, None, "")
        _add_values(squares, empty, move_values, notes)
    if hinted_cells:
        # Beside the squares to play, the star of the agent's own move would be a second mark.
        squares = [square._replace(is_best=False) for square in squares]
    return BoardPicture(
        board_id,
        label or gettext("Board"),
        square_rows=[squares[start : start + 3] for start in (0, 3, 6)],
        winning_lines=_plot_winning_lines(lines),
        shows_earlier_values=shows_earlier_values,
        player_to_move=""
        if match_state.is_over
        else MARKS[match_state.match.player_to_move],
    )


def _lay_out_square(match_state: MatchState, cell: int, board_id: str) -> BoardSquare:
    ply = len(match_state.match.shown_record)
    row, column = divmod(cell, 3)
    return BoardSquare(
        id=f"{board_id}-{DIGITS[cell]}",
        shortcut_key=str(cell + 1),
        row=row + 1,
        column=column + 1,
        mark=MARKS[int(GAME.board[match_state.position, cell])],
        is_last_move=ply > 0 and cell == match_state.played_cells[ply - 1],
    )


def _add_move_urls(
    square: BoardSquare,
    match_state: MatchState,
    cell: int,
    build_move_url: CellUrl | None,
    build_reply_url: CellUrl | None,
) -> BoardSquare:
    goes_on = not GAME.is_over(int(GAME.successor[match_state.position, cell]))
    return square._replace(
        move_url=build_move_url(cell) if build_move_url else "",
        reply_url=build_reply_url(cell) if build_reply_url and goes_on else "",
    )


def _add_values(
    squares: list[BoardSquare],
    empty_cells: list[int],
    move_values: MoveValues,
    notes: Sequence[Note],
) -> None:
    for cell in empty_cells:
        known = move_values.is_known[cell]
        squares[cell] = squares[cell]._replace(
            heat=move_values.heats[cell] if known else None,
            value_text=move_values.value_texts[cell],
            spoken_value=move_values.spoken_values[cell],
            note=notes[cell],
            is_best=move_values.is_best[cell],
            unknown_text="" if known else move_values.unknown_text,
        )


def plot_small_board(
    position: int, signs: Mapping[int, str], last_cell: int | None = None
) -> SmallBoard:
    """Return a small picture of a position, with signs on some empty cells.

    A sign is "right" (a star), "blunder" (a cross) or "plays" (a dot). `last_cell` gets a border.
    """
    kinds = {
        cell: MARKS[stone].lower()
        for cell, stone in enumerate(GAME.board[position].tolist())
    }
    kinds |= signs
    cells_by_sign: dict[str, list[int]] = {kind: [] for kind in SIGN_PATHS}
    for cell, kind in kinds.items():
        cells_by_sign.get(kind, []).append(cell)
    cells_by_sign["last"] = [] if last_cell is None else [last_cell]
    drawn = [svg.Sign("grid", GRID_LINES)]
    drawn += [
        svg.Sign(kind, "".join(_build_sign_path(kind, cell) for cell in there))
        for kind, there in cells_by_sign.items()
        if there
    ]
    lines = _find_winning_lines(position) if GAME.is_over(position) else []
    for line in _plot_winning_lines(lines):
        drawn.append(svg.Sign("won", f"M{line.x1} {line.y1} {line.x2} {line.y2}"))
    return SmallBoard(_describe_cells(kinds, last_cell), drawn)


def plot_squares(board: BoardPicture) -> list[svg.Shape]:
    shapes: list[svg.Shape] = []
    for square in board.squares:
        x = (square.column - 1) * SQUARE_DISTANCE
        y = (square.row - 1) * SQUARE_DISTANCE
        shapes += _plot_square(square, x, y)
    for kind, *ends in board.winning_lines:
        places = [round(end * SQUARE_DISTANCE - SQUARE_GAP / 2, 1) for end in ends]
        shapes.append(svg.Segment(kind, *places))
    return shapes


def plot_board_file(board: BoardPicture, headline: str, caption: str) -> svg.Drawing:
    side = BOARD_SIDE + 2 * BOARD_MARGIN
    squares = "; ".join(square.label for square in board.squares)
    shapes: list[svg.Shape] = [
        svg.Text("heading", BOARD_MARGIN, 26, headline),
        svg.Text("told", BOARD_MARGIN, 46, svg.cut_text(caption, BOARD_SIDE)),
        svg.Inset("", plot_squares(board), BOARD_MARGIN, HEADING_HEIGHT),
    ]
    label = f"{headline}. {caption} {squares}."
    return svg.Drawing(side, side + HEADING_HEIGHT - BOARD_MARGIN, label, shapes)


def plot_board_preview(board: BoardPicture, caption: str) -> svg.Drawing:
    return svg.plot_preview(caption, plot_squares(board), BOARD_SIDE, BOARD_SIDE)


def list_board_rows(
    board: BoardPicture, move_values: MoveValues | None
) -> Iterator[tuple[object, ...]]:
    """Yield a CSV row for each square, with the columns CSV_COLUMNS."""
    for cell, square in enumerate(board.squares):
        value = best = result = None
        if move_values and square.mark == ".":
            if move_values.is_known[cell]:
                value = float(move_values.values[cell])
            best = int(square.is_best)
            result = move_values.optimal_results[cell] or None
        yield (
            square.row,
            square.column,
            square.mark,
            value,
            square.heat,
            best,
            result,
            square.note.spoken_text or None,
        )


def _plot_square(square: BoardSquare, x: float, y: float) -> Iterator[svg.Shape]:
    taken = square.mark != "."
    value = None if taken or square.heat is None else ("heat", square.heat)
    kind = (
        "square"
        + " taken" * taken
        + " last" * square.is_last_move
        + " hinted" * square.is_hinted
    )
    kind += " chosen" * square.is_page_subject
    yield svg.Rect(
        kind, x, y, SQUARE_SIZE, SQUARE_SIZE, colour_value=value, corner_radius=8
    )
    if taken:
        stone = [svg.Sign("stone", "M0 0" + SIGN_PATHS[square.mark.lower()])]
        yield svg.Inset("", stone, x, y, SQUARE_SIZE)
        return
    on = " on" * (value is not None)
    middle = x + SQUARE_SIZE / 2
    if square.value_text:
        yield svg.Text(
            f"value{on}",
            middle,
            y + SQUARE_SIZE / 2 + 8,
            square.value_text,
            "middle",
            colour_value=value,
        )
    elif square.unknown_text:
        yield svg.Text("value unknown", middle, y + SQUARE_SIZE / 2 + 8, "–", "middle")
    if square.is_best:
        star = [svg.Sign(f"best{on}", "M0 0" + SIGN_PATHS["right"], value)]
        yield svg.Inset("", star, x + SQUARE_SIZE - 32, y + 4, 28)
    if square.note.short_text:
        note = square.note.shortest_text or square.note.short_text
        yield svg.Text(
            f"note{on}",
            middle,
            y + SQUARE_SIZE - 12,
            note,
            "middle",
            colour_value=value,
        )


def _find_winning_lines(position: int) -> list[list[int]]:
    stones = GAME.board[position][GAME.lines]
    complete = np.abs(stones.sum(axis=1)) == GAME.in_a_row
    winning_lines: list[list[int]] = GAME.lines[complete].tolist()
    return winning_lines


def _plot_winning_lines(winning_lines: list[list[int]]) -> list[svg.Segment]:
    drawn = []
    for line in winning_lines:
        row1, column1 = divmod(line[0], 3)
        row2, column2 = divmod(line[-1], 3)
        down = np.sign(row2 - row1) * 0.3
        right = np.sign(column2 - column1) * 0.3
        ends = (column1 - right, row1 - down, column2 + right, row2 + down)
        drawn.append(
            svg.Segment("strike", *(round(float(end) + 0.5, 2) for end in ends))
        )
    return drawn


def _build_sign_path(sign_kind: str, cell: int) -> str:
    row, column = divmod(cell, 3)
    return f"M{column} {row}{SIGN_PATHS[sign_kind]}"


def _describe_sign(sign_kind: str) -> str:
    if sign_kind in SIGN_WORDS:
        return gettext(SIGN_WORDS[sign_kind])
    return gettext("empty") if sign_kind == "." else sign_kind.upper()


def _describe_cells(sign_kinds: Mapping[int, str], last_cell: int | None) -> str:
    words = [_describe_sign(kind) for kind in sign_kinds.values()]
    if last_cell is not None:
        words[last_cell] += f" {gettext(SIGN_WORDS['last'])}"
    rows = [words[i : i + 3] for i in (0, 3, 6)]
    return "; ".join(
        gettext("row %(row)s %(squares)s", row=number, squares=", ".join(row))
        for number, row in enumerate(rows, 1)
    )
