"""Whether OSDs use tcmalloc: asked of one OSD of each build, once.

``heap stats`` is refused (EOPNOTSUPP) by an OSD that was compiled without it, on 16 to 20. That is
decided when Ceph is built, so one OSD answers for all that run the same programs.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from typing import Protocol

from ..errors import CommandFailed
from ..model.doctor_snapshot import Build, OsdDetails

# More in one look would be a cluster whose every host was built by itself.
_AT_ONCE = 5
# OSDs of a build of which none answers; the next look begins with them.
_TRIED = 3


class HeapAsker(Protocol):
    """The way to OSDs."""

    def tcmalloc(self, osd: int) -> bool:
        """Waits at most some seconds. Raises CommandFailed."""


class AllocatorSurvey:
    """Told by the doctor which there are, asks on another thread."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._known: dict[Build, bool] = {}
        self._wanted: dict[Build, list[int]] = {}

    def seen(self, patients: Iterable[OsdDetails]) -> Mapping[Build, bool]:
        """What is known of them; those of which nothing is are asked soon."""
        by_build: dict[Build, list[int]] = {}
        for patient in patients:
            if patient.build is not None and patient.osd.up:
                by_build.setdefault(patient.build, []).append(patient.osd.id)
        with self._lock:
            self._known = {build: is_ for build, is_ in self._known.items() if build in by_build}
            self._wanted = {
                build: osds[:_TRIED] for build, osds in by_build.items() if build not in self._known
            }
            return dict(self._known)

    def ask(self, asker: HeapAsker, busy: set[int]) -> None:
        """Ask one OSD of each build that is wanted; none of those that are busy."""
        with self._lock:
            wanted = list(self._wanted.items())[:_AT_ONCE]
        for build, osds in wanted:
            osd = next((osd for osd in osds if osd not in busy), None)
            if osd is None:
                continue
            try:
                uses = asker.tcmalloc(osd)
            except CommandFailed as error:
                self._log.debug("osd.%d was not asked for its allocator: %s", osd, error)
                with self._lock:
                    osds.remove(osd)
                continue
            with self._lock:
                self._known[build] = uses
                self._wanted.pop(build, None)
