"""Every recipe is an agent: the real trainer trains recipes on request."""

import json
import os
import random
import re
import signal
import string
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import brotli
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException

from app.project import ROOT
from app.recipes import ALGORITHMS, name_script_file, parse_recipe
from app.recipes.on_demand import MAX_UPDATES
from app.recipes.parameters import get_parameters
from app.tictactoe.agents import ModelError, encode_agent, pack_agent, read_arrays_file, save_agent
from app.tictactoe.files import get_runtime_folder
from app.tictactoe.game import GAME
from app.web.facts import get_figures
from app.web.job_queue import JobQueue
from app.web.on_demand import (
    MAX_CACHED_AGENTS,
    MAX_CACHED_NAMES,
    AgentsOnDemand,
    decode_trained_agent,
    get_client_network,
    get_full_name,
)
from app.web.site_data import SiteData
from app.web.trainer import Trainer
from tests.service.server import children
from tests.signals import held_up
from tests.web.conftest import HANG_SECONDS
from training import kernels
from training.export_script import build_script
from training.jobs import train_agent
from training.run import list_differences, make_agent_id, train

NAME = "q-table,games=300,seed=7"
DROPS = "q-table,epsilon_drop=0.05,games=200"
PHASES = "q-learning,vs=random:50+self:200"
UNTAUGHT = "q-iteration,vs=self,sweeps=1,loss=0"  # all it knows are losses, which stick
QUOTED = PHASES.replace("+", "%2B")
SEEDS = count(1000)


def fresh() -> str:
    """Return the name of a new recipe."""
    return f"champion,games=20,seed={next(SEEDS)}"


@pytest.mark.parametrize(
    "address",
    [
        f"/agents/{NAME}",
        f"/agents/{NAME}.json",
        f"/agents/{NAME}.csv",
        f"/lab/{NAME}.py",
        f"/agents/{NAME}/blunders",
        f"/agents/{QUOTED}",
        f"/mind/{NAME}",
        f"/play/?x={NAME}&o=human",
        f"/play/4?o={NAME}&lens={NAME}_task",
        f"/play/4?o=human&lens={DROPS}&step=3",
        f"/play/4?o=human&lens={DROPS}_task",
        f"/preview/4.png?lens={NAME}",
        f"/minds/4?o={NAME}",
        f"/why/?o={QUOTED}&lens={QUOTED}&cell=4",
        f"/compare/4?lens={NAME}&lens={DROPS}_3&lens={QUOTED}_task",
        f"/arena?add={NAME}",
        f"/arena?player={QUOTED}",
        f"/api/v1/agents/{NAME}",
        f"/api/v1/positions/.........?lens={DROPS}_task",
        f"/api/v1/positions/.........?lens={DROPS}&step=2",
        f"/api/v1/moves/.........?agent={NAME}&seed=1",
        f"/api/v1/matches/{NAME}/t-hand",
    ],
)
def test_a_recipe_can_stand_wherever_an_agent_can(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    again = client.get(address, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "address",
    [
        f"/agents/{UNTAUGHT}",
        f"/lab/{UNTAUGHT}?curve=task",
        f"/lab/{UNTAUGHT}?seeds=5",
        f"/lab/q-table?ghost={UNTAUGHT}",
        f"/mind/{UNTAUGHT}",
        f"/embed/mind/{UNTAUGHT}",
        f"/embed/curve/{UNTAUGHT}.svg",
        f"/compare/?lens={UNTAUGHT}&lens=q-table",
        f"/compare/?lens={UNTAUGHT}",
        f"/play/4?o={UNTAUGHT}&lens={UNTAUGHT}&step=0",
        f"/why/4?lens={UNTAUGHT}",
    ],
)
def test_a_training_that_never_updates_anything_has_one_moment(
    client: FlaskClient, site: SiteData, address: str
) -> None:
    assert get_figures(site, UNTAUGHT).snapshot_updates == [0]
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    assert not re.search(r"\bnan\b", answer.text)


def test_a_training_is_handed_out_as_the_file_that_the_command_prints(client: FlaskClient) -> None:
    for text in (NAME, "champion", "mcts"):
        page = client.get(f"/agents/{text}").text
        assert f'href="/lab/{text}.py"' in page
        answer = client.get(f"/lab/{text}.py")
        assert answer.text == build_script(parse_recipe(text))
        named = name_script_file(parse_recipe(text))
        assert named in page
        assert answer.headers["Content-Disposition"] == f"attachment; filename={named}"
    assert 'id="code"' not in client.get("/agents/dqn-vs-random").text
    assert client.get("/lab/dqn-vs-random.py").status_code == 404


@pytest.mark.parametrize("text", [NAME, PHASES])
def test_its_files_are_those_that_the_command_line_writes(
    client: FlaskClient, site: SiteData, tmp_path: Path, text: str
) -> None:
    recipe = parse_recipe(text)
    made = train(make_agent_id(recipe), recipe, GAME, lambda progress: None)
    save_agent(tmp_path, GAME, made)
    path = tmp_path / make_agent_id(recipe)
    arrays = client.get(f"/agents/{text}.npz")
    assert arrays.data == path.with_suffix(".npz").read_bytes()
    assert f"filename={path.name}.npz" in arrays.headers["Content-Disposition"]
    cards = [client.get(f"/agents/{text}.json").json, json.loads(Path(f"{path}.json").read_text())]
    for card in cards:
        del card["seconds"]  # the duration differs from run to run
    assert cards[0] == cards[1]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("/agents/q-table,seed=7,games=300", f"/agents/{NAME}"),
        ("/agents/q-table,games=0300,seed=7.npz", f"/agents/{NAME}.npz"),
        ("/agents/q-table,alpha=0.40", "/agents/q-table"),
        ("/agents/q-table,learning_rate=0.5,seed=7", "/agents/q-table,alpha=0.5,seed=7"),
        ("/agents/q-table,vs=random/blunders", "/agents/q-table/blunders"),
        (f"/agents/{PHASES}?against=random", f"/agents/{PHASES}?against=random"),
        (f"/play/40?x={PHASES}&step=&o=human", f"/play/40?x={QUOTED}&o=human&step="),
        (
            f"/compare/4?lens=champion&lens=q-table,seed=7,games=300_2&lens={NAME}_task",
            f"/compare/4?lens=champion&lens={NAME}_2&lens={NAME}_task",
        ),
        ("/api/v1/agents/champion,seed=0", "/api/v1/agents/champion"),
    ],
)
def test_every_other_name_leads_to_the_one(client: FlaskClient, asked: str, told: str) -> None:
    answer = client.get(asked)
    if asked == told:
        assert answer.status_code == 200
    else:
        assert (answer.status_code, answer.location) == (301, told)


