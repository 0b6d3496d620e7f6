"""Names of what OSDs have in common, in sentences."""

from __future__ import annotations

from .said import Said, say


def unit_named(kind: str, name: str) -> Said:
    """The name of a unit: its kind is cluster, device, enclosure, host or rack."""
    if kind == "cluster":
        return say("the-cluster", "the cluster")
    if kind == "device":
        return say("device-named", "device {name}", name=name)
    if kind == "rack":
        return say("rack-named", "rack {name}", name=name)
    if kind == "host":
        return say("host-named", "host {name}", name=name)
    return say("enclosure-named", "enclosure {name}", name=name)
