"""The cluster over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Optional

from .common import Event
from .shape import Stamp


@dataclass(frozen=True)
class ClusterGroup:
    """All OSDs ("") or a device class."""

    group: str
    rows: Sequence[Sequence[Optional[float]]]


@dataclass(frozen=True)
class ClusterLatency:
    """The cluster over time.

    Work in rows of columns (operations, bytes and recovered bytes per second, placement groups
    that are scrubbed), and for each group of OSDs rows of unix seconds, OSDs with data, median,
    95th and 99th percentile of the OSDs' mean latencies in milliseconds.

    events -- Newest first, the newest 50 of each kind.
    events_left_out -- By kind how many older ones there are.
    configuration -- "told", "hidden" from users without config-opt read, or why the changes, or
        some of them, are not known.
    """

    from_: Stamp
    to: Stamp
    channel: str
    channels: Sequence[str]
    columns: Sequence[str]
    work: Sequence[Sequence[Optional[float]]]
    groups: Sequence[ClusterGroup]
    events: Sequence[Event]
    events_left_out: Mapping[str, int]
    configuration: str


@dataclass(frozen=True)
class StripRow:
    """An OSD or a host.

    osds -- How many it has.
    """

    name: str
    host: str
    osds: int
    cells: str


@dataclass(frozen=True)
class ClusterStrip:
    """When which OSDs stood out: a cell is "-" without data, "0" where nothing did, else 1 to 3.

    left_out -- Rows that are too many to show, first those in which nothing stood out.
    loud_left_out -- Of these the rows in which something stood out, or with times without data.
    partial -- Columns in which more OSDs stood out than are kept.
    """

    from_: Stamp
    column_seconds: int
    rows_are: Literal["osd", "host"]
    rows: Sequence[StripRow]
    left_out: int
    loud_left_out: int
    partial: Sequence[int]


@dataclass(frozen=True)
class IntervalDifference:
    """What was different.

    A host (value: OSDs that stood out, usual: its OSDs, share of them), an OSD (value: seconds in
    which it was slow, share of the time), a latency of the median OSD in ms or work (value, usual,
    share: value over usual).
    """

    kind: Literal["host", "osd", "latency", "work"]
    name: str
    value: float
    usual: Optional[float]
    share: Optional[float]
    host: Optional[str]


@dataclass(frozen=True)
class ClusterInterval:
    """What was different in a time, most different first.

    known_seconds -- How much of it was watched.
    differences_left_out -- How many more there are that were less different.
    events -- Newest first, the newest 50 of each kind.
    events_left_out -- By kind how many older ones there are.
    configuration -- "told", "hidden" from users without config-opt read, or why the changes, or
        some of them, are not known.
    """

    from_: Stamp
    to: Stamp
    known_seconds: float
    differences: Sequence[IntervalDifference]
    differences_left_out: int
    events: Sequence[Event]
    events_left_out: Mapping[str, int]
    configuration: str


@dataclass(frozen=True)
class ReportFile:
    """What 'report' prints: findings, rounds, trends and changes of a time.

    name -- A name for the file.
    """

    name: str
    text: str
