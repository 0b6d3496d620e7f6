"""Workers and the mgr's side, on threads, over one fake RADOS; a script stands for `rados`."""

# Our modules that know RADOS can be imported only while the fake one is in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import itertools
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Optional

import pytest

import threads
from fakes.meeting import Meeting
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import LoadOrder
from perf_bench.model.worker import NAMESPACE, WorkerState, secret_key
from perf_bench.version import VERSION

if TYPE_CHECKING:
    from perf_bench.loadgen.workers.agent import WorkerAgent

DATA = Path(__file__).parents[2] / "loadgen" / "data" / "rados_bench" / "reef"
ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 3, 4, 65536, 50, ("a", "b"))
LEASE = 2.0
PATIENCE = 20.0
FAST = f"cat {DATA}/write-text.txt"
ENDLESS = f"head -8 {DATA}/write-long-text.txt; exec sleep 60"


def clock(ahead: Callable[[], float]) -> SimpleNamespace:
    """A clock in place of ``time``: so many seconds ahead of ours, told anew at each look."""
    return SimpleNamespace(
        monotonic=time.monotonic, sleep=time.sleep, time=lambda: time.time() + ahead()
    )


class Hosts:
    """The workers of a test, each on threads of its own, with clients that are real processes."""

    def __init__(self, folder: Path) -> None:
        self.meeting = Meeting()
        self.folder = folder
        self.said: list[str] = []
        self._ends: list[Callable[[], None]] = []

    def act(self, script: str) -> None:
        (self.folder / "act").write_text(f"{script}\n")

    def words(self) -> list[str]:
        return sorted((self.folder / "words").read_text().splitlines())

    def clients(self) -> list[str]:
        """Which of the clients that were started still run."""
        file = self.folder / "pids"
        pids = file.read_text().split() if file.exists() else []
        return [pid for pid in pids if _runs(pid)]

    def worker(
        self, name: str, instance: str = "", version: str = VERSION, secret: Optional[str] = None
    ) -> WorkerAgent:
        """``secret`` is what the monitors hold for it, empty for nothing."""
        from perf_bench.loadgen.workers.agent import WorkerAgent
        from perf_bench.loadgen.workers.rados_channel import RadosChannel

        client = self.meeting.client(instance or name)
        known = f"{name:x<32}" if secret is None else secret
        if known:
            self.meeting.keys[secret_key(name)] = known

        @contextmanager
        def place() -> Iterator[RadosChannel]:
            found = RadosChannel(client)  # type: ignore[arg-type]
            yield found
            found.close()

        card = {"id": name, "host": f"host-{name}", "version": version}
        access = {"name": "client.w", "keyring": "/k", "mon_host": "m", "where": "here"}
        made = WorkerAgent({**card, "instance": instance or name}, access, place, self.said.append)
        thread = threading.Thread(target=_served, args=(made,), name="perf-bench-worker")
        thread.start()
        self._ends.append(made.leave)
        wait_until(lambda: any(name == n for _, n in self._cards()))
        return made

    def _cards(self) -> list[tuple[str, str]]:
        found = []
        with self.meeting.lock:
            for (space, name, instance), data in self.meeting.values.items():
                if (space, name) == (NAMESPACE, "cards"):
                    found.append((instance, str(json.loads(data)["id"])))
        return found

    def lead(
        self,
        order: LoadOrder,
        ended: Callable[[], bool] = bool,
        heard: Optional[Callable[[Any], None]] = None,
    ) -> list[Any]:
        """What a run told; raises what it raised."""
        from perf_bench.loadgen.workers.coordinator import Coordinator
        from perf_bench.loadgen.workers.rados_channel import RadosChannel

        told: list[Any] = []

        def check() -> None:
            if ended():
                raise CommandFailed(125, "the mgr is gone")

        def tell(values: Any) -> None:
            told.append(values)
            if heard is not None:
                heard(values)

        place = RadosChannel(self.meeting.client("mgr"))  # type: ignore[arg-type]
        try:
            Coordinator(place, tell, check).lead(order)
        finally:
            place.close()
        return told

    def roll(self) -> list[Any]:
        from perf_bench.loadgen.workers.discovery import Discovery
        from perf_bench.loadgen.workers.rados_channel import RadosChannel

        place = RadosChannel(self.meeting.client("mgr"))  # type: ignore[arg-type]
        try:
            return Discovery(place).call()
        finally:
            place.close()

    def left(self) -> list[str]:
        """Objects of runs."""
        with self.meeting.lock:
            return [name for _, name in self.meeting.objects if name.startswith("said-")]

    def close(self) -> None:
        self.meeting.cut.clear()
        for end in self._ends:
            end()
        threads.join("perf-bench-worker")
        threads.join("perf-bench-link")


