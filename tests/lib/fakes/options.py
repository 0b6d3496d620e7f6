"""The module's options without a mgr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Optional

from perf_bench.answers.api import ModuleOptions
from perf_bench.errors import InvalidValue
from perf_bench.model.admission import ModuleOption, Threshold, Value
from perf_bench.watch.slow_osd.thresholds import Thresholds


class FakeOptions(ModuleOptions):
    """Three options; a detector's text with a blank in it means nothing."""

    def __init__(self) -> None:
        self._all = {
            one.name: one
            for one in (
                ModuleOption("watch", "bool", True, True, "watch"),
                ModuleOption("watch_tick_seconds", "int", 5, 5, "seconds", 1, 60),
                ModuleOption("detector", "str", "", "", "thresholds", at_once=False),
            )
        }

    def all(self) -> Sequence[ModuleOption]:
        return list(self._all.values())

    def thresholds(self) -> Sequence[Threshold]:
        return [Threshold(name, value, value) for name, value in vars(Thresholds()).items()]

    def check(self, option: ModuleOption, value: str) -> None:
        if option.name == "detector" and " " in value:
            raise InvalidValue(f"'{value}' is not KEY=VALUE", field="value")

    def set(self, name: str, value: Optional[str]) -> None:
        option = self._all[name]
        self._all[name] = replace(option, value=_read(option, value))


def _read(option: ModuleOption, value: Optional[str]) -> Value:
    if value is None:
        return option.default
    if option.type == "bool":
        return value == "true"
    return int(value) if option.type == "int" else value
