"""Trainings that fail and leave the old model; failures of the trainer and its server."""

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from app.tictactoe.agents import load_agent
from app.tictactoe.game import build_game
from app.web.service.job_line import MAX_JOBS
from app.web.trainer import WANTED_SECONDS
from tests.service.faults.finding import Finding, fault, on_a_server
from tests.service.server import (
    ROOT,
    START_SECONDS,
    Answered,
    Server,
    ask,
    cpu_seconds,
    page,
    serving,
    start,
    trainers,
    until_there,
    wait_until,
    wait_until_up,
)
from tests.signals import heeding, held_up

AGENT, SEED = "q-learning-1", "99"
DISK = 512  # KB: there is room for the old model, but not for the new one beside it
FILE = 64  # KB
FAILED, INTERRUPTED = 1, 130
MODELS = ROOT / "models"
CONTROL = re.compile(r"\x1b\[[?\d;]*[a-zA-Z]")  # control sequences of a terminal
ANOTHER = 65534  # user
KILLS = 3
CLIENTS = 4
MORE = 4  # requests than can wait
CROWD = 30  # clients who want the same
ENDED = 5.0  # seconds until the trainer has noticed
IDLE = 3.0  # seconds in which it does nothing
PATIENCE = 120.0  # seconds
GONE = 20  # number of clients that hang up
CONNECTIONS = 250  # number of requests of one address, more than the queue has room for
SHARE = 2.0  # times the longest job, within which another address has its answer
SPARE_SECONDS = 1.0  # additional time for the answer itself
FROM_ONE, FROM_ANOTHER = ({"X-Forwarded-For": f"192.0.2.{number}"} for number in (1, 2))
# URLs that search engines must not follow
UNSEARCHED = (
    "/lab/q-table",
    "/agents/q-table,games=20",
)
NUMBERS = count()


@fault("full-disk")
def full_disk() -> Iterator[Finding]:
    """A model that does not fit on the disk."""
    with tempfile.TemporaryDirectory() as name, mounted(Path(name)) as mount:
        if mount.returncode:
            done = f"a disk of {DISK} KB"
            yield Finding(done, "-", f"not tried here: {mount.stderr.strip()}", True)
        else:
            done = f"training into a disk of {DISK} KB that the old model is on"
            yield failing(Path(name), done, "No space left on device")
    with tempfile.TemporaryDirectory() as name:
        done = f"training where no file may be larger than {FILE} KB"
        yield failing(Path(name), done, "File too large", FILE << 10)


@fault("interrupted")
def interrupted_training() -> Iterator[Finding]:
    """Ctrl-C during a training."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = with_old_model(folder)
        colours = os.environ | {"FORCE_COLOR": "1"}
        with heeding(signal.SIGINT):
            process = subprocess.Popen(
                command(folder), cwd=ROOT, env=colours, stderr=subprocess.PIPE
            )
        assert process.stderr
        shown = b""
        while b"updates/s" not in shown:
            assert process.poll() is None, shown.decode()
            shown += os.read(process.stderr.fileno(), 1000)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1].decode()
        yield told(
            "training, Ctrl-C", folder, before, process.returncode, said, INTERRUPTED, "Interrupted"
        )


def failing(folder: Path, done: str, reason: str, largest: int | None = None) -> Finding:
    """Train into a folder where the model cannot be saved."""

    def limit() -> None:
        if largest:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    before = with_old_model(folder)
    ended = subprocess.run(
        command(folder), cwd=ROOT, capture_output=True, text=True, preexec_fn=limit, check=False
    )
    return told(done, folder, before, ended.returncode, ended.stderr, FAILED, reason)


def told(
    done: str,
    folder: Path,
    before: dict[str, bytes],
    status: int,
    said: str,
    right_status: int,
    reason: str,
) -> Finding:
    """Check the exit of a training and the files that it left."""
    same = contents(folder) == before
    loadable = load_agent(folder, build_game(), AGENT).card.seed != int(SEED)
    last = CONTROL.sub("", said).strip().rpartition("\n")[2]
    return Finding(
        done,
        f'exit status {right_status}, "{reason}", no traceback; the old model is there, whole, '
        "and nothing else",
        f'exit status {status}, "{last}"; '
        + ("old model as before, loads, nothing else there" if same else "the folder has changed"),
        same and loadable and status == right_status and reason in last and "Traceback" not in said,
    )


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "training", "train", AGENT, "--seed", SEED, "--out", str(folder)]


def with_old_model(folder: Path) -> dict[str, bytes]:
    """Put a model into a folder and return the folder's contents."""
    for ending in ("npz", "json"):
        shutil.copy(MODELS / f"{AGENT}.{ending}", folder)
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() if path.is_file() else b"a folder" for path in folder.iterdir()
    }


