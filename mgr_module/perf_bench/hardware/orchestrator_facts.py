"""Store the orchestrator's facts of hosts that do not report their own (docs/host-facts.md).

cephadm reports enclosures with slots and the alternative names of disks on 18 and 20, not on 16.
Any field may be missing; a field of an unexpected form is left out. What node-proxy tells of the
parts of servers is Ceph's own to report: its health has HARDWARE_POWER and the like.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ..core.clock import Clock
from ..errors import InvalidValue, NotFound, StoreUnavailable
from ..model import hardware as facts
from ..model.cluster import Cluster, Every
from ..model.json_fields import LARGEST_COUNT
from .host_facts import HostFactsRegistry

_EVERY = 3600.0
_SOON = 120.0
# Hosts that are stored in one tick: each waits for the database, some 40 ms.
_A_TICK = 10
_MAPS_AGE = 600.0


class OrchestratorFacts:
    """Ticks on one thread."""

    def __init__(
        self,
        read: Callable[[], Sequence[Mapping[str, Any]]],
        hosts: HostFactsRegistry,
        cluster: Cluster,
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        """``read`` returns cephadm's facts of all hosts; none without an orchestrator."""
        self._read = read
        self._hosts = hosts
        self._cluster = cluster
        self._clock = clock
        self._log = log
        self._timer = Every(_EVERY, clock.monotonic() + _SOON)
        self._waiting: deque[Mapping[str, Any]] = deque()
        self._refused: dict[str, str] = {}

    def tick(self) -> None:
        """Call every few seconds; reads the orchestrator once an hour."""
        if self._timer.is_due(self._clock.monotonic()):
            self._waiting = deque(self._read())
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
        try:
            told = facts_from(raw, now)
            if told is None or self._tells_its_own(told.host, now):
                return
            self._hosts.take_facts(told, self._cluster.osds(_MAPS_AGE))
            self._refused.pop(host, None)
        except NotFound:  # a host without OSDs
            pass
        except InvalidValue as error:
            if self._refused.get(host) != str(error):  # once, not every hour
                self._log.warning("the orchestrator's facts of %s: %s", host, error)
                self._refused[host] = str(error)

    def _tells_its_own(self, host: str, now: float) -> bool:
        """Whether facts of the host itself are fresh: they have more detail."""
        known = self._hosts.known().get(host)
        own = known is not None and known.facts.source != facts.ORCHESTRATOR
        return own and known is not None and known.facts.is_fresh(now)


# --- cephadm's report as facts ---

_KIB = 1024
# Characters of a text; more are garbage.
_LONGEST = 256
# Digits of a slot's number.
_DIGITS = len(str(facts.MOST_SLOT))


def facts_from(raw: Mapping[str, Any], now: float) -> Optional[facts.HostFacts]:
    """Facts from cephadm's report of one host; None if it names no host.

    ``now`` (unix seconds) replaces a missing time. Raises InvalidValue for more enclosures than
    facts may have.
    """
    host = raw.get("hostname")
    if not isinstance(host, str) or not host.strip():
        return None
    reported = raw.get("timestamp")
    known = isinstance(reported, (int, float)) and 0 < reported <= now
    collected_at: Any = reported if known else now
    disks = list(_disks(raw))
    enclosures = tuple(_enclosures(raw, _by_serial(disks)))
    if len(enclosures) > facts.MOST_ENCLOSURES:
        raise InvalidValue(f"{len(enclosures)} enclosures are more than {facts.MOST_ENCLOSURES}")
    # A map is known, or no disk has other names that may be paths.
    alone = bool(disks) and all(len(one.names) == 1 for one in disks)
    tells_paths = "enclosures" in raw and (alone or any(one.map for one in disks))
    memory = _times(raw.get("memory_total_kb"), _KIB)
    return facts.HostFacts(
        host.strip(),
        float(collected_at),
        facts.ORCHESTRATOR,
        # None told may mean none, or that the kernel's module "ses" is not loaded.
        enclosures=enclosures or None,
        multipath=tuple(_maps(disks)) if tells_paths else None,
        block=tuple(
            # The WWID is that of the first; others with its serial number may have another.
            replace(one.device, device=name, wwid=None if number else one.device.wwid)
            for one in disks
            for number, name in enumerate(one.names)
        )
        or None,
        cpu=_cpu(raw),
        memory=facts.MemoryFacts(memory),
        kernel=facts.Kernel(_text(raw.get("kernel"))),
    )