def _served(worker: WorkerAgent) -> None:
    with suppress(SystemExit):
        worker.serve()


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "rados"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {tmp_path}/words\necho $$ >> {tmp_path}/pids\n'
        f". {tmp_path}/act\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    made = Hosts(tmp_path)
    made.act(FAST)
    with made.meeting.installed():
        from perf_bench.loadgen.workers import assignment, coordinator

        monkeypatch.setattr(coordinator, "LEASE_SECONDS", LEASE)
        monkeypatch.setattr(coordinator, "_AHEAD_SECONDS", 0.2)
        monkeypatch.setattr(coordinator, "_LOOK_SECONDS", 0.02)
        monkeypatch.setattr(coordinator, "_END_SECONDS", 0.3)
        monkeypatch.setattr(coordinator, "BEAT_SECONDS", 0.1)
        monkeypatch.setattr(assignment, "LEASE_SECONDS", LEASE)
        from perf_bench.loadgen.workers import agent, discovery

        monkeypatch.setattr(agent, "_LOOK_SECONDS", 0.05)
        monkeypatch.setattr(agent, "_AGAIN_SECONDS", 0.1)
        monkeypatch.setattr(agent, "BEAT_SECONDS", 0.1)
        monkeypatch.setattr(discovery, "_CALL_SECONDS", 0.3)
        try:
            yield made
        finally:
            made.close()
            assert not made.meeting.freed_twice
    assert not made.clients()


def test_clients_are_spread_over_workers_and_start_together(hosts: Hosts) -> None:
    hosts.worker("a")
    hosts.worker("b")
    told = hosts.lead(ORDER)
    runs = {said["client"]: said["run"] for said in told if "run" in said}
    assert [runs[n]["worker"]["id"] for n in range(3)] == ["a", "b", "a"]
    assert runs[1]["worker"]["host"] == "host-b"
    assert all(run["operations"] == 4262 for run in runs.values())
    assert all(0 <= run["worker"]["late_seconds"] < 1 for run in runs.values())
    assert {said["client"] for said in told if "row" in said} == {0, 1, 2}
    assert len(hosts.words()) == 3
    assert hosts.words()[0].endswith("--run-name client-0 --no-cleanup")
    assert hosts.left() == []


def test_one_run_follows_the_other(hosts: Hosts) -> None:
    hosts.worker("a")
    for _ in range(3):
        told = hosts.lead(replace(ORDER, workers=("a",)))
        assert [said["client"] for said in told if "run" in said] == [0, 1, 2]


