"""Enclosures and paths as a mgr keeps them: put together when facts or OSDs change, looked at."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .detect.paths import multipaths_of, path_claims
from .detect.shelf_claims import Floor, Reason, shelf_claims, suspects
from .detect.shelves import enclosures_of
from .hosts import Hosts, Known
from .model.enclosure import Enclosure, Multipath
from .model.finding import Claim
from .model.osd import Osd
from .ports import Clock, Cluster, Falls

# Where OSDs stand changes seldom, and the maps cost 0.4 s at 10,000 of them.
_MAPS_AGE = 600.0
_EVERY = 5.0


@dataclass(frozen=True)
class View:
    """Everything at one moment."""

    floor: Floor
    multipaths: Sequence[Multipath]


class Shelves:
    """Ticks on one thread; may be asked from any."""

    def __init__(self, hosts: Hosts, cluster: Cluster, falls: Falls, clock: Clock) -> None:
        self._hosts = hosts
        self._cluster = cluster
        self._falls = falls
        self._clock = clock
        self._lock = threading.Lock()
        self._due = 0.0
        # What the enclosures were put together from.
        self._from: tuple[object, object] = (None, None)
        self._made_at = -math.inf
        self._enclosures: Sequence[Enclosure] = ()
        self._multipaths: Sequence[Multipath] = ()
        self._claims: Sequence[Claim] = ()

    def tick(self) -> None:
        """To be called every few seconds; says nothing until the facts are read."""
        if self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + _EVERY
        known = self._hosts.at_hand()
        if known is None:
            return
        view = self._view(known, self._cluster.osds(_MAPS_AGE))
        floor = view.floor
        self._claims = [
            *shelf_claims(floor),
            *path_claims(view.multipaths, floor.enclosures, floor.facts, floor.now),
        ]

    def claims(self) -> Sequence[Claim]:
        """What is wrong with enclosures and paths, as of the newest tick."""
        return self._claims

    def view(self, max_age: float) -> View:
        """All as it is now. Raises StoreUnavailable while the facts are not read."""
        return self._view(self._hosts.known(), self._cluster.osds(max_age))

    def reasons(self, view: View, shelf: Enclosure) -> Sequence[Reason]:
        """What speaks against an enclosure."""
        return suspects(view.floor, shelf)

    def _view(self, known: Mapping[str, Known], osds: Sequence[Osd]) -> View:
        now = self._clock.now()
        facts = {host: one.facts for host, one in known.items()}
        memories = {host: one.memory for host, one in known.items()}
        with self._lock:
            # Both stay the same objects while nothing has changed; only flapping goes by the time.
            stale = now - self._made_at > _MAPS_AGE
            if stale or self._from[0] is not known or self._from[1] is not osds:
                self._enclosures = enclosures_of(facts, memories, osds)
                self._multipaths = multipaths_of(facts, memories, osds, now)
                self._from, self._made_at = (known, osds), now
            enclosures, multipaths = self._enclosures, self._multipaths
        by_id = {osd.id: osd for osd in osds}
        floor = Floor(now, enclosures, by_id, facts, memories, self._falls.fell())
        return View(floor, multipaths)
