"""The report of a time as a document: findings, rounds, trends, changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Optional

from ..model.json_fields import Json
from ..model.phrases import osd_names, plural
from ..model.plan import MIB
from ..model.statistics import median
from .documents import Block, Document, Facts, Note, Section, Sign, Table, bounded
from .pictures import Line, Lines
from .text import NOTHING, duration, minute, number, rate

# The parts of the time that are compared with each other: its first and its last quarter.
_PART = 4
# Device classes that are drawn.
_GROUPS = 8
_CHANNELS_NOTE = (
    "Median and 99th percentile of the OSDs' mean latencies, the first quarter of the time that is "
    "known against its last. Not at equal load: findings of drift are."
)


def period_document(shape: Json) -> Document:
    """The document of a report (``api.period``)."""
    findings, incomplete = shape["findings"], shape["incomplete"]
    count = findings["open"]
    ends = _unix_seconds(shape["from"]), _unix_seconds(shape["to"])
    good = False if count else None if incomplete else True
    nothing = "no open findings" + (" in what was looked at" if incomplete else "")
    sections = [
        Section("Findings", _findings(findings)),
        Section("Rounds", _rounds(shape["rounds"])),
        Section("Latency", _latency(shape["trends"]["latency"], ends)),
        Section("Trends of rounds", _profiles(shape["trends"]["profiles"])),
        Section("Changes", _changes(shape["changes"])),
    ]
    return Document(
        f"Ceph performance, {shape['from'][:10]} to {shape['to'][:10]}",
        f"{minute(shape['from'])} to {minute(shape['to'])} UTC, Ceph {shape['release']}, "
        f"perf_bench {shape['version']}, cluster {shape['fsid']}",
        sections,
        [Sign(plural(count, "open finding") if count else nothing, good)],
        incomplete,
    )


def _findings(found: Json) -> list[Block]:
    counts = [("open now", "open"), ("began in this time", "opened"), ("closed", "closed")]
    facts = Facts([(words, str(found[key])) for words, key in counts])
    if not found["rows"]:
        return [facts]
    rows = (
        [
            str(one["id"]),
            one["severity"],
            one["state"],
            one["code"],
            one["message"],
            minute(one["first_seen"]),
            minute(one["closed_at"]),
            one["acknowledged"]["text"] if one["acknowledged"] else "",
        ]
        for one in found["rows"]
    )
    head = ["ID", "Severity", "State", "Code", "What", "Since (UTC)", "Closed (UTC)", "Note"]
    total = len(found["rows"]) + found["left_out"]
    return [facts, bounded(head, rows, total, "open ones first, worst first", "finding")]


def _rounds(found: Json) -> list[Block]:
    verdicts = ", ".join(f"{count} {word}" for word, count in sorted(found["verdicts"].items()))
    facts = Facts([("rounds", str(found["total"])), ("of these", verdicts)])
    if not found["rows"]:
        return [facts]
    rows = (
        [
            str(one["id"]),
            one["profile"],
            one["verdict"] or one["state"],
            minute(one["started_at"]),
            "" if one["took_seconds"] is None else duration(one["took_seconds"]),
            _figure(one["summary"], one["block_size"]),
            one["label"],
        ]
        for one in found["rows"]
    )
    head = ["ID", "Profile", "Verdict", "Started (UTC)", "Took", "Median", "Label"]
    total = len(found["rows"]) + found["left_out"]
    return [facts, bounded(head, rows, total, "newest first", "round")]


def _figure(summary: Json, block_size: int) -> str:
    if summary.get("median_iops") is None:
        return ""
    if block_size >= MIB:
        return f"{rate(summary['median_bytes_per_second'])} MiB/s"
    return f"{number(summary['median_iops'], 0)} IOPS"


def _latency(trends: Sequence[Json], ends: tuple[float, float]) -> list[Block]:
    """A row is [unix seconds, OSDs, median, 95th and 99th percentile in ms]."""
    known = [one for one in trends if one["rows"]]
    if not known:
        return [Note("no latencies were recorded in this time", partial=True)]
    rows = []
    for one in known:
        quarter = max(1, len(one["rows"]) // _PART)
        first, last = one["rows"][:quarter], one["rows"][-quarter:]
        cells = [one["channel"], one["group"] or "all OSDs", str(one["rows"][-1][1])]
        for place in (2, 4):
            was, now = (median([row[place] for row in part]) for part in (first, last))
            several = len(one["rows"]) > 1
            cells += [number(was, 2), number(now, 2), _change(was, now) if several else NOTHING]
        rows.append(cells)
    head = ["Channel", "OSDs", "Number", "Median ms, first", "Last", "Change", "p99 ms, first"]
    table = bounded([*head, "Last", "Change"], rows, len(rows), "the first are shown", "row")
    drawn = [
        _drawn(channel, [one for one in known if one["channel"] == channel], ends)
        for channel in dict.fromkeys(one["channel"] for one in known)
    ]
    return [Note(_CHANNELS_NOTE), table, *drawn]


def _drawn(channel: str, groups: Sequence[Json], ends: tuple[float, float]) -> Lines:
    title = f"{channel} latency: the median OSD by device class"
    if len(groups) > _GROUPS:
        title += f" (the first {_GROUPS} of {len(groups)})"
    lines = [Line(one["group"] or "all OSDs", _with_gaps(one["rows"])) for one in groups[:_GROUPS]]
    return Lines(title, "ms", lines, ends=ends)


def _with_gaps(rows: Sequence[Sequence[float]]) -> list[tuple[float, Optional[float]]]:
    """The medians over time, with a gap where some are missing."""
    steps = [after[0] - before[0] for before, after in zip(rows, rows[1:])]
    usual = median(steps) if steps else 0.0
    points: list[tuple[float, Optional[float]]] = []
    for row, step in zip(rows, [*steps, 0.0]):
        points.append((row[0], row[2]))
        if step > 2 * usual:
            points.append((row[0] + usual, None))
    return points


def _change(was: float, now: float) -> str:
    return f"{100 * (now / was - 1):+.0f} %" if was > 0 else NOTHING


def _profiles(histories: Sequence[Json]) -> list[Block]:
    if not histories:
        return [Note("no rounds in this time")]
    rows = [_trend(one) for one in histories]
    head = ["Profile", "Comparable rounds", "First", "Last", "Baseline", "Level changed"]
    blocks: list[Block] = [Table(head, rows)]
    for one in histories:
        regression = one["regression"]
        blocks += [Note(regression["message"])] if regression else []
        if len(one["points"]) > 1:
            blocks.append(_history(one))
    return blocks


def _trend(one: Json) -> list[str]:
    points = one["points"]
    changes = [
        f"{change['change_percent']:+.1f} % from round {change['round']} on{_explained(change)}"
        for change in one["changes"]
    ]
    baseline = "" if one["baseline"] is None else f"round {one['baseline']}"
    ends = [_point(point, one["block_size"]) for point in (points[0], points[-1])] if points else []
    first, last = ends or [NOTHING, NOTHING]
    none = "not known" if one["least_percent"] is None else "no"
    return [one["profile"], str(len(points)), first, last, baseline, "; ".join(changes) or none]


def _explained(change: Json) -> str:
    why = "; ".join(
        f"{one['name']}: {one['was']} -> {one['now']}" for one in change["explained_by"]
    )
    return f" ({why})" if why else ""


def _point(point: Json, block_size: int) -> str:
    return _figure(
        {"median_bytes_per_second": point["bytes_per_second"], "median_iops": point["iops"]},
        block_size,
    )


def _history(one: Json) -> Lines:
    large = one["block_size"] >= MIB

    def value(point: Json) -> float:
        return float(point["bytes_per_second"] / MIB if large else point["iops"])

    points = [(_unix_seconds(point["at"]), value(point)) for point in one["points"]]
    return Lines(one["profile"], "MiB/s" if large else "IOPS", [Line("median of a round", points)])


def _unix_seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _changes(found: Json) -> list[Block]:
    if not found["events"]:
        return [Note("none are known" if found["configuration"] != "told" else "none")]
    rows = ([minute(one["at"]), *_event(one)] for one in found["events"])
    return [bounded(["When (UTC)", "What"], rows, len(found["events"]), "newest first", "change")]


def _event(one: Json) -> list[str]:
    if one["kind"] == "config":
        return [f"{one['name']}: {_setting(one['before'])} -> {_setting(one['after'])}"]
    more = one["osds_left_out"]
    names = [osd_names(one["osds"])] if one["osds"] else []
    names += [f"{plural(more, 'OSD')} that {'is' if more == 1 else 'are'} not named"] * bool(more)
    return [f"{' and '.join(names)} {'restarted' if one['kind'] == 'restart' else 'went down'}"]


def _setting(value: Optional[Any]) -> str:
    return "not set" if value is None else str(value)
