"""Several clients are one figure only while all of them ran."""

from __future__ import annotations

import pytest

from perf_bench.bench.compare.loads import together
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import ClientRun, Row

SIZE = 1000


def client(
    rates: list[int], began: float = 100.0, seconds: float | None = None, latency: float = 0.01
) -> ClientRun:
    """A client that did so many operations in each second of its run."""
    rows = [Row(0, 0, 0.0)]
    for rate in rates:
        rows.append(Row(rows[-1].second + 1, rows[-1].finished + rate, latency))
    return ClientRun(
        op_size=SIZE,
        seconds=float(len(rates)) if seconds is None else seconds,
        operations=sum(rates),
        mean_latency=latency,
        min_latency=latency / 2,
        max_latency=latency * 2,
        rows=tuple(rows),
        started_at=began,
    )


def test_one_client_is_what_it_says_itself() -> None:
    found = together([client([10, 20, 30])])
    assert found.bytes_per_second == 20 * SIZE
    assert found.per_second == (10 * SIZE, 20 * SIZE, 30 * SIZE)
    assert found.cv_percent == pytest.approx(50.0)
    assert (found.first_done, found.last_done) == (3.0, 3.0)


def test_a_late_client_counts_only_where_the_others_still_run() -> None:
    # alone each has the cluster for itself (100), together they share it (50 + 50)
    early = client([100, 50, 50, 50], began=100.0)
    late = client([50, 50, 50, 100], began=101.0)
    found = together([early, late])
    assert found.seconds == 3.0
    assert found.bytes_per_second == 100 * SIZE  # the sum of whole runs would say 125
    assert found.per_second == (100 * SIZE,) * 3
    assert (found.first_done, found.last_done) == (4.0, 5.0)


def test_a_shift_of_half_a_second_is_shared_out_evenly() -> None:
    found = together([client([10, 30, 10]), client([40, 40, 40], began=100.5)])
    assert found.seconds == 2.5
    assert found.per_second == pytest.approx((20 * SIZE + 40 * SIZE, 20 * SIZE + 40 * SIZE))


def test_latencies_are_weighted_by_operations() -> None:
    found = together([client([90, 90], latency=0.01), client([10, 10], latency=0.09)])
    assert found.mean_latency == pytest.approx(0.018)
    assert found.p50_latency == pytest.approx(0.01)
    assert found.p95_latency == found.p99_latency == pytest.approx(0.09)
    assert found.max_latency == 0.18
    # of 3 operations 2.85 are 95 %
    few = together([client([1, 1], latency=0.01), client([1, 0], latency=0.09)])
    assert (few.p50_latency, few.p95_latency) == pytest.approx((0.01, 0.09))


def test_what_cannot_be_one_figure_says_why() -> None:
    for clients, sentence in [
        ([client([10]), client([10], began=102.0)], "the 2 clients never ran at the same time"),
        ([client([0, 0])], "no operation ended in 2 s"),
        ([client([], seconds=0.0)], "the 1 client never ran at the same time"),
    ]:
        with pytest.raises(CommandFailed, match=sentence):
            together(clients)
