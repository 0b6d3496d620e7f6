"""Enclosures and paths as a mgr keeps them: put together when facts or OSDs change, looked at."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..model.bench import BenchLimits
from ..model.enclosure import Enclosure, Multipath
from ..model.finding import Claim
from ..model.osd import Member, Osd
from ..model.wal import Wal
from ..ports import Clock, Cluster, DownTimes, Members
from ..ports.detector import Detector, WatchTick
from .host_facts import HostFactsRegistry, StoredFacts
from .rules.drives import Drives, drives_of
from .rules.enclosure_claims import FaultReason, HardwareSnapshot, enclosure_claims, suspects
from .rules.enclosures import enclosures_of
from .rules.multipath import multipaths_of, path_claims

# Where OSDs stand changes seldom, and the maps cost 0.4 s at 10,000 of them.
_MAPS_AGE = 600.0
_EVERY = 5.0
# Putting all together is done again by itself after so many times what it took: of 10,000 hosts
# that tell hourly, some do every second.
_REST = 20.0


@dataclass(frozen=True)
class EnclosureView:
    """Everything at one moment."""

    floor: HardwareSnapshot
    multipaths: Sequence[Multipath]


class EnclosureInventory(Detector):
    """Ticks on the watch's thread; may be asked from any."""

    name = "enclosures"
    while_off = True

    def __init__(
        self, hosts: HostFactsRegistry, cluster: Cluster, falls: DownTimes, clock: Clock
    ) -> None:
        self._hosts = hosts
        self._cluster = cluster
        self._falls = falls
        self._clock = clock
        self._lock = threading.Lock()
        self._due = 0.0
        # What the enclosures were put together from.
        self._from: tuple[object, object] = (None, None)
        self._made_at = -math.inf
        self._rested_at = 0.0
        self._drives: Drives = {}
        self._enclosures: Sequence[Enclosure] = ()
        self._multipaths: Sequence[Multipath] = ()
        self._claims: Sequence[Claim] = ()
        self._homes: Mapping[int, str] = {}

    def tick(self, tick: WatchTick) -> None:  # noqa: ARG002 - facts and maps are all it needs
        """Says nothing until the facts are read."""
        if self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + _EVERY
        known = self._hosts.cached()
        if known is None:
            return
        rests = self._clock.monotonic() < self._rested_at
        view = self._view(known, self._cluster.osds(_MAPS_AGE), rests)
        floor = view.floor
        self._claims = [
            *enclosure_claims(floor),
            *path_claims(view.multipaths, floor.enclosures, floor.facts, floor.now),
        ]

    def claims(self) -> Sequence[Claim]:
        """What is wrong with enclosures and paths, as of the newest tick."""
        return self._claims

    def homes(self) -> Mapping[int, str]:
        """By OSD the enclosure that facts or its path place it in, as of the newest look.

        The same object while nothing has changed.
        """
        return self._homes

    def view(self, max_age: float) -> EnclosureView:
        """All as it is now. Raises StoreUnavailable while the facts are not read."""
        return self._view(self._hosts.known(), self._cluster.osds(max_age))

    def reasons(self, view: EnclosureView, shelf: Enclosure) -> Sequence[FaultReason]:
        """What speaks against an enclosure."""
        return suspects(view.floor, shelf)

    def _view(
        self, known: Mapping[str, StoredFacts], osds: Sequence[Osd], as_it_was: bool = False
    ) -> EnclosureView:
        now = self._clock.now()
        facts = {host: one.facts for host, one in known.items()}
        memories = {host: one.memory for host, one in known.items()}
        with self._lock:
            # Both stay the same objects while nothing has changed; only flapping goes by the time.
            stale = now - self._made_at > _MAPS_AGE
            changed = stale or self._from[0] is not known or self._from[1] is not osds
            if changed and not as_it_was:
                began = self._clock.monotonic()
                self._drives = drives_of(facts, osds)
                self._enclosures = enclosures_of(facts, memories, osds, self._drives)
                self._multipaths = multipaths_of(facts, memories, self._drives, now)
                self._from, self._made_at = (known, osds), now
                self._homes = _enclosure_of(self._enclosures, self._homes)
                ended = self._clock.monotonic()
                self._rested_at = ended + _REST * (ended - began)
            enclosures, multipaths, drives = self._enclosures, self._multipaths, self._drives
        by_id = {osd.id: osd for osd in osds}
        floor = HardwareSnapshot(
            now, enclosures, by_id, facts, memories, self._falls.fell(), drives
        )
        return EnclosureView(floor, multipaths)


def _enclosure_of(enclosures: Sequence[Enclosure], before: Mapping[int, str]) -> Mapping[int, str]:
    told = [shelf for shelf in enclosures if shelf.source != "map"]
    found = {osd: shelf.id for shelf in told for osd in sorted(shelf.osds)}
    return before if found == before else found


def with_enclosures(osd: Osd, homes: Mapping[int, str]) -> Osd:
    """The OSD with its enclosure among its places; one that CRUSH names goes before."""
    home = homes.get(osd.id)
    if home is None or "enclosure" in osd.location:
        return osd
    return replace(osd, location={"enclosure": home, **osd.location})


class ClusterWithEnclosures:
    """The Cluster port over another one, whose OSDs know the enclosures that facts tell of."""

    def __init__(self, cluster: Cluster, shelves: EnclosureInventory) -> None:
        self._cluster = cluster
        self._shelves = shelves
        self._lock = threading.Lock()
        self._from: tuple[object, object] = (None, None)
        self._osds: Sequence[Osd] = ()

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        found, homes = self._cluster.osds(max_age), self._shelves.homes()
        if not homes:
            return found
        with self._lock:
            if self._from[0] is not found or self._from[1] is not homes:
                self._osds = [with_enclosures(osd, homes) for osd in found]
                self._from = found, homes
            return self._osds

    def down(self, osds: Sequence[int]) -> set[int]:
        return self._cluster.down(osds)

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        return self._cluster.bench_limits(osds)

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        return self._cluster.wals(osds)

    def bench_copies(self) -> int:
        return self._cluster.bench_copies()

    def over_nearfull(self, osds: Sequence[int]) -> Sequence[int]:
        return self._cluster.over_nearfull(osds)

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        return self._cluster.environment(osds)


class MembersWithEnclosures:
    """The same over the OSDs as the watch knows them: what is slow as one is an enclosure then."""

    def __init__(self, members: Members, shelves: EnclosureInventory) -> None:
        self._members = members
        self._shelves = shelves
        self._from: tuple[object, object] = (None, None)
        self._housed: Sequence[Member] = ()

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        found, homes = self._members.members(max_age), self._shelves.homes()
        if not homes:
            return found
        if self._from[0] is not found or self._from[1] is not homes:
            self._housed = [replace(one, osd=with_enclosures(one.osd, homes)) for one in found]
            self._from = found, homes
        return self._housed
