"""Processes are ended by identity: pid, start time, and the cluster's id."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.processes import (
    ID_VARIABLE,
    Process,
    carrying,
    end,
    launch,
    read_pid_file,
)
from cluster.waiting import wait_for

CLUSTER = f"test-{os.getpid()}"
ENV = {"PATH": os.environ["PATH"], ID_VARIABLE: CLUSTER}


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    end(carrying(CLUSTER), grace=0)


def started(folder: Path, *argv: str) -> Process:
    return launch(argv, ENV, folder / "pid", folder / "out")


def test_a_launched_process_is_the_one_in_its_record(tmp_path: Path) -> None:
    process = started(tmp_path, "sleep", "60")
    assert process.alive
    assert read_pid_file(tmp_path / "pid") == process == Process.of(process.pid)
    assert carrying(CLUSTER) == [process]


def test_one_whose_first_thread_has_ended_lives_as_long_as_another_does(tmp_path: Path) -> None:
    leaves = "ctypes.CDLL(None).syscall(60, 0)"  # exit, of the calling thread alone
    script = f"import ctypes, threading, time\nthreading.Timer(60, print).start()\n{leaves}"
    process = started(tmp_path, sys.executable, "-c", script)
    stat = Path(f"/proc/{process.pid}/stat")
    wait_for(lambda: ") Z " in stat.read_text(), 60, lambda: "its first thread did not end")
    assert process.alive
    process.signal(signal.SIGKILL)
    assert process.ended(60)
    assert not process.alive


def test_ended_is_gone(tmp_path: Path) -> None:
    process = started(tmp_path, "sleep", "60")
    end([process])
    assert not process.alive
    assert carrying(CLUSTER) == []


def test_one_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    process = started(tmp_path, "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 60; done")
    wait_for(lambda: "ready" in (tmp_path / "out").read_text(), 60, lambda: "no trap was set")
    end([process], grace=0.1)
    assert not process.alive


def test_a_stopped_one_is_seen_and_ended_by_sigterm(tmp_path: Path) -> None:
    process = started(tmp_path, "sleep", "60")
    assert not process.stopped
    process.signal(signal.SIGSTOP)
    wait_for(lambda: process.stopped, 60, lambda: "it was not stopped")
    end([process], grace=30)
    assert not process.alive


def test_a_recycled_pid_is_never_hit(tmp_path: Path) -> None:
    process = started(tmp_path, "sleep", "60")
    former = Process(process.pid, process.start - 1)  # who had this pid before
    assert not former.alive
    assert not former.signal(signal.SIGKILL)
    assert former.ended(0)
    end([former], grace=0)
    assert process.alive


def test_only_processes_of_the_same_cluster_are_found(tmp_path: Path) -> None:
    process = started(tmp_path, "sleep", "60")
    assert carrying(CLUSTER + "0") == []
    assert carrying(CLUSTER[:-1]) == []
    assert carrying(CLUSTER) == [process]


def test_children_are_found_without_any_record(tmp_path: Path) -> None:
    started(tmp_path, "sh", "-c", "sleep 60 & sleep 61 & wait")
    wait_for(lambda: len(carrying(CLUSTER)) == 3, 60, lambda: "the children are not seen")


def test_one_that_becomes_another_program_again_and_again_is_always_found(tmp_path: Path) -> None:
    again = 'test $1 = 0 || exec sh -c "$0" "$0" $(($1 - 1)); exec sleep 60'
    process = started(tmp_path, "sh", "-c", again, again, "1000")
    for _ in range(20):
        assert carrying(CLUSTER) == [process]
