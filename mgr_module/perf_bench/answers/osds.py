"""OSDs: latencies, benches, why they are slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Optional, Union

from ..model.round import Verdict
from ..model.verdict import OsdState
from .findings import Finding
from .shape import Count, Stamp


@dataclass(frozen=True)
class LastBench:
    """What a round measured of an OSD."""

    round: Count
    profile: str
    verdict: Optional[Verdict]
    at: Optional[Stamp]
    bytes_per_second: Optional[float]
    iops: Optional[float]
    cv_percent: Optional[float]
    robust_z: Optional[float]
    percent_of_peers: Optional[float]


@dataclass(frozen=True)
class NoData:
    """A reason."""

    code: str
    why: str
    help: str


@dataclass(frozen=True)
class Osd:
    """An OSD in a list.

    Latencies are those of the newest minute; ratio is over what its peers take, robust_z positive
    for slower. Without data null.

    location -- CRUSH bucket names by bucket type.
    no_data -- Why it has no verdict, and what would help; null where it has one.
    """

    osd: Count
    host: str
    class_: Optional[str]
    up: bool
    in_: bool
    location: Mapping[str, str]
    enclosure: Optional[str]
    device: Optional[str]
    model: Optional[str]
    commit_ms: Optional[float]
    apply_ms: Optional[float]
    read_ms: Optional[float]
    write_ms: Optional[float]
    queue_ms: Optional[float]
    ratio: Optional[float]
    robust_z: Optional[float]
    risk: Optional[float]
    state: OsdState
    since: Optional[Stamp]
    last_bench: Optional[LastBench]
    no_data: Optional[NoData]


@dataclass(frozen=True)
class Relieved:
    """A relief of an OSD, as the journal has it."""

    what: Literal["primary_affinity", "reweight"]
    was: float
    set_to: float
    since: Stamp


@dataclass(frozen=True)
class OsdDetail(Osd):
    """One OSD with its history of rounds, newest first.

    primary_affinity -- 0 to 1, in the OSD map.
    reweight -- 0 to 1, in the OSD map.
    relieved -- What 'osd relieve' changed; null: the journal was not read yet.
    slow_in_round -- The newest round that measured it as slow while the watch finds it as fast as
        its peers.
    sentences -- The sentences of explain, one by one.
    """

    primary_affinity: Optional[float]
    reweight: Optional[float]
    relieved: Optional[Sequence[Relieved]]
    history: Sequence[LastBench]
    findings: Sequence[Finding]
    slow_in_round: Optional[int]
    explain: str
    sentences: Sequence[str]


@dataclass(frozen=True)
class OsdMap:
    """All OSDs in columns; a row has a value for each of columns, in their order."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Optional[Union[str, float, bool]]]]


@dataclass(frozen=True)
class OsdLatency:
    """All OSDs as the watch sees them, in columns.

    A row has a value for each of columns, in their order. The state is its place in states.
    """

    columns: Sequence[str]
    states: Sequence[str]
    rows: Sequence[Sequence[Optional[float]]]


@dataclass(frozen=True)
class OsdWhySampled:
    """How many operations shares are of, their time in all and the longest one."""

    operations: Count
    in_flight: Count
    seconds: float
    longest_seconds: float


@dataclass(frozen=True)
class OsdWhyWait:
    """What waits for an OSD, or which OSD waits.

    Seconds of sub-operations, their share (0 to 1) of all such of the one that waits.
    """

    osd: Count
    seconds: float
    share: float
    operations: Count


@dataclass(frozen=True)
class OsdWhyMean:
    """The mean of a counter on another OSD in milliseconds."""

    osd: Count
    ms: float


@dataclass(frozen=True)
class OsdWhyCounter:
    """A latency counter: its mean in milliseconds, and that of the other OSDs."""

    counter: str
    words: str
    ms: float
    operations: Count
    others: Sequence[OsdWhyMean]


@dataclass(frozen=True)
class OsdWhyPeer:
    """Another OSD that was asked; role is peer, or suspect for one that is waited for."""

    osd: Count
    host: str
    role: str
    operations: Count
    problems: Sequence[str]


@dataclass(frozen=True)
class OsdWhyBlocked:
    """A reason for which operations were blocked, with seconds."""

    reason: str
    seconds: float


@dataclass(frozen=True)
class OsdWhyBackground:
    """Work of Ceph's own on placement groups (PGs) of the OSD, while it was asked.

    waiting -- So many are queued for it.
    others -- The median of pgs of the other OSDs; null without any.
    option -- What bounds it, with the scheduler of the OSD.
    """

    kind: str
    words: str
    pgs: Count
    waiting: Count
    others: Optional[float]
    option: str


@dataclass(frozen=True)
class OsdWhyBehind:
    """An OSD, and the seconds that all asked OSDs wait for it."""

    osd: Count
    seconds: float


@dataclass(frozen=True)
class OsdWhy:
    """Where an OSD's operations spend their time.

    Shares are 0 to 1 and empty without operations; state is complete, or asking until the time that
    is told.

    operations -- Of clients' operations, by stage.
    sub_operations -- Of the operations that it does as a replica, by stage.
    """

    osd: Count
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
