"""Read the OSDs for the watch, cheaply enough for every tick at 10,000 OSDs.

The CRUSH tree is read only when the OSD map's epoch changes.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from mgr_module import MgrModule

from ..model.osd import Member, Osd
from ..ports import Clock
from .crush_tree import Place, crush_nodes, crush_places
from .osd_facts import OsdFacts, OsdFactsReader


class _Node(NamedTuple):
    """What is used of an OSD's node of the CRUSH tree; a dict would take four times the memory."""

    up: bool
    in_cluster: bool
    weight: float


class MgrMembers:
    """Implements Members on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, clock: Clock, facts: OsdFactsReader) -> None:
        self._mgr = mgr
        self._clock = clock
        self._facts_reader = facts
        self._looked_at: Optional[float] = None
        self._epoch = -1
        self._tree_mark = 0
        self._nodes: dict[int, tuple[_Node, Place]] = {}
        self._up: dict[int, bool] = {}
        self._started: Sequence[int] = ()
        self._facts: Mapping[int, OsdFacts] = {}
        self._members: Sequence[Member] = ()

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        """All OSDs by ID, at most ``max_age`` seconds old; the same object while unchanged."""
        now = self._clock.monotonic()
        if self._looked_at is None or now - self._looked_at >= max_age:
            self._looked_at = now
            changed = self._take_tree()
            facts = self._facts_reader.read(self._up, self._started)
            self._started = ()
            if changed or facts is not self._facts:
                self._facts = facts
                self._members = [
                    _member(osd, node, place, facts[osd])
                    for osd, (node, place) in sorted(self._nodes.items())
                ]
        return self._members

    def _take_tree(self) -> bool:
        """Read the tree if the epoch is new; returns whether the tree has changed."""
        epoch = self._mgr.get_osdmap().get_epoch()
        if epoch == self._epoch:
            return False
        self._epoch = epoch
        nodes = crush_nodes(self._mgr)
        # Version 2 of marshal has no references, so equal trees have equal bytes.
        mark = hash(marshal.dumps(nodes, 2))
        if mark == self._tree_mark:
            return False
        self._tree_mark = mark
        places = crush_places(nodes)
        before = self._nodes
        self._nodes = {
            node["id"]: (_used_of(node), places[node["id"]]) for node in nodes if node["id"] >= 0
        }
        self._up = {osd: node.up for osd, (node, _) in self._nodes.items()}
        # They may be of another release now.
        self._started = [
            osd for osd, up in self._up.items() if up and osd in before and not before[osd][0].up
        ]
        return True


def _used_of(node: Mapping[str, Any]) -> _Node:
    reweight = float(node.get("reweight", 0.0))
    return _Node(
        up=node.get("status") == "up",
        in_cluster=reweight > 0,
        weight=reweight * float(node.get("crush_weight", 0.0)),
    )


def _member(osd_id: int, node: _Node, place: Place, facts: OsdFacts) -> Member:
    osd = Osd(
        id=osd_id,
        host=facts.host or place.location.get("host") or "unknown",
        device_class=place.device_class,
        up=node.up,
        in_cluster=node.in_cluster,
        # The disk below a file is shared.
        data_device=None if facts.in_file else facts.data_device or facts.devices,
        model=facts.model,
        rotational=facts.rotational,
        location=place.location,
        also_in=place.also_in,
        expander=facts.expander,
    )
    return Member(
        osd=osd,
        weight=node.weight,
        release=facts.release,
        created_at=facts.created_at,
        separate=facts.separate,
        cpu=facts.cpu,
    )
