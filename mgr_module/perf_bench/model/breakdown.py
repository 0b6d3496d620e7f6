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

    Seconds of sub-operations, their share (0 to 1) of all such of the one that waits.
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

    Shares are 0 to 1 and empty without operations; state is complete, or asking until the time that
    is told. behind and blocked_by begin with the greatest.

    operations -- Of clients' operations, by stage.
    sub_operations -- Of the operations that it does as a replica, by stage.
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
