"""Where the drive of an OSD is, and what a finding's commands know of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Optional

import pytest

from asked import asking
from factory import document, shelf
from fakes.cluster import FakeCluster
from nouns import an_osd
from perf_bench.answers.api import Api
from perf_bench.answers.findings import steps_of
from perf_bench.hardware.enclosures import DrivePlaces
from perf_bench.model.finding import Finding, FindingState, Severity, Target, Watched
from perf_bench.model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from perf_bench.model.hardware import DrivePlace
from perf_bench.model.osd import Osd
from stage import Stage


def _osd(number: int, device: str, **named: Any) -> Osd:
    return an_osd(number, "host-0", devices=device, data_device=device, **named)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    osds = [
        _osd(0, "sda", device_id="ATA_X_1"),
        _osd(1, "nvme0n1"),
        _osd(2, "nvme0n1"),
        an_osd(3, "host-1"),
    ]
    made = Stage(tmp_path / "main.db", FakeCluster(osds))
    facts = document("host-0", enclosures=[shelf({4: "sda"})])
    made.hosts.take("host-0", json.dumps(facts), made.cluster.osds())
    yield made
    made.close()


@contextmanager
def _told(path: Path, *osds: Osd) -> Iterator[Stage]:
    """A cluster of these OSDs, whose facts, none, were read."""
    stage = Stage(path, FakeCluster(list(osds)))
    try:
        stage.hosts.known()
        yield stage
    finally:
        stage.close()


def _api(stage: Stage, backend: Callable[[], Optional[str]]) -> Api:
    members = [Watched(one.id, "", one.host, "hdd") for one in stage.cluster.osds()]
    watch = SimpleNamespace(members=lambda: members)
    return asking(
        inventory=stage.inventory, cluster=stage.cluster, orchestrator=backend, watch=watch
    )


def _places(stage: Stage) -> DrivePlaces:
    return DrivePlaces(stage.inventory, stage.cluster, 0.0)


def test_slot_device_and_who_shares_it(stage: Stage) -> None:
    places = _places(stage)
    (enclosure,) = stage.inventory.view(0.0).enclosures
    assert places.of(0) == DrivePlace(0, "host-0", "sda", "ATA_X_1", enclosure.id, "4", osds=(0,))
    assert places.of(1) == DrivePlace(1, "host-0", "nvme0n1", osds=(1, 2))
    assert places.of(3) == DrivePlace(3, "host-1")
    assert places.of(9) is None


def test_before_the_facts_are_read_only_the_maps_are_known(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "main.db", FakeCluster([_osd(0, "sda")]))
    try:
        stage.faults.failing = -1
        assert _places(stage).of(0) == DrivePlace(0, "host-0", "sda")
    finally:
        stage.faults.failing = 0
        stage.close()


SAME = {"device_id": "ACME_NV_S1"}
TWO_CLUES = "a serial number or a name says that they are on the same drive"


# Other OSDs beside osd.0 on sdk, those that are on its drive for sure, and those that may be.
ON_SDK: list[tuple[list[Osd], tuple[int, ...], tuple[int, ...]]] = [
    ([_osd(1, "sdk", **SAME)], (0, 1), ()),
    ([_osd(1, "sdk")], (0, 1), ()),
    # its DB is on the drive
    (
        [
            _osd(1, "sdb", device_id="ACME_HD_2"),
            an_osd(2, "host-0", devices="sdc,sdk", data_device="sdc"),
        ],
        (0, 2),
        (),
    ),
    # another device ID: one of them is of before a boot
    ([_osd(1, "sdk", device_id="ACME_NV_S2")], (0,), (1,)),
    # down, so the name may be that of another disk now: its device ID tells
    ([_osd(1, "sdk", up=False)], (0,), (1,)),
    ([_osd(1, "sdk", up=False, **SAME)], (0, 1), ()),
    # of a RAID controller or of virtual disks (canonical/lxd#15169): the ID tells nothing
    ([_osd(1, "sdb", **SAME), _osd(2, "sdc", **SAME)], (0,), (1, 2)),
    ([_osd(1, "sdk", up=False, **SAME), _osd(2, "sdc", **SAME)], (0,), (1, 2)),
    ([an_osd(1, "host-1", devices="sdk", data_device="sdk", **SAME)], (0,), (1,)),
]


def test_commands_take_only_osds_whose_metadata_name_the_same_device(tmp_path: Path) -> None:
    for number, (others, osds, perhaps) in enumerate(ON_SDK):
        with _told(tmp_path / f"{number}.db", _osd(0, "sdk", **SAME), *others) as stage:
            place = _places(stage).of(0)
            assert place is not None
            assert (place.osds, place.perhaps) == (osds, perhaps)
            repeated = any(one.device_id == "ACME_NV_S1" and one.id in perhaps for one in others)
            assert place.device_id == (None if repeated else "ACME_NV_S1")
            finding = Finding(1, SLOW_OSD.code, Severity.WARNING, Target("osd", "0"), "slow")
            shape = steps_of(_api(stage, lambda: "cephadm"))(finding)
            assert shape is not None
            words = " ".join(map(str, osds))
            commands = [str(step.command) for step in shape.replace]
            assert f"ceph osd out {words}" in commands
            assert f"ceph orch osd rm {words} --replace" in commands
            told = " ".join(step.text for step in shape.replace)
            assert ("name the same device, sdk" in told) is (len(osds) > 1)
            assert (TWO_CLUES in told) is bool(perhaps)
            assert all(f"osd.{osd}" in told for osd in perhaps)
            light = "ceph device light on ACME_NV_S1"
            assert (light in commands) is (place.device_id is not None)


def test_namespaces_of_a_target_are_no_drive(stage: Stage) -> None:
    """One subsystem exports drives of many hosts as namespaces with its own serial number."""
    block = [{"device": name, "serial": "S1"} for name in ("nvme3n1", "nvme3n2")]
    osds = [{"id": n + 1, "device": one["device"]} for n, one in enumerate(block)]
    stage.hosts.take(
        "host-0", json.dumps(document("host-0", osds=osds, block=block)), stage.cluster.osds()
    )
    place = _places(stage).of(1)
    assert place is not None
    assert (place.osds, place.perhaps) == ((1,), ())


def test_an_osd_on_several_disks_is_on_the_one_that_only_it_has(tmp_path: Path) -> None:
    """LVM's cache, of which several OSDs have a part."""

    def cached(number: int, devices: str, **named: Any) -> Osd:
        return an_osd(number, "host-0", devices=devices, data_device=devices, **named)

    osds = [cached(0, "sda,sdz"), cached(1, "sdb,sdz"), cached(2, "sdc,sdd")]
    # udev does not know the cache sde
    osds += [cached(n, f"sde,sd{name}", device_id=f"ACME_{n}") for n, name in ((3, "f"), (4, "g"))]
    with _told(tmp_path / "main.db", *osds) as stage:
        found = [_places(stage).of(n) for n in range(5)]
        assert [(one.device, one.osds) for one in found if one] == [
            ("sda", (0,)), ("sdb", (1,)), (None, ()), ("sdf", (3,)), ("sdg", (4,)),
        ]  # fmt: skip


