"""The files for servers agree with the site: command, variables, files."""

import re
from configparser import ConfigParser

import pytest
import yaml
from click.testing import CliRunner

import hatch_build
from app.project import ROOT
from training import cli

SERVING = (ROOT / "docs" / "serving.md").read_text()
ROWS = re.findall(r"^\| (`[A-Z].*?) \|", SERVING, re.MULTILINE)
VARIABLES = set(re.findall("[A-Z_]+", " ".join(ROWS)))
# They belong to Python, numba and systemd.
OTHERS = {"PYTHONUNBUFFERED", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}


def read_dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text()


def test_an_image_has_all_that_the_wheel_needs() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    sent = {line[1:] for line in lines if line.startswith("!")}
    built = {hatch_build.PACKAGE, *hatch_build.FOLDERS, *hatch_build.FILES}
    assert sent == built | {"README.md", "hatch_build.py", "pyproject.toml", "requirements.txt"}
    for name in sent:
        assert (ROOT / name).exists()


def test_all_start_the_same_command() -> None:
    assert 'CMD ["q-tac-toe", "serve"]' in read_dockerfile()
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "deploy" / "q-tac-toe.service")
    assert unit["Service"]["ExecStart"].endswith("/q-tac-toe serve")
    help_text = CliRunner().invoke(cli.main, ["serve", "--help"]).output
    for variable in ("HOST", "PORT", "WEB_CONCURRENCY"):
        assert variable in help_text


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "deploy/q-tac-toe.service"])
def test_their_variables_are_described(name: str) -> None:
    text = (ROOT / name).read_text()
    found = {*re.findall(r"\b([A-Z][A-Z_]{3,})[=:] ?[\w\"/]", text)} - {"NAME"}
    assert found
    assert found - OTHERS <= VARIABLES


def test_compose_is_read_only_but_for_what_the_image_writes() -> None:
    site = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["site"]
    assert site["read_only"]
    (kernels,) = site["volumes"]
    assert f"NUMBA_CACHE_DIR={kernels.partition(':')[2]} " in read_dockerfile()
