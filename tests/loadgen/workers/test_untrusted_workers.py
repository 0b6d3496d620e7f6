"""What workers and keys with write access to the pool may say, and what is not believed."""

# Our modules that know RADOS can be imported only while the fake one is in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict, replace
from typing import Any

import pytest

import threads
from perf_bench.errors import CommandFailed
from perf_bench.model.worker import NAMESPACE, WorkerState, secret_key
from perf_bench.version import VERSION
from worker_hosts import ENDLESS, LEASE, ORDER, Hosts, wait_until

A_BOARD = {"run": "f00", "phase": "gather", "beat": 1, "workers": {"a": [0]}, "load": {}}


def _forger(hosts: Hosts) -> Any:
    """The pool as one has it who may write to it, and has no secret."""
    place = hosts.meeting.client("forger").open_ioctx("perf_bench")
    place.set_namespace(NAMESPACE)
    return place


def test_orders_without_the_workers_own_proof_are_not_taken(hosts: Hosts) -> None:
    from perf_bench.loadgen.workers.proofs import ORDER as ABOUT
    from perf_bench.loadgen.workers.proofs import digest, proof

    hosts.worker("a")
    hosts.worker("b")
    place = _forger(hosts)
    order = asdict(replace(ORDER, clients=1, workers=("a",)))
    board = {**A_BOARD, "load": order, "start_at": {"a": time.time()}, "phase": "go"}
    of_b = proof("b" + "x" * 31, ABOUT, "a", digest(board))
    forged: list[Any] = [{}, {"a": "0" * 64}, {"a": of_b}, [], {"a": 7}, {"a": "é"}]
    for proofs in forged:
        place.set_xattr("board", "values", json.dumps({**board, "proofs": proofs}).encode())
        place.notify("board", json.dumps({"look": "f00"}))
        assert hosts.states() == [WorkerState.READY] * 2
    assert not (hosts.folder / "words").exists()
    # With its own secret it would have been taken.
    of_a = proof("a" + "x" * 31, ABOUT, "a", digest(board))
    place.set_xattr("board", "values", json.dumps({**board, "proofs": {"a": of_a}}).encode())
    place.notify("board", json.dumps({"look": "f00"}))
    wait_until((hosts.folder / "words").exists)


def test_orders_of_before_start_nothing_when_they_are_shown_again(hosts: Hosts) -> None:
    hosts.worker("a")
    place = _forger(hosts)
    boards: set[bytes] = set()
    order = replace(ORDER, clients=1, workers=("a",))
    key = (NAMESPACE, "board", "values")
    for _ in range(2):
        hosts.lead(order, heard=lambda _said: boards.add(hosts.meeting.values[key]))
    count = len(hosts.words())
    assert len(boards) >= 2
    wait_until(lambda: hosts.states() == [WorkerState.READY])
    for board in boards:
        place.set_xattr("board", "values", board)
        place.notify("board", json.dumps({"look": "f00"}))
        assert hosts.states() == [WorkerState.READY]
    assert len(hosts.words()) == count


def test_a_beat_that_is_shown_again_renews_no_lease(
    hosts: Hosts,
) -> None:
    from perf_bench.loadgen.workers import assignment
    from perf_bench.loadgen.workers.untrusted import Orders

    board = Orders("f00", "gather", 5, {}, {"a": [0]})
    taken = assignment.Assignment(board, "a", "s" * 32)
    for beat in (5, 4, 5):
        hosts.clock.ahead += LEASE / 2
        taken.see(replace(board, beat=beat))
    with pytest.raises(CommandFailed, match="nothing was heard of the mgr"):
        taken.check()
    taken.see(replace(board, beat=6))  # too late: the clients have ended
    with pytest.raises(CommandFailed, match="nothing was heard of the mgr"):
        taken.check()


