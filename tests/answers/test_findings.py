"""A finding as one would tell it to a person."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

import golden
from asked import asking
from fakes.clock import FakeClock
from perf_bench.answers import findings
from perf_bench.answers.findings import FindingDetail, finding_text, next_steps, show
from perf_bench.model.finding import Finding, Severity, Target
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.hardware import DrivePlace

SLOW = Finding(
    4,
    SLOW_OSD.code,
    Severity.WARNING,
    Target("osd", "7"),
    "osd.7 on host-1 is 4.1 times as slow as its 7 peers (commit 41 ms against 10 ms)",
    {
        "why": ["osd.7 is at fault itself: osd.2 waits for it more than for any other OSD."],
        "ratio": 4.1,
        "latency_ms": 41.0,
        "peers": 7,
        "channel": "commit",
    },
    first_seen=1_795_000_000.0,
    last_seen=1_795_000_300.0,
)
PLACE = DrivePlace(7, "host-1", "sdk", "SEAGATE_ST18_XYZ", "0x5000c5", "12", (7, 8))


def test_what_helps_comes_before_the_evidence() -> None:
    told = FindingDetail(
        **vars(SLOW),
        next_steps=next_steps(SLOW, (7,), PLACE),
        conclusion=SLOW.evidence["why"][0],
        harm="client writes: 30 ms, before it began 6.0 ms",
        command="ceph perf-bench osd show 7",
    )
    golden.compare("finding-show.txt", finding_text(told) + "\n")


def test_counts_are_written_whole() -> None:
    many = replace(SLOW, evidence={"peers": 12_345_678, "ratio": 4.123})
    text = finding_text(FindingDetail(**vars(many)))
    assert text.endswith("  peers  12345678\n  ratio  x4.12")


def shown(found: Finding) -> FindingDetail:
    watch = SimpleNamespace(findings=lambda: [found], cluster_minutes=lambda *_: [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(findings, "steps_of", lambda _api: lambda one: next_steps(one, (7,), PLACE))
        store = SimpleNamespace(call=lambda *_: {})
        return show(asking(watch=watch, clock=FakeClock(), store=store), 4)


def test_before_its_osd_is_asked_nobody_is_accused() -> None:
    told = shown(replace(SLOW, evidence={}))
    assert told.conclusion.startswith("Who is at fault is not known yet")
    assert told.command == "ceph perf-bench osd why 7"
    told = shown(SLOW)
    assert told.conclusion.startswith("osd.7 is at fault itself")
    assert told.command == "ceph perf-bench osd show 7"
