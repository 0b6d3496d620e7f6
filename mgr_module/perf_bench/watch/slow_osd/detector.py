"""The detector of slow OSDs: makes claims and verdicts from frames. Its only clock are the frames.

Its times are steady seconds: unix seconds less all steps of the clock since it began. They become
unix seconds only where they are told or saved.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from operator import add
from typing import Any, Callable, ClassVar, Optional

from ...model.coverage import Look
from ...model.detector import Detector, WatchTick
from ...model.finding import Claim
from ...model.frame import JUDGED, NO_FIGURES, Frame, Roster, Watched
from ...model.json_fields import FAULTS, inflated
from ...model.verdict import CohortReport, NoData, OsdVerdict
from . import tell
from .channel import ChannelState, MinuteView
from .cohort import MINUTE, SEGMENT
from .judge import Judgement, judge
from .rules import Kept
from .state import fill, saved
from .thresholds import Thresholds
from .topology import Topology

# A minute counts if it has at least half of its frames.
_LEAST_SECONDS = 30.0
# A gap longer than this drops unfinished acute windows.
_GAP = 600.0
# OSDs whose minutes are closed per frame at the least.
_WORK = 10_000
_FORMAT = 3


class SlowDetector(Detector):
    """Takes every frame in order; can be queried between frames. Not thread-safe."""

    name = "slow"
    KEPT: ClassVar[Kept] = {"now": float, "offset": float, "minutes": int, "channels": None}

    def __init__(self, settings: Thresholds) -> None:
        self.settings = settings
        self.channels: dict[str, ChannelState] = {}
        self.layout: Optional[Topology] = None
        self.now = math.nan  # the end of the newest frame
        self.offset = 0.0  # unix seconds less steady ones
        self.minutes = 0  # how many were closed
        self.marks: dict[int, int] = {}  # by OSD, of the newest frame
        # Whether no OSD has reported for so long that nothing is known of any.
        self.quiet = False
        # Whether it goes on with a saved state.
        self.restored = False
        self._framed_at = math.nan
        # Work of many OSDs is spread: what a minute leaves is done before the next one ends.
        self._jobs: deque[Callable[[], None]] = deque()
        self._minute = self._segment = -1
        self._load: Sequence[float] = ()
        self._open_minute()
        self._judged: Optional[Judgement] = None
        # The roster that was saved last, and its text.
        self._saved_roster: tuple[Optional[Roster], str] = (None, "")

    # --- frames ------------------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        self.offset += tick.clock_step
        if tick.replaced and self.layout is not None:
            self._begin_anew(self.layout, tick.replaced)
        for frame in tick.frames:
            self.step(frame)
        # Without a report there is no frame, and the newest one may be of when all was well.
        now = tick.now - self.offset
        if tick.frames or math.isnan(self._framed_at):
            self._framed_at = now
        self.quiet = now - self._framed_at >= tell.SILENT

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
        size = len(self.layout.ids) if self.layout else 0
        for _ in range(min(len(self._jobs), max(-(-len(self._jobs) // 4), _WORK // (size + 1)))):
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
            for channel in self.channels.values():
                channel.after_gap()
        return True

    def _add(self, frame: Frame) -> None:
        layout = self.layout
        assert layout is not None  # noqa: S101
        marks = {}
        if any(frame.marks):
            marks = {at: int(mark) for at, mark in enumerate(layout.pick(frame.marks)) if mark}
        load = layout.pick(frame.load)
        blank = [at for at, mark in marks.items() if mark & NO_FIGURES]
        seconds = frame.end - frame.start
        for name in JUDGED:
            if name not in frame.latency:
                continue
            channel = self.channels.get(name)
            if channel is None:
                channel = self.channels[name] = ChannelState(name, layout, self.settings)
            latency = layout.pick(frame.latency[name])
            if blank:
                latency = list(latency)
                for at in blank:
                    latency[at] = math.nan
            ops = frame.ops.get(name)
            picked = layout.pick(ops) if ops is not None else None
            channel.frame(seconds, latency, picked, load, marks)
        self._seconds += seconds
        self._load = list(map(add, self._load, load)) if self._load else load
        self._frames += 1
        self.marks = {layout.ids[at]: mark for at, mark in marks.items()}
        for at, mark in marks.items():
            osd = layout.ids[at]
            self._marks[osd] = self._marks.get(osd, 0) | mark

    def _open_minute(self) -> None:
        self._seconds = 0.0
        self._frames = 0
        self._load = ()
        self._marks: dict[int, int] = {}  # by OSD, of all frames
        self._minute = -1

    def _close_minute(self) -> None:
        if self._minute < 0 or self.layout is None:
            return
        start, seconds = self._minute * MINUTE, self._seconds
        self.minutes += 1
        place = self.layout.place
        marks = {place[osd]: mark for osd, mark in self._marks.items() if osd in place}
        load = [load / self._frames for load in self._load] if self._frames else []
        view = MinuteView(start, self.minutes, seconds, load, marks)
        self._open_minute()
        tests = sum(any(channel.ops) for channel in self.channels.values())
        for channel in self.channels.values():
            sums, ops = channel.take_minute()
            if seconds >= _LEAST_SECONDS and any(ops):
                self._later(partial(channel.minute, view, sums, ops, tests))

    def _close_segment(self) -> None:
        if self._segment < 0:
            return
        before = self.minutes - round(self.settings.idle_hours * 60)
        for channel in self.channels.values():
            self._later(partial(channel.segment, self._segment * SEGMENT, self.minutes))
            self._later(partial(channel.drop_idle, before))

    def _later(self, job: Callable[[], None]) -> None:
        def done() -> None:
            self._judged = None
            job()

        self._jobs.append(done)

    def _drain(self) -> None:
        while self._jobs:
            self._jobs.popleft()()

    def _adopt(self, roster: Roster, anew: Collection[int] = ()) -> None:
        """Continue with another roster; what is known of OSDs moves along with them."""
        if self.layout is not None and roster == self.layout.roster and not anew:
            self.layout.roster = roster
            return
        self._drain()
        self._judged = None  # the waiting minutes and segments may have changed it
        explained = self.judgement.part_of.keys() - self.judgement.accused.keys()
        before, self.layout = self.layout, Topology(roster, self.settings.group_members)
        self._judged = None
        for channel in self.channels.values():
            channel.adopt(self.layout, anew, explained)
        if before is not None and self._load:
            order = [before.place.get(osd, -1) for osd in self.layout.ids]
            self._load = [self._load[at] if at >= 0 else math.nan for at in order]

    def _begin_anew(self, layout: Topology, osds: Collection[int]) -> None:
        """Forget all that is known of these OSDs, as if they were removed and others added."""
        channels, place = self.channels.values(), layout.place
        known = {
            osd
            for osd in osds
            if osd in place and any(one.last_data[place[osd]] > 0 for one in channels)
        }
        if known:
            self._adopt(layout.roster, known)

    # --- questions ---------------------------------------------------------------------------

    @property
    def judgement(self) -> Judgement:
        """The causes behind all current flags."""
        if self._judged is None:
            cohorts = self.layout.cohorts if self.layout else []
            self._judged = judge(self.channels.values(), cohorts, self.settings, self.now)
        return self._judged

    def claims(self) -> list[Claim]:
        """Return one claim for each cause; of two with one target, the larger ratio."""
        claims: dict[tuple[str, str, str], Claim] = {}
        for cause in self.judgement.causes:
            made = tell.claim(self, cause)
            other = claims.get(made.key)
            if other is None or made.evidence["ratio"] > other.evidence["ratio"]:
                claims[made.key] = made
        return list(claims.values())

    def verdicts(self) -> Mapping[int, OsdVerdict]:
        """Return the verdicts by OSD; each is made when it is looked up."""
        return _Verdicts(self)

    def cohorts(self) -> list[CohortReport]:
        """Return for each cohort how small a slowdown is found, in its worst channel."""
        return [
            tell.report(self, cohort) for cohort in (self.layout.cohorts if self.layout else ())
        ]

    def explain(self, osd: int) -> Sequence[str]:
        """Return sentences that explain an OSD's verdict, or one that it is not watched."""
        return tell.explain(self, osd)

    def looks(self) -> Sequence[Look]:
        return [tell.look(self)]

    def no_data(self, osd: int) -> Optional[NoData]:
        """Return why an OSD has no verdict; None if it has one."""
        return tell.no_data(self, osd)

    # --- state -------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return a compact, JSON-ready state for ``restore``, without the open segment."""
        if self.layout is None or math.isnan(self.now):
            return {}
        self._drain()
        roster = self.layout.roster
        if roster is not self._saved_roster[0]:
            self._saved_roster = roster, _roster_text(roster)
        return {"format": _FORMAT, "roster": self._saved_roster[1], **saved(self)}

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Load a saved state unless a frame was added before; ``now`` is unix seconds.

        It is read into a new detector, and taken only as a whole. A state of another format is
        ignored. Raises ValueError for a damaged one.
        """
        if not math.isnan(self.now) or state.get("format") != _FORMAT:
            return
        try:
            taken = _restored(self.settings, state, now)
        except FAULTS as error:
            raise ValueError(f"the state of slow OSDs is damaged: {error!r:.200}") from error
        self.__dict__.update(taken.__dict__)


def _restored(settings: Thresholds, state: Mapping[str, Any], now: float) -> SlowDetector:
    found = SlowDetector(settings)
    rows = json.loads(inflated(base64.b64decode(state["roster"])))
    roster = Roster(tuple(map(_watched, rows)))
    found.layout = Topology(roster, settings.group_members)
    names = [name for name, _ in state["channels"]]
    found.channels = {
        name: ChannelState(name, found.layout, settings) for name in names if name in JUDGED
    }
    fill(found, state)
    if not math.isfinite(found.now + found.offset):
        raise ValueError("it has no time")
    # The clock of the mgr before may have been ahead: what it saved is now at the latest.
    found.offset += min(0.0, now - (found.now + found.offset))
    found.restored = True
    for channel in found.channels.values():
        channel.unjudged = set(channel.unjudged)
        channel.check()
    found.claims()  # reads what a damaged state would fail at later
    return found


def _watched(row: Any) -> Watched:
    osd, *names = row
    if type(osd) is not int or len(names) != 6 or any(type(name) is not str for name in names[:3]):
        raise ValueError(f"{row!r:.60} is no OSD")
    return Watched(osd, *names)


class _Verdicts(Mapping[int, OsdVerdict]):
    """The verdicts of all OSDs, each made on access: there can be 10,000."""

    def __init__(self, detector: SlowDetector) -> None:
        self._detector = detector

    def __getitem__(self, osd: int) -> OsdVerdict:
        if self._detector.layout is None or osd not in self._detector.layout.place:
            raise KeyError(osd)
        return tell.verdict(self._detector, osd)

    def __iter__(self) -> Iterator[int]:
        layout = self._detector.layout
        return iter([m.osd for m in layout.roster.members] if layout else [])

    def __len__(self) -> int:
        return len(self._detector.layout.ids) if self._detector.layout else 0


def _roster_text(roster: Roster) -> str:
    # Row by row: lists of all OSDs make the garbage collector hold Python for 0.1 s at 25,000 OSDs.
    rows = ", ".join(
        json.dumps([m.osd, m.name, m.host, m.cohort, m.rack, m.enclosure, m.device])
        for m in roster.members
    )
    return base64.b64encode(zlib.compress(f"[{rows}]".encode())).decode("ascii")
