"""The documents: the files, commands and versions that they name exist."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import yaml

from app.experiments import load_summaries as load_claims
from app.tictactoe.agents import load_agents
from app.tictactoe.game import Game
from training.cli import main
from training.evaluate import RESULTS_FILE, write_document

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


def test_a_function_that_the_walk_names_is_in_its_file() -> None:
    """What to read in a file stands before its name: `parse_match` in **`app/web/match.py`**."""
    named = re.findall(r"`(\w+)`\s+in\s+\*\*`([\w/.]+\.py)`", Path("docs/walk.md").read_text())
    assert len(named) > 5
    for name, file in named:
        path = next(path for path in (Path(file), Path("app/web", file)) if path.exists())
        assert re.search(rf"(?m)^(?:def|class) {name}\b|^{name}\b", path.read_text()), (file, name)


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


# The tables of results in the documents are current.


MODELS = Path("models")


def test_the_results_are_current(game: Game, tmp_path: Path) -> None:
    (tmp_path / RESULTS_FILE).parent.mkdir()
    (tmp_path / RESULTS_FILE).write_text(Path(RESULTS_FILE).read_text())
    agents, claims = load_agents(MODELS, game), load_claims(MODELS / "experiments")
    write_document(tmp_path, agents.values(), claims.values())
    assert Path(RESULTS_FILE).read_text() == (tmp_path / RESULTS_FILE).read_text()


def test_the_three_results_of_the_readme_are_those_of_the_cards(game: Game) -> None:
    text = " ".join(Path("README.md").read_text().split())
    agents = load_agents(MODELS, game)
    table, nearly, champion = (
        agents[name].card.figures for name in ("q-table", "q-learning-4", "champion")
    )
    won, _, lost = table.outcome_chances_by_baseline["random"].x[-1]
    assert f"wins {100 * won:.2f}% of its games as X against random moves" in text
    assert lost == 0
    for beaten in (table, nearly):
        assert beaten.best_response.o[-1][2] == 1
    assert f"errs in {nearly.blunders[-1]} of {game.decisions:,} positions" in text
    assert champion.blunders[-1] == 0
    verdicts = Counter(claim.verdict for claim in load_claims(MODELS / "experiments").values())
    assert (
        f"Of {verdicts.total()} claims about learning this game, checked over many seeds, "
        f"{verdicts['reproduced']} were reproduced, {verdicts['partly reproduced']} only partly and "
        f"{verdicts['not reproduced']} not; {verdicts['inconclusive']} are undecided" in text
    )
