"""Hardware: facts of hosts (format 1); and drives, enclosures, paths and error counters of them.

docs/host-facts.md describes the format. A missing section is None: unknown. Sizes are bytes, times
seconds; counters start at an unknown time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Annotated, Any, NamedTuple, Optional

from ..errors import InvalidValue
from . import json_fields
from .json_fields import Moment, Part, Tenths, decode, known, many, meaning, needed, within, word
from .osd import Osd

FORMAT = 1
# The ``source`` of facts that do not come from the host itself.
ORCHESTRATOR = "orchestrator"
# Facts that are older are ignored.
STALE_SECONDS = 2 * 86400.0
# Limits above those of any host, so that nested lists are processed within seconds. SES-3 numbers
# slots with a byte.
_MOST, MOST_ENCLOSURES, _MOST_PATHS = 20_000, 256, 64
MOST_SLOTS, MOST_SLOT = 1024, 65_535

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


def wwid_of(wwid: Optional[str]) -> Optional[str]:
    """The WWID in lower case; None for one that tells no more than a serial number, or nothing."""
    low = (wwid or "").strip().lower()
    return None if low.startswith(_FROM_SERIAL) or not is_own(low) else low


def is_own(number: str) -> bool:
    """Whether a WWID or logical ID is one: neither empty nor only zeros or ones (in bits)."""
    digits = set(number.lower().rpartition(".")[2].replace("0x", "").replace("-", ""))
    return bool(digits) and not digits <= {"0"} and not digits <= {"f"}


def worst(known: Optional[str], other: Optional[str]) -> Optional[str]:
    """The worse of two states of a part if one is bad; else the first that is told."""
    told = [one for one in (known, other) if one not in (None, UNKNOWN)]
    return next((one for one in (*BAD_STATUS, *told) if one in told), known or other)


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
    """A slot of an enclosure."""

    slot: int = needed(within(json_fields.count, 0, MOST_SLOT))
    device: Optional[str] = known(json_fields.text)
    status: Optional[str] = known(_status)
    fault: Optional[bool] = known()


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
    paths: Optional[int] = known(json_fields.count)
    slots: tuple[Slot, ...] = known(many(Slot, MOST_SLOTS), ())
    elements: tuple[Element, ...] = known(many(Element, MOST_SLOTS), ())


@dataclass(frozen=True)
class Path:
    """One path of a disk.

    ``state`` is active or failed, ``checker`` the path checker's. A word for the state that is not
    known is None, one for the checker is "unknown": then it is not known whether the path can be
    used.
    """

    KEYS = ("device", "hctl", "state")
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
    paths: tuple[Path, ...] = known(many(Path, _MOST_PATHS), ())


@dataclass(frozen=True)
class Phy:
    """A SAS phy with its error counters."""

    phy: str = needed(json_fields.name)
    device: Optional[str] = known(json_fields.text)
    invalid_dword: Optional[int] = known(json_fields.count)
    running_disparity: Optional[int] = known(json_fields.count)
    loss_of_dword_sync: Optional[int] = known(json_fields.count)
    phy_reset_problem: Optional[int] = known(json_fields.count)


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
    """A disk by its kernel name.

    ``paths`` are those that the kernel itself joins, of NVMe drives.
    """

    device: str = needed(json_fields.name)
    wwid: Optional[str] = known(json_fields.text)
    serial: Optional[str] = known(json_fields.text)
    rotational: Optional[bool] = known()
    paths: tuple[Path, ...] = known(many(Path, _MOST_PATHS), ())


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
    failing: Optional[bool] = known()


@dataclass(frozen=True)
class Cpu:
    """``iommu``: off, passthrough or translated."""

    model: Optional[str] = known(json_fields.text)
    cores: Optional[int] = known(json_fields.count)
    threads: Optional[int] = known(json_fields.count)
    governor: Optional[str] = known(json_fields.text)
    deepest_cstate: Optional[str] = known(json_fields.text)
    iommu: Optional[str] = known(json_fields.text)


@dataclass(frozen=True)
class Numa:
    """``miss_percent``: pages allocated on another node than wanted, since boot."""

    nodes: Optional[int] = known(json_fields.count)
    miss_percent: Optional[float] = known(within(json_fields.number, 0, 100))


@dataclass(frozen=True)
class MemoryFacts:
    """``thp``: the setting of transparent huge pages."""

    total_bytes: Optional[int] = known(json_fields.count)
    swap_used_bytes: Optional[int] = known(json_fields.count)
    thp: Optional[str] = known(json_fields.text)


@dataclass(frozen=True)
class Kernel:
    """Parameters of the kernel."""

    release: Optional[str] = known(json_fields.text)
    nvme_io_timeout_seconds: Optional[float] = known(json_fields.number)


@dataclass(frozen=True)
class Crc32c:
    """The speed at which one core of the host computes CRC32C."""

    bytes_per_second: Optional[float] = known(json_fields.number)


@dataclass(frozen=True)
class HostFacts:
    """The facts of one host at ``collected_at`` (unix seconds).

    ``source`` is their source if not the host.
    """

    host: str = needed(json_fields.name)
    collected_at: json_fields.Moment = needed(json_fields.moment)  # noqa: RUF009 - a field
    source: Optional[str] = known(json_fields.text)
    osds: Optional[tuple[FactOsd, ...]] = known(many(FactOsd, _MOST))
    processes: Optional[tuple[Process, ...]] = known(many(Process, _MOST))
    enclosures: Optional[tuple[EnclosureFacts, ...]] = known(many(EnclosureFacts, MOST_ENCLOSURES))
    multipath: Optional[tuple[MultipathFacts, ...]] = known(many(MultipathFacts, _MOST))
    phys: Optional[tuple[Phy, ...]] = known(many(Phy, _MOST))
    pcie: Optional[tuple[PcieLink, ...]] = known(many(PcieLink, _MOST))
    block: Optional[tuple[BlockDevice, ...]] = known(many(BlockDevice, _MOST))
    smart: Optional[tuple[Smart, ...]] = known(many(Smart, _MOST))
    cpu: Optional[Cpu] = None
    numa: Optional[Numa] = None
    memory: Optional[MemoryFacts] = None
    kernel: Optional[Kernel] = None
    crc32c: Optional[Crc32c] = None

    def is_fresh(self, now: float) -> bool:
        """Whether they still tell the states of parts and paths."""
        return now - self.collected_at < STALE_SECONDS

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
    facts = decode(HostFacts, document)
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


# --- the OSDs on a drive ---


@dataclass(frozen=True)
class OsdsOnDrive:
    """The IDs of the OSDs on one drive, each once.

    ``osds`` have their data on it, ``db_of`` only their DB or WAL.
    """

    osds: tuple[int, ...] = ()
    db_of: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.osds or self.db_of)

    @property
    def first(self) -> Optional[int]:
        """The first OSD with its data on the drive, if any."""
        return self.osds[0] if self.osds else None

    @property
    def all(self) -> tuple[int, ...]:
        """All OSDs that go down when the drive fails."""
        return tuple(sorted({*self.osds, *self.db_of}))

    def with_(self, others: OsdsOnDrive) -> OsdsOnDrive:
        """The union of both, for two names of one drive."""
        osds = {*self.osds, *others.osds}
        db_of = {*self.db_of, *others.db_of} - osds
        return OsdsOnDrive(tuple(sorted(osds)), tuple(sorted(db_of)))


NO_OSDS = OsdsOnDrive()
# Keys of answers about what has OSDs ``on`` it: the first, those with their data on it, and those
# with only their DB or WAL.
ON_DRIVE = (("osd", "on.first"), ("osds", "on.osds"), ("db_of", "on.db_of"))


@dataclass(frozen=True)
class DrivePlace:
    """Where the data of an OSD is. What is not known is None.

    ``device_id`` is Ceph's name of the drive ("VENDOR_MODEL_SERIAL"), None also where other drives
    have it. ``osds`` are those that are on the drive for sure, empty if that is not known;
    ``perhaps`` are others that some sign puts on it, which no command may touch.
    """

    osd: int
    host: Optional[str] = None
    device: Optional[str] = None
    device_id: Optional[str] = None
    enclosure: Optional[str] = None
    slot: Optional[str] = None
    osds: tuple[int, ...] = ()
    perhaps: tuple[int, ...] = ()


# --- the growth of an error counter that is read now and then ---

DAY = 86400.0
# Increments that are kept; with more the two oldest are merged.
_KEPT = 12


class CounterTrend(NamedTuple):
    """A counter: ``newest`` is the newest reading, at ``at``; ``first_at`` is the first reading's.

    ``grew`` has the increments of the day before the newest reading, oldest first: the time of the
    reading and the increment. Times are unix seconds. A tuple, because a host has hundreds.
    """

    newest: int
    at: json_fields.Moment
    first_at: float
    grew: tuple[tuple[float, int], ...] = ()

    @classmethod
    def first(cls, count: int, at: float) -> CounterTrend:
        return cls(count, at, at)

    def read(self, count: int, at: float, begins_at: Optional[int] = None) -> CounterTrend:
        """The trend after another reading. A reading that is not newer changes nothing.

        If it is older by a day, the newest one is from a clock that was ahead. A counter that fell
        has restarted from ``begins_at``; None means from an unknown value.
        """
        if at <= self.at - DAY:
            past = tuple(one for one in self.grew if one[0] < at)
            known = CounterTrend(self.newest, at - 1.0, min(self.first_at, at - 1.0), past)
            return known.read(count, at, begins_at)
        if at <= self.at:
            return self
        before = self.newest if count >= self.newest else begins_at
        more = 0 if before is None else count - before
        grew = [(grew_at, by) for grew_at, by in self.grew if at - grew_at < DAY]
        if more > 0:
            grew.append((at, more))
        if len(grew) > _KEPT:
            grew[:2] = [(grew[1][0], grew[0][1] + grew[1][1])]
        return CounterTrend(count, at, self.first_at, tuple(grew))

    def per_day(self, now: float) -> Optional[int]:
        """The growth within the last day; None after a single reading, and without one in it."""
        if self.first_at == self.at or now - self.at >= DAY:
            return None
        return sum(by for _, by in self._last_day(now))

    def times(self, now: float) -> int:
        """The number of readings within the last day in which it had grown."""
        return len(self._last_day(now))

    def since(self, now: float) -> Optional[float]:
        """The time of the first growth within the last day, if there is any."""
        increments = self._last_day(now)
        return increments[0][0] if increments else None

    def _last_day(self, now: float) -> list[tuple[float, int]]:
        return [(grew_at, by) for grew_at, by in self.grew if now - grew_at < DAY]


# --- enclosures and multipath devices ---

# The reasons to suspect an enclosure. PARTS is given by the newest facts alone.
NOT_THERE, FELL_TOGETHER, PARTS = "not there", "fell together", "parts"
PATHS = "paths"


class DiskId(NamedTuple):
    """A disk's WWID and serial number, where no other disk of its host has them, and its name."""

    wwid: Optional[str]
    serial: Optional[str]
    device: str


