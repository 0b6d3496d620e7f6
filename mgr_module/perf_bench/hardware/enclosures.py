"""The inventory of enclosures and multipath devices: what facts of hosts and OSDs make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from ..core.clock import Clock
from ..model.cluster import Cluster, Members
from ..model.coverage import NO_SECTION, Gap, Look, facts_gaps
from ..model.detector import Detector, WatchTick
from ..model.facts import STALE_SECONDS, HostFacts
from ..model.finding import Claim, Finding
from ..model.finding_kinds import ENCLOSURE_FAULT, MULTIPATH_DEGRADED
from ..model.hardware import PARTS, Enclosure, HardwareSnapshot, HostHistory, KnownHost
from ..model.osd import Member, Osd
from ..model.pacing import Every, Memo
from .host_facts import HostFactsRegistry
from .rules.enclosure_claims import enclosure_claims, is_looked_at, suspects, worst_state
from .rules.enclosures import enclosures_of
from .rules.identity import drives_of
from .rules.last_told import is_active, is_lost, tells_all_parts
from .rules.multipath import multipaths_of, path_claims

# Seconds: the OSDs' locations change rarely, and reading the maps takes 0.4 s at 10,000 OSDs.
# Whether paths flap depends on the time, too: it is decided anew as often.
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


def hardware_of(
    known: Mapping[str, KnownHost], osds: Sequence[Osd], now: float
) -> HardwareSnapshot:
    """What facts and OSDs make of the hardware, without the OSDs that went down.

    Stale facts leave their host's parts and paths without states.
    """
    drives = drives_of({host: one.facts for host, one in known.items()}, osds)
    enclosures = enclosures_of(known, osds, drives, now)
    return HardwareSnapshot(
        now,
        enclosures,
        {osd.id: osd for osd in osds},
        known,
        drives=drives,
        multipaths=multipaths_of(known, drives, now),
        by_osd={
            osd: enclosure.id
            for enclosure in enclosures
            if enclosure.source != "map"
            for osd in sorted(enclosure.osds)
        },
    )


class EnclosureInventory(Detector):
    """Ticks on the watch's thread; all other methods may be called from any."""

    name = "enclosures"
    while_off = True

    def __init__(
        self, hosts: HostFactsRegistry, cluster: Cluster, falls: DownTimes, clock: Clock
    ) -> None:
        self._hosts = hosts
        self._cluster = cluster
        self._falls = falls
        self._clock = clock
        self._ticks = Every(_EVERY)
        self._made = Memo(self._make)
        # What of the time the hardware depends on: the ten minutes, and how many facts are stale.
        self._moment = (0, 0)
        self._busy_until = 0.0
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
        made = self._made.newest if self._clock.monotonic() < self._busy_until else None
        view = self._now(made or self._hardware(known, self._cluster.osds(_MAPS_AGE)))
        self._claims = [*enclosure_claims(view), *path_claims(view)]
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
        stored, hosts = self._hosts.cached(), self.hosts()
        facts = None if stored is None else {host: one.facts for host, one in stored.items()}
        memories = {} if stored is None else {host: one.memory for host, one in stored.items()}
        gaps = partial(facts_gaps, hosts, facts, self._clock.now())
        no_parts = gaps(
            lambda one: not tells_all_parts(one, memories.get(one.host, HostHistory())),
            "the fans, power supplies and sensors of its enclosures",
            partly=True,
        )
        paths = "the states of its paths"
        no_paths = gaps(lambda one: one.multipath is None or _states(one) == {False}, paths)
        no_states = gaps(lambda one: _states(one) == {False, True}, paths, partly=True)
        return [
            Look(
                "enclosures",
                "enclosures and their parts",
                "host",
                len(hosts),
                (ENCLOSURE_FAULT.code,),
                (
                    *gaps(lambda one: one.enclosures is None, "its enclosures"),
                    *_of_section(no_parts),
                ),
            ),
            Look(
                "multipath",
                "paths to disks",
                "host",
                len(hosts),
                (MULTIPATH_DEGRADED.code,),
                (*no_paths, *_of_section(no_states)),
            ),
        ]

    def by_osd(self) -> Mapping[int, str]:
        """By OSD its enclosure, from facts or its SAS path, as of the newest rebuild.

        The same object while nothing has changed.
        """
        return self._by_osd

    def view(self, max_age: float) -> HardwareSnapshot:
        """The present state; the maps are at most ``max_age`` seconds old.

        Raises StoreUnavailable until the facts are read.
        """
        return self._now(self._hardware(self._hosts.known(), self._cluster.osds(max_age)))

    def _hardware(self, known: Mapping[str, KnownHost], osds: Sequence[Osd]) -> HardwareSnapshot:
        """Unchanged facts and OSDs are the same objects."""
        now = self._clock.now()
        stale = sum(now - one.facts.collected_at >= STALE_SECONDS for one in known.values())
        moment = int(now // _MAPS_AGE), stale
        if moment != self._moment:
            self._moment = moment
        made = self._made(known, osds, self._moment)
        if made.by_osd is not self._by_osd and made.by_osd != self._by_osd:
            self._by_osd = made.by_osd
        return made

    def _make(
        self, known: Mapping[str, KnownHost], osds: Sequence[Osd], _moment: tuple[int, int]
    ) -> HardwareSnapshot:
        began = self._clock.monotonic()
        made = hardware_of(known, osds, self._clock.now())
        ended = self._clock.monotonic()
        self._busy_until = ended + _PAUSE * (ended - began)
        return made

    def _now(self, made: HardwareSnapshot) -> HardwareSnapshot:
        # One that was removed from the cluster is not down any more.
        fell = {osd: at for osd, at in self._falls.fell().items() if osd in made.osds}
        return replace(made, now=self._clock.now(), fell=fell)


def condition(snapshot: HardwareSnapshot, enclosure: Enclosure) -> tuple[str, list[str]]:
    """The state of an enclosure in a word, and the reasons for it, the most severe first."""
    reasons = suspects(snapshot, enclosure)
    looked = is_looked_at(snapshot, enclosure)
    return worst_state(reasons, looked), [reason.text for reason in reasons]


def _of_section(gaps: Sequence[Gap]) -> list[Gap]:
    """The gaps of hosts that tell something else, but not this."""
    return [one for one in gaps if one.code == NO_SECTION]


def _states(facts: HostFacts) -> set[bool]:
    """Of the paths in these facts, whether their states are known: of none, some, or all."""
    return {is_lost(path) or is_active(path) for map_ in facts.maps() for path in map_.paths}


def with_enclosure(osd: Osd, by_osd: Mapping[int, str]) -> Osd:
    """The OSD with its enclosure in its location; an enclosure in CRUSH has precedence."""
    enclosure = by_osd.get(osd.id)
    if enclosure is None or "enclosure" in osd.location:
        return osd
    return replace(osd, location={"enclosure": enclosure, **osd.location})


class ClusterWithEnclosures:
    """A Cluster with the enclosures of facts in the OSDs' locations; the rest is the cluster's."""

    def __init__(self, cluster: Cluster, inventory: EnclosureInventory) -> None:
        self._cluster = cluster
        self._inventory = inventory
        self._placed = Memo(_osds_placed)
        self.down = cluster.down
        self.bench_limits = cluster.bench_limits
        self.wals = cluster.wals
        self.bench_copies = cluster.bench_copies
        self.environment = cluster.environment

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        return self._placed(self._cluster.osds(max_age), self._inventory.by_osd())


class MembersWithEnclosures:
    """Members with them, so that the watch can blame an enclosure."""

    def __init__(self, members: Members, inventory: EnclosureInventory) -> None:
        self._members = members
        self._inventory = inventory
        self._placed = Memo(_members_placed)

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        return self._placed(self._members.members(max_age), self._inventory.by_osd())


def _osds_placed(osds: Sequence[Osd], by_osd: Mapping[int, str]) -> Sequence[Osd]:
    return [with_enclosure(osd, by_osd) for osd in osds] if by_osd else osds


def _members_placed(members: Sequence[Member], by_osd: Mapping[int, str]) -> Sequence[Member]:
    if not by_osd:
        return members
    return [replace(one, osd=with_enclosure(one.osd, by_osd)) for one in members]
