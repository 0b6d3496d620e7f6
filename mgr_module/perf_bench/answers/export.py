"""Whole rounds as files: JSON, CSV, OpenMetrics, HTML, the curve of a search for CBT, raw rows.

A file is made of parts, most of which have some hundred OSDs: a round of 10,000 OSDs is never in
memory as a whole where the parts are taken one by one. The HTML file has what ``round show`` and
``round compare`` with the baseline tell, and pictures.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Callable, NamedTuple, Optional

from ..bench.stored_rounds import Wanted
from ..errors import InvalidValue, PerfBenchError, StoreUnavailable
from ..model.json_fields import Json, iso
from ..model.phrases import not_one_of, plural
from ..model.plan import MIB, TOOLS, Imported
from ..model.rados import LoadPoint
from ..model.round import Change, Comparison, Histogram, OsdResult, Verdict, WavePoint
from ..store.sqlite import Store
from ..version import VERSION
from .api import Api
from .comparing import CHANGES, comparison_facts
from .documents import (
    MOST_ROWS,
    Bar,
    Bars,
    Block,
    Document,
    Facts,
    Line,
    Lines,
    Note,
    Range,
    Ranges,
    Section,
    Sign,
    bounded,
    page,
)
from .loads import CLIENTS, JOBS, curve, load_facts
from .metrics import labelled, metric_lines
from .question import Question, RoundId
from .rounds import (
    PER_OSD,
    Round,
    Sample,
    parts_columns,
    round_facts,
    sample,
    whole,
)
from .shape import copied, to_json
from .text import Column, columns_of, csv_text, number, rate, short_time, shown

HTML, CBT = "html", "cbt"
FORMATS = ("json", "csv", "openmetrics", HTML, CBT)
# Rows of a table in a part of a raw export.
_RAW_ROWS = 2000
# For all reads of the database for a file.
_FILE_SECONDS = 10.0
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
# OSDs whose change is drawn, repeats whose seconds are drawn, and reasons that are told.
_DRAWN, _REPEATS, _REASONS = 25, 8, 50
_LINES = (("high", "fastest"), ("median", "median"), ("low", "slowest"))
# Shown elsewhere in the document.
_ELSEWHERE = frozenset(("forced", "tolerated"))
_GOOD = {Change.WORSE: False, Change.BETTER: True, Change.SAME: True}
# Makes one part of a file.
MakesPart = Callable[[], str]


@dataclass(frozen=True)
class RoundFile:
    """A part of the file that 'round export' prints: all parts in order are the file.

    part -- From 0 on.
    """

    id: int
    part: int
    parts: int
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
    waves: Sequence[WavePoint]


class Piece(NamedTuple):
    """Some OSDs of a round: read their results, their samples."""

    per_osd: Callable[[], Iterable[OsdResult]]
    samples: Callable[[], Iterable[Sample]]


class Against(NamedTuple):
    """A round against its baseline: the answer to ``round compare``, or why there is none.

    ``partial``: there is a baseline, and the comparison could not be made.
    """

    comparison: Optional[Comparison]
    why: str = ""
    partial: bool = False


def text(api: Api, id_: RoundId, as_: Optional[str] = None, raw: bool = False) -> str:
    """Print a whole round as json, csv, openmetrics, html or cbt, or its rows with --raw."""
    format_ = _format(as_, raw)
    if raw:
        return api.store.call(lambda store: "".join(part() for part in _raw_parts(store, id_)))
    if format_ == HTML:
        return _html(api, id_)
    # Read by one call of the store.
    stored = api.stored.read(id_, Wanted())
    piece = Piece(lambda: stored.results, lambda: map(sample, stored.samples))
    shape = whole(replace(stored, results=(), samples=()))
    return "".join(part() for part in parts(shape, [piece] if stored.pieces else (), format_))


def file(
    api: Api, id_: RoundId, as_: Optional[str] = None, raw: bool = False, part: int = 0
) -> RoundFile:
    """Answer with a part of the file that 'round export' prints.

    Each reads a piece of the round by calls of its own. Raises InvalidValue for another part.
    """
    made = _parts(api, id_, _format(as_, raw), raw)
    if not 0 <= part < len(made):
        raise InvalidValue(f"part {part} is not within 0 to {len(made) - 1}", field="part")
    return RoundFile(id_, part, len(made), made[part]())


def distribution(api: Api, id_: RoundId) -> Distribution:
    """Show how the figures of all OSDs and waves of a round are distributed."""
    return copied(Distribution, api.stored.distribution(id_), id=id_)


def _parts(api: Api, round_id: int, format_: str, raw: bool) -> Sequence[MakesPart]:
    if raw:
        made = api.store.call(lambda store: _raw_parts(store, round_id))
        return [functools.partial(_on_store, api, part) for part in made]
    if format_ == HTML:
        return [functools.partial(_html, api, round_id)]
    stored = api.stored.read(round_id, _NO_OSD)
    pieces = [_piece(api, round_id, osds) for osds in stored.pieces]
    return parts(whole(stored), pieces, format_)


def _on_store(api: Api, part: MakesPart) -> str:
    return api.store.call(lambda _store: part())


def _piece(api: Api, round_id: int, osds: Sequence[int]) -> Piece:
    return Piece(
        lambda: api.stored.results(round_id, osds),
        lambda: map(sample, api.stored.samples(round_id, osds)),
    )


def _html(api: Api, round_id: int) -> str:
    """The round as a page for a browser, with the slowest of its OSDs."""
    with api.store.within(_FILE_SECONDS):
        stored = api.stored.read(round_id, Wanted(MOST_ROWS, samples=False))
        if stored.round.plan.load is not None:
            stored = api.stored.read(round_id, Wanted(MOST_ROWS))
        shape = whole(stored)
        found, incomplete = _distribution_of(api, shape) if stored.osds else (None, [])
        against = _against_baseline(api, shape)
    fsid = stored.round.environment.get("fsid")
    cluster = f"cluster {fsid}, " if fsid else ""
    written = f"{cluster}written {short_time(iso(api.clock.now()))} UTC by perf_bench {VERSION}"
    document = round_document(shape, found, against, written)
    return page(replace(document, incomplete=[*document.incomplete, *incomplete]))


def _against_baseline(api: Api, of: Round) -> Against:
    if not of.state.ended:
        return Against(None, "a round that has not ended is not compared")
    if of.kind in TOOLS:
        return Against(None, f"rounds of kind {of.kind} have no baseline")
    try:
        baselines = {one.round.profile: one.round.id for one in api.comparisons.baselines()}
        baseline = baselines.get(of.profile)
        if baseline is None:
            return Against(None, f"{of.profile} has no baseline")
        if baseline == of.id:
            return Against(None, "this round is the baseline of its profile")
        found = api.comparisons.rounds(baseline, of.id)
    except PerfBenchError as error:
        return Against(None, f"not compared with the baseline: {error}", partial=True)
    return Against(found)


def _distribution_of(api: Api, of: Round) -> tuple[Optional[Distribution], list[str]]:
    """How the figures of all OSDs are distributed; or why it is not known."""
    try:
        return distribution(api, of.id), []
    except StoreUnavailable as error:
        return None, [f"the distribution of all OSDs could not be read: {error}"]


def _format(as_: Optional[str], raw: bool) -> str:
    """The format's name. Raises InvalidValue with the valid names."""
    if raw and as_:
        raise InvalidValue("give either --as or --raw", field="raw")
    if as_ and as_ not in FORMATS:
        raise not_one_of("as", as_, FORMATS)
    return as_ or FORMATS[0]


