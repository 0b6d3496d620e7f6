"""From a round's samples to its parts, and what the parts of sandwiches and of WAL rounds show.

**A sandwich** shows whether OSDs of a host slow each other down, and stay slow afterwards. Each OSD
measured alone is compared with itself before; for a host the median of these counts. Writes and
reads are judged separately, because in the published case (Nelson, January 2024) only
reads stayed slow: one OSD read 5716 MB/s alone, 3190 while eight ran, 523 (9 %) alone after that,
and 637, 609, 362 and then 6581 after pauses of 20 to 30 min; it wrote 3998, 2494, 3794 (95 %),
3724, 3860, 3972 and 3998.

**A round of write-ahead logs** shows on which device they are, to compare it with the metadata.
On OSDs with data on a spinning device small writes are *deferred*: complete when they are in the
log, written to their place later. Larger ones are complete when they are in their place. So, with
WAL_THRESHOLD as the limit of a spinning device:

| deferred | direct | |
| --- | --- | --- |
| over | under | the log is on flash |
| under | under | the log is on a spinning device, too |
| any | over | the data is on something faster (a cache, a virtual disk): nothing is known |
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ...model.osd import Wal
from ...model.phrases import osd_names, plural, span
from ...model.plan import (
    AFTER,
    BEFORE,
    DEFERRED,
    DIRECT,
    MIB,
    READ,
    RESTED,
    TOGETHER,
    WRITE,
    Phase,
    Plan,
    Sample,
)
from ...model.round import Conclusion, MeasuredPhase, Part
from ...model.statistics import cv_percent, median


def parts_of(plan: Plan, samples: Sequence[Sample]) -> tuple[Part, ...]:
    """A plan's parts in their order, as far as they were measured."""
    by_phase: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_phase[sample.phase].append(sample)
    phases: dict[str, list[Phase]] = defaultdict(list)
    for phase in plan.phases:
        phases[phase.part or phase.name].append(phase)
    found: list[Part] = []
    for name, own in phases.items():
        load_ended = next((part.ended_at for part in found if part.name == TOGETHER), None)
        found.append(_part(name, own, by_phase, plan.repeats, load_ended))
    return tuple(
        replace(
            part, percent_of_before={op: percent_of_before(found, part, op) for op in part.measured}
        )
        for part in found
    )


def percent_of_before(
    parts: Sequence[Part], part: Part, operation: str, osds: Optional[Sequence[int]] = None
) -> Optional[float]:
    """What OSDs reach in a part, of what each of them reached in BEFORE; their median, in percent.

    Of these ``osds``, or of all that both measured; None where there are none.
    """
    before = next((one for one in parts if one.name == BEFORE), None)
    if before is None:
        return None
    then, now = before.measured.get(operation, {}), part.measured.get(operation, {})
    shared = [osd for osd in then if osd in now and (osds is None or osd in osds)]
    if not shared:
        return None
    return 100 * median([now[o].bytes_per_second / then[o].bytes_per_second for o in shared])


def _part(
    name: str,
    phases: Sequence[Phase],
    by_phase: Mapping[str, Sequence[Sample]],
    repeats: int,
    load_ended: Optional[float],
) -> Part:
    samples = [sample for phase in phases for sample in by_phase.get(phase.name, ())]
    osds = tuple(sorted({osd for phase in phases for osd in phase.osds}))
    part = Part(
        name,
        phases[0].rest_seconds,
        osds,
        measured={phase.step.operation: _by_osd(by_phase.get(phase.name, ())) for phase in phases},
    )
    if not samples:
        return part
    started = min(sample.started_at for sample in samples)
    planned = repeats * sum(phase.count for phase in phases)
    ended = max(sample.started_at + sample.call_seconds for sample in samples)
    since = None if load_ended is None else max(0.0, started - load_ended)
    all_there = len(samples) >= planned
    return replace(
        part, started_at=started, ended_at=ended if all_there else None, since_load=since
    )


def _by_osd(samples: Sequence[Sample]) -> Mapping[int, MeasuredPhase]:
    found: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        if sample.valid and sample.bytes_per_second:
            found[sample.osd].append(sample)
    return {osd: _measured(own) for osd, own in sorted(found.items())}


