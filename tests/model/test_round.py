"""A plan's sums, and what a round's state says."""

from __future__ import annotations

from dataclasses import replace

from nouns import SMALL_STEP, STEP, a_plan
from perf_bench.model.plan import MIB, Phase, Step


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
