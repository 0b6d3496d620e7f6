"""The clocks of workers and of the mgr: offsets, agreed starts, and the end of leases."""

# Our modules that know RADOS can be imported only while the fake one is in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Optional

import pytest

from fakes.meeting import Meeting
from perf_bench.errors import CommandFailed
from perf_bench.model.worker import LEASE_SECONDS, Worker, WorkerState
from perf_bench.version import VERSION

NOW = 1_700_000_000.0
SECRET = "s" * 32


class Times:
    """In place of ``time``: both clocks move only when somebody sleeps, or a test says so."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.set_by = 0.0

    def time(self) -> float:
        return NOW + self.passed + self.set_by

    def monotonic(self) -> float:
        return 1000.0 + self.passed

    def sleep(self, seconds: float) -> None:
        self.passed += seconds


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Iterator[Times]:
    made = Times()
    with Meeting().installed():
        from perf_bench.loadgen.workers import agent, assignment, coordinator, discovery, worker_log

        for module in (agent, assignment, coordinator, discovery, worker_log):
            monkeypatch.setattr(module, "time", made)
        yield made


def _worker(offset: Optional[float] = None) -> Worker:
    return Worker("a", "host-a", VERSION, "i", WorkerState.READY, NOW, offset, 0.001)


# --- how far a worker's clock is from the mgr's ------------------------------------------------


def _offset(times: Times, ahead: float, *ways: tuple[float, float], step: float = 0.0) -> Any:
    """What is found of a worker whose clock is ahead, by calls that took so long there and back.

    The mgr's clock is set by ``step`` seconds before the first answer comes.
    """
    from perf_bench.loadgen.workers.discovery import Discovery
    from perf_bench.loadgen.workers.proofs import ANSWER, signed

    found = Discovery(SimpleNamespace())  # type: ignore[arg-type]
    found.secrets = {"a": SECRET}
    for there, back in ways:
        found._call = "c"
        found._called_at, found._called = times.time(), times.monotonic()
        times.sleep(there)
        said = {"id": "a", "host": "host-a", "version": VERSION, "instance": "i", "answer": "c"}
        values = signed(SECRET, {**said, "clock": times.time() + ahead}, ANSWER)
        times.sleep(back)
        times.set_by = step
        found._notified(values)
    return found._answers["i"]


@pytest.mark.parametrize("ahead", [-90.0, 0.0, 0.5, 3600.0])
@pytest.mark.parametrize("there", [0.0, 0.3, 0.4, 0.8])
def test_a_clock_is_known_to_half_of_what_the_call_took(
    times: Times, ahead: float, there: float
) -> None:
    found = _offset(times, ahead, (there, 0.8 - there))
    assert found.clock_error == pytest.approx(0.4, abs=1e-6)
    # the answer's clock is taken for that of the middle of the call
    assert found.clock_offset == pytest.approx(ahead + there - 0.4, abs=1e-6)
    assert abs(found.clock_offset - ahead) <= found.clock_error + 1e-6


@pytest.mark.parametrize("step", [-30.0, 30.0])
def test_a_mgrs_clock_that_is_set_meanwhile_makes_no_call_shorter(
    times: Times, step: float
) -> None:
    found = _offset(times, 90.0, (0.4, 0.4), step=step)
    assert found.clock_error == pytest.approx(0.4, abs=1e-6)
    assert found.clock_offset == pytest.approx(90.0, abs=1e-6)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_the_fastest_call_counts(times: Times, order: tuple[int, ...]) -> None:
    ways = [(0.01, 0.01), (0.5, 0.1), (0.1, 0.9)]
    found = _offset(times, 90.0, *(ways[place] for place in order))
    assert found.clock_error == pytest.approx(0.01, abs=1e-6)
    assert found.clock_offset == pytest.approx(90.0, abs=1e-6)


def test_when_a_lost_worker_was_seen_is_by_the_mgrs_clock(times: Times) -> None:
    from perf_bench.loadgen.workers.discovery import _last_seen
    from perf_bench.loadgen.workers.untrusted import Registration

    left = Registration("a", "host-a", VERSION, seen=NOW + 90, offset=90.0)
    assert _last_seen(left) == NOW


# --- the agreed start, and when a client began -------------------------------------------------


def test_each_is_told_the_start_by_its_own_clock(times: Times) -> None:
    from perf_bench.loadgen.workers.coordinator import _AHEAD_SECONDS, Coordinator
    from perf_bench.loadgen.workers.worker_log import WorkerLog

    channel = SimpleNamespace(notify=lambda *_: None)
    leads = Coordinator(channel, lambda _: None, lambda: None)  # type: ignore[arg-type]
    leads._logs = [
        WorkerLog("r", replace(_worker(offset), id=name, instance=name), [0], 10, SECRET)
        for name, offset in (("a", 90.0), ("b", -0.5), ("c", None))
    ]
    leads._show = lambda: None  # type: ignore[method-assign]
    leads._go()
    start = NOW + _AHEAD_SECONDS
    assert leads._orders["start_at"] == {"a": start + 90, "b": start - 0.5, "c": start}


@pytest.mark.parametrize(
    ("away", "begin", "refused"),
    [
        (5.0, 1005.0, False),
        (0.0, 1000.0, False),
        (-5.0, 995.0, False),
        (LEASE_SECONDS, 1000.0 + LEASE_SECONDS, False),
        (-LEASE_SECONDS, 1000.0 - LEASE_SECONDS, False),
        (LEASE_SECONDS + 1, 1000.0 + LEASE_SECONDS + 1, True),
        (-LEASE_SECONDS - 1, 1000.0 - LEASE_SECONDS - 1, True),
    ],
)
def test_a_start_is_so_many_seconds_away(
    times: Times, away: float, begin: float, refused: bool
) -> None:
    from perf_bench.loadgen.workers.assignment import Assignment
    from perf_bench.loadgen.workers.untrusted import Orders

    run = Assignment(Orders("r", "go", 1, {}, {"i": [0]}, {"i": NOW + away}), "i", SECRET)
    assert run.begin == begin
    if refused:
        with pytest.raises(CommandFailed, match=f"is {away:.0f} s away: a clock was set"):
            run.check()
    else:
        run.check()


@pytest.mark.parametrize(("away", "late"), [(-0.75, 0.75), (0.0, 0.0), (5.0, 0.0)])
def test_how_late_a_worker_starts_is_by_the_monotonic_clock(
    times: Times, away: float, late: float
) -> None:
    from perf_bench.loadgen.workers.agent import WorkerAgent
    from perf_bench.loadgen.workers.assignment import Assignment
    from perf_bench.loadgen.workers.untrusted import Orders

    def no_channel() -> Any:
        raise AssertionError

    worker = WorkerAgent({"instance": "i"}, {}, no_channel, lambda _: None)
    run = Assignment(Orders("r", "go", 1, {}, {"i": [0]}, {"i": NOW + away}), "i", SECRET)
    # it naps until the start, and does not look in between
    assert worker._await_begin(run) == pytest.approx(late, abs=0.021)
    assert times.passed == pytest.approx(max(0.0, away), abs=0.021)


@pytest.mark.parametrize("offset", [90.0, -0.5, None])
def test_when_a_client_began_is_told_by_the_mgrs_clock(
    times: Times, offset: Optional[float]
) -> None:
    from perf_bench.loadgen.workers.worker_log import WorkerLog

    log = WorkerLog("r", _worker(offset), [0], 10, SECRET)
    log.runs = {0: {"started_at": NOW + (offset or 0.0)}}
    (found,) = log.client_runs()
    assert found["run"]["started_at"] == NOW
    assert found["run"]["worker"]["clock_offset"] == (offset or 0.0)


def test_a_beat_that_was_late_by_a_lease_renews_none(times: Times) -> None:
    """A write that timed out at the mgr may be carried out later, when the mgr counts on the end.

    The worker may see it before it has looked at its lease again.
    """
    from perf_bench.loadgen.workers.assignment import Assignment
    from perf_bench.loadgen.workers.untrusted import Orders

    first = Orders("r", "go", 1, {}, {"i": [0]}, {"i": NOW})
    run = Assignment(first, "i", SECRET)
    times.sleep(LEASE_SECONDS)
    run.see(replace(first, beat=2))  # in time, if only just
    run.check()
    times.sleep(LEASE_SECONDS + 0.1)
    run.see(replace(first, beat=3))
    with pytest.raises(CommandFailed) as told:
        run.check()
    assert told.value.errno == errno.ETIMEDOUT


# --- the end ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("fails", "least"), [(False, LEASE_SECONDS + 1.0), (True, LEASE_SECONDS)])
def test_the_mgr_waits_until_clients_that_do_not_answer_have_ended(
    times: Times, fails: bool, least: float
) -> None:
    """Or they would still write during the next repeat. A worker ends its own with its lease."""
    from perf_bench.loadgen.workers.coordinator import Coordinator
    from perf_bench.loadgen.workers.worker_log import WorkerLog

    class Channel:
        def notify(self, *_: object) -> None: ...
        def remove(self, _name: str) -> None: ...
        def read(self, _name: str) -> Mapping[str, Any]:
            return {}

        def begin_write(self, *_: object) -> object:
            return SimpleNamespace(over=True, end=lambda: None)

        def read_from(self, _wanted: object) -> list[bytes]:
            if fails:
                raise CommandFailed(errno.ETIMEDOUT, "no answer")
            return [b""]

    leads = Coordinator(Channel(), lambda _: None, lambda: None)  # type: ignore[arg-type]
    leads._logs = [WorkerLog("r", _worker(), [0], 10, SECRET)]
    leads._orders = {"run": "r", "phase": "go", "workers": {"i": [0]}, "load": {}}
    leads._show()
    leads._dismiss()
    assert least <= times.passed <= LEASE_SECONDS + 3.0


def test_the_end_is_written_also_after_a_beat_that_failed(times: Times) -> None:
    """That beat may be carried out late; the end, which follows it, is then what workers see."""
    from perf_bench.loadgen.workers.coordinator import Coordinator

    class Channel:
        def __init__(self) -> None:
            self.phases: list[str] = []

        def notify(self, *_: object) -> None: ...

        def begin_write(self, _name: str, values: Mapping[str, Any]) -> object:
            self.phases.append(values["phase"])
            return SimpleNamespace(over=False, end=late if values["phase"] == "go" else int)

    def late() -> None:
        raise CommandFailed(errno.ETIMEDOUT, "no answer")

    channel = Channel()
    leads = Coordinator(channel, lambda _: None, lambda: None)  # type: ignore[arg-type]
    leads._orders = {"run": "r", "phase": "go", "workers": {}, "load": {}}
    leads._begin_showing()
    leads._dismiss()
    assert channel.phases == ["go", "end"]
