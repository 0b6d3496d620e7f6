"""From facts to enclosures, slots and paths, and what is said against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from factory import COLLECTED, document, shelf
from nouns import an_osd
from perf_bench.model.finding import Claim, Severity
from perf_bench.model.finding_kinds import ENCLOSURE_FAULT, MULTIPATH_DEGRADED
from perf_bench.model.hardware import Enclosure
from perf_bench.model.osd import Osd
from told_hosts import Hosts

THEN = 1_700_000_000.0  # when the facts of `document` were collected
A, B = "0x5000c500a1b2c3d4", "0x5000c500ffffffff"
WARNING, ERROR = Severity.WARNING, Severity.ERROR
DISKS = {0: "sda", 1: "sdb", 2: "sdc", 3: "sdd"}
OSDS = [{"id": osd, "device": device} for osd, device in DISKS.items()]


def _osds(count: int = 8, **named: Any) -> list[Osd]:
    """Half on host-0, half on host-1, without a word of devices."""
    return [an_osd(n, f"host-{n // (count // 2)}", **named) for n in range(count)]


class Place(Hosts):
    """What hosts told, of eight OSDs unless others are given."""

    def __init__(self, *documents: dict[str, Any], osds: Optional[Sequence[Osd]] = None) -> None:
        super().__init__(osds or _osds(), *documents)

    @property
    def shelves(self) -> Sequence[Enclosure]:
        return self.seen.enclosures

    def claims(self) -> list[Claim]:
        return [one for one in super().claims() if one.code == ENCLOSURE_FAULT.code]

    def path_claims(self) -> list[Claim]:
        return [one for one in super().claims() if one.code == MULTIPATH_DEGRADED.code]


# --- the map ---------------------------------------------------------------------------------


def test_slots_with_their_osds() -> None:
    (found,) = Place(document(osds=OSDS, enclosures=[shelf(DISKS, 6)])).shelves
    assert (found.id, found.serial, found.make) == (A, "Sc3d4", "V M-60")
    assert [(bay.slot.slot, bay.on.first) for bay in found.bays] == [
        (0, 0), (1, 1), (2, 2), (3, 3), (4, None), (5, None),
    ]  # fmt: skip
    assert found.osds == {0, 1, 2, 3}


def test_two_osds_on_one_drive_and_a_drive_of_dbs() -> None:
    """As metadata have it; osd.2 and osd.3 have their DBs on what osd.0 and osd.1 stand on."""
    data = ["sda", "sda", "sdb", "sdc"]
    osds = [
        an_osd(n, "host-0", devices="nvme0n1,sdb" if n == 2 else f"{own},sdz", data_device=own)
        for n, own in enumerate(data)
    ]
    place = Place(document(enclosures=[shelf({0: "sda", 1: "sdb", 2: "sdz"})]), osds=osds)
    (found,) = place.shelves
    assert [(bay.on.osds, bay.on.db_of) for bay in found.bays] == [
        ((0, 1), ()), ((2,), ()), ((), (0, 1, 3)),
    ]  # fmt: skip
    assert found.osds == {0, 1, 2}  # where their data are


def test_an_osd_is_tied_by_its_own_host_only() -> None:
    lie = document("host-1", osds=[{"id": 0, "device": "sda"}], enclosures=[shelf(DISKS)])
    (found,) = Place(lie).shelves
    assert found.osds == frozenset()


def test_a_slot_that_is_known_by_the_other_path_of_its_disk() -> None:
    paths = [{"device": "sdaa"}, {"device": "sdbb"}]
    by_map = document(
        osds=[{"id": 0, "device": "sdbb"}],
        enclosures=[shelf({0: "sdaa"})],
        multipath=[{"name": "mpatha", "paths": paths}],
    )
    by_wwid = document(
        osds=[{"id": 0, "device": "sdbb"}],
        enclosures=[shelf({0: "sdaa"})],
        block=[{"device": name, "wwid": "naa.1"} for name in ("sdaa", "sdbb")],
    )
    for told in (by_map, by_wwid):
        (found,) = Place(told).shelves
        assert found.osds == {0}


def _block(*names: str) -> list[dict[str, Any]]:
    """These disks, each with the WWID of its place."""
    return [{"device": name, "wwid": f"naa.5000c{n + 1}"} for n, name in enumerate(names)]


def test_what_one_of_two_hosts_tells_of_an_enclosure_counts() -> None:
    """Its serial, and that a slot's fault light is on."""
    for knows in [0, 1]:
        seen = []
        for number in range(2):
            own = shelf({0: f"sd{number}"})
            own["serial"] = "Sc3d4" if number == knows else None
            own["slots"] = [{**slot, "fault": number == knows} for slot in own["slots"]]
            seen.append(document(f"host-{number}", enclosures=[own]))
        (found,) = Place(*seen).shelves
        assert (found.serial, [bay.slot.fault for bay in found.bays]) == ("Sc3d4", [True])


