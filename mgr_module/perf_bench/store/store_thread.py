"""The store's own thread: the only one that may wait for the cluster's storage."""

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

# What may wait while RADOS is away: orders and questions, and bytes of what they hand over as text.
# Read into objects, JSON takes five times as much memory.
MOST_JOBS = 1000
MOST_BYTES = 16 << 20
_FULL = (
    "too much waits for the database in the cluster: see 'ceph -s', are placement groups inactive "
    "or OSDs full?"
)


class _Job:
    """What the thread is to do. Compared by identity, so that one can be taken back."""

    def __init__(self, work: Callable[[], None], size: int = 0) -> None:
        self.work = work
        self.size = size


class StoreThread:
    """Takes questions for the store in order and answers them from one thread.

    SQLite in RADOS waits as long as RADOS does, which is for ever while a placement group is
    not active; no time limit can be passed through it. So the waiting is done here, and those
    who ask go away after their limit with StoreUnavailable.
    """

    def __init__(self, store: Store, log: Optional[logging.Logger] = None) -> None:
        self._store = store
        self._log = log or logging.getLogger(__name__)
        self._changed = threading.Condition()
        # None after the last one.
        self._jobs: deque[Optional[_Job]] = deque()
        self._bytes = 0
        # Jobs that found no place, and whether the log says so already.
        self.refused = 0
        self._told_full = False
        self._thread = threading.Thread(target=self._work, name="perf-bench-store", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many jobs have not begun."""
        return len(self._jobs)

    def call(self, question: Callable[[Store], T], limit: float = 5.0, size: int = 0) -> T:
        """The store's answer, or its error; StoreUnavailable after ``limit`` seconds.

        ``size`` is how many bytes of text the question hands over. One that nobody waits for any
        more is taken out of the queue with all that it holds; one that finds the queue full is
        refused at once.
        """
        answer: Future[T] = Future()

        def work() -> None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(question(self._store))
                except Exception as error:  # noqa: BLE001 - handed to the one who asked
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
        """Carry the order out when its turn comes; ``done`` gets None or the error.

        Where the queue is full ``done`` gets StoreUnavailable at once, on the caller's thread.
        """

        def work() -> None:
            try:
                order(self._store)
            except Exception as error:  # noqa: BLE001 - handed to the one who ordered
                done(error)
            else:
                done(None)

        if not self._put(_Job(work)):
            done(StoreUnavailable(_FULL))

    def close(self, limit: float) -> None:
        """Close the store after what is queued; waits at most ``limit`` seconds for it."""
        with self._changed:
            self._jobs.extend((_Job(self._store.close), None))
            self._changed.notify_all()
        self._thread.join(limit)

    def _put(self, job: _Job) -> bool:
        """Queue a job; False, counted and told in the log, where there is no place for it."""
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
        """Let go of a job that has not begun."""
        with self._changed:
            if job in self._jobs:
                self._jobs.remove(job)
                self._bytes -= job.size

    def _next(self) -> Optional[_Job]:
        """The next job, None after the last one; waits for it. What came later is never done."""
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
            del job  # nothing of it is kept while the next one is waited for


def ignore(_error: Optional[Exception]) -> None:
    """For orders whose failure changes nothing."""