class _Disk(NamedTuple):
    """A disk by its first name, with all kernel names that have its serial number.

    They are paths to one disk only where it has a ``map``, the name of its multipath device
    (cephadm knows those named ``mpath…``): RAID controllers give all logical drives one serial
    number.
    """

    device: facts.BlockDevice
    names: Sequence[str]
    map: str


def _disks(raw: Mapping[str, Any]) -> Iterator[_Disk]:
    for kind in ("hdd_list", "flash_list"):
        listed = raw.get(kind)
        for disk in map(_mapping, listed if isinstance(listed, list) else ()):
            wwid, serial = _text(disk.get("wwid")), _text(disk.get("serial"))
            name, others = _text(disk.get("dev_name")), _text(disk.get("alt_dev_name")) or ""
            rotates = disk.get("disk_type") == "hdd"
            if name:
                yield _Disk(
                    facts.BlockDevice(name, wwid, serial, rotates),
                    [name, *filter(None, map(_text, others.split(",")))],
                    (_text(disk.get("mpath")) or "").rpartition("/")[2],
                )


def _by_serial(disks: Sequence[_Disk]) -> dict[str, str]:
    """By serial number the device of the disk, where it is known to be of one disk."""
    counts = Counter(one.device.serial for one in disks)
    return {
        one.device.serial: one.names[0]
        for one in disks
        if one.device.serial and counts[one.device.serial] == 1
        if len(one.names) == 1 or one.map
    }


def _maps(disks: Sequence[_Disk]) -> Iterator[facts.MultipathFacts]:
    seen: set[Optional[str]] = set()
    for one in disks:
        if one.map:
            # a WWID that two disks share identifies neither
            wwid = None if one.device.wwid in seen else one.device.wwid
            yield facts.MultipathFacts(one.map, wwid, paths=tuple(map(facts.Path, one.names)))
            seen.add(one.device.wwid)


def _enclosures(
    raw: Mapping[str, Any], by_serial: Mapping[str, str]
) -> Iterator[facts.EnclosureFacts]:
    for number, told in sorted(_mapping(raw.get("enclosures")).items()):
        enclosure, name = _mapping(told), _text(number)
        if not name or not isinstance(told, Mapping):
            continue
        # By number, each once: "1" and "01" are the same slot.
        slots = {
            int(slot): fields
            for slot, fields in _mapping(enclosure.get("slot_map")).items()
            if _is_slot(str(slot)) and isinstance(fields, Mapping)
        }
        serials = Counter(str(of.get("serial", "")) for of in slots.values())
        once = {serial: name for serial, name in by_serial.items() if serials[serial] == 1}
        yield facts.EnclosureFacts(
            name,
            vendor=_text(enclosure.get("vendor")),
            model=_text(enclosure.get("model")),
            paths=_count(enclosure.get("path_count")),
            slots=tuple(_slot(*one, once) for one in sorted(slots.items()))[: facts.MOST_SLOTS],
        )


def _is_slot(text: str) -> bool:
    return text.isdecimal() and len(text) <= _DIGITS and int(text) <= facts.MOST_SLOT


def _slot(number: int, fields: Mapping[str, Any], by_serial: Mapping[str, str]) -> facts.Slot:
    fault, word = str(fields.get("fault")), fields.get("status")
    known = {status.lower(): status for status in facts.STATUS}
    return facts.Slot(
        number,
        by_serial.get(str(fields.get("serial", ""))),
        known.get(word.strip().lower(), facts.UNKNOWN) if word and isinstance(word, str) else None,
        facts.slot_fault(int(fault) if fault.isdecimal() and len(fault) == 1 else None),
    )


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def _cpu(raw: Mapping[str, Any]) -> facts.Cpu:
    sockets = _count(raw.get("cpu_count"))
    cores, threads = (_times(raw.get(name), sockets) for name in ("cpu_cores", "cpu_threads"))
    return facts.Cpu(_text(raw.get("cpu_model")), cores, threads)


def _times(value: Any, factor: Optional[int]) -> Optional[int]:
    count = _count(value)
    return _count(count * factor) if count and factor else None


def _count(value: Any) -> Optional[int]:
    """A whole number; None if it is one that facts may not have."""
    return value if type(value) is int and 0 <= value <= LARGEST_COUNT else None


def _text(value: Any) -> Optional[str]:
    """A text, stripped; None if it is empty or "Unknown", cephadm's word for a missing value.

    So is one that facts may not have: a serial number of garbage costs a host no other facts.
    """
    text = value.strip() if isinstance(value, str) else ""
    usable = text.isprintable() and len(text) <= _LONGEST
    return text if text and usable and text.lower() != "unknown" else None
