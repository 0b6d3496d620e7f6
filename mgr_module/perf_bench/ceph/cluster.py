"""Read the cluster's state from the mgr's maps; no daemon is asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from mgr_module import MgrModule

from ..model.bench import BenchLimits
from ..model.osd import Osd
from ..model.osd_options import (
    BENCH_DURATION,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
)
from ..model.pool import COPIES_OF_A_NEW_POOL, POOL
from ..model.wal import Wal
from ..ports import Clock
from .osd_options import options_of

_FULL_STATES = {"nearfull", "backfillfull", "full"}
_LIMIT_OPTIONS = {
    "max_block_size": BENCH_MAX_BLOCK_SIZE,
    "small_max_iops": BENCH_SMALL_MAX_IOPS,
    "large_max_throughput": BENCH_LARGE_MAX_THROUGHPUT,
    "duration": BENCH_DURATION,
}
# SAS paths as udev names them: sda=…/pci-0000:3c:00.0-sas-exp0x500056b35e77bcff-phy0-lun-0
_EXPANDER = re.compile(r"([^,=]+)=[^,]*-sas-exp(0x[0-9a-f]{16})-phy\d+-lun-\d+")
# Above this number of OSDs only some are asked for options: the mgr computes each option of each
# OSD from the whole configuration, while the operator waits.
_ASK_EVERY_OSD = 256
# Seconds: a round's environment is read right after its plan, from the same maps.
_JUST_READ = 5.0
# What an OSD is on changes only when it is made anew.
_DISKS_AGE = 3600.0
_RELEASE = "ceph_version_short"


class MgrCluster:
    """Implements Cluster on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._lock = threading.Lock()
        self._osds: Sequence[Osd] = ()
        # What else was read with them: their releases, and their logs without the options' sizes.
        self._releases: Sequence[str] = ()
        self._logs: Mapping[int, Wal] = {}
        self._read_at: Optional[float] = None
        self._states: dict[int, set[str]] = {}
        self._epoch = -1

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """All OSDs by ID. Reading costs about 40 us an OSD (0.4 s at 10,000)."""
        with self._lock:
            now = self._clock.monotonic()
            if self._read_at is None or now - self._read_at >= max_age:
                self._osds = self._read()
                self._read_at = now
            return self._osds

    def down(self, osds: Sequence[int]) -> set[int]:
        with self._lock:
            states = self._fresh_states()
            return {osd for osd in osds if "up" not in states.get(osd, ())}

    def over_nearfull(self, osds: Sequence[int]) -> Sequence[int]:
        with self._lock:
            states = self._fresh_states()
            return [osd for osd in osds if states.get(osd, set()) & _FULL_STATES]

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        """The tightest limits among the OSDs, from the mgr's copy of the configuration."""
        limits: dict[str, int] = {}
        for field, option in _LIMIT_OPTIONS.items():
            values = [
                self._mgr.get_foreign_ceph_option(f"osd.{osd}", option)
                for osd in self._representatives(osds)
            ]
            limits[field] = min(int(str(value)) for value in values)
        return BenchLimits(**limits)

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        """The OSDs' write-ahead logs, from metadata and the mgr's copy of the configuration."""
        self.osds(_DISKS_AGE)
        logs = self._logs
        return {osd: self._sized(osd, logs.get(osd) or _log({})) for osd in osds}

    def bench_copies(self) -> int:
        """The size of the bench pool; Ceph's default if the pool does not exist yet."""
        pools = self._mgr.get("osd_map")["pools"]
        sizes = [int(pool["size"]) for pool in pools if pool["pool_name"] == POOL]
        return sizes[0] if sizes else round(COPIES_OF_A_NEW_POOL)

    def _sized(self, osd: int, log: Wal) -> Wal:
        kind = "hdd" if log.spinning else "ssd"
        sizes = [
            int(str(self._mgr.get_foreign_ceph_option(f"osd.{osd}", option) or 0))
            for option in (
                "bluestore_prefer_deferred_size",
                f"bluestore_prefer_deferred_size_{kind}",
            )
        ]
        return replace(log, deferred_bytes=sizes[0] or sizes[1])

    def _representatives(self, osds: Sequence[int]) -> Sequence[int]:
        """The OSDs to read options of: all, or of very many one per host and device class.

        Options are set for all OSDs, by class, by host, or for one OSD. Only the last may be
        missed; then that OSD refuses the bench, and the sample has its error.
        """
        if len(osds) <= _ASK_EVERY_OSD:
            return osds
        chosen = set(osds)
        return list(
            {
                (osd.host, osd.device_class): osd.id for osd in self._osds if osd.id in chosen
            }.values()
        )

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        """The environment that is stored with a result, for later comparisons.

        ``options`` are those of the given OSDs.
        """
        measured, known = set(osds), self.osds(_JUST_READ)
        osd_map, pgs = self._mgr.get("osd_map"), self._mgr.get("pg_status")
        health = json.loads(self._mgr.get("health")["json"])
        total = pgs.get("bytes_total") or 0
        return {
            "release": release_of(self._mgr),
            "mgr": self._mgr.get_mgr_id(),
            "fsid": osd_map.get("fsid"),
            "osd_releases": _counts(self._releases),
            "osds": len(known),
            "osds_up": sum(osd.up for osd in known),
            "osds_in": sum(osd.in_cluster for osd in known),
            "hosts": len({osd.host for osd in known}),
            "device_classes": _counts([osd.device_class or "unknown" for osd in known]),
            "options": options_of(self._mgr, [osd for osd in known if osd.id in measured]),
            "flags": sorted(osd_map.get("flags_set", [])),
            "health": health.get("status"),
            "health_checks": sorted(health.get("checks", {})),
            "pools": len(osd_map.get("pools", [])),
            "pgs": pgs.get("num_pgs"),
            "pgs_by_state": {s["state_name"]: s["count"] for s in pgs.get("pgs_by_state", [])},
            "fill_percent": round(100 * pgs["bytes_used"] / total, 2) if total else None,
            "client_read_bytes_per_second": pgs.get("read_bytes_sec", 0),
            "client_write_bytes_per_second": pgs.get("write_bytes_sec", 0),
        }

    def _fresh_states(self) -> dict[int, set[str]]:
        """Each OSD's state words; read again only if the map's epoch has changed."""
        if self._mgr.get_osdmap().get_epoch() != self._epoch:
            self._take_states(self._mgr.get("osd_map"))
        return self._states

    def _take_states(self, osd_map: Mapping[str, Any]) -> None:
        self._epoch = osd_map["epoch"]
        self._states = {entry["osd"]: set(entry["state"]) for entry in osd_map["osds"]}

    def _read(self) -> Sequence[Osd]:
        osd_map = self._mgr.get("osd_map")
        self._take_states(osd_map)
        metadata = self._mgr.get("osd_metadata") or {}
        self._releases = [entry.get(_RELEASE, "unknown") for entry in metadata.values()]
        self._logs = {int(osd): _log(entry) for osd, entry in metadata.items()}
        places = crush_places(self._mgr.get("osd_map_tree")["nodes"])
        osds = [
            _osd(entry, metadata.get(str(entry["osd"])) or {}, places.get(entry["osd"]))
            for entry in osd_map["osds"]
        ]
        return sorted(osds, key=lambda osd: osd.id)


