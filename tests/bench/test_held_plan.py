"""What a round changes."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.bench.held_kinds import wanted_for
from perf_bench.model.quiesce import SettingChange, plan_changes


def test_what_a_round_wants() -> None:
    limits = {"osd_bench_duration": 30, "osd_bench_max_block_size": 64}
    needed = {"osd_bench_duration": 120, "osd_bench_max_block_size": 64}
    assert wanted_for([7, 3], limits, needed) == {
        "flag/noscrub": "set",
        "flag/nodeep-scrub": "set",
        "balancer": "off",
        "pool/3/pg_autoscale_mode": "off",
        "pool/7/pg_autoscale_mode": "off",
        "config/osd/osd_bench_duration": "120",
    }


@pytest.mark.parametrize(
    ("limit", "needed", "raised"), [(30, 29, False), (30, 30, False), (30, 31, True)]
)
def test_a_limit_is_raised_and_never_lowered(limit: int, needed: int, raised: bool) -> None:
    wanted = wanted_for([], {"osd_bench_duration": limit}, {"osd_bench_duration": needed})
    assert ("config/osd/osd_bench_duration" in wanted) is raised


@pytest.mark.parametrize(
    ("now", "wanted", "planned"),
    [
        ({"a": "1"}, {"a": "2"}, [SettingChange("a", "1", "2")]),
        ({"a": None}, {"a": "2"}, [SettingChange("a", None, "2")]),
        ({"a": "1"}, {"a": None}, [SettingChange("a", "1", None)]),
        ({"a": "2"}, {"a": "2"}, []),  # the operator's own
        ({"a": "30.000000"}, {"a": "30"}, []),  # as monitors store it
        ({}, {"a": "2"}, []),  # there is no such thing
        ({"a": "1", "b": "1"}, {"b": "2"}, [SettingChange("b", "1", "2")]),
        # in the order in which they are wanted
        (
            {"a": "1", "b": "1"},
            {"b": "2", "a": "2"},
            [SettingChange("b", "1", "2"), SettingChange("a", "1", "2")],
        ),
    ],
)
def test_plan(
    now: dict[str, Optional[str]], wanted: dict[str, Optional[str]], planned: list[SettingChange]
) -> None:
    assert plan_changes(now, wanted) == planned
