"""A ceph-mgr with very many OSDs: `ceph_module`, the part that is C++, under Ceph's own Python.

Answers have the shapes and types that real ones of the native release have (`tests/captured`),
and are new objects at each call, as the real ones are: built by `marshal`, which takes 2 to 3 us
for 20 points where the real mgr takes 4 to 7.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import json
import marshal
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from .machine import ROOT
from .simulate import HOSTS_PER_RACK, OSDS_PER_HOST, osd

STOCK = Path("/usr/share/ceph/mgr")
# Placement groups of up to 10,000 OSDs; beyond that their number grows with the OSDs.
PGS = 262_144
POOLS = 24
PERIOD = 5.0
RING = 20
# So many different courses of counters there are; OSDs share them.
_COURSES = 64
_TIME_AVERAGE = 5


class Crowd:
    """The cluster. Time passes by `advance`, and every OSD reports every 5 s."""

    def __init__(self, osds: int) -> None:
        self.osds = osds
        self.pgs = max(PGS, 26 * osds)
        self.now = 1_790_000_000.0
        self.calls = 0
        root = ROOT / "tests" / "captured"
        self._cluster = json.loads((root / "pacific.json").read_text(encoding="utf-8"))
        self._watched = json.loads((root / "watch-pacific.json").read_text(encoding="utf-8"))
        self._schema = self._watched["perf_schema"]["0"]["osd.0"]
        self.schema = marshal.dumps(self._schema)
        self.epoch = self._cluster["osd_map"]["epoch"]
        self._dice = random.Random(1)  # noqa: S311 - nothing secret
        self._totals: dict[tuple[str, int], list[int]] = {}
        # Python's collector does not look at tuples of numbers: the real mgr has them in C++.
        self._rings: dict[tuple[str, int], list[tuple[float, ...]]] = {}
        self._histories: dict[tuple[str, int], bytes] = {}
        self.metadata = [marshal.dumps(self._metadata(number)) for number in range(osds)]
        self.answers = {name: marshal.dumps(value) for name, value in self._data()}
        for _ in range(RING):
            self.advance()

    def advance(self) -> None:
        """Five seconds pass."""
        self.now += PERIOD
        for course in range(_COURSES):
            at = self.now - PERIOD * (course + 1) / _COURSES
            for name, entry in self._schema.items():
                total = self._totals.setdefault((name, course), [0, 0])
                ops = self._dice.randrange(100, 400)
                total[0] += ops * self._dice.randrange(2_000_000, 4_000_000)
                total[1] += ops
                width = 2 if entry["type"] == _TIME_AVERAGE else 1
                if name == "osd.recovery_ops":
                    total[0] = 0
                ring = self._rings.setdefault((name, course), [])
                ring.append((at, *total[:width]))
                del ring[:-RING]
        # What was asked for once is asked for again: made here, and not while a tick is measured.
        self._histories = {key: self._history_of(key) for key in self._histories}

    def new_map(self) -> None:
        """The OSD map gets another epoch."""
        self.epoch += 1
        osd_map = {**marshal.loads(self.answers["osd_map"]), "epoch": self.epoch}  # noqa: S302
        self.answers["osd_map"] = marshal.dumps(osd_map)

    def history(self, name: str, svc_id: str) -> bytes | None:
        """A counter's points, ready to be made objects of; None of one that is not sent."""
        key = name, self.course(svc_id)
        if key not in self._histories and key in self._rings:
            self._histories[key] = self._history_of(key)
        return self._histories.get(key)

    def _history_of(self, key: tuple[str, int]) -> bytes:
        return marshal.dumps([list(point) for point in self._rings[key]])

    def remembered(self) -> int:
        """Bytes of the answers that were made for questions: the real mgr has them in C++."""
        return sum(map(sys.getsizeof, self._histories.values()))

    def cost_of(self, calls: int) -> float:
        """CPU seconds that the answers to so many questions for points take here."""
        history = next(iter(self._histories.values()))
        began = time.thread_time()
        for _ in range(calls):
            marshal.loads(history)  # noqa: S302 - written below
        return time.thread_time() - began

    def course(self, svc_id: str) -> int:
        return int(svc_id) % _COURSES

    def latest(self, name: str, svc_id: str) -> list[float]:
        return list(self._rings[name, self.course(svc_id)][-1])

    def _metadata(self, number: int) -> dict[str, str]:
        one = osd(number)
        base: dict[str, str] = dict(self._cluster["osd_metadata"]["0"])
        serial = f"{one.devices}={one.model}_S{number:05d}"
        return {
            **base,
            "hostname": one.host,
            "rotational": "1" if one.rotational else "0",
            "device_ids": serial,
            "devices": one.devices or "",
            "bluestore_bdev_devices": one.devices or "",
            "bluestore_bdev_access_mode": "blk",
        }

    def _data(self) -> Iterator[tuple[str, Any]]:
        numbers = range(self.osds)
        entry, stat = (
            self._cluster["osd_map"]["osds"][0],
            self._watched["osd_stats"]["osd_stats"][0],
        )
        pools = [{**self._cluster["osd_map"]["pools"][0], "pool": n} for n in range(1, POOLS + 1)]
        osds = [{**entry, "osd": n} for n in numbers]
        yield "osd_map", {**self._cluster["osd_map"], "osds": osds, "pools": pools}
        classes = [{"id": n, "name": f"osd.{n}", "class": osd(n).device_class} for n in numbers]
        yield "osd_map_crush", {"devices": classes}
        drives = [{"wear_level": 0.1, "daemons": [f"osd.{n}"]} for n in numbers]
        yield "devices", {"devices": drives}
        yield "osd_map_tree", {"nodes": [*self._buckets(), *self._leaves()], "stray": []}
        yield "osd_stats", {"osd_stats": [{**stat, "osd": n} for n in numbers]}
        share = self.pgs // POOLS
        states = {"active+clean": share - 3, "active+clean+scrubbing": 3}
        by_pool = {str(pool): states for pool in range(1, POOLS + 1)}
        by_osd = {str(n): {"active+clean": 3 * self.pgs // self.osds} for n in numbers}
        yield "pg_summary", {**self._watched["pg_summary"], "by_pool": by_pool, "by_osd": by_osd}
        counts = [{"state_name": name, "count": count} for name, count in states.items()]
        by_pool_state = [{"pool_id": n, "pg_state_counts": counts} for n in range(1, POOLS + 1)]
        all_states = [{"state_name": "active+clean", "count": self.pgs}]
        status = {
            "pgs_by_pool_state": by_pool_state,
            "pgs_by_state": all_states,
            "num_pgs": self.pgs,
        }
        yield "pg_status", {**self._watched["pg_status"], **status}
        yield "health", self._cluster["health"]
        yield (
            "health_metrics",
            {f"osd.{n}": self._watched["daemon_health_metrics"]["osd.0"] for n in numbers},
        )
        yield "osd_metadata", {str(n): marshal.loads(self.metadata[n]) for n in numbers}  # noqa: S302
        none: dict[str, Any] = {"standbys": [], "services": {}, "always_on_modules": {}}
        yield "mgr_map", {**none, "active_name": "x", "active_gid": 4100, "modules": []}
        yield "mon_map", {"mons": []}  # whoever connects gets `_Monitors`
        room = {"total_avail_bytes": 1, "total_bytes": 1, "stored": 1, "max_avail": 1, "objects": 1}
        yield "df", {"stats": room, "pools": [{"id": one["pool"], "stats": room} for one in pools]}
        yield "osd_pool_stats", {"pool_stats": []}
        yield "servers", [self._server(host) for host in range(-(-self.osds // OSDS_PER_HOST))]

    def _server(self, host: int) -> dict[str, Any]:
        first = host * OSDS_PER_HOST
        on_it = range(first, min(self.osds, first + OSDS_PER_HOST))
        services = [{"type": "osd", "id": str(n), "ceph_version": "16.2.15"} for n in on_it]
        name = osd(first).host
        return {"hostname": name, "services": services, "ceph_version": "16.2.15"}

    def _buckets(self) -> Iterator[dict[str, Any]]:
        hosts = -(-self.osds // OSDS_PER_HOST)
        racks = -(-hosts // HOSTS_PER_RACK)
        yield _bucket(-1, "default", "root", [-2 - n for n in range(racks)])
        for rack in range(racks):
            own = range(rack * HOSTS_PER_RACK, min(hosts, (rack + 1) * HOSTS_PER_RACK))
            yield _bucket(-2 - rack, f"rack-{rack:02d}", "rack", [-10_000 - n for n in own])
        for host in range(hosts):
            first = host * OSDS_PER_HOST
            on_it = range(first, min(self.osds, first + OSDS_PER_HOST))
            yield _bucket(-10_000 - host, osd(first).host, "host", list(on_it))

    def _leaves(self) -> Iterator[dict[str, Any]]:
        (leaf,) = (n for n in self._cluster["osd_map_tree"]["nodes"] if n["id"] == 0)
        for number in range(self.osds):
            kind = osd(number).device_class
            yield {**leaf, "id": number, "name": f"osd.{number}", "device_class": kind}


def _bucket(number: int, name: str, kind: str, children: list[int]) -> dict[str, Any]:
    found = {"id": number, "name": name, "type": kind, "type_id": 1}
    return {**found, "pool_weights": {}, "children": children}


# Options of OSDs, with their defaults; others are read as not set.
_OPTIONS: dict[str, int | bool] = {
    "osd_bench_duration": 30,
    "osd_bench_large_size_max_throughput": 100 << 20,
    "osd_bench_max_block_size": 64 << 20,
    "osd_bench_small_size_max_iops": 100,
}

_CAPACITY = "osd_mclock_max_capacity_iops_hdd"

_SILENT: dict[str, Any] = {
    "_ceph_get_version": "ceph version 16.2.15 (618f440) pacific (stable)",
    "_ceph_get_release_name": "pacific",
    "_ceph_get_mgr_id": "x",
    "_ceph_have_mon_connection": True,
    "_ceph_set_health_checks": None,
    "_ceph_cluster_log": None,
    "_ceph_log": None,
    "_ceph_get_store": None,
    "_ceph_set_store": None,
}


class BaseMgrModule:
    """What of it the modules here call. `crowd` is set by `install`."""

    crowd: Crowd

    def __init__(self, _modules: object, _this: object) -> None: ...

    def _ceph_get(self, name: str) -> Any:
        return marshal.loads(self.crowd.answers[name])  # noqa: S302 - written above

    def _ceph_get_counter(self, _type: str, osd_id: str, path: str) -> dict[str, Any]:
        self.crowd.calls += 1
        ring = self.crowd.history(path, osd_id)
        return {path: marshal.loads(ring) if ring else []}  # noqa: S302

    def _ceph_get_latest_counter(self, _type: str, osd_id: str, path: str) -> dict[str, Any]:
        return {path: self.crowd.latest(path, osd_id)}

    def _ceph_get_perf_schema(self, _type: str, osd_id: str) -> dict[str, Any]:
        return {f"osd.{osd_id}": marshal.loads(self.crowd.schema)}  # noqa: S302

    def _ceph_get_metadata(self, _type: str, osd_id: str) -> Any:
        return marshal.loads(self.crowd.metadata[int(osd_id)])  # noqa: S302

    def _ceph_get_daemon_health_metrics(self) -> Any:
        return marshal.loads(self.crowd.answers["health_metrics"])  # noqa: S302

    def _ceph_get_server(self, _name: object) -> Any:
        return marshal.loads(self.crowd.answers["servers"])  # noqa: S302

    def _ceph_get_osdmap(self) -> Any:
        return _Map(self.crowd.epoch)

    def _ceph_get_module_option(self, _module: str, key: str, *_rest: object) -> Any:
        return False if key.startswith("log_to") and key != "log_to_cluster_level" else None

    def _ceph_get_option(self, _key: str) -> str:
        return "0/0"

    def _ceph_get_foreign_option(self, _entity: str, key: str) -> int | bool | None:
        return _OPTIONS.get(key)

    def __getattr__(self, name: str) -> Any:
        if name in _SILENT:
            return lambda *_: _SILENT[name]
        raise AttributeError(name)


class _Map:
    def __init__(self, epoch: int) -> None:
        self._epoch = epoch

    def _get_epoch(self) -> int:
        return self._epoch

    get_epoch = _get_epoch


def install(crowd: Crowd) -> None:
    """Ceph's own `mgr_module` finds this in place of what ceph-mgr is made of."""
    BaseMgrModule.crowd = crowd
    made = ModuleType("ceph_module")
    bases = {"BaseMgrStandbyModule", "BasePyOSDMap", "BasePyOSDMapIncremental", "BasePyCRUSH"}
    vars(made).update({name: type(name, (), {}) for name in bases}, BaseMgrModule=BaseMgrModule)
    sys.modules["ceph_module"] = made
    sys.path.insert(0, str(STOCK))


class _Monitors:
    """In place of a librados client: the settings of OSDs, of which every other one has its own."""

    def __init__(self, osds: int) -> None:
        settings = [
            {"section": f"osd.{n}", "mask": "", "name": _CAPACITY, "value": "350.0"}
            for n in range(0, osds, 2)
        ]
        self._answers = {"config dump": json.dumps(settings).encode()}

    def mon_command(self, words: str, _data: bytes) -> tuple[int, bytes, str]:
        out = self._answers.get(json.loads(words)["prefix"])
        return (-errno.ENOTCONN, b"", "no monitor is there") if out is None else (0, out, "")

    def osd_command(self, *_order: object) -> tuple[int, bytes, str]:
        return -errno.ENOTCONN, b"", "no OSD is there"

    def shutdown(self) -> None: ...


class _Clock:
    """The crowd's time."""

    crowd: ClassVar[Crowd]

    def now(self) -> float:
        return self.crowd.now

    def monotonic(self) -> float:
        return self.crowd.now


def made_module(crowd: Crowd, *, is_inline: bool = False) -> Any:
    """The module as ceph-mgr makes it on this crowd, with its database in memory. Not served yet.

    ``is_inline``: it has the crowd's time, and no workers: all but the database is done by who
    calls it, so that it can be timed.
    """
    # Imported late: Ceph's Python is there only once the crowd is installed.
    from fakes.database import memory_store
    from perf_bench import wiring
    from perf_bench.ceph import commands
    from perf_bench.core.workers import Here
    from perf_bench.module import Module

    seams: Any = wiring
    seams.Store = lambda *_: memory_store()
    monitors: Any = _Monitors(crowd.osds)
    reach: Any = commands
    reach.open_client = lambda **_: monitors
    if is_inline:
        _Clock.crowd = crowd
        seams.SystemClock, seams.Workers = _Clock, lambda *_, **__: Here()
    kind: Any = Module
    kind._register_options("perf_bench")
    return Module("perf_bench", None, None)


def until_idle() -> None:
    """Wait until no thread of this process has worked for half a second."""
    before = -1.0
    while time.process_time() - before > 0.01:
        before = time.process_time()
        time.sleep(0.5)
