"""Reduces flags to causes: what OSDs that are slow together have in common is named once."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Optional

from ..blame import Unit, causes
from .cohort import CohortChannel
from .rules import LEAST_HERE, Flag, Fold
from .thresholds import Thresholds
from .topology import Cohort, UnitKey

# Why an OSD or unit is called slow, as findings tell it.
ACUTE, SUSTAINED, SMALL, INTERMITTENT = "acute", "sustained", "small-cohort", "intermittent"
_PATHS = {"own past": SMALL}
SHARE = "share"  # a unit is slow because most of its OSDs are
# What the OSDs of a cause have in common if it is no unit: too many at once, their bursts, their
# positions, or hosts of another generation.
TOGETHER, BURSTS, POSITIONS, GENERATION = "", "bursts", "positions", "hosts"
_LEAST_OSDS, _LEAST_UNITS = 2, 3
_ALIKE = 3  # units of another generation
# Units that became slow within so long of each other have a cause in common if they are many.
_AT_ONCE = 1800.0


class SlowEvidence(NamedTuple):
    """Why something is called slow: the rule that holds, and where.

    ``floor`` is the time in seconds that was added to both latencies before the comparison,
    ``bursts`` how many of them there were in 24 h.
    """

    path: str
    channel: str
    flag: Flag
    floor: float = 0.0
    bursts: int = 0

    @property
    def seconds(self) -> tuple[float, float]:
        """Its latency and its peers', without the floor."""
        facts = self.flag.facts
        own, peers = (math.exp(level) - self.floor for level in (facts.level, facts.peers))
        return max(own, 0.0), max(peers, 0.0)


@dataclass(frozen=True, eq=False)
class Cause:
    """One slow OSD, unit or cohort (neither ``osd`` nor ``unit``), with all evidence for it.

    ``kind`` and ``positions`` say what the OSDs of a cohort have in common; ``slow`` are the OSDs
    whose slowness it explains.
    """

    cohort: Cohort
    grounds: Sequence[SlowEvidence]
    slow: tuple[int, ...]
    unit: Optional[Unit] = None
    osd: Optional[int] = None
    kind: str = TOGETHER
    positions: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    @property
    def worst(self) -> SlowEvidence:
        return max(self.grounds, key=lambda ground: ground.flag.facts.excess)

    @property
    def since(self) -> float:
        return min(ground.flag.since for ground in self.grounds)


@dataclass
class Judgement:
    """All causes, and by OSD the cause that names it and the wider cause that includes it."""

    causes: list[Cause] = field(default_factory=list)
    accused: dict[int, Cause] = field(default_factory=dict)
    part_of: dict[int, Cause] = field(default_factory=dict)

    def add(self, cause: Cause) -> None:
        self.causes.append(cause)
        if cause.osd is None:
            self.part_of.update(dict.fromkeys(cause.slow, cause))
        else:
            self.accused[cause.osd] = cause


_Grounds = dict[int, list[SlowEvidence]]


def judge(
    channels: Iterable[Mapping[str, CohortChannel]],
    cohorts: Iterable[Cohort],
    settings: Thresholds,
    now: float,
) -> Judgement:
    """Return the causes behind all flags of all channels; ``now`` is steady seconds."""
    found = Judgement()
    channels = list(channels)
    for cohort in cohorts:
        states = [by_cohort[cohort.name] for by_cohort in channels]
        own: _Grounds = defaultdict(list)
        folded: dict[str, _Grounds] = {BURSTS: defaultdict(list), POSITIONS: defaultdict(list)}
        units: dict[UnitKey, list[SlowEvidence]] = defaultdict(list)
        for state in states:
            _gather(state, now, own, folded)
            for tally in state.units.tallies:
                for key, flag in tally.flags.items():
                    units[key].append(_evidence(tally.rule.name, state, flag))
        older = [_generation(state) for state in states if len(state.units.generation) >= _ALIKE]
        if older:  # of several channels the one with most OSDs stands for all
            found.add(max(older, key=lambda cause: len(cause.slow)))
        for kind, grounds in folded.items():
            if grounds:
                found.add(_common(cohort, grounds, kind))
        if own or units:
            _judge_cohort(cohort, own, units, settings, found)
    return found


def _gather(
    state: CohortChannel, now: float, own: _Grounds, folded: Mapping[str, _Grounds]
) -> None:
    """Sort the OSDs' flags of a channel into their own, and those with a cause in common."""

    def position(osd: int) -> str:
        return state.cohort.position_of[state.cohort.place[osd]]

    def is_common(fold: Fold, osd: int, flag: Flag) -> bool:
        return fold.holds(position(osd), flag.since, now)

    # A job of half a night on many drives makes each of them last; one that lasts alone is told.
    often = {osd for tally in state.by_segment for osd in tally.often()}
    mates = Counter(map(position, often))
    for tally in state.tallies:
        short = tally in state.by_minute
        fold = state.short if short else state.lasting
        path = _PATHS.get(tally.rule.name, ACUTE if short else SUSTAINED)
        for osd, flag in tally.flags.items():
            alone = tally.lasting(osd) and mates[position(osd)] <= LEAST_HERE
            common = is_common(fold, osd, flag) and (short or not alone)
            (folded[POSITIONS] if common else own)[osd].append(_evidence(path, state, flag))
    for osd, flag in state.bursts.flags.items():
        common = is_common(state.short, osd, flag)
        found = _evidence(INTERMITTENT, state, flag, state.bursts.count(osd))
        (folded[BURSTS] if common else own)[osd].append(found)


