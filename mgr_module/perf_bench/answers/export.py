"""Whole rounds as files: JSON, CSV, OpenMetrics, HTML, the curve of a search for CBT, raw rows.

A file is made of parts, most of which have some hundred OSDs: a round of 10,000 OSDs is never in
memory as a whole where the parts are taken one by one.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable, NamedTuple, Optional

from ..bench.comparisons import Comparisons
from ..bench.stored_rounds import StoredRounds, Wanted
from ..core.clock import Clock
from ..errors import InvalidValue, PerfBenchError, StoreUnavailable
from ..model.json_fields import Json
from ..model.phrases import not_one_of
from ..model.plan import TOOLS
from ..model.round import OsdResult
from ..version import VERSION
from .budget import StoreBudget
from .comparing import comparison
from .documents import MOST_ROWS, page
from .live import Distribution, distribution
from .loads import Imported, LoadPoint
from .metrics_text import Exposition, Labels
from .round_document import Against, client_seconds, round_document
from .rounds import Round, RoundFile, Sample, sample, whole
from .shape import to_json
from .text import csv_text, iso, short_time

HTML, CBT = "html", "cbt"
FORMATS = ("json", "csv", "openmetrics", HTML, CBT)
# Rows of a table in a part of a raw export.
_RAW_ROWS = 2000
# For all reads of the database for a page.
_HTML_SECONDS = 10.0
_NO_OSD = Wanted(limit=0)
# Keys of a round that are read in pieces.
_ROWS = ("per_osd", "samples")
_SAMPLES = (
    "round", "profile", "target", "host", "class", "phase", "repeat", "wave", "started_at",
    "bytes", "block_size", "seconds", "call_seconds", "bytes_per_second", "iops", "valid", "why",
)  # fmt: skip
_SECONDS = (
    "round", "profile", "repeat", "client", "second", "operations", "bytes_per_second",
    "mean_latency",
)  # fmt: skip
_JOBS = (
    "round", "profile", "name", "operation", "seconds", "bytes", "bytes_per_second", "operations",
    "iops", "block_size", "mean_latency", "min_latency", "max_latency", "p50_latency",
    "p95_latency", "p99_latency",
)  # fmt: skip
# Name, help, field of an OSD's result, divisor of the value.
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
# Name, help, key of the summary.
_LOAD_SERIES = (
    ("load_bytes_per_second", "Bandwidth of all clients while all ran.", "median_bytes_per_second"),
    ("load_iops", "Operations per second of all clients while all ran.", "median_iops"),
    ("load_latency_seconds", "Mean latency of an operation.", "mean_latency"),
    ("load_spread_percent", "Coefficient of variation between repeats.", "spread_percent"),
)
# Name, help, field of a job.
_JOB_SERIES = (
    ("import_bytes_per_second", "Bandwidth as another tool reported it.", "bytes_per_second"),
    ("import_iops", "Operations per second as another tool reported them.", "iops"),
    ("import_latency_seconds", "Mean latency as another tool reported it.", "mean_latency"),
)
# Makes one part of a file.
Part = Callable[[], str]


class Piece(NamedTuple):
    """Some OSDs of a round: read their results, their samples."""

    per_osd: Callable[[], Iterable[OsdResult]]
    samples: Callable[[], Iterable[Sample]]


class RoundFiles:
    """``round export``, and its parts for the dashboard."""

    def __init__(
        self, stored: StoredRounds, comparisons: Comparisons, budget: StoreBudget, clock: Clock
    ) -> None:
        self._stored, self._comparisons = stored, comparisons
        self._budget, self._clock = budget, clock

    def text(self, round_id: int, as_: Optional[str], raw: bool) -> str:
        """A whole round as the text of a file; it is read by one call of the store."""
        format_ = _format(as_, raw)
        if raw:
            tables = self._stored.raw_tables(round_id)
            sizes = dict.fromkeys(tables, 0)
            made = raw_parts(sizes, lambda table, *_page: tables[table], _RAW_ROWS)
        elif format_ == HTML:
            return self._html(round_id)
        else:
            stored = self._stored.read(round_id, Wanted())
            piece = Piece(lambda: stored.results, lambda: map(sample, stored.samples))
            shape = whole(replace(stored, results=(), samples=()))
            made = parts(shape, [piece] if stored.pieces else (), format_)
        return "".join(make() for make in made)

    def part(self, round_id: int, as_: Optional[str], raw: bool, part: int) -> RoundFile:
        """One part of such a file, of ``parts``; the OSDs are in the order of their IDs.

        Each reads a piece of the round by calls of its own. Raises InvalidValue for another part.
        """
        made = self._parts(round_id, _format(as_, raw), raw)
        if not 0 <= part < len(made):
            raise InvalidValue(f"part {part} is not within 0 to {len(made) - 1}", field="part")
        return RoundFile(round_id, part, len(made), made[part]())

    def _parts(self, round_id: int, format_: str, raw: bool) -> Sequence[Part]:
        if raw:
            sizes = self._stored.raw_sizes(round_id)
            return raw_parts(sizes, functools.partial(self._stored.raw, round_id), _RAW_ROWS)
        if format_ == HTML:
            return [functools.partial(self._html, round_id)]
        stored = self._stored.read(round_id, _NO_OSD)
        pieces = [self._piece(round_id, osds) for osds in stored.pieces]
        return parts(whole(stored), pieces, format_)

    def _piece(self, round_id: int, osds: Sequence[int]) -> Piece:
        return Piece(
            lambda: self._stored.results(round_id, osds),
            lambda: map(sample, self._stored.samples(round_id, osds)),
        )

    # --- the report to forward -----------------------------------------------------------------

    def _html(self, round_id: int) -> str:
        """The round as a page for a browser, with the slowest of its OSDs."""
        with self._budget.within(_HTML_SECONDS):
            stored = self._stored.read(round_id, Wanted(MOST_ROWS, samples=False))
            if stored.round.plan.load is not None:
                stored = self._stored.read(round_id, Wanted(MOST_ROWS))
            shape = whole(stored)
            found, incomplete = self._distribution(shape) if stored.osds else (None, [])
            against = self._against_baseline(shape)
        fsid = stored.round.environment.get("fsid")
        cluster = f"cluster {fsid}, " if fsid else ""
        written = (
            f"{cluster}written {short_time(iso(self._clock.now()))} UTC by perf_bench {VERSION}"
        )
        document = round_document(shape, found, against, written)
        return page(replace(document, incomplete=[*document.incomplete, *incomplete]))

    def _distribution(self, of: Round) -> tuple[Optional[Distribution], list[str]]:
        """How the figures of all OSDs are distributed; or why it is not known."""
        try:
            return distribution(of.id, self._stored.distribution(of.id)), []
        except StoreUnavailable as error:
            return None, [f"the distribution of all OSDs could not be read: {error}"]

    def _against_baseline(self, of: Round) -> Against:
        if not of.state.ended:
            return Against(None, "a round that has not ended is not compared")
        if of.kind in TOOLS:
            return Against(None, f"rounds of kind {of.kind} have no baseline")
        try:
            baselines = {one.round.profile: one.round.id for one in self._comparisons.baselines()}
            baseline = baselines.get(of.profile)
            if baseline is None:
                return Against(None, f"{of.profile} has no baseline")
            if baseline == of.id:
                return Against(None, "this round is the baseline of its profile")
            found = self._comparisons.rounds(baseline, of.id)
        except PerfBenchError as error:
            return Against(None, f"not compared with the baseline: {error}", partial=True)
        return Against(comparison(found.comparison, MOST_ROWS))


def _format(as_: Optional[str], raw: bool) -> str:
    """The format's name. Raises InvalidValue with the valid names."""
    if raw and as_:
        raise InvalidValue("give either --as or --raw", field="raw")
    if as_ and as_ not in FORMATS:
        raise not_one_of("as", as_, FORMATS)
    return as_ or FORMATS[0]


