"""Store the orchestrator's facts of hosts that do not report their own (docs/host-facts.md).

cephadm reports enclosures with slots and the alternative names of disks on 18 and 20, not on 16.
node-proxy reports the health of a server's parts from its management controller. Any field may be
missing; a field of an unexpected form is left out.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Protocol

from ..core.clock import Clock
from ..errors import InvalidValue, NotFound, StoreUnavailable
from ..model import hardware as facts
from ..model.cluster import Cluster, Every
from .host_facts import HostFactsRegistry
from .rules.identity import SERVER

_EVERY = 3600.0
_SOON = 120.0
# Hosts that are stored in one tick: each waits for the database, some 40 ms.
_A_TICK = 10
_MAPS_AGE = 600.0


class Orchestrator(Protocol):
    """The orchestrator's data."""

    def facts(self) -> Sequence[Mapping[str, Any]]:
        """Cephadm's facts of all hosts; none without an orchestrator."""

    def hardware(self) -> Optional[Mapping[str, Any]]:
        """By host node-proxy's report of its parts; None if there is none, or it failed."""


class OrchestratorFacts:
    """Ticks on one thread."""

    def __init__(
        self,
        orchestrator: Orchestrator,
        hosts: HostFactsRegistry,
        cluster: Cluster,
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        self._orchestrator = orchestrator
        self._hosts = hosts
        self._cluster = cluster
        self._clock = clock
        self._log = log
        self._timer = Every(_EVERY, clock.monotonic() + _SOON)
        self._waiting: deque[Mapping[str, Any]] = deque()
        self._hardware: Optional[Mapping[str, Any]] = None
        self._refused: dict[str, str] = {}

    def tick(self) -> None:
        """Call every few seconds; reads the orchestrator once an hour."""
        if self._timer.is_due(self._clock.monotonic()):
            self._waiting = deque(self._orchestrator.facts())
            self._hardware = self._orchestrator.hardware() if self._waiting else None
        for _ in range(min(_A_TICK, len(self._waiting))):
            raw = self._waiting.popleft()
            try:
                self._take(raw)
            except StoreUnavailable as error:
                self._waiting.appendleft(raw)
                self._log.debug("the orchestrator's facts cannot be stored yet: %s", error)
                return
            except Exception:  # noqa: BLE001 - one host must not keep out the others
                self._log.exception("the orchestrator's facts of %a", raw.get("hostname"))

    def _take(self, raw: Mapping[str, Any]) -> None:
        now, host = self._clock.now(), str(raw.get("hostname"))
        hardware = (self._hardware or {}).get(host)
        try:
            told = facts_from(raw, hardware if isinstance(hardware, Mapping) else {}, now)
            if told is None or self._says_less(told.host, now):
                return
            self._hosts.take_facts(told, self._cluster.osds(_MAPS_AGE))
            self._refused.pop(host, None)
        except NotFound:  # a host without OSDs
            pass
        except InvalidValue as error:
            if self._refused.get(host) != str(error):  # once, not every hour
                self._log.warning("the orchestrator's facts of %s: %s", host, error)
                self._refused[host] = str(error)

    def _says_less(self, host: str, now: float) -> bool:
        """Whether known facts are fresh, and have more detail.

        As those of the host itself, or with its server's parts while their report fails: without
        it none of them would be faulty.
        """
        known = self._hosts.known().get(host)
        if known is None or now - known.facts.collected_at >= facts.STALE_SECONDS:
            return False
        if known.facts.source != facts.ORCHESTRATOR:
            return True
        parts = any(one.id.startswith(SERVER) for one in known.facts.enclosures or ())
        return parts and self._hardware is None


# --- cephadm's and node-proxy's reports as facts ---

_KIB = 1024
# Characters of a text, fewer than facts may have: the name of a server begins with a word of ours.
_LONGEST = 256
# The health of a part: Redfish's word → SES's word.
_HEALTH = {"ok": facts.OK, "warning": "noncritical", "critical": "critical"}
# Kinds of parts of a server that report their health.
_PARTS = ("power", "fans", "storage", "memory", "processors", "network", "temperatures")


def facts_from(
    raw: Mapping[str, Any], hardware: Mapping[str, Any], now: float
) -> Optional[facts.HostFacts]:
    """Facts from cephadm's and node-proxy's reports of one host; None if they name no host.

    ``now`` (unix seconds) replaces a missing time. Raises InvalidValue for more enclosures than
    facts may have.
    """
    host = raw.get("hostname")
    if not isinstance(host, str) or not host.strip():
        return None
    reported = raw.get("timestamp")
    known = isinstance(reported, (int, float)) and 0 < reported <= now
    collected_at: Any = reported if known else now
    enclosures = (*_enclosures(raw, _by_serial(raw)), *_server(hardware))
    if len(enclosures) > facts.MOST_ENCLOSURES:
        raise InvalidValue(f"{len(enclosures)} enclosures are more than {facts.MOST_ENCLOSURES}")
    paths = tuple(_maps(raw)) if "enclosures" in raw and _tells_paths(raw) else None
    memory = _times(raw.get("memory_total_kb"), _KIB, facts.MOST_MEMORY)
    return facts.HostFacts(
        host.strip(),
        float(collected_at),
        facts.ORCHESTRATOR,
        enclosures=enclosures if "enclosures" in raw or enclosures else None,
        multipath=paths,
        block=tuple(_disks(raw)),
        cpu=_cpu(raw),
        memory=facts.MemoryFacts(memory),
        kernel=facts.Kernel(_text(raw.get("kernel"))),
    )


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


def _disks(raw: Mapping[str, Any]) -> Iterator[facts.BlockDevice]:
    for disk in _listed(raw):
        first, *others = _names(disk)
        for name in (first, *others):
            yield facts.BlockDevice(
                name,
                # It is that of the first; others with its serial number may have another.
                wwid=_text(disk.get("wwid")) if name == first else None,
                serial=_text(disk.get("serial")),
                model=_text(disk.get("model")),
                rotational=disk.get("disk_type") == "hdd",
            )


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


def _maps(raw: Mapping[str, Any]) -> Iterator[facts.MultipathFacts]:
    seen: set[Optional[str]] = set()
    for disk in _listed(raw):
        wwid = _text(disk.get("wwid"))
        if _map_of(disk):
            paths = tuple(map(facts.Path, _names(disk)))
            # a WWID that two disks share identifies neither
            yield facts.MultipathFacts(_map_of(disk), None if wwid in seen else wwid, paths=paths)
            seen.add(wwid)


def _enclosures(
    raw: Mapping[str, Any], by_serial: Mapping[str, str]
) -> Iterator[facts.EnclosureFacts]:
    reported = raw.get("enclosures")
    for number, enclosure in sorted(reported.items()) if isinstance(reported, Mapping) else ():
        if not isinstance(enclosure, Mapping) or not _text(number):
            continue
        slots = enclosure.get("slot_map")
        numbered = sorted(_by_number(slots if isinstance(slots, Mapping) else {}))
        serials = Counter(str(of.get("serial", "")) for _, of in numbered)
        once = {serial: name for serial, name in by_serial.items() if serials[serial] == 1}
        yield facts.EnclosureFacts(
            str(_text(number)),
            vendor=_text(enclosure.get("vendor")),
            model=_text(enclosure.get("model")),
            paths=_count(enclosure.get("path_count"), facts.MOST_SLOTS),
            slots=tuple(_slot(slot, of, once) for slot, of in numbered)[: facts.MOST_SLOTS],
        )


def _by_number(slots: Mapping[Any, Any]) -> Iterable[tuple[int, Mapping[str, Any]]]:
    """Slots by number, each once: "1" and "01" are the same slot."""
    by_number = {
        int(slot): fields
        for slot, fields in slots.items()
        if _is_slot(str(slot)) and isinstance(fields, Mapping)
    }
    return by_number.items()


def _is_slot(text: str) -> bool:
    return (
        text.isdecimal() and len(text) <= len(str(facts.MOST_SLOT)) and int(text) <= facts.MOST_SLOT
    )


def _slot(number: int, fields: Mapping[str, Any], by_serial: Mapping[str, str]) -> facts.Slot:
    fault = str(fields.get("fault"))
    return facts.Slot(
        number,
        by_serial.get(str(fields.get("serial", ""))),
        _status(fields.get("status")),
        facts.slot_fault(int(fault) if fault.isdecimal() and len(fault) == 1 else None),
    )


def _status(word: Any) -> Optional[str]:
    if not isinstance(word, str) or not word:
        return None
    known = {status.lower(): status for status in facts.STATUS}
    return known.get(word.strip().lower(), facts.UNKNOWN)


def _server(hardware: Mapping[str, Any]) -> Iterator[facts.EnclosureFacts]:
    """The server's parts, as an enclosure without slots."""
    number, status = _text(hardware.get("sn")), hardware.get("status")
    if not number or not isinstance(status, Mapping):
        return
    elements = tuple(
        element
        for kind in _PARTS
        for name, part in sorted(_parts(status.get(kind)), key=lambda one: one[0])
        for element in [_element(kind, name, part)]
        if element is not None
    )
    if elements:
        yield facts.EnclosureFacts(
            f"{SERVER}{number}", number, elements=elements[: facts.MOST_SLOTS]
        )


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


def _element(kind: str, name: str, part: Mapping[str, Any]) -> Optional[facts.Element]:
    """A part as an element; None if it reports no health, as one that is switched off."""
    health = part["status"].get("health")
    if not isinstance(health, str):
        return None
    label = _text(part.get("name")) or _text(part.get("description")) or _text(name)
    return facts.Element(kind, label, _HEALTH.get(health.lower(), facts.UNKNOWN))


def _cpu(raw: Mapping[str, Any]) -> facts.Cpu:
    sockets = _count(raw.get("cpu_count"), facts.MOST_PROCESSORS)
    cores, threads = (
        _times(raw.get(name), sockets, facts.MOST_PROCESSORS)
        for name in ("cpu_cores", "cpu_threads")
    )
    return facts.Cpu(_text(raw.get("cpu_model")), cores, threads)


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
