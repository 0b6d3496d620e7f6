"""OSDs that say nothing any more: taken out, stopped, or all of them at once."""

from __future__ import annotations

import pytest

from fakes.counters import Pulse
from fakes.store_thread import ImpatientStoreThread
from lookout import Lookout, hosts


@pytest.fixture
def lookout(store_thread: ImpatientStoreThread) -> Lookout:
    return Lookout(store_thread, members=hosts(3, 1))


@pytest.mark.parametrize("down", [True, False])
def test_osds_that_are_all_silent_are_not_looked_at(lookout: Lookout, down: bool) -> None:
    lookout.passes(600)
    lookout.pulses.clear()  # nobody reports any more
    if down:
        for osd in range(3):
            lookout.members.change(osd, up=False)
    lookout.passes(1800)
    (found,) = [one for one in lookout.watch.coverage(0.0) if one.name == "slow_osds"]
    assert found.looked == 0
    assert [gap.code for gap in found.gaps] == ["silent"]


@pytest.mark.parametrize("change", [{"in_cluster": False}])
def test_a_slow_osd_that_was_taken_out_is_not_told_as_slow_for_ever(
    lookout: Lookout, change: dict[str, bool]
) -> None:
    lookout.members.set(hosts(4, 2))
    lookout.pulses.update({osd: Pulse(osd) for osd in range(8)})
    lookout.passes(900)
    lookout.slow_down(5, 5.0)
    lookout.passes(1800)
    assert "PERF_BENCH_SLOW_OSD" in lookout.notifier.checks
    lookout.members.change(5, **change)  # the operator does what he was told
    del lookout.pulses[5]
    lookout.passes(4 * 3600)
    assert lookout.watch.no_data(5) is not None
    assert "PERF_BENCH_SLOW_OSD" not in lookout.notifier.checks
    # Nobody knows whether it would be slow still.
    told = [text for _, text in lookout.notifier.lines if text.startswith("PERF_BENCH_SLOW_OSD ")]
    assert [text.partition(" after ")[0] for text in told] == [
        "PERF_BENCH_SLOW_OSD not looked at any more: osd.5"
    ]
