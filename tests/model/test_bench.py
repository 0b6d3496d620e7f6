"""A step's arithmetic and an OSD's limits, by the rule that is the OSD's own."""

from __future__ import annotations

import pytest

from perf_bench.model.plan import KIB, MIB, BenchLimits, Step, writes

LIMITS = BenchLimits()


def test_a_fresh_step_writes_what_it_measures() -> None:
    step = Step("write", 4 * MIB, 1024 * MIB)
    assert not step.prefilled
    assert step.bytes_written == 1024 * MIB
    assert step.operations == 256


def test_a_prefilled_step_writes_its_objects_too() -> None:
    step = Step("write", 4 * KIB, 4000 * KIB, object_size=4 * MIB, object_count=100)
    assert step.prefilled
    assert step.bytes_written == 4000 * KIB + 400 * MIB
    assert step.operations == 1000


@pytest.mark.parametrize(
    ("block_size", "most", "option"),
    [
        # the OSD's own sentences: "greater than 12288000 for a block size of 4 KiB",
        (4 * KIB, 12_288_000, "osd_bench_small_size_max_iops"),
        # the last small one
        (MIB - 512, 3000 * (MIB - 512), "osd_bench_small_size_max_iops"),
        # "greater than 3145728000 for a block size of 4 MiB"
        (MIB, 3_145_728_000, "osd_bench_large_size_max_throughput"),
        (4 * MIB, 3_145_728_000, "osd_bench_large_size_max_throughput"),
    ],
)
def test_the_limits_are_those_that_the_osd_reports(block_size: int, most: int, option: str) -> None:
    assert LIMITS.max_bytes(block_size) == most
    assert BenchLimits.option_for(block_size) == option


@pytest.mark.parametrize(
    ("step", "seconds"),
    [
        # 1 GiB at 100 MiB/s
        (writes(4 * MIB, 1024 * MIB), 10.24),
        # 3,000 writes at 100 a second, and 400 MiB of prefill at 100 MiB/s
        (writes(4 * KIB, 3000 * 4 * KIB), 34.0),
    ],
)
def test_the_slowest_osd_that_the_limits_were_made_for(step: Step, seconds: float) -> None:
    assert LIMITS.worst_seconds(step) == pytest.approx(seconds)
