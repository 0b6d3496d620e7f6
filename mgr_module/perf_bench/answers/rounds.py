"""Rounds, their plans, samples and workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional

from ..model.comparison import ImpactState
from ..model.rados import WorkerState
from ..model.round import RoundState, Verdict
from .comparing import Figure
from .shape import ABSENT, Count, Maybe, Stamp


@dataclass(frozen=True)
class Step:
    """One call of osd bench, or one read; sizes in bytes, on prefilled objects when prefilled."""

    operation: str
    block_size: int
    total_bytes: int
    object_size: int
    object_count: int
    prefilled: bool


@dataclass(frozen=True)
class Estimate:
    """For one OSD, at most."""

    seconds: float
    bytes_per_osd: int


@dataclass(frozen=True)
class Profile:
    """A recipe of rounds; the estimate is for one OSD, at most.

    estimate -- For one OSD, at most.
    """

    name: str
    kind: str
    description: str
    repeats: int
    max_cv_percent: float
    steps: Sequence[Step]
    estimate: Estimate
    max_repeats: int


@dataclass(frozen=True)
class Summary:
    """A round in a few figures, medians over OSDs.

    Or over repeats of clients (latencies in seconds, of the peak in a search); empty until it has
    some.
    """

    osds: Maybe[int] = ABSENT
    osds_measured: Maybe[int] = ABSENT
    median_bytes_per_second: Maybe[Optional[float]] = ABSENT
    median_iops: Maybe[Optional[float]] = ABSENT
    median_cv_percent: Maybe[Optional[float]] = ABSENT
    slowest_osd: Maybe[Optional[int]] = ABSENT
    slowest_percent_of_peers: Maybe[Optional[float]] = ABSENT
    clients: Maybe[Count] = ABSENT
    threads: Maybe[Count] = ABSENT
    operation: Maybe[str] = ABSENT
    pool: Maybe[str] = ABSENT
    repeats: Maybe[Count] = ABSENT
    runs: Maybe[Count] = ABSENT
    spread_percent: Maybe[Optional[float]] = ABSENT
    mean_latency: Maybe[Optional[float]] = ABSENT
    p50_latency: Maybe[Optional[float]] = ABSENT
    p95_latency: Maybe[Optional[float]] = ABSENT
    p99_latency: Maybe[Optional[float]] = ABSENT
    max_latency: Maybe[Optional[float]] = ABSENT
    cv_percent: Maybe[Optional[float]] = ABSENT
    first_done: Maybe[Optional[float]] = ABSENT
    last_done: Maybe[Optional[float]] = ABSENT
    seconds: Maybe[Optional[float]] = ABSENT
    jobs: Maybe[Count] = ABSENT


@dataclass(frozen=True)
class RoundLine:
    """A round in a list.

    unreadable -- Why the stored round cannot be read; the rest is what could be.
    """

    id: Count
    profile: str
    kind: Literal["osd", "rados", "fio", "elbencho", "warp"]
    state: RoundState
    verdict: Optional[Verdict]
    label: str
    created_at: Optional[Stamp]
    started_at: Optional[Stamp]
    ended_at: Optional[Stamp]
    took_seconds: Optional[float]
    summary: Summary
    unreadable: Optional[str]
    block_size: int


@dataclass(frozen=True)
class Conclusion:
    """Something the figures say, with the figures."""

    code: str
    message: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class OsdResult:
    """One OSD's share of a round; figures are medians over its valid samples."""

    osd: Count
    host: str
    class_: Optional[str]
    model: Optional[str]
    samples: int
    seconds: Optional[float]
    median_call_seconds: Optional[float]
    median_bytes_per_second: Optional[float]
    median_iops: Optional[float]
    cv_percent: Optional[float]
    robust_z: Optional[float]
    percent_of_peers: Optional[float]


