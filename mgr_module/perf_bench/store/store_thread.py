"""The store's own thread: the only one that may wait for the cluster's storage."""

from __future__ import annotations

import logging
import queue
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from typing import Callable, Optional, TypeVar

from ..errors import StoreUnavailable
from ..ports import Store

T = TypeVar("T")


class StoreThread:
    """Takes questions for the store in order and answers them from one thread.

    SQLite in RADOS waits as long as RADOS does, which is for ever while a placement group is
    not active; no time limit can be passed through it. So the waiting is done here, and those
    who ask go away after their limit with StoreUnavailable.
    """

    def __init__(self, store: Store, log: Optional[logging.Logger] = None) -> None:
        self._store = store
        self._log = log or logging.getLogger(__name__)
        self._jobs: queue.SimpleQueue[Optional[Callable[[], None]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="perf-bench-store", daemon=True)
        self._thread.start()

    def call(self, question: Callable[[Store], T], limit: float = 5.0) -> T:
        """The store's answer, or its error; StoreUnavailable after ``limit`` seconds.

        A question nobody waits for any more is skipped when its turn comes.
        """
        answer: Future[T] = Future()

        def job() -> None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(question(self._store))
                except Exception as error:  # noqa: BLE001 - handed to the one who asked
                    answer.set_exception(error)

        self._jobs.put(job)
        try:
            return answer.result(limit)
        except NoAnswer:
            answer.cancel()
            raise StoreUnavailable(
                f"the database in the cluster gave no answer within {limit:g} s: see 'ceph -s', "
                "are placement groups inactive or OSDs full?"
            ) from None

    def submit(
        self,
        order: Callable[[Store], None],
        done: Callable[[Optional[Exception]], None],
    ) -> None:
        """Carry the order out when its turn comes; ``done`` gets None or the error."""

        def job() -> None:
            try:
                order(self._store)
            except Exception as error:  # noqa: BLE001 - handed to the one who ordered
                done(error)
            else:
                done(None)

        self._jobs.put(job)

    def close(self, limit: float) -> None:
        """Close the store after what is queued; waits at most ``limit`` seconds for it."""

        def job() -> None:
            self._store.close()

        self._jobs.put(job)
        self._jobs.put(None)
        self._thread.join(limit)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            try:
                job()
            except Exception:  # noqa: BLE001 - the desk outlives whoever asked
                self._log.exception("the store's desk could not finish an order")


def ignore(_error: Optional[Exception]) -> None:
    """For orders whose failure changes nothing."""
