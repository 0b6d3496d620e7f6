"""Host facts: a host's devices, enclosures, paths and properties (format 1).

docs/host-facts.md describes the format. A missing section is None: unknown. Sizes are bytes, times
seconds; counters start at an unknown time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any, Optional

from ..errors import InvalidValue
from . import json_fields
from .json_fields import known, list_of, meaning, needed, noun_of, read, within, word

FORMAT = 1
# The ``source`` of facts that do not come from the host itself.
ORCHESTRATOR = "orchestrator"
# Facts that are older are ignored.
STALE_SECONDS = 2 * 86400.0
# Limits above those of any host, so that nested lists are processed within seconds. SES-3 numbers
# slots with a byte.
_MOST, MOST_ENCLOSURES, _MOST_PATHS = 20_000, 256, 64
MOST_SLOTS, MOST_SLOT = 1024, 65_535
# Limits above those of any machine: processors, NUMA nodes; bytes of memory; bytes/s of one core.
MOST_PROCESSORS, MOST_MEMORY, _RATE = 1_000_000, 1 << 60, 1e15
# Seconds; an unsigned int in the kernel.
_LONGEST_TIMEOUT = (1 << 32) - 1

OK, NOT_INSTALLED, UNKNOWN = "OK", "not installed", "unknown"
# SES's own words.
STATUS = (OK, "critical", "noncritical", "unrecoverable", NOT_INSTALLED, UNKNOWN)
BAD_STATUS = ("unrecoverable", "critical", "noncritical")  # worst first
_status = word(*STATUS)
# States of a path: device-mapper's words, and the kernel's permanent ones for SCSI and NVMe
# devices. Any other word, such as "undef", is not known: neither active nor lost.
_PATH_STATE = {
    **dict.fromkeys(("active", "running", "live"), "active"),
    **dict.fromkeys(("failed", "offline", "transport-offline", "blocked", "dead"), "failed"),
    **dict.fromkeys(("connecting", "deleting"), "failed"),
}
# States of multipathd's path checkers; the last are not results yet, so the state counts.
_CHECKED = {
    **{word_: word_ for word_ in ("ready", "ghost", "faulty", "shaky", "delayed", "i/o timeout")},
    **dict.fromkeys(("undef", "i/o pending", "")),
}
# WWIDs that the kernel makes of model and serial number (drivers/nvme/host/sysfs.c wwid_show;
# SPC's T10 vendor ID): no sign besides these.
_FROM_SERIAL = ("nvme.", "t10.")
_processors = within(json_fields.count, 0, MOST_PROCESSORS)
_bytes = within(json_fields.count, 0, MOST_MEMORY)


def wwid_of(wwid: Optional[str]) -> Optional[str]:
    """The WWID in lower case; None for one that tells no more than a serial number, or nothing."""
    low = (wwid or "").strip().lower()
    return None if low.startswith(_FROM_SERIAL) or not is_own(low) else low


def is_own(number: str) -> bool:
    """Whether a WWID or logical ID is one: neither empty nor only zeros or ones (in bits)."""
    digits = set(number.lower().rpartition(".")[2].replace("0x", "").replace("-", ""))
    return bool(digits) and not digits <= {"0"} and not digits <= {"f"}


def slot_fault(bits: Optional[int]) -> Optional[bool]:
    """Whether a slot is faulty, from the number in its file ``fault``; None if it tells nothing.

    The kernel's driver ses tells 4 for a fault that the enclosure senses, 2 for a LED that a
    program or a person has lit, and 6 for both (ses_get_fault); other drivers tell 1.
    """
    return None if bits is None or bits > 7 else bits & (1 | 4) != 0


@dataclass(frozen=True)
class FactOsd:
    """An OSD and the kernel's name of its data device."""

    id: int = needed(json_fields.count)
    device: Optional[str] = known(json_fields.name)


@dataclass(frozen=True)
class Process:
    """A process of an OSD; ``allocator`` is tcmalloc, jemalloc or libc."""

    osd: int = needed(json_fields.count)
    allocator: Optional[str] = known(json_fields.name)


@dataclass(frozen=True)
class Slot:
    """A slot of an enclosure; ``power`` is "on" or "off"."""

    slot: int = needed(within(json_fields.count, 0, MOST_SLOT))
    device: Optional[str] = known(json_fields.text)
    status: Optional[str] = known(_status)
    fault: Optional[bool] = known(json_fields.flag)
    power: Optional[str] = known(json_fields.text)


@dataclass(frozen=True)
class Element:
    """Another part of an enclosure: a fan, a power supply, a sensor, an expander."""

    type: str = needed(json_fields.name)
    name: Optional[str] = known(json_fields.text)
    status: Optional[str] = known(_status)


