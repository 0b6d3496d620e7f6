"""Reads a part of the OSDs each tick, fills bins, and returns complete frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from ...core.clock import Clock
from ...model.cluster import BenchSpans, Counters, Members, slice_size
from ...model.finding import FRAME_SECONDS, Frame, Mark, Roster, Watched
from ...model.osd import ENCLOSURE_BUCKETS, Member, Osd
from .frames import (
    Bin,
    CounterReader,
    Plan,
    ReadCursor,
    RosterState,
    bin_at,
    fill,
    plan_for,
    without_bytes,
)

_MEMBERS_AGE = 15.0
_RESTARTED_SECONDS = 300.0
_STALE_PERIODS = 3.0
# Bytes are only needed as a mean over the cohort and take two calls of nine, so they are read of
# about this many OSDs.
_BYTES_OF = 100
# Periods after which a missing report leaves the OSD without data in the frame.
_LATE_PERIODS = 1.5
# OSDs whose counter names are read per tick, 0.5 ms each, until they have sent any.
_ASKED_A_TICK = 10
# If the clock steps back further than this many bins, frames begin again at the new time.
_STEP_BINS = 8


class Collector:
    """Makes frames from the cluster's counters. Not thread-safe; call ``tick`` about every 5 s."""

    def __init__(
        self, counters: Counters, members: Members, clock: Clock, benched: BenchSpans
    ) -> None:
        self._counters = counters
        self._reader = CounterReader(counters)
        self._members = members
        self._clock = clock
        self._benched = benched
        self._seen: Sequence[Member] = ()
        self._roster_state = roster_state((), None)
        self._cursors: list[ReadCursor] = []
        self._plans: dict[Optional[str], Plan] = {}
        self._planned = False
        self._last_asked = -1
        self._bins: dict[int, Bin] = {}
        self._next_frame = bin_at(clock.now()) + 1
        self._last_read = -1
        self._ticked_at = clock.monotonic()
        self._stale: dict[int, float] = {}

    @property
    def stats_period(self) -> float:
        """Seconds between the OSDs' reports: 5, or what the mgr's load makes of it."""
        return self._reader.stats_period

    @property
    def stale(self) -> frozenset[int]:
        """The OSDs that have stopped reporting while others report."""
        return frozenset(self._stale)

    @property
    def silent_seconds(self) -> float:
        """How long no OSD that is up has reported; 0 if none is up. By the clock, as stamps are."""
        down = self._roster_state.down
        heard = (cursor.newest for cursor in self._cursors if cursor.osd not in down)
        return self._clock.now() - max(heard, default=self._clock.now())

    @property
    def created_at(self) -> Mapping[int, float]:
        """By OSD when it was made (unix seconds); the same mapping until the OSDs change."""
        return self._roster_state.created_at

    def tick(self) -> list[Frame]:
        """Read the next part of the OSDs; returns the frames that are complete, oldest first.

        After the clock stepped back there are no frames until it has caught up. After a step of
        over two minutes frames begin again at the new time.
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
        self._cursors = []
        self._seen = ()

    # --- the OSDs ---

    def _take_members(self, now: float) -> None:
        seen = self._members.members(_MEMBERS_AGE)
        if seen is not self._seen:
            self._seen = seen
            self._roster_state = roster_state(seen, self._roster_state)
            known = {cursor.osd: cursor for cursor in self._cursors}
            self._cursors = [known.get(m.osd.id) or ReadCursor(m.osd.id, now) for m in seen]
            self._stale = {o: at for o, at in self._stale.items() if o in self._roster_state.places}
            self._share_plans()
        if not self._planned:
            self._ask_plans()

    def _ask_plans(self) -> None:
        """Read the counter names of each release from its first OSD that has sent any.

        The next ones by ID are asked each time: the first ones of all may never send any, such as
        those of a host that reaches the other OSDs but not this mgr.
        """
        asked = 0
        waiting = [
            member
            for member, cursor in zip(self._seen, self._cursors)
            if not cursor.plan and member.osd.up
        ]
        waiting.sort(key=lambda member: member.osd.id <= self._last_asked)
        for member in waiting:
            if asked == _ASKED_A_TICK:
                break
            if member.release not in self._plans:
                asked += 1
                self._last_asked = member.osd.id
                plan = plan_for(self._counters.names(member.osd.id))
                if plan:
                    self._plans[member.release] = plan
        if asked:
            self._share_plans()

    def _share_plans(self) -> None:
        """Give each OSD the plan of its release; in large cohorts few with counters of bytes."""
        self._planned = True
        for member, cursor in zip(self._seen, self._cursors):
            cursor.plan = self._plans.get(member.release, {})
            self._planned &= bool(cursor.plan)
        for places in self._roster_state.groups:
            for number, place in enumerate(places):
                if number % (len(places) // _BYTES_OF + 1):
                    cursor = self._cursors[place]
                    cursor.plan = without_bytes(cursor.plan)

    # --- reading ---

    def _read_slice(self, now: float) -> None:
        """Read the next OSDs by ID after the last one: no OSD is skipped when others come or go."""
        cursors, before = self._cursors, self._ticked_at
        self._ticked_at = self._clock.monotonic()
        # Ticks may be set to be rare, or come late: then more are read in each.
        size = slice_size(len(cursors), self._ticked_at - before)
        begin = next((i for i, cursor in enumerate(cursors) if cursor.osd > self._last_read), 0)
        chosen = [*cursors[begin : begin + size], *cursors[: max(0, begin + size - len(cursors))]]
        for strip in self._reader.read(chosen, self._next_frame, now):
            fill(strip, [self._bin(number) for number in range(strip.first, strip.stop)])
        if chosen:
            self._last_read = chosen[-1].osd
            self._see_stale(chosen)

    def _bin(self, number: int) -> Bin:
        found = self._bins.get(number)
        if found is None:
            self._bins[number] = found = Bin(number, self._roster_state)
        return found

    def _see_stale(self, chosen: Sequence[ReadCursor]) -> None:
        """Find the OSDs whose newest point is old while another OSD's is not."""
        freshest = max(cursor.newest for cursor in self._cursors)
        limit = freshest - _STALE_PERIODS * self.stats_period
        for cursor in chosen:
            if cursor.newest < limit and cursor.osd not in self._roster_state.down:
                self._stale[cursor.osd] = cursor.newest
            else:
                self._stale.pop(cursor.osd, None)

    # --- frames ---

    def _complete(self) -> list[Frame]:
        """Return the frames whose span, and time for late reports, all OSDs have been read past."""
        if not self._cursors:
            return []
        oldest = min(cursor.read_at for cursor in self._cursors)
        until = bin_at(oldest - _LATE_PERIODS * self.stats_period)
        ready = sorted(number for number in self._bins if number < until)
        self._next_frame = max(self._next_frame, until)
        return [self._frame(self._bins.pop(number)) for number in ready]

    def _frame(self, a_bin: Bin) -> Frame:
        start, end = a_bin.start, a_bin.start + FRAME_SECONDS
        a_bin.mark(self._restarted(start, end), Mark.RESTARTED)
        a_bin.mark([osd for osd, at in self._stale.items() if at < end], Mark.STALE)
        a_bin.mark(self._roster_state.down, Mark.DOWN)
        # A bench still affects the first report after it, and the frame in which that ends.
        ours = self._benched.during(start - self.stats_period - FRAME_SECONDS, end)
        a_bin.blank(ours)
        return a_bin.frame()

    def _restarted(self, start: float, end: float) -> list[int]:
        """Return the OSDs that started in this span or less than five minutes before it."""
        return [
            cursor.osd
            for cursor in self._cursors
            if cursor.restarted_at is not None
            and start - _RESTARTED_SECONDS < cursor.restarted_at < end
        ]


