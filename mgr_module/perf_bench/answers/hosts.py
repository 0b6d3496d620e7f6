"""Hosts: ``ceph perf-bench host …``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Optional, Union

from .findings import Finding
from .shape import Count, Stamp


@dataclass(frozen=True)
class Host:
    """A host and what it told of itself; null: nothing.

    source -- Who told its facts; null: nobody.
    """

    host: str
    osds: Sequence[Count]
    collected_at: Optional[Stamp]
    received_at: Optional[Stamp]
    age_seconds: Optional[float]
    sections: Sequence[str]
    enclosures: Optional[int]
    multipath: Optional[int]
    disks: Optional[int]
    source: Optional[Literal["host", "orchestrator"]]


@dataclass(frozen=True)
class HostRound:
    """A round, and the median of what it measured on the OSDs of a host."""

    id: int
    profile: str
    verdict: Optional[str]
    ended_at: Optional[Stamp]
    osds: int
    percent_of_peers: Optional[float]
    bytes_per_second: Optional[float]
    iops: Optional[float]


@dataclass(frozen=True)
class HostDetail(Host):
    """A host with its findings, and rounds that measured its OSDs.

    findings_left_out -- How many more there are.
    rounds -- The newest 20.
    rounds_osds_left_out -- The OSDs of the host that are not counted in them.
    """

    told: Optional[Mapping[str, Optional[Union[str, float]]]]
    findings: Sequence[Finding]
    findings_left_out: int
    rounds: Sequence[HostRound]
    rounds_osds_left_out: int
