"""What the watch says of OSDs: verdicts, laggy PGs, Ceph's own alerts, and where time is spent.

An OSD tracks its operations: its slowest ones of the last minutes, and those in flight. Each has
events with times; the time from one event to the next is spent in a stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Optional

from .json_fields import Moment, Part, Tenths, Thousandths


class OsdState(str, Enum):
    """SUSPECT: slow, but too short or too uncertain for a finding. NO_DATA: idle or unknown."""

    OK = "ok"
    SUSPECT = "suspect"
    SLOW = "slow"
    NO_DATA = "no-data"


@dataclass(frozen=True)
class OsdVerdict:
    """One OSD compared with its peers.

    ratio -- Its latency over that of its peers.
    since -- Null: not known, as nobody looked when it began.

    ``robust_z`` is positive for an OSD slower than its peers, ``ratio`` is its latency divided by
    the expected one (1: as its peers); both are of the worst judged ``channel``. ``risk`` is
    severity times duration with a half-life of a day, for ranking only. ``since`` is when the state
    began (unix seconds). ``path`` is the rule that decided (acute, sustained, watch, intermittent,
    small-cohort, host …), "" if none did. ``evidence`` has its figures.
    """

    KEYS = ("osd", "ratio", "since")
    osd: int
    state: OsdState
    robust_z: Optional[Thousandths] = None
    ratio: Optional[Thousandths] = None
    risk: Thousandths = 0.0
    since: Optional[Moment] = None
    channel: Optional[str] = None
    path: str = ""
    max_ratio: Optional[float] = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CohortReport:
    """Who is compared with whom; a lasting slowdown below minimum_detectable_ratio is not seen."""

    name: str
    members: int
    judged: int
    channel: Optional[str] = None
    minimum_detectable_ratio: Optional[float] = None


# --- The OSDs' verdicts and latencies at one moment, for lists and maps ---


@dataclass(frozen=True)
class OsdSnapshot:
    """The verdicts by OSD, and by channel and OSD the mean latency of the newest minute.

    ``applied`` has the apply latencies that OSDs report. All latencies are seconds; an OSD without
    data is left out.
    """

    verdicts: Mapping[int, OsdVerdict] = field(default_factory=dict)
    latency: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    applied: Mapping[int, float] = field(default_factory=dict)

    def verdict(self, osd: int) -> OsdVerdict:
        return self.verdicts.get(osd) or OsdVerdict(osd, OsdState.NO_DATA)

    def latency_ms(self, osd: int, channel: str) -> Optional[float]:
        """Milliseconds, None without data."""
        return _ms(self.latency.get(channel, {}).get(osd))

    def apply_ms(self, osd: int) -> Optional[float]:
        return _ms(self.applied.get(osd))


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else round(seconds * 1000, 3)


# --- Laggy placement groups (PGs): their number, duration and suspected OSDs ---


# Of the past episodes, so many are in memory.
EPISODES_KEPT = 200


@dataclass(frozen=True)
class LaggyNow:
    """Counts of PGs at the newest tick; pgs counts all."""

    laggy: int = 0
    wait: int = 0
    pgs: int = 0
    at: Optional[Moment] = None


@dataclass(frozen=True)
class Suspect:
    """An OSD that may have caused laggy PGs.

    part -- The share of all laggy PG-seconds in PGs on it.
    share -- The share of its own PGs' time that was laggy.
    stale_seconds -- The time without reports from it.
    slow_ops -- The most slow operations that it reported.
    """

    KEYS = ("osd", "host", "laggy_pg_seconds", "share", "part", "stale_seconds", "slow_ops")
    osd: int
    laggy_pg_seconds: Tenths
    part: Part
    share: Part
    stale_seconds: Tenths = 0.0
    slow_ops: int = 0
    # As of LaggyOsd.
    host: Optional[str] = None


@dataclass(frozen=True)
class LaggyOsd:
    """What one OSD had of laggy PGs; share is of its own PGs' time, 0 to 1.

    ``pg_seconds`` are those of all its PGs in the same time. ``host`` is None until it is told.
    """

    KEYS = ("osd", "host", "laggy_pg_seconds", "share")
    osd: int
    laggy_pg_seconds: Tenths
    pg_seconds: float
    host: Optional[str] = None

    @property
    def share(self) -> Part:
        return self.laggy_pg_seconds / self.pg_seconds if self.pg_seconds else 0.0


@dataclass(frozen=True)
class LaggyPool:
    """A pool's laggy and waiting PGs now, and the PG-seconds they were laggy in all."""

    pool: str
    laggy: int
    wait: int
    laggy_pg_seconds: Tenths