@dataclass(frozen=True)
class Sample:
    """One measurement: of an OSD, or of all clients of a repeat.

    What was not measured is null; why says what happened.

    latency_ms -- Mean of an operation; clients only.
    clients -- Clients only: so many ran.
    threads -- Clients only: operations in flight of each.
    """

    target: str
    phase: str
    repeat: int
    wave: int
    started_at: Optional[Stamp]
    call_seconds: Optional[float]
    bytes: int
    block_size: int
    seconds: Optional[float]
    bytes_per_second: Optional[float]
    iops: Optional[float]
    valid: bool
    why: Optional[str]
    latency_ms: Maybe[Optional[float]] = ABSENT
    clients: Maybe[int] = ABSENT
    threads: Maybe[int] = ABSENT


@dataclass(frozen=True)
class Context:
    """What a round's OSDs of one medium are beside; line is the sentence to show."""

    medium: str
    osds: int
    value: float
    unit: str
    ratio: Optional[float]
    figure: Optional[Figure]
    least: Optional[Figure]
    most: Optional[Figure]
    near: Optional[Figure]
    line: str


@dataclass(frozen=True)
class PartFigures:
    """One operation of a part.

    The median over its OSDs, and what they reach of what each reached before.
    """

    median_bytes_per_second: Optional[float]
    median_iops: Optional[float]
    percent_of_before: Optional[float]


@dataclass(frozen=True)
class PartOsdFigures:
    """One operation of one OSD in a part."""

    bytes_per_second: Optional[float]
    iops: Optional[float]
    cv_percent: Optional[float]
    samples: int


@dataclass(frozen=True)
class PartOsd:
    """One OSD in a part; null: the part has no such operation."""

    osd: int
    host: Optional[str]
    writes: Optional[PartOsdFigures]
    reads: Optional[PartOsdFigures]


@dataclass(frozen=True)
class Part:
    """A part of a round that has several, after the rest before it.

    seconds_since_load counts from the end of the part in which all worked together.
    """

    name: str
    rest_seconds: float
    started_at: Optional[Stamp]
    ended_at: Optional[Stamp]
    osds: Sequence[int]
    seconds_since_load: Optional[float]
    writes: Optional[PartFigures]
    reads: Optional[PartFigures]
    per_osd: Sequence[PartOsd]


@dataclass(frozen=True)
class LoadPlan:
    """What the clients of a round of kind rados do.

    In a search clients and threads are the most of either.

    seconds -- Of a repeat.
    size -- Bytes of an operation.
    max_objects -- The most that a client writes.
    saturates -- Whether it searches for the load that saturates.
    workers -- On which workers the clients run; empty: beside the mgr.
    """

    pool: str
    operation: Literal["write", "seq", "rand"]
    seconds: Count
    clients: Count
    threads: Count
    size: Count
    max_objects: Count
    bytes_per_repeat: Count
    saturates: bool
    workers: Sequence[str]


@dataclass(frozen=True)
class LoadClient:
    """A client in one repeat.

    Latencies are seconds; a row of series is second, operations finished by then, their mean
    latency.

    worker -- The worker that ran it; empty: it ran beside the mgr.
    """

    repeat: Count
    client: Count
    started_at: Optional[str]
    seconds: float
    operations: Count
    bytes_per_second: float
    mean_latency: float
    min_latency: float
    max_latency: float
    series: Sequence[Sequence[float]]
    worker: str


@dataclass(frozen=True)
class LoadWorker:
    """A worker in one repeat.

    Its clock was so many seconds ahead of the mgr's, within clock_error, and it started so late.

    clients -- Which of the clients it ran.
    """

    repeat: Count
    id: str
    host: str
    clients: Sequence[Count]
    clock_offset: Optional[float]
    clock_error: Optional[float]
    late_seconds: Optional[float]
    bytes_per_second: float


@dataclass(frozen=True)
class Unmeasured:
    """A repeat without figures, and why."""

    repeat: Count
    why: str


