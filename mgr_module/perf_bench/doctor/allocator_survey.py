"""Find out which builds use tcmalloc, by asking one OSD of each build once.

An OSD compiled without tcmalloc refuses ``heap stats`` with EOPNOTSUPP, on 16 to 20. That is
decided when Ceph is built, so one OSD answers for all of the same build.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from typing import Protocol

from ..errors import CommandFailed
from ..model.doctor_snapshot import Build, OsdDetails

# Builds asked in one step; a cluster rarely has more.
_AT_ONCE = 5
# OSDs of a build that are tried before the next snapshot.
_TRIED = 3


class HeapAsker(Protocol):
    """A connection to the OSDs."""

    def tcmalloc(self, osd: int) -> bool:
        """Whether an OSD uses tcmalloc. Waits some seconds at most. Raises CommandFailed."""


class AllocatorSurvey:
    """Gets the OSDs from the doctor, and asks them on the poller's thread."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._known: dict[Build, bool] = {}
        self._wanted: dict[Build, list[int]] = {}

    def seen(self, entries: Iterable[OsdDetails]) -> Mapping[Build, bool]:
        """By build whether it uses tcmalloc, as far as known; unknown builds are asked soon."""
        by_build: dict[Build, list[int]] = {}
        for details in entries:
            if details.build is not None and details.osd.up:
                by_build.setdefault(details.build, []).append(details.osd.id)
        with self._lock:
            self._known = {build: uses for build, uses in self._known.items() if build in by_build}
            self._wanted = {
                build: osds[:_TRIED] for build, osds in by_build.items() if build not in self._known
            }
            return dict(self._known)

    def ask(self, asker: HeapAsker, busy: set[int]) -> None:
        """Ask one OSD of each unknown build, but none of the busy ones."""
        with self._lock:
            wanted = list(self._wanted.items())[:_AT_ONCE]
        for build, osds in wanted:
            osd = next((osd for osd in osds if osd not in busy), None)
            if osd is None:
                continue
            try:
                uses = asker.tcmalloc(osd)
            except CommandFailed as error:
                self._log.debug("osd.%d did not tell its allocator: %s", osd, error)
                with self._lock:
                    osds.remove(osd)
                continue
            with self._lock:
                self._known[build] = uses
                self._wanted.pop(build, None)
