"""The units of one cohort in one channel: those whose OSDs are compared with each other.

These are hosts or enclosures, and racks where hosts have few OSDs. The OSDs of a slow one are as
slow as each other, so it is judged as a whole. Its *effect* is the lower median of its OSDs over
the cohort's median: a unit is not slow for half of its OSDs. All figures are ln.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from ...model.statistics import median, spread, valid
from .peers import Cohort, UnitKey, View
from .rules import Facts, Past, Tally
from .state import Kept
from .thresholds import Thresholds, unit_rules

_LEAST = 3  # units that are compared
# So many units as slow as one that was always slow are another generation of hardware, and so is
# it.
_GENERATION = 3
# The standard error of a median of m values is 1.25 sigma / sqrt(m).
_MEDIAN_ERROR = 1.25


_Levels = dict[UnitKey, float]


class Units:
    """Which of them are slow, and what was usual for each."""

    KEPT: ClassVar[Kept] = {
        "acute": None,
        "sustained": None,
        "past": dict[UnitKey, Past],
        "generation": dict[UnitKey, Facts],
    }
    OPEN: ClassVar[Kept] = {"above": dict[UnitKey, list[float]]}

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.groups = {group.key: group for group in cohort.groups if group.key is not None}
        self._set = settings
        acute, sustained = unit_rules(settings)
        self.acute = Tally[UnitKey](acute, 60.0, UnitKey)
        self.sustained = Tally[UnitKey](sustained, 900.0, UnitKey)
        self.tallies = (self.acute, self.sustained)
        self.past: dict[UnitKey, Past] = {}
        # Those of another generation of hardware, with their figures.
        self.generation: dict[UnitKey, Facts] = {}
        # How far the members' median is above the cohort's, in the minutes of the open segment.
        self.above: dict[UnitKey, list[float]] = {}

    def minute(self, view: View, ratio: float) -> None:
        """Judge a minute: a unit needs this ln ratio over the others, and over its known past."""
        effects = self._effects(view, {key: rows[-1] for key, rows in self.above.items()})
        levels, hits = _over_median(effects), {}
        if max(levels.values(), default=0.0) >= ratio:
            own = {key: min(one, self._risen(key, effects, one)) for key, one in levels.items()}
            hits = self._beyond(own, effects, view, self.acute.rule.z, ratio)
            for key in self._generations(levels, effects):
                hits.pop(key, None)
        self.acute.step(view.start, view.number, hits, lambda key: levels.get(key, math.nan))

    def segment(self, view: View, above: Mapping[UnitKey, Sequence[float]]) -> None:
        """Judge a segment: units by far slower than all others, or slower than their own past."""
        effects = self._effects(view, {key: median(rows) for key, rows in above.items()})
        known = {key: past.usual() for key, past in self.past.items() if key in effects}
        rises = {key: effects[key] - past for key, past in known.items() if not math.isnan(past)}
        noise = self._set.noise_scales * view.scale
        levels, rises = _over_median(effects), _over_median(rises)
        far = max(math.log(self._set.unit_cross_ratio), noise)
        z = self.sustained.rule.z
        hits = self._beyond(levels, effects, view, z, far)
        older = self._generations(levels, effects)
        self.generation = {key: hits.pop(key) for key in older if key in hits}
        risen = max(math.log(self.sustained.rule.ratio), noise)
        hits.update(self._beyond(rises, effects, view, z, risen))
        values, tally = {**levels, **rises}, self.sustained
        tally.step(view.start, view.number, hits, lambda key: values.get(key, math.nan))
        for key, effect in effects.items():
            if key not in tally.flags and not tally.hits_of(key):
                self.past.setdefault(key, Past()).learn(effect)

    def _effects(self, view: View, above: _Levels) -> _Levels:
        """Return by unit its effect; none if less than half of its OSDs, or than two, have data."""
        found: _Levels = {}
        for key, group in self.groups.items():
            own = valid(view.excess[group.start : group.end])
            if view.out:  # those that recover say nothing of it
                places = range(group.start, group.end)
                own = valid([view.excess[at] for at in places if at not in view.out])
            if key in above and len(own) >= max(2, (group.end - group.start) / 2):
                found[key] = own[(len(own) - 1) // 2] + above[key]
        return found

    def _generations(self, levels: _Levels, effects: _Levels) -> Collection[UnitKey]:
        """Units that were always slow, three or more alike: another generation of hardware."""
        near, far = math.log(self._set.unit_ratio), math.log(self._set.unit_cross_ratio)
        found = []
        for key, level in levels.items():
            # Above a generation a unit is judged as above all others.
            least = min(level - near, max(level - far, far))
            alike = sum(one >= least for one in levels.values())
            if level >= far and alike >= _GENERATION and self._risen(key, effects, 0.0) < near:
                found.append(key)
        return found

    def _risen(self, key: UnitKey, effects: _Levels, unknown: float) -> float:
        """How much slower the unit is than its past, as far as that is known."""
        return effects[key] - self.past[key].usual(1) if key in self.past else unknown

    def _beyond(
        self, values: _Levels, effects: _Levels, view: View, z: float, bound: float
    ) -> dict[UnitKey, Facts]:
        """Return the units beyond this excess and z, with their figures."""
        width = max(spread(list(values.values())), self._set.segment_floor)
        found = {}
        for key, more in values.items():
            group = self.groups[key]
            members = group.end - group.start
            scale = max(width, _MEDIAN_ERROR * view.scale / math.sqrt(members))
            least = max(bound, z * scale)
            if more >= least:
                level = effects[key] + view.centre
                found[key] = Facts(more, more / scale, level, level - more, len(values) - 1, least)
        return found


def _over_median(values: Mapping[UnitKey, float]) -> _Levels:
    """Return the values over their median: what all units share is none's own; empty for few."""
    if len(values) < _LEAST:
        return {}
    usual = median(list(values.values()))
    return {key: own - usual for key, own in values.items()}
