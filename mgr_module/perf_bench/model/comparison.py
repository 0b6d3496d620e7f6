"""Two rounds side by side, and a profile's rounds in a row: what changed, and how sure that is."""

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
    """What became of a figure. INCONCLUSIVE: the samples do not tell; SAME: they tell it is not."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not-comparable"


class MeasuredRound(NamedTuple):
    """An ended round with all it measured."""

    round: Round
    results: Sequence[OsdResult]
    samples: Sequence[Sample]
    loads: Sequence[LoadSample] = ()


class Baseline(NamedTuple):
    """The round that later ones of its profile are held against, and since when (unix seconds)."""

    round: RoundLine
    set_at: float


@dataclass(frozen=True)
class Difference:
    """Something that was not the same for two rounds.

    ``setup``: it stays until somebody changes it (release, device, option), so it explains a
    lasting change. Otherwise it is a condition of that hour, such as client load.
    """

    name: str
    was: str
    now: str
    setup: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.was} -> {self.now}"


class Spread(NamedTuple):
    """How much a profile's figure differs from round to round by itself: CV and rounds seen."""

    cv_percent: float
    rounds: int


@dataclass(frozen=True)
class OsdChange:
    """One OSD in both rounds; ``p_value`` is corrected for the number of OSDs (Holm).

    Figures are None where there are too few samples for them.
    """

    osd: int
    host: str
    verdict: Change
    change_percent: Optional[float] = None
    interval_percent: Optional[Interval] = None
    p_value: Optional[float] = None


@dataclass(frozen=True)
class Latency:
    """How clients' mean latency changed: positive is slower, with its interval of 95 %."""

    verdict: Change
    change_percent: float
    interval_percent: Interval
    p_value: float


@dataclass(frozen=True)
class Comparison:
    """Round ``b`` against round ``a``: positive is faster. ``osds`` were measured in both.

    ``interval_percent`` holds the change with 95 % confidence. ``least_percent`` is the change
    that counts at all. Figures are None where rounds are not comparable or tell too little.
    ``latency`` is there for rounds of clients, which have no ``osds``.
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

    Of clients it is that of repeats, and ``latency`` their mean one in seconds. That is shown only:
    with as many operations in flight it moves with the rate (Little's law).
    ``at`` is unix seconds. ``since_last`` is what was set up differently since the point before;
    a change of the figure there has an explanation.
    """

    round: int
    at: float
    value: float
    since_last: tuple[Difference, ...] = ()
    latency: Optional[float] = None


@dataclass(frozen=True)
class ChangePoint:
    """From ``round`` on the level is another one: geometric means before and after, in bytes/s.

    ``before`` and ``after`` count the rounds of the levels on both sides. ``explained_by`` is
    empty where nobody knows of a reason.
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
    """A profile's comparable rounds, oldest first, and where their level changed.

    ``cv_percent`` is the spread within levels (None under 3 rounds), ``least_percent`` the change
    that counts at all, ``left_out`` says which rounds are not in it and why.
    """

    profile: str
    block_size: int = 0
    points: tuple[Point, ...] = ()
    changes: tuple[ChangePoint, ...] = ()
    cv_percent: Optional[float] = None
    least_percent: Optional[float] = None
    left_out: tuple[str, ...] = ()
