"""A plan's sums, an OSD's limits by the rule that is its own, and profiles within them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nouns import SMALL_STEP, STEP, a_plan
from perf_bench.model.plan import KIB, MIB, PROFILES, BenchLimits, Phase, Step, writes


def test_a_plan_counts_its_samples_and_bytes() -> None:
    plan = a_plan([[3, 1], [0]], repeats=5, step=SMALL_STEP)
    assert plan.osds == (0, 1, 3)
    assert plan.samples == 15
    # 12,288,000 measured bytes and 400 MiB of prefill, five times
    assert plan.bytes_per_osd == 5 * (12_288_000 + 419_430_400)


READS = Step("read", 4 * MIB, 1024 * MIB, object_size=4 * MIB, object_count=64)


def test_a_plan_of_phases_counts_each_osd_by_itself() -> None:
    solo, host = ((0,),), ((0, 1, 2),)
    phases = (
        Phase(STEP, solo, "before"),
        Phase(READS, solo, "before"),
        Phase(STEP, host, "together"),
        Phase(READS, host, "together"),
        Phase(STEP, solo, "rested-1", rest_seconds=1200.0),
    )
    plan = replace(a_plan([]), phases=phases, repeats=2, max_repeats=2, seconds=1300.0)
    assert [phase.name for phase in plan.phases][:3] == [
        "before-write",
        "before-read",
        "together-write",
    ]
    assert (plan.leading.name, plan.osds, plan.samples) == ("together-write", (0, 1, 2), 18)
    # what is read was written once, before all
    kept = 256 * MIB
    assert plan.bytes_by_osd(2) == {
        0: kept + 6 * 1024 * MIB,
        1: kept + 2048 * MIB,
        2: kept + 2048 * MIB,
    }
    assert plan.bytes_per_osd == kept + 6 * 1024 * MIB
    assert plan.kept_bytes == 3 * kept
    assert replace(plan, copies=3).bytes_by_osd(2)[1] == 3 * kept + 2048 * MIB
    assert (plan.rest_seconds, plan.most_seconds) == (1200.0, 1300.0)
    # of the five phases three are benches, on five OSDs in all, twice
    assert plan.benches == 10
    assert plan.benched_at_once == 3
    # rests are not repeated
    assert replace(plan, max_repeats=4).most_seconds == 1400.0


LIMITS = BenchLimits()


def test_the_limits_are_those_that_the_osd_reports() -> None:
    cases: list[tuple[int, int, str]] = [
        # the OSD's own sentences: "greater than 12288000 for a block size of 4 KiB",
        (4 * KIB, 12_288_000, "osd_bench_small_size_max_iops"),
        # the last small one
        (MIB - 512, 3000 * (MIB - 512), "osd_bench_small_size_max_iops"),
        # "greater than 3145728000 for a block size of 4 MiB"
        (MIB, 3_145_728_000, "osd_bench_large_size_max_throughput"),
        (4 * MIB, 3_145_728_000, "osd_bench_large_size_max_throughput"),
    ]
    for block_size, most, option in cases:
        assert LIMITS.max_bytes(block_size) == most
        assert BenchLimits.option_for(block_size) == option


def test_the_slowest_osd_that_the_limits_were_made_for() -> None:
    cases: list[tuple[Step, float]] = [
        # 1 GiB at 100 MiB/s
        (writes(4 * MIB, 1024 * MIB), 10.24),
        # 3,000 writes at 100 a second, and 400 MiB of prefill at 100 MiB/s
        (writes(4 * KIB, 3000 * 4 * KIB), 34.0),
    ]
    for step, seconds in cases:
        assert LIMITS.worst_seconds(step) == pytest.approx(seconds)


def test_each_is_within_the_default_limits() -> None:
    for profile in PROFILES.values():
        for step in profile.steps:
            assert step.total_bytes <= BenchLimits().max_bytes(step.block_size)
            assert step.total_bytes % step.block_size == 0


def test_small_writes_are_prefilled_below_one_mebibyte() -> None:
    assert writes(MIB - 512, MIB).prefilled
    assert not writes(MIB, MIB).prefilled