# --- parts -----------------------------------------------------------------------------------


def parts(of: Round, pieces: Sequence[Piece], format_: str) -> Sequence[MakesPart]:
    """The parts of a round's file, in order; its OSDs are in ``pieces``."""
    makers = {"json": _json, "csv": _as_csv, "openmetrics": _openmetrics, CBT: _cbt}
    return makers[format_](of, pieces)


def _raw_parts(store: Store, round_id: int) -> Sequence[MakesPart]:
    """The parts of the JSON of a round's rows by table; to be made on the database's thread."""
    made: list[MakesPart] = []
    for table, size in store.raw_sizes(round_id).items():
        pages = [
            functools.partial(store.raw, round_id, table, _RAW_ROWS, offset)
            for offset in range(0, max(1, size), _RAW_ROWS)
        ]
        made += _array(table, pages, "{" if not made else ",")
    return [*made, lambda: "\n}\n"]


def _json(of: Round, pieces: Sequence[Piece]) -> Sequence[MakesPart]:
    shape = to_json(of)
    rows = {key: shape.pop(key) for key in _ROWS}
    if not pieces:
        return [lambda: json.dumps({**shape, **rows}, indent=2) + "\n"]
    made: list[MakesPart] = [lambda: json.dumps(shape, indent=2)[:-2]]
    for key in _ROWS:
        made += _array(key, [getattr(piece, key) for piece in pieces], ",")
    return [*made, lambda: "\n}\n"]


