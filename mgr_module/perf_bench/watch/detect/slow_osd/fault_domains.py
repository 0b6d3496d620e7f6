"""Finds slow units of a cohort: devices, hosts, enclosures and racks whose OSDs are slow together.

A unit's effect is the median of its OSDs over the cohort's median (median polish). It is compared
with the other units of its kind, which also finds what was always slow, and with its own past,
which finds less but does not take another generation of hosts for a fault.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import astuple
from typing import Any, Optional, Protocol

from ....model.statistics import median, median_of_sorted, sharper_z, spread, valid
from .packing import pack_floats, unpack_floats
from .persistence import Facts, MOfNRule
from .thresholds import Thresholds
from .topology import KINDS, Cohort
from .windows import Residuals, Segment

Key = tuple[str, str]
# Minimum number of units for a comparison.
_LEAST_UNITS = 3
# Minimum part of the units that counts as another hardware generation.
_GENERATION_SHARE = 0.1
# The history of a unit: medians of 6 h of data, for 7 days.
_SLOT_SEGMENTS = 24
_SLOTS = 28
_LEAST_SEGMENTS = 20
# The standard error of a median of m values is 1.25 sigma / sqrt(m).
_MEDIAN_ERROR = 1.25


class Scales(Protocol):
    """The part of CohortChannel that units need: the usual spread of members, and the tests."""

    cohort: Cohort
    minute_scale: float
    segment_scale: float
    tests: int


class RollingBaseline:
    """The usual value of one figure: its median over a week, in slots of 6 h of data."""

    __slots__ = ("open", "slots")

    def __init__(self) -> None:
        self.open = array("f")
        self.slots = array("f")

    def learn(self, value: float) -> None:
        self.open.append(value)
        if len(self.open) >= _SLOT_SEGMENTS:
            self.slots.append(median(self.open))
            del self.slots[:-_SLOTS]
            del self.open[:]

    @property
    def usual(self) -> Optional[float]:
        """The usual value; None before the first 5 h of data."""
        if self.slots:
            return median(self.slots)
        return median(self.open) if len(self.open) >= _LEAST_SEGMENTS else None

    @property
    def so_far(self) -> Optional[float]:
        """The usual value, from as few data as there are; None for none."""
        known = self.slots or self.open
        return median(known) if known else None


class FaultDomains:
    """The units of one cohort in one channel."""

    def __init__(self, settings: Thresholds) -> None:
        self._set = settings
        self.acute: MOfNRule[Key] = MOfNRule(
            settings.acute_need, settings.acute_window, settings.acute_clear
        )
        self.sustained: MOfNRule[Key] = MOfNRule(
            settings.sustained_need, settings.sustained_window, settings.sustained_clear
        )
        self.past: dict[Key, RollingBaseline] = defaultdict(RollingBaseline)
        # Units that were always slow, and are so many alike that they are another generation.
        self.generation: dict[Key, Facts] = {}

    def minute(
        self, cohort_channel: Scales, start: float, found: Residuals, least: float, least_z: float
    ) -> None:
        """Judge a minute: flag units whose effect is acutely high."""
        effects = _effects(cohort_channel.cohort, found.excess, found.effects)
        hits: dict[Key, Facts] = {}
        generation: set[Key] = set()
        bound = min(least, math.log(self._set.unit_cross_ratio))
        for units in effects.values():  # from narrow to wide
            if len(units) < _LEAST_UNITS:
                continue
            usual = median([own for own, _ in units.values()])
            high = {key: unit for key, unit in units.items() if unit[0] - usual >= bound}
            if not high:
                continue
            made_of_it = _mostly_of(cohort_channel.cohort, generation)
            levels = [own - usual for own, _ in units.values()]
            width = spread(levels)
            for key, (own, members) in high.items():
                old = key in made_of_it or self._alike(own - usual, levels)
                old = old and not self._risen(key, own)
                # What was slower than the others before must be slower than itself too.
                before = self.past[key].so_far if key in self.past else None
                usually = usual if before is None else max(usual, before)
                if old and own - usual >= math.log(self._set.unit_cross_ratio):
                    generation.add(key)
                if own - usually >= least and not old:
                    scale = max(
                        width, _MEDIAN_ERROR * cohort_channel.minute_scale / math.sqrt(members)
                    )
                    facts = _facts(own, usual, scale, found.centre, len(units) - 1)
                    if facts.z >= least_z:
                        hits[key] = facts
        calm = math.log(self._set.acute_calm_ratio)
        self.acute.step(start, hits, _value(effects, {}), calm)

    def segment(self, cohort_channel: Scales, view: Segment) -> None:
        """Judge a segment: compare each unit with the other units and with its own past."""
        effects = _effects(cohort_channel.cohort, view.excess, view.effects)
        self.generation = {}
        z = sharper_z(self._set.unit_z, cohort_channel.tests)
        hits: dict[Key, Facts] = {}
        above: dict[Key, float] = {}
        for units in effects.values():
            if len(units) >= _LEAST_UNITS:
                self._against_past(cohort_channel, view, units, z, hits, above)
                self._against_others(cohort_channel, view, units, z, hits)
        calm = math.log(self._set.sustained_calm_ratio)
        self.sustained.step(view.start, hits, _value(effects, above), calm)
        for units in effects.values():
            for key, (own, _) in units.items():
                if key not in self.sustained.recent and key not in self.sustained.flags:
                    self.past[key].learn(own)

    def _against_others(
        self,
        cohort_channel: Scales,
        view: Segment,
        units: dict[Key, tuple[float, int]],
        z: float,
        hits: dict[Key, Facts],
    ) -> None:
        usual = median([own for own, _ in units.values()])
        width = max(self._set.segment_floor, spread([own - usual for own, _ in units.values()]))
        least = math.log(self._set.unit_cross_ratio)
        other = self._other_generation([own - usual for own, _ in units.values()])
        apart = math.log(self._set.unit_ratio)
        levels = [own - usual for own, _ in units.values()]
        made_of_it = _mostly_of(cohort_channel.cohort, self.generation)
        for key, (own, members) in units.items():
            if own - usual >= max(least, other + apart):
                old = key in made_of_it or self._alike(own - usual, levels)
                if old and not self._risen(key, own):
                    self.generation[key] = _facts(own, usual, width, view.centre, len(units) - 1)
                    continue
                scale = max(
                    width, _MEDIAN_ERROR * cohort_channel.segment_scale / math.sqrt(members)
                )
                facts = _facts(own, usual, scale, view.centre, len(units) - 1)
                if facts.z >= z and own - usual - other >= z * scale:
                    hits[key] = facts

    def _alike(self, level: float, levels: Sequence[float]) -> bool:
        """Whether so many units are as slow as this one that they are another generation."""
        near, cross = math.log(self._set.unit_ratio), math.log(self._set.unit_cross_ratio)
        # Against a generation it is judged as against all others, by ``unit_cross_ratio``.
        least = min(level - near, max(level - cross, cross))
        # The unit itself is one of them.
        return sum(own >= least for own in levels) > self._set.generation_units

    def _risen(self, key: Key, own: float) -> bool:
        """Whether the unit is slower than its own past, as far as that is known."""
        usual = self.past[key].so_far if key in self.past else None
        return usual is not None and own - usual >= math.log(self._set.unit_ratio)

    def _other_generation(self, effects: Sequence[float]) -> float:
        """Return the effect (ln) of a second hardware generation among the units; 0 for none.

        If a tenth of the units are at a ratio of 1.4, one at 1.5 belongs to them and is no fault.
        """
        upper = sorted(own for own in effects if own >= math.log(self._set.unit_ratio))
        if len(upper) < max(2, int(_GENERATION_SHARE * len(effects))):
            return 0.0
        typical = upper[(len(upper) - 1) // 2]
        return typical if typical < math.log(self._set.unit_cross_ratio) else 0.0

    def _against_past(
        self,
        cohort_channel: Scales,
        view: Segment,
        units: dict[Key, tuple[float, int]],
        z: float,
        hits: dict[Key, Facts],
        above: dict[Key, float],
    ) -> None:
        for key, (own, _) in units.items():
            usual = self.past[key].usual if key in self.past else None
            if usual is not None:
                above[key] = own - usual
        for key, hosts in cohort_channel.cohort.hosts_of.items():
            # A host more or less with data moves a rack's median from one generation to the other.
            more_of = sorted(above[host] for host in hosts if host in above)
            if key in units and key in above and len(more_of) > 1:
                above[key] = more_of[(len(more_of) - 1) // 2]
        if len(above) < _LEAST_UNITS:
            return
        width = max(self._set.segment_floor, spread(list(above.values())))
        for key, more in above.items():
            if key in units and more >= math.log(self._set.unit_ratio):
                own, members = units[key]
                scale = max(
                    width, _MEDIAN_ERROR * cohort_channel.segment_scale / math.sqrt(members)
                )
                facts = _facts(own, own - more, scale, view.centre, len(units) - 1)
                if facts.z >= z:
                    hits[key] = facts

    def after_gap(self) -> None:
        self.acute.forget_unfinished()

    def drop_without(self, cohort: Cohort, gone: Collection[int]) -> None:
        """Drop the flags of units of which too few OSDs are left to judge them (``_effects``).

        They would never be well again, such as those of a host that was taken out for repair.
        """
        if not (self.acute.flags or self.sustained.flags):
            return
        for unit in cohort.units:
            if unit.key in self.acute.flags or unit.key in self.sustained.flags:
                left = sum(cohort.members[place].osd not in gone for place in unit.members)
                if left < 2 or 2 * left < len(unit.members):
                    self.acute.drop(unit.key)
                    self.sustained.drop(unit.key)

    def adopt(self, cohort: Cohort) -> None:
        """Drop the units that no longer exist."""
        keys = {unit.key for unit in cohort.units}
        self.generation = {key: facts for key, facts in self.generation.items() if key in keys}
        for rule in (self.acute, self.sustained):
            rule.keep_only(keys.__contains__)
        for key in [key for key in self.past if key not in keys]:
            del self.past[key]

    def save(self) -> dict[str, Any]:
        keys = list(self.past)
        return {
            "acute": self.acute.save(list),
            "sustained": self.sustained.save(list),
            "generation": [[*key, *astuple(facts)] for key, facts in self.generation.items()],
            "keys": [list(key) for key in keys],
            "sizes": [[len(self.past[key].open), len(self.past[key].slots)] for key in keys],
            "past": pack_floats(
                [value for key in keys for value in (*self.past[key].open, *self.past[key].slots)]
            ),
        }

    def restore(self, state: dict[str, Any], now: float) -> None:
        self.acute.restore(state["acute"], _key, now)
        self.sustained.restore(state["sustained"], _key, now)
        for kind, unit, *facts in state.get("generation", ()):
            self.generation[kind, unit] = Facts(*facts)
        values = unpack_floats(state["past"])
        at = 0
        for text, (fresh, slots) in zip(state["keys"], state["sizes"]):
            past = self.past[_key(text)]
            past.open = array("f", values[at : at + fresh])
            past.slots = array("f", values[at + fresh : at + fresh + slots])
            at += fresh + slots


def _key(text: Sequence[str]) -> Key:
    kind, unit = text
    return (kind, unit)


def _effects(
    cohort: Cohort, excess: Sequence[float], effects: Sequence[float]
) -> dict[str, dict[Key, tuple[float, int]]]:
    """Return by kind and unit: the median of its members over the cohort, and members with data.

    Without units of which less than half, or less than two, have data. Of a unit of several hosts
    it is the lower median of the hosts: a rack is not slow for half of its hosts.
    """
    found: dict[str, dict[Key, tuple[float, int]]] = {kind: {} for kind in KINDS}
    totals: list[float] = []
    for group, effect in zip(cohort.groups, effects):
        totals += [value + effect for value in excess[group.start : group.end]]
    for unit in cohort.units:
        own = valid(unit.pick(totals))
        if len(own) >= 2 and 2 * len(own) >= len(unit.members):
            found[unit.kind][unit.key] = (median_of_sorted(own), len(own))
    for key, hosts in cohort.hosts_of.items():
        levels = sorted(found["host"][host][0] for host in hosts if host in found["host"])
        units = found[key[0]]
        if key in units and len(levels) > 1:
            units[key] = (levels[(len(levels) - 1) // 2], units[key][1])
    return found


def _mostly_of(cohort: Cohort, keys: Collection[Key]) -> set[Key]:
    """Return the wider units of which at least half of the OSDs are in the units of ``keys``."""
    found = set()
    if keys:
        for unit in cohort.units:
            inside = [cohort.units[at] for at in unit.parts if cohort.units[at].key in keys]
            covered = {place for part in inside for place in part.members}
            if 2 * len(covered) >= len(unit.members):
                found.add(unit.key)
    return found


def _facts(own: float, usual: float, scale: float, centre: float, others: int) -> Facts:
    return Facts(own - usual, (own - usual) / scale, centre + own, centre + usual, others)


def _value(effects: dict[str, dict[Key, tuple[float, int]]], above: dict[Key, float]) -> Any:
    def value(key: Key) -> Optional[float]:
        if key in above:
            return above[key]
        units = effects.get(key[0], {})
        if key not in units:
            return None
        return units[key][0] - median([own for own, _ in units.values()])

    return value
