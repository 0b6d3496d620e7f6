"""A pool, as far as rounds of clients care."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

# The bench's own pool, and the application that says so.
POOL = "perf_bench"
APPLICATION = "perf_bench"
# Ceph's default, and what a plan reckons with until the pool is there.
COPIES_OF_A_NEW_POOL = 3.0


@dataclass(frozen=True)
class Pool:
    """A pool now. ``copies`` is how many bytes on devices a byte of clients is.

    ``available_bytes`` is what clients can still write, None where it is not known yet; quotas
    are 0 where there is none. ``osds`` hold its placement groups.
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

    @property
    def full(self) -> bool:
        return bool({"full", "full_quota"} & set(self.flags))

    @property
    def room_bytes(self) -> Optional[int]:
        """What clients may still write until it is full or at its quota."""
        left = [self.quota_bytes - self.stored_bytes] if self.quota_bytes else []
        known = left if self.available_bytes is None else [*left, self.available_bytes]
        return max(0, min(known)) if known else None

    @property
    def room_objects(self) -> Optional[int]:
        """How many objects its quota still takes."""
        return max(0, self.quota_objects - self.objects) if self.quota_objects else None

    @property
    def facts(self) -> dict[str, Any]:
        """What a figure measured in it means nothing without (JSON-ready)."""
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
    """A pool's placement groups: how many there are, and by OSD those whose primary it is."""

    pg_num: int
    by_primary: Mapping[int, Collection[int]]