# --- the watched OSDs and their cohorts --------------------------------------------------------


def roster_state(members: Sequence[Member], before: Optional[RosterState]) -> RosterState:
    """Return the current OSDs; without a change the roster stays the same object."""
    watched = tuple(_watched(member) for member in members)
    roster = before.roster if before and before.roster.members == watched else Roster(watched)
    by_cohort: dict[str, list[int]] = {}
    for place, one in enumerate(watched):
        by_cohort.setdefault(one.cohort, []).append(place)
    return RosterState(
        roster=roster,
        places={one.osd: place for place, one in enumerate(watched)},
        groups=tuple(tuple(places) for places in by_cohort.values()),
        down=frozenset(m.osd.id for m in members if not (m.osd.up and m.osd.in_cluster)),
        created_at={m.osd.id: m.created_at for m in members if m.created_at is not None},
    )


def _watched(member: Member) -> Watched:
    osd = member.osd
    enclosure = next(
        (osd.location[kind] for kind in ENCLOSURE_BUCKETS if kind in osd.location), None
    )
    return Watched(
        osd=osd.id,
        name=osd.name,
        host=osd.host,
        cohort=cohort_of(member),
        # Of two racks neither is the one that it shares a fault with.
        rack=osd.location.get("rack") if len(_above(osd, "rack")) == 1 else None,
        enclosure=enclosure or osd.expander,
        device=f"{osd.host}/{osd.own_device}" if osd.own_device else None,
    )


def cohort_of(member: Member) -> str:
    """Return device class, kind if the class does not imply it, model, DB device, release, roots.

    Unknown parts are left out, e.g. ``hdd VENDOR_HDD-18T +db ceph-18 default``.
    """
    osd = member.osd
    words = [osd.device_class or "unknown"]
    if osd.rotational is not None and osd.rotational != (osd.device_class == "hdd"):
        words.append("rotational" if osd.rotational else "solid-state")
    if osd.model:
        words.append(osd.model)
    if member.separate:
        words.append(f"+{member.separate}")
    if member.release:
        words.append(f"ceph-{member.release.partition('.')[0]}")
    return " ".join([*words, *_above(osd, "root")])


def _above(osd: Osd, kind: str) -> list[str]:
    """The names of all buckets of a type above an OSD."""
    return sorted(name for type_, name in osd.buckets if type_ == kind)
