"""Where the operations of an OSD spend their time: stages, counters, and who waits for whom.

An OSD tracks its operations: its slowest ones of the last minutes, and those in flight. Each has
events with times; the time from one event to the next is spent in a stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Optional

# Keys of a finding's evidence that a breakdown is kept in; no detector writes them.
EVIDENCE = ("why", "time_spent", "waits_for", "waited_for_by", "asked_at", "not_told")


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
    (watch/breakdown/counters.py), of the first and of the newest answer, which came ``at``
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
class Wait:
    """What waits for an OSD: ``seconds`` of sub-operations, and their ``share`` of all such."""

    osd: int
    seconds: float
    share: float
    operations: int


@dataclass(frozen=True)
class Background:
    """Work of Ceph's own on ``pgs`` of an OSD's placement groups; ``waiting`` are queued for it.

    ``others`` is the median of ``pgs`` of the other OSDs, None without any. ``option`` bounds it.
    """

    kind: str
    words: str
    pgs: int
    waiting: int
    others: Optional[float]
    option: str


@dataclass(frozen=True)
class Figure:
    """A latency from counters: its mean in ms, and by OSD that of each other one asked."""

    counter: str
    words: str
    ms: float
    operations: int
    others: Mapping[int, float]


@dataclass(frozen=True)
class Peer:
    """Another OSD that was asked; ``role`` is "peer", or "suspect" for one that is waited for."""

    osd: int
    host: str
    role: str
    operations: int
    problems: Sequence[str]


@dataclass(frozen=True)
class Sampled:
    """How many operations the shares are of, their time in all, and the longest, in seconds."""

    operations: int
    in_flight: int
    seconds: float
    longest_seconds: float


@dataclass(frozen=True)
class Breakdown:
    """The answer to "why is this OSD slow?"; the first of ``sentences`` is the conclusion.

    ``asked_at`` and ``until`` are unix seconds; before ``until`` it is still being asked. Shares
    are 0 to 1 and empty if nothing was sampled: ``operations`` of clients' operations by stage,
    ``sub_operations`` of those that it does as a replica. ``behind`` has by OSD the seconds that
    all asked OSDs wait for it, ``blocked_by`` by reason those of blocked operations, each the
    greatest first. ``counter_seconds`` is the time of the counters' figures; None since the OSD's
    start.
    """

    osd: int
    asked_at: float
    until: float
    is_complete: bool
    operations: Mapping[str, float]
    sampled: Sampled
    sub_operations: Mapping[str, float]
    sub_sampled: Sampled
    waits_for: Sequence[Wait]
    waited_for_by: Sequence[Wait]
    behind: Mapping[int, float]
    blocked_by: Mapping[str, float]
    background: Sequence[Background]
    counters: Sequence[Figure]
    counter_seconds: Optional[float]
    peers: Sequence[Peer]
    sentences: Sequence[str] = ()
    not_told: Sequence[str] = ()
