"""Reduces flags to causes: for OSDs that are slow together, the widest unit is the one cause."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Optional

from ....model.statistics import median
from .channel import ChannelState
from .persistence import Flag
from .thresholds import Thresholds
from .topology import Cohort, Unit

ACUTE, SUSTAINED, SMALL, INTERMITTENT = "acute", "sustained", "small-cohort", "intermittent"
SHARE = "share"  # a unit is slow because most of its members or parts are


@dataclass(frozen=True)
class SlowEvidence:
    """Why something is called slow: the rule, the channel and the rule's figures.

    ``floor`` is the time in seconds that was added to both latencies before the comparison.
    """

    path: str
    channel: str
    flag: Flag
    floor: float = 0.0

    @property
    def milliseconds(self) -> tuple[float, float]:
        """Its latency and its peers' in milliseconds, without the floor."""
        facts = self.flag.facts
        own, peers = (1000 * (math.exp(level) - self.floor) for level in (facts.level, facts.peers))
        return max(own, 0.0), max(peers, 0.0)


@dataclass
class Cause:
    """One slow OSD, unit or cohort (neither ``osd`` nor ``unit``), with all evidence for it."""

    cohort: Cohort
    grounds: list[SlowEvidence]
    unit: Optional[Unit] = None
    osd: Optional[int] = None
    slow: tuple[int, ...] = ()  # the OSDs whose slowness it explains

    @property
    def worst(self) -> SlowEvidence:
        return max(self.grounds, key=lambda ground: ground.flag.facts.excess)

    @property
    def since(self) -> float:
        return min(ground.flag.since for ground in self.grounds)


@dataclass
class Attribution:
    """All causes, and by OSD the cause that names it and the wider cause that includes it."""

    causes: list[Cause] = field(default_factory=list)
    accused: dict[int, Cause] = field(default_factory=dict)
    part_of: dict[int, Cause] = field(default_factory=dict)


def judge(
    channel_states: Iterable[ChannelState], cohorts: Iterable[Cohort], settings: Thresholds
) -> Attribution:
    """Return the causes behind all flags of all channels."""
    channel_states = list(channel_states)
    result = Attribution()
    for cohort in cohorts:
        osds = _osd_grounds(channel_states, cohort)
        units = _unit_grounds(channel_states, cohort)
        if osds or units:
            _judge_cohort(cohort, osds, units, settings, result)
    return result


def _osd_grounds(
    channel_states: list[ChannelState], cohort: Cohort
) -> dict[int, list[SlowEvidence]]:
    found: dict[int, list[SlowEvidence]] = {}
    for channel_state in channel_states:
        cohort_channel, bursts = (
            channel_state.cohort_channels[cohort.name],
            channel_state.bursts[cohort.name],
        )
        lasting = SMALL if cohort_channel.small else SUSTAINED
        paths = (
            (ACUTE, cohort_channel.acute.flags),
            (lasting, cohort_channel.sustained.flags),
            (INTERMITTENT, bursts.flags),
        )
        for path, flags in paths:
            for osd, flag in flags.items():
                found.setdefault(osd, []).append(
                    SlowEvidence(path, channel_state.channel, flag, channel_state.floor)
                )
    return found


def _unit_grounds(
    channel_states: list[ChannelState], cohort: Cohort
) -> dict[tuple[str, str], list[SlowEvidence]]:
    found: dict[tuple[str, str], list[SlowEvidence]] = {}
    for channel_state in channel_states:
        units = channel_state.cohort_channels[cohort.name].units
        for path, flags in ((ACUTE, units.acute.flags), (SUSTAINED, units.sustained.flags)):
            for key, flag in flags.items():
                found.setdefault(key, []).append(
                    SlowEvidence(path, channel_state.channel, flag, channel_state.floor)
                )
    return found


def _judge_cohort(
    cohort: Cohort,
    osds: dict[int, list[SlowEvidence]],
    units: dict[tuple[str, str], list[SlowEvidence]],
    settings: Thresholds,
    result: Attribution,
) -> None:
    causes = _few(cohort, _widest(_unit_causes(cohort, osds, units, settings)), settings)
    around: dict[int, list[Cause]] = {}
    for cause in causes:
        for osd in cause.slow:
            around.setdefault(osd, []).append(cause)
    rest: list[Cause] = []
    for osd, grounds in osds.items():
        own = Cause(cohort, grounds, osd=osd, slow=(osd,))
        if not all(_more_than(own, cause, settings) for cause in around.get(osd, ())):
            continue
        rest.append(own)
    for cause in causes:
        result.part_of.update(dict.fromkeys(cause.slow, cause))
    result.causes += causes
    most = max(settings.cap_members, math.ceil(settings.cap_share * cohort.size))
    if len(rest) > most:
        together = _together(cohort, rest)
        result.causes.append(together)
        result.part_of.update(dict.fromkeys(together.slow, together))
    else:
        result.causes += rest
        result.accused.update({cause.osd: cause for cause in rest if cause.osd is not None})


