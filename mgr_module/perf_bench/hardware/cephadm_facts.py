"""Convert the orchestrator's data of a host into host facts (docs/host-facts.md).

cephadm reports enclosures with slots and the alternative names of disks on 18 and 20, not on 16.
node-proxy reports the health of a server's parts from its management controller. Any field may be
missing; a field of an unexpected form is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, Optional

from ..model.facts import (
    FORMAT,
    MOST_MEMORY,
    MOST_PROCESSORS,
    MOST_SLOT,
    MOST_SLOTS,
    OK,
    ORCHESTRATOR,
    STATUS,
    UNKNOWN,
    slot_fault,
)
from .rules.identity import SERVER

_KIB = 1024
# Characters of a text, fewer than facts may have: the name of a server begins with a word of ours.
_LONGEST = 256
# The health of a part: Redfish's word → SES's word.
_HEALTH = {"ok": OK, "warning": "noncritical", "critical": "critical"}
# Kinds of parts of a server that report their health.
_PARTS = ("power", "fans", "storage", "memory", "processors", "network", "temperatures")


def document_of(
    raw: Mapping[str, Any], hardware: Mapping[str, Any], now: float
) -> Optional[dict[str, Any]]:
    """Facts in format 1 from cephadm's and node-proxy's reports of one host.

    None if the report names no host. ``now`` (unix seconds) replaces a missing time.
    """
    host = raw.get("hostname")
    if not isinstance(host, str) or not host:
        return None
    reported = raw.get("timestamp")
    collected_at = now
    if isinstance(reported, (int, float)) and 0 < reported <= now:
        collected_at = reported
    enclosures = [*_enclosures(raw, _by_serial(raw)), *_server(hardware)]
    return {
        "format": FORMAT,
        "source": ORCHESTRATOR,
        "host": host,
        "collected_at": datetime.fromtimestamp(collected_at, timezone.utc).isoformat(),
        **({"enclosures": enclosures} if "enclosures" in raw or enclosures else {}),
        "multipath": list(_maps(raw)) if "enclosures" in raw and _tells_paths(raw) else None,
        "block": list(_disks(raw)),
        "cpu": _cpu(raw),
        "memory": {"total_bytes": _times(raw.get("memory_total_kb"), _KIB, MOST_MEMORY)},
        "kernel": {"release": _text(raw.get("kernel"))},
    }


def _listed(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in ("hdd_list", "flash_list"):
        disks = raw.get(name)
        for disk in disks if isinstance(disks, list) else ():
            if isinstance(disk, Mapping) and _text(disk.get("dev_name")):
                yield disk


def _names(disk: Mapping[str, Any]) -> list[str]:
    """All kernel names with the serial number of this disk.

    They are paths to one disk only where it has a map: RAID controllers give all logical drives
    one serial number.
    """
    others = _text(disk.get("alt_dev_name")) or ""
    return [str(_text(disk["dev_name"])), *filter(None, map(_text, others.split(",")))]


def _map_of(disk: Mapping[str, Any]) -> str:
    """The name of its multipath device; cephadm knows those named ``mpath…``."""
    return (_text(disk.get("mpath")) or "").rpartition("/")[2]


def _tells_paths(raw: Mapping[str, Any]) -> bool:
    """Whether a map is known, or no disk has other names that may be paths."""
    return any(map(_map_of, _listed(raw))) or all(len(_names(disk)) == 1 for disk in _listed(raw))


def _disks(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for disk in _listed(raw):
        first, *others = _names(disk)
        for name in (first, *others):
            yield {
                "device": name,
                "serial": _text(disk.get("serial")),
                # It is that of the first; others with its serial number may have another.
                "wwid": _text(disk.get("wwid")) if name == first else None,
                "model": _text(disk.get("model")),
                "rotational": disk.get("disk_type") == "hdd",
            }


def _by_serial(raw: Mapping[str, Any]) -> dict[str, str]:
    """By serial number the device of the disk, where it is known to be of one disk."""
    found: dict[str, str] = {}
    repeated = set()
    for disk in _listed(raw):
        names, serial = _names(disk), _text(disk.get("serial"))
        if serial is None or serial in found or (len(names) > 1 and not _map_of(disk)):
            repeated.add(serial)
        else:
            found[serial] = names[0]
    return {serial: name for serial, name in found.items() if serial not in repeated}


def _maps(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    seen: set[Optional[str]] = set()
    for disk in _listed(raw):
        wwid = _text(disk.get("wwid"))
        if _map_of(disk):
            yield {
                "name": _map_of(disk),
                # a WWID that two disks share identifies neither
                "wwid": None if wwid in seen else wwid,
                "paths": [{"device": name} for name in _names(disk)],
            }
            seen.add(wwid)


def _enclosures(raw: Mapping[str, Any], by_serial: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    reported = raw.get("enclosures")
    for number, enclosure in sorted(reported.items()) if isinstance(reported, Mapping) else ():
        if not isinstance(enclosure, Mapping) or not _text(number):
            continue
        slots = enclosure.get("slot_map")
        numbered = sorted(_by_number(slots if isinstance(slots, Mapping) else {}))
        serials = Counter(str(of.get("serial", "")) for _, of in numbered)
        once = {serial: name for serial, name in by_serial.items() if serials[serial] == 1}
        yield {
            "id": str(number),
            "vendor": _text(enclosure.get("vendor")),
            "model": _text(enclosure.get("model")),
            "paths": _count(enclosure.get("path_count"), MOST_SLOTS),
            "slots": [_slot(slot, of, once) for slot, of in numbered],
        }


def _by_number(slots: Mapping[Any, Any]) -> Iterable[tuple[int, Mapping[str, Any]]]:
    """Slots by number, each once: "1" and "01" are the same slot."""
    by_number = {
        int(slot): fields
        for slot, fields in slots.items()
        if _is_slot(str(slot)) and isinstance(fields, Mapping)
    }
    return by_number.items()


def _is_slot(text: str) -> bool:
    return text.isdecimal() and len(text) <= len(str(MOST_SLOT)) and int(text) <= MOST_SLOT


def _slot(number: int, fields: Mapping[str, Any], by_serial: Mapping[str, str]) -> dict[str, Any]:
    fault = str(fields.get("fault"))
    return {
        "slot": number,
        "device": by_serial.get(str(fields.get("serial", ""))),
        "status": _status(fields.get("status")),
        "fault": slot_fault(int(fault) if fault.isdecimal() and len(fault) == 1 else None),
    }


def _status(word: Any) -> Optional[str]:
    if not isinstance(word, str) or not word:
        return None
    known = {status.lower(): status for status in STATUS}
    return known.get(word.strip().lower(), UNKNOWN)


def _server(hardware: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The server's parts, as an enclosure without slots."""
    number, status = _text(hardware.get("sn")), hardware.get("status")
    if not number or not isinstance(status, Mapping):
        return
    elements = [
        element
        for kind in _PARTS
        for name, part in sorted(_parts(status.get(kind)), key=lambda one: one[0])
        for element in [_element(kind, name, part)]
        if element is not None
    ]
    if elements:
        yield {"id": f"{SERVER}{number}", "serial": number, "elements": elements}


