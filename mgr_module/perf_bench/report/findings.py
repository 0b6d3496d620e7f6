"""Findings: their public JSON, and the list and the sheet that people read."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

from ..answers.paging import Fields
from ..answers.text import GAP, WIDTH, duration, facts, iso, minute, short_time, size, table
from ..model.finding import Acknowledgement, Finding
from ..model.finding_kinds import BY_CODE, KINDS, EvidenceField, EvidenceUnit
from . import next_steps

Shape = Mapping[str, Any]

SEARCHED = ("code", "severity", "target", "message", "state", "acknowledged")
SEVERITY_ORDER = {"error": 0, "warning": 1, "info": 2}


def finding(found: Finding) -> dict[str, Any]:
    """A finding; times are ISO 8601 in UTC."""
    return {
        "id": found.id,
        "code": found.code,
        "severity": found.severity.value,
        "target": {"kind": found.target.kind, "id": found.target.id},
        "evidence": dict(found.evidence),
        "first_seen": iso(found.first_seen),
        "last_seen": iso(found.last_seen),
        "state": found.state.value,
        "muted_until": iso(found.muted_until),
        "closed_at": iso(found.closed_at),
        "acknowledged": _acknowledged_json(found.acknowledged),
        "message": found.message,
    }


def _acknowledged_json(note: Optional[Acknowledgement]) -> Optional[Shape]:
    return None if note is None else {"text": note.text, "at": iso(note.at), "by": note.by}


def kinds() -> list[dict[str, Any]]:
    """All kinds of findings, for pages that show any of them."""
    return [
        {
            "code": kind.code,
            "title": kind.title,
            "meaning": kind.meaning,
            "action": kind.action,
            "severity": kind.severity.value,
            "evidence": {
                key: {"words": field.words, "unit": field.unit.value}
                for key, field in kind.evidence.items()
            },
        }
        for kind in KINDS
    ]


FIELDS: Fields[Finding] = {
    "id": lambda found: found.id,
    "code": lambda found: found.code,
    "severity": lambda found: SEVERITY_ORDER[found.severity.value],
    # osd.9 before osd.10
    "target": lambda found: (found.target.kind, len(found.target.id), found.target.id),
    "message": lambda found: found.message,
    "state": lambda found: found.state.value,
    "first_seen": lambda found: found.first_seen,
    "last_seen": lambda found: found.last_seen,
}
# As it is read, not as it is sorted.
SEEN: Fields[Finding] = {
    **FIELDS,
    "severity": lambda found: found.severity.value,
    "target": lambda found: str(found.target),
    "acknowledged": lambda found: found.acknowledged.text if found.acknowledged else None,
}


def findings(shapes: Sequence[Shape]) -> str:
    """Print ``finding ls``: a line each, and below it what it says."""
    if not shapes:
        return "no findings, as far as it was possible to look"
    rows = [
        [str(s["id"]), s["severity"], s["state"], s["code"], minute(s["first_seen"])]
        for s in shapes
    ]
    head, *lines = table(["ID", "SEVERITY", "STATE", "CODE", "SINCE (UTC)"], rows).splitlines()
    indent = " " * 4
    said = [
        "\n".join(
            textwrap.fill(words, WIDTH, initial_indent=indent, subsequent_indent=indent)
            for words in (s["message"], _noted(s["acknowledged"]))
            if words
        )
        for s in shapes
    ]
    return "\n".join([head, *(part for pair in zip(lines, said) for part in pair)])


def _noted(note: Optional[Shape]) -> str:
    """The acknowledgement as a line; empty for none."""
    if note is None:
        return ""
    by = f" by {note['by']}" if note["by"] else ""
    return f"acknowledged {minute(note['at'])} UTC{by}: {note['text']}"


def acknowledged(shape: Shape) -> str:
    """Print ``finding ack``."""
    note = shape["acknowledged"]
    if note is None:
        return f"finding {shape['id']} is not acknowledged any more"
    return f"finding {shape['id']} is acknowledged; its health check stays"


def finding_sheet(shape: Shape) -> str:
    """Print ``finding show``."""
    muted = f", muted until {short_time(shape['muted_until'])} UTC" if shape["muted_until"] else ""
    closed = f", closed {short_time(shape['closed_at'])} UTC" if shape["closed_at"] else ""
    kind = BY_CODE.get(shape["code"])
    pairs = [
        ("problem", shape["message"]),
        ("state", f"{shape['state']}{muted}{closed}"),
        ("acknowledged", _noted(shape["acknowledged"]).removeprefix("acknowledged ")),
        ("severity", shape["severity"]),
        ("target", f"{shape['target']['kind']} {shape['target']['id']}"),
        ("first seen", f"{short_time(shape['first_seen'])} UTC"),
        ("last seen", f"{short_time(shape['last_seen'])} UTC"),
        ("meaning", kind.meaning if kind else ""),
        ("what to do", kind.action if kind else ""),
        *[
            ("Ceph's alert", f"{one['code']} names its OSDs: {one['text']}")
            for one in shape.get("ceph_alerts", ())
        ],
    ]
    tail = _evidence(shape["evidence"], kind.evidence if kind else {})
    steps = next_steps.text(shape.get("next_steps"))
    return f"finding {shape['id']}: {shape['code']}\n{facts(pairs)}{tail}{steps}"


def _evidence(values: Shape, known: Mapping[str, EvidenceField]) -> str:
    """The evidence in the table's words and order; a key that it does not have comes last.

    ``said`` has the codes of its sentences.
    """
    order = [
        *(key for key in known if key in values),
        *sorted(values.keys() - known.keys() - {"said"}),
    ]
    if not order:
        return ""
    fields = [(_field(key, known), values[key]) for key in order]
    pairs = [(field.words, _value(value, field.unit, known)) for field, value in fields]
    commands = [field.words for field, _ in fields if field.unit is EvidenceUnit.COMMAND]
    return f"{GAP}evidence\n{facts(pairs, commands)}"


def _field(key: str, known: Mapping[str, EvidenceField]) -> EvidenceField:
    return known.get(key) or EvidenceField(key.replace("_", " "))


def _value(value: Any, unit: EvidenceUnit, known: Mapping[str, EvidenceField]) -> str:
    """A value of evidence as text; what is not known is left out by ``facts``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(
            f"{field.words} {_value(one, field.unit, known)}"
            for field, one in ((_field(key, known), one) for key, one in value.items())
        )
    if isinstance(value, (list, tuple)):
        entries = [_value(one, unit, known) for one in value]
        apart = " / " if any(isinstance(one, Mapping) for one in value) else ", "
        if all(entry.endswith(".") for entry in entries):
            apart = " "  # sentences
        return (" && " if unit is EvidenceUnit.COMMAND else apart).join(entries)
    if isinstance(value, (int, float)):
        return _FIGURES[unit](value)
    return str(value)


def _plain(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3g}"


_FIGURES: Mapping[EvidenceUnit, Callable[[float], str]] = {
    EvidenceUnit.NONE: _plain,
    EvidenceUnit.COMMAND: _plain,
    EvidenceUnit.WORD: _plain,
    EvidenceUnit.FRACTION: lambda value: f"{100 * value:.3g} %",
    EvidenceUnit.PERCENT: lambda value: f"{value:.3g} %",
    EvidenceUnit.RATIO: lambda value: f"x{value:.3g}",
    EvidenceUnit.SECONDS: duration,
    EvidenceUnit.MILLISECONDS: lambda value: f"{value:.3g} ms",
    EvidenceUnit.BYTES: size,
    EvidenceUnit.BYTES_PER_SECOND: lambda value: f"{size(value)}/s",
    EvidenceUnit.TIME: lambda value: f"{short_time(iso(value))} UTC",
}


def more_findings(count: int) -> str:
    """What stands below findings of which so many are left out; empty if none is."""
    return f"and {count} more: 'ceph perf-bench finding ls --all'" if count else ""
