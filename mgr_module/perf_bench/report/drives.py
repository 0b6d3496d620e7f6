"""The OSDs on a drive as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.hardware import OsdsOnDrive
from ..model.json_fields import Json
from .text import NOTHING


def drive(on: OsdsOnDrive) -> Json:
    """The keys of slots, paths and errors for the OSDs on a drive; ``osd`` is the first."""
    return {"osd": on.first, "osds": list(on.osds), "db_of": list(on.db_of)}


def on_drive(shape: Mapping[str, Any]) -> str:
    """As "osd.1, osd.2", "osd.1 +3" of four, or "db of 12" where no OSD has its data on it."""
    osds, db_of = shape["osds"], shape["db_of"]
    if len(osds) > 2:
        return f"osd.{osds[0]} +{len(osds) - 1}"
    names = ", ".join(f"osd.{osd}" for osd in osds)
    return names or (f"db of {len(db_of)}" if db_of else NOTHING)
