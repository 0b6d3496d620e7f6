"""Two benches of an OSD, and what they say of its write-ahead log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional

import pytest

from nouns import a_plan, a_sample
from perf_bench.bench.compare.parts import wal_conclusions
from perf_bench.model.osd import Wal
from perf_bench.model.plan import KIB, Phase, Plan, Sample, writes

SMALL, LARGE = writes(4 * KIB, 4 * KIB * 3000), writes(128 * KIB, 128 * KIB * 3000)
# What metadata say of an OSD whose data spins.
DB_ON_FLASH = Wal(spinning=True, on_flash=True, deferred_bytes=64 * KIB, dedicated="db")
WAL_ON_FLASH = replace(DB_ON_FLASH, dedicated="wal")
ALL_ON_DISK = Wal(spinning=True, on_flash=False, deferred_bytes=64 * KIB)
DB_ON_DISK = replace(ALL_ON_DISK, dedicated="db")
UNKNOWN = Wal(spinning=True, deferred_bytes=64 * KIB)


def _plan(osds: Sequence[int]) -> Plan:
    waves = (tuple(osds),)
    phases = (Phase(SMALL, waves, "deferred"), Phase(LARGE, waves, "direct"))
    return replace(a_plan([]), profile="osd-wal", phases=phases, repeats=2)


Rates = Mapping[int, tuple[Optional[float], Optional[float]]]


def _samples(plan: Plan, iops: Rates) -> list[Sample]:
    """Two samples for each OSD of its deferred and of its direct operations a second."""
    return [
        a_sample(osd, repeat, rate * phase.step.block_size, 10.0, phase.step, phase=phase.name)
        for place, phase in enumerate(plan.phases)
        for osd in phase.osds
        for repeat in (1, 2)
        if (rate := iops[osd][place]) is not None
    ]


def test_one_osd() -> None:
    for deferred, direct, wal, code, sentence in [
        (2500.0, 130.0, DB_ON_FLASH, "wal-on-flash", "the write-ahead log is on flash"),
        (2500.0, 130.0, WAL_ON_FLASH, "wal-on-flash", "a wal device of its own, flash"),
        (310.0, 130.0, ALL_ON_DISK, "wal-on-disk", "as slow as a spinning device"),
        # what surprises people: the flash that is not there, and the one nobody knew of
        (310.0, 130.0, DB_ON_FLASH, "wal-differs", "as slow as a spinning device, which is not"),
        (2500.0, 130.0, ALL_ON_DISK, "wal-differs", "on flash, which is not what the OSD says"),
        (310.0, 130.0, DB_ON_DISK, "wal-on-disk", "a db device of its own, spinning"),
        # without metadata the figures stand for themselves
        (2500.0, 130.0, UNKNOWN, "wal-on-flash", "of unknown kind"),
        (310.0, 130.0, UNKNOWN, "wal-on-disk", "of unknown kind"),
        # a cache, or a virtual disk: nothing is as slow as a spinning device
        (9000.0, 4000.0, ALL_ON_DISK, "wal-unclear", "nothing is told of the log"),
        (9000.0, 4000.0, DB_ON_FLASH, "wal-unclear", "nothing is told of the log"),
        # what is told to the threshold is a spinning device's
        (500.0, 500.0, ALL_ON_DISK, "wal-on-disk", "as slow as"),
        (500.1, 500.0, DB_ON_FLASH, "wal-on-flash", "on flash"),
        (600.0, 500.1, DB_ON_FLASH, "wal-unclear", "nothing is told"),
    ]:
        plan = _plan([3])
        (said,) = wal_conclusions(plan, _samples(plan, {3: (deferred, direct)}), {3: wal})
        assert said.code == code
        assert sentence in said.message
        assert said.message.startswith("osd.3: ")
        assert said.evidence["osds"] == [3]
        assert said.evidence["threshold_iops"] == 500.0
        assert said.evidence["deferred_iops"] == pytest.approx(deferred)


def test_osds_that_say_the_same_are_told_together() -> None:
    plan = _plan(range(8))
    iops = {osd: (2500.0 + osd, 130.0) for osd in range(7)} | {7: (310.0, 130.0)}
    said = wal_conclusions(plan, _samples(plan, iops), dict.fromkeys(range(8), DB_ON_FLASH))
    assert [(c.code, c.evidence["osds"]) for c in said] == [
        ("wal-differs", [7]),
        ("wal-on-flash", list(range(7))),
    ]
    assert said[1].message == (
        "osd.0, osd.1, osd.2, osd.3 and 3 more: the write-ahead log is on flash: "
        "2503 deferred and 130 direct writes/s (metadata: a db device of its own, flash)"
    )


def test_an_osd_that_was_not_measured_twice_says_nothing() -> None:
    plan = _plan([0, 1])
    said = wal_conclusions(plan, _samples(plan, {0: (310.0, None), 1: (None, 130.0)}), {})
    assert said == ()