@dataclass(frozen=True)
class LoadRun:
    """A run of a search; latencies are seconds, null where there is no figure, and why not."""

    repeat: Count
    clients: Optional[Count]
    threads: Optional[Count]
    bytes_per_second: Optional[float]
    mean_latency: Optional[float]
    p99_latency: Optional[float]
    why: Optional[str]


@dataclass(frozen=True)
class LoadPoint:
    """A load with the means of its runs; latencies are seconds.

    in_flight -- Operations in flight at any time, all clients together.
    """

    clients: Count
    threads: Count
    in_flight: Count
    runs: Count
    bytes_per_second: float
    lowest_bytes_per_second: float
    highest_bytes_per_second: float
    iops: float
    mean_latency: float
    p99_latency: Optional[float]


@dataclass(frozen=True)
class Saturation:
    """What a search found so far.

    Peak is the highest throughput, knee the lowest latency that reaches it within noise,
    recommended the load to run at.

    most_runs -- So many runs are made at most.
    grid -- So many a grid of all loads would take.
    runs -- In the order in which they were made.
    curve -- By operations in flight.
    share_percent -- What the recommended load reaches of the peak.
    reason -- Why it is recommended.
    confirmed -- Whether peak and knee were measured more than once each.
    """

    most_runs: Count
    grid: Count
    runs: Sequence[LoadRun]
    curve: Sequence[LoadPoint]
    peak: Optional[LoadPoint]
    knee: Optional[LoadPoint]
    recommended: Optional[LoadPoint]
    share_percent: Optional[float]
    reason: Optional[str]
    confirmed: bool


@dataclass(frozen=True)
class ImportedJob:
    """What another tool reported of one kind of operation.

    Latencies are seconds, null where it told none.

    block_size -- Of an operation in the mean, 0 where it is not known.
    """

    name: str
    operation: str
    seconds: float
    bytes: Count
    bytes_per_second: float
    operations: Optional[Count]
    iops: Optional[float]
    block_size: Count
    mean_latency: Optional[float]
    min_latency: Optional[float]
    max_latency: Optional[float]
    p50_latency: Optional[float]
    p95_latency: Optional[float]
    p99_latency: Optional[float]


@dataclass(frozen=True)
class Imported:
    """What another tool measured, taken over."""

    tool: Literal["fio", "elbencho", "warp"]
    version: str
    jobs: Sequence[ImportedJob]


@dataclass(frozen=True)
class Round(RoundLine):
    """A round with a page of its OSDs, slowest against their peers first unless sorted.

    With their samples.

    environment -- What was true of the cluster when the round started.
    osds -- How many OSDs the round has in all.
    found -- How many of its OSDs match the search; per_osd is a page of these.
    forced -- What it was started in spite of.
    context -- What its figures are beside, by medium; empty while it runs.
    phases -- Its parts where it has several, else none.
    load -- Null but for rounds of kind rados.
    clients -- Every client of every repeat, of kind rados.
    workers -- What each worker did in each repeat; empty where there is none.
    saturation -- Null but for searches.
    imported -- Null but for rounds of other tools.
    tolerated -- Health checks that stood when it started and were tolerated.
    """

    reasons: Sequence[str]
    conclusions: Sequence[Conclusion]
    resumed: int
    repeats: int
    step: Step
    waves: Sequence[Sequence[Count]]
    environment: Mapping[str, Any]
    osds: int
    found: int
    per_osd: Sequence[OsdResult]
    samples: Sequence[Sample]
    max_repeats: int
    forced: Sequence[str]
    context: Sequence[Context]
    phases: Sequence[Part]
    load: Optional[LoadPlan]
    clients: Sequence[LoadClient]
    workers: Sequence[LoadWorker]
    unmeasured: Sequence[Unmeasured]
    saturation: Optional[Saturation]
    imported: Optional[Imported]
    tolerated: Sequence[str]


