"""The cluster over time: ``cluster latency``, ``cluster strip``, ``cluster interval``; events.

Events are what happened in a time: rounds, findings, restarts, changes of the configuration.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, Literal, NamedTuple, Optional

from ..errors import CommandFailed, InvalidValue
from ..model.admission import BALANCER_OPTION
from ..model.finding import CHANNELS, COMMIT, FRAME_SECONDS, ConfigChange, Watched, check_channel
from ..model.history import (
    ALL_OSDS,
    DAY,
    FIVE_MINUTES,
    HOUR,
    WORK,
    ClusterSpan,
    figures,
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
# Seconds after a round's end within which its settings are put back, unless monitors are away.
_PUT_BACK = 60.0


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
# A column of the strip, and the most rows it has. Of more OSDs a row is a host.
_COLUMN = 900
_MOST_ROWS, _MOST_OSDS = 1000, 500
# From which share of its frames an OSD or a host has the second and the third level.
_LEVELS = (0.1, 0.5)
# From which share of its OSDs a host stands out, and from which change a figure.
_HOST_SHARE, _CHANGE = 0.3, 1.25
# Work that is less than this in both times does not differ: the tab shows MiB/s with one digit.
_LEAST_WORK = {
    "read_ops": 1.0,
    "write_ops": 1.0,
    "read_bytes": 0.1 * 2**20,
    "write_bytes": 0.1 * 2**20,
    "recovery_bytes": 0.1 * 2**20,
}
_RANKED = 20


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
    """An OSD or a host.

    osds -- How many it has.
    """

    name: str
    host: str
    osds: int
    cells: str


@dataclass(frozen=True)
class ClusterStrip:
    """When which OSDs stood out: a cell is "-" without data, "0" where nothing did, else 1 to 3.

    left_out -- Rows that are too many to show, first those in which nothing stood out.
    loud_left_out -- Of these the rows in which something stood out, or with times without data.
    partial -- Columns in which more OSDs stood out than are kept.
    """

    from_: Stamp
    column_seconds: int
    rows_are: Literal["osd", "host"]
    rows: Sequence[StripRow]
    left_out: int
    loud_left_out: int
    partial: Sequence[int]


@dataclass(frozen=True)
class IntervalDifference:
    """What was different.

    A host (value: OSDs that stood out, usual: its OSDs, share of them), an OSD (value: seconds in
    which it was slow, share of the time), a latency of the median OSD in ms or work (value, usual,
    share: value over usual).
    """

    kind: Literal["host", "osd", "latency", "work"]
    name: str
    value: float
    usual: Optional[float]
    share: Optional[float]
    host: Optional[str]


@dataclass(frozen=True)
class ClusterInterval(Happened):
    """What was different in a time, most different first.

    known_seconds -- How much of it was watched.
    differences_left_out -- How many more there are that were less different.
    """

    from_: Stamp
    to: Stamp
    known_seconds: float
    differences: Sequence[IntervalDifference]
    differences_left_out: int


class Trends(NamedTuple):
    """The groups of ``latency`` by channel in a time, how much of it is known, what happened."""

    channels: Mapping[str, Sequence[ClusterGroup]]
    known_seconds: float
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
    end = api.clock.now()
    spans = spans_between(api, end - span, end)
    groups = _groups(spans)
    return copied(
        ClusterLatency,
        between(api, end - span, end, spans, config),
        from_=iso(end - span),
        to=iso(end),
        channel=channel,
        channels=[name for name in CHANNELS if name in groups],
        columns=["at", "seconds", *WORK],
        work=[[one.start, one.seconds, *work_of(one)] for one in spans],
        groups=groups.get(channel, []),
    )


def trends(api: Api, span: int, config: bool = True) -> Trends:
    """The groups of ``latency`` by channel in the last ``span`` seconds, and the events.

    ``known_seconds`` is how much of it there is data of; of an hour only what is known. The
    database and the monitors are asked once, whatever the number of channels.
    """
    end = api.clock.now()
    spans = spans_between(api, end - span, end)
    groups = _groups(spans)
    return Trends(
        {name: groups[name] for name in CHANNELS if name in groups},
        sum(one.known_seconds for one in spans),
        between(api, end - span, end, spans, config),
    )


def strip(api: Api) -> ClusterStrip:
    """Show when which OSDs stood out in the last 24 h.

    A cell is "-" without data, "0" where nothing stood out, else 1 to 3. Of the rows that are
    ``left_out``, ``loud_left_out`` have other cells than "0".
    """
    return api.kept.of(("strip",), 60.0, partial(_strip, api))


def _strip(api: Api) -> ClusterStrip:
    first, columns = _columns(api)
    members = api.watch.members()
    by_host = len(members) > _MOST_OSDS
    names = [member.host if by_host else member.name for member in members]
    rows = _cells(members, names, columns)
    shown, loud_left_out = list(rows.items()), 0
    if len(rows) > _MOST_ROWS:
        loud = [row for row in rows.items() if row[1].strip("0")]
        # First what stood out, then what has no data only.
        loud.sort(key=lambda row: not row[1].strip("-0"))
        shown, loud_left_out = loud[:_MOST_ROWS], max(0, len(loud) - _MOST_ROWS)
    hosts = dict(zip(names, (member.host for member in members)))
    osds = Counter(names)
    return ClusterStrip(
        from_=str(iso(first)),
        column_seconds=_COLUMN,
        rows_are="host" if by_host else "osd",
        rows=[StripRow(name, hosts[name], osds[name], cells) for name, cells in shown],
        left_out=len(rows) - len(shown),
        loud_left_out=loud_left_out,
        partial=[
            place
            for place, one in enumerate(columns)
            if one is not None and (one.more_apart or one.more_silent)
        ],
    )


def interval(api: Api, begin: int, end: int, config: Allowed = True) -> ClusterInterval:
    """Show what was different in a time, most different first.

    Raises InvalidValue.
    """
    now = api.clock.now()
    if not (now - _LONGEST <= begin < end <= now + DAY and end - begin <= DAY):
        raise InvalidValue(
            "an interval is up to a day long, within the last 30 days",
            field="begin" if not now - _LONGEST <= begin < now + DAY else "end",
        )
    return api.kept.of(
        ("interval", begin, end, config), _FRESH, lambda: _interval(api, begin, end, config)
    )


def _interval(api: Api, begin: float, end: float, config: bool) -> ClusterInterval:
    spans = spans_of(api, end - DAY, end)
    inside = [one for one in spans if one.end > begin and one.start < end]
    outside = [one for one in spans if one.end <= begin]
    found = [*_standing_out(inside, api.watch.members()), *_changed(inside, outside)]
    not_kept = max((one.more_apart for one in inside), default=0)
    return copied(
        ClusterInterval,
        between(api, begin, end, inside, config),
        from_=iso(begin),
        to=iso(end),
        known_seconds=sum(min(one.end, end) - max(one.start, begin) for one in inside),
        differences=found[:_RANKED],
        differences_left_out=max(0, len(found) - _RANKED) + not_kept,
    )


def recorded(
    api: Api,
    names: Sequence[str],
    time: tuple[float, float],
    minutes: Callable[..., Sequence[Any]],
    stored: Callable[..., Mapping[str, Sequence[Any]]],
    limit: float = 5.0,
) -> dict[str, list[Any]]:
    """By name spans of a time: of five minutes, hours or days, as fits it.

    The newest ones of five minutes are ``minutes`` from memory: of a name, a begin and an end.
    ``stored`` reads those of a level, a begin and an end. A store that is away raises
    StoreUnavailable.
    """
    begin, end = time
    level = next((level for level, back in _REACH if end - begin <= back), DAY)
    fresh = {name: minutes(name, begin, end) for name in names} if level == FIVE_MINUTES else {}
    until = min((spans[0].start for spans in fresh.values() if spans), default=end)
    older: Mapping[str, Sequence[Any]] = {}
    if until - begin > FIVE_MINUTES:
        older = api.store.call(lambda store: stored(store.watch, level, begin, until), limit)
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


def spans_of(api: Api, begin: float, end: float) -> list[ClusterSpan]:
    """The cluster's five minutes, which say who stood out, or its hours.

    Five minutes are kept for two days by default; hours reach further back.
    """
    fives = _stored(api, FIVE_MINUTES, begin, end)
    if api.clock.now() - begin > DAY and not (fives and fives[0].start < begin + HOUR):
        hours = _stored(api, HOUR, begin // HOUR * HOUR, end)
        # An hour counts whole, also where the watch began within it: that reaches no further back.
        if hours and (not fives or hours[0].end <= fives[0].start):
            return hours
    after = fives[-1].end if fives else begin
    newest = api.watch.cluster_minutes(begin, end)
    return [*fives, *(one for one in newest if one.start >= after)]


def _stored(api: Api, level: int, begin: float, end: float) -> list[ClusterSpan]:
    return api.store.call(lambda store: store.watch.cluster_spans(level, begin, end))


def _columns(api: Api) -> tuple[int, list[Optional[ClusterSpan]]]:
    """The time of the strip's first column, and a span for each; None without data."""
    now = api.clock.now()
    first = math.ceil((now - DAY) / _COLUMN) * _COLUMN
    count = DAY // _COLUMN
    parts: list[list[ClusterSpan]] = [[] for _ in range(count)]
    # Minutes do not say who stands out.
    for span in _stored(api, FIVE_MINUTES, first, now):
        parts[min(count - 1, (span.start - first) // _COLUMN)].append(span)
    return first, [
        merged(first + _COLUMN * place, _COLUMN, found) if found else None
        for place, found in enumerate(parts)
    ]


def _groups(spans: Sequence[ClusterSpan]) -> dict[str, list[ClusterGroup]]:
    """By channel the groups of OSDs with their rows, all OSDs first."""
    found: dict[str, dict[str, list[list[float]]]] = {}
    for one in spans:
        for group, name, osds, *seconds in one.latency:
            figures = [short(1000 * value) for value in seconds]
            rows = found.setdefault(name, {}).setdefault(group, [])
            rows.append([one.start, osds, *figures])
    return {
        name: [
            ClusterGroup(group, rows)
            for group, rows in sorted(groups.items(), key=lambda one: (one[0] != ALL_OSDS, one[0]))
        ]
        for name, groups in found.items()
    }


def _cells(
    members: Sequence[Watched],
    names: Sequence[str],
    columns: Sequence[Optional[ClusterSpan]],
) -> dict[str, str]:
    """By row its cells, in the order of the hosts' OSDs."""
    row_of = {member.osd: name for member, name in zip(members, names)}
    osds: dict[str, list[int]] = {}
    for osd, name in row_of.items():
        osds.setdefault(name, []).append(osd)
    found: dict[str, list[str]] = {name: [] for name in osds}
    # By the OSDs that were watched, those that were not.
    unwatched: dict[object, set[int]] = {}
    for span in columns:
        frames: dict[str, list[float]] = {}
        if span is None:
            gone = set(row_of)
        else:
            if span.watched not in unwatched:
                unwatched[span.watched] = {osd for osd in row_of if not span.is_watched(osd)}
            gone = unwatched[span.watched].union(span.silent)
            for osd, count in span.apart:
                share = count * FRAME_SECONDS / span.seconds
                frames.setdefault(row_of.get(osd, ""), []).append(share)
        for name, cells in found.items():
            if gone.issuperset(osds[name]):
                cells.append("-")
            elif name in frames:
                mean = sum(frames[name]) / len(osds[name])
                level = 1 + sum(mean >= least for least in _LEVELS)
                cells.append(str(max(level, 1 + (max(frames[name]) >= _LEVELS[1]))))
            else:
                cells.append("0")
    return {name: "".join(cells) for name, cells in found.items()}


# --- what was different --------------------------------------------------------------------------


def _standing_out(
    spans: Sequence[ClusterSpan], members: Sequence[Watched]
) -> list[IntervalDifference]:
    """Hosts, then OSDs that were slow against their peers, each the slowest first."""
    all_frames = sum(one.seconds for one in spans) / FRAME_SECONDS
    frames: Counter[int] = Counter()
    for span in spans:
        frames.update(dict(span.apart))
    host_of = {member.osd: member.host for member in members}
    size = Counter(host_of.values())
    on: Counter[str] = Counter(host_of[osd] for osd in frames if osd in host_of)
    least = max(_HOST_SHARE, 2 * len(frames) / max(1, len(members)))
    hosts = [
        IntervalDifference("host", host, count, size[host], short(count / size[host]), None)
        for host, count in on.items()
        if count > 1 and count / size[host] >= least
    ]
    osds = [
        IntervalDifference(
            "osd",
            str(osd),
            round(count * FRAME_SECONDS),
            None,
            short(min(1.0, count / all_frames)),
            host_of.get(osd),
        )
        for osd, count in frames.items()
    ]
    return [*sorted(hosts, key=_share, reverse=True), *sorted(osds, key=_share, reverse=True)]


def _share(one: IntervalDifference) -> float:
    return math.inf if one.share is None else one.share


def _changed(
    spans: Sequence[ClusterSpan], before: Sequence[ClusterSpan]
) -> list[IntervalDifference]:
    """Latencies and work that differ from what was usual, those first that differ most."""
    usual, found = figures(before), []
    for (kind, name), values in figures(spans).items():
        was = usual.get((kind, name))
        if not was:
            continue
        value, other = median(values), median(was)
        is_work = kind == "work"
        if value == other or (is_work and max(value, other) < _LEAST_WORK.get(name, 0.0)):
            continue
        if value >= _CHANGE * other or (is_work and other >= _CHANGE * value):
            share = short(value / other) if other else None
            found.append(IntervalDifference(kind, name, short(value), short(other), share, None))
    return sorted(found, key=lambda one: -abs(math.log(max(1e-9, _share(one)))))


# --- what happened -------------------------------------------------------------------------------


def between(
    api: Api, begin: float, end: float, spans: Sequence[ClusterSpan], config: bool = True
) -> Happened:
    """What happened between the two; ``config`` says whether changes of it may be told.

    ``spans`` are the cluster's.
    """
    lines, _ = api.store.call(lambda store: store.rounds(limit=_ROUNDS))
    told, changes = _config_changes(api, begin, end, lines) if config else ("hidden", [])
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


def _config_changes(
    api: Api, begin: float, end: float, lines: Sequence[RoundLine]
) -> tuple[str, list[Event]]:
    try:
        changes, begins = api.config_log()
    except CommandFailed as error:
        return error.message, []
    found = [
        Event("config", iso(one.at), name=one.name, before=one.before, after=one.after)
        for one in _lasting(changes, lines)
        if begin <= one.at < end
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


def _lasting(changes: Sequence[ConfigChange], lines: Sequence[RoundLine]) -> list[ConfigChange]:
    """The changes without those of the balancer while a past round ran, which sets and restores it.

    Rounds of a month would crowd out all others.
    """
    rounds = [
        (line.created_at, line.ended_at + _PUT_BACK)
        for line in lines
        if line.created_at and line.ended_at is not None
    ]
    return [
        one
        for one in changes
        if one.name != BALANCER_OPTION
        or not any(began <= one.at <= ended for began, ended in rounds)
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
    Question("cluster interval", interval, rest="GET cluster/interval", without=NO_CONFIGURATION),
)
