"""One cohort in one channel: how far its members differ, and who is out of line."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Optional

from ...model.frame import Mark
from ...model.statistics import MAD_TO_SIGMA, median, median_of_sorted, sharper_z, spread, valid
from .rules import Facts, Fold, Kept, Past, Tally
from .thresholds import Rule, Thresholds, minute_rules, segment_rules, unit_rules
from .topology import Cohort, UnitKey
from .windows import Residuals, RunningScale, Slope, excluded_places, residuals

MINUTE, SEGMENT = 60.0, 900.0
# The MAD of fewer members than this is combined with its past values; of a minute of fewer than
# ``_SOME`` members their change from minute to minute stands for it.
_MANY, _SOME = 24, 12
# Minutes before the first judgement, and of the first hour, which is judged more strictly.
_COLD, _WARM = 3, 60
# The part of a segment's minutes that must be slow too: three scrubs of ten minutes in an hour
# raise the medians of three segments.
_MOST_OF_IT = 0.75
# With fewer segments the median of hours needs that too.
_SURE = 6
# A small cohort's member has a past after 6 h of data in 48 h; a unit after 5 h of data.
_OSD_PAST, _OSD_AGE, _UNIT_PAST = 24, 48 * 3600.0, 20
_LEAST_UNITS = 3
# One scale is clearly smaller than another if it is less than this part of it.
_CLEARLY = 0.95
# So many units as slow as one that was always slow are another generation of hardware, and so is
# it.
_GENERATION = 3
# The standard error of a median of m values is 1.25 sigma / sqrt(m).
_MEDIAN_ERROR = 1.25
# The first hours of a cohort show nothing of what began together.
_FIRST = 4 * 3600.0


class Minute(NamedTuple):
    """A minute by place; ``level`` is ln of the mean seconds, ``load`` ln against the group's."""

    start: float
    number: int
    level: Sequence[float]
    ops: Sequence[float]
    load: Sequence[float]
    marks: Mapping[int, int]


class Seen(NamedTuple):
    """What became of a minute: the excess without load, and what load explained (or empty)."""

    excess: list[float]
    above: list[float]
    load: list[float]
    out: frozenset[int]
    resting: bool


class Segment(NamedTuple):
    """A segment by place: medians of the minutes; ``lasts`` says how many of them were slow."""

    start: float
    number: int
    excess: Sequence[float]
    above: Sequence[float]
    level: Sequence[float]
    ops: Sequence[float]
    load: Sequence[float]  # what load explained, already taken out; empty for nothing
    lasting_load: Sequence[float]  # the part of it that lasts for hours
    minutes: Sequence[Sequence[float]]
    out: frozenset[int]
    resting: bool


