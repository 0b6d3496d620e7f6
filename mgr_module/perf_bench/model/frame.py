"""What the watch sees of all OSDs in one short span of time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Optional

# The latencies that are watched, each a channel of its own. Where they come from: watch/collect/.
COMMIT = "commit"  # BlueStore: a transaction until it is committed (replica writes count too)
READ = "read"  # BlueStore: a read
QUEUE = "queue"  # OSD: a client's operation until it is taken from the queue
CLIENT_READ = "client_read"  # OSD: a client's read, all in all
CLIENT_WRITE = "client_write"  # OSD: a client's write, its replicas included
PROBE_READ = "probe_read"  # the module's own small read, seen from the mgr
PROBE_WRITE = "probe_write"
CHANNELS = (COMMIT, READ, QUEUE, CLIENT_READ, CLIENT_WRITE, PROBE_READ, PROBE_WRITE)
# A primary waits for its replicas: client_write and probe_write accuse the victims of a slow OSD,
# so they are shown and never judged. client_read is read and queue together: not judged twice.
JUDGED = (COMMIT, READ, QUEUE, PROBE_READ)

# The span of one frame in seconds; an OSD that is slow for 30 s fills at least one.
FRAME_SECONDS = 15.0


class Mark(IntFlag):
    """What is known about an OSD in a frame that makes its figures less comparable."""

    DOWN = 1  # down or out
    RESTARTED = 2  # started less than 5 minutes ago
    NEW = 4  # created less than a day ago, in a group that is older
    RECOVERING = 8  # recovery or backfill moves its data
    SCRUBBING = 16
    REWEIGHTED = 32  # its weight changed less than an hour ago
    BENCHED = 64  # our own bench ran on it in this frame: its figures are no data
    DISTURBED = 128  # our own bench ran on another OSD of its host
    STALE = 256  # it has stopped reporting


# With one of these an OSD has no figures of its own: none, or our own bench's.
NO_FIGURES = Mark.DOWN | Mark.STALE | Mark.BENCHED


@dataclass(frozen=True)
class Watched:
    """One OSD as the watch compares it.

    ``cohort`` names whom it is compared with: device class, model, role; OSDs of one cohort
    should perform alike. ``device`` names the physical device, where several OSDs share one.
    """

    osd: int
    name: str
    host: str
    cohort: str
    rack: Optional[str] = None
    enclosure: Optional[str] = None
    device: Optional[str] = None


@dataclass(frozen=True)
class Roster:
    """The watched OSDs in a fixed order, ascending by ID; a change makes a new roster."""

    members: tuple[Watched, ...]


@dataclass(frozen=True)
class Frame:
    """All OSDs over one span, each figure at the place that its OSD has in the roster.

    ``latency`` is by channel the mean in seconds, ``ops`` the operations behind it; NaN is "no
    data", never zero (a channel nobody has is left out). ``ops`` is NaN where only the mean is
    known. ``load`` is bytes/s, NaN where unknown. ``marks`` are ``Mark`` bits.
    ``start`` and ``end`` are unix seconds.
    """

    start: float
    end: float
    roster: Roster
    latency: Mapping[str, Sequence[float]]
    ops: Mapping[str, Sequence[float]]
    load: Sequence[float]
    marks: Sequence[int]


# Fewer operations of clients than this in a frame say nothing about how they fare.
_FEW = 100.0


def client_seconds(frame: Frame) -> Optional[float]:
    """The mean latency of what clients asked of all OSDs; None of fewer than 100 operations."""
    total = count = 0.0
    for channel in (CLIENT_READ, CLIENT_WRITE):
        for mean, ops in zip(frame.latency.get(channel, ()), frame.ops.get(channel, ())):
            if not (math.isnan(mean) or math.isnan(ops)):
                total += mean * ops
                count += ops
    return total / count if count >= _FEW else None
