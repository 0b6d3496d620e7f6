"""Drives that were moved, or whose names mean other drives now."""

from __future__ import annotations

from typing import Any

from factory import document, shelf
from nouns import an_osd
from perf_bench.hardware.rules.identity import drives_of
from perf_bench.model.hardware import facts_of
from told_hosts import HOUR, THEN, Hosts

A, B = "0x5000c500a1b2c3d4", "0x5000c500ffffffff"


def test_paths_without_a_device_do_not_make_two_disks_one() -> None:
    """Multipathd names a path whose SCSI device has gone "-"."""
    maps = [
        {
            "name": f"mpath{letter}",
            "wwid": f"3500{letter}",
            "paths": [
                {"device": f"sd{letter}", "state": "active", "checker": "ready"},
                {"device": "-", "state": "failed", "checker": "faulty"},
            ],
        }
        for letter in "abc"
    ]
    told = facts_of(document(multipath=maps))
    osds = [an_osd(n, "host-0", devices=f"sd{'abc'[n]}") for n in range(3)]
    on = drives_of({"host-0": told}, osds)["host-0"]
    assert [on[f"sd{letter}"].all for letter in "abc"] == [(0,), (1,), (2,)]


class History(Hosts):
    """Facts of hosts in turn, hour by hour."""

    def __init__(self, *hosts: str) -> None:
        super().__init__([an_osd(n, host) for n, host in enumerate(hosts)])

    def after(self, hour: int, told: dict[str, Any]) -> None:
        self.tells(told, at=THEN + hour * HOUR)

    def at(self, hour: float, *down: int) -> History:
        """At that time, with these OSDs down."""
        self.now = THEN + hour * HOUR
        self.fell = dict.fromkeys(down, self.now)
        return self


def test_an_enclosure_that_was_exchanged_does_not_keep_the_osds_of_the_new_one() -> None:
    place = History(*["host-0"] * 4)
    disks = {n: f"sd{'abcd'[n]}" for n in range(4)}
    osds = [{"id": n, "device": name} for n, name in disks.items()]
    place.after(0, document(osds=osds, enclosures=[shelf(disks, 6)]))
    # All disks were put into another one.
    place.after(24, document(osds=osds, enclosures=[shelf(disks, 6, number=B)]))
    holds = {one.id: sorted(one.osds) for one in place.at(24.5).seen.enclosures}
    assert holds[B] == [0, 1, 2, 3]
    assert holds.get(A, []) == []
    assert [one.message for one in place.at(25, 2).claims()] == []


def test_an_osd_that_was_removed_with_its_enclosure_is_not_the_new_one_of_its_number() -> None:
    """Ceph gives a new OSD the lowest number that is free, on whichever host it is."""
    place = History("host-0", "host-0")
    osds = [{"id": n, "device": name} for n, name in enumerate(("sda", "sdb"))]
    place.after(0, document(osds=osds, enclosures=[shelf({0: "sda", 1: "sdb"})]))
    place.after(24, document(osds=[], enclosures=[]))
    place.osds = [an_osd(1, "host-1")]
    seen = place.at(24.5, 1)
    assert seen.seen.enclosures == []
    assert [one.message for one in seen.claims()] == []


def test_an_enclosure_without_an_osd_is_not_missed() -> None:
    """As one without slots, and one that was removed."""
    place = History("host-0")
    place.after(0, document(enclosures=[{"id": "server-1"}, shelf({0: "sda"})]))
    place.after(24, document(enclosures=[]))
    assert place.at(24.5).seen.enclosures == []


def test_a_disk_that_was_moved_into_another_enclosure_is_not_missed() -> None:
    place = History(*["host-0"] * 2)
    osds = [{"id": 0, "device": "sda"}, {"id": 1, "device": "sdb"}]
    both = [shelf({0: "sda"}), shelf({0: "sdb"}, number=B)]
    place.after(0, document(osds=osds, enclosures=both))
    moved = [shelf({0: None}), shelf({0: "sdb", 1: "sda"}, number=B)]
    place.after(24, document(osds=osds, enclosures=moved))
    assert [one.message for one in place.at(25, 0).claims()] == []


def test_a_down_osd_is_not_on_the_disk_that_has_its_old_name_since_the_last_boot() -> None:
    """The host started before enclosure A had power: the disks of B have the names of A's."""
    place = History(*["host-0"] * 8)
    names = [f"sd{letter}" for letter in "abcdefgh"]
    metadata = [an_osd(n, "host-0", devices=name) for n, name in enumerate(names)]
    place.osds = metadata
    osds = [{"id": n, "device": name} for n, name in enumerate(names)]
    first = [shelf(dict(enumerate(names[:4]))), shelf(dict(enumerate(names[4:])), number=B)]
    place.after(0, document(osds=osds, enclosures=first))
    # Those of A are down, and their metadata are of their last start; those of B are up again.
    place.osds = [an_osd(n, "host-0", devices=names[n % 4], up=n >= 4) for n in range(8)]
    osds = [{"id": n, "device": names[n - 4]} for n in range(4, 8)]
    place.after(24, document(osds=osds, enclosures=[shelf(dict(enumerate(names[:4])), number=B)]))
    seen = place.at(24.5, 0, 1, 2, 3)
    holds = {one.id: sorted(one.osds) for one in seen.seen.enclosures}
    assert holds == {A: [0, 1, 2, 3], B: [4, 5, 6, 7]}
    assert [one.target.id for one in seen.claims()] == [A]


def test_osds_that_nobody_started_after_a_boot_are_still_in_their_enclosure() -> None:
    """Its disks came late: they are there, but their OSDs have no folders, so no facts tie them."""
    place = History(*["host-0"] * 6)
    names = [f"sd{letter}" for letter in "abcdef"]
    place.osds = [an_osd(n, "host-0", devices=name) for n, name in enumerate(names)]
    osds = [{"id": n, "device": name} for n, name in enumerate(names)]
    both = [shelf(dict(enumerate(names[:3]))), shelf(dict(enumerate(names[3:])), number=B)]
    place.after(0, document(osds=osds, enclosures=both))
    place.osds = [an_osd(n, "host-0", devices=name, up=n < 3) for n, name in enumerate(names)]
    place.after(24, document(osds=osds[:3], enclosures=both))
    seen = place.at(24.5, 3, 4, 5)
    assert {one.id: sorted(one.osds) for one in seen.seen.enclosures} == {
        A: [0, 1, 2],
        B: [3, 4, 5],
    }
    assert [one.target.id for one in seen.claims()] == [B]