def test_a_wrong_clock_is_measured_and_taken_out(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import agent

    # Of the workers only this module asks for the time of day twice.
    monkeypatch.setattr(agent, "time", clock(lambda: 90))
    hosts.worker("a")
    (found,) = hosts.roll()
    assert found.clock_offset == pytest.approx(90, abs=0.5)
    assert 0 <= found.clock_error < 0.5


def test_a_clock_that_is_set_while_clients_run_does_no_harm(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen import rados_bench

    looks = itertools.count()  # an hour ahead from the second on
    monkeypatch.setattr(rados_bench, "time", clock(lambda: 3600 * (next(looks) > 0)))
    hosts.worker("a")
    told = hosts.lead(replace(ORDER, clients=1, workers=("a",)))
    (run,) = [said["run"] for said in told if "run" in said]
    assert run["started_at"] == pytest.approx(time.time(), abs=60)


def test_a_clock_that_is_set_before_the_start_is_what_the_run_says(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import coordinator

    # An hour ahead once all have taken the order: the roll call's is another module's.
    monkeypatch.setattr(coordinator, "time", clock(lambda: 3600))
    hosts.worker("a")
    with pytest.raises(CommandFailed, match=r"worker a: the agreed start is 3\d+ s away: a clock"):
        hosts.lead(replace(ORDER, workers=("a",)))
    assert not hosts.clients()


def test_an_end_from_the_mgr_ends_every_client_at_once(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    hosts.worker("b")
    with pytest.raises(CommandFailed, match="the mgr is gone"):
        hosts.lead(replace(ORDER, seconds=60), lambda: len(hosts.clients()) == 3)
    assert not hosts.clients()  # gone before the mgr's side returns


def test_a_mgr_that_is_gone_leaves_no_client_after_the_lease(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers.coordinator import Coordinator

    hosts.act(ENDLESS)
    hosts.worker("a")
    monkeypatch.setattr(Coordinator, "_dismiss", lambda _self: None)  # as if it was killed
    with pytest.raises(CommandFailed, match="the mgr is gone"):
        hosts.lead(replace(ORDER, seconds=60, workers=("a",)), lambda: bool(hosts.clients()))
    assert hosts.clients()
    began = time.monotonic()
    wait_until(lambda: not hosts.clients())
    # long before the 60 s of its order; how soon is held on a real cluster
    assert time.monotonic() - began < 30
    # said when its clients are gone
    wait_until(lambda: any("nothing was heard of the mgr" in line for line in hosts.said))


def test_a_worker_that_is_cut_off_is_lost_and_ends_by_itself(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    hosts.worker("b")

    def cut(said: Any) -> None:
        if said.get("client") == 1:
            hosts.meeting.cut.add("b")

    with pytest.raises(CommandFailed, match="worker b on host-b was lost: nothing was heard"):
        hosts.lead(replace(ORDER, seconds=60), heard=cut)
    assert not hosts.clients()
    assert [(w.id, w.state) for w in hosts.roll()] == [
        ("a", WorkerState.READY), ("b", WorkerState.LOST)
    ]  # fmt: skip
    with pytest.raises(CommandFailed, match="worker b is lost: it does not answer"):
        hosts.lead(ORDER)


def test_a_slow_cluster_takes_no_worker_for_lost(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import assignment, coordinator, worker_log

    monkeypatch.setattr(coordinator, "LEASE_SECONDS", 4.0)
    monkeypatch.setattr(assignment, "LEASE_SECONDS", 4.0)
    # All of them seem to have no room for lines, and are asked for their last words.
    monkeypatch.setattr(worker_log, "_SILENT_SECONDS", 0.3)
    hosts.act(ENDLESS)
    names = tuple("abcdef")
    for name in names:
        hosts.worker(name)
    slow_since: list[float] = []

    def slow(_said: Any) -> None:
        hosts.meeting.latency = 0.7
        slow_since.append(time.monotonic())

    def over() -> bool:
        if not slow_since or time.monotonic() - slow_since[0] < 7.0:
            return False
        hosts.meeting.latency = 0.0
        return True

    try:
        with pytest.raises(CommandFailed, match="the mgr is gone"):
            hosts.lead(replace(ORDER, seconds=60, clients=6, workers=names), over, slow)
    finally:
        hosts.meeting.latency = 0.0
    assert not hosts.clients()


def test_a_worker_that_comes_back_is_of_use_again(hosts: Hosts) -> None:
    hosts.worker("a")
    hosts.meeting.cut.add("a")
    assert [one.state for one in hosts.roll()] == [WorkerState.LOST]
    hosts.meeting.cut.clear()
    wait_until(lambda: [one.state for one in hosts.roll()] == [WorkerState.READY])


def test_a_client_that_fails_ends_the_others_in_a_sentence(hosts: Hosts) -> None:
    hosts.act("case \"$*\" in *client-1*) echo 'error: no' >&2; exit 1;; esac; exec sleep 60")
    hosts.worker("a")
    hosts.worker("b")
    with pytest.raises(CommandFailed, match="worker b: rados bench failed: error: no"):
        hosts.lead(replace(ORDER, seconds=60))
    assert not hosts.clients()


def test_one_that_is_ended_in_the_middle_ends_the_others(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_taken: object) -> float:
        raise SystemExit(143)  # as SIGTERM does

    hosts.act(ENDLESS)
    hosts.worker("a")
    monkeypatch.setattr(hosts.worker("b"), "_await_begin", interrupted)
    with pytest.raises(CommandFailed, match="worker b on host-b was ended before its clients"):
        hosts.lead(replace(ORDER, seconds=60))
    assert not hosts.clients()


def test_two_of_one_name_are_told_and_not_used(hosts: Hosts) -> None:
    hosts.worker("a", "first")
    hosts.worker("a", "second")
    wait_until(lambda: len(hosts.roll()) == 2)
    found = hosts.roll()
    assert {one.state for one in found} == {WorkerState.DUPLICATE}
    assert found[0].note == "another one of that name runs on host-a: end one"
    with pytest.raises(CommandFailed, match="worker a is duplicate: another one"):
        hosts.lead(replace(ORDER, workers=("a",)))


def test_one_of_another_version_is_told_and_not_used(hosts: Hosts) -> None:
    hosts.worker("a", version="0.0.1")
    (found,) = hosts.roll()
    assert found.state is WorkerState.MISMATCHED
    assert found.note == f"its version is 0.0.1, that of the mgr {VERSION}"
    with pytest.raises(CommandFailed, match=r"worker a is mismatched: its version is 0\.0\.1"):
        hosts.lead(replace(ORDER, workers=("a",)))


def test_one_that_does_not_take_its_order_is_late(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import coordinator
    from perf_bench.loadgen.workers.agent import WorkerAgent

    hosts.worker("a")
    monkeypatch.setattr(coordinator, "_ACCEPT_SECONDS", 0.3)
    monkeypatch.setattr(WorkerAgent, "_take", lambda _self, _board: None)
    with pytest.raises(CommandFailed, match="worker a is late: it did not take the order"):
        hosts.lead(replace(ORDER, workers=("a",)))


@pytest.mark.parametrize(
    ("code", "why"), [(errno.EDQUOT, "has reached its quota"), (errno.ENOSPC, "is full")]
)
def test_a_pool_that_gets_full_ends_all_in_its_own_sentence(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch, code: int, why: str
) -> None:
    from perf_bench.loadgen.workers import worker_log

    monkeypatch.setattr(worker_log, "_SILENT_SECONDS", 0.2)
    hosts.act(ENDLESS)
    hosts.worker("a")
    hosts.worker("b")

    def fill(said: Any) -> None:
        hosts.meeting.full = code

    with pytest.raises(CommandFailed, match=f"worker .: the pool perf_bench {why}") as failed:
        hosts.lead(replace(ORDER, seconds=60), heard=fill)
    assert failed.value.errno == code
    assert not hosts.clients()
    assert hosts.left() == []
    with pytest.raises(CommandFailed, match=f"^the pool perf_bench {why}$"):
        hosts.roll()
    hosts.meeting.full = 0
    wait_until(lambda: [one.state for one in hosts.roll()] == [WorkerState.READY] * 2)


def test_a_pool_that_is_deleted_is_what_the_run_says(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")

    def delete(said: Any) -> None:
        hosts.meeting.pool = False

    with pytest.raises(CommandFailed, match=r"^the pool perf_bench has gone$"):
        hosts.lead(replace(ORDER, seconds=60, workers=("a",)), heard=delete)
    assert not hosts.clients()
    hosts.meeting.pool = True
    wait_until(lambda: [one.state for one in hosts.roll()] == [WorkerState.READY])


def test_a_worker_that_may_not_write_says_what_its_key_needs(hosts: Hosts) -> None:
    hosts.meeting.barred.add("a")

    def allow() -> None:
        wait_until(lambda: any("it needs osd 'allow rw" in line for line in hosts.said))
        hosts.meeting.barred.clear()

    thread = threading.Thread(target=allow)
    thread.start()
    hosts.worker("a")
    thread.join()
    assert sum("it needs osd" in line for line in hosts.said) == 1


def test_what_is_no_order_of_a_round_is_not_run(hosts: Hosts) -> None:
    hosts.worker("a")
    wrong = replace(ORDER, workers=("a",), pool="rbd")
    with pytest.raises(CommandFailed, match="worker a: a worker serves the pool perf_bench only"):
        hosts.lead(wrong)
    assert not (hosts.folder / "words").exists()


def test_a_worker_waits_for_the_pool(hosts: Hosts) -> None:
    hosts.meeting.pool = False

    def make() -> None:
        wait_until(lambda: any("there is no pool perf_bench" in line for line in hosts.said))
        hosts.meeting.pool = True

    thread = threading.Thread(target=make)
    thread.start()
    hosts.worker("a")
    thread.join()
    assert [one.state for one in hosts.roll()] == [WorkerState.READY]


def test_one_that_ends_takes_its_card_along(hosts: Hosts) -> None:
    worker = hosts.worker("a")
    worker.leave()
    threads.join("perf-bench-worker")
    assert hosts.roll() == []
    assert not hosts.meeting.objects  # where nobody is nothing is kept


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
        time.sleep(0.05)
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
    for board in boards:
        place.set_xattr("board", "values", board)
        place.notify("board", json.dumps({"look": "f00"}))
        time.sleep(0.1)
    assert len(hosts.words()) == count


def test_a_beat_that_is_shown_again_renews_no_lease(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import assignment
    from perf_bench.loadgen.workers.untrusted import Orders

    monkeypatch.setattr(assignment, "LEASE_SECONDS", 0.2)
    board = Orders("f00", "gather", 5, {}, {"a": [0]})
    taken = assignment.Assignment(board, "a", "s" * 32)
    for beat in (5, 4, 5):
        time.sleep(0.1)
        taken.see(replace(board, beat=beat))
    with pytest.raises(CommandFailed, match="nothing was heard of the mgr"):
        taken.check()
    taken.see(replace(board, beat=6))
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
        time.sleep(0.05)
    assert next(one.state for one in hosts.roll()) in {WorkerState.READY, WorkerState.BUSY}
    told = hosts.lead(replace(ORDER, workers=("a",)))
    assert sum("run" in said for said in told) == 3


def test_fifty_of_them_are_called_and_led_together(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import assignment, coordinator

    # How long fifty threads take on a busy machine says nothing here: no lease runs out.
    monkeypatch.setattr(coordinator, "LEASE_SECONDS", 60.0)
    monkeypatch.setattr(assignment, "LEASE_SECONDS", 60.0)
    names = tuple(f"w{number:02d}" for number in range(50))
    for name in names:
        hosts.worker(name)
    assert [one.id for one in hosts.roll()] == list(names)
    told = hosts.lead(replace(ORDER, clients=50, workers=names))
    assert sum("run" in said for said in told) == 50
    assert hosts.left() == []
