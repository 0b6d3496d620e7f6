"""What the module knows as metrics: ``ceph perf-bench metrics`` and the HTTP endpoint.

The format is Prometheus' text format, version 0.0.4. Labels are bounded: OSDs, their hosts and
classes; profiles; pools, cohorts and findings up to ``MOST`` of each, the worst first. The names of
OSDs and hosts are those of Ceph's own exporter (``ceph_daemon``, ``hostname``, ``device_class``),
so the two can be joined. What is not known has no series.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import Any, Callable, NamedTuple, Optional

from ..errors import PerfBenchError
from ..hardware.checksums import ChecksumSnapshot
from ..model.finding import FindingState, Severity
from ..model.hardware import LINK_KINDS, MEDIA_COUNTS
from ..model.osd import Osd
from ..model.round import RoundState
from ..model.verdict import OsdState
from ..store.sqlite import Store
from ..version import VERSION
from .api import Api
from .question import Question

PREFIX = "ceph_perf_bench_"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MOST = 100
# Seconds: reading the database costs the cluster some writes, and Prometheus asks every 15 s.
_STORE_AGE = 60.0
# Seconds: however many ask over HTTP, the page is made once.
_PAGE_AGE = 5.0
_NOT_CLOSED = (FindingState.OPEN, FindingState.MUTED)
Rows = Iterator[tuple[Any, ...]]
# "name -- what it is", with further lines indented.
_TOLD = re.compile(r"^(\w+) -- (.*(?:\n +.*)*)", re.MULTILINE)


def metrics(api: Api, per_osd: bool = True) -> str:
    """All in Prometheus' text format; without ``per_osd`` none has a series for every OSD."""
    lines: list[str] = []
    for group in _GROUPS:
        if per_osd or group not in _OF_OSDS:
            rows = list(group(api))
            for place, (name, help_) in enumerate(_told(group), 1):
                lines += metric_lines(name, help_, map(itemgetter(0, place), rows))
    for gauge in api.watch.gauges(per_osd):
        series = ((labelled(**labels), value) for labels, value in gauge.samples)
        lines += metric_lines(gauge.name, gauge.help, series)
    return "".join(f"{line}\n" for line in lines)


def served(api: Api, per_osd: bool) -> str:
    """The same for who asks over HTTP, at most ``_PAGE_AGE`` seconds old."""
    return api.kept.of(("metrics page", per_osd), _PAGE_AGE, partial(metrics, api, per_osd))


def _told(group: Callable[[Api], Rows]) -> list[tuple[str, str]]:
    """The metrics of a group and what each is, as its docstring says."""
    found = _TOLD.findall(inspect.getdoc(group) or "")
    return [(name, " ".join(words.split())) for name, words in found]


def metric_lines(
    name: str, help_: str, series: Iterable[tuple[str, Optional[float]]]
) -> Iterator[str]:
    """The lines of a metric, whose series are values by labels.

    None without a value, so that graphs have a gap and not a zero.
    """
    metric, type_ = PREFIX + name, "counter" if name.endswith("_total") else "gauge"
    head = [f"# HELP {metric} {help_}", f"# TYPE {metric} {type_}"]
    for labels, value in series:
        if value is not None and not math.isnan(value):
            yield from head
            head = []
            yield f"{metric}{labels and f'{{{labels}}}'} {_value(value)}"


def labelled(**labels: str) -> str:
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


# --- groups of metrics ---------------------------------------------------------------------------
# Each reads rows of labels and, of each metric of its docstring in turn, the value: None for no
# series. Metrics that end in "_total" are counters.


def _info(api: Api) -> Rows:
    """The module itself.

    info -- Always 1; the labels say what runs on which release.
    """
    yield labelled(version=VERSION, release=api.release()), 1


def _findings(api: Api) -> Rows:
    """Findings by severity and state.

    findings -- Findings that are not closed.
    """
    counts = dict.fromkeys(((severity, state) for severity in Severity for state in _NOT_CLOSED), 0)
    for one in api.watch.ledger.findings():
        if one.state in _NOT_CLOSED:
            counts[one.severity, one.state] += 1
    for (severity, state), count in counts.items():
        yield labelled(severity=severity.value, state=state.value), count


def _worst_findings(api: Api) -> Rows:
    """Open findings, at most ``MOST``, the worst first.

    finding_first_seen_timestamp_seconds -- When an open finding was first seen; at most 100,
        the worst.
    """
    severities = list(Severity)
    opened = [one for one in api.watch.ledger.findings() if one.state is FindingState.OPEN]
    opened.sort(key=lambda one: (severities.index(one.severity), one.first_seen, one.id))
    for one in opened[:MOST]:
        kind, target = one.target.kind, str(one.target)
        labels = labelled(code=one.code, severity=one.severity.value, kind=kind, target=target)
        yield labels, one.first_seen


