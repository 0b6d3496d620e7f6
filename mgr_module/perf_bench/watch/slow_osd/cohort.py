"""One cohort in one channel: adds frames to minutes, minutes to segments, and judges its OSDs.

Rows of figures are by place; excess is in ln units, NaN is no data.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from functools import partial
from operator import add, mul
from typing import Any, Callable, ClassVar, NamedTuple, Optional

from ...model.finding import QUEUE, Mark
from ...model.history import without_release
from ...model.statistics import MAD_TO_SIGMA, median_of_sorted, sharper_z, spread, valid
from .bursts import Bursts
from .rules import Facts, Fold, Kept, Past, Tally
from .thresholds import Rule, Thresholds, minute_rules, segment_rules
from .topology import Cohort, Group
from .units import Units, Window
from .windows import (
    NOTHING,
    STEP,
    RunningScale,
    Slope,
    coarse,
    excluded_places,
    load_against,
    lower_medians,
    medians,
    residuals,
)

MINUTE, SEGMENT = 60.0, 900.0
# If only the mean is known, its window counts as one of very many operations.
_MANY_OPS = 1e6
# A mean outside this range (seconds) is no latency; a counter that was not sent reads as 0.
_PLAUSIBLE = (1e-9, 1e9)
# A segment counts from so many of its 15 minutes on, and so do an OSD's minutes in it.
_LEAST_MINUTES = 8
# The median of hours is over so many segments at the least, and at the most. With fewer than
# ``_SURE`` most minutes must be slow too.
_HOURS_LEAST, _HOURS_MOST, _SURE = 4, 12, 6
# The part of a segment's minutes that must be slow too: three scrubs of ten minutes in an hour
# raise the medians of three segments.
_MOST_OF_IT = 0.75
# The MAD of fewer members than this is combined with its past values; of a minute of fewer than
# ``_SOME`` members their change from minute to minute stands for it.
_MANY, _SOME = 24, 12
# Minutes before the first judgement, and of the first hour, which is judged more strictly.
_COLD, _WARM = 3, 60
# One scale is clearly smaller than another if it is less than this part of it.
_CLEARLY = 0.8
# A small cohort's member has a past after 6 h of data in 48 h.
_OSD_PAST, _OSD_AGE = 24, 48 * 3600.0
# The first hours of a cohort show nothing of what began together.
_FIRST = 4 * 3600.0
# Severity by ratio, after the bands of Perseus: each band adds 1. It halves in a day.
_BANDS = [math.log(ratio) for ratio in (1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)]
_KEEP = 0.5 ** (0.25 / 24)
# Rows with a figure for each place, which follow an OSD to another cohort, and lists of rows, which
# do not.
_ROWS = ("newest", "risk", "worst", "last_data", "_sums", "_ops", "_segment_sums", "_segment_ops")
_LISTS = ("hours", "_minutes", "_above", "_loads")


class Minute(NamedTuple):
    """What all channels share of a minute: load in bytes/s by place, and marks by place."""

    start: float
    number: int
    seconds: float
    load: Sequence[float]
    marks: Mapping[int, int]


class _Seen(NamedTuple):
    """What is judged of a minute, a segment or hours, by place.

    ``level`` is ln of the latency, ``excess`` that over the peers, ``shown`` what rules look at.
    ``places`` are those that may be slow, ``strict`` those that are judged more strictly.
    """

    shown: Sequence[float]
    excess: Sequence[float]
    level: Sequence[float]
    ops: Sequence[float]
    places: Sequence[int]
    strict: frozenset[int]


class _Segment(NamedTuple):
    start: float
    number: int
    excess: Sequence[float]
    level: Sequence[float]
    ops: Sequence[float]
    minutes: Sequence[Sequence[float]]
    out: frozenset[int]


class CohortChannel:
    """The state of one cohort in one channel."""

    KEPT: ClassVar[Kept] = {
        "minutes": int,
        **dict.fromkeys(("born", "minute_scale", "segment_scale", "hours_scale"), float),
        **dict.fromkeys(("newest", "risk", "worst"), "f"),
        "last_data": "d",
        "hours": ["b"],
        "unjudged": set[int],
        "base": dict[int, Past],
        **dict.fromkeys(("pasts", "slope", "rules", "units", "bursts", "short", "lasting")),
    }

    def __init__(self, channel: str, cohort: Cohort, settings: Thresholds) -> None:
        self.channel = channel
        self.cohort = cohort
        self._set = settings
        # Seconds added to all latencies, so that much smaller differences do not matter.
        self.floor = settings.queue_floor_ms / 1000 if channel == QUEUE else 0.0
        self.minutes = 0
        self.born = math.nan  # start of the first minute with data
        self.tests = 1
        nothing = array("f", [math.nan]) * cohort.size
        # The excess in the last minute of the channel, and the largest one of a segment.
        self.newest, self.worst = nothing, nothing[:]
        self.last_data = array("d", nothing)  # start of each one's newest minute with data
        self.risk = array("f", bytes(4 * cohort.size))
        self.load: Sequence[float] = ()  # what load explains of the last minute; empty for nothing
        self.hours: list[array[Any]] = []  # the excess in the newest segments, coarse
        # OSDs that were slow when they got no more operations: they cannot be judged.
        self.unjudged: set[int] = set()
        self.centre = math.nan
        self.minute_scale = self.segment_scale = self.hours_scale = math.nan
        # The scales of minutes, segments and hours where the members are few.
        self.pasts = {0: RunningScale(60), 1: RunningScale(24), 2: RunningScale(24)}
        self.slope = Slope(settings.slope_max)
        self.by_minute = [Tally[int](rule, MINUTE) for rule in minute_rules(settings)]
        self.by_segment = [Tally[int](rule, SEGMENT) for rule in segment_rules(settings)]
        self.rules = {tally.rule.name: tally for tally in self.tallies}
        self.units = Units(cohort, settings)
        self.bursts = Bursts(cohort, settings)
        # Short causes (minutes, bursts) and lasting ones (segments) are known apart.
        self.short, self.lasting = Fold(), Fold()
        self.base: dict[int, Past] = {}  # small cohorts: by OSD
        self.resting = False  # too much of it was excluded from the newest segment
        self._last = math.nan  # start of the newest minute with data of any
        self.take_minute()
        self.empty_segment()

    @property
    def small(self) -> bool:
        return self.cohort.size <= self._set.small_members

    @property
    def tallies(self) -> Sequence[Tally[int]]:
        """Those of OSDs."""
        return [*self.by_minute, *self.by_segment]

    def empty_segment(self) -> None:
        """Drop the minutes of an unfinished segment."""
        self._minutes: list[Sequence[float]] = []
        self._above: list[Sequence[float]] = []
        self._loads: list[Sequence[float]] = []
        self._segment_sums: Sequence[float] = [0.0] * self.cohort.size
        self._segment_ops: Sequence[float] = [0.0] * self.cohort.size
        self._excluded: Counter[int] = Counter()  # by OSD in how many minutes
        self._rested = 0

    def take_minute(self) -> tuple[Sequence[float], Sequence[float]]:
        """Return the sums of seconds and the operations since the last call, for ``minute``."""
        taken = getattr(self, "_sums", ()), getattr(self, "_ops", ())
        self._sums: Sequence[float] = [0.0] * self.cohort.size
        self._ops: Sequence[float] = [0.0] * self.cohort.size
        return taken

    def _flagged(self) -> frozenset[int]:
        place = self.cohort.place
        return frozenset(place[osd] for tally in self.tallies for osd in tally.flags)

    def _held(self) -> frozenset[int]:
        """Flagged OSDs are no reference, but in small cohorts and where they are the most."""
        held = frozenset() if self.small else self._flagged()
        return held if 2 * len(held) <= self.cohort.size else frozenset()

    def _value(self, excess: Sequence[float]) -> Callable[[int], float]:
        place = self.cohort.place
        return lambda osd: excess[place[osd]]

    # --- frames ------------------------------------------------------------------------------

    def frame(
        self,
        seconds: float,
        latency: Sequence[float],
        ops: Optional[Sequence[float]],
        load: Sequence[float],
        marks: Mapping[int, int],
    ) -> None:
        """Add a frame by place: mean seconds, operations (None: unknown) and bytes/s."""
        if ops is None:
            ops = [_MANY_OPS] * len(latency)
        least = self._set.min_ops * seconds / 60
        low, high = _PLAUSIBLE
        sound = math.isfinite(sum(latency)) and math.isfinite(sum(ops))  # min() and NaN: no
        sound = sound and low < min(latency) and max(latency) < high and min(ops) >= least
        if not sound:
            latency = [mean if low < mean < high else math.nan for mean in latency]
            ops = [
                0.0 if math.isnan(mean) else many if 0 <= many < math.inf else _MANY_OPS
                for mean, many in zip(latency, ops)
            ]
        kept = [mean + self.floor for mean in latency] if self.floor else latency
        self._ops = list(map(add, self._ops, ops))
        if sound:
            self._sums = list(map(add, self._sums, map(mul, kept, ops)))
        else:
            rows = zip(self._sums, kept, ops)
            self._sums = [whole + mean * many if many else whole for whole, mean, many in rows]
            # Too few operations for a frame can be enough for a minute.
            kept = [mean if many >= least else math.nan for mean, many in zip(kept, ops)]
        # OSDs that are flagged as slow all the time have no bursts.
        out = self._flagged().union(marks)
        explained = partial(self._explained, load)
        self.bursts.frame(self.minute_scale, kept, ops, explained, out)

    def _explained(self, load: Sequence[float], group: Group) -> list[float]:
        """Return what load explains of the excess of a group's members."""
        rates = load_against(load[group.start : group.end])
        return [self.slope.value * more for more in rates]

    # --- minutes -----------------------------------------------------------------------------

    def minute(self, view: Minute, sums: Sequence[float], ops: Sequence[float], tests: int) -> None:
        """Close a minute and judge it; ``tests`` is the number of channels with data."""
        self.tests = tests
        least = max(self._set.min_ops * min(view.seconds, MINUTE) / MINUTE, 1e-9)
        nan, log = math.nan, math.log
        level = [log(own / many) if many >= least else nan for own, many in zip(sums, ops)]
        marked, resting = excluded_places(view.marks, self.cohort.size, self._set.suspend_share)
        held = self._held()
        found = residuals(self.cohort, level, held if resting else marked | held)
        excess, load = found.excess, []
        if not math.isnan(found.centre):
            rates: list[float] = []
            for group in self.cohort.groups:
                rates += load_against(view.load[group.start : group.end])
            load = self.slope.explained(excess, rates)
            if load:
                excess = [own - more for own, more in zip(excess, load)]
            self._learn(view.start, excess, rates, frozenset() if resting else marked | held)
            self.centre, self.load = found.centre, array("f", load)
            if self.minutes >= _COLD and not math.isnan(self.minute_scale):
                judged = self._without_starting(excess, view.marks)
                strict = frozenset(view.marks) if resting else marked
                self._judge_minute(view, judged, level, ops, strict)
                z = sharper_z(self.units.acute.rule.z, self.tests)
                window = Window(view.start, view.number, self.centre, self.minute_scale, z)
                total = list(map(add, judged, found.above))
                self.units.minute(window, total, self._ratio(self.units.acute.rule))
        self._minutes.append(array("f", excess))
        self._above.append(array("f", found.above))
        self._loads.append(array("f", load) if any(load) else ())
        self._segment_sums = array("d", map(add, self._segment_sums, sums))
        self._segment_ops = array("d", map(add, self._segment_ops, ops))
        self._excluded.update(self.cohort.members[at].osd for at in marked)
        self._rested += resting
        self._note_data(array("f", excess), view.start)

    def _learn(
        self, start: float, excess: Sequence[float], load: Sequence[float], out: frozenset[int]
    ) -> None:
        """Learn the scale of a minute, and how latency follows load."""
        if self.minutes == 0:
            self.born = start
        self.minutes += 1
        size = self.cohort.size
        scale = spread(_without(excess, out)) if size >= _SOME else math.nan
        if size < _MANY:
            self.pasts[0].learn(self._change(start, excess) if size < _SOME else scale)
            past = self.pasts[0].value
            scale = past if math.isnan(scale) else max(scale, past)
        if not math.isnan(scale):
            self.minute_scale = max(scale, self._set.minute_floor)
        self.slope.learn(excess, load, 3 * self.minute_scale)
        self._last = start

    def _without_starting(self, excess: list[float], marks: Mapping[int, int]) -> list[float]:
        """A restarted OSD has cold caches: its minutes count neither as slow nor as fast."""
        found = list(excess)
        for place, mark in marks.items():
            if mark & Mark.RESTARTED:
                found[place] = math.nan
        return found

    def _change(self, start: float, excess: Sequence[float]) -> float:
        """Return the scale of a few members: how much each changes from minute to minute.

        The lasting differences between three members do not show how exact they are.
        """
        if not 0 < start - self._last < 1.5 * MINUTE:
            return math.nan
        steps = valid([abs(now - then) for now, then in zip(excess, self.newest)])
        return MAD_TO_SIGMA * median_of_sorted(steps) / math.sqrt(2) if steps else math.nan

    def _note_data(self, excess: array[float], start: float) -> None:
        self.newest = excess
        if math.isnan(sum(excess)):
            for at, own in enumerate(excess):
                if own == own:  # noqa: PLR0124
                    self.last_data[at] = start
        else:
            self.last_data = array("d", [start]) * len(excess)
        value = self._value(excess)
        self.unjudged = {osd for osd in self.unjudged if math.isnan(value(osd))}

    def _judge_minute(
        self,
        view: Minute,
        excess: Sequence[float],
        level: Sequence[float],
        ops: Sequence[float],
        strict: frozenset[int],
    ) -> None:
        ratios = {one.rule.name: self._ratio(one.rule) for one in self.by_minute}
        least = min(ratios.values())
        shown = [own * n / max(n + self._set.min_ops, 1.0) for own, n in zip(excess, ops)]
        places = [place for place, own in enumerate(shown) if own >= least]
        seen = _Seen(shown, excess, level, ops, places, strict)
        for tally in self.by_minute:
            hits = self._hits(tally.rule, ratios[tally.rule.name], self.minute_scale, seen)
            tally.step(view.start, view.number, hits, self._value(excess))
        recent = {osd for tally in self.by_minute for osd in tally.recent()}
        self._note(view.start, self.short, recent - self.by_segment[0].flags.keys())

    def _ratio(self, rule: Rule) -> float:
        """The least excess of a rule for minutes."""
        cold = self._set.cold_ratio if self.minutes <= _WARM else 1.0
        return math.log(max(rule.ratio, cold))

    def _hits(self, rule: Rule, ratio: float, scale: float, seen: _Seen) -> dict[int, Facts]:
        """Return the OSDs beyond this ratio (ln) and the rule's z, with their figures."""
        z, hits = sharper_z(rule.z, self.tests), {}
        strict = math.log(self._set.excluded_ratio)
        for place in seen.places:
            width = math.hypot(scale, 1 / math.sqrt(max(seen.ops[place], 1.0)))
            least = max(ratio, z * width)
            if place in seen.strict:
                least = max(least, strict, self._set.excluded_z * width)
            if seen.shown[place] >= least:
                facts = self._facts(place, seen, width, least)
                hits[self.cohort.members[place].osd] = facts
        return hits

    def _facts(self, place: int, seen: _Seen, scale: float, least: float) -> Facts:
        load = self.load[place] if self.load else 0.0
        group = self.cohort.groups[self.cohort.group_of[place]]
        peers = (self.cohort.size if group.wide else group.end - group.start) - 1
        shown, level = seen.shown[place], seen.level[place]
        usual = level - seen.excess[place] - load
        return Facts(shown, shown / scale, level, usual, peers, least, load)

    def _note(self, now: float, fold: Fold, osds: Collection[int]) -> None:
        """Look for what those that are slow now have in common."""
        places = [self.cohort.place[osd] for osd in osds]
        fold.note(now, self.cohort, places, self._set.common_chance)

    # --- segments ----------------------------------------------------------------------------

    def segment(self, start: float, number: int) -> None:
        """Close a segment of 15 minutes and judge it; ``number`` is that of its last minute."""
        minutes, above = self._minutes, self._above
        sums, ops = self._segment_sums, self._segment_ops
        loads, excluded, rested = self._loads, self._excluded, self._rested
        self.empty_segment()
        self.resting = False  # that was of the segment before, not of this one
        if len(minutes) < _LEAST_MINUTES:
            return
        excess = medians(minutes, _LEAST_MINUTES)
        level = [math.log(own / many) if many else math.nan for own, many in zip(sums, ops)]
        often = {osd for osd, times in excluded.items() if 2 * times > len(minutes)}
        out = frozenset(self.cohort.place[osd] for osd in often)
        view = _Segment(start, number, excess, level, ops, minutes, out)
        if any(loads):
            rows = zip(*(row for row in loads if row))
            view = self._by_load(view, [sum(own) / len(minutes) for own in rows])
        self.hours.append(coarse(view.excess))
        del self.hours[:-_HOURS_MOST]
        self.resting = 2 * rested > len(minutes)
        if not self.resting:
            self._judge_segment(view, above)
        self.bursts.judge(start, number, self.short)
        self._score(excess)

    def _of_groups(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """Return by place the median of the minutes' effects of its group."""
        found: list[float] = []
        for group in self.cohort.groups:
            (effect,) = medians([[row[group.start]] for row in rows], 1)
            found += [effect] * (group.end - group.start)
        return found

    def _by_load(self, view: _Segment, load: Sequence[float]) -> _Segment:
        """Put back what load explained unless the members are clearly more alike without it.

        Latency can follow a load that comes and goes, but not a lasting difference in load. Then
        the slope, learned from the former, would explain a slow OSD with more load than its peers.
        """
        held = view.out | self._held()
        plain = [own + more for own, more in zip(view.excess, load)]
        if spread(_without(view.excess, held)) < _CLEARLY * spread(_without(plain, held)):
            return view
        minutes = [[own + more for own, more in zip(row, load)] for row in view.minutes]
        return view._replace(excess=plain, minutes=minutes)

    def _judge_segment(self, view: _Segment, above: Sequence[Sequence[float]]) -> None:
        """Judge a segment, and the median of some hours; small cohorts against their own past."""
        base = self._bases(view.start) if self.small else [0.0] * self.cohort.size
        shown = [own - usual for own, usual in zip(view.excess, base)]
        if self.small:
            self._learn_bases(view)
        self.segment_scale = self._scale(1, shown, view.out)
        judged = not math.isnan(self.segment_scale)
        # One that was flagged before the cohort became small has no past, and learns none. And if
        # nobody can be found slow, one that was slow in another cohort may be well again.
        known = [own if math.isnan(more) else more for own, more in zip(view.excess, shown)]
        sustained, long = self.by_segment
        hits = self._sustained_hits(view, shown, base) if judged else {}
        sustained.step(view.start, view.number, hits, self._value(known))
        hits = self._hours_hits(view, shown, base) if judged else {}
        long.step(view.start, view.number, hits, self._value(known))
        if judged:
            if view.start > self.born + _FIRST:
                recent = {osd for tally in self.by_segment for osd in tally.recent()}
                self._note(view.start, self.lasting, recent)
            z = sharper_z(self.units.sustained.rule.z, self.tests)
            window = Window(view.start, view.number, self.centre, self.segment_scale, z)
            self.units.segment(window, list(map(add, view.excess, self._of_groups(above))))

    def _sustained_hits(
        self, view: _Segment, shown: Sequence[float], base: Sequence[float]
    ) -> dict[int, Facts]:
        """Return the OSDs that are far enough out in a segment, and in most of its minutes."""
        rule = self.by_segment[0].rule
        least, bound = self._sustained_ratio(), math.log(rule.ratio)
        places = [
            place
            for place, own in enumerate(shown)
            if own >= least and view.excess[place] >= bound and self._lasts(view, place, base)
        ]
        seen = _Seen(shown, view.excess, view.level, view.ops, places, view.out)
        return self._hits(rule, least, self.segment_scale, seen)

    def _sustained_ratio(self) -> float:
        ratio = self._set.small_ratio if self.small else self.by_segment[0].rule.ratio
        return math.log(ratio)

    def _lasts(self, view: _Segment, place: int, base: Sequence[float]) -> bool:
        bound = base[place] + math.log(self.by_segment[0].rule.calm)
        own = [minute[place] for minute in view.minutes if not math.isnan(minute[place])]
        return sum(value >= bound for value in own) >= _MOST_OF_IT * max(1, len(own))

    def _hours_hits(
        self, view: _Segment, shown: Sequence[float], base: Sequence[float]
    ) -> dict[int, Facts]:
        """Return the OSDs whose median of some hours is high, and that are slow now."""
        if len(self.hours) < _HOURS_LEAST:
            return {}
        excess = lower_medians(self.hours, _HOURS_LEAST)
        hours = [own - more for own, more in zip(excess, base)]
        self.hours_scale = self._scale(2, hours, view.out)
        if math.isnan(self.hours_scale):  # too few have data for so long
            return {}
        rule, sure = self.by_segment[1].rule, len(self.hours) >= _SURE
        least, calm = self._hours_ratio(), math.log(rule.calm)
        places = [
            place
            for place, own in enumerate(hours)
            if own >= least
            and place not in view.out
            and shown[place] >= max(calm, own / 2)
            and (sure or self._lasts(view, place, base))
        ]
        level = [own - now + long for own, now, long in zip(view.level, view.excess, hours)]
        seen = _Seen(hours, hours, level, view.ops, places, frozenset())
        return self._hits(rule, least, self.hours_scale, seen)

    def _hours_ratio(self) -> float:
        """The least excess of the median of hours: no less than so many scales of a segment."""
        ratio = math.log(self.by_segment[1].rule.ratio)
        return max(ratio, self._set.noise_scales * self.segment_scale)

    def _scale(self, which: int, shown: Sequence[float], out: frozenset[int]) -> float:
        """The scale of segments (1) or hours (2); NaN with too few members that have data."""
        past = self.pasts[which]
        if self.small:  # of so few one that is slow would be the scale
            past.learn(spread(shown))
            return max(past.value, self._set.segment_floor)
        scale = spread(_without(shown, out | self._held()))
        if self.cohort.size < _MANY:
            past.learn(scale)
            scale = max(scale, past.value)
        return max(scale, self._set.segment_floor)

    def _bases(self, now: float) -> list[float]:
        """Return by place what is usual for the OSDs of a small cohort; NaN for not known."""
        if not now - self.born >= _OSD_AGE:
            return [math.nan] * self.cohort.size
        known = {osd: past.usual(_OSD_PAST, Past.OF_OSD) for osd, past in self.base.items()}
        usual = (known.get(member.osd) for member in self.cohort.members)
        return [math.nan if one is None else one for one in usual]

    def _learn_bases(self, view: _Segment) -> None:
        sustained = self.by_segment[0]
        for member, own in zip(self.cohort.members, view.excess):
            flagged = any(member.osd in one.flags for one in self.tallies)
            if own - own == 0 and not flagged and not sustained.hits_of(member.osd):
                self.base.setdefault(member.osd, Past()).learn(own, Past.OF_OSD)

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
        if self.resting or math.isnan(self.segment_scale):
            return None
        z = sharper_z(self.by_segment[0].rule.z, self.tests)
        least = max(self._sustained_ratio(), z * self.segment_scale)
        if not math.isnan(self.hours_scale):
            least = min(least, max(self._hours_ratio(), z * self.hours_scale))
        return math.exp(min(least, 20.0))

    def now(self, place: int) -> Optional[float]:
        """Return the excess in the newest minute or segment with data; None for no data."""
        if not math.isnan(self.newest[place]):
            return self.newest[place]
        steps = self.hours[-1][place] if self.hours else NOTHING
        return None if steps == NOTHING else steps * STEP

    # --- what ends, and changes of the roster ------------------------------------------------

    def drop_idle(self, before: int) -> None:
        """Drop the flags of OSDs and units without data since that minute.

        An OSD that was slow then is not well, but cannot be judged. Its bursts are those of a day.
        """
        for tally in self.tallies:
            self.unjudged.update(tally.drop_idle(before))
        for of_units in self.units.tallies:
            of_units.drop_idle(before)

    def after_gap(self) -> None:
        """Drop the open minute and the unfinished acute windows."""
        self.take_minute()
        for tally in self.by_minute:
            tally.forget_unfinished()
        self.units.acute.forget_unfinished()

    def go_on(
        self,
        others: Mapping[str, CohortChannel],
        home: Mapping[int, str],
        explained: Collection[int],
    ) -> None:
        """Go on with what was known before a change of the roster: of the cohort, and by OSD.

        ``home`` names the cohort of each OSD then. OSDs that are ``explained`` by a wider cause
        take no flags along to another cohort. After an upgrade a cohort has another name, and its
        past.
        """
        name, place = self.cohort.name, self.cohort.place
        renamed = {without_release(other): other for other in others}
        same = others.get(name) or others.get(renamed.get(without_release(name), ""))
        if same is not None:
            self._go_on_as(same, home)
        for source, other in others.items():
            kept = [osd for osd in place if home.get(osd) == source]
            for row in _ROWS:
                mine, its = getattr(self, row), getattr(other, row)
                for osd in kept:
                    mine[place[osd]] = its[other.cohort.place[osd]]
            self.unjudged |= other.unjudged.intersection(kept)
            free = set(kept) if source == name else set(kept).difference(explained)
            for tally, its in zip(self.tallies, other.tallies):
                tally.take(free, its)
            self.base.update({osd: past for osd, past in other.base.items() if osd in free})
            self.bursts.take(free, other.bursts)

    def _go_on_as(self, same: CohortChannel, home: Mapping[int, str]) -> None:
        learned = ("pasts", "slope", "short", "lasting", "_last", "_rested")
        for name in (*(name for name, hint in self.KEPT.items() if hint in (int, float)), *learned):
            setattr(self, name, deepcopy(getattr(same, name)))
        self.units.go_on(same.units)
        self.bursts.frames = same.bursts.frames
        stay = [osd for osd in self.cohort.place if home.get(osd) == same.cohort.name]
        self._excluded = Counter({osd: same._excluded[osd] for osd in stay})
        order = [(self.cohort.place[osd], same.cohort.place[osd]) for osd in stay]
        for name in _LISTS:
            setattr(
                self, name, [_moved(row, order, self.cohort.size) for row in getattr(same, name)]
            )

    def check(self) -> None:
        """Raise ValueError if what was restored is not of the cohort."""
        rows = [self.newest, self.last_data, self.risk, self.worst, *self.hours]
        osds = {*self.unjudged, *self.bursts.episodes, *self.base}
        for tally in self.tallies:
            osds.update(tally.masks, tally.flags)
        known = self.bursts.flags.keys() <= self.bursts.episodes.keys()
        if not known or not osds <= self.cohort.place.keys():
            raise ValueError("it has OSDs of another cohort")
        if any(len(row) != self.cohort.size for row in rows):
            raise ValueError("it has a row of another cohort")


def _moved(row: Sequence[float], order: Sequence[tuple[int, int]], size: int) -> Sequence[float]:
    """A row of another cohort in this order of places; an empty one stays so."""
    if not isinstance(row, array):
        return row
    found = array(row.typecode, [NOTHING if row.typecode == "b" else math.nan]) * size
    for at, was in order:
        found[at] = row[was]
    return found


def _without(values: Sequence[float], places: frozenset[int]) -> Sequence[float]:
    if not places:
        return values
    return [own for place, own in enumerate(values) if place not in places]
