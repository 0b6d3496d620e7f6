"""Options of the module, and thresholds that one of them changes."""

from __future__ import annotations

from asked import ask, asking
from fakes.options import OPTIONS, thresholds
from perf_bench.model.admission import Threshold


def test_every_option_has_a_group_and_its_bounds() -> None:
    api = asking(options=lambda: OPTIONS, thresholds=thresholds)
    watch, tick, detector = ask(api, "option ls")
    assert (watch.group, tick.min, tick.max) == ("watch", 1, 60)
    assert (detector.group, detector.at_once) == ("thresholds", False)
    assert Threshold("acute_ratio", 2.4, 2.4) in ask(api, "option thresholds")