@contextmanager
def mounted(folder: Path) -> Iterator[subprocess.CompletedProcess[str]]:
    """Mount a small disk at a folder, if allowed."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}k", "tmpfs", str(folder)]
    tried = subprocess.run(mount, capture_output=True, text=True, check=False)
    try:
        yield tried
    finally:
        if not tried.returncode:
            unmount = ["umount", str(folder)]  # whoever has a file there may not have ended yet
            wait_until(lambda: not subprocess.run(unmount, check=False).returncode, ENDED)


def fresh() -> str:
    """Return the name of a new recipe."""
    return f"q-learning,games=2000,seed={next(NUMBERS)}"


def long() -> str:
    """Return the name of a new recipe that is too long for the textbook learners."""
    return f"q-learning,games=60000,seed={next(NUMBERS)}"


def visit(server: Server, name: str) -> Answered:
    """Open the page of a recipe, and repeat the request while the status is 202."""
    return until_there(server, f"/agents/{name}", time.monotonic() + PATIENCE)


@on_a_server("trainer")
def killed_trainer(server: Server) -> Iterator[Finding]:
    """A trainer that is killed while training, and one that is killed while idle."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        assert page(server, fresh()) == 200
        before = cpu_seconds(trainers(server))
        time.sleep(IDLE)
        spent = cpu_seconds(trainers(server)) - before
        yield Finding(
            f"no recipe named for {IDLE:g} s", "no processor time", f"{spent:g} s", spent == 0
        )
        for _ in range(KILLS):
            killed = trainers(server)
            answers = [pool.submit(page, server, fresh()) for _ in range(4 * CLIENTS)]
            answers[0].result()
            for process in killed:
                os.kill(process, signal.SIGKILL)
            seen = Counter(answer.result() for answer in answers)
            after = page(server, fresh())
            yield Finding(
                f"kill -KILL of all processes that train, {CLIENTS} clients with {4 * CLIENTS} new "
                "recipes",
                "one error page for each process at most; then they are replaced",
                f"{', '.join(f'{number} x {status}' for status, number in sorted(seen.items()))}, "
                f"{len(killed)} killed; then {after}",
                seen[200] >= 4 * CLIENTS - len(killed)
                and after == 200
                and not killed & trainers(server),
            )


@fault("trainer-ends")
def trainer_and_server() -> Iterator[Finding]:
    """The end of all trainings when the server is reloaded, stopped or killed."""
    with serving() as server:
        with ThreadPoolExecutor(2 * CLIENTS) as pool:
            statuses = {pool.submit(page, server, fresh()) for _ in range(2 * CLIENTS)}
            first = {answer.result() for answer in statuses}
        old = trainers(server)
        server.reload()
        yield _gone("kill -HUP of the server, the processes of the old workers", old)
        assert first == {page(server, fresh())} == {200}
        new = trainers(server)
    yield _gone("kill -TERM of the server", new)
    with tempfile.TemporaryFile("w+") as output:
        server = start(output)
        try:
            assert wait_until_up(server), server.log
            assert page(server, fresh()) == 200
            left = trainers(server)
        finally:
            server.process.kill()
            server.process.wait()
    yield _gone("kill -KILL of the server's first process", left)