def _states(api: Api) -> Rows:
    """OSDs by state.

    osds -- OSDs by what the watch thinks of them.
    """
    counts, snapshot = dict.fromkeys(OsdState, 0), api.watch.osd_snapshot()
    for osd in api.osds():
        counts[snapshot.verdict(osd.id).state] += 1
    for state, count in counts.items():
        yield labelled(state=state.value), count


def _coverage(api: Api) -> Rows:
    """What was looked at: without it an absent finding means nothing.

    coverage_units -- OSDs, hosts, PGs or checks that there are to look at.
    coverage_looked -- Those of them that were looked at, at least in part; absent findings say
        nothing of the others.
    coverage_complete -- 1 if nothing of it could not be looked at, else 0.
    """
    for one in api.watch.coverage():
        yield labelled(look=one.name, unit=one.unit), one.total, one.looked, one.complete


def _latencies(api: Api) -> Rows:
    """The latency of every OSD by channel.

    osd_latency_seconds -- Mean latency in the newest frame.
    """
    channels = api.watch.osd_snapshot().latency
    for osd in api.osds():
        labels = _of_osd(osd)
        for channel, of_channel in channels.items():
            yield f'{labels},channel="{escaped(channel)}"', of_channel.get(osd.id)


def _osds(api: Api) -> Rows:
    """Every OSD.

    osd_slow -- 1 where the OSD is held to be slow, else 0.
    osd_latency_ratio -- Latency over what is expected, in its worst channel.
    osd_robust_z -- Robust z-score of its latency among its peers; positive is slower.
    osd_risk -- Severity times duration, for ranking only.
    osd_laggy_pg_seconds -- PG-seconds that its PGs were laggy, over the episodes kept.
    osd_checksum_ratio -- Share of its op threads' time spent on checksums of reads, 0 to 1.
    osd_checksum_bytes_per_second -- Bytes read from the device per second of checksum time.
    """
    snapshot, checksums = api.watch.osd_snapshot(), _checksums(api)
    laggy = {one.osd: one.laggy_pg_seconds for one in api.watch.laggy_groups()[1]}
    read = {one.osd.id: (one.share, one.rate) for one in checksums.osds} if checksums else {}
    for osd in api.osds():
        of = snapshot.verdict(osd.id)
        figures = of.state is OsdState.SLOW, of.ratio, of.robust_z, of.risk
        yield (_of_osd(osd), *figures, laggy.get(osd.id), *read.get(osd.id, (None, None)))


def _checksums(api: Api) -> Optional[ChecksumSnapshot]:
    """None while the facts of hosts are not read."""
    try:
        return api.crc.read()
    except PerfBenchError:
        return None


def _benches(api: Api) -> Rows:
    """The newest bench of every OSD.

    osd_bench_bytes_per_second -- Median write bandwidth in its newest bench.
    osd_bench_iops -- Median write operations per second in its newest bench.
    osd_bench_peers_ratio -- Result of its newest bench over the median of its peers.
    """
    newest = api.bench.results.newest()
    for osd in api.osds():
        if osd.id in newest:
            line, result = newest[osd.id]
            labels = f'{_of_osd(osd)},profile="{escaped(line.profile)}"'
            ratio = _ratio(result.percent_of_peers)
            yield labels, result.median_bytes_per_second, result.median_iops, ratio


def _of_osd(osd: Osd) -> str:
    name, class_ = f"osd.{osd.id}", osd.device_class or ""
    return labelled(ceph_daemon=name, hostname=osd.host, device_class=class_)


def _ratio(percent: Optional[float]) -> Optional[float]:
    return None if percent is None else percent / 100


def _errors(api: Api) -> Rows:
    """Links and media with errors, the most first.

    link_errors_total -- Errors that a link counts; at most 100, the most first.
    media_errors_total -- Errors that a disk or its OSD counts of its medium; at most 100, the
        most first.
    """
    checksums = _checksums(api)
    for kinds in (LINK_KINDS, MEDIA_COUNTS):
        # The paths of an NVMe drive have counters of their own and the same labels: their sum.
        counts: dict[str, int] = {}
        for one in checksums.errors if checksums else ():
            if one.kind in kinds:
                osd = "" if one.on.first is None else f"osd.{one.on.first}"
                device = one.phy or one.device or one.disk
                key = labelled(hostname=one.host, ceph_daemon=osd, device=device, kind=one.kind)
                counts[key] = counts.get(key, 0) + one.growth.newest
        for labels, count in sorted(counts.items(), key=lambda pair: -pair[1])[:MOST]:
            yield (labels, count, None) if kinds is LINK_KINDS else (labels, None, count)


