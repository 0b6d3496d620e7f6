"""Enclosures and multipath devices.

Sources: for slots Documentation/ABI/testing/sysfs-class-enclosure and drivers/misc/enclosure.c of
the kernel; for other elements the output of ``sg_ses``; for multipath ``multipathd show maps
json``, else the names in device-mapper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ...model.hardware import is_own, slot_fault, worst
from .disks import in_order, known, serial
from .host_files import HostCommands, HostFiles, printable

_ENCLOSURES = "sys/class/enclosure"
_BLOCK = "sys/class/block"
# A status in the words of the kernel and of sg_ses: the word used in facts.
_STATUS = {
    "ok": "OK",
    "critical": "critical",
    "non-critical": "noncritical",
    "noncritical": "noncritical",
    "unrecoverable": "unrecoverable",
    "not installed": "not installed",
}
_UNKNOWN = "unknown"
_MULTIPATHD = ("multipathd", "show", "maps", "json")
_PREDICTED = re.compile(r".*\bPredicted failure=1\b", re.IGNORECASE)
_TYPE = re.compile(r"\s*Element type: (.+?)(, subenclosure id.*)?$")
_ELEMENT = re.compile(r"\s*Element (\d+) descriptor:")
_ELEMENT_STATUS = re.compile(r".*\bstatus: ([A-Za-z][A-Za-z -]*?)\s*$")
_SLOT_TYPES = ("array device slot", "device slot")


def status(word: Optional[str]) -> str:
    """Translate a status of the kernel or of sg_ses into the word used in facts."""
    return _STATUS.get((word or "").strip().lower(), _UNKNOWN)


def enclosures(tree: HostFiles, programs: HostCommands) -> Optional[list[dict[str, Any]]]:
    """The section ``enclosures``; an enclosure with several paths appears once.

    None if the kernel's module "ses" is not loaded, or one cannot be read: not known.
    """
    if not tree.has(_ENCLOSURES):
        return None
    found: list[dict[str, Any]] = []
    for address in tree.names(_ENCLOSURES):
        place = f"{_ENCLOSURES}/{address}"
        number, slots = tree.text(f"{place}/id"), _slots(tree, place)
        if number is None:
            return None  # it is there, but which one is not known
        # An ID of zeros may be that of any other: the module looks at their disks.
        alike = [one for one in found if one["id"] == number and is_own(number)]
        seen = next((one for one in alike if not _differ(tree, one["slots"], slots)), None)
        if seen is None:
            found.append(_enclosure(tree, programs, place, number, slots))
        else:
            seen["paths"] += 1
            if not seen.get("elements"):  # the first path may be one that is lost
                seen.update(known({"elements": _elements(tree, programs, place)}))
            seen["slots"] = _joined(seen["slots"], slots)
    return found


def _differ(tree: HostFiles, first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Whether all slots in two views have other disks: one maker's backplanes may have one ID."""
    one, other = (
        {
            slot["slot"]: number
            for slot in slots
            for number in [serial(tree, f"{_BLOCK}/{slot.get('device')}")]
            if number
        }
        for slots in (first, second)
    )
    return bool(one.keys() & other.keys()) and not one.items() & other.items()


def _enclosure(
    tree: HostFiles, programs: HostCommands, place: str, number: str, slots: Sequence[Any]
) -> dict[str, Any]:
    return known(
        {
            "id": number,
            "serial": serial(tree, place),
            "vendor": tree.text(f"{place}/device/vendor"),
            "model": tree.text(f"{place}/device/model"),
            "paths": 1,
            "slots": slots,
            "elements": _elements(tree, programs, place),
        }
    )


def _slots(tree: HostFiles, place: str) -> list[dict[str, Any]]:
    found = []
    for name in tree.names(place):
        below = f"{place}/{name}"
        number = tree.count(f"{below}/slot")
        if number is None:
            continue
        found.append(
            known(
                {
                    "slot": number,
                    "device": next(iter(tree.names(f"{below}/device/block")), None),
                    "status": status(tree.text(f"{below}/status")),
                    "fault": slot_fault(tree.count(f"{below}/fault")),
                    "power": tree.text(f"{below}/power_status"),
                }
            )
        )
    # Parts of an enclosure may number their own slots.
    first = {slot["slot"]: slot for slot in reversed(found)}
    return [first[number] for number in sorted(first)]


