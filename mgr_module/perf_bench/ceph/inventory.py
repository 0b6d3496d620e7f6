"""The OSDs that there are, as of one epoch of the OSD map, for everything that asks.

They are read from the CRUSH tree, which takes a tenth of the time of the whole OSD map and of the
memory. What only the map has, such as flags, is in ``osd_map.py``.
"""

from __future__ import annotations

import ctypes
import marshal
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Optional

from mgr_module import MgrModule

from ..core.clock import Clock
from ..model.osd import Member, Osd
from ..model.pacing import Every
from .osd_facts import OsdFacts, OsdFactsReader
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
    crush_weight: float
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
        crush_weight=float(node.get("crush_weight", 0.0)),
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
        weight=node.reweight * node.crush_weight,
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
