"""Findings: their public JSON, and the list and the sheet that people read."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from ..model.finding import Finding
from .listing import Fields
from .text import GAP, WIDTH, facts, iso, minute, number, short_time, table

Shape = Mapping[str, Any]

SEARCHED = ("code", "severity", "target", "message", "state")
_ORDER = {"error": 0, "warning": 1, "info": 2}


def finding(found: Finding) -> dict[str, Any]:
    """A finding; times are ISO 8601 in UTC."""
    return {
        "id": found.id,
        "code": found.code,
        "severity": found.severity.value,
        "target": {"kind": found.target.kind, "id": found.target.id},
        "message": found.message,
        "evidence": dict(found.evidence),
        "first_seen": iso(found.first_seen),
        "last_seen": iso(found.last_seen),
        "state": found.state.value,
        "muted_until": iso(found.muted_until),
        "closed_at": iso(found.closed_at),
    }


FIELDS: Fields[Finding] = {
    "id": lambda found: found.id,
    "code": lambda found: found.code,
    "severity": lambda found: _ORDER[found.severity.value],
    "target": lambda found: str(found.target),
    "message": lambda found: found.message,
    "state": lambda found: found.state.value,
    "first_seen": lambda found: found.first_seen,
    "last_seen": lambda found: found.last_seen,
}
# As it is read, not as it is sorted.
SEEN: Fields[Finding] = {**FIELDS, "severity": lambda found: found.severity.value}


def findings(shapes: Sequence[Shape]) -> str:
    """Print ``finding ls``: a line each, and below it what it says."""
    if not shapes:
        return "no findings: nothing is slower than its peers or than it was, no PG is laggy"
    rows = [
        [str(s["id"]), s["severity"], s["state"], s["code"], minute(s["first_seen"])]
        for s in shapes
    ]
    head, *lines = table(["ID", "SEVERITY", "STATE", "CODE", "SINCE (UTC)"], rows).splitlines()
    indent = " " * 4
    said = [
        textwrap.fill(s["message"], WIDTH, initial_indent=indent, subsequent_indent=indent)
        for s in shapes
    ]
    return "\n".join([head, *(part for pair in zip(lines, said) for part in pair)])


def finding_sheet(shape: Shape) -> str:
    """Print ``finding show``."""
    muted = f", muted until {short_time(shape['muted_until'])} UTC" if shape["muted_until"] else ""
    closed = f", closed {short_time(shape['closed_at'])} UTC" if shape["closed_at"] else ""
    pairs = [
        ("says", shape["message"]),
        ("state", f"{shape['state']}{muted}{closed}"),
        ("severity", shape["severity"]),
        ("about", f"{shape['target']['kind']} {shape['target']['id']}"),
        ("first seen", f"{short_time(shape['first_seen'])} UTC"),
        ("last seen", f"{short_time(shape['last_seen'])} UTC"),
    ]
    evidence = [(name, _figure(value)) for name, value in sorted(shape["evidence"].items())]
    tail = f"{GAP}evidence\n{facts(evidence, command='fix')}" if evidence else ""
    return f"finding {shape['id']}: {shape['code']}\n{facts(pairs)}{tail}"


def _figure(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, float):
        return number(value, 3)
    return value if isinstance(value, str) else json.dumps(value)