FANS = [{"type": "fan", "name": "fan 1", "status": "OK"}, {"type": "fan", "name": "fan 2"}]
BAD_FAN = [{"type": "fan", "name": "fan 2", "status": "critical"}]
DAY_BEFORE, WEEK_BEFORE = "2023-11-13T22:13:20Z", "2023-11-07T22:13:20Z"
TWO_DAYS_BEFORE, A_SECOND_LESS = "2023-11-12T22:13:20Z", "2023-11-12T22:13:21Z"


def test_two_hosts_that_disagree_about_one_enclosure() -> None:
    """Each has half of the disks; slot 1 is one of host-1."""
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({}, {}, ""),
        ({"bad": [1]}, {}, "slot 1 (osd.4) is critical"),
        ({}, {"bad": [1]}, "slot 1 (osd.4) is critical"),
        ({"elements": FANS}, {"elements": BAD_FAN}, "fan 2 is critical"),
        ({"elements": BAD_FAN}, {"elements": FANS}, "fan 2 is critical"),
        ({"bad": [1], "at": DAY_BEFORE}, {}, "slot 1 (osd.4) is critical"),
        # a host that tells no more does not accuse for ever
        ({"bad": [1], "elements": BAD_FAN, "at": WEEK_BEFORE}, {"elements": FANS}, ""),
        ({}, {"bad": [1], "at": WEEK_BEFORE}, ""),
        ({}, {"bad": [1], "at": TWO_DAYS_BEFORE}, ""),
        ({}, {"bad": [1], "at": A_SECOND_LESS}, "slot 1 (osd.4) is critical"),
    ]
    for first, second, said in cases:

        def tells(
            host: str, osd: int, slot: int, device: str, at: str = COLLECTED, **named: Any
        ) -> Any:
            seen = shelf({0: None, 1: None, slot: device}, **named)
            told = document(host, osds=[{"id": osd, "device": device}], enclosures=[seen])
            return {**told, "collected_at": at}

        one, two = tells("host-0", 0, 0, "sda", **first), tells("host-1", 4, 1, "sdy", **second)
        place = Place(one, two)
        place.now = THEN
        (found,) = place.shelves
        assert [(bay.slot.device, bay.on.first) for bay in found.bays] == [("sda", 0), ("sdy", 4)]
        texts = [claim.message.partition(": ")[2] for claim in place.claims()]
        assert texts == ([said] if said else [])


def test_enclosures_that_only_the_crush_map_knows() -> None:
    osds = _osds(4, location={"enclosure": "shelf-7", "root": "default"})
    (found,) = Place(osds=osds).shelves
    assert (found.id, found.source, sorted(found.osds)) == ("shelf-7", "map", [0, 1, 2, 3])
    assert found.hosts == ("host-0", "host-1")


