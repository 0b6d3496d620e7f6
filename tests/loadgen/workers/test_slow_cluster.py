"""The mgr's side of a run while each operation in the pool takes a second or more."""

# Our modules that know RADOS can be imported only while the fake one is in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Callable, Optional

import pytest

from fakes.meeting import Meeting
from perf_bench.errors import CommandFailed
from perf_bench.model.worker import LEASE_SECONDS, ORDERS, Worker, WorkerState, told_in
from perf_bench.version import VERSION
from worker_hosts import ORDER

WORKERS = tuple("abcdefghijklmnop")
SECRET = "x" * 32
# Seconds between a worker's lines: longer than after which it is asked for its final status.
LINES_EVERY = 4.0
STARTED_AT = 1000.0
# How long the run goes on, by a clock that only operations and waits move.
SECONDS = 120.0


class Clock:
    def __init__(self) -> None:
        self.now = STARTED_AT

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def monotonic(self) -> float:
        return self.now

    time = monotonic


class Pending:
    """A write that ends at ``until``."""

    def __init__(self, clock: Clock, until: float) -> None:
        self._clock = clock
        self._until = until

    @property
    def over(self) -> bool:
        return self._clock.now >= self._until

    def end(self) -> None:
        self._clock.now = max(self._clock.now, self._until)


class SlowPool:
    """A pool in which each operation takes ``latency`` seconds, and the reports in it."""

    def __init__(self, latency: float, lost: str = "") -> None:
        self.clock = Clock()
        self.latency = latency
        # The worker that reports nothing after half of the run.
        self.lost = lost
        # When the orders were written: each time renews the workers' leases.
        self.beats: list[float] = []
        self._run = ""
        self._reports: dict[str, list[str]] = {one: [] for one in WORKERS}
        self._reported_at = dict.fromkeys(WORKERS, 0.0)

    def begin_write(self, name: str, values: Mapping[str, Any]) -> Pending:
        assert name == ORDERS
        self._run = values["run"]
        self.beats.append(self.clock.now + self.latency)
        return Pending(self.clock, self.beats[-1])

    def read_from(self, wanted: Sequence[tuple[str, int]]) -> list[bytes]:
        """Take one latency for all: the reads run in parallel."""
        for one in WORKERS:
            self._report(one)
        self.clock.now += self.latency
        files = {told_in(self._run, one): "".join(self._reports[one]) for one in WORKERS}
        return [files[name].encode()[offset:] for name, offset in wanted]

    def read(self, _name: str) -> Optional[Mapping[str, Any]]:
        self.clock.now += self.latency
        return None

    def write(self, _name: str, _values: Mapping[str, Any]) -> None:
        self.clock.now += self.latency

    def notify(self, _name: str, _values: Mapping[str, Any]) -> None:
        self.clock.now += self.latency

    def remove(self, _name: str) -> None:
        self.clock.now += self.latency

    def check_pool(self) -> None:
        """It has its name."""

    def _report(self, one: str) -> None:
        from perf_bench.loadgen.workers.proofs import LINE, signed_line

        gone = one == self.lost and self.clock.now > STARTED_AT + SECONDS / 2
        if gone or self.clock.now - self._reported_at[one] < LINES_EVERY:
            return
        self._reported_at[one] = self.clock.now
        lines = self._reports[one]
        line = json.dumps({} if lines else {"accepted": True})
        lines.append(signed_line(SECRET, line, LINE, self._run, one, len(lines)) + "\n")


@pytest.fixture
def end_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[SlowPool], str]]:
    """Returns the sentence with which a run over the pool ends; the mgr goes after ``SECONDS``."""

    def lead(pool: SlowPool) -> str:
        workers = [Worker(one, one, VERSION, one, WorkerState.READY, 0.0) for one in WORKERS]
        found = SimpleNamespace(call=lambda: workers, secrets=dict.fromkeys(WORKERS, SECRET))
        monkeypatch.setattr(coordinator, "Discovery", lambda _channel: found)
        monkeypatch.setattr(coordinator, "time", pool.clock)
        monkeypatch.setattr(worker_log, "time", pool.clock)

        def check() -> None:
            if pool.clock.now > STARTED_AT + SECONDS:
                raise CommandFailed(125, "the mgr is gone")

        order = replace(ORDER, seconds=60, clients=len(WORKERS), workers=WORKERS)
        with pytest.raises(CommandFailed) as told:
            coordinator.Coordinator(pool, lambda _row: None, check).lead(order)  # type: ignore[arg-type]
        return str(told.value)

    with Meeting().installed():
        from perf_bench.loadgen.workers import coordinator, worker_log

        yield lead


@pytest.mark.parametrize("latency", [0.0, 0.7, 2.0])
def test_no_worker_is_taken_for_lost_and_every_lease_is_renewed(
    end_of: Callable[[SlowPool], str], latency: float
) -> None:
    pool = SlowPool(latency)
    assert end_of(pool) == "the mgr is gone"
    gaps = [after - before for before, after in zip(pool.beats, pool.beats[1:])]
    assert len(gaps) > SECONDS / LEASE_SECONDS
    assert max(gaps) < LEASE_SECONDS


@pytest.mark.parametrize("latency", [0.0, 0.7, 2.0])
def test_a_worker_that_reports_no_more_is_lost(
    end_of: Callable[[SlowPool], str], latency: float
) -> None:
    pool = SlowPool(latency, lost="c")
    assert "worker c on c was lost: nothing was heard of it for 1" in end_of(pool)


def test_workers_that_took_their_order_while_it_was_read_are_not_late(
    end_of: Callable[[SlowPool], str],
) -> None:
    # The first look takes longer than workers have, and finds that all of them took it.
    assert " is late" not in end_of(SlowPool(6.0))
