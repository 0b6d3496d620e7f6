"""Plan the two benches that show on which device write-ahead logs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...errors import InvalidValue
from ...model.bench import KIB, MIB
from ...model.osd import Osd
from ...model.plan import DEFERRED, DIRECT, Phase
from ...model.profile import SMALL_OPERATIONS, small_writes
from ...model.said import say
from ...model.wal import Wal
from .waves import lay_waves

# The block size of mClock's threshold for spinning devices; see bench/compare/wal.py.
BELOW = 4 * KIB


class Pair(NamedTuple):
    """The two phases, their OSDs, and notes about the others."""

    phases: tuple[Phase, ...]
    osds: Sequence[Osd]
    notes: Sequence[str]


def wal_phases(osds: Sequence[Osd], wals: Mapping[int, Wal], max_parallel: int) -> Pair:
    """Deferred writes and direct writes, on OSDs with data on spinning devices.

    Raises InvalidValue if there are no such OSDs.
    """
    fit = [osd for osd in osds if _applies(wals.get(osd.id, Wal()))]
    if not fit:
        raise InvalidValue(
            say(
                "wal-none",
                "osd-wal does not apply: it needs OSDs with data on a spinning device that defer "
                "small writes, and no chosen OSD is one",
            ),
            field="osds",
        )
    # Twice the size: up to release 16 a write of exactly that size is deferred, later it is not.
    above = 2 * max(wals[osd.id].deferred_bytes for osd in fit)
    above = -(-above // BELOW) * BELOW  # which is half a MiB at most, by _applies
    waves = lay_waves(fit, max_parallel)
    phases = tuple(
        Phase(small_writes(size, size * SMALL_OPERATIONS), waves, part)
        for size, part in ((BELOW, DEFERRED), (above, DIRECT))
    )
    left = len(osds) - len(fit)
    note = say(
        "plan-no-wal",
        "{osds|OSD|OSDs} left out: data on flash, or nothing is deferred",
        osds=left,
    )
    return Pair(phases, fit, [note] if left else [])


def _applies(wal: Wal) -> bool:
    return bool(wal.spinning) and BELOW < wal.deferred_bytes <= MIB // 4
