"""The database's thread: the only one that may wait for the cluster's storage."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Hashable, Sized
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from contextlib import AbstractContextManager
from typing import Any, Callable, Generic, NamedTuple, Optional, Protocol, TypeVar

from ..errors import StoreUnavailable


class Database(Protocol):
    """What the thread itself needs of the database; its callers know all of it."""

    @property
    def writes(self) -> int:
        """Rises with all that may change what is read."""

    def reading(self) -> AbstractContextManager[None]:
        """Let the reads in the block share one transaction, until something else is done."""

    def close(self) -> None: ...


T = TypeVar("T")
D = TypeVar("D", bound=Database)

# Limits of the queue while RADOS does not answer: number of jobs, and bytes of their input text,
# which takes five times as much memory as objects.
MOST_JOBS = 1000
MOST_BYTES = 16 << 20
# Beyond these it is busy: seconds without a job that ended, and jobs that wait.
HELD_SECONDS = 3.0
MOST_CALLS = 64
# Reads that wait share one transaction, whose lock in RADOS costs more than most reads (10 ms to
# take and 5 ms to give back on a VM, against 0.3 ms); it is given back after this time.
_TOGETHER_SECONDS = 0.25
# How long, and how many, answers are remembered. An mgr that does not know yet that another one is
# active now could give an old answer for this time.
REMEMBERED_SECONDS = 5.0
_REMEMBERED = 16
# Rows of all remembered answers together; a row takes up to 1 KiB.
REMEMBERED_ROWS = 20_000
_FULL = (
    "too much waits for the database in the cluster: see 'ceph -s', are placement groups inactive "
    "or OSDs full?"
)
_CLOSED = "the database is closed: this mgr is no longer the active one"


class _Job(Generic[D]):
    """A queued question. Compared by identity, so that a single one can be removed."""

    def __init__(
        self,
        question: Callable[[D], Any],
        answer: Future[Any],
        size: int = 0,
        key: Hashable = None,
    ) -> None:
        self.question = question
        self.answer = answer
        self.size = size
        self.key = key

    @property
    def is_wanted(self) -> bool:
        """Whether anybody waits for the answer."""
        return self.answer.running() or self.answer.set_running_or_notify_cancel()


class _Remembered(NamedTuple):
    """An answer, the store's ``writes`` when it was read, and when that was (monotonic)."""

    answer: Any
    writes: int
    at: float

    @property
    def rows(self) -> int:
        """The number of rows in the answer; of a tuple, in its parts."""
        parts = self.answer if isinstance(self.answer, tuple) else (self.answer,)
        return sum(len(part) for part in parts if isinstance(part, Sized))


