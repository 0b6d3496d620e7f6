"""What watching costs at 1,000 to 25,000 OSDs, up to 10,000 beside the stock `prometheus` module.

Each size is measured in a process of its own. Real are Ceph's Python and ours; `crowd` takes the
place of the C++ under them.
"""

# Imported in functions: Ceph's Python is there only once the crowd is installed.
# ruff: noqa: PLC0415

from __future__ import annotations

import ctypes
import errno
import gc
import importlib
import json
import logging
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any, NoReturn

from .crowd import Crowd, install
from .figures import Figure, Target

SIZES = (1_000, 3_000, 10_000, 25_000)
# By size: milliseconds of CPU a tick.
_GOALS = {10_000: 60.0, 25_000: 150.0}
_MEMORY_MIB = 70.0
# The largest at which the stock module is measured: a collection takes 6 s there.
_COMPARED = 10_000
# The first ticks fill rings and learn who is there.
_WARM, _TICKS = 36, 60
_TICK_SECONDS, _SCRAPE_SECONDS = 5.0, 15.0
# Rounds that are started; and the most that one may take at the largest size compared, in ms.
_STARTS, _START = 7, 150.0
_WAKE = 0.005
_MIB = 2**20


def run() -> list[Figure]:
    """Figures of all sizes; targets are for the two largest."""
    figures: list[Figure] = []
    medians: dict[int, float] = {}
    for size in SIZES:
        ours = _child("watch", size)
        medians[size] = median(ours["ticks"])
        figures += _figures(size, ours)
        if size <= _COMPARED:
            figures += _beside(size, ours, _child("prometheus", size))
    *_, less, most = SIZES
    growth = medians[most] / medians[less]
    times = most / less
    note = f"{times:g} times the OSDs"
    figures.append(
        Figure(f"tick, {most} over {less} OSDs", growth, "x", Target(high=1.1 * times), note)
    )
    figures += [_admission(_COMPARED), _start(_COMPARED)]
    return figures


def _figures(size: int, ours: dict[str, Any]) -> list[Figure]:
    judged = size in _GOALS
    ticks = ours["ticks"]
    goal = Target(high=_GOALS[size]) if judged else None
    note = (
        f"CPU; {min(ticks):.0f} .. {max(ticks):.0f}; {ours['pgs']} PGs; answers of the fake in it"
    )
    return [
        Figure(f"{size} OSDs: tick, median", median(ticks), "ms", goal, note, ours),
        Figure(
            f"{size} OSDs: of it, the fake's own",
            ours["fake"],
            "ms",
            note=f"{ours['calls']} calls a tick; the real mgr takes 4 to 7 us each",
        ),
        Figure(
            f"{size} OSDs: longest wait of a second thread",
            ours["longest_wait"],
            "ms",
            Target(high=50.0) if size == _COMPARED else None,
            f"wakes every 5 ms; beside a plain loop as long {ours['longest_idle']:.0f} ms",
        ),
        Figure(
            f"{size} OSDs: memory",
            ours["grown_mib"],
            "MiB",
            Target(high=_MEMORY_MIB) if size == _COMPARED else None,
            "resident after all ticks, over what it was with Ceph's library for modules alone",
        ),
    ]


def _beside(size: int, ours: dict[str, Any], stock: dict[str, Any]) -> list[Figure]:
    minute = mean(ours["ticks"]) * 60 / _TICK_SECONDS
    theirs = stock["collect"] * 60 / _SCRAPE_SECONDS
    return [
        Figure(f"{size} OSDs: prometheus, one collection", stock["collect"], "ms", None, "CPU"),
        Figure(
            f"{size} OSDs: CPU a minute over prometheus'",
            minute / theirs,
            "x",
            Target(high=0.5) if size == _COMPARED else None,
            f"{minute:.0f} ms in 12 ticks, {theirs:.0f} ms in 4 collections",
        ),
    ]


def _admission(size: int) -> Figure:
    looks = _child("admission", size)["looks"]
    note = f"CPU of the look and the decision, once a start; {min(looks):.0f} .. {max(looks):.0f}"
    return Figure(f"admission of a round of {size} OSDs", median(looks), "ms", note=note)


def _start(size: int) -> Figure:
    starts = _child("start", size)["starts"]
    note = f"CPU from the request to the stored round; {min(starts):.0f} .. {max(starts):.0f}"
    target = Target(high=_START)
    return Figure(f"round start of {size} OSDs", median(starts), "ms", target, note)


def _child(what: str, size: int) -> dict[str, Any]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.watch", what, str(size)],
        env=env,
        # Not from the repository: there `mgr_module` would be our folder.
        cwd=Path(__file__).parents[1],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


