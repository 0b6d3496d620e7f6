"""The inputs of the watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Protocol

from ..model.ceph_alerts import CephAlert
from ..model.cluster_span import Work
from ..model.cohort_setup import CohortSetup
from ..model.installation import MgrBuild
from ..model.osd import Member

# A point of a counter: unix seconds, then the total latency in seconds and the number of
# operations; of a plain counter its value and 0.
CounterPoint = tuple[float, float, int]
# The same of several points: their stamps, their sums (or values) and their numbers.
Columns = tuple[Sequence[float], Sequence[float], Sequence[int]]
# A point that is not converted: the stamp, then what the mgr has of this kind of counter.
RawPoint = Sequence[Any]


class Counters(Protocol):
    """The performance counters that OSDs have sent to the mgr. No daemon is asked."""

    def names(self, osd: int) -> frozenset[str]:
        """The counters that this OSD sends, e.g. ``osd.op_r_latency``. Takes 0.5 ms.

        Do not read others: a counter that is not sent reads as 0 from the mgr.
        """

    def points(self, osd: int, name: str) -> Sequence[CounterPoint]:
        """The newest points, oldest first: up to 20, one per report (5 s, or what it is now).

        Empty when the OSD has sent none. About 5 us.
        """


class Members(Protocol):
    """The watched OSDs."""

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        """All OSDs by ID, at most ``max_age`` seconds old; the same object while unchanged."""


class BenchSpans(Protocol):
    """The times of our own benches on OSDs."""

    def during(self, since: float, until: float) -> set[int]:
        """The OSDs on which a bench ran at some time between the two (unix seconds)."""


class OsdEpochs(NamedTuple):
    """The epochs of the OSD map in which an OSD last came up and last went down; 0 for never."""

    up_from: int
    down_at: int


class UpDownChanges(NamedTuple):
    """The map's ``epoch``, and by OSD the epochs of those that went up or down."""

    epoch: int
    osds: Mapping[int, OsdEpochs]


class UpDown(Protocol):
    """OSDs that go up or down."""

    def changes(self, since: Optional[int]) -> Optional[UpDownChanges]:
        """What changed after the epoch ``since``; nothing where that is None.

        None where there is no newer map, or the map was read a moment ago. Cheap to poll.
        """


class MgrBuilds(Protocol):
    """The mgrs of the cluster."""

    def builds(self) -> Sequence[MgrBuild]:
        """All mgrs with their build of the module; takes some milliseconds."""


class PgStates(Protocol):
    """Counts of placement groups (PGs) by state."""

    def by_state(self) -> Mapping[str, int]:
        """The number of PGs in each state, e.g. ``active+clean+laggy``; takes constant time."""

    def work(self) -> Work:
        """What clients and recovery do, as the newest ``by_state`` was read; None: not yet."""

    def by_pool(self) -> Mapping[str, Mapping[str, int]]:
        """The number of PGs in each state, by pool name; takes constant time."""

    def by_osd(self) -> Mapping[int, Mapping[str, int]]:
        """By OSD the number of PGs of each state with it in their acting set. Takes 1 us a PG."""


class OsdHealth(Protocol):
    """Reports of all OSDs that the cluster has."""

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        """By OSD commit and apply latency in seconds, as ``ceph osd perf`` shows them."""

    def slow_ops(self) -> Mapping[int, int]:
        """By OSD its number of slow operations; OSDs without any are left out."""


class CephAlerts(Protocol):
    """Ceph's own health checks about slow OSDs (model/ceph_alerts.py)."""

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        """Those that stand now, also muted ones; None before the monitors have sent any health.

        Takes some milliseconds where a check names many OSDs.
        """


class OperationDumps(Protocol):
    """What OSDs answer about their operations, as JSON.

    Every call takes 10 s at most, and a millisecond where nothing is wrong. Raises CommandFailed.
    Several threads may ask at once; ``close`` comes when none does, and asking connects again.
    """

    def slowest(self, osd: int) -> bytes:
        """The slowest operations of the last minutes."""

    def in_flight(self, osd: int) -> bytes:
        """The operations that are not done."""

    def counters(self, osd: int) -> bytes:
        """All performance counters; 30 kB."""

    def close(self) -> None: ...


class Prober(Protocol):
    """Small operations of a client. Every call waits some seconds at most.

    Raises CommandFailed without an answer, NotNow without a pool to probe.
    """

    def place(self) -> Mapping[int, Sequence[str]]:
        """By OSD the names of the objects whose acting primary it is now."""

    def write(self, name: str) -> None: ...

    def read(self, name: str) -> None: ...

    def clear(self) -> None:
        """Remove its objects."""

    def close(self) -> None: ...


class CohortSetups(Protocol):
    """The setup of OSDs, from the mgr's own copies."""

    def setup(self, osds: Sequence[int]) -> CohortSetup:
        """The setup of these OSDs.

        At 10,000 OSDs 0.2 s for the reports of all OSDs, which are kept for 10 minutes, and some
        5 ms for each call.
        """
