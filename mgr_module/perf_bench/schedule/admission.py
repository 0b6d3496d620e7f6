"""May a round start now? Decided from a snapshot; every reason is listed, not only the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Admission:
    """The decision: ``reasons`` is empty when the round may start."""

    reasons: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        return not self.reasons


def decide(nearfull: Sequence[int]) -> Admission:
    """Refuse what could do harm. ``nearfull``: chosen OSDs that are nearfull or worse.

    A bench writes up to a few GiB to the device of each OSD before it deletes them again; on an
    OSD past its nearfull ratio (``mon_osd_nearfull_ratio``) that may be what fills it.
    """
    reasons = []
    if nearfull:
        names = ", ".join(f"osd.{osd}" for osd in sorted(nearfull)[:5])
        more = f" and {len(nearfull) - 5} more" if len(nearfull) > 5 else ""
        reasons.append(f"{names}{more} nearfull or fuller, and a bench writes to them")
    return Admission(tuple(reasons))