class _Clock:
    """The Clock port: the crowd's time."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd

    def now(self) -> float:
        return self._crowd.now

    def monotonic(self) -> float:
        return self._crowd.now


def _ticking(crowd: Crowd) -> Callable[[], None]:
    """A tick of the whole watch on this crowd. Imported late: Ceph's Python is there only now."""
    from mgr_module import MgrModule

    from fakes.database import memory_store
    from perf_bench.bench.comparisons import Regressions
    from perf_bench.bench.context import OsdsUnderBench
    from perf_bench.ceph.inventory import InventoryReader
    from perf_bench.ceph.notifier import MgrNotifier
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.osd_up_down import MgrUpDown
    from perf_bench.ceph.reports import MgrCounters, MgrOsdHealth, MgrPgStates
    from perf_bench.core.failing_parts import FailingParts
    from perf_bench.core.loop import Loop, complete
    from perf_bench.core.workers import Here
    from perf_bench.model.options import WatchOptions
    from perf_bench.store.sqlite import StoreThread
    from perf_bench.watch.collect.collector import Collector
    from perf_bench.watch.detect.osd_flapping import OsdFlappingDetector
    from perf_bench.watch.detectors import WatchInputs
    from perf_bench.watch.service import Watch, WatchContext
    from perf_bench.watch.slow_osd.thresholds import Thresholds

    _register(MgrModule, "perf_bench")
    mgr, clock, log = MgrModule("perf_bench", None, None), _Clock(crowd), logging.getLogger("bench")
    store_thread = StoreThread(memory_store(), log)
    loop = Loop(time.monotonic, log)
    maps = OsdMapReader(mgr)
    members = InventoryReader(mgr, clock, maps)
    inputs = WatchInputs(
        collector=Collector(MgrCounters(mgr), members, clock, OsdsUnderBench()),
        pgs=MgrPgStates(mgr),
        health=MgrOsdHealth(mgr, clock, maps),
        regressions=Regressions(loop, store_thread, log),
        detectors=[OsdFlappingDetector(MgrUpDown(maps, clock))],
    )
    options = WatchOptions(True, _TICK_SECONDS, frozenset())
    made = Watch(
        inputs,
        WatchContext(
            loop,
            Here(),
            store_thread,
            MgrNotifier(mgr),
            clock,
            log,
            FailingParts(clock.monotonic, log),
        ),
        Thresholds(),
        lambda: options,
        lambda: None,
    )
    return lambda: complete(made.tick())


def _register(kind: Any, name: str) -> None:
    """What ceph-mgr does with a module before it makes one."""
    kind._register_options(name)


def _measure_watch(size: int) -> dict[str, Any]:
    crowd = Crowd(size)
    install(crowd)
    importlib.import_module("mgr_module")  # every module of Ceph's has this library
    before = _resident_mib()
    tick = _ticking(crowd)
    for _ in range(_WARM):
        crowd.advance()
        tick()
    spent, fakes, calls = [], [], []
    waker = _Waker()
    for _ in range(_TICKS):
        crowd.advance()
        crowd.calls = 0
        with waker:
            began = time.thread_time()
            tick()
            spent.append((time.thread_time() - began) * 1e3)
        calls.append(crowd.calls)
        fakes.append(crowd.cost_of(crowd.calls) * 1e3)
    grown = _resident_mib() - before - crowd.remembered() / _MIB
    waits = waker.longest
    idle = _Waker()
    for _ in range(_TICKS):
        with idle:
            _spin(median(spent) / 1e3)
    return {
        "ticks": spent,
        "fake": median(fakes),
        "calls": median(calls),
        "longest_wait": waits * 1e3,
        "longest_idle": idle.longest * 1e3,
        "grown_mib": grown,
        "pgs": crowd.pgs,
    }


def _spin(seconds: float) -> None:
    """Plain Python for so much CPU: whoever waits longer than beside this waits for us."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


class _Waker:
    """A second thread that wants to run every 5 ms; `longest` is how long it had to wait."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread()

    def __enter__(self) -> None:
        self._stop.clear()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            due = time.monotonic() + _WAKE
            time.sleep(_WAKE)
            self.longest = max(self.longest, time.monotonic() - due)


def _measure_admission(size: int) -> dict[str, Any]:
    """What stands before every round: the whole picture out of the mgr's maps, and the decision."""
    crowd = Crowd(size)
    install(crowd)
    from mgr_module import MgrModule

    from perf_bench.bench.admission import decide
    from perf_bench.ceph.admission_snapshot import MgrAdmissionSource
    from perf_bench.ceph.inventory import InventoryReader
    from perf_bench.ceph.mons import Mons
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.reports import MgrOsdHealth
    from perf_bench.model.admission import Ask, Rules

    def no_client() -> NoReturn:
        raise AssertionError("no monitor is asked here")

    _register(MgrModule, "perf_bench")
    mgr, clock, osds = MgrModule("perf_bench", None, None), _Clock(crowd), tuple(range(size))
    maps = OsdMapReader(mgr)
    health, inventory = MgrOsdHealth(mgr, clock, maps), InventoryReader(mgr, clock, maps)
    source = MgrAdmissionSource(mgr, clock, inventory, maps, health, Mons(no_client))
    ask = Ask(osds, 5 << 30, 1 << 30, 600.0)
    looks = []
    for _ in range(7):
        began = time.thread_time()
        decide(ask, source.look(osds), Rules())
        looks.append((time.thread_time() - began) * 1e3)
    return {"looks": looks}