def test_results_that_another_writes_are_not_taken(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    place = _forger(hosts)
    lines: list[bytes] = []

    def forge(_said: Any) -> None:
        with hosts.meeting.lock:
            ((key, told),) = [
                (name, data)
                for (_, name), data in hosts.meeting.objects.items()
                if name.startswith("said-")
            ]
        lines.append(told.splitlines()[0])
        place.write(key, lines[0] + b"\n", len(told))

    with pytest.raises(CommandFailed, match="a line is not its own, or not the next one"):
        hosts.lead(replace(ORDER, clients=1, workers=("a",)), heard=forge)
    # nor what is said in short, where lines find no room
    from perf_bench.loadgen.workers.rados_channel import RadosChannel
    from perf_bench.loadgen.workers.worker_log import WorkerLog

    (worker,) = hosts.roll()
    log = WorkerLog("f00", worker, [0], 2, "a" + "x" * 31)
    place.set_xattr(log.name, "values", json.dumps({"ended": True, "proof": "0" * 64}).encode())
    channel = RadosChannel(hosts.meeting.client("mgr"))  # type: ignore[arg-type]
    log.take_final_status(channel)
    channel.close()
    place.remove_object(log.name)
    assert not log.ended


def test_answers_in_the_name_of_another_change_nothing(hosts: Hosts) -> None:
    """A forger that answers at once, with the name and the process of a worker."""
    hosts.worker("a")
    place = _forger(hosts)

    def answer(_notify: int, _who: int, _watch: int, data: bytes) -> None:
        called = json.loads(data)
        if "call" in called:
            said = {"id": "a", "host": "evil", "version": VERSION, "answer": called["call"]}
            for instance in ("a", "other"):
                words = {**said, "instance": instance, "clock": 5.0, "proof": "0" * 64}
                place.notify("desk", json.dumps(words))

    watch = place.watch("board", answer)
    found = hosts.roll()
    told = hosts.lead(replace(ORDER, clients=1, workers=("a",)))
    watch.close()
    assert [(one.host, one.state) for one in found] == [
        ("host-a", WorkerState.READY),
        ("evil", WorkerState.MISMATCHED),
    ]
    assert found[1].note.startswith("it does not prove that it has the secret of this name")
    assert sum("run" in said for said in told) == 1


def test_a_forged_answer_that_comes_first_does_not_end_the_wait(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import agent

    answer = agent.WorkerAgent._answer

    def late(self: Any, channel: Any, asked: Any) -> None:
        time.sleep(0.03)
        answer(self, channel, asked)

    monkeypatch.setattr(agent.WorkerAgent, "_answer", late)
    hosts.worker("a")
    (known,) = hosts.roll()
    place = _forger(hosts)

    def forge(_notify: int, _who: int, _watch: int, data: bytes) -> None:
        called = json.loads(data)
        if "call" in called:
            said = {"id": "a", "host": "evil", "version": VERSION, "answer": called["call"]}
            words = {**said, "instance": known.instance, "clock": 5.0, "proof": "0" * 64}
            place.notify("desk", json.dumps(words))

    watch = place.watch("board", forge)
    (found,) = hosts.roll()
    watch.close()
    assert (found.host, found.state) == ("host-a", WorkerState.READY)


@pytest.mark.usefixtures("brief_calls")
def test_a_worker_without_a_secret_is_told_and_not_used(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import agent

    monkeypatch.setattr(agent, "REGISTRATION_SECONDS", 0.1)
    hosts.worker("a", secret="")
    (found,) = hosts.roll()
    assert found.state is WorkerState.MISMATCHED
    assert found.note == "it has no secret at the monitors: see docs/workers.md"
    with pytest.raises(CommandFailed, match="worker a is mismatched: it has no secret"):
        hosts.lead(replace(ORDER, workers=("a",)))
    told = "no orders are taken: there is no secret at mgr/perf_bench/workers/a that we may read"
    assert hosts.said.count(told) == 1
    # once it is there it is read
    hosts.meeting.keys[secret_key("a")] = "x" * 32
    wait_until(lambda: hosts.roll()[0].state is WorkerState.READY)


def test_a_worker_with_a_key_of_an_administrator_makes_its_secret(hosts: Hosts) -> None:
    hosts.meeting.administrators.add("a")
    hosts.worker("a", secret="")
    (found,) = hosts.roll()
    assert found.state is WorkerState.READY
    assert len(hosts.meeting.keys[secret_key("a")]) == 64
    assert not any("secret" in line for line in hosts.said)


@pytest.mark.usefixtures("brief_calls")
def test_a_key_that_may_not_read_the_secret_is_told_too(hosts: Hosts) -> None:
    hosts.meeting.readable["a"] = {secret_key("b")}
    hosts.worker("a")
    (found,) = hosts.roll()
    assert found.state is WorkerState.MISMATCHED
    assert found.note.startswith("it does not prove that it has the secret of this name")


def test_one_board_cannot_start_thousands_of_clients(hosts: Hosts) -> None:
    """Repeated numbers are refused by the worker that reads them, whoever ordered them."""
    from perf_bench.loadgen.workers.proofs import ORDER as ABOUT
    from perf_bench.loadgen.workers.proofs import digest, proof

    hosts.worker("a")
    place = hosts.meeting.client("x").open_ioctx("perf_bench")
    place.set_namespace(NAMESPACE)
    order = asdict(replace(ORDER, workers=("a",), size=1, threads=1))
    board = json.loads(json.dumps({**A_BOARD, "workers": {"a": [0] * 10_000}, "load": order}))
    proofs = {"a": proof("a" + "x" * 31, ABOUT, "a", digest(board))}
    place.set_xattr("board", "values", json.dumps({**board, "proofs": proofs}).encode())
    place.notify("board", json.dumps({"look": "f00"}))
    wait_until(lambda: any("a client is ordered twice" in line for line in hosts.said))
    assert not (hosts.folder / "words").exists()


@pytest.mark.usefixtures("brief_calls")
def test_hostile_cards_and_answers_stop_no_roll_call(hosts: Hosts) -> None:
    hosts.worker("a")
    place = hosts.meeting.client("x").open_ioctx("perf_bench")
    place.set_namespace(NAMESPACE)
    card = {"id": "b", "host": "h", "version": "1", "seen": 1e9, "offset": 0.0}
    hostile: list[tuple[str, Any]] = [
        ("nested", {**card, "id": [[["b"]]]}),
        ("escape", {**card, "host": "\x1b]0;owned\x07"}),
        ("late", {**card, "seen": 1e300}),
        ("text", {**card, "seen": "yesterday"}),
        ("nan", {**card, "offset": float("nan")}),
        ("\x1b[2J", card),
    ]
    for instance, values in hostile:
        place.set_xattr("cards", instance, json.dumps(values).encode())
    place.set_xattr("cards", "deep", b"[" * 50_000)
    assert [(one.id, one.state) for one in hosts.roll()] == [("a", WorkerState.READY)]


@pytest.mark.parametrize(
    "said",
    [
        {"client": 0, "row": [1, float("nan"), 0.1]},
        {"client": 0, "row": [1, 5, float("inf")]},
        {"client": 7, "row": [1, 5, 0.1]},
        {"client": [[]], "run": {}},
        {"client": 0, "run": {"op_size": 10**300}},
        {"errno": 5, "error": "\x1b[2J"},
        {"errno": "5", "error": "x"},
        {"started": -1.0},
    ],
)
def test_what_cannot_be_fails_the_run_in_a_sentence(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any]
) -> None:
    from perf_bench.loadgen.workers.assignment import Assignment

    hosts.act(ENDLESS)
    hosts.worker("a")
    tell = Assignment.tell

    def forge(self: Assignment, values: Any) -> None:
        tell(self, said if "row" in values else values)

    monkeypatch.setattr(Assignment, "tell", forge)
    with pytest.raises(CommandFailed, match="worker a on host-a tells what cannot") as caught:
        hosts.lead(replace(ORDER, clients=1, workers=("a",)))
    assert str(caught.value).isprintable()


def test_a_flood_of_lines_is_given_up(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    from perf_bench.loadgen.workers.assignment import Assignment

    hosts.act(ENDLESS)
    hosts.worker("a")
    tell = Assignment.tell

    def flood(self: Assignment, values: Any) -> None:
        tell(self, values)
        for _ in range(100 if "row" in values else 0):
            tell(self, {**values, "padding": "x" * 50_000})

    monkeypatch.setattr(Assignment, "tell", flood)
    rows: list[Any] = []
    with pytest.raises(CommandFailed, match="tells what cannot be: it tells more than a run has"):
        hosts.lead(replace(ORDER, clients=1, workers=("a",)), heard=rows.append)
    assert len(rows) < 20


def test_a_worker_whose_link_has_died_ends(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the service is started anew, instead of waiting for ever."""
    from perf_bench.loadgen.workers.agent import WorkerAgent

    hosts.worker("a")
    ended: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: ended.append(str(args.exc_value)))

    def broken(_self: object, _place: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(WorkerAgent, "_tick", broken)
    place = hosts.meeting.client("x").open_ioctx("perf_bench")
    place.set_namespace(NAMESPACE)
    place.notify("board", "{}")
    wait_until(lambda: not threads.alive("perf-bench-link"))
    threads.join("perf-bench-worker")
    assert "the thread that talks with RADOS has ended" in " ".join(ended)


def test_nonsense_on_the_board_is_passed_over(hosts: Hosts) -> None:
    hosts.worker("a")
    place = hosts.meeting.client("x").open_ioctx("perf_bench")
    place.set_namespace(NAMESPACE)
    for nonsense in (
        b"\xff",
        b"[]",
        b"{}",
        json.dumps({"workers": {"a": 7}, "run": 1}).encode(),
        b'{"workers": ["a"], "run": 2}',
        b'{"workers": {"a": [0]}, "start_at": 3, "run": 3}',
        b"[" * 100_000,
        b'{"run": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"run": 1' + b"0" * 5000 + b"}",
        json.dumps({**A_BOARD, "start_at": {"a": float("nan")}}).encode(),
        json.dumps({**A_BOARD, "beat": [[]]}).encode(),
        json.dumps({**A_BOARD, "padding": "x" * (1 << 20)}).encode(),
    ):
        place.set_xattr("board", "values", nonsense)
        place.notify("board", "{}")
        assert hosts.states()[0] in {WorkerState.READY, WorkerState.BUSY}
    told = hosts.lead(replace(ORDER, workers=("a",)))
    assert sum("run" in said for said in told) == 3


def test_fifty_of_them_are_called_and_led_together(hosts: Hosts) -> None:
    names = tuple(f"w{number:02d}" for number in range(50))
    for name in names:
        hosts.worker(name)
    assert [one.id for one in hosts.roll()] == list(names)
    told = hosts.lead(replace(ORDER, clients=50, workers=names))
    assert sum("run" in said for said in told) == 50
    assert hosts.left() == []
