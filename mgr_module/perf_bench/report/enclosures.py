"""Enclosures and multipath devices as JSON and as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from ..answers.paging import keyed
from ..model.hardware import Bay, Enclosure, Multipath, OsdsOnDrive
from ..model.json_fields import Json
from ..model.osd import Osd
from ..model.verdict import OsdSnapshot
from .drives import drive, on_drive
from .text import GAP, NOTHING, clip, clip_front, facts, shown, table

OsdState = Callable[[int], Optional[str]]
SEARCHED = ("id", "serial", "vendor", "model", "hosts", "state")
FIELDS: Mapping[str, Callable[[Json], Any]] = {
    "id": lambda shape: shape["id"],
    "serial": lambda shape: shape["serial"],
    "vendor": lambda shape: shape["vendor"],
    "model": lambda shape: shape["model"],
    "hosts": lambda shape: ", ".join(shape["hosts"]),
    "state": lambda shape: shape["state"],
    "osds": lambda shape: shape["osds"],
    "osds_down": lambda shape: shape["osds_down"],
    "slots": lambda shape: len(shape["slots"]),
}
PATHS_SEARCHED = ("osds", "host", "name", "wwid", "state")
PATHS: Mapping[str, Callable[[Json], Any]] = {
    **keyed("osd", "host", "name", "wwid", "state", "expected", "active"),
    "osds": lambda shape: ", ".join(f"osd.{osd}" for osd in (*shape["osds"], *shape["db_of"])),
}


def osd_state(osds: Mapping[int, Osd], osd_snapshot: OsdSnapshot) -> OsdState:
    """A function from an OSD to its state: down, out, or the watch's verdict; None if unknown."""

    def state(number: int) -> Optional[str]:
        osd = osds.get(number)
        if osd is None:
            return None
        if not osd.up:
            return "down"
        return osd_snapshot.verdict(number).state.value if osd.in_cluster else "out"

    return state


def enclosure(found: Enclosure, state: str, why: Sequence[str], of: OsdState) -> Json:
    """An enclosure with its slots. ``suspects`` are sentences, the most severe first."""
    states = [of(osd) for osd in found.osds]
    return {
        "id": found.id,
        "serial": found.serial,
        "vendor": found.vendor,
        "model": found.model,
        "hosts": list(found.hosts),
        "missing_on": list(found.missing),
        "paths": dict(found.paths),
        "source": found.source,
        "state": state,
        "suspects": why,
        "osds": len(found.osds),
        "osds_down": states.count("down"),
        "slots": [_slot(bay, of) for bay in found.bays] or _unplaced(found, of),
        "elements": [
            {"type": one.type, "name": one.name, "status": one.status} for one in found.elements
        ],
    }


def _slot(bay: Bay, of: OsdState) -> Json:
    return {
        "slot": bay.slot.slot,
        **drive(bay.on),
        "host": bay.host,
        "device": bay.slot.device,
        "status": bay.slot.status,
        "fault": bay.slot.fault,
        "osd_state": _worst([of(osd) for osd in bay.on.all]),
    }


# States of OSDs, worst first; of OSDs that share a drive the worst counts.
_STATES = ("down", "slow", "suspect", "out", "no-data", "ok")


def _worst(states: Sequence[Optional[str]]) -> Optional[str]:
    return next((word for word in _STATES if word in states), None)


def _unplaced(found: Enclosure, of: OsdState) -> list[Json]:
    """OSDs whose enclosure is known and whose slot is not."""
    empty = dict.fromkeys(("slot", "host", "device", "status", "fault"))
    return [
        {**empty, **drive(OsdsOnDrive((osd,))), "osd_state": of(osd)} for osd in sorted(found.osds)
    ]


def multipath(one: Multipath) -> Json:
    """A multipath device."""
    return {
        **drive(one.on),
        "host": one.host,
        "name": one.name,
        "wwid": one.wwid,
        "paths": [
            {"device": path.device, "hctl": path.hctl, "state": path.state} for path in one.paths
        ],
        "expected": one.expected,
        "active": one.active,
        "drops": one.drops,
        "state": one.state,
    }


