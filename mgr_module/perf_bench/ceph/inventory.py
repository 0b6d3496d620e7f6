"""The OSDs that there are, as of one epoch of the OSD map, for everything that asks.

They are read from the CRUSH tree, which takes a tenth of the time of the whole OSD map and of the
memory. What only the map has, such as flags, is in ``osd_map.py``.
"""

from __future__ import annotations

import ctypes
import marshal
import math
import re
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any, NamedTuple, Optional

from mgr_module import MgrModule

from ..core.clock import Clock
from ..model.cluster import Every
from ..model.doctor_snapshot import Build
from ..model.osd import Member, Osd, Wal
from .osd_map import OsdMapReader

# Maps of fewer OSDs leave little behind.
_LARGE = 1000
# Seconds between two times that memory is given back, which takes up to 0.2 s of a core.
_GIVE_BACK_EVERY = 60.0
# The type and the name of a CRUSH bucket.
Bucket = tuple[str, str]


class Place(NamedTuple):
    """Of an OSD its device class, its CRUSH buckets by type, and other buckets above it."""

    device_class: Optional[str]
    location: dict[str, str]
    also_in: frozenset[Bucket] = frozenset()


@dataclass(frozen=True)
class Inventory:
    """The OSDs at one moment; ``osds`` and ``members`` are by ID.

    An OSD that is as before is the same object, and so is a sequence of such OSDs.
    """

    epoch: int
    osds: Sequence[Osd] = ()
    members: Sequence[Member] = ()
    facts: Mapping[int, OsdFacts] = field(default_factory=dict)
    up: frozenset[int] = frozenset()


class _Node(NamedTuple):
    """What is used of an OSD's node of the CRUSH tree; a dict would take four times the memory."""

    up: bool
    reweight: float
    primary_affinity: Optional[float]


class InventoryReader:
    """Implements Members; may be called from any thread.

    ``look`` takes 1 ms while the epoch of the map stays; at 10,000 OSDs 0.05 s for a new one, and
    0.15 s where OSDs have changed.
    """

    def __init__(self, mgr: MgrModule, clock: Clock, maps: OsdMapReader) -> None:
        self._mgr = mgr
        self._clock = clock
        self._facts = OsdFactsReader(mgr, clock)
        self._maps = maps
        self._lock = threading.Lock()
        self._read_at: Optional[float] = None
        self._read = Inventory(-1)
        self._tree_mark = 0
        # By ID; ``_ids`` and ``_up`` are of the same tree.
        self._nodes: Mapping[int, tuple[_Node, Place]] = {}
        self._ids: Sequence[int] = ()
        self._up: frozenset[int] = frozenset()
        # The nodes that ``_read`` was made of.
        self._made_of: object = None
        self._map_seen = maps.last
        self._giving_back = Every(_GIVE_BACK_EVERY)

    def look(self, max_age: float = 0.0) -> Inventory:
        """The OSDs, at most ``max_age`` seconds old."""
        with self._lock:
            now, before, map_before = self._clock.monotonic(), self._read, self._map_seen
            if self._read_at is None or now - self._read_at >= max_age:
                self._read = self._newest()
                self._read_at = now
            read, map_seen = self._read, self._map_seen
        is_new = read.osds is not before.osds or map_seen is not map_before
        if is_new and len(read.osds) >= _LARGE and self._giving_back.is_due(now):
            give_back()
        return read

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        return self.look(max_age).members

    def _newest(self) -> Inventory:
        read, epoch = self._read, self._maps.epoch()
        if epoch != read.epoch:
            self._take_tree()
        # They may be of another release now, or on another drive.
        started = {*self._bounced(), *(self._up - read.up)}
        facts = self._facts.read(self._ids, self._up, started)
        if self._made_of is self._nodes and facts is read.facts:
            return read if epoch == read.epoch else replace(read, epoch=epoch)
        before = {member.osd.id: member for member in read.members}
        members = [
            _member(osd, node, place, facts[osd], before.get(osd))
            for osd, (node, place) in self._nodes.items()
        ]
        self._made_of = self._nodes
        return Inventory(epoch, [member.osd for member in members], members, facts, self._up)

    def _take_tree(self) -> None:
        """Read the tree."""
        nodes = crush_nodes(self._mgr)
        # Version 2 of marshal has no references, so equal trees have equal bytes.
        mark = hash(marshal.dumps(nodes, 2))
        if mark == self._tree_mark:
            return
        places = crush_places(nodes)
        found = {node["id"]: _used_of(node) for node in nodes if node["id"] >= 0}
        self._ids = sorted(found)
        self._nodes = {osd: (found[osd], places[osd]) for osd in self._ids}
        self._up = frozenset(osd for osd, node in found.items() if node.up)
        self._tree_mark = mark

    def _bounced(self) -> Iterator[int]:
        """OSDs that went down and came up between two trees, if somebody has read the map."""
        before, self._map_seen = self._map_seen, self._maps.last
        if before is None or self._map_seen is None or self._map_seen is before:
            return
        for osd, entry in self._map_seen.osds.items():
            known = before.osds.get(osd, entry)
            if known is not entry and known.up_from != entry.up_from:
                yield osd


