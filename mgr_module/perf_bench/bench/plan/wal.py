"""Lay out the two benches that tell where write-ahead logs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...errors import InvalidValue
from ...model.bench import KIB, MIB
from ...model.osd import Osd
from ...model.phrases import plural
from ...model.plan import DEFERRED, DIRECT, Phase
from ...model.profile import SMALL_OPERATIONS, small_writes
from ...model.wal import Wal
from .waves import lay_waves

# What mClock's threshold for spinning devices is stated for; see bench/compare/wal.py.
BELOW = 4 * KIB


class Pair(NamedTuple):
    """The two phases, the OSDs that they are for, and what is to be said of others."""

    phases: tuple[Phase, ...]
    osds: Sequence[Osd]
    notes: Sequence[str]


def wal_phases(osds: Sequence[Osd], wals: Mapping[int, Wal], max_parallel: int) -> Pair:
    """Writes that are deferred and writes that are not, on OSDs whose data spins.

    Raises InvalidValue where there are none: nothing is written then.
    """
    fit = [osd for osd in osds if _applies(wals.get(osd.id, Wal()))]
    if not fit:
        raise InvalidValue(
            "osd-wal does not apply: it tells a log on flash from a log on the spinning device of "
            "the data, and no chosen OSD has its data on a spinning device and defers small writes",
            field="osds",
        )
    # Well above: up to 16 a write of the very size is deferred, later it is not.
    above = 2 * max(wals[osd.id].deferred_bytes for osd in fit)
    above = min(-(-above // BELOW) * BELOW, MIB // 2)
    waves = lay_waves(fit, max_parallel)
    phases = tuple(
        Phase(small_writes(size, size * SMALL_OPERATIONS), waves, part)
        for size, part in ((BELOW, DEFERRED), (above, DIRECT))
    )
    left = len(osds) - len(fit)
    note = f"{plural(left, 'OSD')} left out: data on flash, or nothing is deferred"
    return Pair(phases, fit, [note] if left else [])


def _applies(wal: Wal) -> bool:
    return bool(wal.spinning) and BELOW < wal.deferred_bytes <= MIB // 4
