"""Reduces flags to causes, and words them: what OSDs that are slow together share is named once."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Optional

from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from ...model.phrases import listed, ms_text, plural, times_text
from ..blame import Unit, causes
from .cohort import CohortChannel
from .peers import Cohort, UnitKey
from .rules import LEAST_HERE, Flag, Fold
from .thresholds import Thresholds

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
# Maximum number of names in a claim's evidence.
_LISTED = 100


class SlowEvidence(NamedTuple):
    """Why something is called slow: the rule that holds, and where.

    ``bursts`` is how many of them there were in 24 h.
    """

    path: str
    state: CohortChannel
    flag: Flag
    bursts: int = 0

    @property
    def channel(self) -> str:
        return self.state.channel

    @property
    def seconds(self) -> tuple[float, float]:
        """Its latency and its peers' under its load, without the floor that was added to both."""
        facts = self.flag.facts
        levels = facts.level, facts.level - facts.excess
        own, peers = (math.exp(level) - self.state.floor for level in levels)
        return max(own, 0.0), max(peers, 0.0)

    def figures(self, offset: float) -> dict[str, Any]:
        """JSON-ready; ``offset`` makes unix seconds of steady ones."""
        flag, facts = self.flag, self.flag.facts
        own, peers = self.seconds
        found: dict[str, Any] = {
            "path": self.path,
            "channel": self.channel,
            "ratio": round(math.exp(facts.excess), 3),
            "robust_z": z_rounded(facts.z),
            "latency_ms": _rounded(1000 * own),
            "peers_latency_ms": _rounded(1000 * peers),
            "peers": facts.members,
            "since": flag.since + offset,
        }
        if self.state.floor:  # in the ratio, not in the latencies
            found["floor_ms"] = _rounded(1000 * self.state.floor)
        if self.bursts:
            found["bursts_24h"] = self.bursts
        return found


@dataclass(frozen=True, eq=False)
class Cause:
    """One slow OSD, unit or cohort (neither ``osd`` nor ``unit``), with all evidence for it.

    ``kind`` says what the OSDs of a cohort have in common, and ``shared`` names it; ``slow`` are
    the OSDs whose slowness it explains.
    """

    cohort: Cohort
    grounds: Sequence[SlowEvidence]
    slow: tuple[int, ...]
    unit: Optional[Unit] = None
    osd: Optional[int] = None
    kind: str = TOGETHER
    shared: Sequence[str] = ()

    @property
    def worst(self) -> SlowEvidence:
        return max(self.grounds, key=lambda ground: ground.flag.facts.excess)

    @property
    def since(self) -> float:
        return min(ground.flag.since for ground in self.grounds)

    def claim(self, offset: float) -> Claim:
        """``offset`` makes unix seconds of steady ones."""
        code, target = self._target()
        # What OSDs of several hosts have in common is no warning.
        alone = self.osd is not None or self.unit is not None
        severity = Severity.WARNING if alone else Severity.INFO
        evidence = self._evidence(offset)
        return Claim(code, severity, target, self._sentence(), evidence, self.since + offset)

    def _target(self) -> tuple[str, Target]:
        if self.osd is not None:
            return SLOW_OSD.code, Target("osd", str(self.osd))
        if self.unit is None:
            name = f"{self.cohort.name} {self.kind}".rstrip()
            return SLOW_ENCLOSURE.code, Target("cohort", name)
        if self.unit.kind == "device":
            return SLOW_OSD.code, Target("osd", str(self.slow[0]))
        code = SLOW_HOST.code if self.unit.kind == "host" else SLOW_ENCLOSURE.code
        return code, Target(self.unit.kind, self.unit.id)

    def _host(self, osd: int) -> str:
        return self.cohort.members[self.cohort.place[osd]].host

    def _sentence(self) -> str:
        ground, cohort = self.worst, self.cohort
        times = times_text(math.exp(ground.flag.facts.excess))
        own, usual = map(ms_text, ground.seconds)
        figures = f"({ground.channel} {own} against {usual})"
        if self.osd is not None:
            peers = plural(ground.flag.facts.members, "peer")
            bursts = f" in bursts, {ground.bursts} of them in 24 h" if ground.bursts else ""
            slow = f"osd.{self.osd} on {self._host(self.osd)} is {times} times as slow as its"
            return f"{slow} {peers}{bursts} {figures}"
        if self.unit is not None:
            unit = f"{self.unit.kind} {self.unit.id} ({plural(len(self.slow), 'OSD')})"
            return f"{unit} is {times} times as slow as its peers {figures}"
        reason = "too many at once for faults of their own"
        if self.kind == POSITIONS:
            reason = (
                f"they are at the same positions ({listed(self.shared)}), so the cause is not in "
                "the drives"
            )
        if self.kind == GENERATION:
            reason = "since the first data and as slow as each other, as other hardware is"
        hosts = plural(len(set(map(self._host, self.slow))), "host")
        how = " in bursts" if self.kind == BURSTS else ""
        return (
            f"{len(self.slow)} of the {cohort.size} OSDs of {cohort.name}, on {hosts}, are slower "
            f"than their peers{how}, typically {times} times {figures}: {reason}"
        )

    def _evidence(self, offset: float) -> Mapping[str, Any]:
        """The figures behind it, JSON-ready."""
        found: dict[str, Any] = {
            **self.worst.figures(offset),
            "cohort": self.cohort.name,
            # What the rule could see at the moment of these figures.
            "minimum_detectable_ratio": round(math.exp(self.worst.flag.facts.least), 3),
            "paths": sorted({f"{each.channel} {each.path}" for each in self.grounds}),
        }
        if self.osd is not None:
            return {**found, "host": self._host(self.osd)}
        found["osds"], found["members"] = list(self.slow[:_LISTED]), len(self.slow)
        if self.shared:
            found[self.kind] = list(self.shared[:_LISTED])
        if self.unit is not None and self.unit.kind == "device":
            found["device"] = self.unit.id
        return found


