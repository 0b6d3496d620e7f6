"""The counters of each channel, for every release.

| channel | counters |
| --- | --- |
| commit | ``bluestore.txc_commit_lat``; on 16 ``bluestore.commit_lat`` |
| read | ``bluestore.read_lat`` |
| queue | ``osd.op_latency`` less ``osd.op_process_latency``: both count the same operations |
| client_read | ``osd.op_r_latency`` |
| client_write | ``osd.op_w_latency`` |
| checksum | ``bluestore.csum_lat``; not on 16 |
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Optional

from ...model.frame import CHECKSUM, CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, READ

# The slots that are read of an OSD, with the names of their counters in the releases. Slots that
# also grow on idle OSDs come first: the first one of a plan shows reports and restarts.
SLOTS: dict[str, tuple[str, ...]] = {
    "commit": ("bluestore.txc_commit_lat", "bluestore.commit_lat"),
    "read": ("bluestore.read_lat",),
    "whole": ("osd.op_latency",),
    "process": ("osd.op_process_latency",),
    "client_read": ("osd.op_r_latency",),
    "client_write": ("osd.op_w_latency",),
    "checksum": ("bluestore.csum_lat",),
    "into": ("osd.op_in_bytes",),
    "out": ("osd.op_out_bytes",),
    "recovery": ("osd.recovery_ops",),
}
BYTES = ("into", "out")
# Channel -> the slot whose mean it is, and the slot whose sum is subtracted first.
MEASURED: dict[str, tuple[str, Optional[str]]] = {
    COMMIT: ("commit", None),
    READ: ("read", None),
    QUEUE: ("whole", "process"),
    CLIENT_READ: ("client_read", None),
    CLIENT_WRITE: ("client_write", None),
    CHECKSUM: ("checksum", None),
}

# By slot the counter's name on an OSD. Slots that the OSD does not send are left out, because the
# mgr would return 0 for them.
Plan = dict[str, str]


def plan_for(names: Collection[str]) -> Plan:
    """Return the plan for an OSD that sends these counters; empty if it sends none of them."""
    found: Plan = {}
    for slot, known in SLOTS.items():
        for name in known:
            if name in names:
                found.setdefault(slot, name)
    return found


def without_bytes(plan: Plan) -> Plan:
    """Return the plan without the counters of bytes."""
    return {slot: name for slot, name in plan.items() if slot not in BYTES}
