"""Agents on disk: a saved agent is loaded bit for bit, and invalid agents are not saved."""

import json
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.tictactoe.agents import (
    Agent,
    ModelError,
    load_agent,
    load_agents,
    read_arrays_file,
    save_agent,
)
from app.tictactoe.card import Card, ReportedResult, format_card
from app.tictactoe.game import Game
from app.tictactoe.history import History
from tests.tictactoe.models import ID, assert_same, make_agent
from tests.tictactoe.savers import AGENTS, GAME, files

CARD = AGENTS[0].card
TEXT = st.text(min_size=1)
TITLE = st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs")), min_size=1, max_size=200)


@pytest.fixture(scope="module")
def agent(game: Game) -> Agent:
    return make_agent(game)


def test_what_is_saved_is_loaded(tmp_path: Path, game: Game, agent: Agent):
    saved = save_agent(tmp_path / "new" / "models", game, agent)
    loaded = load_agent(tmp_path / "new" / "models", game, ID)
    assert loaded.card == saved.card
    assert_same(loaded, agent)
    assert_same(saved, agent)


def test_a_model_is_two_files_that_everyone_may_read(tmp_path: Path, game: Game, agent: Agent):
    save_agent(tmp_path, game, agent)
    assert {path.name for path in tmp_path.iterdir()} == {f"{ID}.json", f"{ID}.npz"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o644}


def test_saving_again_writes_the_same_bytes(tmp_path: Path, game: Game, agent: Agent):
    """Also in another folder, after loading, and later: the archive has no date."""
    save_agent(tmp_path / "one", game, agent)
    save_agent(tmp_path / "two", game, load_agent(tmp_path / "one", game, ID))
    assert files(tmp_path / "one") == files(tmp_path / "two")
    with zipfile.ZipFile(tmp_path / "one" / f"{ID}.npz") as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@given(TITLE, TEXT, st.lists(TEXT), st.dictionaries(st.text(), st.text()))
@example("Tables [ 1,  2 ]", '"[\n  {}\\"', ["[\n]", "[  ]"], {"[  ]": "[  ]"})
def test_a_card_can_say_anything(
    title: str, where: str, found: list[str], versions: dict[str, str]
):
    card = msgspec.structs.replace(
        CARD,
        title=title,
        reported=[ReportedResult(title, where)],
        findings=found,
        versions=versions,
    )
    assert msgspec.json.decode(format_card(card), type=Card) == card


def test_load_all(tmp_path: Path, game: Game, agent: Agent):
    save_agent(tmp_path, game, agent)
    other = make_agent(game, seed=1, id="other-agent", training_seconds=0.5)
    save_agent(tmp_path, game, other)
    (tmp_path / "README.txt").write_text("not a model")
    agents = load_agents(tmp_path, game)
    assert list(agents) == ["other-agent", ID]
    assert_same(agents[ID], agent)
    assert_same(agents["other-agent"], other)


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path, game: Game, agent: Agent):
    save_agent(tmp_path, game, agent)
    before = files(tmp_path)
    broken = replace(agent, visits=agent.visits + 1)
    with pytest.raises(ModelError, match=f"{ID}.npz: visits counts updates of illegal moves"):
        save_agent(tmp_path, game, broken)
    for evil in ("../evil", "evil\n", "Evil", ""):
        with pytest.raises(ModelError, match=r"matching regex .* at `\$.id`"):
            save_agent(tmp_path, game, make_agent(game, id=evil))
    assert files(tmp_path) == before
    with pytest.raises(ModelError, match="visits"):
        save_agent(tmp_path / "new", game, broken)
    assert not (tmp_path / "new").exists()


def test_the_table_at_a_snapshot_and_at_the_end(game: Game, agent: Agent):
    assert agent.build_value_table(game) is agent.q
    np.testing.assert_array_equal(agent.build_value_table(game, 1), agent.q)
    first = agent.build_value_table(game, 0)
    np.testing.assert_array_equal(first[game.legal], agent.history.get_values(0))
    np.testing.assert_array_equal(np.isnan(first), ~game.legal)
    assert first.dtype == np.float32


# The file of an agent has all values of its training, bit for bit, in much less space.


FEW = [0.0, -0.0, 1.0, -1.0, 0.25]  # with so few values many repeat; 0 and -0 differ in their bits

Tables = tuple[NDArray[np.float32], NDArray[np.bool_]]