def test_enclosures_that_only_the_paths_of_osds_name() -> None:
    """One that a host told of, or that CRUSH has, is known by that."""
    way = "0x500056b35e77bcff"
    osds = _osds(6, expander=way, location={})
    osds[5] = an_osd(5, "host-1", expander=way, location={"enclosure": "shelf-7"})
    told = document(osds=[OSDS[0]], enclosures=[shelf({0: "sda"})])
    found = Place(told, osds=osds).shelves
    assert [(one.id, one.source, sorted(one.osds)) for one in found] == [
        (A, "facts", [0]), ("shelf-7", "map", [5]), (way, "path", [1, 2, 3, 4]),
    ]  # fmt: skip


# --- what is said against them ---------------------------------------------------------------


def _told(count: int = 8, **named: Any) -> Place:
    """One enclosure of host-0 with OSDs 0 to 3 and as many more on the host."""
    osds = [*[an_osd(n, "host-0") for n in range(count)], an_osd(90, "host-1")]
    return Place(document(osds=OSDS, enclosures=[shelf(DISKS, 6, **named)]), osds=osds)


def _said(place: Place) -> Optional[str]:
    found = place.claims()
    assert len(found) <= 1  # one finding for all
    return found[0].message.partition(": ")[2] if found else None


def test_osds_that_fall_together_while_their_host_is_up() -> None:
    place = _told()
    place.falls(0, 1)
    assert _said(place) is None  # two may be chance
    place.falls(2)
    (claim,) = place.claims()
    assert claim.severity is WARNING
    assert claim.message.startswith(
        f"enclosure {A} (V M-60): 3 of its 4 OSDs went down within minutes of each other "
        "(osd.0, osd.1 and osd.2): check its power and cables"
    )
    assert (claim.evidence["osds"], claim.since) == ([0, 1, 2], THEN)
    place.falls(3)
    assert place.claims()[0].severity is ERROR


def test_osds_that_fall_with_a_drive_that_they_share_are_one_fall() -> None:
    def place(shared: int) -> Place:
        """Eight OSDs in an enclosure, with their DBs on so many drives beside it."""
        devices = {n: f"sd{'abcdefgh'[n]}" for n in range(8)}
        osds = [
            an_osd(n, "host-0", devices=f"{own},nvme{n % shared}n1", data_device=own)
            for n, own in devices.items()
        ]
        found = Place(document(enclosures=[shelf(devices)]), osds=[*osds, an_osd(90, "host-0")])
        found.falls(*range(8))
        return found

    assert _said(place(1)) is None  # it may be that drive
    assert "8 of its 8 OSDs went down" in (_said(place(2)) or "")  # both at once


def test_a_host_is_alive_that_tells_after_its_last_osd_fell() -> None:
    """One that dies may have told its last facts after its first OSDs were marked down."""
    cases: list[tuple[int, bool]] = [(10, False), (20, False), (21, True)]
    for told, accused in cases:
        place = _told(count=4)
        place.falls(0, 1)
        place.falls(2, 3, at=THEN + 20)
        place.tells(document(osds=OSDS, enclosures=[shelf(DISKS, 6)]), at=THEN + told)
        assert (_said(place) is not None) is accused


def test_a_rack_that_is_down_is_no_enclosure() -> None:
    place = _told()
    place.falls(0, 1, 2, 3, 4, 5)
    assert _said(place) is None


def test_a_host_that_was_up_before_its_enclosure() -> None:
    place = _told()
    place.tells(document(osds=[], enclosures=[]), at=THEN + 50)
    assert _said(place) is None  # taken away, and its OSDs are elsewhere
    place.falls(0, 1, 2, 3, at=THEN - 900)
    (claim,) = place.claims()
    assert claim.severity is ERROR
    assert (
        "host-0 reports facts but no longer sees it, and osd.0, osd.1, osd.2 and osd.3 in it are "
        "down: check its power and cables, then run 'ceph-volume lvm activate --all' on host-0"
    ) in claim.message


