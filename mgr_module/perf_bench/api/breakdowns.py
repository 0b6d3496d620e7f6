"""The question why an OSD is slow."""

from __future__ import annotations

from ..model.json_fields import Json
from ..report import breakdowns as shapes
from ..watch.osd_breakdown import OsdBreakdowns


class BreakdownApi:
    """``ceph perf-bench osd why``."""

    def __init__(self, breakdowns: OsdBreakdowns) -> None:
        self._breakdowns = breakdowns

    def why(self, osd_id: int) -> Json:
        """Where the OSD's operations spend their time, and what they wait for.

        Answers within 2 s; ``state`` is "asking" while it is asked further. Raises NotFound, and
        NotNow for an OSD that cannot be asked now.
        """
        return shapes.breakdown(self._breakdowns.why(osd_id))
