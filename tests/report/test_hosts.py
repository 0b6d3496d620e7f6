"""The text of ``host show``."""

from __future__ import annotations

from typing import Any

from perf_bench.model.facts import facts_of
from perf_bench.report import hosts

NOW = 1_795_176_000.0


def _sheet(collected_at: str = "2026-11-20T11:59:00Z", **sections: Any) -> str:
    facts = facts_of({"format": 1, "host": "h", "collected_at": collected_at, **sections})
    shape = hosts.host("h", [1], facts, facts.collected_at, NOW)
    return hosts.host_sheet(
        {
            **shape,
            "told": hosts.told_by(facts),
            "findings": [],
            "findings_left_out": 0,
            "rounds": [],
            "rounds_osds_left_out": 0,
        },
    )


def test_the_age_of_facts_is_told() -> None:
    assert "facts of  2026-11-20 11:59 UTC, age 60 s\n" in _sheet()
    assert "facts of  2026-09-20 12:00 UTC, age 61 days, stale\n" in _sheet("2026-09-20T12:00:00Z")


def test_figures_have_units_and_nothing_used_is_told() -> None:
    text = _sheet(
        memory={"total_bytes": 256 << 30, "swap_used_bytes": 0},
        numa={"miss_percent": 0},
        kernel={"nvme_io_timeout_seconds": 30, "release": "6.1"},
        crc32c={"bytes_per_second": 3 << 30},
    )
    lines = {line.strip().split("  ")[0]: line.split()[-2:] for line in text.splitlines()[1:]}
    assert lines["memory total"] == ["256", "GiB"]
    assert lines["memory swap used"] == ["0", "B"]
    assert lines["numa miss"] == ["0.0", "%"]
    assert lines["kernel nvme io timeout"] == ["30", "s"]
    assert lines["crc32c"] == ["3072", "MiB/s"]
    assert "thp" not in text


def test_a_host_without_facts_has_none() -> None:
    shape = hosts.host("h", [1], None, None, NOW)
    text = hosts.host_sheet(
        {
            **shape,
            "told": None,
            "findings": [],
            "findings_left_out": 0,
            "rounds": [],
            "rounds_osds_left_out": 0,
        }
    )
    assert "facts of" not in text


def test_osds_whose_rounds_are_not_read_and_findings_that_are_left_out_are_counted() -> None:
    shape = hosts.host("h", list(range(60)), None, None, NOW)
    one = {
        "id": 3, "profile": "osd-iops", "verdict": "valid", "ended_at": None, "osds": 32,
        "percent_of_peers": 99.0,
    }  # fmt: skip
    finding = {"id": 1, "state": "open", "message": "slow"}
    text = hosts.host_sheet(
        {
            **shape,
            "told": None,
            "findings": [finding],
            "findings_left_out": 7,
            "rounds": [one],
            "rounds_osds_left_out": 28,
        }
    )
    assert "and 7 more: 'ceph perf-bench finding ls --all'" in " ".join(text.split())
    assert text.endswith("(without what they measured of 28 of the host's OSDs)")
