"""Admission: its public JSON, and the lines of a dry run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..model.admission import Admission

Shape = Mapping[str, Any]


def admission(decision: Admission) -> dict[str, Any]:
    """The decision. ``forceable``: ``--force`` would start it all the same."""
    return {
        "allowed": decision.allowed,
        "reasons": list(decision.reasons),
        "refusals": [asdict(refusal) for refusal in decision.refusals],
        "forceable": not decision.allowed and decision.forceable,
        "unknown": [asdict(unknown) for unknown in decision.unknowns],
    }


def admission_facts(shape: Shape) -> list[tuple[str, str]]:
    """Lines for ``text.facts``: whether it may start, why not, and what nobody knows."""
    may = "yes" if shape["allowed"] else "only with --force" if shape["forceable"] else "no"
    return [
        ("may start", may),
        *[("because", _reason(refusal)) for refusal in shape["refusals"]],
        *[("unchecked", unknown["message"]) for unknown in shape["unknown"]],
    ]


def _reason(refusal: Shape) -> str:
    never = "" if refusal["forceable"] else " (--force does not override it)"
    return f"{refusal['message']}{never}"
