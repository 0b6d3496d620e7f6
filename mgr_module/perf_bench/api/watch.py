"""Questions about findings, laggy placement groups and recorded latencies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from typing import Any, Callable, Optional

from ..answers import text
from ..answers.paging import MAPS_AGE, matching, ordered, page_of
from ..core.clock import Clock
from ..errors import InvalidValue, NotFound
from ..model.admission import TOLERATED
from ..model.arguments import check_channel, parse_duration
from ..model.cluster import Cluster
from ..model.coverage import SLOW_OSDS
from ..model.finding import (
    ACK_NAME,
    ACK_TEXT,
    Acknowledgement,
    Finding,
    FindingState,
    Severity,
)
from ..model.frame import CHANNELS, FRAME_SECONDS
from ..model.history import DAY, FIVE_MINUTES, HOUR, LOAD, SLOW_FRAME_RATIO, SeriesPoint
from ..model.json_fields import Json
from ..model.selection import Selection, no_such_osd
from ..model.verdict import OsdState
from ..report import ceph_alerts as alert_shapes
from ..report import findings as found_shapes
from ..report import laggy_table
from ..report.trace import Recorded, trace_csv, trace_header
from ..store.sqlite import Store, StoreThread
from ..watch.service import Watch

_Steps = Callable[[Finding], Optional[Json]]
_LONGEST_MUTE = 365 * DAY
# A tick is late when so many were due since the last one; one may take longer on a busy mgr.
LATE_TICKS = 6
# On the page of a host: closed findings of a week, and findings in all.
_CLOSED_SHOWN, _MOST_SHOWN = 7 * DAY, 50
# Suspects in the status by name; their number has all.
_MOST_SUSPECTS = 5
# A trace goes through the mgr as one text, on the thread on which other commands wait.
_TRACE_BYTES = 8 << 20
_PIECE_BYTES = 2 << 20
_TRACE_SECONDS = 5.0
# More rows than this are not begun; one has a hundred bytes or more.
_MOST_ROWS = 200_000
# Levels of recorded series, finest first, with the longest time each is used for.
LEVELS = ((FIVE_MINUTES, 2 * DAY), (HOUR, 30 * DAY), (DAY, 400 * DAY))


class WatchApi:
    """``ceph perf-bench finding …``, ``laggy ls``, ``trace export``, an OSD's series."""

    def __init__(
        self,
        watch: Watch,
        cluster: Cluster,
        store_thread: StoreThread,
        clock: Clock,
        tolerated: Callable[[], Sequence[str]] = lambda: TOLERATED,
        steps: Callable[[], _Steps] = lambda: lambda _finding: None,
    ) -> None:
        """``tolerated`` returns the health checks in spite of which rounds may start.

        ``steps`` returns a function that says what next, for the findings of one answer.
        """
        self._watch = watch
        self._cluster = cluster
        self._store_thread = store_thread
        self._clock = clock
        self._tolerated = tolerated
        self._steps = steps

    def status(self) -> Json:
        """The state of the watch; ``last_tick_at`` is null while it is off.

        ``judged`` is how many OSDs have a verdict on their latencies now, ``since`` the time since
        when every tick has succeeded, ``late_seconds`` by how much the next tick is late.
        """
        stats, options = self._watch.tick_stats, self._watch.options()
        judged = sum(one.looked for one in self._watch.coverage() if one.name == SLOW_OSDS)
        due = math.inf if stats.at is None else stats.at + LATE_TICKS * options.tick_seconds
        now = self._clock.now()
        return {
            "on": options.on,
            "osds": len(self._cluster.osds(MAPS_AGE)),
            "tick_seconds": options.tick_seconds,
            "judged": judged if options.on else 0,
            "since": text.iso(stats.since),
            "last_tick_at": text.iso(stats.at),
            "late_seconds": round(now - due) if options.on and now > due else 0,
            "last_tick_cpu_seconds": stats.cpu_seconds,
            "errors": stats.errors,
            "problem": self._watch.problem() or self._watch.journal.problem,
            "lost_rows": self._watch.journal.lost,
        }

    def suspects(self) -> Json:
        """The OSDs that seem slow, for too short or too uncertainly for a finding.

        Their number and the slowest; ``since`` is null where nobody looked when it began.
        """
        verdicts = self._watch.osd_snapshot().verdicts.values()
        found = [one for one in verdicts if one.state is OsdState.SUSPECT]
        found.sort(key=lambda one: (-(one.ratio or 0.0), one.osd))
        worst = [
            {"osd": one.osd, "ratio": one.ratio, "since": text.iso(one.since)}
            for one in found[:_MOST_SUSPECTS]
        ]
        return {"osds": len(found), "worst": worst}

    def limits(self) -> Json:
        """From which ratio an OSD is slow, and which frames count as slow in a series."""
        return {
            "watch_ratio": self._watch.sustained_ratio,
            "frame_seconds": FRAME_SECONDS,
            "frame_ratio": SLOW_FRAME_RATIO,
        }

    def cohorts(self) -> list[Json]:
        """Which OSDs are compared with each other, and the smallest slowdown that is detected."""
        return [asdict(cohort) for cohort in self._watch.cohorts()]

    # --- findings ----------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Open findings by severity."""
        counts = {severity.value: 0 for severity in Severity}
        for finding in self._watch.findings():
            if finding.state is FindingState.OPEN:
                counts[finding.severity.value] += 1
        return counts

    def findings(
        self,
        everything: bool = False,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        search: Optional[str] = None,
        sort: Optional[str] = None,
    ) -> tuple[list[Json], int]:
        """A page of findings, worst first unless sorted, and their number.

        ``everything`` has those that are closed too.
        """
        first, count = page_of(limit, offset)
        self._watch.recall()
        found: Sequence[Finding] = [
            finding
            for finding in self._watch.findings()
            if everything or finding.state is not FindingState.CLOSED
        ]
        if search:
            found = matching(found, found_shapes.SEEN, found_shapes.SEARCHED, search)
        if sort:
            found = ordered(found, found_shapes.FIELDS, sort)
        else:
            found = sorted(found, key=_worst_first)
        shaped = self._shaper()
        return [shaped(one) for one in found[first : first + count]], len(found)

    def finding(self, number: int) -> Json:
        return self._shaper()(self.found(number))

    def mute(self, number: int, for_: str) -> Json:
        """Leave a finding out of health for a time ("1d"); raises InvalidValue, NotFound."""
        seconds = parse_duration(for_, "for")
        if seconds > _LONGEST_MUTE:
            raise InvalidValue("a finding is muted for a year at most", field="for")
        if self.found(number).state is FindingState.CLOSED:
            raise InvalidValue(f"finding {number} is closed: there is nothing to mute", field="id")
        muted = self._watch.mute(number, self._clock.now() + seconds)
        return self._shaper()(muted)

    def acknowledge(self, number: int, words: str, by: Optional[str] = None) -> Json:
        """Note on a finding what is known or done about it; its health check stays.

        Raises InvalidValue, NotFound.
        """
        words = _checked_note("text", words, ACK_TEXT)
        name = None if by is None else _checked_note("by", by, ACK_NAME)
        return self._acknowledge(number, Acknowledgement(words, self._clock.now(), name))

    def unacknowledge(self, number: int) -> Json:
        """Remove the note. Raises InvalidValue, NotFound; none is no error."""
        return self._acknowledge(number, None)

    def _acknowledge(self, number: int, acknowledged: Optional[Acknowledgement]) -> Json:
        if self.found(number).state is FindingState.CLOSED:
            raise InvalidValue(
                f"finding {number} is closed: there is nothing to acknowledge", field="id"
            )
        return self._shaper()(self._watch.acknowledge(number, acknowledged))

    def of_osd(self, osd: int, host: str) -> list[Json]:
        """The findings about an OSD or its host, worst first, closed ones last."""
        about = {("osd", str(osd)), ("host", host)}
        found = [one for one in self._watch.findings() if (one.target.kind, one.target.id) in about]
        return list(map(self._shaper(), sorted(found, key=_worst_first)))

    def of_host(self, host: str, osds: Sequence[int]) -> tuple[list[Json], int]:
        """The findings about a host or its OSDs, worst first, and how many are left out.

        Closed ones of the last week too.
        """
        about = {("host", host), *(("osd", str(osd)) for osd in osds)}
        since = self._clock.now() - _CLOSED_SHOWN
        found = [
            one
            for one in self._watch.findings()
            if (one.target.kind, one.target.id) in about
            and (one.closed_at is None or one.closed_at >= since)
        ]
        shown = sorted(found, key=_worst_first)[:_MOST_SHOWN]
        return list(map(self._shaper(), shown)), len(found) - len(shown)

    def found(self, number: int) -> Finding:
        """The finding of that ID. Raises NotFound."""
        self._watch.recall()
        for finding in self._watch.findings():
            if finding.id == number and number:
                return finding
        raise NotFound(
            f"no finding {number}: 'ceph perf-bench finding ls --all' lists those there are"
        )

    # --- Ceph's own alerts -------------------------------------------------------------------

    def alerts(self) -> list[Json]:
        """Ceph's own alerts about slow OSDs, explained, with the open findings about them."""
        tolerated = self._tolerated()
        open_ = [one for one in self._watch.findings() if one.state is not FindingState.CLOSED]
        shapes = []
        for one in self._watch.ceph_alerts():
            about = [found.id for found in open_ if self.osds_of(found) & set(one.osds)]
            allowed = any(fnmatchcase(one.alert.code, name) for name in tolerated)
            known = one.alert.muted or (allowed and not one.alert.error)
            shapes.append(alert_shapes.alert(one, about, known))
        return shapes

    def osds_of(self, finding: Finding) -> set[int]:
        """The OSDs that a finding is about: its target, those of its host, those it names."""
        target = finding.target
        osds = {int(target.id)} if target.kind == "osd" and target.id.isdigit() else set()
        if target.kind == "host":
            osds = {one.osd for one in self._watch.members() if one.host == target.id}
        named = finding.evidence.get("osds")
        if isinstance(named, (list, tuple)):
            osds |= {osd for osd in named if isinstance(osd, int)}
        return osds

    def named(self) -> set[int]:
        """The OSDs that open findings are about."""
        open_ = [one for one in self._watch.findings() if one.state is not FindingState.CLOSED]
        return set().union(*map(self.osds_of, open_))

    def _shaper(self) -> Callable[[Finding], Json]:
        """A function that adds to findings Ceph's alerts about the same OSDs, and what next."""
        alerts, steps = self.alerts(), self._steps()

        def shaped(finding: Finding) -> Json:
            theirs = [
                {"code": one["code"], "ongoing": one["ongoing"], "text": one["ongoing_text"]}
                for one in alerts
                if finding.id in one["findings"]
            ]
            added = {"ceph_alerts": theirs, "next_steps": steps(finding)}
            return {**found_shapes.finding(finding), **added}

        return shaped

    # --- laggy placement groups --------------------------------------------------------------

    def laggy(self) -> Json:
        """Laggy placement groups now, and the newest episodes."""
        now, osds, pools, episodes = self._watch.laggy_groups()
        return laggy_table.laggy_json(now, osds, pools, episodes, self._watch.host_of)

    # --- an OSD's past -----------------------------------------------------------------------

    def series(self, osd: int, since: Optional[str] = None, channel: Optional[str] = None) -> Json:
        """An OSD's latencies over ``since`` ("6h", by default 3 h), at the level that fits it.

        By channel rows of [unix seconds, seconds of the span, mean, maximum of the 15 s in it,
        operations, frames at least twice as slow as its peers]; latencies in milliseconds.
        """
        self._member(osd)
        span = parse_duration(since, "since") if since else 3 * HOUR
        check_channel(channel)
        end = self._clock.now()
        points = self._points(osd, end - span, end, [channel] if channel else CHANNELS)
        return {
            "osd": osd,
            "from": text.iso(end - span),
            "to": text.iso(end),
            "columns": ["at", "seconds", "mean_ms", "max_ms", "ops", "slow_frames"],
            "channels": {name: [_row(one) for one in found] for name, found in points.items()},
        }

    def trace(self, since: Optional[str] = None, expression: Optional[str] = None) -> str:
        """The recorded series of OSDs (all, or those ``expression`` selects) as CSV.

        Raises InvalidValue where they are more than one answer may be or take.
        """
        span, chosen = self._traced(since, expression)
        if len(chosen) * (span // FIVE_MINUTES + 180) > _MOST_ROWS:
            raise _too_much(chosen, span)
        text_, rest = self._trace_of(span, chosen, _TRACE_BYTES)
        if rest is not None:
            raise _too_much(chosen, span)
        return text_

    def trace_piece(
        self, begin: int, since: Optional[str] = None, expression: Optional[str] = None
    ) -> Json:
        """A piece of the same that begins with the first OSD from ID ``begin`` on.

        ``csv`` has its header and whole OSDs; ``next`` is where the next piece begins, null after
        the last one.
        """
        span, chosen = self._traced(since, expression)
        text_, rest = self._trace_of(span, [osd for osd in chosen if osd >= begin], _PIECE_BYTES)
        return {"csv": text_, "next": rest}

    def _traced(self, since: Optional[str], expression: Optional[str]) -> tuple[int, list[int]]:
        """How many seconds of which OSDs are asked for."""
        span = parse_duration(since, "since") if since else DAY
        chosen = Selection.parse(expression or "all").select(self._cluster.osds(MAPS_AGE))
        members = {member.osd for member in self._watch.members()}
        return span, [osd.id for osd in chosen if osd.id in members]

    def _trace_of(self, span: int, chosen: list[int], most: int) -> tuple[str, Optional[int]]:
        """CSV of as many OSDs as fit ``most`` bytes and the time, one at least; the next one."""
        members = {member.osd: member for member in self._watch.members()}
        end, until = self._clock.now(), self._clock.monotonic() + _TRACE_SECONDS
        parts = [trace_header()]
        size = 0
        for number, osd in enumerate(chosen):
            left = until - self._clock.monotonic()
            if number and (size >= most or left <= 0):
                return "".join(parts), osd
            points = self._points(osd, end - span, end, (*CHANNELS, LOAD), left)
            parts.append(trace_csv(Recorded(members[osd], points)))
            size += len(parts[-1])
        return "".join(parts), None

    def _points(
        self, osd: int, begin: float, end: float, channels: Sequence[str], limit: float = 5.0
    ) -> dict[str, list[SeriesPoint]]:
        """The points by channel: recent whole minutes from memory, older ones from the store.

        The hour in which the minutes begin is read as five minutes, so that they do not overlap.
        A store that is away raises StoreUnavailable.
        """
        level = next((level for level, back in LEVELS if end - begin <= back), DAY)
        fresh = {name: self._watch.minutes(osd, name, begin, end) for name in channels}
        starts = [points[0].start for points in fresh.values() if points]
        until = min(starts, default=end)

        def read(store: Store) -> dict[str, list[SeriesPoint]]:
            found: dict[str, list[SeriesPoint]] = {name: [] for name in channels}
            after = begin
            for seconds in (one for one in (DAY, HOUR, FIVE_MINUTES) if one <= level):
                before = until if seconds == FIVE_MINUTES else until // seconds * seconds
                if after < before:
                    spans = store.watch.all_series(osd, channels, seconds, after, before)
                    for name, points in spans.items():
                        found[name] += points
                    after = before
            return found

        older: Mapping[str, Sequence[SeriesPoint]] = {}
        if until - begin > FIVE_MINUTES:
            older = self._store_thread.call(read, limit)
        both = {name: [*older.get(name, ()), *fresh[name]] for name in channels}
        return {name: points for name, points in both.items() if points}

    def _member(self, osd: int) -> None:
        if all(one.id != osd for one in self._cluster.osds(MAPS_AGE)):
            raise no_such_osd(osd)


def _too_much(chosen: Sequence[int], span: int) -> InvalidValue:
    return InvalidValue(
        f"{len(chosen)} OSDs over {text.duration(span)} are too much for one answer: "
        "'ceph-perf-bench trace' asks piece by piece; or choose some with --osds, or a shorter "
        "--since",
        field="since",
    )


def _worst_first(finding: Finding) -> tuple[Any, ...]:
    severity = found_shapes.FIELDS["severity"](finding)
    return finding.state is FindingState.CLOSED, severity, -finding.first_seen, finding.id


def _row(point: SeriesPoint) -> list[Any]:
    slow = point.frames_over(SLOW_FRAME_RATIO) if point.bins else None
    maximum = None if point.maximum is None else round(point.maximum * 1000, 3)
    mean = round(point.mean * 1000, 3)
    return [int(point.start), point.seconds, mean, maximum, point.ops, slow]


def _checked_note(name: str, words: str, longest: int) -> str:
    """The text without spaces around it. Raises InvalidValue; control characters never get here."""
    words = words.strip()
    if not words:
        raise InvalidValue(
            f"{name} is empty, as in: finding ack 3 'cable ordered, ticket 4711'", field=name
        )
    if len(words) > longest:
        raise InvalidValue(
            f"{name} has {len(words)} characters, at most {longest} are kept", field=name
        )
    return words