@dataclass(frozen=True)
class EnclosureFacts:
    """An enclosure as one host sees it; ``id`` is its logical identifier.

    ``paths`` is the number of paths from the host to it.
    """

    id: str = needed(json_fields.name)
    serial: Optional[str] = known(json_fields.text)
    vendor: Optional[str] = known(json_fields.text)
    model: Optional[str] = known(json_fields.text)
    paths: Optional[int] = known(within(json_fields.count, 0, MOST_SLOTS))
    slots: tuple[Slot, ...] = known(list_of(Slot, MOST_SLOTS), ())
    elements: tuple[Element, ...] = known(list_of(Element, MOST_SLOTS), ())


@dataclass(frozen=True)
class Path:
    """One path of a multipath device: ``state`` active or failed, ``checker`` the path checker's.

    A word for the state that is not known is None, one for the checker is "unknown": then it is not
    known whether the path can be used.
    """

    device: str = needed(json_fields.name)
    hctl: Optional[str] = known(json_fields.text)
    state: Optional[str] = known(meaning(_PATH_STATE))
    checker: Optional[str] = known(meaning(_CHECKED, UNKNOWN))


@dataclass(frozen=True)
class MultipathFacts:
    """A multipath device; ``expected_paths`` only if the facts name a number."""

    name: str = needed(json_fields.name)
    wwid: Optional[str] = known(json_fields.text)
    expected_paths: Optional[int] = known(within(json_fields.count, 1, _MOST_PATHS))
    paths: tuple[Path, ...] = known(list_of(Path, _MOST_PATHS), ())


@dataclass(frozen=True)
class Phy:
    """A SAS phy with its error counters."""

    phy: str = needed(json_fields.name)
    device: Optional[str] = known(json_fields.text)
    invalid_dword: Optional[int] = known(json_fields.count)
    running_disparity: Optional[int] = known(json_fields.count)
    loss_of_dword_sync: Optional[int] = known(json_fields.count)
    phy_reset_problem: Optional[int] = known(json_fields.count)
    negotiated_linkrate: Optional[str] = known(json_fields.text)


@dataclass(frozen=True)
class PcieLink:
    """The link to an NVMe drive at a PCI ``address``, with the error counters of both ends.

    ``correctable`` errors were corrected by the link, ``nonfatal`` were not, ``fatal`` took it
    down.
    """

    device: str = needed(json_fields.name)
    address: Optional[str] = known(json_fields.text)
    correctable: Optional[int] = known(json_fields.count)
    nonfatal: Optional[int] = known(json_fields.count)
    fatal: Optional[int] = known(json_fields.count)


@dataclass(frozen=True)
class BlockDevice:
    """A disk by its kernel name; ``holder`` is the device on top of it, as dm-3.

    ``paths`` are those that the kernel itself joins, of NVMe drives.
    """

    device: str = needed(json_fields.name)
    holder: Optional[str] = known(json_fields.text)
    wwid: Optional[str] = known(json_fields.text)
    serial: Optional[str] = known(json_fields.text)
    model: Optional[str] = known(json_fields.text)
    rotational: Optional[bool] = known(json_fields.flag)
    paths: tuple[Path, ...] = known(list_of(Path, _MOST_PATHS), ())


@dataclass(frozen=True)
class Smart:
    """The SMART counters of a disk, and what it says of itself.

    ``critical_warning`` has the bits of NVMe's health log; ``failing`` is the result of an ATA or
    SCSI disk's own check.
    """

    device: str = needed(json_fields.name)
    udma_crc_errors: Optional[int] = known(json_fields.count)
    pending_sectors: Optional[int] = known(json_fields.count)
    media_errors: Optional[int] = known(json_fields.count)
    grown_defects: Optional[int] = known(json_fields.count)
    critical_warning: Optional[int] = known(json_fields.count)
    failing: Optional[bool] = known(json_fields.flag)


@dataclass(frozen=True)
class Cpu:
    """``iommu``: off, passthrough or translated."""

    model: Optional[str] = known(json_fields.text)
    cores: Optional[int] = known(_processors)
    threads: Optional[int] = known(_processors)
    governor: Optional[str] = known(json_fields.text)
    deepest_cstate: Optional[str] = known(json_fields.text)
    iommu: Optional[str] = known(json_fields.text)


@dataclass(frozen=True)
class Numa:
    """``miss_percent``: pages allocated on another node than wanted, since boot."""

    nodes: Optional[int] = known(_processors)
    miss_percent: Optional[float] = known(within(json_fields.number, 0, 100))


@dataclass(frozen=True)
class MemoryFacts:
    """``thp``: the setting of transparent huge pages."""

    total_bytes: Optional[int] = known(_bytes)
    swap_used_bytes: Optional[int] = known(_bytes)
    thp: Optional[str] = known(json_fields.text)