@on_a_server("place-in-line", WEB_CONCURRENCY="1")
def place_in_line(server: Server) -> Iterator[Finding]:
    """Clients that wait, and clients that leave."""
    with ThreadPoolExecutor() as pool:
        assert page(server, fresh()) == 200
        with held_up(*server.workers):
            # the job that the process has started
            first = pool.submit(ask, server, f"/lab/{fresh()}")
            wait_until(first.done)
            for _ in range(GONE):
                with suppress(TimeoutError):
                    ask(server, f"/lab/{fresh()}", 0.05)
            names = [fresh() for _ in range(2)]
            # until the server has noticed that they have gone
            time.sleep(2 * WANTED_SECONDS)
            told = [ask(server, f"/lab/{name}") for name in names]
            again = all(each.headers["Retry-After"] and each.headers["Refresh"] for each in told)
        places = re.findall(r"number (\d+) in the queue", " ".join(each.text for each in told))
        there = visit(server, names[0]).status
        yield Finding(
            f"{GONE} who name new recipes and hang up while the only one who trains is held up, "
            "then two who stay",
            "202 with the places 1 and 2 in the queue, Retry-After and Refresh; 200 once it goes on",
            f"{', '.join(str(each.status) for each in told)} with {', '.join(places) or 'no place'}"
            f"{'' if again else ', not to come again'}; {there}",
            [each.status for each in told] == [202, 202]
            and places == ["1", "2"]
            and again
            and there == 200,
        )


@on_a_server("crawlers")
def crawlers(server: Server) -> Iterator[Finding]:
    """Links that crawlers must not follow."""
    robots = ask(server, "/robots.txt").text
    tag = "X-Robots-Tag"
    page_there = ask(server, "/agents/q-table")
    pages = re.findall(r"<loc>([^<]+)</loc>", ask(server, "/sitemap.xml").text)
    found = {ask(server, urlsplit(page).path).status for page in pages}
    # Only a process that has compiled loops trains; the example of /api needs one that reads.
    maps = [Path(f"/proc/{pid}/maps").read_text() for pid in trainers(server)]
    trained = sum("llvmlite" in libraries for libraries in maps)
    told = {path: ask(server, path).headers.get(tag, "") for path in UNSEARCHED}
    yield Finding(
        f"robots.txt, the headers of {', '.join(UNSEARCHED)}, and all pages of sitemap.xml",
        "what trains is disallowed and noindex, pages of agents are not; the site's map has pages "
        "that are there, and nothing is trained by going through it",
        f"{len(robots.splitlines())} lines; {'; '.join(map(str, told.values()))}; {len(pages)} "
        f"pages: {found}; trainers after it: {trained}",
        "Disallow: /lab/" in robots
        and all("noindex" in each for each in told.values())
        and tag not in page_there.headers
        and found == {200}
        and not trained
        and len(pages) > len(UNSEARCHED),
    )


@fault("folders")
def other_folders() -> Iterator[Finding]:
    """Two servers on one machine, and a runtime folder on a full disk."""
    with tempfile.TemporaryDirectory() as name, serving(XDG_RUNTIME_DIR=name) as one:
        with serving(XDG_RUNTIME_DIR=name) as other:
            seen = [page(server, fresh()) for server in (one, other)]
            before = len([*Path(name).glob("q-tac-toe/*.lock")])
        seen.append(page(one, fresh()))
        left = len([*Path(name).glob("q-tac-toe/*.lock")])
    yield Finding(
        "two servers with one place, a new recipe of each; one ends, another new recipe",
        "200, each with a line of its own; one is left",
        f"{', '.join(map(str, seen))}; {before} lines, then {left}",
        seen == [200] * 3 and (before, left) == (2, 1),
    )
    with tempfile.TemporaryDirectory() as name, mounted(Path(name)) as mount:
        done = f"a runtime folder of {DISK} KB that is full, a page and a new recipe"
        if mount.returncode:
            yield Finding(done, "-", f"not tried here: {mount.stderr.strip()}", True)
            return
        with suppress(OSError), (Path(name) / "full").open("wb") as file:
            while True:
                file.write(bytes(1024))
        Path(name).chmod(0o700)
        with serving(XDG_RUNTIME_DIR=name) as server:
            compiled = page(server, fresh())
        with serving(XDG_RUNTIME_DIR=name, NUMBA_CACHE_DIR=f"{name}/compiled") as server:
            seen = [page(server, each) for each in ("q-table", fresh())]
            log = server.log
        yield Finding(f"{done}, the first", "200", f"{compiled}", compiled == 200)
        yield Finding(
            f"{done}; nor is there room for what numba compiles",
            "200, 200, no traceback of the site's own",
            f"{', '.join(map(str, seen))}",
            seen == [200, 200] and "fault " not in log,
        )


