"""The inventory of enclosures and multipath devices, rebuilt when facts or OSDs change."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from ..core.clock import Clock
from ..model.bench import BenchLimits
from ..model.cluster import Cluster, Members
from ..model.coverage import NO_SECTION, Gap, Look, facts_gaps
from ..model.detector import Detector, WatchTick
from ..model.enclosure import PARTS, Enclosure, HostHistory, Multipath
from ..model.facts import STALE_SECONDS, HostFacts
from ..model.finding import Claim, Finding
from ..model.finding_kinds import ENCLOSURE_FAULT, MULTIPATH_DEGRADED
from ..model.osd import Member, Osd
from ..model.pacing import Every
from ..model.said import say
from ..model.wal import Wal
from .host_facts import HostFactsRegistry, StoredFacts
from .rules.drives import Drives, drives_of
from .rules.enclosure_claims import (
    HardwareSnapshot,
    enclosure_claims,
    is_looked_at,
    suspects,
    worst_state,
)
from .rules.enclosures import enclosures_of
from .rules.last_told import is_active, is_lost, tells_all_parts
from .rules.multipath import multipaths_of, path_claims

# Seconds: the OSDs' locations change rarely, and reading the maps takes 0.4 s at 10,000 OSDs.
_MAPS_AGE = 600.0
_EVERY = 5.0
# After a rebuild ticks pause for this multiple of its duration: with 10,000 hosts that report
# hourly, new facts come several times a second.
_PAUSE = 20.0


class DownTimes(Protocol):
    """OSDs that went down."""

    def fell(self) -> Mapping[int, float]:
        """By OSD that is down and once was up, when it went down (unix seconds). Cheap to poll.

        Minus infinity means an unknown time long ago.
        """


@dataclass(frozen=True)
class EnclosureView:
    """The state of the hardware at one moment."""

    snapshot: HardwareSnapshot
    multipaths: Sequence[Multipath]


class EnclosureInventory(Detector):
    """Ticks on the watch's thread; all other methods are thread-safe."""

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
        self._ticks = Every(_EVERY)
        # The facts and OSDs that the enclosures were built from.
        self._from: tuple[object, object] = (None, None)
        # From when to when what was made holds (unix seconds).
        self._holds = (math.inf, -math.inf)
        self._busy_until = 0.0
        self._drives: Drives = {}
        self._enclosures: Sequence[Enclosure] = ()
        self._multipaths: Sequence[Multipath] = ()
        self._claims: Sequence[Claim] = ()
        self._by_osd: Mapping[int, str] = {}
        # Whether the claims rest on the facts.
        self._looked = False

    def tick(self, tick: WatchTick) -> None:  # noqa: ARG002 - facts and maps are all it needs
        """There are no claims until the facts are read."""
        if not self._ticks.is_due(self._clock.monotonic()):
            return
        known = self._hosts.cached()
        if known is None:
            return
        pauses = self._clock.monotonic() < self._busy_until
        view = self._view(known, self._cluster.osds(_MAPS_AGE), use_cached=pauses)
        snapshot = view.snapshot
        self._claims = [
            *enclosure_claims(snapshot),
            *path_claims(view.multipaths, snapshot.enclosures, snapshot.facts, snapshot.now),
        ]
        self._looked = True

    def claims(self) -> Sequence[Claim]:
        """The claims about enclosures and paths, as of the newest tick."""
        return self._claims

    def knows(self, finding: Finding) -> bool:
        """Parts are as the newest facts say; other reasons have a past that may be missing."""
        parts = finding.evidence.get("reasons") == [PARTS]
        return self._looked and finding.code == ENCLOSURE_FAULT.code and parts

    def hosts(self) -> set[str]:
        """The hosts with OSDs, by name."""
        return {osd.host for osd in self._cluster.osds(_MAPS_AGE)}

    def looks(self) -> Sequence[Look]:
        stored, now = self._hosts.cached(), self._clock.now()
        facts = None if stored is None else {host: one.facts for host, one in stored.items()}
        memories = {} if stored is None else {host: one.memory for host, one in stored.items()}
        paths = say("section-paths", "the states of its paths")
        hosts = self.hosts()
        gaps = partial(facts_gaps, hosts, facts, now)
        no_enclosures = gaps(
            lambda one: one.enclosures is None, say("section-enclosures", "its enclosures")
        )
        no_parts = gaps(
            lambda one: not tells_all_parts(one, memories.get(one.host, HostHistory())),
            say("section-parts", "the fans, power supplies and sensors of its enclosures"),
            partly=True,
        )
        no_paths = gaps(lambda one: one.multipath is None or _states(one) == {False}, paths)
        no_states = gaps(lambda one: _states(one) == {False, True}, paths, partly=True)
        count = len(hosts)
        return [
            Look(
                "enclosures",
                say("look-enclosures", "enclosures and their parts"),
                "host",
                count,
                (ENCLOSURE_FAULT.code,),
                (*no_enclosures, *_of_section(no_parts)),
            ),
            Look(
                "multipath",
                say("look-paths", "paths to disks"),
                "host",
                count,
                (MULTIPATH_DEGRADED.code,),
                (*no_paths, *_of_section(no_states)),
            ),
        ]

    def by_osd(self) -> Mapping[int, str]:
        """By OSD its enclosure, from facts or its SAS path, as of the newest rebuild.

        The same object while nothing has changed.
        """
        return self._by_osd

    def view(self, max_age: float) -> EnclosureView:
        """The present state; the maps are at most ``max_age`` seconds old.

        Raises StoreUnavailable until the facts are read.
        """
        return self._view(self._hosts.known(), self._cluster.osds(max_age))

    def condition(self, view: EnclosureView, enclosure: Enclosure) -> tuple[str, list[str]]:
        """The state of an enclosure in a word, and the reasons for it, the most severe first."""
        reasons = suspects(view.snapshot, enclosure)
        looked = is_looked_at(view.snapshot, enclosure)
        return worst_state(reasons, looked), [reason.text for reason in reasons]

    def _view(
        self, known: Mapping[str, StoredFacts], osds: Sequence[Osd], use_cached: bool = False
    ) -> EnclosureView:
        now = self._clock.now()
        facts = {host: one.facts for host, one in known.items()}
        memories = {host: one.memory for host, one in known.items()}
        with self._lock:
            # Unchanged facts and OSDs are the same objects. Flapping paths and stale facts also
            # depend on the time, and the mgr's clock may have been ahead.
            begin, end = self._holds
            changed = (
                not begin <= now < end or self._from[0] is not known or self._from[1] is not osds
            )
            if changed and not use_cached:
                began = self._clock.monotonic()
                self._drives = drives_of(facts, osds)
                self._enclosures = enclosures_of(facts, memories, osds, self._drives, now)
                self._multipaths = multipaths_of(facts, memories, self._drives, now)
                self._from = known, osds
                # Facts that become stale leave their host's parts and paths without states.
                ends = (one.collected_at + STALE_SECONDS for one in facts.values())
                self._holds = now, min((now + _MAPS_AGE, *(at for at in ends if at > now)))
                self._by_osd = _enclosure_of(self._enclosures, self._by_osd)
                ended = self._clock.monotonic()
                self._busy_until = ended + _PAUSE * (ended - began)
            enclosures, multipaths, drives = self._enclosures, self._multipaths, self._drives
        by_id = {osd.id: osd for osd in osds}
        # One that was removed from the cluster is not down any more.
        fell = {osd: at for osd, at in self._falls.fell().items() if osd in by_id}
        snapshot = HardwareSnapshot(now, enclosures, by_id, facts, memories, fell, drives)
        return EnclosureView(snapshot, multipaths)