def give_back() -> None:
    """Give free memory back to the system.

    glibc keeps in a heap for each thread what that has freed: of a map of 10,000 OSDs up to 60 MiB.
    Other allocators, which some builds of Ceph use, share what is free.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _used_of(node: Mapping[str, Any]) -> _Node:
    return _Node(
        up=node.get("status") == "up",
        reweight=float(node.get("reweight", 0.0)),
        primary_affinity=node.get("primary_affinity"),
    )


def _member(
    number: int, node: _Node, place: Place, facts: OsdFacts, before: Optional[Member]
) -> Member:
    """The OSD, with the objects of ``before`` where they are equal."""
    osd = Osd(
        id=number,
        host=facts.host or place.location.get("host") or "unknown",
        device_class=place.device_class,
        up=node.up,
        in_cluster=node.reweight > 0,
        devices=facts.devices,
        data_device=facts.data_device,
        in_file=facts.in_file,
        model=facts.model,
        rotational=facts.rotational,
        location=place.location,
        also_in=place.also_in,
        expander=facts.expander,
        device_id=facts.device_id,
        primary_affinity=node.primary_affinity,
        reweight=node.reweight,
        created_at=facts.created_at,
    )
    if before is not None and before.osd == osd:
        osd = before.osd
    member = Member(
        osd=osd,
        release=facts.release,
        created_at=facts.created_at,
        separate=facts.separate,
        cpu=facts.cpu,
    )
    return before if before == member else member


def crush_nodes(mgr: MgrModule) -> list[dict[str, Any]]:
    """The buckets and OSDs of the tree, then the OSDs that are in no bucket.

    Left out are OSDs that the OSD map does not have: ``ceph osd rm`` leaves them in the tree, where
    ``ceph osd tree`` shows them as DNE.
    """
    tree = mgr.get("osd_map_tree")
    nodes = (*tree["nodes"], *tree.get("stray", ()))
    return [node for node in nodes if node["id"] < 0 or node.get("exists", 1)]


def crush_places(nodes: Sequence[Mapping[str, Any]]) -> dict[int, Place]:
    """The place of each OSD of ``crush_nodes``.

    Of several parents the one with the ID next to 0 counts for ``location``, as for the masks of
    Ceph's configuration (CrushWrapper::get_immediate_parent).
    """
    # By child its parents by ID: a bucket below two roots is listed twice. "default~hdd" is the
    # shadow tree of a device class.
    parents: dict[int, dict[int, Mapping[str, Any]]] = {}
    for node in nodes:
        for child in () if "~" in node["name"] else node.get("children", ()):
            parents.setdefault(child, {})[node["id"]] = node
    above: dict[int, frozenset[Bucket]] = {}

    def buckets(item: int) -> frozenset[Bucket]:
        if item not in above:
            over = parents.get(item, {}).values()
            above[item] = frozenset((one["type"], one["name"]) for one in over).union(
                *(buckets(one["id"]) for one in over)
            )
        return above[item]

    def location(item: int) -> dict[str, str]:
        found: dict[str, str] = {}
        over = parents.get(item)
        while over:
            first = over[max(over)]
            found.setdefault(first["type"], first["name"])
            over = parents.get(first["id"])
        return found

    # The OSDs of a host share what is known of it.
    by_parents: dict[tuple[int, ...], tuple[dict[str, str], frozenset[Bucket]]] = {}
    places: dict[int, Place] = {}
    for node in nodes:
        osd = node["id"]
        if osd < 0 or osd in places:
            continue
        key = tuple(parents.get(osd, ()))
        if key not in by_parents:
            place = location(osd)
            by_parents[key] = place, buckets(osd).difference(place.items())
        places[osd] = Place(node.get("device_class") or None, *by_parents[key])
    return places


# --- what OSDs tell of themselves --------------------------------------------------------------


# SAS paths as udev names them: sda=…/pci-0000:3c:00.0-sas-exp0x500056b35e77bcff-phy0-lun-0
_EXPANDER = re.compile(r"([^,=]+)=[^,]*-sas-exp(0x[0-9a-f]{16})-phy\d+-lun-\d+")
_RELEASE = "ceph_version_short"
# The version, the distribution and the container's image.
_BUILD = ("ceph_version", "distro_description", "container_image")
_AGE = 3600.0
# Seconds over which the hourly reads are spread.
_SPREAD = 1800
# After an OSD's start the mgr has its old metadata until the monitors have answered.
_SETTLED = 60.0
# The metadata of an OSD that is up and has none yet; each time after twice as long. Of one that is
# down they are not asked again before its start, as the mgr logs an error for each question that it
# cannot answer.
_MISSING = 15.0
# An OSD writes when it was made by its host's clock. With one that was this far ahead, what the OSD
# did since then would count as another's.
_CLOCKS_DIFFER = 3600.0


class OsdFacts(NamedTuple):
    """Of one OSD; most fields are those of ``Osd`` and ``Member``.

    ``log`` is where its write-ahead log is, without the sizes that options set. ``in_file`` says
    that its data are in a file, whose disk it does not have for itself. ``host_memory``,
    ``min_alloc`` and ``optimal_io`` are bytes.
    """

    host: Optional[str]
    devices: Optional[str]
    data_device: Optional[str]
    model: Optional[str]
    rotational: Optional[bool]
    expander: Optional[str]
    device_id: Optional[str]
    log: Wal
    release: Optional[str]
    in_file: bool
    separate: str
    created_at: Optional[float]
    cpu: Optional[str]
    build: Optional[Build]
    host_memory: Optional[int]
    db_rotational: Optional[bool]
    min_alloc: Optional[int]
    optimal_io: Optional[int]


class _Known(NamedTuple):
    """Facts, the time to read them again, and the wait before it."""

    facts: OsdFacts
    due: float
    wait: float


class OsdFactsReader:
    """Reads OSDs' metadata; one thread at a time."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._known: dict[int, _Known] = {}
        self._facts: Mapping[int, OsdFacts] = {}
        self._osds: Sequence[int] = ()
        self._due = -math.inf

    def read(
        self, osds: Sequence[int], up: Collection[int], started: Iterable[int] = ()
    ) -> Mapping[int, OsdFacts]:
        """Return by OSD its facts; the same objects, and mapping, where nothing has changed.

        ``up`` are those of ``osds`` that are up, ``started`` those that have started since the
        last call.
        """
        now, known = self._clock.monotonic(), self._known
        for osd in started:
            if osd in known:
                known[osd] = known[osd]._replace(due=-math.inf)
                self._due = -math.inf
        same = osds is self._osds or known.keys() == set(osds)
        if same and now < self._due:
            return self._facts
        changed = not same
        for osd in known.keys() - set(osds):
            del known[osd]
        due = [osd for osd, one in known.items() if one.due <= now]
        for osd in (*due, *(osd for osd in osds if osd not in known)):
            before = known.get(osd)
            known[osd] = self._fresh(osd, before, osd in up, now)
            changed |= before is None or known[osd].facts is not before.facts
        self._due = min((one.due for one in known.values()), default=math.inf)
        if changed:
            self._facts = {osd: known[osd].facts for osd in osds}
        self._osds = osds
        return self._facts

    def _fresh(self, osd: int, known: Optional[_Known], up: bool, now: float) -> _Known:
        metadata = self._mgr.get_metadata("osd", str(osd)) or {}
        facts = self._parsed(metadata) if metadata else NO_FACTS
        if known is not None and known.facts == facts:
            facts = known.facts
        has_started = known is not None and known.due == -math.inf
        if up and not metadata:
            wait = min(_AGE, 2 * known.wait) if known and not has_started else _MISSING
        elif has_started:
            wait = _SETTLED
        else:
            wait = _AGE - osd % _SPREAD
        return _Known(facts, now + wait, wait)

    def _parsed(self, metadata: Mapping[str, str]) -> OsdFacts:
        facts = _parsed(metadata)
        made = facts.created_at
        ahead = made is not None and made > self._clock.now() + _CLOCKS_DIFFER
        return facts._replace(created_at=None) if ahead else facts


