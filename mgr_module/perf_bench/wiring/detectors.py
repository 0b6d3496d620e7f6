"""The registry of detectors: add a new one here (see docs/adding-a-detector.md)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Callable

from ..ceph.cluster import MgrCohortSetups
from ..ceph.installation import MapOfMgrs
from ..ceph.osd_up_down import MgrUpDown
from ..hardware.checksums import ChecksumMonitor
from ..model.detector import Detector
from ..watch.detect.cohort_drift.detector import CohortDriftDetector
from ..watch.detect.osd_flapping import OsdFlappingDetector
from ..watch.detect.standby_mgrs import StandbyMgrDetector
from .shared import SharedServices


def detectors(
    services: SharedServices,
    checksums: ChecksumMonitor,
    slow_cohorts: Callable[[], Collection[str]],
) -> Sequence[Detector]:
    """Return the detectors in addition to the watch's own for slow OSDs and laggy PGs.

    ``slow_cohorts`` returns the cohorts that the detector of slow OSDs names now.
    """
    return (
        services.inventory,
        checksums,
        OsdFlappingDetector(MgrUpDown(services.osd_map, services.clock)),
        StandbyMgrDetector(MapOfMgrs(services.mgr)),
        CohortDriftDetector(
            services.store_thread,
            MgrCohortSetups(services.mgr, services.members, services.health),
            slow_cohorts,
        ),
    )
