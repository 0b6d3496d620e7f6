"""Findings, and what was going on when they began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ..model.finding import FindingState, Severity
from .common import Acknowledgement, Event, FindingTarget, NextSteps
from .operations import Advice
from .shape import Count, Stamp


@dataclass(frozen=True)
class FindingCephAlert:
    """An alert."""

    code: str
    ongoing: str
    text: str


@dataclass(frozen=True)
class Finding:
    """Something wrong, with the figures behind it, and its life.

    acknowledged -- What an operator noted on it; null: nothing.
    next_steps -- What next, with commands; null: it is closed, or of an unknown kind.
    ceph_alerts -- Ceph's own alerts that name the same OSDs.
    """

    id: int
    code: str
    severity: Severity
    target: FindingTarget
    message: str
    evidence: Mapping[str, Any]
    first_seen: Optional[Stamp]
    last_seen: Optional[Stamp]
    state: FindingState
    muted_until: Optional[Stamp]
    closed_at: Optional[Stamp]
    acknowledged: Optional[Acknowledgement]
    next_steps: Optional[NextSteps]
    ceph_alerts: Sequence[FindingCephAlert]


@dataclass(frozen=True)
class EvidenceField:
    """What a key of evidence holds.

    unit -- fraction (0 to 1), percent, ratio, s, ms, B, B/s, time (unix seconds), command, word
        (one of few), or empty.
    """

    words: str
    unit: str


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding.

    What it means, what to do about it, and the words of its evidence by key.

    severity -- The worst it is raised with.
    """

    code: str
    title: str
    meaning: str
    action: str
    severity: Severity
    evidence: Mapping[str, EvidenceField]


@dataclass(frozen=True)
class PeerSeries:
    """OSDs over time against the band of their peers.

    Rows of columns, at in unix seconds, latencies in milliseconds: the median of the OSDs, then
    10th percentile, median and 90th percentile of the peers.

    osds -- Those that are shown.
    peers -- Peers that the band is of.
    """

    from_: Stamp
    to: Stamp
    channel: str
    cohort: str
    osds: Sequence[Count]
    peers: int
    all_peers: int
    columns: Sequence[str]
    rows: Sequence[Sequence[Optional[float]]]


@dataclass(frozen=True)
class ClientChannel:
    """One of the clients' channels."""

    channel: str
    ms: float
    others_ms: Optional[float]


@dataclass(frozen=True)
class Hurts:
    """Placement groups and pools on its OSDs.

    Clients' latency there and on all other OSDs in the newest minute.
    """

    pgs: Optional[int]
    pools: Sequence[str]
    clients: Sequence[ClientChannel]


@dataclass(frozen=True)
class Scrubbing:
    """Placement groups that were scrubbed, on average, before and after it began."""

    before: Optional[float]
    after: Optional[float]


@dataclass(frozen=True)
class Incident:
    """A finding's OSDs against their peers, what it hurts, what is advised.

    What happened from two hours before it began.

    hurts -- Placement groups and pools on its OSDs, and clients' latency there and on all other
        OSDs in the newest minute.
    advice -- Null: the doctor cannot look.
    known_seconds -- How much of the time from changes_from to changes_to was watched.
    events -- Newest first, the newest 50 of each kind.
    events_left_out -- By kind how many older ones there are.
    configuration -- "told", "hidden" from users without config-opt read, or why the changes, or
        some of them, are not known.
    """

    finding: int
    began: Optional[Stamp]
    osds: Sequence[Count]
    osd_count: int
    series: Optional[PeerSeries]
    hurts: Hurts
    advice: Optional[Sequence[Advice]]
    more_advice: int
    changes_from: Optional[Stamp]
    changes_to: Optional[Stamp]
    known_seconds: float
    scrubbing: Optional[Scrubbing]
    events: Sequence[Event]
    events_left_out: Mapping[str, int]
    configuration: str