def _log(metadata: Mapping[str, str]) -> Wal:
    """Where an OSD's write-ahead log is."""
    spinning = _rotational(metadata, "bluestore_bdev")
    dedicated = next(
        (part for part in ("wal", "db") if metadata.get(f"bluefs_dedicated_{part}") == "1"), ""
    )
    log = _rotational(metadata, f"bluefs_{dedicated}") if dedicated else spinning
    return Wal(spinning, None if log is None else not log, 0, dedicated)


def _rotational(metadata: Mapping[str, str], device: str) -> Optional[bool]:
    text = metadata.get(f"{device}_rotational")
    return None if text is None else text == "1"


Place = tuple[Optional[str], dict[str, str]]


def crush_places(nodes: Sequence[Mapping[str, Any]]) -> dict[int, Place]:
    """By OSD its device class and its CRUSH buckets by type, from ``osd_map_tree``'s nodes.

    For an OSD below several roots the first one counts.
    """
    parents = {child: node for node in reversed(nodes) for child in node.get("children", [])}
    places: dict[int, Place] = {}
    for node in nodes:
        if node["id"] < 0 or node["id"] in places:
            continue
        location: dict[str, str] = {}
        above = parents.get(node["id"])
        while above is not None:
            location.setdefault(above["type"], above["name"])
            above = parents.get(above["id"])
        places[node["id"]] = (node.get("device_class") or None, location)
    return places