def test_an_enclosure_that_another_host_still_sees_is_not_gone() -> None:
    place = _told()
    other = document("host-1", enclosures=[shelf(DISKS, 6)])
    place.tells(other)
    place.tells(document(osds=[], enclosures=[]), at=THEN + 50)
    place.falls(0, 1, at=THEN - 900)
    assert _said(place) is None
    place.tells({**other, "enclosures": []}, at=THEN + 50)
    assert "no longer sees it, and osd.0 and osd.1 in it are down" in (_said(place) or "")


def test_parts_that_say_they_are_bad() -> None:
    cases: list[tuple[dict[str, Any], Optional[str], Optional[Severity]]] = [
        ({"bad": [2]}, "slot 2 (osd.2) is critical", WARNING),
        ({"bad": [2, 3]}, "slot 2 (osd.2) is critical and slot 3 (osd.3) is critical", ERROR),
        (
            {"elements": [{"type": "fan", "name": "fan 1", "status": "critical"}]},
            "fan 1 is critical",
            WARNING,
        ),
        ({"elements": [{"type": "psu", "status": "noncritical"}]}, "psu is noncritical", WARNING),
        (
            {"elements": [{"type": part, "status": "noncritical"} for part in ("fan", "psu")]},
            "fan is noncritical and psu is noncritical",
            WARNING,  # many small faults are no grave one
        ),
        (
            {
                "elements": [
                    {"type": "fan", "status": "noncritical"},
                    {"type": "psu", "status": "unrecoverable"},
                ]
            },
            "fan is noncritical and psu is unrecoverable",
            ERROR,
        ),
        ({"elements": [{"type": "fan", "status": "unknown"}]}, None, None),
        ({"elements": [{"type": "fan", "status": "not installed"}]}, None, None),
    ]
    for named, said, severity in cases:
        place = _told(**named)
        assert _said(place) == said
        assert [claim.severity for claim in place.claims()] == ([severity] if severity else [])


def test_fewer_ways_to_an_enclosure_than_there_were() -> None:
    place = Place(document(enclosures=[{**shelf(DISKS), "paths": 2}]))
    place.tells(document(enclosures=[{**shelf(DISKS), "paths": 1}]))
    assert _said(place) == "host-0 reaches it over 1 of 2 paths"
    place.tells(document(enclosures=[{**shelf(DISKS), "paths": 2}]))
    assert _said(place) is None


def _of_two_ids(host: str, ways: int, *slots: int) -> dict[str, Any]:
    """What a host tells of an enclosure that host-0 knows by another ID; slot 2 has no OSD."""
    devices = {0: None, 1: None, 2: "sd2", **{slot: f"sd{slot}" for slot in slots}}
    return document(
        host,
        osds=[{"id": 4 + slot, "device": f"sd{slot}"} for slot in slots],
        enclosures=[{**shelf(devices), "id": A if host == "host-0" else B, "paths": ways}],
        block=[{"device": "sd2", "wwid": "naa.5000c2"}],
    )


def _with_one_serial(*told: dict[str, Any]) -> list[dict[str, Any]]:
    for one in told:
        for enclosure in one["enclosures"]:
            enclosure["serial"] = "S"
    return list(told)


def test_an_enclosure_that_two_hosts_know_by_different_ids_is_compared_with_what_each_saw() -> None:
    before = _with_one_serial(_of_two_ids("host-0", 2), _of_two_ids("host-1", 2, 0, 1))
    place = Place(*before)
    assert _said(place) is None
    (again,) = _with_one_serial(_of_two_ids("host-1", 1, 0))
    place.tells(again)
    assert _said(place) == "host-1 reaches it over 1 of 2 paths"


