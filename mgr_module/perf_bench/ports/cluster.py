"""What the cluster is, from the maps of the mgr and the monitors; no OSD is asked."""

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
    """What the mgr knows of the cluster; reads of its maps only, no daemon is asked."""

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """All OSDs by ID; at most ``max_age`` seconds old, 0 reads the maps now."""

    def down(self, osds: Sequence[int]) -> set[int]:
        """Those of the given OSDs that are not up at this moment; cheap enough to poll."""

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        """The tightest ``osd_bench_*`` options among these OSDs."""

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        """Where these OSDs say their write-ahead logs are."""

    def bench_copies(self) -> int:
        """How often an object of the bench pool is stored."""

    def over_nearfull(self, osds: Sequence[int]) -> Sequence[int]:
        """Those of the given OSDs that the cluster calls nearfull, backfillfull or full."""

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        """What must be known to compare a result of these OSDs later (JSON-ready)."""


class AdmissionSource(Protocol):
    """How the cluster is, for those who decide whether it may be measured now."""

    def look(self, osds: Sequence[int]) -> Situation:
        """The whole picture, from the mgr's maps; of these OSDs where it says "chosen".

        What takes a memory is left None: ``changes``, ``possible``, ``wear``, ``running``.
        """

    def up(self) -> frozenset[int]:
        """The OSDs that are up; cheap while the map's epoch stays."""

    def glance(self) -> GuardSnapshot:
        """What a guard looks at every few seconds, but for the latency of clients."""

    def copies(self) -> float:
        """How many bytes on devices a byte of clients is, over all pools: 3 for replicas."""


class DownTimes(Protocol):
    """OSDs that went down."""

    def fell(self) -> Mapping[int, float]:
        """By OSD that is down, and once was up, when that was (unix seconds). Cheap to poll.

        Minus infinity is so long ago that nobody knows.
        """


class DoctorSource(Protocol):
    """Reads the doctor's snapshot from the mgr's maps and the monitors, not from OSDs."""

    def look(self) -> DoctorSnapshot:
        """The snapshot of all OSDs, without facts and rounds. Raises CommandFailed.

        Waits for the monitors at most 15 s. Takes some 60 us for each OSD, 110 us for one that
        compacts, so do not call it every few seconds.
        """
