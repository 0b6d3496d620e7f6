"""What the module knows as metrics: ``ceph perf-bench metrics`` and the HTTP endpoint.

The format is Prometheus' text format, version 0.0.4. Labels are bounded: OSDs, their hosts and
classes; profiles; pools, cohorts and findings up to ``MOST`` of each, the worst first. The names of
OSDs and hosts are those of Ceph's own exporter (``ceph_daemon``, ``hostname``, ``device_class``),
so the two can be joined. What is not known has no series.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Callable, NamedTuple, Optional, Union

from ..errors import PerfBenchError
from ..hardware.checksums import ChecksumSnapshot
from ..model.finding import Finding, FindingState, Look, Severity
from ..model.hardware import LINK_KINDS, MEDIA_COUNTS, Errors
from ..model.osd import Osd
from ..model.round import RoundLine, RoundState
from ..model.verdict import CohortReport, OsdState
from ..store.sqlite import Store
from ..version import VERSION
from .api import Api
from .question import Question

PREFIX = "ceph_perf_bench_"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = Mapping[str, str]
# Labels may be given as `rendered` text, too: those of an OSD are used in a dozen lines.
Series = tuple[Union[Labels, str], Optional[float]]


class Exposition:
    """Collects metrics; one without any value is left out."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, name: str, series: Iterable[Series], help_: str = "") -> None:
        """Add a metric; ``help_`` is that of ``_HELP`` unless it is given."""
        metric, type_ = PREFIX + name, "counter" if name.endswith("_total") else "gauge"
        # No data gives no series, so that graphs have a gap and not a zero.
        lines = [
            f"{metric}{_braced(labels)} {_value(value)}"
            for labels, value in series
            if value is not None and not math.isnan(value)
        ]
        if lines:
            head = [f"# HELP {metric} {help_ or _HELP[name]}", f"# TYPE {metric} {type_}"]
            self._lines += [*head, *lines]

    def text(self) -> str:
        """All metrics; the last line ends with a newline, too."""
        return "".join(f"{line}\n" for line in self._lines)


def _braced(labels: Union[Labels, str]) -> str:
    text = labels if isinstance(labels, str) else rendered(labels)
    return f"{{{text}}}" if text else ""


def rendered(labels: Labels) -> str:
    """Labels as the text between the braces."""
    return ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items())


def escaped(value: str) -> str:
    """A label's value, escaped: any name stays one value on one line."""
    if value.isalnum() and value.isascii():
        return value
    value = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    # A lone surrogate cannot be sent as UTF-8, and would break the whole page.
    return value.encode("utf-8", "replace").decode("utf-8")


