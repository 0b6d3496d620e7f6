"""Whole rounds as files: JSON, CSV, OpenMetrics, HTML, the curve of a search for CBT, raw rows.

The HTML file has what ``round show`` tells, and pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Optional

from ..bench.stored_rounds import Wanted
from ..errors import InvalidValue
from ..model.json_fields import Json, iso
from ..model.phrases import not_one_of
from ..model.plan import MIB
from ..model.rados import LoadPoint
from ..model.round import Histogram, Verdict
from ..version import VERSION
from .api import Api
from .documents import MOST_ROWS, Html, Line, Sign, facts, page, picture, section, table
from .metrics import labelled, metric_lines
from .question import Question, RoundId
from .rounds import Round, round_facts, round_tables, whole
from .shape import copied, to_json
from .text import csv_text, short_time

# For all reads of the database for a file.
_FILE_SECONDS = 10.0
# Name, help, key of what it is read from (an OSD's result, the summary, a job), divisor.
_OSD_SERIES = (
    ("round_osd_bytes_per_second", "Median write bandwidth of an OSD in a round.",
     "median_bytes_per_second", 1),
    ("round_osd_iops", "Median write operations per second of an OSD in a round.",
     "median_iops", 1),
    ("round_osd_peers_ratio", "Result of an OSD in a round over the median of its peers.",
     "percent_of_peers", 100),
    ("round_osd_cv_ratio", "Coefficient of variation between an OSD's repeats in a round.",
     "cv_percent", 100),
)  # fmt: skip
_LOAD_SERIES = (
    ("load_bytes_per_second", "Bandwidth of all clients while all ran.",
     "median_bytes_per_second", 1),
    ("load_iops", "Operations per second of all clients while all ran.", "median_iops", 1),
    ("load_latency_seconds", "Mean latency of an operation.", "mean_latency", 1),
    ("load_spread_percent", "Coefficient of variation between repeats.", "spread_percent", 1),
)  # fmt: skip
_JOB_SERIES = (
    ("import_bytes_per_second", "Bandwidth as another tool reported it.", "bytes_per_second", 1),
    ("import_iops", "Operations per second as another tool reported them.", "iops", 1),
    ("import_latency_seconds", "Mean latency as another tool reported it.", "mean_latency", 1),
)
# Told elsewhere in the document.
_ELSEWHERE = ("forced", "tolerated")


@dataclass(frozen=True)
class RoundFile:
    """The file that 'round export' prints."""

    id: int
    text: str


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
    histograms: Annotated[Mapping[str, Any], Histograms]


def text(api: Api, id_: RoundId, as_: Optional[str] = None, raw: bool = False) -> str:
    """Print a whole round as json, csv, openmetrics, html or cbt, or its rows with --raw."""
    if raw and as_:
        raise InvalidValue("give either --as or --raw", field="raw")
    if as_ and as_ not in _FORMATS:
        raise not_one_of("as", as_, _FORMATS)
    with api.store.within(_FILE_SECONDS):
        if raw:
            return f"{json.dumps(api.store.call(lambda store: store.raw(id_)))}\n"
        if as_ == "html":
            return _html(api, id_)
        return written(whole(api.stored.read(id_, Wanted())), as_ or "json")


def file(api: Api, id_: RoundId, as_: Optional[str] = None, raw: bool = False) -> RoundFile:
    """Answer with the file that 'round export' prints."""
    return RoundFile(id_, text(api, id_, as_, raw))


def distribution(api: Api, id_: RoundId) -> Distribution:
    """Show how the figures of all OSDs of a round are distributed."""
    return copied(Distribution, api.stored.distribution(id_), id=id_)


def written(of: Round, format_: str) -> str:
    """A round with all its rows in one of the formats for programs."""
    return _FOR_PROGRAMS[format_](of)


def _json(of: Round) -> str:
    return f"{json.dumps(to_json(of))}\n"


def _csv(of: Round) -> str:
    about = {"round": of.id, "profile": of.profile}
    rows = [{**about, **row} for row in _csv_rows(of)]
    return csv_text([[*row] for row in rows[:1] or [about]] + [[*row.values()] for row in rows])


def _csv_rows(of: Round) -> Iterator[Json]:
    if of.load is not None:
        yield from client_seconds(of)
    elif of.imported is not None:
        yield from map(to_json, of.imported.jobs)
    else:
        places = {f"osd.{one.osd}": (one.host, one.device_class) for one in of.per_osd}
        for one in of.samples:
            host, class_ = places.get(one.target, (None, None))
            valid = "true" if one.valid else "false"
            place = {"target": one.target, "host": host, "class": class_}
            yield {**place, **to_json(one), "valid": valid}


def client_seconds(of: Round) -> Iterator[Json]:
    """A row for each second of each client."""
    block = of.load.size if of.load else 0
    for client in of.clients:
        before: float = 0
        waited = 0.0
        for second, finished, mean in client.series:
            if second > 0:
                done, total = finished - before, finished * mean
                yield {
                    "repeat": client.repeat,
                    "client": client.client,
                    "second": second,
                    "operations": done,
                    "bytes_per_second": done * block,
                    "mean_latency": max(0.0, total - waited) / done if done else None,
                }
                before, waited = finished, total


def _openmetrics(of: Round) -> str:
    lines: list[str] = []
    for name, help_, key, divisor in _series_of(of):
        series = []
        for labels, row in _measured(of):
            value = row.get(key)
            place = labelled(round=str(of.id), profile=of.profile, **labels)
            series.append((place, None if value is None else value / divisor))
        lines += metric_lines(name, help_, series)
    return "".join(f"{line}\n" for line in [*lines, "# EOF"])


def _series_of(of: Round) -> Sequence[tuple[str, str, str, int]]:
    if of.load is not None:
        return _LOAD_SERIES
    return _OSD_SERIES if of.imported is None else _JOB_SERIES


def _measured(of: Round) -> Iterator[tuple[Mapping[str, str], Mapping[str, Any]]]:
    """The figures of all clients, of each job or of each OSD, and their labels."""
    if of.load is not None:
        names = ("pool", "operation", "clients", "threads")
        yield {name: str(getattr(of.load, name)) for name in names}, of.summary
    # Jobs of fio may share a name, and samples of OpenMetrics no labels.
    for number, job in enumerate(of.imported.jobs if of.imported else ()):
        labels = {"job": str(number), "name": job.name, "operation": job.operation}
        yield labels, vars(job)
    for one in of.per_osd:
        place = {"ceph_daemon": f"osd.{one.osd}", "hostname": one.host}
        yield {**place, "device_class": one.device_class or ""}, vars(one)


def _cbt(of: Round) -> str:
    """The curve in CBT's common format, of which its comparison reports are made.

    The format is that of ``post_processing/formatter`` of github.com/ceph/cbt: by operations in
    flight the figures as texts, latencies in nanoseconds, and the two maxima with the latency there
    in milliseconds. What a round does not measure (``std_deviation``, ``io_bytes``, ``total_ios``)
    is left out; CBT needs the first for error bars only.
    """
    if of.load is None or of.saturation is None or not of.saturation.curve:
        raise InvalidValue(
            f"round {of.id} has no curve: --as cbt is for rounds of rados-saturate", field="as"
        )
    best: dict[int, LoadPoint] = {}
    for point in of.saturation.curve:
        other = best.get(point.in_flight)
        if other is None or point.bytes_per_second > other.bytes_per_second:
            best[point.in_flight] = point
    shape: Json = {
        str(in_flight): {
            "bandwidth_bytes": str(point.bytes_per_second),
            "blocksize": str(of.load.size),
            "iops": str(point.iops),
            "latency": str(1e9 * point.mean_latency),
            "number_of_jobs": str(point.clients),
            "runtime_seconds": str(of.load.seconds),
        }
        for in_flight, point in sorted(best.items())
    }
    # All operations have one size, so both maxima are of the same point.
    peak = max(best.values(), key=lambda point: point.bytes_per_second)
    shape.update(
        maximum_bandwidth=str(peak.bytes_per_second),
        latency_at_max_bandwidth=str(1000 * peak.mean_latency),
        maximum_iops=str(peak.iops),
        latency_at_max_iops=str(1000 * peak.mean_latency),
    )
    return f"{json.dumps(shape, indent=4)}\n"


_FOR_PROGRAMS = {"json": _json, "csv": _csv, "openmetrics": _openmetrics, "cbt": _cbt}
_FORMATS = ("json", "csv", "openmetrics", "html", "cbt")


# --- the document ----------------------------------------------------------------------------


def _html(api: Api, round_id: int) -> str:
    """The round as a page for a browser, with the slowest of its OSDs."""
    of = whole(api.stored.read(round_id, Wanted(MOST_ROWS)))
    fsid = of.environment.get("fsid")
    cluster = f"cluster {fsid}, " if fsid else ""
    written_at = f"written {short_time(iso(api.clock.now()))} UTC by perf_bench {VERSION}"
    return round_page(of, f"{cluster}{written_at}", _pictures(api, of))


def round_page(of: Round, subtitle: str, pictures: Iterable[Html] = ()) -> str:
    """The page of a round with some of its OSDs."""
    verdict = of.verdict
    sign = Sign(verdict.value, verdict is Verdict.VALID) if verdict else Sign(of.state.value)
    told = [
        ("state", of.state.value),
        ("verdict", verdict.value if verdict else ""),
        *round_facts(of),
        *[("not measured", f"repeat {one.repeat}: {one.why}") for one in of.unmeasured],
    ]
    environment = [
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in of.environment.items()
        if name not in _ELSEWHERE
    ]
    sections = [
        section("Verdict", facts(told)),
        *pictures,
        *[
            section(title, table(columns, rows, of.osds if rows is of.per_osd else 0))
            for title, columns, rows in round_tables(of)
        ],
        section("Environment", facts(environment)),
    ]
    unended = [] if of.state.ended else ["the round had not ended when this was written"]
    return page(f"Round {of.id}: {of.profile}", subtitle, sections, [sign], unended)


def _pictures(api: Api, of: Round) -> list[Html]:
    if of.saturation is not None:
        curve = sorted(of.saturation.curve, key=lambda point: point.in_flight)
        rates = [(float(one.in_flight), one.bytes_per_second / MIB) for one in curve]
        waits = [(float(one.in_flight), 1000 * one.mean_latency) for one in curve]
        flight = "operations in flight"
        return [
            picture("Throughput", "MiB/s", [Line("throughput", rates)], flight),
            picture("Mean latency", "ms", [Line("mean latency", waits)], flight),
        ]
    if of.load is not None:
        return [_seconds(of)]
    if not of.osds:
        return []
    found = distribution(api, of.id).histograms
    figure, unit, scale = (
        ("bytes_per_second", "MiB/s", MIB) if of.block_size >= MIB else ("iops", "IOPS", 1)
    )
    peers = found.get("percent_of_peers")
    return [
        _histogram(found.get(figure), "OSDs by their median", unit, scale),
        _histogram(peers, "OSDs against the median of their peers", "% of peers", 1),
    ]


def _histogram(found: Optional[Histogram], title: str, unit: str, scale: float) -> Html:
    """The outline of its bars."""
    if found is None:
        return Html("")
    ends = [(found.first + place) * found.width / scale for place in range(len(found.counts) + 1)]
    points: list[tuple[float, Optional[float]]] = [(ends[0], 0)]
    for begin, end, count in zip(ends, ends[1:], found.counts):
        points += [(begin, count), (end, count)]
    points.append((ends[-1], 0))
    return picture(title, "OSDs", [Line(f"all {found.count} OSDs", points)], unit)


def _seconds(of: Round) -> Html:
    """What all clients together did in each second of each repeat."""
    sums: dict[int, dict[int, float]] = {}
    for row in client_seconds(of):
        repeat = sums.setdefault(row["repeat"], {})
        second = round(row["second"])
        repeat[second] = repeat.get(second, 0.0) + row["bytes_per_second"] / MIB
    lines = [Line(f"repeat {one}", sorted(sums[one].items())) for one in sorted(sums)]
    return picture("All clients together, second by second", "MiB/s", lines, "seconds")


QUESTIONS = (
    Question("round distribution", distribution, rest="GET round/ID/distribution"),
    Question("round export", text),
    Question("round file", file, rest="GET round/ID/file"),
)
