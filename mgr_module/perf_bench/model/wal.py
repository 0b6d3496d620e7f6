"""Where an OSD's write-ahead log is, by what the OSD itself says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Wal:
    """``spinning``: its data is on a rotational device. ``on_flash``: its log is on another kind.

    ``deferred_bytes``: writes up to about this size go to the log first and to their place later
    (``bluestore_prefer_deferred_size`` or its ``_hdd``, ``_ssd``; 0: none do). ``dedicated`` names
    the device of its own that holds the log: "wal", "db", or "" for the data's. What the OSD does
    not tell is None.
    """

    spinning: Optional[bool] = None
    on_flash: Optional[bool] = None
    deferred_bytes: int = 0
    dedicated: str = ""
