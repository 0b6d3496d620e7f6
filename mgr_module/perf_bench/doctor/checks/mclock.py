"""mClock's idea of what OSDs are capable of, held against what rounds measured.

The profile ``osd-iops`` makes the very call with which an OSD finds its capacity at its start, so
the figures can be compared. Ceph itself leaves the capacity alone when its bench says something out
of the range of ``osd_mclock_iops_capacity_threshold_*``; so do we.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

from ...model import capacity as words
from ...model.capacity import Capacity
from ...model.doctor_snapshot import Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.osd_options import MCLOCK_CAPACITY
from .wording import config_rm, ids, osds, some, target_of, together, verb

_QUEUE = "osd_op_queue"
# Ceph's own, for releases whose option has another name or none (18.2: hdd 50 to 500).
_RANGES = {"hdd": (50.0, 500.0), "ssd": (1000.0, 80000.0)}
# Repeats of one OSD differ by a tenth; twice or half is another device, or a bad moment.
_FAR = 2.0
_BAD = (words.FAR, words.IMPLAUSIBLE)


def capacities(chart: DoctorSnapshot) -> list[Capacity]:
    """Of all OSDs that are up, by ID."""
    return [_capacity(chart, patient) for patient in chart.up()]


def _capacity(chart: DoctorSnapshot, patient: OsdDetails) -> Capacity:
    option = MCLOCK_CAPACITY[patient.kind]
    configured, found = chart.number(patient, option), chart.measured.get(patient.osd.id)
    measured = None if found is None else found.iops
    low, high = _range(chart, patient)
    verdict = _verdict(chart.option(patient, _QUEUE), configured, measured, (low, high))
    own = chart.own(patient, option)
    return Capacity(
        osd=patient.osd.id,
        device_class=patient.osd.device_class,
        option=option,
        configured=configured,
        measured=measured,
        round=None if found is None else found.round,
        range=(low, high),
        source="osd" if own is not None else "cluster" if chart.several(option) else "default",
        own=own,
        verdict=verdict,
        # Ceph itself takes over nothing that is out of range.
        proposed=round(measured)
        if measured is not None and low <= measured <= high and verdict in _BAD
        else None,
    )


def _range(chart: DoctorSnapshot, patient: OsdDetails) -> tuple[float, float]:
    low, high = _RANGES[patient.kind]
    stem = "osd_mclock_iops_capacity"
    told = (
        chart.number(patient, f"{stem}_low_threshold_{patient.kind}"),
        chart.number(patient, f"{stem}_threshold_{patient.kind}"),
    )
    return told[0] or low, told[1] or high


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


def mclock_capacity(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Capacities that are implausible, or far from what rounds measured."""
    bad = {one.osd: one for one in capacities(chart) if one.verdict in _BAD}
    have = [chart.patients[osd] for osd in sorted(bad)]
    if have:
        first = bad[have[0].osd.id]
        against = f", measured {first.measured:.0f}" if first.measured else ""
        yield Advice(
            "MCLOCK_CAPACITY",
            Severity.WARNING,
            target_of(have),
            f"mClock takes {osds(have)} for what {verb(have, 'it is', 'they are')} not: "
            f"{first.option} of osd.{first.osd} is {first.configured:.0f}{against}, plausible is "
            f"{first.range[0]:.0f} to {first.range[1]:.0f}; clients and recovery are throttled by "
            "it",
            _mending(chart, list(bad.values())),
            "Ceph's documentation: mClock config reference, OSD capacity determination",
            ids(have),
            {**some(have), "configured_iops": first.configured, "measured_iops": first.measured},
            risk=True,
        )


def _mending(chart: DoctorSnapshot, bad: Sequence[Capacity]) -> str:
    """Set what was measured; else take the values away that are none, so that Ceph's own count."""
    commands = (
        ["ceph perf-bench mclock propose --apply"] if any(one.proposed for one in bad) else []
    )
    for one in bad:
        if one.proposed is None:
            those = chart.set_for(one.option, [chart.patients[one.osd]])
            commands += [config_rm(setting.who, setting.name) for setting in those]
    return together(commands or ["ceph perf-bench round start osd-iops"])
