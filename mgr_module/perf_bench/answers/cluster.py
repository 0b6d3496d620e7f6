"""The cluster over time: ``cluster latency``, ``cluster strip``; events.

Events are what happened in a time: rounds, findings, restarts, changes of the configuration.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, Optional

from ..errors import CommandFailed, InvalidValue
from ..model.admission import BALANCER_OPTION
from ..model.finding import CHANNELS, COMMIT, FRAME_SECONDS, check_channel
from ..model.history import (
    DAY,
    FIVE_MINUTES,
    HOUR,
    MINUTE,
    WORK,
    ClusterSpan,
    merged,
    short,
    work_of,
)
from ..model.json_fields import iso
from ..model.phrases import parse_duration, time_text
from ..model.round import RoundLine
from .api import Api
from .question import NO_CONFIGURATION, Allowed, Question
from .shape import Count, Stamp, copied

# The newest of each kind that are told.
MOST_EVENTS = 50
# The rounds that are looked through: a month of one every hour.
_ROUNDS = 1000


@dataclass(frozen=True)
class Event:
    """Something that happened; keys that its kind does not have are null or empty.

    name -- A round's profile, a finding's code, an option.
    osds_left_out -- How many more there are that are not kept.
    """

    kind: Literal["round", "finding", "restart", "down", "config"]
    at: Optional[Stamp]
    until: Optional[Stamp] = None
    id: Optional[int] = None
    name: str = ""
    text: str = ""
    osds: Sequence[Count] = ()
    osds_left_out: int = 0
    before: Optional[str] = None
    after: Optional[str] = None


@dataclass(frozen=True)
class Happened:
    """What happened in a time.

    events -- Newest first, the newest 50 of each kind.
    events_left_out -- By kind how many older ones there are.
    configuration -- "told", "hidden" from users without config-opt read, or why the changes, or
        some of them, are not known.
    """

    events: Sequence[Event]
    events_left_out: Mapping[str, int]
    configuration: str


_LONGEST = 30 * DAY
# Levels of what is recorded, finest first, with the longest time each is used for.
_REACH = ((FIVE_MINUTES, 2 * DAY), (HOUR, 30 * DAY))
# Seconds that an answer is used again, for up to a day and for more: at 10,000 OSDs one takes 70 to
# 150 ms for a day, and 170 ms for 30 days.
_FRESH, _FRESH_LONG = 30.0, 300.0
# A column of the strip, and the most rows it has: more are no picture.
_COLUMN = 900
_MOST_ROWS = 16
# From which share of its frames an OSD has the second and the third level.
_LEVELS = (0.1, 0.5)


@dataclass(frozen=True)
class ClusterGroup:
    """All OSDs ("") or a device class."""

    group: str
    rows: Sequence[Sequence[Optional[float]]]


@dataclass(frozen=True)
class ClusterLatency(Happened):
    """The cluster over time.

    Work in rows of columns (operations, bytes and recovered bytes per second, placement groups
    that are scrubbed), and for each group of OSDs rows of unix seconds, OSDs with data, median,
    95th and 99th percentile of the OSDs' mean latencies in milliseconds.

    """

    from_: Stamp
    to: Stamp
    channel: str
    channels: Sequence[str]
    columns: Sequence[str]
    work: Sequence[Sequence[Optional[float]]]
    groups: Sequence[ClusterGroup]


@dataclass(frozen=True)
class StripRow:
    """An OSD that stood out; a cell is "-" without data, "0" where it did not, else 1 to 3."""

    osd: int
    host: str
    cells: str


@dataclass(frozen=True)
class ClusterStrip:
    """Which OSDs stood out when, in columns of the last 24 h.

    columns_known -- Of how many of the columns there is data.
    rows -- The OSDs that stood out longest.
    left_out -- How many more stood out.
    """

    from_: Stamp
    column_seconds: int
    columns: int
    columns_known: int
    rows: Sequence[StripRow]
    left_out: int


class Trends(NamedTuple):
    """The cluster's spans from ``begin`` to ``end``, by channel its groups, and what happened."""

    begin: float
    end: float
    spans: Sequence[ClusterSpan]
    groups: Mapping[str, Sequence[ClusterGroup]]
    happened: Happened


# --- what is asked of it -------------------------------------------------------------------------


