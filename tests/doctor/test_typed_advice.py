"""An operator types what the doctor proposes, and asks again: the advice is gone.

What stands in the way is set up as Ceph has it: values of single OSDs, masks of classes, hosts and
racks, and machines with several CRUSH hosts (rook/rook#3728: each OSD on a volume has one).
"""

# Our modules that know Ceph can be imported only while its Python modules are in place.

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from factory import document
from fakes.ceph import MgrWorld, doctor_in, installed, mgr_in
from fakes.clock import FakeClock
from perf_bench.doctor.checks import examine
from perf_bench.doctor.checks.mclock import capacities
from perf_bench.model.doctor_snapshot import Advice, DoctorSnapshot, MeasuredCapacity
from perf_bench.model.hardware import facts_of

GIB = 1 << 30
MEMORY, SUICIDE = "osd_memory_target", "osd_op_thread_suicide_timeout"
ROCKSDB, CAPACITY = "bluestore_rocksdb_options", "osd_mclock_max_capacity_iops_hdd"
SHARDS, THREADS = "osd_op_num_shards_hdd", "osd_op_num_threads_per_shard_hdd"
TICK = "mgr/perf_bench/watch_tick_seconds"
DEFAULTS = {
    MEMORY: 4 * GIB,
    SUICIDE: 150,
    ROCKSDB: "compression=kLZ4,max_total_wal_size=1073741824",
    CAPACITY: 315.0,
    "osd_op_queue": "mclock_scheduler",
    "thp": False,
    "debug_osd": "1/5",
    "debug_ms": "0/0",
}
Config = Mapping[str, Any]


class Operator:
    """A cluster of three OSDs on three hosts, whose mgr is ``mgr.x``."""

    def __init__(self, world: MgrWorld) -> None:
        self.world = world
        world.options.update({("", name): value for name, value in DEFAULTS.items()})
        self._source = doctor_in(mgr_in(world), FakeClock())
        # What the doctor adds to what the mgr has.
        self.more: dict[str, Any] = {}

    def sets(self, option: str, config: Config) -> None:
        self.world.config.update({(who, option): str(value) for who, value in config.items()})

    def looks(self) -> DoctorSnapshot:
        return replace(self._source.look(), **self.more)

    def asks(self, code: str) -> list[Advice]:
        return [one for one in examine(self.looks()).advice if one.code == code]

    def types(self, fix: str) -> None:
        for command in fix.split(" && "):
            words = shlex.split(command)
            order: dict[str, Any]
            if words[:3] == ["ceph", "config", "set"]:
                order = {"prefix": "config set", "who": words[3], "name": words[4]}
                self.world.mon_command({**order, "value": words[5]})
            elif words[:3] == ["ceph", "config", "rm"]:
                assert (words[3], words[4]) in self.world.config
                order = {"prefix": "config rm", "who": words[3], "name": words[4]}
                self.world.mon_command(order)
            else:
                assert words[:5] == ["ceph", "perf-bench", "mclock", "propose", "--apply"], words
                self._proposes("--beyond" in words)
        ticks = [self.world.config.get((who, TICK)) for who in ("mgr.x", "mgr")]
        if "tick" in self.more:
            every = next(float(one) for one in ticks if one is not None)
            self.more["tick"] = (self.more["tick"][0], every)

    def _proposes(self, beyond: bool) -> None:
        for one in capacities(self.looks()):
            if one.proposed is not None and (beyond or not one.consent):
                self.sets(one.option, {f"osd.{one.osd}": one.proposed})


def node(operator: Operator, name: str) -> dict[str, Any]:
    nodes = operator.world.data["osd_map_tree"]["nodes"]
    found: dict[str, Any] = next(one for one in nodes if one["name"] == name)
    return found


# --- what raises advice ----------------------------------------------------------------------


def one_machine(operator: Operator) -> None:
    """Each OSD has a CRUSH host of its own, and all run on one node."""
    for metadata in operator.world.data["osd_metadata"].values():
        metadata.update(hostname="worker-1", mem_total_kb=str(8 * GIB >> 10))


def two_machines_in_one_bucket(operator: Operator) -> None:
    """OSDs of host-0 and host-1 are in the CRUSH host host-0."""
    little_memory(operator)
    node(operator, "host-1")["children"] = []
    node(operator, "host-0")["children"] = [0, 1]


def in_no_bucket(operator: Operator) -> None:
    little_memory(operator)
    for number in range(3):
        node(operator, f"host-{number}")["children"] = []


def in_two_hosts(operator: Operator) -> None:
    """The bucket with the ID next to 0 is the one of masks, and the last one in the tree."""
    little_memory(operator)
    nodes = operator.world.data["osd_map_tree"]["nodes"]
    nodes[0]["id"], node(operator, "host-1")["id"] = -1, -40
    nodes[0]["children"] = [-9, -7, -40, -2]
    fast = {"id": -2, "name": "fast", "type": "host", "type_id": 1, "children": [1]}
    nodes.append(fast)


def little_memory(operator: Operator) -> None:
    for metadata in operator.world.data["osd_metadata"].values():
        metadata["mem_total_kb"] = str(3 * GIB >> 10)