def _parsed(metadata: Mapping[str, str]) -> OsdFacts:
    rotational, memory = metadata.get("rotational"), metadata.get("mem_total_kb", "")
    return OsdFacts(
        host=_word(metadata.get("hostname")),
        devices=_word(metadata.get("devices")),
        data_device=_word(",".join(_data_devices(metadata))),
        model=_word(model_of(metadata)),
        rotational=None if rotational is None else rotational == "1",
        expander=expander_of(metadata),
        device_id=device_id_of(metadata),
        log=_log(metadata),
        release=_word(metadata.get(_RELEASE)),
        in_file=metadata.get("bluestore_bdev_access_mode") == "file",
        separate="+".join(p for p in ("db", "wal") if metadata.get(f"bluefs_dedicated_{p}") == "1"),
        created_at=_unix(metadata.get("created_at", "")),
        cpu=_word(metadata.get("cpu")),
        build=_build(*(metadata.get(key, "") for key in _BUILD)),
        host_memory=int(memory) * 1024 if memory.isdigit() else None,
        db_rotational=_rotational(metadata, "bluefs_db"),
        min_alloc=_bytes(metadata.get("bluestore_min_alloc_size", "")),
        optimal_io=_bytes(metadata.get("bluestore_bdev_optimal_io_size", "")),
    )


