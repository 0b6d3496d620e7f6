"""Who waits for whom: share out the time that operations wait for their replicas.

An operation waits for the last of its replicas, and Ceph does not say which one that was. With one
replica that is clear. With several, the replica that is behind the most waiting in all gets most of
each operation's time, again and again, until the shares stand still: an OSD that is slow is in
every slow operation, its partners change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...model.breakdown import Wait

_PASSES = 30
# Shorter waits are the round trip of any write.
_LEAST_SECONDS = 0.001
# A share that counts: the rest is what the passes have left over.
_LEAST_SHARE = 0.01
_MOST_WAITS = 5


class OperationWait(NamedTuple):
    """One operation: the OSDs that it waited for, and how long, in seconds."""

    osds: frozenset[int]
    seconds: float


def shared_out(operations: Iterable[OperationWait]) -> Sequence[Wait]:
    """The OSDs that operations wait for, the worst first; at most 5."""
    waits = [one for one in operations if one.osds and one.seconds >= _LEAST_SECONDS]
    total = sum(one.seconds for one in waits)
    if not total:
        return ()
    behind: Mapping[int, float] = {osd: 1.0 for one in waits for osd in one.osds}
    for _ in range(_PASSES):
        behind = _pass(waits, behind)
    counts: dict[int, int] = {}
    for one in waits:
        for osd in one.osds:
            counts[osd] = counts.get(osd, 0) + 1
    found = [
        Wait(osd, seconds, seconds / total, counts[osd])
        for osd, seconds in behind.items()
        if seconds / total >= _LEAST_SHARE
    ]
    return sorted(found, key=lambda wait: (-wait.seconds, wait.osd))[:_MOST_WAITS]


def _pass(waits: Sequence[OperationWait], weights: Mapping[int, float]) -> Mapping[int, float]:
    """The seconds by OSD, each operation's shared out by these weights."""
    found = dict.fromkeys(weights, 0.0)
    for one in waits:
        sum_ = sum(weights[osd] for osd in one.osds)
        for osd in one.osds:
            found[osd] += one.seconds * (weights[osd] / sum_ if sum_ else 1 / len(one.osds))
    return found