@dataclass(frozen=True)
class PlannedPhase:
    """A phase of a plan: its OSDs rest before it, then its step runs on wave after wave.

    Part names what it belongs to in a round of several parts.
    """

    name: str
    part: str
    rest_seconds: float
    step: Step
    waves: Sequence[Sequence[Count]]


@dataclass(frozen=True)
class AdmissionRefusal:
    """A reason against a start; forceable: force overrides it."""

    code: str
    message: str
    forceable: bool


@dataclass(frozen=True)
class AdmissionUnknown:
    """What would have been looked at, and is not known."""

    code: str
    message: str
    essential: bool


@dataclass(frozen=True)
class Tolerated:
    """A health check."""

    code: str
    summary: str
    error: bool
    muted: bool


@dataclass(frozen=True)
class Admission:
    """Whether it may start now. forceable: it may be started in spite of every reason.

    tolerated -- Health checks that stand and do not prevent it.
    """

    allowed: bool
    reasons: Sequence[str]
    refusals: Sequence[AdmissionRefusal]
    forceable: bool
    unknown: Sequence[AdmissionUnknown]
    tolerated: Sequence[Tolerated]


@dataclass(frozen=True)
class HeldSetting:
    """A setting that a round changes while it runs; null: not set."""

    what: str
    was: Optional[str]
    want: Optional[str]


@dataclass(frozen=True)
class ClassWear:
    """What a round writes to the OSDs of a device class with all its repeats.

    Figures are those of the OSD with the most.

    device_bytes -- The smallest device; null where no size is known.
    sizes_unknown -- OSDs whose size is not known.
    full_write_percent -- Of one full write of the device.
    rated_writes_per_day -- Full writes a day of the least endurance that flash for servers is
        rated for.
    rated_day_percent -- Of a day's writes at that rating; null for disks, which do not wear by
        writing.
    budget_bytes -- What rounds may write to an OSD in a day.
    budget_percent -- Of that budget, with what rounds wrote in the last 24 h; null where that is
        not known.
    used_percent -- The highest share of its rated endurance that a drive reports as used up; null:
        none reports it.
    used_unknown -- OSDs whose drives do not report it.
    """

    class_: Optional[str]
    osds: int
    bytes_per_osd: int
    device_bytes: Optional[int]
    sizes_unknown: int
    full_write_percent: Optional[float]
    rated_writes_per_day: float
    rated_day_percent: Optional[float]
    budget_bytes: int
    budget_percent: Optional[float]
    used_percent: Optional[float]
    used_unknown: int


@dataclass(frozen=True)
class FeltRound:
    """What clients felt of a round; at_once is the most OSDs that it measured at once."""

    round: Count
    at: Optional[str]
    verdict: Optional[Verdict]
    at_once: int
    before_ms: float
    median_ms: float
    highest_ms: float
    times: float


@dataclass(frozen=True)
class ClientImpact:
    """What clients felt of the last comparable rounds, newest first.

    State says why there are none.
    """

    state: ImpactState
    rounds: Sequence[FeltRound]


@dataclass(frozen=True)
class Plan:
    """The answer to a dry run: what a start would do.

    quiesce -- What would be changed in the cluster while the round runs, and put back.
    most_bytes_per_osd -- If all repeats up to max_repeats are needed.
    most_seconds -- If all repeats up to max_repeats are needed.
    load -- Null but for rounds of kind rados.
    most_bytes -- In all, if all repeats up to max_repeats are needed.
    holds -- The settings of quiesce one by one; null where they cannot be read now.
    held_seconds -- They are put back after this time in any case.
    """

    profile: str
    step: Step
    phases: Sequence[PlannedPhase]
    repeats: int
    waves: Sequence[Sequence[Count]]
    targets: Sequence[str]
    samples: int
    bytes: int
    bytes_per_osd: int
    seconds: float
    seconds_basis: str
    notes: Sequence[str]
    quiesce: Sequence[str]
    admission: Admission
    max_repeats: int
    most_bytes_per_osd: int
    most_seconds: float
    load: Optional[LoadPlan]
    most_bytes: int
    holds: Optional[Sequence[HeldSetting]]
    held_seconds: float
    wear: Sequence[ClassWear]
    clients: ClientImpact


