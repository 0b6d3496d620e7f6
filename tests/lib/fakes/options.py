"""The module's options without a mgr."""

from __future__ import annotations

from collections.abc import Sequence

from perf_bench.model.admission import ModuleOption, Threshold
from perf_bench.watch.slow_osd.thresholds import Thresholds

OPTIONS = (
    ModuleOption("watch", "bool", True, True, "watch"),
    ModuleOption("watch_tick_seconds", "int", 5, 5, "seconds", 1, 60),
    ModuleOption("detector", "str", "", "", "thresholds", at_once=False),
)


def thresholds() -> Sequence[Threshold]:
    """Each at its default."""
    return [Threshold(name, value, value) for name, value in vars(Thresholds()).items()]
