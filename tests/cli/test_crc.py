"""Checksums, links and media from the command to the cluster's health and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import golden
from factory import document, shelf
from fakes.cluster import FakeCluster
from nouns import an_osd
from perf_bench.answers import command as cli
from perf_bench.answers.api import Api
from perf_bench.model.finding import Watched, WatchTick
from perf_bench.model.finding_kinds import CODES
from perf_bench.model.hardware import ChecksumAnswer
from perf_bench.watch.collect.collector import Collector
from stage import Stage

TIME = "bluestore.csum_lat"
DISKS = {0: "sda", 1: "sdb", 2: "sdc"}
PHYS = ("phy-1:0:3", "phy-1:1:3")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    osds = [an_osd(n, f"host-{n // 3}", data_device=DISKS[n % 3]) for n in range(6)]
    made = Stage(tmp_path / "main.db", FakeCluster(osds))
    yield made
    made.close()


def _tells(stage: Stage, api: Api, crc: int) -> None:
    """What host-0 counts now; an hour passes first."""
    stage.clock.advance(3600)
    facts = document(
        collected_at=f"2023-11-{14 + int(stage.clock.now() - 1_699_920_000) // 86400}T"
        f"{int(stage.clock.now()) % 86400 // 3600:02d}:13:20Z",
        osds=[{"id": n, "device": disk} for n, disk in DISKS.items()],
        enclosures=[shelf(DISKS, 4)],
        smart=[{"device": "sda", "udma_crc_errors": crc, "pending_sectors": 0}],
        phys=[{"phy": phy, "device": "sdb", "invalid_dword": crc + 5} for phy in PHYS],
        cpu={"model": "X"},
        crc32c={"bytes_per_second": 20e9},
    )
    order = {"prefix": "perf-bench host import", "host": "host-0"}
    code, _, err = cli.dispatch(api, order, json.dumps(facts))
    assert (code, err) == (0, "")


def _asks(api: Api, **arguments: Any) -> Any:
    order = {"prefix": "perf-bench crc ls", "format": "json", **arguments}
    code, out, err = cli.dispatch(api, order)
    assert (code, err) == (0, "")
    return json.loads(out)


class Work:
    """OSDs that spend their time on checksums, and report it every 5 s; osd.5 answers only."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.collector = Collector(stage.counters, stage.members, stage.clock, stage.benched)
        self.seconds = dict.fromkeys(range(6), 0.0)
        self.members: Sequence[Watched] = ()
        self.retries = 0

    def goes_on(self, seconds: float, **shares: float) -> None:
        stage = self.stage
        for _ in range(round(seconds / 5)):
            stage.clock.advance(5)
            for osd in self.seconds:
                self.seconds[osd] += 5 * 16 * shares.get(f"osd{osd}", 0.02)
                values = {TIME: (self.seconds[osd], int(stage.clock.now()))}
                if osd != 5:
                    stage.counters.report(osd, stage.clock.now(), values)
            frames = self.collector.tick()
            self.members = frames[-1].roster.members if frames else self.members
            tick = WatchTick(stage.clock.now(), frames=frames, members=self.members)
            stage.crc.tick(tick)
        stage.settle()

    def answers(self, osd: int, bytes_: int) -> None:
        at = self.stage.clock.now()
        seconds = self.seconds[osd]
        self.stage.crc.take_answer(ChecksumAnswer(osd, at, seconds, bytes_, self.retries, 0))


def _codes(stage: Stage) -> list[tuple[str, str]]:
    prefix = len("PERF_BENCH_")
    return sorted((claim.code[prefix:], str(claim.target)) for claim in stage.crc.claims())


def test_from_a_burst_to_health_and_back(stage: Stage, api: Api) -> None:
    work = Work(stage)
    work.goes_on(60)
    assert _codes(stage) == []
    work.goes_on(75, osd1=0.43)
    assert _codes(stage) == [("CRC_HOTSPOT", "osd.1")]
    assert {claim.code for claim in stage.crc.claims()} <= set(CODES)
    first = _asks(api)["osds"][0]
    assert (first["osd"], first["peers_median"], first["op_threads"]) == (1, 0.02, 16)
    assert first["checksum_share"] == pytest.approx(0.43, abs=0.001)
    assert first["peak_share"] == pytest.approx(0.43, abs=0.001)
    assert first["hot_since"] < first["peak_at"]
    work.goes_on(660)
    assert _codes(stage) == []
    quiet = _asks(api, sort="osd")["osds"][1]
    assert (quiet["hot_since"], quiet["peak_share"]) == (None, first["peak_share"])