def _of_section(gaps: Sequence[Gap]) -> list[Gap]:
    """The gaps of hosts that tell something else, but not this."""
    return [one for one in gaps if one.code == NO_SECTION]


def _states(facts: HostFacts) -> set[bool]:
    """Of the paths in these facts, whether their states are known: of none, some, or all."""
    return {is_lost(path) or is_active(path) for map_ in facts.maps() for path in map_.paths}


def _enclosure_of(enclosures: Sequence[Enclosure], before: Mapping[int, str]) -> Mapping[int, str]:
    by_osd = {
        osd: enclosure.id
        for enclosure in enclosures
        if enclosure.source != "map"
        for osd in sorted(enclosure.osds)
    }
    return before if by_osd == before else by_osd


def with_enclosures(osd: Osd, by_osd: Mapping[int, str]) -> Osd:
    """The OSD with its enclosure in its location; an enclosure in CRUSH has precedence."""
    enclosure = by_osd.get(osd.id)
    if enclosure is None or "enclosure" in osd.location:
        return osd
    return replace(osd, location={"enclosure": enclosure, **osd.location})


class ClusterWithEnclosures:
    """Wraps a Cluster; adds the enclosures in facts to the OSDs' locations."""

    def __init__(self, cluster: Cluster, inventory: EnclosureInventory) -> None:
        self._cluster = cluster
        self._inventory = inventory
        self._lock = threading.Lock()
        self._from: tuple[object, object] = (None, None)
        self._osds: Sequence[Osd] = ()

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        osds, by_osd = self._cluster.osds(max_age), self._inventory.by_osd()
        if not by_osd:
            return osds
        with self._lock:
            if self._from[0] is not osds or self._from[1] is not by_osd:
                self._osds = [with_enclosures(osd, by_osd) for osd in osds]
                self._from = osds, by_osd
            return self._osds

    def down(self, osds: Sequence[int]) -> set[int]:
        return self._cluster.down(osds)

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        return self._cluster.bench_limits(osds)

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        return self._cluster.wals(osds)

    def bench_copies(self) -> int:
        return self._cluster.bench_copies()

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        return self._cluster.environment(osds)


class MembersWithEnclosures:
    """Wraps a Members in the same way, so that the watch can blame an enclosure."""

    def __init__(self, members: Members, inventory: EnclosureInventory) -> None:
        self._members = members
        self._inventory = inventory
        self._from: tuple[object, object] = (None, None)
        self._placed: Sequence[Member] = ()

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        members, by_osd = self._members.members(max_age), self._inventory.by_osd()
        if not by_osd:
            return members
        if self._from[0] is not members or self._from[1] is not by_osd:
            self._placed = [replace(one, osd=with_enclosures(one.osd, by_osd)) for one in members]
            self._from = members, by_osd
        return self._placed
