"""What OSDs share: a device, an enclosure, a host, the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...model.frame import Watched


class SharedPart(NamedTuple):
    """OSDs that share something: kind cluster, host, enclosure or device."""

    kind: str
    id: str
    osds: frozenset[int]


def units_of(members: Sequence[Watched]) -> list[SharedPart]:
    """Return the units with two or more OSDs, narrower kinds first: they win between equals."""
    found: dict[tuple[str, str], set[int]] = {}
    for member in members:
        for kind, name in _places(member):
            found.setdefault((kind, name), set()).add(member.osd)
    return [
        SharedPart(kind, name, frozenset(osds))
        for (kind, name), osds in found.items()
        if len(osds) > 1
    ]


def _places(member: Watched) -> Iterator[tuple[str, str]]:
    if member.device:
        yield "device", member.device
    if member.enclosure:
        yield "enclosure", member.enclosure
    yield "host", member.host
    yield "cluster", "cluster"