def test_the_osds_of_a_finding(stage: Stage) -> None:
    cases: list[tuple[Any, Target, dict[str, Any], str]] = [
        (SLOW_OSD, Target("osd", "0"), {}, "ceph osd ok-to-stop 0"),
        (SLOW_OSD, Target("osd", "1"), {}, "ceph osd ok-to-stop 1 2"),
        (SLOW_HOST, Target("host", "host-0"), {}, "ceph osd ok-to-stop 0 1 2"),
        # those that it names, if they still exist
        (SLOW_HOST, Target("host", "host-0"), {"osds": [2, 1, 77]}, "ceph osd ok-to-stop 1 2"),
        (SLOW_ENCLOSURE, Target("cohort", "hdd"), {"osds": [0, 3]}, "ceph osd ok-to-stop 0 3"),
    ]
    for code, target, evidence, command in cases:
        finding = Finding(1, code.code, Severity.WARNING, target, "slow", evidence)
        shape = steps_of(_api(stage, lambda: None))(finding)
        assert shape is not None
        assert command in [step.command for step in shape.replace]


def test_what_is_over_needs_nothing(stage: Stage) -> None:
    finding = Finding(1, SLOW_OSD.code, Severity.WARNING, Target("osd", "0"), "slow")
    steps = steps_of(_api(stage, lambda: None))
    assert steps(finding) is not None
    assert steps(replace(finding, state=FindingState.CLOSED)) is None
