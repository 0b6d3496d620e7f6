"""Faults in place are files, and one command at a time changes them."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest

from cluster import records
from cluster import spec as specs
from cluster.errors import ClusterError
from cluster.processes import Process, write_pid_file
from cluster.records import Fault, alone, faults
from cluster.rootfs import made_once
from cluster.spec import Spec
from cluster.waiting import locked

STALL = Fault("1a", "stall", ("osd.1", "osd.4"), until=12345.678901234567, stop=0.7)


def test_a_fault_is_read_back_until_it_is_removed(spec: Spec) -> None:
    other = Fault("2b", "slow", ("osd.0",))
    records.write(spec, STALL)
    records.write(spec, other)
    assert faults(spec) == [STALL, other]
    records.write(spec, dataclasses.replace(STALL, daemons=("osd.4",)))
    assert faults(spec)[0].daemons == ("osd.4",)
    records.remove(spec, other)
    assert [fault.id for fault in faults(spec)] == ["1a"]


def test_nothing_is_changed_while_the_cluster_is_made(spec: Spec) -> None:
    specs.save(spec)
    write_pid_file(spec.pid_file(specs.UP), Process.own())
    with pytest.raises(ClusterError, match="still being made"), alone(spec):
        pass
    write_pid_file(spec.pid_file(specs.UP), Process(Process.own().pid, 0))  # an up that was killed
    with alone(spec):
        pass


def test_nothing_is_started_in_a_cluster_that_was_taken_down(spec: Spec) -> None:
    with pytest.raises(ClusterError, match="was taken down"), alone(spec):
        pass


def test_the_second_waits_for_the_first_and_is_told(tmp_path: Path) -> None:
    holding, asked_for = threading.Event(), threading.Event()
    ended: list[str] = []

    def first() -> None:
        with locked(tmp_path / "lock"):
            holding.set()
            asked_for.wait(30)
            ended.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert holding.wait(30)
    with locked(tmp_path / "lock", busy=asked_for.set):
        ended.append("second")
    thread.join(30)
    assert asked_for.is_set()
    assert ended == ["first", "second"]


def test_a_thing_half_made_never_has_its_name(tmp_path: Path) -> None:
    final = tmp_path / "root"

    def broken_off() -> None:
        with made_once(final) as partial:
            (partial / "half").touch()
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        broken_off()
    assert list(tmp_path.iterdir()) == []
