"""Where the drives of OSDs are: host, device, slot, and the OSDs that share them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Optional

from ..errors import StoreUnavailable
from ..model.cluster import Cluster
from ..model.hardware import NO_OSDS, DrivePlace, HardwareSnapshot, OsdsOnDrive
from ..model.osd import Osd
from .enclosures import EnclosureInventory
from .rules.identity import share_device


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
        enclosure, slot = self._slots.get(number, (None, None))
        device = self._device(osd)
        osds, perhaps = self._on_drive(osd, device)
        same_id = self._with_id(osd.device_id)
        return DrivePlace(
            osd=number,
            host=osd.host,
            device=device,
            device_id=osd.device_id if same_id <= {number, *osds} else None,
            enclosure=enclosure,
            slot=slot,
            osds=osds,
            perhaps=perhaps,
        )

    def in_enclosure(self, name: str) -> list[int]:
        """The OSDs of an enclosure, by its ID."""
        view = self._view
        found = [one for one in view.enclosures if one.id == name] if view else []
        return sorted(osd for one in found for osd in one.osds)

    @cached_property
    def _view(self) -> Optional[HardwareSnapshot]:
        """The inventory; None until the facts are read."""
        with suppress(StoreUnavailable):
            return self._inventory.view(self._max_age)
        return None

    @cached_property
    def _slots(self) -> Mapping[int, tuple[str, str]]:
        enclosures = self._view.enclosures if self._view else ()
        return {
            number: (one.id, str(bay.slot.slot))
            for one in enclosures
            for bay in one.bays
            for number in bay.on.osds
        }

    @cached_property
    def _ids(self) -> Mapping[str, set[int]]:
        ids: dict[str, set[int]] = {}
        for osd in self.osds.values():
            if osd.device_id:
                ids.setdefault(osd.device_id, set()).add(osd.id)
        return ids

    def _device(self, osd: Osd) -> Optional[str]:
        """The first kernel name of its drive; facts have precedence over the OSD's metadata.

        None if it is on several devices of which none is its drive for sure (LVM cache).
        """
        told = self._tied(osd).get(osd.id)
        names = [name for name in (osd.data_device or "").split(",") if name]
        if told or len(names) < 2 or osd.device_id:  # which paths to one disk have in common
            return told or (names[0] if names else None)
        known = self._drives(osd)
        own = [name for name in names if osd.id in known.get(name, NO_OSDS).osds]
        return own[0] if len(own) == 1 else None

    def _tied(self, osd: Osd) -> Mapping[int, str]:
        """By OSD its device in the facts of this OSD's host."""
        known = self._view.hosts.get(osd.host) if self._view else None
        return known.facts.devices_by_osd() if known else {}

    def _drives(self, osd: Osd) -> Mapping[str, OsdsOnDrive]:
        return self._view.drives.get(osd.host, {}) if self._view else {}

    def _with_id(self, device_id: Optional[str]) -> set[int]:
        """All OSDs with this device ID; of RAID controllers and virtual disks several have it."""
        return self._ids.get(device_id or "", set())

    def _on_drive(self, osd: Osd, device: Optional[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The OSDs that are on its drive for sure, and those that may be."""
        found = self._drives(osd).get(device) if device else None
        tied, same_id = self._tied(osd), self._with_id(osd.device_id)
        if found is None or device is None:
            return (), tuple(sorted(same_id - {osd.id}))
        places = {(self.osds[one].host, self.osds[one].data_device) for one in same_id}
        sure = {
            one
            for one in found.all
            if one == osd.id
            or (
                one in self.osds
                and share_device(device, osd, self.osds[one], tied, len(places) == 1)
            )
        }
        return tuple(sorted(sure)), tuple(sorted((same_id | set(found.all)) - sure))