@dataclass(frozen=True)
class Episode:
    """A time in which PGs were laggy, short gaps included.

    to -- Null while it lasts, as seconds.
    peak -- The highest number of laggy PGs.
    suspects -- Empty if no OSD stands out.
    suspects_left_out -- How many more there are.
    stuck -- The PGs stayed laggy although nothing is wrong at their OSDs.
    pools_left_out -- How many more there are.
    round -- The bench round that ran meanwhile.

    ``osds`` has the most affected OSDs; ``more_osds`` says how many are left out.
    """

    KEYS = (
        ("from", "start"), ("to", "end"), "seconds", "peak", "laggy_pg_seconds", "suspects",
        ("suspects_left_out", "more_suspects"), "stuck", "pools", ("pools_left_out", "more_pools"),
        ("round", "round_id"),
    )  # fmt: skip
    start: Moment
    end: Optional[Moment]
    peak: int
    laggy_pg_seconds: Tenths
    suspects: tuple[Suspect, ...] = ()
    osds: tuple[LaggyOsd, ...] = ()
    pools: tuple[str, ...] = ()
    stuck: bool = False
    round_id: Optional[int] = None
    more_suspects: int = 0
    more_osds: int = 0
    more_pools: int = 0

    @property
    def seconds(self) -> Optional[Tenths]:
        return None if self.end is None else self.end - self.start


# --- Ceph's own health checks about slow OSDs: what each means, what to do ---


@dataclass(frozen=True)
class AlertKind:
    """Some of Ceph's health checks that mean the same.

    ``of_pairs``: they are about the network between OSDs.
    """

    codes: tuple[str, ...]
    title: str
    meaning: str
    action: str
    of_pairs: bool = False


SLOW_OPS = "SLOW_OPS"
ALERTS = (
    AlertKind(
        (SLOW_OPS,),
        "Slow operations",
        "Operations wait for longer than osd_op_complaint_time (30 s) right now: clients hang. The "
        "OSDs that are named are those that wait, often for another one.",
        "'ceph tell osd.ID dump_ops_in_flight' shows what they wait for; laggy PGs and OSDs that "
        "stopped reporting name the OSD at fault ('ceph perf-bench laggy ls').",
    ),
    AlertKind(
        ("BLUESTORE_SLOW_OP_ALERT",),
        "Slow operations in BlueStore",
        "A device or RocksDB took more than bluestore_log_op_age (5 s) for an operation. "
        "One is enough (bluestore_slow_ops_warn_threshold), and the alert stays for a day after "
        "the last (bluestore_slow_ops_warn_lifetime), so a single stall looks like a lasting one.",
        "If an OSD is slower than its peers: look at its device (SMART, dmesg) and at RocksDB "
        "('ceph perf-bench doctor': SLOW_COMPACTION, DB_SPILLS_OVER). If all are as fast as "
        "theirs: nothing, or mute it ('ceph health mute BLUESTORE_SLOW_OP_ALERT 1d').",
    ),
    AlertKind(
        tuple(f"{device}_DEVICE_STALLED_READ_ALERT" for device in ("BLOCK", "DB", "WAL")),
        "Stalled reads of the data device, or of that of the database or its log",
        "A read of the device took seconds (bdev_stalled_read_warn_threshold: how many raise it; "
        "one by default). The alert stays for a day after the last one "
        "(bdev_stalled_read_warn_lifetime).",
        "Look for 'timeout', 'completion polled' and I/O errors of the device in dmesg, and at "
        "its SMART data; replace it if stalls come back. Those of about 30 s on NVMe are missed "
        "interrupts.",
    ),
    AlertKind(
        ("OSD_SLOW_PING_TIME_FRONT", "OSD_SLOW_PING_TIME_BACK"),
        "Slow heartbeats",
        "Heartbeats between OSDs take long (by default over a second). Pairs of many OSDs with "
        "one host or rack point to its network, pairs with one OSD to that OSD.",
        "Look at the links and switch ports of what the pairs share: errors, MTU, saturation "
        "('ceph tell osd.ID dump_osd_network'); a busy or stopped OSD answers late, too.",
        of_pairs=True,
    ),
    AlertKind(
        ("BLUESTORE_FREE_FRAGMENTATION",),
        "Fragmented free space",
        "The free space of the device is in small pieces, so large writes are split. It says "
        "nothing of the device's health, and may stand for weeks.",
        "Compare the OSD with its peers; if it is slower, free space or redeploy it. Else mute it.",
    ),
    AlertKind(
        ("BLUEFS_SPILLOVER",),
        "Database spills over",
        "A part of RocksDB is on the slow device. It may stand for weeks.",
        "'ceph tell osd.ID compact', then a larger DB device if it comes back "
        "('ceph perf-bench doctor').",
    ),
    AlertKind(
        ("OSD_FAIL_SLOW",),
        "Fail-slow devices",
        "The mgr's own detector compares commit latencies and calls these devices slow now.",
        "Compare with the findings of perf_bench; look at the device (SMART, dmesg).",
    ),
)
BY_CODE: Mapping[str, AlertKind] = {code: kind for kind in ALERTS for code in kind.codes}


