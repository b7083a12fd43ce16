"""Cached code of templates: it is read only from a folder of the same user."""

import shutil
from pathlib import Path
from types import CodeType

import pytest
from jinja2.environment import Environment

from app.web import create_app
from tests.service.server import ROOT


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MODELS", str(tmp_path / "models"))
    (tmp_path / "models").mkdir()
    for ending in ("json", "npz"):
        shutil.copy(ROOT / f"models/champion.{ending}", tmp_path / "models")
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def start(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Start a site; return the templates that were compiled for it."""
    made: list[str] = []
    compile_ = Environment._compile

    def listen(self: Environment, source: str, filename: str) -> CodeType:
        made.append(filename)
        return compile_(self, source, filename)

    with monkeypatch.context() as patch:
        patch.setattr(Environment, "_compile", listen)
        create_app()
    return made


def kept(home: Path) -> Path:
    (folder,) = (home / "q-tac-toe" / "templates").iterdir()
    return folder


def test_what_is_whole_and_ones_own_is_not_compiled_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(start(monkeypatch)) > 50
    assert start(monkeypatch) == []
    for file, end in zip(sorted(kept(home).iterdir()), (0, 8, 40, -1), strict=False):
        file.write_bytes(file.read_bytes()[:end])
    assert len(start(monkeypatch)) == 4
    assert start(monkeypatch) == []  # written anew
    kept(home).chmod(0o777)  # anybody could have written it
    assert len(start(monkeypatch)) > 50


def test_a_place_that_is_none_stops_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "q-tac-toe").write_text("a file")
    assert len(start(monkeypatch)) > 50
