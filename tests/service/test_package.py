"""The installed project: a wheel in its own environment, used from another folder."""

import json
import os
import re
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

import hatch_build
from app.project import ROOT, read_version
from tests.service.server import Server, ask, free_port, wait_until_up

LARGEST = 10 << 20  # bytes of the wheel


@dataclass
class Installed:
    """An environment with the installed wheel, and an empty working folder."""

    programs: Path
    home: Path

    def start(
        self, program: str, *arguments: str, output: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(self.programs / program), *arguments],
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], "LAB": "0"},
            stdout=output,
            stderr=subprocess.DEVNULL,
        )

    def run(self, program: str, *arguments: str) -> str:
        process = self.start(program, *arguments, output=subprocess.PIPE)
        output, _ = process.communicate()
        assert process.returncode == 0
        return output.decode()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=False)
    (site,) = (folder / "env" / "lib").glob("*/site-packages")
    (shared,) = (place for place in sys.path if place.endswith("site-packages"))
    (site / "shared.pth").write_text(shared)
    programs = folder / "env" / "bin"
    uv = str(Path(sys.executable).with_name("uv"))
    options = ("--quiet", "--offline", "--no-deps", "--python", str(programs / "python"))
    subprocess.run([uv, "pip", "install", *options, str(wheel)], check=True)
    (folder / "home").mkdir()
    return Installed(programs, folder / "home")


def test_a_wheel_has_one_package_of_a_few_megabytes(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST
    names = ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "q_tac_toe",
        f"q_tac_toe-{read_version()}.dist-info",
    }
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    assert folders >= {"app", "training", "static", "templates", "models"}
    for name in names:
        if name.endswith(".py"):
            text = ZipFile(wheel).read(name).decode()
            assert not hatch_build.OURS.search(text), name


def test_imports_get_the_prefix_and_nothing_else_changes() -> None:
    source = "from app.web import urls\n    from training import cli\nfrom apple import app\n"
    assert hatch_build.add_prefix(source) == (
        "from q_tac_toe.app.web import urls\n"
        "    from q_tac_toe.training import cli\n"
        "from apple import app\n"
    )
    with pytest.raises(ValueError, match="write 'from"):
        hatch_build.add_prefix("import app.web\n")


def test_the_command_line_works_from_any_folder(installed: Installed) -> None:
    assert installed.run("q-tac-toe", "--version") == f"q-tac-toe {read_version()}\n"
    assert "champion" in installed.run("python", "-m", "q_tac_toe", "list")
    record = json.loads(installed.run("q-tac-toe", "evaluate", "q-table", "--json"))
    assert record["blunders"] == 311
    script = installed.run("q-tac-toe", "code", "q-table,games=20")
    assert "import q_tac_toe" not in script
    assert "class QTable" in script


def test_an_installed_package_imports_nothing_under_another_name(installed: Installed) -> None:
    """Every module is imported, so none is missing and none needs `app` or `training`."""
    lines = installed.run(
        "python",
        "-c",
        "import importlib, pkgutil, sys, q_tac_toe\n"
        "for found in pkgutil.walk_packages(q_tac_toe.__path__, 'q_tac_toe.'):\n"
        "    importlib.import_module(found.name)\n"
        "print({'app', 'training'} & {name.split('.')[0] for name in sys.modules})\n"
        "from q_tac_toe.app.processes import CallProcess, call_by_name\n"
        "process = CallProcess()\n"
        "request = 'code/q-table,games=20'\n"
        "print(len(process.call(60, call_by_name, 'training.jobs', 'answer_request', request)) > 99)\n"
        "process.close()\n",
    )
    assert lines.splitlines() == ["set()", "True"]


def test_the_site_is_served(installed: Installed) -> None:
    port = free_port()
    process = installed.start("q-tac-toe", "serve", "--port", str(port), "--workers", "1")
    server = Server(port, process, sys.stderr)
    try:
        assert wait_until_up(server)
        page = ask(server, "/?hl=de").text
        assert '<html lang="de"' in page
        (style, *_) = re.findall(r'rel="stylesheet" href="([^"]+)"', page)
        assert len(ask(server, style).text) > 1000
        assert f"{read_version()}" in ask(server, "/healthz").text
    finally:
        assert server.stop() == 0
