"""Detects standby mgrs that lack the module or have other files of it.

Ceph does not tell: if such a mgr becomes active, schedules and the watch stop, or another version
goes on. ``ceph-perf-bench check`` shows the same without the module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional, Protocol

from ...model.cluster import Every, MgrBuild
from ...model.finding import Claim, Detector, Finding, Gap, Look, Severity, Target, WatchTick
from ...model.finding_kinds import STANDBY_MGR

_LOOK_SECONDS = 60.0


class MgrBuilds(Protocol):
    """The mgrs of the cluster."""

    def builds(self) -> Sequence[MgrBuild]:
        """All mgrs with their build of the module; takes some milliseconds."""


class StandbyMgrDetector(Detector):
    """Compares what the mgrs have told the monitors with what the active mgr runs."""

    name = "standby_mgrs"
    while_off = True

    def __init__(self, source: MgrBuilds) -> None:
        self._source = source
        self._timer = Every(_LOOK_SECONDS)
        self._offset = 0.0
        self._mgrs: Optional[Sequence[MgrBuild]] = None
        # By name and build of the mgrs that differ, when that was first seen (steady).
        self._since: dict[MgrBuild, float] = {}

    def tick(self, tick: WatchTick) -> None:
        self._offset = tick.offset
        if self._timer.is_due(tick.steady):
            self._mgrs = self._source.builds()
            self._since = {mgr: self._since.get(mgr, tick.steady) for mgr in self._different()}

    def _active(self) -> Optional[MgrBuild]:
        """The active mgr; None if the map is of before this one became active, or is not read."""
        active = next((mgr for mgr in self._mgrs or () if mgr.is_active), None)
        return None if active is None or active.build is None else active

    def _different(self) -> list[MgrBuild]:
        active = self._active()
        if active is None:
            return []
        return [mgr for mgr in self._mgrs or () if mgr.build != active.build or mgr.error]

    def claims(self) -> list[Claim]:
        active = self._active()
        if active is None:
            return []
        return [_claim(mgr, active, since + self._offset) for mgr, since in self._since.items()]

    def knows(self, finding: Finding) -> bool:
        """Whether that mgr has the same as the active one now, or is gone."""
        different = {mgr.name for mgr in self._since}
        return self._active() is not None and finding.target.id not in different

    def looks(self) -> Sequence[Look]:
        mgrs = [mgr for mgr in self._mgrs or () if not mgr.is_active]
        unread = (Gap("unread", "the watch has not read the map of mgrs yet"),)
        return [
            Look(
                "standby_mgrs",
                "the module's files on standby mgrs",
                "mgr",
                len(mgrs),
                (STANDBY_MGR.code,),
                unread if self._mgrs is None else (),
            )
        ]


def _claim(mgr: MgrBuild, active: MgrBuild, since: float) -> Claim:
    if mgr.error:
        has = f"cannot run this module ({mgr.error})"
    elif mgr.build:
        has = f"has {mgr.build}"
    else:
        has = "does not have this module"
    evidence: Mapping[str, Optional[str]] = {
        "mgr": mgr.name,
        "build": mgr.build,
        "active_build": active.build,
    }
    return Claim(
        STANDBY_MGR.code,
        Severity.WARNING,
        Target("mgr", mgr.name),
        f"mgr.{mgr.name} {has}; the active mgr.{active.name} has {active.build}",
        evidence,
        since,
    )