def _array(key: str, pages: Sequence[Callable[[], Iterable[Any]]], before: str) -> list[MakesPart]:
    """The parts of a JSON array of a row a line; one that is broken by a page has no comma."""

    def part(number: int) -> str:
        lines = [f"\n    {json.dumps(to_json(row))}" for row in pages[number]()]
        opening = f'{before}\n  "{key}": [' if number == 0 else "," if lines else ""
        return opening + ",".join(lines) + ("\n  ]" if number == len(pages) - 1 else "")

    return [functools.partial(part, number) for number in range(len(pages))]


def _as_csv(of: Round, pieces: Sequence[Piece]) -> Sequence[MakesPart]:
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


def _openmetrics(of: Round, pieces: Sequence[Piece]) -> Sequence[MakesPart]:
    labels = {"round": str(of.id), "profile": of.profile}
    if of.load is None and of.imported is None:
        # A part is a metric of all OSDs, because the lines of a metric must be adjacent.
        series = [functools.partial(_osd_series, labels, pieces, *one) for one in _OSD_SERIES]
        return [*series, lambda: "# EOF\n"]
    lines = _job_series(labels, of.imported) if of.imported else []
    if of.load is not None:
        for name in ("pool", "operation", "clients", "threads"):
            labels[name] = str(getattr(of.load, name))
        for name, help_, key in _LOAD_SERIES:
            lines += metric_lines(name, help_, [(labelled(**labels), of.summary.get(key))])
    return [lambda: "".join(f"{line}\n" for line in [*lines, "# EOF"])]


def _osd_series(
    labels: Mapping[str, str],
    pieces: Sequence[Piece],
    name: str,
    help_: str,
    field: str,
    divisor: float,
) -> str:
    """One metric of all OSDs."""
    series = []
    for one in itertools.chain.from_iterable(piece.per_osd() for piece in pieces):
        of_osd = labelled(
            **labels,
            ceph_daemon=f"osd.{one.osd}",
            hostname=one.host,
            device_class=one.device_class or "",
        )
        value = getattr(one, field)
        series.append((of_osd, None if value is None else value / divisor))
    return "".join(f"{line}\n" for line in metric_lines(name, help_, series))


def _job_series(labels: Mapping[str, str], found: Imported) -> list[str]:
    # Jobs of fio may share a name, and samples of OpenMetrics no labels.
    named = [
        labelled(**labels, job=str(number), name=job.name, operation=job.operation)
        for number, job in enumerate(found.jobs)
    ]
    lines: list[str] = []
    for name, help_, field in _JOB_SERIES:
        values = (getattr(job, field) for job in found.jobs)
        lines += metric_lines(name, help_, zip(named, values))
    return lines


def _cbt(of: Round, _pieces: Sequence[Piece]) -> Sequence[MakesPart]:
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


# --- the document ----------------------------------------------------------------------------


def round_document(
    of: Round, distribution: Optional[Distribution], against: Against, subtitle: str
) -> Document:
    """The document of a round with a page of its OSDs, slowest first.

    ``distribution`` is None where there are no OSDs, or it is not known.
    """
    ended = of.ended_at is not None
    incomplete = [] if ended else ["the round had not ended when this was written"]
    incomplete += [against.why] if against.partial else []
    verdict = of.verdict.value if of.verdict else ""
    told = [("state", of.state.value), ("verdict", verdict), *round_facts(of)]
    sections = [
        Section("Verdict", [Facts(told[:_REASONS]), *_left_out(len(told), "reason")]),
        Section("Figures", [*_figures(of), *_pictures(of, distribution)]),
        Section("Against the baseline", _against(against)),
        *_osds(of),
        *_clients(of),
        Section("Environment", _environment(of.environment)),
    ]
    title = f"Round {of.id}: {of.profile}"
    return Document(title, subtitle, sections, _signs(of, against), incomplete)


