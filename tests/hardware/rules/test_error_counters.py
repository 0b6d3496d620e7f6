"""Counts of links and media: whom they accuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from evidence import checked
from factory import document, shelf
from nouns import an_osd
from perf_bench.hardware.rules.errors import link_claims, media_claims, smart_of
from perf_bench.model.finding import Claim
from perf_bench.model.hardware import (
    EIO,
    FAILING,
    MEDIA,
    PENDING,
    RETRIES,
    STALE_SECONDS,
    CounterTrend,
    Errors,
    OsdsOnDrive,
    facts_of,
)
from told_hosts import HOUR, THEN, Hosts

NOW = THEN + 10 * HOUR
SHELF = "0x5000c500a1b2c3d4"
OSDS = [an_osd(number, "host-0") for number in range(6)]
DISKS = {number: f"sd{'abcdef'[number]}" for number in range(6)}


def _told(*documents: Mapping[str, Any]) -> list[Errors]:
    """What is known after hosts told these, one an hour."""
    hosts = Hosts(OSDS)
    hosts.now = NOW
    for hours, one in enumerate(documents):
        hosts.tells(one, at=THEN + hours * HOUR)
    return hosts.errors


def _smart(enclosed: bool = False, **counts: Mapping[int, int]) -> dict[str, Any]:
    """By kind what the disks of OSDs count."""
    smart: dict[int, dict[str, Any]] = {n: {"device": disk} for n, disk in DISKS.items()}
    for kind, of in counts.items():
        for number in DISKS:
            smart[number][kind] = of.get(number, 0)
    osds = [{"id": number, "device": disk} for number, disk in DISKS.items()]
    shelves = [shelf({n: DISKS[n] for n in range(4)})] if enclosed else []
    return document(osds=osds, smart=list(smart.values()), enclosures=shelves)


def _said(claims: Sequence[Claim]) -> list[tuple[str, str]]:
    return [(claim.target.kind, claim.target.id) for claim in checked(claims)]


def _udma(*steps: int, osds: Sequence[int] = (0,)) -> list[dict[str, Any]]:
    return [_smart(True, udma_crc_errors=dict.fromkeys(osds, step)) for step in steps]


def test_links() -> None:
    cases: list[tuple[list[dict[str, Any]], list[tuple[str, str]]]] = [
        (_udma(500, 500), []),  # an old fault
        (_udma(500), []),  # who knows since when
        (_udma(0, 50), []),  # once: as when it was plugged in
        (_udma(0, 3, 6), []),  # few
        (_udma(0, 6, 12), [("osd", "0")]),
        (_udma(0, 6, 12, osds=[0, 1]), [("osd", "0"), ("osd", "1")]),
        (_udma(0, 6, 12, osds=[0, 1, 2]), [("enclosure", SHELF)]),
        (_udma(0, 6, 12, osds=[0, 1, 2, 3]), [("enclosure", SHELF)]),
        (_udma(0, 6, 12, osds=[0, 1, 2, 4]), [("enclosure", SHELF), ("osd", "4")]),
        (_udma(0, 6, 12, osds=[0, 1, 2, 4, 5]), [("host", "host-0")]),
        (_udma(0, 6, 0), []),  # the counters began anew
    ]
    for documents, accused in cases:
        assert _said(link_claims(_told(*documents), NOW)) == accused


def _pcie(*counts: Mapping[str, int], ways: int = 1) -> list[dict[str, Any]]:
    """Facts of osd.1 on an NVMe drive with so many ways to it, of which the first counts."""
    osds = [{"id": 1, "device": "nvme0n1"}]
    found = []
    for one in counts:
        links = [{"device": "nvme0n1", "address": f"0000:4{n}:00.0"} for n in range(ways)]
        links[0] = {**links[0], **one}  # type: ignore[dict-item]  # counts beside names
        found.append(document(osds=osds, pcie=links))
    return found


def test_pcie_links() -> None:
    cases: list[tuple[list[dict[str, Any]], list[tuple[str, str]]]] = [
        (_pcie({"correctable": 0}, {"correctable": 40}), []),  # once: as when it came up
        (_pcie({"correctable": 0}, {"correctable": 40}, {"correctable": 80}), [("osd", "1")]),
        (
            _pcie({"correctable": 0}, {"correctable": 6}, {"correctable": 12}, ways=2),
            [("osd", "1")],
        ),
        (_pcie({"nonfatal": 0}, {"nonfatal": 9}, {"nonfatal": 18}), [("osd", "1")]),
    ]
    for documents, accused in cases:
        assert _said(link_claims(_told(*documents), NOW)) == accused


def test_a_drive_of_several_osds_is_named_with_all_of_them() -> None:
    """Two have their data on it; and of a drive of DBs alone the slot is known too."""
    both = [{"id": osd, "device": "nvme0n1"} for osd in (1, 2)]
    smart = [
        [{"device": "nvme0n1", "media_errors": n}, {"device": "sdz", "media_errors": n}]
        for n in (0, 8)
    ]
    shelves = [shelf({5: "nvme0n1", 9: "sdz"})]
    told = [document(osds=both, smart=one, enclosures=shelves) for one in smart]
    (claim,) = media_claims(_told(*told), NOW)
    assert (claim.target.kind, claim.evidence["osds"]) == ("host", [1, 2])
    assert "media errors counted by the disk of nvme0n1 with osd.1 and osd.2 (8)" in claim.message
    errors = _told(*told)
    assert [(one.device, one.enclosure, one.slot) for one in errors] == [
        ("nvme0n1", SHELF, 5), ("sdz", SHELF, 9),
    ]  # fmt: skip


def test_counts_are_stale_after_two_days() -> None:
    cases: list[tuple[float, bool]] = [(-1.0, True), (0.0, False), (1.0, False)]
    for age, known in cases:
        errors, now = [_own(EIO, 0, 1)], THEN + HOUR + STALE_SECONDS + age
        # A count of the last day no longer has a growth then; sectors that cannot be read have.
        pending = _told(_smart(pending_sectors={1: 2}))
        assert media_claims(errors, now) == []
        assert (_said(media_claims(pending, now - HOUR)) == [("osd", "1")]) is known


def _own(kind: str, *counts: int, osd: int = 2) -> Errors:
    growth = CounterTrend.first(counts[0], THEN)
    for hours, count in enumerate(counts[1:], 1):
        growth = growth.read(count, THEN + hours * HOUR, begins_at=0)
    return Errors("host-0", kind, growth, disk=f"osd.{osd}", on=OsdsOnDrive((osd,)), device="sdc")


def test_media() -> None:
    cases: list[tuple[list[Errors], list[tuple[str, str]]]] = [
        ([_own(RETRIES, 70)], []),
        ([_own(RETRIES, 0, 2)], []),
        ([_own(RETRIES, 0, 2, 3)], [("osd", "2")]),
        ([_own(RETRIES, 70, 3)], [("osd", "2")]),  # since its start
        ([_own(EIO, 0, 1)], [("osd", "2")]),
        ([_own(EIO, 1, 1)], []),
        ([_own(EIO, 0, 1, osd=n) for n in (1, 2)], [("osd", "1"), ("osd", "2")]),
        ([_own(EIO, 0, 1, osd=n) for n in (1, 2, 3)], [("host", "host-0")]),
        (_told(_smart(media_errors={1: 7}), _smart(media_errors={1: 7})), []),
        (_told(_smart(media_errors={1: 7}), _smart(media_errors={1: 8})), [("osd", "1")]),
        (_told(_smart(pending_sectors={1: 2})), [("osd", "1")]),
        (_told(_smart(pending_sectors={1: 2}), _smart(pending_sectors={})), []),  # written anew
        (_told(_smart(pending_sectors={1: 2}), _smart()), [("osd", "1")]),  # not told
    ]
    for errors, accused in cases:
        assert _said(media_claims(errors, NOW)) == accused
        assert link_claims(errors, NOW) == []


def test_what_is_said_of_a_medium() -> None:
    (claim,) = media_claims([_own(RETRIES, 0, 2, 74), _own(EIO, 0, 1)], NOW)
    assert claim.message == (
        "osd.2 (host-0, sdc) within a day: reads that succeeded only when repeated (74) and "
        "reads that failed for good (1); look at 'smartctl -x' of the disk, and replace the "
        "disk if the errors continue"
    )
    assert claim.since == THEN + HOUR


def test_a_disk_of_two_paths_counts_once() -> None:
    told = [
        document(
            osds=[{"id": 0, "device": "sdb"}],
            block=[{"device": name, "wwid": "naa.1"} for name in ("sda", "sdb")],
            smart=[{"device": name, "udma_crc_errors": n} for name in ("sda", "sdb")],
        )
        for n in (5, 10, 20)
    ]
    (one,) = _told(*told)
    assert (one.on.first, one.growth.newest, one.growth.per_day(NOW)) == (0, 20, 15)


def test_what_the_drive_of_an_osd_counts_is_known_over_any_path() -> None:
    block = [{"device": name, "wwid": "naa.1"} for name in ("sda", "sdb")]
    smart = [{"device": "sda", "pending_sectors": 8, "failing": False, "critical_warning": 4}]
    told = smart_of(facts_of(document(block=block, smart=smart)), "sdb")
    assert told is not None
    assert {kind for kind, count in told.items() if count} == {PENDING, "reliability_degraded"}
    assert told[FAILING] == 0
    assert MEDIA not in told
    assert smart_of(facts_of(document(block=block, smart=smart)), "sdc") is None


def test_errors_of_the_other_path_of_a_disk_are_of_its_slot() -> None:
    """The enclosure tells one name of the disk, the drive's own counters another."""
    told = [
        document(
            osds=[{"id": 0, "device": "sdb"}],
            block=[{"device": name, "wwid": "naa.1"} for name in ("sda", "sdb")],
            smart=[{"device": "sdb", "media_errors": n}],
            enclosures=[shelf({3: "sda"})],
        )
        for n in (0, 5)
    ]
    (one,) = _told(*told)
    assert (one.enclosure, one.slot) == (SHELF, 3)


