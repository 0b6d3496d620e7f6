"""``ceph perf-bench report``: what happened in a time, as a file to forward."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Optional

from ..errors import InvalidValue
from ..model.finding import FindingState
from ..model.history import DAY, HOUR
from ..model.json_fields import Json, iso
from ..model.phrases import not_one_of, osd_names, parse_duration, plural
from ..model.statistics import median
from ..version import VERSION
from ..watch.findings import CLOSED_KEPT
from . import status
from .api import Api
from .cluster import MOST_EVENTS, Event, trends
from .documents import MOST_ROWS, Html, Line, Sign, facts, note, page, picture, section, table
from .findings import FINDINGS, worst_first
from .question import NO_CONFIGURATION, Allowed, Question
from .rounds import ROUNDS, round_line
from .shape import to_json
from .text import Column, minute

FORMATS = ("html", "json")
# Kinds of events that changed something.
_CHANGES = ("restart", "down", "config")
_SINCE, _LEAST, _MOST = "30d", HOUR, 30 * DAY
# Rounds that are looked through, and seconds for all reads of the database. Findings of before
# are waited for 3 s more.
_ROUNDS, _SECONDS = 500, 6.5
# From which share of its hours the past of the cluster is called known.
_KNOWN = 0.95
_CHANNELS_NOTE = (
    "Median and 99th percentile of the OSDs' mean latencies, over the time that is known. Not at "
    "equal load: findings of drift are."
)


def text(
    api: Api, since: Optional[str] = None, as_: Optional[str] = None, config: Allowed = True
) -> str:
    """Print what happened in --since 30d as html or json: findings, rounds, latencies, changes.

    ``config`` says whether changes of the configuration may be told.

    Raises InvalidValue.
    """
    format_ = as_ or FORMATS[0]
    if format_ not in FORMATS:
        raise not_one_of("as", format_, FORMATS)
    with api.store.within(_SECONDS):
        shape = report(api, since, config)
    if format_ == "json":
        return json.dumps(shape, indent=2, default=to_json) + "\n"
    return period_page(shape)


def report(api: Api, since: Optional[str] = None, config: bool = True) -> Json:
    """The report as JSON. ``incomplete`` names in sentences what is not known."""
    span = parse_duration(since or _SINCE, "since")
    if not _LEAST <= span <= _MOST:
        raise InvalidValue("a report is about 1 hour to 30 days", field="since")
    end = api.clock.now()
    begin = end - span
    incomplete = _not_looked_at(api)
    latency, changes = _latency(api, span, config, incomplete)
    return {
        "from": iso(begin),
        "to": iso(end),
        "version": VERSION,
        "release": api.release(),
        "fsid": api.fsid(),
        "incomplete": incomplete,
        "findings": _findings(api, begin, incomplete),
        "rounds": _rounds(api, begin, incomplete),
        "trends": {"latency": latency},
        "changes": changes,
    }


def _not_looked_at(api: Api) -> list[str]:
    """What the watch does not see now."""
    watching, coverage = status.watch(api), status.coverage(api)
    found = [] if watching.on else ["the watch is off: nothing looks for new findings"]
    if watching.problem:
        found.append(f"the watch has a problem: {watching.problem}")
    found += coverage.gaps
    if coverage.more:
        found.append(f"{coverage.more} more gaps: 'ceph perf-bench coverage ls' lists all")
    return found


def _findings(api: Api, begin: float, incomplete: list[str]) -> Json:
    api.watch.recall()
    found = [one for one in api.watch.findings() if one.closed_at is None or one.closed_at >= begin]
    found.sort(key=worst_first)
    closed = [one for one in found if one.state is FindingState.CLOSED]
    if len(closed) >= CLOSED_KEPT:
        incomplete.append(f"only the newest {len(closed)} closed findings are kept")
    return {
        "open": len(found) - len(closed),
        "opened": sum(one.first_seen >= begin for one in found),
        "closed": len(closed),
        "rows": found[:MOST_ROWS],
        "left_out": max(0, len(found) - MOST_ROWS),
    }


def _rounds(api: Api, begin: float, incomplete: list[str]) -> Json:
    newest, total = api.stored.lines(None, None, (0, _ROUNDS), "", "-id")
    lines = [one for one in newest if one.created_at >= begin]
    if total > len(newest) and len(lines) == len(newest):
        incomplete.append(f"only the newest {len(newest)} rounds are counted")
    # As `round ls` has it: of one that is unreadable not even the state need be true.
    words = ["unreadable" if one.unreadable else (one.verdict or one.state).value for one in lines]
    return {
        "total": len(lines),
        "verdicts": dict(Counter(words)),
        "rows": [round_line(line) for line in lines[:MOST_ROWS]],
        "left_out": max(0, len(lines) - MOST_ROWS),
    }


def _latency(api: Api, span: int, config: bool, incomplete: list[str]) -> tuple[list[Json], Json]:
    """Latencies by channel and group of OSDs, and what was changed in the time."""
    whole = trends(api, span, config)
    known, happened = sum(one.known_seconds for one in whole.spans), whole.happened
    if known < _KNOWN * span:
        hours = f"{known / HOUR:.1f} of {span / HOUR:.0f} hours"
        incomplete.append(f"latencies and restarts are known for {hours}")
    if happened.configuration != "told":
        hidden = happened.configuration == "hidden"
        why = "your roles lack the right to read it" if hidden else happened.configuration
        incomplete.append(f"changes of the configuration are not known: {why}")
    limited = sorted({*_CHANGES}.intersection(happened.events_left_out))
    incomplete += [f"only the newest {MOST_EVENTS} changes of kind {kind}" for kind in limited]
    rows = [
        {"channel": name, **to_json(group)}
        for name, groups in whole.groups.items()
        for group in groups
    ]
    events = [one for one in happened.events if one.kind in _CHANGES]
    return rows, {"configuration": happened.configuration, "events": events}


# --- the document ----------------------------------------------------------------------------

_FINDINGS = (
    *FINDINGS,
    Column("WHAT", "message", "word"),
    Column("CLOSED (UTC)", "closed_at", "time"),
    Column("NOTE", lambda one: one.acknowledged.text if one.acknowledged else "", "word"),
)


def period_page(shape: Json) -> str:
    """The document of a report (``report``)."""
    findings, rounds, incomplete = shape["findings"], shape["rounds"], shape["incomplete"]
    count = findings["open"]
    good = False if count else None if incomplete else True
    nothing = "no open findings" + (" in what was looked at" if incomplete else "")
    counts = [("open now", "open"), ("began in this time", "opened"), ("closed", "closed")]
    verdicts = ", ".join(f"{many} {word}" for word, many in sorted(rounds["verdicts"].items()))
    changes = shape["changes"]
    unchanged = "none" if changes["configuration"] == "told" else "none are known"
    return page(
        f"Ceph performance, {shape['from'][:10]} to {shape['to'][:10]}",
        f"{minute(shape['from'])} to {minute(shape['to'])} UTC, Ceph {shape['release']}, "
        f"perf_bench {shape['version']}, cluster {shape['fsid']}",
        [
            section(
                "Findings",
                facts([(words, str(findings[key])) for words, key in counts]),
                table(_FINDINGS, findings["rows"], len(findings["rows"]) + findings["left_out"]),
            ),
            section(
                "Rounds",
                facts([("rounds", str(rounds["total"])), ("of these", verdicts)]),
                table(ROUNDS, rounds["rows"], rounds["total"]),
            ),
            section("Latency", *_latency_told(shape)),
            section("Changes", table(_EVENTS, changes["events"]) or note(unchanged)),
        ],
        Sign(plural(count, "open finding") if count else nothing, good),
        incomplete,
    )


def _latency_told(shape: Json) -> list[Html]:
    """A row is [unix seconds, OSDs, median, 95th and 99th percentile in ms]."""
    known = [one for one in shape["trends"]["latency"] if one["rows"]]
    if not known:
        return [note("no latencies were recorded in this time", partial=True)]
    ends = _unix_seconds(shape["from"]), _unix_seconds(shape["to"])
    told = [note(_CHANNELS_NOTE), table(_LATENCIES, known)]
    for channel in dict.fromkeys(one["channel"] for one in known):
        lines = [
            Line(_group(one), _with_gaps(one["rows"])) for one in known if one["channel"] == channel
        ]
        title = f"{channel} latency: the median OSD by device class"
        told.append(picture(title, "ms", lines, ends=ends))
    return told


def _group(one: Json) -> str:
    return str(one["group"] or "all OSDs")


_LATENCIES = (
    Column("Channel", itemgetter("channel"), "word"),
    Column("OSDs", _group, "word"),
    Column("Number", lambda one: one["rows"][-1][1], "count"),
    Column("Median ms", lambda one: median([row[2] for row in one["rows"]]), "0.00"),
    Column("p99 ms", lambda one: median([row[4] for row in one["rows"]]), "0.00"),
)


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


def _unix_seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _event(one: Event) -> str:
    if one.kind == "config":
        return f"{one.name}: {_setting(one.before)} -> {_setting(one.after)}"
    more = one.osds_left_out
    names = [osd_names(one.osds)] if one.osds else []
    names += [f"{plural(more, 'OSD')} that {'is' if more == 1 else 'are'} not named"] * bool(more)
    return f"{' and '.join(names)} {'restarted' if one.kind == 'restart' else 'went down'}"


def _setting(value: Optional[str]) -> str:
    return "not set" if value is None else value


_EVENTS = (
    Column("When (UTC)", "at", "time"),
    Column("What", _event, "word"),
)


QUESTIONS = (Question("report", text, rest="GET report", without=NO_CONFIGURATION),)