def _unit_causes(
    cohort: Cohort,
    osds: dict[int, list[SlowEvidence]],
    units: Mapping[tuple[str, str], list[SlowEvidence]],
    settings: Thresholds,
) -> list[Cause]:
    """Return the units that have flags, or of which most members or parts are slow."""
    slow = {cohort.place[osd] for osd in osds if osd in cohort.place}
    for unit in cohort.units:
        if unit.key in units:
            slow.update(unit.members)
    causes = []
    for unit in cohort.units:
        members = tuple(cohort.members[place].osd for place in unit.members)
        if unit.key in units:
            causes.append(Cause(cohort, units[unit.key], unit=unit, slow=members))
        elif _mostly(cohort, unit, slow, settings):
            grounds = _shared_grounds(unit, osds, units, cohort)
            causes.append(Cause(cohort, grounds, unit=unit, slow=members))
    return causes


def _mostly(cohort: Cohort, unit: Unit, slow: set[int], settings: Thresholds) -> bool:
    count = len(slow.intersection(unit.members))
    least = min(settings.unit_members, len(unit.members))
    if count < max(least, settings.unit_share * len(unit.members)):
        return False
    # A rack is not slow because of a single host.
    inside = [cohort.units[at] for at in unit.parts]
    for kind in {part.kind for part in inside}:
        parts = [part for part in inside if part.kind == kind]
        sick = [
            part
            for part in parts
            if len(slow.intersection(part.members)) >= settings.unit_share * len(part.members)
        ]
        if len(sick) < max(min(2, len(parts)), settings.unit_share * len(parts)):
            return False
    return True


def _shared_grounds(
    unit: Unit,
    osds: dict[int, list[SlowEvidence]],
    units: Mapping[tuple[str, str], list[SlowEvidence]],
    cohort: Cohort,
) -> list[SlowEvidence]:
    """Return a unit's evidence: that of its median part."""
    parts = [
        max(osds[osd], key=lambda ground: ground.flag.facts.excess)
        for osd in (cohort.members[place].osd for place in unit.members)
        if osd in osds
    ]
    for at in unit.parts:
        parts += units.get(cohort.units[at].key, [])
    parts.sort(key=lambda ground: ground.flag.facts.excess)
    typical = parts[len(parts) // 2]
    since = median([ground.flag.since for ground in parts])
    old = typical.flag
    flag = replace(old, since=since)
    return [replace(typical, path=SHARE, flag=flag)]


def _widest(causes: list[Cause]) -> list[Cause]:
    """Return the causes that are not mostly inside a wider one."""
    kept: list[Cause] = []
    around: dict[int, list[int]] = {}  # by OSD the kept causes it is part of
    for cause in sorted(causes, key=lambda cause: -len(cause.slow)):
        shared = Counter(at for osd in cause.slow for at in around.get(osd, ()))
        if any(2 * count > len(cause.slow) for count in shared.values()):
            continue
        for osd in cause.slow:
            around.setdefault(osd, []).append(len(kept))
        kept.append(cause)
    return kept


def _more_than(own: Cause, wider: Cause, settings: Thresholds) -> bool:
    """Whether an OSD is slower than the wider cause explains."""
    cohort = own.cohort
    if own.osd is None or wider.unit is None:
        return False  # the cause is the whole cohort
    group = cohort.groups[cohort.group_of[cohort.place[own.osd]]]
    if not group.wide and set(range(group.start, group.end)) <= set(wider.unit.members):
        return True  # it was compared with the unit's own members
    common = wider.worst.flag.facts.excess
    for ground in own.grounds:
        facts = ground.flag.facts
        more = facts.excess - common
        sure = more * facts.z >= settings.sustained_z * facts.excess
        if sure and more >= math.log(settings.sustained_ratio):
            return True
    return False


def _few(cohort: Cohort, causes: list[Cause], settings: Thresholds) -> list[Cause]:
    """Replace the units of a kind by the cohort where too many of them are slow at once."""
    for kind in {cause.unit.kind for cause in causes if cause.unit}:
        mine = [cause for cause in causes if cause.unit and cause.unit.kind == kind]
        total = sum(unit.kind == kind for unit in cohort.units)
        if len(mine) > max(settings.cap_members, settings.suspend_share * total):
            causes = [cause for cause in causes if cause not in mine]
            causes.append(_together(cohort, mine))
    return causes


def _together(cohort: Cohort, causes: list[Cause]) -> Cause:
    grounds = sorted((cause.worst for cause in causes), key=lambda ground: ground.flag.facts.excess)
    slow = {osd for cause in causes for osd in cause.slow}
    return Cause(cohort, [grounds[len(grounds) // 2]], slow=tuple(sorted(slow)))
