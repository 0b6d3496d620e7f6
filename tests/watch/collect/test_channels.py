"""Which counters are asked for, by what an OSD sends."""

from __future__ import annotations

import pytest

from perf_bench.watch.collect.frames import plan_for, without_bytes

COMMON = [
    "bluestore.read_lat",
    "bluestore.csum_lat",
    "osd.op_latency",
    "osd.op_process_latency",
    "osd.op_r_latency",
    "osd.op_w_latency",
    "osd.op_in_bytes",
    "osd.op_out_bytes",
    "osd.recovery_ops",
]


@pytest.mark.parametrize(
    ("names", "commit"),
    [
        (["bluestore.commit_lat"], "bluestore.commit_lat"),
        (["bluestore.txc_commit_lat"], "bluestore.txc_commit_lat"),
        # a release that has both names: the new one
        (["bluestore.commit_lat", "bluestore.txc_commit_lat"], "bluestore.txc_commit_lat"),
    ],
)
def test_commit_by_its_name(names: list[str], commit: str) -> None:
    plan = plan_for([*COMMON, *names, "osd.op_wip"])
    assert plan == {
        "commit": commit,
        "read": "bluestore.read_lat",
        "whole": "osd.op_latency",
        "process": "osd.op_process_latency",
        "client_read": "osd.op_r_latency",
        "client_write": "osd.op_w_latency",
        "checksum": "bluestore.csum_lat",
        "into": "osd.op_in_bytes",
        "out": "osd.op_out_bytes",
        "recovery": "osd.recovery_ops",
    }
    # commits come first: they are counted on idle OSDs too
    assert next(iter(plan)) == "commit"


def test_what_is_not_sent_is_not_asked_for() -> None:
    assert plan_for(["osd.op_latency", "osd.numpg"]) == {"whole": "osd.op_latency"}
    assert plan_for(["osd.numpg"]) == {}
    assert plan_for([]) == {}


def test_a_plan_without_bytes() -> None:
    assert set(plan_for(COMMON)) - set(without_bytes(plan_for(COMMON))) == {"into", "out"}
