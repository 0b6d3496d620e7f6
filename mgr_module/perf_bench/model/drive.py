"""The OSDs on a drive; several may share one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


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
