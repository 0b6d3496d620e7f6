"""What is looked at, by which cohorts, and Ceph's own alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Optional

from ..model.ceph_alerts import Ongoing
from .shape import Stamp


@dataclass(frozen=True)
class Cohort:
    """Who is compared with whom; a lasting slowdown below minimum_detectable_ratio is not seen."""

    name: str
    members: int
    judged: int
    channel: Optional[str]
    minimum_detectable_ratio: Optional[float]


@dataclass(frozen=True)
class CoverageGap:
    """What could not be looked at for one reason: count units, of which units names some.

    help says what would bring them. partly: they were looked at in part.

    command -- A command that completes it if it is run on each of the hosts of 'on'.
    on -- Hosts on which the command is to be run; at most 20 of on_in_all.
    """

    code: str
    count: int
    units: Sequence[str]
    why: str
    command: Optional[str]
    on: Sequence[str]
    on_in_all: int
    help: str
    since: Optional[Stamp]
    partly: bool


@dataclass(frozen=True)
class Look:
    """One thing that is looked at.

    Looked units of total, for findings with these codes, and what of it could not be looked at.
    sentences say the gaps in words.
    """

    name: str
    what: str
    unit: str
    total: int
    looked: int
    partly: int
    complete: bool
    codes: Sequence[str]
    gaps: Sequence[CoverageGap]
    summary: str
    sentences: Sequence[str]


@dataclass(frozen=True)
class CephAlert:
    """One of Ceph's own alerts about slow OSDs, joined to what the watch knows.

    Where, whether its cause goes on, whether these OSDs are slower than their peers now.
    """

    code: str
    title: str
    summary: str
    severity: Literal["error", "warning"]
    muted: bool
    osds: Sequence[int]
    osds_in_all: int
    spread: Literal[
        "osd", "device", "host", "enclosure", "rack", "cohort", "all", "several", "unknown"
    ]
    spread_text: str
    ongoing: Ongoing
    ongoing_text: str
    stays_seconds: Optional[float]
    slow: Sequence[int]
    slow_in_all: int
    suspect: Sequence[int]
    suspect_in_all: int
    unjudged: Sequence[int]
    unjudged_in_all: int
    peers_text: str
    meaning: str
    action: str
    findings: Sequence[int]
    tolerated: bool