def latency(
    api: Api, since: Optional[str] = None, channel: Optional[str] = None, config: Allowed = True
) -> ClusterLatency:
    """Show latencies of the cluster and its device classes over time, and what happened.

    ``since`` is "1h" to "30d". A row of ``work`` has [unix seconds, seconds, *WORK]; one of a
    group [unix seconds, OSDs, median, 95th and 99th percentile of the OSDs' means in ms].
    """
    span = parse_duration(since, "since") if since else HOUR
    if span > _LONGEST:
        raise InvalidValue("the cluster is known for 30 days at most", field="since")
    wanted = channel or COMMIT
    check_channel(wanted)
    fresh = _FRESH if span <= DAY else _FRESH_LONG
    return api.kept.of(
        ("latency", span, wanted, config),
        fresh,
        lambda: _latency(api, span, wanted, config),
    )


def _latency(api: Api, span: int, channel: str, config: bool) -> ClusterLatency:
    found = trends(api, span, config)
    return copied(
        ClusterLatency,
        found.happened,
        from_=iso(found.begin),
        to=iso(found.end),
        channel=channel,
        channels=list(found.groups),
        columns=["at", "seconds", *WORK],
        work=[[one.start, one.seconds, *work_of(one)] for one in found.spans],
        groups=found.groups.get(channel, []),
    )


def trends(api: Api, span: int, config: bool = True) -> Trends:
    """The last ``span`` seconds; the database and the monitors are asked once."""
    end = api.clock.now()
    spans = spans_between(api, end - span, end)
    happened = between(api, end - span, end, spans, config)
    return Trends(end - span, end, spans, _groups(spans), happened)


def strip(api: Api) -> ClusterStrip:
    """Show which OSDs stood out when in the last 24 h."""
    return api.kept.of(("strip",), 60.0, partial(_strip, api))


