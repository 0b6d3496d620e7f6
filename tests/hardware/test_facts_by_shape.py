"""Facts of another shape: the host tool's, with numbers repeated, missing or in other letters.

Whatever of it is so, nothing healthy is accused, what is bad is named, no command takes an OSD that
the advice does not name, and no disk of an OSD is lost.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional, cast

from hypothesis import given
from hypothesis import strategies as st

import trees
from fakes.cluster import FakeCluster
from perf_bench.answers.findings import next_steps
from perf_bench.answers.shape import to_json
from perf_bench.hardware.enclosures import DrivePlaces, EnclosureInventory
from perf_bench.model.finding import Claim, Finding, Severity, Target
from perf_bench.model.finding_kinds import ENCLOSURE_FAULT, MULTIPATH_DEGRADED, SLOW_OSD
from perf_bench.model.hardware import HardwareSnapshot
from perf_bench.model.osd import Osd
from perf_bench.tool.facts import collect
from perf_bench.tool.facts.host_files import HostFiles, RecordedCommands
from told_hosts import Hosts

THEN = 1_795_176_000.0
HOSTS, SLOTS = 3, 5  # the last one is empty
Facts = dict[str, Any]


@lru_cache(maxsize=1)
def _recorded() -> str:
    """What the host tool tells of a healthy shelf of four disks, each over two paths."""
    with tempfile.TemporaryDirectory() as folder:
        root = trees.shelf(Path(folder), slots=SLOTS)
        programs = RecordedCommands(root / "outputs")
        told = collect(HostFiles(str(root)), programs, None, THEN)
    kept = {
        key: told[key] for key in ("format", "host", "osds", "enclosures", "multipath", "block")
    }
    for enclosure in kept["enclosures"]:
        enclosure["elements"] = []
        enclosure["slots"] = [{**slot, "status": "OK", "fault": False}
                              for slot in enclosure["slots"]]  # fmt: skip
    return json.dumps(kept)


def _host(number: int, hour: int, backplanes: int) -> Facts:
    """A host like the recorded one, with numbers of its own; its OSDs are 20, 21, … of host 1.

    Or one with two backplanes: what was the second path of a disk is a disk of the second.
    """
    text = _recorded()
    for old, new in (("5000c5", f"5000c{number}"), ("ZX", f"Z{number}"), ("SHX", f"SH{number}")):
        text = text.replace(old, new)
    told = json.loads(text)
    osds = [{**one, "id": one["id"] + 20 * number} for one in told["osds"]]
    day, of_day = divmod(hour, 24)
    at = f"2026-11-{20 + day}T{of_day:02d}:00:00Z"
    made = {**told, "host": f"host-{number}", "collected_at": at, "osds": osds}
    return made if backplanes == 1 else _of_two_backplanes(made)


def _of_two_backplanes(told: Facts) -> Facts:
    pairs = [[path["device"] for path in one["paths"]] for one in told["multipath"]]
    second = dict(pairs)
    (front,) = told["enclosures"]
    slots = [{**one, **({"device": second[one["device"]]} if "device" in one else {})}
             for one in front["slots"]]  # fmt: skip
    rear = {**front, "id": f"{front['id']}5", "slots": slots}
    osds = [{"id": one["id"] + 10, "device": second[one["device"]]} for one in told["osds"]]
    for one in told["block"]:
        if one["device"] in second.values():
            one.update(wwid=f"{one['wwid']}5", serial=f"{one['serial']}5")
    return {**told, "osds": [*told["osds"], *osds], "enclosures": [front, rear], "multipath": []}


def _each(told: Facts, sections: Sequence[str], **values: Any) -> None:
    for section in sections:
        for entry in told[section]:
            entry.update(values)


def _in_capitals(told: Facts) -> None:
    for section, key in (("block", "wwid"), ("enclosures", "id"), ("multipath", "wwid")):
        for entry in told[section]:
            if entry.get(key):
                entry[key] = entry[key].upper()


CHANGES: Mapping[str, Callable[[Facts], None]] = {
    "one serial number": lambda told: _each(told, ("block", "enclosures"), serial="X1"),
    "no serial numbers": lambda told: _each(told, ("block", "enclosures"), serial=None),
    "no WWIDs": lambda told: _each(told, ("block", "multipath"), wwid=None),
    "WWIDs of zeros": lambda told: _each(told, ("block",), wwid="naa.0000000000000000"),
    "one WWID": lambda told: _each(told, ("block",), wwid="naa.5000c50001"),
    "WWIDs of serial numbers": lambda told: _each(told, ("block",), wwid="t10.ATA X1"),
    "shelves without an ID": lambda told: _each(told, ("enclosures",), id="0x0"),
    "one ID of all shelves": lambda told: _each(told, ("enclosures",), id="0x5000c50000000000"),
    "capitals": _in_capitals,
}


class World(Hosts):
    """Three hosts as they tell of themselves, and what is made of it."""

    def __init__(self, device_ids: Optional[str], backplanes: int) -> None:
        self.backplanes = backplanes
        super().__init__([])
        for number in range(HOSTS):
            told = _host(number, 0, backplanes)
            maps = [[path["device"] for path in one["paths"]] for one in told["multipath"]]
            for one in told["osds"]:
                paths = next((names for names in maps if one["device"] in names), [one["device"]])
                names = ",".join(paths)
                device_id = device_ids and f"{device_ids}_{one['id'] if device_ids == 'own' else 1}"
                self.osds.append(
                    Osd(one["id"], f"host-{number}", "hdd", devices=names, data_device=names,
                        device_id=device_id)
                )  # fmt: skip

    def view(self, max_age: float = 0.0) -> HardwareSnapshot:
        self.now = max(one.facts.collected_at for one in self.known.values()) + 60
        return self.seen

    def claims(self) -> list[Claim]:
        self.view()
        return super().claims()

    def steps(self) -> dict[int, Any]:
        """By OSD what is to be done to replace its drive."""
        places = DrivePlaces(cast(EnclosureInventory, self), FakeCluster(self.osds), 0.0)
        found = {}
        for osd in self.osds:
            target = Target("osd", str(osd.id))
            finding = Finding(1, SLOW_OSD.code, Severity.WARNING, target, "slow")
            steps = next_steps(finding, (osd.id,), places.of(osd.id), "cephadm")
            assert steps is not None
            found[osd.id] = to_json(steps)["replace"]
        return found


Made = tuple[World, Callable[[int], Facts]]


@st.composite
def _changed(draw: st.DrawFn) -> Made:
    """A world that told of itself as it is, then some times with changes, hour by hour.

    And what a host would tell next, with the last changes.
    """
    backplanes = draw(st.integers(1, 2))
    world = World(draw(st.sampled_from([None, "own", "ACME"])), backplanes)
    hours: list[set[str]] = [
        set(),
        *draw(st.lists(st.sets(st.sampled_from(sorted(CHANGES)), max_size=3)))[:3],
    ]
    for hour, changes in enumerate(hours):
        for number in draw(st.permutations(range(HOSTS))):
            world.tells(_shuffled(draw, _with(_host(number, hour, backplanes), changes)))
    return world, lambda number: _with(_host(number, len(hours), backplanes), hours[-1])


def _with(told: Facts, changes: set[str]) -> Facts:
    for name in sorted(changes):
        CHANGES[name](told)
    return told


def _shuffled(draw: st.DrawFn, told: Facts) -> Facts:
    """The same facts, their disks and slots in another order."""
    turn = draw(st.integers(0, 2 * SLOTS))
    slots = [one["slots"] for one in told["enclosures"]]
    for entries in (told["osds"], told["block"], told["multipath"], told["enclosures"], *slots):
        entries.extend([entries.pop(0) for _ in range(turn % (len(entries) or 1))])
    return told


@given(_changed())
def test_nothing_healthy_is_accused_and_no_disk_is_lost(made: Made) -> None:
    world, _ = made
    assert [claim.message for claim in world.claims()] == []
    enclosures = world.view().enclosures
    placed = sorted(osd for one in enclosures for bay in one.bays for osd in bay.on.osds)
    assert placed == sorted(osd.id for osd in world.osds)  # each in one slot
    assert len({one.id for one in enclosures}) == len(enclosures) == HOSTS * world.backplanes


@given(_changed(), st.integers(0, HOSTS - 1), st.integers(0, SLOTS - 2))
def test_what_is_bad_is_named_by_its_own_osd(made: Made, host: int, slot: int) -> None:
    world, next_of = made
    told = next_of(host)
    (bad,) = [one for one in told["enclosures"][-1]["slots"] if one["slot"] == slot]
    bad["status"] = "critical"
    for one in told["multipath"]:
        if bad["device"] in [path["device"] for path in one["paths"]]:
            one["paths"][1]["state"] = "failed"
    world.tells(told)
    (osd,) = [one["id"] for one in told["osds"] if one["device"] == bad["device"]]
    found = [(claim.code, claim.evidence["osds"]) for claim in world.claims()]
    lost_path = [(MULTIPATH_DEGRADED.code, [osd])] if told["multipath"] else []
    assert found == [(ENCLOSURE_FAULT.code, [osd]), *lost_path]


@given(_changed())
def test_no_command_takes_an_osd_that_is_not_named(made: Made) -> None:
    for osd, steps in made[0].steps().items():
        commands = [step["command"] for step in steps]
        assert f"ceph osd ok-to-stop {osd}" in commands
        assert f"ceph osd out {osd}" in commands
        assert f"ceph orch osd rm {osd} --replace" in commands
