"""A card that is none, or not that of its arrays, is refused, naming the file and the reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.tictactoe.agents import save
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import BASELINES
from tests.tictactoe.models import (
    ID,
    Keys,
    assert_refused,
    make_agent,
    npz,
    write,
)

NO_WIN_RATE = "win_rate is not a share of games in each seat for each epoch"

# What replaces a key of the card, and why the card is then refused.
BROKEN_CARDS: dict[str, tuple[Keys, str]] = {
    "an unknown key": ({"author": "nobody"}, ".*unknown field `author`"),
    "a title that is a number": ({"title": 3}, r"Expected `str`, got `int` - at `\$.title`"),
    "no title": ({"title": None}, "Expected `str`, got `null`"),
    "a seed that is text": ({"seed": "0"}, "Expected `int`, got `str`"),
    "half a game": ({"games": 0.5}, "Expected `int`, got `float`"),
    "seconds as text": ({"seconds": "long"}, "Expected `float`, got `str`"),
    "opponents as text": ({"opponents": "random"}, "Expected `array`, got `str`"),
    "parameters in a list": ({"parameters": []}, "Expected `object`, got `array`"),
    "a list of parameters": ({"parameters": {"alpha": [1]}}, r".*at `\$.parameters\[...\]`"),
    "a version that is a number": ({"versions": {"numpy": 2}}, "Expected `str`, got `int`"),
    "worth of one seat": ({"worth": {"x": [-1, 0, 1]}, "nothing": 0}, ".*unknown field"),
    "worth of two outcomes": ({"worth": {"x": [-1, 1]}}, "Expected `array` of length 3"),
    "worth that falls": ({"worth": {"o": [1, 0, -1]}}, ".*worth in seat o rises"),
    "worth of a third seat": ({"worth": {"z": [-1, 0, 1]}}, ".*unknown field `z`"),
    "no figures": ({"figures": {}}, "Object missing required field `updates`"),
    "another id": ({"id": "other-agent"}, "id 'other-agent' is not the file's name"),
    "an id in capitals": ({"id": "Some-Agent"}, "id 'Some-Agent' is not lower-case words"),
    "an id that is a path": ({"id": "../some-agent"}, "id '../some-agent' is not lower-case words"),
    "an id and a line": ({"id": "some-agent\n"}, r"id 'some-agent\\n' is not lower-case words"),
    "no id": ({"id": ""}, "id '' is not lower-case words"),
    "a win rate in one seat": ({"win_rate": {"x": [0.5]}}, ".*missing required field `o`"),
    "win rates of no epoch": ({"win_rate": {"x": [], "o": []}}, NO_WIN_RATE),
    "one win rate more": ({"win_rate": {"x": [0.5], "o": [0.5, 0.5]}}, NO_WIN_RATE),
    "win rates in percent": ({"win_rate": {"x": [0.5], "o": [50]}}, NO_WIN_RATE),
    "a win rate below 0": ({"win_rate": {"x": [-0.5], "o": [0.5]}}, NO_WIN_RATE),
    "the numbering of another game": ({"numbering": "0" * 64}, "numbering is that of another game"),
}


@pytest.mark.parametrize("case", BROKEN_CARDS)
def test_broken_cards(tmp_path: Path, game: Game, card: Keys, files, case: str):
    change, reason = BROKEN_CARDS[case]
    write(tmp_path, json.dumps(card | change).encode(), files[1])
    assert_refused(tmp_path, game, "json", reason)


def test_every_key_of_a_card_is_needed(tmp_path: Path, game: Game, card: Keys, files):
    for missing in card:
        left = {key: value for key, value in card.items() if key != missing}
        write(tmp_path, json.dumps(left).encode(), files[1])
        assert_refused(tmp_path, game, "json", f"Object missing required field `{missing}`")


def test_every_figure_of_a_card_is_needed_and_no_other(tmp_path: Path, game, card: Keys, files):
    figures = card["figures"]
    for missing in figures:
        left = {key: value for key, value in figures.items() if key != missing}
        write(tmp_path, json.dumps(card | {"figures": left}).encode(), files[1])
        assert_refused(tmp_path, game, "json", f"Object missing required field `{missing}`")
    write(tmp_path, json.dumps(card | {"figures": figures | {"elo": [1]}}).encode(), files[1])
    assert_refused(tmp_path, game, "json", ".*unknown field `elo`")


def lists(figures: Any) -> list[list[Any]]:
    """The lists with one entry a snapshot, wherever they are."""
    if isinstance(figures, list):
        return [figures]
    return [found for below in figures.values() for found in lists(below)]


def test_every_figure_has_one_entry_a_snapshot(tmp_path: Path, game: Game, files):
    good = json.loads(files[0])["figures"]
    assert len(lists(good)) == 1 + 2 * len(BASELINES) + 2 + 1 + 1 + 2 + 1
    for i in range(len(lists(good))):
        broken = json.loads(files[0])
        lists(broken["figures"])[i].pop()
        write(tmp_path, json.dumps(broken).encode(), files[1])
        assert_refused(tmp_path, game, "json", "figures do not have one entry a snapshot")


def test_the_arrays_are_those_of_the_card_s_updates(tmp_path: Path, game: Game, card, files):
    write(tmp_path, json.dumps(card | {"updates": 21}).encode(), files[1])
    assert_refused(tmp_path, game, "npz", "snapshot_updates are not those of the card")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b"{",
        b"{}",
        b"{'id': 1}",
        b"\xff\xfe{}",
        b'{"id": "\xff"}',
        b'{"id": "\\ud800"}',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_card_at_all(tmp_path: Path, game: Game, files, content: bytes):
    write(tmp_path, content, files[1])
    assert_refused(tmp_path, game, "json", "")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "01", "0x1", "1_0"])
def test_a_number_that_is_none(tmp_path: Path, game: Game, files, number: str):
    broken = files[0].replace(b'"seconds": 0.25', f'"seconds": {number}'.encode())
    assert broken != files[0]
    write(tmp_path, broken, files[1])
    assert_refused(tmp_path, game, "json", "")


def test_a_good_card_with_something_after_it(tmp_path: Path, game: Game, files):
    write(tmp_path, files[0] + b"{}", files[1])
    assert_refused(tmp_path, game, "json", "")


def test_arrays_that_the_card_does_not_vouch_for(tmp_path: Path, game: Game, files, arrays):
    write(tmp_path, files[0], npz(arrays | {"visits": 2 * arrays["visits"]}))
    reason = "the file is not the one that the card describes: its sha256 differs"
    assert_refused(tmp_path, game, "npz", reason)


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_a_missing_file_and_a_folder_in_its_place(tmp_path: Path, game: Game, files, ending: str):
    write(tmp_path, *files)
    path = tmp_path / f"{ID}.{ending}"
    path.unlink()
    assert_refused(tmp_path, game, ending, "No such file or directory")
    path.mkdir()
    assert_refused(tmp_path, game, ending, "Is a directory")


def test_a_model_of_another_game(tmp_path: Path, game: Game):
    other = connect(3, 3, 2)
    save(tmp_path, other, make_agent(other))
    assert_refused(tmp_path, game, "json", "numbering is that of another game")
