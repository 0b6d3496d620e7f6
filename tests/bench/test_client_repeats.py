"""A round of clients from its pool to its clean-up, on scripted clients."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Callable, Optional, TypeVar

import pytest

from fakes.clock import FakeClock
from fakes.loads import FakeLoader, FakePools, FakeTraces, steady
from fakes.loop import FakeLoop, Soon
from fakes.progress import FakeProgress
from nouns import a_round
from perf_bench.bench.client_repeats import ClientRepeats
from perf_bench.bench.context import (
    LEAVE,
    ActiveRound,
    Leftovers,
    RoundContext,
    namespace_of,
)
from perf_bench.core.loop import Cancelled
from perf_bench.core.workers import Here
from perf_bench.errors import CommandFailed
from perf_bench.model.plan import MIB, Phase, Plan, Step
from perf_bench.model.rados import ClientRun, LoadOrder, LoadPlan, LoadSample, Row, SearchLoad
from perf_bench.model.round import RoundState

T = TypeVar("T")
TOKEN = "0123"  # noqa: S105 - of a round
OURS = ("perf_bench", namespace_of(TOKEN))
LOG = logging.getLogger("test")


class Scene:
    """The clients of a round and all that they touch; it is the database's thread too."""

    def __init__(self, operation: str = "write", repeats: int = 2, saturates: bool = False) -> None:
        self.loader = FakeLoader()
        self.pools = FakePools()
        self.keeper = FakeTraces()
        self.phases: list[str] = []
        self.samples: list[LoadSample] = []
        self.heard_rows: list[tuple[int, int]] = []
        self.loop = FakeLoop(FakeClock())
        self.load = LoadPlan("perf_bench", operation, 3, 2, 4, 4 * MIB, 100, 800 * MIB, saturates)
        step = Step(operation, 4 * MIB, 0)
        plan = Plan("rados-write", (Phase(step, ((0, 1),)),), repeats, 10.0, "", load=self.load)
        self.active = ActiveRound(a_round(plan, RoundState.RUNNING, id=1, token=TOKEN))
        self.active.on_phase = self._on_phase  # type: ignore[method-assign]
        self.active.add_row = self._add_row  # type: ignore[method-assign]
        self._there: Sequence[LoadSample] = ()

    def run(self, *there: LoadSample) -> None:
        """Run to the end; raises as ``ClientRepeats.run``."""
        self._there = there
        services: dict[str, Any] = {
            "cluster": None,
            "open_commands": None,
            "loop": self.loop,
            "workers": Soon(self.loop),
            "store_thread": self,
            "progress": FakeProgress(),
            "clock": self.loop.clock,
            "log": LOG,
            "round_safety": None,
            "loader": self.loader,
            "pools": self.pools,
            "leftovers": Leftovers(self.keeper, self.loader, Here(), LOG),
        }
        repeats = ClientRepeats(RoundContext(**services), self.active, self.load)
        self.active.task = self.loop.spawn(repeats.run())
        self.loop.run_until(self.active.task.done.done)
        self.loop.run_for(0.0)
        self.active.task.done.result()

    def ask(self, work: Callable[[Any], T]) -> Future[T]:
        return Here().submit(lambda: work(self))

    def loads(self, _round_id: int) -> Sequence[LoadSample]:
        return self._there

    def add_load(self, _round_id: int, sample: LoadSample) -> None:
        self.samples.append(sample)

    def _on_phase(self, phase: str) -> None:
        self.phases.append(phase)
        self.active.phase = phase

    def _add_row(self, client: int, row: Row) -> None:
        self.heard_rows.append((client, row.second))

    @property
    def operations(self) -> list[str]:
        return [order.operation for order in self.loader.orders]