def _measured(samples: Sequence[Sample]) -> MeasuredPhase:
    rates = [sample.bytes_per_second or 0.0 for sample in samples]
    return MeasuredPhase(
        median(rates),
        median([sample.iops or 0.0 for sample in samples]),
        len(samples),
        cv_percent(rates),
    )


# Two figures that each vary by 10 % between runs, as on an untuned cluster (Stachecki 2024), differ
# by more than this by chance once in 40: 100 exp(-2 sqrt(2) 0.10).
LOW_PERCENT = 100 * math.exp(-2 * math.sqrt(2) * 0.10)
# Within that variation of the first figure.
BACK_PERCENT = 90.0
_WORDS = {WRITE: "writes", READ: "reads"}


def sandwich_conclusions(
    plan: Plan, hosts: Mapping[int, str], samples: Sequence[Sample]
) -> tuple[Conclusion, ...]:
    """The conclusions of a round that ran to its end; ``hosts`` has the host of each OSD."""
    parts = {part.name: part for part in parts_of(plan, samples)}
    if BEFORE not in parts:
        return ()
    by_host: dict[str, list[int]] = defaultdict(list)
    for osd in parts[BEFORE].osds:
        by_host[hosts.get(osd, "unknown")].append(osd)
    return tuple(
        conclusion
        for host, osds in sorted(by_host.items())
        for operation in (WRITE, READ)
        for conclusion in _sandwich_conclusions(_Case(host, osds, operation, parts))
    )


class _Case:
    """One operation of the OSDs of one host that were measured alone."""

    def __init__(
        self, host: str, osds: Sequence[int], operation: str, parts: Mapping[str, Part]
    ) -> None:
        self.host, self.osds, self.operation, self.parts = host, osds, operation, parts
        self.words = _WORDS[operation]

    def percent(self, name: str) -> float:
        """Their rate in a part in percent of that before; NaN if unknown."""
        part = self.parts.get(name)
        found = None
        if part is not None:
            found = percent_of_before(list(self.parts.values()), part, self.operation, self.osds)
        return math.nan if found is None else found

    def rate(self, name: str) -> float:
        """The median of their rates in bytes/s."""
        there = self.parts[name].measured.get(self.operation, {})
        return median([there[osd].bytes_per_second for osd in self.osds if osd in there])

    def evidence(self, name: str, threshold: float) -> dict[str, object]:
        return {
            "host": self.host,
            "operation": self.operation,
            "osds": list(self.osds),
            "before_bytes_per_second": self.rate(BEFORE),
            f"{name}_bytes_per_second": self.rate(name),
            "percent": round(self.percent(name), 1),
            "threshold_percent": round(threshold, 1),
        }

    def figures(self, name: str) -> str:
        """The two rates as text."""
        return f"{self.rate(name) / MIB:.0f} of {self.rate(BEFORE) / MIB:.0f} MiB/s"


def _sandwich_conclusions(case: _Case) -> Iterator[Conclusion]:
    together = case.percent(TOGETHER)
    if together < LOW_PERCENT:
        yield Conclusion(
            "collapse-together",
            f"{case.words} of an OSD on {case.host} fall to {together:.0f} % while all "
            f"chosen OSDs of the host work: {case.figures(TOGETHER)}",
            case.evidence(TOGETHER, LOW_PERCENT),
        )
    after = case.percent(AFTER)
    if not after < LOW_PERCENT:
        return
    back = next((part for part in _rested(case) if case.percent(part.name) >= BACK_PERCENT), None)
    evidence = case.evidence(AFTER, LOW_PERCENT)
    lasting: Optional[float] = None
    if back is None:
        minutes = [part.since_load / 60 for part in _rested(case) if part.since_load is not None]
        if minutes:
            lasting = max(minutes)
            evidence["still_after_minutes"] = round(lasting, 1)
    message = (
        f"{case.words} on {case.host} stay at {after:.0f} % when an OSD is alone "
        f"again: {case.figures(AFTER)}"
    )
    if lasting is not None:
        message = f"{message}, and are not back after {span(60 * lasting)}"
    yield Conclusion("degraded-after-load", message, evidence)
    if back is not None and back.since_load is not None:
        yield _recovered(case, back, back.since_load)


def _rested(case: _Case) -> list[Part]:
    """The parts after rests that measured the operation."""
    return [
        part
        for name, part in case.parts.items()
        if name.startswith(f"{RESTED}-") and part.measured.get(case.operation)
    ]


