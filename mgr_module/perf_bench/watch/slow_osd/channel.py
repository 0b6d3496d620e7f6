"""One channel of all OSDs: adds frames to minutes, minutes to segments, and has them judged."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from operator import add, mul
from typing import Any, ClassVar, NamedTuple, Optional

from ...model.cohort import without_release
from ...model.frame import QUEUE
from .bursts import Bursts
from .cohort import MINUTE, CohortState, Minute, Segment
from .rules import Kept
from .thresholds import Thresholds
from .topology import Cohort, Group, Topology
from .windows import (
    NOTHING,
    STEP,
    coarse,
    load_against,
    lower_medians,
    medians,
)

# If only the mean is known, its window counts as one of very many operations.
_MANY_OPS = 1e6
# A mean outside this range (seconds) is no latency; a counter that was not sent reads as 0.
_PLAUSIBLE = (1e-9, 1e9)
# A segment counts from so many of its 15 minutes on, and so do an OSD's minutes in it.
_LEAST_MINUTES = 8
# The median of hours is over so many segments at the least, and at the most.
_HOURS_LEAST, _HOURS_MOST = 4, 12
# Severity by ratio, after the bands of Perseus: each band adds 1. It halves in a day.
_BANDS = [math.log(ratio) for ratio in (1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)]
_KEEP = 0.5 ** (0.25 / 24)


class MinuteView(NamedTuple):
    """What all channels share of a minute: load in bytes/s, and marks, both by position."""

    start: float
    number: int
    seconds: float
    load: Sequence[float]
    marks: Mapping[int, int]


class ChannelState:
    """The state of one channel, for all cohorts."""

    KEPT: ClassVar[Kept] = {
        "newest": "f",
        "risk": "f",
        "max_excess": "f",
        "last_data": "d",
        "hours": ["b"],
        "loads": ["b"],
        "unjudged": [int],
        "cohorts": None,
        "bursts": None,
    }

    def __init__(self, channel: str, layout: Topology, settings: Thresholds) -> None:
        self.channel = channel
        self.layout = layout
        self._set = settings
        # Seconds added to all latencies, so that much smaller differences do not matter.
        self.floor = settings.queue_floor_ms / 1000 if channel == QUEUE else 0.0
        self.cohorts = {one.name: CohortState(one, settings) for one in layout.cohorts}
        self.bursts = {one.name: Bursts(one, settings) for one in layout.cohorts}
        size = len(layout.ids)
        self.newest = array("f", [math.nan]) * size  # the excess in the last minute
        # The excess in the newest segments, and what load explained in them, coarse.
        self.hours: list[array[int]] = []
        self.loads: list[array[int]] = []
        self.risk = array("f", bytes(4 * size))
        self.max_excess = array("f", [math.nan]) * size
        self.last_data = array("d", [math.nan]) * size  # start of the newest minute with data
        # OSDs that were slow when they got no more operations: they cannot be judged.
        self.unjudged: set[int] = set()
        self._empty_minute()
        self.empty_segment()

    def _empty_minute(self) -> None:
        size = len(self.layout.ids)
        self.sums: list[float] = [0.0] * size
        self.ops: list[float] = [0.0] * size

    def empty_segment(self) -> None:
        """Drop the minutes of an unfinished segment."""
        size = len(self.layout.ids)
        self._minutes: list[Sequence[float]] = []
        self._above: list[Sequence[float]] = []
        self._loads: list[Sequence[float]] = []
        self._segment_sums = [0.0] * size
        self._segment_ops = [0.0] * size
        self._excluded: dict[int, int] = {}  # by OSD in how many minutes
        self._resting: dict[str, int] = {}

    # --- frames and minutes ------------------------------------------------------------------

    def frame(
        self,
        seconds: float,
        latency: Sequence[float],
        ops: Optional[Sequence[float]],
        load: Sequence[float],
        marks: Mapping[int, int],
    ) -> None:
        """Add a frame: mean seconds, operations and bytes/s in the layout's order, NaN for none."""
        if ops is None:
            ops = [_MANY_OPS] * len(latency)
        least = self._set.min_ops * seconds / 60
        low, high = _PLAUSIBLE
        known = math.isfinite(sum(latency)) and math.isfinite(sum(ops))  # min() and NaN: no
        if known and low < min(latency) and max(latency) < high and min(ops) >= least:
            kept: Sequence[float] = latency
            if self.floor:
                kept = [own + self.floor for own in latency]
            self.sums = list(map(add, self.sums, map(mul, kept, ops)))
            self.ops = list(map(add, self.ops, ops))
        else:
            kept, ops = self._gather_partly(latency, ops, least)
        for cohort in self.layout.cohorts:
            state = self.cohorts[cohort.name]
            # OSDs that are flagged as slow all the time have no bursts.
            out = state.flagged_places()
            if marks:
                out = out.union(at - cohort.start for at in marks)
            part = slice(cohort.start, cohort.end)
            explained = partial(self._explained, cohort, load)
            self.bursts[cohort.name].frame(
                state.minute_scale, kept[part], ops[part], explained, out
            )

    def _explained(self, cohort: Cohort, load: Sequence[float], group: Group) -> list[float]:
        """Return the part of the excess that load explains, in ln units, for a group's members."""
        slope = self.cohorts[cohort.name].slope.value
        rates = load[cohort.start + group.start : cohort.start + group.end]
        return [slope * more for more in load_against(rates)]

    def _gather_partly(
        self, latency: Sequence[float], ops: Sequence[float], least: float
    ) -> tuple[list[float], list[float]]:
        """Add the OSDs with data; returns the frame's latencies, NaN for too few operations.

        Too few operations for a frame can be enough for a minute.
        """
        sums, counts, floor = self.sums, self.ops, self.floor
        low, high = _PLAUSIBLE
        kept, many = [], []
        for at, (mean, count) in enumerate(zip(latency, ops)):
            number = count if 0 <= count < math.inf else _MANY_OPS  # NaN: only the mean is known
            many.append(number)
            if not low < mean < high:
                kept.append(math.nan)
                continue
            sums[at] += (mean + floor) * number
            counts[at] += number
            kept.append(mean + floor if number >= least else math.nan)
        return kept, many

    def take_minute(self) -> tuple[list[float], list[float]]:
        """Return the sums of seconds and the operations since the last call, for ``minute``."""
        taken = (self.sums, self.ops)
        self._empty_minute()
        return taken

    def minute(self, view: MinuteView, sums: list[float], ops: list[float], tests: int) -> None:
        """Close a minute; ``tests`` is the number of channels with data."""
        least = max(self._set.min_ops * min(view.seconds, MINUTE) / MINUTE, 1e-9)
        nan, log = math.nan, math.log
        level = [log(own / many) if many >= least else nan for own, many in zip(sums, ops)]
        excess, above, explained = array("f"), array("f"), array("f")
        for cohort in self.layout.cohorts:
            part = slice(cohort.start, cohort.end)
            load: list[float] = []
            rates = view.load[part]
            for group in cohort.groups:
                load += load_against(rates[group.start : group.end])
            inside = range(cohort.start, cohort.end)
            marks = {at - cohort.start: mark for at, mark in view.marks.items() if at in inside}
            found = self.cohorts[cohort.name].minute(
                Minute(view.start, view.number, level[part], ops[part], load, marks), tests
            )
            excess.extend(found.excess)
            above.extend(found.above)
            explained.extend(found.load or [0.0] * cohort.size)
            for place in found.out:
                osd = cohort.members[place].osd
                self._excluded[osd] = self._excluded.get(osd, 0) + 1
            if found.resting:
                self._resting[cohort.name] = self._resting.get(cohort.name, 0) + 1
        self._minutes.append(excess)
        self._above.append(above)
        self._loads.append(explained if any(explained) else ())
        self.newest = excess
        self._segment_sums = list(map(add, self._segment_sums, sums))
        self._segment_ops = list(map(add, self._segment_ops, ops))
        self._note_data(excess, view.start)

    def _note_data(self, excess: Sequence[float], start: float) -> None:
        if math.isnan(sum(excess)):
            last = self.last_data
            for at, own in enumerate(excess):
                if own == own:  # noqa: PLR0124
                    last[at] = start
        else:
            self.last_data = array("d", [start]) * len(excess)
        place = self.layout.place
        self.unjudged = {
            osd for osd in self.unjudged if osd in place and math.isnan(excess[place[osd]])
        }

    # --- segments ----------------------------------------------------------------------------

    def segment(self, start: float, number: int) -> None:
        """Close a segment of 15 minutes and judge it; ``number`` is that of its last minute."""
        minutes, above, loads = self._minutes, self._above, self._loads
        sums, ops = self._segment_sums, self._segment_ops
        excluded, resting = self._excluded, self._resting
        self.empty_segment()
        if len(minutes) < _LEAST_MINUTES:
            for state in self.cohorts.values():
                state.resting = False  # that was of the segment before, not of this one
            return
        excess = medians(minutes, _LEAST_MINUTES)
        level = [math.log(own / many) if many else math.nan for own, many in zip(sums, ops)]
        known = [row for row in loads if row]
        load = [sum(own) / len(minutes) for own in zip(*known)]
        self.loads = [*self.loads[1 - _HOURS_MOST :], coarse(load)] if load else []
        lasting = lower_medians(self.loads, 1) if load else []
        views = []
        for cohort in self.layout.cohorts:
            part = slice(cohort.start, cohort.end)
            out = frozenset(
                place
                for osd, times in excluded.items()
                if (place := cohort.place.get(osd, -1)) >= 0 and 2 * times > len(minutes)
            )
            view = Segment(
                start,
                number,
                excess[part],
                _of_groups(cohort, above),
                level[part],
                ops[part],
                load[part],
                lasting[part],
                [minute[part] for minute in minutes],
                out,
                2 * resting.get(cohort.name, 0) > len(minutes),
            )
            views.append(self.cohorts[cohort.name].more_alike(view))
        self.hours.append(coarse([own for view in views for own in view.excess]))
        del self.hours[:-_HOURS_MOST]
        enough = len(self.hours) >= _HOURS_LEAST
        hours = lower_medians(self.hours, _HOURS_LEAST) if enough else []
        for cohort, view in zip(self.layout.cohorts, views):
            state = self.cohorts[cohort.name]
            state.segment(view, hours[cohort.start : cohort.end], len(self.hours))
            self.bursts[cohort.name].judge(start, number, state)
        self._score(excess)

    def _score(self, excess: Sequence[float]) -> None:
        """Update the risk: severity times hours, with a half-life of a day."""
        self.risk = array("f", [risk * _KEEP for risk in self.risk])
        for at, own in enumerate(excess):
            if own >= _BANDS[0]:
                self.risk[at] += 0.25 * sum(own >= band for band in _BANDS)
                if not self.max_excess[at] >= own:
                    self.max_excess[at] = own

    def drop_idle(self, before: int) -> None:
        """Drop the flags of OSDs and units without data since that minute.

        An OSD that was slow then is not well, but cannot be judged. Its bursts are those of a day.
        """
        for state in self.cohorts.values():
            for tally in state.tallies:
                self.unjudged.update(tally.drop_idle(before))
            state.unit_acute.drop_idle(before)
            state.unit_sustained.drop_idle(before)

    def now(self, osd: int) -> Optional[float]:
        """Return its excess in the newest minute or segment with data; None for no data."""
        at = self.layout.place[osd]
        if not math.isnan(self.newest[at]):
            return self.newest[at]
        steps = self.hours[-1][at] if self.hours else NOTHING
        return None if steps == NOTHING else steps * STEP

    # --- changes of the roster, and saved state ----------------------------------------------

    def after_gap(self) -> None:
        """Drop the open minute and the unfinished acute windows."""
        self._empty_minute()
        for state in self.cohorts.values():
            for tally in state.by_minute:
                tally.forget_unfinished()
            state.unit_acute.forget_unfinished()

    def adopt(
        self, layout: Topology, anew: Collection[int] = (), explained: Collection[int] = ()
    ) -> None:
        """Continue with another roster; all data moves to the new positions by OSD ID.

        Of the OSDs that begin ``anew`` nothing is kept: others have their IDs now. Those that are
        ``explained`` by a wider cause take no flags along to another cohort.
        """
        before, self.layout = self.layout, layout
        order = [-1 if osd in anew else before.place.get(osd, -1) for osd in layout.ids]

        def moved(kind: str, row: Sequence[Any], empty: Any) -> array[Any]:
            return array(kind, [row[at] if at >= 0 else empty for at in order])

        self.newest = moved("f", self.newest, math.nan)
        self.hours = [moved("b", row, NOTHING) for row in self.hours]
        self.loads = [moved("b", row, 0) for row in self.loads]
        self.risk = moved("f", self.risk, 0.0)
        self.max_excess = moved("f", self.max_excess, math.nan)
        self.last_data = moved("d", self.last_data, math.nan)
        for name, empty in (
            ("sums", 0.0),
            ("ops", 0.0),
            ("_segment_sums", 0.0),
            ("_segment_ops", 0.0),
        ):
            setattr(self, name, list(moved("d", getattr(self, name), empty)))
        self._minutes = [moved("f", row, math.nan) for row in self._minutes]
        self._above = [moved("f", row, math.nan) for row in self._above]
        self._loads = [moved("f", row, 0.0) if row else () for row in self._loads]
        self._excluded = {osd: n for osd, n in self._excluded.items() if osd in layout.place}
        self.unjudged = {osd for osd in self.unjudged if osd in layout.place and osd not in anew}
        self._adopt_cohorts(before, order, explained)

    def _adopt_cohorts(
        self, before: Topology, order: Sequence[int], explained: Collection[int]
    ) -> None:
        states, bursts = self.cohorts, self.bursts
        self.cohorts = {one.name: CohortState(one, self._set) for one in self.layout.cohorts}
        self.bursts = {one.name: Bursts(one, self._set) for one in self.layout.cohorts}
        # After an upgrade the cohort has another name, and the same past.
        renamed = {without_release(name): name for name in states}
        for name, state in self.cohorts.items():
            known = name if name in states else renamed.get(without_release(name))
            if known is not None:
                state.go_on(states[known])
                self.bursts[name].frames = bursts[known].frames
        for at, osd in zip(order, self.layout.ids):
            was = before.cohort_of[at].name
            now = self.layout.cohort_of[self.layout.place[osd]].name
            if at >= 0 and (was == now or osd not in explained):
                self.cohorts[now].take(osd, states[was])
                self.bursts[now].take(osd, bursts[was])

    def check(self) -> None:
        """Raise ValueError if a row that was restored is not of the layout."""
        rows: list[Sequence[float]] = [self.newest, self.last_data, self.risk, self.max_excess]
        rows += [*self.hours, *self.loads]
        size = len(self.layout.ids)
        if any(len(row) != size for row in rows) or not self.unjudged <= self.layout.place.keys():
            raise ValueError("what was saved is of other OSDs")


def _of_groups(cohort: Cohort, rows: Sequence[Sequence[float]]) -> list[float]:
    """Return by place the median of the minutes' effects of its group."""
    found: list[float] = []
    for group in cohort.groups:
        at = cohort.start + group.start
        (effect,) = medians([[row[at]] for row in rows], 1)
        found += [effect] * (group.end - group.start)
    return found