# --- parts -----------------------------------------------------------------------------------


def parts(of: Round, pieces: Sequence[Piece], format_: str) -> Sequence[Part]:
    """The parts of a round's file, in order; its OSDs are in ``pieces``."""
    makers = {"json": _json, "csv": _as_csv, "openmetrics": _openmetrics, CBT: _cbt}
    return makers[format_](of, pieces)


def raw_parts(
    sizes: Mapping[str, int], rows: Callable[[str, int, int], Sequence[Json]], piece: int
) -> Sequence[Part]:
    """The parts of the JSON of a round's rows by table; ``rows`` gets a table, limit and offset."""
    made: list[Part] = []
    for table, size in sizes.items():
        pages = [
            functools.partial(rows, table, piece, offset)
            for offset in range(0, max(1, size), piece)
        ]
        made += _array(table, pages, "{" if not made else ",")
    return [*made, lambda: "\n}\n"]


def _json(of: Round, pieces: Sequence[Piece]) -> Sequence[Part]:
    shape = to_json(of)
    rows = {key: shape.pop(key) for key in _ROWS}
    if not pieces:
        return [lambda: json.dumps({**shape, **rows}, indent=2) + "\n"]
    made: list[Part] = [lambda: json.dumps(shape, indent=2)[:-2]]
    for key in _ROWS:
        made += _array(key, [getattr(piece, key) for piece in pieces], ",")
    return [*made, lambda: "\n}\n"]