def bad(kind: str, *counts: int, osds: Sequence[int] = (2,), **named: Any) -> Errors:
    """Counts that were read once an hour."""
    growth = CounterTrend.first(counts[0], THEN)
    for hours, count in enumerate(counts[1:], 1):
        growth = growth.read(count, THEN + hours * HOUR)
    one = Errors("host-0", kind, growth, f"disk-{osds}", OsdsOnDrive(tuple(osds)), "sdc")
    return replace(one, **named)


def test_how_many_errors_accuse() -> None:
    now = THEN + 3 * HOUR
    for kind, counts, accused in [
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
    ]:
        one = bad(kind, *counts)
        found = [*link_claims([one], now), *media_claims([one], now)]
        assert [str(claim.target) for claim in found] == ["osd.2"] * accused, (kind, counts)


def test_the_worst_errors_come_first_and_twenty_are_listed() -> None:
    many = [bad("udma_crc", 0, 9, 20 + n, osds=(n,), disk=f"d{n}") for n in range(24)]
    (claim,) = checked(link_claims(many, THEN + 3 * HOUR))
    assert [one["per_day"] for one in claim.evidence["errors"]] == list(range(43, 23, -1))
    assert claim.evidence["errors"][0] == {
        "device": "sdc", "kind": "udma_crc", "count": 43, "per_day": 43,
    }  # fmt: skip
    assert claim.evidence["osds"] == list(range(24))
    assert claim.since == THEN + HOUR


GROWN = CounterTrend.first(0, THEN).read(3, THEN + 3600)


def failing(osd: int, enclosure: Optional[str]) -> list[Errors]:
    """A disk that reads badly, as its OSD and its SMART data tell it (ChecksumMonitor)."""
    disk, on = f"sd{'abcd'[osd]}", OsdsOnDrive((osd,))
    return [
        Errors("host-0", EIO, GROWN, f"osd.{osd}", on, disk, None, enclosure, osd),
        Errors("host-0", MEDIA, GROWN, disk, on, disk, None, enclosure, osd),
    ]


def test_two_failing_disks_are_two_although_osds_and_disks_count() -> None:
    cases: list[Optional[str]] = [None, "0x1"]
    for enclosure in cases:
        errors = [*failing(0, enclosure), *failing(1, enclosure)]
        found = media_claims(errors, THEN + 3600)
        assert [str(claim.target) for claim in found] == ["osd.0", "osd.1"]
