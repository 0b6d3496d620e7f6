"""How the watch is: its part of the status."""

from __future__ import annotations

import math

from ..core.clock import Clock
from ..model.cluster import Cluster
from ..model.coverage import SLOW_OSDS
from ..model.frame import FRAME_SECONDS
from ..model.history import SLOW_FRAME_RATIO
from ..model.json_fields import Json
from ..model.verdict import OsdState
from ..watch.service import Watch
from . import text
from .paging import MAPS_AGE

# A tick is late when so many were due since the last one; one may take longer on a busy mgr.
LATE_TICKS = 6
# Suspects in the status by name; their number has all.
_MOST_SUSPECTS = 5


class WatchApi:
    """What the status says of the watch."""

    def __init__(self, watch: Watch, cluster: Cluster, clock: Clock) -> None:
        self._watch = watch
        self._cluster = cluster
        self._clock = clock

    def status(self) -> Json:
        """The state of the watch; ``last_tick_at`` is null while it is off.

        ``judged`` is how many OSDs have a verdict on their latencies now, ``since`` the time since
        when every tick has succeeded, ``late_seconds`` by how much the next tick is late.
        """
        stats, options = self._watch.tick_stats, self._watch.options()
        judged = sum(one.looked for one in self._watch.coverage() if one.name == SLOW_OSDS)
        due = math.inf if stats.at is None else stats.at + LATE_TICKS * options.tick_seconds
        now = self._clock.now()
        return {
            "on": options.on,
            "osds": len(self._cluster.osds(MAPS_AGE)),
            "tick_seconds": options.tick_seconds,
            "judged": judged if options.on else 0,
            "since": text.iso(stats.since),
            "last_tick_at": text.iso(stats.at),
            "late_seconds": round(now - due) if options.on and now > due else 0,
            "last_tick_cpu_seconds": stats.cpu_seconds,
            "errors": stats.errors,
            "problem": self._watch.problem() or self._watch.journal.problem,
            "lost_rows": self._watch.journal.lost,
        }

    def suspects(self) -> Json:
        """The OSDs that seem slow, for too short or too uncertainly for a finding.

        Their number and the slowest; ``since`` is null where nobody looked when it began.
        """
        verdicts = self._watch.osd_snapshot().verdicts.values()
        found = [one for one in verdicts if one.state is OsdState.SUSPECT]
        found.sort(key=lambda one: (-(one.ratio or 0.0), one.osd))
        worst = [
            {"osd": one.osd, "ratio": one.ratio, "since": text.iso(one.since)}
            for one in found[:_MOST_SUSPECTS]
        ]
        return {"osds": len(found), "worst": worst}

    def limits(self) -> Json:
        """From which ratio an OSD is slow, and which frames count as slow in a series."""
        return {
            "watch_ratio": self._watch.sustained_ratio,
            "frame_seconds": FRAME_SECONDS,
            "frame_ratio": SLOW_FRAME_RATIO,
        }