@dataclass(frozen=True)
class Bay:
    """A slot with the OSDs on its disk; ``host`` is the host that reports it."""

    slot: Slot
    host: str
    on: OsdsOnDrive = NO_OSDS
    disk: Optional[DiskId] = None


@dataclass(frozen=True)
class Enclosure:
    """One enclosure, as all hosts see it; rules/identity.py decides which views are of one.

    ``id`` is its logical identifier, after the host's name where that identifies nothing.
    ``paths`` has by host the number of paths to it, ``ids`` by host the identifiers by which it
    knows it, with their paths (None: not told). ``source`` is "facts", "map" if only the CRUSH
    map names it, or "path" if only the metadata of OSDs names it as SAS expander; the latter two
    have no bays. ``missing`` are hosts whose newest facts no longer have it.
    """

    id: str
    serial: Optional[str] = None
    vendor: Optional[str] = None
    model: Optional[str] = None
    hosts: tuple[str, ...] = ()
    bays: tuple[Bay, ...] = ()
    elements: tuple[Element, ...] = ()
    paths: Mapping[str, int] = field(default_factory=dict)
    ids: Mapping[str, Mapping[str, Optional[int]]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    osds: frozenset[int] = frozenset()
    source: Annotated[str, "enum", ("facts", "map", "path")] = "facts"

    @property
    def make(self) -> str:
        """Vendor and model; "" if both are unknown."""
        return " ".join(word for word in (self.vendor, self.model) if word)


@dataclass(frozen=True)
class Multipath:
    """A disk of several paths, or an OSD that stands on one of several (bare).

    active -- The paths that are known to be.
    drops -- How often paths were lost within a day.
    state -- Unknown: the host's facts are old, or do not tell the states of all paths.
    """

    KEYS = (*ON_DRIVE, "host", "name", "wwid", "paths", "expected", "active", "drops", "state")
    host: str
    name: str
    state: Annotated[str, "enum", ("ok", "degraded", "failed", "flapping", "bare", "unknown")]
    on: OsdsOnDrive = NO_OSDS
    wwid: Optional[str] = None
    paths: tuple[Path, ...] = ()
    expected: Optional[int] = None
    active: int = 0
    drops: int = 0


@dataclass(frozen=True)
class HostHistory:
    """What older facts of a host showed; times are unix seconds.

    ``paths`` has by multipath device (WWID or name) the most active paths ever seen, ``drops`` the
    times at which paths were lost. ``slots`` has by enclosure and slot the OSDs that were in it
    last, ``enclosure_paths`` by enclosure the most paths to it. ``errors`` has the trends of error
    counters by disk or phy, and kind. ``elements`` has by enclosure the number of states of its
    parts that were told, slots too, and when so many were.
    """

    paths: Mapping[str, int] = field(default_factory=dict)
    drops: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    active: Mapping[str, int] = field(default_factory=dict)
    slots: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    enclosure_paths: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, CounterTrend] = field(default_factory=dict)
    elements: Mapping[str, tuple[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownHost:
    """A host's newest facts, when they came (unix seconds), and the host's history."""

    facts: HostFacts
    received_at: json_fields.Moment = 0.0
    memory: HostHistory = field(default_factory=HostHistory)


# By host and device name the OSDs on that disk; each path of a disk has an entry.
Drives = Mapping[str, Mapping[str, OsdsOnDrive]]


@dataclass(frozen=True)
class HardwareSnapshot:
    """The state of the hardware at one moment.

    ``fell`` has by down OSD when it went down (unix seconds), ``by_osd`` by OSD its enclosure, from
    facts or its SAS path.
    """

    now: float
    enclosures: Sequence[Enclosure]
    osds: Mapping[int, Osd]
    hosts: Mapping[str, KnownHost] = field(default_factory=dict)
    fell: Mapping[int, float] = field(default_factory=dict)
    drives: Drives = field(default_factory=dict)
    multipaths: Sequence[Multipath] = ()
    by_osd: Mapping[int, str] = field(default_factory=dict)


# --- checksums and error counters ---

# Half of the share in the field case, see hardware/rules/checksums.py.
HOT_SHARE = 0.2

# Kinds of error counters of links and of media. BlueStore counts reads that succeeded when repeated
# and reads that failed for good; disks count the others, or say them of themselves.
PHY_KINDS = ("invalid_dword", "running_disparity", "loss_of_dword_sync", "phy_reset_problem")
# By kind the name of the counter in the facts of a link.
PCIE_CORRECTED, PCIE_NONFATAL, PCIE_FATAL = "pcie_correctable", "pcie_nonfatal", "pcie_fatal"
PCIE_KINDS = {PCIE_CORRECTED: "correctable", PCIE_NONFATAL: "nonfatal", PCIE_FATAL: "fatal"}
LINK_KINDS = ("udma_crc", *PHY_KINDS, *PCIE_KINDS)
RETRIES, EIO = "read_retries", "read_errors"
PENDING, MEDIA, GROWN = "pending_sectors", "media_errors", "grown_defects"
MEDIA_COUNTS = (RETRIES, EIO, PENDING, MEDIA, GROWN)
FAILING = "failing"
# The bits of the critical warning of NVMe drives, lowest first (NVM Express base specification,
# SMART / Health Information log page).
WARNING_KINDS = (
    "spare_blocks_low",
    "temperature_warning",
    "reliability_degraded",
    "read_only",
    "memory_backup_failed",
    "persistent_memory_unreliable",
)
# A drive that is too warm has no bad medium.
FAILING_KINDS = (FAILING, *(kind for kind in WARNING_KINDS if kind != "temperature_warning"))
MEDIA_KINDS = (*MEDIA_COUNTS, FAILING, *WARNING_KINDS)
DISK_KINDS = ("udma_crc", PENDING, MEDIA, GROWN, FAILING, *WARNING_KINDS)

LOWER_BOUND = (
    "checksums of reads from the device only: those of writes, of RocksDB and of the messenger "
    "are not counted by OSDs, so this is a lower bound"
)


class Share(NamedTuple):
    """The share (0 to 1) of the time of its op ``threads`` that an OSD spent on checksums.

    From ``begin`` to ``end`` (unix seconds). ``asked``: it was asked for it, because it does not
    send it (Ceph 16). A tuple: 10,000 are made every 15 s.
    """

    begin: float
    end: float
    share: float
    threads: int
    asked: bool = False


@dataclass(frozen=True)
class ChecksumAnswer:
    """An OSD's counters since it started, as it answered at ``at`` (unix seconds).

    ``seconds`` is the time spent on checksums, ``bytes`` counts reads past its cache.
    """

    osd: int
    at: float
    seconds: float
    bytes: int
    retries: Optional[int] = None
    errors: Optional[int] = None


@dataclass(frozen=True)
class Errors:
    """An error counter with its disk or link; ``on`` has the OSDs on the disk.

    ``disk`` is the same for all paths of a disk. ``expander`` is a phy's SAS expander, as "1:0", or
    its host adapter, as "1".
    """

    host: str
    kind: Annotated[str, "enum", (*LINK_KINDS, *MEDIA_KINDS)]
    growth: CounterTrend
    disk: str
    on: OsdsOnDrive = NO_OSDS
    device: Optional[str] = None
    phy: Optional[str] = None
    enclosure: Optional[str] = None
    slot: Optional[int] = None
    expander: Optional[str] = None


@dataclass(frozen=True)
class OsdChecksums:
    """An OSD's time on checksums of reads, of all its op threads' time (0 to 1); null: not known.

    asked -- Whether the OSD was asked for this share, because it does not send it (Ceph 16).
    peers_median -- Of the others of its class.
    peak_share -- Of the last day.
    """

    KEYS = (
        ("osd", "osd.id"), ("host", "osd.host"), ("class", "osd.device_class"),
        ("checksum_share", "share"), ("window_seconds", "seconds"), ("op_threads", "threads"),
        "asked", ("peers_median", "peers"), ("bytes_per_second", "rate"), "hot_since",
        ("peak_share", "peak"), "peak_at",
    )  # fmt: skip
    osd: Osd
    share: Optional[Part] = None
    seconds: Optional[Tenths] = None
    threads: Optional[int] = None
    peers: Optional[Part] = None
    rate: Optional[Annotated[float, "digits", 0]] = None
    hot_since: Optional[Moment] = None
    peak: Optional[Part] = None
    peak_at: Optional[Moment] = None
    asked: bool = False
