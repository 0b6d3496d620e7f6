"""A bounded pool of threads that each wait for one daemon at a time."""

from __future__ import annotations

import queue
import threading
from typing import Callable, Generic, Optional, TypeVar

R = TypeVar("R")


class ThreadPool(Generic[R]):
    """Runs jobs on at most ``size`` daemon threads; results come back as they finish.

    concurrent.futures is not used because the interpreter joins its threads at exit, so that a
    daemon that never answers would block a stopping mgr.
    """

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._jobs: queue.SimpleQueue[Optional[Callable[[], R]]] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[R] = queue.SimpleQueue()
        self._threads = 0
        self._busy = 0

    def submit(self, job: Callable[[], R]) -> None:
        """Queue a job. A job must not raise; it returns its error as result."""
        self._busy += 1
        if self._threads < min(self._busy, self._size):
            self._threads += 1
            name = f"{self._name}-{self._threads}"
            threading.Thread(target=self._work, name=name, daemon=True).start()
        self._jobs.put(job)

    def next_result(self, limit: float) -> Optional[R]:
        """The next finished job's result, or None after ``limit`` seconds."""
        try:
            result = self._results.get(timeout=limit)
        except queue.Empty:
            return None
        self._busy -= 1
        return result

    def give_up(self) -> None:
        """Give up one job, and allow a thread in place of its own.

        Otherwise the next jobs would wait for the daemon of the given-up job.
        """
        self._size += 1

    def dismiss(self) -> None:
        """End the threads after their present jobs; does not wait."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            self._results.put(job())
