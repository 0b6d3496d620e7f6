"""Finds slow OSDs in frames: cuts them into minutes and segments. Its only clock are the frames.

Its times are steady seconds: unix seconds less all steps of the clock since it began. They become
unix seconds only where they are told or saved.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from operator import add
from typing import Any, Callable, ClassVar, Optional

from ...model.finding import JUDGED, NO_FIGURES, Frame, Roster, Watched, WatchTick
from ...model.history import without_release
from ...model.json_fields import FAULTS
from .cohort import MINUTE, SEGMENT, CohortChannel, Minute
from .judge import Judgement, judge
from .state import Kept, Moved, carry, fill, saved
from .thresholds import Thresholds
from .topology import Topology

# Seconds without a minute of data after which an OSD has no verdict.
SILENT = 900.0
# A minute counts if it has at least half of its frames.
_LEAST_SECONDS = 30.0
# A gap longer than this drops unfinished acute windows.
_GAP = 600.0
# OSDs whose minutes are closed per frame at the least.
_WORK = 10_000
_FORMAT = 6


class Engine:
    """Takes every frame in order; what it found is ``judgement``."""

    KEPT: ClassVar[Kept] = {
        **dict.fromkeys(("now", "offset"), float),
        **dict.fromkeys(("minutes", "frames"), int),
        "channels": None,
    }

    def __init__(self, settings: Thresholds) -> None:
        self.settings = settings
        self.channels: dict[str, dict[str, CohortChannel]] = {}  # by channel and cohort
        self.layout: Optional[Topology] = None
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
        if self.layout is not None and self.layout.cohort_of.keys() & tick.replaced:
            self._adopt(self.layout.roster, tick.replaced)
        for frame in tick.frames:
            self.step(frame)
        # Without a report there is no frame, and the newest one may be of when all was well.
        now = tick.now - self.offset
        if tick.frames or math.isnan(self._framed_at):
            self._framed_at = now
        self.quiet = now - self._framed_at >= SILENT

    def step(self, frame: Frame) -> None:
        """Add a frame. Frames that are not newer than the last one are ignored."""
        start, end = frame.start - self.offset, frame.end - self.offset
        if not self._in_time(start, end):
            return
        if self.layout is None or frame.roster is not self.layout.roster:
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
        size = len(frame.roster.members)
        for _ in range(min(len(self._jobs), max(self._share, _WORK // (size + 1)))):
            self._jobs.popleft()()

    def _in_time(self, start: float, end: float) -> bool:
        before, self.now = self.now, end
        if math.isnan(before):
            return True
        if -_GAP < end - before <= 0:
            self.now = before
            return False
        if abs(start - before) >= _GAP:
            self._drain()
            self._open_minute()
            for one in self.states():
                one.after_gap()
        return True

    def _add(self, frame: Frame) -> None:
        layout = self.layout
        assert layout is not None  # noqa: S101
        members = frame.roster.members
        self.frames += 1
        self.marks = {}
        if any(frame.marks):
            self.marks = {one.osd: int(mark) for one, mark in zip(members, frame.marks) if mark}
        seconds = frame.end - frame.start
        by_cohort = _by_cohort(self.marks, layout)
        for cohort in layout.cohorts:
            load, marks = cohort.pick(frame.load), by_cohort[cohort.name]
            without = [at for at, mark in marks.items() if mark & NO_FIGURES]
            for name in JUDGED:
                if name not in frame.latency:
                    continue
                latency = cohort.pick(frame.latency[name])
                if without:
                    latency = list(latency)
                    for at in without:
                        latency[at] = math.nan
                ops = cohort.pick(frame.ops[name]) if name in frame.ops else None
                self._channel(name)[cohort.name].frame(
                    self.frames, seconds, latency, ops, load, marks
                )
        self._seconds += seconds
        self._load = list(map(add, self._load, frame.load)) if self._load else frame.load
        self._loads += 1
        for osd, mark in self.marks.items():
            self._marks[osd] = self._marks.get(osd, 0) | mark

    def _channel(self, name: str) -> dict[str, CohortChannel]:
        if name not in self.channels:
            cohorts = self.layout.cohorts if self.layout else ()
            self.channels[name] = {
                one.name: CohortChannel(name, one, self.settings) for one in cohorts
            }
        return self.channels[name]

    def states(self) -> Iterator[CohortChannel]:
        """All cohorts in all channels."""
        return (state for cohorts in self.channels.values() for state in cohorts.values())

    def _open_minute(self) -> None:
        self._seconds = 0.0
        self._load, self._loads = (), 0
        self._marks: dict[int, int] = {}  # by OSD, of all frames
        self._minute = -1

    def _close_minute(self) -> None:
        if self._minute < 0 or self.layout is None:
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
                view = Minute(start, self.minutes, seconds, loads, marks[cohort.name], len(known))
                self._later(partial(one.minute, view, sums, ops))

    def _close_segment(self) -> None:
        if self._segment < 0:
            return
        before = self.minutes - round(self.settings.idle_hours * 60)
        for one in self.states():
            self._later(partial(one.segment, self._segment * SEGMENT, self.minutes))
            self._later(partial(one.drop_idle, before))

    def _later(self, job: Callable[[], None]) -> None:
        def done() -> None:
            self._judged = None
            job()

        self._jobs.append(done)

    def _drain(self) -> None:
        while self._jobs:
            self._jobs.popleft()()

    @property
    def judgement(self) -> Judgement:
        """The causes behind all current flags."""
        if self._judged is None:
            cohorts = self.layout.cohorts if self.layout else []
            self._judged = judge(self.channels.values(), cohorts, self.settings, self.now)
        return self._judged

    # --- changes of the roster ---------------------------------------------------------------

    def _adopt(self, roster: Roster, anew: Collection[int] = ()) -> None:
        """Continue with another roster; what is known of OSDs moves along with them.

        Of those that begin ``anew`` nothing is kept: others have their IDs now. OSDs that a wider
        cause explains take no flags along to another cohort.
        """
        before = self.layout
        if before is not None and roster == before.roster and not anew:
            before.roster = roster
            return
        self._drain()
        self._judged = None  # the waiting minutes and segments may have changed it
        explained = self.judgement.part_of.keys() - self.judgement.accused.keys()
        self.layout = Topology(roster, self.settings.group_members)
        self._judged = None
        self._load, self._loads = (), 0
        channels, self.channels = self.channels, {}
        for name, others in channels.items():
            # After an upgrade a cohort has another name, and its past.
            renamed = {without_release(other): other for other in others}
            for state in self._channel(name).values():
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
        if self.layout is None or math.isnan(self.now):
            return {}
        self._drain()
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
        roster = Roster(tuple(Watched(*row) for row in json.loads(state["roster"])))
        self.layout = Topology(roster, self.settings.group_members)
        for name, _ in state["channels"]:
            if name in JUDGED:
                self._channel(name)
        fill(self, state)
        if not math.isfinite(self.now + self.offset):
            raise ValueError("it has no time")
        # The clock of the mgr before may have been ahead: what it saved is now at the latest.
        self.offset += min(0.0, now - (self.now + self.offset))
        self.restored = True
        self.check()

    def check(self) -> None:
        """Read what a damaged state would fail at later; raises one of FAULTS."""
        for one in self.states():
            one.check()


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