class DatabaseThread(Generic[D]):
    """Runs all calls of the database in order on one thread.

    SQLite in RADOS blocks as long as RADOS does, which is for ever while a placement group is
    inactive; it has no time limit. So only this thread blocks, and callers get StoreUnavailable
    after their limit.
    """

    def __init__(self, database: D, log: Optional[logging.Logger] = None) -> None:
        self.database = database
        self._log = log or logging.getLogger(__name__)
        self._changed = threading.Condition()
        self._jobs: deque[_Job[D]] = deque()
        self._bytes = 0
        self._ended = threading.Event()
        # Whether a job runs.
        self._runs = False
        # When a job ended last, or the first one came (monotonic).
        self._moved_at = 0.0
        self._answers: OrderedDict[Hashable, _Remembered] = OrderedDict()
        # Number of jobs that were refused, and whether the log has a warning about it.
        self.refused = 0
        self._told_full = False
        self._thread = threading.Thread(target=self._work, name="perf-bench-store", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """The number of jobs that have not begun."""
        return len(self._jobs)

    @property
    def busy(self) -> Optional[str]:
        """Why whoever comes now would wait for long; None while the database keeps up."""
        with self._changed:
            waiting = len(self._jobs)
            held = time.monotonic() - self._moved_at if self._runs or waiting else 0.0
        if held < HELD_SECONDS and waiting < MOST_CALLS:
            return None
        return (
            f"the database in the cluster is busy: {waiting} wait for it, and nothing ended for "
            f"{held:.0f} s; try again in some seconds, and see 'ceph -s' if it stays"
        )

    def call(
        self,
        question: Callable[[D], T],
        limit: float = 5.0,
        size: int = 0,
        *,
        key: Hashable = None,
    ) -> T:
        """Run ``question`` and return its result or raise its error.

        Raises StoreUnavailable after ``limit`` seconds, and at once if the queue is full. A
        question that has timed out is removed from the queue. ``size`` is the number of bytes of
        text that it holds. An answer with a ``key`` is remembered; nobody may change it.
        """
        with self._changed:
            known = None if self._runs or self._jobs else self._known(key)
        if known is not None:
            found: T = known.answer
            return found
        answer: Future[T] = Future()
        job = _Job(question, answer, size, key)
        self._put(job)
        try:
            return answer.result(limit)
        except NoAnswer:
            answer.cancel()
            self._take_back(job)
            raise StoreUnavailable(
                f"the database in the cluster gave no answer within {limit:g} s: see 'ceph -s', "
                "are placement groups inactive or OSDs full?"
            ) from None

    def ask(self, question: Callable[[D], T]) -> Future[T]:
        """Queue ``question``; it is answered, or failed, for good, however long that takes.

        It fails with StoreUnavailable at once if the queue is full, and when the thread ends.
        """
        answer: Future[T] = Future()
        answer.set_running_or_notify_cancel()  # nobody can take it back

        try:
            self._put(_Job(question, answer))
        except StoreUnavailable as error:
            answer.set_exception(error)
        return answer

    def close(self, limit: float) -> None:
        """Close the store after the queued jobs; waits at most ``limit`` seconds for it."""
        with self._changed:
            self._jobs.append(_Job(self._end, Future()))
            self._changed.notify_all()
        self._thread.join(limit)

    def _end(self, database: D) -> None:
        with self._changed:
            self._ended.set()  # jobs that came later are never run
            left = list(self._jobs)
        for job in left:
            if job.is_wanted:
                job.answer.set_exception(StoreUnavailable(_CLOSED))
        database.close()

    def _run(self, job: _Job[D]) -> None:
        """Answer a job, from memory if its answer is known; runs on the thread."""
        if not job.is_wanted:
            return
        try:
            known = self._known(job.key)
            found = job.question(self.database) if known is None else known.answer
        except Exception as error:  # noqa: BLE001 - raised in the caller
            job.answer.set_exception(error)
            return
        if known is None and job.key is not None:
            with self._changed:
                new = _Remembered(found, self.database.writes, time.monotonic())
                self._remember(job.key, new)
        job.answer.set_result(found)

    def _remember(self, key: Hashable, new: _Remembered) -> None:
        """Keep the answer in place of older ones, if it is not too large itself."""
        self._answers.pop(key, None)
        if new.rows > REMEMBERED_ROWS:
            return
        self._answers[key] = new
        rows = sum(one.rows for one in self._answers.values())
        while rows > REMEMBERED_ROWS or len(self._answers) > _REMEMBERED:
            _, oldest = self._answers.popitem(last=False)
            rows -= oldest.rows

    def _known(self, key: Hashable) -> Optional[_Remembered]:
        """The remembered answer, if nothing was written since."""
        known = None if key is None else self._answers.get(key)
        if known is None or known.writes != self.database.writes:
            return None
        return known if time.monotonic() - known.at < REMEMBERED_SECONDS else None

    def _put(self, job: _Job[D]) -> None:
        """Queue a job. Raises StoreUnavailable; a queue that is full is counted and logged."""
        with self._changed:
            if self._ended.is_set():
                raise StoreUnavailable(_CLOSED)
            if len(self._jobs) < MOST_JOBS and self._bytes + job.size <= MOST_BYTES:
                if not (self._runs or self._jobs):
                    self._moved_at = time.monotonic()
                self._jobs.append(job)
                self._bytes += job.size
                self._changed.notify_all()
                return
            self.refused += 1
            if not self._told_full:
                self._log.warning("%s; what comes now is dropped", _FULL)
                self._told_full = True
            raise StoreUnavailable(_FULL)

    def _take_back(self, job: _Job[D]) -> None:
        """Remove a job that has not begun."""
        with self._changed:
            if job in self._jobs:
                self._jobs.remove(job)
                self._bytes -= job.size

    def _next(self) -> Optional[_Job[D]]:
        """Return the next job; None if there is none."""
        with self._changed:
            self._moved_at = time.monotonic()
            self._runs = bool(self._jobs)
            if not self._jobs:
                return None
            job = self._jobs.popleft()
            self._bytes -= job.size
            if self._told_full and not self._jobs:
                self._log.info("the database works again; %d jobs were dropped", self.refused)
                self._told_full = False
            return job

    def _work(self) -> None:
        while not self._ended.is_set():
            with self._changed:
                self._runs = False
                limit = REMEMBERED_SECONDS if self._answers else None
                if not self._changed.wait_for(lambda: self._jobs, limit):
                    self._answers.clear()  # all are too old, and may be large
                    continue
            ends = time.monotonic() + _TOGETHER_SECONDS
            with self.database.reading():
                while not self._ended.is_set() and time.monotonic() < ends:
                    job = self._next()
                    if job is None:
                        break
                    self._run(job)
                    del job  # free its memory while the thread waits for the next one
