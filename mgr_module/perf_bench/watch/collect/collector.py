"""Read a slice of the OSDs each tick, fill bins, hand out frames that are complete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ...model.frame import FRAME_SECONDS, Frame, Mark
from ...model.osd import Member
from ...model.pacing import slice_size
from ...ports import BenchSpans, Clock, Counters, Members
from .channels import Plan, plan_for, without_bytes
from .counter_reader import CounterReader, ReadCursor
from .frame_builder import Bin, fill
from .interpolation import bin_at
from .roster import roster_state

_MEMBERS_AGE = 15.0
_RESTARTED_SECONDS = 300.0
_STALE_PERIODS = 3.0
# Bytes serve a mean over the cohort, and cost two calls of nine: this many OSDs do.
_BYTES_OF = 100
# A report may be late by half a period before its OSD counts as without data.
_LATE_PERIODS = 1.5
# Asking for names costs 0.5 ms; OSDs that have sent nothing yet are asked again at each tick.
_ASKED_A_TICK = 10
# A clock that stepped back further than this many bins is followed.
_STEP_BINS = 8


class Collector:
    """Cluster → frames. Not for several threads; ``tick`` every 5 s or so."""

    def __init__(
        self, counters: Counters, members: Members, clock: Clock, benched: BenchSpans
    ) -> None:
        self._counters = counters
        self._reader = CounterReader(counters)
        self._members = members
        self._clock = clock
        self._benched = benched
        self._seen: Sequence[Member] = ()
        self._muster = roster_state((), None, 0.0)
        self._tracks: list[ReadCursor] = []
        self._plans: dict[Optional[str], Plan] = {}
        self._planned = False
        self._bins: dict[int, Bin] = {}
        self._next_frame = bin_at(clock.now()) + 1
        self._last_read = -1
        self._stale: dict[int, float] = {}

    @property
    def stats_period(self) -> float:
        """How far apart the OSDs' reports are, in seconds: 5, or what the mgr made of it."""
        return self._reader.stats_period

    @property
    def stale(self) -> frozenset[int]:
        """The OSDs that have stopped reporting while others go on."""
        return frozenset(self._stale)

    def tick(self) -> list[Frame]:
        """Read the next slice; the frames that this completed, oldest first.

        A clock that stepped back leaves a pause of that length, or by over two minutes: frames
        that begin anew at the new time.
        """
        now = self._clock.now()
        if bin_at(now) + _STEP_BINS < self._next_frame:
            self._begin_anew(now)
        self._take_members(now)
        self._read_slice(now)
        return self._complete()

    def _begin_anew(self, now: float) -> None:
        self._bins.clear()
        self._next_frame = bin_at(now) + 1
        self._tracks = []
        self._seen = ()

    # --- who is there ---

    def _take_members(self, now: float) -> None:
        seen = self._members.members(_MEMBERS_AGE)
        if seen is not self._seen:
            self._seen = seen
            self._muster = roster_state(seen, self._muster if self._muster.members else None, now)
            known = {track.osd: track for track in self._tracks}
            self._tracks = [known.get(m.osd.id) or ReadCursor(m.osd.id, now) for m in seen]
            self._stale = {o: at for o, at in self._stale.items() if o in self._muster.places}
            self._share_plans()
        if not self._planned:
            self._ask_plans()

    def _ask_plans(self) -> None:
        """What OSDs of a release send; asked of the first of them that sends anything."""
        asked = 0
        for member, track in zip(self._seen, self._tracks):
            if asked == _ASKED_A_TICK:
                break
            if not track.plan and member.osd.up and member.release not in self._plans:
                asked += 1
                plan = plan_for(self._counters.names(member.osd.id))
                if plan:
                    self._plans[member.release] = plan
        if asked:
            self._share_plans()

    def _share_plans(self) -> None:
        """Give everybody the plan of his release; in large cohorts few are asked for bytes."""
        self._planned = True
        for member, track in zip(self._seen, self._tracks):
            track.plan = self._plans.get(member.release, {})
            self._planned &= bool(track.plan)
        for places in self._muster.groups:
            for number, place in enumerate(places):
                if number % (len(places) // _BYTES_OF + 1):
                    track = self._tracks[place]
                    track.plan = without_bytes(track.plan)

    # --- reading ---

    def _read_slice(self, now: float) -> None:
        """Those after the last that was read, by ID, so that comings and goings lose nobody."""
        tracks = self._tracks
        size = slice_size(len(tracks))
        begin = next((i for i, track in enumerate(tracks) if track.osd > self._last_read), 0)
        chosen = [*tracks[begin : begin + size], *tracks[: max(0, begin + size - len(tracks))]]
        for strip in self._reader.read(chosen, self._next_frame, now):
            fill(strip, [self._bin(number) for number in range(strip.first, strip.stop)])
        if chosen:
            self._last_read = chosen[-1].osd
            self._see_stale(chosen)

    def _bin(self, number: int) -> Bin:
        found = self._bins.get(number)
        if found is None:
            found = Bin(number, self._muster.roster, self._muster.places, self._muster.groups)
            self._bins[number] = found
        return found

    def _see_stale(self, chosen: Sequence[ReadCursor]) -> None:
        """Those whose newest point is old while somebody's beside them is not."""
        freshest = max(track.newest for track in chosen)
        limit = freshest - _STALE_PERIODS * self.stats_period
        for track in chosen:
            if track.newest < limit and track.osd not in self._muster.down:
                self._stale[track.osd] = track.newest
            else:
                self._stale.pop(track.osd, None)

    # --- handing out ---

    def _complete(self) -> list[Frame]:
        """The frames whose span everybody has been read past, late reports allowed for."""
        if not self._tracks:
            return []
        oldest = min(track.read_at for track in self._tracks)
        until = bin_at(oldest - _LATE_PERIODS * self.stats_period)
        ready = sorted(number for number in self._bins if number < until)
        self._next_frame = max(self._next_frame, until)
        return [self._frame(self._bins.pop(number)) for number in ready]

    def _frame(self, a_bin: Bin) -> Frame:
        start, end = a_bin.start, a_bin.start + FRAME_SECONDS
        a_bin.mark(self._restarted(start, end), Mark.RESTARTED)
        a_bin.mark([osd for osd, at in self._stale.items() if at < end], Mark.STALE)
        for mark, osds in self._muster.marks(start).items():
            a_bin.mark(osds, mark)
        # What a bench did still shows in the report after it, and in the frame that one ends.
        ours = self._benched.during(start - self.stats_period - FRAME_SECONDS, end)
        a_bin.blank(ours)
        return a_bin.frame()

    def _restarted(self, start: float, end: float) -> list[int]:
        """Those that started in these seconds, or less than five minutes before them."""
        return [
            track.osd
            for track in self._tracks
            if track.restarted_at is not None
            and start - _RESTARTED_SECONDS < track.restarted_at < end
        ]
