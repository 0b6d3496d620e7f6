"""A frame: the figures of all OSDs in one short span of time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Optional

# The latencies that are watched, each a channel. Their sources: watch/collect/.
COMMIT = "commit"  # BlueStore: a transaction until it is committed (replica writes count too)
READ = "read"  # BlueStore: a read
QUEUE = "queue"  # OSD: a client's operation until it is taken from the queue
CLIENT_READ = "client_read"  # OSD: a client's whole read
CLIENT_WRITE = "client_write"  # OSD: a client's whole write, with its replicas
CHECKSUM = "checksum"  # BlueStore: verifying the checksums of a read; 17 and later send it
# Of checksums the share of the op threads' time is told (hardware/checksums.py), not the latency.
CHANNELS = (COMMIT, READ, QUEUE, CLIENT_READ, CLIENT_WRITE)
# A primary waits for its replicas, so client_write is high on the victims of a slow OSD: it is
# shown, but not judged. client_read is the sum of read and queue, both judged.
JUDGED = (COMMIT, READ, QUEUE)

# The span of one frame in seconds; an OSD that is slow for 30 s fills at least one.
FRAME_SECONDS = 15.0


class Mark(IntFlag):
    """Conditions of an OSD in a frame that make its figures less comparable."""

    DOWN = 1  # down or out
    RESTARTED = 2  # started less than 5 minutes ago
    NEW = 4  # created less than a day ago, in a group that is older
    RECOVERING = 8  # recovery or backfill moves its data
    SCRUBBING = 16
    REWEIGHTED = 32  # its weight changed less than an hour ago
    BENCHED = 64  # a bench ran on it in this frame: its figures are not used
    DISTURBED = 128  # a bench ran on another OSD of its host
    STALE = 256  # it has stopped reporting


# With one of these an OSD has no figures, or only those of a bench.
NO_FIGURES = Mark.DOWN | Mark.STALE | Mark.BENCHED


@dataclass(frozen=True)
class Watched:
    """One OSD as the watch compares it.

    ``cohort`` names its peers, which should perform alike: device class, model, role. ``device``
    names the physical device, which several OSDs may share.
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
    """All OSDs over one span; each list is in the order of the roster.

    ``latency`` has by channel the means in seconds, ``ops`` the numbers of operations. NaN means no
    data, and never zero; a channel without any data is left out. ``ops`` is NaN if only the mean is
    known. ``load`` is bytes/s, NaN if unknown. ``marks`` are ``Mark`` bits. ``start`` and ``end``
    are unix seconds.
    """

    start: float
    end: float
    roster: Roster
    latency: Mapping[str, Sequence[float]]
    ops: Mapping[str, Sequence[float]]
    load: Sequence[float]
    marks: Sequence[int]


# With fewer operations of clients in a frame, their mean latency is not meaningful.
_FEW = 100.0


def client_seconds(frame: Frame) -> Optional[float]:
    """Clients' mean latency over all OSDs in seconds; None with fewer than 100 operations."""
    total = count = 0.0
    for channel in (CLIENT_READ, CLIENT_WRITE):
        for mean, ops in zip(frame.latency.get(channel, ()), frame.ops.get(channel, ())):
            if not (math.isnan(mean) or math.isnan(ops)):
                total += mean * ops
                count += ops
    return total / count if count >= _FEW else None
