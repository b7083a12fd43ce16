"""Site data: fixed agents, agents found by name, and memory after the last use."""

import gc
import shutil
import weakref
from pathlib import Path

import pytest

from app.project import ROOT
from app.tictactoe.notation import DIGITS
from app.web import create_app
from app.web.site_data import TASK_SUFFIX, TRUTH, SiteData


def test_what_is_listed_is_known(site: SiteData) -> None:
    assert all(site.is_player_name(name) for name in site.player_names)
    assert all(site.is_value_source(name) for name in site.value_sources)
    assert all(name in site.display_titles for name in (*site.player_names, *site.value_sources))
    for name in ("nobody", "q-learning,alpha=2", TASK_SUFFIX, f"minimax{TASK_SUFFIX}", "moves.x"):
        assert not site.is_player_name(name), name
        assert not site.is_value_source(name), name
    assert not site.is_player_name(TRUTH)
    assert not site.is_value_source("random")


@pytest.mark.long
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
