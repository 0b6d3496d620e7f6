"""An OSD that is down while the clock of the mgr is set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import threads
from fakes.database import Faults, file_store
from fakes.store_thread import ImpatientStoreThread
from lookout import Lookout, hosts


@pytest.fixture
def lookout(tmp_path: Path) -> Iterator[Lookout]:
    """A slow OSD has just gone down."""
    store_thread = ImpatientStoreThread(
        file_store(tmp_path / "main.db", Faults()), patience=threads.PATIENCE
    )
    made = Lookout(store_thread, members=hosts(4, 2))
    made.passes(900)
    for name in ("bluestore.txc_commit_lat", "bluestore.read_lat", "osd.op_latency"):
        made.pulses[5].latency[name] *= 5
    made.passes(1800)
    assert "PERF_BENCH_SLOW_OSD" in made.notifier.checks
    made.members.change(5, up=False)
    del made.pulses[5]
    made.passes(120)
    yield made
    store_thread.close(threads.PATIENCE)


def test_it_is_not_down_for_long_because_the_clock_was_set_forward(lookout: Lookout) -> None:
    lookout.clock.set_by(7200.0)
    lookout.passes(120)
    assert "PERF_BENCH_SLOW_OSD" in lookout.notifier.checks


def test_it_is_down_for_long_although_the_clock_was_set_back(lookout: Lookout) -> None:
    lookout.clock.set_by(-86400.0)
    lookout.passes(2 * 3600 + 1200)
    assert "PERF_BENCH_SLOW_OSD" not in lookout.notifier.checks
