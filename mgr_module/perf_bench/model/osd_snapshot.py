"""The OSDs' verdicts and latencies at one moment, for lists and maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from .verdict import OsdState, OsdVerdict


@dataclass(frozen=True)
class OsdSnapshot:
    """The verdicts by OSD, and by channel and OSD the mean latency of the newest minute.

    ``applied`` has the apply latencies that OSDs report. All latencies are seconds; an OSD without
    data is left out.
    """

    verdicts: Mapping[int, OsdVerdict] = field(default_factory=dict)
    latency: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    applied: Mapping[int, float] = field(default_factory=dict)

    def verdict(self, osd: int) -> OsdVerdict:
        return self.verdicts.get(osd) or OsdVerdict(osd, OsdState.NO_DATA)

    def latency_ms(self, osd: int, channel: str) -> Optional[float]:
        """Milliseconds, None without data."""
        return _ms(self.latency.get(channel, {}).get(osd))

    def apply_ms(self, osd: int) -> Optional[float]:
        return _ms(self.applied.get(osd))


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else round(seconds * 1000, 3)
