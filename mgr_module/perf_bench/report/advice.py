"""The doctor's advice as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ..answers.paging import keyed
from ..answers.text import GAP, facts
from ..model.doctor_snapshot import Advice
from ..model.json_fields import Json

SEARCHED = ("code", "severity", "target", "message", "fix", "source")
FIELDS: Mapping[str, Callable[[Json], Any]] = {
    **keyed("code", "message", "fix", "source"),
    "severity": lambda shape: {"error": 0, "warning": 1, "info": 2}[shape["severity"]],
    "target": lambda shape: _target(shape["target"]),
}
# As it is read, not as it is sorted.
SEEN: Mapping[str, Callable[[Json], Any]] = {**FIELDS, **keyed("severity")}


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
        "message": found.message,
    }


def sheet(shapes: Sequence[Json]) -> str:
    """Text of ``doctor``."""
    if not shapes:
        return "nothing to advise, as far as the checks could look"
    return GAP.join(_one(shape) for shape in shapes)


def _one(shape: Json) -> str:
    name = _target(shape["target"])
    pairs = [("says", shape["message"]), ("type", shape["fix"]), ("see", shape["source"])]
    return f"{shape['severity']}: {shape['code']}, {name}\n{facts(pairs, ('type',))}"


def _target(target: Json) -> str:
    return f"osd.{target['id']}" if target["kind"] == "osd" else str(target["id"])
