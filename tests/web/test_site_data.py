"""Site data: fixed agents, agents found by name, and memory after the last use."""

import gc
import shutil
import weakref
from pathlib import Path

import pytest

from app.tictactoe.notation import DIGITS
from app.web import create_app
from app.web.service.deployment import ROOT
from app.web.site_data import TASK_SUFFIX, TRUTH, Registry, SiteData


def test_a_registry_lists_what_is_always_there_and_finds_the_rest() -> None:
    made: list[str] = []

    def make(name: str) -> int:
        made.append(name)
        return int(name)

    registry = Registry({"one": 1, "two": 2}, str.isdigit, make)
    assert [*registry] == ["one", "two"]
    assert [name in registry for name in ("one", "two", "3", "x")] == [True, True, False, False]
    assert [registry.contains_name(name) for name in ("one", "3", "x")] == [True, True, False]
    assert made == []
    assert (registry["one"], registry["3"]) == (1, 3)
    assert [registry.find(name) for name in ("two", "4", "x")] == [2, 4, None]
    assert made == ["3", "4"]
    assert len(registry) == 2
    with pytest.raises(KeyError):
        registry["x"]


def test_what_is_listed_is_known(site: SiteData) -> None:
    assert all(site.is_seat(name) for name in site.seat_names)
    assert all(site.is_value_source(name) for name in site.value_sources)
    assert all(name in site.display_titles for name in (*site.seat_names, *site.value_sources))
    for name in ("nobody", "q-learning,alpha=2", TASK_SUFFIX, f"minimax{TASK_SUFFIX}", "moves.x"):
        assert not site.is_seat(name), name
        assert not site.is_value_source(name), name
    assert not site.is_seat(TRUTH)
    assert not site.is_value_source("random")


def test_a_world_goes_with_its_last_use(tmp_path: Path) -> None:
    """Also after requests for every page: nothing that outlives a site keeps its data."""
    for file in (ROOT / "models").glob("q-*.*"):
        shutil.copy(file, tmp_path)
    shutil.copytree(ROOT / "models" / "experiments", tmp_path / "experiments")
    app = create_app(tmp_path)
    client = app.test_client()
    pages = ("/", "/agents", "/agents/q-table", "/arena", "/compare/", "/experiments", "/how")
    boards = [f"/{page}/4{cell}" for page in ("play", "why", "compare") for cell in DIGITS[:4]]
    for page in (*pages, "/how/learning", "/mind/q-table", "/puzzle", "/puzzle/1", *boards):
        assert client.get(page).status_code == 200, page
    used = weakref.ref(app.extensions["site"])
    del app, client
    gc.collect()
    assert used() is None
