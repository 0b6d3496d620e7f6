"""Whole rounds as files: JSON, CSV, OpenMetrics, HTML, the curve of a search for CBT, raw rows.

The HTML file has what ``round show`` tells, and pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

from ..bench.stored_rounds import Wanted
from ..errors import InvalidValue
from ..model.json_fields import Json, iso
from ..model.phrases import not_one_of
from ..model.plan import MIB
from ..model.rados import LoadPoint
from ..model.round import Distribution, Histogram, Verdict
from ..version import VERSION
from .api import Api
from .documents import MOST_ROWS, Html, Line, Sign, facts, page, picture, section, table
from .metrics import labelled, metric_lines
from .question import Question, RoundId
from .rounds import Round, round_facts, round_tables, whole
from .shape import to_json
from .text import csv_text, short_time

# For all reads of the database for a file.
_FILE_SECONDS = 10.0
# Name, help, key of what it is read from (an OSD's result, the summary), divisor.
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
# Told elsewhere in the document.
_ELSEWHERE = ("forced", "tolerated")


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


def distribution(api: Api, id_: RoundId) -> Distribution:
    """Show how the figures of all OSDs of a round are distributed."""
    return api.stored.distribution(id_)


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
    if of.imported is not None:
        yield from map(to_json, of.imported.jobs)
        return
    places = {f"osd.{one.osd}": (one.host, one.device_class) for one in of.per_osd}
    for one in of.samples:
        host, class_ = places.get(one.target, (None, None))
        valid = "true" if one.valid else "false"
        place = {"target": one.target, "host": host, "class": class_}
        yield {**place, **to_json(one), "valid": valid}


def _openmetrics(of: Round) -> str:
    if of.imported is not None:
        raise InvalidValue(
            f"round {of.id} was measured by {of.imported.tool}: --as openmetrics is for own rounds",
            field="as",
        )
    lines: list[str] = []
    for name, help_, key, divisor in _LOAD_SERIES if of.load else _OSD_SERIES:
        series = []
        for labels, row in _measured(of):
            value = row.get(key)
            place = labelled(round=str(of.id), profile=of.profile, **labels)
            series.append((place, None if value is None else value / divisor))
        lines += metric_lines(name, help_, series)
    return "".join(f"{line}\n" for line in [*lines, "# EOF"])


def _measured(of: Round) -> Iterator[tuple[Mapping[str, str], Mapping[str, Any]]]:
    """The figures of all clients or of each OSD, and their labels."""
    if of.load is not None:
        names = ("pool", "operation", "clients", "threads")
        yield {name: str(getattr(of.load, name)) for name in names}, of.summary
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
    return page(f"Round {of.id}: {of.profile}", subtitle, sections, sign, unended)


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
        lines = [
            Line(
                f"client {one.client} of repeat {one.repeat}",
                [(row[0], row[1]) for row in one.series],
            )
            for one in of.clients
        ]
        return [picture("Operations finished by each client", "operations", lines, "seconds")]
    if not of.osds:
        return []
    found = api.stored.distribution(of.id).histograms
    large = of.block_size >= MIB
    figure, unit = (found.bytes_per_second, "MiB/s") if large else (found.iops, "IOPS")
    return [
        _histogram(figure, "OSDs by their median", unit, MIB if large else 1),
        _histogram(found.percent_of_peers, "OSDs against the median of their peers", "% of peers"),
    ]


def _histogram(found: Optional[Histogram], title: str, unit: str, scale: float = 1) -> Html:
    """The outline of its bars."""
    if found is None:
        return Html("")
    ends = [(found.first + place) * found.width / scale for place in range(len(found.counts) + 1)]
    points: list[tuple[float, Optional[float]]] = [(ends[0], 0)]
    for begin, end, count in zip(ends, ends[1:], found.counts):
        points += [(begin, count), (end, count)]
    points.append((ends[-1], 0))
    return picture(title, "OSDs", [Line(f"all {found.count} OSDs", points)], unit)


QUESTIONS = (
    Question("round distribution", distribution, rest="GET round/ID/distribution"),
    Question("round export", text, rest="GET round/ID/file"),
)