class CohortState:
    """The state of one cohort in one channel."""

    KEPT: ClassVar[Kept] = {
        "minutes": int,
        "born": float,
        "minute_scale": float,
        "segment_scale": float,
        "hours_scale": float,
        "pasts": None,
        "slope": None,
        "rules": None,
        "short": None,
        "lasting": None,
        "unit_past": {(str, str): Past},
        "base": {int: Past},
        "generation": {(str, str): Facts},
    }

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.cohort = cohort
        self._set = settings
        self.minutes = 0
        self.born = math.nan
        self.tests = 1
        self.last = math.nan  # start of the newest minute with data
        self.excess: Sequence[float] = ()
        self.load: Sequence[float] = ()
        self.centre = math.nan
        self.minute_scale = self.segment_scale = self.hours_scale = math.nan
        # Of minutes, segments and hours, where the members are few.
        self.pasts = {0: RunningScale(60), 1: RunningScale(24), 2: RunningScale(24)}
        self.slope = Slope(settings.slope_max)
        self.by_minute = [Tally[int](rule, MINUTE) for rule in minute_rules(settings)]
        self.by_segment = [Tally[int](rule, SEGMENT) for rule in segment_rules(settings)]
        acute, sustained = unit_rules(settings)
        self.unit_acute = Tally[UnitKey](acute, MINUTE, (str, str))
        self.unit_sustained = Tally[UnitKey](sustained, SEGMENT, (str, str))
        self.rules: Mapping[str, Tally[Any]] = {
            **{tally.rule.name: tally for tally in self.tallies},
            "unit acute": self.unit_acute,
            "unit sustained": self.unit_sustained,
        }
        self.unit_past: dict[UnitKey, Past] = {}
        # Units of another generation of hardware, with their figures.
        self.generation: dict[UnitKey, Facts] = {}
        self.base: dict[int, Past] = {}  # small cohorts: by OSD
        # Short causes (minutes, bursts) and lasting ones (segments) are known apart.
        self.short, self.lasting = Fold(), Fold()
        self.resting = False  # too much of it was excluded from the newest segment

    @property
    def small(self) -> bool:
        return self.cohort.size <= self._set.small_members

    @property
    def tallies(self) -> Sequence[Tally[int]]:
        """Those of OSDs."""
        return [*self.by_minute, *self.by_segment]

    def flagged_places(self) -> frozenset[int]:
        place = self.cohort.place
        return frozenset(place[osd] for one in self.tallies for osd in one.flags if osd in place)

    def _held(self) -> frozenset[int]:
        """Flagged OSDs are no reference, but in small cohorts and where they are the most."""
        if self.small:
            return frozenset()
        held = self.flagged_places()
        return held if 2 * len(held) <= self.cohort.size else frozenset()

    def _value(self, excess: Sequence[float]) -> Any:
        place = self.cohort.place
        return lambda osd: excess[place[osd]] if osd in place else math.nan

    # --- minutes -----------------------------------------------------------------------------

    def minute(self, view: Minute, tests: int) -> Seen:
        """Compute the excess of a minute and judge it; ``tests`` is the number of channels."""
        self.tests = tests
        marked, resting = excluded_places(view.marks, self.cohort.size, self._set.suspend_share)
        held = self._held()
        out = held if resting else marked | held
        found = residuals(self.cohort, view.level, out)
        if math.isnan(found.centre):
            return Seen(found.excess, found.above, [], marked, resting)
        self.centre = found.centre
        load = self.slope.explained(found.excess, view.load)
        excess = found.excess
        if load:
            excess = [own - more for own, more in zip(excess, load)]
        if self.minutes == 0:
            self.born = view.start
        mine = excess if resting else _without(excess, marked | held)
        self._learn_minute(view.start, excess, mine)
        self.slope.learn(excess, view.load, 3 * self.minute_scale)
        self.minutes += 1
        self.last, self.excess, self.load = view.start, excess, load
        if self.minutes >= _COLD and not math.isnan(self.minute_scale):
            strict = frozenset(view.marks) if resting else marked
            self._judge_minute(view, found._replace(excess=excess), strict)
        return Seen(excess, found.above, load, marked, resting)

    def _learn_minute(self, start: float, excess: Sequence[float], mine: Sequence[float]) -> None:
        size = self.cohort.size
        scale = spread(mine) if size >= _SOME else math.nan
        if size < _MANY:
            change = self._change(start, excess) if size < _SOME else scale
            self.pasts[0].learn(change)
            past = self.pasts[0].value
            scale = past if math.isnan(scale) else max(scale, past)
        if not math.isnan(scale):
            self.minute_scale = max(scale, self._set.minute_floor)

    def _change(self, start: float, excess: Sequence[float]) -> float:
        """Return the scale of a few members: how much each changes from minute to minute.

        The lasting differences between three members do not show how exact they are.
        """
        if not 0 < start - self.last < 1.5 * MINUTE or len(self.excess) != len(excess):
            return math.nan
        steps = valid([abs(now - then) for now, then in zip(excess, self.excess)])
        return MAD_TO_SIGMA * median_of_sorted(steps) / math.sqrt(2) if steps else math.nan

    def _judge_minute(self, view: Minute, found: Residuals, strict: frozenset[int]) -> None:
        excess = found.excess
        rules = [(tally, *self._bounds(tally.rule)) for tally in self.by_minute]
        least = min(max(bound, z * self.minute_scale) for _, bound, z in rules)
        hits: list[dict[int, Facts]] = [{} for _ in rules]
        # A restarted OSD has cold caches: its minutes count neither as slow nor as fast.
        starting = [at for at, mark in view.marks.items() if mark & Mark.RESTARTED]
        if starting:
            excess = list(excess)
            for place in starting:
                excess[place] = math.nan
        for place, own in enumerate(excess):
            if own >= least:
                ops = view.ops[place]
                shown = own * ops / (ops + self._set.min_ops)
                scale = math.hypot(self.minute_scale, 1 / math.sqrt(ops))
                for (_, bound, z), mine in zip(rules, hits):
                    needed = max(z, self._set.excluded_z) if place in strict else z
                    if shown >= bound and shown >= needed * scale:
                        found_here = (shown, scale, max(bound, needed * scale))
                        mine[self.cohort.members[place].osd] = self._facts(
                            place, found_here, view.level[place], own
                        )
        for (tally, _, _), mine in zip(rules, hits):
            tally.step(view.start, view.number, mine, self._value(excess))
        self._note(view.start, self.by_minute, self.short)
        self._unit_minute(view, found._replace(excess=list(excess)))

    def _bounds(self, rule: Rule) -> tuple[float, float]:
        """The least excess and z of a rule for minutes."""
        ratio = max(rule.ratio, self._set.cold_ratio) if self.minutes <= _WARM else rule.ratio
        return math.log(ratio), sharper_z(rule.z, self.tests)

    def _facts(
        self, place: int, judged: tuple[float, float, float], level: float, excess: float
    ) -> Facts:
        """The figures of an OSD: what was ``judged`` (excess, scale, least), and its latency."""
        own, scale, least = judged
        load = self.load[place] if self.load else 0.0
        group = self.cohort.groups[self.cohort.group_of[place]]
        peers = (self.cohort.size if group.wide else group.end - group.start) - 1
        return Facts(own, own / scale, level, level - excess - load, peers, least, load)

    # --- segments ----------------------------------------------------------------------------

    def segment(self, view: Segment, hours: Sequence[float], segments: int) -> None:
        """Judge a segment, and the median of some hours.

        ``hours`` are by place the lower medians of so many newest segments, empty for too few.
        """
        self.resting = view.resting
        if view.resting:
            return
        shown, base = view.excess, None
        if self.small:
            base = self._bases(view.start)
            shown = [own - usual for own, usual in zip(view.excess, base)]
            self._learn_bases(view)
        self.segment_scale = self._scale(1, shown, view.out)
        if math.isnan(self.segment_scale):
            # Nobody can be found slow, but one that was slow in another cohort may be well again.
            for tally in self.by_segment:
                tally.step(view.start, view.number, {}, self._value(view.excess))
            return
        sustained, long = self.by_segment
        hits = {}
        bound = math.log(self._set.small_ratio if self.small else sustained.rule.ratio)
        for place, own in enumerate(shown):
            if own >= bound and (not base or view.excess[place] >= math.log(sustained.rule.ratio)):
                facts = self._sustained(view, place, own, base[place] if base else 0.0)
                if facts is not None:
                    hits[self.cohort.members[place].osd] = facts
        value = view.excess
        if base:  # one that was flagged before the cohort became small has no past, and learns none
            value = [own if math.isnan(more) else more for own, more in zip(value, shown)]
        sustained.step(view.start, view.number, hits, self._value(value))
        if base:
            hours = [own - usual for own, usual in zip(hours, base)]
        lasting = self._hours_hits(view, hours, segments, base)
        long.step(view.start, view.number, lasting, self._value(value))
        self._note(view.start, self.by_segment, self.lasting)
        self._unit_segment(view)

    def _sustained(self, view: Segment, place: int, own: float, base: float) -> Optional[Facts]:
        """Its figures if it is far enough out in this segment, and in most of its minutes."""
        rule = self.by_segment[0].rule
        bound, z = math.log(rule.ratio), sharper_z(rule.z, self.tests)
        if self.small:
            bound = math.log(self._set.small_ratio)
        if place in view.out:
            bound, z = max(bound, math.log(self._set.excluded_ratio)), self._set.excluded_z
        scale = math.hypot(self.segment_scale, 1 / math.sqrt(max(view.ops[place], 1.0)))
        least = max(bound, z * scale)
        if own < least or not self._lasts(view, place, base):
            return None
        return self._facts(place, (own, scale, least), view.level[place], view.excess[place])

    def _lasts(self, view: Segment, place: int, base: float = 0.0) -> bool:
        bound = base + math.log(self.by_segment[0].rule.calm)
        own = [minute[place] for minute in view.minutes if not math.isnan(minute[place])]
        return sum(value >= bound for value in own) >= _MOST_OF_IT * max(1, len(own))

    def _hours_hits(
        self,
        view: Segment,
        hours: Sequence[float],
        segments: int,
        base: Optional[Sequence[float]],
    ) -> dict[int, Facts]:
        """Return the OSDs whose median of some hours is high, and that are slow now."""
        if not hours:
            return {}
        self.hours_scale = self._scale(2, hours, view.out)
        if math.isnan(self.hours_scale):  # too few have data for so long
            return {}
        hits = {}
        least = self._hours_least()
        calm = math.log(self.by_segment[0].rule.calm)
        for place, own in enumerate(hours):
            if own >= least and place not in view.out:
                usual = base[place] if base else 0.0
                now = view.excess[place] - usual >= max(calm, own / 2)
                if now and (segments >= _SURE or self._lasts(view, place, usual)):
                    osd = self.cohort.members[place].osd
                    level = view.level[place] - view.excess[place] + own
                    hits[osd] = self._facts(place, (own, self.hours_scale, least), level, own)
        return hits

    def _hours_least(self) -> float:
        rule = self.by_segment[1].rule
        return max(
            math.log(rule.ratio),
            sharper_z(rule.z, self.tests) * self.hours_scale,
            self._set.noise_scales * self.segment_scale,
        )

    def more_alike(self, view: Segment) -> Segment:
        """Take load out only as far as that makes the members more alike.

        Latency can follow a load that comes and goes, but not a lasting difference in load. Then
        the slope, learned from the former, would explain a slow OSD with more load than its peers.
        """
        if not view.load:
            return view
        held = view.out | self._held()
        plain, brief = (
            [own + more for own, more in zip(view.excess, part)]
            for part in (view.load, view.lasting_load)
        )
        without, with_load, with_lasting = (
            spread(_without(excess, held)) for excess in (view.excess, plain, brief)
        )
        # Only a clear difference shows that latency does not follow the lasting load.
        if with_lasting < min(with_load, _CLEARLY * without):
            excess, part = brief, view.lasting_load
        elif with_load < without:
            excess, part = plain, view.load
        else:
            return view
        minutes = [[own + more for own, more in zip(row, part)] for row in view.minutes]
        return view._replace(excess=excess, minutes=minutes)

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

    def _learn_bases(self, view: Segment) -> None:
        sustained = self.by_segment[0]
        for member, own in zip(self.cohort.members, view.excess):
            osd = member.osd
            flagged = any(osd in one.flags for one in self.tallies)
            if own - own == 0 and not flagged and not sustained.hits_of(osd):
                self.base.setdefault(osd, Past()).learn(own, Past.OF_OSD)

    def _note(self, now: float, tallies: Sequence[Tally[int]], fold: Fold) -> None:
        """Look for what those that are slow now have in common."""
        osds = {osd for tally in tallies for osd in tally.recent()}
        if fold is self.short:
            osds -= self.by_segment[0].flags.keys()
        elif not now > self.born + _FIRST:
            return
        place = self.cohort.place
        places = [place[osd] for osd in osds if osd in place]
        fold.note(now, self.cohort, places, self._set.common_chance)

    def detectable(self) -> Optional[float]:
        """Return the smallest constant slowdown that is found, as a ratio; None if unknown."""
        if self.resting or math.isnan(self.segment_scale):
            return None
        rule = self.by_segment[0].rule
        ratio = math.log(self._set.small_ratio if self.small else rule.ratio)
        least = max(ratio, sharper_z(rule.z, self.tests) * self.segment_scale)
        if not math.isnan(self.hours_scale):
            least = min(least, self._hours_least())
        return math.exp(min(least, 20.0))

    # --- units -------------------------------------------------------------------------------

    def _effects(
        self, excess: Sequence[float], above: Sequence[float]
    ) -> dict[UnitKey, tuple[float, int]]:
        """Return by unit the lower median of its members over the cohort, and their number.

        A unit is not slow for half of its members, nor a rack for half of its hosts. Without units
        of which less than half, or less than two, have data.
        """
        total = [own + more for own, more in zip(excess, above)]
        found: dict[UnitKey, tuple[float, int]] = {}
        for unit in self.cohort.unit_places:
            own = valid([total[place] for place in unit.places])
            if len(own) >= 2 and 2 * len(own) >= len(unit.places):
                found[unit.key] = (own[(len(own) - 1) // 2], len(own))
        for unit in self.cohort.unit_places:
            if unit.hosts and unit.key in found:
                levels = sorted(found[host][0] for host in unit.hosts if host in found)
                if len(levels) > 1:
                    found[unit.key] = (levels[(len(levels) - 1) // 2], found[unit.key][1])
        return found

    def _unit_minute(self, view: Minute, found: Residuals) -> None:
        """Units that are slower than all others and than their own past, by minutes."""
        effects = self._effects(found.excess, found.above)
        bound, z = self._bounds(self.unit_acute.rule)
        hits: dict[UnitKey, Facts] = {}
        values: dict[UnitKey, float] = {}
        for levels in _levels(effects):
            values.update(levels)
            if max(levels.values()) >= bound:
                own = {key: min(one, self._risen(key, effects, one)) for key, one in levels.items()}
                self._unit_hits(own, effects, (bound, z, self.minute_scale), hits)
        if hits:
            for key in self._generations(effects):
                hits.pop(key, None)
        self.unit_acute.step(view.start, view.number, hits, lambda key: values.get(key, math.nan))

    def _unit_segment(self, view: Segment) -> None:
        """Units that are slower than their own past, or by far slower than all others."""
        effects = self._effects(view.excess, view.above)
        z = sharper_z(self.unit_sustained.rule.z, self.tests)
        hits: dict[UnitKey, Facts] = {}
        values: dict[UnitKey, float] = {}
        noise = self._set.noise_scales * self.segment_scale
        cross = (max(math.log(self._set.unit_cross_ratio), noise), z, self.segment_scale)
        for levels in _levels(effects):
            values.update(levels)
            self._unit_hits(levels, effects, cross, hits)
        older = self._generations(effects)
        self.generation = {key: hits.pop(key) for key in older if key in hits}
        rise = (max(math.log(self.unit_sustained.rule.ratio), noise), z, self.segment_scale)
        for levels in _levels(effects):
            rises = self._rises(levels, effects)
            if len(rises) >= _LEAST_UNITS:
                values.update(rises)
                self._unit_hits(rises, effects, rise, hits)
        tally = self.unit_sustained
        tally.step(view.start, view.number, hits, lambda key: values.get(key, math.nan))
        for key, (own, _) in effects.items():
            if key not in tally.flags and not tally.hits_of(key):
                self.unit_past.setdefault(key, Past()).learn(own, Past.OF_UNIT)

    def _generations(self, effects: Mapping[UnitKey, tuple[float, int]]) -> set[UnitKey]:
        """Hosts that were always slow, three or more alike: another generation of hardware.

        A rack is of it too if at least half of its hosts are.
        """
        near, cross = math.log(self._set.unit_ratio), math.log(self._set.unit_cross_ratio)
        found = set()
        for levels in _levels(effects):
            for key, level in levels.items():
                # Above a generation a unit is judged as above all others.
                least = min(level - near, max(level - cross, cross))
                alike = sum(other >= least for other in levels.values())
                if (
                    level >= cross
                    and alike >= _GENERATION
                    and self._risen(key, effects, 0.0) < near
                ):
                    found.add(key)
        for unit in self.cohort.unit_places:
            most = unit.hosts and 2 * len(found.intersection(unit.hosts)) >= len(unit.hosts)
            if most and self._risen(unit.key, effects, 0.0) < near:
                found.add(unit.key)
        return found

    def _risen(
        self, key: UnitKey, effects: Mapping[UnitKey, tuple[float, int]], unknown: float
    ) -> float:
        """How much slower the unit is than its past, as far as that is known."""
        past = self.unit_past[key].usual(1, Past.OF_UNIT) if key in self.unit_past else None
        return unknown if past is None or key not in effects else effects[key][0] - past

    def _rises(
        self, units: Collection[UnitKey], effects: Mapping[UnitKey, tuple[float, int]]
    ) -> dict[UnitKey, float]:
        """How much slower the units are than their own past; what all are by is no unit's.

        A rack is as much slower as its hosts, by their lower median: one that has no data for a
        while would move its own from one generation of hosts to the other.
        """
        own = {}
        for key, past in self.unit_past.items():
            usual = past.usual(_UNIT_PAST, Past.OF_UNIT)
            if usual is not None and key in effects:
                own[key] = effects[key][0] - usual
        rises = {key: own[key] for key in units if key in own}
        for unit in self.cohort.unit_places:
            more = sorted(own[host] for host in unit.hosts if host in own)
            if unit.key in rises and len(more) > 1:
                rises[unit.key] = more[(len(more) - 1) // 2]
        shift = median(list(rises.values())) if rises else 0.0
        return {key: own - shift for key, own in rises.items()}

    def _unit_hits(
        self,
        values: Mapping[UnitKey, float],
        effects: Mapping[UnitKey, tuple[float, int]],
        limits: tuple[float, float, float],
        hits: dict[UnitKey, Facts],
    ) -> None:
        """Add the units beyond the limits: the least excess and z, and the members' scale."""
        bound, z, members_scale = limits
        width = max(spread(list(values.values())), self._set.segment_floor)
        for key, more in values.items():
            if more >= bound:
                own, members = effects[key]
                scale = max(width, _MEDIAN_ERROR * members_scale / math.sqrt(members))
                least = max(bound, z * scale)
                if more >= least:
                    level = self.centre + own
                    others = len(values) - 1
                    hits[key] = Facts(more, more / scale, level, level - more, others, least)

    # --- members -------------------------------------------------------------------------------

    def go_on(self, other: CohortState) -> None:
        """Take over what another state knows of the cohort as a whole."""
        for name in ("minutes", "born", "minute_scale", "segment_scale", "hours_scale", "slope"):
            setattr(self, name, getattr(other, name))
        self.pasts = other.pasts
        self.short, self.lasting = other.short, other.lasting
        keys = {unit.key for unit in self.cohort.unit_places}
        for mine, its in (
            (self.unit_acute, other.unit_acute),
            (self.unit_sustained, other.unit_sustained),
        ):
            for key in keys:
                mine.take(key, its)
        self.unit_past.update({key: past for key, past in other.unit_past.items() if key in keys})

    def take(self, osd: int, other: CohortState) -> None:
        """Go on with what another state knows of an OSD."""
        for mine, its in zip(self.tallies, other.tallies):
            mine.take(osd, its)
        if osd in other.base:
            self.base[osd] = other.base[osd]


def _levels(effects: Mapping[UnitKey, tuple[float, int]]) -> list[dict[UnitKey, float]]:
    """Return the units of each kind with enough of them, over their median."""
    kinds: dict[str, dict[UnitKey, float]] = defaultdict(dict)
    for key, (own, _) in effects.items():
        kinds[key[0]][key] = own
    found = []
    for units in kinds.values():
        if len(units) >= _LEAST_UNITS:
            usual = median(list(units.values()))
            found.append({key: own - usual for key, own in units.items()})
    return found


def _without(values: Sequence[float], places: frozenset[int]) -> Sequence[float]:
    if not places:
        return values
    return [own for place, own in enumerate(values) if place not in places]
