"""Fakes of the doctor's source and of down times: healthy unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Optional

from perf_bench.model.cluster import Cluster
from perf_bench.model.doctor_snapshot import DoctorSnapshot, OsdDetails


class FakeDoctorSource:
    """A DoctorSource. ``change`` replaces fields of a healthy snapshot, ``error`` is raised."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.change: dict[str, Any] = {}
        self.error: Optional[Exception] = None
        self.looks = 0

    def look(self) -> DoctorSnapshot:
        if self.error is not None:
            raise self.error
        self.looks += 1
        osds = {osd.id: OsdDetails(osd, release="16.2.15") for osd in self._cluster.osds()}
        return replace(DoctorSnapshot(osds=osds), **self.change)


class FakeDownTimes:
    """OSDs that went down."""

    def __init__(self) -> None:
        self.down: dict[int, float] = {}

    def fell(self) -> Mapping[int, float]:
        return self.down