def _signs(of: Round, against: Against) -> list[Sign]:
    verdict = of.verdict
    signs = [Sign(verdict.value, verdict is Verdict.VALID) if verdict else Sign(of.state.value)]
    if against.comparison is not None:
        found, change = against.comparison.verdict, against.comparison.change_percent
        words = "" if change is None else f": {change:+.1f} %"
        signs.append(Sign(f"{found.value} against the baseline{words}", _GOOD.get(found)))
    return signs


def _left_out(count: int, noun: str) -> list[Block]:
    """What is said below the first _REASONS of so many."""
    more = count - _REASONS
    return [Note(f"{plural(more, noun)} left out", partial=True)] if more > 0 else []


def _figures(of: Round) -> Iterator[Block]:
    found = of.summary
    if of.imported is not None:
        jobs = of.imported.jobs
        yield bounded(JOBS, jobs, len(jobs), "the first are shown", "job")
        return
    yield Facts(load_facts(found) if of.load is not None else _osd_facts(of))
    if of.phases:
        yield bounded(parts_columns(of.phases), of.phases, len(of.phases), "", "phase")
    search = of.saturation
    if search is None:
        return
    if search.reason:
        yield Note(search.reason)
    yield bounded(curve(search), search.curve, len(search.curve), "the first are shown", "load")
    points = sorted(search.curve, key=lambda point: point.in_flight)
    yield _curve("Throughput", "MiB/s", points, lambda point: point.bytes_per_second / MIB)
    yield _curve("Mean latency", "ms", points, lambda point: 1000 * point.mean_latency)


def _osd_facts(of: Round) -> list[tuple[str, str]]:
    """The figures of a round of OSDs as pairs."""
    found = of.summary
    return [
        ("bandwidth, median OSD", _with(rate(found.get("median_bytes_per_second")), "MiB/s")),
        ("operations, median OSD", _with(number(found.get("median_iops"), 0), "IOPS")),
        ("OSDs with figures", f"{found.get('osds_measured', 0)} of {found.get('osds', of.osds)}"),
        ("repeats", shown(found.get("repeats", of.repeats))),
        ("median CV of an OSD", _with(number(found.get("median_cv_percent")), "%")),
        ("precise to", _with(number(found.get("half_width_percent")), "%")),
        ("slowest", _slowest(found)),
    ]


def _with(figure: str, unit: str) -> str:
    return "" if figure == "-" else f"{figure} {unit}"


def _slowest(found: Mapping[str, Any]) -> str:
    osd, percent = found.get("slowest_osd"), found.get("slowest_percent_of_peers")
    return "" if osd is None or percent is None else f"osd.{osd}, {number(percent, 0)} % of peers"


def _curve(
    title: str, unit: str, curve: Sequence[LoadPoint], value: Callable[[LoadPoint], float]
) -> Lines:
    points = [(float(point.in_flight), value(point)) for point in curve]
    return Lines(title, unit, [Line(title, points)], times=False, x_unit="operations in flight")


def _pictures(of: Round, found: Optional[Distribution]) -> Iterator[Block]:
    if of.load is not None and not of.saturation:
        yield from _seconds(of)
    if found is None:
        return
    figure, unit, scale = (
        ("bytes_per_second", "MiB/s", MIB) if of.block_size >= MIB else ("iops", "IOPS", 1)
    )
    for name, title, words, by in (
        (figure, "OSDs by their median", unit, scale),
        ("percent_of_peers", "OSDs against the median of their peers", "% of peers", 1),
    ):
        histogram = found.histograms.get(name)
        if histogram is not None:
            first, width = histogram.first, histogram.width / by
            bars = [
                Bar((first + place) * width, (first + place + 1) * width, count)
                for place, count in enumerate(histogram.counts)
            ]
            yield Bars(f"{title} ({plural(histogram.count, 'OSD')})", words, bars)
    yield from _waves(found.waves, figure, unit, scale)


def _waves(waves: Sequence[WavePoint], figure: str, unit: str, scale: float) -> Iterator[Block]:
    """The waves of each phase in the order of time."""
    phases = dict.fromkeys(wave.phase for wave in waves)
    for phase in itertools.islice(phases, _REPEATS):
        spans = [wave.spans.get(figure) for wave in waves if wave.phase == phase]
        if len(spans) > 1:
            lines = [
                Line(
                    f"{words} OSD of a wave",
                    [
                        (x, getattr(one, name) / scale if one else None)
                        for x, one in enumerate(spans, 1)
                    ],
                )
                for name, words in _LINES
            ]
            title = f"Waves of {phase}, in the order of time"
            yield Lines(title, unit, lines, times=False, x_unit="waves of all repeats")
    if len(phases) > _REPEATS:
        yield Note(f"{plural(len(phases) - _REPEATS, 'phase')} left out", partial=True)


