"""What the watch journey sees the cluster by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Optional, Protocol

from ..model.osd import Member

# A point of a counter: unix seconds, then the total latency in seconds and the number of
# operations; of a plain counter its value and 0.
CounterPoint = tuple[float, float, int]


class Counters(Protocol):
    """The performance counters that OSDs have sent to the mgr. Nothing is asked of a daemon."""

    def names(self, osd: int) -> frozenset[str]:
        """The counters this OSD really sends, e.g. ``osd.op_r_latency``.

        Read once per OSD release, 0.5 ms each. One that is not sent reads as 0 from the mgr,
        so what is not in here must not be asked for.
        """

    def points(self, osd: int, name: str) -> Sequence[CounterPoint]:
        """The newest points, oldest first: up to 20, one per report (5 s, or what it is now).

        Empty when the OSD has sent none. About 5 us.
        """


class Members(Protocol):
    """The watched OSDs."""

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        """All OSDs by ID, at most that old; the same object while nothing has changed."""


class BenchSpans(Protocol):
    """When our own benches ran on which OSDs."""

    def during(self, since: float, until: float) -> set[int]:
        """The OSDs on which a bench ran at some time between the two, in unix seconds."""


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


class PgStates(Protocol):
    """Placement groups by state, as counts."""

    def by_state(self) -> Mapping[str, int]:
        """How many PGs are in each state, e.g. ``active+clean+laggy``; cost does not grow."""

    def by_pool(self) -> Mapping[str, Mapping[str, int]]:
        """The same by pool name; constant cost too."""

    def by_osd(self) -> Mapping[int, Mapping[str, int]]:
        """By OSD, each PG counted for every OSD of its acting set; 1 us a PG, so not on a timer."""


class OsdHealth(Protocol):
    """What the cluster itself reports of its OSDs, in bulk."""

    def reports(self) -> Mapping[int, int]:
        """By OSD the sequence number of its newest report; it stands still when the OSD hangs."""

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        """By OSD commit and apply latency in seconds, as ``ceph osd perf`` shows them."""

    def slow_ops(self) -> Mapping[int, int]:
        """By OSD how many operations it calls slow now; those without any are left out."""


class Prober(Protocol):
    """Small operations through the client path. Every call waits at most some seconds.

    Raises CommandFailed when there is no answer, NotNow while there is nowhere to probe.
    """

    def place(self) -> Mapping[int, Sequence[str]]:
        """By OSD the names of objects whose acting primary it is now."""

    def write(self, name: str) -> None: ...

    def read(self, name: str) -> None: ...

    def clear(self) -> None:
        """Remove its objects."""

    def close(self) -> None: ...