def _value(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(float(value)).removesuffix(".0")


MOST = 100
# Seconds: reading the database costs the cluster some writes, and Prometheus asks every 15 s.
_STORE_AGE = 60.0
_TOLD = (FindingState.OPEN, FindingState.MUTED)
# What each metric is, by its name; those that end in _total are counters.
_HELP = {
    "info": "Always 1; the labels say what runs on which release.",
    "osds": "OSDs by what the watch thinks of them.",
    "osd_latency_seconds": "Mean latency in the newest frame.",
    "osd_slow": "1 where the OSD is held to be slow, else 0.",
    "osd_latency_ratio": "Latency over what is expected, in its worst channel.",
    "osd_robust_z": "Robust z-score of its latency among its peers; positive is slower.",
    "osd_risk": "Severity times duration, for ranking only.",
    "osd_laggy_pg_seconds": "PG-seconds that its PGs were laggy, over the episodes kept.",
    "osd_checksum_ratio": "Share of its op threads' time spent on checksums of reads, 0 to 1.",
    "osd_checksum_bytes_per_second": "Bytes read from the device per second of checksum time.",
    "osd_bench_bytes_per_second": "Median write bandwidth in its newest bench.",
    "osd_bench_iops": "Median write operations per second in its newest bench.",
    "osd_bench_peers_ratio": "Result of its newest bench over the median of its peers.",
    "laggy_pg_seconds_total": "PG-seconds that placement groups were laggy.",
    "pool_laggy_pgs": f"Placement groups of a pool that are laggy; at most {MOST} pools, the "
    "worst.",
    "pool_laggy_pg_seconds_total": "PG-seconds that placement groups of a pool were laggy; at "
    f"most {MOST} pools, the worst.",
    "rounds": "Bench rounds in the store.",
    "round_end_timestamp_seconds": "When the newest bench round of a profile ended.",
    "round_bytes_per_second": "Median write bandwidth of an OSD in the newest round of a profile.",
    "round_iops": "Median write operations per second of an OSD in the newest round of a profile.",
    "round_cv_ratio": "Median coefficient of variation between repeats in the newest round of a "
    "profile.",
    "watch_tick_timestamp_seconds": "When the watch last looked.",
    "watch_tick_cpu_seconds": "CPU time of that look.",
    "watch_frames_dropped_total": "Spans of 15 s that came too late to be judged, since this "
    "mgr is active.",
    "watch_detector_errors_total": "Looks and answers in which a detector failed, since this "
    "mgr is active; others went on.",
    "store_up": "1 while the database answers, else 0.",
    "store_errors_total": "What the database refused or did not answer, since this mgr is active.",
    "cohort_osds": f"OSDs compared with each other; at most {MOST} cohorts.",
    "cohort_judged_osds": "Those that can be judged now.",
    "cohort_minimum_detectable_ratio": "The smallest constant slowdown that would be noticed "
    "among them.",
    "store_kind_bytes": "About what a kind of data takes of the database, by the newest check "
    "of all rows.",
    "store_kind_rows": "Rows of a kind of data, by the newest check of all rows.",
    "rounds_removed_total": "Rounds that retention has removed, since this mgr is active.",
    "coverage_units": "OSDs, hosts, PGs or checks that there are to look at.",
    "coverage_looked": "Those of them that were looked at, at least in part; absent findings "
    "say nothing of the others.",
    "coverage_complete": "1 if nothing of it could not be looked at, else 0.",
    "findings": "Findings that are not closed.",
    "finding_first_seen_timestamp_seconds": "When an open finding was first seen; at most "
    f"{MOST}, the worst.",
    "pgs": "Placement groups in all.",
    "laggy_pgs": "Placement groups that are laggy.",
    "waiting_pgs": "Placement groups that wait for old leases.",
    "store_bytes": "Size of the database.",
    "store_free_bytes": "Unused bytes of the database.",
    "store_limit_bytes": "Bytes that the database may take.",
    "link_errors_total": f"Errors that a link counts; at most {MOST}, the most first.",
    "media_errors_total": f"Errors that a disk or its OSD counts of its medium; at most {MOST}, "
    "the most first.",
}


def metrics(api: Api, per_osd: bool = True) -> str:
    """All in Prometheus' text format; without ``per_osd`` none has a series for every OSD."""
    out = Exposition()
    versions = {"version": VERSION, "release": api.release()}
    out.add("info", [(versions, 1)])
    _findings(out, api.watch.ledger.findings())
    osds, checksums = api.osds(), _checksums(api)
    _states(api, out, osds)
    _coverage(out, api.watch.coverage())
    if per_osd:
        _osds(api, out, osds, checksums)
        _benches(api, out, osds)
    _errors(out, checksums.errors if checksums else ())
    _laggy(api, out)
    _rounds(api, out)
    _ticks(api, out)
    _cohorts(api, out)
    _store(api, out)
    for gauge in api.watch.gauges(per_osd):
        out.add(gauge.name, gauge.samples, gauge.help)
    return out.text()


def _checksums(api: Api) -> Optional[ChecksumSnapshot]:
    """None while the facts of hosts are not read."""
    try:
        return api.crc.read()
    except PerfBenchError:
        return None


def _states(api: Api, out: Exposition, osds: Sequence[Osd]) -> None:
    counts, snapshot = dict.fromkeys(OsdState, 0), api.watch.osd_snapshot()
    for osd in osds:
        counts[snapshot.verdict(osd.id).state] += 1
    out.add("osds", [({"state": state.value}, count) for state, count in counts.items()])


def _osds(
    api: Api, out: Exposition, osds: Sequence[Osd], checksums: Optional[ChecksumSnapshot]
) -> None:
    snapshot = api.watch.osd_snapshot()
    named = [(_labels(osd), osd.id) for osd in osds]
    out.add(
        "osd_latency_seconds",
        (
            (f'{labels},channel="{escaped(channel)}"', of_channel.get(osd))
            for labels, osd in named
            for channel, of_channel in snapshot.latency.items()
        ),
    )

    def gauge(name: str, figure: Callable[[int], Optional[float]]) -> None:
        out.add(name, ((labels, figure(osd)) for labels, osd in named))

    verdict = snapshot.verdict
    gauge("osd_slow", lambda osd: verdict(osd).state is OsdState.SLOW)
    gauge("osd_latency_ratio", lambda osd: verdict(osd).ratio)
    gauge("osd_robust_z", lambda osd: verdict(osd).robust_z)
    gauge("osd_risk", lambda osd: verdict(osd).risk)
    gauge(
        "osd_laggy_pg_seconds",
        {one.osd: one.laggy_pg_seconds for one in api.watch.laggy_groups()[1]}.get,
    )
    if checksums is None:
        return
    known = {one.osd.id: one for one in checksums.osds}
    gauge("osd_checksum_ratio", {osd: one.share for osd, one in known.items()}.get)
    gauge("osd_checksum_bytes_per_second", {osd: one.rate for osd, one in known.items()}.get)


def _benches(api: Api, out: Exposition, osds: Sequence[Osd]) -> None:
    """The newest bench of each OSD."""
    newest = api.bench.results.newest()
    results = [
        (f'{_labels(osd)},profile="{escaped(line.profile)}"', result)
        for osd in osds
        if osd.id in newest
        for line, result in [newest[osd.id]]
    ]
    out.add(
        "osd_bench_bytes_per_second",
        ((labels, result.median_bytes_per_second) for labels, result in results),
    )
    out.add("osd_bench_iops", ((labels, result.median_iops) for labels, result in results))
    out.add(
        "osd_bench_peers_ratio",
        ((labels, _ratio(result.percent_of_peers)) for labels, result in results),
    )


def _laggy(api: Api, out: Exposition) -> None:
    now, _, pools, _ = api.watch.laggy_groups()
    looked = now.at is not None
    if looked:
        out.add("pgs", [({}, now.pgs)])
        out.add("laggy_pgs", [({}, now.laggy)])
        out.add("waiting_pgs", [({}, now.wait)])
    out.add("laggy_pg_seconds_total", [({}, api.watch.detectors.laggy.laggy_pg_seconds)])
    out.add("pool_laggy_pgs", [({"pool": one.pool}, one.laggy) for one in pools[:MOST] if looked])
    out.add(
        "pool_laggy_pg_seconds_total",
        [({"pool": one.pool}, one.laggy_pg_seconds) for one in pools[:MOST]],
    )


def _rounds(api: Api, out: Exposition) -> None:
    stored = _stored(api)
    states = [({"state": state}, count) for state, count in stored.counts.items()]
    out.add("rounds", states)
    newest = sorted(api.bench.results.rounds.items())[:MOST]

    def gauge(name: str, figure: Callable[[RoundLine], Optional[float]]) -> None:
        out.add(name, [({"profile": of}, figure(line)) for of, line in newest])

    gauge("round_end_timestamp_seconds", lambda line: line.ended_at)
    gauge("round_bytes_per_second", lambda line: line.summary.get("median_bytes_per_second"))
    gauge("round_iops", lambda line: line.summary.get("median_iops"))
    gauge("round_cv_ratio", lambda line: _ratio(line.summary.get("median_cv_percent")))


def _ticks(api: Api, out: Exposition) -> None:
    """How the watch itself goes, and whether the database answers."""
    stats, detectors, stored = api.watch.tick_stats, api.watch.detectors, _stored(api)
    looked: list[Series] = [({}, stats.looked_at)]
    out.add("watch_tick_timestamp_seconds", looked)
    out.add("watch_tick_cpu_seconds", [({}, stats.cpu_seconds)])
    out.add("watch_frames_dropped_total", [({}, detectors.dropped)])
    out.add(
        "watch_detector_errors_total",
        [({"detector": name}, count) for name, count in detectors.failures.items()],
    )
    out.add("store_up", [({"backend": stored.backend}, stored.up)])
    out.add("store_errors_total", [({}, api.watch.journal.errors)])


def _cohorts(api: Api, out: Exposition) -> None:
    cohorts: Sequence[tuple[dict[str, str], CohortReport]] = [
        ({"cohort": one.name}, one) for one in api.watch.cohorts()[:MOST]
    ]
    out.add("cohort_osds", [(labels, one.members) for labels, one in cohorts])
    out.add("cohort_judged_osds", [(labels, one.judged) for labels, one in cohorts])
    out.add(
        "cohort_minimum_detectable_ratio",
        [(labels, one.minimum_detectable_ratio) for labels, one in cohorts],
    )


def _store(api: Api, out: Exposition) -> None:
    """The size of the database."""
    usage, checked = api.care.usage, api.care.checked
    out.add("store_bytes", [({}, usage.bytes if usage else None)])
    out.add("store_free_bytes", [({}, usage.free if usage else None)])
    out.add("store_limit_bytes", [({}, api.care.rules().bytes)])
    kinds = [({"kind": one.kind}, one) for one in checked.kinds] if checked else []
    out.add("store_kind_bytes", [(labels, one.bytes) for labels, one in kinds])
    out.add("store_kind_rows", [(labels, one.rows) for labels, one in kinds])
    out.add("rounds_removed_total", [({}, api.care.removed)])


class Stored(NamedTuple):
    """How many rounds the store has by state, and whether it answers."""

    backend: str = ""
    counts: Mapping[str, int] = {}
    up: bool = False


def _stored(api: Api) -> Stored:
    """The counts, at most ``_STORE_AGE`` seconds old; those of before where none are read."""

    def read(store: Store) -> Stored:
        counts = {state.value: store.rounds(state=state, limit=0)[1] for state in RoundState}
        return Stored(store.backend, counts, True)

    def look() -> Stored:
        try:
            return api.store_thread.call(read, limit=2.0)
        except PerfBenchError:
            return (api.kept.newest("metrics") or Stored())._replace(up=False)

    return api.kept.of("metrics", _STORE_AGE, look)


def _labels(osd: Osd) -> str:
    return rendered(
        {
            "ceph_daemon": f"osd.{osd.id}",
            "hostname": osd.host,
            "device_class": osd.device_class or "",
        }
    )


def _ratio(percent: Optional[float]) -> Optional[float]:
    return None if percent is None else percent / 100


def _coverage(out: Exposition, looks: Sequence[Look]) -> None:
    """What was looked at: without it an absent finding means nothing."""
    labelled = [({"look": one.name, "unit": one.unit}, one) for one in looks]
    out.add("coverage_units", [(labels, one.total) for labels, one in labelled])
    out.add("coverage_looked", [(labels, one.looked) for labels, one in labelled])
    out.add("coverage_complete", [(labels, one.complete) for labels, one in labelled])


def _findings(out: Exposition, findings: Sequence[Finding]) -> None:
    """Counts of findings, and the worst of them by name."""
    counts = dict.fromkeys(((severity, state) for severity in Severity for state in _TOLD), 0)
    for one in findings:
        if one.state in _TOLD:
            counts[one.severity, one.state] += 1
    out.add(
        "findings",
        [
            ({"severity": severity.value, "state": state.value}, count)
            for (severity, state), count in counts.items()
        ],
    )
    severities = list(Severity)
    opened = [one for one in findings if one.state is FindingState.OPEN]
    opened.sort(key=lambda one: (severities.index(one.severity), one.first_seen, one.id))
    out.add(
        "finding_first_seen_timestamp_seconds",
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


def _errors(out: Exposition, errors: Sequence[Errors]) -> None:
    for name, kinds in (("link_errors_total", LINK_KINDS), ("media_errors_total", MEDIA_COUNTS)):
        # The paths of an NVMe drive have counters of their own and the same labels: their sum.
        counts: dict[tuple[str, str, str, str], int] = {}
        for one in errors:
            if one.kind in kinds:
                osd = "" if one.on.first is None else f"osd.{one.on.first}"
                key = one.host, osd, one.phy or one.device or one.disk, one.kind
                counts[key] = counts.get(key, 0) + one.growth.newest
        most = sorted(counts.items(), key=lambda pair: -pair[1])[:MOST]
        names = ("hostname", "ceph_daemon", "device", "kind")
        out.add(name, [(dict(zip(names, key)), count) for key, count in most])


def printed(api: Api, no_osds: bool = False) -> str:
    """Print metrics for Prometheus."""
    return metrics(api, per_osd=not no_osds)


QUESTIONS = (Question("metrics", printed),)