def _bench_of(crowd: Crowd) -> tuple[Any, Callable[[], None]]:
    """The bench of rounds on this crowd, of the module's own parts, and what closes it."""
    from mgr_module import MgrModule

    from benchmarks.simulate import MAX_PARALLEL, NoClients, NoProgress, running_loop
    from fakes.database import memory_store
    from perf_bench.bench.context import Leftovers, LoadServices, RoundContext
    from perf_bench.bench.held import Access
    from perf_bench.bench.safety import RoundSafety, SafetyDeps
    from perf_bench.bench.service import Bench
    from perf_bench.ceph.admission_snapshot import MgrAdmissionSource
    from perf_bench.ceph.cluster import MgrCluster
    from perf_bench.ceph.inventory import InventoryReader
    from perf_bench.ceph.mons import Mons
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.reports import MgrOsdHealth
    from perf_bench.errors import CommandFailed
    from perf_bench.model.options import SafetyOptions
    from perf_bench.store.sqlite import StoreThread

    def nobody() -> NoReturn:
        raise CommandFailed(errno.ENOTCONN, "no monitor and no OSD is there")

    _register(MgrModule, "perf_bench")
    mgr, clock, log = MgrModule("perf_bench", None, None), _Clock(crowd), logging.getLogger("bench")
    store_thread = StoreThread(memory_store(), log)
    unused: Any = None  # no setting is changed before a round is stored
    maps = OsdMapReader(mgr)
    health, inventory = MgrOsdHealth(mgr, clock, maps), InventoryReader(mgr, clock, maps)
    source = MgrAdmissionSource(mgr, clock, inventory, maps, health, Mons(nobody))
    access = Access(unused, unused, unused, clock, log)
    loop, workers = running_loop(log)
    safety = RoundSafety(SafetyDeps(source, access, lambda: None, loop), SafetyOptions)
    leftovers = Leftovers(NoClients(), NoClients(), workers, log)
    loads = LoadServices(NoClients(), NoClients(), leftovers)
    cluster = MgrCluster(mgr, inventory, maps)
    context = RoundContext(
        cluster, nobody, loop, workers, store_thread, NoProgress(), clock, log, safety, loads
    )
    bench = Bench(context, lambda: MAX_PARALLEL)
    loop.ask(bench.step)

    def close() -> None:
        loop.ask(bench.leave)
        loop.stop()
        store_thread.close(10.0)

    return bench, close


def _measure_start(size: int) -> dict[str, Any]:
    """`round start` of all OSDs from its request to the stored round.

    The process is counted: the command's thread, and the store's with SQLite in memory. The OSD
    map is a new one each time. A round ends at once, as no OSD can be reached; the next one is
    started when nothing works any more.
    """
    crowd = Crowd(size)
    install(crowd)
    logging.disable(logging.CRITICAL)
    from benchmarks.simulate import REPEATS
    from perf_bench.model.plan import Request

    bench, close = _bench_of(crowd)
    starts = []
    for _ in range(_STARTS):
        for _ in range(3):  # maps and lists that were just read are as old as they may be
            crowd.advance()
        crowd.new_map()
        _until_idle()
        began = time.process_time()
        stored = bench.start(Request("osd-throughput", repeats=REPEATS, force=True))
        starts.append((time.process_time() - began) * 1e3)
        if stored.plan.leading.count != size:
            raise RuntimeError(f"the round is of {stored.plan.leading.count} of {size} OSDs")
        while bench.active is not None and not bench.active.saved:
            time.sleep(0.01)
    close()
    return {"starts": starts}


def _until_idle() -> None:
    """Wait until no thread of this process has worked for half a second."""
    before = -1.0
    while time.process_time() - before > 0.01:
        before = time.process_time()
        time.sleep(0.5)


def _measure_prometheus(size: int) -> dict[str, Any]:
    crowd = Crowd(size)
    install(crowd)
    logging.disable(logging.CRITICAL)
    module: Any = importlib.import_module("prometheus.module")
    _register(module.Module, "prometheus")
    made = module.Module("prometheus", None, None)
    began = time.thread_time()
    text = made.collect()
    spent = (time.thread_time() - began) * 1e3
    return {"collect": spent, "bytes": len(text)}


def _resident_mib() -> float:
    """Memory of this process, without what was freed and could be used again."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / _MIB


if __name__ == "__main__":
    _RUNS = {
        "watch": _measure_watch,
        "prometheus": _measure_prometheus,
        "admission": _measure_admission,
        "start": _measure_start,
    }
    print(json.dumps(_RUNS[sys.argv[1]](int(sys.argv[2]))))