def names(draw: random.Random) -> Iterator[str]:
    """Yield names that are nearly right, and names that are nothing like one."""
    values = ["0", "1", "0.5", "-1", "1e9", "1e-3", "nan", "inf", "yes", "self", "random:50+self:2"]
    letters = string.printable + "αε٣²\u202e\x00\ud800"
    while True:
        slug = draw.choice([*ALGORITHMS])
        known = [*get_parameters(ALGORITHMS[slug])]
        settings = [f"{draw.choice(known)}={draw.choice(values)}" for _ in range(draw.randrange(5))]
        text = list(",".join([slug, *settings]))
        for _ in range(draw.randrange(4)):
            place = draw.randrange(len(text) + 1)
            text[place : place + draw.randrange(2)] = draw.choice(letters) * draw.choice([1, 1, 99])
        yield "".join(text)


def test_ten_thousand_names_are_known_or_refused_and_none_is_trained(site: SiteData) -> None:
    line = JobQueue(None)
    lab, found, draw = (
        AgentsOnDemand(site.shipped_agents, Trainer(line)),
        0,
        random.Random(1),
    )
    refusals: list[tuple[str, int | None, str | None]] = []
    for text, _ in zip(names(draw), range(10_000), strict=False):
        try:
            one = lab.canonicalize(text)
        except HTTPException as error:
            refusals.append((text, error.code, error.description))
            continue
        found += one is not None
        if one is not None and one not in site.shipped_agents:
            assert lab.canonicalize(one) == one
            assert parse_recipe(one).compute_max_updates() <= MAX_UPDATES
    assert {code for _, code, _ in refusals} == {400, 404, 414}
    assert all(sentence and not lab.is_available(text) for text, _, sentence in refusals)
    assert 100 < found < 9_900
    assert not line.find_place_in_queue(NAME)  # nothing was put into the line


def test_threads_that_want_the_same_agent_have_it_trained_once(app: Flask, site: SiteData) -> None:
    name = fresh()

    def ask(_: int) -> object:
        with app.app_context():
            return site.agents[name]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(map(id, pool.map(ask, range(8))))) == 1


