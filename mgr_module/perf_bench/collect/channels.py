"""Which counters make which channel, on every release.

| channel | counters |
| --- | --- |
| commit | ``bluestore.txc_commit_lat``; on 16 ``bluestore.commit_lat`` |
| read | ``bluestore.read_lat`` |
| queue | ``osd.op_latency`` less ``osd.op_process_latency``: both count the same operations |
| client_read | ``osd.op_r_latency`` |
| client_write | ``osd.op_w_latency`` |
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Optional

from ..model.frame import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, READ

# The measured channels, in the order in which a bin keeps them; probes are not ours.
MEASURED = (COMMIT, READ, QUEUE, CLIENT_READ, CLIENT_WRITE)
QUEUED = MEASURED.index(QUEUE)

_COMMITS = ("bluestore.txc_commit_lat", "bluestore.commit_lat")
_AVERAGES = (
    (READ, "bluestore.read_lat"),
    (CLIENT_READ, "osd.op_r_latency"),
    (CLIENT_WRITE, "osd.op_w_latency"),
)
_WHOLE, _PROCESS = "osd.op_latency", "osd.op_process_latency"
_INTO, _OUT, _RECOVERY = "osd.op_in_bytes", "osd.op_out_bytes", "osd.recovery_ops"


@dataclass(frozen=True)
class Plan:
    """What to ask of an OSD: only counters that it sends, for others read as 0.

    ``averages`` are (channel's place in MEASURED, counter). ``pace`` is the counter whose time
    stamps and growth tell of reports and restarts: the one that moves on idle OSDs too.
    """

    pace: str
    averages: tuple[tuple[int, str], ...]
    queue: Optional[tuple[str, str]]
    into: Optional[str]
    out: Optional[str]
    recovery: Optional[str]


def plan_for(names: Collection[str]) -> Optional[Plan]:
    """The plan for an OSD that sends these counters; None while it sends none of ours."""
    averages = [(COMMIT, name) for name in _COMMITS if name in names][:1]
    averages += [(channel, name) for channel, name in _AVERAGES if name in names]
    queue = (_WHOLE, _PROCESS) if {_WHOLE, _PROCESS} <= set(names) else None
    pace = averages[0][1] if averages else queue and queue[0]
    if pace is None:
        return None
    into, out, recovery = (name if name in names else None for name in (_INTO, _OUT, _RECOVERY))
    places = tuple((MEASURED.index(channel), name) for channel, name in averages)
    return Plan(pace, places, queue, into, out, recovery)