def _recovered(case: _Case, part: Part, seconds: float) -> Conclusion:
    rests = [one.name for one in _rested(case)].index(part.name) + 1
    return Conclusion(
        "recovered-after",
        f"{case.words} on {case.host} are back at {case.percent(part.name):.0f} % "
        f"after {span(seconds)} ({plural(rests, 'rest')})",
        {
            "host": case.host,
            "operation": case.operation,
            "minutes": round(seconds / 60, 1),
            "rests": rests,
            "phase": part.name,
            "bytes_per_second": case.rate(part.name),
            "percent": round(case.percent(part.name), 1),
            "threshold_percent": BACK_PERCENT,
        },
    )


# Ceph's osd_mclock_iops_capacity_threshold_hdd (17 and later): the most operations of 4 KiB a
# second that are plausible for a spinning device.
WAL_THRESHOLD = 500.0
_ON_FLASH, _ON_DISK, _UNCLEAR = "wal-on-flash", "wal-on-disk", "wal-unclear"
_DIFFERS = "wal-differs"


class _WalFound(NamedTuple):
    osd: int
    code: str
    deferred: float
    direct: float


def wal_conclusions(
    plan: Plan, samples: Sequence[Sample], wals: Mapping[int, Wal]
) -> tuple[Conclusion, ...]:
    """The conclusions from two benches of each OSD; OSDs with the same one are grouped."""
    parts = {part.name: part for part in parts_of(plan, samples)}
    if DEFERRED not in parts or DIRECT not in parts:
        return ()
    deferred = parts[DEFERRED].measured.get(WRITE, {})
    direct = parts[DIRECT].measured.get(WRITE, {})
    groups: dict[tuple[str, str], list[_WalFound]] = defaultdict(list)
    for osd in sorted(deferred.keys() & direct.keys()):
        found = _wal_found(osd, deferred[osd], direct[osd])
        wal = wals.get(osd, Wal())
        groups[_wal_code(found.code, wal.on_flash), _metadata_text(wal)].append(found)
    return tuple(_wal_conclusion(code, told, own) for (code, told), own in sorted(groups.items()))


def _wal_found(osd: int, deferred: MeasuredPhase, direct: MeasuredPhase) -> _WalFound:
    if direct.iops > WAL_THRESHOLD:
        code = _UNCLEAR
    else:
        code = _ON_FLASH if deferred.iops > WAL_THRESHOLD else _ON_DISK
    return _WalFound(osd, code, deferred.iops, direct.iops)


def _wal_code(code: str, on_flash: Optional[bool]) -> str:
    """The code of the conclusion, or the code for a contradiction to the OSD's metadata."""
    if code == _UNCLEAR or on_flash is None or on_flash == (code == _ON_FLASH):
        return code
    return _DIFFERS


def _metadata_text(wal: Wal) -> str:
    where = f"a {wal.dedicated} device of its own" if wal.dedicated else "the device of the data"
    if wal.on_flash is None:
        return f"{where}, of unknown kind"
    if wal.on_flash:
        return f"{where}, flash"
    return f"{where}, spinning"


def _wal_conclusion(code: str, told: str, own: Sequence[_WalFound]) -> Conclusion:
    deferred = median([found.deferred for found in own])
    direct = median([found.direct for found in own])
    osds = [found.osd for found in own]
    evidence: dict[str, Any] = {
        "osds": osds,
        "deferred_iops": round(deferred, 1),
        "direct_iops": round(direct, 1),
        "threshold_iops": WAL_THRESHOLD,
        "metadata": told,
    }
    message = (
        f"{osd_names(osds)}: {_wal_sentence(code, deferred)}: {deferred:.0f} "
        f"deferred and {direct:.0f} direct writes/s (metadata: {told})"
    )
    return Conclusion(code, message, evidence)


def _wal_sentence(code: str, deferred: float) -> str:
    if code == _ON_FLASH:
        return "the write-ahead log is on flash"
    if code == _ON_DISK:
        return "the write-ahead log is as slow as a spinning device"
    if code == _UNCLEAR:
        return "the data is not as slow as on a spinning device, so nothing is told of the log"
    if deferred > WAL_THRESHOLD:
        return "the write-ahead log is on flash, which is not what the OSD says"
    return "the write-ahead log is as slow as a spinning device, which is not what the OSD says"
