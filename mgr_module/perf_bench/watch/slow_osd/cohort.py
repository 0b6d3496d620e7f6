"""One cohort in one channel: adds frames to minutes, minutes to segments, and judges its OSDs.

Rows of figures are by place; excess is in ln units, NaN is no data.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from operator import add
from typing import ClassVar, NamedTuple, Optional

from ...model.finding import QUEUE
from ...model.statistics import MAD_TO_SIGMA, median, median_of_sorted, spread, valid
from .peers import (
    Cohort,
    Slope,
    UnitKey,
    View,
    load_against,
    medians,
    no_reference,
    residuals,
)
from .rules import Bursts, Facts, Fold, Past, Tally, Units
from .state import Kept
from .thresholds import Rule, Thresholds, minute_rules, segment_rules

MINUTE, SEGMENT = 60.0, 900.0
# If only the mean is known, its window counts as one of very many operations.
_MANY_OPS = 1e6
# A mean outside this range (seconds) is no latency; a counter that was not sent reads as 0.
_PLAUSIBLE = (1e-9, 1e9)
# A segment counts from so many of its 15 minutes on, and so do an OSD's minutes in it.
_LEAST_MINUTES = 8
# The median of hours is over so many segments at the least, and at the most.
_HOURS_LEAST, _HOURS_MOST = 4, 12
# The part of a segment's minutes that must be slow too: three scrubs of ten minutes in an hour
# raise the medians of three segments.
_MOST_OF_IT = 0.75
# Of a minute of fewer members than this their change from minute to minute is the scale.
_FEW = 12
# Minutes before the first judgement, and of the first hour, which is judged more strictly.
_COLD, _WARM = 3, 60
# Segments of a small cohort whose scales count.
_SEGMENTS = 24
# A scale up to this one is never unusual.
_USUAL = 0.02
# One scale is clearly smaller than another if it is less than this part of it.
_CLEARLY = 0.8
# What is slow in the first hours of a cohort may have been so for ever, with no begin in common.
_FIRST = 4 * 3600.0
# Severity by ratio, after the bands of Perseus: each band adds 1. It halves in a day.
_BANDS = [math.log(ratio) for ratio in (1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)]
_KEEP = 0.5 ** (0.25 / 24)


class Minute(NamedTuple):
    """What all channels share of a minute: load in bytes/s by place, and marks by place."""

    start: float
    number: int
    seconds: float
    load: Sequence[float]
    marks: Mapping[int, int]


class CohortChannel:
    """The state of one cohort in one channel."""

    KEPT: ClassVar[Kept] = {
        "minutes": int,
        **dict.fromkeys(("born", "minute_scale", "segment_scale", "hours_scale"), float),
        **dict.fromkeys(("changes", "rises"), tuple[float, ...]),
        **dict.fromkeys(("newest", "risk", "worst"), "f"),
        "last_data": "d",
        "unjudged": dict[int, int],
        "past": dict[int, Past],
        **dict.fromkeys(("slope", "rules", "units", "bursts", "short", "lasting")),
    }
    OPEN: ClassVar[Kept] = {
        "_last": float,
        "_excluded": dict[int, int],
        **dict.fromkeys(("_sums", "_ops", "_segment_sums", "_segment_ops"), "d"),
        **{name: ["f"] for name in ("hours", "_minutes", "_loads")},
    }

    def __init__(self, channel: str, cohort: Cohort, settings: Thresholds) -> None:
        self.channel = channel
        self.cohort = cohort
        self._set = settings
        # Seconds added to all latencies, so that much smaller differences do not matter.
        self.floor = settings.queue_floor_ms / 1000 if channel == QUEUE else 0.0
        self.minutes = 0
        self.born = math.nan  # start of the first minute with data
        nothing = array("f", [math.nan]) * cohort.size
        # The excess in the last minute of the channel, and the largest one of a segment.
        self.newest: Sequence[float] = nothing
        self.worst = nothing[:]
        self.last_data = array("d", nothing)  # start of each one's newest minute with data
        self.risk = array("f", bytes(4 * cohort.size))
        self.hours: list[Sequence[float]] = []  # the excess in the newest segments
        # OSDs that were slow when they got no more operations, by the minute in which that was
        # told: they cannot be judged.
        self.unjudged: dict[int, int] = {}
        self.past: dict[int, Past] = {}  # small cohorts: by OSD
        self.centre = math.nan
        self.minute_scale = self.segment_scale = self.hours_scale = math.nan
        # Of few members how much they changed in the last minutes, and what their scales over
        # their own past were in the last segments.
        self.changes: Sequence[float] = ()
        self.rises: Sequence[float] = ()
        self.slope = Slope(settings.slope_max)
        self.by_minute = [Tally[int](rule, MINUTE) for rule in minute_rules(settings)]
        self.by_segment = [Tally[int](rule, SEGMENT) for rule in segment_rules(settings)]
        self.tallies = [*self.by_minute, *self.by_segment]
        self.rules = {tally.rule.name: tally for tally in self.tallies}
        self.units = Units(cohort, settings)
        self.bursts = Bursts(cohort, settings)
        # Short causes (minutes, bursts) and lasting ones (segments) are known apart.
        self.short, self.lasting = Fold(), Fold()
        self._last = math.nan  # start of the newest minute with data of any
        self._sums: Sequence[float] = [0.0] * cohort.size
        self._ops: Sequence[float] = [0.0] * cohort.size
        self.empty_segment()

    def empty_segment(self) -> None:
        """Drop the minutes of an unfinished segment."""
        self._minutes: list[Sequence[float]] = []
        self.units.above = {}
        self._loads: list[Sequence[float]] = []
        self._segment_sums: Sequence[float] = [0.0] * self.cohort.size
        self._segment_ops: Sequence[float] = [0.0] * self.cohort.size
        self._excluded: Counter[int] = Counter()  # by OSD in how many minutes

    def take_minute(self) -> tuple[Sequence[float], Sequence[float]]:
        """Return the sums of seconds and the operations since the last call, for ``minute``."""
        taken = self._sums, self._ops
        self._sums, self._ops = [0.0] * self.cohort.size, [0.0] * self.cohort.size
        return taken

    def _flagged(self) -> frozenset[int]:
        place = self.cohort.place
        return frozenset(place[osd] for tally in self.tallies for osd in tally.flags)

    def _held(self, marked: frozenset[int]) -> frozenset[int]:
        """Flagged OSDs and ``marked`` ones are no reference, but where they are many."""
        size, flagged = self.cohort.size, self._flagged()
        held = flagged if 2 * len(flagged) <= size else frozenset()
        return held | marked if len(marked) <= self._set.suspend_share * size else held

    # --- frames ------------------------------------------------------------------------------

    def frame(
        self,
        number: int,
        seconds: float,
        latency: Sequence[float],
        ops: Optional[Sequence[float]],
        load: Sequence[float],
        marks: Collection[int],
    ) -> None:
        """Add a frame by place: mean seconds, operations (None: unknown) and bytes/s.

        ``number`` counts the frames of all cohorts.
        """
        floor, (low, high) = self.floor, _PLAUSIBLE
        latency = [mean + floor if low < mean < high else math.nan for mean in latency]
        ops = [
            0.0 if math.isnan(mean) else many if 0 <= many < math.inf else _MANY_OPS
            for mean, many in zip(latency, ops or repeat(_MANY_OPS))
        ]
        self._ops = list(map(add, self._ops, ops))
        rows = zip(self._sums, latency, ops)
        self._sums = [whole + mean * many if many else whole for whole, mean, many in rows]
        self.bursts.frames = number
        if self.minutes >= _WARM and not math.isnan(self.minute_scale):
            # OSDs that are flagged as slow all the time have no bursts. Too few operations for a
            # frame can be enough for a minute.
            out = self._flagged().union(marks)
            least = self._set.min_ops * seconds / MINUTE
            enough = [mean if many >= least else math.nan for mean, many in zip(latency, ops)]
            self.bursts.frame(enough, ops, load, out, self.minute_scale, self.slope.value)

    # --- minutes -----------------------------------------------------------------------------

    def minute(self, view: Minute, sums: Sequence[float], ops: Sequence[float]) -> None:
        """Close a minute and judge it."""
        least = max(self._set.min_ops * min(view.seconds, MINUTE) / MINUTE, 1e-9)
        nan, log = math.nan, math.log
        level = [log(own / many) if many >= least else nan for own, many in zip(sums, ops)]
        marked = no_reference(view.marks)
        out = self._held(marked)
        excess, of_groups, centre = residuals(self.cohort, level, out)
        load: Sequence[float] = ()
        if not math.isnan(centre):
            for group, above in of_groups.items():
                if group.key:
                    self.units.above.setdefault(group.key, []).append(above)
            rates: list[float] = []
            for group in self.cohort.groups:
                rates += load_against(view.load[group.start : group.end])
            load = self.slope.explained(excess, rates)
            if load:
                excess = [own - more for own, more in zip(excess, load)]
            self.born = view.start if self.minutes == 0 else self.born
            self.minutes += 1
            self._learn_scale(view.start, excess, out)
            self.slope.learn(excess, rates, 3 * self.minute_scale)
            self.centre, self._last = centre, view.start
            if self.minutes >= _COLD and not math.isnan(self.minute_scale):
                figures = (self.centre, self.minute_scale, excess, level, ops, marked)
                self._judge_minute(View(view.start, view.number, *figures))
        self._keep(view.start, array("f", excess))
        self._loads.append(array("f", load) if any(load) else ())
        self._segment_sums = array("d", map(add, self._segment_sums, sums))
        self._segment_ops = array("d", map(add, self._segment_ops, ops))
        self._excluded.update(self.cohort.members[at].osd for at in marked)

    def _keep(self, start: float, excess: Sequence[float]) -> None:
        """Keep a minute for its segment, and who has data in it."""
        self._minutes.append(excess)
        self.newest = excess
        last = zip(excess, self.last_data)
        known = [start if own == own else before for own, before in last]  # noqa: PLR0124
        self.last_data = array("d", known)
        for osd in list(self.unjudged):
            if not math.isnan(excess[self.cohort.place[osd]]):
                del self.unjudged[osd]

    def _judge_minute(self, view: View) -> None:
        cold = self._set.cold_ratio if self.minutes <= _WARM else 1.0
        least = math.log(min(max(tally.rule.ratio, cold) for tally in self.by_minute))
        places = [place for place, own in enumerate(view.excess) if own >= least]
        for tally in self.by_minute:
            ratio = math.log(max(tally.rule.ratio, cold))
            self._step(tally, view, self._hits(tally.rule, ratio, view, places))
        recent = {osd for tally in self.by_minute for osd in tally.recent()}
        self._note(view.start, self.short, recent - self.by_segment[0].flags.keys())
        self.units.minute(view, math.log(max(self.units.acute.rule.ratio, cold)))

    def _hits(
        self, rule: Rule, ratio: float, view: View, places: Sequence[int]
    ) -> dict[int, Facts]:
        """Return the OSDs of these places beyond this ratio (ln) and the rule's z."""
        hits, cohort = {}, self.cohort
        for place in places:
            width = math.hypot(view.scale, 1 / math.sqrt(max(view.ops[place], 1.0)))
            least = max(ratio, rule.z * width)
            if place in view.out:
                stricter = self._set.excluded_z * width
                least = max(least, math.log(self._set.excluded_ratio), stricter)
            own, level = view.excess[place], view.level[place]
            if own >= least:
                group = cohort.group_of[place]
                peers = (group.end - group.start if group.key else cohort.size) - 1
                facts = Facts(own, own / width, level, peers, least)
                hits[cohort.members[place].osd] = facts
        return hits

    def _step(self, tally: Tally[int], view: View, hits: Mapping[int, Facts]) -> None:
        place = self.cohort.place
        tally.step(view.start, view.number, hits, lambda osd: view.excess[place[osd]])

    def _note(self, now: float, fold: Fold, osds: Collection[int]) -> None:
        """Look for what those that are slow now have in common."""
        places = [self.cohort.place[osd] for osd in osds]
        fold.note(now, self.cohort, places, self._set.common_chance)

    # --- segments ----------------------------------------------------------------------------

    def segment(self, start: float, number: int) -> None:
        """Close a segment of 15 minutes and judge it; ``number`` is that of its last minute."""
        minutes, above = self._minutes, self.units.above
        sums, ops = self._segment_sums, self._segment_ops
        loads, excluded = self._loads, self._excluded
        self.empty_segment()
        if len(minutes) < _LEAST_MINUTES:
            return
        excess = medians(minutes, _LEAST_MINUTES)
        level = [math.log(own / many) if many else math.nan for own, many in zip(sums, ops)]
        often = {osd for osd, times in excluded.items() if 2 * times > len(minutes)}
        out = frozenset(self.cohort.place[osd] for osd in often)
        figures = (self.centre, math.nan, excess, level, ops, out, minutes)
        view = View(start, number, *figures)
        if any(loads):
            rows = zip(*(row for row in loads if row))
            view = self._by_load(view, [sum(own) / len(minutes) for own in rows])
        self.hours.append(array("f", view.excess))
        del self.hours[:-_HOURS_MOST]
        self._judge_segment(view, above)
        self.bursts.judge(start, number, self.short)
        self._score(excess)

    def _by_load(self, view: View, load: Sequence[float]) -> View:
        """Put back what load explained unless the members are clearly more alike without it.

        Latency can follow a load that comes and goes, but not a lasting difference in load. Then
        the slope, learned from the former, would explain a slow OSD with more load than its peers.
        """
        held = self._held(view.out)
        plain = [own + more for own, more in zip(view.excess, load)]
        if spread(_without(view.excess, held)) < _CLEARLY * spread(_without(plain, held)):
            return view
        minutes = [[own + more for own, more in zip(row, load)] for row in view.minutes]
        return view._replace(excess=plain, minutes=minutes)

    def _judge_segment(self, view: View, above: Mapping[UnitKey, Sequence[float]]) -> None:
        """Judge a segment, and the median of some hours."""
        self.segment_scale = self._scale(view.excess, view.out)
        view = view._replace(scale=self.segment_scale)
        judged = not math.isnan(view.scale)
        sustained, hours, own_past = self.by_segment
        least, calm = math.log(sustained.rule.ratio), math.log(sustained.rule.calm)
        slow = [
            place
            for place, own in enumerate(view.excess)
            if own >= least and _lasts(view.minutes, place, calm)
        ]
        # If nobody can be found slow, one that was slow before may be well again.
        hits = self._hits(sustained.rule, least, view, slow) if judged else {}
        self._step(sustained, view, hits)
        self._step(hours, view, self._hours_hits(view) if judged else {})
        if self.cohort.size < self._set.group_members:
            self._judge_past(own_past, view)
        if judged:
            if view.start > self.born + _FIRST:
                recent = {osd for tally in self.by_segment for osd in tally.recent()}
                self._note(view.start, self.lasting, recent)
            self.units.segment(view, above)

    def _hours_hits(self, view: View) -> dict[int, Facts]:
        """Return the OSDs whose median of some hours is high, and that are slow now."""
        if len(self.hours) < _HOURS_LEAST:
            return {}
        hours = medians(self.hours, _HOURS_LEAST, lower=True)
        self.hours_scale = self._scale(hours, view.out)
        if math.isnan(self.hours_scale):  # too few have data for so long
            return {}
        rule, least = self.by_segment[1].rule, self._hours_ratio()
        places = [
            place
            for place, own in enumerate(hours)
            if own >= least
            and place not in view.out
            and view.excess[place] >= max(math.log(rule.calm), own / 2)
        ]
        level = [own - now + long for own, now, long in zip(view.level, view.excess, hours)]
        whole = view._replace(scale=self.hours_scale, excess=hours, level=level)
        return self._hits(rule, least, whole, places)

    def _hours_ratio(self) -> float:
        """The least excess of the median of hours: no less than so many scales of a segment."""
        ratio = math.log(self.by_segment[1].rule.ratio)
        return max(ratio, self._set.noise_scales * self.segment_scale)

    def _judge_past(self, tally: Tally[int], view: View) -> None:
        """Judge the members of a small cohort by their own past.

        The median of two peers is no measure for a third that was always different.
        """
        osds = [member.osd for member in self.cohort.members]
        usual = [self.past[osd].usual() if osd in self.past else math.nan for osd in osds]
        rises = [own - past for own, past in zip(view.excess, usual)]
        # Of so few one that is slow would be the scale of now.
        self.rises = _running(self.rises, spread(rises), _SEGMENTS)
        scale = max(median(self.rises or (math.nan,)), self._set.segment_floor)
        rule, least = tally.rule, math.log(self._set.sustained_ratio)
        places = [
            place
            for place, own in enumerate(view.excess)
            if own >= least and _lasts(view.minutes, place, usual[place] + math.log(rule.calm))
        ]
        risen = view._replace(scale=scale, excess=rises)
        self._step(tally, risen, self._hits(rule, math.log(rule.ratio), risen, places))
        flagged = {osd for one in self.tallies for osd in one.flags}
        for osd, own in zip(osds, view.excess):
            if not (math.isnan(own) or osd in flagged or tally.hits_of(osd)):
                self.past.setdefault(osd, Past()).learn(own)

    # --- what is usual -----------------------------------------------------------------------

    def _scale(self, values: Sequence[float], out: frozenset[int]) -> float:
        """The scale of a segment or hours; NaN with too few that have data."""
        return max(spread(_without(values, self._held(out))), self._set.segment_floor)

    def _learn_scale(self, start: float, excess: Sequence[float], out: frozenset[int]) -> None:
        scale = spread(_without(excess, out))
        if self.cohort.size < _FEW:
            self.changes = _running(self.changes, self._change(start, excess), _WARM)
            scale = median(self.changes or (math.nan,))
        if not math.isnan(scale):
            self.minute_scale = max(scale, self._set.minute_floor)

    def _change(self, start: float, excess: Sequence[float]) -> float:
        """How much each of a few members changes from minute to minute.

        The lasting differences between three members do not show how exact they are.
        """
        if not 0 < start - self._last < 1.5 * MINUTE:
            return math.nan
        steps = valid([abs(now - then) for now, then in zip(excess, self.newest)])
        return MAD_TO_SIGMA * median_of_sorted(steps) / math.sqrt(2) if steps else math.nan

    def _score(self, excess: Sequence[float]) -> None:
        """Update the risk: severity times hours, with a half-life of a day."""
        self.risk = array("f", [risk * _KEEP for risk in self.risk])
        for at, own in enumerate(excess):
            if own >= _BANDS[0]:
                self.risk[at] += 0.25 * sum(own >= band for band in _BANDS)
                if not self.worst[at] >= own:
                    self.worst[at] = own

    # --- questions ---------------------------------------------------------------------------

    def detectable(self) -> Optional[float]:
        """Return the smallest constant slowdown that is found, as a ratio; None if unknown."""
        if math.isnan(self.segment_scale):
            return None
        rule = self.by_segment[0].rule
        least = max(math.log(rule.ratio), rule.z * self.segment_scale)
        if not math.isnan(self.hours_scale):
            least = min(least, max(self._hours_ratio(), rule.z * self.hours_scale))
        return math.exp(min(least, 20.0))

    def now(self, place: int) -> Optional[float]:
        """Return the excess in the newest minute or segment with data; None for no data."""
        for row in (self.newest, *self.hours[-1:]):
            if not math.isnan(row[place]):
                return row[place]
        return None

    # --- what ends ---------------------------------------------------------------------------

    def drop_idle(self, before: int) -> None:
        """Drop the flags of OSDs and units without data since that minute.

        An OSD that was slow then is not well, but cannot be judged. Its bursts are those of a day.
        """
        for tally in self.tallies:
            self.unjudged.update(dict.fromkeys(tally.drop_idle(before), before))
        for of_units in self.units.tallies:
            of_units.drop_idle(before)

    def check(self) -> None:
        """Raise ValueError if what was restored is not of the cohort."""
        osds = {*self.unjudged, *self.bursts.episodes, *self.bursts.flags, *self.past}
        for tally in self.tallies:
            osds.update(tally.masks, tally.flags)
        if not osds <= self.cohort.place.keys():
            raise ValueError("it has OSDs of another cohort")


def _lasts(minutes: Sequence[Sequence[float]], place: int, bound: float) -> bool:
    """Whether most of an OSD's minutes are slow too."""
    own = [minute[place] for minute in minutes if not math.isnan(minute[place])]
    return sum(value >= bound for value in own) >= _MOST_OF_IT * max(1, len(own))


def _running(known: Sequence[float], newest: float, most: int) -> Sequence[float]:
    """The newest figures; one counts as at most twice what was usual, for a fault is not."""
    if math.isnan(newest):
        return known
    usual = max(2 * median(known), _USUAL) if known else math.inf
    return (*known, min(newest, usual))[-most:]


def _without(values: Sequence[float], places: frozenset[int]) -> Sequence[float]:
    if not places:
        return values
    return [own for place, own in enumerate(values) if place not in places]
