"""What the orchestrator knows of a host, as host facts (docs/host-facts.md).

cephadm gathers facts itself: on 18 and 20 enclosures with their slots, and which names a disk has
besides its first one; on 16 neither. node-proxy asks the servers' own controllers how their parts
are. Both may lack anything, and whatever is not as it is expected is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, Optional

from ..model.facts import FORMAT, OK, ORCHESTRATOR, STATUS, UNKNOWN

_KIB = 1024
# How Redfish calls the health of a part, in SES's words.
_HEALTH = {"ok": OK, "warning": "noncritical", "critical": "critical"}
# Parts of a server of which each tells its health.
_PARTS = ("power", "fans", "storage", "memory", "processors", "network", "temperatures")


def document_of(
    raw: Mapping[str, Any], hardware: Mapping[str, Any], now: float
) -> Optional[dict[str, Any]]:
    """Facts in format 1 out of cephadm's and of node-proxy's report of that host.

    None where no host is named. ``now`` (unix seconds) stands in for a time that is missing.
    """
    host = raw.get("hostname")
    if not isinstance(host, str) or not host:
        return None
    told = raw.get("timestamp")
    at = told if isinstance(told, (int, float)) and 0 < told <= now else now
    disks = list(_disks(raw))
    by_serial = {disk["serial"]: disk["device"] for disk in disks if disk["serial"]}
    enclosures = [*_enclosures(raw, by_serial), *_server(hardware)]
    return {
        "format": FORMAT,
        "source": ORCHESTRATOR,
        "host": host,
        "collected_at": datetime.fromtimestamp(at, timezone.utc).isoformat(),
        **({"enclosures": enclosures} if "enclosures" in raw or enclosures else {}),
        **({"multipath": list(_maps(raw))} if "enclosures" in raw else {}),
        "block": disks,
        "cpu": _cpu(raw),
        "memory": {"total_bytes": _times(raw.get("memory_total_kb"), _KIB)},
        "kernel": {"release": _text(raw.get("kernel"))},
    }


def _listed(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in ("hdd_list", "flash_list"):
        those = raw.get(name)
        for disk in those if isinstance(those, list) else ():
            if isinstance(disk, Mapping) and _text(disk.get("dev_name")):
                yield disk


def _names(disk: Mapping[str, Any]) -> list[str]:
    """All that the kernel calls this disk."""
    others = _text(disk.get("alt_dev_name")) or ""
    return [disk["dev_name"], *filter(None, others.split(","))]


def _disks(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for disk in _listed(raw):
        for name in _names(disk):
            yield {
                "device": name,
                "serial": _text(disk.get("serial")),
                "wwid": _text(disk.get("wwid")),
                "model": _text(disk.get("model")),
                "rotational": disk.get("disk_type") == "hdd",
            }


def _maps(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Disks of several names are used over all of them, whatever the map over them is called.

    cephadm tells of maps named ``mpath…`` only.
    """
    seen: set[Optional[str]] = set()
    for disk in _listed(raw):
        names, wwid = _names(disk), _text(disk.get("wwid"))
        map_ = (_text(disk.get("mpath")) or "").rpartition("/")[2]
        if map_ or len(names) > 1:
            yield {
                "name": map_ or _text(disk.get("serial")) or names[0],
                # one that two of them have is nobody's own
                "wwid": None if wwid in seen else wwid,
                "paths": [{"device": name} for name in names],
            }
            seen.add(wwid)


def _enclosures(raw: Mapping[str, Any], by_serial: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    found = raw.get("enclosures")
    for number, told in sorted(found.items()) if isinstance(found, Mapping) else ():
        if not isinstance(told, Mapping):
            continue
        slots = told.get("slot_map")
        yield {
            "id": str(number),
            "vendor": _text(told.get("vendor")),
            "model": _text(told.get("model")),
            "paths": _count(told.get("path_count")),
            "slots": [
                _slot(slot, of, by_serial)
                for slot, of in sorted(_by_number(slots if isinstance(slots, Mapping) else {}))
            ],
        }


def _by_number(slots: Mapping[Any, Any]) -> Iterable[tuple[int, Mapping[str, Any]]]:
    """Each once: "1" and "01" are the same."""
    found = {
        int(slot): of
        for slot, of in slots.items()
        if str(slot).isdecimal() and isinstance(of, Mapping)
    }
    return found.items()


def _slot(number: int, told: Mapping[str, Any], by_serial: Mapping[str, str]) -> dict[str, Any]:
    fault = str(told.get("fault", ""))
    return {
        "slot": number,
        "device": by_serial.get(str(told.get("serial", ""))),
        "status": _status(told.get("status")),
        "fault": fault == "1" if fault in ("0", "1") else None,
    }


def _status(told: Any) -> Optional[str]:
    if not isinstance(told, str) or not told:
        return None
    known = {status.lower(): status for status in STATUS}
    return known.get(told.strip().lower(), UNKNOWN)


def _server(hardware: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The server as an enclosure without slots: only its parts."""
    number, status = _text(hardware.get("sn")), hardware.get("status")
    if not number or not isinstance(status, Mapping):
        return
    elements = [
        element
        for kind in _PARTS
        for name, part in sorted(_parts(status.get(kind)))
        for element in [_element(kind, name, part)]
        if element is not None
    ]
    if elements:
        yield {"id": f"server-{number}", "serial": number, "elements": elements}


def _parts(found: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Parts by name; newer releases have them by system first."""
    for name, part in found.items() if isinstance(found, Mapping) else ():
        if isinstance(part, Mapping) and isinstance(part.get("status"), Mapping):
            yield str(name), part
        elif isinstance(part, Mapping):
            yield from (
                (str(inner), one)
                for inner, one in part.items()
                if isinstance(one, Mapping) and isinstance(one.get("status"), Mapping)
            )


def _element(kind: str, name: str, part: Mapping[str, Any]) -> Optional[dict[str, Any]]:
    """A part that is fitted; one that is switched off tells nothing."""
    health = part["status"].get("health")
    if not isinstance(health, str):
        return None
    called = _text(part.get("name")) or _text(part.get("description")) or name
    return {"type": kind, "name": called, "status": _HEALTH.get(health.lower(), UNKNOWN)}


def _cpu(raw: Mapping[str, Any]) -> dict[str, Any]:
    sockets = _count(raw.get("cpu_count"))
    model = _text(raw.get("cpu_model"))
    return {
        "model": None if model == "Unknown" else model,
        "cores": _times(raw.get("cpu_cores"), sockets),
        "threads": _times(raw.get("cpu_threads"), sockets),
    }


def _times(value: Any, factor: Optional[int]) -> Optional[int]:
    count = _count(value)
    return count * factor if count and factor else None


def _count(value: Any) -> Optional[int]:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(value: Any) -> Optional[str]:
    """A text that says something; "Unknown" is how cephadm says that it does not know."""
    text = value.strip() if isinstance(value, str) else ""
    return text if text and text.lower() != "unknown" else None
