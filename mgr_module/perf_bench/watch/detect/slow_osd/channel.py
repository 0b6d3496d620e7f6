"""One channel of all OSDs: adds frames to minutes, minutes to segments, segments to slots."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from operator import add, mul
from typing import Any, Optional

from ....model.cohort_span import without_release
from ....model.frame import QUEUE
from ....model.statistics import spread, valid
from .bursts import Bursts
from .cohort_channel import CohortChannel
from .packing import NOTHING, STEP, coarse, fine, pack, unpack
from .thresholds import Thresholds
from .topology import Cohort, Group, Topology
from .windows import Minute, Segment, load_against

# If only the mean is known, its window counts as one of very many operations.
_MANY_OPS = 1e6
# A mean outside this range (seconds) is no latency; a counter that was not sent reads as 0.
_PLAUSIBLE = (1e-9, 1e9)
# The history of an OSD: medians of 2 h of data, for 48 h. The watch path uses the last 24 h.
_SLOT_SEGMENTS = 8
_SLOTS = 24
_WATCH_SLOTS = 12
_HOURS_A_SLOT = 2.0
# Severity by ratio, after the bands of Perseus: each band adds 1.
_BANDS = [math.log(ratio) for ratio in (1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)]


class MinuteView:
    """The data of one minute that all channels share: span, load relative to the group, marks."""

    def __init__(
        self, start: float, seconds: float, load: Sequence[float], marks: Mapping[int, int]
    ) -> None:
        self.start = start
        self.seconds = seconds
        self._load = load
        self._marks = marks
        self._by_cohort: dict[int, tuple[list[float], dict[int, int]]] = {}

    def of(self, cohort: Cohort) -> tuple[list[float], dict[int, int]]:
        """Return (load, marks) by cohort position; load is ln of the ratio to the group's median.

        Unknown load is 0.
        """
        found = self._by_cohort.get(cohort.start)
        if found is None:
            found = self._by_cohort[cohort.start] = (self._loads(cohort), self._places(cohort))
        return found

    def _loads(self, cohort: Cohort) -> list[float]:
        rates = self._load[cohort.start : cohort.end]
        against: list[float] = []
        for group in cohort.groups:
            against += load_against(rates[group.start : group.end])
        return against

    def _places(self, cohort: Cohort) -> dict[int, int]:
        inside = range(cohort.start, cohort.end)
        return {at - cohort.start: mark for at, mark in self._marks.items() if at in inside}


class ChannelState:
    """The state of one channel that is judged, for all cohorts."""

    def __init__(self, channel: str, layout: Topology, settings: Thresholds) -> None:
        self.channel = channel
        self.layout = layout
        self._set = settings
        # Seconds added to all latencies, so that much smaller differences do not matter.
        self.floor = settings.queue_floor_ms / 1000 if channel == QUEUE else 0.0
        self.cohort_channels = {
            cohort.name: CohortChannel(cohort, settings) for cohort in layout.cohorts
        }
        self.bursts = {cohort.name: Bursts(cohort, settings) for cohort in layout.cohorts}
        size = len(layout.ids)
        self.newest = array("f", [math.nan]) * size  # the excess in the last minute
        self.segments: list[array[int]] = []  # of the slot that is being filled, coarse
        self.slots: list[array[int]] = []
        self.risk = array("f", bytes(4 * size))
        self.max_excess = array("f", [math.nan]) * size
        self.last_data = array("d", [math.nan]) * size
        self._empty_minute()
        self.empty_segment()

    def _empty_minute(self) -> None:
        size = len(self.layout.ids)
        self.sums: list[float] = [0.0] * size
        self.ops: list[float] = [0.0] * size

    def empty_segment(self) -> None:
        """Drop the minutes of an unfinished segment."""
        size = len(self.layout.ids)
        self._minutes: list[array[float]] = []
        self._segment_ops = [0.0] * size
        self._effects: dict[str, list[list[float]]] = {name: [] for name in self.cohort_channels}
        self._centres: dict[str, list[float]] = {name: [] for name in self.cohort_channels}
        self._loads: dict[str, list[Sequence[float]]] = {name: [] for name in self.cohort_channels}
        self._excluded: dict[int, int] = {}
        self._resting: dict[str, int] = dict.fromkeys(self.cohort_channels, 0)

    def frame(
        self,
        start: float,
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
            kept = self._gather_partly(latency, ops, least)
        for cohort in self.layout.cohorts:
            # OSDs that are flagged as slow all the time have no bursts.
            out = self.cohort_channels[cohort.name].flagged_places()
            if marks:
                out = out.union(at - cohort.start for at in marks)
            part = slice(cohort.start, cohort.end)
            explained = partial(self._explained, cohort, load)
            self.bursts[cohort.name].frame(start, kept[part], ops[part], explained, out)

    def _explained(self, cohort: Cohort, load: Sequence[float], group: Group) -> list[float]:
        """Return the part of the excess that load explains, in ln units, for a group's members."""
        slope = self.cohort_channels[cohort.name].slope.value
        rates = load[cohort.start + group.start : cohort.start + group.end]
        return [slope * more for more in load_against(rates)]

    def _gather_partly(
        self, latency: Sequence[float], ops: Sequence[float], least: float
    ) -> list[float]:
        """Add the OSDs with data; returns the frame's latencies, NaN for too few operations.

        Too few operations for a frame can be enough for a minute.
        """
        sums, counts, floor = self.sums, self.ops, self.floor
        low, high = _PLAUSIBLE
        kept = []
        for at, (mean, count) in enumerate(zip(latency, ops)):
            if not low < mean < high:
                kept.append(math.nan)
                continue
            many = count if 0 <= count < math.inf else _MANY_OPS  # NaN: only the mean is known
            sums[at] += (mean + floor) * many
            counts[at] += many
            kept.append(mean + floor if many >= least else math.nan)
        return kept

    def take_minute(self) -> tuple[list[float], list[float]]:
        """Return the sums of seconds and the operations since the last call, for ``minute``."""
        taken = (self.sums, self.ops)
        self._empty_minute()
        return taken

    def minute(self, view: MinuteView, sums: list[float], ops: list[float], tests: int) -> None:
        """Close a minute; ``tests`` is the number of channels with data."""
        least = max(self._set.min_ops * min(view.seconds, 60.0) / 60, 1e-9)
        nan, log = math.nan, math.log
        level = [log(own / many) if many >= least else nan for own, many in zip(sums, ops)]
        excess = array("f")
        for cohort in self.layout.cohorts:
            load, marks = view.of(cohort)
            part = slice(cohort.start, cohort.end)
            seen = Minute(view.start, level[part], ops[part], load, marks)
            known = self.bursts[cohort.name].folded.known(view.start, self._set)
            found = self.cohort_channels[cohort.name].minute(seen, tests, known)
            excess.extend(found.excess)
            self._effects[cohort.name].append(found.effects)
            self._centres[cohort.name].append(found.centre)
            self._resting[cohort.name] += found.resting
            if any(self.cohort_channels[cohort.name].load):
                self._loads[cohort.name].append(self.cohort_channels[cohort.name].load)
            for place in found.out:
                at = cohort.start + place
                self._excluded[at] = self._excluded.get(at, 0) + 1
        self._minutes.append(excess)
        self.newest = excess
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

    def segment(self, start: float) -> None:
        """Close a segment of 15 minutes and judge it."""
        minutes, ops = self._minutes, self._segment_ops
        centres, effects = self._centres, self._effects
        excluded, resting, loads = self._excluded, self._resting, self._loads
        self.empty_segment()
        if len(minutes) < self._set.segment_minutes:
            for cohort_channel in self.cohort_channels.values():
                cohort_channel.resting = False  # that was of the segment before, not of this one
            return
        excess = self._medians(minutes)
        for cohort in self.layout.cohorts:
            out = frozenset(
                at - cohort.start
                for at, times in excluded.items()
                if cohort.start <= at < cohort.end and 2 * times > len(minutes)
            )
            view = Segment(
                start,
                excess[cohort.start : cohort.end],
                [_median(values) for values in zip(*effects[cohort.name])],
                _median(centres[cohort.name]),
                ops[cohort.start : cohort.end],
                out,
                2 * resting[cohort.name] > len(minutes),
                [minute[cohort.start : cohort.end] for minute in minutes],
                [sum(own) / len(minutes) for own in zip(*loads[cohort.name])],
            )
            self.cohort_channels[cohort.name].segment(view, self.past)
            self.bursts[cohort.name].judge(start)
        self._score(excess)
        self.segments.append(coarse(excess))

    def _medians(self, minutes: Sequence[array[float]]) -> list[float]:
        """Return each OSD's median of its minutes; NaN for too few of them."""
        count, least = len(minutes), self._set.segment_minutes
        middle, odd = divmod(count, 2)
        medians = []
        for own in zip(*minutes):
            if sum(own) - sum(own) == 0:  # all are numbers
                ordered = sorted(own)
                medians.append(
                    ordered[middle] if odd else (ordered[middle - 1] + ordered[middle]) / 2
                )
            else:
                known = valid(own)
                medians.append(_median(known) if len(known) >= least else math.nan)
        return medians

    def _score(self, excess: Sequence[float]) -> None:
        """Update the risk: severity times hours, with a half-life of a day."""
        keep = 0.5 ** (0.25 / self._set.risk_half_life_hours)
        self.risk = array("f", [risk * keep for risk in self.risk])
        for at, own in enumerate(excess):
            if own >= _BANDS[0]:
                self.risk[at] += 0.25 * sum(own >= band for band in _BANDS)
                if not self.max_excess[at] >= own:
                    self.max_excess[at] = own

    @property
    def slot_is_full(self) -> bool:
        return len(self.segments) >= _SLOT_SEGMENTS

    def close_slot(self, now: float) -> None:
        """Close two hours of data: store each OSD's usual excess, and judge the watch path."""
        segments, self.segments = self.segments, []
        usual = array("b", [_middle(own) for own in zip(*segments)])
        for cohort in self.layout.cohorts:
            for osd in self.cohort_channels[cohort.name].flagged():
                if osd in self.layout.place:  # a flagged OSD's excess is not its usual one
                    usual[self.layout.place[osd]] = NOTHING
        self.slots.append(usual)
        del self.slots[:-_SLOTS]
        for cohort in self.layout.cohorts:
            cohort_channel = self.cohort_channels[cohort.name]
            if cohort_channel.small:
                self._learn_base(cohort_channel, now)
            else:
                self._watch(cohort_channel)

    def _past(self, cohort: Cohort, slots: int, least: int) -> dict[int, float]:
        """Return by OSD the median of its newest ``slots``, if at least ``least`` have data."""
        rows = [slot[cohort.start : cohort.end] for slot in self.slots[-slots:]]
        past = {}
        for member, own in zip(cohort.members, zip(*rows)):
            known = sorted(step for step in own if step != NOTHING)
            if len(known) >= least:
                past[member.osd] = _median(known) * STEP
        return past

    def past(self, osd: int) -> Optional[float]:
        """Return the OSD's usual excess (ln) in the last day; None before 2 h of data."""
        at = self.layout.place[osd]
        known = sorted(slot[at] for slot in self.slots[-_WATCH_SLOTS:] if slot[at] != NOTHING)
        return _median(known) * STEP if known else None

    def _learn_base(self, cohort_channel: CohortChannel, now: float) -> None:
        least = math.ceil(self._set.small_hours / _HOURS_A_SLOT)
        if now - cohort_channel.born >= self._set.small_age_hours * 3600:
            cohort_channel.base = {
                **cohort_channel.base,
                **self._past(cohort_channel.cohort, _SLOTS, least),
            }

    def _watch(self, cohort_channel: CohortChannel) -> None:
        past = self._past(cohort_channel.cohort, _WATCH_SLOTS, _WATCH_SLOTS)
        scale = spread(list(past.values()))
        if not past or math.isnan(scale):
            cohort_channel.watched = {}
            return
        least = max(
            math.log(self._set.watch_ratio),
            self._set.watch_z * max(scale, self._set.segment_floor),
        )
        cohort_channel.watched = {osd: own for osd, own in past.items() if own >= least}

    def now(self, osd: int) -> Optional[float]:
        """Return its excess in the newest minute, segment or slot with data; None for no data."""
        at = self.layout.place[osd]
        if not math.isnan(self.newest[at]):
            return self.newest[at]
        rows = self.segments or self.slots  # segments of a full slot are the slot
        steps = rows[-1][at] if rows else NOTHING
        return None if steps == NOTHING else steps * STEP

    def drop_flags(self, osds: Collection[int]) -> None:
        """Drop all flags of these OSDs, and of units of which hardly any others are left."""
        for name, cohort_channel in self.cohort_channels.items():
            bursts = self.bursts[name]
            for osd in (cohort_channel.flagged() | bursts.flags.keys()) & set(osds):
                cohort_channel.drop_flag(osd)
                bursts.drop_flag(osd)
            cohort_channel.units.drop_without(cohort_channel.cohort, osds)

    def clock_stepped(self, seconds: float) -> None:
        """Move the times that ages are counted from along with the clock."""
        self.last_data = array("d", [at + seconds for at in self.last_data])
        for cohort_channel in self.cohort_channels.values():
            cohort_channel.born += seconds
        for bursts in self.bursts.values():
            bursts.clock_stepped(seconds)

    def after_gap(self) -> None:
        """Drop the open minute and the unfinished acute windows."""
        self._empty_minute()
        for cohort_channel in self.cohort_channels.values():
            cohort_channel.after_gap()

    def adopt(self, layout: Topology, explained: Collection[int] = ()) -> None:
        """Continue with another roster; all data moves to the new positions by OSD ID.

        ``explained`` are the OSDs whose slowness is that of a unit or of their whole cohort.
        """
        before, self.layout = self.layout, layout
        order = [before.place.get(osd, -1) for osd in layout.ids]

        def moved(kind: str, row: Sequence[Any], empty: Any) -> array[Any]:
            return array(kind, [row[at] if at >= 0 else empty for at in order])

        self.newest = moved("f", self.newest, math.nan)
        self.segments = [moved("b", row, NOTHING) for row in self.segments]
        self.slots = [moved("b", row, NOTHING) for row in self.slots]
        self.risk = moved("f", self.risk, 0.0)
        self.max_excess = moved("f", self.max_excess, math.nan)
        self.last_data = moved("d", self.last_data, math.nan)
        self.sums = list(moved("d", self.sums, 0.0))
        self.ops = list(moved("d", self.ops, 0.0))
        cohort_channels, bursts = self.cohort_channels, self.bursts
        self.cohort_channels, self.bursts = {}, {}
        for cohort in layout.cohorts:
            self.cohort_channels[cohort.name] = cohort_channels.get(cohort.name) or CohortChannel(
                cohort, self._set
            )
            self.bursts[cohort.name] = bursts.get(cohort.name) or Bursts(cohort, self._set)
        self._move_segment(before, order)
        for at, member in zip(order, layout.members):
            was = before.members[at].cohort if at >= 0 else member.cohort
            if was == member.cohort or without_release(was) != without_release(member.cohort):
                continue
            # An OSD that was upgraded is as slow as it was until its new peers tell otherwise. What
            # a slow host explains would be the OSD's own fault where the host is not known as slow.
            if member.osd not in explained:
                self.cohort_channels[member.cohort].take_flags(member.osd, cohort_channels[was])
                self.bursts[member.cohort].take_flag(member.osd, bursts[was])
        for cohort in layout.cohorts:
            self.cohort_channels[cohort.name].adopt(cohort)
            self.cohort_channels[cohort.name].keep_only(layout.place)
            self.bursts[cohort.name].adopt(cohort)

    def _move_segment(self, before: Topology, order: Sequence[int]) -> None:
        """Move the open segment to the new positions; ``order`` has the places ``before``.

        While OSDs are added or upgraded the roster changes every few minutes: without the minutes
        of before no segment would ever have enough. An OSD with other peers begins it anew.
        """
        minutes, ops, excluded = self._minutes, self._segment_ops, self._excluded
        effects, centres = self._effects, self._centres
        loads, resting = self._loads, self._resting
        self.empty_segment()
        kept = [
            at if at >= 0 and before.members[at] == member else -1
            for at, member in zip(order, self.layout.members)
        ]
        self._minutes = [
            array("f", [row[at] if at >= 0 else math.nan for at in kept]) for row in minutes
        ]
        self._segment_ops = [ops[at] if at >= 0 else 0.0 for at in kept]
        self._excluded = {now: excluded[at] for now, at in enumerate(kept) if at in excluded}
        for cohort in self.layout.cohorts:
            name = cohort.name
            if name not in effects:
                continue
            was = self.cohort_channels[name].cohort
            places = [was.place.get(member.osd, -1) for member in cohort.members]
            groups = [
                next((was.group_of[at] for at in places[group.start : group.end] if at >= 0), -1)
                for group in cohort.groups
            ]
            self._effects[name] = [
                [row[at] if at >= 0 else math.nan for at in groups] for row in effects[name]
            ]
            self._loads[name] = [
                [row[at] if at >= 0 else 0.0 for at in places] for row in loads[name]
            ]
            self._centres[name], self._resting[name] = centres[name], resting[name]

    def save(self, now: float) -> dict[str, Any]:
        """Return the state for ``restore``, without the minutes of the open segment."""
        ages = [now - at if at <= now else math.inf for at in self.last_data]
        return {
            "newest": pack(coarse(self.newest)),
            "ages": pack(array("h", [round(min(age / 60, 30_000)) for age in ages])),
            "segments": [pack(row) for row in self.segments],
            "slots": [pack(row) for row in self.slots],
            "risk": pack(array("f", [round(risk, 2) for risk in self.risk])),
            "max": pack(coarse(self.max_excess)),
            "lanes": {
                name: cohort_channel.save() for name, cohort_channel in self.cohort_channels.items()
            },
            "bursts": {name: bursts.save() for name, bursts in self.bursts.items()},
        }

    def restore(self, state: Mapping[str, Any], saved: float, now: float) -> None:
        self.newest = array("f", fine(unpack("b", state["newest"])))
        ages = unpack("h", state["ages"])
        self.last_data = array("d", [saved - 60 * age for age in ages])
        self.segments = [unpack("b", text) for text in state["segments"]]
        self.slots = [unpack("b", text) for text in state["slots"]]
        self.risk = unpack("f", state["risk"])
        self.max_excess = array("f", fine(unpack("b", state["max"])))
        for name, cohort_channel in self.cohort_channels.items():
            cohort_channel.restore(state["lanes"][name], now)
            self.bursts[name].restore(state["bursts"][name])


def _median(values: Sequence[float]) -> float:
    """Return the median of the values that are not NaN; NaN for none."""
    ordered = valid(values)
    if not ordered:
        return math.nan
    middle, odd = divmod(len(ordered), 2)
    return ordered[middle] if odd else (ordered[middle - 1] + ordered[middle]) / 2


def _middle(steps: Sequence[int]) -> int:
    """Return the median of the packed steps that are not NOTHING; NOTHING for none."""
    known = sorted(step for step in steps if step != NOTHING)
    return known[len(known) // 2] if known else NOTHING
