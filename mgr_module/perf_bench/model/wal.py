"""The location of an OSD's write-ahead log, from its metadata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


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
