"""Clusters with a past, by real rounds on scripted OSDs.

One OSD at a time, and each call moves the clock by what it took, so that every figure and time
is the same in each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from fakes.cluster import FSID, FakeCluster
from fakes.commands import Act, answers, first
from fakes.operation_dumps import FakeOperationDumps, breakdowns
from fakes.options import OPTIONS, thresholds
from lookout import Lookout
from nouns import an_osd
from perf_bench.answers.api import Api
from perf_bench.model.osd import Member, Osd
from perf_bench.model.plan import MIB, BenchAnswer, Request, Step
from perf_bench.watch.detectors import OtherPart
from stage import Stage

# MiB/s of each OSD with large writes; osd.5 is the slow one.
RATES = (180.0, 182.0, 178.0, 181.0, 179.0, 90.0)
# What repeats differ by.
STEADY = (0.991, 1.0, 1.009)
WILD = (0.6, 0.9, 1.0, 1.3, 1.1)
# What rounds of a series differ by.
LEVELS = (1.0, 1.01, 0.99, 1.005, 0.995, 1.01, 0.99, 0.8, 0.81, 0.79)


class Disks(Stage):
    """Six disks of one model on three hosts, two in each."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, FakeCluster(_disk(number) for number in range(6)))
        self.max_parallel = 1
        self.wake()
        self.api = api_of(self)

    def measures(self, scale: float = 1.0, label: str = "") -> None:
        """A steady round of osd-throughput, an hour after the one before."""
        self._run(Request("osd-throughput", label=label), self._script(STEADY, scale))

    def _run(self, request: Request, script: dict[int, list[Act]]) -> None:
        self.commands.script.clear()
        self.commands.script.update(script)
        self.clock.advance(3600)
        self.bench.start(request)
        self.ended()

    def _script(self, factors: Sequence[float], scale: float = 1.0) -> dict[int, list[Act]]:
        return {
            osd: [self._act(rate * factor * scale) for factor in factors]
            for osd, rate in enumerate(RATES)
        }

    def _act(self, rate: float) -> Act:
        """Report so many MiB/s, and let the time pass that this takes, and 0.25 s more."""
        report = answers(rate * MIB)

        def act(osd: int, step: Step) -> BenchAnswer:
            answer = report(osd, step)
            # What is being written would look as if it took that long.
            self.settle()
            self.clock.advance(answer.seconds + 0.25)
            return answer

        return act


class Series(Disks):
    """Rounds 1 to 10 of one profile, a fifth slower from round 8 on."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        for number, scale in enumerate(LEVELS, 1):
            self.measures(scale, "new firmware" if number == 8 else "")


class Past(Disks):
    """One round of each verdict: rounds 1 to 5 have ended."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._run(Request("osd-throughput", label="before the fan"), self._script(STEADY))
        self._run(Request("osd-iops"), self._script(WILD, 0.2))

        script = self._script(STEADY)
        script[3][1] = first(lambda: self.bench.abort(None), script[3][1])
        self._run(Request("osd-throughput", osds="host=host-0"), script)

        script = self._script(STEADY, 0.3)
        script[0][2] = first(lambda: self.cluster.set_down(4), script[0][2])
        self._run(Request("osd-balanced", repeats=3), script)
        self.cluster.set_up(4)

        request = Request("osd-iops", repeats=1, label="一 short one with a long name")
        self._run(request, self._script((1.0,), 2.0))


def lookout_of(stage: Stage, members: Sequence[Member] = ()) -> Lookout:
    """A watch over a stage's cluster, of which it sees these members."""
    parts = (
        OtherPart("doctor", tuple, stage.doctor.looks),
        OtherPart("schedules", tuple, stage.round_scheduler.looks),
        OtherPart("safety", tuple, stage.bench.round_safety.held.looks),
        OtherPart("store", tuple, stage.care.looks),
    )
    return Lookout(
        stage.store_thread,
        stage.clock,
        members,
        regressions=stage.bench.regressions,
        detectors=(stage.inventory, stage.crc),
        others=parts,
    )


def api_of(
    stage: Stage,
    lookout: Optional[Lookout] = None,
    dumps: Optional[FakeOperationDumps] = None,
    release: str = "16.2.15 pacific",
) -> Api:
    """The questions to a stage's bench and, if given, to this watch of it.

    ``dumps`` are what OSDs answer about their operations.
    """
    return Api(
        round_scheduler=stage.round_scheduler,
        watch=(lookout or lookout_of(stage)).watch,
        hosts=stage.hosts,
        doctor=stage.doctor,
        inventory=stage.inventory,
        crc=stage.crc,
        breakdowns=breakdowns(stage.cluster, stage.clock, dumps),
        mclock_tuning=stage.mclock_tuning,
        relief=stage.relief,
        options=lambda: OPTIONS,
        thresholds=thresholds,
        cluster=stage.cluster,
        store_thread=stage.store_thread,
        care=stage.care,
        clock=stage.clock,
        release=lambda: release,
        fsid=lambda: FSID,
    )


def _disk(number: int) -> Osd:
    host = f"host-{number % 3}"
    location = {"host": host, "rack": f"rack-{number % 2}", "root": "default"}
    disk = f"sd{'ab'[number // 3]}"
    return an_osd(number, host, devices=disk, data_device=disk, model="ACME_HD8", location=location)
