"""One cohort in one channel: learns how far its members differ, and flags outliers."""

from __future__ import annotations

import math
from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable, Optional

from ....model.frame import Mark
from ....model.statistics import MAD_TO_SIGMA, median, sharper_z, spread, valid
from .common_cause import NONE, Common, Folded, common_cause
from .fault_domains import FaultDomains, RollingBaseline
from .packing import NOTHING, STEP, coarse, pack, unpack
from .persistence import Facts, Flag, MOfNRule
from .thresholds import Thresholds
from .topology import Cohort
from .windows import Minute, Residuals, RunningScale, Segment, Slope, excluded_places, residuals

# The MAD of fewer members than this is so inexact that it is combined with its past values.
_MANY = 24
# With fewer members than this the MAD of one minute is not used.
_SOME = 6
# The scale is clearly smaller if it is less than this part of the other.
_CLEARLY = 0.95


class CohortChannel:
    """The rules and verdicts for a cohort's OSDs in one channel, by OSD ID."""

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.cohort = cohort
        self._set = settings
        self.minutes = 0
        self.born = math.nan
        self.tests = 1
        self.last = math.nan  # start of the newest minute with data
        self.centre = math.nan
        self.excess: list[float] = []
        self.load: list[float] = []
        self.minute_scale = math.nan
        self.segment_scale = math.nan
        self._minute_past = RunningScale(60)
        self._segment_past = RunningScale(24)
        self.slope = Slope(settings.slope_half_life_hours, settings.slope_max)
        self.acute: MOfNRule[int] = MOfNRule(
            settings.acute_need,
            settings.acute_window,
            settings.acute_clear,
            (settings.acute_weak_need, settings.acute_weak_window),
            settings.acute_mean_minutes,
        )
        self.sustained: MOfNRule[int] = MOfNRule(
            settings.sustained_need, settings.sustained_window, settings.sustained_clear
        )
        self.acute_folded = Folded(settings.common_hold_minutes, settings.common_young_minutes)
        self.sustained_folded = Folded(
            settings.common_hold_segments, settings.common_young_segments
        )
        self.units = FaultDomains(settings)
        self._level_past = RollingBaseline()
        self.slower_than_ever = False
        self.resting = False  # too much of it was excluded from the newest segment to judge that
        self.base: dict[int, float] = {}  # small cohorts: by OSD its usual excess
        self.watched: dict[int, float] = {}  # by OSD the excess of its last 24 h
        self._rows: list[array[int]] = []  # the excess in the newest segments, coarse, by place
        self._load_rows: list[array[int]] = []  # the same for what load explained
        self._long: tuple[Sequence[float], float] = ((), math.nan)  # as ``_long_view`` returned it

    @property
    def small(self) -> bool:
        return self.cohort.size <= self._set.small_members

    @property
    def cold(self) -> bool:
        return self.minutes <= self._set.warm_minutes

    def flagged(self) -> set[int]:
        return {*self.acute.flags, *self.sustained.flags}

    def drop_flag(self, osd: int) -> None:
        for rule, folded in self._rules():
            rule.drop(osd)
            folded.seen.pop(osd, None)

    def take_flags(self, osd: int, other: CohortChannel) -> None:
        """Go on with what another cohort knew of an OSD, unless it had a cause in common there."""
        for (mine, _), (rule, folded) in zip(self._rules(), other._rules()):
            if osd not in folded.seen:
                mine.take(osd, rule)

    def _rules(self) -> Sequence[tuple[MOfNRule[int], Folded]]:
        return (self.acute, self.acute_folded), (self.sustained, self.sustained_folded)

    def flagged_places(self) -> frozenset[int]:
        if not self.acute.flags and not self.sustained.flags:
            return frozenset()
        place = self.cohort.place
        return frozenset(place[osd] for osd in self.flagged() if osd in place)

    def minute(self, view: Minute, tests: int, known: Iterable[str] = ()) -> Residuals:
        """Compute the residuals of a minute and judge the acute path; returns the residuals.

        At the positions ``known`` bursts have a cause in common.
        """
        self.tests = tests
        out, resting = excluded_places(view.marks, self.cohort.size, self._set.suspend_share)
        excluded = frozenset(view.marks) if resting else out
        found = residuals(self.cohort, view.level, (frozenset() if resting else out) | self._held())
        found.out, found.resting = excluded, resting
        if not found.references:
            return found
        plain = found.excess
        found.excess = self.slope.without_load(plain, view.load)
        self.load = [before - after for before, after in zip(plain, found.excess)]
        self._learn_minute(view, found, out)
        if self.minutes > self._set.cold_minutes - self._set.acute_need:
            self._judge_minute(view, found, excluded, known)
        return found

    def _held(self) -> frozenset[int]:
        """Return the positions of flagged OSDs, which are no reference for their peers.

        Empty if they are more than half of the cohort, and in a small cohort, where the reference
        would shift without them.
        """
        if self.small:
            return frozenset()
        held = self.flagged_places()
        return held if 2 * len(held) <= self.cohort.size else frozenset()

    def _learn_minute(self, view: Minute, found: Residuals, out: frozenset[int]) -> None:
        mine = self._of_references(found.excess, out)
        if found.resting and math.isnan(self.minute_scale):
            # The watch began while nearly all recover: else none had a verdict until that ends.
            mine = found.excess
        if self.minutes == 0:
            self.born = view.start
        size = self.cohort.size
        scale = spread(mine) if size >= _SOME else math.nan
        if size < _MANY:
            self._minute_past.learn(self._change(view.start, found.excess) if size < 12 else scale)
            past = self._minute_past.value
            scale = past if math.isnan(scale) else max(scale, past)
        if not math.isnan(scale):
            self.minute_scale = max(scale, self._set.minute_floor)
            self.slope.learn(found.excess, view.load, 3 * self.minute_scale)
        self.minutes += 1
        self.last = view.start
        self.excess = found.excess
        self.centre = found.centre

    def _of_references(self, excess: Sequence[float], out: frozenset[int]) -> Sequence[float]:
        out = out | self._held()
        if not out:
            return excess
        return [own for place, own in enumerate(excess) if place not in out]

    def _change(self, start: float, excess: Sequence[float]) -> float:
        """Return the scale of a few members: how much each changes from minute to minute.

        The lasting differences between three members do not show how exact they are.
        """
        if not 0 < start - self.last < 90 or len(self.excess) != len(excess):
            return math.nan
        steps = valid([abs(now - then) for now, then in zip(excess, self.excess)])
        return MAD_TO_SIGMA * median(steps) / math.sqrt(2) if steps else math.nan

    def _judge_minute(
        self, view: Minute, found: Residuals, excluded: frozenset[int], known: Iterable[str]
    ) -> None:
        ratio, z = self._set.acute_ratio, self._set.acute_z
        if self.cold:
            ratio, z = 1 + self._set.cold_factor * (ratio - 1), self._set.cold_z
        z = sharper_z(z, self.tests)
        hits, strong, high = {}, set(), set()
        least_mean = math.log(self._set.acute_mean_ratio)
        extreme, extreme_z = math.log(self._set.acute_extreme_ratio), self._set.acute_extreme_z
        least = min(
            max(math.log(ratio), z * self.minute_scale),
            max(extreme, extreme_z * self.minute_scale),
        )
        # A restarted OSD has cold caches: its minutes count neither as slow nor as fast.
        starting = [place for place, mark in view.marks.items() if mark & Mark.RESTARTED]
        if starting:
            found = replace(found, excess=_without(found.excess, starting))
        for place, own in enumerate(found.excess):
            if own >= least:
                facts = self._acute_facts(view, found, place)
                strict = self._set.excluded_z if place in excluded else 0.0
                sure = facts.excess >= math.log(ratio) and facts.z >= max(z, strict)
                if sure or (facts.excess >= extreme and facts.z >= max(extreme_z, strict)):
                    osd = self.cohort.members[place].osd
                    hits[osd] = facts
                    if sure and facts.excess >= math.log(self._set.acute_strong_ratio):
                        strong.add(osd)
                    if sure and self.acute.mean(osd, facts.excess) >= least_mean:
                        high.add(osd)
        calm = math.log(self._set.acute_calm_ratio)
        self.acute.step(view.start, hits, self._value(found.excess), calm, strong, high)
        self._fold_minute(view.start, found.excess, known)
        self.units.minute(self, view.start, found, math.log(ratio), z)

    def _fold_minute(self, start: float, excess: Sequence[float], known: Iterable[str]) -> None:
        """Fold the acute flags of OSDs whose slowness has a cause in common."""
        flags, folded, lasting = self.acute.flags, self.acute_folded, self.sustained_folded
        if not flags and not folded.seen:
            return
        common = self._together(start, flags, folded, excess, self.minute_scale)
        # Short bursts at times of their own: who had one in the last minutes.
        place = self.cohort.place
        recent = [place[osd] for osd in self.acute.recent if osd in place]
        brief = common_cause(self.cohort, recent, self._set)
        old = {
            place[osd]
            for osd, flag in flags.items()
            if osd in place and flag.hits > self._set.common_brief_minutes
        }
        brief = replace(brief, places=brief.places - old)
        in_turn = folded.in_turn(start, flags, self.cohort, self._set)
        # What an OSD is slower for a short time than the lasting slowness that is explained.
        more = math.log(self._set.sustained_ratio)
        explained = frozenset(
            place[osd]
            for osd in lasting.seen
            if osd in flags
            and osd in place
            and flags[osd].facts.excess < self.sustained.flags[osd].facts.excess + more
        )
        known = {*known, *folded.known(start, self._set), *lasting.known(start, self._set)}
        for other in (brief, in_turn, replace(lasting.common, places=explained)):
            common = common.with_(other)
        folded.update(start, flags, self.cohort, common, known=known)

    def _fold_segment(
        self,
        start: float,
        views: Sequence[tuple[Sequence[float], float]],
        begun: Callable[[int, float], bool],
    ) -> None:
        """Fold the sustained flags of OSDs whose slowness has a cause in common.

        ``views`` are the excess of all and its scale, in this segment and over some hours.
        ``begun`` returns whether a place with this excess was faster before.
        """
        flags, folded = self.sustained.flags, self.sustained_folded
        if not flags and not folded.seen:
            return
        common = NONE
        for excess, scale in views:
            common = common.with_(self._together(start, flags, folded, excess, scale, begun))
        now = views[0][0]
        in_turn = folded.in_turn(
            start, flags, self.cohort, self._set, lambda place: begun(place, now[place])
        )
        # Some are slow together now at one position, others one after the other at another.
        known = folded.known(start, self._set)
        folded.update(start, flags, self.cohort, common.with_(in_turn), known=known)

    def _together(
        self,
        start: float,
        flags: Mapping[int, Flag],
        folded: Folded,
        excess: Sequence[float],
        scale: float,
        begun: Optional[Callable[[int, float], bool]] = None,
    ) -> Common:
        """Return what those that are slow now have in common, with OSDs of ``flags`` among them."""
        place = self.cohort.place
        now = [excess[place[osd]] for osd in flags if osd in place]
        least = max(self._set.common_z * scale, math.log(self._set.watch_ratio))
        high = [own for own in now if own >= least]
        # Members of a cause differ: once with all that are half as slow, once without noise.
        for part, times in ((0.5, 1.0), (0.75, 1.4)):
            bound = max(times * least, part * min(high, default=math.inf))
            slow = [at for at, own in enumerate(excess) if own >= bound]
            if len(slow) >= self._set.common_hosts:
                known = folded.known(start, self._set)
                # What a job did on the days before is no sign that an OSD was always slow.
                slow = [
                    at
                    for at in slow
                    if begun is None
                    or self.cohort.position_of[at] in known
                    or begun(at, excess[at])
                ]
                common = common_cause(self.cohort, slow, self._set, known)
                if common.places:
                    return common
        return NONE

    def _acute_facts(self, view: Minute, found: Residuals, place: int) -> Facts:
        ops = view.ops[place]
        excess = found.excess[place] * ops / (ops + self._set.min_ops)
        scale = math.hypot(self.minute_scale, self._set.op_cv / math.sqrt(ops))
        load = self.load[place]
        peers = view.level[place] - found.excess[place] - load
        return Facts(excess, excess / scale, view.level[place], peers, self._peers(place), load)

    def _peers(self, place: int) -> int:
        """Return the number of OSDs that it is compared with."""
        group = self.cohort.groups[self.cohort.group_of[place]]
        return (self.cohort.size if group.wide else group.end - group.start) - 1

    def _value(self, excess: Sequence[float]) -> Any:
        place = self.cohort.place

        def value(osd: int) -> Optional[float]:
            own = excess[place[osd]] if osd in place else math.nan
            return None if math.isnan(own) else own

        return value

    def segment(self, view: Segment, past: Callable[[int], Optional[float]]) -> None:
        """Judge 15 minutes: the sustained path, or the path of small cohorts.

        ``past`` returns an OSD's usual excess (ln) before this segment; None if it is not known.
        """
        self.resting = view.resting
        if view.resting or math.isnan(view.centre):
            return
        view = self._more_alike(view)
        self._learn_segment(view)
        self._learn_level(view.centre)
        calm = math.log(self._set.sustained_calm_ratio)
        if math.isnan(self.segment_scale):
            # Nobody can be found slow, but one that was slow in another cohort may be well again.
            self.sustained.step(view.start, {}, self._value(view.excess), calm)
            return
        self.units.segment(self, view)
        lasting: dict[int, Facts] = {}
        views: list[tuple[Sequence[float], float]] = [(view.excess, self.segment_scale)]
        if self.small:
            hits = self._small_hits(view)
        else:
            lasting = self._long_hits(view)
            if self._long[0]:
                views.append(self._long)
            hits = {**lasting, **self._sustained_hits(view)}
        value = self._value(self._calm_excess(view.excess) if self.small else view.excess)
        self.sustained.step(view.start, hits, value, calm, sure=lasting)

        def begun(place: int, own: float) -> bool:
            # What was always slow has no begin in common with others.
            usual = past(self.cohort.members[place].osd)
            return usual is not None and usual < own / 2

        self._fold_segment(view.start, views, begun)

    def _learn_segment(self, view: Segment) -> None:
        if self.small:
            ready = [own for own in self._above_base(view.excess) if not math.isnan(own)]
            scale = spread(ready) if self.base else math.nan
            self._segment_past.learn(scale)
            scale = self._segment_past.value
        else:
            scale = spread(self._of_references(view.excess, view.excluded))
            if self.cohort.size < _MANY:
                self._segment_past.learn(scale)
                scale = max(scale, self._segment_past.value)
        self.segment_scale = max(scale, self._set.segment_floor)

    def _learn_level(self, centre: float) -> None:
        """Compare the cohort with its own past: the cause is no member if all of it is slow."""
        usual = self._level_past.usual
        self.slower_than_ever = False
        if usual is not None:
            scale = spread([own - usual for own in self._level_past.slots])
            scale = max(self._set.segment_floor, 0.0 if math.isnan(scale) else scale)
            more = centre - usual
            least = math.log(self._set.unit_cross_ratio)
            self.slower_than_ever = more >= least and more >= self._set.unit_z * scale
        if not self.slower_than_ever:
            self._level_past.learn(centre)

    def _above_base(self, excess: Sequence[float]) -> list[float]:
        base = self.base
        return [
            own - base.get(member.osd, math.nan) for member, own in zip(self.cohort.members, excess)
        ]

    def _calm_excess(self, excess: Sequence[float]) -> list[float]:
        """Return the excess over the OSD's base; over its peers where it has none.

        One that was flagged before the cohort became small has none, and learns none.
        """
        above = self._above_base(excess)
        return [own if math.isnan(more) else more for own, more in zip(excess, above)]

    def _sustained_hits(self, view: Segment) -> dict[int, Facts]:
        z = sharper_z(self._set.sustained_z, self.tests)
        least = max(math.log(self._set.sustained_ratio), z * self.segment_scale)
        strict_ratio, strict_z = math.log(self._set.excluded_ratio), self._set.excluded_z
        hits = {}
        for place, own in enumerate(view.excess):
            if own < least or math.isnan(own):
                continue
            facts = self._segment_facts(view, place, own)
            if place in view.excluded and (own < strict_ratio or facts.z < strict_z):
                continue
            if facts.z >= z and self._lasts(view, place, 0.0):
                hits[self.cohort.members[place].osd] = facts
        return hits

    def _more_alike(self, view: Segment) -> Segment:
        """Take load out only as far as that makes the members more alike.

        Latency can follow a load that comes and goes, but not a lasting difference in load. Then
        the slope, learned from the former, would add the latter to the scale, and explain a slow
        OSD with more load than its peers.
        """
        if not view.load:
            self._load_rows.clear()
            return view
        plain = view.with_load()
        brief = view.with_load(self._lasting_load(view.load))
        with_load, without, lasting = (
            spread(self._of_references(each.excess, view.excluded)) for each in (plain, view, brief)
        )
        # Only a clear difference shows that latency does not follow the lasting load.
        if lasting < min(with_load, _CLEARLY * without):
            return brief
        return plain if with_load < without else view

    def _lasting_load(self, load: Sequence[float]) -> list[float]:
        """Return by place the median of what load explained in the newest segments, ln."""
        self._load_rows.append(coarse(load))
        del self._load_rows[: -self._set.long_segments]
        lasting = []
        for steps in zip(*self._load_rows):
            known = sorted(step for step in steps if step != NOTHING)
            lasting.append(known[len(known) // 2] * STEP if known else 0.0)
        return lasting

    def _long_view(self, view: Segment) -> tuple[Sequence[float], float]:
        """Return each OSD's median of some hours, and the scale; empty before there are enough."""
        self._rows.append(coarse(view.excess))
        del self._rows[: -self._set.long_segments]
        if len(self._rows) < self._set.long_need:
            return (), math.nan
        usual = []
        for steps in zip(*self._rows):
            known = sorted(steps)
            if known[0] == NOTHING:
                known = [step for step in known if step != NOTHING]
            # The lower of two middle values: three of four segments are as high.
            enough = len(known) >= self._set.long_need
            usual.append(known[(len(known) - 1) // 2] * STEP if enough else math.nan)
        scale = spread(self._of_references(usual, view.excluded))
        return usual, max(scale, self._set.segment_floor)

    def _long_hits(self, view: Segment) -> dict[int, Facts]:
        """Return the OSDs whose median of some hours is high, and that are slow now."""
        usual, scale = self._long = self._long_view(view)
        if math.isnan(scale):  # too few have data for so long: nobody knows how much they differ
            return {}
        z = sharper_z(self._set.long_z, self.tests)
        least = max(math.log(self._set.long_ratio), z * scale)
        calm = math.log(self._set.sustained_calm_ratio)
        short = len(self._rows) < self._set.long_sure
        hits = {}
        for place, own in enumerate(usual):
            now = view.excess[place]
            if own >= least and now >= max(calm, own / 2) and place not in view.excluded:
                if short and not self._lasts(view, place, 0.0):
                    continue
                facts = self._segment_facts(view, place, own)
                level = facts.peers + own + facts.load
                osd = self.cohort.members[place].osd
                hits[osd] = replace(facts, excess=own, level=level, z=own / scale)
        return hits

    def _lasts(self, view: Segment, place: int, base: float) -> bool:
        bound = base + math.log(self._set.sustained_calm_ratio)
        return view.share_above(place, bound) >= self._set.sustained_share

    def _small_hits(self, view: Segment) -> dict[int, Facts]:
        z = sharper_z(self._set.small_z, self.tests)
        hits = {}
        for place, own in enumerate(self._above_base(view.excess)):
            if own >= math.log(self._set.small_ratio) and view.excess[place] >= math.log(
                self._set.small_peer_ratio
            ):
                facts = self._segment_facts(view, place, own)
                strict = self._set.excluded_z if place in view.excluded else z
                base = view.excess[place] - own
                if facts.z >= max(z, strict) and self._lasts(view, place, base):
                    hits[self.cohort.members[place].osd] = facts
        return hits

    def _segment_facts(self, view: Segment, place: int, own: float) -> Facts:
        scale = math.hypot(self.segment_scale, self._set.op_cv / math.sqrt(view.ops[place]))
        load = self.load[place] if place < len(self.load) else 0.0
        peers = view.centre + view.effects[self.cohort.group_of[place]]
        excess = view.excess[place]
        level = peers + excess + load
        return Facts(excess, own / scale, level, peers, self._peers(place), load)

    def detectable(self) -> Optional[float]:
        """Return the smallest constant slowdown that is found, as a ratio; None if unknown."""
        if self.resting or math.isnan(self.segment_scale):
            return None
        ratio = self._set.small_ratio if self.small else self._set.sustained_ratio
        z = sharper_z(self._set.sustained_z, self.tests)
        return max(ratio, math.exp(min(z * self.segment_scale, 20.0)))

    def after_gap(self) -> None:
        """Drop unfinished acute windows: minutes before and after a gap do not add up."""
        self.acute.forget_unfinished()
        self.units.after_gap()

    def adopt(self, cohort: Cohort) -> None:
        """Continue with another list of members."""
        for folded in (self.acute_folded, self.sustained_folded):
            folded.adopt(self.cohort, cohort)
        before, self.cohort = self.cohort, cohort
        self.excess, self.load = [], []
        order = [before.place.get(member.osd, -1) for member in cohort.members]
        self._rows, self._load_rows = (
            [array("b", [row[at] if at >= 0 else NOTHING for at in order]) for row in rows]
            for rows in (self._rows, self._load_rows)
        )
        for rule in (self.acute, self.sustained):
            rule.keep_only(lambda osd: osd in cohort.place)
        self.units.adopt(cohort)

    def keep_only(self, osds: Container[int]) -> None:
        """Forget what is usual for OSDs that are gone: their IDs may be used again for others.

        Those that are in another cohort, as while their metadata are away, may come back.
        """
        self.base, self.watched = (
            {osd: own for osd, own in known.items() if osd in osds}
            for known in (self.base, self.watched)
        )

    def save(self) -> dict[str, Any]:
        return {
            "minutes": min(self.minutes, self._set.warm_minutes + 1),
            "born": _plain(self.born),
            "scales": [_plain(self.minute_scale), _plain(self.segment_scale)],
            "past": [
                [_plain(past.value), past.count] for past in (self._minute_past, self._segment_past)
            ],
            "slope": [self.slope.products, self.slope.squares],
            "acute": self.acute.save(int),
            "sustained": self.sustained.save(int),
            "folded": [self.acute_folded.save(), self.sustained_folded.save()],
            "units": self.units.save(),
            "watched": [[osd, own] for osd, own in self.watched.items()],
            "level": [list(self._level_past.open), list(self._level_past.slots)],
            "base": [[osd, round(own, 3)] for osd, own in self.base.items()],
            "rows": [pack(row) for row in self._rows],
            "loads": [pack(row) for row in self._load_rows],
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        self.minutes = state["minutes"]
        self.born = min(_float(state["born"]), now)
        self.minute_scale, self.segment_scale = map(_float, state["scales"])
        for past, (value, count) in zip((self._minute_past, self._segment_past), state["past"]):
            past.value, past.count = _float(value), count
        self.slope.products, self.slope.squares = state["slope"]
        self.acute.restore(state["acute"], int, now)
        self.sustained.restore(state["sustained"], int, now)
        if "folded" in state:  # not in the state of an older version
            self.acute_folded.restore(state["folded"][0])
            self.sustained_folded.restore(state["folded"][1])
        self.units.restore(state["units"], now)
        self.watched = dict(state["watched"])
        self.base = dict(state["base"])
        self._rows = [unpack("b", row) for row in state.get("rows", ())]
        self._load_rows = [unpack("b", row) for row in state.get("loads", ())]
        fresh, slots = state["level"]
        self._level_past.open, self._level_past.slots = array("f", fresh), array("f", slots)


def _without(figures: Sequence[float], places: Iterable[int]) -> list[float]:
    kept = list(figures)
    for place in places:
        kept[place] = math.nan
    return kept


def _plain(value: float) -> Optional[float]:
    """Return the value rounded; None for NaN, which JSON does not have."""
    return None if math.isnan(value) else round(value, 6)


def _float(value: Optional[float]) -> float:
    return math.nan if value is None else float(value)
