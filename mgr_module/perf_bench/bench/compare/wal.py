"""Find the device of write-ahead logs from measurements, and compare it with the metadata.

On OSDs with data on a spinning device small writes are *deferred*: complete when they are in the
log, written to their place later. Larger ones are complete when they are in their place. So, with
THRESHOLD as the limit of a spinning device:

| deferred | direct | |
| --- | --- | --- |
| over | under | the log is on flash |
| under | under | the log is on a spinning device, too |
| any | over | the data is on a device faster than a spinning one (a cache, or a virtual disk): the log's device cannot be found |
"""  # noqa: E501 - a row of a table

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ...model.bench import WRITE, Sample
from ...model.part import MeasuredPhase
from ...model.plan import DEFERRED, DIRECT, Plan
from ...model.round import Conclusion, Verdict
from ...model.statistics import median
from ...model.wal import Wal
from .phases import parts_of
from .summary import Summary

# Ceph's osd_mclock_iops_capacity_threshold_hdd (17 and later): the most operations of 4 KiB a
# second that are plausible for a spinning device.
THRESHOLD = 500.0
_ON_FLASH, _ON_DISK, _UNCLEAR = "wal-on-flash", "wal-on-disk", "wal-unclear"
_DIFFERS = "wal-differs"
_CONCLUDED = (Verdict.VALID, Verdict.NOISY)
_NAMED = 5


class _Found(NamedTuple):
    osd: int
    code: str
    deferred: float
    direct: float


def with_wal(
    summary: Summary, plan: Plan, samples: Sequence[Sample], wals: Mapping[int, Wal]
) -> Summary:
    """The summary of a round that ran to its end, with conclusions about logs."""
    if summary.verdict not in _CONCLUDED:
        return summary
    said = conclusions(plan, samples, wals)
    return replace(summary, conclusions=(*summary.conclusions, *said))


def conclusions(
    plan: Plan, samples: Sequence[Sample], wals: Mapping[int, Wal]
) -> tuple[Conclusion, ...]:
    """The conclusions from two benches of each OSD; OSDs with the same one are grouped."""
    parts = {part.name: part for part in parts_of(plan, samples)}
    if DEFERRED not in parts or DIRECT not in parts:
        return ()
    deferred = parts[DEFERRED].measured.get(WRITE, {})
    direct = parts[DIRECT].measured.get(WRITE, {})
    groups: dict[tuple[str, str], list[_Found]] = defaultdict(list)
    for osd in sorted(deferred.keys() & direct.keys()):
        found = _found(osd, deferred[osd], direct[osd])
        wal = wals.get(osd, Wal())
        groups[_code(found.code, wal.on_flash), _told(wal)].append(found)
    return tuple(_conclusion(code, told, own) for (code, told), own in sorted(groups.items()))


def _found(osd: int, deferred: MeasuredPhase, direct: MeasuredPhase) -> _Found:
    if direct.iops > THRESHOLD:
        code = _UNCLEAR
    else:
        code = _ON_FLASH if deferred.iops > THRESHOLD else _ON_DISK
    return _Found(osd, code, deferred.iops, direct.iops)


def _code(code: str, on_flash: Optional[bool]) -> str:
    """The code of the conclusion, or the code for a contradiction to the OSD's metadata."""
    if code == _UNCLEAR or on_flash is None or on_flash == (code == _ON_FLASH):
        return code
    return _DIFFERS


def _told(wal: Wal) -> str:
    where = f"a {wal.dedicated} device of its own" if wal.dedicated else "the device of the data"
    kind = {None: "of unknown kind", True: "flash", False: "spinning"}[wal.on_flash]
    return f"{where}, {kind}"


def _conclusion(code: str, told: str, own: Sequence[_Found]) -> Conclusion:
    deferred = median([found.deferred for found in own])
    direct = median([found.direct for found in own])
    osds = [found.osd for found in own]
    evidence: dict[str, Any] = {
        "osds": osds,
        "deferred_iops": round(deferred, 1),
        "direct_iops": round(direct, 1),
        "threshold_iops": THRESHOLD,
        "metadata": told,
    }
    figures = f"{deferred:.0f} deferred and {direct:.0f} direct writes/s (metadata: {told})"
    return Conclusion(code, f"{_names(osds)}: {_sentence(code, deferred)}: {figures}", evidence)


def _sentence(code: str, deferred: float) -> str:
    if code == _ON_FLASH:
        return "the write-ahead log is on flash"
    if code == _ON_DISK:
        return "the write-ahead log is as slow as a spinning device"
    if code == _UNCLEAR:
        return "the data is not as slow as on a spinning device, so nothing is told of the log"
    seen = "on flash" if deferred > THRESHOLD else "as slow as a spinning device"
    return f"the write-ahead log is {seen}, which is not what the OSD says"


def _names(osds: Sequence[int]) -> str:
    named = ", ".join(f"osd.{osd}" for osd in osds[:_NAMED])
    more = len(osds) - _NAMED
    return named + (f" and {more} more" if more > 0 else "")