# --- as text ---------------------------------------------------------------------------------

_NONE = "no enclosure is known"
_SILENT = (
    "the states of its parts: the facts of its hosts lack them or are older than two days "
    "('ceph perf-bench host ls')"
)
_NO_PATHS = "no multipath device is known"


def enclosures(shapes: Sequence[Json]) -> str:
    """Text of ``enclosure ls``."""
    if not shapes:
        return _NONE
    rows = [
        [
            clip(shape["id"], 20),
            clip(_make(shape) or NOTHING, 14),
            clip_front(", ".join(shape["hosts"] or shape["missing_on"]), 16),
            str(len([slot for slot in shape["slots"] if slot["slot"] is not None])),
            str(shape["osds"]),
            str(shape["osds_down"]),
            shape["state"],
        ]
        for shape in shapes
    ]
    return table(["ID", "MODEL", "HOST", "SLOTS", "OSDS", "DOWN", "STATE"], rows)


def _make(shape: Json) -> str:
    return " ".join(word for word in (shape["vendor"], shape["model"]) if word)


def sheet(shape: Json) -> str:
    """Text of ``enclosure show``."""
    paths = ", ".join(f"{host} {count}" for host, count in sorted(shape["paths"].items()))
    pairs = [
        ("model", _make(shape)),
        ("serial", shape["serial"] or ""),
        ("seen by", ", ".join(shape["hosts"])),
        ("missed by", ", ".join(shape["missing_on"])),
        ("paths", paths),
        ("not told", _SILENT if shape["hosts"] and _is_silent(shape) else ""),
        ("suspects", "; ".join(shape["suspects"])),
    ]
    blocks = [f"enclosure {shape['id']}: {shape['state']}\n{facts(pairs)}".rstrip()]
    rows = [_bay(slot) for slot in shape["slots"]]
    if rows:
        blocks.append(table(["SLOT", "STATUS", "DEVICE", "OSD", "HOST", "OSD STATE"], rows))
    parts = [
        [clip(one["name"] or one["type"], 48), one["status"] or NOTHING]
        for one in shape["elements"]
    ]
    if parts:
        blocks.append(table(["ELEMENT", "STATUS"], parts))
    return GAP.join(blocks)


def _is_silent(shape: Json) -> bool:
    """Whether hosts told of the enclosure, but none of them does now."""
    return bool(shape["state"] == "unknown" and shape["source"] == "facts")


def _bay(slot: Json) -> list[str]:
    fault = ", fault" if slot["fault"] else ""
    return [
        shown(slot["slot"]),
        f"{slot['status'] or NOTHING}{fault}",
        clip(slot["device"] or NOTHING, 16),
        on_drive(slot),
        clip_front(slot["host"] or NOTHING, 24),
        slot["osd_state"] or NOTHING,
    ]


def multipaths(shapes: Sequence[Json]) -> str:
    """Text of ``multipath ls``."""
    if not shapes:
        return _NO_PATHS
    rows = [
        [
            on_drive(shape),
            clip_front(shape["host"], 18),
            clip(shape["name"], 20),
            f"{_active(shape)}/{shape['expected'] or '?'}",
            shape["state"],
            clip(", ".join(_path(path) for path in shape["paths"]), 20),
        ]
        for shape in shapes
    ]
    return table(["OSD", "HOST", "NAME", "ACTIVE", "STATE", "PATHS"], rows)


def _active(shape: Json) -> Any:
    """How many paths are active; where no state is known, 0 would look as if all were lost."""
    return "?" if shape["state"] == "unknown" else shape["active"]


def _path(path: Json) -> str:
    good = path["state"] == "active"
    return path["device"] if good else f"{path['device']} {path['state'] or '?'}"
