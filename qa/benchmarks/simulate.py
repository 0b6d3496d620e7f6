"""A large cluster that does not exist, and a round over it."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, Optional

from perf_bench.bench.compare.summary import judge_sample
from perf_bench.bench.comparisons import Regressions
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.core.clock import Clock
from perf_bench.core.failing_parts import FailingParts
from perf_bench.core.loop import Loop
from perf_bench.core.workers import Here, Workers
from perf_bench.hardware.checksums import ChecksumMonitor, OsdSources
from perf_bench.hardware.enclosures import EnclosureInventory
from perf_bench.hardware.host_facts import HostFactsRegistry
from perf_bench.model.admission import GuardSnapshot, Situation
from perf_bench.model.bench import BenchLimits, Sample
from perf_bench.model.cluster import Columns, RawPoint
from perf_bench.model.doctor_snapshot import DoctorSnapshot, OsdDetails, Setting
from perf_bench.model.finding import Severity
from perf_bench.model.history import WORK, Work
from perf_bench.model.options import WatchOptions
from perf_bench.model.osd import Member, Osd, Wal
from perf_bench.model.plan import Plan
from perf_bench.model.round import OsdResult
from perf_bench.store.sqlite import StoreThread
from perf_bench.watch.collect.collector import Collector
from perf_bench.watch.detectors import WatchInputs
from perf_bench.watch.service import Watch, WatchContext
from perf_bench.watch.slow_osd.thresholds import Thresholds

OSDS = 10_000
REPEATS = 5
OSDS_PER_HOST = 24
HOSTS_PER_RACK = 16
# What the module's option max_parallel is by default.
MAX_PARALLEL = 64
_BEGAN = 1_790_000_000.0
_MODELS = ("VENDOR_HDD-18T", "VENDOR_HDD-22T", "OTHER_NVME-7T")
# Bandwidth in bytes a second that drives of these models have at 4 MiB.
_RATES = {"VENDOR_HDD-18T": 180e6, "VENDOR_HDD-22T": 210e6, "OTHER_NVME-7T": 1.9e9}


def osd(number: int) -> Osd:
    """An OSD with all that real ones have: five in six are hdd, racks of 16 hosts of 24."""
    host = number // OSDS_PER_HOST
    model = _MODELS[2] if number % 6 == 5 else _MODELS[host % 2]
    return Osd(
        id=number,
        host=f"storage-{host:04d}",
        device_class="ssd" if model == _MODELS[2] else "hdd",
        devices=f"sd{chr(97 + number % OSDS_PER_HOST)}",
        model=model,
        rotational=model != _MODELS[2],
        location={
            "host": f"storage-{host:04d}",
            "rack": f"rack-{host // HOSTS_PER_RACK:02d}",
            "root": "default",
        },
    )


class SimulatedCluster:
    """The Cluster port over that many OSDs, all up."""

    def __init__(self, osds: int = OSDS) -> None:
        self._osds = tuple(map(osd, range(osds)))

    def osds(self, _max_age: float = 0.0) -> Sequence[Osd]:
        return self._osds

    def down(self, _osds: Sequence[int]) -> set[int]:
        return set()

    def bench_limits(self, _osds: Sequence[int]) -> BenchLimits:
        return BenchLimits()

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        return dict.fromkeys(osds, Wal())

    def bench_copies(self) -> int:
        return 3

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:  # noqa: ARG002
        return {
            "release": "20.2.4 tentacle",
            "osds": len(self._osds),
            "osds_up": len(self._osds),
            "hosts": len({entry.host for entry in self._osds}),
            "osd_releases": {"20.2.4": len(self._osds)},
            "health": "HEALTH_OK",
            "pgs": 262_144,
            "pgs_by_state": {"active+clean": 262_144},
        }


class SystemClock:
    """The Clock port."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


class NoProgress:
    """The Progress port, told nothing: there is no mgr to show it."""

    def update(self, round_id: int, message: str, fraction: float) -> None: ...

    def end(self, round_id: int, failure: str | None = None) -> None: ...


def unmeasured(osds: Sequence[Osd]) -> list[OsdResult]:
    """The results of these OSDs before they are measured."""
    return [OsdResult(osd.id, osd.host, osd.device_class, osd.model) for osd in osds]


def no_commands() -> NoReturn:
    """For a world in which no round may be run."""
    raise AssertionError("a simulated cluster runs no bench")


def waves_of_samples(plan: Plan, seed: int = 1) -> Iterator[list[Sample]]:
    """What the OSDs would have answered, wave by wave; one in 100 OSDs is half as fast."""
    dice = random.Random(seed)  # noqa: S311 - nothing secret
    now = _BEGAN
    for repeat in range(1, plan.repeats + 1):
        for number, wave in enumerate(plan.waves, start=1):
            samples = [_sample(plan, entry, repeat, number, now, dice) for entry in wave]
            now += max(sample.call_seconds for sample in samples)
            yield samples