def test_an_enclosure_of_two_ids_that_a_host_sees_no_more_is_still_one() -> None:
    hosts = ("host-0", "host-1", "host-2")
    place = Place(*_with_one_serial(*(_of_two_ids(host, 1) for host in hosts)))
    place.tells(document("host-1", enclosures=[]))
    assert [(one.id, one.hosts, one.missing) for one in place.shelves] == [
        (A, ("host-0", "host-2"), ("host-1",))
    ]


def test_a_host_does_not_miss_an_enclosure_that_it_sees_by_one_of_its_two_ids() -> None:
    one, two = ({**shelf({0: "sda"}), "serial": "S", "id": name} for name in (A, B))
    block = _block("sda")
    place = Place(
        document(enclosures=[one, two], block=block),
        document("host-1", enclosures=[one, two], block=block),
    )
    place.tells(document(enclosures=[one], block=block))
    assert [(one.id, one.hosts, one.missing) for one in place.shelves] == [
        (A, ("host-0", "host-1"), ())
    ]


def test_the_ways_to_both_ids_of_an_enclosure_count() -> None:
    cases: list[tuple[tuple[int, int], Optional[str]]] = [
        ((2, 1), None),
        ((1, 1), "2 of 3"),
        ((2, 0), "2 of 3"),
    ]
    for ways, said in cases:

        def seen(first: int, second: int) -> dict[str, Any]:
            both = {**shelf(DISKS), "paths": first}, {**shelf(DISKS), "id": B, "paths": second}
            return document(enclosures=list(both))

        place = Place(seen(2, 1), seen(*ways))
        assert _said(place) == (said and f"host-0 reaches it over {said} paths")


def test_old_facts_of_one_host_say_nothing_of_its_paths() -> None:
    """Another host tells of the enclosure today."""
    place = Place()
    for host, paths in (("host-0", 2), ("host-1", 2), ("host-0", 1)):
        place.tells(document(host, enclosures=[{**shelf(DISKS), "paths": paths}]))
    assert _said(place) == "host-0 reaches it over 1 of 2 paths"
    place.now += 3 * 86400
    place.tells(document("host-1", enclosures=[{**shelf(DISKS), "paths": 2}]), at=THEN + 3 * 86400)
    assert _said(place) is None


def test_of_a_host_that_is_silent_no_part_or_path_has_a_state() -> None:
    place = _told(bad=[2], elements=FANS)
    place.tells(_paths(_map(0), _map(1, LOST), enclosures=[shelf(DISKS, bad=[2], elements=FANS)]))
    for age, told in ((2 * 86400 - 1, True), (2 * 86400, False)):
        place.now = THEN + age
        (found,) = [one for one in place.shelves if one.source == "facts"]
        states = {bay.slot.status for bay in found.bays} | {one.status for one in found.elements}
        assert (states != {None}) is told
        assert any(bay.slot.fault for bay in found.bays) is told
        assert [state for *_, state in _states(place)] == (
            ["ok", "degraded"] if told else ["unknown", "unknown"]
        )
        found_paths = place.seen.multipaths
        words = {str(path.state) for one in found_paths for path in one.paths}
        assert words == ({"active", "failed"} if told else {"None"})


# --- paths -----------------------------------------------------------------------------------


def _map(slot: int, states: Sequence[str] = ("active", "active"), **named: Any) -> dict[str, Any]:
    """mpath0 over sda (SCSI host 0) and sda2 (SCSI host 1), and so on."""
    device = DISKS[slot]
    paths = [
        {"device": name, "hctl": f"{hba}:0:{slot}:0", "state": state}
        for hba, (name, state) in enumerate(zip((device, f"{device}2"), states))
    ]
    return {"name": f"mpath{slot}", "wwid": f"w{slot}", "paths": paths, **named}


def _paths(*maps: dict[str, Any], **named: Any) -> dict[str, Any]:
    return document(osds=OSDS, multipath=list(maps), **named)


LOST = ("active", "failed")
ALONE = ("active",)


