"""Agents on disk: what is saved is loaded, and an interruption leaves a model that can be used."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.tictactoe.agents import Agent, ModelError, load, load_all, save
from app.tictactoe.card import Card, card_text
from app.tictactoe.game import Game, connect
from app.tictactoe.report import BySeat
from tests.tictactoe.models import ID, assert_same, make_agent

SMALL = connect(2, 2, 2)
CARD = make_agent(SMALL).card
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def agent(game: Game) -> Agent:
    return make_agent(game)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_is_saved_is_loaded(tmp_path: Path, game: Game, agent: Agent):
    saved = save(tmp_path / "new" / "models", game, agent)
    loaded = load(tmp_path / "new" / "models", game, ID)
    assert loaded.card == saved.card
    assert_same(loaded, agent)
    assert_same(saved, agent)


def test_saving_fills_in_the_digests_and_changes_nothing_else(tmp_path: Path, game, agent):
    saved = save(tmp_path, game, agent).card
    assert (len(saved.numbering), len(saved.arrays)) == (64, 64)
    assert msgspec.structs.replace(saved, numbering="", arrays="") == agent.card


def test_a_loaded_agent_cannot_be_changed(tmp_path: Path, game: Game, agent: Agent):
    save(tmp_path, game, agent)
    loaded = load(tmp_path, game, ID)
    for array in (loaded.q, loaded.visits, loaded.snapshot_updates, loaded.snapshot_q):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_model_is_two_files_that_everyone_may_read(tmp_path: Path, game: Game, agent: Agent):
    save(tmp_path, game, agent)
    assert {path.name for path in tmp_path.iterdir()} == {f"{ID}.json", f"{ID}.npz"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o644}


def test_saving_again_writes_the_same_bytes(tmp_path: Path, game: Game, agent: Agent):
    """In another place, after loading, and at another time: the archive holds no date."""
    save(tmp_path / "one", game, agent)
    save(tmp_path / "two", game, load(tmp_path / "one", game, ID))
    assert files(tmp_path / "one") == files(tmp_path / "two")
    with zipfile.ZipFile(tmp_path / "one" / f"{ID}.npz") as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_card_is_readable(tmp_path: Path, game: Game, agent: Agent):
    """Its keys in this order, a line each, lists of numbers on one line."""
    save(tmp_path, game, agent)
    text = (tmp_path / f"{ID}.json").read_text()
    assert list(json.loads(text)) == [
        "id",
        "title",
        "origin",
        "reported",
        "algorithm",
        "parameters",
        "opponents",
        "seed",
        "games",
        "updates",
        "seconds",
        "versions",
        "numbering",
        "arrays",
        "worth",
        "figures",
    ]
    lines = text.splitlines()
    assert ' "title": "Some agent",' in lines
    assert '  "x": [-10.0, 0.5, 10.0],' in lines
    assert '  "updates": [0, 20],' in lines
    assert text.endswith("}\n")


def test_a_card_may_tell_the_win_rate_of_the_training(tmp_path: Path, game: Game):
    win_rate = BySeat(x=[0.5, 1.0], o=[0.0, 0.25])
    save(tmp_path, game, make_agent(game, win_rate=win_rate))
    assert load(tmp_path, game, ID).card.win_rate == win_rate
    assert '"x": [0.5, 1.0]' in (tmp_path / f"{ID}.json").read_text()


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text() | st.integers(-9, 9)))
@example("Tables [ 1,  2 ]", '"[\n  {}\\"', {"[  ]": "[  ]"})
def test_a_card_can_say_anything(title: str, origin: str, parameters: dict[str, str | int]):
    card = msgspec.structs.replace(CARD, title=title, origin=origin, parameters=parameters)
    assert msgspec.json.decode(card_text(card), type=Card) == card


def test_load_all(tmp_path: Path, game: Game, agent: Agent):
    save(tmp_path, game, agent)
    other = make_agent(game, seed=1, id="other-agent", seconds=0.5)
    save(tmp_path, game, other)
    (tmp_path / "README.txt").write_text("not a model")
    agents = load_all(tmp_path, game)
    assert list(agents) == ["other-agent", ID]
    assert_same(agents[ID], agent)
    assert_same(agents["other-agent"], other)


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_a_folder_without_models_is_refused(tmp_path: Path, game: Game, folder: str):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=f"{folder}: no model in this folder"):
        load_all(tmp_path / folder, game)


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_half_a_model_is_refused(tmp_path: Path, game: Game, agent: Agent, ending: str):
    save(tmp_path, game, agent)
    missing = tmp_path / f"{ID}.{ending}"
    missing.unlink()
    with pytest.raises(ModelError, match=f"^{missing}: No such file or directory$"):
        load_all(tmp_path, game)


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path, game: Game, agent: Agent):
    save(tmp_path, game, agent)
    before = files(tmp_path)
    illegal = agent.visits + 1
    broken = Agent(agent.card, agent.q, illegal, agent.snapshot_updates, agent.snapshot_q)
    with pytest.raises(ModelError, match=f"{ID}.npz: visits counts updates of illegal moves"):
        save(tmp_path, game, broken)
    with pytest.raises(ModelError, match="lower-case words"):
        save(tmp_path, game, make_agent(game, id="../evil"))
    assert files(tmp_path) == before
    with pytest.raises(ModelError, match="visits"):
        save(tmp_path / "new", game, broken)
    assert not (tmp_path / "new").exists()


# Dies without a word as soon as it has opened, renamed or changed so many files while saving.
KILLED = """
import os, sys
from pathlib import Path
from app.tictactoe.agents import save
from app.tictactoe.game import connect
from tests.tictactoe.models import make_agent

