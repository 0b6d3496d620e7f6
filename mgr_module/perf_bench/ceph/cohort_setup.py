"""The setup of a cohort's OSDs: releases, options, fill, devices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

from mgr_module import MgrModule

from ..model.cohort_setup import CohortSetup
from ..model.osd import Member
from ..ports import Clock, Members
from .osd_options import options_of

# Seconds that the fill of all OSDs is used: reading it takes 20 us per OSD.
_FILL_AGE = 600.0
_MEMBERS_AGE = 60.0


class MgrCohortSetups:
    """Implements CohortSetups on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, members: Members, clock: Clock) -> None:
        self._mgr = mgr
        self._members = members
        self._clock = clock
        self._read_at: Optional[float] = None
        # By OSD the KiB that are used, and all of its KiB.
        self._used: dict[int, tuple[int, int]] = {}

    def setup(self, osds: Sequence[int]) -> CohortSetup:
        wanted = set(osds)
        members = [one for one in self._members.members(_MEMBERS_AGE) if one.osd.id in wanted]
        words = {
            "Ceph": _told(member.release for member in members),
            "separate DB or WAL": _told(member.separate or "none" for member in members),
            "processor": _told(member.cpu for member in members),
            **options_of(self._mgr, [member.osd for member in members]),
        }
        known = {name: value for name, value in words.items() if value is not None}
        return CohortSetup(_inside(members), self._fill(wanted), known)

    def _fill(self, osds: set[int]) -> Optional[float]:
        now = self._clock.monotonic()
        if self._read_at is None or now - self._read_at >= _FILL_AGE:
            self._read_at = now
            self._used = {
                entry["osd"]: (int(entry.get("kb_used", 0)), int(entry.get("kb", 0)))
                for entry in self._mgr.get("osd_stats")["osd_stats"]
            }
        mine = [pair for osd, pair in self._used.items() if osd in osds]
        total = sum(size for _, size in mine)
        return 100.0 * sum(used for used, _ in mine) / total if total else None


def _inside(members: Iterable[Member]) -> int:
    return sum(member.osd.in_cluster for member in members)


def _told(values: Iterable[Optional[str]]) -> Optional[str]:
    """The values, without counts: those change with each OSD of a rolling upgrade."""
    return ", ".join(sorted({value for value in values if value is not None})) or None
