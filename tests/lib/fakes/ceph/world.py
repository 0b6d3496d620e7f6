"""A cluster as one ceph-mgr sees it: captured from a real one of a release, then changed at will.

The captures are of three OSDs on three hosts (``tests/captured``): host-0 in rack-a, osd.1 of
class nvme and with an ``osd_bench_duration`` of its own, osd.2 out.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, ClassVar, Optional

CAPTURED = Path(__file__).resolve().parents[3] / "captured"
RELEASES = ("pacific", "reef", "tentacle")

# (code, output, message) as librados gives it.
Answer = tuple[int, bytes, str]


@dataclass
class MgrWorld:
    """What a mgr is told, what it was asked to do, and what goes wrong. See ``captured``."""

    release: str
    version: str
    release_name: str
    mgr_id: str
    data: dict[str, Any]
    ceph_options: dict[str, Any]
    # By (section, option); a section is "osd.N" or "" for all.
    options: dict[tuple[str, str], Any]
    # By (module, option), what somebody has set.
    # By pool and number the OSDs of placement groups; one that is not here has none.
    acting: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    module_options: dict[tuple[str, str], Any] = field(default_factory=dict)
    # By (OSD, counter) its raw points, and by OSD its schema; nothing was sent by the others.
    counters: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    schemas: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    daemon_health: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    # What was said in health, and in the cluster's log.
    health_checks: dict[str, Any] = field(default_factory=dict)
    cluster_log: list[tuple[str, str, str]] = field(default_factory=list)
    # Other modules, for ``remote``.
    modules: dict[str, object] = field(default_factory=dict)
    # Refusals by a mon command's prefix.
    mon_refuses: dict[str, Answer] = field(default_factory=dict)
    mon_asked: list[dict[str, Any]] = field(default_factory=list)
    # What an OSD does with a bench in place of answering it.
    osd_acts: dict[int, Callable[[], Answer]] = field(default_factory=dict)
    # OSDs that do so with the commands before a bench, too.
    hung: set[int] = field(default_factory=set)
    osd_asked: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    # The mons' own store of keys; whether their answers get lost.
    keys: dict[str, str] = field(default_factory=dict)
    mon_silent: bool = False
    # The configuration database by (section, name); pools that the autoscaler would change.
    config: dict[tuple[str, str], str] = field(default_factory=dict)
    moving: set[int] = field(default_factory=set)
    # Whether what the module logs reaches the mgr's log.
    logs: bool = False
    # Addresses that the mons would blocklist with this mgr.
    registered: list[tuple[Any, ...]] = field(default_factory=list)
    # Modules that the active mgr could load, whether its balancer works, and what logs have.
    loadable: list[str] = field(default_factory=lambda: ["balancer", "perf_bench"])
    balancing: bool = True
    config_log: list[dict[str, Any]] = field(default_factory=list)
    # Whether the mons answer, and whether the host has a ceph.conf.
    reachable: bool = True
    has_conf: bool = True
    # Clients of librados: the settings of each, and how many are connected now.
    clients: list[dict[str, Any]] = field(default_factory=list)
    connected: int = 0
    # Where 17 and newer keep the module's database.
    database: Optional[Path] = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def captured(cls, release: str) -> MgrWorld:
        """The cluster that was captured from that release."""
        found = json.loads((CAPTURED / f"{release}.json").read_text(encoding="utf-8"))
        names = ("osd_map", "osd_metadata", "osd_map_tree", "pg_status", "health", "mon_map")
        ceph_options = {"keyring": "/var/lib/ceph/mgr/ceph-x/keyring"}
        if found["mgr_pool"] is not None:
            ceph_options["mgr_pool"] = found["mgr_pool"]
        options: dict[tuple[str, str], Any] = {
            ("", "osd_bench_max_block_size"): 67108864,
            ("", "osd_bench_small_size_max_iops"): 100,
            ("", "osd_bench_large_size_max_throughput"): 104857600,
            ("", "osd_bench_duration"): 30,
        }
        for entry in found["config_dump"]:
            options[entry["section"], entry["name"]] = int(entry["value"])
        return cls(
            release=release,
            version=found["version"],
            release_name=found["release_name"],
            mgr_id=found["mgr_id"],
            data={
                **{name: found[name] for name in names},
                "osd_stats": _osd_stats(found),
                "devices": {"devices": []},
                "mgr_map": {
                    "epoch": 7,
                    "active_gid": 4100,
                    "active_name": found["mgr_id"],
                    "available": True,
                    "modules": ["perf_bench"],
                    "available_modules": [],
                    "standbys": [],
                },
                "df": {"pools": [], "stats": {"total_avail_bytes": 72 << 30}},
                "osd_pool_stats": {
                    "pool_stats": [
                        {
                            "pool_name": pool["pool_name"],
                            "pool_id": pool["pool"],
                            "client_io_rate": {},
                        }
                        for pool in found["osd_map"]["pools"]
                    ]
                },
            },
            ceph_options=ceph_options,
            options=options,
        )

    def settle(self) -> None:
        """All placement groups become clean: the captures were taken while some moved."""
        pgs = self.data["pg_status"]
        pgs["pgs_by_state"] = [{"state_name": "active+clean", "count": pgs["num_pgs"]}]

    @property
    def osd_map(self) -> dict[str, Any]:
        found: dict[str, Any] = self.data["osd_map"]
        return found

    def osd(self, number: int) -> dict[str, Any]:
        """An OSD's entry in the map; to be changed through ``change_osd``."""
        (entry,) = (entry for entry in self.osd_map["osds"] if entry["osd"] == number)
        found: dict[str, Any] = entry
        return found

    def tree(self) -> dict[str, Any]:
        """The CRUSH tree, with the states of OSDs as in the map, from which Ceph takes them."""
        captured = self.data["osd_map_tree"]
        entries = {entry["osd"]: entry for entry in self.osd_map["osds"]}
        nodes, stray = (
            [
                {**node, **_state(entries.get(node["id"]))} if node["id"] >= 0 else node
                for node in captured.get(part, ())
            ]
            for part in ("nodes", "stray")
        )
        stray += [
            {"id": osd, "name": f"osd.{osd}", "type": "osd", **_state(entry)}
            for osd, entry in entries.items()
            if osd not in {node["id"] for node in (*nodes, *stray)}
        ]
        return {"nodes": nodes, "stray": stray}

    def moved(self) -> None:
        """A new epoch of the map: one that was changed without it is not read again."""
        self.osd_map["epoch"] += 1

    def change_osd(self, number: int, **fields: Any) -> None:
        """A new epoch of the map, with an OSD changed."""
        self.osd(number).update(fields)
        self.osd_map["epoch"] += 1

    def set_down(self, number: int) -> None:
        self.change_osd(number, up=0, state=["exists"])

    def set_up(self, number: int) -> None:
        self.change_osd(number, up=1, state=["exists", "up"])

    def remove_osd(self, number: int) -> None:
        self.osd_map["osds"].remove(self.osd(number))
        self.osd_map["epoch"] += 1

    def mon_command(self, order: dict[str, Any]) -> Answer:
        """What a mon says to an order that this project gives."""
        self.mon_asked.append(order)
        prefix = order["prefix"]
        if prefix in self.mon_refuses:
            return self.mon_refuses[prefix]
        if prefix == "osd pool create":
            self.osd_map["pools"].append({"pool": 9, "pool_name": order["pool"]})
            self.osd_map["epoch"] += 1
            return 0, b"", f"pool '{order['pool']}' created"
        if prefix == "osd pool application enable":
            names = {pool["pool_name"] for pool in self.osd_map["pools"]}
            if order["pool"] not in names:
                return -2, b"", f"unrecognized pool '{order['pool']}'"
            return 0, b"", f"enabled application '{order['app']}' on pool '{order['pool']}'"
        if prefix in self._SETTINGS:
            return self._SETTINGS[prefix](self, order)
        raise KeyError(f"no such mon command here: {prefix}")

    def _key_get(self, order: dict[str, Any]) -> Answer:
        found = self.keys.get(order["key"])
        return (-2, b"", "") if found is None else (0, found.encode(), "")

    def _key_set(self, order: dict[str, Any]) -> Answer:
        self.keys[order["key"]] = order["val"]
        return 0, b"", f"set {order['key']}"

    def _key_rm(self, order: dict[str, Any]) -> Answer:
        self.keys.pop(order["key"], None)
        return 0, b"", "key deleted"

    def _osd_dump(self, _order: dict[str, Any]) -> Answer:
        return 0, json.dumps({"flags": self.osd_map["flags"]}).encode(), ""

    def _osd_ls(self, _order: dict[str, Any]) -> Answer:
        return 0, json.dumps([osd["osd"] for osd in self.osd_map["osds"]]).encode(), ""

    def _osd_info(self, order: dict[str, Any]) -> Answer:
        for osd in self.osd_map["osds"]:
            if osd["osd"] == order["id"]:
                return 0, json.dumps(osd).encode(), ""
        return -22, b"", f"osd.{order['id']} does not exist"

    def _osd_weight(self, order: dict[str, Any]) -> Answer:
        """As the map keeps it: a multiple of 1/65536."""
        field = "weight" if order["prefix"] == "osd reweight" else "primary_affinity"
        assert isinstance(order["weight"], float)
        self.change_osd(order["id"], **{field: int(order["weight"] * 65536) / 65536})
        return 0, b"", ""

    def _osd_set(self, order: dict[str, Any]) -> Answer:
        flags = set(self.osd_map["flags"].split(",")) | {order["key"]}
        return self._flags(flags, f"{order['key']} is set")

    def _osd_unset(self, order: dict[str, Any]) -> Answer:
        flags = set(self.osd_map["flags"].split(",")) - {order["key"]}
        return self._flags(flags, f"{order['key']} is unset")

    def _flags(self, flags: set[str], said: str) -> Answer:
        self.osd_map.update(flags=",".join(sorted(flags)), flags_set=sorted(flags))
        self.moved()
        return 0, b"", said

    def _config_dump(self, _order: dict[str, Any]) -> Answer:
        rows = []
        for (who, name), value in self.config.items():
            section, _, mask = who.partition("/")
            rows.append({"section": section, "name": name, "value": value, "mask": mask})
        return 0, json.dumps(rows).encode(), ""

    def _config_set(self, order: dict[str, Any]) -> Answer:
        self.config[order["who"], order["name"]] = order["value"]
        return 0, b"", ""

    def _config_rm(self, order: dict[str, Any]) -> Answer:
        self.config.pop((order["who"], order["name"]), None)
        return 0, b"", ""

    def _pools(self, _order: dict[str, Any]) -> Answer:
        rows = [{"pool_id": pool["pool"], **pool} for pool in self.osd_map["pools"]]
        return 0, json.dumps(rows).encode(), ""

    def _pool_set(self, order: dict[str, Any]) -> Answer:
        for pool in self.osd_map["pools"]:
            if pool["pool_name"] == order["pool"]:
                pool[order["var"]] = order["val"]
                return 0, b"", f"set pool {pool['pool']} {order['var']} to {order['val']}"
        return -2, b"", f"unrecognized pool '{order['pool']}'"

    def _autoscale(self, _order: dict[str, Any]) -> Answer:
        rows = [
            {
                "pool_id": pool["pool"],
                "would_adjust": pool["pool"] in self.moving,
                "pg_autoscale_mode": pool["pg_autoscale_mode"],
            }
            for pool in self.osd_map["pools"]
        ]
        return 0, json.dumps(rows).encode(), ""

    def _modules(self, _order: dict[str, Any]) -> Answer:
        return 0, json.dumps({"enabled_modules": self.data["mgr_map"]["modules"]}).encode(), ""

    def _key_dump(self, order: dict[str, Any]) -> Answer:
        found = {key: text for key, text in self.keys.items() if key.startswith(order["key"])}
        return 0, json.dumps(found).encode(), ""

    def _mgr_stat(self, _order: dict[str, Any]) -> Answer:
        found = self.data["mgr_map"]
        shown = {"epoch": found["epoch"], "available": found["available"]}
        return 0, json.dumps(shown).encode(), ""

    def _mgr_dump(self, _order: dict[str, Any]) -> Answer:
        loadable = [{"name": name} for name in self.loadable]
        return 0, json.dumps({**self.data["mgr_map"], "available_modules": loadable}).encode(), ""

    def _balancer(self, order: dict[str, Any]) -> Answer:
        """As the module does it: nothing where it is so already; the option goes along."""
        wanted = order["prefix"] == "balancer on"
        if self.balancing != wanted:
            self.balancing = wanted
            self.config["mgr", "mgr/balancer/active"] = str(wanted).lower()
        return 0, b"", ""

    def _balancer_status(self, _order: dict[str, Any]) -> Answer:
        return 0, json.dumps({"active": self.balancing, "mode": "upmap"}).encode(), ""

    def _pool_get(self, order: dict[str, Any]) -> Answer:
        for pool in self.osd_map["pools"]:
            if pool["pool_name"] == order["pool"]:
                found = {"pool_id": pool["pool"], order["var"]: pool[order["var"]]}
                return 0, json.dumps(found).encode(), ""
        return -2, b"", f"unrecognized pool '{order['pool']}'"

    def _config_log(self, _order: dict[str, Any]) -> Answer:
        return 0, json.dumps(self.config_log).encode(), ""

    def _config_get(self, order: dict[str, Any]) -> Answer:
        value = self.config.get((order["who"], order["key"]))
        if value is None:
            value = self.config.get((order["who"].partition(".")[0], order["key"]), "30")
        return 0, f"{value}\n".encode(), ""

    _SETTINGS: ClassVar[dict[str, Callable[[MgrWorld, dict[str, Any]], Answer]]] = {
        "config-key get": _key_get,
        "config-key set": _key_set,
        "config-key rm": _key_rm,
        "config-key dump": _key_dump,
        "mgr stat": _mgr_stat,
        "mgr dump": _mgr_dump,
        "balancer on": _balancer,
        "balancer off": _balancer,
        "balancer status": _balancer_status,
        "osd pool get": _pool_get,
        "config log": _config_log,
        "config get": _config_get,
        "osd dump": _osd_dump,
        "osd ls": _osd_ls,
        "osd info": _osd_info,
        "osd primary-affinity": _osd_weight,
        "osd reweight": _osd_weight,
        "osd set": _osd_set,
        "osd unset": _osd_unset,
        "config dump": _config_dump,
        "config set": _config_set,
        "config rm": _config_rm,
        "osd pool ls": _pools,
        "osd pool set": _pool_set,
        "osd pool autoscale-status": _autoscale,
        "mgr module ls": _modules,
    }

    def osd_command(self, number: int, order: dict[str, Any]) -> Answer:
        """What an OSD says to a bench and what is before it; the sentences are of real ones."""
        self.osd_asked.append((number, order))
        if number not in {entry["osd"] for entry in self.osd_map["osds"]}:
            return -2, b"", "osd dne"
        if not self.osd(number)["up"]:
            return -6, b"", "osd down"
        before = order["prefix"] in ("get_latest_osdmap", "status")
        if number in self.osd_acts and (not before or number in self.hung):
            return self.osd_acts[number]()
        return (0, b"", "") if before else bench(order)


