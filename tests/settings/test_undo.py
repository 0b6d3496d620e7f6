"""What becomes of a change in the journal."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.model.quiesce import SettingChange
from perf_bench.settings.undo import Fate, fate


@pytest.mark.parametrize(
    ("value", "settled", "expected"),
    [
        ("120", True, Fate.UNDO),
        ("120", False, Fate.UNDO),
        ("120.000000", True, Fate.UNDO),  # monitors write numbers as they like
        ("30", True, Fate.NOTHING),
        ("30.0", True, Fate.NOTHING),
        ("30", False, Fate.WATCH),  # it may still be carried out
        ("60", True, Fate.LEAVE),
        ("60", False, Fate.WATCH),  # and what is on its way would be over it
        (None, True, Fate.LEAVE),
        (None, False, Fate.WATCH),
    ],
)
def test_fate(value: Optional[str], settled: bool, expected: Fate) -> None:
    assert (
        fate(SettingChange("config/osd/osd_bench_duration", "30", "120"), value, settled)
        is expected
    )
