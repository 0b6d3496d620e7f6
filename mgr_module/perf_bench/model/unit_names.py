"""Names of what OSDs have in common, in sentences."""

from __future__ import annotations


def unit_named(kind: str, name: str) -> str:
    """The name of a unit: its kind is cluster, device, enclosure, host or rack."""
    return "the cluster" if kind == "cluster" else f"{kind} {name}"