def _laggy(api: Api) -> Rows:
    """Placement groups.

    pgs -- Placement groups in all.
    laggy_pgs -- Placement groups that are laggy.
    waiting_pgs -- Placement groups that wait for old leases.
    laggy_pg_seconds_total -- PG-seconds that placement groups were laggy.
    """
    now, total = api.watch.laggy_groups()[0], api.watch.detectors.laggy.laggy_pg_seconds
    groups = (None, None, None) if now.at is None else (now.pgs, now.laggy, now.wait)
    yield ("", *groups, total)


def _laggy_pools(api: Api) -> Rows:
    """Pools, the worst first.

    pool_laggy_pgs -- Placement groups of a pool that are laggy; at most 100 pools, the worst.
    pool_laggy_pg_seconds_total -- PG-seconds that placement groups of a pool were laggy; at
        most 100 pools, the worst.
    """
    now, _, pools, _ = api.watch.laggy_groups()
    for one in pools[:MOST]:
        laggy = None if now.at is None else one.laggy
        yield labelled(pool=one.pool), laggy, one.laggy_pg_seconds


def _rounds(api: Api) -> Rows:
    """Rounds by state.

    rounds -- Bench rounds in the store.
    """
    for state, count in _stored(api).counts.items():
        yield labelled(state=state), count


def _profiles(api: Api) -> Rows:
    """The newest round of each profile.

    round_end_timestamp_seconds -- When the newest bench round of a profile ended.
    round_bytes_per_second -- Median write bandwidth of an OSD in the newest round of a
        profile.
    round_iops -- Median write operations per second of an OSD in the newest round of a
        profile.
    round_cv_ratio -- Median coefficient of variation between repeats in the newest round of a
        profile.
    """
    for profile, line in sorted(api.bench.results.rounds.items())[:MOST]:
        figure = line.summary.get
        rate, iops = figure("median_bytes_per_second"), figure("median_iops")
        cv = _ratio(figure("median_cv_percent"))
        yield labelled(profile=profile), line.ended_at, rate, iops, cv


def _watch(api: Api) -> Rows:
    """The watch.

    watch_tick_timestamp_seconds -- When the watch last looked.
    watch_tick_cpu_seconds -- CPU time of that look.
    watch_frames_dropped_total -- Spans of 15 s that came too late to be judged, since this mgr
        is active.
    """
    stats = api.watch.tick_stats
    yield "", stats.looked_at, stats.cpu_seconds, api.watch.detectors.dropped


def _failures(api: Api) -> Rows:
    """Detectors.

    watch_detector_errors_total -- Looks and answers in which a detector failed, since this mgr
        is active; others went on.
    """
    for name, count in api.watch.detectors.failures.items():
        yield labelled(detector=name), count


def _cohorts(api: Api) -> Rows:
    """Cohorts.

    cohort_osds -- OSDs compared with each other; at most 100 cohorts.
    cohort_judged_osds -- Those that can be judged now.
    cohort_minimum_detectable_ratio -- The smallest constant slowdown that would be noticed
        among them.
    """
    for one in api.watch.cohorts()[:MOST]:
        labels = labelled(cohort=one.name)
        yield labels, one.members, one.judged, one.minimum_detectable_ratio


def _store_up(api: Api) -> Rows:
    """Whether the database answers.

    store_up -- 1 while the database answers, else 0.
    """
    stored = _stored(api)
    yield labelled(backend=stored.backend), stored.up


def _store(api: Api) -> Rows:
    """The size of the database, and its errors.

    store_errors_total -- What the database refused or did not answer, since this mgr is
        active.
    store_bytes -- Size of the database.
    store_free_bytes -- Unused bytes of the database.
    store_limit_bytes -- Bytes that the database may take.
    rounds_removed_total -- Rounds that retention has removed, since this mgr is active.
    """
    care = api.care
    used = (care.usage.bytes, care.usage.free) if care.usage else (None, None)
    yield ("", api.watch.journal.errors, *used, care.rules().bytes, care.removed)


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


# In the order in which they are told; without series of OSDs all but ``_OF_OSDS``.
_GROUPS = (
    _info, _findings, _worst_findings, _states, _coverage, _latencies, _osds, _benches, _errors,
    _laggy, _laggy_pools, _rounds, _profiles, _watch, _failures, _store_up, _cohorts, _store,
)  # fmt: skip
_OF_OSDS = (_latencies, _osds, _benches)


def printed(api: Api, no_osds: bool = False) -> str:
    """Print metrics for Prometheus."""
    return metrics(api, per_osd=not no_osds)


QUESTIONS = (Question("metrics", printed),)
