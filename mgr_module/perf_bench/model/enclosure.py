"""Enclosures and multipath devices: facts of hosts, combined with OSDs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

from .counter_trend import CounterTrend
from .drive import NO_OSDS, OsdsOnDrive
from .facts import Element, Path, Slot

# The reasons to suspect an enclosure. PARTS is given by the newest facts alone.
NOT_THERE, FELL_TOGETHER, PARTS = "not there", "fell together", "parts"
EMPTY_SLOTS, PATHS = "empty slots", "paths"
FAULT_REASONS = (NOT_THERE, FELL_TOGETHER, PARTS, EMPTY_SLOTS, PATHS)


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
        return {
            "paths": dict(self.paths),
            "drops": {name: list(times) for name, times in self.drops.items()},
            "active": dict(self.active),
            "slots": {
                enclosure: {slot: list(osds) for slot, osds in slots.items()}
                for enclosure, slots in self.slots.items()
            },
            "shelves": dict(self.enclosure_paths),
            "errors": {name: trend.to_json() for name, trend in self.errors.items()},
            "bad": {name: list(one) for name, one in self.bad.items()},
            "elements": {name: list(one) for name, one in self.elements.items()},
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> HostHistory:
        """The history that ``to_json`` returned; a missing field is empty."""
        drops = {name: tuple(times) for name, times in saved.get("drops", {}).items()}
        errors = {
            name: CounterTrend.from_json(one) for name, one in saved.get("errors", {}).items()
        }
        slots = {enclosure: _slots(slots) for enclosure, slots in saved.get("slots", {}).items()}
        return cls(
            paths=saved.get("paths", {}),
            drops=drops,
            active=saved.get("active", {}),
            slots=slots,
            enclosure_paths=saved.get("shelves", {}),
            errors=errors,
            bad={name: (state, at) for name, (state, at) in saved.get("bad", {}).items()},
            elements={name: (count, at) for name, (count, at) in saved.get("elements", {}).items()},
        )


def _slots(saved: Mapping[str, Any]) -> dict[str, Sequence[int]]:
    # Older versions saved one OSD for each slot, as a number.
    return {slot: [osds] if isinstance(osds, int) else osds for slot, osds in saved.items()}
