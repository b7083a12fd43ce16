"""A position in all its writings, and the worked example: all of it by plain links."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from app.tictactoe.game import Game
from app.tictactoe.notation import parse_position, position_text
from app.web.addresses import how
from app.web.numbers import encoded
from app.web.pages.how import ALPHA, GAME, won_game, writing
from app.web.world import World


@pytest.fixture
def game(world: World) -> Game:
    return world.game


def board_of(href: str) -> str:
    found = re.search(r"board=([XO.]+)$", href)
    assert found
    return found[1]


def pressed(game: Game, board: str, cell: int) -> str:
    """The board after a press on a square, "" where it cannot be pressed."""
    squares = writing(game, parse_position(game, board)).squares
    return board_of(squares[cell].href) if squares[cell].href else ""


def test_an_empty_square_takes_the_stone_of_whoever_is_to_move(game: Game) -> None:
    assert pressed(game, "X...O....", 8) == "X...O...X"
    assert pressed(game, "X........", 1) == "XO......."


def test_a_stone_of_the_last_mover_can_be_taken_away_and_no_other(game: Game) -> None:
    assert pressed(game, "X...O....", 4) == "X........"
    assert pressed(game, "X...O....", 0) == ""


def test_a_press_never_leads_to_a_board_that_no_game_reaches(game: Game) -> None:
    for position in range(0, game.positions, 7):
        text = position_text(game, position)
        for square in writing(game, position).squares:
            if square.href:
                after = board_of(square.href)
                parse_position(game, after)
                assert sum(a != b for a, b in zip(text, after, strict=True)) == 1


def test_a_finished_game_takes_no_stone(game: Game) -> None:
    over = writing(game, parse_position(game, "XXXOO...."))
    assert over.mover == ""
    assert {square.mark for square in over.squares if square.href} == {"X"}


def test_every_board_can_be_pressed_together_from_the_empty_one(game: Game) -> None:
    reached, waiting = {"." * 9}, ["." * 9]
    while waiting:
        board = waiting.pop()
        for square in writing(game, parse_position(game, board)).squares:
            if square.mark == "." and square.href:
                after = board_of(square.href)
                if after not in reached and after.count("X") + after.count("O") < 4:
                    reached.add(after)
                    waiting.append(after)
    plies = game.ply_start[4]  # all positions of three stones and fewer
    assert reached == {position_text(game, position) for position in range(plies)}


def test_its_writings_and_its_images_are_those_of_the_position(game: Game) -> None:
    position = parse_position(game, "XO..X....")
    shown = writing(game, position)
    assert shown.encodings == encoded(game, position)
    assert [board_of(image.href) for image in shown.images] == [
        position_text(game, image) for image in game.image[:, position].tolist()
    ]
    stands = {board_of(image.href) for image in shown.images if image.chosen}
    assert stands == {position_text(game, int(game.symmetry_class[position]))}


def test_the_names_of_the_images_are_right(game: Game) -> None:
    """X is top left and O right of it: where do the two come to lie?"""
    images = {
        image.name: board_of(image.href)
        for image in writing(game, parse_position(game, "XO.......")).images
    }
    assert images == {
        "as it is": "XO.......",
        "rotated left": "...O..X..",
        "rotated by 180°": ".......OX",
        "rotated right": "..X..O...",
        "reflected, left and right": ".OX......",
        "reflected, along the falling diagonal": "X..O.....",
        "reflected, top and bottom": "......XO.",
        "reflected, along the rising diagonal": ".....O..X",
    }


def test_one_won_game_gives_what_was_published(client: FlaskClient, game: Game) -> None:
    """0.9, 0.81, 0.73: the last move first."""
    assert ALPHA == 0.9
    after = ["0.73", "0.81", "0.90"]
    assert [f"{move.value:.2f}" for move in won_game(game)] == after[::-1]
    for stage in range(len(after) + 1):
        page = client.get(how("won-game", stage=stage)).text
        values = re.findall(r'<span class="value">([^<]+)</span>', page)
        assert values == ["0.00"] * (3 - stage) + after[3 - stage :]


def test_the_example_is_a_game_that_x_wins_with_its_third_move(world: World) -> None:
    assert world.game.result(parse_position(world.game, "XXXOO....")) == 1
    boards = [move.board for move in won_game(world.game)]
    assert boards == ["XX.OO....", "X..O.....", "........."]
    assert len(GAME) == 5


def test_its_steps_lead_to_each_other(client: FlaskClient) -> None:
    href, steps = how("won-game", stage=0), 1
    while True:
        page = unescape(client.get(href).text)
        found = re.search(r'id="on" class="[^"]*"\s+href="([^"]+)"', page)
        if not found:
            break
        after = unescape(client.get(found[1]).text)
        back = re.search(r'id="back"[^>]*href="([^"]+)"', after)
        assert back
        assert back[1] == href
        href, steps = found[1], steps + 1
    assert steps == 4
    assert "= 0.73" in page
