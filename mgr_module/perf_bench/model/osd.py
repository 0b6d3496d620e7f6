"""An OSD: its location, devices, log and options; and OSDs selected by an expression."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional, Union

from ..errors import InvalidValue, NotFound
from .phrases import osd_names

# CRUSH bucket types that are enclosures: Ceph's own, and the one that operators add.
ENCLOSURE_BUCKETS = ("enclosure", "chassis")


@dataclass(frozen=True)
class Osd:
    """One OSD, from the cluster's maps and its metadata. An unknown value is None, never "".

    ``host`` is the host name in its metadata, else its CRUSH host. ``devices`` has the kernel
    names of all its devices ("sda" or "sda,nvme0n1"), ``data_device`` that of the one with its
    data, ``device_id`` Ceph's name of that one ("VENDOR_MODEL_SERIAL"). ``location`` has its CRUSH
    buckets by type, ``also_in`` the types and names of others above it, as of a second root.
    ``expander`` is the address of the SAS expander on the path to its device, the lowest of
    several. ``primary_affinity`` and ``reweight`` are 0 to 1, as the OSD map has them.
    ``created_at`` is when it was made (unix seconds): what is older is of another OSD that had its
    ID, as before a drive was replaced. ``in_file``: its data are in a file, whose disk it shares.
    """

    id: int
    host: str
    device_class: Optional[str] = None
    up: bool = True
    in_cluster: bool = True
    devices: Optional[str] = None
    data_device: Optional[str] = None
    model: Optional[str] = None
    rotational: Optional[bool] = None
    location: Mapping[str, str] = field(default_factory=dict)
    also_in: frozenset[tuple[str, str]] = frozenset()
    expander: Optional[str] = None
    device_id: Optional[str] = None
    primary_affinity: Optional[float] = None
    reweight: Optional[float] = None
    created_at: Optional[float] = None
    in_file: bool = False

    @property
    def own_device(self) -> Optional[str]:
        """The device that has its data and no other OSD's; None for one in a file, as on a disk."""
        return None if self.in_file else self.data_device or self.devices

    @property
    def name(self) -> str:
        return f"osd.{self.id}"

    @property
    def buckets(self) -> frozenset[tuple[str, str]]:
        """The types and names of all CRUSH buckets above it."""
        return self.also_in.union(self.location.items())

    @property
    def option_suffix(self) -> str:
        """The suffix of the options that the OSD uses, "hdd" or "ssd", by Ceph's own rule."""
        rotates = self.rotational
        return "hdd" if rotates or (rotates is None and self.device_class == "hdd") else "ssd"

    @property
    def peer_group(self) -> tuple[str, str]:
        """The OSDs it is compared with: the same device class and, if known, model."""
        return (self.device_class or "", self.model or "")


@dataclass(frozen=True)
class Member:
    """An OSD as the watch sees it, with the properties that decide its peers.

    ``release`` is Ceph's number ("18.2.7"), ``created_at`` unix seconds. ``separate`` names the
    parts on devices of their own: "", "db", "wal" or "db+wal". ``cpu`` is the name of its host's
    processor.
    """

    osd: Osd
    release: Optional[str] = None
    created_at: Optional[float] = None
    separate: str = ""
    cpu: Optional[str] = None


def osds_by_host(osds: Sequence[Osd]) -> dict[str, list[Osd]]:
    """The OSDs of each host, by the name in their metadata."""
    by_host: dict[str, list[Osd]] = {}
    for osd in osds:
        by_host.setdefault(osd.host, []).append(osd)
    return by_host


# --- The location of an OSD's write-ahead log, from its metadata ---


@dataclass(frozen=True)
class Wal:
    """The write-ahead log of an OSD; unknown values are None.

    ``spinning``: its data is on a rotational device. ``on_flash``: its log is on flash. Writes up
    to about ``deferred_bytes`` go to the log first (``bluestore_prefer_deferred_size`` or its
    ``_hdd``, ``_ssd``; 0: none do). ``dedicated`` is the separate device with the log: "wal" or
    "db", or "" if the log is on the data device.
    """

    spinning: Optional[bool] = None
    on_flash: Optional[bool] = None
    deferred_bytes: int = 0
    dedicated: str = ""


# --- The options of OSDs that this module sets, and those that limit a bench ---


BENCH_MAX_BLOCK_SIZE = "osd_bench_max_block_size"
BENCH_SMALL_MAX_IOPS = "osd_bench_small_size_max_iops"
BENCH_LARGE_MAX_THROUGHPUT = "osd_bench_large_size_max_throughput"
BENCH_DURATION = "osd_bench_duration"
# By ``Osd.option_suffix``. An OSD that uses mClock sets it when it first starts.
MCLOCK_CAPACITY = {
    "hdd": "osd_mclock_max_capacity_iops_hdd",
    "ssd": "osd_mclock_max_capacity_iops_ssd",
}


# --- OSDs by an expression: "all", "0,3,7-9", "class=hdd", "host=a&class=ssd" ---


