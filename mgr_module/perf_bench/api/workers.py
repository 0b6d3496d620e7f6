"""Questions about workers, and theirs."""

from __future__ import annotations

import json

from ..bench.context import LoadGenerator
from ..model.json_fields import Json
from ..report import workers as shapes
from .paging import WHOLE, Page


class WorkerApi:
    """``ceph perf-bench worker …``."""

    def __init__(self, loader: LoadGenerator) -> None:
        self._loader = loader

    def ls(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """Return a page of the workers by name, and their number. Raises NotNow."""
        found = [shapes.worker(one) for one in self._loader.workers()]
        return page.of(found, shapes.FIELDS, shapes.SEARCHED)

    def next(self, worker: str, message: str) -> str:
        """Return as JSON what a worker is to do. Raises InvalidValue or NotNow."""
        return json.dumps(self._loader.worker_next(worker, message))

    def tell(self, worker: str, message: str) -> str:
        """Take what a worker did; return as JSON how it goes on. Raises InvalidValue or NotNow."""
        return json.dumps(self._loader.worker_tell(worker, message))
