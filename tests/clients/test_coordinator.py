"""The mgr's side of workers, on a fake clock, with workers that a table tells what to say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Optional

import pytest

from fakes.clock import FakeClock
from perf_bench.clients.agent import Assignment
from perf_bench.clients.coordinator import (
    ACCEPT_SECONDS,
    IDLE_SECONDS,
    LOST_SECONDS,
    MOST_WORKERS,
    SETTLE_SECONDS,
    Coordinator,
    WorkerRun,
)
from perf_bench.errors import CommandFailed, InvalidValue, NotNow
from perf_bench.model.rados import LEASE_SECONDS, LoadOrder, WorkerState
from perf_bench.version import VERSION

ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 3, 4, 65536, 50, ("a", "b"))
TOTALS = {
    "op_size": 65536,
    "seconds": 2.0,
    "operations": 100,
    "mean_latency": 0.01,
    "min_latency": 0.001,
    "max_latency": 0.1,
    "started_at": 0.25,
    "prefix": "benchmark_data_x",
}


class Worker:
    """A process of a worker. ``trip`` is how long its last question took."""

    def __init__(self, mgr: Mgr, name: str, instance: str = "", **changes: Any) -> None:
        self.mgr = mgr
        self.name = name
        self.sender = {
            "host": f"host-{name}",
            "version": VERSION,
            "instance": instance or f"i{name}",
            **changes,
        }
        self.ahead = 0.0
        self.run: Optional[str] = None
        self.numbers: list[int] = []
        self.have = 0

    def asks(self) -> Any:
        answer = self.mgr.coordinator.next(self.name, json.dumps(self.message()))
        answer = json.loads(json.dumps(answer))
        if "run" in answer:
            self.run, self.numbers = answer["run"]["id"], answer["run"]["numbers"]
        return answer

    def tells(self, *lines: Any, **changes: Any) -> Any:
        told = {"run": self.run, "at": self.have, "lines": list(lines), **changes}
        answer = self.mgr.coordinator.tell(self.name, json.dumps({**self.message(), **told}))
        self.have = answer["have"]
        return answer

    def message(self) -> dict[str, Any]:
        return {"clock": self.mgr.clock.now() + self.ahead, **self.sender}

    def does_all(self) -> Any:
        """Report a whole run of its clients."""
        rows = [{"client": n, "row": [s, 50 * s, 0.01]} for n in self.numbers for s in (0, 1, 2)]
        runs = [{"client": n, "run": TOTALS} for n in self.numbers]
        return self.tells({"started": 0.02}, *rows, *runs, {"ended": True})


class Mgr:
    """A mgr that became active a while ago."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.coordinator = Coordinator(self.clock)
        self.clock.advance(60)

    def worker(self, name: str, instance: str = "", **changes: Any) -> Worker:
        made = Worker(self, name, instance, **changes)
        made.asks()
        return made

    def states(self) -> dict[str, WorkerState]:
        return {one.id: one.state for one in self.coordinator.workers()}

    def notes(self) -> list[str]:
        return [one.note for one in self.coordinator.workers()]


@pytest.fixture
def mgr() -> Mgr:
    return Mgr()


def started(mgr: Mgr, *workers: Worker) -> WorkerRun:
    """A run that these have taken."""
    names = tuple(worker.name for worker in workers)
    run = mgr.coordinator.begin(replace(ORDER, workers=names))
    for worker in workers:
        worker.asks()
    return run


# --- who there is --------------------------------------------------------------------------------


def test_a_worker_is_ready_then_busy_then_lost_then_forgotten(mgr: Mgr) -> None:
    worker = mgr.worker("a")
    assert mgr.states() == {"a": WorkerState.READY}
    started(mgr, worker)
    worker.tells()
    assert mgr.states() == {"a": WorkerState.BUSY}
    mgr.clock.advance(LOST_SECONDS + 0.1)
    assert mgr.states() == {"a": WorkerState.LOST}
    assert mgr.notes() == ["it does not answer"]
    mgr.clock.advance(7 * 86400)
    assert mgr.states() == {}


