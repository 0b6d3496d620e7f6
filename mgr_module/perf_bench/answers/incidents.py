"""All about one finding: its OSDs against their peers, what it hurts, what changed then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from .common import Event
from .doctor import Advice
from .shape import Count, Stamp


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
