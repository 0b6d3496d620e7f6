"""A round: one run of a profile over chosen OSDs, from its plan to its verdict, and its parts.

With what it is compared with: others, its profile's past, clients' latency; published figures; and
how its figures are distributed, also while it runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, NamedTuple, Optional

from .admission import ClassWear, SettingChange
from .json_fields import Moment
from .plan import TOOLS, Plan, Sample, Step
from .rados import LoadSample

# Kinds of rounds: of OSDs, of clients, and imported from other tools.
KINDS = ("osd", "rados", *TOOLS)


class RoundState(str, Enum):
    """The state of a round."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    ABORTED = "aborted"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        return self in (RoundState.DONE, RoundState.ABORTED, RoundState.FAILED)


class Verdict(str, Enum):
    """The quality of a round's figures."""

    VALID = "valid"
    NOISY = "noisy"
    TOO_SHORT = "too-short"
    CONTAMINATED = "contaminated"
    ABORTED = "aborted"
    FAILED = "failed"


@dataclass(frozen=True)
class OsdResult:
    """One OSD's result. Figures are medians over its ``samples`` valid samples.

    ``seconds`` is the sum of their measured times, ``median_call_seconds`` the time of one call
    with preparation and clean-up.

    ``robust_z`` is negative for an OSD slower than its peers. ``percent_of_peers`` compares with
    the median of the *other* OSDs of the peer group. Both are None without peers.
    """

    osd: int
    host: str
    device_class: Optional[str] = None
    model: Optional[str] = None
    samples: int = 0
    seconds: float = 0.0
    median_call_seconds: Optional[float] = None
    median_bytes_per_second: Optional[float] = None
    median_iops: Optional[float] = None
    cv_percent: Optional[float] = None
    robust_z: Optional[float] = None
    percent_of_peers: Optional[float] = None


@dataclass(frozen=True)
class Conclusion:
    """A conclusion from the figures, with the figures as evidence."""

    code: str
    message: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class RoundLine:
    """A round in a list: its small fields.

    ``unreadable`` is why the stored row cannot be read; the other fields hold what could be read.
    """

    id: int
    profile: str
    kind: str
    state: RoundState
    step: Step
    label: str = ""
    created_at: float = 0.0
    started_at: Optional[Moment] = None
    ended_at: Optional[Moment] = None
    verdict: Optional[Verdict] = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    unreadable: Optional[str] = None

    def is_before(self, created_at: Optional[float]) -> bool:
        """Whether it began before an OSD was made: it measured another one that had its ID.

        So it did where the OSD was made while it ran, perhaps in a part of its repeats. False where
        either time is not known.
        """
        began = self.ended_at if self.started_at is None else self.started_at
        return began is not None and created_at is not None and began < created_at


@dataclass(frozen=True)
class Round:
    """One round. ``id`` 0 means not stored yet; times are unix seconds.

    ``token`` identifies it before it has an ID, so that it is never stored twice. ``resumed``
    counts how often another mgr has continued it. ``environment`` describes the cluster when it
    started, for comparisons.
    """

    id: int
    profile: str
    kind: str
    state: RoundState
    plan: Plan
    token: str = ""
    label: str = ""
    created_at: float = 0.0
    started_at: Optional[float] = None
    ended_at: Optional[float] = None
    verdict: Optional[Verdict] = None
    reasons: tuple[str, ...] = ()
    conclusions: tuple[Conclusion, ...] = ()
    environment: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    resumed: int = 0

    def ends_at(self, now: float) -> float:
        """The time of its end, which a clock that was set back meanwhile puts before its begin."""
        return now if self.started_at is None else max(now, self.started_at)

    @property
    def line(self) -> RoundLine:
        """The round's line in a list."""
        names = {one.name for one in fields(RoundLine)}
        shared = {name: value for name, value in vars(self).items() if name in names}
        return RoundLine(step=self.plan.step, **shared)


@dataclass(frozen=True)
class MeasuredPhase:
    """One OSD in one phase: medians over its ``samples`` valid samples."""

    bytes_per_second: float
    iops: float
    samples: int
    cv_percent: Optional[float]


@dataclass(frozen=True)
class Part:
    """One part of a round.

    ``measured`` is by operation and OSD; an operation that the part does not have is not in
    there, nor is an OSD without a valid sample. Times are unix seconds: ``ended_at`` is None
    until all its samples are there, ``started_at`` until the first is. ``since_load`` is how many
    seconds after the end of TOGETHER it began. ``percent_of_before`` is by operation what its OSDs
    reach of what they reached in BEFORE, their median; None where nothing can be compared.
    """

    name: str
    rest_seconds: float
    osds: tuple[int, ...]
    started_at: Optional[float] = None
    ended_at: Optional[float] = None
    since_load: Optional[float] = None
    measured: Mapping[str, Mapping[int, MeasuredPhase]] = field(default_factory=dict)
    percent_of_before: Mapping[str, Optional[float]] = field(default_factory=dict)


# --- What a round is compared with ---


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


