"""Compare mClock's configured capacities with the results of rounds.

The profile ``osd-iops`` makes the same call with which an OSD measures its capacity at its start,
so the figures can be compared. Ceph rejects a figure outside the range of
``osd_mclock_iops_capacity_threshold_*`` and keeps the default, since one bench at a start may be
wrong (ceph pull request 59743). A device that really is slower or faster is throttled by that, so
such a figure is proposed once three valid rounds agree, and only set with consent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Optional

from ...errors import NotSupported
from ...model import doctor_snapshot as words
from ...model.doctor_snapshot import Capacity, DoctorSnapshot, OsdDetails, as_number
from ...model.finding import Gap
from ...model.osd import MCLOCK_CAPACITY
from . import commands
from .seen import DOCS, INFO, WARNING, Found, Seen, check, names

_QUEUE = "osd_op_queue"
# Ceph's defaults, for releases in which the option has another name or is missing.
_RANGES = {"hdd": (50.0, 500.0), "ssd": (1000.0, 80000.0)}
_LEAST = 1.0
# Repeats of one OSD differ by a tenth; a factor of two means that the value is wrong.
_FAR = 2.0
_BAD = (words.FAR, words.IMPLAUSIBLE)
# Valid rounds that must agree on a figure out of Ceph's range, and by which factor they may differ:
# repeats of one OSD differ by a tenth.
LEAST_ROUNDS, _AGREE = 3, 1.25
_NO_SMALL = Gap(
    "no-round",
    "no round has measured small writes, so capacities are only checked against Ceph's range",
    "'ceph perf-bench round start osd-iops'",
)


def capacities(snapshot: DoctorSnapshot) -> list[Capacity]:
    """The capacities of all OSDs that are up, by ID."""
    return [_capacity(snapshot, details) for details in snapshot.up]


def proposed(snapshot: DoctorSnapshot) -> list[Capacity]:
    """The capacities with a proposal. Raises NotSupported if no OSD uses mClock."""
    all_ = capacities(snapshot)
    if all_ and all(one.verdict == words.UNUSED for one in all_):
        raise NotSupported("no OSD uses mClock: osd_op_queue is another scheduler on this release")
    return [one for one in all_ if one.proposed is not None]


def _capacity(snapshot: DoctorSnapshot, details: OsdDetails) -> Capacity:
    option, queue = MCLOCK_CAPACITY[details.osd.option_suffix], snapshot.option(details, _QUEUE)
    configured, result = snapshot.number(details, option), snapshot.measured.get(details.osd.id)
    low, high = range_ = _range(snapshot, details)
    measured = result.iops if result else None
    agreed = _agreed(result.valid) if result else None
    beyond = agreed is not None and not low <= agreed <= high
    if beyond:
        measured = agreed
    verdict = _verdict(queue, configured, measured, range_, beyond)
    wanted = verdict == words.REJECTED or (verdict in _BAD and _is_within(measured, range_))
    is_own = snapshot.own(details, option) is not None
    return Capacity(
        osd=details.osd.id,
        device_class=details.osd.device_class,
        option=option,
        configured_iops=configured,
        measured_iops=measured,
        round=None if result is None else result.round,
        plausible=range_,
        source="osd" if is_own else "cluster" if snapshot.several(option) else "default",
        verdict=verdict,
        proposed=round(measured) if wanted and measured else None,
        consent=verdict == words.REJECTED,
        rounds=0 if result is None else len(result.valid),
    )


def _verdict(
    queue: Optional[str],
    configured: Optional[float],
    measured: Optional[float],
    range_: tuple[float, float],
    beyond: bool,
) -> str:
    """The verdict; ``beyond``: several rounds agree on a figure out of the range."""
    if queue is None or configured is None:
        return words.UNKNOWN
    if not queue.startswith("mclock"):
        return words.UNUSED
    near = bool(measured) and 1 / _FAR <= configured / (measured or 1) <= _FAR
    if not near and (beyond or not _is_within(configured, range_)):
        return words.REJECTED if beyond else words.IMPLAUSIBLE
    if measured is None:
        return words.UNMEASURED
    if not beyond and not _is_within(measured, range_):  # Ceph itself would not take it
        return words.UNLIKELY
    return words.OK if near else words.FAR


def _is_within(value: Optional[float], range_: tuple[float, float]) -> bool:
    return value is not None and range_[0] <= value <= range_[1]


def _agreed(valid: Sequence[float]) -> Optional[float]:
    """The median of the newest valid rounds; None if they are too few or differ too much."""
    newest = valid[:LEAST_ROUNDS]
    if len(newest) < LEAST_ROUNDS or min(newest) <= 0 or max(newest) / min(newest) > _AGREE:
        return None
    return median(newest)


def _range(snapshot: DoctorSnapshot, details: OsdDetails) -> tuple[float, float]:
    low, high = _RANGES[details.osd.option_suffix]
    option = f"osd_mclock_iops_capacity_{{}}threshold_{details.osd.option_suffix}"
    least = snapshot.number(details, option.format("low_"))
    # The lower one may be 0: then Ceph takes every figure of a slow device. mClock divides by it,
    # so less than one is never plausible.
    low = low if least is None else max(_LEAST, least)
    return low, snapshot.number(details, option.format("")) or high


@check("MCLOCK_CAPACITY", WARNING, f"{DOCS}: mClock config reference, OSD capacity", risk=True)
def mclock_capacity(seen: Seen) -> Iterator[Found]:
    """Capacities are implausible, or far from the results of rounds."""
    all_ = _measured(seen)
    bad = [one for one in all_ if one.verdict in _BAD]
    if bad:
        first, have = bad[0], [seen.snapshot.osds[one.osd] for one in bad]
        configured = f"{first.configured_iops:.0f}"
        if first.measured_iops:
            configured += f", measured {first.measured_iops:.0f}"
        yield Found(
            f"mClock has a wrong capacity of {names(have)}: {first.option} of osd.{first.osd} is "
            f"{configured}, plausible is {_range_of(first)}; it limits clients and recovery",
            _fix(seen.snapshot, bad),
            have,
            {"configured_iops": first.configured_iops, "measured_iops": first.measured_iops},
        )


@check(
    "MCLOCK_OUT_OF_RANGE",
    INFO,
    f"{DOCS}: mClock config reference; Ceph pull request 59743; Rook pull request 18144",
)
def mclock_out_of_range(seen: Seen) -> Iterator[Found]:
    """Several rounds show devices to be out of the range in which Ceph takes figures."""
    found = [one for one in _measured(seen) if one.verdict == words.REJECTED]
    if found:
        first, have = found[0], [seen.snapshot.osds[one.osd] for one in found]
        yield Found(
            f"{LEAST_ROUNDS} valid rounds agree on {first.measured_iops:.0f} IOPS for "
            f"osd.{first.osd}, out of the range of {_range_of(first)} in which Ceph takes the "
            f"figures of its own bench, so mClock uses {first.configured_iops:.0f} for "
            f"{names(have)}; values that are set are not checked against the range",
            ["ceph perf-bench mclock propose --apply --beyond"],
            have,
            {"configured_iops": first.configured_iops, "measured_iops": first.measured_iops},
        )


def _range_of(one: Capacity) -> str:
    return f"{one.plausible[0]:.0f} to {one.plausible[1]:.0f}"


def _measured(seen: Seen) -> list[Capacity]:
    """The capacities; notes the OSDs that use mClock and whose small writes no round measured."""
    seen.up()
    all_ = capacities(seen.snapshot)
    used = [one.osd for one in all_ if one.verdict != words.UNUSED]
    seen.lack(_NO_SMALL, [seen.snapshot.osds[o] for o in used if o not in seen.snapshot.measured])
    return all_


def _fix(snapshot: DoctorSnapshot, bad: Sequence[Capacity]) -> list[str]:
    """The typed that set measured values, or remove values, so that Ceph's defaults apply."""
    typed = ["ceph perf-bench mclock propose --apply"] if any(one.proposed for one in bad) else []
    for one in bad:
        if one.proposed is None:
            # A plausible one applies as soon as the others are gone.
            typed += [
                commands.config_rm(setting.who, setting.name)
                for setting in snapshot.set_for(one.option, [snapshot.osds[one.osd]])
                if not _is_within(as_number(setting.value), one.plausible)
            ]
    return typed or ["ceph perf-bench round start osd-iops"]
