"""Ceph's own alerts, explained, as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.text import GAP, facts
from ..model.ceph_alerts import ExplainedAlert, Ongoing
from ..model.json_fields import Json
from ..model.phrases import osd_names

# OSDs in an answer; the monitors themselves shorten long lists.
_MOST = 500
_WORDS = {
    Ongoing.YES: "goes on",
    Ongoing.OVER: "over, and not forgotten yet",
    Ongoing.STATE: "stands",
    Ongoing.UNKNOWN: "not known",
}


def alert(one: ExplainedAlert, findings: Sequence[int], tolerated: bool) -> Json:
    """An alert. ``findings`` are IDs of open findings about its OSDs; ``tolerated`` by rounds."""
    kind = one.alert.kind
    return {
        "code": one.alert.code,
        "summary": one.alert.summary,
        "severity": "error" if one.alert.error else "warning",
        "muted": one.alert.muted,
        "osds": list(one.osds[:_MOST]),
        "osds_in_all": len(one.osds),
        "spread": one.spread,
        "ongoing": one.ongoing.value,
        "stays_seconds": one.alert.lifetime,
        "slow": list(one.slow[:_MOST]),
        "slow_in_all": len(one.slow),
        "suspect": list(one.suspect[:_MOST]),
        "suspect_in_all": len(one.suspect),
        "unjudged": list(one.unjudged[:_MOST]),
        "unjudged_in_all": len(one.unjudged),
        "findings": list(findings),
        "tolerated": tolerated,
        "title": kind.title,
        "meaning": kind.meaning,
        "action": kind.action,
        "spread_text": one.spread_text,
        "ongoing_text": f"{_WORDS[one.ongoing]}: {one.why}",
        "peers_text": _peers(one),
    }


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


def alerts(shapes: Sequence[Json]) -> str:
    """Text of ``alert ls``."""
    if not shapes:
        return "Ceph raises none of the alerts about slow OSDs that are explained here"
    return GAP.join(_one(shape) for shape in shapes)


def below(shapes: Sequence[Json]) -> str:
    """What ``finding ls`` ends with; empty without alerts."""
    if not shapes:
        return ""
    return f"Ceph's own alerts{GAP}{alerts(shapes)}"


def _one(shape: Json) -> str:
    findings = ", ".join(map(str, shape["findings"]))
    muted = ", muted" if shape["muted"] else ""
    pairs = [
        ("says", shape["summary"]),
        ("where", shape["spread_text"]),
        ("still", shape["ongoing_text"]),
        ("now", shape["peers_text"]),
        ("findings", findings or "none is about these OSDs"),
        ("meaning", shape["meaning"]),
        ("what to do", shape["action"]),
        ("rounds", "tolerate it" if shape["tolerated"] else "are refused while it stands"),
    ]
    return f"{shape['severity']}: {shape['code']}{muted}\n{facts(pairs)}"