@st.composite
def tables(draw: st.DrawFn) -> Tables:
    """Generate values, and whether pairs had been updated, at some snapshots."""
    moments, pairs = draw(st.integers(1, 24)), draw(st.integers(1, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = random.choice(np.array(FEW, np.float32), (moments, pairs))
    met = random.integers(0, moments + 1, pairs)
    return values, met <= np.arange(moments)[:, None]


def assert_same_bits(values: NDArray[np.float32], others: NDArray[np.float32]) -> None:
    assert values.dtype == others.dtype == np.float32
    np.testing.assert_array_equal(values.view(np.uint32), others.view(np.uint32))


@given(tables(), st.data())
def test_everything_comes_back(made: Tables, data: st.DataObject) -> None:
    values, updated = made
    moments, pairs = values.shape
    history = History.from_snapshots(values, updated)
    assert history.snapshot_count == moments
    assert_same_bits(history.get_all_values(), values)
    np.testing.assert_array_equal(history.find_all_updated_moves(), updated)
    step = data.draw(st.integers(-moments, moments - 1))
    begin = data.draw(st.integers(0, pairs - 1))
    some = slice(begin, data.draw(st.integers(begin + 1, pairs)))
    assert_same_bits(history.get_values(step), values[step])
    assert_same_bits(history.get_values(step, some), values[step, some])
    np.testing.assert_array_equal(history.find_updated_moves(step), updated[step])
    np.testing.assert_array_equal(history.find_updated_moves(step, some), updated[step, some])


# If a process is stopped while it saves a model, the folder has the whole old or the whole new model.


ROOT = Path(__file__).parents[2]
MET = 20  # models that each of two processes saves at the same time


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.tictactoe.savers", program, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


@pytest.fixture(scope="module")
def killed(memory: Path) -> dict[str, list[Any]]:
    """The results of loading after saves that were killed at each step."""
    with start("kill", memory) as program:
        printed, _ = program.communicate()
    assert program.returncode == 0
    told: dict[str, list[Any]] = json.loads(printed)
    return told


def assert_exchanged(ends: list[Any], before: int | None, after: int) -> None:
    """Check that one model replaces the other at some step, with no other state between."""
    steps = ends.count(before)
    assert ends == [before] * steps + [after] * (len(ends) - steps)
    assert 3 < steps < len(ends)


@pytest.mark.long
def test_a_killed_save_leaves_the_old_model_or_the_new_one(killed):
    assert_exchanged(killed["second"], before=0, after=1)


@pytest.mark.long
def test_a_killed_first_save_leaves_no_model_or_the_new_one(killed):
    assert_exchanged(killed["first"], before=None, after=0)


@pytest.mark.long
def test_a_save_that_is_killed_after_one_that_was_killed_leaves_what_that_left(killed):
    """There are four states: nothing, the new arrays, also the new card, or both renamed into place."""
    assert [before for before, _ in killed["third"]] == [0, 0, 1, 1]
    for before, ends in killed["third"]:
        assert_exchanged(ends, before, after=2)


@pytest.mark.long
def test_two_who_save_at_once_never_mix_a_pair(memory: Path):
    """A process that loads at the same time gets one of the two pairs."""
    folder = memory / "busy"
    seen: Counter[int] = Counter()
    save_agent(folder, GAME, AGENTS[0])
    with start("go-on", folder, 1) as one, start("go-on", folder, 2) as other:
        while min(seen[1], seen[2]) < MET:
            loaded = load_agent(folder, GAME, ID)
            assert_same(loaded, AGENTS[loaded.card.seed])
            seen[loaded.card.seed] += 1
        for program in (one, other):
            program.communicate()  # closes the input of the program, which ends it
            assert program.returncode == 0
    assert set(files(folder)) == {f"{ID}.json", f"{ID}.npz"}
    assert load_agent(folder, GAME, ID).card.seed in (1, 2)


def test_arrays_that_no_card_describes_are_not_believed(tmp_path: Path):
    """An interrupted save can leave arrays that wait for their card."""
    save_agent(tmp_path, GAME, AGENTS[0])
    save_agent(tmp_path / "other", GAME, AGENTS[1])
    (tmp_path / "other" / f"{ID}.npz").rename(tmp_path / f"{ID}.npz.newer")
    (tmp_path / "other" / f"{ID}.json").unlink()
    (tmp_path / "other").rmdir()
    assert_same(load_agents(tmp_path, GAME)[ID], AGENTS[0])
    save_agent(tmp_path, GAME, AGENTS[2])
    assert set(files(tmp_path)) == {f"{ID}.json", f"{ID}.npz"}
    assert_same(load_agent(tmp_path, GAME, ID), AGENTS[2])


def test_the_file_of_a_loaded_agent_is_its_own_whatever_becomes_of_the_folder(tmp_path: Path):
    """The file is read if it exists; if it is missing or changed, it is made again."""
    save_agent(tmp_path, GAME, AGENTS[0])
    agent, path = load_agent(tmp_path, GAME, ID), tmp_path / f"{ID}.npz"
    content = path.read_bytes()
    assert read_arrays_file(GAME, agent) == content
    save_agent(tmp_path, GAME, AGENTS[1])
    assert path.read_bytes() != content
    assert read_arrays_file(GAME, agent) == content
    path.unlink()
    assert read_arrays_file(GAME, agent) == content