def _array(key: str, pages: Sequence[Callable[[], Iterable[Any]]], before: str) -> list[Part]:
    """The parts of a JSON array of a row a line; one that is broken by a page has no comma."""

    def part(number: int) -> str:
        lines = [f"\n    {json.dumps(to_json(row))}" for row in pages[number]()]
        opening = f'{before}\n  "{key}": [' if number == 0 else "," if lines else ""
        return opening + ",".join(lines) + ("\n  ]" if number == len(pages) - 1 else "")

    return [functools.partial(part, number) for number in range(len(pages))]


def _as_csv(of: Round, pieces: Sequence[Piece]) -> Sequence[Part]:
    if of.load is not None:
        rows: Iterable[Json] = client_seconds(of)
        return [lambda: _table(_SECONDS, _of_round(of, rows))]
    if of.imported is not None:
        jobs = map(to_json, of.imported.jobs)
        return [lambda: _table(_JOBS, _of_round(of, jobs))]
    samples = [functools.partial(_samples_csv, of, piece) for piece in pieces]
    return [lambda: csv_text([_SAMPLES]), *samples]


def _samples_csv(of: Round, piece: Piece) -> str:
    hosts = {f"osd.{one.osd}": one for one in piece.per_osd()}
    rows = []
    for row in map(to_json, piece.samples()):
        where = hosts.get(row["target"])
        if where is not None:
            row.update({"host": where.host, "class": where.device_class})
        rows.append({**row, "valid": "true" if row["valid"] else "false"})
    return csv_text([row.get(column) for column in _SAMPLES] for row in _of_round(of, rows))


def _of_round(of: Round, rows: Iterable[Json]) -> Iterator[Json]:
    return ({"round": of.id, "profile": of.profile, **row} for row in rows)


def _table(columns: Sequence[str], rows: Iterable[Json]) -> str:
    cells = ([row.get(column) for column in columns] for row in rows)
    return csv_text(itertools.chain([columns], cells))


def _openmetrics(of: Round, pieces: Sequence[Piece]) -> Sequence[Part]:
    labels = {"round": str(of.id), "profile": of.profile}
    if of.load is None and of.imported is None:
        # A part is a metric of all OSDs, because the lines of a metric must be adjacent.
        series = [functools.partial(_osd_series, labels, pieces, *one) for one in _OSD_SERIES]
        return [*series, lambda: "# EOF\n"]
    out = Exposition()
    if of.load is not None:
        for name in ("pool", "operation", "clients", "threads"):
            labels[name] = str(getattr(of.load, name))
        for name, help_, key in _LOAD_SERIES:
            out.gauge(name, help_, [(labels, of.summary.get(key))])
    elif of.imported is not None:
        _job_series(out, labels, of.imported)
    return [lambda: f"{out.text()}# EOF\n"]


def _osd_series(
    labels: Labels, pieces: Sequence[Piece], name: str, help_: str, field: str, divisor: float
) -> str:
    """One metric of all OSDs."""
    series = []
    for one in itertools.chain.from_iterable(piece.per_osd() for piece in pieces):
        place = {
            "ceph_daemon": f"osd.{one.osd}",
            "hostname": one.host,
            "device_class": one.device_class or "",
        }
        value = getattr(one, field)
        series.append(({**labels, **place}, None if value is None else value / divisor))
    out = Exposition()
    out.gauge(name, help_, series)
    return out.text()


def _job_series(out: Exposition, labels: Labels, found: Imported) -> None:
    # Jobs of fio may share a name, and samples of OpenMetrics no labels.
    named = [
        {**labels, "job": str(number), "name": job.name, "operation": job.operation}
        for number, job in enumerate(found.jobs)
    ]
    for name, help_, field in _JOB_SERIES:
        out.gauge(name, help_, zip(named, (getattr(job, field) for job in found.jobs)))


# --- the curve of a search, for CBT ----------------------------------------------------------


def _cbt(of: Round, _pieces: Sequence[Piece]) -> Sequence[Part]:
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
    return [lambda: json.dumps(shape, indent=4) + "\n"]
