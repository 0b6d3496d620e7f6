"""The order of ``host ls``, and the text of ``host show``."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from fakes.clock import FakeClock
from nouns import some_osds
from perf_bench.answers.findings import Finding
from perf_bench.answers.hosts import HostDetail, host_text, hosts
from perf_bench.model.finding import Severity, Target
from perf_bench.model.hardware import KnownHost, facts_of
from perf_bench.model.verdict import OsdSnapshot, OsdState, OsdVerdict

NOW = 1_795_176_000.0
BARE = HostDetail("h", [OsdVerdict(1, OsdState.NO_DATA)], None, NOW, [], 0)


def _sheet(collected_at: str = "2026-11-20T11:59:00Z", **sections: Any) -> str:
    facts = facts_of({"format": 1, "host": "h", "collected_at": collected_at, **sections})
    return host_text(replace(BARE, known=KnownHost(facts)))


def test_the_host_of_the_slowest_osd_comes_first() -> None:
    seen = [
        OsdVerdict(0, OsdState.OK, ratio=1.1),
        OsdVerdict(3, OsdState.SUSPECT, ratio=2.5),
        OsdVerdict(1, OsdState.SLOW, ratio=4.25),
        OsdVerdict(4, OsdState.NO_DATA),
    ]
    snapshot = OsdSnapshot({one.osd: one for one in seen})
    api: Any = SimpleNamespace(
        hosts=SimpleNamespace(known=dict),
        clock=FakeClock(),
        osds=lambda: some_osds(6),  # osd.0 and 3, 1 and 4, 2 and 5
        watch=SimpleNamespace(osd_snapshot=lambda: snapshot),
    )
    found, count = hosts(api)
    assert [(one.host, one.slow, one.worst_ratio) for one in found] == [
        ("host-1", 1, 4.25),
        ("host-0", 0, 2.5),  # whoever is suspect is not called slow
        ("host-2", None, None),  # nobody was judged
    ]
    assert count == 3


def test_the_age_of_facts_is_told() -> None:
    assert "facts of  2026-11-20 11:59 UTC, age 60 s" in _sheet()
    assert "facts of  2026-09-20 12:00 UTC, age 61 days, stale" in _sheet("2026-09-20T12:00:00Z")


def test_nothing_used_is_told_and_what_is_not_told_is_left_out() -> None:
    text = _sheet(memory={"total_bytes": 256 << 30, "swap_used_bytes": 0})
    assert "memory swap used bytes  0\n" in text + "\n"
    assert "thp" not in text


def test_a_host_without_facts_has_none() -> None:
    assert "facts of" not in host_text(BARE)


def test_findings_that_are_left_out_are_counted() -> None:
    found = [Finding(1, "X", Severity.INFO, Target("host", "h"), "slow")]
    text = host_text(replace(BARE, findings=found, findings_left_out=7))
    assert "and 7 more: 'ceph perf-bench finding ls --all'" in " ".join(text.split())
