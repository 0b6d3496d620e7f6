"""What the module knows as metrics: ``ceph perf-bench metrics`` and the HTTP endpoint.

Labels are bounded: OSDs, their hosts and classes; profiles; pools, cohorts and findings up to
``MOST`` of each, the worst first. The names of OSDs and hosts are those of Ceph's own exporter
(``ceph_daemon``, ``hostname``, ``device_class``), so the two can be joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Callable, Optional

from ..model.coverage import Look
from ..model.detector import Gauge
from ..model.finding import Finding, FindingState, Severity
from ..model.hardware import LINK_KINDS, MEDIA_COUNTS, Errors
from ..model.laggy import LaggyNow, PoolLaggy
from ..model.retention import KindSize, StoreUsage
from ..model.verdict import CohortReport, OsdState
from .metrics_text import Exposition, Series, escaped, rendered

# The figures that are exported; None, or a missing one, is "no data".


@dataclass(frozen=True)
class OsdReading:
    """The figures of one OSD.

    ``latency`` is by channel in seconds. ``bench_profile`` is that of its newest bench.
    ``checksum_share`` is 0 to 1 of its op threads, ``checksum_rate`` bytes per second.
    """

    osd: int
    host: str
    device_class: str = ""
    state: OsdState = OsdState.NO_DATA
    latency: Mapping[str, float] = field(default_factory=dict)
    ratio: Optional[float] = None
    robust_z: Optional[float] = None
    risk: Optional[float] = None
    laggy_pg_seconds: Optional[float] = None
    bench_profile: Optional[str] = None
    bench_bytes_per_second: Optional[float] = None
    bench_iops: Optional[float] = None
    bench_percent_of_peers: Optional[float] = None
    checksum_share: Optional[float] = None
    checksum_rate: Optional[float] = None


@dataclass(frozen=True)
class RoundReading:
    """The newest ended round of a profile; ``ended_at`` is unix seconds."""

    profile: str
    ended_at: float
    median_bytes_per_second: Optional[float] = None
    median_iops: Optional[float] = None
    median_cv_percent: Optional[float] = None


@dataclass(frozen=True)
class Readings:
    """All that is exported.

    ``tick_at`` is when the watch last looked without an error, in unix seconds; ``tick_seconds``
    the newest tick's CPU time.

    ``findings`` are those that are not closed. ``laggy`` is None before the first look.
    ``gauges`` are those of detectors.
    ``frames_dropped``, ``detector_errors`` (by detector), ``store_errors`` and ``rounds_removed``
    count since this mgr is active.
    """

    version: str
    release: str
    findings: Sequence[Finding] = ()
    osd_states: Mapping[OsdState, int] = field(default_factory=dict)
    osds: Sequence[OsdReading] = ()
    errors: Sequence[Errors] = ()
    laggy: Optional[LaggyNow] = None
    laggy_pg_seconds: Optional[float] = None
    pools: Sequence[PoolLaggy] = ()
    rounds: Mapping[str, int] = field(default_factory=dict)
    newest: Sequence[RoundReading] = ()
    tick_at: Optional[float] = None
    tick_seconds: Optional[float] = None
    frames_dropped: Optional[int] = None
    detector_errors: Mapping[str, int] = field(default_factory=dict)
    store_backend: str = ""
    store_up: Optional[bool] = None
    store_errors: Optional[int] = None
    store_usage: Optional[StoreUsage] = None
    store_limit: Optional[int] = None
    store_kinds: Sequence[KindSize] = ()
    rounds_removed: Optional[int] = None
    cohorts: Sequence[CohortReport] = ()
    gauges: Sequence[Gauge] = ()
    coverage: Sequence[Look] = ()


MOST = 100


def metrics(readings: Readings, per_osd: bool = True) -> str:
    """The metrics as text; without ``per_osd`` no metric has a series for every OSD."""
    out = Exposition()
    versions = {"version": readings.version, "release": readings.release}
    out.gauge("info", "Always 1; the labels say what runs on which release.", [(versions, 1)])
    _findings(out, readings.findings)
    states = [({"state": state.value}, readings.osd_states.get(state)) for state in OsdState]
    out.gauge("osds", "OSDs by what the watch thinks of them.", states)
    _coverage(out, readings.coverage)
    if per_osd:
        _osds(out, readings.osds)
    _errors(out, readings.errors)
    _laggy(out, readings)
    _rounds(out, readings)
    _watch(out, readings)
    _store(out, readings)
    for gauge in readings.gauges:
        out.gauge(gauge.name, gauge.help, gauge.samples)
    return out.text()


def _coverage(out: Exposition, looks: Sequence[Look]) -> None:
    """What was looked at: without it an absent finding means nothing."""
    labelled = [({"look": one.name, "unit": one.unit}, one) for one in looks]
    out.gauge(
        "coverage_units",
        "OSDs, hosts, PGs or checks that there are to look at.",
        [(labels, one.total) for labels, one in labelled],
    )
    out.gauge(
        "coverage_looked",
        "Those of them that were looked at, at least in part; absent findings say nothing of the "
        "others.",
        [(labels, one.looked) for labels, one in labelled],
    )
    out.gauge(
        "coverage_complete",
        "1 if nothing of it could not be looked at, else 0.",
        [(labels, one.complete) for labels, one in labelled],
    )


def _findings(out: Exposition, findings: Sequence[Finding]) -> None:
    """Counts of findings, and the worst of them by name."""
    counts = dict.fromkeys(((severity, state) for severity in Severity for state in _TOLD), 0)
    for one in findings:
        if one.state in _TOLD:
            counts[one.severity, one.state] += 1
    out.gauge(
        "findings",
        "Findings that are not closed.",
        [
            ({"severity": severity.value, "state": state.value}, count)
            for (severity, state), count in counts.items()
        ],
    )
    severities = list(Severity)
    opened = [one for one in findings if one.state is FindingState.OPEN]
    opened.sort(key=lambda one: (severities.index(one.severity), one.first_seen, one.id))
    out.gauge(
        "finding_first_seen_timestamp_seconds",
        f"When an open finding was first seen; at most {MOST}, the worst.",
        [
            (
                {
                    "code": one.code,
                    "severity": one.severity.value,
                    "kind": one.target.kind,
                    "target": str(one.target),
                },
                one.first_seen,
            )
            for one in opened[:MOST]
        ],
    )


_TOLD = (FindingState.OPEN, FindingState.MUTED)

# Name, help and value of metrics with one series for each OSD.
_OF_OSD: tuple[tuple[str, str, Callable[[OsdReading], Optional[float]]], ...] = (
    ("osd_slow", "1 where the OSD is held to be slow, else 0.",
     lambda one: float(one.state is OsdState.SLOW)),
    ("osd_latency_ratio", "Latency over what is expected, in its worst channel.",
     lambda one: one.ratio),
    ("osd_robust_z", "Robust z-score of its latency among its peers; positive is slower.",
     lambda one: one.robust_z),
    ("osd_risk", "Severity times duration, for ranking only.", lambda one: one.risk),
    ("osd_laggy_pg_seconds", "PG-seconds that its PGs were laggy, over the episodes kept.",
     lambda one: one.laggy_pg_seconds),
    ("osd_checksum_ratio", "Share of its op threads' time spent on checksums of reads, 0 to 1.",
     lambda one: one.checksum_share),
    ("osd_checksum_bytes_per_second", "Bytes read from the device per second of checksum time.",
     lambda one: one.checksum_rate),
)  # fmt: skip
_OF_BENCH: tuple[tuple[str, str, Callable[[OsdReading], Optional[float]]], ...] = (
    ("osd_bench_bytes_per_second", "Median write bandwidth in its newest bench.",
     lambda one: one.bench_bytes_per_second),
    ("osd_bench_iops", "Median write operations per second in its newest bench.",
     lambda one: one.bench_iops),
    ("osd_bench_peers_ratio", "Result of its newest bench over the median of its peers.",
     lambda one: None if one.bench_percent_of_peers is None else one.bench_percent_of_peers / 100),
)  # fmt: skip


def _osds(out: Exposition, osds: Sequence[OsdReading]) -> None:
    named = [(_labels(one), one) for one in osds]
    out.gauge(
        "osd_latency_seconds",
        "Mean latency in the newest frame.",
        (
            (f'{labels},channel="{escaped(channel)}"', seconds)
            for labels, one in named
            for channel, seconds in one.latency.items()
        ),
    )
    for name, help_, figure in _OF_OSD:
        out.gauge(name, help_, ((labels, figure(one)) for labels, one in named))
    benched = [
        (f'{labels},profile="{escaped(one.bench_profile)}"', one)
        for labels, one in named
        if one.bench_profile is not None
    ]
    for name, help_, figure in _OF_BENCH:
        out.gauge(name, help_, ((labels, figure(one)) for labels, one in benched))


def _labels(one: OsdReading) -> str:
    return rendered(
        {
            "ceph_daemon": f"osd.{one.osd}",
            "hostname": one.host,
            "device_class": one.device_class,
        }
    )


def _errors(out: Exposition, errors: Sequence[Errors]) -> None:
    for name, help_, kinds in (
        ("link_errors_total", "Errors that a link counts", LINK_KINDS),
        ("media_errors_total", "Errors that a disk or its OSD counts of its medium", MEDIA_COUNTS),
    ):
        # The paths of an NVMe drive have counters of their own and the same labels: their sum.
        counts: dict[tuple[str, str, str, str], int] = {}
        for one in errors:
            if one.kind in kinds:
                osd = "" if one.on.first is None else f"osd.{one.on.first}"
                key = one.host, osd, one.phy or one.device or one.disk, one.kind
                counts[key] = counts.get(key, 0) + one.growth.count
        most = sorted(counts.items(), key=lambda pair: -pair[1])[:MOST]
        names = ("hostname", "ceph_daemon", "device", "kind")
        out.counter(
            name,
            f"{help_}; at most {MOST}, the most first.",
            [(dict(zip(names, key)), count) for key, count in most],
        )


def _laggy(out: Exposition, readings: Readings) -> None:
    now, pools = readings.laggy, readings.pools[:MOST]
    if now is not None:
        out.gauge("pgs", "Placement groups in all.", [({}, now.pgs)])
        out.gauge("laggy_pgs", "Placement groups that are laggy.", [({}, now.laggy)])
        out.gauge("waiting_pgs", "Placement groups that wait for old leases.", [({}, now.wait)])
    out.counter(
        "laggy_pg_seconds_total",
        "PG-seconds that placement groups were laggy.",
        [({}, readings.laggy_pg_seconds)],
    )
    out.gauge(
        "pool_laggy_pgs",
        f"Placement groups of a pool that are laggy; at most {MOST} pools, the worst.",
        [({"pool": one.pool}, None if now is None else one.laggy) for one in pools],
    )
    out.counter(
        "pool_laggy_pg_seconds_total",
        f"PG-seconds that placement groups of a pool were laggy; at most {MOST} pools, the worst.",
        [({"pool": one.pool}, one.laggy_pg_seconds) for one in pools],
    )


def _rounds(out: Exposition, readings: Readings) -> None:
    states = [({"state": state}, count) for state, count in readings.rounds.items()]
    out.gauge("rounds", "Bench rounds in the store.", states)

    def by_profile(figure: Callable[[RoundReading], Optional[float]]) -> list[Series]:
        return [({"profile": one.profile}, figure(one)) for one in readings.newest[:MOST]]

    out.gauge(
        "round_end_timestamp_seconds",
        "When the newest bench round of a profile ended.",
        by_profile(lambda one: one.ended_at),
    )
    out.gauge(
        "round_bytes_per_second",
        "Median write bandwidth of an OSD in the newest round of a profile.",
        by_profile(lambda one: one.median_bytes_per_second),
    )
    out.gauge(
        "round_iops",
        "Median write operations per second of an OSD in the newest round of a profile.",
        by_profile(lambda one: one.median_iops),
    )
    out.gauge(
        "round_cv_ratio",
        "Median coefficient of variation between repeats in the newest round of a profile.",
        by_profile(
            lambda one: None if one.median_cv_percent is None else one.median_cv_percent / 100
        ),
    )


def _store(out: Exposition, readings: Readings) -> None:
    """The size of the database."""
    usage = readings.store_usage
    for name, help_, value in (
        ("store_bytes", "Size of the database.", usage.bytes if usage else None),
        ("store_free_bytes", "Unused bytes of the database.", usage.free if usage else None),
        ("store_limit_bytes", "Bytes that the database may take.", readings.store_limit),
    ):
        out.gauge(name, help_, [({}, value)])
    out.gauge(
        "store_kind_bytes",
        "About what a kind of data takes of the database, by the newest check of all rows.",
        [({"kind": one.kind}, one.bytes) for one in readings.store_kinds],
    )
    out.gauge(
        "store_kind_rows",
        "Rows of a kind of data, by the newest check of all rows.",
        [({"kind": one.kind}, one.rows) for one in readings.store_kinds],
    )
    out.counter(
        "rounds_removed_total",
        "Rounds that retention has removed, since this mgr is active.",
        [({}, readings.rounds_removed)],
    )


def _watch(out: Exposition, readings: Readings) -> None:
    ticked: list[Series] = [({}, readings.tick_at)]
    out.gauge("watch_tick_timestamp_seconds", "When the watch last looked.", ticked)
    out.gauge("watch_tick_cpu_seconds", "CPU time of that look.", [({}, readings.tick_seconds)])
    out.counter(
        "watch_frames_dropped_total",
        "Spans of 15 s that came too late to be judged, since this mgr is active.",
        [({}, readings.frames_dropped)],
    )
    out.counter(
        "watch_detector_errors_total",
        "Looks and answers in which a detector failed, since this mgr is active; others went on.",
        [({"detector": name}, count) for name, count in readings.detector_errors.items()],
    )
    if readings.store_up is not None:
        where = {"backend": readings.store_backend}
        out.gauge("store_up", "1 while the database answers, else 0.", [(where, readings.store_up)])
    out.counter(
        "store_errors_total",
        "What the database refused or did not answer, since this mgr is active.",
        [({}, readings.store_errors)],
    )

    def by_cohort(figure: Callable[[CohortReport], Optional[float]]) -> list[Series]:
        return [({"cohort": one.name}, figure(one)) for one in readings.cohorts[:MOST]]

    out.gauge(
        "cohort_osds",
        f"OSDs compared with each other; at most {MOST} cohorts.",
        by_cohort(lambda one: one.members),
    )
    out.gauge(
        "cohort_judged_osds", "Those that can be judged now.", by_cohort(lambda one: one.judged)
    )
    out.gauge(
        "cohort_minimum_detectable_ratio",
        "The smallest constant slowdown that would be noticed among them.",
        by_cohort(lambda one: one.minimum_detectable_ratio),
    )
