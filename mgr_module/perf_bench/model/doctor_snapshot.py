"""The doctor's input, a snapshot of settings, OSDs, health and hosts; and mClock's capacities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Optional

from .finding import Severity, Target
from .hardware import HostFacts
from .history import ClusterSpan
from .osd import Osd

# The part of a mask that names a device class.
_CLASS = "class"
# The mean of the commits in one report (5 s) that is slow. Ceph calls single operations of 5 s slow
# (``bluestore_log_op_age``), and an operation waits for up to two commits; a disk that seeks for
# each commit takes a twentieth of this.
_SLOW_SECONDS = 1.0
# The commit must take this multiple of the flush; otherwise the device is the cause.
_TIMES_FLUSH = 4.0
# A report of a time average: unix seconds, sum in seconds, count.
Point = tuple[float, float, int]


class Setting(NamedTuple):
    """A value in the cluster's configuration; ``mask`` as "class:ssd"."""

    section: str
    mask: str
    name: str
    value: str

    @property
    def who(self) -> str:
        """The section with its mask, as in ``ceph config set``: "osd.3", "osd/host:host-1"."""
        return f"{self.section}/{self.mask}" if self.mask else self.section

    @property
    def places(self) -> frozenset[str]:
        """The types of CRUSH buckets in its mask, such as "host"."""
        return frozenset(kind for kind, _ in self._mask()) - {_CLASS}

    def concerns(self, osd: Osd) -> bool:
        """Whether it applies to this OSD, by section and mask."""
        return self.section in ("global", "osd", osd.name) and all(
            value == (osd.device_class if kind == _CLASS else osd.location.get(kind))
            for kind, value in self._mask()
        )

    def _mask(self) -> list[tuple[str, str]]:
        parts = [part.partition(":") for part in self.mask.split("/") if part]
        return [(kind, value) for kind, _, value in parts]


class Build(NamedTuple):
    """The build that an OSD runs.

    ``version`` is Ceph's text, ``system`` the distribution, ``image`` the container image ("" if
    there is none).
    """

    version: str
    system: str = ""
    image: str = ""


class CommitStall(NamedTuple):
    """The newest reports with slow commits; ``seconds`` is the sum of these commits.

    ``longest`` is the slowest mean of a report, ``slow`` the number of slow commits that Ceph
    counted (0 on 16, which does not count them). ``tables`` is the number of bytes that RocksDB
    wrote to tables meanwhile, by flushes and compactions.
    """

    seconds: float
    longest: float
    slow: int
    tables: int


@dataclass(frozen=True)
class OsdDetails:
    """An OSD with its metadata and newest counters. Sizes are bytes; None means unknown.

    ``fsid`` is the OSD's, as ceph-volume takes it. ``slow_used`` is the part of its database on the
    slow device, ``wal_used`` its write-ahead log if that has a separate device. ``min_alloc`` is
    its allocation unit, ``optimal_io`` what its drive tells to write at a time (since 18).
    ``flush_seconds`` is the mean of the flushes in the last 100 s; None of too few.
    """

    osd: Osd
    release: Optional[str] = None
    host_memory: Optional[int] = None
    separate_db: bool = False
    db_rotational: Optional[bool] = None
    pgs: Optional[int] = None
    db_total: Optional[int] = None
    db_used: Optional[int] = None
    slow_used: Optional[int] = None
    slow_total: Optional[int] = None
    wal_used: Optional[int] = None
    stall: Optional[CommitStall] = None
    build: Optional[Build] = None
    fsid: Optional[str] = None
    min_alloc: Optional[int] = None
    optimal_io: Optional[int] = None
    flush_seconds: Optional[float] = None


@dataclass(frozen=True)
class MeasuredCapacity:
    """The newest result of an OSD with small writes: IOPS, and the round's ID.

    ``valid`` has the IOPS of its newest valid rounds, newest first.
    """

    iops: float
    round: int
    valid: tuple[float, ...] = ()


