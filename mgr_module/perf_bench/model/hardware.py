"""Hardware: drives, enclosures, paths, their error counters, and the time OSDs spend on checksums.

What facts of hosts (``facts.py``) tell, combined with the OSDs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Optional

from .facts import STALE_SECONDS, Element, HostFacts, Path, Slot
from .osd import Osd

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


@dataclass(frozen=True)
class CounterTrend:
    """A counter: ``count`` is the newest reading, at ``at``; ``first_at`` is the first reading's.

    ``grew`` has the increments of the day before the newest reading, oldest first: the time of the
    reading and the increment. Times are unix seconds.
    """

    count: int
    at: float
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
            known = CounterTrend(self.count, at - 1.0, min(self.first_at, at - 1.0), past)
            return known.read(count, at, begins_at)
        if at <= self.at:
            return self
        before = self.count if count >= self.count else begins_at
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

    def to_json(self) -> list[Any]:
        """A short JSON list, because a host has hundreds of counters."""
        grew = [[grew_at, by] for grew_at, by in self.grew]
        return [self.count, self.at, self.first_at, *([grew] if grew else [])]

    @classmethod
    def from_json(cls, saved: Sequence[Any]) -> CounterTrend:
        """The trend that ``to_json`` returned. Raises TypeError or ValueError for other JSON."""
        count, at, first_at = saved[:3]
        grew = saved[3] if len(saved) > 3 else ()
        return cls(count, at, first_at, tuple((grew_at, by) for grew_at, by in grew))


# --- enclosures and multipath devices ---

# The reasons to suspect an enclosure. PARTS is given by the newest facts alone.
NOT_THERE, FELL_TOGETHER, PARTS = "not there", "fell together", "parts"
EMPTY_SLOTS, PATHS = "empty slots", "paths"


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
    source: str = "facts"

    @property
    def make(self) -> str:
        """Vendor and model; "" if both are unknown."""
        return " ".join(word for word in (self.vendor, self.model) if word)


@dataclass(frozen=True)
class Multipath:
    """A disk with several paths, and the OSDs on it.

    ``state``: ok, degraded, failed, flapping, bare (the OSD uses only one path of several), or
    unknown (the host's facts are stale, or do not tell the states of all paths). ``active`` are
    the paths that are known to be.
    """

    host: str
    name: str
    state: str
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
    counters by disk or phy, and kind. ``bad`` has by path or part (hardware/rules/last_told.py) its
    bad state and when that was told, ``elements`` by enclosure how many, and when.
    """

    paths: Mapping[str, int] = field(default_factory=dict)
    drops: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    active: Mapping[str, int] = field(default_factory=dict)
    slots: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    enclosure_paths: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, CounterTrend] = field(default_factory=dict)
    bad: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    elements: Mapping[str, tuple[int, float]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The history as a JSON object."""
        kept = dict(vars(self))
        kept["shelves"] = kept.pop("enclosure_paths")
        kept["errors"] = {name: trend.to_json() for name, trend in self.errors.items()}
        return kept

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> HostHistory:
        """The history that ``to_json`` returned; a missing field is empty."""
        names = {one.name for one in fields(cls)}
        kept = {name: value for name, value in saved.items() if name in names}
        kept["enclosure_paths"] = saved.get("shelves", {})
        for key in ("drops", "bad", "elements"):
            kept[key] = {name: tuple(one) for name, one in saved.get(key, {}).items()}
        kept["errors"] = {
            name: CounterTrend.from_json(one) for name, one in saved.get("errors", {}).items()
        }
        return cls(**kept)


@dataclass(frozen=True)
class KnownHost:
    """A host's newest facts, when they came (unix seconds), and the host's history."""

    facts: HostFacts
    received_at: float = 0.0
    memory: HostHistory = field(default_factory=HostHistory)

    def is_fresh(self, now: float) -> bool:
        """Whether the facts still tell the states of parts and paths."""
        return now - self.facts.collected_at < STALE_SECONDS


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
    kind: str
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
    """What an OSD spends on checksums now; None means not known.

    ``share`` (0 to 1) is of its op threads' time over ``seconds``, ``asked`` as of ``Share``,
    ``peers`` the median of the others of its class. ``rate`` is bytes/s. ``hot_since`` and
    ``peak_at`` are unix seconds, ``peak`` is the highest share of a day.
    """

    osd: Osd
    share: Optional[float] = None
    seconds: Optional[float] = None
    threads: Optional[int] = None
    peers: Optional[float] = None
    rate: Optional[float] = None
    hot_since: Optional[float] = None
    peak: Optional[float] = None
    peak_at: Optional[float] = None
    asked: bool = False


@dataclass(frozen=True)
class HostChecksums:
    """A host's processor, and the rate of one of its cores (bytes/s)."""

    name: str
    cpu: Optional[str] = None
    core_rate: Optional[float] = None
