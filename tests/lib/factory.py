"""Host facts for tests: documents as the host tool prints them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Optional

# In INTERFACE's own example; 1,700,000,000 is 2023-11-14T22:13:20Z, when the fakes' clocks begin.
COLLECTED = "2023-11-14T22:13:20Z"
INTERFACE: dict[str, Any] = {
    "format": 1,
    "host": "host-0",
    "collected_at": "2026-11-20T12:00:00Z",
    "osds": [{"id": 3, "device": "sdk"}],
    "enclosures": [
        {
            "id": "0x5000c500a1b2c3d4",
            "serial": "SHX0",
            "vendor": "V",
            "model": "M-60",
            "slots": [{"slot": 12, "device": "sdk", "status": "OK", "fault": False, "power": "on"}],
            "elements": [{"type": "fan", "name": "fan 1", "status": "OK"}],
        }
    ],
    "multipath": [
        {
            "name": "mpatha",
            "wwid": "3500",
            "expected_paths": 2,
            "paths": [{"device": "sdk", "hctl": "1:0:12:0", "state": "active", "checker": "ready"}],
        }
    ],
    "phys": [
        {
            "phy": "phy-1:0:12",
            "device": "sdk",
            "invalid_dword": 0,
            "running_disparity": 0,
            "loss_of_dword_sync": 0,
            "phy_reset_problem": 0,
            "negotiated_linkrate": "12.0 Gbit",
        }
    ],
    "block": [
        {
            "device": "sdk",
            "holder": "dm-3",
            "wwid": "3500",
            "serial": "S",
            "model": "X",
            "rotational": True,
        }
    ],
    "smart": [{"device": "sdk", "udma_crc_errors": 0, "pending_sectors": 0, "media_errors": 0}],
    "cpu": {
        "model": "X",
        "cores": 48,
        "threads": 96,
        "governor": "performance",
        "deepest_cstate": "C1",
        "iommu": "off",
    },
    "numa": {"nodes": 4, "miss_percent": 0.1},
    "memory": {"swap_used_bytes": 0, "thp": "madvise"},
    "kernel": {"nvme_io_timeout_seconds": 30},
    "crc32c": {"bytes_per_second": 20000000000},
}


def document(host: str = "host-0", **sections: Any) -> dict[str, Any]:
    """Facts that tell no more than these sections."""
    return {"format": 1, "host": host, "collected_at": COLLECTED, **sections}


def shelf(
    devices: Mapping[int, Optional[str]],
    slots: int = 0,
    number: str = "0x5000c500a1b2c3d4",
    bad: Iterable[int] = (),
    elements: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """An enclosure with these devices by slot, and empty ones up to ``slots``."""
    faulty = set(bad)

    def slot(place: int) -> dict[str, Any]:
        device = devices.get(place)
        status = "critical" if place in faulty else "OK" if device else "not installed"
        return {"slot": place, "device": device, "status": status, "fault": place in faulty}

    places = sorted({*devices, *range(slots)})
    return {
        "id": number,
        "serial": f"S{number[-4:]}",
        "vendor": "V",
        "model": "M-60",
        "slots": [slot(place) for place in places],
        "elements": list(elements),
    }