@dataclass(frozen=True)
class Baseline:
    """The round that later ones of its profile are held against."""

    KEYS = (
        ("profile", "round.profile"), ("round", "round.id"), "set_at",
        ("started_at", "round.started_at"), ("label", "round.label"),
        ("block_size", "round.step.block_size"), "bytes_per_second", "iops",
    )  # fmt: skip
    round: RoundLine
    set_at: Moment

    @property
    def bytes_per_second(self) -> Optional[float]:
        return self.round.summary.get("median_bytes_per_second")

    @property
    def iops(self) -> Optional[float]:
        return self.round.summary.get("median_iops")


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

    change_percent -- Null with too few samples.
    """

    osd: int
    host: str
    verdict: Change
    change_percent: Optional[float] = None
    interval_percent: Optional[Interval] = None
    p_value: Optional[float] = None


@dataclass(frozen=True)
class Latency:
    """The change of clients' mean latency (positive: slower) with its 95 % interval."""

    verdict: Change
    change_percent: float
    interval_percent: Interval
    p_value: float


# The verdicts on OSDs, in the order in which they are counted.
_COUNTED = (Change.BETTER, Change.WORSE, Change.SAME, Change.INCONCLUSIVE)


def counted(per_osd: Sequence[OsdChange] = ()) -> Mapping[str, int]:
    """How many OSDs changed how."""
    found = Counter(one.verdict for one in per_osd)
    return {change.value: found[change] for change in _COUNTED}


@dataclass(frozen=True)
class Comparison:
    """Round b against round a, positive is faster, with the osds that both measured, worst first.

    change_percent -- Null if the rounds are not comparable or have too few samples.
    interval_percent -- The 95 % confidence interval.
    least_percent -- The change that counts at all.
    setups -- A hash of what each round was set up on.
    latency -- Null but for rounds of clients, which have no OSDs.
    counts -- How many OSDs changed how.
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
    setups: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=counted)


@dataclass(frozen=True)
class HistoryPoint:
    """A round in its profile's history: the median over its OSDs, or over its repeats of clients.

    since_last -- What was set up differently since the one before, which may explain a change.
    mean_latency -- Seconds, of rounds of clients. With a fixed number of operations in flight it
        follows the rate (Little's law), so it is only shown.
    """

    round: int
    at: Moment
    bytes_per_second: float
    iops: float
    since_last: tuple[Difference, ...] = ()
    mean_latency: Optional[float] = None
    repeats: int = 1


@dataclass(frozen=True)
class ChangePoint:
    """From this round on the level, a geometric mean, is another one.

    explained_by -- Differences in setup; empty where nobody knows of a reason.
    """

    round: int
    at: Moment
    change_percent: float
    p_value: float
    rounds_before: int
    rounds_after: int
    bytes_per_second_before: float
    bytes_per_second_after: float
    explained_by: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class History:
    """A profile's comparable rounds, oldest first, and where their level changed.

    baseline -- The ID of a round.
    cv_percent -- The variation within levels; null under 3 rounds.
    least_percent -- The change that counts at all.
    left_out -- The other rounds, and why they are not in it.
    read_since -- When the oldest round was that was read, if there are older ones.
    """

    profile: str
    block_size: int = 0
    points: tuple[HistoryPoint, ...] = ()
    changes: tuple[ChangePoint, ...] = ()
    cv_percent: Optional[float] = None
    least_percent: Optional[float] = None
    left_out: tuple[str, ...] = ()
    read_since: Optional[Moment] = None
    baseline: Optional[int] = None
    regression: Optional[Conclusion] = None


@dataclass(frozen=True)
class Figure:
    """A published figure, as published; null: not published.

    scope -- What was measured: cluster, host, osd, core or drive.
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


@dataclass(frozen=True)
class Histogram:
    """Counts of OSDs in equal bins: bin i is from ``(first + i) * width`` on.

    ``slow`` counts those of each bin that are slow against their peers.
    """

    first: int
    width: float
    counts: Sequence[int]
    slow: Sequence[int]
    count: int
    low: float
    high: float
    median: float


@dataclass(frozen=True)
class Span:
    """The lowest, the median and the highest of several figures."""

    low: float
    median: float
    high: float


class Histograms(NamedTuple):
    """How many OSDs have which figure; null if none has it."""

    percent_of_peers: Optional[Histogram]
    bytes_per_second: Optional[Histogram]
    iops: Optional[Histogram]


class Distribution(NamedTuple):
    """How the figures of all OSDs of a round are distributed."""

    osds: int
    histograms: Histograms


@dataclass(frozen=True)
class InterimClass:
    """The OSDs of one device class that have figures; the spans are of their medians."""

    device_class: Optional[str]
    osds: int
    bytes_per_second: Span
    iops: Span


@dataclass(frozen=True)
class InterimOsd:
    """One OSD so far; ``percent_of_class`` compares it with the median of its class."""

    osd: int
    host: str
    device_class: Optional[str]
    bytes_per_second: float
    iops: float
    percent_of_class: float


@dataclass(frozen=True)
class Interim:
    """``measured`` of ``planned`` OSDs have figures. ``slowest`` against their class first."""

    measured: int = 0
    planned: int = 0
    classes: Sequence[InterimClass] = ()
    slowest: Sequence[InterimOsd] = ()


@dataclass(frozen=True)
class LatencyPoint:
    """What clients felt in one minute."""

    at: Moment
    ms: Optional[float]


@dataclass(frozen=True)
class ClientLatency:
    """Clients' mean latency while the round runs; null with too few operations."""

    before_ms: Optional[float] = None
    points: Sequence[LatencyPoint] = ()


@dataclass(frozen=True)
class Forecast:
    """What a plan would do beside measuring.

    wear -- Of each device class.
    holds -- The settings that are changed meanwhile; null where they cannot be read now.
    held_seconds -- They are put back after this time in any case.
    """

    wear: tuple[ClassWear, ...]
    holds: Optional[tuple[SettingChange, ...]]
    held_seconds: float