@dataclass(frozen=True)
class CephAlert:
    """One of these alerts as the cluster raises it.

    ``osds`` counts for each OSD in how many of its lines it is named; the monitors shorten long
    lists.
    """

    code: str
    summary: str
    osds: Mapping[int, int]
    error: bool = False
    muted: bool = False
    lines: int = 0

    @property
    def kind(self) -> AlertKind:
        return BY_CODE[self.code]


@dataclass(frozen=True)
class ExplainedAlert:
    """An alert joined to what the watch knows.

    ``slow``, ``suspect``, ``as_peers`` and ``unjudged`` divide ``osds`` by its verdict now.
    """

    alert: CephAlert
    osds: tuple[int, ...]
    slow: tuple[int, ...] = ()
    suspect: tuple[int, ...] = ()
    as_peers: tuple[int, ...] = ()
    unjudged: tuple[int, ...] = ()


# --- Where the operations of an OSD spend their time ---


# Keys of a finding's evidence that a breakdown is kept in; no detector writes them.
EVIDENCE = ("why", "time_spent", "waits_for", "waited_for_by", "asked_at", "not_told")
# States of an answer: it is asked further, or all was asked.
ASKING, COMPLETE = "asking", "complete"


class Stage(str, Enum):
    """What an operation does or waits for; the values are keys of the answer.

    SUB_OPERATIONS is time after the OSD's own commit. COMMIT is time in which its own commit is
    not done, whether or not its replicas are.
    """

    THROTTLED = "throttled"
    RECEIVED = "received"
    QUEUED = "queued"
    READABLE = "waiting_for_readable"
    BLOCKED = "blocked"
    PREPARED = "prepared"
    READ = "data_read"
    COMMIT = "own_commit"
    SUB_OPERATIONS = "sub_operations"
    FINISHED = "finished"
    OTHER = "other"


class Event(NamedTuple):
    """An event of an operation; ``at`` is seconds, of which only differences count."""

    at: float
    name: str


_SUB_OPERATIONS = ("osd_repop", "MOSDECSubOpWrite", "MOSDECSubOpRead")


@dataclass(frozen=True)
class TrackedOperation:
    """One operation as an OSD tells it, its events in the order of time.

    ``kind`` is the description up to the parenthesis, as "osd_op". ``key`` tells it from others of
    the same OSD. ``end`` is on the scale of the events: the end, or the moment of asking if it is
    ``in_flight``.
    """

    key: str
    kind: str
    events: Sequence[Event]
    end: float
    reads: bool = False
    writes: bool = False
    in_flight: bool = False

    @property
    def is_client(self) -> bool:
        """Whether a client asked for it; also what a mgr or an OSD asks for as a client."""
        return self.kind == "osd_op"

    @property
    def is_sub_operation(self) -> bool:
        """Whether another OSD asked for it, as its replica or shard."""
        return self.kind in _SUB_OPERATIONS