@dataclass(frozen=True)
class Started:
    """The round that was started, aborted or removed."""

    id: Count


@dataclass(frozen=True)
class Worker:
    """A host that waits to run clients of rounds.

    clock_offset -- Seconds its clock is ahead of the mgr's; null: not known.
    instance -- Another one each time it starts.
    note -- A sentence about it; empty where there is nothing to say.
    """

    id: str
    host: str
    version: str
    state: WorkerState
    last_seen: Optional[Stamp]
    clock_offset: Optional[float]
    clock_error: Optional[float]
    instance: str
    note: str


@dataclass(frozen=True)
class LiveClient:
    """A client of the repeat that runs; rows of series as of LoadClient."""

    client: Count
    series: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Span:
    """The lowest, the median and the highest of the OSDs' figures."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class InterimClass:
    """The OSDs of a device class that have figures."""

    class_: Optional[str]
    osds: int
    bytes_per_second: Span
    iops: Span


@dataclass(frozen=True)
class InterimOsd:
    """The figures of an OSD so far.

    percent_of_class -- Of the median of its class.
    """

    class_: Optional[str]
    osd: int
    host: str
    bytes_per_second: float
    iops: float
    percent_of_class: float


@dataclass(frozen=True)
class Interim:
    """How many of the planned OSDs have figures, by class, and the slowest against their class."""

    measured: int
    planned: int
    classes: Sequence[InterimClass]
    slowest: Sequence[InterimOsd]


@dataclass(frozen=True)
class LatencyPoint:
    """What clients felt in one minute."""

    at: Optional[Stamp]
    ms: Optional[float]


@dataclass(frozen=True)
class ClientLatency:
    """Clients' mean latency while the round runs; null with too few operations."""

    before_ms: Optional[float]
    points: Sequence[LatencyPoint]


@dataclass(frozen=True)
class Live:
    """A running round as far as it is; null or empty where it does not run.

    client_latency -- Null for rounds of clients, whose operations are most of all.
    """

    id: Count
    phase: Optional[str]
    repeat: Optional[int]
    clients: Sequence[LiveClient]
    wave: Optional[int]
    waves: Optional[int]
    osds: Interim
    client_latency: Optional[ClientLatency]


@dataclass(frozen=True)
class Histogram(Span):
    """Counts of OSDs in equal bins; bin i is from (first + i) * width on.

    Slow counts those of each bin that are slow against their peers.
    """

    first: int
    width: float
    counts: Sequence[int]
    slow: Sequence[int]
    count: int


@dataclass(frozen=True)
class WavePoint:
    """Consecutive waves of a repeat, of which wave is the first.

    waves -- How many waves it has; more than one where a chart has no room for all.
    spans -- By figure: bytes_per_second, iops, percent_of_own (an OSD's own median is 100).
    """

    at: Optional[Stamp]
    phase: str
    repeat: int
    wave: int
    waves: int
    spans: Mapping[str, Span]


@dataclass(frozen=True)
class Histograms:
    """How many OSDs have which figure."""

    percent_of_peers: Optional[Histogram]
    bytes_per_second: Optional[Histogram]
    iops: Optional[Histogram]


@dataclass(frozen=True)
class Distribution:
    """How the figures of all OSDs of a round are distributed."""

    id: int
    osds: int
    histograms: Histograms
    waves: Sequence[WavePoint]


@dataclass(frozen=True)
class RoundFile:
    """A part of the file that 'round export' prints: all parts in order are the file.

    part -- From 0 on.
    """

    id: int
    part: int
    parts: int
    text: str
