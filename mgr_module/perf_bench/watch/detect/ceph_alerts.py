"""Joins Ceph's own alerts about slow OSDs to what the watch knows of these OSDs.

Nothing is claimed: the alerts are in health already. Whether an alert that stays for a day is
still about something is told by the OSDs' verdicts of now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Optional, Protocol

from ...model.verdict import CephAlert, ExplainedAlert, OsdState, OsdVerdict


class CephAlerts(Protocol):
    """Ceph's own health checks about slow OSDs (model/verdict.py)."""

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        """Those that stand now, also muted ones; None before the monitors have sent any health.

        Takes some milliseconds where a check names many OSDs.
        """


def explained(alert: CephAlert, verdict: Callable[[int], OsdVerdict]) -> ExplainedAlert:
    """Return an alert with the verdicts on its OSDs now."""
    osds = blamed(alert)
    states = {osd: verdict(osd).state for osd in osds}
    return ExplainedAlert(
        alert,
        osds,
        *(
            tuple(osd for osd in osds if states[osd] is state)
            for state in (OsdState.SLOW, OsdState.SUSPECT, OsdState.OK, OsdState.NO_DATA)
        ),
    )


def blamed(alert: CephAlert) -> tuple[int, ...]:
    """The OSDs that it is about; of slow pings those in the most pairs, if some stand out."""
    if alert.kind.of_pairs and alert.osds:
        most = max(alert.osds.values())
        if most > 1 and most >= alert.lines:
            return tuple(sorted(osd for osd, count in alert.osds.items() if count == most))
    return tuple(sorted(alert.osds))
