"""One position in several encodings, each checked from its text."""

from itertools import product

from app.tictactoe.encodings import bit_packed, flat, images, inputs, one_hot
from app.tictactoe.game import Game
from app.tictactoe.notation import parse_position, position_text


def test_a_network_reads_three_numbers_a_cell_and_who_is_to_move(game: Game) -> None:
    read = one_hot(game)
    assert read.shape == (game.decisions, 30)
    for s, row in enumerate(read.tolist()):
        text = position_text(game, s)
        cells = [float(mark == held) for mark, held in product(text, ".XO")]
        mover = [0.0, 1.0] if text.count("X") > text.count("O") else [1.0, 0.0]
        assert row == [*cells, *mover, 0.0]


def test_the_flat_board_is_the_base_3_number_digit_by_digit_and_who_is_to_move(game: Game) -> None:
    for s, (*row, mover) in enumerate(flat(game).tolist()):
        text = position_text(game, s)
        assert [".XO"[digit] for digit in row] == list(text)
        assert int("".join(map(str, row)), 3) == game.code[s]
        to_move = 2 if text.count("X") > text.count("O") else 1
        assert mover == (0 if game.is_over(s) else to_move)


def test_two_bits_a_cell_and_two_for_the_player_to_move(game: Game) -> None:
    position = parse_position(game, "XO.......")
    assert f"{bit_packed(game, position):020b}" == "01" + "10" + 7 * "00" + "01"
    packed = {bit_packed(game, s) for s in range(game.positions)}
    assert len(packed) == game.positions
    assert max(packed) < 1 << 20


def test_what_networks_read_instead_of_the_one_hot_board(game: Game) -> None:
    flat_board, bits, number = (inputs(game, one) for one in ("flat", "bits", "number"))
    assert [read.shape[1] for read in (flat_board, bits, number)] == [10, 20, 1]
    rows = zip(flat_board.tolist(), bits.tolist(), number[:, 0].tolist(), strict=True)
    for s, (digits, ones, one) in enumerate(rows):
        text = position_text(game, s)
        mover = "O" if text.count("X") > text.count("O") else "X"
        assert [".XO"[int(digit)] for digit in digits] == [*text, mover]
        packed = bit_packed(game, s)
        assert "".join(str(int(bit)) for bit in ones) == f"{packed:020b}"
        assert round(one * (2**20 - 1)) == packed
    assert inputs(game, "one-hot") is one_hot(game)


def test_how_many_positions_are_the_same_by_symmetry(game: Game) -> None:
    for text, different in [(".........", 1), ("X........", 4), ("....X....", 1), ("XO.......", 8)]:
        assert images(game, parse_position(game, text)) == different
