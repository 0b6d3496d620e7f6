"""Questions about workers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Optional

from ..model.json_fields import Json
from ..model.worker import Worker
from ..ports import Clock, LoadGenerator
from ..report import workers as shapes
from .paging import WHOLE, Page

# Seconds for which an answer is reused: discovery takes a second or two.
_FRESH = 5.0


class WorkerApi:
    """``ceph perf-bench worker …``."""

    def __init__(self, loader: LoadGenerator, clock: Clock) -> None:
        self._loader = loader
        self._clock = clock
        self._lock = threading.Lock()
        self._called: Optional[tuple[float, Sequence[Worker]]] = None

    def ls(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """A page of the workers by name, and how many there are. Raises CommandFailed."""
        found = [shapes.worker(one) for one in self._workers()]
        return page.of(found, shapes.FIELDS, shapes.SEARCHED)

    def _workers(self) -> Sequence[Worker]:
        with self._lock:
            now = self._clock.monotonic()
            if self._called is None or now - self._called[0] >= _FRESH:
                self._called = now, self._loader.workers()
            return self._called[1]