def answers_of(release: str) -> dict[str, Answer]:
    """What real OSDs of that release answered, by what they were asked."""
    found = json.loads((CAPTURED / f"{release}.json").read_text(encoding="utf-8"))
    return {
        name: (answer["code"], answer["out"].encode(), answer["message"])
        for name, answer in found["osd_commands"].items()
    }


def bench(order: dict[str, Any]) -> Answer:
    """The answer of an OSD's ``bench`` at 100 MiB/s."""
    unknown = set(order) - {"prefix", "count", "size", "object_size", "object_num"}
    if order["prefix"] != "bench" or unknown:
        raise KeyError(f"no such OSD command here: {order}")
    if not all(isinstance(value, int) for key, value in order.items() if key != "prefix"):
        return -22, b"", "invalid command json"
    size, most = order["size"], order["size"] * 3000
    if size < 1 << 20 and order["count"] > most:
        message = (
            f"'count' values greater than {most} for a block size of {size >> 10} KiB, assuming "
            "100 IOPS, for 30 seconds, can cause ill effects on osd.  Please adjust "
            "'osd_bench_small_size_max_iops' with a higher value if you wish to use a higher "
            "'count'."
        )
        return -22, b"", message
    rate = 100 << 20
    found = {
        "bytes_written": order["count"],
        "blocksize": order["size"],
        "elapsed_sec": order["count"] / rate,
        "bytes_per_sec": float(rate),
        "iops": rate / order["size"],
    }
    return 0, json.dumps(found, indent=4).encode() + b"\n", ""


def _state(entry: Optional[dict[str, Any]]) -> dict[str, Any]:
    """Of an OSD's node in the tree, whose name stays where the map has the OSD no more."""
    if entry is None:
        return {"exists": 0, "status": "down", "reweight": 0.0}
    return {
        "exists": 1,
        "status": "up" if entry["up"] else "down",
        "reweight": entry["weight"] if entry["in"] else 0.0,
        "primary_affinity": entry["primary_affinity"],
    }


def _osd_stats(found: dict[str, Any]) -> dict[str, Any]:
    """What idle OSDs report of themselves, as far as it is read."""
    idle = {"commit_latency_ms": 0, "apply_latency_ms": 0}
    idle |= {"commit_latency_ns": 0, "apply_latency_ns": 0}
    osds = [entry["osd"] for entry in found["osd_map"]["osds"]]
    size = {"kb": 8 << 20, "kb_used": 200 << 10}
    return {"osd_stats": [{"osd": osd, "seq": 1, "perf_stat": idle, **size} for osd in osds]}
