"""Templates whose code is kept from one start to the next: only where it is this user's own."""

from pathlib import Path
from types import CodeType

import pytest
from jinja2.environment import Environment

from app.web import create_app
from app.web.service import compiled


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def start(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let a site begin; return the templates that were compiled for that."""
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
    (file,) = (home / "q-tac-toe" / "templates").iterdir()
    return file


def test_a_second_start_compiles_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(start(monkeypatch)) > 50
    written = kept(home).stat().st_mtime_ns
    assert start(monkeypatch) == []
    assert kept(home).stat().st_mtime_ns == written


def test_what_is_damaged_or_another_s_is_not_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(monkeypatch)
    file = kept(home)
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], whole[:100] + b"?" + whole[101:]):
        file.write_bytes(damaged)
        assert compiled.read(file) == {}
    assert len(start(monkeypatch)) > 50
    assert compiled.read(file)  # written anew
    file.parent.chmod(0o777)  # anybody could have written it
    assert compiled.read(file) == {}


def test_a_place_that_is_none_stops_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "q-tac-toe").write_text("a file")
    assert len(start(monkeypatch)) > 50
