"""Compare mClock's configured capacities with the results of rounds.

The profile ``osd-iops`` makes the same call with which an OSD measures its capacity at its start,
so the figures can be compared. Like Ceph, this proposes no value outside the range of
``osd_mclock_iops_capacity_threshold_*``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

from ...model import capacity as words
from ...model.capacity import Capacity
from ...model.doctor_snapshot import Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.osd_options import MCLOCK_CAPACITY
from .wording import config_rm, ids, osds, some, target_of, together

_QUEUE = "osd_op_queue"
# Ceph's defaults, for releases in which the option has another name or is missing.
_RANGES = {"hdd": (50.0, 500.0), "ssd": (1000.0, 80000.0)}
# Repeats of one OSD differ by a tenth; a factor of two means that the value is wrong.
_FAR = 2.0
_BAD = (words.FAR, words.IMPLAUSIBLE)


def capacities(snapshot: DoctorSnapshot) -> list[Capacity]:
    """The capacities of all OSDs that are up, by ID."""
    return [_capacity(snapshot, details) for details in snapshot.up()]


def _capacity(snapshot: DoctorSnapshot, details: OsdDetails) -> Capacity:
    option = MCLOCK_CAPACITY[details.kind]
    configured, result = snapshot.number(details, option), snapshot.measured.get(details.osd.id)
    measured = None if result is None else result.iops
    low, high = _range(snapshot, details)
    verdict = _verdict(snapshot.option(details, _QUEUE), configured, measured, (low, high))
    own = snapshot.own(details, option)
    return Capacity(
        osd=details.osd.id,
        device_class=details.osd.device_class,
        option=option,
        configured=configured,
        measured=measured,
        round=None if result is None else result.round,
        range=(low, high),
        source="osd" if own is not None else "cluster" if snapshot.several(option) else "default",
        own=own,
        verdict=verdict,
        # Like Ceph, propose nothing outside the range.
        proposed=round(measured)
        if measured is not None and low <= measured <= high and verdict in _BAD
        else None,
    )


def _range(snapshot: DoctorSnapshot, details: OsdDetails) -> tuple[float, float]:
    low, high = _RANGES[details.kind]
    stem = "osd_mclock_iops_capacity"
    thresholds = (
        snapshot.number(details, f"{stem}_low_threshold_{details.kind}"),
        snapshot.number(details, f"{stem}_threshold_{details.kind}"),
    )
    return thresholds[0] or low, thresholds[1] or high


def _verdict(
    queue: Optional[str],
    configured: Optional[float],
    measured: Optional[float],
    range_: tuple[float, float],
) -> str:
    if queue is None or configured is None:
        return words.UNKNOWN
    if not queue.startswith("mclock"):
        return words.UNUSED
    near = bool(measured) and 1 / _FAR <= configured / (measured or 1) <= _FAR
    if not range_[0] <= configured <= range_[1] and not near:
        return words.IMPLAUSIBLE
    if measured is None:
        return words.UNMEASURED
    if not range_[0] <= measured <= range_[1]:
        return words.UNLIKELY
    return words.OK if near else words.FAR


def mclock_capacity(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Capacities that are implausible or far from the results of rounds."""
    bad = {one.osd: one for one in capacities(snapshot) if one.verdict in _BAD}
    have = [snapshot.osds[osd] for osd in sorted(bad)]
    if have:
        first = bad[have[0].osd.id]
        against = f", measured {first.measured:.0f}" if first.measured else ""
        yield Advice(
            "MCLOCK_CAPACITY",
            Severity.WARNING,
            target_of(have),
            f"mClock has a wrong capacity of {osds(have)}: {first.option} of osd.{first.osd} is "
            f"{first.configured:.0f}{against}, plausible is {first.range[0]:.0f} to "
            f"{first.range[1]:.0f}; it limits clients and recovery",
            _fix(snapshot, list(bad.values())),
            "Ceph's documentation: mClock config reference, OSD capacity determination",
            ids(have),
            {**some(have), "configured_iops": first.configured, "measured_iops": first.measured},
            risk=True,
        )


def _fix(snapshot: DoctorSnapshot, bad: Sequence[Capacity]) -> str:
    """The commands that set measured values, or remove values, so that Ceph's defaults apply."""
    commands = (
        ["ceph perf-bench mclock propose --apply"] if any(one.proposed for one in bad) else []
    )
    for one in bad:
        if one.proposed is None:
            set_ = snapshot.set_for(one.option, [snapshot.osds[one.osd]])
            commands += [config_rm(setting.who, setting.name) for setting in set_]
    return together(commands or ["ceph perf-bench round start osd-iops"])
