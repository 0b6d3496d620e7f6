"""Workers and the mgr's side together, on threads; a script stands for `rados`."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Optional

import pytest

import threads
from fakes.loads import FakePools, a_pool
from perf_bench.clients import agent, coordinator, loader
from perf_bench.clients.agent import WorkerAgent
from perf_bench.clients.loader import ClientLoader
from perf_bench.errors import CommandFailed, InvalidValue, PerfBenchError
from perf_bench.model.rados import ClientRun, LoadOrder, Row
from perf_bench.version import VERSION

DATA = Path(__file__).parent / "data" / "rados_bench" / "reef"
ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 3, 4, 65536, 50, ("a", "b"))
FAST = f"cat {DATA}/write-text.txt"
ENDLESS = f"head -8 {DATA}/write-long-text.txt; exec sleep 60"
LEASE = 1.5


class Hosts:
    """The workers of a test, each on threads of its own, with clients that are real processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mgr = self.new_mgr()
        self.said: list[str] = []
        # Workers without a way to the mgr, which wait as librados does.
        self.cut: set[str] = set()
        self._agents: dict[str, WorkerAgent] = {}
        self.act(FAST)

    def new_mgr(self) -> ClientLoader:
        clock = SimpleNamespace(now=time.time, monotonic=time.monotonic)
        self.mgr = ClientLoader(dict, FakePools(a_pool()).flags, clock)
        return self.mgr

    def act(self, script: str) -> None:
        (self.folder / "act").write_text(f"{script}\n")

    def clients(self) -> list[str]:
        """Which of the clients that were started still run."""
        file = self.folder / "pids"
        return [pid for pid in (file.read_text().split() if file.exists() else []) if _runs(pid)]

    def worker(self, name: str) -> WorkerAgent:
        def ask(word: str, message: Any) -> Any:
            threads.until(lambda: name not in self.cut)
            answer = self.mgr.worker_next if word == "next" else self.mgr.worker_tell
            try:
                return json.loads(json.dumps(answer(name, json.dumps(message))))
            except PerfBenchError as error:
                raise CommandFailed(error.errno, str(error)) from error

        registration = {"host": f"host-{name}", "version": VERSION, "instance": f"i{name}"}
        access = {"name": "client.w", "keyring": "/k", "mon_host": "m", "where": "here"}
        made = WorkerAgent(registration, access, ask, self.said.append)
        threading.Thread(target=_served, args=(made,), name="perf-bench-worker").start()
        self._agents[name] = made
        return made

    def run(
        self,
        order: LoadOrder = ORDER,
        ended: Callable[[], bool] = bool,
        on_row: Optional[Callable[[int, Row], None]] = None,
    ) -> list[ClientRun]:
        return list(self.mgr.run(order, on_row or (lambda _c, _r: None), ended))

    def close(self) -> None:
        self.cut.clear()
        for one in self._agents.values():
            one.leave()
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


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    program = tmp_path / "rados"
    program.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\n. {tmp_path}/act\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setattr(coordinator, "IDLE_SECONDS", 0.1)
    monkeypatch.setattr(coordinator, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr(coordinator, "GATHER_SECONDS", 0.05)
    monkeypatch.setattr(coordinator, "_AHEAD_SECONDS", 0.3)
    monkeypatch.setattr(loader, "_LOOK_SECONDS", 0.02)
    monkeypatch.setattr(agent, "_AGAIN_SECONDS", 0.1)
    made = Hosts(tmp_path)
    yield made
    made.close()


@pytest.fixture
def short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests in which one runs out; the others pass on a machine that stands still for long."""
    monkeypatch.setattr(coordinator, "LEASE_SECONDS", LEASE)
    monkeypatch.setattr(coordinator, "_END_SECONDS", 0.2)
    monkeypatch.setattr(agent, "LEASE_SECONDS", LEASE)


def test_clients_are_spread_over_workers_and_heard(hosts: Hosts) -> None:
    hosts.worker("a")
    hosts.worker("b")
    rows: list[tuple[int, int]] = []
    for _ in range(2):  # one run follows the other
        runs = hosts.run(on_row=lambda client, row: rows.append((client, row.second)))
        assert [run.worker.id for run in runs if run.worker] == ["a", "b", "a"]
        assert [run.operations for run in runs] == [4262] * 3
        assert all(run.rows for run in runs)
        assert all(run.started_at == pytest.approx(time.time(), abs=60) for run in runs)
    assert {client for client, _ in rows} == {0, 1, 2}
    assert not hosts.clients()


def test_an_end_from_the_mgr_leaves_no_client(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    hosts.worker("b")
    assert hosts.run(replace(ORDER, seconds=60), lambda: len(hosts.clients()) == 3) == []
    assert not hosts.clients()  # gone before the mgr's side returns


def test_what_fails_on_a_worker_is_what_the_run_says(hosts: Hosts) -> None:
    hosts.act("echo 'error during benchmark: (1) Operation not permitted' >&2; exit 1")
    hosts.worker("a")
    with pytest.raises(CommandFailed, match=r"worker a: rados bench failed: .* not permitted"):
        hosts.run(replace(ORDER, workers=("a",)))


def test_an_order_that_a_worker_cannot_read_is_what_the_run_says(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: object) -> None:
        raise InvalidValue("operation is 'format'")

    monkeypatch.setattr(agent, "Assignment", unreadable)
    hosts.worker("a")
    with pytest.raises(CommandFailed, match="operation is 'format'"):
        hosts.run(replace(ORDER, workers=("a",)))


def test_a_worker_that_is_ended_ends_its_clients_and_says_so(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    check = agent.Assignment.check

    def interrupted(run: agent.Assignment) -> None:
        check(run)
        if len(hosts.clients()) == 3:
            raise SystemExit

    monkeypatch.setattr(agent.Assignment, "check", interrupted)
    with pytest.raises(CommandFailed, match="worker a on host-a was ended before its clients"):
        hosts.run(replace(ORDER, seconds=60, workers=("a",)))
    monkeypatch.setattr(coordinator, "SETTLE_SECONDS", 0.0)
    assert hosts.mgr.workers() == []
    assert not hosts.clients()


@pytest.mark.usefixtures("short_lease")
def test_a_worker_that_is_cut_off_is_lost_and_ends_by_itself(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    hosts.worker("b")

    def cut(client: int, _row: Row) -> None:
        if client == 1:
            hosts.cut.add("b")

    with pytest.raises(CommandFailed, match="worker b on host-b was lost: nothing was heard"):
        hosts.run(replace(ORDER, seconds=60), on_row=cut)
    assert not hosts.clients()


@pytest.mark.usefixtures("short_lease")
def test_the_next_mgr_ends_what_runs_and_gives_its_own_order(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    order = replace(ORDER, seconds=60, workers=("a",))
    failed: list[CommandFailed] = []

    def lead() -> None:
        try:
            hosts.run(order)
        except CommandFailed as error:
            failed.append(error)

    before = threading.Thread(target=lead)
    before.start()
    threads.until(lambda: len(hosts.clients()) == 3)
    hosts.new_mgr()
    threads.until(lambda: not hosts.clients())
    hosts.act(FAST)
    assert [run.operations for run in hosts.run(replace(order, seconds=2))] == [4262] * 3
    before.join()
    assert len(failed) == 1
    assert any("the mgr ended it" in line for line in hosts.said)
