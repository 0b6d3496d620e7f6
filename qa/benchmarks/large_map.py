"""What a real mgr costs with a map of 10,000 OSDs and 262,144 PGs, with the module and without.

The map, monitor, mgr and dashboard are real, and three OSDs. All other OSDs exist in the map only
(`qa/cluster/wide_map.py`): they send no counters, no reports and no metadata, and their PGs are
unknown. What reading counters costs is measured by `watch`. `prometheus` is left off: that of Ceph
16 takes 7 GiB for this map, and holds ceph-mgr for so long that the monitor replaces it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from cluster.api import DevCluster
from cluster.errors import ClusterError
from cluster.processes import read_pid_file
from cluster.spec import Order
from cluster.waiting import wait_for

from .bed import Bed, bed
from .figures import Figure

OSDS, POOLS, PGS_PER_POOL = 10_000, 4, 65_536
_PAIRS = 4
_SECONDS = 30.0
# Once two looks in a row differ by less than this share, what came with the start is over.
_LOOK_SECONDS, _STEADY, _MOST_SETTLING = 10.0, 0.25, 60.0
_ASKED = 10
_BOOT_SECONDS = 180.0
_OTHER = "balancer status"
_OURS = ("status", "osd ls", "finding ls", "coverage ls")
_PROFILE = "osd-throughput"
_PLANNED = f"round start {_PROFILE} --dry-run"
_TICKS = os.sysconf("SC_CLK_TCK")
_MIB = 1 << 20


@dataclass(frozen=True)
class _Load:
    """Of a mgr: share of a core, resident MiB, seconds that another module's command takes."""

    cpu: float
    resident: float
    other: float


def run(folder: str, release: str, say: Callable[[str], None]) -> list[Figure]:
    """Boot the cluster, and measure the mgr in turn without the module and with it."""
    without: list[_Load] = []
    beside: list[_Load] = []
    ours: dict[str, list[float]] = {command: [] for command in (*_OURS, _PLANNED)}
    with bed(folder, Order(release=release, osds=3, hosts=3, map_osds=OSDS)) as cluster:
        _fill(cluster.cluster)
        for number in range(_PAIRS):
            with _disabled(cluster.cluster):
                without.append(_measured(cluster))
            _until_ready(cluster)
            beside.append(_measured(cluster))
            for command in _OURS:
                ours[command] += _asked(partial(cluster.ask, command), _ASKED // _PAIRS)
            ours[_PLANNED] += _asked(
                partial(cluster.plan, _PROFILE),
                _ASKED // _PAIRS,
                partial(_new_map, cluster.cluster),
            )
            say(f"pair {number + 1} of {_PAIRS}: {without[-1]} without, {beside[-1]} with")
    return [*_figures(without, beside), *_commands(ours)]


def _figures(without: list[_Load], beside: list[_Load]) -> Iterator[Figure]:
    what = f"median of {_PAIRS} pairs in turn"
    for name, unit, part in (
        ("CPU of ceph-mgr", "cores", "cpu"),
        ("memory of ceph-mgr", "MiB", "resident"),
        (f"'{_OTHER}'", "s", "other"),
    ):
        sides = [[getattr(load, part) for load in side] for side in (without, beside)]
        before, after = map(median, sides)
        detail = {"without": sides[0], "with": sides[1]}
        yield Figure(f"{name}, without", before, unit, note=what, detail=detail)
        yield Figure(f"{name}, with perf_bench", after, unit, note=f"{after / before:.2f} times")


def _commands(ours: dict[str, list[float]]) -> Iterator[Figure]:
    for command, found in ours.items():
        note = f"{len(found)} times, at most {max(found):.2f} s"
        yield Figure(f"'perf-bench {command}', median", median(found), "s", note=note)


def _fill(cluster: DevCluster) -> None:
    """Make the pools."""
    cluster.ceph("config", "set", "mon", "mon_osd_max_initial_pgs", str(PGS_PER_POOL))
    size = str(PGS_PER_POOL)
    for number in range(POOLS):
        create = ("osd", "pool", "create", f"wide-{number}", size, size, "replicated", "wide", size)
        cluster.ceph(*create, "--autoscale-mode=off", timeout=_BOOT_SECONDS)
    wait_for(
        lambda: cluster.ceph_json("status")["pgmap"]["num_pgs"] > POOLS * PGS_PER_POOL,
        _BOOT_SECONDS,
        lambda: "the PGs did not come",
        1.0,
    )


@contextmanager
def _disabled(cluster: DevCluster) -> Iterator[None]:
    cluster.ceph("mgr", "module", "disable", "perf_bench")
    try:
        yield
    finally:
        cluster.ceph("mgr", "module", "enable", "perf_bench")


def _until_ready(bed_: Bed) -> None:
    def ready() -> Any:
        try:
            return bed_.ask("status")["store"]["ready"]
        except ClusterError:  # the mgr begins anew
            return False

    wait_for(ready, _BOOT_SECONDS, lambda: "the module did not come back", 1.0)


def _measured(bed_: Bed) -> _Load:
    """Measure once the mgr does no more than it does all the time."""
    spec = bed_.cluster.spec
    until = time.monotonic() + _MOST_SETTLING
    before, now = 0.0, _cpu(spec.pid_file("mgr.x"), _LOOK_SECONDS)
    while abs(now - before) > _STEADY * now and time.monotonic() < until:
        before, now = now, _cpu(spec.pid_file("mgr.x"), _LOOK_SECONDS)
    share = _cpu(spec.pid_file("mgr.x"), _SECONDS)
    pages = int(Path(f"/proc/{_pid(spec.pid_file('mgr.x'))}/statm").read_text().split()[1])
    resident = pages * os.sysconf("SC_PAGE_SIZE") / _MIB
    asked = _asked(partial(bed_.link.mgr, _OTHER), _ASKED)
    return _Load(share, resident, median(asked))


def _new_map(cluster: DevCluster) -> None:
    """Another epoch of the OSD map, in which nothing has changed."""
    cluster.ceph("osd", "set-nearfull-ratio", "0.85")
    time.sleep(1.0)  # the mgr has it


def _asked(
    ask: Callable[[], Any], times: int, before: Callable[[], None] = lambda: None
) -> list[float]:
    found = []
    for _ in range(times):
        before()
        began = time.monotonic()
        ask()
        found.append(time.monotonic() - began)
        time.sleep(0.5)
    return found


def _cpu(pid_file: Path, seconds: float) -> float:
    """The share of a core that the process takes for so long."""
    pid, began = _pid(pid_file), time.monotonic()
    before = _spent(pid)
    time.sleep(seconds)
    return (_spent(pid) - before) / (time.monotonic() - began)


def _spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _pid(pid_file: Path) -> int:
    process = read_pid_file(pid_file)
    if process is None:
        raise ClusterError(f"{pid_file} names no process")
    return process.pid
