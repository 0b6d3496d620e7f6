"""Runs of the load by workers: start, ends of every kind, lost workers, leases, clocks."""

# Our modules that know RADOS can be imported only while the fake one is in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import itertools
import subprocess
import threading
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import threads
from perf_bench.errors import CommandFailed
from perf_bench.model.worker import WorkerState
from perf_bench.version import VERSION
from worker_hosts import ENDLESS, LEASE, ORDER, PATIENCE, Hosts, clock, wait_until

NOW = 1_700_000_000.0


def test_clients_are_spread_over_workers_and_start_together(hosts: Hosts) -> None:
    hosts.worker("a")
    hosts.worker("b")
    told = hosts.lead(ORDER)
    runs = {said["client"]: said["run"] for said in told if "run" in said}
    assert [runs[n]["worker"]["id"] for n in range(3)] == ["a", "b", "a"]
    assert runs[1]["worker"]["host"] == "host-b"
    assert all(run["operations"] == 4262 for run in runs.values())
    assert all(0 <= run["worker"]["late_seconds"] < PATIENCE for run in runs.values())
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
    from perf_bench.loadgen.workers import agent, discovery

    # Clocks that stand still: how long an answer takes on a busy machine says nothing here.
    still = SimpleNamespace(time=lambda: NOW, monotonic=lambda: 0.0)
    monkeypatch.setattr(discovery, "time", still)
    monkeypatch.setattr(agent, "time", clock(lambda: NOW + 90))
    hosts.worker("a")
    (found,) = hosts.roll()
    assert found.clock_offset == 90
    assert found.clock_error == 0


def test_a_clock_that_is_set_while_clients_run_does_no_harm(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen import rados_bench

    looks = itertools.count()  # an hour ahead from the second on
    monkeypatch.setattr(rados_bench, "time", clock(lambda: time.time() + 3600 * (next(looks) > 0)))
    hosts.worker("a")
    told = hosts.lead(replace(ORDER, clients=1, workers=("a",)))
    (run,) = [said["run"] for said in told if "run" in said]
    assert run["started_at"] == pytest.approx(time.time(), abs=60)


def test_a_clock_that_is_set_before_the_start_is_what_the_run_says(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.loadgen.workers import coordinator

    # An hour ahead once all have taken the order: the roll call's is another module's.
    monkeypatch.setattr(coordinator, "time", clock(lambda: time.time() + 3600))
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
    time.sleep(0.3)
    assert hosts.clients()
    hosts.clock.ahead += LEASE + 1
    wait_until(lambda: not hosts.clients())
    # said when its clients are gone
    wait_until(lambda: any("nothing was heard of the mgr" in line for line in hosts.said))


@pytest.mark.usefixtures("brief_calls")
def test_a_worker_that_is_cut_off_is_lost_and_ends_by_itself(hosts: Hosts) -> None:
    hosts.act(ENDLESS)
    hosts.worker("a")
    hosts.worker("b")

    def cut(said: Any) -> None:
        if said.get("client") == 1:
            hosts.meeting.cut.add("b")
            hosts.clock.step = LEASE / 4

    with pytest.raises(CommandFailed, match="worker b on host-b was lost: nothing was heard"):
        hosts.lead(replace(ORDER, seconds=60), heard=cut)
    assert not hosts.clients()
    # Worker a is busy until it knows that its last line was written.
    after = [("a", WorkerState.READY), ("b", WorkerState.LOST)]
    wait_until(lambda: [(one.id, one.state) for one in hosts.roll()] == after)
    with pytest.raises(CommandFailed, match="worker b is lost: it does not answer"):
        hosts.lead(ORDER)


@pytest.mark.usefixtures("brief_calls")
def test_a_pool_that_was_renamed_is_told_and_not_the_workers_that_it_silences(
    hosts: Hosts,
) -> None:
    """Their keys are for its name, so that the OSDs refuse them; the mgr's are for all pools."""
    hosts.act(ENDLESS)
    hosts.worker("a")

    def rename(said: Any) -> None:
        hosts.meeting.renamed = True
        hosts.meeting.cut.add("a")
        hosts.clock.step = LEASE / 4

    with pytest.raises(CommandFailed, match="the pool perf_bench has gone"):
        hosts.lead(replace(ORDER, seconds=60, workers=("a",)), heard=rename)


@pytest.mark.usefixtures("brief_calls")
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


def test_a_host_without_room_for_another_process_says_so_and_stays(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As at the limit of a container's processes, or without memory."""

    def fork(*_words: object, **_options: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    hosts.worker("a")
    order = replace(ORDER, workers=("a",))
    with monkeypatch.context() as full:
        full.setattr(subprocess, "Popen", fork)
        with pytest.raises(
            CommandFailed,
            match=r"^worker a: cannot start rados here: Resource temporarily unavailable$",
        ):
            hosts.lead(order)
    assert len([said for said in hosts.lead(order) if "run" in said]) == 3


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
    monkeypatch.setattr(coordinator, "_ACCEPT_SECONDS", 0.05)
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
    wait_until(lambda: not hosts.clients())  # their lease is over, whoever notices first
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
