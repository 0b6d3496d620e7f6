"""Comparison of two rounds, and of all rounds of a profile: changes and their significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Optional

from .bench import Sample
from .rados import LoadSample
from .round import OsdResult, Round, RoundLine

# Percent, lower end first.
Interval = tuple[float, float]


class Change(str, Enum):
    """The change of a figure. SAME: it has not changed; INCONCLUSIVE: the samples do not show."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not-comparable"


class MeasuredRound(NamedTuple):
    """An ended round with its results and samples."""

    round: Round
    results: Sequence[OsdResult]
    samples: Sequence[Sample]
    loads: Sequence[LoadSample] = ()


class Baseline(NamedTuple):
    """The round that later rounds of its profile are compared with; ``set_at`` is unix seconds."""

    round: RoundLine
    set_at: float


@dataclass(frozen=True)
class Difference:
    """A difference in the environment of two rounds.

    ``setup``: it lasts until somebody changes it (release, device, option), so it can explain a
    lasting change. Otherwise it is a passing condition, such as client load.
    """

    name: str
    was: str
    now: str
    setup: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.was} -> {self.now}"


class Spread(NamedTuple):
    """The usual variation of a profile's figure between rounds: CV, and the number of rounds.

    ``repeats`` are those of such a round; a round of fewer varies more.
    """

    cv_percent: float
    rounds: int
    repeats: float = 1.0


@dataclass(frozen=True)
class OsdChange:
    """One OSD in both rounds; ``p_value`` is corrected for the number of OSDs (Holm).

    Figures are None with too few samples.
    """

    osd: int
    host: str
    verdict: Change
    change_percent: Optional[float] = None
    interval_percent: Optional[Interval] = None
    p_value: Optional[float] = None


class ClassRatios(NamedTuple):
    """An OSD's newest figures in percent of the median of its device class.

    None without a figure, or with too few figures of its class.
    """

    throughput: Optional[float] = None
    iops: Optional[float] = None


@dataclass(frozen=True)
class Latency:
    """The change of clients' mean latency (positive: slower) with its 95 % interval."""

    verdict: Change
    change_percent: float
    interval_percent: Interval
    p_value: float


@dataclass(frozen=True)
class Comparison:
    """Round ``b`` against round ``a``: positive is faster. ``osds`` were measured in both.

    ``interval_percent`` is the 95 % confidence interval. ``least_percent`` is the smallest change
    that is reported. Figures are None if the rounds are not comparable or have too few samples.
    Rounds of clients have ``latency`` and no ``osds``.
    """

    a: int
    b: int
    verdict: Change
    why: tuple[str, ...]
    change_percent: Optional[float] = None
    interval_percent: Optional[Interval] = None
    p_value: Optional[float] = None
    least_percent: Optional[float] = None
    osds: int = 0
    per_osd: tuple[OsdChange, ...] = ()
    environment: tuple[Difference, ...] = ()
    latency: Optional[Latency] = None


@dataclass(frozen=True)
class Point:
    """One round in its profile's history: ``value`` is its median rate over OSDs, in bytes/s.

    For clients it is the median over repeats, and ``latency`` their mean latency in seconds, which
    is only shown: with a fixed number of operations in flight it follows the rate (Little's law).
    ``at`` is unix seconds. ``since_last`` lists differences in setup to the point before, which may
    explain a change of the figure.
    """

    round: int
    at: float
    value: float
    since_last: tuple[Difference, ...] = ()
    latency: Optional[float] = None
    repeats: int = 1


@dataclass(frozen=True)
class ChangePoint:
    """A change of the level from ``round`` on; levels are geometric means in bytes/s.

    ``before`` and ``after`` count the rounds on both sides. ``explained_by`` lists differences in
    setup, if there are any.
    """

    round: int
    at: float
    change_percent: float
    p_value: float
    before: int
    after: int
    level_before: float
    level_after: float
    explained_by: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class History:
    """A profile's comparable rounds, oldest first, and the changes of their level.

    ``cv_percent`` is the variation within levels (None under 3 rounds), ``least_percent`` the
    smallest change that is reported, ``left_out`` names the other rounds, with reasons. If there
    are older rounds that were not read, ``read_since`` is the time of the oldest one that was.
    """

    profile: str
    block_size: int = 0
    points: tuple[Point, ...] = ()
    changes: tuple[ChangePoint, ...] = ()
    cv_percent: Optional[float] = None
    least_percent: Optional[float] = None
    left_out: tuple[str, ...] = ()
    read_since: Optional[float] = None