def _states(place: Place) -> list[tuple[Optional[int], int, Optional[int], str]]:
    found = place.seen.multipaths
    return [(one.on.first, one.active, one.expected, one.state) for one in found]


def test_a_host_that_tells_of_other_enclosures_each_time_is_not_remembered_for_ever() -> None:
    place = Place()
    for day in range(5):
        shelves = [shelf({}, number=f"0x{256 * day + n:x}") for n in range(256)]
        place.tells(document(enclosures=shelves), at=THEN + 86400 * day)
    memory = place.known["host-0"].memory
    assert len(memory.enclosure_paths) == len(memory.slots) == 512
    assert "0x4ff" in memory.enclosure_paths  # the last one that was told


def test_paths_that_are_there_and_paths_that_are_lost() -> None:
    place = Place(_paths(_map(0), _map(1, LOST), _map(2, ("failed", "failed"))))
    assert _states(place) == [(0, 2, 2, "ok"), (1, 1, 2, "degraded"), (2, 0, 2, "failed")]


def test_how_many_there_should_be_is_the_most_ever_seen_or_what_was_told() -> None:
    place = Place(_paths(_map(0), _map(1, ALONE, expected_paths=2), _map(3, ALONE)))
    place.tells(_paths(_map(0, ALONE), _map(1, ALONE, expected_paths=2), _map(3, ALONE)))
    assert _states(place) == [(0, 1, 2, "degraded"), (1, 1, 2, "degraded"), (3, 1, 1, "ok")]


def test_a_path_whose_checker_says_that_it_is_faulty() -> None:
    one = _map(0)
    one["paths"][1]["checker"] = "faulty"
    assert _states(Place(_paths(one))) == [(0, 1, 2, "degraded")]


def test_what_is_told_every_hour_unchanged_does_not_flap() -> None:
    cases: list[Sequence[str]] = [("active", "active"), LOST]
    for states in cases:
        place = Place(_paths(_map(0)))
        for hour in range(1, 24):
            place.tells(_paths(_map(0, states)), at=THEN + 3600 * hour)
        place.now = THEN + 24 * 3600
        (found,) = place.seen.multipaths
        assert (found.drops, found.state) == ((0, "ok") if states != LOST else (1, "degraded"))


def test_three_losses_within_a_day_are_flapping() -> None:
    cases: list[tuple[int, str]] = [(2, "ok"), (3, "flapping")]
    for losses, state in cases:
        place = Place(_paths(_map(0)))
        for hour in range(losses):
            place.tells(_paths(_map(0, LOST)), at=THEN + 3600 * hour)
            place.tells(_paths(_map(0)), at=THEN + 3600 * hour + 60)
        for at, found in ((86399, state), (86400, "ok")):
            place.now = THEN + at
            assert _states(place) == [(0, 2, 2, found)]


def test_an_osd_on_one_of_several_paths() -> None:
    block = [{"device": name, "serial": "Z1", "wwid": "naa.1"} for name in ("sda", "sdx")]
    assert _states(Place(_paths(block=block))) == [(0, 1, 2, "bare")]
    # nobody has told of multipath devices: not known
    assert _states(Place(document(osds=OSDS, block=block))) == []


def _two_ports(*states: str) -> dict[str, Any]:
    """An OSD on an NVMe drive over paths that the kernel joins, and a drive with one path."""
    paths = [{"device": f"nvme0c{n}n1", "state": state} for n, state in enumerate(states)]
    block = [
        {"device": "nvme0n1", "wwid": "eui.1", "serial": "S1", "paths": paths},
        {"device": "nvme1n1", "wwid": "eui.2", "serial": "S2", "paths": [{"device": "nvme1c3n1"}]},
    ]
    osds = [{"id": 0, "device": "nvme0n1"}, {"id": 1, "device": "nvme1n1"}]
    return document(osds=osds, block=block, multipath=[])


