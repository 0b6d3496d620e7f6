"""The setup of a cohort's OSDs: releases, options, fill, devices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

from mgr_module import MgrModule

from ..model.cohort_setup import CohortSetup
from ..model.osd import Member
from ..ports import Members
from .osd_options import options_of
from .reports import MgrOsdHealth

_MEMBERS_AGE = 60.0


class MgrCohortSetups:
    """Implements CohortSetups on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, members: Members, health: MgrOsdHealth) -> None:
        self._mgr = mgr
        self._members = members
        self._health = health

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
        return CohortSetup(_inside(members), self._health.fill(wanted), known)


def _inside(members: Iterable[Member]) -> int:
    return sum(member.osd.in_cluster for member in members)


def _told(values: Iterable[Optional[str]]) -> Optional[str]:
    """The values, without counts: those change with each OSD of a rolling upgrade."""
    return ", ".join(sorted({value for value in values if value is not None})) or None
