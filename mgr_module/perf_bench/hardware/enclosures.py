"""What facts of hosts and OSDs make of enclosures and paths, and of where drives are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Optional, Protocol

from ..core.clock import Clock
from ..errors import StoreUnavailable
from ..model.cluster import Cluster, Every, Members, Memo
from ..model.finding import (
    NO_SECTION,
    Claim,
    Detector,
    Finding,
    Gap,
    Look,
    Severity,
    WatchTick,
    facts_gaps,
)
from ..model.finding_kinds import ENCLOSURE_FAULT, MULTIPATH_DEGRADED
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
from .rules.enclosures import enclosures_of
from .rules.errors import NOWHERE, placed
from .rules.identity import drives_of, share_device
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
        silent = {one.facts.host for one in (stored or {}).values() if not tells_all_parts(one)}
        gaps = partial(facts_gaps, hosts, facts, self._clock.now())
        parts = "the fans, power supplies and sensors of its enclosures"
        paths = "the states of its paths"
        no_enclosures = gaps(lambda one: one.enclosures is None, "its enclosures")
        no_parts = gaps(lambda one: one.host in silent, parts, partly=True)
        no_paths = gaps(lambda one: one.multipath is None or _states(one) == {False}, paths)
        no_states = gaps(lambda one: _states(one) == {False, True}, paths, partly=True)
        look = partial(Look, unit="host", total=len(hosts))
        return [
            look(
                "enclosures",
                "enclosures and their parts",
                codes=(ENCLOSURE_FAULT.code,),
                gaps=(*no_enclosures, *_of_section(no_parts)),
            ),
            look(
                "multipath",
                "paths to disks",
                codes=(MULTIPATH_DEGRADED.code,),
                gaps=(*no_paths, *_of_section(no_states)),
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
        moment = int(now // _MAPS_AGE), sum(not one.is_fresh(now) for one in known.values())
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
    """The state of an enclosure in a word, and the reasons for it, the most severe first.

    The words are ok, degraded and fault; unknown if nobody looked.
    """
    reasons = suspects(snapshot, enclosure)
    if reasons:
        state = "fault" if reasons[0].severity is Severity.ERROR else "degraded"
    else:
        state = "ok" if is_looked_at(snapshot, enclosure) else "unknown"
    return state, [reason.text for reason in reasons]


def _of_section(gaps: Sequence[Gap]) -> list[Gap]:
    """The gaps of hosts that tell something else, but not this."""
    return [one for one in gaps if one.code == NO_SECTION]


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
    """The places at one moment. Takes some ms for all bays of 10,000 OSDs at the first question."""

    def __init__(self, inventory: EnclosureInventory, cluster: Cluster, max_age: float) -> None:
        """``max_age`` is that of the maps, in seconds."""
        self.osds: Mapping[int, Osd] = {osd.id: osd for osd in cluster.osds(max_age)}
        self._inventory = inventory
        self._max_age = max_age

    def of(self, number: int) -> Optional[DrivePlace]:
        """Where this OSD is; None if there is no such OSD."""
        osd = self.osds.get(number)
        if osd is None:
            return None
        known = self._view.hosts.get(osd.host) if self._view else None
        tied = known.facts.devices_by_osd() if known else {}
        drives = self._view.drives.get(osd.host, {}) if self._view else {}
        device = _device(osd, tied, drives)
        same_id = self._ids.get(osd.device_id or "", set())
        osds, perhaps = self._on_drive(osd, device, tied, drives)
        enclosure, slot = self._slots.get(number, NOWHERE)
        return DrivePlace(
            osd=number,
            host=osd.host,
            device=device,
            device_id=osd.device_id if same_id <= {number, *osds} else None,
            enclosure=enclosure,
            slot=None if slot is None else str(slot),
            osds=osds,
            perhaps=perhaps,
        )

    def in_enclosure(self, name: str) -> list[int]:
        """The OSDs of an enclosure, by its ID."""
        found = [one for one in self._view.enclosures if one.id == name] if self._view else []
        return sorted(osd for one in found for osd in one.osds)

    @cached_property
    def _view(self) -> Optional[HardwareSnapshot]:
        """The inventory; None until the facts are read."""
        with suppress(StoreUnavailable):
            return self._inventory.view(self._max_age)
        return None

    @cached_property
    def _slots(self) -> Mapping[int, tuple[Optional[str], Optional[int]]]:
        return placed(self._view.enclosures if self._view else ())

    @cached_property
    def _ids(self) -> Mapping[str, set[int]]:
        """By device ID all OSDs with it; of RAID controllers and virtual disks several have one."""
        ids: dict[str, set[int]] = {}
        for osd in self.osds.values():
            if osd.device_id:
                ids.setdefault(osd.device_id, set()).add(osd.id)
        return ids

    def _on_drive(
        self,
        osd: Osd,
        device: Optional[str],
        tied: Mapping[int, str],
        drives: Mapping[str, OsdsOnDrive],
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The OSDs that are on its drive for sure, and those that may be."""
        same_id = self._ids.get(osd.device_id or "", set())
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
    if osd.id in tied or len(names) < 2 or osd.device_id:  # which paths to one disk have in common
        return tied.get(osd.id) or (names[0] if names else None)
    own = [name for name in names if osd.id in drives.get(name, NO_OSDS).osds]
    return own[0] if len(own) == 1 else None
