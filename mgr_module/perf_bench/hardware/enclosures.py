"""What facts of hosts and OSDs make of enclosures and paths, and of where drives are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Optional

from ..core.clock import Clock
from ..errors import StoreUnavailable
from ..model.cluster import Cluster, Every, Members, Memo
from ..model.finding import (
    NO_SECTION,
    TOLD_IN_PART,
    Claim,
    Detector,
    Finding,
    Gap,
    Look,
    Severity,
    WatchTick,
    facts_gaps,
)
from ..model.finding_kinds import ENCLOSURE_FAULT, MULTIPATH_DEGRADED, FindingKind
from ..model.hardware import (
    NO_OSDS,
    PARTS,
    DrivePlace,
    Enclosure,
    HardwareSnapshot,
    HostFacts,
    KnownHost,
    OsdsOnDrive,
)
from ..model.osd import Member, Osd
from .host_facts import HostFactsRegistry
from .rules.enclosure_claims import enclosure_claims, is_looked_at, suspects
from .rules.enclosures import enclosures_of, is_active, is_lost, is_told, told_less
from .rules.identity import drives_of, share_device
from .rules.multipath import multipaths_of, path_claims

# Seconds: the OSDs' locations change rarely, and reading the maps takes 0.4 s at 10,000 OSDs.
# Whether paths flap depends on the time, too: it is decided anew as often.
_MAPS_AGE = 600.0
_EVERY = 5.0
# After a rebuild ticks pause for this multiple of its duration: with 10,000 hosts that report
# hourly, new facts come several times a second.
_PAUSE = 20.0


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
        self,
        hosts: HostFactsRegistry,
        cluster: Cluster,
        fell: Callable[[], Mapping[int, float]],
        clock: Clock,
    ) -> None:
        """``fell`` returns by OSD that is down and once was up when it went down (unix seconds).

        Minus infinity means an unknown time long ago. It is asked every few seconds.
        """
        self._hosts = hosts
        self._cluster = cluster
        self._fell = fell
        self._clock = clock
        self._ticks = Every(_EVERY)
        # What the newest hardware was made of (facts, OSDs, the ten minutes of the clock, and how
        # many facts are stale), and the hardware.
        self._newest: Optional[tuple[tuple[object, ...], HardwareSnapshot]] = None
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
        busy = self._clock.monotonic() < self._busy_until
        view = self._view(known, self._cluster.osds(_MAPS_AGE), anew=not busy)
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
        return looks_at(self._hosts.cached(), self.hosts(), self._clock.now())

    def by_osd(self) -> Mapping[int, str]:
        """By OSD its enclosure, from facts or its SAS path, as of the newest rebuild.

        The same object while nothing has changed.
        """
        return self._by_osd

    def view(self, max_age: float) -> HardwareSnapshot:
        """The present state; the maps are at most ``max_age`` seconds old.

        Raises StoreUnavailable until the facts are read.
        """
        return self._view(self._hosts.known(), self._cluster.osds(max_age))

    def _view(
        self, known: Mapping[str, KnownHost], osds: Sequence[Osd], anew: bool = True
    ) -> HardwareSnapshot:
        """The hardware, with the OSDs that are down now; if not ``anew``, the newest there is."""
        now, began, newest = self._clock.now(), self._clock.monotonic(), self._newest
        stale = sum(not one.facts.is_fresh(now) for one in known.values())
        of = known, osds, now // _MAPS_AGE, stale
        if newest is None or (anew and newest[0] != of):
            self._newest = newest = of, hardware_of(known, osds, now)
            ended = self._clock.monotonic()
            self._busy_until = ended + _PAUSE * (ended - began)
            if newest[1].by_osd != self._by_osd:
                self._by_osd = newest[1].by_osd
        # One that was removed from the cluster is not down any more.
        made = newest[1]
        fell = {osd: at for osd, at in self._fell().items() if osd in made.osds}
        return replace(made, now=now, fell=fell)


def condition(snapshot: HardwareSnapshot, enclosure: Enclosure) -> tuple[str, list[str]]:
    """The state of an enclosure in a word, and the reasons for it, the most severe first.

    The words are ok, degraded and fault; unknown if nobody looked.
    """
    reasons = suspects(snapshot, enclosure)
    if reasons:
        state = "fault" if reasons[0].severity is Severity.ERROR else "degraded"
    else:
        state = "ok" if is_looked_at(snapshot, enclosure) else "unknown"
    return state, [reason.text for reason in reasons]


def looks_at(
    stored: Optional[Mapping[str, KnownHost]], hosts: Collection[str], now: float
) -> list[Look]:
    """What facts of hosts with OSDs tell of enclosures and paths; None: they are not read yet."""
    facts = None if stored is None else {host: one.facts for host, one in stored.items()}
    less = {one.facts.host for one in (stored or {}).values() if told_less(one)}
    whole = partial(facts_gaps, hosts, facts, now)

    def in_part(code: str, lacks: Callable[[HostFacts], bool], section: str) -> list[Gap]:
        """Of hosts that tell something else, but not this."""
        found = whole(lacks, section, partly=True)
        return [replace(one, code=code) for one in found if one.code == NO_SECTION]

    parts = "the fans, power supplies and sensors of its enclosures"
    paths = "the states of its paths"
    of_enclosures = (
        *whole(lambda one: one.enclosures is None, "its enclosures"),
        *in_part(TOLD_IN_PART, lambda one: one.host in less, parts),
        *in_part(NO_SECTION, lambda one: one.host not in less and not _tells_parts(one), parts),
    )
    of_paths = (
        *whole(lambda one: one.multipath is None or _states(one) == {False}, paths),
        *in_part(TOLD_IN_PART, lambda one: len(_states(one)) > 1, paths),
    )
    what = "enclosures and their parts"
    return [
        look_at_hosts("enclosures", what, hosts, ENCLOSURE_FAULT, of_enclosures),
        look_at_hosts("multipath", "paths to disks", hosts, MULTIPATH_DEGRADED, of_paths),
    ]


def look_at_hosts(
    name: str, what: str, hosts: Collection[str], kind: FindingKind, gaps: Sequence[Gap]
) -> Look:
    """What the facts of these hosts tell, for findings of one kind."""
    return Look(name, what, "host", len(hosts), (kind.code,), tuple(gaps))


def _tells_parts(facts: HostFacts) -> bool:
    """Whether all slots and some other parts of each of its enclosures are told."""
    return all(one.elements and all(map(is_told, one.slots)) for one in facts.enclosures or ())


def _states(facts: HostFacts) -> set[bool]:
    """Of the paths in these facts, whether their states are known: of none, some, or all."""
    return {is_lost(path) or is_active(path) for map_ in facts.maps() for path in map_.paths}


# --- OSDs with the enclosures of facts in their locations -----------------------------------------


class MembersWithEnclosures:
    """Members whose locations have the enclosures of facts, so that these can be blamed."""

    def __init__(self, members: Members, inventory: EnclosureInventory) -> None:
        self._members = members
        self._inventory = inventory
        self._placed = Memo(_placed)

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        return self._placed(self._members.members(max_age), self._inventory.by_osd())


def _placed(members: Sequence[Member], by_osd: Mapping[int, str]) -> Sequence[Member]:
    """An enclosure in CRUSH has precedence."""
    if not by_osd:
        return members
    return [
        replace(one, osd=replace(one.osd, location={"enclosure": enclosure, **one.osd.location}))
        if enclosure is not None and "enclosure" not in one.osd.location
        else one
        for one in members
        for enclosure in [by_osd.get(one.osd.id)]
    ]


# --- where the drives of OSDs are -----------------------------------------------------------------


class DrivePlaces:
    """The places at one moment. Making them takes some ms for all bays of 10,000 OSDs."""

    def __init__(self, inventory: EnclosureInventory, cluster: Cluster, max_age: float) -> None:
        """``max_age`` is that of the maps, in seconds."""
        self.osds: Mapping[int, Osd] = {osd.id: osd for osd in cluster.osds(max_age)}
        self._seen = HardwareSnapshot(0.0, (), self.osds)  # until the facts are read
        with suppress(StoreUnavailable):
            self._seen = inventory.view(max_age)
        self._slots = {
            osd: (one.id, bay.slot.slot)
            for one in self._seen.enclosures
            for bay in one.bays
            for osd in bay.on.osds
        }
        # By device ID all OSDs with it; of RAID controllers and virtual disks several have one.
        self._ids: dict[Optional[str], set[int]] = {}
        for osd in self.osds.values():
            if osd.device_id:
                self._ids.setdefault(osd.device_id, set()).add(osd.id)

    def of(self, number: int) -> Optional[DrivePlace]:
        """Where this OSD is; None if there is no such OSD."""
        osd = self.osds.get(number)
        if osd is None:
            return None
        known, drives = self._seen.hosts.get(osd.host), self._seen.drives.get(osd.host, {})
        tied = known.facts.devices_by_osd() if known else {}
        device = _device(osd, tied, drives)
        osds, perhaps = self._on_drive(osd, device, tied, drives)
        enclosure, slot = self._slots.get(number, (None, None))
        return DrivePlace(
            osd=number,
            host=osd.host,
            device=device,
            device_id=osd.device_id if self._alike(osd) <= {number, *osds} else None,
            enclosure=enclosure,
            slot=None if slot is None else str(slot),
            osds=osds,
            perhaps=perhaps,
        )

    def _alike(self, osd: Osd) -> set[int]:
        """The OSDs with its device ID."""
        return self._ids.get(osd.device_id, set())

    def _on_drive(
        self,
        osd: Osd,
        device: Optional[str],
        tied: Mapping[int, str],
        drives: Mapping[str, OsdsOnDrive],
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The OSDs that are on its drive for sure, and those that may be."""
        same_id = self._alike(osd)
        if device is None or device not in drives:
            return (), tuple(sorted(same_id - {osd.id}))
        places = {(self.osds[one].host, self.osds[one].data_device) for one in same_id}
        sure = {
            one
            for one in drives[device].all
            if one == osd.id
            or (
                one in self.osds
                and share_device(device, osd, self.osds[one], tied, len(places) == 1)
            )
        }
        return tuple(sorted(sure)), tuple(sorted((same_id | set(drives[device].all)) - sure))


def _device(osd: Osd, tied: Mapping[int, str], drives: Mapping[str, OsdsOnDrive]) -> Optional[str]:
    """The first kernel name of its drive; facts have precedence over the OSD's metadata.

    None if it is on several devices of which none is its drive for sure (LVM cache).
    """
    names = [name for name in (osd.data_device or "").split(",") if name]
    own = [name for name in names if osd.id in drives.get(name, NO_OSDS).osds] or names
    # Paths to one disk have its device ID in common.
    named = own[0] if len(own) == 1 or (own and osd.device_id) else None
    return tied.get(osd.id) or named
