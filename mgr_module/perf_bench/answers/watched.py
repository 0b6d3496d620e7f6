"""What is looked at, what of that cannot be, and what is seen: cohorts, laggy PGs, series.

``ceph perf-bench coverage ls``, ``cohort ls``, ``laggy ls`` and ``trace export``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional

from ..errors import InvalidValue
from ..model.finding import CHANNELS, Gap, Look, Watched, check_channel
from ..model.history import (
    CHUNK,
    DAY,
    FIVE_MINUTES,
    HOUR,
    LOAD,
    SAMPLED_PEERS,
    SLOW_FRAME_RATIO,
    Compared,
    SeriesPoint,
)
from ..model.json_fields import iso
from ..model.osd import Selection, no_such_osd
from ..model.phrases import listed, parse_duration, plural
from ..model.verdict import CohortReport, Episode, LaggyNow, LaggyOsd, LaggyPool
from .api import Api
from .cluster import recorded
from .paging import WHOLE, Page
from .question import ALL, OsdId, Question
from .shape import Count, Stamp
from .text import GAP, Column, csv_text, duration, facts, filled, listing, table

_LIST = "'ceph perf-bench coverage ls'"
_COMMAND = re.compile(r"'ceph[^']*'")
# Stands for a blank at which no line may end.
_JOINED = "\x1f"


# The newest ones of the answer.
_MOST_EPISODES = 50


@dataclass(frozen=True)
class Laggy:
    """Laggy PGs now, of all pgs, by OSD and pool, and the episodes, newest first.

    now -- Counts at the newest tick.
    osds -- Of each episode the OSDs that were affected most.
    osds_left_out -- The most OSDs of one episode that are not counted in it.
    episodes_left_out -- How many older ones are kept.
    """

    now: LaggyNow
    osds: Sequence[LaggyOsd]
    osds_left_out: int
    pools: Sequence[LaggyPool]
    episodes: Sequence[Episode]
    episodes_left_out: int


# A trace goes through the mgr as one text, on the thread on which other commands wait: it has at
# most so many rows, of a hundred bytes or more, and takes at most so long.
_MOST_ROWS, _TRACE_SECONDS = 80_000, 5.0
# A row of a series: a value for each of its columns.
SeriesRow = Sequence[Optional[float]]


@dataclass(frozen=True)
class PeerSeries:
    """OSDs over time against the band of their peers.

    Rows of columns, at in unix seconds, latencies in milliseconds: the median of the OSDs, then
    10th percentile, median and 90th percentile of the peers.

    osds -- Those that are shown.
    peers -- Peers that the band is of.
    """

    from_: Stamp
    to: Stamp
    channel: str
    cohort: str
    osds: Sequence[Count]
    peers: int
    all_peers: int
    columns: Sequence[str]
    rows: Sequence[Sequence[Optional[float]]]


@dataclass(frozen=True)
class OsdSeries:
    """An OSD's latencies over time, by channel rows of columns.

    at in unix seconds, the span's seconds, mean and maximum (of 15 s) in milliseconds, operations,
    frames of 15 s that were at least twice as slow as the peers'.

    peers -- The band of its peers in the channel that was asked for; null: none was.
    """

    osd: Count
    from_: str
    to: str
    columns: Sequence[str]
    channels: Mapping[str, Sequence[SeriesRow]]
    peers: Optional[PeerSeries]


# --- what is looked at ---------------------------------------------------------------------------


def looks(api: Api, page: Page = WHOLE) -> tuple[list[Look], int]:
    """List what is looked at, how much of it, and what would bring the rest."""
    return page.of(api.watch.coverage(), Look)


def cohorts(api: Api) -> list[CohortReport]:
    """List who is compared with whom, and how well."""
    return list(api.watch.cohorts())


def covered_below(api: Api, names: Collection[str], answer: object) -> str:
    """The line that the text of an answer ends with, about these looks; "" for nothing."""
    every = api.watch.coverage()
    found = every if names == ALL else [one for one in every if one.name in names]
    return coverage_below(found, whole=not answer)


# --- laggy placement groups ----------------------------------------------------------------------


def laggy(api: Api, page: Page = WHOLE) -> tuple[Laggy, int]:
    """Show laggy placement groups and whose fault they are."""
    answer = laggy_answer(*api.watch.laggy_groups(), api.watch.host_of)
    if page == WHOLE:
        return answer, len(answer.osds)
    osds, total = page.of(answer.osds, LaggyOsd)
    return replace(answer, osds=osds), total


HostOf = Callable[[int], Optional[str]]


def laggy_answer(
    now: LaggyNow,
    osds: Sequence[LaggyOsd],
    pools: Sequence[LaggyPool],
    episodes: Sequence[Episode],
    host_of: HostOf,
) -> Laggy:
    """The answer, with the newest episodes."""
    return Laggy(
        now=now,
        osds=[replace(one, host=host_of(one.osd)) for one in osds],
        osds_left_out=max((one.more_osds for one in episodes), default=0),
        pools=pools,
        episodes=[
            replace(one, suspects=tuple(replace(x, host=host_of(x.osd)) for x in one.suspects))
            for one in episodes[:_MOST_EPISODES]
        ],
        episodes_left_out=max(0, len(episodes) - _MOST_EPISODES),
    )


# --- what is recorded of OSDs --------------------------------------------------------------------


def trace(
    api: Api,
    since: Optional[str] = None,
    osds: Optional[str] = None,
) -> str:
    """Print the recorded latencies as CSV (--since 1d), to try rules on.

    Raises InvalidValue where it is more than one answer may be or take.
    """
    span = parse_duration(since, "since") if since else DAY
    members = {member.osd: member for member in api.watch.members()}
    chosen = [one.id for one in Selection.parse(osds or "all").select(api.osds())]
    chosen = [osd for osd in chosen if osd in members]
    fits = len(chosen) * (span // FIVE_MINUTES + 180) <= _MOST_ROWS
    end, until = api.clock.now(), api.clock.monotonic() + _TRACE_SECONDS
    text = [trace_header()]
    for osd in chosen if fits else ():
        left = until - api.clock.monotonic()
        if left <= 0:
            fits = False
            break
        points = _points(api, osd, end - span, end, (*CHANNELS, LOAD), left)
        text.append(trace_csv(members[osd], points))
    if not fits:
        raise InvalidValue(
            f"{len(chosen)} OSDs over {duration(span)} are too much for one answer: "
            "choose some with --osds, or a shorter --since",
            field="since",
        )
    return "".join(text)


def series(
    api: Api, id_: OsdId, since: Optional[str] = None, channel: Optional[str] = None
) -> OsdSeries:
    """Show an OSD's latencies over time, by channel.

    By channel rows of [unix seconds, seconds of the span, mean, maximum of the 15 s in it,
    operations, frames at least twice as slow as its peers]; latencies in milliseconds.
    """
    if all(one.id != id_ for one in api.osds()):
        raise no_such_osd(id_)
    span = parse_duration(since, "since") if since else 3 * HOUR
    check_channel(channel)
    end = api.clock.now()
    points = _points(api, id_, end - span, end, [channel] if channel else CHANNELS)
    return OsdSeries(
        osd=id_,
        from_=str(iso(end - span)),
        to=str(iso(end)),
        columns=["at", "seconds", "mean_ms", "max_ms", "ops", "slow_frames"],
        channels={name: [_series_row(one) for one in found] for name, found in points.items()},
        peers=peer_series(api, [id_], channel, end - span, end) if channel else None,
    )


def _points(
    api: Api, osd: int, begin: float, end: float, channels: Sequence[str], limit: float = 5.0
) -> dict[str, list[SeriesPoint]]:
    """The points by channel, of those that have any."""
    points = recorded(
        api,
        channels,
        (begin, end),
        lambda *which: api.watch.minutes(osd, *which),
        lambda kept, *period: kept.series(osd, channels, *period),
        limit,
    )
    return {name: found for name, found in points.items() if found}


def peer_series(
    api: Api, osds: Sequence[int], channel: str, begin: float, end: float
) -> Optional[PeerSeries]:
    """OSDs against the band of those they are compared with; None where none of them is watched."""
    compared, cohort, peers = _compared(api.watch.members(), osds, channel)
    if not compared.own:
        return None
    points = recorded(
        api,
        ("",),
        (begin, end),
        lambda _name, *time: api.watch.band_minutes(compared, *time),
        lambda kept, *period: {"": kept.peer_band(compared, *period)},
    )[""]
    return PeerSeries(
        from_=str(iso(begin)),
        to=str(iso(end)),
        channel=channel,
        cohort=cohort,
        osds=sorted(compared.own),
        peers=len(compared.peers),
        all_peers=peers,
        columns=["at", "seconds", "own_ms", "low_ms", "median_ms", "high_ms"],
        rows=[[one.start, one.seconds, *map(_ms, one[2:])] for one in points],
    )


def _compared(
    members: Sequence[Watched], osds: Sequence[int], channel: str
) -> tuple[Compared, str, int]:
    """The OSDs and those they are compared with, of two chunks at most; cohort, number of peers.

    Every row of the store has 64 OSDs, so OSDs of few chunks are read: the chunk with most of the
    OSDs, and the middle one of the others with peers.
    """
    cohort_of = {member.osd: member.cohort for member in members}
    own = {osd for osd in osds if osd in cohort_of}
    if not own:
        return Compared((), (), channel), "", 0
    cohort = Counter(cohort_of[osd] for osd in own).most_common(1)[0][0]
    alike = [osd for osd, name in cohort_of.items() if name == cohort]
    mine = [osd for osd in alike if osd in own]
    peers = [osd for osd in alike if osd not in own]
    chunk = Counter(osd // CHUNK for osd in mine).most_common(1)[0][0]
    others = sorted({osd // CHUNK for osd in peers} - {chunk})
    read = {chunk, *others[len(others) // 2 :][:1]}
    chosen = [osd for osd in peers if osd // CHUNK in read][:SAMPLED_PEERS]
    kept = [osd for osd in mine if osd // CHUNK == chunk]
    return Compared(frozenset(kept), frozenset(chosen), channel), cohort, len(peers)


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else float(f"{1000 * seconds:.4g}")


def _series_row(point: SeriesPoint) -> list[Any]:
    slow = point.frames_over(SLOW_FRAME_RATIO) if point.bins else None
    maximum = None if point.maximum is None else round(point.maximum * 1000, 3)
    mean = round(point.mean * 1000, 3)
    return [int(point.start), point.seconds, mean, maximum, point.ops, slow]


_PLACE = ("ts", "osd", "host", "cohort", "rack", "enclosure", "device", "seconds", "throughput")


def trace_header() -> str:
    """The first line."""
    columns = [f"{kind}_{channel}" for channel in CHANNELS for kind in ("latency", "ops", "peak")]
    return csv_text([(*_PLACE, *columns)])


def trace_csv(member: Watched, series: Mapping[str, Sequence[SeriesPoint]]) -> str:
    """The lines of one OSD and its points by channel, ``load`` among them.

    A row is one OSD over one span of ``seconds`` that begins at ``ts`` (unix seconds). By channel
    there are the mean latency, the operations behind it and the highest 15 s in it; latencies in
    seconds, throughput in bytes/s, an empty cell for "no data".
    """
    found = {
        channel: {(int(point.start), point.seconds): point for point in points}
        for channel, points in series.items()
    }
    place = (member.osd, member.host, member.cohort, member.rack, member.enclosure, member.device)
    rows = []
    for start, seconds in sorted({span for points in found.values() for span in points}):
        load, *points = (
            found.get(channel, {}).get((start, seconds)) for channel in (LOAD, *CHANNELS)
        )
        row: list[object] = [start, *place, seconds, load and _digits(load.mean)]
        for point in points:
            row += [_digits(point.mean), point.ops, _digits(point.maximum)] if point else [None] * 3
        rows.append(row)
    return csv_text(rows)


def _digits(value: Optional[float]) -> Optional[str]:
    """Five significant digits: series are stored with no more."""
    return None if value is None else f"{value:.5g}"


# --- as text -------------------------------------------------------------------------------------


def looks_text(looks: Sequence[Look]) -> str:
    """Text of ``coverage ls``: how much each check looked at, then what would complete them."""
    rows = facts([(look.what, _count(look)) for look in looks])
    groups: dict[str, list[tuple[Look, Gap]]] = {}
    for look in looks:
        for gap in look.gaps:
            groups.setdefault(gap.command or gap.help, []).append((look, gap))
    # What only time completes comes last.
    ordered = sorted(groups.items(), key=lambda group: not group[0])
    return GAP.join([f"looked at\n{rows}", *(_completes(*group) for group in ordered)])


def _completes(help_: str, found: Sequence[tuple[Look, Gap]]) -> str:
    """What completes some checks, once for all hosts that lack it, and which checks these are."""
    hosts = sorted({name for _, gap in found if gap.command for name in gap.on})
    head = f"'{help_}' on {listed(hosts)}" if hosts else help_ or "nothing but time"
    lines = [_wrapped(f"{look.what}: {gap.why}", 2) for look, gap in found]
    return "\n".join([_wrapped(f"to complete: {head}", 0), *lines])


def _count(look: Look) -> str:
    return f"{look.summary}, {look.partly} of them in part" if look.partly else look.summary


def coverage_below(found: Sequence[Look], whole: bool = False) -> str:
    """The line that other answers end with: how much of that could not be looked at.

    Of one look how much it saw; of checks how many are incomplete. Empty where all is complete, but
    for ``whole``, of an answer that says that there is nothing.
    """
    missing, total = sum(not one.complete for one in found), len(found)
    if not missing and not whole:
        return ""
    end = f": {_LIST}" if missing else ""
    if total == 1:
        (look,) = found
        if look.unit != "check":
            seen = _count(look) if all(gap.count for gap in look.gaps) else f"no {look.unit}"
            return f"looked at {seen}{end}"
        missing, total = look.total - look.looked + look.partly, look.total
    if not missing:
        return f"all {total} checks are complete"
    return f"{missing} of {total} checks {'is' if missing == 1 else 'are'} incomplete{end}"


def _wrapped(line: str, indent: int) -> str:
    # Commands stay on one line, so that they can be copied.
    joined = _COMMAND.sub(lambda match: match[0].replace(" ", _JOINED), line)
    return filled(joined, indent, 2).replace(_JOINED, " ")


_NO_COHORTS = "no cohorts yet: the watch has not read the OSDs' counters (is it on?)"
_COHORTS = (
    Column("COHORT", "name", "word", 40),
    Column("OSDS", "members", "count"),
    Column("JUDGED", "judged", "count"),
    Column("CHANNEL", "channel", "word"),
    Column("SEEN FROM (x PEERS)", "minimum_detectable_ratio", "0.00"),
)


def _suspects(episode: Episode) -> str:
    if episode.stuck:
        return "stuck, no OSD"
    return ", ".join(f"osd.{one.osd}" for one in episode.suspects) or "none stands out"


_ROWS = 20  # of each table of laggy PGs
_LAGGY_OSDS = (
    Column("OSD", "osd", "osd"),
    Column("HOST", "host", "word", 30),
    Column("PG TIME", "laggy_pg_seconds", "duration"),
    Column("% OF ITS PGS", lambda one: 100 * one.share, "0.0"),
)


_EPISODES = (
    Column("STARTED (UTC)", "start", "time"),
    Column("LASTED", lambda one: duration(one.seconds) if one.end else "goes on", "count"),
    Column("PEAK", "peak", "count"),
    Column("PG TIME", "laggy_pg_seconds", "duration"),
    Column("ROUND", "round_id", "word"),
    Column("WHAT", _suspects, "word", 20),
)
_POOLS = (
    Column("POOL", "pool", "word", 30),
    Column("LAGGY", "laggy", "count"),
    Column("WAITING", "wait", "count"),
    Column("PG TIME", "laggy_pg_seconds", "duration"),
)


def laggy_text(answer: Laggy) -> str:
    """The counts of now, then episodes, OSDs and pools."""
    now = answer.now
    head = f"now {now.laggy} laggy and {now.wait} waiting of {plural(now.pgs, 'placement group')}"
    if now.at is None:  # not before the first look, nor while the watch is off
        head = "not known yet: the watch has not looked at the placement groups"
    blocks = [
        head,
        _part(_EPISODES, answer.episodes, answer.episodes_left_out),
        _part(_LAGGY_OSDS, answer.osds),
        _part(_POOLS, answer.pools),
    ]
    return GAP.join(block for block in blocks if block)


def _part(columns: Sequence[Column], rows: Sequence[Any], left_out: int = 0) -> str:
    more = max(0, len(rows) - _ROWS) + left_out
    end = f"\n… and {more} more" if more else ""
    return table(columns, rows[:_ROWS]) + end if rows else ""


QUESTIONS = (
    Question("cohort ls", cohorts, text=listing(_COHORTS, _NO_COHORTS), rest="GET cohort"),
    Question("coverage ls", looks, text=looks_text, rest="GET coverage"),
    Question(
        "laggy ls",
        laggy,
        text=laggy_text,
        covers=("laggy_pgs",),
        rest="GET laggy",
        rows="osds",
    ),
    Question("osd series", series, rest="GET osd/ID/series"),
    Question("trace export", trace),
)
