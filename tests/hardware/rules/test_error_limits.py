"""Rules about errors, drives and enclosures at their limits, and the figures that they tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from evidence import checked
from factory import document
from nouns import an_osd
from perf_bench.hardware.rules.drives import osds_by_device, shared_drive_groups
from perf_bench.hardware.rules.enclosure_claims import FaultReason, worst_state
from perf_bench.hardware.rules.error_claims import link_claims, media_claims
from perf_bench.model.checksum import EIO, RETRIES, Errors
from perf_bench.model.counter_trend import CounterTrend
from perf_bench.model.drive import OsdsOnDrive
from perf_bench.model.facts import facts_of
from perf_bench.model.finding import Severity

THEN, HOUR = 1_700_000_000.0, 3600.0


# --- errors ----------------------------------------------------------------------------------


def bad(kind: str, *counts: int, osds: Sequence[int] = (2,), **named: Any) -> Errors:
    """Counts that were read once an hour."""
    growth = CounterTrend.first(counts[0], THEN)
    for hours, count in enumerate(counts[1:], 1):
        growth = growth.read(count, THEN + hours * HOUR)
    one = Errors("host-0", kind, growth, f"disk-{osds}", OsdsOnDrive(tuple(osds)), "sdc")
    return replace(one, **named)


@pytest.mark.parametrize(
    ("kind", "counts", "accused"),
    [
        ("udma_crc", (0, 4, 9), False),
        ("udma_crc", (0, 4, 10), True),
        ("udma_crc", (0, 10, 10), False),  # in one reading
        ("invalid_dword", (0, 4, 11), True),
        ("pcie_correctable", (0, 4, 9), False),
        ("pcie_correctable", (0, 4, 10), True),
        ("pcie_fatal", (0, 0, 1), False),
        ("pcie_fatal", (0, 1, 2), True),
        (RETRIES, (0, 2, 2), False),
        (RETRIES, (0, 2, 3), True),
        (EIO, (4, 4, 4), False),
        (EIO, (4, 4, 5), True),
    ],
)
def test_how_many_errors_accuse(kind: str, counts: Sequence[int], accused: bool) -> None:
    one = bad(kind, *counts)
    found = [*link_claims([one], THEN + 3 * HOUR), *media_claims([one], THEN + 3 * HOUR)]
    assert [str(claim.target) for claim in found] == ["osd.2"] * accused


@pytest.mark.parametrize(("way", "told"), [("1", "SCSI host 1"), ("1:0", "expander 1:0")])
def test_what_two_bad_phys_hang_on(way: str, told: str) -> None:
    phys = [bad("invalid_dword", 0, 9, 20, phy=f"phy-{n}", expander=way, osds=()) for n in (3, 4)]
    well = bad("invalid_dword", 0, 0, 0, phy="phy-9", expander="2", osds=())
    elsewhere = replace(well, host="host-1")
    (claim,) = link_claims([*phys, well], THEN + 3 * HOUR)
    assert claim.evidence["shared"] == told
    for others in ([phys[0], well], [*phys, elsewhere], [phys[0], replace(phys[1], expander="2")]):
        (claim,) = link_claims(others, THEN + 3 * HOUR)
        assert claim.evidence["shared"] is None


def test_the_worst_errors_come_first_and_twenty_are_listed() -> None:
    many = [bad("udma_crc", 0, 9, 20 + n, osds=(n,), disk=f"d{n}") for n in range(24)]
    (claim,) = checked(link_claims(many, THEN + 3 * HOUR))
    assert [one["per_day"] for one in claim.evidence["errors"]] == list(range(43, 23, -1))
    assert claim.evidence["errors"][0] == {
        "device": "sdc", "kind": "udma_crc", "count": 43, "per_day": 43,
    }  # fmt: skip
    assert claim.evidence["osds"] == list(range(24))
    assert claim.since == THEN + HOUR


# --- drives and enclosures -------------------------------------------------------------------


def test_of_several_drives_those_that_are_joined_by_an_osd_are_one_group() -> None:
    drives = [OsdsOnDrive(osds) for osds in ((4, 5), (1, 2), (2, 5), (8, 9), (7,), ())]
    assert shared_drive_groups(drives) == {4: 1, 5: 1, 1: 1, 2: 1, 8: 8, 9: 8, 7: 7}


def test_the_disk_of_several_names_has_the_osds_of_all_of_them() -> None:
    block = [{"device": name, "serial": "Z1"} for name in ("sda", "sdb")]
    block.append({"device": "sdq", "wwid": "w"})
    facts = facts_of(document(block=block, osds=[{"id": 0, "device": "sdb"}]))
    osds = [an_osd(0, devices="sda,sdc", data_device="sda"), an_osd(1, devices="sda")]
    found = osds_by_device(facts, osds)
    assert {name: (one.osds, one.db_of) for name, one in found.items()} == {
        "sda": ((0, 1), ()), "sdb": ((0, 1), ()), "sdc": ((), (0,)),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("severities", "state"),
    [
        ((), "ok"),
        ((Severity.WARNING,), "degraded"),
        ((Severity.ERROR,), "fault"),
        ((Severity.ERROR, Severity.WARNING), "fault"),
    ],
)
def test_the_state_of_an_enclosure(severities: Sequence[Severity], state: str) -> None:
    assert worst_state([FaultReason("x", "x", 0.0, one) for one in severities]) == state
