"""Finds slow OSDs in frames, which it cuts into minutes and segments. Frames are its only clock.

Its times are steady seconds: unix seconds less all steps of the clock since it began. They become
unix seconds only where they are told or saved.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import add
from typing import Any, Callable, ClassVar, NamedTuple, Optional

from ...model.finding import (
    JUDGED,
    NO_FIGURES,
    SLOW_OSDS,
    Claim,
    Detector,
    Frame,
    Gap,
    Look,
    Mark,
    Roster,
    Watched,
    WatchTick,
    away,
)
from ...model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from ...model.history import without_release
from ...model.json_fields import FAULTS
from ...model.phrases import plural, times_text
from ...model.verdict import CohortReport, OsdState, OsdVerdict
from .cohort import MINUTE, SEGMENT, CohortChannel, Minute
from .judge import ACUTE, INTERMITTENT, SUSTAINED, Judgement, judge, z_rounded
from .peers import Cohort, Topology
from .state import Kept, Moved, carry, fill, saved
from .thresholds import Thresholds

# Seconds without a minute of data after which an OSD has no verdict.
_SILENT_SECONDS = 900.0
# A minute counts if it has at least half of its frames.
_LEAST_SECONDS = 30.0
# What OSDs with one of these show does not count: a restarted one has cold caches.
_IGNORED = NO_FIGURES | Mark.RESTARTED
# Frames that are so much older than the newest one are of a clock that was set back.
_BACK = 600.0
# OSDs whose minutes are closed per frame at the least.
_WORK = 10_000
_FORMAT = 7
# Minutes of data before a cohort's OSDs have verdicts.
_COLD_MINUTES = 5
# So many hits in the last windows make an OSD suspect, although not slow.
_SUSPICIOUS = 2
_CODES = (SLOW_OSD.code, SLOW_HOST.code, SLOW_ENCLOSURE.code)
# Why an OSD has no verdict.
_TREE = "see 'ceph osd tree'"
_UNSEEN = Gap("unread", "the watch has not read the counters yet", "wait a minute")
_SILENT = Gap("silent", "no reports come to the mgr any more", "see the OSD's log")
_BY_MARK = {
    Mark.DOWN: Gap("down", "down or out", _TREE),
    Mark.STALE: _SILENT,
    Mark.BENCHED: Gap("benched", "a round measures it, or did a minute ago", "wait for its end"),
}
_PEERS_AWAY = Gap("peers-away", "its peers are all down, out, silent or measured", _TREE)
_ALONE = Gap(
    "alone",
    "it has no peers of its class, model and release to compare it with",
    "rounds compare it with its own past ('ceph perf-bench round start osd-throughput')",
)
_COLD = Gap("cold", f"its cohort has had under {_COLD_MINUTES} minutes with data", "wait")


class _Now(NamedTuple):
    """An OSD's worst channel in the newest minute: z, and the excess in ln units."""

    z: float
    excess: float
    channel: str


