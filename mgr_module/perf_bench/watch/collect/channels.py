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
from typing import Optional

from ...model.frame import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, READ

# Each thing that is read of an OSD, under the names that releases have for it. Those that grow
# on idle OSDs too come first: see ``pace_of``.
SLOTS: dict[str, tuple[str, ...]] = {
    "commit": ("bluestore.txc_commit_lat", "bluestore.commit_lat"),
    "read": ("bluestore.read_lat",),
    "whole": ("osd.op_latency",),
    "process": ("osd.op_process_latency",),
    "client_read": ("osd.op_r_latency",),
    "client_write": ("osd.op_w_latency",),
    "into": ("osd.op_in_bytes",),
    "out": ("osd.op_out_bytes",),
    "recovery": ("osd.recovery_ops",),
}
BYTES = ("into", "out")
# Channel -> the slot whose mean it is, and the slot whose sum is taken off first.
MEASURED: dict[str, tuple[str, Optional[str]]] = {
    COMMIT: ("commit", None),
    READ: ("read", None),
    QUEUE: ("whole", "process"),
    CLIENT_READ: ("client_read", None),
    CLIENT_WRITE: ("client_write", None),
}

# By slot the name under which an OSD sends it; a slot that it does not send is left out, for the
# mgr would say 0 of it.
Plan = dict[str, str]


def plan_for(names: Collection[str]) -> Plan:
    """The plan for an OSD that sends these counters; empty while it sends none of ours."""
    found: Plan = {}
    for slot, known in SLOTS.items():
        for name in known:
            if name in names:
                found.setdefault(slot, name)
    return found


def without_bytes(plan: Plan) -> Plan:
    """The same but for the bytes."""
    return {slot: name for slot, name in plan.items() if slot not in BYTES}
