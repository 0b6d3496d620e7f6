"""A pool, with the properties that matter for rounds of clients."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

# The bench pool, and the application that marks it.
POOL = "perf_bench"
APPLICATION = "perf_bench"
# Ceph's default, used in plans while the pool does not exist.
COPIES_OF_A_NEW_POOL = 3.0


@dataclass(frozen=True)
class Pool:
    """A pool. ``copies`` is the number of bytes on devices for each byte of clients.

    ``available_bytes`` is what clients can still write, None if not known yet; quotas are 0 if
    there are none. ``osds`` hold its placement groups. An erasure-coded pool stores objects in
    whole stripes of ``stripe_bytes``; 0 in others.
    """

    name: str
    kind: str
    copies: float
    size: int
    pg_num: int
    applications: tuple[str, ...]
    flags: tuple[str, ...]
    objects: int
    stored_bytes: int
    available_bytes: Optional[int]
    quota_bytes: int
    quota_objects: int
    compression: str
    osds: tuple[int, ...]
    stripe_bytes: int = 0

    @property
    def full(self) -> bool:
        return bool({"full", "full_quota"} & set(self.flags))

    @property
    def room_bytes(self) -> Optional[int]:
        """The bytes that clients may still write until it is full or at its quota."""
        left = [self.quota_bytes - self.stored_bytes] if self.quota_bytes else []
        known = left if self.available_bytes is None else [*left, self.available_bytes]
        return max(0, min(known)) if known else None

    @property
    def room_objects(self) -> Optional[int]:
        """The number of objects that its quota still allows; None without a quota."""
        return max(0, self.quota_objects - self.objects) if self.quota_objects else None

    def stored_size(self, size: int) -> int:
        """The bytes of an object of ``size`` bytes with its padding, without copies."""
        return -(-size // self.stripe_bytes) * self.stripe_bytes if self.stripe_bytes else size

    def operation_size(self, size: int) -> int:
        """The bytes that ``rados bench -b SIZE`` writes: whole stripes where overwrites are off."""
        return size if "ec_overwrites" in self.flags else self.stored_size(size)

    @property
    def facts(self) -> dict[str, Any]:
        """The properties that are stored with results (JSON-ready)."""
        return {
            "name": self.name,
            "kind": self.kind,
            "size": self.size,
            "copies": self.copies,
            "pg_num": self.pg_num,
            "compression": self.compression,
            "applications": list(self.applications),
            "osds": len(self.osds),
        }


class Groups(NamedTuple):
    """A pool's placement groups: their number, and by OSD those of which it is primary."""

    pg_num: int
    by_primary: Mapping[int, Collection[int]]
