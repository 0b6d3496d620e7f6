"""From what a user typed to a plan, or to one sentence."""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import Callable, Optional

import pytest

from fakes.cluster import FakeCluster
from nouns import some_osds
from perf_bench.bench.plan.osds import Draft, Last, prepare
from perf_bench.errors import PerfBenchError
from perf_bench.model.plan import Request, Step, profile_named


def _nothing_measured(_profile: str, _step: Step) -> dict[int, float]:
    return {}


def _prepare(
    request: Request,
    cluster: FakeCluster,
    measured: Callable[[str, Step], dict[int, float]] = _nothing_measured,
) -> Draft:
    return prepare(request, cluster, max_parallel=64, last=Last(measured))


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster(some_osds(6, hosts=3))


ALL = Request("osd-throughput")


def test_the_whole_cluster_with_the_profiles_own_figures(cluster: FakeCluster) -> None:
    prepared = _prepare(ALL, cluster)
    plan = prepared.plan
    assert plan.profile == "osd-throughput"
    assert plan.waves == ((0, 1, 2), (3, 4, 5))
    assert plan.repeats == 3
    assert plan.step == profile_named(plan.profile).steps[0]
    # two waves of three repeats, 1 GiB at 100 MiB/s each
    assert (plan.seconds, plan.basis) == (61.4, "osd_bench limits")
    assert plan.notes == ()
    assert [osd.id for osd in prepared.targets] == [0, 1, 2, 3, 4, 5]


def test_what_was_measured_is_asked_for_this_very_step(cluster: FakeCluster) -> None:
    asked: list[tuple[str, Step]] = []

    def measured(profile: str, step: Step) -> dict[int, float]:
        asked.append((profile, step))
        return dict.fromkeys(range(6), 4.0)

    plan = _prepare(Request("osd-iops", size="8K"), cluster, measured).plan
    assert asked == [("osd-iops", plan.step)]
    assert (plan.seconds, plan.basis) == (40.0, "the last round")


@pytest.mark.parametrize(
    ("request_", "code", "sentence"),
    [
        (
            replace(ALL, max_repeats=2),
            errno.EINVAL,
            "--max-repeats 2 is not within 3 (--repeats) to 100",
        ),
        (
            replace(ALL, repeats=5, max_repeats=101),
            errno.EINVAL,
            "--max-repeats 101 is not within 5 (--repeats) to 100",
        ),
        (replace(ALL, repeats=-1), errno.EINVAL, "--repeats -1 is not within 1 to 100"),
        (replace(ALL, size="5000"), errno.EINVAL, "a size of 5000 bytes is not a multiple of 512"),
        (
            replace(ALL, label="two\nlines"),
            errno.EINVAL,
            "a label is one line of at most 100 printable characters",
        ),
    ],
)
def test_bad_requests(request_: Request, code: int, sentence: str, cluster: FakeCluster) -> None:
    with pytest.raises(PerfBenchError) as caught:
        _prepare(request_, cluster)
    assert (caught.value.errno, str(caught.value)) == (code, sentence)


@pytest.mark.parametrize(
    ("repeats", "most", "made"),
    [
        *((None, None, (3, 6)), (None, 3, (3, 3)), (2, None, (2, 2)), (2, 4, (2, 4))),
        *((7, 7, (7, 7)), (1, None, (1, 1)), (100, None, (100, 100))),
    ],
)
def test_repeats_and_how_many_at_most(
    repeats: Optional[int], most: Optional[int], made: tuple[int, int], cluster: FakeCluster
) -> None:
    plan = _prepare(replace(ALL, repeats=repeats, max_repeats=most), cluster).plan
    assert (plan.repeats, plan.most) == made
    assert plan.most_bytes_per_osd == plan.step.bytes_written * made[1]


def test_a_cluster_without_osds() -> None:
    with pytest.raises(PerfBenchError) as caught:
        _prepare(ALL, FakeCluster([]))
    assert (caught.value.errno, str(caught.value)) == (errno.EAGAIN, "this cluster has no OSD yet")
