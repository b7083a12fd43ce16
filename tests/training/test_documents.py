"""What the documents name is there: files, commands and versions."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from training.cli import main

DOCUMENTS = sorted([*Path().glob("*.md"), *Path("docs").glob("*.md")])
FOLDERS = "app|docs|models|static|templates|tests|training"


@pytest.fixture(params=DOCUMENTS, ids=str)
def document(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_a_link_leads_to_a_file(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_a_file_that_is_named_is_there(document: Path) -> None:
    if document.name == "CHANGELOG.md":
        return
    named = re.findall(rf"`((?:{FOLDERS})/[^`<>*]*)`", document.read_text())
    assert [name for name in named if not Path(name).exists()] == []


def test_a_command_that_is_named_is_there(document: Path) -> None:
    text = document.read_text()
    targets = set(re.findall(r"(?m)^([a-z-]+):", Path("Makefile").read_text()))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.M)) <= targets
    for command, rest in re.findall(r"-m training ([a-z]+)([^`\n#]*)", text):
        options = {name for option in main.commands[command].params for name in option.opts}
        assert set(re.findall(r"--[a-z]+", rest)) <= {*options, "--help"}


def test_the_version_is_the_newest_of_the_changes() -> None:
    newest = re.findall(r"(?m)^## ([\d.]+)", Path("CHANGELOG.md").read_text())[0]
    assert tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"] == newest
    assert yaml.safe_load(Path("CITATION.cff").read_text())["version"] == newest
