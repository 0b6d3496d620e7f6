"""Joins Ceph's own alerts about slow OSDs to what the watch knows of these OSDs.

Nothing is claimed: the alerts are in health already. Whether an alert that stays for a day is
still about something is told by the OSDs' verdicts of now.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Optional, Protocol

from ...model.finding import Watched
from ...model.phrases import osd_names, plural, span
from ...model.verdict import (
    SLOW_OPS,
    CephAlert,
    ExplainedAlert,
    Ongoing,
    OsdState,
    OsdVerdict,
)

_DAY = 86400.0
# What OSDs may have in common, narrowest first.
_SHARED = {
    "device": "one device",
    "host": "one host",
    "enclosure": "one enclosure",
    "rack": "one rack",
    "cohort": "one model or kind",
}


class CephAlerts(Protocol):
    """Ceph's own health checks about slow OSDs (model/verdict.py)."""

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        """Those that stand now, also muted ones; None before the monitors have sent any health.

        Takes some milliseconds where a check names many OSDs.
        """


def explained(
    alert: CephAlert,
    members: Sequence[Watched],
    stale: Collection[int],
    verdict: Callable[[int], OsdVerdict],
) -> ExplainedAlert:
    """Return an alert with the places of its OSDs, and the verdicts on these now.

    ``stale`` are OSDs that have stopped reporting: others wait for them, and these are named.
    """
    osds = blamed(alert)
    spread, text = spread_of(osds, members)
    states = {osd: verdict(osd).state for osd in osds}
    slow, suspect, as_peers, unjudged = (
        tuple(osd for osd in osds if states[osd] is state)
        for state in (OsdState.SLOW, OsdState.SUSPECT, OsdState.OK, OsdState.NO_DATA)
    )
    return ExplainedAlert(
        alert, osds, spread, text, *how_long(alert, stale), slow, suspect, as_peers, unjudged
    )


def how_long(alert: CephAlert, stale: Collection[int] = ()) -> tuple[Ongoing, str]:
    """Return whether its cause goes on, as far as the kind of the alert tells, and why."""
    kind = alert.kind
    if alert.improving:
        return Ongoing.OVER, "all pairs are possibly improving; means of up to 15 min"
    why = kind.why.format(stays=span(alert.lifetime or _DAY))
    if alert.code == SLOW_OPS and stale:
        why = f"{why}; {osd_names(sorted(stale))} stopped reporting, look there first"
    return kind.ongoing, why


def blamed(alert: CephAlert) -> tuple[int, ...]:
    """The OSDs that it is about; of slow pings those in the most pairs, if some stand out."""
    if alert.kind.of_pairs and alert.osds:
        most = max(alert.osds.values())
        if most > 1 and most >= alert.lines:
            return tuple(sorted(osd for osd, count in alert.osds.items() if count == most))
    return tuple(sorted(alert.osds))


def spread_of(osds: Sequence[int], members: Sequence[Watched]) -> tuple[str, str]:
    """How far these OSDs reach: a word, and what they have in common in words."""
    by_osd = {member.osd: member for member in members}
    known = [by_osd[osd] for osd in osds if osd in by_osd]
    if not osds:
        return "unknown", "the alert names no OSD"
    if len(osds) == 1:
        host = f" of {known[0].host}" if known else ""
        return "osd", f"one OSD (osd.{osds[0]}{host})"
    if len(known) < len(osds):
        return "several", f"{plural(len(osds), 'OSD')} ({osd_names(osds)})"
    if len(osds) == len(members):
        return "all", f"all {len(osds)} OSDs: not one device, but what all of them share"
    for kind, words in _SHARED.items():
        shared = {getattr(member, kind) for member in known}
        inside = sum(getattr(member, kind) in shared for member in members)
        if len(shared) == 1 and None not in shared and inside < len(members):
            total = plural(inside, "OSD")
            return kind, f"{words} ({shared.pop()}): {len(osds)} of its {total}"
    hosts = plural(len({member.host for member in known}), "host")
    return "several", f"{len(osds)} of {len(members)} OSDs on {hosts}"
