"""Published figures, and what a result of ours may be set beside."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Optional


class Bound(str, Enum):
    """What a published figure is: one that was measured, or an end of what is plausible."""

    MEASURED = "measured"
    LEAST = "least"
    MOST = "most"


class Work(NamedTuple):
    """What one OSD was asked to do. Only results of the same work on the same medium compare.

    ``method`` is the tool: ``osd bench`` runs inside the OSD and knows no network. Small writes
    onto fresh objects also measure the making of objects, so ``prefilled`` tells them apart.
    """

    method: str
    operation: str
    block_size: int
    prefilled: bool


@dataclass(frozen=True)
class Alike:
    """What makes a published figure comparable: the work of one OSD, on one of the media.

    ``value`` is in bytes/s for blocks of 1 MiB and more and where the source has no other, else
    in operations/s; ``operations`` says which.
    """

    work: Work
    media: frozenset[str]
    value: float
    operations: bool
    bound: Bound = Bound.MEASURED


@dataclass(frozen=True)
class Figure:
    """A published figure as it was published; ``alike`` where one OSD's result compares with it.

    ``scope`` is what it is a figure of: cluster, host, osd, core or drive. None is "not said".
    """

    id: str
    scope: str
    hardware: str
    ceph: Optional[str]
    osds: Optional[int]
    redundancy: Optional[str]
    workload: str
    metric: str
    value: float
    unit: str
    source: str
    note: str = ""
    alike: Optional[Alike] = None


@dataclass(frozen=True)
class Context:
    """A round's OSDs of one medium beside the published figures for the same work.

    ``value`` is their median, in the unit of the figures (``operations``: 1/s, else bytes/s).
    ``measured`` is the figure to divide by, ``least`` and ``most`` are the ends of what is
    plausible; all are None where nothing published is like it. Then ``near`` is the figure that
    comes closest, to be named and not to be divided by.
    """

    work: Work
    medium: str
    osds: int
    value: float
    operations: bool
    measured: Optional[Figure] = None
    least: Optional[Figure] = None
    most: Optional[Figure] = None
    near: Optional[Figure] = None

    @property
    def ratio(self) -> Optional[float]:
        """Ours over the measured one."""
        alike = self.measured.alike if self.measured else None
        return self.value / alike.value if alike else None
