"""Read the times in Ceph's maps and logs."""

from __future__ import annotations

from datetime import datetime


def unix(stamp: str) -> float:
    """Unix seconds of a time like "2026-11-21T02:44:34.114418+0000". Raises ValueError."""
    return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