_IDS = re.compile(r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
# A CRUSH type is free text.
_KEY = re.compile(r"^([\w.-][\w .-]*?) *= *(.+)$", re.ASCII)
_AROUND = re.compile(r"\s*([,-])\s*")
# The name of the class of OSDs without one.
NO_CLASS = "none"
# Of these kinds names are the same in any case; an enclosure's is an address.
_ANY_CASE = ("host", "enclosure")
# A limit for ranges such as 0-4000000000, which are expanded; Ceph's own limit is far lower.
_HIGHEST_OSD_ID = 1_000_000
# Each term is expanded and matched with all OSDs.
_MOST_IDS = 2 * _HIGHEST_OSD_ID
_MOST_TERMS = 64
_SHOWN = 200


def no_such_osd(*missing: int) -> NotFound:
    """The error for IDs of OSDs that the cluster does not have; some are named."""
    return NotFound(f"{osd_names(sorted(missing))}: no such OSD in this cluster")


# Ranges of IDs of OSDs, or the type and the name of a bucket.
Term = Union[list[range], tuple[str, str]]


def _by_ids(ranges: list[range], osds: Sequence[Osd]) -> set[int]:
    ids: set[int] = set().union(*ranges)
    missing = ids - {osd.id for osd in osds}
    if missing:
        raise no_such_osd(*missing)
    return ids


def _by_bucket(kind: str, name: str, osds: Sequence[Osd]) -> frozenset[int]:
    # "default~hdd" is CRUSH's name for the OSDs of class hdd in the bucket default.
    bucket, tilde, device_class = name.partition("~")
    folds = kind.lower() in _ANY_CASE
    wanted = bucket.lower() if folds else bucket
    found = frozenset(
        osd.id
        for osd in osds
        if (not tilde or osd.device_class == device_class)
        and any((one.lower() if folds else one) == wanted for one in _buckets(osd, kind))
    )
    if not found:
        raise NotFound(_no_bucket(kind, name, osds))
    return found


def _buckets(osd: Osd, kind: str) -> set[str]:
    """The OSD's buckets of this kind, also its class, and its host by its own metadata."""
    kind = kind.lower()
    if kind == "class":
        return {osd.device_class or NO_CLASS}
    found = {bucket for type_, bucket in osd.buckets if type_.lower() == kind}
    return found | {osd.host} if kind == "host" else found


def _no_bucket(kind: str, name: str, osds: Sequence[Osd]) -> str:
    known = sorted({bucket for osd in osds for bucket in _buckets(osd, kind)})
    if not known:
        kinds = sorted({kind for osd in osds for kind, _ in osd.buckets} | {"class", "host"})
        return f"no OSD is in any '{kind}'; select by {', '.join(kinds)} or OSD IDs"
    names = ", ".join(known[:8] + ["…"] * (len(known) > 8))
    return f"no OSD with {kind}={name}; this cluster has {kind} {names}"


@dataclass(frozen=True)
class Selection:
    """A parsed expression: terms joined by ``&``; an OSD must match all of them."""

    text: str
    terms: tuple[Term, ...]

    @classmethod
    def parse(cls, text: str) -> Selection:
        """Parse an expression; raises InvalidValue when it is empty or malformed."""
        terms: list[Term] = []
        listed = 0
        for term in (part.strip() for part in text.split("&")):
            if term.lower() in ("all", "*"):
                continue
            keyed = _KEY.match(term)
            plain = term.lower().replace("osd.", "").replace("\u2013", "-")
            listing = _AROUND.sub(r"\1", plain)
            if keyed:
                terms.append((keyed.group(1), keyed.group(2).strip()))
            elif _IDS.match(listing):
                ranges = [_range(part) for part in set(listing.split(","))]
                listed += sum(map(len, ranges))
                terms.append(ranges)
            else:
                shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
                raise InvalidValue(
                    f"'{shown}' does not select OSDs: use 'all', IDs like '0,3,7-9', or "
                    "'class=NAME', 'host=NAME', 'rack=NAME', 'enclosure=ID', joined by '&'",
                    field="osds",
                )
            if listed > _MOST_IDS or len(terms) > _MOST_TERMS:
                raise InvalidValue("--osds selects by too many terms or IDs", field="osds")
        return cls(text, tuple(terms))

    def select(self, osds: Sequence[Osd]) -> list[Osd]:
        """The selected OSDs in the order of their IDs.

        Raises NotFound for an OSD, class or bucket that does not exist, and when the terms
        exclude each other.
        """
        chosen = {osd.id for osd in osds}
        for term in self.terms:
            if isinstance(term, tuple):
                chosen &= _by_bucket(*term, osds)
            else:
                chosen &= _by_ids(term, osds)
        if not chosen:
            raise NotFound(f"'{self.text}' selects no OSD")
        return sorted((osd for osd in osds if osd.id in chosen), key=lambda osd: osd.id)


def _range(part: str) -> range:
    first, _, last = part.partition("-")
    last = last or first
    # Lengths first, because int() raises its own error for thousands of digits.
    if max(len(first), len(last)) > 9 or max(int(first), int(last)) > _HIGHEST_OSD_ID:
        raise InvalidValue(f"'{part}' is beyond any OSD's ID", field="osds")
    low, high = int(first), int(last)
    if high < low:
        raise InvalidValue(f"'{part}' counts down: write {high}-{low}", field="osds")
    return range(low, high + 1)
