"""An OSD: where it stands and what it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class Osd:
    """One OSD as the cluster's maps and its own metadata describe it.

    ``host`` is the host name the daemon reported (falling back to its CRUSH host), ``device``
    the kernel names of its devices ("sda" or "sda,nvme0n1"), ``data_device`` of that which holds
    its data, where it says so, ``location`` its CRUSH buckets by type. What the cluster does not
    tell is ``None``, never an empty string. ``expander`` is the address of the SAS expander that
    the path to its device leads through, of several paths the lowest.
    """

    id: int
    host: str
    device_class: Optional[str] = None
    up: bool = True
    in_cluster: bool = True
    device: Optional[str] = None
    data_device: Optional[str] = None
    model: Optional[str] = None
    rotational: Optional[bool] = None
    location: Mapping[str, str] = field(default_factory=dict)
    expander: Optional[str] = None

    @property
    def name(self) -> str:
        return f"osd.{self.id}"

    @property
    def peer_group(self) -> tuple[str, str]:
        """OSDs are compared with those of the same device class and, where known, model."""
        return (self.device_class or "", self.model or "")


@dataclass(frozen=True)
class Member:
    """An OSD with what decides whom it may be compared with, and what disturbs it now.

    ``weight`` is its CRUSH weight times its reweight. ``release`` is Ceph's number ("18.2.7"),
    ``created_at`` unix seconds. ``separate`` names what lies on a device of its own: "", "db",
    "wal" or "db+wal". ``cpu`` is the name of its host's processor.
    """

    osd: Osd
    weight: float = 0.0
    release: Optional[str] = None
    created_at: Optional[float] = None
    separate: str = ""
    cpu: Optional[str] = None
