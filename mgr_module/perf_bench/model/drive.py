"""Drives, and the OSDs that stand on each: several may share one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class OsdsOnDrive:
    """The OSDs of one drive by number, each once.

    ``osds`` have their data on it, ``db_of`` nothing but their DB or WAL.
    """

    osds: tuple[int, ...] = ()
    db_of: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.osds or self.db_of)

    @property
    def first(self) -> Optional[int]:
        """The first OSD that has its data on it."""
        return self.osds[0] if self.osds else None

    @property
    def all(self) -> tuple[int, ...]:
        """All that fall when the drive fails."""
        return tuple(sorted({*self.osds, *self.db_of}))

    def with_(self, others: OsdsOnDrive) -> OsdsOnDrive:
        """Those of both: two names of one drive."""
        osds = {*self.osds, *others.osds}
        db_of = {*self.db_of, *others.db_of} - osds
        return OsdsOnDrive(tuple(sorted(osds)), tuple(sorted(db_of)))


NO_OSDS = OsdsOnDrive()
