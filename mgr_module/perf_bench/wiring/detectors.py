"""The registry of detectors: add a new one here (see docs/adding-a-detector.md)."""

from __future__ import annotations

from collections.abc import Sequence

from ..ceph.osd_up_down import MgrUpDown
from ..hardware.checksums import ChecksumMonitor
from ..ports.detector import Detector
from ..watch.detect.osd_flapping import OsdFlappingDetector
from .shared import SharedServices


def detectors(services: SharedServices, checksums: ChecksumMonitor) -> Sequence[Detector]:
    """Return the detectors in addition to the watch's own for slow OSDs and laggy PGs."""
    return (
        services.inventory,
        checksums,
        OsdFlappingDetector(MgrUpDown(services.mgr, services.clock)),
    )