def nvme(wait: float) -> Callable[[Operator], None]:
    """Drives whose I/O timeout is so many seconds, as all hosts tell."""

    def set_up(operator: Operator) -> None:
        for metadata in operator.world.data["osd_metadata"].values():
            metadata.update(devices="nvme0n1", bluestore_bdev_devices="nvme0n1")
        section = {"nvme_io_timeout_seconds": wait}
        operator.more["facts"] = {
            f"host-{number}": facts_of(document(f"host-{number}", kernel=section))
            for number in range(3)
        }

    return set_up


def huge_pages(operator: Operator) -> None:
    """On hosts that have transparent huge pages."""
    operator.more["facts"] = {
        f"host-{number}": facts_of(document(f"host-{number}", memory={"thp": "always"}))
        for number in range(3)
    }


def shards(operator: Operator) -> None:
    """As before 18.2.5, on disks."""
    operator.world.options.update({("", SHARDS): 5, ("", THREADS): 1})


def measured(*rounds: float) -> Callable[[Operator], None]:
    def set_up(operator: Operator) -> None:
        found = MeasuredCapacity(rounds[0], 7, rounds)
        operator.more["measured"] = dict.fromkeys(range(3), found)

    return set_up


def ticks(took: float, every: float) -> Callable[[Operator], None]:
    def set_up(operator: Operator) -> None:
        operator.more["tick"] = (took, every)

    return set_up


def nothing(operator: Operator) -> None:
    """The configuration alone."""


# Where a value may be set in the way of a common one.
EVERYWHERE: list[list[str]] = [
    [],
    ["osd.0"],
    ["osd"],
    ["global"],
    ["osd/class:hdd"],
    ["osd/host:host-0"],
    ["osd/rack:rack-a"],
    ["osd/rack:rack-a", "osd/class:nvme", "osd.2", "global"],
    ["osd/host:host-1/class:nvme", "osd/host:host-0"],
    ["osd/root:default", "osd.1"],
    ["global/host:host-0", "osd/class:hdd"],
]
FEW = [["osd.0"], ["osd/class:hdd"], ["osd/rack:rack-a", "osd/class:nvme", "osd.2", "global"]]
PLAIN = "compression=kNoCompression"
# The code, what is the matter, and where an option has which value.
CASES: list[tuple[str, Callable[[Operator], None], str, Config]] = [
    *(
        ("MEMORY_TARGET_TOO_LARGE", set_up, MEMORY, dict.fromkeys(sections, 5 * GIB))
        for set_up, places in (
            (one_machine, FEW),
            (little_memory, EVERYWHERE),
            (two_machines_in_one_bucket, FEW),
            (in_no_bucket, FEW),
            (in_two_hosts, FEW),
        )
        for sections in places
    ),
    *(
        ("SUICIDE_AFTER_IO_TIMEOUT", nvme(wait), SUICIDE, dict.fromkeys(sections, 120))
        for wait in (5, 10, 30)
        for sections in FEW
    ),
    ("DEBUG_LOGGING", nothing, "debug_ms", {"osd/class:hdd": "20/20"}),
    ("DEBUG_LOGGING", nothing, "debug_osd", {"osd": "0/5", "osd.1": "20", "global": "10"}),
    *(
        ("MESSAGES_ENCRYPTED", nothing, "ms_cluster_mode", dict.fromkeys(sections, "secure"))
        for sections in ([["global"], ["osd", "client"], ["osd/class:hdd", "mon", "osd.1"]])
    ),
    *(
        row
        for sections in FEW
        for row in (
            ("DEBUG_LOGGING", nothing, "debug_osd", dict.fromkeys(sections, "20/20")),
            ("ROCKSDB_NO_WAL_LIMIT", nothing, ROCKSDB, dict.fromkeys(sections, PLAIN)),
            ("MCLOCK_CAPACITY", nothing, CAPACITY, dict.fromkeys(sections, 12.3)),
            ("MCLOCK_CAPACITY", measured(240.0), CAPACITY, dict.fromkeys(sections, 12.3)),
            ("TRANSPARENT_HUGE_PAGES", huge_pages, "thp", dict.fromkeys(sections, "true")),
            ("MCLOCK_SHARDS", shards, SHARDS, dict.fromkeys(sections, 4)),
        )
    ),
    # A bad value of one OSD, where the one of all is right.
    ("MCLOCK_CAPACITY", nothing, CAPACITY, {"osd": 400, "osd.0": 20000, "osd/class:hdd": 9}),
    ("MCLOCK_OUT_OF_RANGE", measured(900.0, 910.0, 890.0), CAPACITY, {}),
    ("MCLOCK_OUT_OF_RANGE", measured(900.0, 910.0, 890.0), CAPACITY, {"osd/host:host-0": 300}),
    ("MGR_BUSY", ticks(4.5, 5.0), TICK, {}),
    ("MGR_BUSY", ticks(40.0, 5.0), TICK, {"mgr": 5, "mgr.x": 5, "global": 5}),
]


def test_after_it_was_typed_the_advice_is_gone() -> None:
    for code, set_up, option, config in CASES:
        world = MgrWorld.captured("reef")
        with installed(world):
            is_gone(Operator(world), code, set_up, option, config)


def is_gone(
    operator: Operator, code: str, set_up: Callable[[Operator], None], option: str, config: Config
) -> None:
    set_up(operator)
    operator.sets(option, config)
    found = operator.asks(code)
    assert found, f"{code}: nothing is the matter of {config}"
    for one in found:
        operator.types(one.fix)
    assert [(one.message, one.fix) for one in operator.asks(code)] == []
