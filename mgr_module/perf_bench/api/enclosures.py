"""Questions about enclosures and the paths to disks."""

from __future__ import annotations

from ..answers.paging import MAPS_AGE, WHOLE, Page
from ..errors import NotFound
from ..hardware.enclosures import EnclosureInventory, condition
from ..model.hardware import Enclosure, HardwareSnapshot
from ..model.json_fields import Json
from ..report import enclosures as shapes
from ..watch.service import Watch


class EnclosureApi:
    """``ceph perf-bench enclosure …`` and ``multipath ls``."""

    def __init__(self, inventory: EnclosureInventory, watch: Watch) -> None:
        self._inventory = inventory
        self._watch = watch

    def ls(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """A page of the enclosures by ID, and how many there are."""
        view = self._inventory.view(MAPS_AGE)
        found = [self._shape(view, one) for one in view.enclosures]
        return page.of(found, shapes.FIELDS, shapes.SEARCHED, "id")

    def show(self, name: str) -> Json:
        """One enclosure, by its ID, or a serial number that no other has. Raises NotFound."""
        view, wanted = self._inventory.view(MAPS_AGE), name.lower()
        every = view.enclosures
        found = [one for one in every if wanted == one.id.lower()]
        found = found or [one for one in every if wanted == (one.serial or "").lower()]
        if len(found) == 1:
            return self._shape(view, found[0])
        raise NotFound(
            f"no enclosure {name!a}: 'ceph perf-bench enclosure ls' lists those there are"
        )

    def multipaths(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """A page of the disks of several paths, by host, and how many there are."""
        found = [shapes.multipath(one) for one in self._inventory.view(MAPS_AGE).multipaths]
        return page.of(found, shapes.PATHS, shapes.PATHS_SEARCHED)

    def _shape(self, view: HardwareSnapshot, one: Enclosure) -> Json:
        of = shapes.osd_state(view.osds, self._watch.osd_snapshot())
        return shapes.enclosure(one, *condition(view, one), of)