def _sample(
    plan: Plan, number: int, repeat: int, wave: int, now: float, dice: random.Random
) -> Sample:
    rate = _RATES[osd(number).model or ""] * dice.gauss(1.0, 0.02)
    if number % 100 == 50:
        rate /= 2
    seconds = plan.step.total_bytes / rate
    sample = Sample(
        osd=number,
        phase=plan.leading.name,
        repeat=repeat,
        wave=wave,
        started_at=now,
        call_seconds=seconds + 0.01,
        block_size=plan.step.block_size,
        bytes_written=plan.step.total_bytes,
        seconds=seconds,
        bytes_per_second=rate,
        iops=rate / plan.step.block_size,
    )
    return judge_sample(sample)


class SimulatedPatients:
    """A doctor's look at the whole cluster, of which every other OSD has a setting of its own."""

    def look(self) -> DoctorSnapshot:
        patients = {
            number: OsdDetails(
                osd(number), "20.2.4", 256 << 30, pgs=90 + number % 30, db_total=1 << 40, db_used=1
            )
            for number in range(OSDS)
        }
        settings = [
            Setting(f"osd.{number}", "", "osd_mclock_max_capacity_iops_hdd", "350.0")
            for number in range(0, OSDS, 2)
        ]
        options = {"osd_op_queue": "mclock_scheduler", "mon_target_pg_per_osd": "100"}
        return DoctorSnapshot(patients, {"hdd": options, "ssd": options}, settings)


class NobodyDown:
    """All OSDs are up."""

    def fell(self) -> Mapping[int, float]:
        return {}


def running_loop(log: logging.Logger) -> tuple[Loop, Workers]:
    """The loop on a thread, and workers."""
    loop = Loop(time.monotonic, log)
    threading.Thread(target=loop.run, daemon=True).start()
    return loop, Workers("bench", 4)


class NoClients:
    """Clients, pools and traces of a world in which no client is run."""

    def run(self, *_order: object) -> NoReturn:
        no_commands()

    def sweep(self, _pool: str, _namespace: str) -> NoReturn:
        no_commands()

    def workers(self) -> NoReturn:
        no_commands()

    def worker_next(self, *_message: str) -> NoReturn:
        no_commands()

    def worker_tell(self, *_message: str) -> NoReturn:
        no_commands()

    def flags(self, _name: str) -> None:
        return None

    def look(self, _name: str) -> None:
        return None

    def ensure(self, *_name: object) -> NoReturn:
        no_commands()

    def groups(self, *_name: object) -> NoReturn:
        no_commands()

    def free_bytes(self) -> int:
        return 0

    def largest_object(self) -> int:
        return 0

    def messenger_modes(self) -> Mapping[str, str]:
        return {}

    def load(self) -> Mapping[str, str]:
        return {}

    def add(self, _namespace: str, _pool: str) -> None:
        pass

    def remove(self, _namespace: str) -> None:
        pass


class Nothing:
    """Counters, members, placement groups and health of a cluster that nobody watches."""

    def names(self, _osd: int) -> frozenset[str]:
        return frozenset()

    def columns(self, _name: str, _raw: Sequence[RawPoint]) -> Columns:
        return (), (), ()

    def raw(self, _osd: int, _name: str) -> Sequence[RawPoint]:
        return ()

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        del max_age
        return ()

    def of(self, _osd: Osd) -> Optional[int]:
        return None

    def forget(self, _osd: int) -> None:
        pass

    def by_state(self) -> Mapping[str, int]:
        return {}

    def work(self) -> Work:
        return (None,) * len(WORK)

    def by_pool(self) -> Mapping[str, Mapping[str, int]]:
        return {}

    def by_osd(self) -> Mapping[int, Mapping[str, int]]:
        return {}

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        return {}

    def look(self, _osds: Sequence[int]) -> Situation:
        return Situation(at=time.time())

    def epoch(self) -> int:
        return 0

    def up(self) -> frozenset[int]:
        return frozenset()

    def glance(self) -> GuardSnapshot:
        return GuardSnapshot()

    def copies(self) -> float:
        return 3.0

    def slow_ops(self) -> Mapping[int, int]:
        return {}

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None: ...

    def log(self, severity: Severity, line: str) -> None: ...


def idle_crc(
    hosts: HostFactsRegistry, inventory: EnclosureInventory, clock: Clock
) -> ChecksumMonitor:
    """What is known of checksums where nobody has looked."""
    nothing = Nothing()
    osds = OsdSources(nothing, nothing, OsdsUnderBench())
    return ChecksumMonitor(osds, hosts, inventory, clock)


def idle_watch(store_thread: StoreThread, clock: Clock) -> Watch:
    """A watch that never ticks, for pages that ask it."""
    nothing, log = Nothing(), logging.getLogger("bench")
    loop = Loop(time.monotonic, log)
    options = WatchOptions(on=False, tick_seconds=5.0, codes=frozenset())
    return Watch(
        WatchInputs(
            Collector(nothing, nothing, clock, OsdsUnderBench()),
            nothing,
            nothing,
            Regressions(loop, store_thread, log),
        ),
        WatchContext(
            loop, Here(), store_thread, nothing, clock, log, FailingParts(clock.monotonic, log)
        ),
        Thresholds(),
        lambda: options,
        lambda: None,
    )
