"""Where the drives of OSDs are: host, device, slot, and the OSDs that share them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from ..errors import StoreUnavailable
from ..model.drive import DrivePlace
from ..model.osd import Osd
from ..ports import Cluster
from .enclosures import EnclosureInventory, EnclosureView


class DrivePlaces:
    """The places at one moment. Takes some ms for all bays of 10,000 OSDs at the first question."""

    def __init__(self, inventory: EnclosureInventory, cluster: Cluster, max_age: float) -> None:
        """``max_age`` is that of the maps, in seconds."""
        self.osds: Mapping[int, Osd] = {osd.id: osd for osd in cluster.osds(max_age)}
        self._inventory = inventory
        self._max_age = max_age
        self._view: Optional[EnclosureView] = None
        self._slots: Optional[Mapping[int, tuple[str, str]]] = None

    def of(self, number: int) -> Optional[DrivePlace]:
        """Where this OSD is; None if there is no such OSD."""
        osd = self.osds.get(number)
        if osd is None:
            return None
        enclosure, slot = self._slot(number)
        return DrivePlace(
            osd=number,
            host=osd.host,
            device=self._device(osd),
            device_id=osd.device_id,
            enclosure=enclosure,
            slot=slot,
            osds=self._on_drive(osd),
        )

    def in_enclosure(self, name: str) -> list[int]:
        """The OSDs of an enclosure, by its ID."""
        view = self._seen()
        found = [one for one in view.snapshot.enclosures if one.id == name] if view else []
        return sorted(osd for one in found for osd in one.osds)

    def _seen(self) -> Optional[EnclosureView]:
        """The inventory; None until the facts are read."""
        if self._view is None:
            try:
                self._view = self._inventory.view(self._max_age)
            except StoreUnavailable:
                return None
        return self._view

    def _device(self, osd: Osd) -> Optional[str]:
        """The first kernel name of its drive; facts have precedence over the OSD's metadata."""
        view = self._seen()
        facts = view.snapshot.facts.get(osd.host) if view else None
        told = facts.devices_by_osd().get(osd.id) if facts else None
        return told or (osd.data_device or "").partition(",")[0] or None

    def _slot(self, osd: int) -> tuple[Optional[str], Optional[str]]:
        view = self._seen()
        if view is None:
            return None, None
        if self._slots is None:
            self._slots = {
                number: (one.id, str(bay.slot.slot))
                for one in view.snapshot.enclosures
                for bay in one.bays
                for number in bay.on.osds
            }
        return self._slots.get(osd, (None, None))

    def _on_drive(self, osd: Osd) -> tuple[int, ...]:
        view, device = self._seen(), self._device(osd)
        known = view.snapshot.drives.get(osd.host, {}) if view else {}
        found = known.get(device) if device else None
        return found.all if found else ()