def _seconds(of: Round) -> Iterator[Block]:
    """What all clients together did in each second of each repeat."""
    sums: dict[int, dict[int, float]] = {}
    for row in client_seconds(of):
        repeat = sums.setdefault(row["repeat"], {})
        second = round(row["second"])
        repeat[second] = repeat.get(second, 0.0) + row["bytes_per_second"] / MIB
    lines = [
        Line(f"repeat {repeat}", sorted(values.items()))
        for repeat, values in itertools.islice(sorted(sums.items()), _REPEATS)
    ]
    if lines:
        title = "All clients together, second by second"
        if len(sums) > len(lines):
            title += f" (the first {len(lines)} of {len(sums)} repeats)"
        yield Lines(title, "MiB/s", lines, times=False, x_unit="seconds")


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


def _against(against: Against) -> list[Block]:
    found = against.comparison
    if found is None:
        return [Note(against.why, against.partial)]
    change, interval = found.change_percent, found.interval_percent
    pairs = [
        ("compared with", f"round {found.a}, the baseline of the profile"),
        ("verdict", found.verdict.value),
        ("95 % sure", "" if interval is None else f"{interval[0]:+.1f} to {interval[1]:+.1f} %"),
        ("counts from", _with(number(found.least_percent), "%")),
        *comparison_facts(found),
        *[("differs", str(one)) for one in found.environment],
    ]
    blocks: list[Block] = [Facts(pairs[:_REASONS]), *_left_out(len(pairs), "difference")]
    ranges = [Range("all", change, *interval)] if change is not None and interval else []
    ranges += [
        Range(f"osd.{row.osd}", row.change_percent, *row.interval_percent)
        for row in found.per_osd[:_DRAWN]
        if row.change_percent is not None and row.interval_percent
    ]
    if ranges:
        title = "Change with its 95 % interval, OSDs with the worst first"
        if found.osds > _DRAWN:
            title += f" (the first {_DRAWN} of {found.osds})"
        blocks.append(Ranges(title, ranges, found.least_percent))
    if found.per_osd:
        blocks.append(bounded(CHANGES, found.per_osd, found.osds, "worst first", "OSD"))
    return blocks


def _osds(of: Round) -> list[Section]:
    if not of.per_osd:
        return []
    return [
        Section(
            "OSDs", [bounded(PER_OSD, of.per_osd, of.osds, "slowest against peers first", "OSD")]
        )
    ]


def _clients(of: Round) -> list[Section]:
    if not of.clients:
        return []
    missing = [
        Note(f"repeat {one.repeat} was not measured: {one.why}", partial=True)
        for one in of.unmeasured[:_REASONS]
    ]
    columns = (*CLIENTS, Column("ON", lambda one: one.worker or "the mgr's host", "word"))
    rows = bounded(columns, of.clients, len(of.clients), "the first are shown", "row")
    left_out = _left_out(len(of.unmeasured), "such repeat")
    return [Section("Clients", [*missing, *left_out, rows])]


def _environment(found: Mapping[str, Any]) -> list[Block]:
    rows = [row for row in _flat("", found) if row[0] not in _ELSEWHERE]
    if not rows:
        return [Note("nothing was recorded", partial=True)]
    columns = columns_of(("Name", "Value"), words=2)
    return [bounded(columns, rows, len(rows), "the first are shown", "value")]


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Nested values by names such as "settings.left"."""
    if isinstance(value, Mapping) and value:
        for key, one in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), one)
    elif isinstance(value, (list, tuple)) and any(isinstance(one, Mapping) for one in value):
        for place, one in enumerate(value, 1):
            yield from _flat(f"{name} {place}", one)
    elif isinstance(value, (list, tuple)):
        yield name, ", ".join(map(str, value)) or "-"
    elif isinstance(value, str):
        yield name, value
    else:
        yield name, json.dumps(value)


QUESTIONS = (
    Question("round distribution", distribution, rest="GET round/ID/distribution"),
    Question("round export", text),
    Question("round file", file, rest="GET round/ID/file"),
)