def _strip(api: Api) -> ClusterStrip:
    now, count = api.clock.now(), DAY // _COLUMN
    first = math.ceil((now - DAY) / _COLUMN) * _COLUMN
    parts: dict[int, list[ClusterSpan]] = {}
    # Minutes do not say who stands out.
    stored = api.store.call(lambda store: store.watch.cluster_spans(FIVE_MINUTES, first, now))
    for span in stored:
        parts.setdefault((span.start - first) // _COLUMN, []).append(span)
    columns = [
        merged(first + _COLUMN * place, _COLUMN, parts[place]) if place in parts else None
        for place in range(count)
    ]
    slow = [dict(span.apart) if span else {} for span in columns]
    frames: Counter[int] = Counter()
    for one in slow:
        frames.update(one)
    host_of = {member.osd: member.host for member in api.watch.members()}
    found = [osd for osd, _ in frames.most_common() if osd in host_of]
    return ClusterStrip(
        from_=str(iso(first)),
        column_seconds=_COLUMN,
        columns=count,
        columns_known=count - columns.count(None),
        rows=[
            StripRow(osd, host_of[osd], "".join(map(partial(_cell, osd), columns, slow)))
            for osd in found[:_MOST_ROWS]
        ],
        left_out=max(0, len(found) - _MOST_ROWS),
    )


def _cell(osd: int, span: Optional[ClusterSpan], slow: Mapping[int, int]) -> str:
    """How much an OSD stood out in a column; ``slow`` has by OSD its slow frames there."""
    if span is None or osd in span.silent or not span.is_watched(osd):
        return "-"
    if osd not in slow:
        return "0"
    share = slow[osd] * FRAME_SECONDS / span.seconds
    return str(1 + sum(share >= least for least in _LEVELS))


def recorded(
    api: Api,
    names: Sequence[str],
    time: tuple[float, float],
    minutes: Callable[..., Sequence[Any]],
    stored: Callable[..., Mapping[str, Sequence[Any]]],
    limit: float = 5.0,
) -> dict[str, list[Any]]:
    """By name spans of a time: of five minutes, hours or days, by how far it reaches back.

    The newest ones of five minutes are ``minutes`` from memory: of a name, a begin and an end.
    ``stored`` reads those of a level, a begin and an end. A store that is away raises
    StoreUnavailable.
    """
    begin, end = time
    reach = api.clock.now() - begin - MINUTE
    level = next((level for level, back in _REACH if reach <= back), DAY)
    fresh = {name: minutes(name, begin, end) for name in names} if level == FIVE_MINUTES else {}
    until = min((spans[0].start for spans in fresh.values() if spans), default=end)
    older: Mapping[str, Sequence[Any]] = {}
    if until - begin > FIVE_MINUTES:
        first = begin // level * level
        older = api.store.call(lambda store: stored(store.watch, level, first, until), limit)
    # Five minutes that are partly in memory would be told twice.
    last = until if any(fresh.values()) else math.inf
    return {
        name: [
            *(one for one in older.get(name, ()) if one.start + one.seconds <= last),
            *fresh.get(name, ()),
        ]
        for name in names
    }


def spans_between(api: Api, begin: float, end: float) -> list[ClusterSpan]:
    """The cluster's spans of a time. A store that is away raises StoreUnavailable."""
    return recorded(
        api,
        ("",),
        (begin, end),
        lambda _name, *time: api.watch.cluster_minutes(*time),
        lambda kept, *period: {"": kept.cluster_spans(*period)},
    )[""]


def _groups(spans: Sequence[ClusterSpan]) -> dict[str, list[ClusterGroup]]:
    """By channel the groups of OSDs with their rows, all OSDs first."""
    found: dict[str, dict[str, list[list[float]]]] = {}
    for one in spans:
        for group, name, osds, *seconds in one.latency:
            figures = [short(1000 * value) for value in seconds]
            rows = found.setdefault(name, {}).setdefault(group, [])
            rows.append([one.start, osds, *figures])
    return {
        name: [ClusterGroup(group, rows) for group, rows in sorted(found[name].items())]
        for name in CHANNELS
        if name in found
    }


# --- what happened -------------------------------------------------------------------------------


def between(
    api: Api, begin: float, end: float, spans: Sequence[ClusterSpan], config: bool = True
) -> Happened:
    """What happened between the two; ``config`` says whether changes of it may be told.

    ``spans`` are the cluster's.
    """
    lines, _ = api.store.call(lambda store: store.rounds(limit=_ROUNDS))
    told, changes = _config_changes(api, begin, end) if config else ("hidden", [])
    found = [
        *_rounds(lines, begin, end),
        *_findings(api, begin, end),
        *_restarts(spans, begin, end),
        *changes,
    ]
    found.sort(key=lambda event: str(event.at), reverse=True)
    return _newest(found, told)


def _findings(api: Api, begin: float, end: float) -> list[Event]:
    return [
        Event("finding", iso(one.first_seen), iso(one.closed_at), one.id, one.code, one.message)
        for one in api.watch.findings()
        if begin <= one.first_seen < end and one.id
    ]


def _config_changes(api: Api, begin: float, end: float) -> tuple[str, list[Event]]:
    """Those of the balancer are left out: each round sets and restores it."""
    try:
        changes, begins = api.config_log()
    except CommandFailed as error:
        return error.message, []
    found = [
        Event("config", iso(one.at), name=one.name, before=one.before, after=one.after)
        for one in changes
        if begin <= one.at < end and one.name != BALANCER_OPTION
    ]
    if begins is None or begins <= begin:
        return "told", found
    cut_off = (
        f"those before {time_text(begins)}, the oldest that is read of the "
        "monitors' log: 'ceph config log 2000' prints more of it"
    )
    return cut_off, found


def _rounds(lines: Sequence[RoundLine], begin: float, end: float) -> list[Event]:
    return [
        Event("round", iso(at), iso(line.ended_at), line.id, line.profile, line.label)
        for line in lines
        if (at := line.started_at) is not None
        and at < end
        and (line.ended_at is None or line.ended_at >= begin)
    ]


_Went = Literal["restart", "down"]


def _restarts(spans: Sequence[ClusterSpan], begin: float, end: float) -> list[Event]:
    """OSDs that restarted or went down, together where that was in one span."""
    found: dict[_Went, list[Event]] = {"restart": [], "down": []}
    for span in spans:
        went: Sequence[tuple[_Went, Sequence[tuple[int, int]], int]] = (
            ("restart", span.restarted, span.more_restarted),
            ("down", span.went_down, span.more_went_down),
        )
        for kind, pairs, more in went:
            there = [(osd, at) for osd, at in pairs if begin <= at < end]
            if there or more:
                at = min((at for _, at in there), default=max(begin, span.start))
                osds = sorted({osd for osd, _ in there})
                found[kind].append(Event(kind, iso(at), osds=osds, osds_left_out=more))
    return [event for events in found.values() for event in events]


def _newest(found: Sequence[Event], configuration: str) -> Happened:
    """The newest MOST_EVENTS of each kind; ``found`` is newest first."""
    kinds: Counter[str] = Counter()
    events = []
    for event in found:
        kinds[event.kind] += 1
        if kinds[event.kind] <= MOST_EVENTS:
            events.append(event)
    left_out = {kind: count - MOST_EVENTS for kind, count in kinds.items() if count > MOST_EVENTS}
    return Happened(events, left_out, configuration)


QUESTIONS = (
    Question("cluster latency", latency, rest="GET cluster/latency", without=NO_CONFIGURATION),
    Question("cluster strip", strip, rest="GET cluster/strip"),
)
