"""The hosts, enclosures, racks and shared devices of one cohort in one channel.

A unit's *effect* is the lower median of its OSDs over the cohort's median: a unit is not slow for
half of its OSDs. That of a rack is the lower median of its hosts'. All figures are ln.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, NamedTuple

from ...model.statistics import median, spread, valid
from .rules import Facts, Kept, Past, Tally
from .thresholds import Thresholds, unit_rules
from .topology import Cohort, UnitKey

_PAST = 20  # segments of data until a unit's past is known
_LEAST = 3  # units of a kind that are compared
# So many units as slow as one that was always slow are another generation of hardware, and so is
# it.
_GENERATION = 3
# The standard error of a median of m values is 1.25 sigma / sqrt(m).
_MEDIAN_ERROR = 1.25

_Levels = dict[UnitKey, float]


class Window(NamedTuple):
    """A minute or segment of the cohort: its median, its members' scale and the z needed."""

    start: float
    number: int
    centre: float
    scale: float
    z: float


class Effect(NamedTuple):
    """How slow a unit is over the cohort."""

    level: float
    members: int  # that have data


class Units:
    """Who of them is slow, and what was usual for each."""

    KEPT: ClassVar[Kept] = {
        "acute": None,
        "sustained": None,
        "past": dict[UnitKey, Past],
        "generation": dict[UnitKey, Facts],
    }

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.cohort = cohort
        self._set = settings
        acute, sustained = unit_rules(settings)
        self.acute = Tally[UnitKey](acute, 60.0, UnitKey)
        self.sustained = Tally[UnitKey](sustained, 900.0, UnitKey)
        self.past: dict[UnitKey, Past] = {}
        # Those of another generation of hardware, with their figures.
        self.generation: dict[UnitKey, Facts] = {}

    @property
    def tallies(self) -> tuple[Tally[UnitKey], ...]:
        return self.acute, self.sustained

    def minute(self, window: Window, total: Sequence[float], ratio: float) -> None:
        """Judge a minute: ``total`` is by place over the cohort; a unit needs this ln ratio.

        It must be so much slower than the other units, and than its own past if that is known.
        """
        effects = self._effects(total)
        hits: dict[UnitKey, Facts] = {}
        values: _Levels = {}
        for levels in _by_kind(effects):
            values.update(levels)
            if max(levels.values()) >= ratio:
                own = {key: min(one, self._risen(key, effects, one)) for key, one in levels.items()}
                hits.update(self._beyond(own, effects, window, ratio))
        for key in self._generations(effects) if hits else ():
            hits.pop(key, None)
        self.acute.step(window.start, window.number, hits, lambda key: values.get(key, math.nan))

    def segment(self, window: Window, total: Sequence[float]) -> None:
        """Judge a segment: units by far slower than all others, or slower than their own past."""
        effects = self._effects(total)
        noise = self._set.noise_scales * window.scale
        far = max(math.log(self._set.unit_cross_ratio), noise)
        risen = max(math.log(self.sustained.rule.ratio), noise)
        hits: dict[UnitKey, Facts] = {}
        values: _Levels = {}
        kinds = _by_kind(effects)
        for levels in kinds:
            values.update(levels)
            hits.update(self._beyond(levels, effects, window, far))
        older = self._generations(effects)
        self.generation = {key: hits.pop(key) for key in older if key in hits}
        for levels in kinds:
            rises = self._rises(levels, effects)
            if len(rises) >= _LEAST:
                values.update(rises)
                hits.update(self._beyond(rises, effects, window, risen))
        tally = self.sustained
        tally.step(window.start, window.number, hits, lambda key: values.get(key, math.nan))
        for key, effect in effects.items():
            if key not in tally.flags and not tally.hits_of(key):
                self.past.setdefault(key, Past()).learn(effect.level, Past.OF_UNIT)

    def _effects(self, total: Sequence[float]) -> dict[UnitKey, Effect]:
        """Return by unit its effect; none if less than half of its OSDs, or than two, have data."""
        found: dict[UnitKey, Effect] = {}
        for unit in self.cohort.unit_places:
            own = valid([total[place] for place in unit.places])
            if len(own) >= 2 and 2 * len(own) >= len(unit.places):
                found[unit.key] = Effect(_lower(own), len(own))
        for unit in self.cohort.unit_places:
            levels = sorted(found[host].level for host in unit.hosts if host in found)
            if unit.key in found and len(levels) > 1:
                found[unit.key] = found[unit.key]._replace(level=_lower(levels))
        return found

    def _generations(self, effects: Mapping[UnitKey, Effect]) -> set[UnitKey]:
        """Hosts that were always slow, three or more alike: another generation of hardware.

        A rack is of it too if at least half of its hosts are.
        """
        near, far = math.log(self._set.unit_ratio), math.log(self._set.unit_cross_ratio)
        found = set()
        for levels in _by_kind(effects):
            for key, level in levels.items():
                # Above a generation a unit is judged as above all others.
                least = min(level - near, max(level - far, far))
                alike = sum(one >= least for one in levels.values())
                always = self._risen(key, effects, 0.0) < near
                if level >= far and alike >= _GENERATION and always:
                    found.add(key)
        for unit in self.cohort.unit_places:
            most = unit.hosts and 2 * len(found.intersection(unit.hosts)) >= len(unit.hosts)
            if most and self._risen(unit.key, effects, 0.0) < near:
                found.add(unit.key)
        return found

    def _risen(self, key: UnitKey, effects: Mapping[UnitKey, Effect], unknown: float) -> float:
        """How much slower the unit is than its past, as far as that is known."""
        past = self.past[key].usual(1, Past.OF_UNIT) if key in self.past else None
        return unknown if past is None or key not in effects else effects[key].level - past

    def _rises(self, units: Collection[UnitKey], effects: Mapping[UnitKey, Effect]) -> _Levels:
        """How much slower the units are than their own past; what all are by is no unit's.

        A rack is as much slower as its hosts, by their lower median: one that has no data for a
        while would move its own from one generation of hosts to the other.
        """
        own = {}
        for key, past in self.past.items():
            usual = past.usual(_PAST, Past.OF_UNIT)
            if usual is not None and key in effects:
                own[key] = effects[key].level - usual
        rises = {key: own[key] for key in units if key in own}
        for unit in self.cohort.unit_places:
            more = sorted(own[host] for host in unit.hosts if host in own)
            if unit.key in rises and len(more) > 1:
                rises[unit.key] = _lower(more)
        shift = median(list(rises.values())) if rises else 0.0
        return {key: own - shift for key, own in rises.items()}

    def _beyond(
        self, values: _Levels, effects: Mapping[UnitKey, Effect], window: Window, bound: float
    ) -> dict[UnitKey, Facts]:
        """Return the units beyond this excess and the window's z, with their figures."""
        width = max(spread(list(values.values())), self._set.segment_floor)
        found = {}
        for key, more in values.items():
            level, members = effects[key]
            scale = max(width, _MEDIAN_ERROR * window.scale / math.sqrt(members))
            least = max(bound, window.z * scale)
            if more >= least:
                level += window.centre
                found[key] = Facts(more, more / scale, level, level - more, len(values) - 1, least)
        return found

    def go_on(self, other: Units) -> None:
        """Go on with what was known before a change of the roster."""
        keys = {unit.key for unit in self.cohort.unit_places}
        for mine, its in zip(self.tallies, other.tallies):
            mine.take(keys, its)
        self.past = {key: past for key, past in other.past.items() if key in keys}


def _by_kind(effects: Mapping[UnitKey, Effect]) -> list[_Levels]:
    """Return the units of each kind with enough of them, over their median."""
    kinds: dict[str, _Levels] = defaultdict(dict)
    for key, effect in effects.items():
        kinds[key[0]][key] = effect.level
    found = []
    for units in kinds.values():
        if len(units) >= _LEAST:
            usual = median(list(units.values()))
            found.append({key: own - usual for key, own in units.items()})
    return found


def _lower(ordered: Sequence[float]) -> float:
    """The lower median of ascending values."""
    return ordered[(len(ordered) - 1) // 2]