class SlowDetector(Detector):
    """Takes every frame in order; can be queried between frames. Not thread-safe."""

    name = "slow"
    KEPT: ClassVar[Kept] = {
        **dict.fromkeys(("now", "offset"), float),
        **dict.fromkeys(("minutes", "frames"), int),
        "channels": None,
    }

    def __init__(self, settings: Thresholds) -> None:
        self.settings = settings
        self._lay_out(Roster(()))
        self.now = math.nan  # the end of the newest frame
        self.offset = 0.0  # unix seconds less steady ones
        self.minutes = 0  # how many were closed
        self.frames = 0  # how many were added
        self.marks: dict[int, int] = {}  # by OSD, of the newest frame
        # Whether no OSD has reported for so long that nothing is known of any.
        self.quiet = False
        # Whether it goes on with a saved state.
        self.restored = False
        self._framed_at = math.nan
        # Work of many OSDs is spread: what a minute leaves is done before the next one ends.
        self._jobs: deque[Callable[[], None]] = deque()
        self._share = 0  # jobs of a frame
        self._minute = self._segment = -1
        self._load: Sequence[float] = ()
        self._open_minute()
        self._judged: Optional[Judgement] = None

    # --- frames ------------------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        self.offset += tick.clock_step
        if self.layout.cohort_of.keys() & tick.replaced:
            self._adopt(self.layout.roster, tick.replaced)
        for frame in tick.frames:
            self.step(frame)
        # Without a report there is no frame, and the newest one may be of when all was well.
        now = tick.now - self.offset
        if tick.frames or math.isnan(self._framed_at):
            self._framed_at = now
        self.quiet = now - self._framed_at >= _SILENT_SECONDS

    def step(self, frame: Frame) -> None:
        """Add a frame. Frames that are not newer than the last one are ignored."""
        start, end = frame.start - self.offset, frame.end - self.offset
        if -_BACK < end - self.now <= 0:
            return
        self.now = end
        if frame.roster is not self.layout.roster:
            self._adopt(frame.roster)
        minute, segment = int(start // MINUTE), int(start // SEGMENT)
        if minute != self._minute:
            self._close_minute()
            self._minute = minute
        if segment != self._segment:
            self._close_segment()
            self._segment = segment
        if frame.roster.members:
            self._add(frame)
        if int((end + 0.5) // MINUTE) != minute:
            self._close_minute()
        self._share = max(self._share, -(-len(self._jobs) // 4))
        self._work(max(self._share, _WORK // (len(frame.roster.members) + 1)))

    def _add(self, frame: Frame) -> None:
        members = frame.roster.members
        self.frames += 1
        self.marks = {}
        if any(frame.marks):
            self.marks = {one.osd: int(mark) for one, mark in zip(members, frame.marks) if mark}
        seconds = frame.end - frame.start
        by_cohort = _by_cohort(self.marks, self.layout)
        for cohort in self.layout.cohorts:
            load, marks = cohort.pick(frame.load), by_cohort[cohort.name]
            without = [at for at, mark in marks.items() if mark & _IGNORED]
            for name in JUDGED:
                if name not in frame.latency:
                    continue
                latency = cohort.pick(frame.latency[name])
                for at in without:
                    latency[at] = math.nan
                ops = cohort.pick(frame.ops[name]) if name in frame.ops else None
                self.channels[name][cohort.name].frame(
                    self.frames, seconds, latency, ops, load, marks
                )
        self._seconds += seconds
        self._load = list(map(add, self._load, frame.load)) if self._load else frame.load
        self._loads += 1
        for osd, mark in self.marks.items():
            self._marks[osd] = self._marks.get(osd, 0) | mark

    def _lay_out(self, roster: Roster) -> None:
        """Begin with these OSDs, of which nothing is known."""
        self.layout = Topology(roster, self.settings.group_members)
        self.channels: dict[str, dict[str, CohortChannel]] = {  # by channel and cohort
            name: {one.name: CohortChannel(name, one, self.settings) for one in self.layout.cohorts}
            for name in JUDGED
        }

    def states(self) -> Iterator[CohortChannel]:
        """All cohorts in all channels."""
        return (state for cohorts in self.channels.values() for state in cohorts.values())

    def _open_minute(self) -> None:
        self._seconds = 0.0
        self._load, self._loads = (), 0
        self._marks: dict[int, int] = {}  # by OSD, of all frames
        self._minute = -1

    def _close_minute(self) -> None:
        if self._minute < 0:
            return
        self.minutes += 1
        self._share = 0
        start, seconds = self._minute * MINUTE, self._seconds
        load = [load / self._loads for load in self._load]
        marks = _by_cohort(self._marks, self.layout)
        self._open_minute()
        taken = [
            [(one, *one.take_minute()) for one in some.values()] for some in self.channels.values()
        ]
        known = [some for some in taken if any(any(ops) for _, _, ops in some)]
        for some in known if seconds >= _LEAST_SECONDS else ():
            for one, sums, ops in some:
                cohort = one.cohort
                loads = cohort.pick(load) if load else [math.nan] * cohort.size
                view = Minute(start, self.minutes, seconds, loads, marks[cohort.name])
                self._jobs.append(partial(one.minute, view, sums, ops))

    def _close_segment(self) -> None:
        if self._segment < 0:
            return
        before = self.minutes - round(self.settings.idle_hours * 60)
        for one in self.states():
            self._jobs.append(partial(one.segment, self._segment * SEGMENT, self.minutes))
            self._jobs.append(partial(one.drop_idle, before))

    def _work(self, most: float = math.inf) -> None:
        """Do at most so many jobs."""
        while self._jobs and most > 0:
            self._judged = None
            self._jobs.popleft()()
            most -= 1

    @property
    def judgement(self) -> Judgement:
        """The causes behind all current flags."""
        if self._judged is None:
            cohorts = self.layout.cohorts
            self._judged = judge(self.channels.values(), cohorts, self.settings, self.now)
        return self._judged

    # --- changes of the roster ---------------------------------------------------------------

    def _adopt(self, roster: Roster, anew: Collection[int] = ()) -> None:
        """Continue with another roster; what is known of OSDs moves along with them.

        Of those that begin ``anew`` nothing is kept: others have their IDs now. OSDs that a wider
        cause explains take no flags along to another cohort.
        """
        if roster == self.layout.roster and not anew:
            self.layout.roster = roster
            return
        self._work()
        explained = self.judgement.part_of.keys() - self.judgement.accused.keys()
        before = self.channels
        self._lay_out(roster)
        self._judged = None
        self._load, self._loads = (), 0
        for name, others in before.items():
            # After an upgrade a cohort has another name, and its past.
            renamed = {without_release(other): other for other in others}
            for state in self.channels[name].values():
                mine, place = state.cohort.name, state.cohort.place
                same = mine if mine in others else renamed.get(without_release(mine))
                for source, other in others.items():
                    osds = (place.keys() & other.cohort.place.keys()).difference(anew)
                    places = [(place[osd], other.cohort.place[osd]) for osd in osds]
                    free = osds if source == mine else osds - explained
                    carry(state, other, Moved(places, free, source == same))

    # --- state -------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return a compact, JSON-ready state for ``restore``, without the open segment."""
        if math.isnan(self.now):
            return {}
        self._work()
        return {"format": _FORMAT, "roster": _roster_text(self.layout.roster), **saved(self)}

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Load a saved state unless a frame was added before; ``now`` is unix seconds.

        It is read into a new detector, and taken only as a whole. A state of another format is
        ignored. Raises ValueError for a damaged one.
        """
        if not math.isnan(self.now) or state.get("format") != _FORMAT:
            return
        try:
            taken = type(self)(self.settings)
            taken._fill(state, now)
        except FAULTS as error:
            raise ValueError(f"the state of slow OSDs is damaged: {error!r:.200}") from error
        self.__dict__.update(taken.__dict__)

    def _fill(self, state: Mapping[str, Any], now: float) -> None:
        self._lay_out(Roster(tuple(Watched(*row) for row in json.loads(state["roster"]))))
        fill(self, state)
        if not math.isfinite(self.now + self.offset):
            raise ValueError("it has no time")
        # The clock of the mgr before may have been ahead: what it saved is now at the latest.
        self.offset += min(0.0, now - (self.now + self.offset))
        self.restored = True
        for one in self.states():
            one.check()
        self.claims()  # what a damaged state would fail at later

    # --- claims ------------------------------------------------------------------------------

    def claims(self) -> list[Claim]:
        """Return one claim for each cause; of two with one target, the larger ratio."""
        claims = [cause.claim(self.offset) for cause in self.judgement.causes]
        claims.sort(key=lambda claim: claim.evidence["ratio"])
        return list({claim.key: claim for claim in claims}.values())

    # --- verdicts -----------------------------------------------------------------------------

    def verdicts(self) -> Mapping[int, OsdVerdict]:
        """Return the verdicts by OSD."""
        return {member.osd: self.verdict(member.osd) for member in self.layout.roster.members}

    def verdict(self, osd: int) -> OsdVerdict:
        """Return the verdict on an OSD of the roster."""
        cohort, judgement = self.layout.cohort_of[osd], self.judgement
        at, states = cohort.place[osd], self._states(cohort)
        worst = max((one.worst[at] for one in states if one.worst[at] > 0), default=None)
        found = OsdVerdict(
            osd,
            OsdState.NO_DATA,
            risk=round(max((one.risk[at] for one in states), default=0.0), 2),
            max_ratio=None if worst is None else round(math.exp(worst), 3),
        )
        cause, wider = judgement.accused.get(osd), judgement.part_of.get(osd)
        if cause is not None:
            ground = cause.worst
            facts, state = ground.flag.facts, OsdState.SLOW
            seen: Optional[_Now] = _Now(facts.z, facts.excess, ground.channel)
            path, since, figures = ground.path, cause.since, ground.figures(self.offset)
        else:
            seen = self._now(cohort, osd)
            path, since, figures = _suspicion(states, osd), math.nan, {}
            if wider is not None:
                path = wider.unit.kind if wider.unit else "cohort"
                since, figures = wider.since, wider.worst.figures(self.offset)
            state = OsdState.SUSPECT if path else OsdState.OK
        if seen is None:
            return found
        return replace(
            found,
            state=state,
            robust_z=z_rounded(seen.z),
            ratio=round(math.exp(seen.excess), 3),
            since=None if math.isnan(since) else since + self.offset,
            channel=seen.channel,
            path=path,
            evidence=figures,
        )

    def cohorts(self) -> list[CohortReport]:
        """Return for each cohort how small a slowdown is found, in its worst channel."""
        found = []
        for cohort in self.layout.cohorts:
            judged = sum(self._now(cohort, member.osd) is not None for member in cohort.members)
            ratios = [(one.detectable(), one.channel) for one in self._states(cohort)]
            known = [(round(ratio, 3), channel) for ratio, channel in ratios if ratio is not None]
            ratio, channel = max(known, default=(None, None))
            found.append(CohortReport(cohort.name, cohort.size, judged, channel, ratio))
        return found

    def _states(self, cohort: Cohort) -> list[CohortChannel]:
        """The cohort in all channels."""
        return [by_cohort[cohort.name] for by_cohort in self.channels.values()]

    def _now(self, cohort: Cohort, osd: int) -> Optional[_Now]:
        """Return how it is now in the channel with the largest z; None if it cannot be judged."""
        at, states = cohort.place[osd], self._states(cohort)
        # One that was slow when its operations ended: nobody knows whether it is well.
        if self.quiet or any(osd in one.unjudged for one in states):
            return None
        least = self.now - _SILENT_SECONDS
        found = []
        for state in states:
            excess = state.now(at) if state.last_data[at] >= least else None
            if excess is not None and state.minutes >= _COLD_MINUTES:
                found.append(_Now(excess / state.minute_scale, excess, state.channel))
        return max([one for one in found if not math.isnan(one.z)], default=None)

    # --- why there is no verdict --------------------------------------------------------------

    def no_data(self, osd: int) -> Optional[Gap]:
        """Why this OSD has no verdict; None if it has one."""
        if osd not in self.layout.cohort_of:
            return _UNSEEN
        cohort = self.layout.cohort_of[osd]
        if osd in self.judgement.accused or self._now(cohort, osd) is not None:
            return None
        found = _SILENT if self.quiet else self._reason(cohort, osd)
        last = [one.last_data[cohort.place[osd]] for one in self._states(cohort)]
        known = [start for start in last if not math.isnan(start)]
        return replace(found, since=max(known) + 60 + self.offset if known else None)

    def _reason(self, cohort: Cohort, osd: int) -> Gap:
        """Why an OSD without data has none, while some OSDs report."""
        marks, states = self.marks, self._states(cohort)
        for mark, found in _BY_MARK.items():
            if marks.get(osd, 0) & mark:
                return found
        if cohort.size < 2:
            return _ALONE
        slow = [state.channel for state in states if osd in state.unjudged]
        least = f"fewer than {self.settings.min_ops:g} operations in each of the last minutes"
        if slow:
            return Gap("idle", f"it was slow ({', '.join(slow)}), and has had {least} since")
        if max((state.minutes for state in states), default=0) < _COLD_MINUTES:
            return _COLD
        others = [member.osd for member in cohort.members if member.osd != osd]
        if all(marks.get(other, 0) & NO_FIGURES for other in others):
            return _PEERS_AWAY
        return Gap("idle", least)

    def looks(self) -> Sequence[Look]:
        """All OSDs: those without a verdict are the gaps, by reason."""
        layout, what = self.layout, "latencies of OSDs against their peers"
        if math.isnan(self.now):
            unseen = Look(SLOW_OSDS, what, "OSD", 0, _CODES)
            return [away(unseen, _UNSEEN.code, _UNSEEN.why, _UNSEEN.help)]
        by_reason: dict[Gap, dict[str, float]] = defaultdict(dict)
        for member in layout.roster.members:
            found = self.no_data(member.osd)
            if found is not None:
                since = math.inf if found.since is None else found.since
                by_reason[replace(found, since=None)][member.name] = since
        gaps = []
        for found, names in sorted(by_reason.items(), key=lambda item: -len(item[1])):
            since = min(names.values())
            gaps.append(replace(found.of(list(names)), since=since if since < math.inf else None))
        return [Look(SLOW_OSDS, what, "OSD", len(layout.cohort_of), _CODES, tuple(gaps))]

    # --- sentences on one OSD -----------------------------------------------------------------

    def explain(self, osd: int) -> list[str]:
        """Return sentences on an OSD; the first one is the verdict."""
        if osd not in self.layout.cohort_of:
            return [f"osd.{osd} is not watched."]
        cohort, found = self.layout.cohort_of[osd], [self._verdict_sentence(osd)]
        for state in self._states(cohort):
            excess = state.now(cohort.place[osd])
            if excess is not None:
                times, peers = times_text(math.exp(excess)), plural(cohort.size - 1, "peer")
                found.append(f"{state.channel}: {times} times its {peers} in the last minute.")
        marks = self.marks.get(osd, 0)
        words = ", ".join(str(mark.name).lower() for mark in Mark if mark & marks)
        if marks & _IGNORED:
            found.append(f"It is {words}: what it shows meanwhile does not count.")
        elif marks:
            found.append(f"It is {words}: no reference for its peers, and judged more strictly.")
        return found

    def _verdict_sentence(self, osd: int) -> str:
        found, why = self.verdict(osd), self.no_data(osd)
        if why is not None:
            return f"osd.{osd} cannot be judged: {why.why}{f' ({why.help})' if why.help else ''}."
        if found.state is OsdState.OK:
            return f"osd.{osd} is as fast as its peers, as far as can be seen."
        if found.state is OsdState.SLOW:
            return f"osd.{osd} is slow, by the {found.path} rule."
        if found.since is not None:
            return f"osd.{osd} is slow together with its {found.path}; the cause is there."
        seen = "has seen something, not enough to call it slow"
        return f"osd.{osd} is suspect: the {found.path} rule {seen}."


def _suspicion(states: Sequence[CohortChannel], osd: int) -> str:
    """Return the rule with hits that are too few for a finding; empty if none has."""
    for state in states:
        for path, tallies in ((ACUTE, state.by_minute), (SUSTAINED, state.by_segment)):
            if any(tally.hits_of(osd) >= _SUSPICIOUS for tally in tallies):
                return path
        if osd in state.bursts.flags:
            return INTERMITTENT
    return ""


def _by_cohort(marks: Mapping[int, int], layout: Topology) -> Mapping[str, dict[int, int]]:
    """The marks of OSDs by cohort and place."""
    found: Mapping[str, dict[int, int]] = defaultdict(dict)
    for osd, mark in marks.items():
        cohort = layout.cohort_of.get(osd)
        if cohort is not None:
            found[cohort.name][cohort.place[osd]] = mark
    return found


def _roster_text(roster: Roster) -> str:
    # Row by row: lists of all OSDs make the garbage collector hold Python for 0.1 s at 25,000 OSDs.
    rows = (json.dumps(list(vars(member).values())) for member in roster.members)
    return f"[{', '.join(rows)}]"
