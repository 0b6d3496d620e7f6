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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

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
        there = [sample for phase in own for sample in by_phase[phase.name]]
        measured = {phase.step.operation: _by_osd(by_phase[phase.name]) for phase in own}
        osds = tuple(sorted({osd for phase in own for osd in phase.osds}))
        part = Part(name, own[0].rest_seconds, osds, measured=measured)
        if there:
            started = min(sample.started_at for sample in there)
            ended = max(sample.started_at + sample.call_seconds for sample in there)
            whole = len(there) >= plan.repeats * sum(phase.count for phase in own)
            load_ended = next((one.ended_at for one in found if one.name == TOGETHER), None)
            since = None if load_ended is None else max(0.0, started - load_ended)
            part = replace(
                part, started_at=started, ended_at=ended if whole else None, since_load=since
            )
        found.append(part)
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


def by_osd(samples: Iterable[Sample], usable: bool = False) -> dict[int, list[Sample]]:
    """The samples by OSD; ``usable``: only valid ones with a rate."""
    found: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        if not usable or (sample.valid and sample.bytes_per_second):
            found[sample.osd].append(sample)
    return found


def _by_osd(samples: Sequence[Sample]) -> Mapping[int, MeasuredPhase]:
    return {osd: _measured(own) for osd, own in sorted(by_osd(samples, usable=True).items())}


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
    by_host: dict[str, list[int]] = defaultdict(list)
    for osd in parts[BEFORE].osds if BEFORE in parts else ():
        by_host[hosts.get(osd, "unknown")].append(osd)
    return tuple(
        conclusion
        for host, osds in sorted(by_host.items())
        for operation in (WRITE, READ)
        for conclusion in _Case(host, osds, operation, parts).conclusions()
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
        if part is None:
            return math.nan
        found = percent_of_before(list(self.parts.values()), part, self.operation, self.osds)
        return math.nan if found is None else found

    def rate(self, name: str) -> float:
        """The median of their rates in bytes/s."""
        there = self.parts[name].measured.get(self.operation, {})
        return median([there[osd].bytes_per_second for osd in self.osds if osd in there])

    def evidence(self, name: str) -> dict[str, object]:
        return {
            "host": self.host,
            "operation": self.operation,
            "osds": list(self.osds),
            "before_bytes_per_second": self.rate(BEFORE),
            f"{name}_bytes_per_second": self.rate(name),
            "percent": round(self.percent(name), 1),
            "threshold_percent": round(LOW_PERCENT, 1),
        }

    def figures(self, name: str) -> str:
        """The two rates as text."""
        return f"{self.rate(name) / MIB:.0f} of {self.rate(BEFORE) / MIB:.0f} MiB/s"

    def conclusions(self) -> Iterator[Conclusion]:
        together, after = self.percent(TOGETHER), self.percent(AFTER)
        if together < LOW_PERCENT:
            yield Conclusion(
                "collapse-together",
                f"{self.words} of an OSD on {self.host} fall to {together:.0f} % while all "
                f"chosen OSDs of the host work: {self.figures(TOGETHER)}",
                self.evidence(TOGETHER),
            )
        if not after < LOW_PERCENT:
            return
        rested = [
            part
            for name, part in self.parts.items()
            if name.startswith(f"{RESTED}-") and part.measured.get(self.operation)
        ]
        back = next((one for one in rested if self.percent(one.name) >= BACK_PERCENT), None)
        evidence = self.evidence(AFTER)
        message = (
            f"{self.words} on {self.host} stay at {after:.0f} % when an OSD is alone "
            f"again: {self.figures(AFTER)}"
        )
        waited = [part.since_load for part in rested if part.since_load is not None]
        if back is None and waited:
            evidence["still_after_minutes"] = round(max(waited) / 60, 1)
            message = f"{message}, and are not back after {span(max(waited))}"
        yield Conclusion("degraded-after-load", message, evidence)
        if back is not None and back.since_load is not None:
            yield self._recovered(back.name, back.since_load, rested.index(back) + 1)

    def _recovered(self, name: str, seconds: float, rests: int) -> Conclusion:
        return Conclusion(
            "recovered-after",
            f"{self.words} on {self.host} are back at {self.percent(name):.0f} % "
            f"after {span(seconds)} ({plural(rests, 'rest')})",
            {
                "host": self.host,
                "operation": self.operation,
                "minutes": round(seconds / 60, 1),
                "rests": rests,
                "phase": name,
                "bytes_per_second": self.rate(name),
                "percent": round(self.percent(name), 1),
                "threshold_percent": BACK_PERCENT,
            },
        )


# Ceph's osd_mclock_iops_capacity_threshold_hdd (17 and later): the most operations of 4 KiB a
# second that are plausible for a spinning device.
WAL_THRESHOLD = 500.0


def wal_conclusions(
    plan: Plan, samples: Sequence[Sample], wals: Mapping[int, Wal]
) -> tuple[Conclusion, ...]:
    """The conclusions from two benches of each OSD; OSDs with the same one are grouped."""
    parts = {part.name: part for part in parts_of(plan, samples)}
    if DEFERRED not in parts or DIRECT not in parts:
        return ()
    sides = [parts[name].measured.get(WRITE, {}) for name in (DEFERRED, DIRECT)]
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for osd in sorted(sides[0].keys() & sides[1].keys()):
        wal = wals.get(osd, Wal())
        code, shown = _wal_found(wal.on_flash, *(side[osd].iops for side in sides))
        groups[code, shown, _metadata_text(wal)].append(osd)
    found = []
    for (code, shown, told), osds in sorted(groups.items()):
        deferred, direct = (median([side[osd].iops for osd in osds]) for side in sides)
        message = (
            f"{osd_names(osds)}: {shown}: {deferred:.0f} deferred and {direct:.0f} direct "
            f"writes/s (metadata: {told})"
        )
        evidence: dict[str, Any] = {
            "osds": osds,
            "deferred_iops": round(deferred, 1),
            "direct_iops": round(direct, 1),
            "threshold_iops": WAL_THRESHOLD,
            "metadata": told,
        }
        found.append(Conclusion(code, message, evidence))
    return tuple(found)


def _wal_found(on_flash: Optional[bool], deferred: float, direct: float) -> tuple[str, str]:
    """The conclusion's code, also for a contradiction to the OSD's metadata, and its words."""
    if direct > WAL_THRESHOLD:
        return "wal-unclear", (
            "the data is not as slow as on a spinning device, so nothing is told of the log"
        )
    is_fast = deferred > WAL_THRESHOLD
    where = "on flash" if is_fast else "as slow as a spinning device"
    if on_flash in (None, is_fast):
        code = "wal-on-flash" if is_fast else "wal-on-disk"
        return code, f"the write-ahead log is {where}"
    return "wal-differs", f"the write-ahead log is {where}, which is not what the OSD says"


def _metadata_text(wal: Wal) -> str:
    where = f"a {wal.dedicated} device of its own" if wal.dedicated else "the device of the data"
    kinds = {None: "of unknown kind", True: "flash", False: "spinning"}
    return f"{where}, {kinds[wal.on_flash]}"
