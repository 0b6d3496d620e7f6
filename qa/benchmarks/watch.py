"""What watching costs at 1,000 to 25,000 OSDs.

Each size is measured in a process of its own. Real are Ceph's Python and ours; `crowd` takes the
place of the C++ under them.
"""

# Imported in functions: Ceph's Python is there only once the crowd is installed.
# ruff: noqa: PLC0415

from __future__ import annotations

import ctypes
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
from pathlib import Path
from statistics import median
from typing import Any

from .crowd import Crowd, install, made_module, until_idle
from .figures import Figure, Target

SIZES = (1_000, 3_000, 10_000, 25_000)
# By size: milliseconds of CPU a tick.
_GOALS = {10_000: 60.0, 25_000: 150.0}
_MEMORY_MIB = 70.0
# Of whose waits, memory and round starts there are targets.
_JUDGED = 10_000
# The first ticks fill rings and learn who is there.
_WARM, _TICKS = 36, 60
# Rounds that are started; and the most that one may take, in ms.
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
    *_, less, most = SIZES
    growth = medians[most] / medians[less]
    times = most / less
    note = f"{times:g} times the OSDs"
    figures.append(
        Figure(f"tick, {most} over {less} OSDs", growth, "x", Target(high=1.1 * times), note)
    )
    return [*figures, _start(_JUDGED)]


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
            Target(high=50.0) if size == _JUDGED else None,
            f"wakes every 5 ms; beside a plain loop as long {ours['longest_idle']:.0f} ms",
        ),
        Figure(
            f"{size} OSDs: memory",
            ours["grown_mib"],
            "MiB",
            Target(high=_MEMORY_MIB) if size == _JUDGED else None,
            f"resident after all ticks; the module's code takes {ours['code_mib']:.0f} MiB more",
        ),
    ]


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


def _measure_watch(size: int) -> dict[str, Any]:
    crowd = Crowd(size)
    install(crowd)
    from perf_bench.core.loop import complete

    importlib.import_module("mgr_module")  # every module of Ceph's has this library
    bare = _resident_mib()
    importlib.import_module("perf_bench.module")
    before = _resident_mib()
    watch = made_module(crowd, is_inline=True)._application._watching.watch

    def tick() -> None:
        complete(watch.tick())

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
        "code_mib": before - bare,
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


def _measure_start(size: int) -> dict[str, Any]:
    """`round start` of all OSDs from its request to the stored round.

    The process is counted: the command's thread, and the store's with SQLite in memory. The OSD
    map is a new one each time. A round ends at once, as no OSD can be reached; the next one is
    started when nothing works any more.
    """
    crowd = Crowd(size)
    install(crowd)
    logging.disable(logging.CRITICAL)
    module = made_module(crowd)
    threading.Thread(target=module.serve, daemon=True).start()
    order = {"prefix": "perf-bench round start", "profile": "osd-throughput", "force": True}
    bench = module._application.rounds.bench
    starts = []
    for _ in range(_STARTS):
        for _ in range(3):  # maps and lists that were just read are as old as they may be
            crowd.advance()
        crowd.new_map()
        until_idle()
        began = time.process_time()
        code, out, err = module.handle_command("", {**order, "format": "json"})
        starts.append((time.process_time() - began) * 1e3)
        if code:
            raise RuntimeError(err)
        asked = {"prefix": "perf-bench round show", "id": str(json.loads(out)["id"])}
        shown = json.loads(module.handle_command("", {**asked, "format": "json"})[1])
        if shown["osds"] != size:
            raise RuntimeError(f"the round is of {shown['osds']} of {size} OSDs")
        while bench.occupied:
            time.sleep(0.01)
    module.shutdown()
    return {"starts": starts}


def _resident_mib() -> float:
    """Memory of this process, without what was freed and could be used again."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / _MIB


if __name__ == "__main__":
    _RUNS = {"watch": _measure_watch, "start": _measure_start}
    print(json.dumps(_RUNS[sys.argv[1]](int(sys.argv[2]))))
