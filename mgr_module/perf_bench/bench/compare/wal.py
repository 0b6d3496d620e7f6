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
from ...model.said import Said, say
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


def _told(wal: Wal) -> Said:
    where = (
        say("wal-own-device", "a {kind} device of its own", kind=wal.dedicated)
        if wal.dedicated
        else say("wal-data-device", "the device of the data")
    )
    if wal.on_flash is None:
        return say("wal-kind-unknown", "{where}, of unknown kind", where=where)
    if wal.on_flash:
        return say("wal-kind-flash", "{where}, flash", where=where)
    return say("wal-kind-spinning", "{where}, spinning", where=where)


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
    message = say(
        "wal",
        "{osds:osds}: {what}: {deferred:.0f} deferred and {direct:.0f} direct writes/s "
        "(metadata: {metadata})",
        osds=osds,
        what=_sentence(code, deferred),
        deferred=deferred,
        direct=direct,
        metadata=told,
    )
    return Conclusion(code, message, evidence)


def _sentence(code: str, deferred: float) -> Said:
    if code == _ON_FLASH:
        return say("wal-on-flash", "the write-ahead log is on flash")
    if code == _ON_DISK:
        return say("wal-on-disk", "the write-ahead log is as slow as a spinning device")
    if code == _UNCLEAR:
        return say(
            "wal-unclear",
            "the data is not as slow as on a spinning device, so nothing is told of the log",
        )
    if deferred > THRESHOLD:
        return say(
            "wal-differs-flash",
            "the write-ahead log is on flash, which is not what the OSD says",
        )
    return say(
        "wal-differs-disk",
        "the write-ahead log is as slow as a spinning device, which is not what the OSD says",
    )
