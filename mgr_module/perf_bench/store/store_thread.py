"""The store thread: the only thread that may wait for the cluster's storage."""

from __future__ import annotations

import logging
import threading
from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from typing import Callable, Optional, TypeVar

from ..errors import StoreUnavailable
from ..ports import Store

T = TypeVar("T")

# Limits of the queue while RADOS does not answer: number of jobs, and bytes of their input text,
# which takes five times as much memory as objects.
MOST_JOBS = 1000
MOST_BYTES = 16 << 20
_FULL = (
    "too much waits for the database in the cluster: see 'ceph -s', are placement groups inactive "
    "or OSDs full?"
)


class _Job:
    """A queued job. Compared by identity, so that a single one can be removed."""

    def __init__(self, work: Callable[[], None], size: int = 0) -> None:
        self.work = work
        self.size = size


class StoreThread:
    """Runs all calls of the store in order on one thread.

    SQLite in RADOS blocks as long as RADOS does, which is for ever while a placement group is
    inactive; it has no time limit. So only this thread blocks, and callers get StoreUnavailable
    after their limit.
    """

    def __init__(self, store: Store, log: Optional[logging.Logger] = None) -> None:
        self._store = store
        self._log = log or logging.getLogger(__name__)
        self._changed = threading.Condition()
        # None ends the thread.
        self._jobs: deque[Optional[_Job]] = deque()
        self._bytes = 0
        # Number of jobs that were refused, and whether the log has a warning about it.
        self.refused = 0
        self._told_full = False
        self._thread = threading.Thread(target=self._work, name="perf-bench-store", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """The number of jobs that have not begun."""
        return len(self._jobs)

    def call(self, question: Callable[[Store], T], limit: float = 5.0, size: int = 0) -> T:
        """Run ``question`` and return its result or raise its error.

        Raises StoreUnavailable after ``limit`` seconds, and at once if the queue is full. A
        question that has timed out is removed from the queue. ``size`` is the number of bytes of
        text that it holds.
        """
        answer: Future[T] = Future()

        def work() -> None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(question(self._store))
                except Exception as error:  # noqa: BLE001 - raised in the caller
                    answer.set_exception(error)

        job = _Job(work, size)
        if not self._put(job):
            raise StoreUnavailable(_FULL)
        try:
            return answer.result(limit)
        except NoAnswer:
            answer.cancel()
            self._take_back(job)
            raise StoreUnavailable(
                f"the database in the cluster gave no answer within {limit:g} s: see 'ceph -s', "
                "are placement groups inactive or OSDs full?"
            ) from None

    def submit(
        self,
        order: Callable[[Store], None],
        done: Callable[[Optional[Exception]], None],
    ) -> None:
        """Queue ``order`` and return; afterwards ``done`` gets None or the error.

        If the queue is full ``done`` gets StoreUnavailable at once, on the caller's thread.
        """

        def work() -> None:
            try:
                order(self._store)
            except Exception as error:  # noqa: BLE001 - passed to the caller
                done(error)
            else:
                done(None)

        if not self._put(_Job(work)):
            done(StoreUnavailable(_FULL))

    def close(self, limit: float) -> None:
        """Close the store after the queued jobs; waits at most ``limit`` seconds for it."""
        with self._changed:
            self._jobs.extend((_Job(self._store.close), None))
            self._changed.notify_all()
        self._thread.join(limit)

    def _put(self, job: _Job) -> bool:
        """Queue a job; if the queue is full, count and log that, and return False."""
        with self._changed:
            if len(self._jobs) < MOST_JOBS and self._bytes + job.size <= MOST_BYTES:
                self._jobs.append(job)
                self._bytes += job.size
                self._changed.notify_all()
                return True
            self.refused += 1
            if not self._told_full:
                self._log.warning("%s; what comes now is dropped", _FULL)
                self._told_full = True
            return False

    def _take_back(self, job: _Job) -> None:
        """Remove a job that has not begun."""
        with self._changed:
            if job in self._jobs:
                self._jobs.remove(job)
                self._bytes -= job.size

    def _next(self) -> Optional[_Job]:
        """Wait for the next job and return it; None after ``close``. Later jobs are never run."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs)
            job = self._jobs.popleft()
            if job is None:
                return None
            self._bytes -= job.size
            if self._told_full and not self._jobs:
                self._log.info("the database works again; %d jobs were dropped", self.refused)
                self._told_full = False
            return job

    def _work(self) -> None:
        while True:
            job = self._next()
            if job is None:
                return
            try:
                job.work()
            except Exception:  # noqa: BLE001 - the thread must outlive any caller's error
                self._log.exception("the store's desk could not finish an order")
            del job  # free its memory while the thread waits for the next one


def ignore(_error: Optional[Exception]) -> None:
    """A ``done`` for orders whose failure has no effect."""
