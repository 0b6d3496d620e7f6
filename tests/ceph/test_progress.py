"""A round in ``ceph -s``: told not too often, ended once, and never worth a round."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Optional

import pytest

from fakes.ceph import MgrWorld, mgr_in
from fakes.clock import FakeClock

if TYPE_CHECKING:
    from perf_bench.ceph.notifier import MgrProgress


class ProgressModule:
    """The progress module's three methods for others, as all three releases have them."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.broken = False

    def update(
        self,
        ev_id: str,
        ev_msg: str,
        ev_progress: float,
        refs: Optional[list[str]] = None,
        add_to_ceph_s: bool = False,
    ) -> None:
        if self.broken:
            raise KeyError(ev_id)
        self.told.append(("update", ev_id, ev_msg, ev_progress, refs, add_to_ceph_s))

    def complete(self, ev_id: str) -> None:
        self.told.append(("complete", ev_id))

    def fail(self, ev_id: str, message: str) -> None:
        self.told.append(("fail", ev_id, message))


@pytest.fixture
def other(world: MgrWorld) -> ProgressModule:
    made = ProgressModule()
    world.modules["progress"] = made
    return made


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def progress(world: MgrWorld, clock: FakeClock) -> MgrProgress:
    from perf_bench.ceph.notifier import MgrProgress

    return MgrProgress(mgr_in(world), clock)


def test_it_is_told_once_a_second(
    progress: MgrProgress, other: ProgressModule, clock: FakeClock
) -> None:
    for hundredth in range(5):
        progress.update(7, "round 7", hundredth / 100)
        clock.advance(0.5)
    assert [entry[3] for entry in other.told] == [0.0, 0.02, 0.04]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (None, ("complete", "perf_bench-round-7")),
        ("aborted", ("fail", "perf_bench-round-7", "aborted")),
    ],
)
def test_how_a_round_ends(
    failure: Optional[str], told: tuple[str, ...], progress: MgrProgress, other: ProgressModule
) -> None:
    progress.update(7, "round 7", 0.5)
    progress.end(7, failure)
    assert other.told[1:] == [told]


def test_a_module_that_breaks_is_a_line_in_the_log_and_no_more(
    progress: MgrProgress, other: ProgressModule, caplog: pytest.LogCaptureFixture
) -> None:
    other.broken = True
    with caplog.at_level(logging.DEBUG):
        progress.update(7, "round 7", 0.5)
    assert caplog.messages == [
        "progress.update: Remote method threw exception: 'perf_bench-round-7'"
    ]
