"""What a host's programs answer in part, late, or in other words is not known: never "fine"."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Optional

import pytest

import trees
from factory import document, shelf
from fakes.cluster import FakeCluster
from nouns import an_osd
from perf_bench.hardware.enclosures import condition, looks_at
from perf_bench.hardware.rules.errors import silent_disks
from perf_bench.model.finding import Finding, Look
from perf_bench.model.hardware import STALE_SECONDS, UNKNOWN, HostFacts
from perf_bench.model.osd import Osd
from perf_bench.tool.facts import collect, disks, enclosures
from perf_bench.tool.facts.host_files import HostFiles, RecordedCommands
from perf_bench.watch.findings import Ledger, lacks_section
from stage import Stage
from told_hosts import Hosts

THEN, HOUR = 1_795_176_000.0, 3600.0
HOST = "storage-1"
OSDS = [an_osd(number, HOST) for number in range(3)]
MULTIPATHD, SG_SES = "multipathd show maps json", "sg_ses --page=es /dev/sg0"
SCSI, ATA = (f"smartctl --json=c -A -l error /dev/{name}" for name in ("sda", "sdb"))
# As when a program is stopped after its time limit.
LATE = None


def _maps(*failed: str) -> str:
    """As ``multipathd show maps json`` of three disks with two paths each."""

    def path(device: str) -> dict[str, Any]:
        states = ("failed", "faulty") if device in failed else ("active", "ready")
        return {"dev": device, "dm_st": states[0], "dev_st": "running", "chk_st": states[1]}

    maps = [
        {
            "name": f"mpath{slot}",
            "uuid": f"35000c500{slot:08x}",
            "path_groups": [
                {"paths": [path(f"sd{'abc'[slot]}"), path(trees.disk_name(60 + slot))]}
            ],
        }
        for slot in range(3)
    ]
    return json.dumps({"major_version": 0, "minor_version": 1, "maps": maps}, indent=3)


def _scsi(errors: int, defects: int = 0) -> str:
    log = {"read": {"total_uncorrected_errors": errors}}
    return json.dumps({"scsi_grown_defect_list": defects, "scsi_error_counter_log": log})


def _ata(
    *attributes: tuple[int, str, int], exit_status: int = 0, failed: str = "", **more: Any
) -> str:
    table = [
        {
            "id": number,
            "name": name,
            "when_failed": failed,
            "flags": {"prefailure": True},
            "raw": {"value": value, "string": str(value)},
        }
        for number, name, value in attributes
    ]
    smartctl = {"version": [7, 4], "exit_status": exit_status}
    return json.dumps({"smartctl": smartctl, "ata_smart_attributes": {"table": table}, **more})


def _pending(count: int) -> str:
    counts = (187, "Reported_Uncorrect", 0), (199, "UDMA_CRC_Error_Count", 0)
    return _ata((197, "Current_Pending_Sector", count), *counts)


HEALTHY: Mapping[str, Optional[str]] = {
    MULTIPATHD: _maps(),
    SG_SES: trees.SG_SES.replace("Non-critical", "OK"),
    SCSI: _scsi(0),
    ATA: _pending(0),
}
BAD = {MULTIPATHD: _maps("sdc"), SG_SES: trees.SG_SES, SCSI: _scsi(9), ATA: _pending(8)}


class _Programs(RecordedCommands):
    """Programs that print this; one that is LATE is installed and prints nothing in time."""

    def __init__(self, printed: Mapping[str, Optional[str]]) -> None:
        super().__init__(Path())
        self._printed = printed

    def has(self, *words: str) -> bool:
        return " ".join(words) in self._printed

    def output(self, *words: str) -> Optional[str]:
        return self._printed.get(" ".join(words))


class _Known(Hosts):
    """What is known of the host after its newest facts, and the findings about it."""

    def __init__(self, osds: Sequence[Osd], *documents: Mapping[str, Any]) -> None:
        self._ledger = Ledger()
        super().__init__(osds, *documents)
        self.now = THEN
        self.judges()

    def judges(self) -> None:
        """As the watch does with the claims of a tick."""
        claims = self.claims()
        claimed = {claim.key for claim in claims}
        unseen = {
            one.key
            for one in self.findings
            if one.key not in claimed and self.now - one.last_seen < STALE_SECONDS
            if lacks_section(one, self.looks)
        }
        self._ledger.update(self.now, claims, unseen=unseen)

    @property
    def findings(self) -> Sequence[Finding]:
        return self._ledger.findings()

    @property
    def looks(self) -> Sequence[Look]:
        return looks_at(self.known, {HOST}, self.now)

    @property
    def facts(self) -> HostFacts:
        return self.known[HOST].facts

    @property
    def said(self) -> set[tuple[str, str]]:
        return {(one.code, str(one.target)) for one in self.findings}

    @property
    def states(self) -> list[str]:
        return [one.state for one in self.seen.multipaths]

    @property
    def unknown(self) -> set[str]:
        """The health checks about something that these facts do not tell."""
        found = {code for look in self.looks if look.gaps for code in look.codes}
        # sdc has never answered
        if len(silent_disks(self.facts)) > 1:
            found.add("PERF_BENCH_MEDIA_ERRORS")
        return found


class Host:
    """A host with a shelf of three disks on two paths each."""

    def __init__(self, root: Path) -> None:
        trees.shelf(root, slots=4)
        shutil.rmtree(root / "outputs")
        self.root = root
        self._files = HostFiles(str(root))
        self._whole = collect(self._files, _Programs(HEALTHY), None, THEN)

    def document(self, printed: Mapping[str, Optional[str]], hour: int) -> dict[str, Any]:
        """The facts, of which these programs print something."""
        files, programs = self._files, _Programs(printed)
        told = {
            "enclosures": enclosures.enclosures(files, programs),
            "multipath": enclosures.multipath(files, programs),
            "smart": disks.smart(files, programs),
            "collected_at": datetime.fromtimestamp(THEN + hour * HOUR, timezone.utc).isoformat(),
        }
        return {**self._whole, **told}

    def after(self, *hours: Mapping[str, Optional[str]]) -> _Known:
        """What is known after its programs printed this, hour by hour."""
        known, document = _Known(OSDS), dict[str, Any]()
        for hour, printed in enumerate(hours):
            if hour == 0 or printed != hours[hour - 1]:
                document = self.document(printed, hour)
            known.now = THEN + hour * HOUR
            known.tells(document, at=known.now)
            known.judges()
        return known


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return Host(tmp_path_factory.mktemp("host"))


EVERYTHING = {
    ("PERF_BENCH_ENCLOSURE_FAULT", trees.SHELF),
    ("PERF_BENCH_MULTIPATH_DEGRADED", HOST),
    ("PERF_BENCH_MEDIA_ERRORS", "osd.0"),
    ("PERF_BENCH_MEDIA_ERRORS", "osd.1"),
}


def test_what_is_bad_and_what_is_not(host: Host) -> None:
    healthy = host.after(HEALTHY, HEALTHY)
    assert (healthy.said, healthy.unknown) == (set(), set())
    assert host.after(HEALTHY, BAD).said == EVERYTHING


def _cut(text: str) -> str:
    return text[: len(text) // 2]


# hpe-storage/csi-driver#461: the output sometimes ends in the middle.
def test_an_answer_of_multipathd_that_cannot_be_read(host: Host) -> None:
    cases: list[Optional[str]] = [_cut(_maps("sdc")), "timeout\n", '{"maps": 3}', LATE]
    for printed in cases:
        whole, cut = {**HEALTHY, MULTIPATHD: _maps("sdc")}, {**HEALTHY, MULTIPATHD: printed}
        told = host.after(HEALTHY, whole)
        for series in ([cut], [cut, whole, cut], [cut, whole] * 4):
            known = host.after(HEALTHY, whole, *series)
            # not one that comes and goes
            assert [one.message for one in known.findings] == [one.message for one in told.findings]
        first = host.after(cut)
        assert (first.said, first.states) == (set(), [UNKNOWN] * 3)
        # as long as facts count
        assert host.after(HEALTHY, whole, *[cut] * 49).said == set()


def test_notes_of_multipathd_before_its_answer(host: Host) -> None:
    """The same issue: "invalid keyword" of multipath.conf."""
    note = "Nov 10 10:11:12 | /etc/multipath.conf line 12, invalid keyword: getuid_callout\n"
    known = host.after({**HEALTHY, MULTIPATHD: note + _maps("sdc")})
    assert sorted(known.states) == ["degraded", "ok", "ok"]


def test_maps_that_multipathd_does_not_know(host: Host) -> None:
    """It has just started: that its list is empty does not mean that the kernel has no maps."""
    empty = json.dumps({"major_version": 0, "minor_version": 1, "maps": []})
    assert host.after({**HEALTHY, MULTIPATHD: empty}).states == [UNKNOWN] * 3


def test_where_multipathd_does_not_run_the_state_is_the_devices(host: Host) -> None:
    without = {key: text for key, text in HEALTHY.items() if key != MULTIPATHD}
    assert host.after(without).states == ["ok"] * 3
    stopped = {**HEALTHY, MULTIPATHD: ""}
    assert host.after(stopped).states == ["ok"] * 3
    (host.root / "proc/77").mkdir()
    (host.root / "proc/77/comm").write_text("multipathd\n")
    assert host.after(stopped).states == [UNKNOWN] * 3
    shutil.rmtree(host.root / "proc/77")


def test_words_of_paths_that_nobody_knows(host: Host) -> None:
    for words in ('"chk_st": "ready"', '"dm_st": "active"'):
        printed = _maps().replace(words, words.split(":")[0] + ': "half open"')
        assert host.after({**HEALTHY, MULTIPATHD: printed}).states == [UNKNOWN] * 3


# Written after sg_ses' pages of an HGST H4060-J: the page may end anywhere.
def test_a_page_of_an_enclosure_that_is_cut(host: Host) -> None:
    cases: list[Optional[str]] = [trees.SG_SES[:700], "  <<try again>>\n", "", LATE]
    for printed in cases:
        bad, cut = {**HEALTHY, SG_SES: trees.SG_SES}, {**HEALTHY, SG_SES: printed}
        known = host.after(bad, cut)
        assert known.said == {("PERF_BENCH_ENCLOSURE_FAULT", trees.SHELF)}
        assert known.unknown == {"PERF_BENCH_ENCLOSURE_FAULT"}
        assert host.after(HEALTHY, cut).unknown == {"PERF_BENCH_ENCLOSURE_FAULT"}
        assert host.after(bad, cut, HEALTHY).said == set()
        assert host.after(cut).unknown == {"PERF_BENCH_ENCLOSURE_FAULT"}


# drivers/scsi/ses.c, ses_get_fault: bit 2 is a fault that is sensed, bit 1 one that is requested.
def test_a_slot_whose_led_is_lit_is_not_faulty(host: Host) -> None:
    cases: list[tuple[str, Optional[bool]]] = [
        ("0", False),
        ("2", False),
        ("4", True),
        ("6", True),
        ("1", True),
        ("99", None),
        ("x", None),
    ]
    for bits, fault in cases:
        (place, *_) = sorted((host.root / "sys/class/enclosure").glob("0:*/SLOT 001*/fault"))
        (other, *_) = sorted((host.root / "sys/class/enclosure").glob("1:*/SLOT 001*/fault"))
        for file in (place, other):
            file.write_text(f"{bits}\n")
        (shelf,) = host.after(HEALTHY).facts.enclosures or ()
        for file in (place, other):
            file.write_text("0\n")
        assert shelf.slots[1].fault is fault


# smartmontools' drivedb.h: 197 of a Crucial MX500 "may flip 0 <> 1", ticket #1227.
def test_an_attribute_goes_by_its_name(host: Host) -> None:
    def disk(count: int) -> Mapping[str, Optional[str]]:
        named = (197, "Current_Pending_ECC_Cnt", count), (187, "Reported_Uncorrect", 0)
        return {**HEALTHY, ATA: _ata(*named)}

    for hours in range(1, 5):
        assert host.after(*[disk(count) for count in (0, 1, 0, 1)[:hours]]).said == set()
    assert host.after({**HEALTHY, ATA: _ata((197, "Unknown_Attribute", 8))}).said == set()
    # set by -v 197,increasing: it never falls
    assert host.after({**HEALTHY, ATA: _ata((197, "Total_Pending_Sectors", 8))}).said == set()
    for name in ("Current_Pending_Sector", "Pending_Sector_Count", "CURRENT_PENDING_SECTOR"):
        known = host.after({**HEALTHY, ATA: _ata((196, name, 8))})
        assert known.said == {("PERF_BENCH_MEDIA_ERRORS", "osd.1")}
    for number, name in [
        (1, "Uncorrectable_ECC_Cnt"),
        (160, "Uncorrectable_Sectors"),
        (187, "Uncorrectable_Error_Cnt"),
        (195, "Uncorrectable_Err_Ct"),
    ]:
        series = [{**HEALTHY, ATA: _ata((number, name, count))} for count in (0, 8)]
        assert host.after(*series).said == {("PERF_BENCH_MEDIA_ERRORS", "osd.1")}


def test_a_count_that_goes_up_and_down_is_no_error_again_and_again(host: Host) -> None:
    def errors(*counts: int) -> set[tuple[str, str]]:
        return host.after(*[{**HEALTHY, SCSI: _scsi(count)} for count in counts]).said

    assert errors(5, 4, 5, 4, 5) == set()
    assert errors(5, 4, 6) == {("PERF_BENCH_MEDIA_ERRORS", "osd.0")}


def test_a_disk_that_says_it_fails(host: Host) -> None:
    """The exit status of smartctl(8), and the keys of its JSON in ataprint.cpp."""
    cases: list[str] = [
        _ata((5, "Reallocated_Sector_Ct", 2000), failed="now"),
        _ata((187, "Reported_Uncorrect", 0), exit_status=8),
        _ata((187, "Reported_Uncorrect", 0), smart_status={"passed": False}),
        _pending(8).replace('"value": 8', '"value": "8"'),
        json.dumps({"smart_status": {"passed": False}}),
    ]
    for printed in cases:
        known = host.after({**HEALTHY, ATA: printed})
        assert known.said == {("PERF_BENCH_MEDIA_ERRORS", "osd.1")}


# storaged-project/udisks#290: all disks of a controller have one serial number, and no WWID.
def test_each_disk_of_a_controller_is_asked(tmp_path: Path) -> None:
    made = trees.Builder(tmp_path)
    for name, count in (("sda", 0), ("sdb", 8)):
        made.file(f"sys/class/block/{name}/device/serial", "HPT")
        made.output(f"smartctl --json=c -A -l error /dev/{name}", _pending(count))
    programs = RecordedCommands(tmp_path / "outputs")
    known = _Known(OSDS, collect(HostFiles(str(tmp_path)), programs, HOST, THEN))
    assert [one.pending_sectors for one in known.facts.smart or ()] == [0, 8]
    assert {code for code, _ in known.said} == {"PERF_BENCH_MEDIA_ERRORS"}


def test_defects_that_a_scsi_disk_replaces(host: Host) -> None:
    """``scsi_grown_defect_list`` of smartctl -A."""
    known = host.after(*[{**HEALTHY, SCSI: _scsi(0, count)} for count in (4, 4, 7)])
    assert "bad sectors that the disk replaced (3)" in str(known.claims()[0].message)


# NVM Express base specification, SMART / Health Information log page: Critical Warning.
WARNINGS = {
    0: None,
    2: None,  # too warm is no bad medium
    1: "its spare blocks are used up",
    4: "it says that it is not reliable any more",
    8: "its medium can only be read",
    16: "the power backup of its memory has failed",
    32: "its persistent memory region is not reliable any more",
    1 + 2 + 8: "its spare blocks are used up and its medium can only be read",
}


@pytest.mark.parametrize("human", [False, True])
def test_warnings_of_nvme_drives(tmp_path: Path, human: bool) -> None:
    made = trees.Builder(tmp_path)
    made.file("sys/class/block/nvme3n1/device/serial", "S5H3")
    made.file("dev/nvme3n1", "")
    made.link("var/lib/ceph/osd/ceph-3/block", "dev/nvme3n1")
    programs = RecordedCommands(tmp_path / "outputs")
    for bits, words in WARNINGS.items():
        warning = {"value": bits, "ro": bits >> 3 & 1} if human else bits
        log = {"critical_warning": warning, "media_errors": 0}
        made.output("nvme smart-log --output-format=json /dev/nvme3n1", json.dumps(log))
        told = collect(HostFiles(str(tmp_path)), programs, HOST, THEN)
        known = _Known([an_osd(3, HOST)], told)
        said = [str(claim.message) for claim in known.claims()]
        assert len(said) == (words is not None)
        assert all(f"within a day: {words};" in text.replace(", ", " and ") for text in said)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db", FakeCluster(OSDS))
    yield made
    made.close()


def test_what_is_not_told_is_in_the_coverage(host: Host, stage: Stage) -> None:
    def gaps(printed: Mapping[str, Optional[str]], hour: int) -> set[str]:
        document = host.document({**HEALTHY, **printed}, hour)
        stage.hosts.take(HOST, json.dumps(document), OSDS)
        return {look.name for look in stage.inventory.looks() if not look.complete}

    assert gaps({}, 0) == set()
    assert gaps({MULTIPATHD: LATE}, 1) == {"multipath"}
    assert gaps({SG_SES: LATE}, 2) == {"enclosures"}
    assert gaps({SG_SES: trees.SG_SES[:700]}, 3) == {"enclosures"}
    assert gaps({}, 4) == set()


def _accused(*smart: Mapping[str, Optional[int]]) -> list[str]:
    """Who is, after a host told the media errors of its disks, hour by hour."""
    block = [{"device": name, "serial": name.upper()} for name in ("sda", "sdb")]
    osds = [{"id": 0, "device": "sda"}, {"id": 1, "device": "sdb"}]
    host = Hosts(OSDS)
    for hour, counts in enumerate(smart):
        told = [
            {"device": name, "media_errors": count}
            for name, count in counts.items()
            if count is not None
        ]
        host.now = THEN + hour * HOUR
        host.tells(document(HOST, osds=osds, block=block, smart=told), at=host.now)
    return [str(one.target) for one in host.claims()]


def test_a_bad_disk_that_does_not_answer_is_no_good_one() -> None:
    first, worse = {"sda": 0, "sdb": 0}, {"sda": 0, "sdb": 5}
    assert _accused(first, worse) == ["osd.1"]
    # smartctl gave up on sdb after its time limit, as it does for disks that hang.
    assert _accused(first, worse, {"sda": 0, "sdb": None}) == ["osd.1"]
    # It answers again, with more errors than it had before.
    assert _accused(first, first, {"sda": 0, "sdb": None}, {"sda": 0, "sdb": 40}) == ["osd.1"]


def test_a_slot_whose_status_cannot_be_read_is_not_fine() -> None:
    """Although it still tells that no fault is sensed."""
    known = _Known(OSDS)
    for hour, status in enumerate(("critical", "unknown", None)):
        slot = {"slot": 0, "device": "sda", "fault": False, "status": status}
        told = document(HOST, enclosures=[{**shelf({}), "slots": [slot]}])
        known.now = THEN + hour * HOUR
        known.tells(told, at=known.now)
        known.judges()
        assert [code for code, _ in known.said] == ["PERF_BENCH_ENCLOSURE_FAULT"]


def test_parts_that_nobody_asked_for_were_not_looked_at(stage: Stage) -> None:
    """sg_ses is not installed: nothing is known of fans and power supplies."""
    whole = shelf({0: "sda"})
    del whole["elements"]
    facts = document(HOST, enclosures=[whole])
    stage.hosts.take(HOST, json.dumps(facts), OSDS)
    (look,) = [one for one in stage.inventory.looks() if one.name == "enclosures"]
    told = {host: gap.code for gap in look.gaps for host in gap.units}
    assert HOST in told


def test_an_enclosure_of_which_nothing_is_known_any_more_is_not_ok(stage: Stage) -> None:
    fan = {"type": "fan", "name": "fan 1", "status": "critical"}
    facts = document(HOST, enclosures=[shelf({0: "sda"}, elements=[fan])])
    stage.hosts.take(HOST, json.dumps(facts), OSDS)

    def state() -> str:
        view = stage.inventory.view(0.0)
        (found,) = view.enclosures
        return condition(view, found)[0]

    assert state() == "degraded"
    stage.clock.advance(3 * 86400)  # the host has fallen silent
    assert state() == "unknown"