def ends(scene: Scene, reason: object) -> Callable[..., Sequence[ClientRun]]:
    """Clients during which the round is ended."""

    def run(_order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
        scene.active.leave() if reason is LEAVE else scene.active.abort(str(reason))
        assert ended()
        return ()

    return run


def test_each_write_is_removed_before_the_next() -> None:
    scene = Scene(repeats=2)
    scene.run()
    repeat = ["write", "write", "clean-up"]  # twice: rows begin anew when it is stored
    assert scene.phases == ["clean-up", *repeat, *repeat, "clean-up"]
    assert scene.pools.ensured == ["perf_bench"]
    assert [sample.repeat for sample in scene.samples] == [1, 2]
    assert scene.loader.objects == {}
    assert scene.heard_rows[-1] == (1, 3)


def test_a_round_that_is_carried_on_runs_what_lacks() -> None:
    scene = Scene(repeats=3)
    scene.loader.objects[OURS] = 17  # left by the mgr of before
    scene.run(LoadSample(1, 0.0), LoadSample(2, 0.0))
    assert [sample.repeat for sample in scene.samples] == [3]
    assert scene.loader.objects == {}


def test_what_may_be_left_is_noted_before_anything_is_written() -> None:
    scene = Scene(repeats=1)
    noted: list[dict[str, str]] = []

    def run(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
        noted.append(dict(scene.keeper.kept))
        return steady()(order, ended)

    scene.loader.runs = [run]
    scene.run()
    assert noted == [{OURS[1]: "perf_bench"}]
    assert scene.keeper.kept == {}


@pytest.mark.parametrize("repeat", [1, 2])
def test_an_abort_ends_it_and_cleans_up(repeat: int) -> None:
    scene = Scene(repeats=2)
    scene.loader.runs = [*[steady()] * (repeat - 1), ends(scene, "enough")]
    with pytest.raises(Cancelled, match="enough"):
        scene.run()
    assert len(scene.samples) == repeat - 1
    assert scene.loader.objects == {}
    assert scene.keeper.kept == {}


def test_a_run_that_fails_is_a_sample_with_its_reason() -> None:
    scene = Scene(repeats=2)

    def full(_order: LoadOrder, _ended: Callable[[], bool]) -> Sequence[ClientRun]:
        raise CommandFailed(28, "the pool perf_bench is full")

    scene.loader.runs = [full, steady()]
    scene.run()
    whys: list[Optional[str]] = [sample.why for sample in scene.samples]
    assert whys == ["the pool perf_bench is full", None]
    assert scene.loader.objects == {}


def test_objects_that_cannot_be_removed_at_the_end_stay_noted() -> None:
    scene = Scene(repeats=1)

    def then_stuck(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
        scene.loader.sweep_fails = CommandFailed(110, "no answer")
        return steady()(order, ended)

    scene.loader.runs = [then_stuck]
    with pytest.raises(CommandFailed):
        scene.run()
    assert [sample.repeat for sample in scene.samples] == [1]  # what was measured is kept
    assert scene.keeper.kept == {OURS[1]: "perf_bench"}


def saturating(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
    """Two operations in flight are all that it takes; more only wait."""
    in_flight = order.clients * order.threads
    rate = 100.0 * min(in_flight, 2) / order.clients
    return steady(rate, order.threads / rate)(order, ended)


def test_a_search_runs_under_one_load_after_the_other() -> None:
    scene = Scene(saturates=True)
    scene.loader.runs = [saturating]
    scene.run()
    loads = [sample.load for sample in scene.samples]
    assert loads[:2] == [SearchLoad(1, 1), SearchLoad(1, 4)]
    assert 4 < len(loads) <= 7
    assert [SearchLoad(o.clients, o.threads) for o in scene.loader.orders] == loads
    assert scene.phases[2:5] == ["write 1 x 1", "clean-up", "write 1 x 4"]
    assert scene.loader.objects == {}


def test_fewer_clients_write_as_much_in_all() -> None:
    scene = Scene(saturates=True)
    scene.run()
    assert {order.clients * order.max_objects for order in scene.loader.orders} == {200}


def test_a_search_ends_with_the_first_run_that_fails() -> None:
    scene = Scene(saturates=True)

    def stands_still(_order: LoadOrder, _ended: Callable[[], bool]) -> Sequence[ClientRun]:
        raise CommandFailed(110, "no operation ended for 10 s")

    scene.loader.runs = [saturating, stands_still]
    scene.run()
    assert [sample.why for sample in scene.samples] == [None, "no operation ended for 10 s"]
    assert scene.loader.objects == {}


# --- what rounds have left ---------------------------------------------------------------------