@dataclass(frozen=True)
class Total:
    """A counter of latencies: how many there were, and their sum in seconds."""

    count: int
    seconds: float


@dataclass(frozen=True)
class Answers:
    """What one OSD has answered so far.

    ``operations`` by key, the newest state of each. ``first`` and ``last`` are counters by name
    (watch/breakdown/parsing.py), of the first and of the newest answer, which came ``at``
    (monotonic); ``seconds`` lie between them. ``problems`` are sentences on what could not be asked
    or read.
    """

    osd: int
    operations: Mapping[str, TrackedOperation] = field(default_factory=dict)
    first: Mapping[str, Total] = field(default_factory=dict)
    last: Mapping[str, Total] = field(default_factory=dict)
    at: float = 0.0
    seconds: float = 0.0
    problems: Sequence[str] = ()


# --- the answer to "osd why": fields are its JSON keys ------------------------------------------


@dataclass(frozen=True)
class OsdWhyWait:
    """What waits for an OSD, or which OSD waits.

    seconds -- Of sub-operations.
    share -- Their share (0 to 1) of all such of the one that waits.
    """

    osd: int
    seconds: float
    share: float
    operations: int


@dataclass(frozen=True)
class OsdWhyBackground:
    """Work of Ceph's own on placement groups (PGs) of the OSD, while it was asked.

    waiting -- So many are queued for it.
    others -- The median of pgs of the other OSDs; null without any.
    option -- What bounds it, with the scheduler of the OSD.
    """

    kind: str
    words: str
    pgs: int
    waiting: int
    others: Optional[float]
    option: str


@dataclass(frozen=True)
class OsdWhyMean:
    """The mean of a counter on another OSD in milliseconds."""

    osd: int
    ms: float


@dataclass(frozen=True)
class OsdWhyCounter:
    """A latency counter: its mean in milliseconds, and that of the other OSDs."""

    counter: str
    words: str
    ms: float
    operations: int
    others: Sequence[OsdWhyMean]


@dataclass(frozen=True)
class OsdWhyPeer:
    """Another OSD that was asked; role is peer, or suspect for one that is waited for."""

    osd: int
    host: str
    role: str
    operations: int
    problems: Sequence[str]


@dataclass(frozen=True)
class OsdWhyBlocked:
    """A reason for which operations were blocked, with seconds."""

    reason: str
    seconds: float


@dataclass(frozen=True)
class OsdWhyBehind:
    """An OSD, and the seconds that all asked OSDs wait for it."""

    osd: int
    seconds: float


@dataclass(frozen=True)
class OsdWhySampled:
    """How many operations shares are of, their time in all and the longest one."""

    operations: int
    in_flight: int
    seconds: float
    longest_seconds: float


@dataclass(frozen=True)
class OsdWhy:
    """Where an OSD's operations spend their time; the first of sentences is the conclusion.

    state -- Complete, or asking until the time that is told.
    operations -- Shares (0 to 1) of clients' operations, by stage; empty without any.
    sub_operations -- The same of the operations that it does as a replica.
    behind -- The greatest first, as in blocked_by.
    counter_seconds -- The time of the counters' figures; null since the OSD's start.
    """

    osd: int
    state: str
    asked_at: str
    until: str
    sentences: Sequence[str]
    not_told: Sequence[str]
    operations: Mapping[str, float]
    sampled: OsdWhySampled
    sub_operations: Mapping[str, float]
    sub_sampled: OsdWhySampled
    waits_for: Sequence[OsdWhyWait]
    waited_for_by: Sequence[OsdWhyWait]
    behind: Sequence[OsdWhyBehind]
    blocked_by: Sequence[OsdWhyBlocked]
    background: Sequence[OsdWhyBackground]
    counters: Sequence[OsdWhyCounter]
    counter_seconds: Optional[float]
    peers: Sequence[OsdWhyPeer]

    @property
    def is_complete(self) -> bool:
        return self.state == COMPLETE