folder, steps = Path(sys.argv[1]), int(sys.argv[2])
game = connect(2, 2, 2)
agent = make_agent(game, seed=2)
left = iter(range(steps))

def die(event, arguments):
    if event in ("open", "os.rename", "os.chmod", "os.mkdir") and next(left, None) is None:
        os._exit(9)

sys.addaudithook(die)
save(folder, game, agent)
os._exit(0)
"""


def test_a_killed_save_leaves_the_old_model_or_the_new_one(tmp_path: Path):
    """Killed before any step of it; only between its two renames is the model refused.

    It is never a mixture, and nothing that is left aside is taken for a model.
    """
    old, new = make_agent(SMALL), make_agent(SMALL, seed=2)
    ends = []
    for steps in range(99):
        folder = tmp_path / str(steps)
        save(folder, SMALL, old)
        command = [sys.executable, "-c", KILLED, str(folder), str(steps)]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        try:
            agents = load_all(folder, SMALL)
        except ModelError as error:
            reason = "the file is not the one that the card describes"
            ends.append("refused" if reason in str(error) else str(error))
        else:
            assert list(agents) == [ID]
            is_old = agents[ID].card.seed == old.card.seed
            assert_same(agents[ID], old if is_old else new)
            ends.append("old" if is_old else "new")
        if code == 0:
            break
        assert code == 9
    between = ends.index("refused")
    after = len(ends) - between - 1
    assert ends == ["old"] * between + ["refused"] + ["new"] * after
    assert between > 3
    save(folder, SMALL, old)
    assert_same(load(folder, SMALL, ID), old)


def test_the_history_is_rounded_to_half_precision_and_the_table_is_not(
    tmp_path: Path, game: Game, agent: Agent
):
    thirds = np.where(game.legal, np.float32(1 / 3), np.float32(np.nan))
    history = np.stack([agent.snapshot_q[0], thirds.astype(np.float16)])
    assert (thirds[game.legal] != history[-1][game.legal]).all()
    exact = Agent(agent.card, thirds, agent.visits, agent.snapshot_updates, history)
    save(tmp_path, game, exact)
    assert_same(load(tmp_path, game, ID), exact)
