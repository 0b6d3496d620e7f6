"""``ceph perf-bench report``: what happened in a time, as a file to forward."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable, NamedTuple, Optional

from ..bench.comparisons import Comparisons
from ..bench.stored_rounds import StoredRounds
from ..core.clock import Clock
from ..errors import InvalidValue, NotFound, PerfBenchError, StoreUnavailable
from ..model.finding import FindingState
from ..model.history import DAY, HOUR
from ..model.json_fields import Json
from ..model.phrases import listed, not_one_of, parse_duration
from ..model.plan import TOOLS
from ..model.round import RoundLine
from ..version import VERSION
from ..watch.ledger import CLOSED_KEPT
from ..watch.service import Watch
from .budget import StoreBudget
from .cluster import ClusterAnswers
from .comparing import history
from .coverage import CoverageAnswers
from .documents import MOST_ROWS, page
from .events import MOST_EVENTS
from .findings import finding, worst_first
from .period_document import period_document
from .rounds import round_line
from .shape import to_json
from .status import WatchApi
from .text import iso

FORMATS = ("html", "json")
# Kinds of events that changed something.
_CHANGES = ("restart", "down", "config")
_SINCE, _LEAST, _MOST = "30d", HOUR, 30 * DAY
# Rounds that are looked through, and seconds for all reads of the database. Findings of before
# are waited for 3 s more.
_ROUNDS, _SECONDS = 500, 6.5
# From which share of its hours the past of the cluster is called known.
_KNOWN = 0.95


class PeriodDeps(NamedTuple):
    """What a report is made of."""

    watch: Watch
    watch_api: WatchApi
    cluster: ClusterAnswers
    coverage: CoverageAnswers
    stored: StoredRounds
    comparisons: Comparisons
    budget: StoreBudget
    clock: Clock
    release: Callable[[], str]
    fsid: Callable[[], str]


@dataclass(frozen=True)
class ReportFile:
    """What 'report' prints: findings, rounds, trends and changes of a time.

    name -- A name for the file.
    """

    name: str
    text: str


class PeriodAnswers:
    """``report``. A part that cannot be read is named, and the others are there."""

    def __init__(self, parts: PeriodDeps) -> None:
        self._parts = parts

    def text(
        self, since: Optional[str] = None, as_: Optional[str] = None, config: bool = True
    ) -> str:
        """The report as the text of a file. Raises InvalidValue.

        ``config`` says whether changes of the configuration may be told.
        """
        format_ = as_ or FORMATS[0]
        if format_ not in FORMATS:
            raise not_one_of("as", format_, FORMATS)
        with self._parts.budget.within(_SECONDS):
            shape = self.shape(since, config)
        if format_ == "json":
            return json.dumps(shape, indent=2) + "\n"
        return page(period_document(shape))

    def file(
        self, since: Optional[str] = None, as_: Optional[str] = None, config: bool = True
    ) -> ReportFile:
        """The same for the dashboard, with a name for the file."""
        text = self.text(since, as_, config)
        day = str(iso(self._parts.clock.now()))[:10]
        return ReportFile(f"perf-bench-{day}.{as_ or FORMATS[0]}", text)

    def shape(self, since: Optional[str] = None, config: bool = True) -> Json:
        """The report as JSON. ``incomplete`` names in sentences what is not known."""
        span = parse_duration(since or _SINCE, "since")
        if not _LEAST <= span <= _MOST:
            raise InvalidValue("a report is about 1 hour to 30 days", field="since")
        end = self._parts.clock.now()
        begin = end - span
        incomplete = self._not_looked_at()
        rounds, profiles = self._rounds(begin, incomplete)
        latency, changes = self._latency(span, config, incomplete)
        return {
            "from": iso(begin),
            "to": iso(end),
            "version": VERSION,
            "release": self._parts.release(),
            "fsid": self._parts.fsid(),
            "incomplete": incomplete,
            "findings": self._findings(begin, incomplete),
            "rounds": rounds,
            "trends": {"latency": latency, "profiles": self._profiles(profiles, begin, incomplete)},
            "changes": changes,
        }

    def _not_looked_at(self) -> list[str]:
        """What the watch does not see now."""
        status, coverage = self._parts.watch_api.status(), self._parts.coverage.brief()
        found = [] if status["on"] else ["the watch is off: nothing looks for new findings"]
        if status["problem"]:
            found.append(f"the watch has a problem: {status['problem']}")
        found += coverage["gaps"]
        if coverage["more"]:
            more = coverage["more"]
            found.append(f"{more} more gaps: 'ceph perf-bench coverage ls' lists all")
        return found

    def _findings(self, begin: float, incomplete: list[str]) -> Json:
        try:
            self._parts.watch.recall()
        except PerfBenchError as error:
            incomplete.append(f"findings of before this mgr's start are not known: {error}")
        found = [
            one
            for one in self._parts.watch.findings()
            if one.closed_at is None or one.closed_at >= begin
        ]
        found.sort(key=worst_first)
        closed = [one for one in found if one.state is FindingState.CLOSED]
        if len(closed) >= CLOSED_KEPT:
            incomplete.append(f"only the newest {len(closed)} closed findings are kept")
        return {
            "open": sum(one.state is not FindingState.CLOSED for one in found),
            "opened": sum(one.first_seen >= begin for one in found),
            "closed": len(closed),
            "rows": [to_json(finding(one)) for one in found[:MOST_ROWS]],
            "left_out": max(0, len(found) - MOST_ROWS),
        }

    def _rounds(self, begin: float, incomplete: list[str]) -> tuple[Json, Sequence[str]]:
        """The rounds of the time, and their profiles."""
        lines: list[RoundLine] = []
        try:
            newest, total = self._parts.stored.lines(None, None, (0, _ROUNDS), "", "-id")
            lines = [one for one in newest if one.created_at >= begin]
            if total > len(newest) and len(lines) == len(newest):
                incomplete.append(f"only the newest {len(newest)} rounds are counted")
        except PerfBenchError as error:
            incomplete.append(f"the rounds could not be read: {error}")
        verdicts: dict[str, int] = {}
        for line in lines:
            # As `round ls` has it: of such a round not even the state need be true.
            word = "unreadable" if line.unreadable else (line.verdict or line.state).value
            verdicts[word] = verdicts.get(word, 0) + 1
        measured = [one.profile for one in lines if one.kind not in TOOLS]
        return {
            "total": len(lines),
            "verdicts": verdicts,
            "rows": [to_json(round_line(line)) for line in lines[:MOST_ROWS]],
            "left_out": max(0, len(lines) - MOST_ROWS),
        }, sorted(set(measured))

    def _latency(self, span: int, config: bool, incomplete: list[str]) -> tuple[list[Json], Json]:
        """Latencies by channel and group of OSDs, and what was changed in the time."""
        try:
            whole = self._parts.cluster.trends(span, config)
        except PerfBenchError as error:
            incomplete.append(f"latencies and changes could not be read: {error}")
            return [], {"configuration": str(error), "events": []}
        known = whole.known_seconds
        if known < _KNOWN * span:
            hours = f"{known / HOUR:.1f} of {span / HOUR:.0f} hours"
            incomplete.append(f"latencies and restarts are known for {hours}")
        told = whole.happened.configuration
        if told != "told":
            why = "your roles lack the right to read it" if told == "hidden" else told
            incomplete.append(f"changes of the configuration are not known: {why}")
        events = [one for one in whole.happened.events if one.kind in _CHANGES]
        kinds = {one.kind for one in events}
        limited = sorted(kinds.intersection(whole.happened.events_left_out))
        incomplete += [f"only the newest {MOST_EVENTS} changes of kind {kind}" for kind in limited]
        trends = [
            {"channel": name, **to_json(group)}
            for name, groups in whole.channels.items()
            for group in groups
        ]
        return trends, {"configuration": told, "events": to_json(events)}

    def _profiles(self, profiles: Sequence[str], begin: float, incomplete: list[str]) -> list[Json]:
        """The histories of these profiles, as ``profile history`` has them."""
        found: list[Json] = []
        late: list[str] = []
        for profile in profiles:
            try:
                known = self._parts.comparisons.history(profile)
            except NotFound:  # of a profile that this version does not have any more
                continue
            except StoreUnavailable:
                late.append(profile)
                continue
            past = known.history
            if past.read_since is not None and past.read_since > begin:
                since = str(iso(past.read_since))[:10]
                incomplete.append(f"the history of {profile} has no rounds before {since}")
            shape, first = to_json(history(*known)), str(iso(begin))
            for name in ("points", "changes"):
                shape[name] = [one for one in shape[name] if one["at"] >= first]
            shape["left_out"] = shape["left_out"][:MOST_ROWS]
            found.append(shape)
        if late:
            incomplete.append(f"the database did not tell the history of {listed(late)} in time")
        return found