@dataclass(frozen=True)
class Kernel:
    """Parameters of the kernel."""

    release: Optional[str] = known(json_fields.text)
    nvme_io_timeout_seconds: Optional[float] = known(
        within(json_fields.number, 0, _LONGEST_TIMEOUT)
    )


@dataclass(frozen=True)
class Crc32c:
    """The speed at which one core of the host computes CRC32C."""

    bytes_per_second: Optional[float] = known(within(json_fields.number, 0, _RATE))


@dataclass(frozen=True)
class HostFacts:
    """The facts of one host at ``collected_at`` (unix seconds).

    ``source`` is their source if not the host.
    """

    host: str = needed(json_fields.name)
    collected_at: float = needed(json_fields.moment)
    source: Optional[str] = known(json_fields.text)
    osds: Optional[tuple[FactOsd, ...]] = known(list_of(FactOsd, _MOST))
    processes: Optional[tuple[Process, ...]] = known(list_of(Process, _MOST))
    enclosures: Optional[tuple[EnclosureFacts, ...]] = known(
        list_of(EnclosureFacts, MOST_ENCLOSURES)
    )
    multipath: Optional[tuple[MultipathFacts, ...]] = known(list_of(MultipathFacts, _MOST))
    phys: Optional[tuple[Phy, ...]] = known(list_of(Phy, _MOST))
    pcie: Optional[tuple[PcieLink, ...]] = known(list_of(PcieLink, _MOST))
    block: Optional[tuple[BlockDevice, ...]] = known(list_of(BlockDevice, _MOST))
    smart: Optional[tuple[Smart, ...]] = known(list_of(Smart, _MOST))
    cpu: Optional[Cpu] = known(noun_of(Cpu))
    numa: Optional[Numa] = known(noun_of(Numa))
    memory: Optional[MemoryFacts] = known(noun_of(MemoryFacts))
    kernel: Optional[Kernel] = known(noun_of(Kernel))
    crc32c: Optional[Crc32c] = known(noun_of(Crc32c))

    def joined_by_kernel(self) -> list[MultipathFacts]:
        """NVMe drives as multipath devices, also those with one path."""
        return [
            MultipathFacts(one.device, one.wwid, None, one.paths)
            for one in self.block or ()
            if one.paths
        ]

    def maps(self) -> list[MultipathFacts]:
        """All multipath devices, also those that the kernel joins."""
        return [*(self.multipath or ()), *self.joined_by_kernel()]

    def devices_by_osd(self) -> dict[int, str]:
        """The devices of OSDs in these facts; the first one of each OSD."""
        devices: dict[int, str] = {}
        for one in self.osds or ():
            if one.device is not None:
                devices.setdefault(one.id, one.device)
        return devices


def document_of(facts: HostFacts) -> dict[str, Any]:
    """The facts as a document, which ``facts_of`` reads; what is not known is left out."""
    at = datetime.fromtimestamp(facts.collected_at, timezone.utc).isoformat()
    return {**_told(asdict(facts)), "format": FORMAT, "collected_at": at}


def _told(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _told(one) for key, one in value.items() if one is not None}
    return [_told(one) for one in value] if isinstance(value, tuple) else value


def facts_of(document: Any) -> HostFacts:
    """Parse facts. Raises InvalidValue with the path of the first bad field."""
    if not isinstance(document, Mapping):
        raise json_fields.wrong("the document", "an object", document)
    if "format" not in document:
        raise InvalidValue("format is missing: these are no host facts", field="format")
    format_ = json_fields.count(document["format"], "format")
    if format_ > FORMAT:
        raise InvalidValue(
            f"format {format_} is newer than {FORMAT}, the newest that this version knows: "
            "install a newer perf_bench first",
            field="format",
        )
    if format_ < FORMAT:
        raise json_fields.wrong("format", f"{FORMAT}", format_)
    facts = read(HostFacts, document)
    for index, enclosure in enumerate(facts.enclosures or ()):
        _once(f"enclosures[{index}].slots", "slot", [slot.slot for slot in enclosure.slots])
    _once("multipath", "wwid", [one.wwid or None for one in facts.multipath or ()])
    return facts


def _once(list_: str, key: str, values: Sequence[Any]) -> None:
    """Raise InvalidValue if two entries of a list have the same value; None may repeat."""
    seen: dict[Any, int] = {}
    for index, value in enumerate(values):
        first = index if value is None else seen.setdefault(value, index)
        if first != index:
            path = f"{list_}[{index}].{key}"
            raise InvalidValue(f"{path} is {value!a}, the same as that of [{first}]", field=path)