def test_what_is_kept_of_agents_is_bounded(client: FlaskClient, site: SiteData) -> None:
    asked = [fresh() for _ in range(MAX_CACHED_AGENTS + 2)]
    for name in asked:
        assert client.get(f"/api/v1/agents/{name}").status_code == 200
    assert len(site.on_demand.agents) == MAX_CACHED_AGENTS
    assert client.get(f"/agents/{asked[0]}.npz").status_code == 200


@pytest.mark.long
def test_long_names_fill_no_memory() -> None:
    """4,096 names of 2,000 characters were cached, with as many results of any size."""
    games = ".".join(["0487"] * 280)
    zeros = "0" * 1_400
    texts = {
        f"menace,vs=you,games=280,taught={games},seed={seed}": "" for seed in range(1, 401)
    } | {f"q-table,taught=,alpha=0.5{zeros},seed={seed}": "short" for seed in range(1, 1_001)}
    for text in ("menace,vs=you,games=1,taught=0487", "q-table,taught=,alpha=0.25"):
        get_full_name(text)  # imports of the first call do not count
    # Other tests leave threads behind, which allocate too: only these files are counted.
    counted = [
        tracemalloc.Filter(True, pattern)
        for pattern in (__file__, "*/app/web/on_demand.py", "*/app/recipes/*")
    ]
    tracemalloc.start()
    try:
        for text, kind in texts.items():
            named = get_full_name(f"{text} "[:-1])  # each is a text of its own
            assert named == (text if not kind else f"q-table,alpha=0.5,{text.split(',')[-1]}")
        kept = tracemalloc.take_snapshot().filter_traces(counted).statistics("filename")
    finally:
        tracemalloc.stop()
    assert len(texts) > 2 * MAX_CACHED_NAMES
    assert 100_000 < sum(file.size for file in kept) < 1_200_000


def test_a_page_is_told_that_it_stands_in_line_and_comes_by_itself(
    monkeypatch: pytest.MonkeyPatch, client: FlaskClient
) -> None:
    monkeypatch.setattr("app.web.on_demand.MAX_PAGE_WAIT_SECONDS", 0.1)
    monkeypatch.setattr("app.web.on_demand.MAX_FILE_WAIT_SECONDS", 0.1)
    page, name = {"Accept": "text/html"}, fresh()
    assert until_there(client, f"/agents/{fresh()}") == 200  # the process runs
    with held_up(os.getpid()):
        answer = client.get(f"/agents/{name}", headers=page)
        assert answer.status_code == 202
        assert answer.headers["Refresh"] == answer.headers["Retry-After"]
        assert answer.headers["Cache-Control"] == "no-store"
        assert "This page reloads automatically." in answer.text
        assert "<progress" in answer.text
        assert "Go to “" not in answer.text  # a link to the page that is awaited
        program = {"Accept": "application/json"}
        answer = client.get(f"/api/v1/agents/{name}", headers=program)
        assert answer.status_code == 202
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.get_json()["pending"]["code"] == 202
        second = client.get(f"/agents/{fresh()}", headers=page)
        assert "Your request is number 1 in the queue." in second.text
    assert until_there(client, f"/agents/{name}") == 200


def until_there(client: FlaskClient, address: str) -> int:
    """Repeat a request while its status is 202; return the status then."""
    until = time.monotonic() + HANG_SECONDS
    while (status := client.get(address).status_code) == 202:
        assert time.monotonic() < until
    return status


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_killed_or_stopped_training_costs_one_answer(
    monkeypatch: pytest.MonkeyPatch, client: FlaskClient, number: int
) -> None:
    """The process is idle, so that the signal comes before the next request."""
    assert until_there(client, f"/agents/{fresh()}") == 200
    for process in children(os.getpid()):
        # Not the server that other tests of this process use.
        if b"app.processes" in Path(f"/proc/{process}/cmdline").read_bytes():
            os.kill(process, number)
    with monkeypatch.context() as patch:
        patch.setattr("app.web.trainer.JOB_TIMEOUT_SECONDS", 0.5)
        assert until_there(client, f"/agents/{fresh()}") in (200, 500)
    assert until_there(client, f"/agents/{fresh()}") == 200


def test_without_the_lab_there_are_only_those_who_are_always_there(
    start: Callable[..., Flask],
) -> None:
    client = start(LAB="0").test_client()
    answer = client.get(f"/agents/{NAME}")
    assert answer.status_code == 404
    assert "The lab is switched off here" in answer.text
    assert client.get("/agents/champion,seed=0").location == "/agents/champion"
    assert client.get("/agents/champion").status_code == 200