def z_rounded(value: float) -> float:
    """As it is told: two decimals, and no -0.0."""
    return round(value, 2) + 0.0


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


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
        folded: _Grounds = defaultdict(list)
        units: dict[UnitKey, list[SlowEvidence]] = defaultdict(list)
        for state in states:
            _gather(state, now, own, folded)
            for tally in state.units.tallies:
                for key, flag in tally.flags.items():
                    units[key].append(SlowEvidence(tally.rule.name, state, flag))
        older = [_generation(state) for state in states if len(state.units.generation) >= _ALIKE]
        if older:  # of several channels the one with most OSDs stands for all
            found.add(max(older, key=lambda cause: len(cause.slow)))
        if folded:
            every = [ground for grounds in folded.values() for ground in grounds]
            places = {cohort.position_of[cohort.place[osd]] for osd in folded}
            found.add(_in_common(cohort, every, folded, POSITIONS, places))
        if own or units:
            _judge_cohort(cohort, own, units, settings, found)
    return found


def _gather(state: CohortChannel, now: float, own: _Grounds, folded: _Grounds) -> None:
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
            (folded if common else own)[osd].append(SlowEvidence(path, state, flag))
    for osd, flag in state.bursts.flags.items():
        common = is_common(state.short, osd, flag)
        found = SlowEvidence(INTERMITTENT, state, flag, state.bursts.count(osd))
        (folded if common else own)[osd].append(found)


def _generation(state: CohortChannel) -> Cause:
    """The units of another generation of hardware, slow since the first data, as one cause."""
    alike, units = state.units.generation, state.cohort.units
    grounds = [SlowEvidence(SHARE, state, Flag(state.born, 0, one)) for one in alike.values()]
    slow = [osd for unit in units if (unit.kind, unit.id) in alike for osd in unit.osds]
    return _in_common(state.cohort, grounds, slow, GENERATION, [name for _, name in alike])


def _in_common(
    cohort: Cohort,
    grounds: Sequence[SlowEvidence],
    slow: Iterable[int],
    kind: str,
    shared: Iterable[str] = (),
) -> Cause:
    """OSDs that have a cause in common, with their typical evidence."""
    names = sorted(shared, key=lambda name: (len(name), name))  # disk9 before disk10
    return Cause(cohort, [_typical(grounds)], tuple(sorted(set(slow))), kind=kind, shared=names)


def _together(cohort: Cohort, some: Sequence[Cause], kind: str = TOGETHER) -> Cause:
    slow = [osd for cause in some for osd in cause.slow]
    return _in_common(cohort, [one.worst for one in some], slow, kind)


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