class PoolReads(NamedTuple):
    """A replicated pool: Ceph's read balance score (1 is even), and its placement groups."""

    score: float
    pgs: int


@dataclass(frozen=True)
class DoctorSnapshot:
    """The cluster at one moment; ``osds`` is by ID.

    ``options`` has by device class the values for OSDs without a value of their own. ``placed`` has
    by OSD the values of options that are set for a host or another bucket. ``tick`` is the duration
    and interval of the watch's ticks, in seconds. ``at`` is when it was made, in unix seconds.
    ``reads`` has the replicated pools by name; None before 18, which tells no score. ``minutes``
    are those of the cluster in the last hours, as far as the watch ran.
    """

    osds: Mapping[int, OsdDetails] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    settings: Sequence[Setting] = ()
    facts: Mapping[str, HostFacts] = field(default_factory=dict)
    measured: Mapping[int, MeasuredCapacity] = field(default_factory=dict)
    tick: Optional[tuple[float, float]] = None
    placed: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    at: float = 0.0
    reads: Optional[Mapping[str, PoolReads]] = None
    minutes: Sequence[ClusterSpan] = ()

    def option(self, details: OsdDetails, name: str) -> Optional[str]:
        """The value of an option on this OSD; None if its release lacks the option."""
        own = self.own(details, name)
        if own is not None:
            return own
        placed = self.placed.get(name)
        if placed is not None:
            return placed.get(details.osd.id)
        return self.options.get(details.osd.device_class or "", {}).get(name)

    def own(self, details: OsdDetails, name: str) -> Optional[str]:
        """The value that is set for this OSD alone, if any."""
        return next((setting.value for setting in self.of(name, details.osd.name)), None)

    def of(self, name: str, section: str) -> Sequence[Setting]:
        """The settings of an option in a section, such as "osd", "global" or "osd.3"."""
        return self._by_name.get((name, section), ())

    def set_for(self, name: str, osds: Sequence[OsdDetails]) -> list[Setting]:
        """The settings of an option that apply to any of these OSDs, each once."""
        chosen: dict[Setting, None] = {}
        for details in osds:
            for section in ("global", "osd", details.osd.name):
                settings = self.of(name, section)
                chosen.update((one, None) for one in settings if one.concerns(details.osd))
        return list(chosen)

    def several(self, name: str) -> bool:
        """Whether an option is set for more than single OSDs."""
        return bool(self.of(name, "global") or self.of(name, "osd"))

    # An index, because large clusters have a setting for every OSD: mClock's measured capacity.
    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Sequence[Setting]]:
        index: dict[tuple[str, str], list[Setting]] = {}
        for setting in self.settings:
            index.setdefault((setting.name, setting.section), []).append(setting)
        return index

    @cached_property
    def hosts_in_bucket(self) -> Mapping[str, set[str]]:
        """By CRUSH host the hosts that its OSDs run on."""
        found: dict[str, set[str]] = {}
        for details in self.osds.values():
            if "host" in details.osd.location:
                found.setdefault(details.osd.location["host"], set()).add(details.osd.host)
        return found

    def number(self, details: OsdDetails, name: str) -> Optional[float]:
        """The value of an option as a number; None also if it is not a number."""
        return as_number(self.option(details, name))

    def hosts(self) -> Iterator[tuple[str, list[OsdDetails], Optional[HostFacts]]]:
        """Each host by name, with its OSDs that are up and its facts."""
        by_host: dict[str, list[OsdDetails]] = {}
        for details in self.up:
            by_host.setdefault(details.osd.host, []).append(details)
        for host in sorted(by_host):
            yield host, by_host[host], self.facts.get(host)

    @cached_property
    def up(self) -> list[OsdDetails]:
        """The OSDs that are up, by ID."""
        return [details for _, details in sorted(self.osds.items()) if details.osd.up]


