"""Calls in a process that can be killed, and the line of jobs that the web workers share."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer

import pytest

from app.processes import CallError, CallProcess
from app.recipes import RecipeError, parse_recipe
from app.web import job_queue
from app.web.job_queue import Answer, JobQueue, QueueFullError
from tests.service.server import state, wait_until

PATIENCE = 60.0


@pytest.fixture
def process() -> Iterator[CallProcess]:
    started = CallProcess()
    yield started
    started.close()


def test_a_call_returns_what_the_function_returns(process: CallProcess) -> None:
    assert process.call(PATIENCE, pow, 2, 10) == 1024
    assert process.call(PATIENCE, os.getpid) == process.call(PATIENCE, os.getpid) != os.getpid()


def test_an_error_comes_back_with_its_traceback(process: CallProcess) -> None:
    with pytest.raises(RecipeError, match="nobody") as raised:
        process.call(PATIENCE, parse_recipe, "nobody")
    assert "Traceback" in raised.value.__notes__[0]
    assert process.call(PATIENCE, len, "abc") == 3


def test_what_a_function_prints_is_not_its_answer(process: CallProcess) -> None:
    assert process.call(PATIENCE, print, "printed") is None


def test_a_call_that_hangs_ends_at_its_limit(process: CallProcess) -> None:
    began = time.monotonic()
    with pytest.raises(CallError):
        process.call(0.5, time.sleep, PATIENCE)
    assert time.monotonic() - began < PATIENCE / 2
    assert process.call(PATIENCE, len, "abc") == 3


def test_the_start_of_a_process_is_no_time_of_the_call(process: CallProcess) -> None:
    """A new interpreter alone takes longer than this limit."""
    assert process.call(0.02, len, "abc") == 3


def test_a_process_killed_during_a_call_is_replaced(process: CallProcess) -> None:
    killed = process.call(PATIENCE, os.getpid)
    with pytest.raises(CallError):
        process.call(PATIENCE, os.kill, killed, signal.SIGKILL)
    assert process.call(PATIENCE, os.getpid) != killed


def test_an_idle_process_that_is_killed_costs_no_answer(process: CallProcess) -> None:
    killed = process.call(PATIENCE, os.getpid)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: not is_running(killed))
    assert process.call(PATIENCE, os.getpid) != killed


def test_a_stopped_process_is_replaced_at_the_limit(process: CallProcess) -> None:
    stopped = process.call(PATIENCE, os.getpid)
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(CallError):
        process.call(0.5, len, "abc")
    assert process.call(PATIENCE, os.getpid) != stopped


def test_a_process_ends_with_its_parent_also_during_a_call() -> None:
    """The parent is killed, so it cannot tell anybody."""
    parent = CallProcess()
    child = parent.call(PATIENCE, _start_child)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(parent.call, PATIENCE, _kill_parent_during_call)
        assert isinstance(waiting.exception(), CallError)
    wait_until(lambda: not is_running(child))


def is_running(pid: int) -> bool:
    """Return whether a process has not ended; its first thread may have, before the others."""
    threads = Path(f"/proc/{pid}/task")
    return threads.exists() and (state(pid) != "Z" or len([*threads.iterdir()]) > 1)


_child = CallProcess()


def _start_child() -> int:
    return _child.call(PATIENCE, os.getpid)


def _kill_parent_during_call() -> None:
    Timer(0.1, os.kill, (os.getpid(), signal.SIGKILL)).start()
    _child.call(PATIENCE, time.sleep, PATIENCE)


@pytest.fixture
def line(tmp_path: Path) -> JobQueue:
    return JobQueue(tmp_path / "jobs")


def ask(line: JobQueue, jobs: Sequence[tuple[str, str]], seconds: float = PATIENCE) -> None:
    """Put jobs into the line: their requests and addresses."""
    for request, address in jobs:
        line.request_job(request, "training", "seeds" in request, address, seconds)


def do_all(line: JobQueue) -> list[str]:
    """Do all jobs; return their requests in this order."""
    done = []
    while request := line.take_job("training"):
        line.finish_job(request, Answer(200, b""))
        done.append(request)
    return done


def test_addresses_take_turns(line: JobQueue) -> None:
    ask(line, [*((f"a{number}", "a") for number in range(4)), ("b0", "b"), ("c0", "c")])
    assert [line.find_place_in_queue(request) for request in ("a0", "b0", "c0", "a1")] == [
        1,
        2,
        3,
        4,
    ]
    assert do_all(line) == ["a0", "b0", "c0", "a1", "a2", "a3"]


def test_the_address_served_least_recently_is_next(line: JobQueue) -> None:
    for address in "abc":
        ask(line, [(f"{address}0", address)])
        assert do_all(line) == [f"{address}0"]
    ask(line, [("c1", "c"), ("b1", "b"), ("a1", "a"), ("new", "new")])
    assert do_all(line) == ["new", "a1", "b1", "c1"]


def test_single_trainings_of_an_address_go_before_its_seeds(line: JobQueue) -> None:
    ask(line, [("seeds/0.1/a", "a"), ("seeds/2.3/a", "a"), ("one", "a")])
    assert do_all(line) == ["one", "seeds/0.1/a", "seeds/2.3/a"]


def test_equal_requests_are_one_job_for_all_connections(line: JobQueue, tmp_path: Path) -> None:
    other = JobQueue(tmp_path / "jobs")  # another web worker
    ask(line, [("a", "x")])
    ask(other, [("a", "y")])
    assert other.take_job("training") == "a"
    assert line.find_place_in_queue("a") == 0
    assert line.take_job("training") is None
    other.finish_job("a", Answer(200, b"agent"))
    assert line.find_answer("a") == Answer(200, b"agent")


def test_a_job_that_nobody_wants_any_more_is_dropped(line: JobQueue) -> None:
    ask(line, [("gone", "a")], seconds=-1)
    ask(line, [("still", "a"), ("back", "a")], seconds=-1)
    ask(line, [("still", "b")])
    assert line.find_place_in_queue("still") == 1
    assert do_all(line) == ["still"]


def test_a_job_of_a_worker_that_was_killed_is_done_by_another(line: JobQueue) -> None:
    ask(line, [("a", "a")])
    assert line.take_job("training") == "a"
    assert line.take_job("training") is None
    line.release_jobs(os.getpid())
    assert line.take_job("training") == "a"


def test_a_full_line_drops_the_last_job_of_the_address_with_most(line: JobQueue) -> None:
    ask(line, [(f"a{number}", "a") for number in range(job_queue.MAX_WAITING_JOBS)])
    with pytest.raises(QueueFullError):
        ask(line, [("one more", "a")])
    ask(line, [("b", "b")])
    last = f"a{job_queue.MAX_WAITING_JOBS - 1}"
    assert not line.find_place_in_queue(last)
    done = do_all(line)
    assert len(done) == job_queue.MAX_WAITING_JOBS
    assert "b" in done[:2]


def test_a_failure_is_told_to_those_who_wait_and_tried_again_later(
    line: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.finish_job("a", Answer(500, b""))
    assert line.find_answer("a") == Answer(500, b"")
    monkeypatch.setattr(job_queue, "FAILURE_SECONDS", -1.0)
    line.finish_job("a", Answer(500, b""))
    assert line.find_answer("a") is None


def test_answers_are_kept_up_to_a_size(line: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "MAX_RESPONSE_BYTES", 1 << 20)
    for number in range(100):
        line.finish_job(f"a{number}", Answer(200, bytes(100_000)))
    kept = [number for number in range(100) if line.find_answer(f"a{number}")]
    assert 3 < len(kept) < 12
    assert kept[-1] == 99


def test_a_file_that_cannot_be_written_is_replaced_by_memory(tmp_path: Path) -> None:
    line = JobQueue(tmp_path / "missing" / "jobs")
    ask(line, [("a", "a")])
    assert do_all(line) == ["a"]


def test_files_of_servers_that_were_killed_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    running = job_queue._create_queue_file()
    stale = running.with_name("stale")
    for file in (stale, stale.with_name("stale-wal"), stale.with_name("stale.lock")):
        file.touch()
    job_queue._create_queue_file()
    assert running.with_suffix(".lock").exists()
    assert not [*stale.parent.glob("stale*")]
