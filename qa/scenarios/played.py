"""Facts of played hosts: a shelf whose slots hold OSDs, each over two paths."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

SHELF = "0x5000c500a1b2c3d4"


def nothing(host: str, hours_ago: float = 0) -> dict[str, Any]:
    """Facts that tell no more than that the host answers now, or did so a while ago."""
    moment = datetime.now(timezone.utc) - timedelta(hours=hours_ago)
    return {"format": 1, "host": host, "collected_at": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}


def shelf(
    host: str, osds: list[int], *, lost: bool = False, bad: bool = False, shared: bool = False
) -> dict[str, Any]:
    """Each OSD in a slot of one shelf, or all on one drive (``shared``), over two paths."""
    devices = {osd: f"sd{'abcdefgh'[osds[0] if shared else osd]}" for osd in osds}
    drives = {device: osds[0] if shared else osd for osd, device in devices.items()}
    slots = [
        {"slot": slot, "device": device, "status": "critical" if bad else "OK", "fault": bad}
        for device, slot in drives.items()
    ]
    maps = [
        {
            "name": f"mpath{slot}",
            "wwid": f"3500{slot}",
            "paths": [
                {"device": device, "hctl": f"0:0:{slot}:0", "state": "active"},
                {
                    "device": f"{device}2",
                    "hctl": f"1:0:{slot}:0",
                    "state": "failed" if lost else "active",
                },
            ],
        }
        for device, slot in drives.items()
    ]
    return {
        **nothing(host),
        "osds": [{"id": osd, "device": device} for osd, device in devices.items()],
        "enclosures": [
            {"id": SHELF, "serial": "SHX0", "vendor": "V", "model": "M", "slots": slots}
        ],
        "multipath": maps,
    }