@dataclass(frozen=True)
class Advice:
    """What the doctor says: one thing, once, about all that have it.

    evidence -- The figures behind it, by name.
    fix -- The command that mends it.
    source -- Where that is known from.
    osds -- All it is about; empty for the whole.

    ``message`` says what the problem is and why it matters. With ``risk`` it is also raised as a
    health check.
    """

    KEYS = ("code", "severity", "target", "message", "evidence", "fix", "source", "osds")
    code: str
    severity: Severity
    target: Target
    message: str
    fix: str
    source: str
    osds: frozenset[int] = frozenset()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    risk: bool = False


CLUSTER = Target("cluster", "cluster")


def as_number(value: Optional[str]) -> Optional[float]:
    """The value of an option; None if it is none, or not a number."""
    try:
        return float(value or "")
    except ValueError:
        return None


def stall_of(
    syncs: Sequence[Point], flushes: Sequence[Point], slows: Sequence[Point], tables: int
) -> CommitStall:
    """Compute the stall from the newest points of the counters, oldest first.

    BlueStore's commit first flushes the device (``kv_flush_lat``), then writes the transactions to
    RocksDB; ``kv_sync_lat`` is the sum. RocksDB stalls writers while compaction cannot keep up
    (RocksDB's documentation: write stalls), so then the second part takes long. ``slows`` is
    ``slow_committed_kv_count`` with the count as second value; empty on 16. That count shows single
    slow commits, which the mean of a report hides.
    """
    seconds, longest, slow = 0.0, 0.0, 0
    flushed = {reported_at: total for reported_at, total, _ in flushes}
    counted = {reported_at: total for reported_at, total, _ in slows}
    for (begin, before, first), (end, after, last) in zip(syncs, syncs[1:]):
        count = last - first
        if count <= 0 or begin not in flushed or end not in flushed:
            continue
        flush = flushed[end] - flushed[begin]
        commit = after - before - flush
        slow_now = max(0, round(counted.get(end, 0) - counted.get(begin, 0)))
        if (slow_now or commit >= count * _SLOW_SECONDS) and commit >= _TIMES_FLUSH * flush:
            seconds += commit
            longest = max(longest, commit / count)
            slow += slow_now
    return CommitStall(seconds, longest, slow, tables)


# --- mClock's capacity of an OSD, compared with the results of rounds ---


OK, FAR, IMPLAUSIBLE = "ok", "far", "implausible"
UNMEASURED, UNLIKELY, UNUSED, UNKNOWN = "unmeasured", "unlikely", "unused", "unknown"
REJECTED = "rejected"
_VERDICTS = (OK, FAR, IMPLAUSIBLE, UNMEASURED, UNLIKELY, UNUSED, UNKNOWN, REJECTED)


@dataclass(frozen=True)
class Capacity:
    """What mClock takes an OSD to be capable of; IOPS of random writes of 4 KiB.

    plausible -- The lowest and the highest that Ceph takes for plausible.
    consent -- What is proposed is out of Ceph's range: it is set only with beyond.
    rounds -- Its newest valid rounds of small writes.

    ``option`` holds its IOPS. ``source``: "osd" (a value of this OSD, measured by itself or set),
    "cluster" (set for several) or "default".
    ``verdict``: ok; far (from the measured value); implausible; unmeasured; unlikely (the measured
    value is out of range); rejected (it is, in several valid rounds that agree: Ceph takes no such
    figure by itself); unused (another scheduler); unknown.
    """

    osd: int
    device_class: Optional[str]
    option: str
    configured_iops: Optional[float]
    measured_iops: Optional[float]
    round: Optional[int]
    plausible: tuple[float, float]
    source: Annotated[str, "enum", ("osd", "cluster", "default")]
    verdict: Annotated[str, "enum", _VERDICTS]
    proposed: Optional[int] = None
    consent: bool = False
    rounds: int = 0
