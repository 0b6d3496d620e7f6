"""Which of the values in a cluster's configuration an OSD has, by the rules of Ceph's monitors.

As ``ConfigMap::generate_entity_map`` and ``CrushWrapper::get_full_location`` do it: "global", then
"osd", then the OSD itself; within these a mask of a narrower type of CRUSH bucket counts before
one of a wider type, any of them before one of a class, and that before none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

_NO_MASK, _CLASS = 1000, 999


def value_of(
    config: Mapping[tuple[str, str], str], nodes: Sequence[Mapping[str, Any]], name: str, key: str
) -> Optional[str]:
    """The value that is set for an OSD ("osd.3"), ``config`` by section with mask and option."""
    osd = next((node for node in nodes if node["name"] == name), {"id": -1})
    place = _location(nodes, osd["id"])
    found: list[tuple[int, int, str]] = []
    for (who, option), value in config.items():
        section, *masks = who.split("/")
        if option != key or section not in ("global", "osd", name):
            continue
        parts = [mask.split(":", 1) for mask in masks]
        of_class = {"class": osd.get("device_class")}
        if all((place.get(kind, (None, 0))[0] or of_class.get(kind)) == it for kind, it in parts):
            widths = [place[kind][1] for kind, _ in parts if kind in place]
            wide = min(widths, default=_CLASS if parts else _NO_MASK)
            found.append((("global", "osd", name).index(section), -wide, value))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _location(nodes: Sequence[Mapping[str, Any]], item: int) -> dict[str, tuple[str, int]]:
    """By type of bucket the bucket's name and the number of the type."""
    place: dict[str, tuple[str, int]] = {}
    while True:
        over = {
            node["id"]: node
            for node in nodes
            if item in node.get("children", ()) and "~" not in node["name"]
        }
        if not over:
            return place
        first = over[max(over)]
        place.setdefault(first["type"], (first["name"], first["type_id"]))
        item = first["id"]
