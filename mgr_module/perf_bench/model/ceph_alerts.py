"""Ceph's own health checks about slow OSDs: what each means, how long it stays, what to do.

Sources: Ceph's documentation (health checks), and its source: BlueStore.cc and BlockDevice.cc
(alerts that stay for a lifetime after the last event), PGMap.cc (slow pings).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Optional


class Lasts(str, Enum):
    """How an alert ends.

    NOW: with its cause. EVENT: a lifetime after the last event. STATE: it describes a state, which
    may stand for weeks. MEAN: it is of means over up to 15 minutes.
    """

    NOW = "now"
    EVENT = "event"
    STATE = "state"
    MEAN = "mean"


@dataclass(frozen=True)
class AlertKind:
    """One of Ceph's health checks.

    ``lifetime`` is the option with its lifetime in seconds. ``link``: it is about the network
    between OSDs.
    """

    code: str
    title: str
    meaning: str
    action: str
    lasts: Lasts
    lifetime: str = ""
    link: bool = False


def _slow_pings(side: str) -> AlertKind:
    return AlertKind(
        f"OSD_SLOW_PING_TIME_{side.upper()}",
        f"Slow heartbeats, {side}",
        "Heartbeats between OSDs take long (by default over a second). Pairs of many OSDs with "
        "one host or rack point to its network, pairs with one OSD to that OSD.",
        "Look at the links and switch ports of what the pairs share: errors, MTU, saturation "
        "('ceph tell osd.ID dump_osd_network'); a busy or stopped OSD answers late, too.",
        Lasts.MEAN,
        link=True,
    )


def _stalled(prefix: str, device: str) -> AlertKind:
    return AlertKind(
        f"{prefix}_DEVICE_STALLED_READ_ALERT",
        f"Stalled reads of {device}",
        f"A read of {device} took seconds (bdev_stalled_read_warn_threshold: how many within the "
        "lifetime raise it; one by default).",
        "Look for 'timeout', 'completion polled' and I/O errors of the device in dmesg, and at "
        "its SMART data; replace it if stalls come back.",
        Lasts.EVENT,
        "bdev_stalled_read_warn_lifetime",
    )


SLOW_OPS = AlertKind(
    "SLOW_OPS",
    "Slow operations",
    "Operations wait for longer than osd_op_complaint_time (30 s) right now: clients hang. The "
    "OSDs that are named are those that wait, often for another one.",
    "'ceph tell osd.ID dump_ops_in_flight' shows what they wait for; laggy PGs and OSDs that "
    "stopped reporting name the OSD at fault ('ceph perf-bench laggy ls').",
    Lasts.NOW,
)
ALERTS = (
    SLOW_OPS,
    AlertKind(
        "BLUESTORE_SLOW_OP_ALERT",
        "Slow operations in BlueStore",
        "A device or RocksDB took more than bluestore_log_op_age (5 s) for an operation. "
        "One is enough (bluestore_slow_ops_warn_threshold), so a single stall looks like a "
        "lasting one.",
        "If an OSD is slower than its peers: look at its device (SMART, dmesg) and at RocksDB "
        "('ceph perf-bench doctor': SLOW_COMPACTION, DB_SPILLS_OVER). If all are as fast as "
        "theirs: nothing, or mute it ('ceph health mute BLUESTORE_SLOW_OP_ALERT 1d').",
        Lasts.EVENT,
        "bluestore_slow_ops_warn_lifetime",
    ),
    _stalled("BLOCK", "the data device"),
    _stalled("DB", "the database's device"),
    _stalled("WAL", "the write-ahead log's device"),
    _slow_pings("front"),
    _slow_pings("back"),
    AlertKind(
        "BLUESTORE_FREE_FRAGMENTATION",
        "Fragmented free space",
        "The free space of the device is in small pieces, so large writes are split. It says "
        "nothing of the device's health, and may stand for weeks.",
        "Compare the OSD with its peers; if it is slower, free space or redeploy it. Else mute it.",
        Lasts.STATE,
    ),
    AlertKind(
        "BLUEFS_SPILLOVER",
        "Database spills over",
        "A part of RocksDB is on the slow device. It may stand for weeks.",
        "'ceph tell osd.ID compact', then a larger DB device if it comes back "
        "('ceph perf-bench doctor').",
        Lasts.STATE,
    ),
    AlertKind(
        "OSD_FAIL_SLOW",
        "Fail-slow devices",
        "The mgr's own detector compares commit latencies and calls these devices slow now.",
        "Compare with the findings of perf_bench; look at the device (SMART, dmesg).",
        Lasts.NOW,
    ),
)
BY_CODE: Mapping[str, AlertKind] = {kind.code: kind for kind in ALERTS}


@dataclass(frozen=True)
class CephAlert:
    """One of these alerts as the cluster raises it.

    ``osds`` counts for each OSD in how many of its lines it is named; the monitors shorten long
    lists. ``improving``: all lines about slow pings say so. ``lifetime`` is in seconds.
    """

    code: str
    summary: str
    osds: Mapping[int, int]
    error: bool = False
    muted: bool = False
    lines: int = 0
    improving: bool = False
    lifetime: Optional[float] = None

    @property
    def kind(self) -> AlertKind:
        return BY_CODE[self.code]


class Ongoing(str, Enum):
    """Whether the cause of an alert goes on. OVER: its figures improve already."""

    YES = "yes"
    OVER = "over"
    STATE = "state"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ExplainedAlert:
    """An alert joined to what the watch knows.

    ``spread`` says how far it reaches (osd, device, host, rack, cohort, all, several) and
    ``spread_text`` what that is. ``why`` explains ``ongoing``. ``slow``, ``suspect``, ``as_peers``
    and ``unjudged`` divide ``osds`` by the watch's verdict now.
    """

    alert: CephAlert
    osds: tuple[int, ...]
    spread: str
    spread_text: str
    ongoing: Ongoing
    why: str
    slow: tuple[int, ...] = ()
    suspect: tuple[int, ...] = ()
    as_peers: tuple[int, ...] = ()
    unjudged: tuple[int, ...] = ()
