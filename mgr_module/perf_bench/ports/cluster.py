"""The state of the cluster, from the maps of the mgr and the monitors, without asking OSDs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..model.admission import Situation
from ..model.bench import BenchLimits
from ..model.doctor_snapshot import DoctorSnapshot
from ..model.guard import GuardSnapshot
from ..model.osd import Osd
from ..model.wal import Wal


class Cluster(Protocol):
    """The mgr's maps of the cluster; no daemon is asked."""

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """All OSDs by ID; at most ``max_age`` seconds old, 0 reads the maps now."""

    def down(self, osds: Sequence[int]) -> set[int]:
        """Those of the given OSDs that are not up at this moment; cheap enough to poll."""

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        """The tightest ``osd_bench_*`` options among these OSDs."""

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        """The write-ahead logs of these OSDs, from their metadata."""

    def bench_copies(self) -> int:
        """The number of copies of an object in the bench pool."""

    def over_nearfull(self, osds: Sequence[int]) -> Sequence[int]:
        """Those of the given OSDs that the cluster calls nearfull, backfillfull or full."""

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        """The properties that decide whether results of these OSDs are comparable (JSON-ready)."""


class AdmissionSource(Protocol):
    """The state of the cluster, for the decision whether a round may start or go on."""

    def look(self, osds: Sequence[int]) -> Situation:
        """The whole state, from the mgr's maps; fields named "chosen" are of these OSDs.

        Fields that need earlier states are None: ``changes``, ``possible``, ``wear``, ``running``.
        """

    def epoch(self) -> int:
        """The OSD map's epoch; cheap."""

    def up(self) -> frozenset[int]:
        """The OSDs that are up; cheap while the map's epoch stays."""

    def glance(self) -> GuardSnapshot:
        """The state that a guard checks every few seconds, without the latency of clients."""

    def copies(self) -> float:
        """Bytes on devices for each byte of clients, over all pools: 3 for three replicas."""


class DownTimes(Protocol):
    """OSDs that went down."""

    def fell(self) -> Mapping[int, float]:
        """By OSD that is down and once was up, when it went down (unix seconds). Cheap to poll.

        Minus infinity means an unknown time long ago.
        """


class DoctorSource(Protocol):
    """Reads the doctor's snapshot from the mgr's maps and the monitors, not from OSDs."""

    def look(self) -> DoctorSnapshot:
        """The snapshot of all OSDs, without facts and rounds. Raises CommandFailed.

        Waits for the monitors at most 15 s. Takes some 60 us for each OSD, 110 us for one that
        compacts, so do not call it every few seconds.
        """
