"""The wear budget: the bytes that rounds may write to each OSD's device in a day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Optional

from ...model.admission import (
    DAY,
    Ask,
    ClassWear,
    Overdraft,
    RoundWear,
    Rules,
    Situation,
    WearLedger,
)
from ...model.osd import Osd

# The lowest endurance of data-centre flash is 0.3 drive writes a day (large QLC drives); 1 to 3 are
# common. Rounds may use a tenth of the lowest.
_SHARE_OF_DAY = 0.1
_DRIVE_WRITES_PER_DAY = 0.3
# The device class of spinning disks, which do not wear by writing.
_DISKS = "hdd"
# For an unknown size and for small devices: ten rounds of osd-throughput with all repeats, half of
# the day's 0.3 drive writes of a 480 GB drive. Less would refuse normal use.
LEAST_BUDGET = 64 << 30


def budget(device_bytes: Optional[int], option: Optional[int]) -> int:
    """Bytes a day for one OSD: the operator's ``option``, or 3 % of its device."""
    if option is not None:
        return option
    share = (device_bytes or 0) * _DRIVE_WRITES_PER_DAY * _SHARE_OF_DAY
    return max(LEAST_BUDGET, round(share))


def budgets_of(osds: Iterable[int], now: Situation, rules: Rules) -> dict[int, int]:
    """By OSD its bytes a day."""
    space = now.space or {}
    sizes = {osd: space[osd].total if osd in space else None for osd in osds}
    # Thousands of OSDs have a few sizes.
    by_size = {size: budget(size, rules.wear_bytes_per_day) for size in set(sizes.values())}
    return {osd: by_size[size] for osd, size in sizes.items()}


def wear_by_class(
    osds: Sequence[Osd], writes: Mapping[int, int], now: Situation, rules: Rules
) -> tuple[ClassWear, ...]:
    """What a round wears that writes so many bytes to each OSD, by device class."""
    space, endurance, written = now.space or {}, now.endurance_used, now.written or {}
    # Thousands of OSDs have a few sizes, and were written to as much.
    counts = Counter(
        (
            osd.device_class,
            space[osd.id].total if osd.id in space else None,
            writes[osd.id],
            written.get(osd.id, 0),
            endurance.get(osd.id),
        )
        for osd in osds
        if osd.id in writes
    )
    alike = {_Alike(*one): count for one, count in counts.items()}
    classes = sorted({one.device_class for one in alike}, key=lambda class_: class_ or "")
    return tuple(_class_wear(class_, alike, now, rules) for class_ in classes)


class _Alike(NamedTuple):
    """OSDs of one size, to which as much is and was written, and that are as worn."""

    device_class: Optional[str]
    size: Optional[int]
    writes: int
    written: int
    used: Optional[float]


def _class_wear(
    device_class: Optional[str], alike: Mapping[_Alike, int], now: Situation, rules: Rules
) -> ClassWear:
    groups = {one: osds for one, osds in alike.items() if one.device_class == device_class}
    sized = [(one.size, one) for one in groups if one.size is not None]
    full = max((100 * one.writes / size for size, one in sized if size), default=None)
    rated = None if full is None or device_class == _DISKS else full / _DRIVE_WRITES_PER_DAY
    used = [one.used for one in groups if one.used is not None]
    budgets = [budget(one.size, rules.wear_bytes_per_day) for one in groups]
    return ClassWear(
        device_class=device_class,
        osds=sum(groups.values()),
        bytes_per_osd=max(one.writes for one in groups),
        device_bytes=min((size for size, _ in sized), default=None),
        sizes_unknown=sum(osds for one, osds in groups.items() if one.size is None),
        full_write_percent=full,
        rated_writes_per_day=_DRIVE_WRITES_PER_DAY,
        rated_day_percent=rated,
        budget_bytes=min(budgets),
        budget_percent=None
        if now.written is None
        else max(_share(one.written + one.writes, most) for one, most in zip(groups, budgets)),
        used_percent=100 * max(used) if used else None,
        used_unknown=sum(osds for one, osds in groups.items() if one.used is None),
    )


def _share(part: int, whole: int) -> float:
    """In percent; a budget of nothing is used up by nothing."""
    return 100 * part / whole if whole else 100.0


def overdrafts(ask: Ask, now: Situation, budgets: Mapping[int, int]) -> tuple[Overdraft, ...]:
    """The OSDs to which the round would write more than is left of ``budgets`` (by OSD).

    Rounds whose writes are unknown count as none.
    """
    ledger, written = now.wear or WearLedger(), now.written or {}
    over = {
        osd: written.get(osd, 0)
        for osd in ask.osds
        if written.get(osd, 0) + ask.bytes_per_osd > budgets[osd]
    }
    counting = _counting(ledger, now.at, over) if over else {}
    return tuple(
        Overdraft(
            osd,
            count,
            ask.bytes_per_osd,
            budgets[osd],
            _free_at(counting[osd], budgets[osd] - ask.bytes_per_osd),
        )
        for osd, count in over.items()
    )


# The time from which bytes count, and the bytes.
_Counting = tuple[float, int]


def _counting(ledger: WearLedger, now: float, osds: Collection[int]) -> dict[int, list[_Counting]]:
    """By OSD what still counts, oldest first."""
    rounds = sorted((one for one in ledger.rounds if now - one.at < DAY), key=lambda one: one.at)
    return {osd: [(one.at, one.by_osd[osd]) for one in rounds if osd in one.by_osd] for osd in osds}


def _free_at(counting: Sequence[_Counting], may_be_left: int) -> Optional[float]:
    """The time from which at most ``may_be_left`` bytes count; None if that is never."""
    left = sum(count for _, count in counting)
    for at, count in counting:
        left -= count
        if left <= may_be_left:
            return at + DAY
    return None


def book(ledger: WearLedger, round_: str, planned: Mapping[int, int], now: float) -> WearLedger:
    """Book the bytes that a round will write, by OSD; replaces an earlier booking of it.

    Booking before the round counts a round whose mgr dies in full.
    """
    kept = [one for one in ledger.rounds if one.round != round_ and now - one.at < DAY]
    return WearLedger((*kept, RoundWear(round_, now, dict(planned))))
