"""What Ceph itself does on an OSD's placement groups (PGs): trims, scrubs, recovery.

Which option bounds it depends on the scheduler (``osd_op_queue``). mClock sets all ``..._sleep``
options to 0, and ``osd_max_backfills`` to its own default: its profile bounds trims, recovery and
backfill (Ceph's doc/rados/configuration/mclock-config-ref.rst, "Locked Config Options" and "Sleep
Options"). It is the default from 17 on; wpq, the default of 16, sleeps between two steps
(osd-config-ref.rst). ``osd_snap_trim_sleep`` and ``osd_recovery_sleep`` are for all kinds of
devices: where they are not 0, they replace those with ``_hdd``, ``_ssd`` and ``_hybrid``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Callable, Optional

from ...model.cluster import Kept, PgStates, pgs_with
from ...model.statistics import median
from ...model.verdict import OsdWhyBackground

MCLOCK = "mclock_scheduler"
# Seconds that counts by OSD are used: reading them takes 1 us a PG, while no other Python runs.
_PGS_AGE = 10.0
_PROFILE = "osd_mclock_profile"


# The kind of work, the word of a PG's state, what it is, and the options that bound it with wpq
# and with mClock. A PG that waits for it has the state KIND_wait. Either limits scrubs in number.
_WORKS = (
    ("snaptrim", "snaptrim", "snapshots are trimmed", "osd_snap_trim_sleep", _PROFILE),
    ("deep_scrub", "deep", "deep scrubs run", "osd_max_scrubs", "osd_max_scrubs"),
    ("scrub", "scrubbing", "scrubs run", "osd_max_scrubs", "osd_max_scrubs"),
    ("recovery", "recovering", "recovery runs", "osd_recovery_sleep", _PROFILE),
    ("backfill", "backfilling", "backfill runs", "osd_max_backfills", _PROFILE),
)


class BackgroundWork:
    """What runs on the PGs of OSDs now."""

    def __init__(
        self,
        pgs: PgStates,
        scheduler: Callable[[int], Optional[str]],
        monotonic: Callable[[], float],
    ) -> None:
        """``scheduler`` returns ``osd_op_queue`` of an OSD."""
        self._pgs = pgs
        self._scheduler = scheduler
        self._by_osd = Kept(pgs.by_osd, monotonic)

    def of(self, osd: int) -> Sequence[OsdWhyBackground]:
        """What runs on this OSD's; counts by OSD are read only while some PG is in such work."""
        by_state = self._pgs.by_state()
        if not any(_count(by_state, state) for _, state, *_ in _WORKS):
            return ()
        return background(self._by_osd.get(_PGS_AGE), osd, self._scheduler(osd))


def background(
    by_osd: Mapping[int, Mapping[str, int]], osd: int, scheduler: Optional[str]
) -> Sequence[OsdWhyBackground]:
    """What runs on PGs that have this OSD in their acting set; ``by_osd`` counts PGs by state."""
    mine = by_osd.get(osd, {})
    others = [states for other, states in by_osd.items() if other != osd]
    found = []
    for kind, state, words, wpq, mclock in _WORKS:
        pgs, usual = _count(mine, state), [_count(states, state) for states in others]
        if pgs:
            option = mclock if scheduler == MCLOCK else wpq
            middle = median(usual) if usual else None
            waiting = _count(mine, f"{kind}_wait")
            found.append(OsdWhyBackground(kind, words, pgs, waiting, middle, option))
    return found


def background_sentence(found: Sequence[OsdWhyBackground]) -> str:
    """What ran meanwhile, and what bounds it; empty for nothing."""
    works = [
        f"{one.words} on {one.pgs} of its PGs"
        + (f", {one.waiting} more wait" if one.waiting else "")
        + ("" if one.others is None else f" (median of other OSDs: {one.others:g})")
        + f", bounded by {one.option}"
        for one in found
    ]
    return f"Meanwhile {'; '.join(works)}." if works else ""


def _count(by_state: Mapping[str, int], word: str) -> int:
    """The PGs in this work; a deep scrub has both words."""
    found = pgs_with(by_state, word)
    return found - pgs_with(by_state, "deep") if word == "scrubbing" else found
