"""Find out which builds use tcmalloc, by asking one OSD of each build once.

An OSD compiled without tcmalloc refuses ``heap stats`` with EOPNOTSUPP, on 16 to 20. That is
decided when Ceph is built, so one OSD answers for all of the same build.
"""

from __future__ import annotations

import logging
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
    """Gets the OSDs from the doctor (``seen``), and asks them on the poller's thread (``ask``).

    Each of the two replaces a mapping of its own, and only reads the other's.
    """

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._known: Mapping[Build, bool] = {}
        self._osds: Mapping[Build, list[int]] = {}

    def seen(self, entries: Iterable[OsdDetails]) -> Mapping[Build, bool]:
        """By build whether it uses tcmalloc, as far as known; unknown builds are asked soon."""
        by_build: dict[Build, list[int]] = {}
        for details in entries:
            if details.build is not None and details.osd.up:
                by_build.setdefault(details.build, []).append(details.osd.id)
        self._osds = {build: osds[:_TRIED] for build, osds in by_build.items()}
        return {build: uses for build, uses in self._known.items() if build in by_build}

    def ask(self, asker: HeapAsker, busy: set[int]) -> None:
        """Ask one OSD of each unknown build, but none of the busy ones."""
        present = self._osds
        known = {build: uses for build, uses in self._known.items() if build in present}
        unknown = [build for build in present if build not in known]
        for build in unknown[:_AT_ONCE]:
            osds = present[build]
            osd = next((osd for osd in osds if osd not in busy), None)
            if osd is None:
                continue
            try:
                known[build] = asker.tcmalloc(osd)
            except CommandFailed as error:
                self._log.debug("osd.%d did not tell its allocator: %s", osd, error)
                osds.remove(osd)
        self._known = known