def test_another_version_is_told_and_gets_no_order(mgr: Mgr) -> None:
    worker = mgr.worker("a", version="0.1")
    assert mgr.states() == {"a": WorkerState.MISMATCHED}
    assert mgr.notes() == [f"its version is 0.1, that of the mgr {VERSION}"]
    mgr.coordinator.begin(replace(ORDER, workers=("a",)))
    assert worker.asks() == {"ask_in": 1.0}


def test_those_of_one_name_are_told_and_get_no_order_until_one_is_left(mgr: Mgr) -> None:
    workers = [mgr.worker("a", f"i{number}", host=f"h{number}") for number in range(3)]
    # Not yet: each may have taken the place of the one before.
    assert mgr.states() == {"a": WorkerState.READY}
    mgr.clock.advance(IDLE_SECONDS)
    workers[0].asks()
    assert mgr.states() == {"a": WorkerState.DUPLICATE}
    assert mgr.notes() == ["another one of that name runs on h2: end one"]
    mgr.coordinator.begin(replace(ORDER, workers=("a",)))
    assert not any("run" in worker.asks() for worker in workers)
    workers[1].asks()
    mgr.clock.advance(LOST_SECONDS)
    assert "run" not in workers[1].asks()
    mgr.clock.advance(0.1)
    assert "run" in workers[1].asks()


def test_one_that_was_started_again_takes_the_place_of_the_one_before(mgr: Mgr) -> None:
    mgr.worker("a", "i1")
    mgr.clock.advance(3)
    second = mgr.worker("a", "i2")
    for _ in range(5):
        mgr.clock.advance(IDLE_SECONDS)
        second.asks()
        (found,) = mgr.coordinator.workers()
        assert (found.instance, found.state) == ("i2", WorkerState.READY)


def test_a_clock_that_differs_is_told(mgr: Mgr) -> None:
    worker = mgr.worker("a", trip=0.5)
    worker.ahead = 90 - 0.25  # its question takes half a trip
    worker.asks()
    (found,) = mgr.coordinator.workers()
    assert found.clock_offset == pytest.approx(90)
    assert found.clock_error == 0.25


def test_a_mgr_that_has_just_become_active_does_not_say_that_there_are_none() -> None:
    clock = FakeClock()
    coordinator = Coordinator(clock)
    with pytest.raises(NotNow, match="this mgr has just become active and does not"):
        coordinator.workers()
    clock.advance(SETTLE_SECONDS)
    assert coordinator.workers() == []


def test_there_are_at_most_a_thousand_of_which_the_stalest_makes_room(mgr: Mgr) -> None:
    workers = [mgr.worker(f"w{number}") for number in range(MOST_WORKERS)]
    workers[0].asks()
    mgr.worker("more")
    assert len(mgr.states()) == MOST_WORKERS
    assert {"w0", "w1"} & set(mgr.states()) == {"w0"}


def test_idle_workers_ask_seldom_and_after_a_run_each_second(mgr: Mgr) -> None:
    worker = mgr.worker("a")
    assert worker.asks() == {"ask_in": IDLE_SECONDS}
    mgr.coordinator.begin(replace(ORDER, workers=("b",)))
    assert worker.asks() == {"ask_in": 1.0}
    mgr.coordinator.finish()
    assert worker.asks() == {"ask_in": 1.0}
    mgr.clock.advance(61)
    assert worker.asks() == {"ask_in": IDLE_SECONDS}


# --- a run ---------------------------------------------------------------------------------------