def test_a_new_drive_is_not_accused_of_what_the_osd_before_counted(stage: Stage, api: Api) -> None:
    work = Work(stage)
    work.goes_on(60)
    work.goes_on(75, osd1=0.43)
    for retries in (0, 0, 74):
        work.retries = retries
        work.answers(1, 0)
        work.answers(2, 0)
        work.goes_on(30)
    told = [("MEDIA_ERRORS", "osd.1"), ("MEDIA_ERRORS", "osd.2")]
    assert _codes(stage) == [("CRC_HOTSPOT", "osd.1"), *told]
    stage.clock.advance(1)
    stage.crc.tick(WatchTick(stage.clock.now(), replaced={1}))
    work.seconds[1] = 0.0
    work.goes_on(60)
    assert _codes(stage) == told[1:]
    by_osd = {one["osd"]: one for one in _asks(api)["osds"]}
    assert by_osd[1]["hot_since"] is None
    assert by_osd[1]["peak_share"] == pytest.approx(0.02, abs=0.001)
    work.retries = 0
    work.answers(1, 0)
    work.goes_on(15)
    work.retries = 5
    work.answers(1, 0)
    work.goes_on(15)
    assert _codes(stage) == told, "what it counts itself is its own"


def test_links_of_facts(stage: Stage, api: Api) -> None:
    for crc in (0, 6, 12):
        _tells(stage, api, crc)
    stage.clock.advance(20)
    stage.crc.tick(WatchTick(stage.clock.now()))
    assert _codes(stage) == [("LINK_ERRORS", "osd.0"), ("LINK_ERRORS", "osd.1")]
    first, *_ = _asks(api)["links"]
    assert set(first) >= {"osd", "device", "kind", "count", "per_day"}
    assert {row["kind"]: row["per_day"] for row in _asks(api)["links"]} == {
        "udma_crc": 12,
        "invalid_dword": 12,
    }
    stage.clock.advance(20)
    stage.crc.tick(WatchTick(stage.clock.now(), on=False))  # facts need no watch
    assert len(_codes(stage)) == 2


def test_what_is_printed(stage: Stage, api: Api) -> None:
    work = Work(stage)
    for crc in (0, 6, 12):
        _tells(stage, api, crc)
    for turn in range(5):
        work.goes_on(30, osd1=0.43)
        work.retries = 4 * turn
        for osd in range(6):
            work.answers(osd, turn * (3 << 30))
    work.goes_on(20)
    code, out, err = cli.dispatch(api, {"prefix": "perf-bench crc ls"})
    assert (code, err) == (0, "")
    golden.compare("crc-ls.txt", out + "\n")
    for line in out.splitlines():
        assert len(line) <= 80
        assert line != ""  # ceph-mgr 16 drops empty lines


def test_a_cluster_that_tells_nothing(stage: Stage, api: Api) -> None:
    code, out, err = cli.dispatch(api, {"prefix": "perf-bench crc ls"})
    assert (code, err) == (0, "")
    golden.compare("crc-ls-new.txt", out + "\n")
    shape = _asks(api)
    assert set(shape) == {
        "osds", "links", "links_left_out", "media", "media_left_out", "lower_bound",
        "asking_until",
    }  # fmt: skip


def test_metrics(stage: Stage, api: Api) -> None:
    for crc in (0, 6):
        _tells(stage, api, crc)
    Work(stage).goes_on(60, osd4=0.1)
    code, text, _ = cli.dispatch(api, {"prefix": "perf-bench metrics"})
    assert code == 0
    assert (
        'ceph_perf_bench_osd_checksum_ratio{ceph_daemon="osd.4",hostname="host-1",'
        'device_class="hdd"} 0.1' in text
    )
    assert 'ceph_perf_bench_link_errors_total{hostname="host-0",ceph_daemon="osd.0"' in text
