"""What outlasts a window: flags by the rule "m of n", what is usual, what is in common, and bursts.

Then the units of a cohort: its hosts, enclosures and racks. Bursts are of OSDs that are repeatedly
slow for about 30 s. Slow frames of 15 s are counted, not averaged: with minutes they are found
hours later.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Generic, NamedTuple, Optional, TypeVar

from ...model.finding import FRAME_SECONDS
from ...model.statistics import median, spread, valid
from .peers import Cohort, UnitKey, View, load_against
from .state import Kept
from .thresholds import Rule, Thresholds, unit_rules

K = TypeVar("K")
_KEPT = 16  # windows of which is known whether the rule held in them
_MASK = (1 << _KEPT) - 1
# A flag at a position with a cause in common has its own cause if it held in so many of them.
_LASTING = 12
# So often, an OSD shows that others at its position last for what they have in common.
_OFTEN = 8
_WEEK = 7 * 86400.0
# So many OSDs on so many hosts at the least have a cause in common, and so many at a position.
_LEAST_OSDS, _LEAST_HOSTS, LEAST_HERE = 4, 3, 3
# A position is one of those in common if so many times the usual part of its OSDs is slow.
_MORE = 1.5
# An OSD that was slow for so long before others were has its own cause.
_BEFORE = 3600.0
_DAY = round(86400 / FRAME_SECONDS)  # in frames
# A burst ends after a minute that is not slow. A new one counts from ten minutes on: a scrub with
# noise crosses the border repeatedly.
_CALM, _APART = 4, 40
# A frame of few operations must be slower by so many of its standard errors.
_ERRORS = 6.0


class Facts(NamedTuple):
    """The figures of one window in which a rule held, in ln units.

    ``level`` is that of the latency, ``least`` the excess from which on the rule held. ``members``
    is the number of peers.
    """

    excess: float
    z: float
    level: float
    members: int
    least: float


@dataclass
class Flag:
    """A rule that holds. ``since`` is steady seconds, ``seen`` the newest minute with data.

    ``facts`` are its newest figures; ``calm`` counts the calm windows since the last hit.
    """

    since: float
    seen: int
    facts: Facts
    calm: int = 0


class Tally(Generic[K]):
    """One rule for many keys: OSDs, or units. A window without data of a key does not count."""

    def __init__(self, rule: Rule, seconds: float, key: Any = int) -> None:
        """``seconds`` is the length of a window, ``key`` the type of keys, for ``state``."""
        self.rule = rule
        self.KEPT: Kept = {"masks": dict[key, int], "flags": dict[key, Flag]}
        self._seconds = seconds
        self._full = (1 << rule.of) - 1
        # A bit for each window with a hit, the newest is lowest; only of keys with any, or a flag.
        self.masks: dict[K, int] = {}
        self.flags: dict[K, Flag] = {}

    def step(
        self,
        start: float,
        minute: int,
        hits: Mapping[K, Facts],
        value: Callable[[K], float],
    ) -> None:
        """Add a window; ``value`` returns the excess of a key without a hit, NaN for no data."""
        for key in {*self.masks, *hits}:
            facts = hits.get(key)
            excess = facts.excess if facts else value(key)
            if math.isnan(excess):
                continue
            mask = self.masks[key] = ((self.masks.get(key, 0) << 1) | (facts is not None)) & _MASK
            flag = self.flags.get(key)
            if flag is not None:
                self._keep(key, flag, minute, facts, excess)
            elif facts and _count(mask & self._full) >= self.rule.need:
                windows = (mask & self._full).bit_length()
                since = start - (windows - 1) * self._seconds
                self.flags[key] = Flag(since, minute, facts)
            elif not mask:
                del self.masks[key]

    def _keep(self, key: K, flag: Flag, minute: int, facts: Optional[Facts], excess: float) -> None:
        flag.seen = minute
        if facts:
            flag.facts = facts
            flag.calm = 0
        elif excess < math.log(self.rule.calm):
            flag.calm += 1
            if flag.calm >= self.rule.clear:
                self.drop(key)

    def recent(self) -> set[K]:
        """Return the keys with a hit in the windows that count for a flag."""
        return {key for key, mask in self.masks.items() if mask & self._full}

    def hits_of(self, key: K) -> int:
        """In how many of the windows that count for a flag the rule held."""
        return _count(self.masks.get(key, 0) & self._full)

    def lasting(self, key: K) -> bool:
        """Whether it held in three of four of the last 16 windows."""
        return _count(self.masks.get(key, 0)) >= _LASTING

    def often(self) -> set[K]:
        """Return the keys with a hit in half of the last 16 windows."""
        return {key for key, mask in self.masks.items() if _count(mask) >= _OFTEN}

    def drop(self, key: K) -> None:
        """Forget a key."""
        self.masks.pop(key, None)
        self.flags.pop(key, None)

    def drop_idle(self, before: int) -> list[K]:
        """Drop and return the keys with a flag and without data since that minute."""
        idle = [key for key, flag in self.flags.items() if flag.seen < before]
        for key in idle:
            self.drop(key)
        return idle


def _count(mask: int) -> int:
    return bin(mask).count("1")


@dataclass
class Past:
    """The usual value of a figure: the median of its slots of two hours, for seven days of data."""

    open: Sequence[float] = ()
    slots: Sequence[float] = ()
    SEGMENTS: ClassVar[int] = 8
    SLOTS: ClassVar[int] = 84

    def learn(self, value: float) -> None:
        """Add a segment."""
        self.open = (*self.open, value)
        if len(self.open) >= self.SEGMENTS:
            self.slots = (*self.slots, median(self.open))[-self.SLOTS :]
            self.open = ()

    def usual(self, least: int = 24) -> float:
        """The usual value; NaN before so many segments."""
        known = len(self.open) + len(self.slots) * self.SEGMENTS >= least
        return median(self.slots or self.open) if known else math.nan


class Fold:
    """Positions at which OSDs of several hosts were slow in the last week: a cause in common.

    If slow OSDs are independent, two of them are at the same position of their hosts no more often
    than by chance. The number of such pairs is compared with a Poisson law.
    """

    KEPT: ClassVar[Kept] = {"known": dict[str, tuple[float, float]]}

    def __init__(self) -> None:
        # By position when a cause was first and last seen, in steady seconds.
        self.known: dict[str, tuple[float, float]] = {}

    def note(self, now: float, cohort: Cohort, places: Collection[int], chance: float) -> None:
        """Add OSDs that are slow at the same time, or one after the other."""
        hosts = {cohort.members[place].host for place in places}
        if len(places) < _LEAST_OSDS or len(hosts) < _LEAST_HOSTS:
            return
        counts = Counter(cohort.position_of[place] for place in places)
        sizes, total, some = cohort.position_sizes, cohort.size, len(places)
        pairs = sum(count * (count - 1) // 2 for count in counts.values())
        alike = sum((size / total) ** 2 for size in sizes.values())
        if poisson_tail(pairs, some * (some - 1) / 2 * alike) > chance:
            return
        for position, count in counts.items():
            if count >= max(LEAST_HERE, _MORE * some * sizes[position] / total):
                first, last = self.known.get(position, (now, now))
                self.known[position] = (first if now - last < _WEEK else now, now)

    def holds(self, position: str, since: float, now: float) -> bool:
        """Whether what is slow there since then has the cause in common."""
        if position not in self.known:
            return False
        first, last = self.known[position]
        return now - last < _WEEK and since > first - _BEFORE


def poisson_tail(count: int, mean: float) -> float:
    """Return the probability of at least ``count`` events where ``mean`` are expected."""
    if mean > 200:  # the law is normal then, after Anscombe's transformation
        return math.erfc(anscombe(count, mean) / math.sqrt(2)) / 2
    below, term = 0.0, math.exp(-mean)
    for number in range(count):
        below += term
        term *= mean / (number + 1)
    return 1.0 - below  # to 1e-15: enough to compare it with 1e-4


def anscombe(count: float, usual: float) -> float:
    """Return how many standard deviations a Poisson count is above the usual count."""
    return 2 * (math.sqrt(count + 0.375) - math.sqrt(usual + 0.375))


@dataclass
class Episodes:
    """An OSD's bursts in the last 24 hours of data: the frames at which they began.

    ``last`` is the newest slow frame.
    """

    facts: Facts
    begins: Sequence[int] = ()
    last: int = -_DAY


class Bursts:
    """What is known of the last 24 hours of data, by OSD."""

    KEPT: ClassVar[Kept] = {"episodes": dict[int, Episodes], "flags": dict[int, Flag]}

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.cohort = cohort
        self._set = settings
        self.frames = 0  # the number of the newest frame
        self.episodes: dict[int, Episodes] = {}
        self.flags: dict[int, Flag] = {}

    def frame(
        self,
        latency: Sequence[float],
        ops: Sequence[float],
        load: Sequence[float],
        out: Container[int],
        scale: float,
        slope: float,
    ) -> None:
        """Add a frame: seconds (NaN for no data), operations and bytes/s by place, but of ``out``.

        ``scale`` is the cohort's of a minute, ``slope`` how latency follows load.
        """
        least = max(math.log(self._set.burst_ratio), self._set.burst_noise * scale)
        factor = math.exp(min(least, 50.0))
        whole = None
        for group in self.cohort.groups:
            span = range(group.start, group.end)
            ordered = reference = valid(latency[group.start : group.end])
            if len(ordered) < 3 or not group.key:
                reference = whole = whole or valid(latency)
            count = len(reference)
            if count < 2 or not ordered:
                continue
            # The median of the others, for any member of the upper half.
            peers = (reference[count // 2 - 1] + reference[(count - 1) // 2]) / 2
            if ordered[-1] <= peers * factor:
                continue
            more = load_against(load[group.start : group.end])
            for at in [at for at in span if latency[at] > peers * factor and at not in out]:
                explained = max(0.0, slope * more[at - group.start])
                level = math.log(latency[at])
                excess = level - math.log(peers) - explained
                if excess - _ERRORS / math.sqrt(max(ops[at], 1e-9)) > least:
                    facts = Facts(excess, 0.0, level, count - 1, least)
                    self._slow(self.cohort.members[at].osd, facts)

    def _slow(self, osd: int, facts: Facts) -> None:
        """Count a slow frame; extend or open a burst."""
        found = self.episodes.setdefault(osd, Episodes(facts))
        calm = self.frames - found.last > _CALM
        if calm and (not found.begins or self.frames - found.begins[-1] >= _APART):
            found.begins = (*found.begins, self.frames)
        found.last, found.facts = self.frames, facts

    def judge(self, now: float, minute: int, fold: Fold) -> None:
        """Flag the OSDs with more bursts in 24 h than their cohort. Called once per segment.

        A flag ends when fewer than ``burst_episodes`` are in the last 24 h of data. What OSDs with
        bursts have in common goes to ``fold``.
        """
        for osd, found in list(self.episodes.items()):
            found.begins = [at for at in found.begins if at > self.frames - _DAY]
            if not found.begins:
                del self.episodes[osd]
        counts = {osd: len(found.begins) for osd, found in self.episodes.items()}
        idle = self.cohort.size - len(counts)
        usual = max(1.0, median([0] * idle + sorted(counts.values())) if counts else 0.0)
        known, self.flags = self.flags, {}
        for osd, found in self.episodes.items():
            z = anscombe(counts[osd], usual)
            if counts[osd] >= self._set.burst_episodes and (osd in known or z >= self._set.burst_z):
                begun = now - FRAME_SECONDS * (self.frames - found.begins[0])
                since = known[osd].since if osd in known else begun
                self.flags[osd] = Flag(since, minute, found.facts._replace(z=z))
        # All with two in common, and apart from them those with many: an OSD with a third of the
        # bursts of a flagged one would be flagged later, and few of them are lost among all.
        least = min((counts[osd] for osd in self.flags), default=math.inf) / 3
        for most in (2, least):
            places = [self.cohort.place[osd] for osd, count in counts.items() if count >= most]
            fold.note(now, self.cohort, places, self._set.common_chance)

    def count(self, osd: int) -> int:
        """Its bursts in the last 24 hours of data."""
        return len(self.episodes[osd].begins) if osd in self.episodes else 0


# --- units: what the OSDs of a cohort are compared within ----------------------------------------

# These are hosts or enclosures, and racks where hosts have few OSDs. The OSDs of a slow one are as
# slow as each other, so it is judged as a whole. Its *effect* is the lower median of its OSDs over
# the cohort's median: a unit is not slow for half of its OSDs. All figures are ln.

_LEAST_UNITS = 3  # that are compared
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
                found[key] = Facts(more, more / scale, level, len(values) - 1, least)
        return found


def _over_median(values: Mapping[UnitKey, float]) -> _Levels:
    """Return the values over their median: what all units share is none's own; empty for few."""
    if len(values) < _LEAST_UNITS:
        return {}
    usual = median(list(values.values()))
    return {key: own - usual for key, own in values.items()}