def _generation(state: CohortChannel) -> Cause:
    """The units of another generation of hardware, slow since the first data, as one cause."""
    alike = state.units.generation
    typical = sorted(alike.values())[len(alike) // 2]  # by excess
    flag = Flag(state.born, 0, typical, typical.excess)
    osds = (
        osd for unit in state.cohort.units if (unit.kind, unit.id) in alike for osd in unit.osds
    )
    hosts = tuple(sorted(name for _, name in alike))
    ground = _evidence(SHARE, state, flag)
    return Cause(state.cohort, [ground], tuple(sorted(osds)), kind=GENERATION, hosts=hosts)


def _evidence(path: str, state: CohortChannel, flag: Flag, bursts: int = 0) -> SlowEvidence:
    return SlowEvidence(path, state.channel, flag, state.floor, bursts)


def _common(cohort: Cohort, grounds: _Grounds, kind: str) -> Cause:
    positions = {cohort.position_of[cohort.place[osd]] for osd in grounds}
    ordered = tuple(sorted(positions, key=lambda name: (len(name), name)))  # disk9 before disk10
    typical = _typical([ground for those in grounds.values() for ground in those])
    return Cause(cohort, [typical], tuple(sorted(grounds)), kind=kind, positions=ordered)


def _together(cohort: Cohort, some: Sequence[Cause], kind: str = TOGETHER) -> Cause:
    slow = {osd for cause in some for osd in cause.slow}
    return Cause(cohort, [_typical([one.worst for one in some])], tuple(sorted(slow)), kind=kind)


def _typical(grounds: Sequence[SlowEvidence]) -> SlowEvidence:
    """The median of some evidence, since the earliest."""
    ordered = sorted(grounds, key=lambda ground: ground.flag.facts.excess)
    typical = ordered[len(ordered) // 2]
    since = min(ground.flag.since for ground in grounds)
    return typical._replace(flag=replace(typical.flag, since=since))


def _judge_cohort(
    cohort: Cohort,
    own: _Grounds,
    units: Mapping[UnitKey, list[SlowEvidence]],
    settings: Thresholds,
    found: Judgement,
) -> None:
    """Blame units, then OSDs; more of them than have faults of their own at once are one cause."""
    trouble = set(own).union(*(one.osds for one in cohort.units if (one.kind, one.id) in units))
    blamed = [
        _unit_cause(cohort, one.unit, own, units)
        for one in causes(trouble, cohort.units)
        if one.unit is not None
    ]
    inside = {osd for cause in blamed for osd in cause.slow}
    rest = [
        Cause(cohort, grounds, (osd,), osd=osd)
        for osd, grounds in own.items()
        if osd not in inside or _beside(cohort, osd, blamed)
    ]
    most = max(_LEAST_UNITS, settings.cap_share * len(cohort.units))
    at_once = [
        cause
        for cause in blamed
        if sum(abs(other.since - cause.since) <= _AT_ONCE for other in blamed) > most
    ]
    if at_once:
        found.add(_together(cohort, at_once))
    for cause in blamed:
        if cause not in at_once:
            found.add(cause)
    # Many OSDs with bursts must not hide those that are always slow.
    fitful = [one for one in rest if all(each.path == INTERMITTENT for each in one.grounds)]
    lasting = [one for one in rest if any(each.path != INTERMITTENT for each in one.grounds)]
    most = max(_LEAST_OSDS, math.ceil(settings.cap_share * cohort.size))
    for some, kind in ((lasting, TOGETHER), (fitful, BURSTS)):
        for cause in [_together(cohort, some, kind)] if len(some) > most else some:
            found.add(cause)


def _unit_cause(
    cohort: Cohort, unit: Unit, own: _Grounds, units: Mapping[UnitKey, list[SlowEvidence]]
) -> Cause:
    """A unit with its own flags, or that of its median part."""
    grounds: Sequence[SlowEvidence] = units.get((unit.kind, unit.id), ())
    if not grounds:
        parts = [ground for osd in unit.osds & own.keys() for ground in own[osd]]
        for part in cohort.units:
            if part.osds < unit.osds:
                parts += units.get((part.kind, part.id), ())
        grounds = [_typical(parts)._replace(path=SHARE)]
    return Cause(cohort, grounds, tuple(sorted(unit.osds)), unit=unit)


def _beside(cohort: Cohort, osd: int, blamed: Sequence[Cause]) -> bool:
    """Whether an OSD of a slow unit is slower than that: it was compared with the unit's own."""
    group = cohort.group_of[cohort.place[osd]]
    mates = {member.osd for member in cohort.members[group.start : group.end]}
    return group.key is not None and any(mates.issubset(cause.slow) for cause in blamed)