def test_a_run_from_its_order_to_its_results(mgr: Mgr) -> None:
    first, second = mgr.worker("a"), mgr.worker("b")
    run = mgr.coordinator.begin(ORDER)
    answer = first.asks()
    assert (answer["run"]["numbers"], "start_in" in answer) == ([0, 2], False)
    assert second.asks()["start_in"] == 1.5
    mgr.clock.advance(0.25)
    assert first.tells() == {"go_on": True, "ask_in": 0.25, "start_in": 1.25, "have": 0}
    start = mgr.clock.now() + 1.25
    mgr.clock.advance(4)
    assert first.does_all()["have"] == 10
    assert not run.has_ended()
    second.does_all()
    assert run.has_ended()
    assert run.is_quiet()
    found = run.results()
    assert [one.worker.id for one in found if one.worker] == ["a", "b", "a"]
    assert found[1].worker is not None
    assert found[1].worker.late_seconds == 0.02
    assert found[0].started_at == pytest.approx(start + 0.25)
    assert [row.second for row in found[2].rows] == [0, 1, 2]
    assert len(run.new_rows()) == 9
    assert run.new_rows() == []


def test_a_command_that_is_sent_twice_counts_once(mgr: Mgr) -> None:
    worker = mgr.worker("a")
    run = started(mgr, worker)
    row = {"client": 0, "row": [1, 50, 0.01]}
    assert worker.tells(row)["have"] == 1
    assert worker.tells(row, {"client": 0, "row": [2, 90, 0.01]}, at=0)["have"] == 2
    assert len(run.new_rows()) == 2
    assert "run" not in worker.asks()  # nor is an order given again that was begun


def test_after_a_stop_each_is_told_to_end_and_waited_for(mgr: Mgr) -> None:
    first, second = mgr.worker("a"), mgr.worker("b")
    run = started(mgr, first, second)
    run.stop()
    assert first.tells()["go_on"] is False
    assert first.tells({"errno": 125, "error": "the mgr ended it"}, {"ended": True})["have"] == 2
    assert not run.is_quiet()
    mgr.clock.advance(LEASE_SECONDS + 1.4)
    assert not run.is_quiet()
    mgr.clock.advance(0.2)  # the lease of the other one is over
    assert run.is_quiet()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([{"errno": 2, "error": "no rados", "ended": True}], "worker a: no rados"),
        ([{"ended": True}], "worker a on host-a was ended before its clients"),
        ([{"client": 7, "row": [1, 1, 0.1]}], "tells what cannot be: client 7 is none of its own"),
        ([{"client": 0, "row": [1, 1, 0.1]}] * 200, "it tells more than a run has"),
    ],
)
def test_what_ends_a_run_is_a_sentence(mgr: Mgr, lines: Any, sentence: str) -> None:
    worker = mgr.worker("a")
    run = mgr.coordinator.begin(replace(ORDER, clients=1, workers=("a",)))
    worker.asks()
    worker.tells(*lines)
    with pytest.raises(CommandFailed, match=sentence):
        run.has_ended()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"client": -1}, r"lines\[0\].client must be a whole number"),
        ({"client": 0, "row": [1 << 60, 1, 0.1]}, r"lines\[0\].row must be 0 to"),
        ({"client": 0, "row": [1, 1, 1e9]}, r"lines\[0\].row must be 0 to 3660"),
        ({"client": 0, "row": [1, 1, "x"]}, r"lines\[0\].row must be a number"),
        ({"client": 0, "row": [1, 1]}, r"lines\[0\].row must be three numbers"),
        ({"client": 0, "run": {}}, r"lines\[0\].run.op_size is missing"),
        ({"client": 0, "run": {**TOTALS, "prefix": "\x1b[2J"}}, "prefix must be a text without"),
        ({"error": "x", "errno": 0}, r"lines\[0\].errno must be 1 to 4095"),
        ({"error": "x" * 600}, r"lines\[0\].error must be at most 512"),
        ({"started": -1}, r"lines\[0\].started must be a number of 0 or more"),
        ("a line", r"lines\[0\] must be an object"),
    ],
)
def test_a_line_that_cannot_be_is_refused_and_ends_the_run(
    mgr: Mgr, line: Any, sentence: str
) -> None:
    worker = mgr.worker("a")
    run = started(mgr, worker)
    with pytest.raises(InvalidValue, match=sentence):
        worker.tells(line)
    with pytest.raises(CommandFailed, match=f"worker a tells what cannot be: .*{sentence}"):
        run.has_ended()
    assert not worker.tells()["go_on"]


