"""What next: finds out what is known of a finding's OSDs, for the commands of its steps."""

from __future__ import annotations

from typing import Callable, Optional

from ..answers.paging import MAPS_AGE
from ..hardware.drive_places import DrivePlaces
from ..hardware.enclosures import EnclosureInventory
from ..model.cluster import Cluster
from ..model.finding import Finding, FindingState
from ..model.finding_kinds import StepFacts
from ..model.json_fields import Json
from ..report.next_steps import next_steps


class NextSteps:
    """The steps of findings."""

    def __init__(
        self,
        inventory: EnclosureInventory,
        cluster: Cluster,
        orchestrator: Callable[[], Optional[str]],
    ) -> None:
        """``orchestrator`` returns the name of its backend, None without one."""
        self._inventory = inventory
        self._cluster = cluster
        self._orchestrator = orchestrator

    def steps(self) -> Callable[[Finding], Optional[Json]]:
        """A function that returns a finding's steps, for the findings of one answer.

        None for those that are closed, and of a kind that this version does not know.
        """
        places = DrivePlaces(self._inventory, self._cluster, MAPS_AGE)
        backend = self._orchestrator()

        def of(finding: Finding) -> Optional[Json]:
            if finding.state is FindingState.CLOSED:
                return None
            osds = _osds(finding, places)
            place = places.of(osds[0]) if osds else None
            host = finding.target.id if finding.target.kind == "host" else None
            if host is None and place is not None:
                host = place.host
            return next_steps(finding, StepFacts(osds, host, place, backend))

        return of


def _osds(finding: Finding, places: DrivePlaces) -> list[int]:
    """The OSDs that a finding is about, those that do not exist any more left out."""
    target = finding.target
    if target.kind == "osd":
        found = [int(target.id)] if target.id.isdigit() else []
    else:
        named = finding.evidence.get("osds")
        found = [osd for osd in named if isinstance(osd, int)] if isinstance(named, list) else []
        if not found and target.kind == "host":
            found = [osd.id for osd in places.osds.values() if osd.host == target.id]
        if not found and target.kind == "enclosure":
            found = places.in_enclosure(target.id)
    return sorted(osd for osd in set(found) if osd in places.osds)