def compress(content: bytes) -> bytes:
    packed: bytes = brotli.compress(content, quality=1)
    return packed


def test_an_answer_that_is_another_agent_is_not_believed(site: SiteData) -> None:
    recipe = parse_recipe("champion,seed=3,games=20")
    made = train(make_agent_id(recipe), recipe, GAME, lambda progress: None)
    content = pack_agent(GAME, made)
    answer = compress(content)
    agent = decode_trained_agent("champion,games=20,seed=3", answer)
    assert read_arrays_file(GAME, agent) == encode_agent(GAME, made)[1]
    for wrong in (answer[:-9], *map(compress, (content[:-9], content[9:], b"\x95", b""))):
        with pytest.raises(ModelError):
            decode_trained_agent("champion,games=20,seed=3", wrong)
    with pytest.raises(ModelError):
        decode_trained_agent("champion,games=20,seed=4", answer)


@pytest.mark.long
@pytest.mark.parametrize("slug", ["q-table", "double-q", "menace", "self-play", "champion"])
def test_plain_python_makes_the_same_agent_until_kernels_are_compiled(slug: str) -> None:
    recipe = parse_recipe(f"{slug},games=300,seed=3")
    compiled, plain = (train_agent(recipe, has_kernels) for has_kernels in (True, False))
    assert list_differences(compiled, plain) == []


def test_clients_of_one_provider_share_by_network(app: Flask) -> None:
    def network(address: str) -> str:
        with app.test_request_context(environ_base={"REMOTE_ADDR": address}):
            return get_client_network()

    assert network("192.0.2.7") == "192.0.2.7"
    assert network("2001:db8:1:2::7") == network("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64"
    assert network("2001:db8:1:3::7") != network("2001:db8:1:2::7")


@pytest.mark.parametrize("is_outdated", [True, False])
def test_kernels_of_older_code_are_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_outdated: bool
) -> None:
    """A changed function that kernels in other files call was not noticed."""
    monkeypatch.setattr(kernels, "choose_kernel_folder", lambda: tmp_path)
    for name in ("q_table.learn-1.py311.nbi", "q-table.compiled", "compiling.lock"):
        (tmp_path / name).touch()
    if is_outdated:
        os.utime(tmp_path / "q-table.compiled", (0, 0))
    kernels.remove_outdated_kernels()
    assert len([*tmp_path.iterdir()]) == (1 if is_outdated else 3)


def test_kernels_are_kept_in_a_folder_of_the_user_if_the_code_is_read_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(kernels.KERNEL_FOLDER_VARIABLE, "")  # monkeypatch restores it at the end
    monkeypatch.delenv(kernels.KERNEL_FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    choose_kernel_folder = kernels.choose_kernel_folder.__wrapped__
    assert choose_kernel_folder() == ROOT / "training/learners/__pycache__"
    (tmp_path / "training").touch()  # a file, so there can be no folder inside it
    monkeypatch.setattr(kernels, "ROOT", tmp_path)
    folder = choose_kernel_folder()
    assert folder.is_relative_to(tmp_path / "cache")
    assert os.environ[kernels.KERNEL_FOLDER_VARIABLE] == str(folder)
    monkeypatch.setenv(kernels.KERNEL_FOLDER_VARIABLE, str(tmp_path / "chosen/by an operator"))
    assert choose_kernel_folder() == tmp_path / "chosen/by an operator"
    assert choose_kernel_folder().is_dir()
    monkeypatch.delenv(kernels.KERNEL_FOLDER_VARIABLE)
    (tmp_path / "home").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))  # nothing can be written there
    assert choose_kernel_folder() == get_runtime_folder()


def test_kernels_of_changed_code_count_as_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "training/learner.py"
    source.parent.mkdir()
    source.touch()
    monkeypatch.setattr(kernels, "ROOT", tmp_path)
    monkeypatch.setattr(kernels, "choose_kernel_folder", lambda: tmp_path)
    monkeypatch.setattr(
        kernels, "_find_last_code_change", kernels._find_last_code_change.__wrapped__
    )
    (kind,) = (kind for kind in ALGORITHMS.values() if kind.slug == "sarsa")
    assert not kernels.is_compiled(kind)
    marker = tmp_path / "sarsa.compiled"
    marker.touch()
    os.utime(source, (0, marker.stat().st_mtime - 1))
    assert kernels.is_compiled(kind)
    os.utime(source, (0, marker.stat().st_mtime + 1))
    assert not kernels.is_compiled(kind)
