"""Rules about errors, drives and enclosures at their limits, and the figures that they tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from evidence import checked
from factory import document
from nouns import an_osd
from perf_bench.hardware.rules import correlated_failures
from perf_bench.hardware.rules.enclosure_claims import (
    FaultReason,
    enclosure_claims,
    worst_state,
)
from perf_bench.hardware.rules.errors import _who, link_claims, media_claims
from perf_bench.hardware.rules.identity import osds_by_device, shared_drive_groups
from perf_bench.hardware.rules.multipath import multipaths_of, path_claims
from perf_bench.model.facts import Slot, facts_of
from perf_bench.model.finding import Severity
from perf_bench.model.hardware import (
    EIO,
    RETRIES,
    Bay,
    CounterTrend,
    Enclosure,
    Errors,
    HardwareSnapshot,
    OsdsOnDrive,
)

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
        ("udma_crc", (0, 4, 7, 10), True),  # in three
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
    block = [{"device": name, "wwid": "naa.1"} for name in ("sda", "sdb")]
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


@pytest.mark.parametrize(("kind", "told"), [("pending_sectors", "(9)"), (EIO, "(2)")])
def test_sectors_are_told_as_they_are_now_and_other_errors_by_what_the_day_brought(
    kind: str, told: str
) -> None:
    (claim,) = media_claims([bad(kind, 7, 9)], THEN + 3 * HOUR)
    assert told in claim.message


def test_a_drive_of_several_osds_is_told_by_its_device() -> None:
    assert _who(bad("udma_crc", 0, osds=(1, 2))).startswith("sdc with ")


def test_sectors_that_are_readable_again_accuse_nobody() -> None:
    """Their number grew today and is 0 now."""
    one = bad("pending_sectors", 0, 2, 0)
    assert one.growth.grew
    assert media_claims([one], THEN + 3 * HOUR) == []
    assert len(media_claims([bad("pending_sectors", 0, 2, 1)], THEN + 3 * HOUR)) == 1


def lost_path(slot: int, paths: int = 2) -> dict[str, Any]:
    """A disk that has lost one path, or all."""
    states = ["active", "failed"][2 - paths :]
    return {
        "name": f"mpath{slot:02}",
        "expected_paths": 2 if paths else None,
        "paths": [
            {"device": f"sd{slot}.{n}", "state": one} for n, one in enumerate(states[:paths])
        ],
    }


def test_twenty_disks_that_lost_paths_are_listed() -> None:
    told = [lost_path(slot) for slot in range(22)]
    facts = {"host-0": facts_of(document(multipath=told))}
    on = {"host-0": {f"sd{slot}.0": OsdsOnDrive((slot,)) for slot in range(22)}}
    now = facts["host-0"].collected_at
    found = multipaths_of(facts, {}, on, now)
    (claim,) = checked(path_claims(found, [], facts, now))
    assert claim.evidence["states"] == {f"mpath{n:02}": "1 of 2 paths" for n in range(20)}
    assert claim.evidence["osds"] == list(range(22))


def test_how_many_paths_a_disk_without_any_should_have_is_not_known() -> None:
    facts = {"host-0": facts_of(document(multipath=[lost_path(1, 0)]))}
    (found,) = multipaths_of(facts, {}, {}, THEN)
    assert (found.state, found.active, found.expected) == ("failed", 0, None)


@pytest.mark.parametrize("singles", [2, 12])
def test_osds_on_drives_of_their_own_share_none(singles: int) -> None:
    """A drive of twelve OSDs and two others fell; how many others there are is another matter."""
    groups = dict.fromkeys(range(12), 0)
    members = range(12 + singles)
    fell = dict.fromkeys([*range(12), 12, 13], THEN)
    with pytest.MonkeyPatch.context() as patch:
        asked = (12 + singles, 1, (1, 1, 12))
        patch.setattr(correlated_failures, "beyond_chance", lambda *of: of == asked)
        assert correlated_failures.together(fell, members, groups) == list(range(14))


def test_the_gravest_reason_comes_first() -> None:
    """A slot that is bad, and OSDs of the enclosure that fell together."""
    slots = tuple(
        Bay(Slot(n, f"sd{n}", "critical" if n == 2 else "OK"), "host-0", OsdsOnDrive((n,)))
        for n in range(3)
    )
    shelf = Enclosure("0x5", hosts=("host-0",), bays=slots, osds=frozenset(range(3)))
    osds = {n: an_osd(n, up=n > 2) for n in range(4)}
    facts = {"host-0": replace(facts_of(document()), collected_at=THEN)}
    fell = dict.fromkeys(range(3), THEN - 60)
    seen = HardwareSnapshot(THEN, [shelf], osds, facts, fell=fell)
    (claim,) = checked(enclosure_claims(seen))
    assert claim.evidence["reasons"] == ["fell together", "parts"]
    assert (claim.severity, claim.since) == (Severity.ERROR, THEN - 60)
