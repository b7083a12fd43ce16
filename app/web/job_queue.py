"""The queue of jobs that wait for a training, and the answers, in a file that all web workers share.

Network addresses take turns: the next job comes from the address that was served least recently. So
nobody waits behind the many jobs of one visitor. Equal requests are one job. A job is dropped when
nobody asks for it any more.
"""

import atexit
import os
import sqlite3
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from app.tictactoe.files import get_runtime_folder

MAX_WAITING_JOBS = 200
# the most bytes of all answers together; an agent has about 100 KB
MAX_RESPONSE_BYTES = 48 << 20
# A failed job is stored for this many seconds, so that all waiting requests get its answer.
FAILURE_SECONDS = 5.0
MAX_LOCK_WAIT_SECONDS = 5.0
LOCK_SUFFIX = ".lock"

_held_locks: list[FileLock] = []

# The first jobs of all addresses come before their second jobs: `turn` counts the jobs of an
# address. Trainings of several seeds (`is_batch`) are its last ones.
JOB_TABLES_SQL = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS answers (request TEXT PRIMARY KEY, status INTEGER, answer BLOB,
    expires REAL);
CREATE TABLE IF NOT EXISTS served (address TEXT PRIMARY KEY, at REAL);
CREATE TABLE IF NOT EXISTS jobs (request TEXT PRIMARY KEY, kind TEXT, is_batch INTEGER,
    address TEXT, wanted_until REAL, worker INTEGER);
CREATE VIEW IF NOT EXISTS line AS
    SELECT request, kind, address, wanted_until, row_number() OVER (
        PARTITION BY kind ORDER BY turn, coalesce(at, 0), arrival) AS place
    FROM (SELECT *, jobs.rowid AS arrival, row_number() OVER (
        PARTITION BY kind, address ORDER BY is_batch, jobs.rowid) AS turn
        FROM jobs WHERE worker IS NULL) LEFT JOIN served USING (address);
"""


class QueueFullError(Exception):
    """Raised if the queue is full, and the asking address has the most jobs in it."""


class Answer(NamedTuple):
    """The answer to a request: an HTTP status, and the bytes that the training returned."""

    status: int
    content: bytes


class JobQueue:
    """Jobs that wait for a training, and answers, in a file or, if that fails, in memory."""

    def __init__(self, file: Path | None) -> None:
        """Create the queue; without a file only the threads of this process share it."""
        self._file = file
        # After a fork, a connection must be neither used nor closed, so each process makes its own.
        self._connections: dict[int, sqlite3.Connection] = {}

    def find_answer(self, request: str) -> Answer | None:
        """Return the answer to a request, None if its job is not finished."""
        rows = self._execute_sql(
            "SELECT status, answer FROM answers WHERE request = ? AND expires > ?",
            request,
            monotonic(),
        )
        return Answer(*rows[0]) if rows else None

    def request_job(
        self, request: str, kind: str, is_batch: bool, address: str, seconds: float
    ) -> None:
        """Put a job into the queue or, if it is there, keep it for `seconds` from now.

        Raises QueueFullError if the queue is full and no address has more jobs in it than this one.
        """
        until = monotonic() + seconds
        if self._execute_sql(
            "UPDATE jobs SET wanted_until = max(wanted_until, ?) WHERE request = ? RETURNING 1",
            until,
            request,
        ):
            return
        counts = dict(
            self._execute_sql("SELECT address, count(*) FROM line GROUP BY address")
        )
        if sum(counts.values()) >= MAX_WAITING_JOBS:
            busiest = max(counts, key=counts.__getitem__)
            if counts.get(address, 0) >= counts[busiest]:
                raise QueueFullError
            # The busiest address loses its last job.
            self._execute_sql(
                "DELETE FROM jobs WHERE rowid = "
                "(SELECT max(rowid) FROM jobs WHERE worker IS NULL AND address = ?)",
                busiest,
            )
        self._execute_sql(
            "INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?, ?, NULL)",
            *(request, kind, is_batch, address, until),
        )

    def find_place_in_queue(self, request: str) -> int:
        """Return the place of a job in the queue, from 1; 0 if it has begun."""
        self._drop_unwanted_jobs()
        rows = self._execute_sql("SELECT place FROM line WHERE request = ?", request)
        return int(rows[0][0]) if rows else 0

    def take_job(self, kind: str) -> str | None:
        """Take the next job of a kind and return its request, None if there is none."""
        self._drop_unwanted_jobs()
        rows = self._execute_sql(
            "UPDATE jobs SET worker = ? WHERE worker IS NULL AND request = "
            "(SELECT request FROM line WHERE kind = ? AND place = 1) RETURNING request, address",
            *(os.getpid(), kind),
        )
        if not rows:
            return None
        request, address = rows[0]
        self._execute_sql(
            "INSERT OR REPLACE INTO served VALUES (?, ?)", address, monotonic()
        )
        return str(request)

    def finish_job(self, request: str, answer: Answer) -> None:
        """Store the answer of a job; if the job failed, only for FAILURE_SECONDS."""
        expires = (
            monotonic() + FAILURE_SECONDS if answer.status == 500 else float("inf")
        )
        self._execute_sql(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)",
            *(request, *answer, expires),
        )
        self._execute_sql("DELETE FROM jobs WHERE request = ?", request)
        ((size,),) = self._execute_sql(
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        )
        if size > MAX_RESPONSE_BYTES:  # Delete the oldest quarter of the answers.
            self._execute_sql(
                "DELETE FROM answers WHERE rowid <= "
                "(SELECT min(rowid) + (max(rowid) - min(rowid)) / 4 FROM answers)"
            )

    def release_jobs(self, process: int) -> None:
        self._execute_sql("UPDATE jobs SET worker = NULL WHERE worker = ?", process)

    def _drop_unwanted_jobs(self) -> None:
        self._execute_sql(
            "DELETE FROM jobs WHERE worker IS NULL AND wanted_until < ?", monotonic()
        )

    def _execute_sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        connection = self._connections.get(os.getpid())
        if connection is None:
            connection = self._connections[os.getpid()] = self._connect()
        return connection.execute(statement, values).fetchall()

    def _connect(self) -> sqlite3.Connection:
        try:
            return _open_database(str(self._file or ":memory:"))
        except sqlite3.Error:  # the disk is full, for example
            return _open_database(":memory:")


def _open_database(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, MAX_LOCK_WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.executescript(JOB_TABLES_SQL)
    return connection


@cache
def get_job_queue() -> JobQueue:
    """Return the queue of this process and of its future forks."""
    try:
        return JobQueue(_create_queue_file())
    except OSError:
        return JobQueue(None)


def _create_queue_file() -> Path:
    """Create a file in the runtime folder, and remove the files of servers that were killed."""
    folder = get_runtime_folder()
    for old in folder.glob(f"*{LOCK_SUFFIX}"):
        # A running server holds the lock of its file.
        with suppress(Timeout, OSError), FileLock(old, blocking=False):
            _remove_queue_files(old)
    file = folder / f"{os.getpid()}-{token_hex(4)}"
    lock = file.with_suffix(LOCK_SUFFIX)
    _held_locks.append(FileLock(lock))
    _held_locks[-1].acquire()
    atexit.register(_remove_queue_files, lock, os.getpid())
    return file


def _remove_queue_files(lock: Path, process: int | None = None) -> None:
    """Remove a lock and the files beside it; with `process`, only in the process of this id."""
    if process in (None, os.getpid()):
        for file in lock.parent.glob(f"{lock.stem}*"):
            file.unlink(missing_ok=True)
