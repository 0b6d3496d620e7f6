"""Ceph's own health checks about slow OSDs: what each means, how long it stays, what to do.

Sources: Ceph's documentation (health checks), and its source: BlueStore.cc and BlockDevice.cc
(alerts that stay for a lifetime after the last event), PGMap.cc (slow pings).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Optional

from .said import Said, say

# Alerts that are read need at most so many of their OSDs' counters.
MOST_OSDS = 200


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

    ``lifetime`` is the option with its lifetime in seconds. ``counters`` of an OSD grow with each
    event; not all releases send them. ``link``: it is about the network between OSDs.
    """

    code: str
    title: str
    meaning: str
    action: str
    lasts: Lasts
    lifetime: str = ""
    counters: tuple[str, ...] = ()
    link: bool = False


_SLOW_COUNTERS = (
    "bluestore.slow_aio_wait_count",
    "bluestore.slow_committed_kv_count",
    "bluestore.slow_read_onode_meta_count",
    "bluestore.slow_read_wait_aio_count",
)


def _slow_pings(side: str) -> AlertKind:
    return AlertKind(
        f"OSD_SLOW_PING_TIME_{side.upper()}",
        say("pings-title", "Slow heartbeats, {side}", side=side),
        say(
            "pings-meaning",
            "Heartbeats between OSDs take long (by default over a second). Pairs of many OSDs with "
            "one host or rack point to its network, pairs with one OSD to that OSD.",
        ),
        say(
            "pings-action",
            "Look at the links and switch ports of what the pairs share: errors, MTU, saturation "
            "('ceph tell osd.ID dump_osd_network'); a busy or stopped OSD answers late, too.",
        ),
        Lasts.MEAN,
        link=True,
    )


def _stalled(prefix: str, device: Said) -> AlertKind:
    return AlertKind(
        f"{prefix}_DEVICE_STALLED_READ_ALERT",
        say("stalled-title", "Stalled reads of {device}", device=device),
        say(
            "stalled-meaning",
            "A read of {device} took seconds (bdev_stalled_read_warn_threshold: how many within "
            "the lifetime raise it; one by default).",
            device=device,
        ),
        say(
            "stalled-action",
            "Look for 'timeout', 'completion polled' and I/O errors of the device in dmesg, and at "
            "its SMART data; replace it if stalls come back.",
        ),
        Lasts.EVENT,
        "bdev_stalled_read_warn_lifetime",
    )


SLOW_OPS = AlertKind(
    "SLOW_OPS",
    say("slow-ops-title", "Slow operations"),
    say(
        "slow-ops-meaning",
        "Operations wait for longer than osd_op_complaint_time (30 s) right now: clients hang. The "
        "OSDs that are named are those that wait, often for another one.",
    ),
    say(
        "slow-ops-action",
        "'ceph tell osd.ID dump_ops_in_flight' shows what they wait for; laggy PGs and OSDs that "
        "stopped reporting name the OSD at fault ('ceph perf-bench laggy ls').",
    ),
    Lasts.NOW,
)
ALERTS = (
    SLOW_OPS,
    AlertKind(
        "BLUESTORE_SLOW_OP_ALERT",
        say("bluestore-slow-op-alert-title", "Slow operations in BlueStore"),
        say(
            "bluestore-slow-op-alert-meaning",
            "A device or RocksDB took more than bluestore_log_op_age (5 s) for an operation. "
            "One is enough (bluestore_slow_ops_warn_threshold), so a single stall looks like a "
            "lasting one.",
        ),
        say(
            "bluestore-slow-op-alert-action",
            "If it goes on: look at the device (SMART, dmesg) and at RocksDB ('ceph perf-bench "
            "doctor': SLOW_COMPACTION, DB_SPILLS_OVER). If it is over and the OSD is as fast "
            "as its peers: nothing, or mute it ('ceph health mute BLUESTORE_SLOW_OP_ALERT 1d').",
        ),
        Lasts.EVENT,
        "bluestore_slow_ops_warn_lifetime",
        _SLOW_COUNTERS,
    ),
    _stalled("BLOCK", say("device-data", "the data device")),
    _stalled("DB", say("device-db", "the database's device")),
    _stalled("WAL", say("device-wal", "the write-ahead log's device")),
    _slow_pings("front"),
    _slow_pings("back"),
    AlertKind(
        "BLUESTORE_FREE_FRAGMENTATION",
        say("bluestore-free-fragmentation-title", "Fragmented free space"),
        say(
            "bluestore-free-fragmentation-meaning",
            "The free space of the device is in small pieces, so large writes are split. It says "
            "nothing of the device's health, and may stand for weeks.",
        ),
        say(
            "bluestore-free-fragmentation-action",
            "Compare the OSD with its peers; if it is slower, free space or redeploy it. Else "
            "mute it.",
        ),
        Lasts.STATE,
    ),
    AlertKind(
        "BLUEFS_SPILLOVER",
        say("bluefs-spillover-title", "Database spills over"),
        say(
            "bluefs-spillover-meaning",
            "A part of RocksDB is on the slow device. It may stand for weeks.",
        ),
        say(
            "bluefs-spillover-action",
            "'ceph tell osd.ID compact', then a larger DB device if it comes back "
            "('ceph perf-bench doctor').",
        ),
        Lasts.STATE,
    ),
    AlertKind(
        "OSD_FAIL_SLOW",
        say("osd-fail-slow-title", "Fail-slow devices"),
        say(
            "osd-fail-slow-meaning",
            "The mgr's own detector compares commit latencies and calls these devices slow now.",
        ),
        say(
            "osd-fail-slow-action",
            "Compare with the findings of perf_bench; look at the device (SMART, dmesg).",
        ),
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
    """Whether the cause of an alert goes on. OVER: it is only not forgotten yet."""

    YES = "yes"
    OVER = "over"
    STATE = "state"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ExplainedAlert:
    """An alert joined to what the watch knows.

    ``spread`` says how far it reaches (osd, device, host, rack, cohort, all, several) and
    ``spread_text`` what that is. ``why`` explains ``ongoing``. ``first_seen`` and ``last_event``
    are unix seconds, as far as this watch saw them. ``slow``, ``suspect``, ``as_peers`` and
    ``unjudged`` divide ``osds`` by the watch's verdict now.
    """

    alert: CephAlert
    osds: tuple[int, ...]
    spread: str
    spread_text: str
    ongoing: Ongoing
    why: str
    first_seen: float
    last_event: Optional[float] = None
    slow: tuple[int, ...] = ()
    suspect: tuple[int, ...] = ()
    as_peers: tuple[int, ...] = ()
    unjudged: tuple[int, ...] = ()
