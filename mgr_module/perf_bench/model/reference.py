"""Published figures, and the work that makes results comparable with them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Optional


class Bound(str, Enum):
    """The kind of a published figure: measured, or the lower or upper end of the plausible."""

    MEASURED = "measured"
    LEAST = "least"
    MOST = "most"


class Work(NamedTuple):
    """The work of one OSD. Only results of the same work on the same medium are comparable.

    ``method`` is the tool: ``osd bench`` runs inside the OSD, without a network. ``prefilled`` is
    part of the work because small writes onto fresh objects also create objects.
    """

    method: str
    operation: str
    block_size: int
    prefilled: bool


@dataclass(frozen=True)
class Alike:
    """The part of a published figure that makes it comparable: work and media of one OSD.

    ``value`` is operations/s if ``operations``, else bytes/s: for blocks of 1 MiB and more, and if
    the source has no other unit.
    """

    work: Work
    media: frozenset[str]
    value: float
    operations: bool
    bound: Bound = Bound.MEASURED


@dataclass(frozen=True)
class Figure:
    """A published figure; ``alike`` if one OSD's result is comparable with it.

    ``scope`` is what was measured: cluster, host, osd, core or drive. None means not published.
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
    """A round's OSDs of one medium, compared with published figures of the same work.

    ``value`` is their median, in 1/s if ``operations``, else in bytes/s. ``measured`` is the figure
    to divide by, ``least`` and ``most`` are the ends of the plausible range; all are None without a
    comparable figure. Then ``near`` is the closest figure, which is only shown.
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
        """The round's value divided by the measured figure; None without one."""
        alike = self.measured.alike if self.measured else None
        return self.value / alike.value if alike else None