@fault("left-behind")
def left_behind() -> Iterator[Finding]:
    """The files of a server that was killed, and a runtime folder of another user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "q-tac-toe"
        folder.mkdir()
        for file in ("killed", "killed-wal", "killed.lock", "notes"):
            (folder / file).touch()
        with serving(XDG_RUNTIME_DIR=name):
            own = len([*folder.glob("*.lock")])
            left = {file.name for file in folder.glob("killed*")}
        ended = {file.name for file in folder.iterdir()}
    yield Finding(
        "the files of a killed server, and another file",
        "they are removed at the start, and the server's own at its end",
        f"{len(left)} left, {own} of its own; at the end {', '.join(ended)}",
        not left and own == 1 and ended == {"notes"},
    )
    for done, mode, owner in (
        ("that others can write to", 0o777, os.getuid()),
        ("of another user", 0o700, ANOTHER),
    ):
        if owner != os.getuid() and os.getuid():
            continue  # only root can give a folder away
        with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as short_name:
            os.chmod(name, mode)
            os.chown(name, owner, -1)
            with serving(XDG_RUNTIME_DIR=name, TMPDIR=short_name):
                elsewhere = len([*Path(short_name).glob("runtime-*/q-tac-toe/*.lock")])
            touched = len([*Path(name).iterdir()])
        yield Finding(
            f"a runtime folder {done}",
            "nothing is put there, the server's files are made elsewhere",
            f"{touched} there, {elsewhere} elsewhere",
            not touched and elsewhere == 1,
        )


@on_a_server("full-queue", WEB_CONCURRENCY="1")
def full_queue(server: Server) -> Iterator[Finding]:
    """More clients than the queue has room for."""
    assert page(server, fresh()) == 200
    with ThreadPoolExecutor(MAX_JOBS + MORE) as pool:
        with held_up(*server.workers):
            held = pool.submit(visit, server, fresh())  # the job that the process has started
            answers = [pool.submit(visit, server, fresh()) for _ in range(MAX_JOBS + MORE - 1)]
            wait_until(lambda: sum(answer.done() for answer in answers) >= MORE - 1)
            told = [answer.result() for answer in answers if answer.done()]
            shipped = page(server, "q-table")
        seen = Counter(answer.result().status for answer in [held, *answers])
        yield Finding(
            f"{MAX_JOBS + MORE} new recipes while the only one who trains is held up",
            f"one is being trained, {MAX_JOBS} stand in line, {MORE - 1} x 503 with Retry-After at "
            "once; agents that are there are shown; all in line are trained as soon as it goes on",
            f"{dict(seen)}; an agent that is there: {shipped}",
            seen == {503: MORE - 1, 200: MAX_JOBS + 1}
            and all(answer.headers["Retry-After"] for answer in told)
            and shipped == 200,
        )


@on_a_server("long-teaching", TRUSTED_PROXIES="1")
def long_teaching(server: Server) -> Iterator[Finding]:
    """Links that need long practice, and a person who teaches."""
    phases = "+".join(["self:1"] * 240)
    link = f"/preview/teach/q-learning,vs={phases}+you:1,start=empty,taught=0,seed={{}}.png"
    refused = ask(server, link.format(1), headers=FROM_ONE)
    yield Finding(
        "a learner with 240 phases of practice before a game that cannot be over",
        "400",
        f"{refused.status} after {refused.seconds:.1f} s",
        refused.status == 400,
    )
    phases = "+".join(["self:100"] * 40)
    link = f"/preview/teach/q-learning,vs={phases}+you:1,start=empty,taught=046,seed={{}}.png"
    person = "/teach/q-learning,start=empty,alpha=0.5,seed={}"
    ask(server, person.format(1), headers=FROM_ANOTHER)
    limit = SHARE * ask(server, link.format(CONNECTIONS), headers=FROM_ONE).seconds + SPARE_SECONDS
    with requests_of_one(server, [link.format(number) for number in range(CONNECTIONS)]):
        told = [ask(server, person.format(2 + number), headers=FROM_ANOTHER) for number in range(5)]
    slowest = max(answer.seconds for answer in told)
    yield Finding(
        f"{CONNECTIONS} connections of one address that ask for the longest practice there is",
        f"a person of another address waits less than {limit:.1f} s for a learner, which is twice "
        "such a practice and a second",
        f"{', '.join(str(answer.status) for answer in told)}; at most {slowest:.1f} s",
        {answer.status for answer in told} == {200} and slowest < limit,
    )


@on_a_server("one-address", TRUSTED_PROXIES="1")
def one_address(server: Server) -> Iterator[Finding]:
    """More requests of one address than the queue has room for, and a request of another address."""
    assert page(server, fresh()) == 200
    longest = "/agents/league,rounds=22222,seed={}.json"
    limit = SHARE * ask(server, longest.format(CONNECTIONS), headers=FROM_ONE).seconds
    limit += SPARE_SECONDS
    paths = [longest.format(number) for number in range(CONNECTIONS)]
    with requests_of_one(server, paths):
        told = [ask(server, f"/agents/{fresh()}", headers=FROM_ANOTHER) for _ in range(5)]
    slowest = max(answer.seconds for answer in told)
    yield Finding(
        f"{CONNECTIONS} connections of one address that ask for the longest trainings there are",
        f"another address waits less than {limit:.1f} s for each of 5 recipes, which is twice such "
        "a training and a second",
        f"{', '.join(str(answer.status) for answer in told)}; at most {slowest:.1f} s",
        {answer.status for answer in told} == {200} and slowest < limit,
    )


@contextmanager
def requests_of_one(server: Server, paths: list[str]) -> Iterator[None]:
    """Send requests from one address, each on its own connection, which stays open."""
    with ExitStack() as connections:
        for path in paths:
            client = socket.create_connection(("127.0.0.1", server.port))
            connections.enter_context(client)
            client.sendall(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"X-Forwarded-For: {FROM_ONE['X-Forwarded-For']}\r\n\r\n".encode()
            )
        wait_until(lambda: trainers(server))
        yield


@fault("first-start")
def first_start() -> Iterator[Finding]:
    """A machine without compiled kernels."""
    with tempfile.TemporaryDirectory() as name, serving(NUMBA_CACHE_DIR=name) as server:
        paths = ["/teach", f"/play/?x={fresh()}&o=human"]
        with ThreadPoolExecutor(len(paths)) as pool:
            told = [*pool.map(partial(ask, server, headers={}), paths)]
        compiled = len([*Path(name).rglob("*.nbi")])
        late = ask(server, "/agents/q-iteration,vs=self,sweeps=50.json", headers={})
        kernels = len([*Path(name).rglob("*.nbi")])
    yield Finding(
        "the first requests of a machine, for a learner to teach and the board of a new recipe",
        "200, before all kernels are compiled; for a long training 200, or 202 with Retry-After",
        f"{', '.join(str(answer.status) for answer in told)} with {compiled} of {kernels} kernels; "
        f"{late.status}",
        {answer.status for answer in told} == {200}
        and compiled < kernels
        and (late.status == 200 or (late.status == 202 and bool(late.headers["Retry-After"]))),
    )


@on_a_server("one-recipe")
def one_recipe_at_once(server: Server) -> Iterator[Finding]:
    """Many clients that request the same recipe at once."""
    with ThreadPoolExecutor(CROWD) as pool:
        assert page(server, fresh()) == 200
        paths = [f"/agents/{fresh()}"] * CROWD
        end = time.monotonic() + START_SECONDS
        answers = [*pool.map(partial(until_there, server, end=end), paths)]
        statuses = Counter(answer.status for answer in answers)
        seconds = max(answer.seconds for answer in answers)
        yield Finding(
            f"a new recipe asked for {CROWD} times at once",
            "all answered 200",
            f"{statuses[200]} x 200, the last after {seconds:.1f} s",
            statuses == {200: CROWD},
        )


@on_a_server("lab-off", LAB="0")
def lab_switched_off(server: Server) -> Iterator[Finding]:
    """A server with LAB=0."""
    seen = [page(server, name) for name in (fresh(), "q-table")]
    yield Finding(
        "LAB=0, a new recipe and an agent that is there",
        "404, 200, no trainer",
        f"{seen[0]}, {seen[1]}, trainers: {len(trainers(server))}",
        seen == [404, 200] and not trainers(server),
    )


def _gone(done: str, pids: set[int]) -> Finding:
    began = time.monotonic()
    wait_until(lambda: not any(_runs(pid) for pid in pids), ENDED)
    seconds = time.monotonic() - began
    return Finding(done, f"no trainer is left after {ENDED:g} s", f"{seconds:.1f} s", True)


def _runs(pid: int) -> bool:
    try:
        return b"app.processes" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
