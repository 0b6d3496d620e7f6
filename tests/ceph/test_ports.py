"""One contract for each port: the fake that other tests use, and the real one on a fake mgr."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Callable, Optional

import pytest

from fakes.ceph import MgrWorld, cluster_in, mgr_in
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.commands import FakeCommands, fails
from fakes.progress import FakeProgress
from nouns import SMALL_STEP, STEP, some_osds
from perf_bench.bench.context import Commands, Progress
from perf_bench.core.clock import Clock
from perf_bench.errors import CommandFailed
from perf_bench.model.bench import BenchLimits, Step
from perf_bench.model.cluster import Cluster

if TYPE_CHECKING:
    from perf_bench.ceph.child_process import Child

both = pytest.mark.parametrize("kind", ["fake", "real"], indirect=True)


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# --- Clock -----------------------------------------------------------------------------------


@pytest.fixture
def clock(kind: str, pacific: MgrWorld) -> Clock:
    from perf_bench.core.clock import SystemClock

    return SystemClock() if kind == "real" else FakeClock()


@both
def test_time_is_in_seconds_and_does_not_go_back(clock: Clock) -> None:
    looks = [clock.monotonic() for _ in range(3)]
    assert looks == sorted(looks)
    # after 2020, and before seconds would be milliseconds
    assert 1.5e9 < clock.now() < 1e11


# --- Cluster ---------------------------------------------------------------------------------


class Both:
    """A cluster of three OSDs, and ways to change it."""

    def __init__(self, kind: str, world: MgrWorld) -> None:
        self._world: Optional[MgrWorld] = None
        self.cluster: Cluster
        if kind == "real":
            self._world = world
            self.cluster = cluster_in(mgr_in(world), FakeClock())
        else:
            self._fake = FakeCluster(some_osds(3))
            self.cluster = self._fake

    def set_down(self, osd: int) -> None:
        if self._world:
            self._world.set_down(osd)
        else:
            self._fake.set_down(osd)


@pytest.fixture
def a(kind: str, world: MgrWorld) -> Both:
    return Both(kind, world)


@both
def test_all_osds_in_the_order_of_their_ids(a: Both) -> None:
    assert [(osd.id, osd.host, osd.up) for osd in a.cluster.osds()] == [
        (0, "host-0", True),
        (1, "host-1", True),
        (2, "host-2", True),
    ]


@both
def test_an_osd_goes_down(a: Both) -> None:
    assert a.cluster.down([0, 1, 2]) == set()
    a.set_down(1)
    assert a.cluster.down([0, 1, 2]) == {1}
    assert a.cluster.down([2]) == set()
    assert [osd.up for osd in a.cluster.osds()] == [True, False, True]


@both
def test_an_osd_that_does_not_exist_is_down(a: Both) -> None:
    assert a.cluster.down([0, 99]) == {99}


@both
def test_limits_that_nobody_touched(a: Both) -> None:
    assert a.cluster.bench_limits([0]) == BenchLimits()


@both
def test_the_environment_is_json(a: Both) -> None:
    facts = a.cluster.environment()
    assert json.loads(json.dumps(facts)) == dict(facts)
    assert {"release", "health"} <= set(facts)


# --- Commands --------------------------------------------------------------------------------


def _no_process() -> Child:
    """What would read: nothing is read here."""
    raise AssertionError("a process is started")


@pytest.fixture
def commands(kind: str, pacific: MgrWorld) -> Iterator[Commands]:
    """Ways to three OSDs, of which osd.2 is down."""
    from perf_bench.ceph.client import SharedClient, open_client
    from perf_bench.ceph.commands import RadosCommands
    from perf_bench.ceph.read_probe import ReadProbe

    pacific.set_down(2)
    made: Commands
    if kind == "real":
        made = RadosCommands(
            SharedClient(lambda: open_client("mgr.x", "", "127.0.0.1", 60), "the round has ended"),
            60,
            ReadProbe(_no_process, {}),
        )
    else:
        made = FakeCommands({2: [fails(errno.ENXIO, "osd down")]}, known=[0, 1, 2])
    yield made
    made.close()


@both
def test_the_limit_is_told(commands: Commands) -> None:
    assert commands.limit == 60


@both
@pytest.mark.parametrize("step", [STEP, SMALL_STEP])
def test_an_osd_answers(commands: Commands, step: Step) -> None:
    answer = commands.measure(0, step)
    assert (answer.bytes_written, answer.block_size) == (step.total_bytes, step.block_size)
    assert answer.bytes_per_second == pytest.approx(step.total_bytes / answer.seconds)
    assert answer.iops == pytest.approx(answer.bytes_per_second / step.block_size)


@both
@pytest.mark.parametrize(
    ("osd", "code", "message"), [(9, errno.ENOENT, "osd dne"), (2, errno.ENXIO, "osd down")]
)
def test_an_osd_that_cannot_answer(commands: Commands, osd: int, code: int, message: str) -> None:
    with pytest.raises(CommandFailed) as caught:
        commands.measure(osd, STEP)
    assert (caught.value.errno, str(caught.value)) == (code, message)


@both
def test_closed_means_closed(commands: Commands) -> None:
    commands.close()
    commands.close()
    with pytest.raises(CommandFailed) as caught:
        commands.measure(0, STEP)
    assert (caught.value.errno, str(caught.value)) == (errno.ESHUTDOWN, "the round has ended")


# --- Progress --------------------------------------------------------------------------------


@pytest.fixture
def progress(kind: str, world: MgrWorld) -> Progress:
    """The real one on a mgr whose module ``progress`` is not there."""
    from perf_bench.ceph.notifier import MgrProgress

    return MgrProgress(mgr_in(world), FakeClock()) if kind == "real" else FakeProgress()


Telling = Callable[[Progress], None]


@both
@pytest.mark.parametrize(
    "telling",
    [
        lambda progress: progress.update(1, "round 1", 0.0),
        lambda progress: progress.update(1, "round 1", 1.0),
        # of a round that never got as far
        lambda progress: progress.end(2),
        lambda progress: progress.end(3, "aborted by the operator"),
    ],
)
def test_progress_never_raises(progress: Progress, telling: Telling) -> None:
    telling(progress)
