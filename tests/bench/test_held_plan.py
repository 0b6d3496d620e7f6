"""What a round changes."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.model.admission import SettingChange, plan_changes


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