def _osd(entry: Mapping[str, Any], metadata: Mapping[str, str], place: Optional[Place]) -> Osd:
    device_class, location = place or (None, {})
    rotational = metadata.get("rotational")
    return Osd(
        id=entry["osd"],
        host=metadata.get("hostname") or location.get("host") or "unknown",
        device_class=device_class,
        up=bool(entry["up"]),
        in_cluster=bool(entry["in"]),
        devices=metadata.get("devices") or None,
        data_device=metadata.get("bluestore_bdev_devices") or None,
        model=model_of(metadata),
        rotational=None if rotational is None else rotational == "1",
        location=location,
        expander=expander_of(metadata),
        device_id=device_id_of(metadata),
        primary_affinity=entry.get("primary_affinity"),
        reweight=entry.get("weight"),
    )


def expander_of(metadata: Mapping[str, str]) -> Optional[str]:
    """The address of the SAS expander in ``device_paths`` ("sda=/dev/disk/by-path/…,…").

    The data device's counts, if the metadata names that device. A disk with two paths has two
    names; the lowest address is the same for all disks of an enclosure.
    """
    data = metadata.get("bluestore_bdev_devices", "").split(",")
    paths = _EXPANDER.findall(metadata.get("device_paths", ""))
    of_data = [address for device, address in paths if device in data]
    return min(of_data or [address for _, address in paths], default=None)


def model_of(metadata: Mapping[str, str]) -> Optional[str]:
    """The model of the data device: its ID without the last part, the serial number."""
    device_id = device_id_of(metadata)
    return device_id.rpartition("_")[0] or None if device_id else None


def device_id_of(metadata: Mapping[str, str]) -> Optional[str]:
    """Ceph's ID of the data device, from ``device_ids`` ("sda=VENDOR_MODEL_SERIAL,…").

    None for OSDs on files and if udev does not know the device. With a separate DB device the one
    that ``bluestore_bdev_devices`` names counts.
    """
    ids = dict(
        part.split("=", 1) for part in metadata.get("device_ids", "").split(",") if "=" in part
    )
    data = metadata.get("bluestore_bdev_devices", "").split(",")
    device_id = next((ids[name] for name in data if name in ids), None)
    if device_id is None and len(ids) == 1:
        (device_id,) = ids.values()
    return device_id or None


def release_of(mgr: MgrModule) -> str:
    """The release as "16.2.15 pacific", from "ceph version 16.2.15 (…) pacific (stable)"."""
    words = mgr.version.split()
    number = words[2] if len(words) > 2 else mgr.version
    return f"{number} {mgr.release_name}"


def fsid_of(mgr: MgrModule) -> str:
    """The cluster's ID."""
    return str(mgr.get("mon_map")["fsid"])


def mon_hosts(mgr: MgrModule) -> str:
    """The monitors' addresses in the form of the option ``mon_host``, from the mgr's map."""
    hosts = []
    for mon in mgr.get("mon_map")["mons"]:
        addresses = [f"{a['type']}:{a['addr']}" for a in mon["public_addrs"]["addrvec"]]
        hosts.append(f"[{','.join(addresses)}]")
    return ",".join(hosts)


def _counts(values: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items()))
