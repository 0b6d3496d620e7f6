"""The module's options as the dashboard shows and sets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from mgr_module import MgrModule

from ..bench.schedule.timezones import zone
from ..bench.schedule.windows import parse_window
from ..ceph.module_options import Check, MgrModuleOptions
from ..ceph.mons import Mons
from ..model.option import Threshold
from ..watch.detect.slow_osd.thresholds import Thresholds


def module_options(mgr: MgrModule, mons: Mons, thresholds: Thresholds) -> MgrModuleOptions:
    """The options; texts are checked by those who read them. ``thresholds`` are in effect."""
    checks: Mapping[str, Check] = {
        "admission_window": parse_window,
        "admission_timezone": zone,
        "detector": lambda text: Thresholds.of(text.split()),
    }
    shown = _shown(thresholds)
    return MgrModuleOptions(mgr, mons, checks, lambda: shown)


def _shown(thresholds: Thresholds) -> Sequence[Threshold]:
    defaults = Thresholds()
    return [
        Threshold(one.name, getattr(thresholds, one.name), getattr(defaults, one.name))
        for one in fields(thresholds)
    ]