def test_a_worker_that_is_silent_for_a_lease_is_lost(mgr: Mgr) -> None:
    first, second = mgr.worker("a"), mgr.worker("b")
    run = started(mgr, first, second)
    for _ in range(11):
        assert not run.has_ended()
        mgr.clock.advance(1)
        first.tells()
    with pytest.raises(CommandFailed, match=r"worker b on host-b was lost: .* for 11 s"):
        run.has_ended()


def test_an_order_that_is_not_taken_in_time_names_who_is_late(mgr: Mgr) -> None:
    first = mgr.worker("a")
    run = started(mgr, first)
    run = mgr.coordinator.begin(ORDER)
    first.asks()
    for _ in range(int(ACCEPT_SECONDS) + 1):
        mgr.clock.advance(1)
        first.tells()
    with pytest.raises(CommandFailed, match="worker b is late: it did not take the order within"):
        run.has_ended()


def test_the_run_of_the_mgr_before_is_ended_and_its_lines_are_dropped(mgr: Mgr) -> None:
    worker = mgr.worker("a")
    worker.run, worker.have = "before", 7
    answer = worker.tells({"client": 0, "row": [1, 1, 0.1]})
    assert answer == {"have": 8, "go_on": False, "ask_in": 1.0}


def test_what_a_worker_sends_is_bounded(mgr: Mgr) -> None:
    rows: list[tuple[str, Any, str]] = [
        ("a b", {}, "'a b' is no name of a worker"),
        ("a", {"host": "x" * 300}, "host must be at most 255 letters long"),
        ("a", {"host": "x" * 70000}, "a message has at most 64 KiB"),
        ("a", {"instance": "../x"}, "instance must be a name"),
        ("a", {"clock": -1}, "clock must be a number of 0 or more"),
        ("a", {"clock": 1e300}, "clock must be 0 to"),
        ("a", {"trip": 1e9}, "trip must be 0 to 3600"),
        ("a", {"version": None}, "version must be a text, not nothing"),
        ("a", {"lines": [{}] * 501}, "lines must have at most 500 entries"),
        ("a", {"lines": {}}, "lines must be a list"),
        ("a", {"at": 1 << 60}, "at must be 0 to"),
        ("a", {"run": "x" * 65}, "run must be a name"),
    ]
    for worker, changes, sentence in rows:
        sender = {"host": "h", "version": "1", "instance": "i", "clock": 1.0, **changes}
        with pytest.raises(InvalidValue, match=sentence):
            mgr.coordinator.tell(worker, json.dumps(sender))
        assert mgr.states() == {}


# --- the start -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [-600.0, 0.0, 90.0, 7200.0])
@pytest.mark.parametrize(("there", "back"), [(0.001, 0.001), (0.09, 0.001), (0.0, 0.08)])
def test_hosts_start_together_whatever_their_clocks_say(
    mgr: Mgr, ahead: float, there: float, back: float
) -> None:
    """Half of the shortest trip is how wrong a start may be: 50 ms where one takes 0.1 s."""
    worker = mgr.worker("a")
    run = mgr.coordinator.begin(replace(ORDER, workers=("a",)))
    assignment = None
    begun = mgr.clock.monotonic()
    for number in range(5):
        slow = 0.7 if number == 2 else 0.0  # one question waits behind another module's command
        sent = mgr.clock.monotonic() + ahead
        mgr.clock.advance(there + slow)
        answer = worker.asks() if assignment is None else worker.tells()
        mgr.clock.advance(back)
        came = mgr.clock.monotonic() + ahead
        if assignment is None:
            assignment = Assignment(answer["run"], sent)
        assignment.hear(answer, sent, came)
        mgr.clock.advance(answer["ask_in"] - there - back - slow if not slow else 0.0)
    assert assignment is not None
    assert assignment.begin is not None
    start = begun + there + 1.5
    assert abs(assignment.begin - ahead - start) <= 0.05
    assert not run.has_ended()
