"""Hosts, enclosures, paths, checksums, errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Optional, Union

from .findings import Finding
from .shape import Count, Share, Stamp


@dataclass(frozen=True)
class Bay:
    """A slot of an enclosure with the OSDs on its disk.

    Those with their data on it and those with nothing but their DB or WAL; slot is null where only
    the enclosure is known.

    osd -- The first of osds.
    osds -- Those with their data on it.
    db_of -- Those with only their DB or WAL on it.
    osd_state -- down, out, or what the watch holds it for, of several OSDs the worst; null: no
        OSD.
    """

    slot: Optional[int]
    osd: Optional[Count]
    osds: Sequence[Count]
    db_of: Sequence[Count]
    host: Optional[str]
    device: Optional[str]
    status: Optional[str]
    fault: Optional[bool]
    osd_state: Optional[str]


@dataclass(frozen=True)
class Element:
    """Another part of an enclosure, with SES's own words."""

    type: str
    name: Optional[str]
    status: Optional[str]


@dataclass(frozen=True)
class Enclosure:
    """One enclosure, whoever sees it over however many paths.

    missing_on -- Hosts whose newest facts have it no more.
    paths -- By host over how many ways it is reached.
    source -- map: known from the CRUSH map only; path: as the SAS expander in the OSDs' metadata;
        both without slots.
    suspects -- What speaks against it, the gravest first.
    """

    id: str
    serial: Optional[str]
    vendor: Optional[str]
    model: Optional[str]
    hosts: Sequence[str]
    missing_on: Sequence[str]
    paths: Mapping[str, int]
    source: Literal["facts", "map", "path"]
    state: Literal["ok", "degraded", "fault", "unknown"]
    suspects: Sequence[str]
    osds: int
    osds_down: int
    slots: Sequence[Bay]
    elements: Sequence[Element]


@dataclass(frozen=True)
class Path:
    """One path of a disk."""

    device: str
    hctl: Optional[str]
    state: Optional[str]


@dataclass(frozen=True)
class Multipath:
    """A disk of several paths, or an OSD that stands on one of several (bare).

    osd -- The first of osds.
    osds -- Those with their data on it.
    db_of -- Those with only their DB or WAL on it.
    drops -- How often paths were lost within a day.
    """

    osd: Optional[Count]
    osds: Sequence[Count]
    db_of: Sequence[Count]
    host: str
    name: str
    wwid: Optional[str]
    paths: Sequence[Path]
    expected: Optional[int]
    active: int
    drops: int
    state: Literal["ok", "degraded", "failed", "flapping", "bare", "unknown"]


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
class CrcOsd:
    """An OSD's time on checksums of reads, of all its op threads' time (0 to 1).

    How fast it is at them.

    peers_median -- Of the others of its class.
    peak_share -- Of the last day.
    """

    osd: Count
    host: str
    class_: Optional[str]
    checksum_share: Optional[Share]
    window_seconds: Optional[float]
    op_threads: Optional[int]
    peers_median: Optional[Share]
    bytes_per_second: Optional[float]
    hot_since: Optional[Stamp]
    peak_share: Optional[Share]
    peak_at: Optional[Stamp]


@dataclass(frozen=True)
class CrcErrors:
    """A count of errors of a link or of a medium.

    osd -- The first of osds.
    osds -- Those with their data on it.
    db_of -- Those with only their DB or WAL on it.
    per_day -- By how much it grew within a day; null: read once, or not in this day.
    expander -- SAS host and expander of the phy.
    """

    host: str
    osd: Optional[Count]
    osds: Sequence[Count]
    db_of: Sequence[Count]
    device: Optional[str]
    phy: Optional[str]
    kind: Literal[
        "udma_crc",
        "invalid_dword",
        "running_disparity",
        "loss_of_dword_sync",
        "phy_reset_problem",
        "pcie_correctable",
        "pcie_nonfatal",
        "pcie_fatal",
        "read_retries",
        "read_errors",
        "pending_sectors",
        "media_errors",
        "grown_defects",
        "failing",
        "spare_blocks_low",
        "temperature_warning",
        "reliability_degraded",
        "read_only",
        "memory_backup_failed",
        "persistent_memory_unreliable",
    ]
    count: int
    per_day: Optional[int]
    enclosure: Optional[str]
    slot: Optional[int]
    expander: Optional[str]
    since: Optional[Stamp]
    read_at: Optional[Stamp]


@dataclass(frozen=True)
class CrcHost:
    """How fast one core of a host computes checksums, as measured by the host tool."""

    host: str
    cpu: Optional[str]
    crc32c_bytes_per_second: Optional[float]


@dataclass(frozen=True)
class Crc:
    """What OSDs spend on checksums, and errors of links and media.

    A page of OSDs, the errors of links and media that grow fastest (at most 500 each), and hosts.

    links_left_out -- How many more there are.
    media_left_out -- How many more there are.
    asking_until -- Until when OSDs are asked that do not send the time of their checksums: ask
        again then; null: none is asked.
    """

    osds: Sequence[CrcOsd]
    links: Sequence[CrcErrors]
    links_left_out: int
    media: Sequence[CrcErrors]
    media_left_out: int
    hosts: Sequence[CrcHost]
    lower_bound: str
    asking_until: Optional[Stamp]


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