def _parts(reported: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Parts by name; newer releases group them by system."""
    for name, part in reported.items() if isinstance(reported, Mapping) else ():
        if isinstance(part, Mapping) and isinstance(part.get("status"), Mapping):
            yield str(name), part
        elif isinstance(part, Mapping):
            yield from (
                (str(inner), one)
                for inner, one in part.items()
                if isinstance(one, Mapping) and isinstance(one.get("status"), Mapping)
            )


def _element(kind: str, name: str, part: Mapping[str, Any]) -> Optional[dict[str, Any]]:
    """A part as an element; None if it reports no health, as one that is switched off."""
    health = part["status"].get("health")
    if not isinstance(health, str):
        return None
    label = _text(part.get("name")) or _text(part.get("description")) or _text(name)
    return {"type": kind, "name": label, "status": _HEALTH.get(health.lower(), UNKNOWN)}


def _cpu(raw: Mapping[str, Any]) -> dict[str, Any]:
    sockets = _count(raw.get("cpu_count"), MOST_PROCESSORS)
    model = _text(raw.get("cpu_model"))
    return {
        "model": None if model == "Unknown" else model,
        "cores": _times(raw.get("cpu_cores"), sockets, MOST_PROCESSORS),
        "threads": _times(raw.get("cpu_threads"), sockets, MOST_PROCESSORS),
    }


def _times(value: Any, factor: Optional[int], most: int) -> Optional[int]:
    count = _count(value, most)
    return _count(count * factor, most) if count and factor else None


def _count(value: Any, most: int) -> Optional[int]:
    """A number up to ``most``; None if it is one that facts may not have."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= most else None


def _text(value: Any) -> Optional[str]:
    """A text, stripped; None if it is empty or "Unknown", cephadm's word for a missing value.

    So is one that facts may not have: a serial number of garbage costs a host no other facts.
    """
    text = value.strip() if isinstance(value, str) else ""
    usable = text.isprintable() and len(text) <= _LONGEST
    return text if text and usable and text.lower() != "unknown" else None
