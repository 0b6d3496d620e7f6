"""Enclosures and multipath devices as the cluster has them: what facts say, joined with OSDs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from .counter_trend import CounterTrend
from .drive import NO_OSDS, OsdsOnDrive
from .facts import Element, Path, Slot


@dataclass(frozen=True)
class Bay:
    """A slot with the OSDs on its disk; ``host`` is theirs, or who told of the slot."""

    slot: Slot
    host: str
    on: OsdsOnDrive = NO_OSDS


@dataclass(frozen=True)
class Enclosure:
    """One enclosure, whoever sees it over however many paths.

    ``paths`` has by host over how many ways it is reached. ``source`` is "facts", "map" for
    one that is known from the CRUSH map only, or "path" for one that the metadata of OSDs name as
    the SAS expander to them: both have no bays.
    ``missing`` are hosts whose newest facts have it no more.
    """

    id: str
    serial: Optional[str] = None
    vendor: Optional[str] = None
    model: Optional[str] = None
    hosts: tuple[str, ...] = ()
    bays: tuple[Bay, ...] = ()
    elements: tuple[Element, ...] = ()
    paths: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    osds: frozenset[int] = frozenset()
    source: str = "facts"

    @property
    def make(self) -> str:
        """Vendor and model, as people say it; empty when neither is known."""
        return " ".join(word for word in (self.vendor, self.model) if word)


@dataclass(frozen=True)
class Multipath:
    """A disk of several paths, or one that should be, with the OSDs on it.

    ``state``: ok, degraded, failed, flapping, or bare (the OSD stands on one path of several).
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
    """What is remembered of a host beyond its newest facts; times are unix seconds.

    ``paths`` is by multipath device (WWID or name) the most active ones ever seen, ``drops`` when
    some were lost. ``slots`` is by enclosure and slot the OSDs that stood there last,
    ``enclosure_paths`` by enclosure the most paths to it. ``errors`` is by disk or
    phy, and kind, how a count of errors grew.
    """

    paths: Mapping[str, int] = field(default_factory=dict)
    drops: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    active: Mapping[str, int] = field(default_factory=dict)
    slots: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    enclosure_paths: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, CounterTrend] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "paths": dict(self.paths),
            "drops": {name: list(times) for name, times in self.drops.items()},
            "active": dict(self.active),
            "slots": {
                enclosure: {slot: list(osds) for slot, osds in slots.items()}
                for enclosure, slots in self.slots.items()
            },
            "shelves": dict(self.enclosure_paths),
            "errors": {name: growth.to_json() for name, growth in self.errors.items()},
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> HostHistory:
        """The other way; what is not there is empty."""
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
        )


def _slots(saved: Mapping[str, Any]) -> dict[str, Sequence[int]]:
    # As it was saved first, a slot had one OSD: a number.
    return {slot: [osds] if isinstance(osds, int) else osds for slot, osds in saved.items()}
