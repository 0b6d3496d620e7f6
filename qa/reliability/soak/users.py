"""Those who look at a cluster for hours: one who types commands, one with the dashboard open."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable

from browser.rest import API, Rest
from browser.sites import Site
from cluster.connection import Connection
from cluster.errors import ClusterError

_COMMANDS = (
    "perf-bench status",
    "perf-bench osd ls",
    "perf-bench round ls",
    "perf-bench finding ls",
    "perf-bench host ls",
)
_PATHS = tuple(
    f"{API}/{path}" for path in ("status", "osd", "round", "finding", "schedule", "osd/map")
)
_EVERY = 2.0


class Users:
    """Asks in turn, each question some seconds after the one before, until told to stop."""

    def __init__(self, site: Site, link: Connection) -> None:
        # As a browser does. The dashboard leaves a few kB for each connection that ends, until
        # Python's collector looks at all of its objects.
        self._rest = Rest(site.url, keeps=True).log_in("admin", site.password)
        self._password = site.password
        self._link = link
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._repeat, args=(list(_COMMANDS), self._types)),
            threading.Thread(target=self._repeat, args=(list(_PATHS), self._opens)),
        ]
        # By question when each was asked and how long the answer took, in seconds.
        self.took: dict[str, list[tuple[float, float]]] = {one: [] for one in (*_COMMANDS, *_PATHS)}
        self.faults: Counter[str] = Counter()

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._rest.close()

    def _repeat(self, questions: list[str], ask: Callable[[str], None]) -> None:
        for question in itertools.cycle(questions):
            if self._stop.wait(_EVERY):
                return
            began = time.monotonic()
            try:
                ask(question)
            except (AssertionError, ClusterError, OSError, ValueError) as error:
                self.faults[f"{question}: {error}"[:200]] += 1
            self.took[question].append((began, time.monotonic() - began))

    def _types(self, command: str) -> None:
        if self._link.mgr(command) is None:
            raise ClusterError("no answer")

    def _opens(self, path: str) -> None:
        reply = self._rest.get(path.removeprefix(API))
        if reply.status == 401:  # a login of the dashboard ends after eight hours
            self._rest.log_in("admin", self._password)
        elif reply.status != 200:
            raise ClusterError(f"status {reply.status}: {reply.body[:100]!r}")
