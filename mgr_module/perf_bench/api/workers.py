"""Questions about workers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, wait
from typing import Optional

from ..errors import NotNow
from ..model.json_fields import Json
from ..model.said import say
from ..model.worker import Worker
from ..ports import Clock, LoadGenerator
from ..report import workers as shapes
from .paging import WHOLE, Page

# Seconds for which an answer is reused: discovery takes a second or two.
_FRESH = 5.0
# Seconds that one question waits for the discovery, because other commands wait behind it. A
# discovery that takes longer goes on, and the next question gets its answer.
_WAIT = 6.0


class WorkerApi:
    """``ceph perf-bench worker …``."""

    def __init__(self, loader: LoadGenerator, clock: Clock) -> None:
        self._loader = loader
        self._clock = clock
        self._lock = threading.Lock()
        self._answered_at = 0.0
        self._answer: Optional[Future[Sequence[Worker]]] = None

    def ls(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """Return a page of the workers by name, and their number.

        Raises CommandFailed, and NotNow if the discovery takes longer than ``_WAIT`` seconds.
        """
        found = [shapes.worker(one) for one in self._workers()]
        return page.of(found, shapes.FIELDS, shapes.SEARCHED)

    def _workers(self) -> Sequence[Worker]:
        with self._lock:
            now = self._clock.monotonic()
            answer = self._answer
            if answer is None or (answer.done() and now - self._answered_at >= _FRESH):
                answer = self._answer = Future()
                threading.Thread(
                    target=self._discover, args=(answer,), name="perf-bench-workers", daemon=True
                ).start()
        wait([answer], _WAIT)
        if not answer.done():
            raise NotNow(
                say(
                    "workers-unknown",
                    "the workers are not known yet after {seconds:.0f} s, and are still asked: "
                    "try again in a few seconds, and see 'ceph -s' for slow requests",
                    seconds=_WAIT,
                )
            )
        return answer.result()

    def _discover(self, answer: Future[Sequence[Worker]]) -> None:
        try:
            found = self._loader.workers()
        except Exception as error:  # noqa: BLE001 it is raised where the answer is asked for
            self._answered_at = self._clock.monotonic()
            answer.set_exception(error)
        else:
            self._answered_at = self._clock.monotonic()
            answer.set_result(found)
