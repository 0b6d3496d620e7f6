"""Ceph's own alerts about slow OSDs, explained: ``ceph perf-bench alert ls``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, Optional

from ..model.phrases import osd_names
from ..model.verdict import ExplainedAlert, Ongoing
from .shape import copied
from .text import GAP, facts

# OSDs in an answer; the monitors themselves shorten long lists.
_MOST = 500
_WORDS = {
    Ongoing.YES: "goes on",
    Ongoing.OVER: "over, and not forgotten yet",
    Ongoing.STATE: "stands",
    Ongoing.UNKNOWN: "not known",
}


@dataclass(frozen=True)
class CephAlert:
    """One of Ceph's own alerts about slow OSDs, joined to what the watch knows.

    Where, whether its cause goes on, whether these OSDs are slower than their peers now.
    """

    code: str
    title: str
    summary: str
    severity: Literal["error", "warning"]
    muted: bool
    osds: Sequence[int]
    osds_in_all: int
    spread: Literal[
        "osd", "device", "host", "enclosure", "rack", "cohort", "all", "several", "unknown"
    ]
    spread_text: str
    ongoing: Ongoing
    ongoing_text: str
    stays_seconds: Optional[float]
    slow: Sequence[int]
    slow_in_all: int
    suspect: Sequence[int]
    suspect_in_all: int
    unjudged: Sequence[int]
    unjudged_in_all: int
    peers_text: str
    meaning: str
    action: str
    findings: Sequence[int]
    tolerated: bool


def ceph_alert(
    one: ExplainedAlert, findings: Sequence[int], tolerated: Collection[str]
) -> CephAlert:
    """An alert; ``findings`` are about its OSDs, ``tolerated`` are health checks that rounds are.

    Rounds start in spite of one that is muted, or tolerated and no error.
    """
    raised, kind = one.alert, one.alert.kind
    allowed = any(fnmatchcase(raised.code, name) for name in tolerated)
    return copied(
        CephAlert,
        one,
        code=raised.code,
        title=kind.title,
        summary=raised.summary,
        severity="error" if raised.error else "warning",
        muted=raised.muted,
        osds=one.osds[:_MOST],
        osds_in_all=len(one.osds),
        ongoing_text=f"{_WORDS[one.ongoing]}: {one.why}",
        stays_seconds=raised.lifetime,
        slow=one.slow[:_MOST],
        slow_in_all=len(one.slow),
        suspect=one.suspect[:_MOST],
        suspect_in_all=len(one.suspect),
        unjudged=one.unjudged[:_MOST],
        unjudged_in_all=len(one.unjudged),
        peers_text=_peers(one),
        meaning=kind.meaning,
        action=kind.action,
        findings=findings,
        tolerated=raised.muted or (allowed and not raised.error),
    )


def _peers(one: ExplainedAlert) -> str:
    """Whether these OSDs are slower than their peers now."""
    parts = [
        (one.slow, f"slower than {_their(one.slow)} peers"),
        (one.suspect, "suspect"),
        (one.as_peers, f"as fast as {_their(one.as_peers)} peers"),
        (one.unjudged, "cannot be judged ('ceph perf-bench osd ls' says why)"),
    ]
    shown = [f"{osd_names(osds)} {words}" for osds, words in parts if osds]
    return "; ".join(shown) or "no OSD is named"


def _their(osds: Sequence[int]) -> str:
    return "its" if len(osds) == 1 else "their"


def alerts_text(alerts: Sequence[CephAlert]) -> str:
    """Text of ``alert ls``."""
    if not alerts:
        return "Ceph raises none of the alerts about slow OSDs that are explained here"
    return GAP.join(_one(alert) for alert in alerts)


def alerts_below(alerts: Sequence[CephAlert]) -> str:
    """What ``finding ls`` ends with; empty without alerts."""
    return f"Ceph's own alerts{GAP}{alerts_text(alerts)}" if alerts else ""


def _one(alert: CephAlert) -> str:
    pairs = [
        ("says", alert.summary),
        ("where", alert.spread_text),
        ("still", alert.ongoing_text),
        ("now", alert.peers_text),
        ("findings", ", ".join(map(str, alert.findings)) or "none is about these OSDs"),
        ("meaning", alert.meaning),
        ("what to do", alert.action),
        ("rounds", "tolerate it" if alert.tolerated else "are refused while it stands"),
    ]
    muted = ", muted" if alert.muted else ""
    return f"{alert.severity}: {alert.code}{muted}\n{facts(pairs)}"