def _joined(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> list[Any]:
    """Merge slots as two paths show them: a value that only one shows is kept, the worse counts."""
    slots = {slot["slot"]: slot for slot in first}
    for slot in second:
        known_ = slots.get(slot["slot"], slot)
        worse = {
            "status": worst(known_["status"], slot["status"]),
            "fault": known_.get("fault") or slot.get("fault"),
        }
        slots[slot["slot"]] = {**slot, **known_, **known(worse)}
    return [slots[number] for number in sorted(slots)]


def _elements(
    tree: HostFiles, programs: HostCommands, place: str
) -> Optional[list[dict[str, Any]]]:
    """Elements other than slots; None if sg_ses is not installed or not permitted, or was cut."""
    generic = next(iter(tree.names(f"{place}/device/scsi_generic")), None)
    text = programs.output("sg_ses", "--page=es", f"/dev/{generic}") if generic else None
    return elements_of(text) if text and text.endswith("\n") else None


def elements_of(text: str) -> list[dict[str, Any]]:
    """Parse sg_ses' enclosure status page; returns the elements except slots."""
    found: list[dict[str, Any]] = []
    kind = name = ""
    for line in text.splitlines():
        type_, element, told = (p.match(line) for p in (_TYPE, _ELEMENT, _ELEMENT_STATUS))
        if type_:
            kind, name = type_.group(1).lower(), ""
        elif element:
            name = f"{kind} {element.group(1)}"
        elif told and name and kind not in _SLOT_TYPES:
            word = status(told.group(1))
            if word in ("OK", _UNKNOWN) and _PREDICTED.match(line):
                word = "noncritical"
            found.append({"type": kind, "name": name, "status": word})
            name = ""
    return found


def multipath(tree: HostFiles, programs: HostCommands) -> Optional[list[dict[str, Any]]]:
    """The section ``multipath``: the maps that multipathd or the kernel knows.

    The state of a path is multipathd's; the SCSI device's only where multipathd is not installed
    or not running. If its answer is cut, late or not understood, states are left out: unknown.
    None without a list of block devices.
    """
    if not tree.names(_BLOCK):
        return None
    answer = programs.json(*_MULTIPATHD)
    if answer == {} and not (programs.has(*_MULTIPATHD) and _may_run(tree, _MULTIPATHD[0])):
        return _mapped(tree, with_states=True)
    told = [] if answer is None else _maps(tree, answer)
    names = {one["name"] for one in told} | {one.get("wwid") for one in told}
    others = (one for one in _mapped(tree) if not {one["name"], one.get("wwid")} & names)
    return [*told, *others]


def _may_run(tree: HostFiles, program: str) -> bool:
    """Whether a process of the program runs; also if no processes are known at all."""
    names = [tree.text(f"proc/{one}/comm") for one in tree.names("proc") if one.isdigit()]
    return program in names or not names


def _maps(tree: HostFiles, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The maps in multipathd's answer; none if it has another form than the known one."""
    try:
        return [_map(tree, one) for one in answer["maps"]]
    except (KeyError, TypeError):
        return []


def _map(tree: HostFiles, one: Mapping[str, Any]) -> dict[str, Any]:
    """A map. Raises KeyError or TypeError for one of another form."""
    return known(
        {
            "name": _word(one["name"]),
            "wwid": _word(one["uuid"]),
            "paths": [
                known(
                    {
                        "device": _word(path["dev"]),
                        "hctl": _hctl(tree, path["dev"]),
                        "state": _word(path.get("dm_st", _UNKNOWN)),
                        "checker": _word(path.get("chk_st", _UNKNOWN)),
                    }
                )
                for group in one["path_groups"]
                for path in group["paths"]
            ],
        }
    )


def _word(value: Any) -> str:
    """A name or state. Raises TypeError for what is none."""
    if not isinstance(value, str) or not value:
        raise TypeError(f"{value!a} is no word")
    return printable(value)


def _mapped(tree: HostFiles, with_states: bool = False) -> list[dict[str, Any]]:
    """The multipath devices that the kernel knows."""
    return [
        _from_kernel(tree, name, with_states)
        for name in tree.names(_BLOCK)
        if (tree.text(f"{_BLOCK}/{name}/dm/uuid") or "").startswith("mpath-")
    ]


def _from_kernel(tree: HostFiles, name: str, with_states: bool) -> dict[str, Any]:
    """A multipath device; with states, each path has that of its device."""
    place = f"{_BLOCK}/{name}"
    paths = []
    for slave in in_order(tree.names(f"{place}/slaves")):
        state = tree.text(f"{_BLOCK}/{slave}/device/state") if with_states else None
        paths.append(known({"device": slave, "hctl": _hctl(tree, slave), "state": state}))
    return known(
        {
            "name": tree.text(f"{place}/dm/name") or name,
            "wwid": (tree.text(f"{place}/dm/uuid") or "")[len("mpath-") :],
            "paths": paths,
        }
    )


def _hctl(tree: HostFiles, disk: str) -> Optional[str]:
    """Host, channel, target and LUN of a SCSI disk, as "0:0:1:0"; None for other disks."""
    name = (tree.real(f"{_BLOCK}/{disk}/device") or "").rpartition("/")[2]
    return name if name.count(":") == 3 else None
