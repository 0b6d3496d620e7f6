"""The doctor's advice as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.doctor_snapshot import Advice
from ..model.json_fields import Json
from ..model.said import with_said
from .text import GAP, facts


def advice(found: Advice) -> Json:
    """One advice. ``osds`` are those concerned; empty for advice on the whole cluster."""
    return {
        "code": found.code,
        "severity": found.severity.value,
        "target": {"kind": found.target.kind, "id": found.target.id},
        "evidence": dict(found.evidence),
        "fix": found.fix,
        "source": found.source,
        "osds": sorted(found.osds),
        **with_said(message=found.message),
    }


def sheet(shapes: Sequence[Json]) -> str:
    """Text of ``doctor``."""
    if not shapes:
        return "nothing to advise, as far as the checks could look"
    return GAP.join(_one(shape) for shape in shapes)


def _one(shape: Json) -> str:
    target = shape["target"]
    name = f"osd.{target['id']}" if target["kind"] == "osd" else target["id"]
    pairs = [("says", shape["message"]), ("type", shape["fix"]), ("see", shape["source"])]
    return f"{shape['severity']}: {shape['code']}, {name}\n{facts(pairs, ('type',))}"