def test_an_nvme_drive_that_lost_one_of_two_paths() -> None:
    """The kernel joins them without device-mapper; a controller that is gone has no name."""
    cases: list[tuple[str, ...]] = [("live",), ("live", "dead")]
    for left in cases:
        place = Place(_two_ports("live", "live"))
        assert (_states(place), place.path_claims()) == ([(0, 2, 2, "ok")], [])
        place.tells(_two_ports(*left))
        assert _states(place) == [(0, 1, 2, "degraded")]
        (claim,) = place.path_claims()
        assert claim.message == "host-0: 1 disk with lost paths (nvme0n1 of osd.0)"


def test_a_dead_hba_is_one_finding_that_names_it() -> None:
    (claim,) = Place(_paths(*[_map(slot, LOST) for slot in DISKS])).path_claims()
    assert claim.message == (
        "host-0: 4 disks with lost paths (mpath0 of osd.0, mpath1 of osd.1, "
        "mpath2 of osd.2 and mpath3 of osd.3): none of them has a path over SCSI host 1"
    )
    assert claim.evidence["osds"] == [0, 1, 2, 3]


def test_an_enclosure_is_named_that_has_all_of_them_and_not_every_disk() -> None:
    cases: list[tuple[Sequence[int], Sequence[int], Optional[str]]] = [
        ((0, 1), (0, 1), f"all of enclosure {A}"),
        ((0, 1), (0, 1, 2), f"all of enclosure {A}"),  # with another one
        ((0, 1), (0, 1, 2, 3), None),  # of every disk it could be said
        ((0, 2), (0, 1), None),  # one of them is elsewhere
    ]
    for lost, inside, shared in cases:
        maps = [
            # each path over an HBA of its own: no HBA is common
            {
                **_map(slot),
                "paths": [
                    {"device": name, "hctl": f"{2 * slot + hba}:0:0:0", "state": state}
                    for hba, (name, state) in enumerate(
                        (
                            (DISKS[slot], "active"),
                            (f"{DISKS[slot]}2", "failed" if bad else "active"),
                        )
                    )
                ],
            }
            for slot in DISKS
            for bad in [slot in lost]
        ]
        here = {slot: device for slot, device in DISKS.items() if slot in inside}
        (claim,) = Place(_paths(*maps, enclosures=[shelf(here)])).path_claims()
        assert claim.evidence["shared"] == shared


def test_the_only_hba_or_two_at_once_are_no_cause_to_name() -> None:
    """Where every disk has lost all of its paths there is no HBA that still works."""
    gone = ("failed", "failed")
    both = [_map(slot, gone) for slot in (0, 1)]
    (claim,) = Place(_paths(*both)).path_claims()
    assert claim.evidence["shared"] is None
    for one in both:
        for path in one["paths"]:
            path["hctl"] = "0:0:0:0"
    (claim,) = Place(_paths(*both)).path_claims()
    assert claim.evidence["shared"] is None


def test_a_disk_of_no_osd_is_nobodys_concern() -> None:
    place = Place(document(multipath=[_map(1, LOST)]))
    assert _states(place) == [(None, 1, 2, "degraded")]
    assert place.path_claims() == []


def test_twenty_disks_that_lost_paths_are_listed() -> None:
    disks = {slot: f"sd{slot}" for slot in range(22)}
    maps = [
        {
            "name": f"mpath{slot:02}",
            "expected_paths": 2,
            "paths": [{"device": disk, "state": "active"}],
        }
        for slot, disk in disks.items()
    ]
    osds = [{"id": slot, "device": disk} for slot, disk in disks.items()]
    place = Place(document(osds=osds, multipath=maps), osds=[an_osd(n) for n in disks])
    (claim,) = place.path_claims()
    assert claim.evidence["states"] == {f"mpath{n:02}": "1 of 2 paths" for n in range(20)}
    assert claim.evidence["osds"] == list(range(22))
