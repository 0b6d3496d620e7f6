"""A round as a document to forward: verdict, figures, pictures, comparison, environment."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

from ..model.json_fields import Json
from ..model.phrases import plural
from ..model.plan import MIB
from ..model.round import Change, Latency, Verdict
from .comparing import Comparison, signed
from .documents import Block, Document, Facts, Note, Section, Sign, Table, bounded
from .live import Distribution, WavePoint
from .loads import Imported, LoadPoint, Saturation, imported_text, load_text
from .pictures import Bar, Bars, Line, Lines, Range, Ranges
from .plans import step_text
from .rounds import Part, PartFigures, Round
from .text import duration, milliseconds, number, rate, short_time, shown, size

# OSDs whose change is drawn, repeats whose seconds are drawn, and reasons that are told.
_DRAWN, _REPEATS, _REASONS = 25, 8, 50
_LINES = (("high", "fastest"), ("median", "median"), ("low", "slowest"))
# Shown elsewhere in the document.
_ELSEWHERE = frozenset(("forced", "tolerated"))
_GOOD = {Change.WORSE: False, Change.BETTER: True, Change.SAME: True}


class Against(NamedTuple):
    """A round against its baseline: the answer to ``round compare``, or why there is none.

    ``partial``: there is a baseline, and the comparison could not be made.
    """

    comparison: Optional[Comparison]
    why: str = ""
    partial: bool = False


def round_document(
    of: Round, distribution: Optional[Distribution], against: Against, subtitle: str
) -> Document:
    """The document of a round with a page of its OSDs, slowest first.

    ``distribution`` is None where there are no OSDs, or it is not known.
    """
    ended = of.ended_at is not None
    incomplete = [] if ended else ["the round had not ended when this was written"]
    incomplete += [against.why] if against.partial else []
    sections = [
        Section("Verdict", _verdict(of)),
        Section("Figures", [*_figures(of), *_pictures(of, distribution)]),
        Section("Against the baseline", _against(against)),
        *_published(of),
        *_osds(of),
        *_clients(of),
        Section("What was measured", [_measured(of)]),
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


def _verdict(of: Round) -> list[Block]:
    took = "" if of.took_seconds is None else f", took {duration(of.took_seconds)}"
    resumed = f"{of.resumed} x after its mgr stopped" if of.resumed else ""
    reasons = [
        *[("because", reason) for reason in of.reasons],
        *[("conclusion", one.message) for one in of.conclusions],
        *[("started although", reason) for reason in of.forced],
        *[("health check tolerated", check) for check in of.tolerated],
    ]
    pairs = [
        ("state", of.state.value),
        ("verdict", of.verdict.value if of.verdict else ""),
        ("label", of.label),
        ("started", f"{short_time(of.started_at)} UTC{took}" if of.started_at else ""),
        ("ended", f"{short_time(of.ended_at)} UTC" if of.ended_at else ""),
        ("carried on", resumed),
        *reasons[:_REASONS],
    ]
    return [Facts(pairs), *_left_out(len(reasons), "reason")]


def _left_out(count: int, noun: str) -> list[Block]:
    """What is said below the first _REASONS of so many."""
    more = count - _REASONS
    return [Note(f"{plural(more, noun)} left out", partial=True)] if more > 0 else []


def _figures(of: Round) -> list[Block]:
    found = of.summary
    if of.imported is not None:
        return [_jobs(of.imported)]
    latencies = [
        (f"{name} latency", f"{milliseconds(found[f'{name}_latency'])} ms")
        for name in ("mean", "p50", "p95", "p99", "max")
        if found.get(f"{name}_latency") is not None
    ]
    whole = "all clients" if of.load is not None else "median OSD"
    pairs = [
        (f"bandwidth, {whole}", _with(rate(found.get("median_bytes_per_second")), "MiB/s")),
        (f"operations, {whole}", _with(number(found.get("median_iops"), 0), "IOPS")),
        *latencies,
        ("OSDs with figures", _of(found.get("osds_measured"), found.get("osds"))),
        ("repeats", shown(found.get("repeats", of.repeats))),
        ("median CV of an OSD", _with(number(found.get("median_cv_percent")), "%")),
        ("spread of repeats", _with(number(found.get("spread_percent")), "%")),
        ("precise to", _with(number(found.get("half_width_percent")), "%")),
        ("slowest", _slowest(found)),
    ]
    parts = [_parts(of.phases)] if of.phases else []
    searched = _search(of.saturation) if of.saturation else []
    return [Facts(pairs), *parts, *searched]


def _with(figure: str, unit: str) -> str:
    return "" if figure == "-" else f"{figure} {unit}"


def _of(count: Optional[int], total: Optional[int]) -> str:
    return "" if count is None or total is None else f"{count} of {total}"


def _slowest(found: Mapping[str, Any]) -> str:
    osd, percent = found.get("slowest_osd"), found.get("slowest_percent_of_peers")
    return "" if osd is None or percent is None else f"osd.{osd}, {number(percent, 0)} % of peers"


def _jobs(found: Imported) -> Table:
    rows = (
        [
            job.name,
            job.operation,
            size(job.block_size),
            number(job.seconds),
            rate(job.bytes_per_second),
            number(job.iops, 0),
            milliseconds(job.mean_latency),
            milliseconds(job.p99_latency),
            milliseconds(job.max_latency),
        ]
        for job in found.jobs
    )
    head = ["Job", "Does", "Block", "Seconds", "MiB/s", "IOPS", "Mean ms", "p99 ms", "Max ms"]
    return bounded(head, rows, len(found.jobs), "the first are shown", "job")


def _parts(phases: Sequence[Part]) -> Table:
    rows = [
        [
            part.name,
            str(len(part.osds)),
            *_operation(part.writes),
            *_operation(part.reads),
        ]
        for part in phases
    ]
    head = ["Phase", "OSDs", "Write MiB/s", "Write IOPS", "% of before"]
    return Table([*head, "Read MiB/s", "Read IOPS", "% of before"], rows)


def _operation(found: Optional[PartFigures]) -> tuple[str, str, str]:
    if found is None:
        return "-", "-", "-"
    return (
        rate(found.median_bytes_per_second),
        number(found.median_iops, 0),
        number(found.percent_of_before, 0),
    )


def _search(found: Saturation) -> list[Block]:
    rows = [
        [
            str(point.clients),
            str(point.threads),
            rate(point.bytes_per_second),
            number(point.iops, 0),
            milliseconds(point.mean_latency),
            milliseconds(point.p99_latency),
            found.is_(point),
        ]
        for point in found.curve
    ]
    head = ["Clients", "Threads", "MiB/s", "IOPS", "Mean ms", "p99 ms", "Is"]
    curve = sorted(found.curve, key=lambda point: int(point.in_flight))
    drawn = [
        _curve("Throughput", "MiB/s", curve, lambda point: point.bytes_per_second / MIB),
        _curve("Mean latency", "ms", curve, lambda point: 1000 * point.mean_latency),
    ]
    why = [Note(found.reason)] if found.reason else []
    return [*why, bounded(head, rows, len(rows), "the first are shown", "load"), *drawn]


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
    latency = found.latency
    pairs = [
        ("compared with", f"round {found.a}, the baseline of the profile"),
        ("verdict", found.verdict.value),
        ("change", "" if change is None else f"{change:+.1f} %"),
        ("95 % sure", "" if interval is None else f"{interval[0]:+.1f} to {interval[1]:+.1f} %"),
        ("counts from", _with(number(found.least_percent), "%")),
        ("latency", "" if latency is None else _latency(latency)),
        *[("because", why) for why in found.why[:_REASONS]],
        *[("differs", str(one)) for one in found.environment[:_REASONS]],
    ]
    blocks: list[Block] = [
        Facts(pairs),
        *_left_out(len(found.why), "reason"),
        *_left_out(len(found.environment), "difference"),
    ]
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
        rows = (
            [
                f"osd.{row.osd}",
                row.host,
                row.verdict.value,
                signed(row.change_percent),
                *map(signed, row.interval_percent or (None, None)),
            ]
            for row in found.per_osd
        )
        head = ["OSD", "Host", "Verdict", "Change %", "From %", "To %"]
        blocks.append(bounded(head, rows, found.osds, "worst first", "OSD"))
    return blocks


def _latency(found: Latency) -> str:
    low, high = found.interval_percent
    change = f"{found.change_percent:+.1f} %, {low:+.1f} to {high:+.1f} %"
    return f"{found.verdict.value}: {change}"


def _published(of: Round) -> list[Section]:
    notes = [Note(one.line) for one in of.context]
    return [Section("Beside published figures", notes)] if notes else []


def _osds(of: Round) -> list[Section]:
    if not of.per_osd:
        return []
    rows = (
        [
            f"osd.{row.osd}",
            row.host,
            shown(row.device_class),
            shown(row.model),
            rate(row.median_bytes_per_second),
            number(row.median_iops, 0),
            number(row.cv_percent),
            number(row.percent_of_peers, 0),
            str(row.samples),
        ]
        for row in of.per_osd
    )
    head = ["OSD", "Host", "Class", "Model", "MiB/s", "IOPS", "CV %", "% of peers", "Samples"]
    return [Section("OSDs", [bounded(head, rows, of.osds, "slowest against peers first", "OSD")])]


def _clients(of: Round) -> list[Section]:
    if not of.clients:
        return []
    rows = (
        [
            str(one.repeat),
            str(one.client),
            one.worker or "the mgr's host",
            rate(one.bytes_per_second),
            str(one.operations),
            milliseconds(one.mean_latency),
            milliseconds(one.max_latency),
        ]
        for one in of.clients
    )
    head = ["Repeat", "Client", "On", "MiB/s", "Operations", "Mean ms", "Max ms"]
    table = bounded(head, rows, len(of.clients), "the first are shown", "row")
    missing: list[Block] = [
        Note(f"repeat {one.repeat} was not measured: {one.why}", partial=True)
        for one in of.unmeasured[:_REASONS]
    ]
    missing += _left_out(len(of.unmeasured), "such repeat")
    return [Section("Clients", [*missing, table])]


def _measured(of: Round) -> Facts:
    if of.imported is not None:
        return Facts([("measured", imported_text(of.imported))])
    if of.load is not None:
        return Facts([("load", load_text(of.load))])
    return Facts(
        [
            ("OSDs", str(of.osds)),
            ("waves", str(len(of.waves))),
            ("sample", step_text(of.step)),
        ]
    )


def _environment(found: Mapping[str, Any]) -> list[Block]:
    rows = [row for row in _flat("", found) if row[0] not in _ELSEWHERE]
    if not rows:
        return [Note("nothing was recorded", partial=True)]
    return [bounded(["Name", "Value"], rows, len(rows), "the first are shown", "value")]


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
