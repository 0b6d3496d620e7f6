"""The slow-OSD detector: makes claims and verdicts from frames. Its only clock are the frames."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import add
from typing import Any, Callable, Optional

from ....model.coverage import Look
from ....model.detector import Detector, WatchTick
from ....model.finding import Claim
from ....model.frame import JUDGED, NO_FIGURES, Frame, Mark, Roster, Watched
from ....model.json_fields import inflated
from ....model.verdict import CohortReport, NoData, OsdVerdict
from .attribution import GENERATION, Attribution, judge
from .channel import ChannelState, MinuteView
from .no_data import look, no_data
from .sentences import explain
from .thresholds import Thresholds
from .topology import Topology
from .verdicts import SILENT, report, verdict
from .wording import claim

_MINUTE, _SEGMENT = 60.0, 900.0
# A minute counts if it has at least half of its frames.
_LEAST_SECONDS = 30.0
# A gap longer than this drops unfinished acute windows.
_GAP = 600.0
# An OSD that is down, out or without peers for so long is not slow any more.
_GONE = 3600.0
_DOWN = int(Mark.DOWN)
# OSDs whose minutes are closed per frame, the rest waits for the next frame (10,000 OSDs take
# 15 ms per channel).
_WORK = 10_000
_FORMAT = 2


class SlowDetector(Detector):
    """Takes every frame in order; can be queried between frames. Not thread-safe."""

    name = "slow"

    def __init__(self, settings: Thresholds) -> None:
        self.settings = settings
        self.channel_states: dict[str, ChannelState] = {}
        self.layout: Optional[Topology] = None
        self.now = math.nan  # the end of the newest frame
        self.marks: dict[int, int] = {}  # by OSD, of the newest frame
        # Whether no OSD has reported for so long that nothing is known of any.
        self.quiet = False
        self._framed_at = math.nan
        self._down_since: dict[int, float] = {}
        self._jobs: deque[tuple[int, Callable[[], None]]] = deque()
        # The open minute and segment, and when they began: a clock that is set moves only that.
        self._minute = self._segment = -1
        self._minute_start = self._segment_start = math.nan
        self._load: Sequence[float] = ()
        self._open_minute()
        self._judged: Optional[Attribution] = None
        # The roster that was saved last, and its text.
        self._saved_roster: tuple[Optional[Roster], str] = (None, "")

    # frames

    def tick(self, tick: WatchTick) -> None:
        if tick.clock_step:
            self._clock_stepped(tick.clock_step)
        if tick.replaced and self.layout is not None:
            self._begin_anew(self.layout, tick.replaced)
        for frame in tick.frames:
            self.step(frame)
        # Without a report there is no frame, and the newest one may be of when all was well.
        if tick.frames or math.isnan(self._framed_at):
            self._framed_at = tick.now
        else:
            self._framed_at += tick.clock_step
        self.quiet = tick.now - self._framed_at >= SILENT

    def _clock_stepped(self, seconds: float) -> None:
        """Move all times along with the clock, so that nothing lasts longer or shorter for it."""
        self._drain()  # these have the times of before
        self._judged = None
        # After a step back the next frames are newer, whatever their times. After one ahead there
        # may still come frames of before.
        self.now += min(0.0, seconds)
        self._minute_start += seconds
        self._segment_start += seconds
        self._down_since = {osd: at + seconds for osd, at in self._down_since.items()}
        for channel_state in self.channel_states.values():
            channel_state.clock_stepped(seconds)

    def step(self, frame: Frame) -> None:
        """Add a frame. Frames that are not newer than the last one are ignored."""
        if not self._in_time(frame):
            return
        if self.layout is None or frame.roster is not self.layout.roster:
            self._adopt(frame.roster)
        minute, segment = int(frame.start // _MINUTE), int(frame.start // _SEGMENT)
        if minute != self._minute:
            self._close_minute()
            self._minute, self._minute_start = minute, minute * _MINUTE
        if segment != self._segment:
            self._close_segment()
            self._segment, self._segment_start = segment, segment * _SEGMENT
        if frame.roster.members:
            self._add(frame)
        if int((frame.end + 0.5) // _MINUTE) != minute:
            self._close_minute()
        self._work()
        self._judged = None

    def _in_time(self, frame: Frame) -> bool:
        before, self.now = self.now, frame.end
        if math.isnan(before):
            return True
        if -_GAP < frame.end - before <= 0:
            self.now = before
            return False
        if abs(frame.start - before) >= _GAP:  # the clock was set back, or there was a gap
            self._drain()
            self._open_minute()
            for channel_state in self.channel_states.values():
                channel_state.after_gap()
        return True

    def _add(self, frame: Frame) -> None:
        layout = self.layout
        assert layout is not None  # noqa: S101
        marks = {}
        if any(frame.marks):
            marks = {at: int(mark) for at, mark in enumerate(layout.pick(frame.marks)) if mark}
        load = layout.pick(frame.load)
        blank = [at for at, mark in marks.items() if mark & NO_FIGURES]
        for channel in JUDGED:
            if channel not in frame.latency:
                continue
            channel_state = self.channel_states.get(channel)
            if channel_state is None:
                channel_state = self.channel_states[channel] = ChannelState(
                    channel, layout, self.settings
                )
            latency = layout.pick(frame.latency[channel])
            if blank:
                latency = _without(latency, blank)
            ops = frame.ops.get(channel)
            channel_state.frame(
                frame.start,
                frame.end - frame.start,
                latency,
                layout.pick(ops) if ops is not None else None,
                load,
                marks,
            )
        self._seconds += frame.end - frame.start
        self._load = list(map(add, self._load, load)) if self._load else load
        self._frames += 1
        self.marks = {layout.ids[at]: mark for at, mark in marks.items()}
        self._forget_gone(frame)
        for at, mark in marks.items():
            self._marks[at] = self._marks.get(at, 0) | mark

    def _forget_gone(self, frame: Frame) -> None:
        """Drop the flags of OSDs that are down or out for long; windows without data keep them.

        So do those of one without peers, such as the first that was upgraded: it would stay slow
        until others are, whatever becomes of it.
        """
        since, layout = self._down_since, self.layout
        away = [osd for osd, mark in self.marks.items() if mark & _DOWN]
        away += [one.members[0].osd for one in (layout.cohorts if layout else ()) if one.size == 1]
        self._down_since = {osd: since.get(osd, frame.start) for osd in away}
        gone = {osd for osd, at in self._down_since.items() if frame.end - at >= _GONE}
        if gone:
            for channel_state in self.channel_states.values():
                channel_state.drop_flags(gone)

    def _open_minute(self) -> None:
        self._seconds = 0.0
        self._frames = 0
        self._load = ()
        self._marks: dict[int, int] = {}
        self._minute = -1

    def _close_minute(self) -> None:
        if self._minute < 0:
            return
        start, seconds = self._minute_start, self._seconds
        view = MinuteView(start, seconds, [load / self._frames for load in self._load], self._marks)
        self._open_minute()
        tests = sum(any(channel_state.ops) for channel_state in self.channel_states.values())
        for channel_state in self.channel_states.values():
            sums, ops = channel_state.take_minute()
            if seconds >= _LEAST_SECONDS and any(ops):
                self._later(lambda t=channel_state, s=sums, o=ops: t.minute(view, s, o, tests))  # type: ignore[misc]

    def _close_segment(self) -> None:
        if self._segment < 0:
            return
        start = self._segment_start
        for channel_state in self.channel_states.values():
            self._later(lambda t=channel_state: t.segment(start))  # type: ignore[misc]
            self._later(lambda t=channel_state: t.close_slot(start) if t.slot_is_full else None)  # type: ignore[misc]

    def _later(self, job: Callable[[], None]) -> None:
        self._jobs.append((len(self.layout.ids) if self.layout else 0, job))

    def _work(self) -> None:
        """Do a part of the waiting jobs, so that every frame takes about the same time."""
        least = -(-len(self._jobs) // 4)
        spent = done = 0
        while self._jobs and (spent < _WORK or done < least):
            cost, job = self._jobs.popleft()
            job()
            spent += cost
            done += 1

    def _drain(self) -> None:
        while self._jobs:
            self._jobs.popleft()[1]()

    def _adopt(self, roster: Roster) -> None:
        if self.layout is not None and roster == self.layout.roster:
            self.layout.roster = roster
            return
        self._drain()
        self._judged = None  # the waiting minutes and segments may have changed it
        explained = self.judgement.part_of.keys() - self.judgement.accused.keys()
        before, self.layout = self.layout, Topology(roster, self.settings.group_members)
        self._judged = None
        for channel_state in self.channel_states.values():
            channel_state.adopt(self.layout, explained)
        if before is None:
            self._open_minute()
        else:
            self._move_minute(before, self.layout)

    def _begin_anew(self, layout: Topology, osds: Collection[int]) -> None:
        """Forget all that is known of these OSDs, as if they were removed and others added."""
        channel_states, place = self.channel_states.values(), layout.place
        known = {
            osd
            for osd in osds
            if osd in place and any(one.last_data[place[osd]] > 0 for one in channel_states)
        }
        if known:
            others = tuple(one for one in layout.roster.members if one.osd not in known)
            self._adopt(Roster(others))
            self._adopt(layout.roster)

    def _move_minute(self, before: Topology, layout: Topology) -> None:
        """Move the open minute to the new positions, as the channels did."""
        order = [before.place.get(osd, -1) for osd in layout.ids]
        if self._load:
            self._load = [self._load[at] if at >= 0 else math.nan for at in order]
        self._marks = {now: self._marks[at] for now, at in enumerate(order) if at in self._marks}

    # questions

    @property
    def judgement(self) -> Attribution:
        """The causes behind all current flags."""
        if self._judged is None:
            cohorts = self.layout.cohorts if self.layout else []
            self._judged = judge(self.channel_states.values(), cohorts, self.settings)
        return self._judged

    def claims(self) -> list[Claim]:
        """Return one claim for each cause; of two with one target, the larger ratio."""
        claims: dict[tuple[str, str, str], Claim] = {}
        for cause in self.judgement.causes:
            channel_state = self.channel_states[cause.worst.channel]
            cohort_channel = channel_state.cohort_channels[cause.cohort.name]
            warn = (
                cause.osd is not None or cause.unit is not None or cohort_channel.slower_than_ever
            ) and cause.kind != GENERATION
            made = claim(cause, cohort_channel, warn)
            other = claims.get(made.key)
            if other is None or made.evidence["ratio"] > other.evidence["ratio"]:
                claims[made.key] = made
        return list(claims.values())

    def verdicts(self) -> Mapping[int, OsdVerdict]:
        """Return the verdicts by OSD; each is made when it is looked up."""
        return _Verdicts(self)

    def cohorts(self) -> list[CohortReport]:
        """Return for each cohort how small a slowdown is found, in its worst channel."""
        return [report(self, cohort) for cohort in (self.layout.cohorts if self.layout else ())]

    def explain(self, osd: int) -> Sequence[str]:
        """Return sentences that explain an OSD's verdict, or one that it is not watched."""
        return explain(self, osd)

    def looks(self) -> Sequence[Look]:
        return [look(self)]

    def no_data(self, osd: int) -> Optional[NoData]:
        """Return why an OSD has no verdict; None if it has one."""
        return no_data(self, osd)

    # state

    def save(self) -> dict[str, Any]:
        """Return a compact, JSON-ready state for ``restore``, without the open segment."""
        if self.layout is None:
            return {"format": _FORMAT}
        roster = self.layout.roster
        if roster is not self._saved_roster[0]:
            self._saved_roster = roster, _roster_text(roster)
        return {
            "format": _FORMAT,
            "at": None if math.isnan(self.now) else self.now,
            "roster": self._saved_roster[1],
            "tracks": {
                channel: channel_state.save(self.now)
                for channel, channel_state in self.channel_states.items()
            },
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Load a saved state unless a frame was added before; ``now`` is unix seconds.

        A state of another format is ignored.
        """
        if not math.isnan(self.now) or state.get("format") != _FORMAT or "roster" not in state:
            return
        rows = json.loads(inflated(base64.b64decode(state["roster"])))
        self.now = now if state["at"] is None else min(state["at"], now)
        roster = Roster(tuple(Watched(*row) for row in rows))
        self.layout = Topology(roster, self.settings.group_members)
        self.channel_states = {}
        for channel, saved in state["tracks"].items():
            channel_state = self.channel_states[channel] = ChannelState(
                channel, self.layout, self.settings
            )
            channel_state.restore(saved, self.now, now)
        self._jobs.clear()
        self._open_minute()
        self._segment = -1
        self._judged = None


class _Verdicts(Mapping[int, OsdVerdict]):
    """The verdicts of all OSDs, each made on access: there can be 10,000."""

    def __init__(self, detector: SlowDetector) -> None:
        self._detector = detector

    def __getitem__(self, osd: int) -> OsdVerdict:
        if self._detector.layout is None or osd not in self._detector.layout.place:
            raise KeyError(osd)
        return verdict(self._detector, osd)

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


def _without(figures: Sequence[float], places: Sequence[int]) -> list[float]:
    kept = list(figures)
    for at in places:
        kept[at] = math.nan
    return kept