def _bytes(text: str) -> Optional[int]:
    return int(text) if text.isdigit() and int(text) else None


@lru_cache(maxsize=64)
def _build(version: str, system: str, image: str) -> Optional[Build]:
    """Kept once, as there are few."""
    return Build(version, system, image) if version else None


def _word(text: Optional[str]) -> Optional[str]:
    """Many OSDs have the same words, which are kept once."""
    return sys.intern(text) if text else None


def _unix(text: str) -> Optional[float]:
    """Unix seconds from "2026-11-21T02:44:30.935418Z"."""
    try:
        moment = datetime.fromisoformat(text.rstrip("Z"))
    except ValueError:
        return None
    return moment.replace(tzinfo=timezone.utc).timestamp()


def _log(metadata: Mapping[str, str]) -> Wal:
    """Where an OSD's write-ahead log is."""
    spinning = _rotational(metadata, "bluestore_bdev")
    dedicated = next(
        (part for part in ("wal", "db") if metadata.get(f"bluefs_dedicated_{part}") == "1"), ""
    )
    log = _rotational(metadata, f"bluefs_{dedicated}") if dedicated else spinning
    return _wal(spinning, None if log is None else not log, dedicated)


@lru_cache(maxsize=64)
def _wal(spinning: Optional[bool], on_flash: Optional[bool], dedicated: str) -> Wal:
    """Kept once, as there are few."""
    return Wal(spinning, on_flash, 0, dedicated)


def _rotational(metadata: Mapping[str, str], device: str) -> Optional[bool]:
    text = metadata.get(f"{device}_rotational")
    return None if text is None else text == "1"


def _data_devices(metadata: Mapping[str, str]) -> list[str]:
    """The names of the disks with an OSD's data: several paths to one, or one and its cache.

    Ceph lists all disks below a mapping (src/common/blkdev.cc, get_raw_devices), so also the cache
    of an LV. An NVMe drive is none that rotates.
    """
    names = [name for name in metadata.get("bluestore_bdev_devices", "").split(",") if name]
    disks = [name for name in names if not name.startswith("nvme")]
    return disks if disks and _rotational(metadata, "bluestore_bdev") else names


def _ids(metadata: Mapping[str, str]) -> list[str]:
    """The different IDs of the data devices, from ``device_ids`` ("sda=VENDOR_MODEL_SERIAL,…")."""
    pairs = (part.partition("=") for part in metadata.get("device_ids", "").split(","))
    ids = {name: device_id for name, _, device_id in pairs if device_id}
    data = {ids[name] for name in _data_devices(metadata) if name in ids}
    return sorted(data or (ids.values() if len(ids) == 1 else ()))


def expander_of(metadata: Mapping[str, str]) -> Optional[str]:
    """The address of the SAS expander in ``device_paths`` ("sda=/dev/disk/by-path/…,…").

    The data device's counts, if the metadata names that device. A disk with two paths has two
    names; the lowest address is the same for all disks of an enclosure.
    """
    data = _data_devices(metadata)
    paths = _EXPANDER.findall(metadata.get("device_paths", ""))
    of_data = [address for device, address in paths if device in data]
    return min(of_data or [address for _, address in paths], default=None)


def model_of(metadata: Mapping[str, str]) -> Optional[str]:
    """The model of the data device: its ID without the last part, the serial number.

    "A+B" of an OSD on two devices of which it is not known which is its disk.
    """
    models = {device_id.rpartition("_")[0] for device_id in _ids(metadata)}
    return "+".join(sorted(models - {""})) or None


def device_id_of(metadata: Mapping[str, str]) -> Optional[str]:
    """Ceph's ID of the data device.

    None for OSDs on files, if udev does not know the device, and for one on several disks of which
    none is its disk for sure. With a separate DB device the one that ``bluestore_bdev_devices``
    names counts.
    """
    ids = _ids(metadata)
    return ids[0] if len(ids) == 1 else None


NO_FACTS = _parsed({})
