"""Reduces flags to causes: for OSDs that are slow together, the widest unit is the one cause."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Optional

from ....model.statistics import median
from .bursts import Bursts
from .channel import ChannelState
from .common_cause import NONE, Common
from .persistence import Facts, Flag
from .thresholds import Thresholds
from .topology import Cohort, Unit

ACUTE, SUSTAINED, SMALL, INTERMITTENT = "acute", "sustained", "small-cohort", "intermittent"
SHARE = "share"  # a unit is slow because most of its members or parts are
# What the OSDs of a cause have in common, if neither OSD nor unit is at fault.
TOGETHER = ""  # too many of the cohort
BURSTS, POSITIONS, GENERATION = "bursts", "positions", "hosts"
_HOUR = 3600.0
# Minutes for which an OSD with bursts may be slow without another cause.
_BURST_MINUTES = 10


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
    """One slow OSD, unit or cohort (neither ``osd`` nor ``unit``), with all evidence for it.

    ``kind`` and ``common`` say what the OSDs of a cohort have in common.
    """

    cohort: Cohort
    grounds: list[SlowEvidence]
    unit: Optional[Unit] = None
    osd: Optional[int] = None
    slow: tuple[int, ...] = ()  # the OSDs whose slowness it explains
    kind: str = TOGETHER
    common: Common = NONE

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
        shared = _common_causes(channel_states, cohort)
        for cause in shared:
            result.part_of.update(dict.fromkeys(cause.slow, cause))
        result.causes += shared
        if osds or units:
            _judge_cohort(cohort, osds, units, settings, result)
    return result


def _common_causes(channel_states: list[ChannelState], cohort: Cohort) -> list[Cause]:
    """Return the causes that OSDs or units of different hosts have in common, one of each kind."""
    found: list[Cause] = []
    for kind in (GENERATION, BURSTS, POSITIONS):
        causes = [
            cause
            for channel_state in channel_states
            for cause in _common_in(channel_state, cohort, kind)
        ]
        if causes:  # of several channels the one with most OSDs stands for all
            found.append(max(causes, key=lambda cause: len(cause.slow)))
    return found


def _common_in(channel_state: ChannelState, cohort: Cohort, kind: str) -> Iterator[Cause]:
    cohort_channel = channel_state.cohort_channels[cohort.name]
    bursts = channel_state.bursts[cohort.name]
    if kind == GENERATION:
        generation = cohort_channel.units.generation
        if generation:
            yield from _generation(channel_state, cohort, generation)
        return
    lasting = SMALL if cohort_channel.small else SUSTAINED
    rules = {
        BURSTS: ((INTERMITTENT, bursts.flags, bursts.folded),),
        POSITIONS: (
            (ACUTE, cohort_channel.acute.flags, cohort_channel.acute_folded),
            (lasting, cohort_channel.sustained.flags, cohort_channel.sustained_folded),
        ),
    }
    for path, flags, folded in rules[kind]:
        grounds = sorted(
            (
                SlowEvidence(path, channel_state.channel, flags[osd], channel_state.floor)
                for osd in folded.seen
                if osd in flags
            ),
            key=lambda ground: ground.flag.facts.excess,
        )
        if grounds and folded.common.places:  # else at a known position, and not yet shown
            typical = grounds[len(grounds) // 2]
            since = min(ground.flag.since for ground in grounds)
            typical = replace(typical, flag=replace(typical.flag, since=since))
            slow = tuple(sorted(folded.members(cohort)))
            yield Cause(cohort, [typical], slow=slow, kind=kind, common=folded.common)


def _generation(
    channel_state: ChannelState, cohort: Cohort, generation: Mapping[tuple[str, str], Facts]
) -> Iterator[Cause]:
    units = [unit for unit in cohort.units if unit.key in generation and unit.kind == "host"]
    if units:
        facts = sorted((generation[unit.key] for unit in units), key=lambda each: each.excess)
        typical = facts[len(facts) // 2]
        # Since the first data: it has no begin that was seen.
        born = channel_state.cohort_channels[cohort.name].born
        ground = SlowEvidence(
            SHARE, channel_state.channel, Flag(born, typical, typical.excess, 1, 1)
        )
        slow = {cohort.members[place].osd for unit in units for place in unit.members}
        common = Common(frozenset(), (), tuple(sorted(unit.id for unit in units)))
        yield Cause(cohort, [ground], slow=tuple(sorted(slow)), kind=GENERATION, common=common)


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
            (ACUTE, cohort_channel.acute.flags, cohort_channel.acute_folded),
            (lasting, cohort_channel.sustained.flags, cohort_channel.sustained_folded),
            (INTERMITTENT, bursts.flags, bursts.folded),
        )
        for path, flags, folded in paths:
            for osd, flag in flags.items():
                if osd in folded.seen or (path == ACUTE and _is_burst(osd, flag, bursts)):
                    continue
                found.setdefault(osd, []).append(
                    SlowEvidence(path, channel_state.channel, flag, channel_state.floor)
                )
    return found


def _is_burst(osd: int, flag: Flag, bursts: Bursts) -> bool:
    """Whether an acute flag is of a longer burst of an OSD whose bursts have a common cause."""
    return osd in bursts.folded.seen and flag.hits <= _BURST_MINUTES


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
    # Many OSDs with bursts must not hide those that are always slow.
    lasting = [cause for cause in rest if any(g.path != INTERMITTENT for g in cause.grounds)]
    fitful = [cause for cause in rest if cause not in lasting]
    for some, kind in ((lasting, TOGETHER), (fitful, BURSTS)):
        if len(some) > most:
            together = _together(cohort, some, kind)
            result.causes.append(together)
            result.part_of.update(dict.fromkeys(together.slow, together))
        else:
            result.causes += some
            result.accused.update({cause.osd: cause for cause in some if cause.osd is not None})


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
            if grounds:  # none if only a wider unit is slow
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
    """Return a unit's evidence: that of its median part; empty if no part has any."""
    parts = [
        max(osds[osd], key=lambda ground: ground.flag.facts.excess)
        for osd in (cohort.members[place].osd for place in unit.members)
        if osd in osds
    ]
    for at in unit.parts:
        parts += units.get(cohort.units[at].key, [])
    if not parts:
        return []
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
        if len(mine) <= max(settings.cap_members, settings.suspend_share * total):
            least = max(settings.unit_cap, settings.unit_cap_share * total)
            mine = [cause for cause in mine if _at_once(cause, mine) > least]
        if mine:
            causes = [cause for cause in causes if cause not in mine]
            causes.append(_together(cohort, mine))
    return causes


def _at_once(cause: Cause, causes: list[Cause]) -> int:
    """Return how many of the causes began within half an hour of this one."""
    return sum(abs(other.since - cause.since) <= _HOUR / 2 for other in causes)


def _together(cohort: Cohort, causes: list[Cause], kind: str = TOGETHER) -> Cause:
    grounds = sorted((cause.worst for cause in causes), key=lambda ground: ground.flag.facts.excess)
    slow = {osd for cause in causes for osd in cause.slow}
    return Cause(cohort, [grounds[len(grounds) // 2]], slow=tuple(sorted(slow)), kind=kind)
